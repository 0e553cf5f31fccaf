"""Whether all agents that play at once have room, each as much as it may use.

Memory that has to come back from the disk is as bad as none: a player waits for it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from arena.play import cores
from arena.play.machine.finding import PROC, SYS, UNFAIR, Finding, control_groups, found, read_file, size, unknown
from arena.walls.kinds import MEBIBYTE, Allowance

_SWAP_MOST: Final = 64 * MEBIBYTE


def findings(*, proc: Path = PROC, sysfs: Path = SYS) -> list[Finding]:
    """Whether all agents that play at once have room."""
    known = {
        name: int(kibibytes) * 1024 for name, kibibytes in re.findall(r"(\w+): +(\d+) kB", read_file(proc / "meminfo"))
    }
    free = known.get("MemAvailable")
    for folder in control_groups(proc, sysfs):
        most, now = read_file(folder / "memory.max"), read_file(folder / "memory.current")
        if free is not None and most.isdecimal() and now.isdecimal():
            # What only mirrors files is given up when it is needed.
            files = re.search(r"^inactive_file (\d+)$", read_file(folder / "memory.stat"), re.MULTILINE)
            free = min(free, max(0, int(most) - int(now) + int(files[1] if files else 0)))
    used = known["SwapTotal"] - known["SwapFree"] if {"SwapTotal", "SwapFree"} <= known.keys() else None
    return [memory_free(free, max(1, len(cores.physical()) - 1)), swap(used)]


def memory_free(free: int | None, games: int) -> Finding:
    """Whether two agents for each of so many games fit into what is free."""
    each = Allowance().memory
    if free is None or each is None:
        return unknown("memory", "free")
    value = f"{size(free)}, an agent may use {size(each)}"
    if free >= 2 * games * each:
        return found("memory", "free", value)
    at_once = "a game has" if games == 1 else f"{games} games at once have"
    advice = f'{at_once} {2 * games} agents: allow each less (memory = "{max(1, free // (2 * games) // MEBIBYTE)}M")'
    return found("memory", "free", value, advice)


def swap(used: int | None) -> Finding:
    """Whether memory was moved to the disk."""
    if used is None:
        return unknown("memory", "swap")
    advice = f"what comes back from the disk keeps players waiting, {UNFAIR}: end what else runs"
    value = f"{size(used)} in use" if used else "not in use"
    return found("memory", "swap", value, advice if used > _SWAP_MOST else "")
