"""Reads and checks the table [ladder] of a description: when the ladder is open, its anchors, limits and tournaments.

`arena ladder open` and `arena serve` make a `Ladder` of the file; `open_ladders.py` records it. Every mistake is a
BadLeague with the file and the key. No game is played and no agent is run here. docs/reference.md has every key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, NoReturn

from msgspec import Struct, structs

from adsearch import State, games
from adsearch.errors import quote
from agents import builtin
from agents.errors import AgentsError
from arena.course.collecting.hand_in import read_deadline
from arena.errors import BadSubmission
from arena.history import words
from arena.match.openings import ListedOpening
from arena.players.build_commands import LanguageTable
from arena.student import climb
from arena.tournament import enrolment, formats
from arena.tournament import league as leagues
from arena.tournament.described_openings import is_stored_whole
from arena.tournament.description import Table, folded, read_toml
from arena.tournament.league import COURSE_TABLES, LADDER_TABLE, League
from db.records import GameKind

LADDER_KEYS: Final = ("opens", "closes", "anchors", "goals", "agents", "challenges", "limits", "final", "tournament")
LIMIT_KEYS: Final = ("pause", "burst", "per_day")
_KINDS: Final = [kind for kind in formats.every() if kind.for_ladders]
FORMATS: Final = tuple(kind.name for kind in _KINDS)
"""The formats of [ladder.final] and [[ladder.tournament]]: those that need no names of agents. None are known yet."""
_NEVER: Final = tuple(key for kind in formats.every() for key in kind.agent_keys)
_ONLY_BELOW: Final = ("format", *sorted({key for kind in _KINDS for key in kind.own_keys()} - {*_NEVER}))
OF_TOURNAMENTS: Final = (
    *("clock", "margin", "max_plies", "seed", "seats_key", "openings", "names", "quarantine", "limits"),
    *_ONLY_BELOW,
)
"""The keys of these tables. All others are those of the ladder."""
ANCHORS: Final = "anchors"
GOALS: Final = "goals"
_LONGEST_GOAL: Final = 30
FINAL: Final = "final"
_LISTING: Final = ("players", "agent")
_MOST_ANCHORS: Final = 5
"""Number of anchors that are taken from the climb."""
_MOST_LINES: Final = 5000
"""Lines of play that a default anchor searches at most, estimated from the moves of the first position."""
_DAY_ALONE: Final = len("2026-05-01")
_LARGEST: Final = 1_000_000


class Anchor(Struct, frozen=True):
    """A built-in agent whose rating is held."""

    name: str
    player_text: str
    rating: float | None
    """None: it follows from games between the anchors, when the ladder is opened."""


class HandInLimits(Struct, frozen=True):
    """How often an author can hand in: a token bucket, and a limit for each day."""

    pause: timedelta = timedelta(minutes=5)
    """One token comes back in this time; 0: no limit."""
    burst: int = 3
    """The most tokens: the number of submissions before the pause counts."""
    per_day: int = 20
    """The most submissions in 24 hours; 0: no limit."""


class TimedTournament(Struct, frozen=True):
    """A tournament of the versions that play at its start."""

    name: str
    """Such as "friday"; in the database the tournament is called "cs101 friday"."""
    starts: datetime
    league: League


class Ladder(Struct, frozen=True, kw_only=True):
    """A ladder as it was described."""

    league: League
    """The conditions of its games; it has no agents."""
    opens: datetime | None
    """None: when the command is given that opens it."""
    closes: datetime
    zone: str = ""
    """The time zone in which it was given, such as "Europe/Berlin"; empty if it was an offset or local time."""
    anchors: tuple[Anchor, ...]
    goals: Mapping[str, str] = {}
    """Names of anchors that authors want to beat, such as bronze, each with its anchor."""
    agents: int = 1
    """The number of agents that an author can have."""
    challenges: int = 10
    """The number of games that an author can start in a day, which do not count; 0: none."""
    limits: HandInLimits = HandInLimits()
    final: League
    """The tournament after the close."""
    tournaments: tuple[TimedTournament, ...] = ()
    languages: Mapping[str, LanguageTable] = {}
    """How agents in other languages than Python are built and run."""

    @property
    def name(self) -> str:
        return self.league.name


def read(path: Path) -> Ladder:
    """The ladder that a TOML file describes; BadLeague says what is wrong in it."""
    keys = read_toml(path, "a ladder's description")
    table = Table(keys, str(path))
    if LADDER_TABLE not in keys:
        table.fail("expected a table [ladder] with the key closes; `arena run` plays a tournament without one")
    _refuse_keys_of_tournaments(table)
    league = leagues.read(path, agents=False)
    league = replace(league, conditions=structs.replace(league.conditions, kind=GameKind.LADDER))
    if league.seats != 2:
        table.fail(f"a ladder needs a game for 2 players, {league.game_text} is for {league.seats}", "game")
    start = games.start(league.game)
    common = {key: value for key, value in keys.items() if key not in (LADDER_TABLE, *COURSE_TABLES)}
    if isinstance(league.openings, ListedOpening) and not is_stored_whole(league.openings):
        table.fail(
            "a ladder has openings as moves in each line; positions and their order are for tournaments", "openings"
        )
    if "openings" not in keys:
        common["openings"] = climb.opening_plies(start)
        league = replace(league, openings=common["openings"])
    own = table.table(LADDER_TABLE)
    own.only(LADDER_KEYS, dict.fromkeys(OF_TOURNAMENTS, f"put it below [ladder.{FINAL}]"))
    opens = _moment(own, "opens") if "opens" in own else None
    closes = _moment(own, "closes", end=True)
    if opens is not None and opens >= closes:
        own.fail(f"expected a time after the ladder opens, {words.moment(opens)}, got {words.moment(closes)}", "closes")
    folder = path.absolute().parent
    anchors = tuple(_anchors(own, start))
    return Ladder(
        league=league,
        opens=opens,
        closes=closes,
        zone=getattr(closes.tzinfo, "key", ""),
        anchors=anchors,
        goals=_goals(own, anchors),
        agents=own.whole("agents", 1, 100, 1),
        challenges=own.whole("challenges", 0, 1000, 10),
        limits=_limits(own.table("limits")),
        final=_tournament(own.table(FINAL), common, league.name, FINAL, folder),
        tournaments=tuple(_dated(own, common, league.name, folder, opens, closes)),
        languages=enrolment.read_language_tables(path),
    )


def _refuse_keys_of_tournaments(table: Table) -> None:
    for key in _LISTING:
        if key in table:
            table.fail("a ladder lists no agents; authors hand them in with `arena submit`", key)
    for key in _ONLY_BELOW:
        if key in table:
            table.fail(f"does not belong here in a ladder: put it below [ladder.{FINAL}]", key)
    for key in _NEVER:
        if key in table:
            _fail_never(table, key)


def _fail_never(table: Table, key: str) -> NoReturn:
    table.fail("not possible in a ladder, because its agents are not known beforehand", key)


def _moment(table: Table, key: str, *, end: bool = False) -> datetime:
    """A time, in the form of the deadline in [course]; a day alone is its start, or its `end`."""
    if key not in table:
        table.fail("missing; expected a time such as '2026-12-20 23:59'", key)
    text = str(table.value(key)).strip()
    try:
        return read_deadline(text if end or len(text) > _DAY_ALONE else f"{text} 00:00")
    except BadSubmission as error:
        table.fail(str(error), key)


def _anchors(table: Table, start: State[Any]) -> Iterator[Anchor]:
    """The anchors: a list of players, a table of players with ratings, or the first opponents of `arena climb`."""
    given = table.value(ANCHORS)
    ratings: dict[str, float | None] = {}
    if isinstance(given, dict):
        rated = table.table(ANCHORS)
        ratings = {text: rated.number(text) for text in rated}
    else:
        texts = _default_anchors(start) if given is None else table.texts(ANCHORS)
        ratings = dict.fromkeys(texts)
        if len(ratings) < len(texts):
            table.fail("expected each player once", ANCHORS)
    if not ratings:
        table.fail("expected at least one built-in agent: without an anchor the ratings have no scale", ANCHORS)
    for text, rating in ratings.items():
        if not builtin.is_builtin(text):
            table.fail(f"expected built-in agents, got {quote(text)}; `arena agents` lists them", ANCHORS)
        try:
            builtin.check_can_play(text, start)
        except AgentsError as error:
            table.fail(str(error), ANCHORS)
        yield Anchor(text, text, rating)


def _goals(table: Table, anchors: Sequence[Anchor]) -> dict[str, str]:
    """The anchors that have names."""
    if GOALS not in table:
        return {}
    named, known = table.table(GOALS), [anchor.name for anchor in anchors]
    found = {name: named.text(name) for name in named}
    for name, anchor in found.items():
        if anchor not in known:
            named.fail(f"expected an anchor ({', '.join(known)}), got {quote(anchor)}", name)
        if not name.strip() or len(name) > _LONGEST_GOAL:
            table.fail(f"expected names of 1 to {_LONGEST_GOAL} characters, got {quote(name)}", GOALS)
    return found


def _default_anchors(start: State[Any]) -> tuple[str, ...]:
    """The first opponents of `arena climb` that are fast in this game. Those without a fixed depth use their clock."""

    def is_fast(player: str) -> bool:
        name, _, depth = player.partition(":depth=")
        return name == "random" or (":" in player and len(start.moves()) ** int(depth or 0) <= _MOST_LINES)

    return tuple(player for player in climb.ladder(start) if is_fast(player))[:_MOST_ANCHORS]


def _limits(table: Table) -> HandInLimits:
    table.only(LIMIT_KEYS)
    default = HandInLimits()
    return HandInLimits(
        pause=table.duration("pause", default.pause),
        burst=table.whole("burst", 1, _LARGEST, default.burst),
        per_day=table.whole("per_day", 0, _LARGEST, default.per_day),
    )


def _tournament(table: Table, common: Mapping[str, Any], ladder: str, name: str, folder: Path) -> League:
    """The tournament of a table below [ladder], which changes some of the `common` keys of the description.

    Seeds are its own: with those of the ladder, its games would have the dice and cards that are known from there."""
    for key in _NEVER:
        if key in table:
            _fail_never(table, key)
    table.only(OF_TOURNAMENTS, dict.fromkeys(leagues.KEYS, "put it above [ladder]"))
    table.word("format", FORMATS, formats.FOR_TWO)
    common = {key: value for key, value in common.items() if key not in ("seed", "seats_key")}
    changed = {key: table.value(key) for key in table}
    return leagues.without_agents({**common, **changed, "name": f"{ladder} {name}"}, table.where, folder)


def _dated(
    table: Table, common: Mapping[str, Any], ladder: str, folder: Path, opens: datetime | None, closes: datetime
) -> Iterator[TimedTournament]:
    taken = {FINAL, ANCHORS}
    for number, keys in enumerate(table.tables("tournament"), 1):
        own = Table(keys, f"{table.where}: tournament {number}")
        name = own.text("name")
        if folded(name) in taken:
            own.fail(f"expected a name that is not in use ({', '.join(sorted(taken))}), got {quote(name)}", "name")
        taken.add(folded(name))
        starts = _moment(own, "starts")
        if starts >= closes or (opens is not None and starts < opens):
            own.fail(f"expected a time while the ladder is open, got {words.moment(starts)}", "starts")
        settings = Table({key: value for key, value in keys.items() if key not in ("name", "starts")}, own.where)
        yield TimedTournament(name, starts, _tournament(settings, common, ladder, name, folder))
