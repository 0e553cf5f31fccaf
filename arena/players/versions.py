"""Recorded versions of agents ("alice@2"), read back from the database and the store to play again."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from adsearch.errors import meant, quote
from agents import builtin
from arena.errors import ArenaError, BadPlayer
from arena.players import engines
from arena.players.player import MAIN_FILE, Player, PlayerKind, read_player, split_path
from arena.players.submissions import (
    Store,
    built_as,
    built_player,
    command_arguments,
    is_built,
    is_command,
    stored_engine,
)
from db import audit
from db.audit import StoredVersion
from db.database import Connection
from db.records import IMPORTED, PastSeat


def find_version(connection: Connection, text: str) -> StoredVersion:
    """The version that `text` names: "alice@2", or "alice" for the last one; BadPlayer lists those that exist."""
    known = audit.versions(connection)
    if of_that_name := [version for version in known if version.agent == text]:
        return of_that_name[-1]
    agent, sign, number = text.rpartition("@")
    of_it = [version for version in known if sign and version.agent == agent]
    if not known:
        raise BadPlayer(
            f"no agent {quote(agent or text)}: the database has no agents; change to the folder where you played"
        )
    if not of_it:
        agents = list(dict.fromkeys(version.agent for version in known))
        raise BadPlayer(f"no agent {quote(agent or text)} in the database{meant(agent or text, agents)}")
    for version in of_it:
        if str(version.number) == number:
            return version
    there = f"{agent}@1" + (f" to {agent}@{of_it[-1].number}" if len(of_it) > 1 else "")
    raise BadPlayer(f"no version {quote(text)} in the database; there is {there}")


def version_of_seat(connection: Connection, seat: PastSeat) -> StoredVersion:
    """The version that played in that seat, also if its name was "alice@2" in that game."""
    try:
        return find_version(connection, f"{seat.player}@{seat.version}")
    except BadPlayer:
        agent, sign, _ = seat.player.rpartition("@")
        if not sign:
            raise
        return find_version(connection, f"{agent}@{seat.version}")


def named_player(connection: Connection, text: str, store: Store) -> tuple[Player, StoredVersion | None]:
    """The player that `text` names, and its version if it is a recorded one: "alice", "alice@2"."""
    try:
        return read_player(text), None
    except BadPlayer as error:
        try:
            version = find_version(connection, text)
        except BadPlayer as unknown:
            raise unknown if "@" in text else error from None
    if version.agent == text and Path(f"{text}.py").exists():
        raise BadPlayer(
            f"{quote(text)} is a file here and in the database: write {text}.py, or {text}@{version.number}"
        )
    as_then = player_of(version, store)
    return replace(as_then, name=f"{version.agent}@{version.number}"), version


def version_started_as(source: Path, agent: str) -> str:
    """How an agent that was handed in is written: its file, "alice/" for a folder, or the command of a built agent.

    `source`: its folder in the store."""
    if is_command(source):
        return built_as(source)
    names = [path.name for path in source.glob("*.py")]
    return f"{agent}/" if MAIN_FILE in names or len(names) != 1 else names[0]


def is_ready_made(source: str, started_as: str) -> bool:
    """Whether a version is a built-in agent or an engine: such an agent has no author who hands it in."""
    return builtin.is_builtin(source) or engines.is_engine(started_as)


def player_of(version: StoredVersion, store: Store) -> Player:
    """The player of that version, from the store; BadPlayer if it cannot be run again."""
    name = f"{version.agent}@{version.number}"
    if version.source.startswith(IMPORTED):
        raise BadPlayer(f"{quote(name)} never played here: its games were imported, without its program")
    if builtin.is_builtin(version.source):
        return read_player(version.source)
    try:
        source = store.verify(version.source)
    except ArenaError as error:
        raise BadPlayer(f"{quote(name)}: {error}") from None
    if engines.is_engine(version.started_as) and is_command(source):
        _, words, _ = engines.split_engine(version.started_as)
        command = (words[0], *command_arguments(source))
        engine = stored_engine(source)
        return Player(PlayerKind.COMMAND, version.started_as, version.agent, command=command, engine=engine)
    if is_command(source) and is_built(source):
        return built_player(source, version.started_as, version.agent)
    if version.started_as.startswith("cmd:") and is_command(source):
        # The program itself is not copied to the store: it is run from its path.
        program = shlex.split(version.started_as.removeprefix("cmd:"))[0]
        command = (program, *command_arguments(source))
        return Player(PlayerKind.COMMAND, version.started_as, version.agent, command=command)
    path, rest = split_path(version.started_as) or ("", "")
    main = source / Path(path).name
    if path and main.is_file():
        return Player(PlayerKind.FILE, version.started_as, version.agent, path=main, class_name=rest.removeprefix(":"))
    if (source / MAIN_FILE).is_file():
        return Player(PlayerKind.FOLDER, version.started_as, version.agent, path=source)
    raise BadPlayer(f"{quote(name)} was entered as {quote(version.started_as)}, which is not what is in {source}")
