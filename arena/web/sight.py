"""Who may see what: one decision for pages, JSON and streams.

Pure. Whatever the web reads passes through here, and comes out without what the viewer may not see; pages get only
that. What a viewer may not see does not exist for them: the answer is the same as for something that is not there.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from arena.course.report.public_game import public_game
from arena.history.words import without_store
from db.games import OVER
from db.ladder import author_of

if TYPE_CHECKING:
    from arena.course.aliases import ShownNames
    from db.records import PastGame, PastSeat


class Role(StrEnum):
    """What kind of account a viewer has."""

    VISITOR = "visitor"
    """None: anyone who opens a page."""
    STUDENT = "student"
    INSTRUCTOR = "instructor"


class Viewer(Struct, frozen=True):
    """Who looks."""

    role: Role = Role.VISITOR
    account: int = 0
    """The row id of the account; 0 for a visitor."""
    author: str = ""
    """A student's name on the ladder."""

    def owns(self, agent: str) -> bool:
        """Whether the agent with this name in the record is the viewer's own."""
        return bool(self.author) and author_of(agent) == self.author


VISITOR: Final = Viewer()
MEMBER: Final = Viewer(Role.STUDENT)
"""Anyone with an account, without what only its owner sees."""


class What(StrEnum):
    """What can be seen, or done."""

    RESULTS = "results"
    """Standings, ratings, and how each game ended."""
    MOVES = "moves"
    """The moves of finished games, with the analysis."""
    OPEN_BOARD = "open board"
    """A game in progress that hides nothing from its players."""
    HIDDEN_BOARD = "hidden board"
    """The board of a game in progress that hides cards or moves from its players; own: as the own seat sees it."""
    SAID = "said"
    """What agents wrote: score, line and text of a move, stderr, details of crashes."""
    REASONS = "reasons"
    """Why an instructor ruled about a game."""
    PEOPLE = "people"
    """Names, ids and addresses of the people on the roster."""
    WAITING = "waiting"
    """How many submissions wait for their check."""
    CHECK = "check"
    """A submission, with the steps of its check."""
    SOURCE = "source"
    """The files of an agent."""
    PLAY = "play"
    """To play against an agent."""
    MANAGE = "manage"
    """To rule, invite, open and close."""


_PUBLIC: Final = frozenset({What.RESULTS, What.MOVES, What.OPEN_BOARD, What.WAITING})
_SEEN_BY: Final = {
    Role.VISITOR: frozenset[What](),
    Role.STUDENT: _PUBLIC | {What.PLAY},
    Role.INSTRUCTOR: frozenset(What) - {What.HIDDEN_BOARD},
}
_OF_THEIR_OWN: Final = frozenset({What.HIDDEN_BOARD, What.SAID, What.CHECK, What.SOURCE})
"""What students see of what is their own."""


def may(viewer: Viewer, what: What, *, public: bool = False, own: bool = False) -> bool:
    """Whether the viewer may see that. `public`: it is part of a tournament whose description says so. `own`: it is
    about the viewer's own agent."""
    is_own = own and viewer.role is Role.STUDENT
    return what in _SEEN_BY[viewer.role] or (public and what in _PUBLIC) or (is_own and what in _OF_THEIR_OWN)


def shown_game(viewer: Viewer, game: PastGame, names: ShownNames, title: str) -> PastGame:
    """The game as the viewer sees it, if they may see it at all: with public names, and without what the viewer may not
    see of what agents said, and of reasons.

    The moves of a game in progress are left out: a live page gets them from the director."""
    shown = public_game(game, names, title)
    if game.status not in OVER:
        return replace(shown, moves=(), analysis=())
    seen = {seat.seat for seat in game.seats if may(viewer, What.SAID, own=viewer.owns(seat.player))}
    if seen:
        shown = replace(
            shown,
            detail=without_store(game.detail or "") if game.fault in seen else shown.detail,
            seats=tuple(_whole(seat, public) if seat.seat in seen else public for seat, public in _both(game, shown)),
            moves=tuple(
                move if move.who in seen else public for move, public in zip(game.moves, shown.moves, strict=True)
            ),
        )
    return replace(shown, rulings=game.rulings) if may(viewer, What.REASONS) else shown


def sees_board(viewer: Viewer, *, hides: bool, public: bool = False) -> bool:
    """Whether the viewer may see the board of a game in progress; `hides`: it hides something from its players."""
    return may(viewer, What.HIDDEN_BOARD if hides else What.OPEN_BOARD, public=public)


def own_seat(viewer: Viewer, game: PastGame) -> int | None:
    """The first seat of a game in progress from which the viewer may see what the rules hide from others; None if there
    is none."""
    own = (one.seat for one in game.seats if may(viewer, What.HIDDEN_BOARD, own=viewer.owns(one.player)))
    return next(own, None)


def _both(game: PastGame, shown: PastGame) -> list[tuple[PastSeat, PastSeat]]:
    return list(zip(game.seats, shown.seats, strict=True))


def _whole(seat: PastSeat, public: PastSeat) -> PastSeat:
    return replace(seat, player=public.player)
