"""Reads the download of a learning system, a zip or folder of submissions, and finds the student and time of each.

The last part reads the names that such systems give to files; the name of any other file or folder must start
with its student's. Folders and zips without a student are searched. No submission is run; only `scratch` is written to.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from itertools import count
from pathlib import Path
from typing import Final

from adsearch.errors import quote
from arena.course.collecting.hand_in import HandIn, TimeSource
from arena.course.collecting.unzip import DOWNLOAD, SUBMISSION, is_junk, is_zip, unpack
from arena.course.roster import ANONYMOUS, RosterMatcher, Student, folded
from arena.errors import BadSubmission

# Reads the names that Moodle, Canvas and Blackboard give to the files of a submission, without opening a file.


_MOODLE: Final = re.compile(
    r"(?P<who>.+?)(?:_(?P<number>\d+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL
)
# Blackboard's name for a task "Lab_101" and a user 4711 looks like a name from Canvas up to "attempt".
_CANVAS: Final = re.compile(
    r"(?P<who>\w+?)(?P<late>_LATE)?_(?P<number>\d{3,})"
    r"_(?:(?P<typed>(?:text|link)\.html)|\d{3,}_(?!attempt_\d{4}(?:-\d\d){5})(?P<file>.+))",
    re.DOTALL,
)
_CANVAS_ANONYMOUS: Final = re.compile(r"(?P<who>(?:LATE_)?anon_[0-9A-Za-z]{5})_(?:\d{3,}_)?(?P<file>.+)", re.DOTALL)
_PARTICIPANTS: Final = ("participant", "teilnehmerin", "teilnehmer", "teilnehmer in")
"""What Moodle writes in place of names, in English and in German."""
_BLACKBOARD: Final = re.compile(
    r".*?_?(?P<who>[^_]+)_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|(?P<receipt>\.txt))", re.DOTALL
)
_YEARS: Final = range(1990, 2100)
"""Years of a submission; near the years 1 and 9999 a time cannot be converted to another zone."""
_RESUBMITTED: Final = re.compile(r"-\d+(?=\.[^.]+$)")
_RECEIPT_NAME: Final = re.compile(r"^Name:\s*(?P<name>.+?)\s*(?:\((?P<user>[^()]*)\))?\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LmsName:
    """What the name of a file or folder contains."""

    who: str
    """The student, as the system writes the name."""
    submission: str
    """Identifies the submission: its files have the same text here."""
    file: str = ""
    """The student's own name for the file; empty for a folder of the student's files, and for a receipt."""
    number: str = ""
    """The system's number for the user, which may be the roster's id."""
    anonymous: bool = False
    """Whether the system hides the student's name."""
    when: datetime | None = None
    """In the server's local time."""
    late: bool = False
    typed: bool = False
    """Whether the file is text typed into a form, or a comment, not an agent's file."""
    receipt: bool = False
    """Whether the file is the system's receipt for the submission."""
    timeless: bool = False
    """Whether the file's time is that of the download, not of the submission."""


def read_name(name: str) -> LmsName | None:
    """Reads the name of a file or folder; None if no such system names files like this."""
    ways = (
        (_MOODLE, _of_moodle),
        (_BLACKBOARD, _of_blackboard),
        (_CANVAS_ANONYMOUS, _of_anonymous_canvas),
        (_CANVAS, _of_canvas),
    )
    read = [(found, meaning) for pattern, meaning in ways if (found := pattern.fullmatch(name))]
    if not read:
        return None
    found, meaning = max(read, key=lambda way: len(way[0]["file"] or ""))
    return meaning(found)


def _of_moodle(found: re.Match[str]) -> LmsName:
    who = found["who"]
    return LmsName(
        who,
        f"{who}_{found['number']}",
        file=found["file"] or "",
        number=found["number"] or "",
        anonymous=folded(who) in _PARTICIPANTS,
        typed=found["kind"] != "file",
    )


def _of_blackboard(found: re.Match[str]) -> LmsName | None:
    try:
        when = datetime.strptime(found["when"], "%Y-%m-%d-%H-%M-%S")  # noqa: DTZ007 - in the zone of the deadline
    except ValueError:
        return None
    if when.year not in _YEARS:
        return None
    who = found["who"]
    receipt = found["receipt"] is not None
    return LmsName(who, f"{who} {found['when']}", file=found["file"] or "", number=who, when=when, receipt=receipt)


def _of_canvas(found: re.Match[str]) -> LmsName:
    return LmsName(
        found["who"],
        f"{found['who']}_{found['number']}",
        file=_RESUBMITTED.sub("", found["file"] or ""),
        number=found["number"],
        late=found["late"] is not None,
        typed=found["typed"] is not None,
        timeless=True,
    )


def _of_anonymous_canvas(found: re.Match[str]) -> LmsName:
    return LmsName(found["who"], found["who"], file=_RESUBMITTED.sub("", found["file"]), anonymous=True, timeless=True)


def read_receipt(text: str) -> tuple[str, str]:
    """Name and user name in Blackboard's receipt for a submission; empty if they are not there."""
    found = _RECEIPT_NAME.search(text)
    return (found["name"], found["user"] or "") if found else ("", "")


