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

from arena.match.allowance import GIBIBYTE, MEBIBYTE

PROC: Final = Path("/proc")
SYS: Final = Path("/sys")
UNFAIR: Final = "and its clock may keep running"
"""Part of some advice: why it is unfair to make a player wait."""


class Health(StrEnum):
    """What a finding means for a tournament."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact about this machine, and its verdict."""

    area: str
    name: str
    value: str
    verdict: Health
    advice: str = ""
    """What the user can do; empty if nothing is wrong."""


def found(area: str, name: str, value: str, advice: str = "") -> Finding:
    """A finding: `WARNING` if there is advice, else `OK`."""
    return Finding(area, name, value, Health.WARNING if advice else Health.OK, advice)


def unknown(area: str, name: str, value: str = "not available on this system") -> Finding:
    """A finding about a fact that this system does not provide."""
    return Finding(area, name, value, Health.UNKNOWN)


def size(count: int) -> str:
    """`count` bytes in GiB or MiB, for people."""
    return f"{count / GIBIBYTE:.1f} GiB" if count >= GIBIBYTE else f"{count / MEBIBYTE:.0f} MiB"


def read_file(file: Path) -> str:
    """The text of a file, stripped; empty if the file cannot be read."""
    try:
        return file.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def control_groups(proc: Path, sysfs: Path) -> Iterator[Path]:
    """The folders of the control groups (cgroup v2) of this process, the innermost first."""
    top = sysfs / "fs/cgroup"
    for line in read_file(proc / "self/cgroup").splitlines():
        if line.startswith("0::/"):
            inside = Path(os.path.normpath(line.removeprefix("0::")))
            for group in (inside, *inside.parents):
                yield top / group.relative_to("/")
