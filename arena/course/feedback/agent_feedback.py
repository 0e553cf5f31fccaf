"""The feedback for one agent: what is read of its games, and what they show.

`arena course feedback` writes it for all agents of a tournament; the web draws it for the author who asks. Reading and
judging are two steps, because judging searches games for seconds, and a server must not keep a transaction open
meanwhile.
"""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import zip_longest
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from adsearch import State
from agents.protocol import Verdict
from arena import languages
from arena.errors import ArenaError
from arena.history.recorded_rules import why_untrusted
from arena.history.replay import played_on, replay
from arena.players import versions
from arena.players.engines import is_engine
from arena.players.player import MAIN_FILE
from arena.players.submissions import is_command
from arena.results.report import ReportedAgent
from arena.student.analysis import AnalysisBudget, first_mistake, judge_moves
from arena.student.checking.explanations import Explanation, Failure, explain
from arena.student.checking.played_games import without_name
from db import games as record
from db import ladder
from db.records import JudgedPly, PastGame

if TYPE_CHECKING:
    from arena.players.submissions import Store
    from arena.results.report import Report
    from db.audit import StoredVersion
    from db.database import Connection


# What the games of one agent show: its faults, each kind once, and the three games that its author should look at.


MOST_GAMES: Final = 3
"""Number of games to look at."""
_MOST_ANALYSED: Final = 6
"""Number of games that are searched for a mistake."""
_MOST_NODES: Final = 4_000
"""Nodes searched per move, at most."""
_LEAST_NODES: Final = 250
"""Nodes searched per move, at least."""
_TOTAL_NODES: Final = 60_000
"""Nodes searched per game: feedback for 60 agents takes about a minute."""
_ANYWHERE: Final = (Verdict.TIME, Verdict.UNREADY, Verdict.MEMORY)
_PLACE: Final = re.compile(r"\S+, line \d+")


class FeedbackAgent(Struct, frozen=True, kw_only=True):
    """The agent that the feedback is for."""

    name: str
    """Its name in the record."""
    file: str
    """The file or folder that was handed in, without its folders."""
    stored: str = ""
    """The name under which its only file is stored, if the author gave it the name in `file`."""
    python: bool
    """Whether it uses our Python library; else it speaks the protocol itself."""
    source_line: Callable[[str, int], str] = lambda _, __: ""
    """Returns a line of one of its files."""


class Fault(Struct, frozen=True, kw_only=True):
    """Games that the agent lost by the same fault."""

    verdict: Verdict
    games: int
    why: Explanation
    example: int
    """The id of one of the games."""
    asked: bool
    """Whether the agent was ready and was asked for a move in that game."""


class PositionPicture(Struct, frozen=True):
    """A board with its caption."""

    caption: str
    state: State[Any]
    last: Any
    """The move that led here."""


class GameToSee(Struct, frozen=True, kw_only=True):
    """A game to look at, and the ply to look at."""

    id: int
    name: str
    """What people call it, and type."""
    players: tuple[str, ...]
    """Their public names, in the order of the seats."""
    seat: int
    """The agent's seat."""
    ply: int
    """The ply of the fault or of the mistake; 0: the end of the game."""
    fault: Fault | None = None
    mistake: JudgedPly | None = None
    lost: bool = True
    """False: the game was a draw."""
    hidden: bool = False
    """Whether the players could not see everything, so that no move is called a mistake."""
    pictures: tuple[PositionPicture, ...] = ()
    """Empty if the rules cannot be run."""


class Findings(Struct, frozen=True, kw_only=True):
    """What the games of one agent show."""

    games: int
    """Number of games that the current version played and that count."""
    faults: Sequence[Fault]
    """The most frequent first."""
    to_see: Sequence[GameToSee]


class GameConditions(Struct, frozen=True, kw_only=True):
    """How the tournament is played, and where its games are."""

    rules: str
    """The game, as its author would type it."""
    clock: str
    bundle: str
    """The file name of the bundle; empty: there is none, so no command is about a recorded game."""
    trust: bool
    """Whether the rules are a file, which commands run only with --trust-rules."""

    def replay(self, game: GameToSee, *options: str) -> str:
        """A command about a game in the bundle."""
        trusting = ["--trust-rules"] if self.trust else []
        return shlex.join(["arena", "replay", game.name, *options, "--db", self.bundle, *trusting])


class AgentFeedback(Struct, frozen=True, kw_only=True):
    """All that is written for the author of one agent."""

    title: str
    """The name of the tournament."""
    made: datetime
    agent: ReportedAgent
    """With public names."""
    places: int
    """Number of agents that are ranked together with it."""
    own: FeedbackAgent
    found: Findings
    where: GameConditions


