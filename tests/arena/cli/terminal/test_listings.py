"""A listing for a spreadsheet: what a student is called is never calculated."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.cli.terminal.listings import OutputFormat, Shown, show
from arena.history import csv_cells
from arena.results.columns import Column, Medium, fields
from tests.kit.effort import tries
from tests.kit.sample_commands import asked


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("ann", "ann"),
        ("-216.5", "-216.5"),
        ("+3", "+3"),
        ("=1+2", "'=1+2"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-cmd", "'-cmd"),
        ("-", "-"),
        ("-1,5", "-1,5"),
        ("+49 170 123", "+49 170 123"),
        ("=1", "'=1"),
        ("a=b", "a=b"),
        ("-1.0 1.0", "-1.0 1.0"),
        ("-2+3", "'-2+3"),
        ("＝1+2", "'＝1+2"),
        ("'=1", "''=1"),
        ("'tis", "'tis"),
        ("\x1b[31mann", "\\x1b[31mann"),
        ("\t=1", "\\x09=1"),
        ("ann\r\nbob", "ann\\x0d\\x0abob"),
        ("\\x1b", "\\x5cx1b"),
        ("C:\\new", "C:\\new"),
        ("ann;=1+2", "ann\\x3b=1+2"),
        ('ann; "@a', 'ann\\x3b "@a'),
        ("ann; bob", "ann; bob"),
    ],
)
def test_no_text_is_a_formula(text: str, cell: str, capsys: pytest.CaptureFixture[str]) -> None:
    show([{"name": text}], fields(["name"]), Shown(OutputFormat.CSV))
    assert list(csv.reader(io.StringIO(capsys.readouterr().out))) == [["name"], [cell]]
    assert csv_cells.read(cell) == text


def test_what_was_written_to_stderr_keeps_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    show([{"stderr": "a\n\x1b=1\n=2"}], [Column("stderr", lines=True)], Shown(OutputFormat.CSV))
    assert list(csv.reader(io.StringIO(capsys.readouterr().out))) == [["stderr"], ["a\n\\x1b=1\n'=2"]]


def printed(
    cell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], **options: Any
) -> list[str]:
    """The lines of the last column, which has this cell, on a terminal of 20 columns."""
    monkeypatch.setenv("COLUMNS", "20")
    show([{"n": 1, "last": cell}], [Column("n"), Column("last", **options)])
    return [line[3:] for line in capsys.readouterr().out.splitlines()[1:]]


@pytest.mark.parametrize(
    ("cell", "lines"),
    [
        ("pvs:table=true,ordering=true", ["pvs:table=true,", "ordering=true"]),
        ("examples/my_search.py:alphabeta", ["examples/", "my_search.py:", "alphabeta"]),
        ("it stands at examples/my_search.py", ["it stands at", "examples/", "my_search.py"]),
        ("a" * 20, ["a" * 17, "a" * 3]),
        ("short enough", ["short enough"]),
    ],
)
def test_a_long_name_is_wrapped_after_a_mark(
    cell: str, lines: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert printed(cell, monkeypatch, capsys) == lines


def test_the_titles_of_a_wide_table_have_no_spaces_behind_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A terminal would show them as an empty line."""
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    show([{"n": 1, "last": "a" * 16}], fields(["n", "last"]))
    assert capsys.readouterr().out.splitlines()[0] == "\x1b[1mn\x1b[0m  \x1b[1mlast\x1b[0m"


