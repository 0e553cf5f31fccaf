"""The rater: when it computes ratings, and its process, killed and started again."""

from __future__ import annotations

import os
import select
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from arena.play.helper import Asker
from arena.serve import rater as raters
from arena.serve.rater import GAMES, SECONDS, Rater, RaterProcess, rate
from arena.walls.run_folder import RunFolder
from db import ladder
from db.database import Database
from tests.kit.effort import PATIENCE, tries
from tests.kit.random_record import Record

TOURNAMENT = 1


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database(str(tmp_path / "arena.db")) as database:
        with database.writing() as connection:
            Record(connection).tournament("ann", "bob", format="ladder")
        yield database


class Players:
    """Plays games, one pair after the other."""

    def __init__(self, database: Database) -> None:
        self.database = database
        with database.writing() as connection:
            self.record = Record(connection)
            self.record.entries = {(TOURNAMENT, name): 1 for name in ("ann", "bob")}
        self.games = 0

    def play(self, games: int = 1) -> None:
        with self.database.writing() as connection:
            self.record.connection = connection
            for _ in range(games):
                first, second = ("bob", "ann") if self.games % 2 else ("ann", "bob")
                self.record.play(TOURNAMENT, first, second, 1.0, pair=f"{self.games // 2}", leg=self.games % 2)
                self.games += 1

    def rated(self) -> int:
        """The number of games that ann's last rating is computed from."""
        with self.database.reading() as connection:
            return ladder.standings(connection, TOURNAMENT)[0].games


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


# When.


def test_ratings_are_computed_at_the_start_then_after_twenty_games_or_thirty_seconds(database: Database) -> None:
    clock, players = Clock(), Players(database)
    players.play(2)
    rater = Rater(database, TOURNAMENT, clock)
    assert rater.wait <= 0.0
    assert rater.rate()
    assert players.rated() == 2
    assert rater.wait == SECONDS
    for game in range(GAMES):
        assert rater.wait == SECONDS, game
        players.play()
        rater.note(1)
    assert rater.wait <= 0.0
    assert rater.rate()
    assert players.rated() == 2 + GAMES
    clock.now += SECONDS - 1.0
    assert rater.wait == 1.0
    clock.now += 1.0
    assert rater.wait <= 0.0
    assert not rater.rate()
    assert rater.wait == SECONDS


def test_a_busy_database_costs_one_round(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, players = Clock(), Players(database)
    players.play(4)
    monkeypatch.setattr("db.dialect.BUSY_TIMEOUT", 1)
    with (
        Database(str(database.file)) as impatient,
        closing(sqlite3.connect(str(database.file))) as other,
    ):
        rater = Rater(impatient, TOURNAMENT, clock)
        other.execute("BEGIN IMMEDIATE")
        assert not rater.rate()
        other.rollback()
        clock.now += SECONDS
        assert rater.rate()
    assert players.rated() == 4


def test_ratings_take_at_most_a_tenth_of_the_time(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, players = Clock(), Players(database)
    rater = Rater(database, TOURNAMENT, clock)
    players.play(GAMES)

    def slow(connection: object, tournament: int) -> list[ladder.LadderLine]:
        clock.now += 12.0
        return []

    monkeypatch.setattr(ladder, "standings", slow)
    assert rater.rate()
    rater.note(GAMES)
    assert rater.wait == pytest.approx(120.0)


def test_at_its_end_it_rates_the_last_games(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.environ", {})
    players = Players(database)
    players.play(2)
    ours, theirs = socket.socketpair()
    with theirs:
        address = database.address.render_as_string(hide_password=False)
        ours.send(msgspec.json.encode((address, TOURNAMENT)) + b"\nnull\nnull\n")
        ours.close()
        rate(Asker(theirs))
    assert players.rated() == 2


# The process.


def awaited(rater: RaterProcess) -> bool:
    """Whether there are new ratings; it waits until there are, or the rater has ended."""
    assert select.select([rater], [], [], PATIENCE)[0]
    return rater.read()


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[RunFolder]:
    """A folder for processes, which have all the time of a busy machine to exit."""
    monkeypatch.setattr("arena.play.helper._ENDS_WITHIN", PATIENCE)
    with RunFolder() as folder:
        yield folder


@pytest.mark.costly
def test_a_process_rates_and_a_killed_one_loses_nothing(database: Database, folder: RunFolder) -> None:
    players = Players(database)
    for _ in range(tries(1, soak=20)):
        rater = RaterProcess(folder, database, TOURNAMENT)
        try:
            players.play(GAMES)
            for _ in range(GAMES):
                rater.nudge()
            while players.rated() < players.games:
                assert awaited(rater), rater.how_it_ended()
            players.play(3)
            assert not rater.is_gone()
            os.kill(rater.pid, signal.SIGKILL)
            assert not awaited(rater)
            assert rater.is_gone()
            assert rater.how_it_ended() == "was killed by SIGKILL"
            rater.nudge()
        finally:
            rater.end()
        rater = RaterProcess(folder, database, TOURNAMENT)
        try:
            while players.rated() < players.games:
                assert awaited(rater), rater.how_it_ended()
        finally:
            rater.end()
    with database.reading() as connection:
        curve = ladder.curve(connection, TOURNAMENT, 1)
    assert [point.games for point in curve] == sorted({point.games for point in curve})


@pytest.mark.costly
def test_it_ends_with_its_director(database: Database, tmp_path: Path) -> None:
    program = (
        "import os, sys\n"
        "from arena.serve.rater import RaterProcess\n"
        "from arena.walls.run_folder import RunFolder\n"
        "from db.database import Database\n"
        f"rater = RaterProcess(RunFolder(), Database({str(database.file)!r}), {TOURNAMENT})\n"
        "print(rater.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as director:
        assert director.stdout is not None
        descriptor = os.pidfd_open(int(director.stdout.readline()))
        try:
            director.kill()
            assert select.select([descriptor], [], [], PATIENCE)[0]
        finally:
            os.close(descriptor)


def test_a_database_that_is_not_there_is_one_line(folder: RunFolder, database: Database, tmp_path: Path) -> None:
    with Database(str(tmp_path / "other.db")) as other:
        assert other.file is not None
        other.file.unlink()
        rater = RaterProcess(folder, other, TOURNAMENT)
        try:
            assert not awaited(rater)
            how = rater.how_it_ended()
        finally:
            rater.end()
    assert how.startswith("exited with code 1: there is no database ")


@pytest.mark.parametrize(("within", "games"), [(raters.LAST_RATINGS_WITHIN, 2), (0.0, 0)])
def test_a_rater_that_is_ended_has_time_for_its_last_ratings(
    database: Database, monkeypatch: pytest.MonkeyPatch, within: float, games: int
) -> None:
    """Two seconds, which other processes have, can be too short for a fit of many versions."""
    monkeypatch.setattr(raters, "LAST_RATINGS_WITHIN", within)
    players = Players(database)
    players.play(2)
    with RunFolder() as folder:
        RaterProcess(folder, database, TOURNAMENT).end()
    assert players.rated() == games
