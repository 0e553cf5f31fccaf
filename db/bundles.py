"""Bundles: one agent's games, logs and versions in a separate database file, with the sources that they need; and games
that were played elsewhere, written into the database.

A bundle is an SQLite database of arena with two more tables. Opening it unpacks the sources into a store beside the
file, and changes the rules that name a file in the store to that path. Of opponents it contains only their moves,
results and clock times.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Connection, insert, select

from db import dialect, private, store
from db.errors import DatabaseError, NotFound, advice
from db.games import COLUMN_FIELDS, OVER
from db.ladder import FORMAT as LADDER
from db.records import IMPORTED, SAID, SEAT_RESULT, GameKind, PastGame, PastRuling, PastSeat, instant, moves_hash
from db.schema import Agent, Analysis, Entry, Game, Move, Ruling, Seat, Tournament, Version
from db.sources import HASH, MOST_BYTES, MOST_FILES, MOST_LEVELS, StoredFile, hash_of

_BATCH: Final = 500
"""Ids per query."""
_PLACEHOLDER: Final = "/arena.store"
"""The path of the store in the bundle's rules until the bundle is opened."""
_TABLES: Final = (
    "CREATE TABLE bundle (place TEXT NOT NULL)",
    "CREATE TABLE bundled (source TEXT NOT NULL, path TEXT NOT NULL, executable INTEGER NOT NULL,"
    " content BLOB NOT NULL, PRIMARY KEY (source, path))",
)
_STORE_PATH: Final = re.compile(r"(^|=)(/[^=]*?)/(?=([0-9a-f]{64})/)")
"""A path into a store within rules. Groups: the text before it, the store's folder, and the hash."""


class SourceFile(Struct, frozen=True):
    """One file of a source."""

    source: str
    """The source's hash."""
    path: str
    """Relative to the source's folder, with slashes."""
    executable: bool
    content: bytes


class BundleNames(Struct, frozen=True):
    """Functions that replace names, so that opponents can be anonymous in the bundle."""

    of: Callable[[str], str]
    """Replaces an agent's name."""
    words: Callable[[str], str]
    """Replaces names within a text."""
    pair: Callable[[str], str]
    """Replaces names within the key of a pairing."""


class BundleContents(Struct, frozen=True):
    """What goes into a bundle."""

    agent: int
    games: tuple[int, ...]
    tournaments: tuple[int, ...]
    names: tuple[str, ...]
    """The names of all players of these games, and of their agents."""
    sources: tuple[str, ...]
    """The hashes of the agent's versions, and of the games' rules if these are in a store."""


def contents_for(connection: Connection, agent: str, tournament: int | None) -> BundleContents:
    """The contents of a bundle for that agent, from all games or one tournament; NotFound if no game is over."""
    id = connection.execute(select(Agent.id).where(Agent.name == agent)).scalar()
    if id is None:
        there_are = connection.execute(select(Agent.name)).scalars()
        what_to_do = advice(agent, there_are, "`arena results` lists the players")
        raise NotFound(f"there is no agent {agent!r} in the database{what_to_do}")
    its_games = select(Seat.game).join(Version, Version.id == Seat.version).where(Version.agent == id)
    chosen = select(Game.id, Game.tournament, Game.rules).where(Game.id.in_(its_games), Game.status.in_(OVER))
    if tournament is not None:
        chosen = chosen.where(Game.tournament == tournament)
    rows = connection.execute(chosen.order_by(Game.id)).all()
    if not rows:
        raise NotFound(f"there is nothing to bundle: {agent!r} has no finished game")
    games = tuple(row[0] for row in rows)
    names = {agent}
    for some in _batches(games):
        seats = select(Seat.name, Agent.name).join(Version, Version.id == Seat.version)
        seats = seats.join(Agent, Agent.id == Version.agent).where(Seat.game.in_(some))
        names |= {name for row in connection.execute(seats.distinct()) for name in row}
    versions = connection.execute(select(Version.source).where(Version.agent == id).order_by(Version.number)).scalars()
    sources = [source for source in versions if HASH.fullmatch(source)]
    sources += [source for rules in {row[2] for row in rows} for source in rules_in(rules)]
    tournaments = {row[1] for row in rows if row[1] is not None}
    return BundleContents(id, games, tuple(sorted(tournaments)), tuple(sorted(names)), tuple(dict.fromkeys(sources)))


