"""Kuhn poker: a table with one round."""

from __future__ import annotations

from typing import Final

from adsearch.games.kuhn import Kuhn
from adsearch.pictures.boards.poker import draw_table

INKS: Final = dict.fromkeys("JQK", "card")


def draw(state: Kuhn, _last: object = None) -> str:
    """The position as a picture."""
    said = state.said.split()
    chips = [1 + ("bet" in said[seat::2] or "call" in said[seat::2]) for seat in (0, 1)]
    return draw_table(state, "Kuhn poker", cards=state.cards, said=[state.said], chips=chips)