def of_current_version(games: Sequence[PastGame], name: str) -> list[PastGame]:
    """The games that the current version of the agent played, that count, and that no ruling decided."""
    return [
        game
        for game in games
        if game.counts
        and game.ruling is None
        and game.verdict != Verdict.FORFEIT
        and game.seats[_seat(game, name)].current
    ]


def was_not_won(game: PastGame, name: str) -> bool:
    """Whether the agent got less than all points of a game for two or more players."""
    points = game.counted
    return points is not None and len(points) > 1 and points[_seat(game, name)] < 1.0


def failed(game: PastGame, name: str) -> bool:
    """Whether the agent lost the game by its own fault."""
    by_rules = (Verdict.NORMAL, Verdict.RESIGNED, Verdict.ADJUDICATED)
    return game.fault == _seat(game, name) and game.verdict not in by_rules


def order(games: Sequence[PastGame], name: str, places: Mapping[str, int]) -> list[PastGame]:
    """The games that were not won and not lost by a fault, the most useful first: lost ones, then those against the
    weakest opponents, then the shortest. `places`: the place of each player in the standings."""

    def key(game: PastGame) -> tuple[bool, int, int, int]:
        points, seat = game.counted or [], _seat(game, name)
        better = [game.players[other] for other, share in enumerate(points) if share > points[seat]]
        against = better or [player for player in game.players if player != name]
        strongest = min((places.get(player, 0) for player in against), default=0)
        return not better, -strongest, game.plies or 0, game.id

    return sorted((game for game in games if was_not_won(game, name) and not failed(game, name)), key=key)


def spread_out(games: Sequence[PastGame]) -> list[PastGame]:
    """The first games to analyse: one game with each set of players first, then a second one with each."""
    by_players: dict[frozenset[str], list[PastGame]] = {}
    for game in games:
        by_players.setdefault(frozenset(game.players), []).append(game)
    rows = zip_longest(*by_players.values())
    return [game for row in rows for game in row if game is not None][:_MOST_ANALYSED]


def findings(
    agent: FeedbackAgent,
    *,
    games: int,
    at_fault: Sequence[PastGame],
    candidates: Sequence[PastGame],
    shown: Mapping[str, str],
    trust: bool,
) -> Findings:
    """The findings in games of this agent, read with their moves. `candidates`: from `spread_out`. `shown`: the public
    name of each player. `trust`: run the rules of other people too."""
    faults = _faults(agent, at_fault)
    with_fault = {game.id: game for game in at_fault}
    looked = [_at_fault(with_fault[fault.example], fault, agent, shown, trust=trust) for fault in faults[:MOST_GAMES]]
    chosen = looked[:1]
    others: list[GameToSee] = []
    seen: set[tuple[str, ...]] = set()
    for game in candidates:
        if len(chosen) == MOST_GAMES:
            break
        found = _judged(game, agent, shown, trust=trust)
        # An agent without chance makes the same mistake in many games; one of them is enough.
        line = tuple(move.move for move in game.moves[: found.ply])
        (others if found.mistake is None or line in seen else chosen).append(found)
        seen.add(line)
    chosen += [*looked[1:], *others][: MOST_GAMES - len(chosen)]
    return Findings(games=games, faults=faults, to_see=chosen)


# Faults.


def _faults(agent: FeedbackAgent, games: Sequence[PastGame]) -> list[Fault]:
    """The faults, one for each verdict, advice and place in the source. Time and memory run out anywhere, so each of
    them is one fault."""
    alike: dict[tuple[object, ...], list[tuple[PastGame, Explanation]]] = {}
    for game in games:
        why = _explained(game, agent)
        where = () if game.verdict in _ANYWHERE else (why.advice, *_PLACE.findall(why.message))
        alike.setdefault((game.verdict, *where), []).append((game, why))
    most_frequent_first = sorted(alike.values(), key=len, reverse=True)
    return [_fault(agent, some) for some in most_frequent_first]


def _fault(agent: FeedbackAgent, games: Sequence[tuple[PastGame, Explanation]]) -> Fault:
    """The fault of these games, with the most frequent explanation."""
    advice = Counter(why.advice for _, why in games).most_common(1)[0][0]
    game, why = next((game, why) for game, why in games if why.advice == advice)
    asked = bool(game.seats[_seat(game, agent.name)].spent)
    return Fault(verdict=Verdict(game.verdict or ""), games=len(games), why=why, example=game.id, asked=asked)


