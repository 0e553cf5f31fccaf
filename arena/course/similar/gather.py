"""Gathers the sources of a tournament's agents: every version in the store, and files that have not played yet.

A source that is missing or damaged is left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from arena.course.similar.sources import Source, from_path, from_store
from arena.errors import ArenaError
from arena.players.submissions import Store, in_store
from arena.players.versions import is_ready_made
from arena.tournament.enrolment import Listed
from db import audit, lookup
from db.database import Connection
from db.records import IMPORTED


class Gathered(Struct, frozen=True):
    """The sources, and the reasons why others are left out."""

    sources: tuple[Source, ...]
    left_out: tuple[str, ...] = ()


def of_tournament(connection: Connection, name: str, store: Store, listed: Sequence[Listed] = ()) -> Gathered:
    """All versions of the agents that play in the tournament, and of those that its description lists.

    NotFound if there is no tournament of that name, and no description."""
    names = {agent.name for agent in listed}
    known = {tournament.name for tournament in lookup.tournaments(connection)}
    if name in known or not listed:
        names |= {*lookup.entry_statuses(connection, lookup.find_tournament(connection, name))}
    versions = [
        (one.agent, one.number, one.source)
        for one in audit.versions(connection)
        if one.agent in names and not is_ready_made(one.source, one.started_as) and not one.source.startswith(IMPORTED)
    ]
    in_database, on_disk = of_versions(versions, store), of_files(listed)
    return Gathered(in_database.sources + on_disk.sources, in_database.left_out + on_disk.left_out)


def of_files(listed: Sequence[Listed]) -> Gathered:
    """The files and folders that a description names itself; what is in a store comes from the database."""
    sources, left_out = [], []
    for agent in listed:
        path = agent.player.path
        if path is not None and in_store(path) is None:
            try:
                sources.append(from_path(path, agent.name))
            except ArenaError as error:
                left_out.append(f"{agent.name}: {error}")
    return Gathered(tuple(sources), tuple(left_out))


def of_versions(versions: Iterable[tuple[str, int | None, str]], store: Store) -> Gathered:
    """The sources of these versions: agent, number and hash of each."""
    sources, left_out = [], []
    for agent, number, source in sorted(versions, key=lambda one: (one[0], one[1] or 0, one[2])):
        try:
            sources.append(from_store(agent, number, source, store))
        except ArenaError as error:
            left_out.append(f"{agent if number is None else f'{agent}@{number}'}: {error}")
    return Gathered(tuple(sources), tuple(left_out))
