"""What instructors see of a ladder or tournament that they manage, read in one short transaction.

Values under public names, with the people behind them. The caller has made sure that an instructor looks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from arena.course.report.public_game import public_ending
from arena.errors import BadRuling
from arena.history.words import ruled
from arena.serve import opened as ladders
from arena.serve.opened import is_closed_early, ladder_of
from arena.tournament.lock import running_in
from arena.web import own
from arena.web.results import Titled, titled
from db import games, ladder, lookup, rulings, running

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.serve.opened import OpenLadder
    from arena.web.names import SeenNames
    from arena.web.own import HandedIn
    from db.database import Connection
    from db.records import PastGame
    from db.rulings import StoredRuling

_LATEST: Final = 30
"""Submissions that are listed."""
_MOST_RULINGS: Final = 200


class Handed(Struct, frozen=True, kw_only=True):
    """A submission, and who handed it in."""

    one: HandedIn
    shown: str
    """The public name of its agent, under which the agent has a page; empty before one has entered."""
    person: str
    """Empty if nobody is known."""


class Named(Struct, frozen=True, kw_only=True):
    """An agent, and the person behind it."""

    name: str
    """Its public name."""
    person: str
    """Empty if nobody is known."""


class ManagedAgent(Named, frozen=True, kw_only=True):
    """An agent that takes part."""

    status: str
    """active, withdrawn or quarantined."""


class Author(Struct, frozen=True, kw_only=True):
    """Someone who can hand in to a ladder."""

    name: str
    """As the record has it."""
    shown: str
    """The public name of the first agent."""
    person: str
    until: datetime | None
    """The end of an extension; None without one."""


class Ruled(Struct, frozen=True, kw_only=True):
    """A ruling."""

    id: int
    when: datetime
    decided: str
    about: str
    """The game or agent, with public names."""
    game: int | None
    """The id of the game; None if it is about an agent."""
    reason: str
    can_be_revoked: bool
    """Whether it is neither revoked nor a revocation; other reasons against it are found when it is tried."""


class SameFiles(Struct, frozen=True, kw_only=True):
    """Agents of several authors that were handed in as the same files."""

    agents: Sequence[Named]
    versions: Sequence[int]
    """The number of the version of each."""


class LadderState(Struct, frozen=True, kw_only=True):
    """How a ladder stands."""

    opens: datetime
    closes: datetime
    is_closed_early: bool
    challenges: int
    """How many a student can start a day, by the description."""
    no_challenges: bool
    """Whether they were turned off."""
    """Whether it can be opened again, as long as the final has not begun."""
    final: str
    """The public name of the final; empty before it begins."""
    final_status: str
    """running, stopped or finished; empty before it begins."""
    is_run: bool
    """Whether a process plays its games."""
    rated: datetime | None
    """When ratings were last computed."""
    queue: Sequence[Handed]
    """The submissions that wait or are checked, the oldest first."""
    latest: Sequence[Handed]
    """The last ones, the newest first."""
    same_files: Sequence[SameFiles]
    authors: Sequence[Author]
    extension: int
    """The number of the last decision about an author's time."""
    handed_in: frozenset[str]
    """The authors who handed something in."""
    is_served: bool
    """Whether its submissions have pages here."""


class Managed(Struct, frozen=True, kw_only=True):
    """What the page shows of the record."""

    of: Titled
    ladder: LadderState | None
    """None for a tournament that is not a ladder."""
    of_ladder: str
    """The public name of the ladder that the tournament belongs to; empty for a ladder, and without one."""
    agents: Sequence[ManagedAgent]
    """Without anchors of a ladder."""
    rulings: Sequence[Ruled]
    """The newest first."""
    more_rulings: int
    """Number of older ones, which are not listed."""
    graded: str
    """The public name of the tournament that grades are from; empty if there are none yet."""


class GameToRule(Struct, frozen=True, kw_only=True):
    """A game that is ruled on."""

    of: Titled
    id: int
    number: int
    attempt: int
    seats: Sequence[Named]
    ended: str
    points: Sequence[float] | None
    """Those that count; None without a result."""
    ruling: int
    """The number of the ruling in force; 0: there is none."""
    ruled: str
    """What it decided, and why."""


def managed(
    connection: Connection, names: SeenNames, tournament: int, *, store: Path, served: str, authors: Sequence[str] = ()
) -> Managed:
    """What the page shows. `served`: the ladder that the director serves; `authors`: those with an account."""
    title = lookup.tournament_name(connection, tournament)
    belongs_to, titles = ladder_of(connection, title), names.titles(connection)
    opened = belongs_to if belongs_to is not None and belongs_to.id == tournament else None
    shown, behind = names.read(connection).shown, names.behind(connection, tournament)
    anchors = {} if opened is None else opened.anchors
    listed = rulings.rulings(connection, tournament)
    final = None if opened is None else running.tournament(connection, opened.final)
    graded = graded_in(connection, tournament)
    state = None
    if opened is not None:
        state = _state(connection, opened, final, titles, shown, behind, store=store, served=served, authors=authors)
    return Managed(
        of=titled(connection, names, tournament),
        ladder=state,
        of_ladder="" if belongs_to is None or opened is not None else titles[belongs_to.id],
        agents=[
            ManagedAgent(name=shown[name], person=behind(name), status=status)
            for name, status in lookup.entry_statuses(connection, tournament).items()
            if name not in anchors
        ],
        rulings=[_ruled(one, shown) for one in listed[:_MOST_RULINGS]],
        more_rulings=len(listed[_MOST_RULINGS:]),
        graded="" if graded is None else titles[graded],
    )


