"""`arena course bundle`: writes one agent's games, logs, versions and sources into a file for its author.

`db/bundles.py` decides what is left out about opponents. This module reads the sources from the store, and with a
roster replaces names. The file is written completely or not at all.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from arena.course.aliases import aliases_of
from arena.course.roster import Roster
from arena.errors import ArenaError
from arena.history.recorded_rules import package_in
from arena.players.submissions import Store
from arena.players.versions import is_ready_made
from db import bundles, games
from db.bundles import SourceFile
from db.database import Connection, Database


class Bundled(Struct, frozen=True):
    """What the bundle has in it."""

    games: int
    tournaments: int
    sources: int
    missing: tuple[str, ...]
    """For each source that is not in it, the reason."""
    needed: tuple[str, ...]
    """The packages, with their versions, that brought the rules of games where these were played."""


def write(
    connection: Connection,
    store: Store,
    agent: str,
    file: Path,
    *,
    now: datetime,
    tournament: int | None = None,
    roster: Roster | None = None,
) -> Bundled:
    """Writes the agent's bundle into the new file; with a roster, all names are replaced by aliases."""
    if file.exists() or file.is_symlink():
        raise ArenaError(f"{file} already exists and is not overwritten; choose another name")
    if file.suffix == store.folder.suffix:
        raise ArenaError(f"expected another file extension, such as {file.stem}.arena: {file.suffix} is for sources")
    if not file.absolute().parent.is_dir():
        raise ArenaError(f"there is no folder {str(file.parent)!r} for {file.name!r}; make the folder first")
    wanted = bundles.contents_for(connection, agent, tournament)
    own = bundles.BundleNames(of=str, words=str, pair=str)
    names = own if roster is None else _aliases(connection, wanted.names, roster)
    files: list[SourceFile] = []
    missing: list[str] = []
    for source in wanted.sources:
        try:
            found = store.read(source)
        except ArenaError as error:
            missing.append(str(error))
            continue
        files += [SourceFile(source, path, one.executable, one.content) for path, one in found.items()]
    with tempfile.TemporaryDirectory(prefix="arena-bundle-", dir=file.absolute().parent) as folder:
        built = Path(folder) / "built.db"
        with Database(str(built)) as database, database.writing() as new:
            bundles.copy(connection, new, wanted, names, files, now)
        bundles.pack(built, file)
    played = [host for id in wanted.tournaments for host, _ in games.hosts(connection, id)]
    return Bundled(
        len(wanted.games),
        len(wanted.tournaments),
        len({one.source for one in files}),
        tuple(missing),
        tuple(sorted({package for host in played if (package := package_in(host))})),
    )


def _aliases(connection: Connection, agents: tuple[str, ...], roster: Roster) -> bundles.BundleNames:
    origins = bundles.origins_of(connection, agents)
    names = aliases_of({name: is_ready_made(*origin) for name, origin in origins.items()}, roster)

    def pair(key: str) -> str:
        """The key of a pairing, with public names."""
        try:
            parts = json.loads(key)
        except ValueError:
            parts = None
        if isinstance(parts, list):
            return json.dumps([names.shown.get(part, part) if isinstance(part, str) else part for part in parts])
        return hashlib.sha256(key.encode()).hexdigest()[:16]

    return bundles.BundleNames(of=lambda name: names.shown[name], words=names.redact, pair=pair)