_DEEPEST: Final = 5
"""Levels of folders and zips that are searched."""
_LONGEST_RECEIPT: Final = 64 * 1024
"""Bytes read from a receipt."""
_AGENT_ENDINGS: Final = (".py", ".zip")


def read_downloads(
    sources: Sequence[Path], scratch: Path, matcher: RosterMatcher, *, zone: tzinfo | None = None
) -> list[HandIn]:
    """All hand-ins in these folders and zips, sorted by label; BadSubmission if one of them cannot be read.

    With several sources, a label starts with the name of its source. `zone`: of times that a zip or a learning system
    wrote without one; None: local time."""
    reader = _Downloads(scratch, matcher, zone)
    found = [(source, one) for source in sources for one in reader.read(source)]
    return [one if len(sources) == 1 else replace(one, label=f"{source.name}/{one.label}") for source, one in found]


@dataclass(slots=True)
class _Group:
    """The files of one submission, as the learning system named them."""

    name: LmsName
    files: list[tuple[Path, str]] = field(default_factory=list)
    """Each path with the student's own name for the file; empty for a folder of the student's files."""
    typed: list[Path] = field(default_factory=list)
    """Files with text that was typed into a form."""
    receipt: tuple[str, str] = ("", "")
    """The name and user name in the system's receipt."""


