"""What was found out about the machine, one thing each, and how it is read and told.

Every other room of this package makes findings. What a system does not tell is unknown, never an error.
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
COUNTED: Final = "and its clock counts that as thinking"
"""Why what keeps a player waiting is unfair."""


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
    """What nobody can say here."""
    return Finding(area, name, value, Health.UNKNOWN)


def size(count: int) -> str:
    """Bytes for people."""
    return f"{count / GIBIBYTE:.1f} GiB" if count >= GIBIBYTE else f"{count / MEBIBYTE:.0f} MiB"


def read(file: Path) -> str:
    """What stands in a file, without blanks around it; nothing where it is not there."""
    try:
        return file.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def groups(proc: Path, sysfs: Path) -> Iterator[Path]:
    """The control groups (version 2) that this process is in."""
    top = sysfs / "fs/cgroup"
    for line in read(proc / "self/cgroup").splitlines():
        if line.startswith("0::/"):
            inside = Path(os.path.normpath(line.removeprefix("0::")))
            for group in (inside, *inside.parents):
                yield top / group.relative_to("/")
