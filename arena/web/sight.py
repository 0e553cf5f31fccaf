"""What a viewer may see: one decision for pages, JSON and streams.

Pure. Whatever the web reads is made public here, by values that no longer contain what the viewer may not see; pages
get only these values. To let other viewers see more, change `may`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from arena.course.report.public_game import public_game
from db.games import OVER

if TYPE_CHECKING:
    from arena.course.aliases import ShownNames
    from db.records import PastGame


class Viewer(StrEnum):
    """Who looks."""

    VISITOR = "visitor"
    """Anyone who opens a page."""


class What(StrEnum):
    """What can be seen."""

    RESULTS = "results"
    """Standings, ratings, and how each game ended."""
    MOVES = "moves"
    """The moves of finished games, with the analysis."""
    OPEN_BOARD = "open board"
    """A game in progress that hides nothing from its players."""
    HIDDEN_BOARD = "hidden board"
    """The board of a game in progress that hides cards or moves from its players."""
    SAID = "said"
    """What agents wrote: score, line and text of a move, stderr, details of crashes."""
    REASONS = "reasons"
    """Why an instructor ruled about a game."""
    PEOPLE = "people"
    """Names, ids and addresses of the people on the roster, and the files that they handed in."""


_SEEN_BY: Final = {Viewer.VISITOR: frozenset({What.RESULTS, What.MOVES, What.OPEN_BOARD})}


def may(viewer: Viewer, what: What) -> bool:
    """Whether the viewer may see that."""
    return what in _SEEN_BY[viewer]


def shown_game(viewer: Viewer, game: PastGame, names: ShownNames, title: str) -> PastGame:
    """The game as the viewer sees it, without what agents said, reasons and people, which no viewer may see.

    The moves of a game in progress are left out: a live page gets them from the director."""
    shown = public_game(game, names, title)
    if game.status in OVER and may(viewer, What.MOVES):
        return shown
    return replace(shown, moves=(), analysis=())


def sees_board(viewer: Viewer, *, hides: bool) -> bool:
    """Whether the viewer may see the board of a game in progress; `hides`: it hides something from its players."""
    return may(viewer, What.HIDDEN_BOARD if hides else What.OPEN_BOARD)
