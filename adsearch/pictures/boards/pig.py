"""Pig: each seat's score and the turn's total on a bar up to the goal, and the die."""

from __future__ import annotations

from adsearch.games.pig import Pig
from adsearch.pictures.boards.paper import PLAYERS, SMALL, Drawing, die, document, inside, line, next_event, rect, words

SHOWS_EVENTS = True
_LEFT = 106.0
_WIDTH = 300.0
_BAR = 24.0
_HIGH = 46.0


def draw(state: Pig, last: str | None = None) -> str:
    """The position as a picture."""
    goal = state.dice.goal
    parts = []
    for seat, score in enumerate(state.scores):
        y = seat * _HIGH + 8.0
        total = state.total if seat == state.seat else 0
        mine = "xo"[seat]
        kept, more = _WIDTH * score / goal, _WIDTH * total / goal
        parts.append(words(PLAYERS[seat], 0.0, y + 17.0, anchor="start", kind="bold" if seat == state.seat else ""))
        parts.append(rect("cell", _LEFT, y, _WIDTH, _BAR, rx=4.0))
        parts += [rect(f"full-{mine}", _LEFT, y, kept, _BAR, rx=4.0)] * bool(score)
        parts += [rect(f"full-{mine} more", _LEFT + kept, y, more, _BAR, rx=4.0)] * bool(total)
        points = f"{score} + {total}" if total else str(score)
        parts.append(words(points, _LEFT + _WIDTH + 10.0, y + 17.0, anchor="start"))
    bottom = 2 * _HIGH
    parts.append(line("stroke", (_LEFT + _WIDTH, 2.0), (_LEFT + _WIDTH, bottom - 8.0)))
    for share in (0.0, 0.5, 1.0):
        if share != 0.5 or goal % 2 == 0:
            parts.append(inside(f"{goal * share:g}", _LEFT + share * _WIDTH, bottom + 2.0, size=SMALL, kind="faint"))
    event = next_event(state, PLAYERS, at_chance=f"{PLAYERS[state.seat]} throws")
    sentences = [f"Goal: {goal}."]
    sentences += [f"{name.capitalize()}: {score}." for name, score in zip(PLAYERS, state.scores, strict=True)]
    sentences += [f"{PLAYERS[state.seat].capitalize()}: {state.total} more in this turn."] * bool(state.total)
    thrown = last if last in state.dice.faces else None
    caption = []
    if thrown is not None:
        sentences.append(f"Thrown: {thrown}.")
        caption.append(die(int(thrown), sides=len(state.dice.faces)))
        if int(thrown) == state.dice.bust:
            event = f"nothing is kept; {event}"
    elif last is not None:
        sentences.append(f"Last: {last}.")
    drawing = Drawing(_LEFT + _WIDTH + 78.0, bottom + 10.0, "".join(parts))
    return document(drawing, "Pig", event, caption=caption, sentences=sentences)
