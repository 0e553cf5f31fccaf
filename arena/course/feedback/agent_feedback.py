"""The feedback for one agent: what is read of its games, and what they show.

`arena course feedback` writes it for all agents of a tournament; the web draws it for the author who asks. Reading and
judging are two steps, because judging searches games for seconds, and a server must not keep a transaction open
meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from arena import languages
from arena.course.feedback import findings
from arena.course.feedback.findings import FeedbackAgent
from arena.course.feedback.sentences import AgentFeedback, GameConditions, command_as_typed
from arena.errors import ArenaError
from arena.history.recorded_rules import why_untrusted
from arena.players import versions
from arena.players.engines import is_engine
from arena.players.player import MAIN_FILE
from arena.players.submissions import is_command
from arena.results.report import ReportedAgent
from db import games as record
from db import ladder
from db.records import PastGame

if TYPE_CHECKING:
    from arena.players.submissions import Store
    from arena.results.report import Report
    from db.audit import StoredVersion
    from db.database import Connection


class Author(Struct, frozen=True, kw_only=True):
    """An agent that gets feedback."""

    agent: ReportedAgent
    name: str
    """Its name in the record."""
    folder: str = ""
    """The name of its folder; empty if no files are written."""
    games: Sequence[int]
    """The ids of its games."""


class GamesRead(Struct, frozen=True, kw_only=True):
    """What is read for the feedback for one agent."""

    agent: ReportedAgent
    own: FeedbackAgent
    games: int
    """Number of games that the current version played and that count."""
    at_fault: Sequence[PastGame]
    """Those that it lost by its own fault, with their moves."""
    candidates: Sequence[PastGame]
    """Those that are searched for mistakes, with their moves."""
    has_own_rules: bool
    """Whether the rules are a file."""


def read_games(
    connection: Connection, report: Report, author: Author, shown: Mapping[str, str], store: Store
) -> GamesRead:
    """Reads the games of the author's agent. `shown`: the public name of each player; the report has public names."""
    name = author.name
    every = findings.of_current_version(record.games(connection, author.games), name)
    at_fault = [game.id for game in every if findings.failed(game, name)]
    place_of = {agent.name: place for place, agent in enumerate(report.agents)}
    players = {player for game in every for player in game.players}
    places = {player: place_of[shown[player]] for player in players if shown[player] in place_of}
    chosen = [game.id for game in findings.spread_out(findings.order(every, name, places))]
    return GamesRead(
        agent=author.agent,
        own=_own(connection, author, store, every),
        games=len(every),
        at_fault=record.games(connection, at_fault, whole=True),
        candidates=record.games(connection, chosen, whole=True),
        has_own_rules=any(why_untrusted(replace(game, from_outside=True)) for game in every[:1]),
    )


def agent_feedback(
    report: Report, read: GamesRead, shown: Mapping[str, str], *, bundle: str = "", trust: bool = False
) -> AgentFeedback:
    """The feedback that follows from these games. `bundle`: as in `Conditions`. `trust`: run the rules of other people
    too."""
    agent = read.agent
    found = findings.findings(
        read.own, games=read.games, at_fault=read.at_fault, candidates=read.candidates, shown=shown, trust=trust
    )
    ranked = [one for one in report.agents if one.standing.rank and one.standing.apart == agent.standing.apart]
    return AgentFeedback(
        title=report.title,
        made=report.made,
        agent=agent,
        places=len(ranked),
        own=read.own,
        found=found,
        where=GameConditions(
            rules=report.game,
            clock=report.own_clocks.get(agent.name, report.clock),
            bundle=bundle,
            trust=read.has_own_rules,
        ),
    )


def _own(connection: Connection, author: Author, store: Store, games: Sequence[PastGame]) -> FeedbackAgent:
    """The agent in the version that played these games."""
    if not games:
        return FeedbackAgent(name=author.name, file="my_agent.py", python=True)
    seat = next(seat for seat in games[0].seats if seat.player == author.name)
    version = versions.version_of_seat(connection, seat)
    # A single file in another language is stored as "agent", with the extension of the language.
    label, stored = ladder.label(connection, version.agent, version.number), version.started_as.rpartition("/")[2]
    language = languages.ours().get(PurePath(label).suffix)
    is_source = language is not None and not language.hosted
    is_program = version.started_as.startswith("cmd:") or is_command(store.folder / version.source)
    return FeedbackAgent(
        name=author.name,
        file=label if is_source else _handed_in(version, store),
        stored=stored if is_source and PurePath(stored).suffix == PurePath(label).suffix else "",
        python=not (is_program or is_engine(version.started_as)),
        source_line=partial(store.line, version.source),
    )


def _handed_in(version: StoredVersion, store: Store) -> str:
    """The player as its author types it, in the folder with the agent."""
    text = version.started_as
    if is_engine(text):
        return text
    if text.startswith("cmd:"):
        return command_as_typed(text)
    with suppress(ArenaError):
        if {*store.read(version.source)} == {MAIN_FILE}:
            return MAIN_FILE
    return text.rstrip("/").rpartition("/")[2]
