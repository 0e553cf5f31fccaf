"""How learning-management systems name what they hand out: read by the name alone, without looking at any file.

    Moodle      Anna Müller_123456_assignsubmission_file_/my_agent.py    or without the slash, as one file
    Canvas      mulleranna_LATE_123456_7890123_my_agent-2.py
    Blackboard  Task 1_u123456_attempt_2026-05-01-12-00-00_my_agent.py   and a note with the ending .txt

ILIAS (Mueller_Anna_login_12345/) and plain folders and files begin with who it is, which `people.py` reads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

_MOODLE: Final = re.compile(
    r"(?P<who>.+)_(?P<number>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL
)
_CANVAS: Final = re.compile(
    r"(?P<who>[^_]+)(?P<late>_LATE)?_(?P<number>\d{3,})_(?P<submission>\d{3,})_(?P<file>.+)", re.DOTALL
)
_BLACKBOARD: Final = re.compile(
    r".*?_?(?P<who>[^_]+)_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|(?P<receipt>\.txt))", re.DOTALL
)
_TAKEN_IN_AGAIN: Final = re.compile(r"-\d+(?=\.[^.]+$)")
_RECEIPT_NAME: Final = re.compile(r"^Name:\s*(?P<name>.+?)\s*(?:\((?P<user>[^()]*)\))?\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Told:
    """What a name tells."""

    who: str
    submission: str
    """Files with the same text here belong together."""
    file: str = ""
    """What the student's own name of the file was; empty where all in a folder is theirs, or nothing is."""
    number: str = ""
    """What the system numbers its users by, which may be the roster's id."""
    when: datetime | None = None
    """In the server's own time, whichever that is."""
    late: bool = False
    typed: bool = False
    """Text typed into a field, or a comment: no file of an agent."""
    receipt: bool = False
    """The system's own note about the submission."""
    timeless: bool = False
    """The times of such files are those of the download."""


def read(name: str) -> Told | None:
    """What a file's or a folder's name tells; None where it is named by no such system."""
    if found := _MOODLE.fullmatch(name):
        who = found["who"]
        return Told(
            who,
            f"{who}_{found['number']}",
            file=found["file"] or "",
            number=found["number"],
            typed=found["kind"] != "file",
        )
    if found := _BLACKBOARD.fullmatch(name):
        try:
            when = datetime.strptime(found["when"], "%Y-%m-%d-%H-%M-%S")
        except ValueError:
            return None
        who = found["who"]
        receipt = found["receipt"] is not None
        return Told(who, f"{who} {found['when']}", file=found["file"] or "", number=who, when=when, receipt=receipt)
    if found := _CANVAS.fullmatch(name):
        return Told(
            found["who"],
            f"{found['who']}_{found['submission']}",
            file=_TAKEN_IN_AGAIN.sub("", found["file"]),
            number=found["number"],
            late=found["late"] is not None,
            timeless=True,
        )
    return None


def receipt(text: str) -> tuple[str, str]:
    """Name and user name on Blackboard's note about a submission; empty where they are not told."""
    found = _RECEIPT_NAME.search(text)
    return (found["name"], found["user"] or "") if found else ("", "")
