"""Reads the names that Moodle, Canvas and Blackboard give to the files of a submission, without opening a file.

    Moodle      Anna Müller_123456_assignsubmission_file_/my_agent.py    or without the slash, as one file
                Team 7_4711_assignsubmission_file_/my_agent.py           a group
                Participant_123456_assignsubmission_file_/my_agent.py    anonymous marking
    Canvas      müllerannalena_LATE_123456_7890123_my_agent-2.py         numbers of the student and of the file
                müllerannalena_123456_text.html                          text typed into a form
                team7_123456_7890123_my_agent.py                         a group
                anon_aB3x9_7890123_my_agent.py                           anonymous marking
    Blackboard  Task 1_u123456_attempt_2026-05-01-12-00-00_my_agent.py   and a receipt that ends with .txt

Canvas leaves out spaces, commas and hyphens in names. Folders of ILIAS (Mueller_Anna_login_12345/) and other files
start with the student's name: see `roster_matcher.py`.

Students choose the end of a name, and could imitate another system or another student there. The system's own part
comes first, so a name is read in the way that leaves the longest end to the student.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from arena.course.roster import folded

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
