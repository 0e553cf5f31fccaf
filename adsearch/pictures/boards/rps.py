"""Rock, paper, scissors: a column for each round, with what both chose and who has won it."""

from __future__ import annotations

from adsearch.games.rps import RockPaperScissors, winner
from adsearch.pictures.boards.paper import (
    PLAYERS,
    SMALL,
    Drawing,
    circle,
    document,
    inside,
    next_event,
    path,
    rect,
    words,
)

_CELL = 46.0
_LEFT = 100.0
_IN_A_ROW = 10


def draw(state: RockPaperScissors, _last: object = None) -> str:
    """The position as a picture."""
    rounds = state.rounds
    won = [0, 0]
    parts, sentences = [], []
    across = min(rounds, _IN_A_ROW)
    high = 2 * _CELL + 26.0
    for number in range(rounds):
        row, column = divmod(number, across)
        x, y = _LEFT + column * _CELL, row * high
        if column == 0:
            parts += [words(PLAYERS[s], 0.0, y + 20.0 + (s + 0.5) * _CELL + 5.0, anchor="start") for s in (0, 1)]
        parts.append(inside(str(number + 1), x + _CELL / 2, y + 10.0, size=SMALL, kind="faint"))
        pair = state.chosen[2 * number : 2 * number + 2]
        better = winner(*pair) if len(pair) == 2 else 0
        for seat, choice in enumerate(pair):
            wins = better == (1, -1)[seat]
            won[seat] += wins
            kind = f"of-{'xo'[seat]} wins" if wins else "cell"
            parts.append(rect(kind, x + 3.0, y + 20.0 + seat * _CELL + 3.0, _CELL - 6.0, _CELL - 6.0, rx=6.0))
            parts.append(_choice(choice, x + _CELL / 2, y + 20.0 + (seat + 0.5) * _CELL))
        for seat in range(len(pair), 2):
            parts.append(rect("nothing", x + 3.0, y + 20.0 + seat * _CELL + 3.0, _CELL - 6.0, _CELL - 6.0, rx=6.0))
        sentences += [f"Round {number + 1}: {' against '.join(pair)}."] * bool(pair)
    event = f"{won[0]}-{won[1]}; {next_event(state, PLAYERS)}"
    drawing = Drawing(_LEFT + across * _CELL, ((rounds - 1) // across + 1) * high, "".join(parts))
    return document(drawing, "Rock, paper, scissors", event, sentences=sentences or ["Nothing is chosen yet."])


def _choice(choice: str, x: float, y: float) -> str:
    """A stone, a sheet, a pair of blades, or a question mark."""
    if choice == "rock":
        return path("ink", f"M{x - 11:g},{y + 7:g}l1,-9l7,-6l8,1l6,7l0,7l-5,4h-13z")
    if choice == "paper":
        return path("stroke", f"M{x - 8:g},{y - 11:g}h11l5,5v17h-16zM{x - 4:g},{y - 2:g}h8M{x - 4:g},{y + 3:g}h8")
    if choice == "scissors":
        rings = circle("stroke", x - 5.0, y + 8.0, 4.0) + circle("stroke", x + 5.0, y + 8.0, 4.0)
        return (
            path("stroke", f"M{x - 3:g},{y + 4:g}L{x + 6:g},{y - 12:g}M{x + 3:g},{y + 4:g}L{x - 6:g},{y - 12:g}")
            + rings
        )
    return inside("?", x, y, size=22.0, kind="faint")
