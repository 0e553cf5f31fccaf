"""Leduc hold'em: a table with two rounds, and a card for all."""

from __future__ import annotations

from typing import Final

from adsearch.games.leduc import Leduc
from adsearch.pictures.boards.poker import draw_table

INKS: Final = dict.fromkeys("JQK", "card")


def draw(state: Leduc, _last: object = None) -> str:
    """The position as a picture."""
    return draw_table(
        state, "Leduc hold'em", cards=state.cards, said=state.rounds, chips=state.chips, public=state.public
    )
