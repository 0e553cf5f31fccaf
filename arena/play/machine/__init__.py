"""The findings of `arena doctor`: what this machine offers to a tournament, and what makes clocks unfair here.

Facts come from /proc and /sys (a caller can pass other folders), from timed sleeps and writes, and from a test of each
kind of walls. One small function judges each fact. Nothing on the machine is changed.

    sandboxes.py    which walls hold, which promises of docs/operation.md
    software.py     operating system, versions, open files, optional parts
    hardware.py     cores, quota, load, late wake-ups; memory; disk
    finding.py      what all of these return
"""

from __future__ import annotations

from pathlib import Path

from arena.play.machine.finding import Finding, Health

__all__ = ["Finding", "Health", "findings"]


def findings(folder: Path | None) -> list[Finding]:
    """All findings about this machine. `folder`: that of the database; None if the database is not a local file."""
    from arena.play.machine import hardware, sandboxes, software

    return [
        *sandboxes.findings(),
        *hardware.of_processors(),
        *hardware.of_memory(),
        *hardware.of_disk(folder),
        *software.of_system(),
        *software.of_extras(),
    ]
