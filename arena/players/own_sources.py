"""Which sources this user's own commands have frozen: a list that no database, bundle or imported file can write to.

It lies in the user's state folder (`$XDG_STATE_HOME/arena`, by default `~/.local/state/arena`), one empty file for each
hash. A record can say anything of itself; so it runs code without asking only where the code's hash is on this list.
Where the list cannot be kept nothing fails: then nothing is on it.
"""

from __future__ import annotations

import os
import stat
from enum import StrEnum
from pathlib import Path


class OwnSource(StrEnum):
    """What a source was used as. An agent that ran behind walls is no reason to run it as rules, without any."""

    RULES = "rules"
    AGENT = "agents"


def note(use: OwnSource, source: str) -> None:
    """Puts the hash on the list, if there can be one."""
    folder = _folder(use)
    if folder is None:
        return
    try:
        folder.parent.parent.mkdir(parents=True, exist_ok=True)
        for each in (folder.parent, folder):
            each.mkdir(mode=0o700, exist_ok=True)
        if _is_ours_alone(folder.parent) and _is_ours_alone(folder):
            os.close(os.open(folder / source, os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600))
    except OSError:
        pass  # the user is asked to trust the file then


def is_noted(use: OwnSource, source: str) -> bool:
    """Whether the hash is on the list."""
    folder = _folder(use)
    if folder is None:
        return False
    try:
        ours = _is_ours_alone(folder.parent) and _is_ours_alone(folder)
        return ours and stat.S_ISREG((folder / source).lstat().st_mode)
    except OSError:
        return False


def why_not_kept() -> str:
    """Why there can be no list; empty where there can be one."""
    folder = _folder(OwnSource.RULES)
    if folder is None:
        return "you have no home folder"
    try:
        for each in (folder.parent, folder):
            if os.path.lexists(each) and not _is_ours_alone(each):
                return f"{each} is not a folder that only you can write to"
        there = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
        return "" if there.is_dir() and os.access(there, os.W_OK) else f"{there} is not a folder that you can write to"
    except OSError as error:
        return f"{folder}: {error.strerror}"


def _folder(use: OwnSource) -> Path | None:
    """Where the hashes are noted; None where this user has no home."""
    state = os.environ.get("XDG_STATE_HOME", "")
    try:
        base = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
    except RuntimeError:
        return None
    return base / "arena" / use


def _is_ours_alone(folder: Path) -> bool:
    """Whether nobody else can put anything into the folder."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022
