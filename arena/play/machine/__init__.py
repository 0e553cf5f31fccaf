"""The findings of `arena doctor`: what this machine offers to a tournament, and what makes clocks unfair here.

Facts come from /proc and /sys (a caller may pass other folders), from timing sleeps and writes, and from trying each
kind of walls; a small function judges each fact. Nothing is left changed.

    sandboxes.py    which walls hold                        disk.py     whether results are safe, and room for more
    promises.py     what of docs/security.md is held        system.py   operating system, versions, open files
    processors.py   cores, quota, load, late wake-ups       finding.py  what all of these return
    memory.py       room for agents that play at once
"""

from __future__ import annotations

from pathlib import Path

from arena.play.machine.finding import Finding, Health

__all__ = ["Finding", "Health", "findings"]


def findings(folder: Path | None) -> list[Finding]:
    """All findings about this machine. `folder`: where the database is; None if it is not a file here."""
    from arena.play.machine import disk, memory, processors, sandboxes, system

    return [
        *sandboxes.findings(),
        *processors.findings(),
        *memory.findings(),
        *disk.findings(folder),
        *system.findings(),
    ]
