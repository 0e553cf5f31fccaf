"""docs/course.md: the script of a night job, its line for cron; the plan for sixty."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from arena.cli import app
from arena.play import cores
from tests.kit import needs
from tests.kit.arena_program import arena, environment
from tests.kit.effort import PATIENCE
from tests.kit.places import ROOT
from tests.test_docs import is_shown

PAGE: Final = (ROOT / "docs" / "course.md").read_text("utf-8")
DESCRIPTION: Final = """
name = "cs101"
game = "tictactoe"
clock = "5"
players = "cs101.collected.toml"
[[agent]]
name = "random"
player = "random"
[course]
roster = "roster.csv"
"""
STUDENT: Final = """
from agents import Agent

class First(Agent):
    def choose(self, state, clock):
        return state.moves()[0]
"""


def block(beginning: str) -> str:
    """The block of the page that begins with these words."""
    (found,) = [text for text in re.findall(r"^```\w+\n(.*?)^```$", PAGE, re.M | re.S) if text.startswith(beginning)]
    return str(found)


SCRIPT: Final = block("#!/bin/sh")
CRON: Final = block("30 22").split(maxsplit=5)[5].strip()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of an instructor whose course has a script for the night and a submission."""
    folder = tmp_path / "cs101"
    (folder / "uploads" / "ann").mkdir(parents=True)
    (folder / "uploads" / "ann" / "agent.py").write_text(STUDENT, "utf-8")
    (folder / "cs101.toml").write_text(DESCRIPTION, "utf-8")
    (folder / "roster.csv").write_text("id,name,alias\n1,Ann Bell,ann\n", "utf-8")
    (folder / "night.sh").write_text(SCRIPT, "utf-8")
    return tmp_path


def night(home: Path, *, command: str = CRON) -> int:
    """The exit code of the command that cron gives."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["sh", "-c", command],
        cwd=home,
        env=environment(80) | {"HOME": str(home), "PATH": programs, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    ).returncode


@pytest.mark.costly
def test_each_night_collects_plays_and_publishes_and_writes_a_log(home: Path) -> None:
    needs.program("flock")
    folder = home / "cs101"
    assert night(home) == 0, (folder / "night.log").read_text("utf-8")
    log = (folder / "night.log").read_text("utf-8")
    assert re.search(r"^stops at \d{4}-\d\d-\d\d 06:00 \w+: no game starts after that$", log, re.MULTILINE)
    assert "cs101 is finished: 2 games." in log
    assert (folder / "site" / "index.html").exists()
    assert not set(log) & set("\x1b\r"), "control characters in a log file"
    assert log.endswith("\n")


@pytest.mark.costly
def test_a_step_that_fails_ends_the_night_and_a_second_night_does_not_begin(home: Path) -> None:
    needs.program("flock")
    folder = home / "cs101"
    assert night(home, command=f"exec 9> cs101/night.lock; flock 9; {CRON}") == 1
    assert (folder / "night.log").read_text("utf-8") == ""
    (folder / "cs101.toml").write_text(DESCRIPTION.replace("clock", "clok"), "utf-8")
    assert night(home) == 2
    assert "clok" in (folder / "night.log").read_text("utf-8")
    assert not (folder / "site").exists()


def test_the_plan_for_sixty_students_is_as_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a machine with eight cores, so in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(cores, "count", lambda: 8)
    assert arena("course", "init", "cs101", "--game", "connect4").code == 0
    lines = Path("cs101.toml").read_text("utf-8").splitlines()
    template = [line for line in lines if not line.startswith(("games_at_once", "players"))]
    students = [f'[[agent]]\nname = "student-{number}"\nplayer = "random"' for number in range(1, 61)]
    Path("cs101.toml").write_text("\n".join(["games_at_once = 7", *template, *students]), "utf-8")
    app(["run", "cs101.toml", "--plan"], standalone_mode=False)
    shown = block("cs101: connect4, round-robin, 6")
    assert is_shown(capsys.readouterr().out.rstrip("\n"), shown.rstrip("\n"))
