"""`arena results versus` and `arena results progress` as users meet them: options, formats, ways to be wrong."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len

from arena.ratings.match_statistics import sprt
from db.database import Database
from tests.kit import sample_record
from tests.kit.arena_program import arena
from tests.kit.sample_commands import asked, document

VERSUS = [
    *("a", "b", "games", "wins", "draws", "losses", "by_seat", "elo", "error", "normalized", "bound", "los"),
    *("pentanomial", "single", "verdicts", "longest", "shortest", "last", "repeated"),
]
VERSION = ["version", "at", "games", "rating", "error", "better"]


def club(results: Sequence[tuple[str, str, str]]) -> None:
    """Imports these games as the tournament "club"."""
    Path("club.csv").write_text("".join(f"1,{','.join(row)}\n" for row in results), "utf-8")
    assert arena("data", "import", "club.csv").code == 0


PAIR_WON = [("ann", "bob", "1-0"), ("bob", "ann", "0-1")]
PAIR_EVEN = [("ann", "bob", "1-0"), ("bob", "ann", "1-0")]


# One against another.


def test_the_document_has_its_fields_in_their_order(record: Path) -> None:
    told = document(record, "results", "versus", "ann", "bob")
    assert list(told) == VERSUS
    assert (told["a"], told["b"], told["games"], told["wins"], told["draws"], told["losses"]) == (
        "ann",
        "bob",
        4,
        3,
        1,
        0,
    )
    assert told["by_seat"] == [
        {"seat": 0, "games": 3, "wins": 3, "draws": 0, "losses": 0},
        {"seat": 1, "games": 1, "wins": 0, "draws": 1, "losses": 0},
    ]
    assert (told["pentanomial"], told["single"]) == ([0, 0, 0, 1, 0], 2)
    assert told["verdicts"] == {"normal": 3, "time": 1}
    assert told["los"] == pytest.approx(0.9375)
    assert (told["error"], told["bound"]) == (None, None)
    assert [list(one) for one in (told["longest"], *told["last"])] == [["id", "seat", "points", "verdict", "plies"]] * 5


def test_the_sheet_is_one_row_of_the_same(record: Path) -> None:
    (row,) = csv.DictReader(io.StringIO(asked(record, "results", "versus", "ann", "bob", "--format", "csv").out))
    told = document(record, "results", "versus", "ann", "bob")
    assert list(row) == VERSUS
    assert (row["games"], float(row["elo"]), row["error"]) == ("4", told["elo"], "")
    assert json.loads(row["by_seat"]) == told["by_seat"]


def test_two_players_are_told_in_words() -> None:
    club([*PAIR_WON, *PAIR_WON, *PAIR_EVEN, ("ann", "bob", "1/2-1/2")])
    assert arena("results", "versus", "ann", "bob").out.splitlines() == [
        "ann against bob: 7 games",
        "",
        "                W    D    L   score",
        "total           5    1    1   78.6%",
        "in seat 0       3    1    0   87.5%",
        "in seat 1       2    0    1   66.7%",
        "",
        "Elo difference: +226; too few games for an error; normalized +245",
        "likelihood that ann is better (LOS): 87.5%",
        "pentanomial (pairs by points of ann): 0: 0, ½: 0, 1: 1, 1½: 0, 2: 2",
        "games outside pairs: 1",
        "verdicts: normal 7",
        "",
        "last games",
        "  game 7: drew in seat 0",
        "  game 6: lost in seat 1",
        "  game 5: won in seat 0",
        "  game 4: won in seat 1",
        "  game 3: won in seat 0",
        "  game 2: won in seat 1",
        "  game 1: won in seat 0",
    ]


@pytest.mark.parametrize(
    ("a", "words"),
    [
        ("ann", "ann won every game; at least +75 (95 %)"),
        ("bob", "bob lost every game; at most -75 (95 %)"),
    ],
)
def test_who_has_won_everything_is_told_what_that_proves(a: str, words: str) -> None:
    club(PAIR_WON * 6)
    b = "bob" if a == "ann" else "ann"
    assert f"Elo difference: not known, because {words}\n" in arena("results", "versus", a, b).out
    told = json.loads(arena("results", "versus", a, b, "--format", "json").out)
    assert (told["elo"], round(abs(told["bound"]))) == (None, 75)


def test_one_game_is_one_game(record: Path) -> None:
    assert asked(record, "results", "versus", "dan", "ann").out.startswith("dan against ann: 1 game\n")
    assert asked(record, "results", "versus", "eve", "ann").out == "eve against ann: 0 games\n"


def test_no_terminal_obeys_a_name_and_lines_stay_short(record: Path) -> None:
    out = asked(record, "results", "versus", sample_record.HOSTILE, "ann").out
    assert out.replace("\n", "").isprintable()
    assert max(map(cell_len, out.splitlines())) <= 110


def test_a_version_is_one_player_and_a_name_is_its_present_one(record: Path) -> None:
    assert (
        document(record, "results", "versus", "dan@1", "ann")["last"][0]["id"]
        != document(record, "results", "versus", "dan", "ann")["last"][0]["id"]
    )
    assert document(record, "results", "versus", "dan@2", "ann@1")["games"] == 1
    assert document(record, "results", "versus", "dan@2", "dan@1")["games"] == 0


def test_a_name_that_looks_like_a_version_is_a_name() -> None:
    club([("ann@uni", "bob", "1-0"), ("ann@1", "bob", "0-1")])
    assert json.loads(arena("results", "versus", "ann@uni", "bob", "--format", "json").out)["wins"] == 1
    assert json.loads(arena("results", "versus", "ann@1", "bob", "--format", "json").out)["losses"] == 1
    assert json.loads(arena("results", "versus", "ann@uni@1", "bob@1", "--format", "json").out)["wins"] == 1


@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_a_sequential_test_is_told(model: str) -> None:
    club(PAIR_WON * 12 + PAIR_EVEN * 4)
    options = ["--elo0", "0", "--elo1", "50", "--alpha", "0.1", "--beta", "0.2", "--model", model]
    told = json.loads(arena("results", "versus", "ann", "bob", *options, "--format", "json").out)
    expected = sprt([0, 0, 4, 0, 12], 0.0, 50.0, 0.1, 0.2, model)
    assert told["sprt"] == {
        "llr": expected.llr,
        "lower": expected.lower,
        "upper": expected.upper,
        "verdict": expected.verdict,
    }
    last = arena("results", "versus", "ann", "bob", *options).out.splitlines()[-1]
    assert last.startswith("sequential test: H1 accepted: ")
    assert last.endswith(f"(LLR {expected.llr:.2f}, bounds -1.50 and 2.08)")


def test_a_sequential_test_that_is_not_decided_says_so(record: Path) -> None:
    out = asked(record, "results", "versus", "ann", "bob", "--elo0", "0", "--elo1", "10").out
    assert "\nsequential test: undecided (LLR " in out


@pytest.mark.parametrize(
    ("filters", "games"),
    [
        ("--game tictactoe --tournament cs101", 2),
        ("--tournament evening", 1),
        ("--verdict time", 1),
        ("--fault bob", 1),
        ("--opening a1", 1),
        ("--since 2026-05-01T12:06", 3),
        ("--until 2026-05-01T12:02", 1),
        ("--min-plies 9 --max-plies 9", 1),
        ("--at 2026-05-01T12:02", 1),
        ("--at 2020-01-01", 0),
    ],
)
def test_games_are_chosen(record: Path, filters: str, games: int) -> None:
    assert document(record, "results", "versus", "ann", "bob", *filters.split())["games"] == games


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ann"], "missing B; for example: arena results versus"),
        (["ann", "bib"], "no player called 'bib' has played; did you mean 'bob'"),
        (["", "bob"], "no player called '' has played"),
        (["anne@1", "bob"], "no player called 'anne' has played; did you mean 'ann'"),
        (["ann", "ann"], "expected two players, or two versions of one, got 'ann' and 'ann'"),
        (["dan", "dan@1"], "got 'dan' and 'dan@1'"),
        (["dan@1", "dan@1"], "got 'dan@1' and 'dan@1'"),
        (["dan@3", "ann"], "expected dan@1 to dan@2, got 'dan@3'"),
        (["ann@01", "bob"], "expected ann@1, got 'ann@01'"),
        (["ann@", "bob"], "expected ann@1, got 'ann@'"),
        (["ann", "bob", "--elo0", "0"], "needs both --elo0 and --elo1"),
        (["ann", "bob", "--elo0", "5", "--elo1", "0"], "expected elo0 below elo1"),
        (["ann", "bob", "--elo0", "0", "--elo1", "nan"], "expected elo0 below elo1"),
        (["ann", "bob", "--elo0", "0", "--elo1", "9", "--alpha", "0"], "expected alpha between 0 and 0.5, got 0"),
        (["ann", "bob", "--elo0", "0", "--elo1", "9", "--beta", "1"], "expected beta between 0 and 0.5, got 1"),
        (["ann", "bob", "--model", "elo"], "got 'elo'"),
        (["ann", "bob", "--tournament", "cs102"], "there is no tournament 'cs102'"),
        (["ann", "bob", "--at", "now"], "--at: expected a date"),
        (["ann", "bob", "--format", "xml"], "got 'xml'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_one_error(record: Path, arguments: list[str], words: str) -> None:
    ended = asked(record, "results", "versus", *arguments, columns=200)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert "Traceback" not in ended.err


# Version by version.


def test_progress_is_an_array_of_versions(record: Path) -> None:
    versions = document(record, "results", "progress", "dan")
    assert all(list(one) == VERSION for one in versions)
    assert [(one["version"], one["games"]) for one in versions] == [("dan@1", 1), ("dan@2", 1)]
    assert versions[0]["better"] is None
    assert 0.0 < versions[1]["better"] < 1.0
    rows = list(csv.DictReader(io.StringIO(asked(record, "results", "progress", "dan", "--format", "csv").out)))
    assert [float(row["rating"]) for row in rows] == [one["rating"] for one in versions]
    assert [row["at"] for row in rows] == [one["at"] for one in versions]


def test_progress_shows_a_row_a_version(record: Path) -> None:
    header, first, second = asked(record, "results", "progress", "dan").out.splitlines()
    assert header.split() == [*("version", "games", "rating", "±", "better", "than", "before", "last", "game", "(UTC)")]
    assert [first.split()[0], second.split()[0]] == ["dan@1", "dan@2"]
    assert len(second.split()) == len(first.split()) + 1
    assert second.index("%") == header.index("before") + len("before") - 1


@pytest.mark.parametrize(
    ("filters", "total"),
    [
        ("--tournament cs101", 6),
        ("--game pig", 1),
        ("--verdict time", 1),
        ("--fault cleo", 1),
        ("--opening a1", 1),
        ("--since 2026-05-01T12:07 --until 2026-05-01T12:10", 3),
        ("--min-plies 9 --max-plies 9", 1),
        ("--at 2026-05-01T12:03", 1),
    ],
)
def test_progress_is_told_from_the_games_that_are_wanted(record: Path, filters: str, total: int) -> None:
    (version,) = document(record, "results", "progress", "ann", *filters.split())
    assert version["games"] == total


def test_progress_is_measured_from_an_anchor_and_with_a_prior(record: Path) -> None:
    usual = document(record, "results", "progress", "ann")[-1]["rating"]
    held = document(record, "results", "progress", "ann", "--anchor", "bob=1000")[-1]["rating"]
    assert held > usual + 500
    assert abs(document(record, "results", "progress", "ann", "--prior", "100")[-1]["rating"]) < abs(held)
    assert document(record, "results", "progress", "ann", "--prior", "1")[-1]["rating"] == usual


def test_progress_is_drawn(record: Path) -> None:
    ended = asked(record, "results", "progress", "ann", "--svg", "ann.svg")
    assert (ended.code, ended.err) == (0, "written: ann.svg\n")
    assert Path("ann.svg").read_text("utf-8").startswith("<svg")


def test_who_has_no_rated_game_has_no_progress(record: Path) -> None:
    assert asked(record, "results", "progress", "eve").out == "eve has no rated game\n"
    assert document(record, "results", "progress", "eve") == []
    club(PAIR_WON)
    out = arena("results", "progress", "ann", "--prior", "0").out
    assert out == "ann has no rated game from which a rating follows without a prior\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "missing AGENT; for example: arena results progress"),
        (["anne"], "no player called 'anne' has played; did you mean 'ann'"),
        (["ann@1"], "no player called 'ann@1' has played; did you mean 'ann'"),
        (["ann", "--anchor", "bib=1"], "no anchor 'bib': no rated player has that name; did you mean 'bob'"),
        (["ann", "--anchor", "bob"], "--anchor: expected NAME=RATING"),
        (["ann", "--prior", "-1"], "--prior: expected"),
        (["ann", "--svg", "no/where.svg"], "cannot write 'no/where.svg': No such file or directory"),
        (["ann", "--at", "now"], "--at: expected a date"),
        (["ann", "--format", "xml"], "got 'xml'"),
    ],
    ids=lambda value: " ".join(value) or "nobody" if isinstance(value, list) else "",
)
def test_what_is_wrong_with_progress_is_one_error(record: Path, arguments: list[str], words: str) -> None:
    ended = asked(record, "results", "progress", *arguments, columns=200)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err


@pytest.mark.parametrize("command", [["versus", "a", "b"], ["progress", "a"]], ids=" ".join)
def test_nobody_has_played_where_there_is_no_game(command: list[str]) -> None:
    ended = arena(*command)
    assert (ended.code, "there is no database arena.db" in ended.err) == (2, True)
    with Database("arena.db"):
        pass
    ended = arena(*command)
    assert (ended.code, ended.err) == (2, "arena: no player called 'a' has played\n")
