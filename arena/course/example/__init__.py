"""A course to try: a roster, forty submissions of every kind, and the description of their tournament.

All of it is in files here: `roster.csv` is the roster, `hand_ins.csv` has one line for each submission, `work` has the
sources of the agents, and `cs101.toml` is the description. The agents' sources end with `.txt`, because some are
broken and none is part of the product.
"""

from __future__ import annotations

import csv
import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Final

from adsearch.errors import quote
from adsearch.games.connect4 import Connect4
from arena.course import course
from arena.course import roster as rosters
from arena.course.roster import Roster, Student, folded
from arena.errors import ArenaError
from arena.players import build_commands
from arena.student import starter
from arena.walls import probe

# Writes the folder of a course to try, which `arena demo --course` plays: roster, description, and three downloads.


DATA: Final = Path(__file__).parent
ROSTER: Final = "roster.csv"
DESCRIPTION: Final = "cs101.toml"
README: Final = "README.txt"
MOODLE, CANVAS, BLACKBOARD = "moodle.zip", "canvas.zip", "blackboard"
"""The names of the downloads."""
LANGUAGES: Final = ("c", "js")
"""Languages other than Python in which students hand in, by the extension of their files."""


def write(folder: Path, languages: Collection[str] = ()) -> None:
    """Writes the course into `folder`, which must not exist; ArenaError says why that is impossible. `languages`: those
    of `LANGUAGES` in which students hand in."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".course-demo-", dir=folder.parent) as scratch:
            new = Path(scratch) / "course"
            new.mkdir()
            _write_into(new, languages)
            os.rename(new, folder)
    except OSError as error:
        raise ArenaError(f"cannot write {quote(str(folder))}: {error.strerror}") from None


def is_there(folder: Path) -> bool:
    """Whether `write` made this folder, whatever was changed in it since."""
    try:
        return (folder / README).read_bytes() == (DATA / README).read_bytes()
    except OSError:
        return False


def languages_here() -> list[str]:
    """Those of `LANGUAGES` that this machine can build and run."""
    return [name for name in LANGUAGES if _works_here(name)]


def hand_ins(roster: Roster, languages: Collection[str] = ()) -> dict[str, list[HandedIn]]:
    """All submissions, by learning system; `languages` as for `write`."""
    lines = csv.DictReader((DATA / "hand_ins.csv").read_text("utf-8").splitlines())
    return {
        system: [_hand_in(line, roster, languages) for line in theirs]
        for system, theirs in groupby(lines, key=lambda line: line["system"])
    }


def _works_here(name: str) -> bool:
    language = build_commands.default(name)
    if language is None:
        return False
    programs = (*language.build[:1], *language.run[:1])
    if not all(program.startswith("./") or shutil.which(program) for program in programs):
        return False
    try:
        probe.chosen(language.build_walls)
    except ArenaError:
        return False
    return True


def _write_into(folder: Path, languages: Collection[str]) -> None:
    for name in (ROSTER, DESCRIPTION, README):
        shutil.copyfile(DATA / name, folder / name)
    with (folder / DESCRIPTION).open("a", encoding="utf-8") as description:
        for name in languages:
            description.write(f"\n[languages.{name}]\n")
    deadline = course.read(folder / DESCRIPTION).deadline
    assert deadline is not None  # our own file
    by_system = hand_ins(rosters.read((DATA / ROSTER).read_text("utf-8"), ROSTER), languages)
    moodle_zip(folder / MOODLE, by_system["moodle"])
    canvas_zip(folder / CANVAS, by_system["canvas"], deadline=deadline)
    blackboard_folder(folder / BLACKBOARD, by_system["blackboard"])


def _hand_in(line: dict[str, str], roster: Roster, languages: Collection[str]) -> HandedIn:
    (student,) = roster.called(line["id"])
    when = datetime.fromisoformat(f"{line['when']}+02:00")
    files = dict(_files(line["work"], Path(line["file"]), languages))
    if line["file"].endswith(".zip"):
        files = {line["file"]: zipped([(name, content, when) for name, content in files.items()])}
    return HandedIn(student, when, files)


def _files(work: str, path: Path, languages: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """The files of a work in the folder `work`; a work of one file has the name that its author gave to it. A program
    in another language is that of `arena new`, if `languages` has it."""
    place = DATA / "work" / work
    if place.is_dir():
        for file in sorted(place.iterdir()):
            yield f"{file.stem}.py", file.read_bytes()
    elif path.suffix[1:] in languages:
        start = Connect4.start(rows=6, columns=7, line=4)
        text = starter.agent(path, "connect4", start, None, None).files[path.name]
        yield path.name, text.encode()
    else:
        name = path.with_suffix(".py").name if path.suffix[1:] in (*LANGUAGES, "zip") else path.name
        yield name, place.with_name(f"{work}.txt").read_bytes()


# Writes submissions as Moodle, Canvas and Blackboard let an instructor download them.


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
