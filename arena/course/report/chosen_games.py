"""Chooses the games that have a page of their own in a report, to step through.

Pure. A page takes milliseconds to draw and has tens of kilobytes. By default, if there are very many games, only those
that were lost by a fault have a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from arena.results.report import ListedGame

MOST: Final = 10_000
"""With more games, not all of them have a page by default."""


class GamesShown(StrEnum):
    """Which games have a page."""

    ALL = "all"
    LOST = "lost"
    """Those that were played and that an agent lost by a fault: out of time, an illegal move, a crash and so on."""
    NONE = "none"


def default(games: Sequence[ListedGame]) -> GamesShown:
    """The default for these games."""
    return GamesShown.ALL if len(games) <= MOST else GamesShown.LOST


def chosen(games: Sequence[ListedGame], which: GamesShown) -> list[ListedGame]:
    """Those of these games that have a page."""
    match which:
        case GamesShown.ALL:
            return list(games)
        case GamesShown.LOST:
            return [game for game in games if game.fault is not None and not game.forfeited]
        case GamesShown.NONE:
            return []