def origins_of(connection: Connection, names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The source of each agent's newest version, and how it is started; both "" for an unknown name."""
    rows = connection.execute(
        select(Agent.name, Version.source, Version.started_as)
        .join(Version, Version.agent == Agent.id)
        .order_by(Version.number)
    )
    known = {name: (source, started_as) for name, source, started_as in rows}
    return {name: known.get(name, ("", "")) for name in names}


def copy(
    old: Connection,
    new: Connection,
    wanted: BundleContents,
    names: BundleNames,
    files: Sequence[SourceFile],
    now: datetime,
) -> None:
    """Write the contents into the empty database `new`."""
    for table in _TABLES:
        new.exec_driver_sql(table)
    new.exec_driver_sql("INSERT INTO bundle (place) VALUES (?)", (_PLACEHOLDER,))
    for file in files:
        values = (file.source, file.path, int(file.executable), file.content)
        new.exec_driver_sql("INSERT INTO bundled (source, path, executable, content) VALUES (?, ?, ?, ?)", values)
    seats = [row for some in _batches(wanted.games) for row in _rows(old, Seat, Seat.game.in_(some))]
    entered = {(row["tournament"], row["name"]) for row in _tournaments_of(old, wanted, seats)}
    entries = [
        row
        for row in _rows(old, Entry, Entry.tournament.in_(wanted.tournaments))
        if (row["tournament"], row["name"]) in entered
    ]
    own_versions = _copy_agents(old, new, wanted, names, {row["version"] for row in [*seats, *entries]}, now)
    own_names = {row["name"] for row in entries if row["version"] in own_versions}
    finished = _copy_tournaments(old, new, wanted, names, {row["name"] for row in entries}, own_names)
    _insert(new, Entry, [row | {"name": names.of(row["name"])} for row in entries])
    _copy_games(old, new, wanted, names, seats, own_versions, finished)
    own_entries = {row["id"] for row in entries if row["version"] in own_versions}
    for row in _rows(old, Ruling, Ruling.id.is_not(None)):
        if row["game"] in set(wanted.games) or row["entry"] in own_entries:
            _insert(new, Ruling, [row | {"reason": names.words(row["reason"])}])


def _tournaments_of(
    old: Connection, wanted: BundleContents, seats: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """For each seat: its game's tournament and its player's name."""
    of: dict[int, int | None] = {}
    for some in _batches(wanted.games):
        of |= dict(old.execute(select(Game.id, Game.tournament).where(Game.id.in_(some))).all())
    for seat in seats:
        yield {"tournament": of[seat["game"]], "name": seat["name"]}


def _copy_agents(
    old: Connection, new: Connection, wanted: BundleContents, names: BundleNames, used: set[int], now: datetime
) -> set[int]:
    """Copy the agents and their versions; of opponents' versions only the number. Return the ids of the agent's own."""
    versions = [
        row for row in _rows(old, Version, Version.id.is_not(None)) if row["agent"] == wanted.agent or row["id"] in used
    ]
    agents = {row["agent"] for row in versions}
    _insert(new, Agent, [row | {"name": names.of(row["name"])} for row in _rows(old, Agent, Agent.id.in_(agents))])
    own_versions = {row["id"] for row in versions if row["agent"] == wanted.agent}
    for row in versions:
        if row["id"] in own_versions:
            changed = {"started_as": _without_folders(row["started_as"])}
        else:
            changed = {"source": f"{IMPORTED}@{row['number']}", "started_as": IMPORTED, "created": instant(now)}
        _insert(new, Version, [row | changed])
    return own_versions


def _copy_tournaments(
    old: Connection, new: Connection, wanted: BundleContents, names: BundleNames, entered: set[str], own_names: set[str]
) -> set[int]:
    """Copy the tournaments; of their settings only fixed ratings and the agent's own byes. Return the ids of finished
    ones whose seeds can be known."""
    finished = set()
    others = select(Tournament.seed).where(Tournament.status != "finished")
    in_use = set(old.execute(others).scalars())  # two tournaments can have one seed
    for row in _rows(old, Tournament, Tournament.id.in_(wanted.tournaments)):
        over = row["status"] == "finished" and row["seed"] not in in_use
        finished |= {row["id"]} if over else set()
        settings = row["settings"]
        anchors = [
            {"name": names.of(agent["name"]), "anchor": agent["anchor"]}
            for agent in settings.get("agents", ())
            if agent["name"] in entered and agent.get("anchor") is not None
        ]
        byes = [[round, names.of(name), *more] for round, name, *more in settings.get("byes", ()) if name in own_names]
        changed = {"seed": row["seed"] if over else None, "seats_key": None, "rules": _portable(row["rules"])}
        if row["format"] == LADDER:  # without its submissions and ratings it is not one
            changed["format"] = IMPORTED
        kept = {"agents": anchors, **({"byes": byes} if byes else {})}
        _insert(new, Tournament, [row | changed | {"settings": kept}])
    return finished


def _copy_games(
    old: Connection,
    new: Connection,
    wanted: BundleContents,
    names: BundleNames,
    seats: Sequence[dict[str, Any]],
    own_versions: set[int],
    finished: set[int],
) -> None:
    """Copy the games with their seats, moves and analyses; leave out opponents' stderr, CPU time, memory and search
    reports."""
    own = {(row["game"], row["seat"]) for row in seats if row["version"] in own_versions}
    hidden_in_seat: dict[str, Any] = dict.fromkeys(("cpu", "memory", "stderr", "seed"))
    hidden_in_move: dict[str, Any] = dict.fromkeys(("cpu", *SAID))
    for some in _batches(wanted.games):
        for row in _rows(old, Game, Game.id.in_(some)):
            # A seed determines all chance events of a tournament, in future games too: hidden until it has finished.
            shown = row["tournament"] is None or row["tournament"] in finished
            by_other = row["fault"] is not None and (row["id"], row["fault"]) not in own
            change = {
                "rules": _portable(row["rules"]),
                "pair": names.pair(row["pair"]),
                "seed": row["seed"] if shown else None,
                "detail": None if by_other or row["detail"] is None else names.words(row["detail"]),
            }
            _insert(new, Game, [row | change])
    _insert(
        new,
        Seat,
        [
            row | {"name": names.of(row["name"])} | ({} if (row["game"], row["seat"]) in own else hidden_in_seat)
            for row in seats
        ],
    )
    for some in _batches(wanted.games):
        moves = [
            row if not row["who"].isdigit() or (row["game"], int(row["who"])) in own else row | hidden_in_move
            for row in _rows(old, Move, Move.game.in_(some))
        ]
        _insert(new, Move, moves)
        _insert(new, Analysis, _rows(old, Analysis, Analysis.game.in_(some)))


def _rows(connection: Connection, table: Any, where: Any) -> list[dict[str, Any]]:
    rows = connection.execute(select(table.__table__).where(where).order_by(*table.__table__.primary_key)).mappings()
    return [dict(row) for row in rows]


def _insert(connection: Connection, table: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), list(rows))


def _batches(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    return (ids[first : first + _BATCH] for first in range(0, len(ids), _BATCH))


def _portable(rules: str) -> str:
    """`rules` with the placeholder in place of the store's path."""
    return _STORE_PATH.sub(rf"\g<1>{_PLACEHOLDER}/", rules)


def _without_folders(started_as: str) -> str:
    """`started_as` without the folders of the machine that the agent was entered on."""
    return started_as if started_as.startswith(("cmd:", "uci:", "gtp:")) else started_as.rstrip("/").rpartition("/")[2]


# The file.


def pack(built: Path, file: Path) -> None:
    """Write the database `built` to the new file `file`, atomically; VACUUM leaves out deleted data."""
    part = file.with_name(f"{file.name}.part")
    part.unlink(missing_ok=True)
    os.close(private.new_file(part))
    try:
        with closing(sqlite3.connect(built)) as connection:
            connection.execute("VACUUM INTO ?", (str(part),))
        descriptor = os.open(part, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.link(part, file)  # unlike a rename it never replaces a file
    except FileExistsError:
        raise DatabaseError(f"{file} exists already and is not overwritten; choose another name") from None
    finally:
        part.unlink(missing_ok=True)


def store_beside(file: Path | None) -> Path:
    """The folder of the store: "arena.store" beside "arena.db". If the database is not a file: the folder that the
    variable ARENA_STORE names, by default "arena.store" in the working directory."""
    if file is None:
        return Path(os.environ.get("ARENA_STORE") or "arena.store")
    return file.with_suffix(".store")


def traffic_beside(file: Path | None) -> Path:
    """The folder of the traffic with engines: "arena.logs" beside "arena.db"."""
    return store_beside(file).with_suffix(".logs")


def is_unpacked(connection: Connection, file: Path) -> bool:
    """Whether a bundle's sources are in the store beside its file, unchanged, and its rules name that store."""
    folder = store_beside(file).absolute()
    if _place(connection) != str(folder):
        return False
    return all(_is_in(folder / source, files) for source, files in _sources(connection))


def unpack(connection: Connection, file: Path) -> None:
    """Unpack a bundle's sources into the store beside its file, and change its rules to that store's path.

    If a source does not have its hash, raise DatabaseError and unpack nothing."""
    folder = store_beside(file).absolute()
    if folder == file.absolute():
        raise DatabaseError(f"rename the bundle {file}: its sources are unpacked into a folder of that name")
    for source, files in _sources(connection):
        if hash_of(files) != source:
            raise _damaged(f"the source {source[:12]} does not have that hash; nothing was unpacked")
        if os.path.lexists(folder / source) and not _is_in(folder / source, files):
            raise DatabaseError(f"{folder / source} differs from the source in {file}: delete it, or move {file}")
    for source, files in _sources(connection):
        if not (folder / source).is_dir():
            _write_folder(folder / source, files)
    place = _place(connection)
    for table in ("game", "tournament"):
        for rules in connection.exec_driver_sql(f"SELECT DISTINCT rules FROM {table}").scalars().all():
            moved = moved_rules(rules, place, str(folder))
            if moved != rules:
                connection.exec_driver_sql(f"UPDATE {table} SET rules = ? WHERE rules = ?", (moved, rules))
    connection.exec_driver_sql("UPDATE bundle SET place = ?", (str(folder),))


def moved_rules(rules: str, before: str, after: str) -> str:
    """Rules whose files are in the store `after`, which were in the store `before`."""
    return _STORE_PATH.sub(lambda found: f"{found[1]}{after}/" if found[2] == before else found[0], rules)


def rules_in(rules: str, store: str | None = None) -> list[str]:
    """The hashes of the files of `rules` that are in the folder `store`; None: in any store."""
    return [found[3] for found in _STORE_PATH.finditer(rules) if store in (None, found[2])]


def _place(connection: Connection) -> str:
    return str(connection.exec_driver_sql("SELECT place FROM bundle").scalar_one())


def _sources(connection: Connection) -> Iterator[tuple[str, dict[str, StoredFile]]]:
    """Each source in the bundle with its files; DatabaseError if a path leaves the source's folder or it is too big."""
    sizes = "SELECT source, COUNT(*), COALESCE(SUM(LENGTH(path) + LENGTH(content)), 0) FROM bundled GROUP BY source"
    for source, count, size in connection.exec_driver_sql(sizes).all():
        if not isinstance(source, str) or not HASH.fullmatch(source):
            raise _damaged(f"expected the hash of a source, got {str(source)[:64]!r}")
        if count > MOST_FILES or size > MOST_BYTES:
            raise _damaged(f"expected at most {MOST_FILES} files and {MOST_BYTES} bytes in a source, got more")
        rows = connection.exec_driver_sql("SELECT path, executable, content FROM bundled WHERE source = ?", (source,))
        files: dict[str, StoredFile] = {}
        folders: set[PurePosixPath] = set()
        for path, executable, content in rows:
            if not _is_inside(path) or path in files or not isinstance(content, bytes):
                raise _damaged(f"expected a file inside its source's folder, got {str(path)[:100]!r}")
            files[path] = StoredFile(content, bool(executable))
            folders.update(PurePosixPath(path).parents)
            if len(files) + len(folders) > MOST_FILES:
                raise _damaged(f"expected at most {MOST_FILES} files and folders in a source, got more")
        yield source, files


def _damaged(why: str) -> DatabaseError:
    return DatabaseError(f"the bundle is damaged: {why}")


def _is_inside(path: object) -> bool:
    """Whether `path` is a normalised relative path without "..", not too deep."""
    return (
        isinstance(path, str)
        and PurePosixPath(path).as_posix() == path
        and path.count("/") < MOST_LEVELS
        and not {"", ".", "..", "/"} & {path, *PurePosixPath(path).parts}
        and "\0" not in path
    )


def _is_in(folder: Path, files: Mapping[str, StoredFile]) -> bool:
    """Whether the folder contains exactly these files, and no links."""
    if folder.is_symlink():
        return False
    found = {
        Path(inner, name).relative_to(folder).as_posix(): Path(inner, name)
        for inner, folders, names in os.walk(folder)
        for name in (*names, *(one for one in folders if Path(inner, one).is_symlink()))
    }
    return found.keys() == files.keys() and all(_is_same(files[name], path) for name, path in found.items())


def _is_same(file: StoredFile, path: Path) -> bool:
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode) or status.st_size != len(file.content):
        return False
    return bool(status.st_mode & stat.S_IXUSR) == file.executable and path.read_bytes() == file.content


def _write_folder(target: Path, files: Mapping[str, StoredFile]) -> None:
    """Write the files into the new folder `target`, atomically."""
    temporary = None
    try:
        private.make_folder(target.parent)
        temporary = Path(tempfile.mkdtemp(prefix=".new-", dir=target.parent))
        for path, file in files.items():
            written = temporary / path
            written.parent.mkdir(parents=True, exist_ok=True)
            with written.open("xb") as new:
                new.write(file.content)
            written.chmod(0o555 if file.executable else 0o444)
        for inner, _, _ in os.walk(temporary, topdown=False):
            os.chmod(inner, 0o555)
        os.rename(temporary, target)
    except OSError as error:
        if not _is_in(target, files):  # another program may have unpacked the same bundle at the same time
            raise DatabaseError(f"cannot unpack the bundle's sources into {target.parent}: {error.strerror}") from None
    finally:
        if temporary is not None and temporary.exists():
            for inner, _, _ in os.walk(temporary):
                os.chmod(inner, 0o700)
            shutil.rmtree(temporary, ignore_errors=True)


# Writes games that were played elsewhere into the database.


def add_imported(connection: Connection, games: Sequence[PastGame], now: datetime) -> list[str]:
    """Insert the games, in this order; return the names of the tournaments that were created for them."""
    tournaments: dict[str, int] = {}
    for game in games:
        if game.tournament is not None and game.tournament not in tournaments:
            of_it = [other for other in games if other.tournament == game.tournament]
            tournaments[game.tournament] = _new_tournament(connection, game.tournament, of_it, now)
    versions: dict[tuple[str, str], int] = {}
    seats: list[dict[str, Any]] = []
    moves: list[dict[str, Any]] = []
    for game in games:
        tournament = None if game.tournament is None else tournaments[game.tournament]
        new = {name: getattr(game, name) for name in COLUMN_FIELDS if name != "id"}
        if game.kind not in {*GameKind}:
            new["kind"] = GameKind.CASUAL if tournament is None else GameKind.TOURNAMENT
        new["moves_hash"] = moves_hash(game.moves, (game.seed, game.pair, game.leg, game.attempt), game.position)
        id = dialect.new_id(
            connection.execute(insert(Game).values(tournament=tournament, rules=game.game, seed=game.seed, **new))
        )
        for seat in game.seats:
            source = _source(seat)
            version = versions.get((seat.player, source))
            if version is None:
                version = store.version(connection, seat.player, source, IMPORTED, now)
                versions[seat.player, source] = version
            result = {name: getattr(seat, name) for name in SEAT_RESULT}
            seats.append({"game": id, "seat": seat.seat, "name": seat.player, "version": version, **result})
        moves += [asdict(move) | {"game": id, "who": str(move.who)} for move in game.moves]
        _add_rulings(connection, id, game.rulings)
    connection.execute(insert(Seat), seats)
    if moves:
        connection.execute(insert(Move), moves)
    for name, tournament in tournaments.items():
        _enter_all(connection, tournament, [game for game in games if game.tournament == name], now)
    return list(tournaments)


def _add_rulings(connection: Connection, game: int, rulings: Sequence[PastRuling]) -> None:
    """Insert the rulings about a game, in their order; a revocation refers to the new id of the ruling it revokes."""
    ids: dict[int | None, int] = {}
    for ruling in rulings:
        ruled = {"what": ruling.what, "seat": ruling.seat, "reason": ruling.reason, "made": ruling.when}
        new = insert(Ruling).values(game=game, revokes=ids.get(ruling.revokes), **ruled)
        ids[ruling.id] = dialect.new_id(connection.execute(new))


def _new_tournament(connection: Connection, name: str, games: Sequence[PastGame], now: datetime) -> int:
    if connection.execute(select(Tournament.id).where(Tournament.name == name)).first():
        raise DatabaseError(
            f"there is a tournament {name!r} already; name the imported tournament differently with --tournament"
        )
    (rules, _), (clock, _), (seed, _) = (
        Counter(getattr(game, part) for game in games).most_common(1)[0] for part in ("game", "clock", "seed")
    )
    anchors = {seat.player: seat.anchor for game in games for seat in game.seats if seat.anchor is not None}
    tournament = store.create_tournament(
        connection,
        name,
        format=IMPORTED,
        rules=rules,
        clock=clock,
        seed=seed,
        settings={"agents": [{"name": name, "anchor": rating} for name, rating in anchors.items()]},
        now=now,
    )
    played = {(game.pair, game.leg) for game in games if game.status == "finished"}
    whole = all((game.pair, game.leg) in played for game in games)
    store.set_status(connection, tournament, "finished" if whole else "stopped", now)
    return tournament


def _enter_all(connection: Connection, tournament: int, games: Sequence[PastGame], now: datetime) -> None:
    """Enter all players with their current version, even if that version has played no imported game."""
    for name in dict.fromkeys(seat.player for game in games for seat in game.seats):
        store.enter(connection, tournament, name, store.version(connection, name, IMPORTED, IMPORTED, now))


def _source(seat: PastSeat) -> str:
    """A `source` that is different for each version, in place of a hash."""
    return IMPORTED if seat.current else f"{IMPORTED}@{seat.version}"
