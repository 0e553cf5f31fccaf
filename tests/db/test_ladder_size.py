"""What a ladder shows costs the same after 100,000 games as after 1,000: the work is counted, not timed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from db import ladder
from db.database import Connection, Database
from tests.kit.effort import tries
from tests.kit.ladder_record import store_ladder

_EVERY: Final = 10
"""Number of SQLite's instructions from one count to the next."""


def large_ladder(folder: Path, *, games: int, versions: int, players: int) -> Path:
    """A database with a ladder of this size, with a rating for each game."""
    folder.mkdir()
    with Database(str(folder / "arena.db")) as database:
        store_ladder(database, folder)
    rows = (
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) INSERT INTO {} SELECT {} FROM n"
    )
    player = f"1000 + i % {players}"
    version = f"1000 + i % {versions}"
    with closing(sqlite3.connect(folder / "arena.db")) as plain:
        for count, table, values in (
            (players, "agent (id, name)", f"{player}, 'student ' || (i % {players})"),
            (
                versions,
                "version (id, agent, number, source, started_as, created)",
                f"{version}, {player}, 1 + i / {players}, 'source ' || i, 'random', ''",
            ),
            (
                players,
                "entry (tournament, version, name, status)",
                f"1, 1000 + {versions - players} + i - 1, 'student ' || i, 'active'",
            ),
            (
                games,
                "game (id, tournament, number, pair, leg, attempt, rules, clock, seed, status, verdict, finished)",
                "1000 + i, 1, 1000 + i, 'pair ' || (i / 2), i % 2, 1, 'tictactoe', '5', '7', 'finished', 'normal', ''",
            ),
            (
                2 * games,
                "seat (game, seat, version, name, points)",
                f"1000 + (i + 1) / 2, i % 2, {version}, 'student', 0.5",
            ),
            (
                games,
                "rating (tournament, version, time, rating, error, games)",
                f"1, {version}, '2026-11-02T08:00:00.000Z', i % 997, 50, i",
            ),
        ):
            plain.execute(rows.format(count, table, values))
        plain.commit()
    return folder / "arena.db"


def work(file: Path, query: Callable[[Connection], object]) -> int:
    """The number of SQLite's instructions for the query, in tens."""
    counted = 0

    def count() -> int:
        nonlocal counted
        counted += 1
        return 0

    with Database(str(file), read_only=True) as database, database.reading() as connection:
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        driver.set_progress_handler(count, _EVERY)
        query(connection)
        driver.set_progress_handler(None, 0)
    return counted


@pytest.fixture(scope="module")
def ladders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two ladders with the same players, one with many times the games of the other."""
    folder = tmp_path_factory.mktemp("ladders")
    few, many = tries(1_000, soak=10_000), tries(10_000, soak=100_000)
    return (
        large_ladder(folder / "few", games=few, versions=200, players=100),
        large_ladder(folder / "many", games=many, versions=200, players=100),
    )


def test_standings_read_one_rating_of_each_player(ladders: tuple[Path, Path]) -> None:
    few, many = (work(file, lambda connection: ladder.standings(connection, 1)) for file in ladders)
    assert few > 0
    assert many < 1.1 * few


def test_a_curve_reads_the_ratings_of_one_version(ladders: tuple[Path, Path]) -> None:
    few, many = (work(file, lambda connection: ladder.curve(connection, 1, 1150)) for file in ladders)
    assert few > 0
    assert many < 11 * few  # it has ten times as many ratings
    few, many = (work(file, lambda connection: ladder.curve(connection, 1, 5000)) for file in ladders)
    assert many <= few + 1  # those of other versions are not read
