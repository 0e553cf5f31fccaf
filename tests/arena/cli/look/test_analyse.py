"""`arena replay --mistakes`: the table, its numbers in JSON and CSV, the picture, and where little can be said."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from db import store
from db.errors import DatabaseError
from tests.kit.arena_program import arena


def play(*arguments: str) -> None:
    ended = arena("play", *arguments, "--quiet", "--seed", "5")
    assert ended.code == 0, ended.err


def test_mistakes_are_marked_with_what_was_better_and_the_next_command() -> None:
    play("tictactoe", "random", "alphabeta:depth=9")
    ended = arena("replay", "--mistakes", "last")
    assert (ended.code, ended.err) == (0, "")
    assert max(map(len, ended.out.splitlines())) <= 80
    assert "Values are for random (seat 0): 1 is the best, -1 the worst." in ended.out
    assert "??" in ended.out
    assert "look first at ply" in ended.out
    assert "  arena replay 1 --debug --turn " in ended.out
    assert arena("replay", "--mistakes", "1").out == ended.out


LOSING = """
from agents import Agent

class Losing(Agent):
    def choose(self, state, clock):
        return state.from_text("a2") if len(state.moves()) > 6 else "nowhere"
"""


def test_a_fault_comes_before_every_mistake() -> None:
    Path("losing.py").write_text(LOSING)
    play("tictactoe", "alphabeta:depth=9", "losing.py", "--walls", "limits")
    lines = arena("replay", "--mistakes", "last").out.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("look first"))
    assert lines[first : first + 3] == [
        "look first at ply 4: losing played an illegal move",
        "  arena replay 1 --logs",
        "  arena replay 1 --debug --turn 4",
    ]
    assert "Values are for you, losing (seat 1): 1 is the best, -1 the worst." in lines
    assert lines[first + 3] == "before that, at ply 2: you played a2??"
    (plies, refutation) = re.findall(r"  you lose in (\d): (.*)", lines[first + 4])[0]
    assert len(refutation.split()) == int(plies)
    assert lines[first + 5].startswith("  better was: ")
    assert lines[first + 6] == "  arena replay 1 --ply 2"
    for line in lines[first:]:
        if line.startswith("  arena "):
            assert arena(*line.split()[1:]).code == ("--turn 4" in line), line


@pytest.mark.parametrize(
    ("game", "players", "told"),
    [
        ("connect4", ("alphabeta:depth=3", "minimax:depth=2"), "no single mistake of the loser found"),
        ("grundy", ("random", "random"), "no single mistake found"),
    ],
    ids=["of the winner alone", "of nobody"],
)
def test_where_no_mistake_is_seen_it_says_so_and_how_to_look_further(
    game: str, players: tuple[str, str], told: str
) -> None:
    play(game, *players)
    lines = arena("replay", "--mistakes", "last", "--depth", "1").out.splitlines()
    assert lines[-2:] == [f"{told} at this depth; search deeper:", "  arena replay 1 --mistakes --depth 3"]
    assert arena(*lines[-1].split()[1:]).code == 0


def test_where_all_is_proven_nobody_is_sent_to_look_deeper() -> None:
    play("tictactoe", "alphabeta:depth=9", "alphabeta:depth=9")
    assert arena("replay", "--mistakes", "last", "--depth", "9").out.endswith(
        "no single mistake found, and all values are proven\n"
    )


def test_a_program_is_not_sent_to_a_debugger_that_cannot_look_into_it() -> None:
    play("tictactoe", "alphabeta:depth=9", f"cmd:{shlex.quote(sys.executable)} -m agents random", "--walls", "limits")
    ended = arena("replay", "--mistakes", "last")
    assert "look first at ply" in ended.out
    assert "  arena replay 1 --ply " in ended.out
    assert "arena replay --debug" not in ended.out


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_what_is_said_is_as_wide_as_the_terminal(columns: int) -> None:
    play("ludo:players=3,tokens=1", "random", "maxn:depth=1", "paranoid:depth=1")
    lines = arena("replay", "--mistakes", "last", "--depth", "1", columns=columns).out.splitlines()
    sentences = lines[: next(number for number, line in enumerate(lines) if line.startswith("ply "))]
    assert max(map(len, sentences)) <= columns
    assert "-1#: proven; -1#5: proven, and the game ends in 5 plies; other values are estimates." in " ".join(
        " ".join(sentences).split()
    )


def test_ctrl_c_says_that_it_was_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    play("tictactoe", "random", "random")
    monkeypatch.setattr("arena.student.analysis.judge_moves", interrupted)
    ended = arena("replay", "--mistakes", "last")
    assert (ended.code, ended.out, ended.err) == (130, "", "interrupted\n")


def test_json_tells_all_seats_and_csv_a_line_a_ply() -> None:
    play("pig:goal=12", "random", "random")
    document = json.loads(arena("replay", "--mistakes", "last", "--format", "json", "--depth", "3").out)
    assert set(document) == {"id", "game", "players", "hidden", "moves", "seats"}
    assert [seat["player"] for seat in document["seats"]] == ["random", "random#2"]
    for move in document["moves"]:
        assert move["before"] == move["before_values"][0]
        assert (move["player"] is None) == (move["who"] == "chance")
        assert (move["loss"] is None) == (move["who"] == "chance")
    rows = list(
        csv.DictReader(io.StringIO(arena("replay", "--mistakes", "last", "--format", "csv", "--depth", "3").out))
    )
    assert [row["move"] for row in rows] == [move["move"] for move in document["moves"]]
    assert [row["mark"] for row in rows] == [move["mark"] for move in document["moves"]]


@pytest.mark.parametrize(
    ("game", "players", "words"),
    [
        ("kuhn", 2, "The search sees all cards, the players did not, so no move is called a mistake."),
        ("ludo:players=3,tokens=1", 3, "Values are for the player that moved (at chance events for seat 0)"),
        ("maze:ghosts=random,map=tiny,steps=5", 1, "Values are for random (seat 0)"),
    ],
)
def test_it_says_whose_the_values_are_and_what_it_sees(game: str, players: int, words: str) -> None:
    play(game, *["random"] * players)
    ended = arena("replay", "--mistakes", "last", "--depth", "1")
    assert ended.code == 0, ended.err
    assert words in ended.out
    assert ("average loss" in ended.out) == (game != "kuhn")
    assert max(map(len, ended.out.splitlines())) <= 80


def test_the_last_analysis_is_kept_for_sql() -> None:
    play("tictactoe", "random", "alphabeta:depth=9")
    for depth in ("1", "9"):
        document = json.loads(arena("replay", "--mistakes", "last", "--format", "json", "--depth", depth).out)
        kept = json.loads(arena("data", "sql", "select * from v_analysis order by ply", "--format", "json").out)
        assert [{**row, "who": int(row["who"])} for row in kept] == [
            {
                **{name: value for name, value in move.items() if name in kept[0]},
                "game": 1,
                "better": move["better"][0] if move["better"] else None,
                "line": " ".join(move["better"][1:]) or None,
                "answer": " ".join(move["answer"]) or None,
            }
            for move in document["moves"]
        ]
    assert any(row["better"] for row in kept)


def test_it_prints_everything_if_the_database_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*_: object) -> None:
        raise DatabaseError("attempt to write a readonly database")

    play("tictactoe", "random", "alphabeta:depth=9")
    before = arena("replay", "--mistakes", "last").out
    monkeypatch.setattr(store, "keep_analysis", read_only)
    ended = arena("replay", "--mistakes", "last")
    assert (ended.code, ended.out) == (0, before)
    assert ended.err == "the analysis was not kept: attempt to write a readonly database\n"


def test_the_picture_is_written(tmp_path: Path) -> None:
    play("connect4", "random", "random")
    ended = arena("replay", "--mistakes", "last", "--depth", "2", "--svg", "value.svg")
    assert "written: value.svg" in ended.err
    assert ElementTree.parse(tmp_path / "value.svg").getroot().get("role") == "img"


def test_awkward_names_are_shown_so_that_no_terminal_obeys(record: Path) -> None:
    for id in ("evening-1", "evening-2", "evening-3", "evening-4"):
        ended = arena("replay", "--mistakes", id, "--db", str(record), "--depth", "1", "--svg", "odd.svg")
        assert ended.code in (0, 2), ended.err
        assert "\x1b" not in ended.out + ended.err
        if ended.code == 0:
            ElementTree.parse("odd.svg")


def test_a_game_without_moves_is_one_error(record: Path) -> None:
    codes = []
    for id in range(1, 30):
        ended = arena("replay", "--mistakes", str(id), "--db", str(record), "--depth", "1")
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
    ended = arena("replay", "--mistakes", *arguments, "--db", str(record))
    assert ended.code == 2
    assert words in " ".join(ended.err.split())
    assert "Traceback" not in ended.err
