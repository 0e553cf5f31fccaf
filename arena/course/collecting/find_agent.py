"""Finds the agent in a hand-in: its file, or the folder with `agent.py`, inside any number of folders and zips.

If there are several Python files, none is chosen: the folder is returned, and the check says what is missing in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

from arena import languages
from arena.course.collecting.unzip import SUBMISSION, is_junk, is_zip, unpack
from arena.players.player import MAIN_FILE

_DEEPEST: Final = 8
"""Levels of folders and zips that are searched."""


def find_agent(path: Path, new_folder: Callable[[], Path], endings: Collection[str] = ()) -> Path:
    """The agent's file or folder in the file or folder `path`; BadSubmission if a zip cannot be unpacked.

    `endings`: the extensions of other languages in which agents can be."""
    in_languages = {".ipynb", *languages.ours(), *endings}
    for _ in range(_DEEPEST):
        if is_zip(path):
            folder = new_folder() / path.stem
            unpack(path, folder, SUBMISSION)
            path = folder
        if not path.is_dir() or (path / MAIN_FILE).is_file():
            return path
        inside = [each for each in sorted(path.iterdir()) if not is_junk(each.name) and not each.is_symlink()]
        programs = [each for each in inside if each.suffix == ".py" and each.is_file()]
        others = [each for each in inside if each.suffix in in_languages and each.is_file()]
        wrapped = [each for each in inside if each.is_dir() or is_zip(each)]
        if len(programs) == 1:
            return programs[0]
        if programs or len(wrapped) != 1:
            return path
        if others and wrapped[0].is_dir() and not any(wrapped[0].rglob("*.py")):
            return path
        path = wrapped[0]
    return path