def _explained(game: PastGame, agent: FeedbackAgent) -> Explanation:
    """The fault in words, as `arena check` explains it."""
    seat = game.seats[_seat(game, agent.name)]
    why = explain(
        Failure(
            Verdict(game.verdict or ""),
            without_name(game.detail or "", agent.name),
            stderr=seat.stderr or "",
            python=agent.python,
            asked=bool(seat.spent),
            source_line=agent.source_line,
        )
    )
    if not agent.stored:
        return why
    own = agent.file.rpartition(" ")[2]
    message, stderr = (text.replace(agent.stored, own) for text in (why.message, why.stderr))
    return dataclasses.replace(why, message=message, stderr=stderr)


def _at_fault(
    game: PastGame, fault: Fault, agent: FeedbackAgent, shown: Mapping[str, str], *, trust: bool
) -> GameToSee:
    steps = replay(game, trust=trust).steps
    return GameToSee(
        **_named(game, agent, shown),
        ply=len(game.moves) + 1,
        fault=fault,
        pictures=_pictures((f"the position at ply {len(game.moves) + 1}", steps[-1].state, steps[-1].last)),
    )


# Mistakes.


def _judged(game: PastGame, agent: FeedbackAgent, shown: Mapping[str, str], *, trust: bool) -> GameToSee:
    """The game with the agent's first clear mistake, if the search finds one."""
    played = replay(game, trust=trust)
    start = played.steps[0].state
    lost = (game.counted or [0.0])[_seat(game, agent.name)] < max(game.counted or [1.0])
    common = {**_named(game, agent, shown), "lost": lost, "hidden": start is not None and start.hidden}
    mistake = None if start is None or start.hidden or played.trouble else _mistake(game, start, agent)
    if mistake is None:
        last = played.steps[-1]
        return GameToSee(**common, ply=0, pictures=_pictures(("the end of the game", last.state, last.last)))
    played = replay(replace(game, analysis=(mistake,)), trust=trust)
    step = played.steps[mistake.ply]
    (mistake,) = played.game.analysis  # its moves as people write them
    better, move = next(iter(played_on(played.steps[mistake.ply - 1].state, mistake.better[:1])), (None, None))
    return GameToSee(
        **common,
        ply=mistake.ply,
        mistake=mistake,
        pictures=_pictures(
            (f"played at ply {mistake.ply}: {mistake.move}", step.state, step.last),
            (f"better at ply {mistake.ply}: {mistake.better[0]}" if mistake.better else "", better, move),
        ),
    )


def _mistake(game: PastGame, start: State[Any], agent: FeedbackAgent) -> JudgedPly | None:
    """The first clear mistake of the agent; the analysis on record is used if there is one."""
    seat = _seat(game, agent.name)
    if game.analysis:
        return first_mistake(game.analysis, seat)
    own = sum(move.who == seat for move in game.moves)
    budget = AnalysisBudget(nodes=max(_LEAST_NODES, min(_MOST_NODES, _TOTAL_NODES // max(own, 1))))
    try:
        return first_mistake(judge_moves(start, game.moves, budget, seat=seat), seat)
    except Exception:  # a user-supplied game may raise anything
        return None


# Both.


def _seat(game: PastGame, name: str) -> int:
    return game.players.index(name)


def _named(game: PastGame, agent: FeedbackAgent, shown: Mapping[str, str]) -> dict[str, Any]:
    players = tuple(shown[player] for player in game.players)
    return {"id": game.id, "name": game.name, "players": players, "seat": _seat(game, agent.name)}


def _pictures(*drawn: tuple[str, State[Any] | None, Any]) -> tuple[PositionPicture, ...]:
    return tuple(PositionPicture(caption, state, last) for caption, state, last in drawn if state is not None)


def command_as_typed(text: str) -> str:
    """A player such as "cmd:../built/engine --net ../nets/net.bin", in the folder with its files: "cmd:./engine --net
    net.bin". A program on the PATH has no folder."""
    try:
        program, *words = shlex.split(text.removeprefix("cmd:"))
    except ValueError:
        return text
    folder, _, name = program.rpartition("/")
    here = "./" if folder and not folder.startswith("/") else ""
    return "cmd:" + shlex.join([here + name, *(word.rpartition("/")[2] or word for word in words)])


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
    every = of_current_version(record.games(connection, author.games), name)
    at_fault = [game.id for game in every if failed(game, name)]
    place_of = {agent.name: place for place, agent in enumerate(report.agents)}
    players = {player for game in every for player in game.players}
    places = {player: place_of[shown[player]] for player in players if shown[player] in place_of}
    chosen = [game.id for game in spread_out(order(every, name, places))]
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
    """The feedback that follows from these games. `bundle`: as in `GameConditions`. `trust`: run the rules of other
    people too."""
    agent = read.agent
    found = findings(
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
