"""What authors see of their own: their agents, what they handed in, one submission from its upload to its rating, why
an agent lost, and their challenges.

Every function takes a connection, the names as the viewer sees them, and the ladder that is served. Only rows of the
author's own agents are read; for an instructor those of any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from agents import builtin
from arena.course.aliases import ShownNames, listed_game, public_rules
from arena.course.feedback.agent_feedback import AgentFeedback, Author, agent_feedback, read_games
from arena.pages.replay_page import person_in
from arena.players.submissions import Store
from arena.ratings.scale import ranks
from arena.results import figures
from arena.results.columns import Cell
from arena.results.listings import outcome
from arena.serve import challenges as serve
from arena.serve.open_ladders import OpenLadder
from arena.serve.submissions import REPLACED, SubmissionDocument, refusal, submission_document
from arena.student.checking import CheckStep
from arena.web.page_values import NotThere
from arena.web.permissions import SeenNames, What, may
from arena.web.results import Goal, Titled, goals, report, titled
from db import games, ladder, running, web
from db.database import Connection, Database
from db.ladder import LadderLine, StoredChallenge, StoredSubmission, SubmissionState, VersionGame, author_of
from db.records import PastGame, moment_of

_LATEST: Final = 20
"""Submissions that are listed."""
_FIRST: Final = 6
"""First games that are listed."""
_PLAYS: Final = "active"
_WITHDRAWN: Final = "Your instructor has taken this agent out of the ladder; ask them."


class OwnAgent(Struct, frozen=True, kw_only=True):
    """An agent on the ladder, with the version that plays now."""

    name: str
    """Its public name."""
    version: int
    status: str
    rating: float | None
    error: float | None
    games: int
    """Those of which the rating is made."""
    rated: datetime | None
    """When the rating was computed; None before the first one."""
    rank: int | None = None
    """Among the agents that are rated."""
    ranked: int = 0
    """How many have a rank."""
    change: str = ""
    """How much the rating changed in a day."""


class HandedIn(Struct, frozen=True, kw_only=True):
    """A submission."""

    id: int
    agent: str
    """Its name in the record: only its author and instructors see submissions."""
    label: str
    """The name of the file."""
    state: str
    words: str
    """Why it is in this state; empty if there is nothing to add."""
    received: datetime
    ahead: int | None
    """How many others wait or are checked that came earlier; None if its check has begun."""
    status: str
    """Of a version that has entered: active, withdrawn, quarantined, or `REPLACED` by one that plays; else empty."""
    plays_on: bool
    """Whether some version of this agent plays now."""


class Own(Struct, frozen=True, kw_only=True):
    """What the page of an author shows."""

    ladder: Titled
    game: str
    clock: str
    closes: datetime
    """For this author."""
    is_closed: bool
    """Whether that is over."""
    refused: str
    """Why nothing can be handed in now; empty if something can."""
    agents: Sequence[OwnAgent]
    submissions: Sequence[HandedIn]
    """The newest first."""
    has_lost: bool
    """Whether one of the agents lost a game of its last round."""
    goals: Sequence[Goal]
    made: datetime


class ByHand(Struct, frozen=True, kw_only=True):
    """A game that the author has played by hand. It is never rated."""

    id: int
    rules: str
    opponents: str
    result: Cell
    finished: datetime | None


class SubmissionView(Struct, frozen=True, kw_only=True):
    """What the page of a submission shows."""

    ladder: Titled
    one: HandedIn
    shown: str
    """The public name of its agent, under which the agent has a page; empty before one has entered."""
    steps: Sequence[CheckStep]
    """Those that are over."""
    playing: int | None
    """The id of a game in progress of this agent."""
    games: Sequence[VersionGame]
    """The first ones that are over."""
    agent: OwnAgent | None
    """As it plays now; None if this version does not play, or not yet."""
    has_files: bool
    """Whether its files can be fetched."""
    made: datetime


def own(
    connection: Connection, names: SeenNames, opened: OpenLadder, author: str, *, now: datetime | None = None
) -> Own:
    """What the page of this author shows. `now`: by default the present time."""
    shown, now = names.read(connection).shown, now or datetime.now(UTC)
    closes = opened.until(ladder.extension(connection, opened.id, author))
    lines = {line.name: line for line in ladder.standings(connection, opened.id)}
    theirs = {name: line for name, line in lines.items() if ladder.author_of(name) == author}
    rows = [one for one in ladder.submissions(connection, opened.id) if ladder.author_of(one.author) == author]
    league = opened.ladder.league
    before = {name: past for name, (_, past) in web.sampled_ratings(connection, opened.id, most=2, now=now).items()}
    return Own(
        ladder=titled(connection, names, opened.id),
        game=public_rules(league.game_text),
        clock=league.conditions.clock,
        closes=closes,
        is_closed=closes < now,
        refused=_refused(connection, opened, author, theirs, now, closes=closes),
        agents=[
            replace(_agent(name, lines, opened, shown), change=figures.change(line.rating, before.get(name)))
            for name, line in theirs.items()
        ],
        submissions=[handed_in(connection, one, lines) for one in rows[:_LATEST]],
        has_lost=any(_has_lost(connection, last_round(connection, opened, name), name) for name in theirs),
        goals=goals(connection, opened.id, names.read(connection)),
        made=now,
    )


def by_hand(connection: Connection, names: SeenNames, ids: Sequence[int]) -> list[ByHand]:
    """These games, which the author has played by hand, in this order."""
    public = names.read(connection)
    return [_by_hand(game, public) for game in games.games(connection, ids)]


def _by_hand(game: PastGame, names: ShownNames) -> ByHand:
    seat, listed = person_in(game.players) or 0, replace(listed_game(game, names), points=game.points)
    return ByHand(
        id=game.id,
        rules=public_rules(game.game, names),
        opponents=", ".join(name for at, name in enumerate(listed.players) if at != seat),
        result=replace(outcome(listed, listed.players[seat]), notes=() if game.ruling is None else listed.notes[:1]),
        finished=moment_of(game.finished),
    )


def _has_lost(connection: Connection, round: int | None, agent: str) -> bool:
    return round is not None and bool(web.losses(connection, round, agent))


def _refused(
    connection: Connection,
    opened: OpenLadder,
    author: str,
    agents: Mapping[str, LadderLine],
    now: datetime,
    *,
    closes: datetime,
) -> str:
    """Why the author can hand in neither the first agent nor another one; empty if one of them is possible."""
    further = {*agents, f"{author}{ladder.SECOND_AGENT}new"} if opened.ladder.agents > 1 else {*agents}
    if not all(why := [refusal(connection, opened, name, now) for name in (author, *sorted(further - {author}))]):
        return ""
    is_out = author in agents and agents[author].status == "withdrawn"
    return _WITHDRAWN if is_out and opened.opens <= now <= closes else why[0]


def submission(connection: Connection, names: SeenNames, opened: OpenLadder, id: int) -> SubmissionView | None:
    """What the page of this submission shows; None if there is none, or the viewer may not see it."""
    one = visible(connection, names, opened, id)
    if one is None:
        return None
    shown = names.read(connection).shown
    lines = {line.name: line for line in ladder.standings(connection, opened.id)}
    line = lines.get(one.author)
    plays = line is not None and one.version is not None and line.version == one.version
    games = ladder.games_since(connection, opened.id, one.version, one.changed)[:_FIRST] if one.version else []
    return SubmissionView(
        ladder=titled(connection, names, opened.id),
        one=handed_in(connection, one, lines),
        shown="" if line is None else shown[one.author],
        steps=[msgspec.convert(step, CheckStep) for step in one.steps],
        playing=ladder.game_in_progress(connection, opened.id, one.version) if one.version else None,
        games=[replace(game, opponent=shown[game.opponent]) for game in games],
        agent=_agent(one.author, lines, opened, shown) if plays else None,
        has_files=one.source is not None,
        made=datetime.now(UTC),
    )


def document(connection: Connection, names: SeenNames, opened: OpenLadder, id: int) -> SubmissionDocument | None:
    """The submission as one value; None if there is none, or the viewer may not see it."""
    one = visible(connection, names, opened, id)
    if one is None:
        return None
    public, found = names.read(connection), submission_document(connection, opened, one)
    return replace(
        found,
        ladder=titled(connection, names, opened.id).title,
        agent=public.shown.get(found.agent, found.agent),  # before it is recorded it has no public name
        game=public_rules(found.game, public),
        first_games=tuple(replace(game, opponent=public.shown[game.opponent]) for game in found.first_games),
    )


def visible(
    connection: Connection, names: SeenNames, opened: OpenLadder, id: int, what: What = What.CHECK
) -> StoredSubmission | None:
    """The submission, if it is one to this ladder of which the viewer may see that."""
    found = ladder.find_submission(connection, opened.id, id)
    if found is None or not may(names.viewer, what, own=names.viewer.owns(found.author)):
        return None
    return found


def _agent(name: str, lines: Mapping[str, LadderLine], opened: OpenLadder, shown: Mapping[str, str]) -> OwnAgent:
    line, rated = lines[name], {one: line.rating for one, line in lines.items() if line.rating is not None}
    ranked = ranks(rated, opened.anchors)
    return OwnAgent(
        name=shown[name],
        rank=ranked.get(name),
        ranked=len(ranked),
        version=line.number,
        status=line.status,
        rating=line.rating,
        error=line.error,
        games=line.games,
        rated=line.rated,
    )


def handed_in(connection: Connection, one: StoredSubmission, lines: Mapping[str, LadderLine]) -> HandedIn:
    """The submission as its author and instructors see it. `lines`: the standings, by name."""
    waits, line = one.state is SubmissionState.RECEIVED, lines.get(one.author)
    status = line.status if line is not None and one.state is SubmissionState.ENTERED else ""
    if line is not None and status == _PLAYS and line.version != one.version:
        status = REPLACED
    return HandedIn(
        id=one.id,
        agent=one.author,
        label=one.label,
        state=str(one.state),
        words=one.words,
        received=one.received,
        ahead=ladder.ahead_of(connection, one) if waits else None,
        status=status,
        plays_on=line is not None and line.status == _PLAYS,
    )


# Why an author's agents lost in the last round: reads and judges their games for the page of feedback.


class AskedFor(Struct, frozen=True, kw_only=True):
    """An agent of the viewer, and the round that its feedback is about."""

    ladder: Titled
    agent: str
    """Its name in the record; empty if the viewer has none."""
    further: Sequence[str]
    """The second parts of the names of the viewer's agents; "" is the agent with the author's own name."""
    round: int | None
    """The row id of the tournament; None: no game is over."""
    has_lost: bool
    """Whether the agent lost a game of that round, with the version that plays now."""


def asked_for(connection: Connection, names: SeenNames, opened: OpenLadder, further: str = "") -> AskedFor:
    """What the viewer asks for who looks through these names. `further`: the second part of the agent's name; empty:
    the first one. NotThere if the viewer has no such agent."""
    own = sorted(line.name for line in ladder.standings(connection, opened.id) if names.viewer.owns(line.name))
    wanted = f"{names.viewer.author}{ladder.SECOND_AGENT}{further}" if further else next(iter(own), "")
    if further and wanted not in own:
        raise NotThere("You have no such agent.")
    round = last_round(connection, opened, wanted) if wanted else None
    return AskedFor(
        ladder=titled(connection, names, opened.id),
        agent=wanted,
        further=[name.partition(ladder.SECOND_AGENT)[2] for name in own],
        round=round,
        has_lost=_has_lost(connection, round, wanted),
    )


def last_round(connection: Connection, opened: OpenLadder, agent: str) -> int | None:
    """The row id of the last round in which the agent has played; None if there is none.

    That is the final, or else the last tournament, if it is over; else the ladder."""
    latest_first = sorted(opened.ladder.tournaments, key=lambda dated: dated.starts, reverse=True)
    for name in (opened.final, *(dated.league.name for dated in latest_first)):
        row = running.tournament(connection, name)
        if row is not None and row["status"] == "finished" and web.games_of(connection, row["id"], agent):
            return int(row["id"])
    return opened.id if web.games_of(connection, opened.id, agent) else None


def feedback(
    database: Database, store: Path, names: SeenNames, tournament: int, agent: str, *, now: datetime
) -> tuple[Titled, AgentFeedback]:
    """The feedback for the viewer's agent with this name in the record; NotThere if it is not the viewer's own."""
    if not may(names.viewer, What.SAID, own=names.viewer.owns(agent)):
        raise NotThere("You have no such agent.")
    with database.reading() as connection:
        shown = names.read(connection).shown
        found = report(connection, names, tournament, now=now)
        line = next(one for one in found.agents if one.name == shown[agent])
        author = Author(agent=line, name=agent, games=web.games_of(connection, tournament, agent))
        read = read_games(connection, found, author, shown, Store(store))
        about = titled(connection, names, tournament)
    return about, agent_feedback(found, read, shown)


# What a student sees of challenges: with what and against whom one can be started, and what became of the last ones.


_LATEST_CHALLENGES: Final = 10
"""Challenges that are listed."""


class Challenged(Struct, frozen=True, kw_only=True):
    """A challenge of the viewer."""

    game: int
    agent: str
    opponent: str
    made: datetime
    status: str
    """That of its game."""
    verdict: str | None
    points: float | None
    """Of the viewer's agent."""
    words: str
    """Why it was not played; empty unless it was cancelled."""


