"""One finding: one fact about the machine, and what it means for a tournament.

Every other module of this package returns findings. A fact that the system does not give is "unknown", never an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from arena.walls.kinds import GIBIBYTE, MEBIBYTE

PROC: Final = Path("/proc")
SYS: Final = Path("/sys")
UNFAIR: Final = "and a clock may count that as thinking"
"""Why it is unfair to slow a player down; ends some advice."""


class Health(StrEnum):
    """What a finding means for a tournament."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about this machine."""

    area: str
    name: str
    value: str
    verdict: Health
    advice: str = ""
    """What to do about it."""


def found(area: str, name: str, value: str, advice: str = "") -> Finding:
    """A warning where there is advice; otherwise all is well."""
    return Finding(area, name, value, Health.WARNING if advice else Health.OK, advice)


def unknown(area: str, name: str, value: str = "this system does not tell") -> Finding:
    """A fact that cannot be found out here."""
    return Finding(area, name, value, Health.UNKNOWN)


def size(count: int) -> str:
    """Bytes for people."""
    return f"{count / GIBIBYTE:.1f} GiB" if count >= GIBIBYTE else f"{count / MEBIBYTE:.0f} MiB"


def read_file(file: Path) -> str:
    """The text of a file, without blanks around it; empty if the file cannot be read."""
    try:
        return file.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def control_groups(proc: Path, sysfs: Path) -> Iterator[Path]:
    """The control groups (version 2) that this process is in."""
    top = sysfs / "fs/cgroup"
    for line in read_file(proc / "self/cgroup").splitlines():
        if line.startswith("0::/"):
            inside = Path(os.path.normpath(line.removeprefix("0::")))
            for group in (inside, *inside.parents):
                yield top / group.relative_to("/")
