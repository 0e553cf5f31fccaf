"""`arena search size`: one game line by line, a range of games as a table."""

import csv
import io
import json
from typing import Any

import pytest

from arena.cli.search.size import SIZES
from arena.cli.terminal.listings import show
from tests.kit.arena_program import arena


def measured(*arguments: str) -> list[dict[str, Any]]:
    """What `arena search size --format json` prints."""
    rows: list[dict[str, Any]] = json.loads(arena("search", "size", *arguments, "--format", "json").out)
    return rows


def test_one_game_is_explained_line_by_line() -> None:
    ended = arena("search", "size", "tictactoe")
    assert (ended.code, ended.err) == (0, "")
    lines = dict(line.split("  ", 1) for line in ended.out.splitlines())
    assert "5,478" in lines["positions"]
    assert "765" in lines["up to symmetry"]
    assert "255,168" in lines["leaves"]
    assert "nimber" not in lines
    assert max(map(len, ended.out.splitlines())) <= 80


def test_a_game_without_a_symmetry_of_its_own_has_no_number_up_to_symmetry() -> None:
    """A board of Dots and Boxes has mirror images, but the game does not say so."""
    ((dots,), (tree,), (nap,)) = (measured(game) for game in ("dots:rows=1,columns=1", "tree:textbook", "nap:4"))
    assert (dots["positions"], dots["up_to_symmetry"]) == (16, None)
    assert (tree["positions"], tree["up_to_symmetry"]) == (13, None)
    assert (nap["positions"], nap["up_to_symmetry"]) == (13, 8)
    [line] = [
        line for line in arena("search", "size", "dots:rows=1,columns=1").out.splitlines() if line.startswith("up to")
    ]
    assert line.split()[3] == "-"


def test_a_range_is_a_row_for_each_number_and_fits_into_eighty_columns() -> None:
    ended = arena("search", "size", "nap:4-12")
    header, *lines = ended.out.splitlines()
    assert header.split() == ["game", "nodes", "leaves", "h", "win", "nim", "b", "alphabeta", "b^h", "best"]
    assert [line.split()[:5] for line in lines[:2]] == [
        ["nap:4", "29", "14", "3", "1st"],
        ["nap:5", "86", "36", "4", "1st"],
    ]
    assert len(lines) == 9
    assert max(map(len, ended.out.splitlines())) <= 80


def test_the_rows_of_the_salem_spencer_numbers_fit_into_eighty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    """The row of nap:20, which takes longer than a test should."""
    row = {"game": "nap:20", "nodes": 39_692_669, "leaves": 21_000_960, "height": 9, "winner": "second", "nimber": 0}
    row |= {"branching": 6.8652, "alphabeta": 90_119, "uniform_leaves": 33_910_500, "best_case_leaves": 17_480}
    show([row], SIZES)
    header, line = capsys.readouterr().out.splitlines()
    assert len(header) == len(line) == 80
    assert line.endswith("33,910,500  17,480")


@pytest.mark.costly
def test_a_tree_too_large_to_walk_is_measured_in_a_moment() -> None:
    (row,) = measured("maze:0,map=tiny")
    assert row["height"] == 200
    assert row["nodes"] > 10**50
    assert 1.5 < row["branching"] < 2.5


def test_ranges_of_several_options_are_all_combined() -> None:
    rows = measured("tictactoe:m=1-2,n=2-3,k=2")
    assert [row["game"] for row in rows] == [f"tictactoe:m={m},n={n},k=2" for m in (1, 2) for n in (2, 3)]
    assert [row["winner"] for row in rows] == ["draw", "first", "first", "first"]


def test_a_position_and_moves_say_where_it_begins() -> None:
    (played,) = measured("tictactoe", "--moves", "b2 a1")
    (given,) = measured("tictactoe", "--position", "o../.x./...")
    assert played == given
    assert played["height"] == 7


def test_what_takes_too_long_is_left_out_and_larger_games_are_not_tried() -> None:
    ended = arena("search", "size", "connect4:rows=4-8,columns=4", "--seconds", "0")
    assert (ended.code, ended.out) == (2, "")
    assert "connect4:rows=4,columns=4 is too large to measure within 0 s; try a smaller game" in ended.err


def test_as_csv_numbers_are_plain() -> None:
    rows = list(csv.DictReader(io.StringIO(arena("search", "size", "grundy:7-8", "--format", "csv").out)))
    assert [(row["nodes"], row["nimber"], row["winner"]) for row in rows] == [
        ("24", "0", "second"),
        ("52", "2", "first"),
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nap:9-4"], "expected a range from a smaller to a larger number, such as 4-20, got '9-4'"),
        (["openspiel:breakthrough(rows=6,columns=9-4)"], "expected a range from a smaller to a larger number"),
        (["nap:1-999"], "expected at most 200 games to measure"),
        (["nap:0-3"], "n must be 1..200, got 0"),
        (["npa:4-20"], "no game 'npa'"),
        (["pig"], "a game that can last longer than 250 plies cannot be measured"),
        (["nap:4", "--position", "1 2 3"], "--position: nap: 1, 2, 3 are in arithmetic progression"),
    ],
)
def test_a_wrong_argument_is_one_clear_error(arguments: list[str], words: str) -> None:
    ended = arena("search", "size", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert words in " ".join(ended.err.split())
