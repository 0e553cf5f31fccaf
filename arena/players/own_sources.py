"""The list of sources that this user's own commands have stored. No database, bundle or imported file can write to it.

The list is in the user's state folder (`$XDG_STATE_HOME/arena`, default `~/.local/state/arena`): one empty file for
each hash. A database can claim anything, so code from it runs without asking only if the code's hash is on this list.
If the list cannot be written, that is no error: then it is empty.
"""

from __future__ import annotations

import os
import stat
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from adsearch import openspiel
from adsearch.games import catalog


class OwnSource(StrEnum):
    """What a source was used as. Agents run behind walls, rules without, so neither is trusted as the other."""

    RULES = "rules"
    AGENT = "agents"


def of_package(rules: str) -> str | None:
    """What the list has for rules of a package, or of OpenSpiel, that need trust; None for all other rules.

    They are code of this machine, but with unusual parameters they can crash or fill it, and nobody may choose by a
    record which package is loaded."""
    if not catalog.is_of_package(rules) or (catalog.is_of_openspiel(rules) and openspiel.is_listed(rules)):
        return None
    return sha256(rules.encode(errors="replace")).hexdigest()


def note(use: OwnSource, source: str) -> None:
    """Adds the hash to the list, if possible."""
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
        pass  # then the user is asked whether to trust the file


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
    """Why the list cannot be written; empty if it can."""
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


def state_folder() -> Path | None:
    """The folder for what commands remember about this user; None if this user has no home folder."""
    state = os.environ.get("XDG_STATE_HOME", "")
    try:
        base = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
    except RuntimeError:
        return None
    return base / "arena"


def _folder(use: OwnSource) -> Path | None:
    """The folder of the hashes; None if this user has no home folder."""
    folder = state_folder()
    return None if folder is None else folder / use


def _is_ours_alone(folder: Path) -> bool:
    """Whether the folder is ours and only we can write to it (no group or other write permission)."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022
