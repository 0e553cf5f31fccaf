"""Writes the folder of a course to try, which `arena demo --course` plays: roster, description, and three downloads.

The folder is the same on every machine, except for programs in C and JavaScript: where they cannot be built or run,
their authors hand in a program in Python. The folder is complete, or it does not exist.
"""

from __future__ import annotations

import csv
import os
import shutil
import tempfile
from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Final

from adsearch.errors import quote
from arena.course import course
from arena.course import roster as rosters
from arena.course.example import downloads
from arena.course.example.downloads import HandedIn
from arena.course.roster import Roster
from arena.errors import ArenaError

DATA: Final = Path(__file__).parent
ROSTER: Final = "roster.csv"
DESCRIPTION: Final = "cs101.toml"
README: Final = "README.txt"
MOODLE, CANVAS, BLACKBOARD = "moodle.zip", "canvas.zip", "blackboard"
"""The names of the downloads."""


def write(folder: Path) -> None:
    """Writes the course into `folder`, which must not exist; ArenaError says why that is impossible."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".course-demo-", dir=folder.parent) as scratch:
            new = Path(scratch) / "course"
            new.mkdir()
            _write_into(new)
            os.rename(new, folder)
    except OSError as error:
        raise ArenaError(f"cannot write {quote(str(folder))}: {error.strerror}") from None


def is_there(folder: Path) -> bool:
    """Whether `write` made this folder, whatever was changed in it since."""
    try:
        return (folder / README).read_bytes() == (DATA / README).read_bytes()
    except OSError:
        return False


def hand_ins(roster: Roster) -> dict[str, list[HandedIn]]:
    """All submissions, by learning system."""
    lines = csv.DictReader((DATA / "hand_ins.csv").read_text("utf-8").splitlines())
    return {
        system: [_hand_in(line, roster) for line in theirs]
        for system, theirs in groupby(lines, key=lambda line: line["system"])
    }


def _write_into(folder: Path) -> None:
    for name in (ROSTER, DESCRIPTION, README):
        shutil.copyfile(DATA / name, folder / name)
    deadline = course.read(folder / DESCRIPTION).deadline
    assert deadline is not None  # our own file
    by_system = hand_ins(rosters.read((DATA / ROSTER).read_text("utf-8"), ROSTER))
    downloads.moodle_zip(folder / MOODLE, by_system["moodle"])
    downloads.canvas_zip(folder / CANVAS, by_system["canvas"], deadline=deadline)
    downloads.blackboard_folder(folder / BLACKBOARD, by_system["blackboard"])


def _hand_in(line: dict[str, str], roster: Roster) -> HandedIn:
    (student,) = roster.called(line["id"])
    when = datetime.fromisoformat(f"{line['when']}+02:00")
    files = dict(_files(line["work"], line["file"]))
    if line["file"].endswith(".zip"):
        files = {line["file"]: downloads.zipped([(name, content, when) for name, content in files.items()])}
    return HandedIn(student, when, files)


def _files(work: str, name: str) -> Iterator[tuple[str, bytes]]:
    """The files of a work in the folder `work`; a work of one file has the name that its author gave to it."""
    place = DATA / "work" / work
    if place.is_dir():
        for path in sorted(place.iterdir()):
            yield f"{path.stem}.py", path.read_bytes()
    else:
        yield name.replace(".zip", ".py"), place.with_name(f"{work}.txt").read_bytes()
