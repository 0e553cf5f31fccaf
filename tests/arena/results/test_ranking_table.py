"""Standings and ratings in Python: the rows of the commands, as text in a shell and as HTML in a notebook."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.errors import BadRating
from arena.ratings import systems
from arena.results import ResultsTable, ratings, standings
from db.database import Database
from db.errors import NotFound
from tests.arena.tournament.test_tournament import Course, first_wins
from tests.kit import sample_record
from tests.kit.notebooks import check_shown
from tests.kit.sample_commands import asked, document

SCOPES: list[dict[str, Any]] = [{"tournament": "cs101"}, {"tournament": "evening"}, {"everything": True}, {}]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("record") / "arena.db"
    sample_record.make(file)
    return file


def arguments(scope: dict[str, Any]) -> list[str]:
    """The same on the command line."""
    return ["--all"] if "everything" in scope else [*scope.values()]


def names(table: ResultsTable) -> list[str]:
    """The names in the text, from the top."""
    titles, *lines = repr(table).splitlines()[2:]
    at = titles.index("name")
    return [line[at:].split("  ")[0].strip() for line in lines[: len(table.rows)]]


@pytest.mark.parametrize("scope", SCOPES)
def test_standings_have_the_rows_of_the_command(record: Path, scope: dict[str, Any]) -> None:
    table = standings(**scope, db=record)
    assert json.loads(json.dumps(table.rows)) == document(record, "results", *arguments(scope))
    check_shown(table)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("system", [None, *systems.names()])
def test_ratings_have_the_rows_of_the_command(record: Path, scope: dict[str, Any], system: str | None) -> None:
    chosen = [] if system is None else ["--system", system]
    ended = asked(record, "results", "rank", *arguments(scope), *chosen, "--format", "json")
    if ended.code:
        with pytest.raises(BadRating) as refused:
            ratings(**scope, db=record, system=system)
        assert str(refused.value) in " ".join(ended.err.split())
        return
    table = ratings(**scope, db=record, system=system)
    listed = [{name: row[name] for name in row if name != "draw_rate"} for row in table.rows]
    assert json.loads(json.dumps(listed)) == json.loads(ended.out)["players"]
    assert table.note.startswith(ended_note(record, arguments(scope), chosen))
    check_shown(table)


def ended_note(record: Path, scope: list[str], chosen: list[str]) -> str:
    """The first line below the table that the command prints."""
    *_, footer = asked(record, "results", "rank", *scope, *chosen, columns=200).out.split("\n\n")
    return footer.splitlines()[0]


def test_a_table_is_readable_text_in_a_shell(tmp_path: Path) -> None:
    course = Course(tmp_path)
    course.describe()
    course.run(first_wins)
    table = standings(db=tmp_path / "arena.db")
    assert repr(table).startswith("Standings: cs101\n\nrank  name  ")
    assert names(table) == [row["name"] for row in table.rows]
    rated = ratings(db=str(tmp_path / "arena.db"), anchors={table.rows[0]["name"]: 1000.0})
    assert rated.rows[0]["rating"] == 1000.0
    assert "anchor" in repr(rated).splitlines()[3]
    assert repr(rated).endswith("stronger than the next player")


def test_texts_of_agents_are_harmless(record: Path) -> None:
    for table in (standings(everything=True, db=record), ratings(everything=True, db=record)):
        assert "\x1b" not in repr(table)
        assert sample_record.HOSTILE not in check_shown(table)


def test_a_gauntlet_says_who_is_in_it_and_a_knockout_how_far_each_came(tmp_path: Path) -> None:
    course = Course(tmp_path)
    course.describe(format="gauntlet", gauntlet=["ann"])
    course.run(first_wins)
    lines = repr(standings(db=tmp_path / "arena.db")).splitlines()
    assert lines[2].split()[-2:] == ["gauntlet", "faults"]
    assert [line.split()[1] for line in lines[3:] if "gauntlet" in line] == ["ann"]
    check_shown(standings(db=tmp_path / "arena.db"))
    (tmp_path / "cup").mkdir()
    cup = Course(tmp_path / "cup")
    cup.describe(format="knockout", seeds=["ann", "bob", "cid"])
    cup.run(first_wins)
    table = standings(db=tmp_path / "cup" / "arena.db")
    assert "winner" in repr(table)
    check_shown(table)


def test_nothing_recorded_yet_is_said(tmp_path: Path) -> None:
    with Database(str(tmp_path / "arena.db")):
        pass
    for table in (
        standings(everything=True, db=tmp_path / "arena.db"),
        ratings(everything=True, db=tmp_path / "arena.db"),
    ):
        assert "nothing yet" in repr(table)
        assert "nothing yet" in check_shown(table)


def test_what_does_not_exist_is_named(record: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no tournament 'cs102'; did you mean 'cs101'"):
        ratings("cs102", db=record)
    with pytest.raises(NotFound, match="there is no database"):
        standings(db=tmp_path / "none.db")
    with pytest.raises(BadRating, match=r"expected a rating system \(elo, .*\), got 'ello'"):
        ratings("cs101", db=record, system="ello")
    with pytest.raises(ValueError, match="expected a tournament or everything=True, got both"):
        standings("cs101", db=record, everything=True)


@pytest.mark.costly
def test_the_import_loads_no_package_for_the_command_line() -> None:
    code = "import sys, arena.results; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"typer", "rich", "numpy"} & set(loaded)
