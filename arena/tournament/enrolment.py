"""The agents of a description: the files and folders that `players` matches, the tables [[agent]], and the tables
[languages.NAME].

`league.py` reads the rest of a description. Paths are relative to the description's folder. No code of an agent is run
here.
"""

from __future__ import annotations

import glob
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from adsearch.errors import quote
from agents import builtin
from arena.errors import BadLeague, BadPlayer
from arena.languages import FILES, MAIN
from arena.languages import ours as of_languages
from arena.match.allowance import Allowance, WallKind
from arena.match.conditions import Conditions
from arena.players import contents, engines
from arena.players.build_commands import LanguageTable
from arena.players.build_commands import default as standard_of
from arena.players.player import MAIN_FILE, Player, PlayerKind, read_player, split_path
from arena.tournament import collected_file
from arena.tournament.description import Table, read_toml, what_is_wrong_with

ALLOWED_KEYS: Final = Allowance.__struct_fields__
"""The limits of a user-supplied agent; they are set for all agents, or for one."""
AGENT_KEYS: Final = ("name", "player", "anchor", "clock", "margin", "walls", *ALLOWED_KEYS)
"""The keys of a table [[agent]]."""


@dataclass(frozen=True, slots=True)
class ListedAgent:
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


def matched(
    table: Table, folder: Path, skipped: list[str], languages: Mapping[str, LanguageTable]
) -> Iterator[ListedAgent]:
    """An agent for each file or folder that `players` matches; matches that are not agents are added to `skipped`.

    A file that `arena course collect` wrote yields every agent in it, with the walls and limits of its language."""
    seen: set[str] = set()
    for pattern in table.texts("players"):
        matches = sorted(glob.glob(os.path.expanduser(pattern), root_dir=folder, recursive=True))
        if not matches and pattern.endswith(collected_file.ENDING):
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
            if match.endswith(collected_file.ENDING) and path.is_file():
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
                yield ListedAgent(name, match, player, **_of_language(player))
        if not agents:
            table.fail(f"{quote(pattern)} matches no agent, only {', '.join(skipped[-3:])}", "players")


def _collected(table: Table, file: Path, languages: Mapping[str, LanguageTable]) -> Iterator[ListedAgent]:
    """The agents in a file that `arena course collect` wrote."""
    kept, store = collected_file.read(file)
    for one in kept:
        try:
            player = one.player(store)
        except BadPlayer as error:
            table.fail(f"{quote(file.name)}: {error}; or collect again", "players")
        language = languages.get(one.language)
        walls, allowance = (language.walls, language.allowance) if language else (None, None)
        yield ListedAgent(one.name, one.started_as, player, walls=walls, allowance=allowance)


def _of_language(player: Player) -> dict[str, Any]:
    """The walls and limits of the player's language, if it is built."""
    return {"walls": player.language.walls, "allowance": player.language.allowance} if player.language else {}


def _no_agent(path: Path, languages: Mapping[str, LanguageTable], *, is_named: bool) -> str:
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
    table: Table, folder: Path, outside: Sequence[str], default: Allowance, languages: Mapping[str, LanguageTable]
) -> Iterator[ListedAgent]:
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
        yield ListedAgent(str(name), text, player, anchor, clock, margin, **own)


def found(
    table: Table, key: str, text: str, folder: Path, languages: Mapping[str, LanguageTable] = MappingProxyType({})
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


def read_languages(table: Table, default: Allowance) -> dict[str, LanguageTable]:
    """The languages of a description by name; `default` has the limits of all agents. BadLeague says what is wrong."""
    languages = table.table("languages")
    return {name: _language(name, languages, default) for name in languages}


def read_language_tables(file: Path) -> dict[str, LanguageTable]:
    """The languages of the description in `file`."""
    table = Table(read_toml(file), str(file))
    return read_languages(table, table.table("limits").read(table.read(Allowance())))


def _language(name: str, languages: Table, default: Allowance) -> LanguageTable:
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
    return LanguageTable(
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
