"""Writes submissions as Moodle, Canvas and Blackboard let an instructor download them.

Pure data in, files out. The same hand-ins give the same bytes on every machine; `arena course collect` reads them like
real downloads (`arena/course/collecting/lms_file_names.py` has the names that these systems give to files).
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from arena.course.roster import Student, folded

_MOODLE_NUMBER: Final = 700_000
"""The first participant number of Moodle; it is not an id of the roster."""
_CANVAS_NUMBER: Final = 7_890_000
"""The number of the first submission in Canvas."""


@dataclass(frozen=True, slots=True)
class HandedIn:
    """One submission of one student."""

    student: Student
    when: datetime
    """In the time zone of the course."""
    files: Mapping[str, bytes]
    """The contents, by the student's names for the files."""


def moodle_zip(path: Path, hand_ins: Sequence[HandedIn]) -> None:
    """The zip of Moodle: a folder for each student, and the times of the files are those of the submission."""
    files = [
        (f"{one.student.name}_{_MOODLE_NUMBER + int(one.student.id)}_assignsubmission_file_/{name}", content, one.when)
        for one in hand_ins
        for name, content in one.files.items()
    ]
    path.write_bytes(zipped(files))


def canvas_zip(path: Path, hand_ins: Sequence[HandedIn], *, deadline: datetime) -> None:
    """The zip of Canvas: the student, a late mark and numbers are in the names of the files; there are no times."""
    files = [
        (f"{_last_name_first(one.student)}{late}_{one.student.id}_{number}_{name}", content, deadline)
        for number, one in enumerate(hand_ins, _CANVAS_NUMBER)
        for late in ("_LATE" if one.when > deadline else "",)
        for name, content in one.files.items()
    ]
    path.write_bytes(zipped(files))


def blackboard_folder(path: Path, hand_ins: Sequence[HandedIn]) -> None:
    """The unpacked download of Blackboard: user and time are in the names of the files, and each submission has a
    receipt."""
    path.mkdir()
    for one in hand_ins:
        begin = f"Tournament_{one.student.id}_attempt_{one.when:%Y-%m-%d-%H-%M-%S}"
        receipt = f"Name: {one.student.name} ({one.student.id})\nAssignment: Tournament\nDate Submitted: {one.when}\n"
        (path / f"{begin}.txt").write_text(receipt, "utf-8")
        for name, content in one.files.items():
            (path / f"{begin}_{name}").write_bytes(content)


def zipped(files: Sequence[tuple[str, bytes, datetime]]) -> bytes:
    """A zip of these files: names, contents and times."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, content, when in files:
            archive.writestr(zipfile.ZipInfo(name, when.timetuple()[:6]), content)
    return written.getvalue()


def _last_name_first(student: Student) -> str:
    """The student's name as Canvas writes it."""
    first, _, last = folded(student.name).rpartition(" ")
    return "".join(filter(str.isalnum, last + first))