class _Downloads:
    """Reads downloads, one after the other."""

    def __init__(self, scratch: Path, matcher: RosterMatcher, zone: tzinfo | None) -> None:
        self._scratch = scratch
        self._matcher = matcher
        self._zone = zone
        self._numbers = count(1)
        # The paths that could not be unpacked, each with the reason.
        self._not_unpacked: dict[Path, str] = {}
        # The folders that are searched, each with the prefix of its files in labels.
        self._label_prefixes: dict[Path, str] = {}
        self._time_source = TimeSource.FILE

    def read(self, source: Path) -> list[HandIn]:
        root = source
        self._time_source = TimeSource.FILE
        if not source.exists():
            raise BadSubmission(f"expected a folder or a zip of submissions, but there is no {quote(str(source))}")
        if source.is_file():
            if not is_zip(source):
                raise BadSubmission(f"expected a folder or a zip of submissions, got {quote(str(source))}")
            self._time_source = TimeSource.ZIP
            root = self._unpacked_download(source)
        self._label_prefixes[root] = ""
        found = self._hand_ins_in(root, 1)
        if not found:
            raise BadSubmission(f"{quote(str(source))} is empty: expected submissions")
        if all(one.wrong == ANONYMOUS for one in found):
            raise BadSubmission(f"{quote(str(source))}: {ANONYMOUS}")
        return sorted(found, key=lambda one: one.label)

    def _unpacked_download(self, archive: Path) -> Path:
        folder = self._new_folder()

        def report_bad(name: str, reason: str) -> None:
            place = folder / name.replace("..", "_").lstrip("/")
            self._not_unpacked[place] = reason

        unpack(archive, folder, DOWNLOAD, report_bad, zone=self._zone)
        return folder

    def _hand_ins_in(self, folder: Path, level: int) -> list[HandIn]:
        """The hand-ins in a folder with files of several students."""
        found: list[HandIn] = []
        groups: dict[str, _Group] = {}
        plain: list[Path] = []
        for path in self._listed(folder):
            name = read_name(path.name)
            if name is None:
                plain.append(path)
            else:
                self._add(groups.setdefault(name.submission, _Group(name)), name, path)
        found += [one for group in groups.values() for one in self._of_group(group)]
        owned: dict[Student, list[HandIn]] = {}
        for path in plain:
            one = self._of_plain_path(path)
            if one.student is not None:
                owned.setdefault(one.student, []).append(one)
            else:
                found += self._searched(one, level) or [one]
        for theirs in owned.values():
            agents = [one for one in theirs if one.path is None or one.path.is_dir() or _may_be_agent(one.path)]
            found += agents or theirs
        return found

    def _listed(self, folder: Path) -> list[Path]:
        """The paths in the folder, sorted, including those that could not be unpacked; without junk."""
        try:
            there = {path for path in folder.iterdir() if not is_junk(path.name)}
        except OSError as error:
            raise BadSubmission(f"cannot read the folder {quote(str(folder))}: {error.strerror}") from None
        missing = {
            folder / place.relative_to(folder).parts[0] for place in self._not_unpacked if place.is_relative_to(folder)
        }
        return sorted(there | missing)

    # Files named by a learning system.

    def _add(self, group: _Group, name: LmsName, path: Path) -> None:
        if name.receipt:
            group.receipt = _receipt(path)
        elif name.typed:
            group.typed.append(path)
        else:
            group.files.append((path, name.file))
            if name.late and not group.name.late:
                group.name = replace(group.name, late=True)

    def _of_group(self, group: _Group) -> Iterator[HandIn]:
        """The hand-in of these files; none if there is only the system's receipt."""
        name = group.name
        paths = [path for path, _ in group.files] or group.typed
        if not paths:
            return
        label = self._label(paths[0])
        if len(paths) > 1:
            label = f"{label} and {len(paths) - 1} more"
        hand_in = HandIn(label, None, marked_late=name.late)
        try:
            student = self._student(name, group.receipt)
        except BadSubmission as error:
            yield replace(hand_in, wrong=str(error))
            return
        if name.when is not None:
            hand_in = replace(hand_in, when=self._shown(name.when), time_source=TimeSource.NAME)
        elif not name.timeless:
            hand_in = self._timed(hand_in, paths)
        hand_in = replace(hand_in, student=student)
        if wrong := self._why_unreadable(paths):
            yield replace(hand_in, wrong=wrong)
        elif not group.files:
            what = "as text in a form" if group.typed else "without any file"
            yield replace(hand_in, wrong=f"it was handed in {what}: expected a file")
        else:
            yield replace(hand_in, path=self._together(group.files))

    def _student(self, name: LmsName, receipt: tuple[str, str]) -> Student:
        if name.anonymous:
            return self._matcher.by_participant(name.number)
        try:
            return self._matcher.by_name(name.who, name.number)
        except BadSubmission:
            if not receipt[0]:
                raise
            return self._matcher.by_name(*receipt)

    def _together(self, files: Sequence[tuple[Path, str]]) -> Path:
        """The files under the student's own names; several files are copied into a folder.

        If two have the same name, as after a second submission on Canvas, the one with the higher number is kept."""
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

    # Other files and folders, whose names start with the student's.

    def _of_plain_path(self, path: Path) -> HandIn:
        hand_in = HandIn(self._label(path), path)
        name = path.name if path.is_dir() else path.stem
        try:
            student = self._matcher.by_beginning(name)
        except BadSubmission as error:
            return replace(hand_in, wrong=str(error))
        wrong = self._why_unreadable([path])
        return self._timed(replace(hand_in, student=student, wrong=wrong, path=None if wrong else path), [path])

    def _searched(self, one: HandIn, level: int) -> list[HandIn]:
        """The hand-ins in a folder or zip without a student; empty if nothing in it has a student either."""
        if one.path is None or one.path.is_symlink() or level >= _DEEPEST:
            return []
        folder = one.path
        if is_zip(one.path):
            try:
                if self._time_source is TimeSource.FILE:  # a download inside a folder
                    folder = self._unpacked_download(one.path)
                else:
                    folder = self._new_folder()
                    unpack(one.path, folder, SUBMISSION, zone=self._zone)
            except BadSubmission as error:
                return [replace(one, wrong=f"{one.wrong}; {error}")]
            self._label_prefixes[folder] = f"{one.label}/"
        if not folder.is_dir():
            return []
        time_source = self._time_source
        if folder != one.path:
            self._time_source = TimeSource.ZIP
        found = self._hand_ins_in(folder, level + 1)
        self._time_source = time_source
        return found if any(each.student is not None for each in found) else []

    # Both.

    def _timed(self, hand_in: HandIn, paths: Sequence[Path]) -> HandIn:
        """The hand-in with the latest modification time of its files, if known."""
        times = [time for path in paths for time in _times(path)]
        if not times or max(times) <= 0:
            return hand_in
        when = datetime.fromtimestamp(max(times)).astimezone()
        if self._time_source is TimeSource.ZIP:
            when = when.astimezone(self._zone)
        return replace(hand_in, when=when, time_source=self._time_source)

    def _shown(self, time: datetime) -> datetime:
        """The moment at which clocks in the zone show this time."""
        return time.astimezone() if self._zone is None else time.replace(tzinfo=self._zone)

    def _why_unreadable(self, paths: Sequence[Path]) -> str:
        """The reason if one of these paths is a link or could not be unpacked; empty otherwise.

        A link can point to another student's file. The store refuses links deeper inside that point outside."""
        for path in paths:
            if path.is_symlink():
                return f"{quote(path.name)} is a link: expected files and folders"
        return next((why for place, why in self._not_unpacked.items() if any(map(place.is_relative_to, paths))), "")

    def _label(self, path: Path) -> str:
        """The path inside the download."""
        for place, before in self._label_prefixes.items():
            if path.is_relative_to(place):
                return f"{before}{path.relative_to(place)}"
        return path.name

    def _new_folder(self) -> Path:
        """A path in `scratch` for a new folder."""
        return self._scratch / f"download-{next(self._numbers):06}"


def _may_be_agent(path: Path) -> bool:
    return path.suffix.lower() in _AGENT_ENDINGS


def _times(path: Path) -> Iterator[float]:
    """The modification time of the file, or of each file in the folder."""
    if path.is_symlink() or not path.is_dir():
        with suppress(OSError):
            yield path.lstat().st_mtime
        return
    for folder, names, files in os.walk(path):
        names[:] = [name for name in names if not is_junk(name)]
        for name in files:
            if not is_junk(name):
                yield os.lstat(os.path.join(folder, name)).st_mtime


def _receipt(path: Path) -> tuple[str, str]:
    if path.is_symlink():
        return "", ""
    try:
        with path.open("rb") as file:
            return read_receipt(file.read(_LONGEST_RECEIPT).decode("utf-8", "replace"))
    except OSError:
        return "", ""