def test_a_number_is_never_wrapped(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed("1,234,567,890,123,456", monkeypatch, capsys, number=True) == ["1,234,567,890,123,456"]


@settings(max_examples=tries(200))
@given(st.text(st.sampled_from("'=+-@;\\x1bu0041 \n\x1b\u2028a.") | st.characters(exclude_categories=["Cs"])))
def test_every_cell_is_read_as_it_was_written(text: str) -> None:
    cell = csv_cells.written(text)
    assert csv_cells.read(cell) == text
    assert cell.isprintable()


AGENTS = [{"name": "bob", "points": 2.0}, {"name": "a|<b>\n*", "points": 0.5}, {"name": "cid", "points": None}]
COLUMNS = (Column[Any]("name"), Column[Any]("points", "pts", number=True), Column[Any]("seed", on=Medium.JSON))


def test_no_name_is_markup_in_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    show(AGENTS, COLUMNS, Shown(OutputFormat.MARKDOWN))
    assert capsys.readouterr().out.splitlines() == [
        "| name | pts |",
        "| --- | ---: |",
        "| bob | 2 |",
        r"| a\|&lt;b&gt;\\n\* | 0.5 |",
        "| cid |  |",
    ]


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"sort": "points"}, ["a|<b>\n*", "bob", "cid"]),
        ({"sort": "pts"}, ["a|<b>\n*", "bob", "cid"]),
        ({"sort": "name", "reverse": True}, ["cid", "bob", "a|<b>\n*"]),
        ({"reverse": True, "limit": 2}, ["cid", "a|<b>\n*"]),
    ],
)
def test_rows_are_sorted_and_limited(
    given: dict[str, Any], names: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    show(AGENTS, COLUMNS, Shown(OutputFormat.JSON, columns="name", **given))
    assert json.loads(capsys.readouterr().out) == [{"name": name} for name in names]


def test_a_mistyped_column_is_told_what_was_meant(record: Path) -> None:
    for option in ("--columns", "--sort"):
        ended = asked(record, "standings", "cs101", option, "ponits")
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"arena: {option}: no column 'ponits'; did you mean 'points'?")


@pytest.mark.parametrize("format", ["table", "csv", "json", "markdown"])
def test_every_format_has_the_chosen_columns(format: str, record: Path) -> None:
    ended = asked(record, "standings", "cs101", "--columns", "seed, name", "--limit", "1", "--format", format)
    found = ended.out.replace("|", " ").replace(",", " ").split()
    assert {"seed", "name", "bob"} <= {word.strip('":') for word in found}
    assert "points" not in ended.out


def chosen(record: Path, *words: str) -> Any:
    """The JSON of a command with the options of listings."""
    return json.loads(asked(record, *words, "--format", "json").out)


def test_a_crosstable_has_the_chosen_players_in_its_rows_and_columns(record: Path) -> None:
    whole = chosen(record, "results", "crosstable", "--all")
    turned = chosen(record, "results", "crosstable", "--all", "--reverse")
    assert turned["players"] == whole["players"][::-1]
    assert turned["cells"] == [row[::-1] for row in whole["cells"][::-1]]
    first = chosen(record, "results", "crosstable", "--all", "--limit", "2")
    assert first == {"players": whole["players"][:2], "cells": [row[:2] for row in whole["cells"][:2]]}
    # Sorted by the share of points against one player; who has not met it stands last.
    against = whole["players"].index("bob")
    ordered = chosen(record, "results", "crosstable", "--all", "--sort", "bob")["players"]
    shares = [
        cell and cell["points"] / cell["games"]
        for cell in (whole["cells"][whole["players"].index(one)][against] for one in ordered)
    ]
    met = [one for one in shares if one is not None]
    assert met == sorted(met)
    assert shares[len(met) :] == [None] * (len(shares) - len(met))


def test_rows_inside_of_a_document_are_chosen_and_the_rest_stays(record: Path) -> None:
    whole = chosen(record, "replay", "1", "--show")
    assert len(whole["moves"]) > 2
    some = chosen(record, "replay", "1", "--show", "--columns", "ply,move", "--reverse", "--limit", "2")
    assert some["moves"] == [{"ply": one["ply"], "move": one["move"]} for one in whole["moves"][:-3:-1]]
    assert {**some, "moves": None} == {**whole, "moves": None}
    assert [*chosen(record, "results", "versus", "ann", "bob", "--columns", "games,a")] == ["games", "a"]


def test_what_is_said_in_words_is_a_listing_as_soon_as_columns_are_chosen(record: Path) -> None:
    assert asked(record, "results", "versus", "ann", "bob", "--columns", "a,b").out == "a    b\nann  bob\n"
    assert asked(record, "replay", "last", "--logs", "--columns", "seat", "--limit", "1").out == "seat\n0\n"
    lines = asked(record, "replay", "1", "--show", "--columns", "ply", "--limit", "2").out.splitlines()
    assert [line.strip() for line in lines] == ["ply", "1", "2"]
