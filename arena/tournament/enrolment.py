"""The agents of a description: the files and folders that `players` matches, the tables [[agent]] and [languages.NAME],
and the file that `arena course collect` writes.

`league.py` reads the rest of a description. Paths are relative to the description's folder. No code of an agent is run
here.
"""

from __future__ import annotations

import glob
import json
import os
import re
import shlex
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from stat import S_IMODE
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from adsearch.errors import quote
from agents import builtin
from arena import engines as protocols
from arena.errors import ArenaError, BadLeague, BadPlayer, BadSubmission
from arena.languages import FILES, MAIN
from arena.languages import ours as of_languages
from arena.match.allowance import Allowance, WallKind
from arena.match.conditions import Conditions
from arena.players import contents, engines
from arena.players.build_commands import Language
from arena.players.build_commands import default as standard_of
from arena.players.player import MAIN_FILE, Player, PlayerKind, read_player, split_path
from arena.players.submissions import Store
from arena.tournament.description import Table, folded, read_toml, what_is_wrong_with
from db import private
from db.ladder import SECOND_AGENT

ALLOWED_KEYS: Final = Allowance.__struct_fields__
"""The limits of a user-supplied agent; they are set for all agents, or for one."""
AGENT_KEYS: Final = ("name", "player", "anchor", "clock", "margin", "walls", *ALLOWED_KEYS)
"""The keys of a table [[agent]]."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One agent that takes part."""

    name: str
    player_text: str
    """The value of `player`, as written; files are relative to the description's folder."""
    player: Player
    """The player that `player_text` names."""
    anchor: float | None = None
    """The rating that it is fixed at; all other ratings are relative to it."""
    clock: str | None = None
    margin: int | None = None
    """Its own; None: those of all agents."""
    walls: WallKind | None = None
    """Its own kind of walls; None: the kind of all agents."""
    allowance: Allowance | None = None
    """Its own limits; None: the limits of all agents."""


def matched(table: Table, folder: Path, skipped: list[str], languages: Mapping[str, Language]) -> Iterator[Listed]:
    """An agent for each file or folder that `players` matches; matches that are not agents are added to `skipped`.

    A file that `arena course collect` wrote yields every agent in it, with the walls and limits of its language."""
    seen: set[str] = set()
    for pattern in table.texts("players"):
        matches = sorted(glob.glob(os.path.expanduser(pattern), root_dir=folder, recursive=True))
        if not matches and pattern.endswith(ENDING):
            # A course's description is written before anything is handed in.
            skipped.append(f"{quote(pattern)} (does not exist yet: `arena course collect` writes it)")
            continue
        if not matches:
            table.fail(
                f"nothing matches {quote(pattern)} in {quote(str(folder))}; for a player that is not a file, write "
                "[[agent]] with name and player",
                "players",
            )
        agents = 0
        for match in matches:
            path = folder / match
            if match.endswith(ENDING) and path.is_file():
                agents += 1
                if os.path.normpath(path) not in seen:
                    seen.add(os.path.normpath(path))
                    yield from _collected(table, path, languages)
                continue
            # A symbolic link in a folder of hand-ins may lead to another student's file. A link that the description
            # names itself is intended.
            is_found_link = path.is_symlink() and glob.has_magic(pattern)
            is_named = not glob.has_magic(pattern)
            if reason := "a symbolic link" if is_found_link else _no_agent(path, languages, is_named=is_named):
                skipped.append(f"{quote(match)} ({reason})")
                continue
            agents += 1
            if os.path.normpath(path) not in seen:
                seen.add(os.path.normpath(path))
                player = replace(found(table, "players", match, folder, languages), handed_in=not is_named)
                name = path.stem if path.is_file() else Path(os.path.abspath(path)).name
                if wrong := what_is_wrong_with(name):
                    table.fail(f"{quote(match)}: {wrong}; rename it", "players")
                yield Listed(name, match, player, **_of_language(player))
        if not agents:
            table.fail(f"{quote(pattern)} matches no agent, only {', '.join(skipped[-3:])}", "players")


