"""The folder of a course with the description of a tournament: students' agents, openings, a user-supplied game.

Nothing in it must be run, and most of it would fail.
"""

from __future__ import annotations

from pathlib import Path

from arena.tournament import league
from arena.tournament.league import League
from tests.kit.places import COUNTDOWN

TWO = '[[agent]]\nname = "a"\nplayer = "random"\n[[agent]]\nname = "b"\nplayer = "pvs"\n'
"""Two agents that play most games for two players."""


def course(folder: Path) -> Path:
    """A course's folder: students' files and folders, and things that are not agents."""
    students = folder / "students"
    for agent in ("alice", "bob"):
        (students / agent).mkdir(parents=True)
        (students / agent / "agent.py").write_text("raise SystemExit('nobody may run this')")
    (students / "carol.py").write_text("raise SystemExit('nobody may run this')")
    (students / "__init__.py").write_text("")
    (students / "README.md").write_text("")
    (students / ".hidden.py").write_text("")
    (students / "__pycache__").mkdir()
    (folder / "openings.txt").write_text("# for connect4\n4 4\n\n1 7 # far apart\n")
    (folder / "game.py").write_text(COUNTDOWN.read_text())
    (folder / "engine").write_text("#!/bin/sh\n")
    return folder


def read(folder: Path, text: str) -> League:
    """The tournament described by this text."""
    path = folder / "cs101.toml"
    path.write_text(text, "utf-8")
    return league.read(path)
