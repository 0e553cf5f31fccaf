"""`arena doctor` says what the machine offers, in lines that fit and for programs; `arena docs` lists, reads, searches
and writes the pages."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from arena.history import csv_cells
from arena.pages import manual
from arena.play import machine
from arena.play.machine import Finding, Health
from tests.kit.arena_program import Ended, arena

LONG = "a reason that goes on for so long that no line of a terminal can hold all of it, whatever its width may be"
WELL = [
    Finding("walls", "limits", "hold", Health.OK),
    Finding("clocks", "quota", "this system does not tell", Health.UNKNOWN),
]
WARNED = [*WELL, Finding("disk", "database", f"slow: {LONG}", Health.WARNING, f"buy another: {LONG}")]
BROKEN = [*WARNED, Finding("disk", "file system", "nfs4\x1b[31m", Health.PROBLEM, "elsewhere")]


def doctor(monkeypatch: pytest.MonkeyPatch, found: list[Finding], *arguments: str, columns: int = 80) -> Ended:
    """The command, on a machine where that is found."""
    monkeypatch.setattr(machine, "findings", lambda _: found)
    return arena("doctor", *arguments, columns=columns)


@pytest.mark.parametrize(("found", "code"), [(WELL, 0), (WARNED, 0), (BROKEN, 1)], ids=["well", "warned", "broken"])
@pytest.mark.parametrize("format", ["table", "csv", "json"])
def test_a_problem_is_told_by_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, found: list[Finding], code: int, format: str
) -> None:
    assert doctor(monkeypatch, found, "--format", format).code == code


def test_findings_stand_by_area_with_their_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = doctor(monkeypatch, WELL)
    assert ended.out.splitlines() == [
        "walls",
        "  ok  limits  hold",
        "clocks",
        "  ?   quota   this system does not tell",
        "No problems found.",
    ]


@pytest.mark.parametrize("columns", [40, 80, 140])
def test_every_word_of_value_and_advice_is_there_and_fits(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    ended = doctor(monkeypatch, BROKEN, columns=columns)
    assert max(map(len, ended.out.splitlines())) <= min(columns, 100)
    assert f"slow: {LONG} buy another: {LONG}" in " ".join(ended.out.split())
    assert "\x1b" not in ended.out
    assert ended.out.splitlines()[-1] == "1 problem, 1 warning"
    marks = {
        line.split()[1]: line.split()[0] for line in ended.out.splitlines() if line.startswith("  ") and line[2] != " "
    }
    assert marks == {"limits": "ok", "quota": "?", "database": "!", "file": "x"}


def test_programs_get_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    told = json.loads(doctor(monkeypatch, BROKEN, "--format", "json").out)
    assert told[0] == {"area": "walls", "name": "limits", "value": "hold", "verdict": "ok", "advice": ""}
    rows = csv.DictReader(io.StringIO(doctor(monkeypatch, BROKEN, "--format", "csv").out))
    assert [{name: csv_cells.read(cell) for name, cell in row.items()} for row in rows] == told


def test_this_machine_is_looked_at(tmp_path: Path) -> None:
    ended = arena("doctor", "--db", str(tmp_path / "arena.db"), "--format", "json")
    told = json.loads(ended.out)
    assert ended.code == any(finding["verdict"] == "problem" for finding in told)
    (database,) = [finding for finding in told if finding["name"] == "database"]
    assert database["value"].startswith(f"{tmp_path}: ")
    assert list(tmp_path.iterdir()) == []


def test_the_usual_database_lies_here(tmp_path: Path) -> None:
    told = json.loads(arena("doctor", "--format", "json").out)
    assert any(finding["value"].startswith(f"{tmp_path}: ") for finding in told)


def test_a_folder_that_is_missing_is_a_problem(tmp_path: Path) -> None:
    ended = arena("doctor", "--db", str(tmp_path / "nowhere" / "arena.db"))
    assert ended.code == 1
    assert "x   database" in ended.out


def test_a_database_elsewhere_is_not_looked_at() -> None:
    told = json.loads(arena("doctor", "--db", "postgresql://nobody@example.org/arena", "--format", "json").out)
    assert [finding["verdict"] for finding in told if finding["name"] == "database"] == ["unknown"]


# `arena docs`.


def test_without_a_word_all_pages_are_listed() -> None:
    printed = arena("docs").out
    assert [line.split()[0] for line in printed.splitlines() if line[:1].strip()][: len(manual.PAGES)] == [
        *manual.PAGES
    ]


def test_a_page_and_a_part_of_it_are_printed_as_they_are() -> None:
    assert arena("docs", "install").out == manual.text("install").rstrip() + "\n"
    part = next(part for part in manual.sections("course") if part.anchor == "copied-work")
    assert arena("docs", "course#copied-work").out == part.text + "\n"
    assert arena("docs", "docs/instructor.md").out == arena("docs", "course").out


def test_words_are_searched() -> None:
    printed = arena("docs", "copied", "work").out
    assert printed.startswith("course#copied-work ")
    assert printed.endswith("\narena docs course#copied-work reads the first one\n")


def test_what_is_not_there_is_one_error(tmp_path: Path) -> None:
    for arguments, said in (
        (["course#nothing"], "arena: the page course has no part 'nothing'; its parts: "),
        (["qwertz", "uiop"], "arena: no page has 'qwertz uiop'; `arena docs` lists the pages"),
        (["tournamnets"], "arena: no page has 'tournamnets'; did you mean 'tournaments'?"),
        (["tournamnets#chess"], "arena: no page has 'tournamnets#chess'; did you mean 'tournaments'?"),
        (["--write", str(tmp_path)], f"arena: {tmp_path}: the pages cannot be written: File exists"),
        (["install", "--write", "site"], "--write writes all pages: leave out the page"),
    ):
        ended = arena("docs", *arguments)
        assert ended.code == 2
        assert said in " ".join(ended.err.split())


def test_a_site_is_written(tmp_path: Path) -> None:
    assert arena("docs", "--write", "site", cwd=tmp_path).out == "site/index.html: 13 pages\n"
    assert len([*(tmp_path / "site").iterdir()]) == 1 + len(manual.PAGES) + len(manual.OLD_NAMES)