def _collected(table: Table, file: Path, languages: Mapping[str, Language]) -> Iterator[Listed]:
    """The agents in a file that `arena course collect` wrote."""
    kept, store = read_collected(file)
    for one in kept:
        try:
            player = one.player(store)
        except BadPlayer as error:
            table.fail(f"{quote(file.name)}: {error}; or collect again", "players")
        language = languages.get(one.language)
        walls, allowance = (language.walls, language.allowance) if language else (None, None)
        yield Listed(one.name, one.started_as, player, walls=walls, allowance=allowance)


def _of_language(player: Player) -> dict[str, Any]:
    """The walls and limits of the player's language, if it is built."""
    return {"walls": player.language.walls, "allowance": player.language.allowance} if player.language else {}


def _no_agent(path: Path, languages: Mapping[str, Language], *, is_named: bool) -> str:
    """Why a file or folder is not an agent; empty if it is one. An agent in another language must be named itself, or
    its language must have a table: a folder can have many files that start no agent."""
    language = None
    with suppress(BadPlayer):
        language = read_player(str(path.absolute()), languages).language
    if language is not None:
        missing = f"a {language.spoken.title} program, without the table [languages.{language.name}]"
        return "" if is_named or language.name in languages else missing
    if path.is_dir():
        return "" if (path / MAIN_FILE).is_file() else f"a folder without {MAIN_FILE}"
    if path.suffix != ".py" or not path.is_file():
        return "not a Python file"
    return "part of a package" if path.name.startswith("__") else ""


def described(
    table: Table, folder: Path, outside: Sequence[str], default: Allowance, languages: Mapping[str, Language]
) -> Iterator[Listed]:
    """The agents of the tables [[agent]]; the keys `outside` belong above them, `default` has the limits of all."""
    for number, keys in enumerate(table.tables("agent"), 1):
        name = keys.get("name")
        where = f"agent {number}" + (f" ({quote(name)})" if isinstance(name, str) else "")
        if wrong := what_is_wrong_with(name) if "name" in keys else "missing; expected a name":
            table.fail(f"name: {wrong}", where)
        above = {key: "put it above the first [[agent]]" for key in outside if key not in AGENT_KEYS}
        try:
            agent = Table(keys, where)
            agent.only(AGENT_KEYS, above)
            text = agent.text("player")
            anchor = agent.number("anchor")
            clock = agent.clock("") or None
            margin = agent.read(Conditions()).margin if "margin" in agent else None
            walls = agent.read(Conditions()).walls
            allowance = agent.read(default)
        except BadLeague as error:
            table.fail(str(error))
        player = found(table, f"{where}: player", text, folder, languages)
        if player.kind is PlayerKind.BUILTIN and (walls or allowance != default):
            table.fail(f"{quote(text)} is a built-in agent; walls and limits are for user-supplied agents only", where)
        own = _of_language(player) | ({"walls": walls} if walls else {})
        if allowance != default:
            own["allowance"] = allowance
        yield Listed(str(name), text, player, anchor, clock, margin, **own)


def found(
    table: Table, key: str, text: str, folder: Path, languages: Mapping[str, Language] = MappingProxyType({})
) -> Player:
    """The player that `text` names, its files relative to `folder`."""
    try:
        player = read_player(_located(text, folder), languages)
    except BadPlayer as error:
        table.fail(str(error), key)
    if player.kind in (PlayerKind.HUMAN, PlayerKind.WAIT):
        table.fail(f"'{player.text}' can play in `arena play` only, not in a tournament", key)
    return replace(player, text=text.strip())


