"""What this machine offers to a tournament, and what makes its clocks unfair: the findings of `arena doctor`.

Facts come from /proc and /sys (which a caller may replace), from a clock, from the disk, and from walls that are tried;
a small function judges each. It runs in the process that asks, and changes nothing for good.

    walls.py    which walls hold            memory.py   room for agents that play at once
    clocks.py   what delays a player        disk.py     room for results, and whether they are safe
    system.py   what arena runs on          finding.py  what all of these return
"""

from __future__ import annotations

from pathlib import Path

from arena.play.machine.finding import Finding, Health

__all__ = ["Finding", "Health", "findings"]


def findings(folder: Path | None) -> list[Finding]:
    """All that can be said of this machine; `folder` is the database's, None where it has none here."""
    from arena.play.machine import clocks, disk, memory, system, walls

    return [*walls.findings(), *clocks.findings(), *memory.findings(), *disk.findings(folder), *system.findings()]
