"""A course for the tests of collecting: its roster, and submissions as learning systems provide them."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from arena.course import roster as rosters
from arena.course.collecting.hand_in import HandIn
from arena.course.collecting.lms_download import read_downloads
from arena.course.roster import RosterMatcher

ROSTER = """\
id,name,group,alias
1001,Anna Müller,A,Deep Blue
1002,Bob Brown,A,
1003,"García López, Carla",B,<script>alert(1)</script>
1004,田中 太郎,B,
1005,Anna Muller,B,red
s-77,Søren Ågård,C,
1006,Eve Zweig,C,eve
1007,Eve Zweig,C,ada
"""
MATCHER = RosterMatcher(rosters.read(ROSTER, "roster.csv"))
AGENT = """\
from agents import Agent

class Mine(Agent):
    def choose(self, state, clock):
        return state.moves()[0]
"""
MAY = datetime(2026, 5, 1, 12, 0, 0).astimezone()


def folder(place: Path, files: Mapping[str, str | bytes], *, when: datetime = MAY) -> Path:
    """These files in a folder."""
    for name, content in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(path, (when.timestamp(), when.timestamp()))
    return place


def zipped(place: Path, files: Mapping[str, str | bytes], *, when: datetime = MAY) -> Path:
    """These files in a zip."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, when.timetuple()[:6]), content, zipfile.ZIP_DEFLATED)
    os.utime(place, (when.timestamp(), when.timestamp()))
    return place


def read(source: Path, scratch: Path) -> list[HandIn]:
    """The hand-ins of a download."""
    return read_downloads([source], scratch, MATCHER)


def whose(found: list[HandIn]) -> dict[str, str]:
    """The student's id of each hand-in; empty if it has no student."""
    return {one.label: one.student.id if one.student else "" for one in found}