def _located(text: str, folder: Path) -> str:
    """The same text, with `folder` in front of the paths of its files."""
    name, colon, rest = text.strip().partition(":")
    if folder == Path.cwd() or name in ("human", "wait") or builtin.is_builtin(text.strip()):
        return text
    if engines.is_engine(text, installed=True):
        protocol, words, settings = engines.split_engine(text)
        located = (_located_setting(pair, folder) for pair in settings.split("&"))
        return engines.join_engine(protocol, _located_words(words, folder), "&".join(located))
    if name == "cmd" and colon:
        try:
            words = shlex.split(rest)
        except ValueError:
            return text
        return f"cmd:{shlex.join(_located_words(words, folder))}"
    by_path = split_path(text.strip())
    if by_path and not (folder / text.strip()).is_dir():
        return f"{folder / os.path.expanduser(by_path[0])}{by_path[1]}"
    path = folder / os.path.expanduser(text.strip())
    return str(path) if "/" in text or path.exists() or path.suffix in of_languages() else text


def _located_setting(pair: str, folder: Path) -> str:
    """An engine's setting NAME=VALUE, with `folder` in front of the path of a file."""
    name, equals, value = pair.partition("=")
    return f"{name}{equals}{contents.command_setting(value.strip(), folder).path or value}"


def _located_words(words: Sequence[str], folder: Path) -> list[str]:
    """The words of a command, with `folder` in front of the paths of its program and files."""
    program = [str(folder / os.path.expanduser(word)) if "/" in word else word for word in words[:1]]
    return program + [
        os.pathsep.join(part.path or part.text for part in parts) for parts in contents.command_parts(words, folder)
    ]


# The tables [languages.NAME] of a description: how `arena course collect` builds and runs agents in other languages.


LANGUAGE_KEYS: Final = ("build", "run", "build_walls", "walls", *ALLOWED_KEYS)
_NAME: Final = re.compile(r"[A-Za-z0-9_+-]{1,16}")
_BRACED: Final = re.compile(r"\{\w*\}")


def read_languages(table: Table, default: Allowance) -> dict[str, Language]:
    """The languages of a description by name; `default` has the limits of all agents. BadLeague says what is wrong."""
    languages = table.table("languages")
    return {name: _language(name, languages, default) for name in languages}


def read_language_tables(file: Path) -> dict[str, Language]:
    """The languages of the description in `file`."""
    table = Table(read_toml(file), str(file))
    return read_languages(table, table.table("limits").read(table.read(Allowance())))


def _language(name: str, languages: Table, default: Allowance) -> Language:
    keys = languages.table(name)
    if name == "py" or not _NAME.fullmatch(name):
        keys.fail("expected the extension of the language's files, such as [languages.java]; Python needs no table")
    keys.only(LANGUAGE_KEYS)
    standard = standard_of(name)
    build = _words(keys, "build", () if standard is None else standard.build, (FILES, MAIN))
    run = _words(keys, "run", () if standard is None else standard.run, (MAIN,))
    if not run:
        keys.fail("missing; expected the command that runs an agent, such as 'ruby {main}'", "run")
    build_walls = WallKind.CONTAINER if standard is None else standard.build_walls
    allowance = keys.read(default)
    return Language(
        name=name,
        build=build,
        run=run,
        build_walls=WallKind(keys.word("build_walls", WallKind, build_walls)),
        walls=keys.read(Conditions()).walls,
        allowance=None if allowance == default else allowance,
    )


