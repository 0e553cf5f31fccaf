"""What is private on the disk: a new record, its accounts and backups, sources, uploads and lists are their owner's.

In a folder with the setgid bit its group can read and write them too, so that several people keep a record together.
The mode of what exists already is never changed; `why_open` says who can read it.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from stat import S_ISDIR, S_ISGID
from typing import Final

_SHARED: Final = 0o070
_NOT_THE_OWNER: Final = 0o077


def new_file(path: Path) -> int:
    """The descriptor of a new file, open for writing; FileExistsError if there is one."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    if _is_shared(path.parent):
        os.fchmod(file, 0o660)
    return file


def make_folder(path: Path) -> bool:
    """Make the folder, and those above it, if it is not there; whether it was made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.mkdir(0o700)
    except FileExistsError:
        if not path.is_dir():
            raise
        return False
    if _is_shared(path.parent):
        path.chmod(0o2770)
    return True


def is_open(path: Path) -> bool:
    """Whether the mode lets users read or write the file or folder who must not."""
    return bool(path.stat().st_mode & _NOT_THE_OWNER & ~(_SHARED if _is_shared(path.parent) else 0))


def why_open(path: Path) -> str:
    """That other users can read the file or folder, with the command that ends it; empty if nobody can."""
    try:
        if not is_open(path) or not all(folder.stat().st_mode & 0o011 for folder in path.absolute().parents):
            return ""
        shared, is_folder = _is_shared(path.parent), S_ISDIR(path.stat().st_mode)
    except OSError:
        return ""  # it is not there, or this user cannot find out
    mode = ("2770" if shared else "700") if is_folder else ("660" if shared else "600")
    return f"other users of this machine can read {path}: chmod {mode} {shlex.quote(str(path))}"


def _is_shared(folder: Path) -> bool:
    return bool(folder.stat().st_mode & S_ISGID)
