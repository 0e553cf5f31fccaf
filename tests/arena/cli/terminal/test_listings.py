"""A listing for a spreadsheet: what a student is called is never calculated."""

import csv
import io

import pytest

from arena.cli.terminal.listings import OutputFormat, show


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
    ],
)
def test_no_text_is_a_formula(text: str, cell: str, capsys: pytest.CaptureFixture[str]) -> None:
    show([{"name": text}], {"name": lambda row: row["name"]}, format=OutputFormat.CSV, never_calculated=("name",))
    assert list(csv.reader(io.StringIO(capsys.readouterr().out))) == [["name"], [cell]]
    show([{"name": text}], {"name": lambda row: row["name"]}, format=OutputFormat.CSV)
    assert list(csv.reader(io.StringIO(capsys.readouterr().out))) == [["name"], [text]]
