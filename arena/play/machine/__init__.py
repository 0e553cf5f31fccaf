"""The findings of `arena doctor`: what this machine offers to a tournament, and what makes clocks unfair here.

Facts come from /proc and /sys (a caller can pass other folders), from timed sleeps and writes, and from a test of each
kind of walls. One small function judges each fact. Nothing on the machine is changed.

    sandboxes.py    which walls hold                        disk.py     speed and type of the disk, free space
    promises.py     which promises of docs/operation.md hold system.py   operating system, versions, open files
    processors.py   cores, quota, load, late wake-ups       finding.py  what all of these return
    memory.py       memory for agents that play at once    extras.py   optional parts that are installed
"""

from __future__ import annotations

from pathlib import Path

from arena.play.machine.finding import Finding, Health

__all__ = ["Finding", "Health", "findings"]


def findings(folder: Path | None) -> list[Finding]:
    """All findings about this machine. `folder`: that of the database; None if the database is not a local file."""
    from arena.play.machine import disk, extras, memory, processors, sandboxes, system

    return [
        *sandboxes.findings(),
        *processors.findings(),
        *memory.findings(),
        *disk.findings(folder),
        *system.findings(),
        *extras.findings(),
    ]
