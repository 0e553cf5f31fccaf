"""How many bytes an agent has written: into its folder, or into the file systems of its container."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from math import inf
from pathlib import Path
from typing import Final

_PER_FILE: Final = 4096
"""Bytes that each file counts in addition to its content."""
_MOST_FOLDERS: Final = 1000
"""Folders in an agent's working directory that are searched for files; more count as too much."""


def used(place: str) -> int:
    """Bytes used in the file system at that place, with `_PER_FILE` for each file."""
    try:
        there = os.statvfs(place)
    except OSError:
        return 0
    return (there.f_blocks - there.f_bfree) * there.f_frsize + (there.f_files - there.f_ffree) * _PER_FILE


def size(folder: Path) -> float:
    """Bytes on the disk in a folder; infinite if it has more than `_MOST_FOLDERS` folders or cannot be read."""
    total = 0
    waiting = [folder]
    for _ in range(_MOST_FOLDERS):
        if not waiting:
            return total
        try:
            with _opened(waiting.pop()) as entries:
                for entry in entries:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512 + _PER_FILE
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
        except FileNotFoundError:
            continue  # deleted meanwhile
        except OSError:
            return inf
    return inf


def _opened(folder: Path) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
    """The entries of a folder. An agent may have removed its permissions; we own it and restore them."""
    try:
        return os.scandir(folder)
    except PermissionError:
        folder.chmod(0o700)
        return os.scandir(folder)
