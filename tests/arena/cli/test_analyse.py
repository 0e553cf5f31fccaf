"""`arena analyse`: the table, its numbers in JSON and CSV, the picture, and what it says where little can be said."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.arena.cli.terminal import arena


def play(*arguments: str) -> None:
    ended = arena("play", *arguments, "--quiet", "--seed", "5")
    assert ended.code == 0, ended.err


def test_mistakes_are_marked_with_what_was_better_and_the_next_command() -> None:
    play("tictactoe", "random", "alphabeta:depth=9")
    ended = arena("analyse", "last")
    assert (ended.code, ended.err) == (0, "")
    assert max(map(len, ended.out.splitlines())) <= 80
    assert "Values are for random (seat 0): 1 is the best, -1 the worst." in ended.out
    assert "??" in ended.out
    assert "look first at ply" in ended.out
    assert "  arena debug 1 --ply " in ended.out
    assert arena("analyse", "1").out == ended.out


def test_json_tells_all_seats_and_csv_a_line_a_ply() -> None:
    play("pig:goal=12", "random", "random")
    document = json.loads(arena("analyse", "last", "--format", "json", "--depth", "3").out)
    assert set(document) == {"id", "game", "players", "hidden", "moves", "seats"}
    assert [seat["player"] for seat in document["seats"]] == ["random", "random#2"]
    for move in document["moves"]:
        assert move["before"] == move["before_values"][0]
        assert (move["player"] is None) == (move["who"] == "chance")
        assert (move["loss"] is None) == (move["who"] == "chance")
    rows = list(csv.DictReader(io.StringIO(arena("analyse", "last", "--format", "csv", "--depth", "3").out)))
    assert [row["move"] for row in rows] == [move["move"] for move in document["moves"]]
    assert [row["mark"] for row in rows] == [move["mark"] for move in document["moves"]]


@pytest.mark.parametrize(
    ("game", "players", "words"),
    [
        ("kuhn", 2, "It sees all cards, which no player did: so no move is called a mistake."),
        ("ludo:players=3,tokens=1", 3, "Values are for whoever moved (at throws of dice for seat 0)"),
        ("maze:ghosts=random,map=tiny,steps=5", 1, "Values are for random (seat 0)"),
    ],
)
def test_it_says_whose_the_values_are_and_what_it_sees(game: str, players: int, words: str) -> None:
    play(game, *["random"] * players)
    ended = arena("analyse", "last", "--depth", "1")
    assert ended.code == 0, ended.err
    assert words in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80


def test_the_picture_is_written(tmp_path: Path) -> None:
    play("connect4", "random", "random")
    ended = arena("analyse", "last", "--depth", "2", "--svg", "value.svg")
    assert "written: value.svg" in ended.err
    assert ElementTree.parse(tmp_path / "value.svg").getroot().get("role") == "img"


def test_awkward_names_are_shown_so_that_no_terminal_obeys(record: Path) -> None:
    for id in ("evening-1", "evening-2", "evening-3", "evening-4"):
        ended = arena("analyse", id, "--db", str(record), "--depth", "1", "--svg", "odd.svg")
        assert ended.code in (0, 2), ended.err
        assert "\x1b" not in ended.out + ended.err
        if ended.code == 0:
            ElementTree.parse("odd.svg")


def test_a_game_without_moves_is_one_error(record: Path) -> None:
    codes = []
    for id in range(1, 30):
        ended = arena("analyse", str(id), "--db", str(record), "--depth", "1")
        codes.append(ended.code)
        assert ended.code in (0, 2)
        if ended.code:
            assert (len(ended.err.splitlines()), ended.out) == (1, "")
            assert ended.err.startswith("arena: ")
    assert {0, 2} == set(codes)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["last", "--depth", "3", "--seconds", "1"], "expected --depth or --seconds, got both"),
        (["1", "--depth", "0"], "--depth: expected at least 1, got '0'"),
        (["nobody-1"], "there is no tournament 'nobody'"),
        (
            ["1", "--svg", "no/such/folder.svg", "--depth", "1"],
            "cannot write 'no/such/folder.svg': No such file or directory",
        ),
    ],
)
def test_a_wrong_argument_is_one_clear_error(record: Path, arguments: list[str], words: str) -> None:
    ended = arena("analyse", *arguments, "--db", str(record))
    assert ended.code == 2
    assert words in " ".join(ended.err.split())
    assert "Traceback" not in ended.err
