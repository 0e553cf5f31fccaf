"""Whether the free memory is enough for all agents that play at the same time, each with its full limit.

Swapped memory is as bad as missing memory: a player waits while it is read back from the disk.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from arena.match.allowance import MEBIBYTE, Allowance
from arena.play import cores
from arena.play.machine.finding import PROC, SYS, UNFAIR, Finding, control_groups, found, read_file, size, unknown

_SWAP_MOST: Final = 64 * MEBIBYTE
"""Bytes in swap above which there is a warning."""


def findings(*, proc: Path = PROC, sysfs: Path = SYS) -> list[Finding]:
    """Whether there is enough memory for all agents that play at the same time, and whether swap is in use."""
    known = {
        name: int(kibibytes) * 1024 for name, kibibytes in re.findall(r"(\w+): +(\d+) kB", read_file(proc / "meminfo"))
    }
    free = known.get("MemAvailable")
    for folder in control_groups(proc, sysfs):
        most, now = read_file(folder / "memory.max"), read_file(folder / "memory.current")
        if free is not None and most.isdecimal() and now.isdecimal():
            # The kernel gives inactive file cache back when memory is needed.
            cache = re.search(r"^inactive_file (\d+)$", read_file(folder / "memory.stat"), re.MULTILINE)
            free = min(free, max(0, int(most) - int(now) + int(cache[1] if cache else 0)))
    used = known["SwapTotal"] - known["SwapFree"] if {"SwapTotal", "SwapFree"} <= known.keys() else None
    return [memory_free(free, max(1, len(cores.physical()) - 1)), swap(used)]


def memory_free(free: int | None, games: int) -> Finding:
    """Whether two agents for each of `games` games fit into `free` bytes."""
    each = Allowance().memory
    if free is None or each is None:
        return unknown("memory", "free")
    value = f"{size(free)}; an agent can use up to {size(each)}"
    if free >= 2 * games * each:
        return found("memory", "free", value)
    playing = "a game has" if games == 1 else f"{games} games at the same time have"
    advice = f'{playing} {2 * games} agents: lower their limit (memory = "{max(1, free // (2 * games) // MEBIBYTE)}M")'
    return found("memory", "free", value, advice)


def swap(used: int | None) -> Finding:
    """Whether memory was swapped out to the disk."""
    if used is None:
        return unknown("memory", "swap")
    advice = f"a player waits while swapped memory is read back, {UNFAIR}: stop other programs"
    value = f"{size(used)} in use" if used else "not in use"
    return found("memory", "swap", value, advice if used > _SWAP_MOST else "")