def graded_in(connection: Connection, tournament: int) -> int | None:
    """The tournament that grades are from: itself, or the final of a ladder; None before that has begun."""
    opened = ladder_of(connection, lookup.tournament_name(connection, tournament))
    if opened is None or opened.id != tournament:
        return tournament
    final = running.tournament(connection, opened.final)
    return None if final is None else int(final["id"])


def _state(
    connection: Connection,
    opened: OpenLadder,
    final: Mapping[str, Any] | None,
    titles: Mapping[int, str],
    shown: Mapping[str, str],
    behind: Callable[[str], str],
    *,
    store: Path,
    served: str,
    authors: Sequence[str],
) -> LadderState:
    lines = {line.name: line for line in ladder.standings(connection, opened.id)}

    def handed(one: ladder.StoredSubmission) -> Handed:
        return Handed(
            one=own.handed_in(connection, one, lines),
            shown=shown[one.author] if one.author in lines else "",
            person=behind(one.author),
        )

    entered = lookup.entry_statuses(connection, opened.id)
    extended = ladder.extensions(connection, opened.id)
    found = [
        Author(
            name=name,
            shown=shown[name] if name in entered else name,
            person=behind(name),
            until=opened.until(extended[name]) if name in extended else None,
        )
        for name in ladders.authors(connection, opened, authors)
    ]
    return LadderState(
        opens=opened.opens,
        closes=opened.closes,
        is_closed_early=is_closed_early(connection, opened),
        challenges=opened.ladder.challenges,
        no_challenges=opened.no_challenges,
        final="" if final is None else titles[final["id"]],
        final_status="" if final is None else str(final["status"]),
        is_run=running_in(store, opened.name) is not None,
        rated=ladder.last_rated(connection, opened.name),
        queue=[handed(one) for one in ladder.open_submissions(connection, opened.id)],
        latest=[handed(one) for one in ladder.submissions(connection, opened.id, most=_LATEST)],
        same_files=[
            SameFiles(
                agents=[Named(name=shown[name], person=behind(name)) for name in agents], versions=[*agents.values()]
            )
            for agents in ladder.same_files(connection, opened.id).values()
        ],
        handed_in=frozenset(map(ladder.author_of, ladder.submitted_names(connection, opened.id))),
        authors=sorted(found, key=lambda one: (one.shown.casefold(), one.name)),
        extension=ladder.newest_extension(connection, opened.id),
        is_served=opened.name == served,
    )


def _ruled(one: StoredRuling, shown: Mapping[str, str]) -> Ruled:
    players = [shown[name] for name in one.players]
    return Ruled(
        id=one.id,
        when=datetime.fromisoformat(one.when).astimezone(UTC),
        decided=ruled(one, players) + ("" if one.revoked is None else f" (revoked by ruling {one.revoked})"),
        about=" – ".join(players) if one.game is None else f"game {one.number} ({' – '.join(players)})",
        game=one.game,
        reason=one.reason,
        can_be_revoked=one.revokes is None and one.revoked is None,
    )


def find_game(connection: Connection, tournament: int, number: int) -> PastGame:
    """The last attempt at the tournament's game with that number; NotFound if there is none."""
    id = lookup.find_game(connection, f"{lookup.tournament_name(connection, tournament)}-{number}")
    (game,) = games.games(connection, [id])
    return game


def game_to_rule(connection: Connection, names: SeenNames, tournament: int, number: int) -> GameToRule:
    """The game with that number, to be ruled on; BadRuling if it is not over."""
    game = find_game(connection, tournament, number)
    if game.status not in games.OVER:
        raise BadRuling(f"expected a finished game, but game {number} is {game.status}")
    public, behind = names.read(connection), names.behind(connection, tournament)
    players = [public.shown[name] for name in game.players]
    ruling = game.ruling
    return GameToRule(
        of=titled(connection, names, tournament),
        id=game.id,
        number=game.number,
        attempt=game.attempt,
        seats=[Named(name=public.shown[name], person=behind(name)) for name in game.players],
        ended=public_ending(game, players, public),
        points=game.counted,
        ruling=0 if ruling is None else ruling.id,
        ruled="" if ruling is None else f"{ruled(ruling, players)}: {ruling.reason}",
    )
