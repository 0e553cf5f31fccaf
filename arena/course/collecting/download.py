"""A download of a whole course's submissions, gone through: what there is, whose it is, and when it was handed in.

It is a folder or a zip, in any of the shapes that learning-management systems give it; folders that are nobody's are
looked into. Nothing of it is run, and only `scratch` is written to.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Final

from adsearch.errors import quote
from arena.course.collecting import Clock, HandedIn, shapes
from arena.course.collecting.archives import DOWNLOAD, SUBMISSION, is_archive, is_junk, unpack
from arena.course.collecting.people import People
from arena.course.collecting.shapes import Told
from arena.course.roster import Student
from arena.errors import BadSubmission

_DEEPEST: Final = 5
_LONGEST_RECEIPT: Final = 64 * 1024
_OF_AN_AGENT: Final = (".py", ".zip")


def read(source: Path, scratch: Path, people: People) -> list[HandedIn]:
    """Everything in the folder or zip `source`, by the names; BadSubmission where that itself cannot be read."""
    return _Download(scratch, people).read(source)


@dataclass(slots=True)
class _Group:
    """Files that are one submission."""

    told: Told
    files: list[tuple[Path, str]] = field(default_factory=list)
    """Each with the student's own name of it; empty: a folder of theirs."""
    typed: list[Path] = field(default_factory=list)
    receipt: tuple[str, str] = ("", "")


