"""A listing for a spreadsheet: what a student is called is never calculated."""

import csv
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.cli.terminal.listings import OutputFormat, Shown, show
from arena.history import csv_cells
from arena.results.columns import Column, fields
from tests.kit.effort import tries


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
