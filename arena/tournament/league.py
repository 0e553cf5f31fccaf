"""Reads and checks a tournament's description: the agents, the game, the format and the conditions; and what may change
in it.

`arena run` first makes a `League` of a TOML file, or of its arguments. Every mistake that can be found without playing
is a BadLeague here, with the file and the key; no code of an agent is run. docs/reference.md has every key.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import inf
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import to_builtins
from msgspec.structs import replace as replaced

from adsearch import State, form, games
from adsearch.errors import AdsearchError, one_of, quote
from adsearch.form import Form
from adsearch.games.catalog import begins_with_name, package_of, split_position
from agents import builtin
from agents.errors import AgentsError
from arena.errors import ArenaError, BadLeague
from arena.match.allowance import Allowance, Share, Whole
from arena.match.clock import SECOND, TimeControl
from arena.match.conditions import DEFAULT_CLOCK, UNDESCRIBED, Conditions, DrawRule, Limits, OwnTime, ResignRule
from arena.match.openings import Book, position_read
from arena.match.openings import ListedOpening as Openings
from arena.match.seeds import fresh_seed, is_short
from arena.players.player import PlayerKind, split_path, unique_names
from arena.tournament import described_openings, formats, host
from arena.tournament.described_openings import Tell
from arena.tournament.description import Table, folded, listing, read_toml, what_is_wrong_with
from arena.tournament.enrolment import ALLOWED_KEYS, ListedAgent, described, found, matched, read_languages
from arena.tournament.format import Estimate, Format
from db.records import GameKind

__all__ = [
    "Changes",
    "League",
    "ListedAgent",
    "changes_between",
    "from_arguments",
    "read",
    "with_agents",
    "without_agents",
]

COURSE_TABLES: Final = ("course", "marks")
"""Tables for an instructor's commands; they say nothing about the games, and are not read here."""
LADDER_TABLE: Final = "ladder"
"""The table of a ladder, whose agents are handed in while it is open: a description with it lists no agents."""
_CONDITIONS: Final = tuple(key for key in Conditions.__struct_fields__ if key not in (*UNDESCRIBED, "allowance"))
KEYS: Final = (
    "name", "game", "format", "seed", "seats_key", "openings", "games_at_once", "host_tolerance", "public",
    "quarantine", "players", "agent", "languages", *_CONDITIONS, *ALLOWED_KEYS, *COURSE_TABLES, LADDER_TABLE,
    *sorted({key for kind in formats.every() for key in kind.own_keys()}),
)  # fmt: skip
"""Every key of a description, if its format is one of ours."""
LIMIT_KEYS: Final = (*Limits.__struct_fields__, *ALLOWED_KEYS)
_DEFAULT: Final = Conditions(clock=DEFAULT_CLOCK, names="hidden", kind=GameKind.TOURNAMENT)
_SEED: Final = Whole(0, 2**128 - 1)
MOST_GAMES: Final = 1_000_000
_MOST_AGENTS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class League:
    """A tournament as it was described."""

    name: str
    game: str
    """With paths that do not depend on the working directory."""
    game_text: str
    """As written in the description."""
    seats: int
    """Players per game."""
    agents: tuple[ListedAgent, ...]
    """Sorted by name."""
    first: str = ""
    """The name of the agent that was named first: what is said of a match is said of it."""
    format: Format
    """With its own keys."""
    conditions: Conditions
    package: str = ""
    """The package that the format comes from, with its version; empty for ours."""
    seed: Annotated[int | None, _SEED] = None
    seats_key: Annotated[int | None, _SEED] = None
    """The key of the seats' seeds. Seed and key are drawn when the tournament is first run if they are None."""
    openings: int | Openings = 0
    """The number of random plies; or the openings of a file."""
    games_at_once: Annotated[int | None, Whole(1, 1024)] = None
    """None: see `at_once`."""
    host_tolerance: Annotated[float, Share()] = host.TOLERANCE
    """How much the speeds of two hosts of a tournament with a clock may differ."""
    public: bool = False
    """Whether visitors of web pages see it without an account."""
    quarantine: Annotated[int, Whole(0, 1_000_000)] = 5
    """Number of faults in a row after which an agent forfeits its remaining games; 0: never."""
    skipped: tuple[str, ...] = ()
    """Matches of `players` that are not agents, each with the reason, as texts."""

    @property
    def estimate(self) -> Estimate:
        """The number of pairings and games."""
        return self.format.estimate(len(self.agents), self.seats)

    def expected(self, scheduled: int) -> int:
        """The number of all games, if this number is scheduled now: in some formats a round is scheduled when the round
        before is over. A sequential test only takes games away."""
        return scheduled if self.format.test else max(scheduled, self.estimate.games)

    def at_once(self, there: int) -> int:
        """Games at the same time: `games_at_once`, else as many as `there` cores allow, with one core left free."""
        return self.games_at_once or max(1, (there - 1) // self.cores_a_game)

    @property
    def most_unlike(self) -> float:
        """How much the speeds of two hosts may differ; infinite without a clock."""
        return inf if self.conditions.clock == str(TimeControl()) else self.host_tolerance

    @property
    def cores_a_game(self) -> int:
        """The number of processors that a game needs: with `ponder` one for each player, else one."""
        return self.seats if self.conditions.ponder else 1

    def drawn(self) -> tuple[int, int]:
        """The seed and the key of the seats' seeds: as described, or else drawn now, so that nobody can guess them."""
        seed, key = (fresh_seed() if given is None else given for given in (self.seed, self.seats_key))
        return seed, key

    def book(self, rules: str, *, seed: int, plies: int | None = None) -> Book:
        """The openings of its games, played with these rules; `plies`: random ones of that length instead."""
        return Book(rules, self.openings if plies is None else plies, seed=seed, position=self.conditions.position)

    def short_seed(self) -> str:
        """A warning if an agent can find the seed by trying, and so know dice and cards; empty if it cannot."""
        start = games.start(self.game)
        if self.seed is None or not is_short(self.seed) or not (start.chance or start.hidden):
            return ""
        return (
            f"seed = {self.seed} is so short that an agent can find it by trying, and then knows all dice and cards; "
            "leave it out if the games count"
        )

    def document(self) -> dict[str, Any]:
        """All fields as JSON values; see `revived`."""
        fields: dict[str, Any] = to_builtins(self)
        del fields["conditions"]
        return fields | self.conditions.described() | self._format_settings()

    def _format_settings(self) -> dict[str, Any]:
        return {
            "format": str(self.format),
            **({"package": self.package} if self.package else {}),
            **formats.in_all_records(),
            **self.format.settings(),
        }

    def settings(self) -> dict[str, Any]:
        """The description as JSON values, to be stored with the tournament; times are in nanoseconds."""
        return {
            "name": self.name,
            "game": self.game_text,
            **({"game_package": package} if (package := package_of(self.game)) else {}),
            **self._format_settings(),
            "seed": self.seed,
            "seats_key": self.seats_key,
            "openings": described_openings.settings(self.openings),
            "games_at_once": self.games_at_once,
            "host_tolerance": self.host_tolerance,
            "public": self.public,
            "quarantine": self.quarantine,
            **self.conditions.described(),
            "agents": [
                {
                    "name": agent.name,
                    "player": agent.player_text,
                    "anchor": agent.anchor,
                    "clock": agent.clock,
                    "margin": agent.margin,
                    "walls": agent.walls,
                    "allowance": to_builtins(agent.allowance),
                }
                for agent in self.agents
            ],
        }


_FIRST_CONDITIONS: Final = ("clock", "margin", "max_plies", "names", "reuse", "limits", "walls")
_LATER_SETTINGS: Final[dict[str, Any]] = {
    "seats_key": None,
    **{key: default for key, default in _DEFAULT.described().items() if key not in _FIRST_CONDITIONS},
}
"""Settings that the first version did not have: a tournament's default name depends on them only if they are set."""


def read(path: Path, *, agents: bool = True, tell: Tell = lambda _: None) -> League:
    """The tournament that a TOML file describes; paths in the file are relative to its folder.

    With `agents=False` the listed agents are not read: for its conditions, before any agents exist. A ladder's
    description has none. `tell`: is told how far a large file of openings is checked."""
    keys = read_toml(path)
    agents = agents and LADDER_TABLE not in keys
    return _league(Table(keys, str(path)), path.absolute().parent, default_name=path.stem, agents=agents, tell=tell)


def revived(document: Mapping[str, Any], kind: GameKind = GameKind.TOURNAMENT) -> dict[str, Any]:
    """The fields of a league from its `document`, or from the settings that are stored: with the conditions, for games
    of this kind, and the format."""
    document = {**document, "openings": described_openings.revived(document["openings"])}
    given = {key: value for key, value in document.items() if key in Conditions.__struct_fields__}
    others = {key: value for key, value in document.items() if key not in given}
    format = formats.recorded(document["format"], document)
    conditions = {**to_builtins(_DEFAULT), "adsearch": _FORM_BEFORE, **given, "kind": kind}
    return {**others, "conditions": conditions, "format": format}


def without_agents(keys: Mapping[str, Any], where: str, folder: Path) -> League:
    """The tournament with these keys of a description, before its agents are known; see `with_agents`.

    `where`: the start of every error message; `folder`: paths are relative to it."""
    return _league(Table(keys, where), folder, default_name="", agents=False)


def with_agents(league: League, agents: Iterable[ListedAgent]) -> League:
    """The same tournament with these agents; BadLeague if they cannot play it."""
    league = _with_own_times(replace(league, agents=_sorted(agents)))
    table = Table({}, league.name)
    _check_agents(table, league, games.start(league.game))
    _check_format(table, league)
    return league


def from_arguments(game: str, players: Sequence[str], tell: Tell = lambda _: None, /, **settings: Any) -> League:
    """The tournament of a command's arguments; `settings` has the keys of a description, None if a key is absent, and
    `own_clocks`: the clocks of some agents by name. `tell`: as for `read`.

    Names that repeat are numbered. The tournament's default name is the game and a hash of
    all settings that must not change, so the same arguments name the same tournament."""
    own_clocks = settings.pop("own_clocks", {})
    table = Table({"game": game} | {key: value for key, value in settings.items() if value is not None}, "")
    entered = [found(table, f"player {number}", text, Path.cwd()) for number, text in enumerate(players, 1)]
    names = unique_names(player.name for player in entered)
    for player in entered:
        if wrong := what_is_wrong_with(player.name):
            table.fail(f"{wrong}; use a description file, where you can give it another name", "players")
    if unknown := [*own_clocks.keys() - {*names}]:
        table.fail(f"no agent {quote(unknown[0])}; the agents are {listing(names)}", "clock")
    listed = [
        ListedAgent(name, player.text, player, clock=own_clocks.get(name))
        for name, player in zip(names, entered, strict=True)
    ]
    league = _league(table, Path.cwd(), default_name="", listed=listed, tell=tell)
    if league.name:
        return league
    fixed = {key: value for key, value in league.settings().items() if key not in CHANGEABLE}
    fixed.pop("game_package", None)
    later = {key: of for key, of in league.format.defaults().items() if key not in formats.in_all_records()}
    for key, default in (_LATER_SETTINGS | later).items():
        if fixed.get(key) == default:
            fixed.pop(key, None)  # keeps the names that tournaments had before this setting existed
    fixed["agents"] = [
        {key: value for key, value in agent.items() if value is not None or key == "anchor"}
        for agent in fixed["agents"]
    ]
    text = json.dumps(fixed, sort_keys=True)
    name = f"{game.partition(':')[0]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    return replace(league, name=name if not what_is_wrong_with(name) else f"game-{name[-8:]}")


def _league(
    table: Table,
    folder: Path,
    *,
    default_name: str,
    listed: Iterable[ListedAgent] = (),
    agents: bool = True,
    tell: Tell = lambda _: None,
) -> League:
    """Reads all keys, then checks them against each other."""
    kind = _named_format(table)
    keys = (*KEYS, *kind.own_keys())
    table.only(keys, {key: "put it below [limits]" for key in LIMIT_KEYS if key not in keys})
    game_text, game, start, position = _game(table, folder)
    if "format" not in table:
        kind = formats.default(start.players)
    skipped: list[str] = []
    limits = table.table("limits")
    limits.only(LIMIT_KEYS, {key: "put it above [limits]" for key in keys if key not in LIMIT_KEYS})
    if twice := next((key for key in ALLOWED_KEYS if key in table and key in limits), None):
        limits.fail("set here and above the tables; set it in one place only", twice)
    allowance = limits.read(table.read(Allowance()))
    everybody = [*listed]
    if agents:
        languages = read_languages(table, allowance)
        everybody += [
            *matched(table, folder, skipped, languages),
            *described(table, folder, keys, allowance, languages),
        ]
    league = table.read(
        League(
            name=table.name("name", default_name) if default_name or "name" in table else "",
            game=game,
            game_text=game_text,
            seats=start.players,
            agents=_sorted(everybody),
            first=everybody[0].name if everybody else "",
            format=_format(table, kind, [agent.name for agent in everybody]),
            package=formats.FORMATS.package(kind.name),
            openings=described_openings.read(table, folder, game, position, tell),
            conditions=replaced(
                table.read(_DEFAULT),
                clock=table.clock(_DEFAULT.clock),
                position=position,
                resign=_resign(table),
                draw=_draw(table),
                limits=limits.read(Limits()),
                allowance=allowance,
                python=_python(table, folder),
                modules=_modules(table),
            ),
            skipped=tuple(skipped),
        )
    )
    if agents:
        league = _with_own_times(league)
        _check_agents(table, league, start)
        _check_format(table, league)
    return league


def _with_own_times(league: League) -> League:
    """The same with the time of each agent that has its own."""
    terms = league.conditions
    own = tuple(
        OwnTime(one.name, one.clock or terms.clock, terms.margin if one.margin is None else one.margin)
        for one in league.agents
        if one.clock not in (None, terms.clock) or one.margin not in (None, terms.margin)
    )
    return replace(league, conditions=replaced(terms, own_times=own))


def _sorted(agents: Iterable[ListedAgent]) -> tuple[ListedAgent, ...]:
    return tuple(sorted(agents, key=lambda agent: agent.name))


def _game(table: Table, folder: Path) -> tuple[str, str, State[Any], str]:
    """The game as written, the game with `folder` in front of its paths, the first position of its rules, and the
    position from which games begin; empty: that of the rules."""
    text, given = split_position(table.text("game"))
    if given and "position" in table:
        table.fail("the game has a position already: write only one of the two", "position")
    located = text
    if (by_path := split_path(text)) and not begins_with_name(text):
        located = f"{folder / os.path.expanduser(by_path[0])}{by_path[1]}"
    elif ":file=" in text:
        name, _, file = text.partition(":file=")
        located = f"{name}:file={folder / os.path.expanduser(file)}"
    try:
        start = games.start(located)
    except AdsearchError as error:
        table.fail(str(error), "game")
    begins = table.text("position", given)
    try:
        return text, located, start, position_read(located, begins) if begins else ""
    except ArenaError as error:
        table.fail(str(error), "game" if given else "position")


def _named_format(table: Table) -> type[Format]:
    """The format that the description names, or a default."""
    possible, name = formats.names(), table.value("format")
    try:
        if isinstance(name, str) and name not in possible and formats.find(name) is not None:
            possible = (*possible, name)
        found = formats.find(table.word("format", possible, formats.FOR_TWO))
    except AdsearchError as error:
        table.fail(str(error), "format")
    assert found is not None
    return found


def _format(table: Table, kind: type[Format], agents: Sequence[str]) -> Format:
    """The format with its own keys. A key that only others have must have its default."""
    for other in formats.every():
        given = other.read(table, agents).settings()
        for key, default in other.defaults().items():
            if key not in kind.own_keys() and given[key] != default:
                table.fail(f"not used with the format {kind.name}, only with {', '.join(formats.with_key(key))}", key)
    return kind.read(table, agents)


def _resign(table: Table) -> ResignRule | None:
    """The rule by which a player resigns: resign = {moves = 3, score = 600}."""
    if "resign" not in table:
        return None
    own = table.table("resign")
    own.only(("moves", "score", "both"))
    return ResignRule(own.whole("moves", 1, 1000, 3), _score(own), own.flag("both", False))


def _draw(table: Table) -> DrawRule | None:
    """The rule by which a game is a draw: draw = {from = 40, moves = 8, score = 10}."""
    if "draw" not in table:
        return None
    own = table.table("draw")
    own.only(("from", "moves", "score"))
    return DrawRule(own.whole("from", 0, 100_000, 0), own.whole("moves", 1, 1000, 8), _score(own))


def _score(table: Table) -> float:
    if (score := table.number("score")) is None or score < 0:
        table.fail("expected a number of at least 0: in chess centipawns, else as agents report it", "score")
    return float(score)


def _python(table: Table, folder: Path) -> str | None:
    """The path of the interpreter for agents; a name without "/" is searched in PATH."""
    if "python" not in table:
        return None
    text = table.text("python")
    path = str(folder / os.path.expanduser(text)) if "/" in text else shutil.which(text)
    if path is None or not os.path.isfile(path) or not os.access(path, os.X_OK):
        table.fail(f"expected a Python interpreter, got {quote(text)}, which is not an executable here", "python")
    return path


def _modules(table: Table) -> tuple[str, ...] | None:
    """Modules that agents can import besides the standard library; None: all that the interpreter has."""
    if "modules" not in table:
        return None
    for name in (names := table.texts("modules")):
        if not all(part.isidentifier() for part in name.split(".")):
            table.fail(f"expected names of modules, such as 'numpy' or 'adsearch.games', got {quote(name)}", "modules")
        if name.partition(".")[0] in ("arena", "db"):
            table.fail(f"{quote(name)} is part of the server; agents cannot import it", "modules")
    return tuple(sorted(names))


def _check_agents(table: Table, league: League, start: State[Any]) -> None:
    """Checks that every agent's name is unique, and that it can play the game."""
    if len(league.agents) > _MOST_AGENTS:
        table.fail(f"expected at most {_MOST_AGENTS} agents, got {len(league.agents)}", "players")
    known: dict[str, ListedAgent] = {}
    has_clock = bool(TimeControl.parse(league.conditions.clock))
    for agent in league.agents:
        other = known.setdefault(folded(agent.name), agent)
        if other is not agent:
            table.fail(
                f"two agents are called {quote(agent.name)}: {quote(other.player_text)} and "
                f"{quote(agent.player_text)}; give each a different name (upper and lower case count as the same)"
            )
        if agent.player.kind is PlayerKind.BUILTIN:
            try:
                builtin.check_can_play(agent.player.text, start)
            except AgentsError as error:
                table.fail(f"agent {quote(agent.name)}: {error}")
        if agent.clock is not None and bool(TimeControl.parse(agent.clock)) is not has_clock:
            others = (
                f"a clock, as the others have {league.conditions.clock}" if has_clock else "none, as for the others"
            )
            table.fail(f"agent {quote(agent.name)}: clock: expected {others}, got {agent.clock}")
    terms = league.conditions
    if terms.resign or terms.draw:
        if league.seats != 2:
            table.fail(f"{league.game_text} is for {league.seats} players", "resign" if terms.resign else "draw")
        unlike = [one.name for one in league.agents if terms.scores == "own" and not _has_known_scores(one)]
        if unlike:
            table.fail(
                f'the scores of {listing(unlike)} have no known scale; scores = "comparable" says that they are like '
                "those of engines",
                "resign" if terms.resign else "draw",
            )
    for key, names in league.format.agents_named():
        for name in names:
            if name not in {agent.name for agent in league.agents}:
                table.fail(
                    f"no agent {quote(name)}; the agents are {listing(agent.name for agent in league.agents)}", key
                )
        if len(set(names)) < len(names):
            table.fail(f"expected each name once, got {listing(names)}", key)


def _has_known_scores(agent: ListedAgent) -> bool:
    """Whether the agent reports scores in the scale of the game: ours, and engines."""
    return agent.player.kind is PlayerKind.BUILTIN or agent.player.engine is not None


def _check_format(table: Table, league: League) -> None:
    """Checks that the format fits the game and the agents."""
    count = len(league.agents)
    kind = league.format
    if kind.for_two and league.seats != 2:
        advice = f"use {formats.FOR_SEVERAL!r}"
        table.fail(f"{kind} needs a game for 2 players, {league.game_text} is for {league.seats}; {advice}", "format")
    if count < league.seats:
        advice = "list them with [[agent]] or players" if table.where else "name them after the game"
        table.fail(f"expected at least {league.seats} agents to play {league.game_text}, got {count}; {advice}")
    kind.check(table, count)
    if count > kind.most_players:
        table.fail(f"expected at most {kind.most_players} agents for a {kind} tournament, got {count}", "format")
    if league.estimate.games > MOST_GAMES:
        table.fail(f"expected at most {MOST_GAMES:,} games, got {league.estimate.games:,}; use fewer agents or rounds")


# The differences between a tournament as it was started and its description now.


_DRAWN: Final = ("seed", "seats_key")
"""Keys whose values are drawn if the description does not give them."""
CHANGEABLE: Final = ("adsearch", "games_at_once", "host_tolerance", "keep_engines", "public", "quarantine", "walls")
"""Keys that can change between runs: they do not affect how a game is played or counted, except `adsearch`, which
changes how fast agents search: each seat's record has its form."""
_FORM_BEFORE: Final = "interpreted"
"""The form of adsearch of tournaments that were recorded before there was another."""
_OWN_TIME: Final = ("clock", "margin")
"""Keys of an agent that affect its games; earlier versions did not have them."""
_TIMES: Final = ("margin", "hello", "ready", "move", "start")


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes, as texts such as "clock: 10+0.1 -> 5"."""

    refused: tuple[str, ...] = ()
    """Changes that are not possible in the same tournament."""
    allowed: tuple[str, ...] = ()
    """Changes that do not affect the games that were played."""
    added: tuple[str, ...] = ()
    """The names of the added agents."""


def refuse_changes(tournament: str, refused: Sequence[str]) -> None:
    """Raises BadLeague if any change is refused."""
    if refused:
        raise BadLeague(
            f"tournament {tournament!r} was started with another description ({'; '.join(refused)}). You can add "
            "agents, rounds and submissions; after any other change, give the tournament another name"
        )


def settings_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the tournament in that row, with the seed and the seats' key that were drawn for it."""
    settings: dict[str, Any] = row["settings"]
    drawn = {key: row[key] and int(row[key]) for key in _DRAWN}
    return {"adsearch": _FORM_BEFORE} | settings | drawn


def with_form(league: League, row: Mapping[str, Any] | None) -> League:
    """The league, in which agents search in one form of adsearch, as if its description required it: its own, else the
    one that is recorded in the `row` of the tournament, or if there is none yet the one that all agents can have."""
    terms = league.conditions
    if terms.adsearch is None:
        terms = replaced(terms, adsearch=_form_here(terms.python) if row is None else settings_of(row)["adsearch"])
    return replace(league, conditions=terms)


def _form_here(python: str | None) -> Form:
    """The form that built-in agents have here, and those that this interpreter runs."""
    if python is None or form.form() == "interpreted":
        return form.form()
    from arena.walls import library  # few tournaments name an interpreter

    return library.form_of(python)


def changes_between(old: Mapping[str, Any], now: Mapping[str, Any]) -> Changes:
    """The changes from the settings that the tournament was started with, `old`, to those `now`.

    A seed, a seats' key or a form of adsearch that is not given stays as it was. Keys that `old` does not have are not
    compared, except those of the format: a test must not be added once there are results, because its limits could be
    chosen to fit them."""
    format = formats.recorded(now["format"], now)
    refused: list[str] = []
    allowed: list[str] = []
    for key, before, after in _differences((format.defaults() if format else {}) | dict(old), now):
        if key in ("name", "agents") or (key in (*_DRAWN, "adsearch") and after is None):
            continue
        more = key == "rounds" and after > before
        change = f"{key}: {_words(key, before)} -> {_words(key, after)}"
        (allowed if more or key in CHANGEABLE else refused).append(change)
    known = {agent["name"]: agent for agent in old.get("agents", now["agents"])}
    listed = {agent["name"]: agent for agent in now["agents"]}
    added = tuple(name for name in listed if name not in known)
    if gone := [quote(name) for name in known if name not in listed]:
        refused.append(
            f"agents: no longer listed: {one_of(gone, most=8)} (list them again; to take one out, use "
            "`arena rule withdraw`)"
        )
    if added:
        words = f"agents: added: {one_of([quote(name) for name in added], most=8)}"
        if format and format.closed:
            refused.append(f"{words} ({format.closed})")
        else:
            allowed.append(words)
    for name in listed.keys() & known.keys():
        for key, before, after in _differences(dict.fromkeys(_OWN_TIME) | known[name], listed[name]):
            change = f"agent {quote(name)}: {key}: {_words(key, before)} -> {_words(key, after)}"
            (refused if key in _OWN_TIME else allowed).append(change)
    return Changes(tuple(refused), tuple(sorted(allowed)), added)


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Key, old value and new value of each setting that differs; limits are compared one by one."""
    found: list[tuple[str, Any, Any]] = []
    for key, after in new.items():
        before = old.get(key, after)
        if key in ("limits", "allowance") and isinstance(before, dict) and isinstance(after, dict):
            found += _differences(before, after)
        elif before != after:
            found.append((key, before, after))
    return found


def _words(key: str, value: Any) -> str:
    """A value as it is written in the description."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if key in _TIMES and isinstance(value, int):
        return format((Decimal(value) / SECOND).normalize(), "f")
    if isinstance(value, float):
        return f"{value:.12g}"
    if key == "openings" and isinstance(value, dict):
        return f"{value['count']} from {quote(value['file'])}, {value['order']} from {value['start']}"
    if isinstance(value, dict):
        return ", ".join(f"{part} {_words(part, of_it)}" for part, of_it in value.items())
    if key == "openings" and isinstance(value, list):
        return f"{len(value)} from a file"
    return one_of([quote(part) for part in value], most=4) or "none" if isinstance(value, list) else str(value)