class _Download:
    def __init__(self, scratch: Path, people: People) -> None:
        self._scratch = scratch
        self._people = people
        self._numbers = count(1)
        # What is wrong with what is not there.
        self._wrong: dict[Path, str] = {}
        # Folders that files are told from, and what is put before them.
        self._places: dict[Path, str] = {}
        self._clock = Clock.FILE

    def read(self, source: Path) -> list[HandedIn]:
        root = source
        if not source.exists():
            raise BadSubmission(f"expected a folder or a zip with submissions, there is no {quote(str(source))}")
        if source.is_file():
            if not is_archive(source):
                raise BadSubmission(f"expected a folder or a zip with submissions, got {quote(str(source))}")
            self._clock = Clock.ZIP
            root = self._unpacked_download(source)
        self._places[root] = ""
        found = self._inside(root, 1)
        if not found:
            raise BadSubmission(f"{quote(str(source))} is empty: expected submissions")
        return sorted(found, key=lambda one: one.label)

    def _unpacked_download(self, archive: Path) -> Path:
        folder = self._new_folder()

        def note(name: str, reason: str) -> None:
            place = folder / name.replace("..", "_").lstrip("/")
            self._wrong[place] = reason

        unpack(archive, folder, DOWNLOAD, note)
        return folder

    def _inside(self, folder: Path, level: int) -> list[HandedIn]:
        """What there is in a folder of several people's."""
        found: list[HandedIn] = []
        groups: dict[str, _Group] = {}
        plain: list[Path] = []
        for path in self._listed(folder):
            told = shapes.read(path.name)
            if told is None:
                plain.append(path)
            else:
                self._add(groups.setdefault(told.submission, _Group(told)), told, path)
        found += [one for group in groups.values() for one in self._grouped(group)]
        owned: dict[Student, list[HandedIn]] = {}
        for path in plain:
            one = self._plain(path)
            if one.student is not None:
                owned.setdefault(one.student, []).append(one)
            else:
                found += self._looked_into(one, level) or [one]
        for of_one in owned.values():
            agents = [one for one in of_one if one.path is None or one.path.is_dir() or _is_of_an_agent(one.path)]
            found += agents or of_one
        return found

    def _listed(self, folder: Path) -> list[Path]:
        """What a person has put there, in order, and what could not be unpacked."""
        try:
            there = {path for path in folder.iterdir() if not is_junk(path.name)}
        except OSError as error:
            raise BadSubmission(f"cannot read the folder {quote(str(folder))}: {error.strerror}") from None
        lost = {folder / place.relative_to(folder).parts[0] for place in self._wrong if place.is_relative_to(folder)}
        return sorted(there | lost)

    # Files named by a learning-management system.

    def _add(self, group: _Group, told: Told, path: Path) -> None:
        if told.receipt:
            group.receipt = _receipt(path)
        elif told.typed:
            group.typed.append(path)
        else:
            group.files.append((path, told.file))
            if told.late and not group.told.late:
                group.told = replace(group.told, late=True)

    def _grouped(self, group: _Group) -> Iterator[HandedIn]:
        """The submission that these files are; none where there is only a note about it."""
        told = group.told
        paths = [path for path, _ in group.files] or group.typed
        if not paths:
            return  # nothing but the system's own note
        label = self._label(paths[0])
        if len(paths) > 1:
            label = f"{label} and {len(paths) - 1} more"
        handed_in = HandedIn(label, None, marked_late=told.late)
        try:
            student = self._whose(told, group.receipt)
        except BadSubmission as error:
            yield replace(handed_in, wrong=str(error))
            return
        when, clock = self._when(paths)
        if told.when is not None:
            when, clock = told.when.astimezone(), Clock.NAME
        elif told.timeless:
            when, clock = None, Clock.NONE
        handed_in = replace(handed_in, student=student, when=when, clock=clock)
        if wrong := next((self._wrong[path] for path in self._wrong if _within(path, paths)), ""):
            yield replace(handed_in, wrong=wrong)
        elif not group.files:
            what = "as text in a field" if group.typed else "without any file"
            yield replace(handed_in, wrong=f"it was handed in {what}: expected a file")
        else:
            yield replace(handed_in, path=self._together(group.files))

    def _whose(self, told: Told, receipt: tuple[str, str]) -> Student:
        try:
            return self._people.called(told.who, told.number)
        except BadSubmission:
            if not receipt[0]:
                raise
            return self._people.called(receipt[0], receipt[1])

    def _together(self, files: Sequence[tuple[Path, str]]) -> Path:
        """The files under the names that their student gave them; where there are several, in a folder."""
        if len(files) == 1 and not files[0][1]:
            return files[0][0]
        folder = self._new_folder() / "submission"
        folder.mkdir(parents=True)
        for path, name in files:
            target = folder / (name or path.name)
            if path.is_dir():
                shutil.copytree(path, folder, dirs_exist_ok=True, symlinks=True)
            else:
                shutil.copy2(path, target)
        inside = [path for path in folder.iterdir() if not is_junk(path.name)]
        return inside[0] if len(inside) == 1 else folder

    # Plain files and folders, each called after somebody.

    def _plain(self, path: Path) -> HandedIn:
        handed_in = HandedIn(self._label(path), path)
        name = path.name if path.is_dir() else path.stem
        try:
            student = self._people.begins(name)
        except BadSubmission as error:
            return replace(handed_in, wrong=str(error))
        when, clock = self._when([path])
        wrong = next((self._wrong[lost] for lost in self._wrong if _within(lost, [path])), "")
        return replace(handed_in, student=student, when=when, clock=clock, wrong=wrong, path=None if wrong else path)

    def _looked_into(self, one: HandedIn, level: int) -> list[HandedIn]:
        """What is in a folder or zip that is nobody's; nothing where nobody's name is in it either."""
        if one.path is None or level >= _DEEPEST:
            return []
        folder = one.path
        if is_archive(one.path):
            folder = self._new_folder()
            try:
                unpack(one.path, folder, SUBMISSION)
            except BadSubmission as error:
                return [replace(one, wrong=f"{one.wrong}; {error}")]
            self._places[folder] = f"{one.label}/"
        if not folder.is_dir() or folder.is_symlink():
            return []
        found = self._inside(folder, level + 1)
        return found if any(each.student is not None for each in found) else []

    # All.

    def _when(self, paths: Sequence[Path]) -> tuple[datetime | None, Clock]:
        """When the last of the files was written."""
        times = [time for path in paths for time in _times(path)]
        if not times or max(times) <= 0:
            return None, Clock.NONE
        return datetime.fromtimestamp(max(times)).astimezone(), self._clock

    def _label(self, path: Path) -> str:
        """The path as somebody knows it who has the download."""
        for place, before in self._places.items():
            if path.is_relative_to(place):
                return f"{before}{path.relative_to(place)}"
        return path.name

    def _new_folder(self) -> Path:
        """A path for a folder of our own, which is not there yet."""
        return self._scratch / f"download-{next(self._numbers):06}"


def _is_of_an_agent(path: Path) -> bool:
    return path.suffix.lower() in _OF_AN_AGENT


def _within(path: Path, places: Sequence[Path]) -> bool:
    return any(path == place or path.is_relative_to(place) for place in places)


def _times(path: Path) -> Iterator[float]:
    if not path.is_dir():
        try:
            yield path.stat().st_mtime
        except OSError:
            return
    for folder, names, files in os.walk(path):
        names[:] = [name for name in names if not is_junk(name)]
        for name in files:
            if not is_junk(name):
                yield os.lstat(os.path.join(folder, name)).st_mtime


def _receipt(path: Path) -> tuple[str, str]:
    try:
        with path.open("rb") as file:
            return shapes.receipt(file.read(_LONGEST_RECEIPT).decode("utf-8", "replace"))
    except OSError:
        return "", ""