class Challenging(Struct, frozen=True, kw_only=True):
    """What the page of an author shows of challenges."""

    closed: str
    """Why nobody can start one now; empty if somebody can."""
    left: int
    """How many the author can still start today."""
    agents: Sequence[str]
    """The author's agents that play."""
    opponents: Sequence[tuple[str, Sequence[str]]]
    """The opponents in groups, the agents of the ladder first, the best one first."""
    latest: Sequence[Challenged]
    """The newest first."""


def challenging(
    connection: Connection, names: SeenNames, opened: OpenLadder, author: str, now: datetime
) -> Challenging | None:
    """What the page of this author shows; None if challenges are turned off and the author has none."""
    shown = names.read(connection).shown
    agents, built_in = serve.opponents(connection, opened)
    own = [name for name in agents if author_of(name) == author]
    others = [name for name in agents if name not in own or len(own) > 1]
    latest = ladder.latest_challenges(connection, opened.id, author, most=_LATEST_CHALLENGES)
    if not opened.ladder.challenges and not latest:
        return None
    return Challenging(
        closed=serve.closed(connection, opened, now),
        left=serve.left(connection, opened, author, serve.day(opened, now)[0]),
        agents=[shown[name] for name in own],
        opponents=[("Agents of the ladder", [shown[name] for name in others]), ("Built-in agents", built_in)],
        latest=[_challenged(one, shown) for one in latest],
    )


