"""What has become of a submission, from its place in the queue to its first rating, as one value.

`arena submit --wait` prints it as it changes: read from the database, or from a page server, which answers with it as
JSON. It has what its author may see, and names as they are recorded; a page server replaces them by public ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, convert
from msgspec.structs import replace

from arena.course.report.public_game import public_rules
from arena.student.checking import CheckStep
from db import ladder
from db.ladder import SubmissionState, VersionGame

if TYPE_CHECKING:
    from arena.serve.opened import OpenLadder
    from db.database import Connection
    from db.ladder import StoredSubmission

REPLACED: Final = "replaced"
"""The status of a version that entered, after a newer one did."""
_FIRST: Final = 20
"""Number of games that are listed."""


class SubmissionDocument(Struct, frozen=True, kw_only=True):
    """A submission as it is now."""

    submission: int
    ladder: str
    agent: str
    file: str
    """The name of the file that was handed in."""
    game: str
    clock: str
    state: SubmissionState
    words: str
    """Why it is in this state; empty if there is nothing to add."""
    ahead: int | None
    """How many others wait or are checked that came earlier; None once its check is over."""
    version: int | None = None
    """The number of its version; None until it has entered."""
    status: str | None = None
    """Of this version: active, withdrawn, quarantined or `REPLACED`; None until it has entered."""
    rating: float | None = None
    """None until its first rating, and of a version that does not play."""
    error: float | None = None
    games: int | None = None
    """How many games the rating is from."""
    steps: tuple[CheckStep, ...]
    """Of its check, those that are over."""
    first_games: tuple[VersionGame, ...] = ()
    """The first ones that are over."""


def submission_document(connection: Connection, opened: OpenLadder, one: StoredSubmission) -> SubmissionDocument:
    """The submission as it is now; `one` is its row."""
    league = opened.ladder.league
    waiting = SubmissionDocument(
        submission=one.id,
        ladder=opened.name,
        agent=one.author,
        file=one.label,
        game=public_rules(league.game_text),
        clock=league.conditions.clock,
        state=one.state,
        words=one.words,
        ahead=None if one.state.is_final else ladder.ahead_of(connection, one),
        steps=tuple(convert(step, CheckStep) for step in one.steps),
    )
    return waiting if one.version is None else _entered(connection, opened, one, one.version, waiting)


def _entered(
    connection: Connection, opened: OpenLadder, one: StoredSubmission, version: int, waiting: SubmissionDocument
) -> SubmissionDocument:
    """The same with what is known of its version."""
    (line,) = (line for line in ladder.standings(connection, opened.id) if line.name == one.author)
    plays = line.version == version
    entered = replace(
        waiting,
        version=dict(ladder.versions(connection, opened.id, one.author)).get(version),
        status=line.status if plays else REPLACED,
        first_games=tuple(ladder.games_since(connection, opened.id, version, one.changed)[:_FIRST]),
    )
    # The same files may have played before, and have a rating from then.
    if plays and line.rated is not None and line.rated > one.changed:
        return replace(entered, rating=line.rating, error=line.error, games=line.games)
    return entered
