"""A small database for the tests of `db`: one tournament of two agents, and a game with all fields set."""

from __future__ import annotations

import textwrap
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, text

from db import store
from db.database import Database
from db.records import GameRecord, MoveRecord, ScheduledGame, SeatRecord

NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)


def tournament(connection: Connection, name: str = "cs101", *, settings: dict[str, Any] | None = None) -> int:
    """A new tournament."""
    return store.create_tournament(
        connection,
        name,
        format="round-robin",
        rules="tictactoe",
        clock="10+0.1",
        seed=2**128 - 1,
        settings=settings or {},
        now=NOW,
    )


def planned(
    versions: tuple[int, int], pair: str = "ann bob", *, names: tuple[str, str] = ("ann", "bob")
) -> ScheduledGame:
    """A game of these two."""
    seats = tuple(zip(versions, names, strict=True))
    return ScheduledGame(round=1, pair=pair, game="tictactoe", clock="10+0.1", seed=2**128 - 1, seats=seats)


def begun_game(database: Database) -> int:
    """A game in progress: the first one of "cs101"; its id."""
    with database.writing() as connection:
        number = tournament(connection)
        ann, bob = (store.version(connection, name, "random", "random", NOW) for name in ("ann", "bob"))
        for name, version in (("ann", ann), ("bob", bob)):
            store.enter(connection, number, name, version)
        (game,) = store.schedule(connection, number, [planned((ann, bob))])
        store.begin(connection, game, NOW)
    return game


def record(game: int, *, plies: int = 12, letters: int = 4096) -> GameRecord:
    """How it went: so many plies, and so much written to stderr."""
    return GameRecord(
        game=game,
        verdict="time",
        fault=1,
        detail="bob used 11.000 s of 10.000 s at ply 13",
        seats=tuple(
            SeatRecord(seat, name, float(1 - seat), float(1 - 2 * seat), 10**9, 10**8, 1, 2, "x" * letters)
            for seat, name in enumerate(("ann", "bob"))
        ),
        moves=tuple(
            MoveRecord(
                ply,
                (ply - 1) % 2,
                "a1",
                10**6,
                9 * 10**9,
                10**3,
                1,
                2,
                3,
                0.5,
                4,
                5,
                "a1 b2",
                "hm " * 100,
                {"a1": "good", "c3": -0.5},
            )
            for ply in range(1, plies + 1)
        ),
        lag=12_000,
    )


def finish(database: Database, game: int, played: GameRecord | None = None) -> None:
    """The game is over."""
    with database.writing() as connection:
        store.finish(connection, game, played or record(game), host={"cpu": "any"}, now=NOW)


def counted(database: Database, table: str, where: str = "1 = 1") -> int:
    """How many rows there are."""
    with database.reading() as connection:
        return int(connection.execute(text(f"SELECT COUNT(*) FROM {table} WHERE {where}")).scalar_one())


def is_whole_or_absent(file: Path, game: int, *, plies: int = 12) -> bool:
    """Whether the game is stored. It must be stored wholly or not at all, in a file that is sound."""
    with Database(str(file)) as database, database.reading() as connection:

        def one(query: str) -> Any:
            return connection.execute(text(query)).scalar_one()

        assert one("PRAGMA integrity_check") == "ok"
        status = one(f"SELECT status FROM game WHERE id = {game}")
        found = (
            one(f"SELECT COUNT(*) FROM move WHERE game = {game}"),
            one(f"SELECT COUNT(points) FROM seat WHERE game = {game}"),
            one(f"SELECT COUNT(verdict) FROM game WHERE id = {game}"),
        )
    assert (status, found) in (("playing", (0, 0, 0)), ("finished", (plies, 2, 1)))
    return bool(status == "finished")


PRELUDE = """
    import os, signal, sys
    from pathlib import Path
    from db import database as upgrade
    from db import dialect, store
    from db.database import Database
    from db.errors import DatabaseError, DiskFull
    from tests.kit.small_record import *

    def forked(action):
        child = os.fork()
        if not child:
            try:
                action()
                os._exit(0)
            except BaseException as error:
                sys.stderr.write(f"{type(error).__name__}: {error}\\n")
                sys.stderr.flush()
                os._exit(1)
        return child

    def ended(child):
        status = os.waitpid(child, 0)[1]
        return os.waitstatus_to_exitcode(status)
"""
"""What a program in a process of its own begins with: `forked(action)` runs `action` in one more process."""


def program(code: str) -> str:
    """The program `code`, after what all such programs begin with."""
    return textwrap.dedent(PRELUDE) + textwrap.dedent(code)
