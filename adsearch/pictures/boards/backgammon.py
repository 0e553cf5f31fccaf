"""Backgammon: the points as one player counts them, the bar in the middle, what is borne off on the right, the dice."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

from adsearch.games.backgammon import BAR, OFF, Backgammon, Play, name_of, played
from adsearch.pictures.boards.paper import (
    SMALL,
    Drawing,
    Field,
    Ground,
    Point,
    circle,
    die,
    document,
    inside,
    listed,
    next_event,
    rect,
    sample,
    words,
)
from adsearch.pictures.svg import polygon

ABOVE: Final = 1
STEP: Final = 2
_SIDES: Final = Backgammon.looks.sides
_COLOURS: Final = tuple(map(str.lower, _SIDES))
_WIDE: Final = 36.0
_RADIUS: Final = 15.0
_EDGE: Final = 36.0
"""The height of the numbers above and below the points: the own ones, and behind them those of the other player."""
_HIGH: Final = 344.0
_TALLEST: Final = 5
"""Checkers of a column that are drawn; a number says how many there are."""
_BOARD: Final = 13 * _WIDE
"""Twelve points and the bar."""
_TRAY: Final = 104.0
_MIDDLE: Final = _EDGE + _HIGH / 2


def grounds() -> list[Ground]:
    """The board, its bar, and the points in two colours."""
    found = [Ground(line, 1, 41, "pale") for line in range(2, 13)] + [
        Ground(line, 19, 22, "wood") for line in range(2, 13)
    ]
    for place, line in product(range(12), (*range(2, 7), *range(8, 13))):
        start = 1 + 3 * place + 3 * (place > 5)
        found.append(Ground(line, start, start + 3, "wood" if (place + (line > 7)) % 2 else "felt"))
    return found


def draw(state: Backgammon, last: Any = None, *, turned: bool = False) -> str:
    """The position as a picture, with the points of seat 0; `turned`: with those of seat 1."""
    parts = [rect("pale", 0.0, _EDGE, _BOARD, _HIGH, rx=3.0), rect("wood", 6 * _WIDE, _EDGE, _WIDE, _HIGH)]
    for point in range(1, BAR):
        x, y = _foot(point)
        tip = y + (-1 if point <= 12 else 1) * 0.43 * _HIGH
        parts.append(polygon("wood" if point % 2 else "felt", [(x - _WIDE / 2, y), (x + _WIDE / 2, y), (x, tip)]))
        for row, (number, kind) in enumerate(((point, ""), (BAR - point, "faint"))):
            parts.append(inside(str(number), x, y + _number(row, is_below=point <= 12), size=SMALL, kind=kind))
    for row, mark in enumerate(_SIDES[::-1] if turned else _SIDES):
        for is_below in (False, True):
            y = _EDGE + is_below * _HIGH + _number(row, is_below=is_below)
            parts.append(inside(mark, 6.5 * _WIDE, y, size=SMALL, kind="faint" if row else "bold"))
    for seat, side in enumerate(state.sides):
        for place in range(1, BAR):
            point = BAR - place if seat != turned else place
            parts += _column(seat, _foot(point), side[place], up=point <= 12)
        is_below = seat == turned
        bar = (6.5 * _WIDE, _MIDDLE + (-8.0 if is_below else 8.0))
        parts += _column(seat, bar, side[BAR], up=is_below)
        off = _MIDDLE + (1 if is_below else -1) * (_HIGH / 2 - 30.0)
        parts.append(
            words(f"{_SIDES[seat]} off: {side[OFF]}", _BOARD + _TRAY / 2, off, kind="bold" if side[OFF] else "faint")
        )
    moved = () if last is None or isinstance(last, str) else last
    mover = state.seat if state.turn is None else 1 - state.seat
    for place in sorted({to for _, to in moved} - {OFF}):
        foot = _foot(BAR - place if mover != turned else place)
        parts.append(_ring(mover, foot, state.sides[mover][place]))
    drawing = Drawing(_BOARD + _TRAY, _HIGH + 2 * _EDGE, "".join(parts))
    event = next_event(state, _SIDES, at_chance=f"{_SIDES[state.seat]} throws")
    dice = [die(int(face)) for face in state.dice if face.isdigit()]
    caption = [
        sample(circle(_COLOURS[seat], 11.0, 11.0, 9.0), f"{_SIDES[seat]}: {state.pips(seat)} pips") for seat in (0, 1)
    ] + dice
    sentences = [_standing(seat, state) for seat in (0, 1)]
    sentences += [f"Thrown: {', '.join(state.dice)}."] * bool(dice)
    sentences += [f"{_SIDES[mover]} has moved to {listed(str(to) for _, to in moved)}."] * bool(moved)
    return document(drawing, "Backgammon", event, caption=caption, sentences=sentences)


def _number(row: int, *, is_below: bool) -> float:
    """How far below the edge of the points a row of numbers is."""
    return 12.0 + 13.0 * row if is_below else -11.0 - 13.0 * row


def touched(state: Backgammon, play: Play, *, turned: bool = False) -> tuple[Field, ...]:
    """From where to where each checker goes, one die after the other."""
    is_below = state.seat == turned
    return tuple([_field(place, is_below) for step in play for place in step])


def others(state: Backgammon, play: Play) -> set[Play]:
    """Other steps with the same result: with two dice, one checker can go over either of two points."""
    if state.dice[0] == state.dice[1]:
        return set()
    mine, theirs = state.sides[state.seat], state.sides[1 - state.seat]
    result = played(mine, theirs, play)
    alike = [steps for steps in state.step_by_step() if played(mine, theirs, steps) == result]
    return {tuple(sorted(steps)) for steps in alike} - {tuple(sorted(play))}


def _field(place: int, is_below: bool) -> Field:
    """The half column of a place of the player who is below, or of the other one."""
    name = name_of(place)
    if place in (OFF, BAR):
        left, width = (_BOARD, _TRAY) if place == OFF else (6 * _WIDE, _WIDE)
        is_lower = is_below == (place == OFF)
        return Field(name, left, _MIDDLE if is_lower else _EDGE, width, _HIGH / 2)
    x, y = _foot(place if is_below else BAR - place)
    return Field(name, x - _WIDE / 2, min(y, _MIDDLE), _WIDE, _HIGH / 2)


def _foot(point: int) -> Point:
    """Where a point of the player below meets the edge: 1 to 12 from the right, 13 to 24 above them from the left."""
    column = 12 - point if point <= 12 else point - 13
    return (column + (column >= 6) + 0.5) * _WIDE, _EDGE + (_HIGH if point <= 12 else 0.0)


def _column(seat: int, foot: Point, count: int, *, up: bool) -> list[str]:
    """Checkers on top of each other; a number on the last one if there are more of them."""
    way = -1 if up else 1
    centres = [(foot[0], foot[1] + way * (_RADIUS + 1.0) * (2 * n + 1)) for n in range(min(count, _TALLEST))]
    found = [circle(_COLOURS[seat], *centre, _RADIUS) for centre in centres]
    if count > _TALLEST:
        found.append(inside(str(count), *centres[-1], kind=f"bold {'on-R' if seat else 'on-card'}"))
    return found


def _ring(seat: int, foot: Point, count: int) -> str:
    """A ring on the last checker of a point to which one has moved, if it has not moved on."""
    x, y = foot
    up = -1 if y > _EDGE else 1
    height = min(count, _TALLEST)
    return (
        circle(f"last-on-{_COLOURS[seat]}", x, y + up * (_RADIUS + 1.0) * (2 * height - 1), _RADIUS - 3.0)
        if height
        else ""
    )


def _standing(seat: int, state: Backgammon) -> str:
    """Where the checkers of a seat are, by its own points."""
    names = {BAR: "the bar", OFF: "off"}
    there = (
        f"{count} on {names.get(place, place)}" if place else f"{count} off"
        for place, count in reversed([*enumerate(state.sides[seat])])
        if count
    )
    return f"{_SIDES[seat]}: {listed(there)}."
