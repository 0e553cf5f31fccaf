"""Kuhn poker: the cards, face down where they are not known, what each seat said, and its chips."""

from __future__ import annotations

from adsearch.games.kuhn import Kuhn
from adsearch.pictures.boards.paper import (
    PLAYERS,
    Drawing,
    circle,
    document,
    inside,
    next_event,
    path,
    player,
    rect,
    words,
)

_NAMES = {"J": "jack", "Q": "queen", "K": "king", "?": "not known", "-": "not dealt"}
_WIDTH, _HEIGHT = 64.0, 92.0
_APART = 132.0


def draw(state: Kuhn, _last: object = None) -> str:
    """The position as a picture."""
    cards = f"{state.cards:-<2}"
    said = state.said.split()
    chips = [1 + ("bet" in said[seat::2] or "call" in said[seat::2]) for seat in (0, 1)]
    parts, sentences = [], []
    for seat, card in enumerate(cards):
        x = seat * _APART + 24.0
        spoken = said[seat::2]
        parts.append(words(PLAYERS[seat], x + _WIDTH / 2, 14.0, kind="bold" if state.turn == seat else ""))
        parts.append(_card(card, x, 24.0))
        parts += [
            circle("chip", x + _WIDTH / 2 + 13.0 * (2 * n + 1 - chips[seat]), 24.0 + _HEIGHT + 24.0, 11.0)
            for n in range(chips[seat])
        ]
        parts.append(words(", ".join(spoken), x + _WIDTH / 2, 24.0 + _HEIGHT + 58.0))
        sentences.append(
            f"{PLAYERS[seat].capitalize()}: card {_NAMES[card]}, {chips[seat]} in the pot, "
            f"said {', '.join(spoken) or 'nothing'}."
        )
    event = next_event(state, PLAYERS, at_chance=f"{player(len(state.cards))} is dealt a card")
    if state.turn is None and "?" in cards and not state.said.endswith("fold"):
        event = "over: the cards are not known"
    elif state.turn is None:
        event += f", and gains {max(state.utilities()):g}"
    drawing = Drawing(_APART + _WIDTH + 48.0, 24.0 + _HEIGHT + 62.0, "".join(parts))
    return document(drawing, "Kuhn poker", event, sentences=sentences)


def _card(card: str, x: float, y: float) -> str:
    """A card: its letter, a back where it is not known, an empty place where none is dealt."""
    if card == "-":
        return rect("nothing", x, y, _WIDTH, _HEIGHT, rx=7.0)
    if card == "?":
        lines = "".join(f"M{x + 8 + 8 * n:g},{y + 8:g}v{_HEIGHT - 16:g}" for n in range(7))
        return (
            rect("card", x, y, _WIDTH, _HEIGHT, rx=7.0)
            + path("back", lines)
            + inside("?", x + _WIDTH / 2, y + _HEIGHT / 2, size=30.0, kind="bold on-card")
        )
    face = inside(card, x + _WIDTH / 2, y + _HEIGHT / 2, size=40.0, kind="bold on-card")
    return rect("card", x, y, _WIDTH, _HEIGHT, rx=7.0) + face
