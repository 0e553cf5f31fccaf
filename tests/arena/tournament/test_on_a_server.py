"""A tournament in a PostgreSQL database: it survives its server, and two machines do not run it at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from db.database import Database
from tests.kit.arena_program import arena
from tests.kit.postgres_server import Server

AGENTS = ("random", "greedy", "alphabeta:depth=1")
GAMES = 120


@pytest.fixture
def url(postgres: Server) -> str:
    return postgres.new_database()


def started(url: str, folder: Path) -> subprocess.Popen[str]:
    """A machine that runs the tournament: a folder of its own, and so a store of its own."""
    folder.mkdir(exist_ok=True)
    agents = "".join(f'[[agent]]\nname = "{player[:6]}"\nplayer = "{player}"\n' for player in AGENTS)
    (folder / "cup.toml").write_text(
        f'name = "cup"\ngame = "tictactoe"\nrounds = {GAMES // 6}\nclock = "none"\n{agents}', "utf-8"
    )
    return subprocess.Popen(
        [sys.executable, "-m", "arena", "run", "cup.toml", "--db", url],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"NO_COLOR": "1"},
    )


def said(running: subprocess.Popen[str]) -> str:
    """What it has printed until its end."""
    return running.communicate()[0]


def wait_for_games(running: subprocess.Popen[str], number: int) -> str:
    """Its lines until that number of games is recorded."""
    assert running.stdout is not None
    lines = []
    for line in running.stdout:
        lines.append(line)
        if line.strip().startswith(f"{number}/{GAMES}"):
            return "".join(lines)
    running.wait()
    pytest.fail(f"it ended before game {number}: {lines}")


def check_games(url: str, folder: Path) -> None:
    """Each game was played exactly once, and nothing is wrong with the record."""
    with Database(url) as database, database.reading() as connection:
        games = connection.execute(text("SELECT status, attempt FROM game")).all()
    assert [tuple(game) for game in games] == [("finished", 1)] * GAMES
    verified = arena("data", "verify", "--db", url, cwd=folder)
    assert verified.code == 0, verified.out


@pytest.mark.costly
def test_a_tournament_pauses_while_its_server_does_not_answer(url: str, postgres: Server, tmp_path: Path) -> None:
    running = started(url, tmp_path / "home")
    printed = ""
    for number in (10, 50):
        printed += wait_for_games(running, number)
        postgres.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'arena'")
    printed += said(running)
    assert running.returncode == 0, printed
    assert "does not answer" in printed
    check_games(url, tmp_path / "home")


@pytest.mark.costly
def test_two_machines_do_not_run_it_at_once_and_one_continues_what_the_other_began(url: str, tmp_path: Path) -> None:
    first = started(url, tmp_path / "one")
    wait_for_games(first, 10)
    first.send_signal(signal.SIGSTOP)
    second = started(url, tmp_path / "two")
    assert "another process is running tournament 'cup'" in said(second)
    assert second.returncode == 1
    first.send_signal(signal.SIGKILL)
    first.communicate()
    third = started(url, tmp_path / "two")
    printed = said(third)
    assert third.returncode == 0, printed
    check_games(url, tmp_path / "two")
