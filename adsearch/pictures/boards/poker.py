"""A table of poker for two: the cards, face down where they are not known, what each seat said, and its chips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from adsearch.games.kuhn import UNKNOWN
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
from adsearch.state import State

_NAMES: Final = {"J": "jack", "Q": "queen", "K": "king", UNKNOWN: "not known", "-": "not dealt"}
_WIDTH, _HEIGHT = 64.0, 92.0
_APART, _LEFT, _TOP = 132.0, 24.0, 24.0
_LINE = 18.0
_CHIP = 11.0


def draw_table(
    state: State[Any],
    title: str,
    *,
    cards: str,
    said: Sequence[str],
    chips: Sequence[int],
    public: str | None = None,
) -> str:
    """A table as a picture. `cards`: of both seats; `said`: the words of each round; `public`: the card for all, None
    if the game has none."""
    cards = f"{cards:-<2}"
    parts, sentences = [], []
    for seat, card in enumerate(cards):
        x = _LEFT + seat * _APART * (1 if public is None else 2)
        middle = x + _WIDTH / 2
        spoken = [", ".join(words_said.split()[seat::2]) for words_said in said]
        parts.append(words(PLAYERS[seat], middle, 14.0, kind="bold" if state.turn == seat else ""))
        parts.append(_card(card, x))
        apart = min(2.0 * _CHIP + 4.0, 1.5 * _WIDTH / chips[seat])
        parts += [
            circle("chip", middle + apart * (n - (chips[seat] - 1) / 2), _TOP + _HEIGHT + 24.0, _CHIP)
            for n in range(chips[seat])
        ]
        counted = [] if public is None else [f"{chips[seat]} in the pot"]
        parts += [words(line, middle, _TOP + _HEIGHT + 58.0 + _LINE * n) for n, line in enumerate(counted + spoken)]
        sentences.append(
            f"{PLAYERS[seat].capitalize()}: card {_NAMES[card]}, {chips[seat]} in the pot, "
            f"said {'; then '.join(filter(None, spoken)) or 'nothing'}."
        )
    dealt = player(cards.find("-")) + " is dealt a card"
    if public is not None:
        parts.append(words("for all", _LEFT + _APART + _WIDTH / 2, 14.0))
        parts.append(_card(public or "-", _LEFT + _APART))
        sentences.append(f"For all: {_NAMES[public or '-']}.")
        dealt = dealt if "-" in cards else "a card is dealt for all"
    event = next_event(state, PLAYERS, at_chance=dealt)
    if state.turn is None and UNKNOWN in cards and not said[-1].endswith("fold"):
        event = "over: the cards are not known"
    elif state.turn is None and max(state.utilities()):
        event += f", and gains {max(state.utilities()):g}"
    width = _LEFT + _APART * (1 if public is None else 2) + _WIDTH + _LEFT
    lines = len(said) - (public is None)
    drawing = Drawing(width, _TOP + _HEIGHT + 62.0 + _LINE * lines, "".join(parts))
    return document(drawing, title, event, sentences=sentences)


def _card(card: str, x: float) -> str:
    """A card: its letter, a back where it is not known, an empty place where none is dealt."""
    if card == "-":
        return rect("nothing", x, _TOP, _WIDTH, _HEIGHT, rx=7.0)
    paper = rect("card", x, _TOP, _WIDTH, _HEIGHT, rx=7.0)
    middle = x + _WIDTH / 2, _TOP + _HEIGHT / 2
    if card == UNKNOWN:
        lines = "".join(f"M{x + 8 + 8 * n:g},{_TOP + 8:g}v{_HEIGHT - 16:g}" for n in range(7))
        return paper + path("back", lines) + inside(UNKNOWN, *middle, size=30.0, kind="bold on-card")
    return paper + inside(card, *middle, size=40.0, kind="bold on-card")