def _words(keys: Table, key: str, default: tuple[str, ...], braced: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command; only the words in `braced` can be in braces."""
    if key not in keys:
        return default
    try:
        words = tuple(shlex.split(keys.text(key)))
    except ValueError as error:
        keys.fail(f"expected a command, got {quote(keys.text(key))}: {error}", key)
    if not words:
        keys.fail("expected a command", key)
    for word in words:
        for found in _BRACED.findall(word):
            if found not in braced or (found == FILES != word):
                keys.fail(f"expected {' or '.join(braced)} in a command, got {quote(word)}", key)
    return words


# The file that says who plays with which submission: written by `arena course collect`, named by a tournament's
# description.


ENDING: Final = ".collected.toml"
_ABOUT: Final = """\
# Who plays with which submission. `arena course collect` writes this file; the description of a tournament names it:
#
#     players = "{name}"

"""


class Collected(Struct, frozen=True):
    """An agent and the submission that it plays with."""

    name: str
    """The agent's name."""
    version: int
    """The number of the agent's version in the database."""
    source: str
    """The submission's hash in the store."""
    started_as: str
    """The name of its file or folder."""
    submission: str
    """The path where it was found."""
    handed_in: str
    """When it was handed in, in ISO 8601; empty if not known."""
    light: str
    """The result of its check: good or warning."""
    told: str
    checked: str
    """A hash of the conditions of its check."""
    late_days: int = 0
    """How many days late it was handed in, counting each day that had started; 0: in time."""
    language: str = ""
    """The table [languages.NAME] that it was built with; empty for Python."""

    @property
    def when(self) -> datetime | None:
        """The time of the hand-in; None if not known."""
        return datetime.fromisoformat(self.handed_in) if self.handed_in else None

    def player(self, store: Store) -> Player:
        """The agent as it is in the store; BadPlayer if files of it are missing or changed."""
        from arena.players.submissions import player_of as player  # imported late: it loads the database's modules
        from db.audit import StoredVersion

        return player(StoredVersion(self.name, self.version, self.source, self.started_as), store)


class Refused(Struct, frozen=True):
    """The latest submission for an agent, if it does not play."""

    name: str
    """The agent's name."""
    submission: str
    """The path where it was found."""
    why: str
    """What is wrong with it, and what to do."""


def named_in(description: Path) -> list[Path]:
    """The existing files of this kind that the key `players` of a description matches."""
    folder = description.absolute().parent
    return [
        folder / match
        for pattern in Table(read_toml(description), str(description)).texts("players")
        for match in sorted(glob.glob(os.path.expanduser(pattern), root_dir=folder, recursive=True))
        if match.endswith(ENDING) and (folder / match).is_file()
    ]


def read_collected(path: Path) -> tuple[list[Collected], Store]:
    """The agents in the file, and the store of their submissions; BadLeague says what is wrong with the file."""
    keys = Table(read_toml(path), str(path))
    keys.only(("store", "agent", "refused"))
    kept = []
    for number, table in enumerate(keys.tables("agent"), 1):
        agent = Table(table, f"{path}: agent {number}")
        agent.only(Collected.__struct_fields__)
        if wrong := what_is_wrong_with(table.get("name")):
            agent.fail(wrong, "name")
        texts = {name: agent.text(name, "") for name in ("submission", "told", "checked", "language")}
        handed_in = agent.text("handed_in", "") if table.get("handed_in") else ""
        try:
            datetime.fromisoformat(handed_in or "2026-01-01")
        except ValueError:
            agent.fail(f"expected a time such as 2026-05-01T23:59:00+00:00, got {handed_in!r}", "handed_in")
        kept.append(
            Collected(
                name=table["name"],
                version=agent.whole("version", 1, 10**9, 1),
                source=agent.text("source"),
                started_as=agent.text("started_as"),
                handed_in=handed_in,
                light=agent.word("light", ("good", "warning"), "good"),
                late_days=agent.whole("late_days", 0, 10**9, 0),
                **texts,
            )
        )
    folder = path.parent / os.path.expanduser(keys.text("store", "arena.store"))
    return kept, Store(folder)


def read_refused(path: Path) -> list[Refused]:
    """The submissions in the file that do not play; BadLeague says what is wrong with the file."""
    found = []
    for number, table in enumerate(Table(read_toml(path), str(path)).tables("refused"), 1):
        one = Table(table, f"{path}: refused {number}")
        one.only(Refused.__struct_fields__)
        found.append(Refused(**{name: one.text(name) for name in Refused.__struct_fields__}))
    return found


def write_collected(
    path: Path, kept: Mapping[str, Collected], store: Store, refused: Mapping[str, Refused] = MappingProxyType({})
) -> None:
    """Writes the agents and the refused submissions into the file, each in the order of their names."""
    here = path.absolute().parent
    place = os.path.relpath(store.folder, here) if store.folder.is_relative_to(here) else str(store.folder)
    lines = [_ABOUT.format(name=path.name), f"store = {_text(place)}\n"]
    tables: list[tuple[str, Collected | Refused]] = [("agent", one) for _, one in sorted(kept.items())]
    tables += [("refused", one) for _, one in sorted(refused.items())]
    for title, one in tables:
        lines.append(f"\n[[{title}]]\n")
        lines += [
            f"{name} = {_text(getattr(one, name))}\n"
            for name in one.__struct_fields__
            if getattr(one, name) not in ("", 0)
        ]
    begun = path.with_name(f"{path.name}.part")
    try:
        begun.unlink(missing_ok=True)
        with open(private.new_file(begun), "w", encoding="utf-8", newline="\n") as file:
            with suppress(FileNotFoundError):
                os.fchmod(file.fileno(), S_IMODE(path.stat().st_mode))
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        os.replace(begun, path)
    except OSError as error:
        raise ArenaError(f"cannot write {path}: {error.strerror}") from None
    finally:
        begun.unlink(missing_ok=True)


def _text(value: Any) -> str:
    """A value in TOML's notation: its strings are those of JSON, except for the DEL character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# The names under which authors hand in agents: what they may contain, so that they mean nothing else anywhere.


_REFUSED_IN_NAMES: Final = ("--", *'=,:/\\*?<>|"`$')
"""What no name contains, because it has a meaning in commands, in file names or in web addresses."""


def agent_name(author: str, agent: str = "", *, ladder: str, anchors: Collection[str]) -> str:
    """The name of the author's agent on the ladder with these anchors; BadSubmission if it cannot be one.

    `agent`: the second part of the name of a further agent."""
    parts = {"author": author, "agent": agent} if agent else {"author": author}
    name = SECOND_AGENT.join(parts.values())
    for what, part in parts.items():
        if wrong := what_is_wrong_with(part):
            raise BadSubmission(f"{what}: {wrong}")
        if SECOND_AGENT in part:
            raise BadSubmission(f"{what}: expected a name without a dot, got {quote(part)}; a dot separates the two")
        if refused := [text for text in _REFUSED_IN_NAMES if text in part]:
            raise BadSubmission(f"{what}: expected a name without {quote(refused[0])}, got {quote(part)}")
        if part.startswith("-"):
            raise BadSubmission(f"{what}: expected a name that does not start with '-', got {quote(part)}")
    if wrong := what_is_wrong_with(name):
        raise BadSubmission(wrong)
    if folded(name) in {folded(anchor) for anchor in anchors}:
        raise BadSubmission(f"{quote(name)} is an anchor of ladder {quote(ladder)}: choose another name")
    if folded(name) in {
        folded(known) for known in (*builtin.names(), *engines.known(), *protocols.names(), *PlayerKind)
    }:
        raise BadSubmission(f"author: {quote(name)} is the name of a player in commands: choose another name")
    if len(alphabets := _alphabets(name)) > 1:  # a Cyrillic letter can look like a Latin one
        both = " and ".join(sorted(alphabets))
        raise BadSubmission(f"expected a name with the letters of one alphabet, got {quote(name)}, with {both} letters")
    return name


def _alphabets(name: str) -> set[str]:
    """Which of the alphabets with letters that look alike the name is uses."""
    known = {"LATIN": "Latin", "GREEK": "Greek", "CYRILLIC": "Cyrillic"}
    return {known[first] for letter in name if (first := unicodedata.name(letter, "").partition(" ")[0]) in known}
