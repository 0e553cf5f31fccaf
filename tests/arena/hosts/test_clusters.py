"""A tournament on a Dask cluster of real processes that are killed, stopped and cut off: every game is played once."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final

import pytest

from arena.walls.usage import descendants
from tests.kit import needs
from tests.kit.arena_program import arena
from tests.kit.dask_room import Program, Room, network
from tests.kit.effort import SOAK

pytest.importorskip("distributed", reason=needs.extra("scale"))

_SLEEPER: Final = """
import time

from agents import Agent


class Sleeper(Agent):
    def choose(self, state, clock):
        time.sleep(0.3)
        return state.moves()[0]
"""
_DESCRIPTION: Final = """
name = "far"
game = "tictactoe"
clock = "60"
host_tolerance = 1000
seed = 7
seats_key = 7
openings = 2
rounds = 2
[[agent]]
name = "sleeper"
player = "sleeper.py"
[[agent]]
name = "dice"
player = "mcts:simulations=20"
[[agent]]
name = "random"
player = "random"
[[agent]]
name = "searcher"
player = "alphabeta:depth=2"
"""
GAMES: Final = 24


@pytest.fixture(scope="module")
def at_home() -> list[tuple[object, ...]]:
    """The results of the tournament on one machine."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as name:
        folder = described(Path(name))
        assert arena("run", "far.toml", cwd=folder).code == 0
        return results(folder)


def described(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "far.toml").write_text(_DESCRIPTION, "utf-8")
    (folder / "sleeper.py").write_text(_SLEEPER, "utf-8")
    return folder


def results(folder: Path, count: int = GAMES) -> list[tuple[object, ...]]:
    """What was played, game by game; each game has been played once."""
    with closing(sqlite3.connect(folder / "arena.db")) as database:
        games = database.execute("SELECT status, attempt, number FROM game ORDER BY number").fetchall()
        assert games == [("finished", 1, number) for number in range(1, count + 1)]
        return database.execute(
            "SELECT number, verdict, plies, moves_hash, seat.seat, name, points FROM game JOIN seat ON seat.game = "
            "game.id ORDER BY number, seat.seat"
        ).fetchall()


def hosts(folder: Path) -> list[dict[str, object]]:
    with closing(sqlite3.connect(folder / "arena.db")) as database:
        return [json.loads(host) for (host,) in database.execute("SELECT host FROM game")]


def kill_referee(host: Program) -> None:
    for pid in descendants(host.pid):
        if b"arena.play.referee" in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGKILL)


def check(folder: Path, at_home: list[tuple[object, ...]]) -> None:
    assert results(folder, len(hosts(folder))) == at_home
    assert arena("data", "verify", cwd=folder).code == 0
    assert {host["walls"] for host in hosts(folder)} <= {"sandbox", None}


@pytest.mark.costly(seconds=15)
def test_killed_stopped_and_cut_off_hosts_lose_no_game(room: Room, at_home: list[tuple[object, ...]]) -> None:
    folder = described(room.folder / "killed")
    killed, stopped = room.host("--games", "2"), room.host("--games", "2")
    run = room.run(str(folder / "far.toml"), "--db", str(folder / "arena.db"))
    run.until("/24", 2)
    kill_referee(stopped)  # its games are played again, by a new one
    killed.kill()
    run.until("is gone")
    run.until("/24", 2)
    stopped.send(signal.SIGSTOP)
    run.until("is gone")
    with network(room.port) as cable:
        cut_off = room.host("--games", "2", address=cable.address)
        run.until("/24", 2)
        stopped.send(signal.SIGCONT)  # its results come too late
        stopped.until("joined")
        cable.cut()
        run.until("is gone")
        cut_off.until("the scheduler is gone")
        cable.mend()
        cut_off.until("joined")
        assert run.ended() == 0, run.said
        check(folder, at_home)
        for host in (stopped, cut_off):
            host.send(signal.SIGTERM)
            assert host.ended() == 128 + signal.SIGTERM, host.said


@pytest.mark.costly(seconds=10)
def test_a_tournament_survives_scheduler_and_command_and_ends_at_home(
    room: Room, at_home: list[tuple[object, ...]]
) -> None:
    folder = described(room.folder / "lost")
    host = room.host("--games", "2")
    command = (str(folder / "far.toml"), "--db", str(folder / "arena.db"))
    run = room.run(*command)
    run.until("/24", 2)
    room.schedulers[-1].kill()
    assert run.ended() == 1
    assert run.said[-1].endswith("is gone; the games in progress have no result, and the same command continues")
    assert not any("cancelled" in line for line in run.said)  # Dask's word for the tasks that went with it
    host.until("the scheduler is gone")
    room.scheduler()
    host.until("joined")
    run = room.run(*command)
    run.until("/24", 2)
    run.kill()
    run = room.run(*command)
    run.until("/24", 2)
    run.send(signal.SIGINT)
    assert run.ended() == 128 + signal.SIGINT
    assert any("finishing the games in progress" in line for line in run.said)
    host.send(signal.SIGTERM)
    assert host.ended() == 128 + signal.SIGTERM, host.said
    with closing(sqlite3.connect(folder / "arena.db")) as database:
        assert {*database.execute("SELECT status FROM game")} == {("finished",), ("scheduled",)}
    assert arena("run", "far.toml", cwd=folder).code == 0
    check(folder, at_home)


@pytest.mark.costly
def test_a_cluster_on_this_machine_is_gone_at_the_end(room: Room, at_home: list[tuple[object, ...]]) -> None:
    folder = described(room.folder / "local")
    command = (str(folder / "far.toml"), "--db", str(folder / "arena.db"))
    run = room.run(*command, on="dask")
    run.until("/24", 2)
    run.kill()
    run = room.run(*command, on="dask")
    assert run.ended() == 0, run.said
    check(folder, at_home)


@pytest.mark.costly
@pytest.mark.skipif(not SOAK, reason="plays 400 games while hosts are killed: SOAK=1")
def test_four_hundred_games_survive_four_kills_and_a_new_scheduler(room: Room) -> None:
    folder = described(room.folder / "soak")
    text = _DESCRIPTION.replace('player = "mcts:simulations=20"', 'player = "second.py"')
    text = text.replace("rounds = 2", "rounds = 34").replace('clock = "60"', 'clock = "20+0.1"')
    (folder / "far.toml").write_text(text, "utf-8")
    (folder / "second.py").write_text(_SLEEPER.replace("[0]", "[-1]").replace("0.3", "0.1"), "utf-8")
    (folder / "sleeper.py").write_text(_SLEEPER.replace("0.3", "0.1"), "utf-8")
    random = Random(7)
    playing = [room.host("--games", "2") for _ in range(3)]
    command = (str(folder / "far.toml"), "--db", str(folder / "arena.db"))
    run = room.run(*command)
    for kill in range(4):
        for _ in range(random.randint(20, 80)):
            run.until("/408")
        playing.remove(killed := random.choice(playing))
        killed.kill()
        run.until("is gone")
        playing.append(room.host("--games", "2"))
        if kill == 1:
            room.schedulers[-1].kill()
            assert run.ended() == 1
            room.scheduler()
            for host in playing:
                host.until("joined")
            run = room.run(*command)
    assert run.ended() == 0, run.said
    check(folder, results(folder, 408))
    assert len(hosts(folder)) == 408
    for host in playing:
        host.send(signal.SIGTERM)
        assert host.ended() == 128 + signal.SIGTERM, host.said
