"""`arena search tables` builds endgame tables once; `arena search solve --endgames` looks positions up in them."""

import csv
import io
import json
from pathlib import Path

import pytest

from adsearch.games.checkers_endgames import path_of
from tests.kit.arena_program import arena

TWO_KINGS = "B:WK1:BK28,K32"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the tables, empty at first."""
    monkeypatch.setenv("ARENA_TABLES", str(tmp_path / "tables"))
    return tmp_path / "tables"


def test_tables_are_built_once_and_then_listed(folder: Path) -> None:
    first = arena("search", "tables", "checkers", "--pieces", "3")
    assert first.code == 0
    assert first.err.splitlines() == [f"arena: building tables of 0.2 MB in {folder}, in about 0.6 s"]
    assert [line.split() for line in first.out.splitlines()] == [
        ["pieces", "positions", "won", "lost", "drawn", "longest", "bytes"],
        ["2", "6,972", "716", "402", "2,370", "13", "3,600"],
        ["3", "261,224", "100,250", "87,305", "8,477", "62", "212,400"],
    ]
    before = path_of(folder, 3).stat()
    again = arena("search", "tables", "checkers", "--pieces", "3")
    assert (again.code, again.out) == (0, first.out)
    assert again.err == f"arena: all tables are in {folder}: there is nothing to build\n"
    assert path_of(folder, 3).stat().st_mtime_ns == before.st_mtime_ns


def test_a_damaged_table_is_built_again_and_that_is_said(folder: Path) -> None:
    arena("search", "tables", "checkers", "--pieces", "2")
    path_of(folder, 2).write_bytes(b"x")
    ended = arena("search", "tables", "checkers", "--pieces", "2")
    assert ended.code == 0
    assert "checkers-2.table is damaged, or not an endgame table of this version: it is built again" in ended.err


def test_the_list_is_for_programs_too_and_the_folder_can_be_named(tmp_path: Path, folder: Path) -> None:
    command = ("tables", "checkers", "--pieces", "2", "--folder", str(tmp_path / "other"))
    (row,) = json.loads(arena(*command, "--format", "json").out)
    values = {"pieces": 2, "positions": 6972, "won": 716, "lost": 402, "drawn": 2370, "longest": 13, "bytes": 3600}
    assert row == values
    (cells,) = csv.DictReader(io.StringIO(arena(*command, "--format", "csv").out))
    assert cells == {name: str(value) for name, value in values.items()}
    assert f"export ARENA_TABLES={tmp_path / 'other'}\n" in arena(*command).err
    assert not folder.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chekers"], "no game 'chekers'; did you mean 'checkers'?"),
        (["connect4"], "there are endgame tables for checkers only"),
        (["checkers:size=8"], "checkers: no option 'size'; there is none"),
        (["checkers", "--pieces", "5"], "--pieces: expected at most 4, got '5'"),
        (["checkers", "--pieces", "1"], "--pieces: expected at least 2, got '1'"),
        (["checkers", "--pieces", "x"], "--pieces: expected a whole number, got 'x'"),
        (["checkers", "--peices", "3"], "no option --peices; did you mean --pieces?"),
        (["checkers", "--folder"], "--folder needs a value"),
        (["checkers", "3"], "unexpected argument '3'"),
        (["checkers", "--pieces", "2", "--folder", "/dev/null"], "to /dev/null: File exists"),
        (["checkers", "--pieces", "2", "--folder", "/dev/null/x"], "to /dev/null/x: Not a directory"),
        (["checkers", "--format", "jsn"], "--format: expected one of table, csv, json, markdown, got 'jsn'"),
    ],
)
def test_mistakes_get_one_clear_line(arguments: list[str], said: str) -> None:
    ended = arena("search", "tables", *arguments)
    assert ended.code == 2
    assert said in ended.err
    assert [line for line in ended.err.splitlines() if "building" not in line] == [ended.err.splitlines()[-1]]


def test_a_position_is_looked_up() -> None:
    arena("search", "tables", "checkers", "--pieces", "3")
    ended = arena("search", "solve", "checkers", "--position", TWO_KINGS, "--endgames", "3")
    assert ended.out.splitlines()[0] == "the first player wins in 31 plies"
    drawn = json.loads(
        arena("search", "solve", "checkers", "--position", "B:WK1:BK32", "--endgames", "3", "--format", "json").out
    )
    assert (drawn["value"], drawn["distance"], drawn["line"]) == (0, None, ["32-27"])


def test_without_its_table_a_position_is_not_searched() -> None:
    arena("search", "tables", "checkers", "--pieces", "2")
    ended = arena("search", "solve", "checkers", "--position", TWO_KINGS, "--endgames", "3")
    assert ended.code == 2
    assert ended.err.endswith(
        "checkers-3.table; arena search tables checkers --pieces 3 builds it, or set ARENA_TABLES to the "
        "folder that has it\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["checkers", "--endgames", "2"], "do not know this position: it is over, has more pieces"),
        (["connect4", "--endgames", "2"], "there are endgame tables for checkers only"),
        (["checkers", "--endgames", "5"], "--endgames: expected at most 4, got '5'"),
        (["checkers", "--endgames", "2", "--strategy"], "leave out --strategy and --seconds"),
        (["kuhn", "--endgames", "2", "--equilibrium"], "leave out --strategy, --endgames"),
    ],
)
def test_what_cannot_be_looked_up_is_said(arguments: list[str], said: str) -> None:
    arena("search", "tables", "checkers", "--pieces", "2")
    ended = arena("search", "solve", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