def _challenged(one: StoredChallenge, shown: Mapping[str, str]) -> Challenged:
    own = next(seat for seat, name in enumerate(one.game.names) if author_of(name) == one.author)
    agent, opponent = one.game.names[own], one.game.names[1 - own]
    return Challenged(
        game=one.game.id,
        agent=shown[agent],
        opponent=shown[opponent],
        made=one.made,
        status=one.game.status,
        verdict=one.verdict,
        points=one.points[own],
        words=one.words,
    )


def challengers(
    connection: Connection, names: SeenNames, opened: OpenLadder, tournament: int, opponent: str, now: datetime
) -> list[str]:
    """The viewer's agents that can challenge the agent with this name in the tournament; none if that is not the
    ladder, or if there are no challenges now."""
    author = names.viewer.author
    if not author or tournament != opened.id or serve.closed(connection, opened, now):
        return []
    shown = names.read(connection).shown
    agents, _ = serve.opponents(connection, opened)
    own = [shown[name] for name in agents if author_of(name) == author and shown[name] != opponent]
    return own if opponent in {shown[name] for name in agents} else []


def recorded(
    connection: Connection, names: SeenNames, opened: OpenLadder, author: str, agent: str, opponent: str
) -> tuple[str, str]:
    """The names in the record of the author's agent, by default the only one, and of the opponent; empty if there is no
    such agent."""
    shown = names.read(connection).shown
    lines = {shown[line.name]: line.name for line in ladder.standings(connection, opened.id)}
    own = {public: name for public, name in lines.items() if author_of(name) == author}
    if not agent and len(own) == 1:
        (agent,) = own
    return own.get(agent, ""), lines.get(opponent, opponent if builtin.is_builtin(opponent) else "")
