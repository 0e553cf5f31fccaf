"""Wrong agents that students write, from the files in tests/bad_agents/by_students: one mistake in each.

A file begins with comments: what its author did wrong; `# expected:` the worst result of `arena check` and its step;
perhaps `# game:` and `# file:` (default: connect4, my_agent.py); and `# says:` a part of the step's message, with the
line of the mistake where there is one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.kit.places import ROOT

FOLDER: Final = ROOT / "tests" / "bad_agents" / "by_students"


@dataclass(frozen=True, slots=True)
class WrongAgent:
    """One wrong agent, and what `arena check` must say about it."""

    name: str
    text: str
    light: str
    step: str
    says: str
    game: str = "connect4"
    file: str = "my_agent.py"

    def write(self, folder: Path) -> str:
        """Writes the agent's file into a new folder of its own; returns the file."""
        path = folder / self.name / self.file
        path.parent.mkdir()
        path.write_text(self.text, encoding="utf-8")
        return str(path)


def wrong_agents() -> list[WrongAgent]:
    """All of them."""
    return [_read(path) for path in sorted(FOLDER.glob("*.txt"))]


def _read(path: Path) -> WrongAgent:
    text = path.read_text("utf-8")
    given = dict(re.findall(r"^# (expected|says|game|file): (.+)$", text, re.MULTILINE))
    light, step = given.pop("expected").split(", ", 1)
    return WrongAgent(path.stem, text, light, step, **given)
