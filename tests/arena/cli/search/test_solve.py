"""`arena search solve`, as a user sees it."""

import csv
import io
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adsearch import games
from adsearch.games.checkers_endgames import path_of
from arena.cli.search.solve import _MOST_DEFENCES as MOST_LINES
from tests.kit.arena_program import Ended, arena
from tests.kit.effort import PATIENCE
from tests.kit.game_facts import facts, value


def told(ended: Ended) -> dict[str, str]:
    """The details that `arena search solve` prints after its verdict."""
    lines = ended.out.split("\n\n")[1].splitlines()
    return {name: text.strip() for name, _, text in (line.partition(" ") for line in lines)}


def solved(*arguments: str) -> dict[str, Any]:
    """What `arena search solve --format json` prints."""
    ended = arena("search", "solve", *arguments, "--format", "json")
    assert (ended.code, ended.err) == (0, "")
    read: dict[str, Any] = json.loads(ended.out)
    return read


def test_it_says_who_wins_and_when_and_shows_how() -> None:
    ended = arena("search", "solve", "nap:11")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("the first player wins in 5 plies\n")
    details = told(ended)
    assert details["value"] == "1 for the first player"
    assert details["distance"] == "5 plies"
    assert details["line"].split()[0] == "6"
    assert len(details["line"].split()) == 5


@pytest.mark.parametrize(
    ("arguments", "verdict"),
    [
        (["nap:6"], "the second player wins in 4 plies"),
        (["nap:1"], "the first player wins in 1 ply"),
        (["nap:4", "--moves", "2"], "the second player wins in 1 ply"),
        (["nap:2", "--moves", "1 2"], "the second player wins; the game is over"),
        (["tictactoe"], "a draw in 9 plies"),
        (["othello:size=4"], "the second player wins by 8"),
        (["dots:rows=2,columns=2"], "the first player wins by 2"),
        (["tree:professors"], "the first player wins by 1"),
        (["pig:goal=10"], "the first player wins 70.94 %"),
        (["pig:goal=5"], "the first player wins 79.70 %"),
        (["pig:goal=2,sides=2,bust=1,points=fixed"], "the first player wins 57.14 %"),
        # After a bust the second player is where the first one was.
        (["pig:goal=10", "--moves", "1"], "the first player wins 29.06 %"),
        (["maze:map=tiny,ghosts=random,steps=3"], "worth 107 to the player"),
    ],
)
def test_the_verdict_is_a_sentence(arguments: list[str], verdict: str) -> None:
    ended = arena("search", "solve", *arguments)
    assert ended.code == 0
    assert ended.out.splitlines()[0] == verdict


@pytest.mark.parametrize(
    ("game", "position", "verdict"),
    [
        ("chess", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "the first player wins in 1 ply"),
        ("chess", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "the first player wins in 3 plies"),  # Morphy's problem
        ("go:size=2,komi=0", "../.. x 0", "the first player wins by 1"),
    ],
)
def test_a_short_end_of_a_long_game_is_found_without_a_time_limit(game: str, position: str, verdict: str) -> None:
    ended = arena("search", "solve", game, "--position", position)
    assert ended.err == ""
    assert ended.out.startswith(f"{verdict}\n")


def test_as_json_it_is_one_object_with_fixed_fields() -> None:
    found = solved("nap:11")
    assert list(found) == ["value", "distance", "move", "line", "nodes", "time"]
    assert (found["value"], found["distance"], found["move"]) == (1, 5, "6")
    assert found["line"][0] == "6"
    assert isinstance(found["time"], int)
    pig = solved("pig:goal=10")
    assert (pig["value"] + 1) / 2 == pytest.approx(facts("games.json")["pig"]["first_player_wins"]["10"], abs=1e-11)
    assert (pig["move"], pig["line"], pig["distance"]) == (None, [], None)


def test_the_value_is_for_the_player_to_move() -> None:
    assert solved("nap:4", "--moves", "2")["value"] == 1
    assert solved("nap:4", "--moves", "1")["value"] == -1


def test_the_line_can_be_played_and_ends_the_game() -> None:
    state = games.start("connect4:rows=4,columns=4,line=3")
    for text in solved("connect4:rows=4,columns=4,line=3")["line"]:
        state = state.play(state.from_text(text))
    assert state.turn is None
    assert state.utilities()[0] == 1


def test_as_csv_it_is_one_row() -> None:
    (row,) = csv.DictReader(io.StringIO(arena("search", "solve", "nap:4", "--format", "csv").out))
    assert (row["value"], row["distance"], row["move"], row["line"]) == ("1.0", "3", "1", "1 2 4")


@pytest.mark.costly
def test_after_its_time_it_says_what_is_known() -> None:
    ended = arena("search", "solve", "connect4", "--seconds", "0.3")
    assert ended.code == 0
    pattern = r"not solved within 0\.3 s; at depth \d+ (the (first|second) player is ahead \(0\.\d+\)|neither .*)"
    assert re.fullmatch(pattern, ended.out.splitlines()[0])
    assert told(ended)["value"] == "not known"
    found = solved("connect4", "--seconds", "0.3")
    assert (found["value"], found["distance"]) == (None, None)
    assert found["move"] in "1234567"
    assert arena("search", "solve", "pig", "--seconds", "0.1").out.startswith("not solved within 0.1 s\n")
    assert arena("search", "solve", "ludo:players=3", "--seconds", "0.1").out.startswith(
        "not solved within 0.1 s; at depth "
    )


def test_the_winning_strategy_answers_every_move() -> None:
    ended = arena("search", "solve", "nap:6", "--strategy")
    tree = ended.out.split("\n\n")[2].splitlines()
    assert tree[0] == "the second player wins; the tree has one move for the winner and all moves for the opponent"
    path: list[str] = []
    leaves = 0
    for line, after in zip(tree[1:], [*tree[2:], ""], strict=True):
        depth = re.search(r"[├└]", line)
        assert depth is not None
        plies = depth.start() // 3
        path = [*path[:plies], line.split()[-1]]
        following = re.search(r"[├└]", after)
        if following is None or following.start() // 3 <= plies:
            leaves += 1
            state = games.start("nap:6")
            for text in path:
                state = state.play(state.from_text(text))
            assert state.turn is None
            assert state.utilities()[1] == 1
    assert leaves == 19
    assert [line.split()[-1] for line in tree[1:] if line[0] in "├└"] == list("123456")


def test_a_large_strategy_is_cut_and_says_how_much_was_left_out() -> None:
    ended = arena("search", "solve", "nap:14", "--strategy")
    tree = ended.out.split("\n\n")[2].splitlines()
    assert len(tree) <= 152
    left_out = re.fullmatch(
        r"([\d,]+) moves after the first (\d+) plies are left out; --moves shows more of them", tree[-1]
    )
    assert left_out is not None
    cut = [int(found[1].replace(",", "")) for line in tree if (found := re.search(r" \.\.\. ([\d,]+) more$", line))]
    assert sum(cut) == int(left_out[1].replace(",", ""))


def test_a_player_alone_who_cannot_win_has_no_strategy(tmp_path: Path) -> None:
    (tmp_path / "nothing.json").write_text('{"players": 1, "tree": {"A": {"B": 0, "C": -1}}}')
    ended = arena("search", "solve", "tree:file=nothing.json", "--strategy", cwd=tmp_path)
    assert ended.out.endswith("\nno player can force a win\n")


def test_a_draw_shows_how_each_player_holds_it() -> None:
    first, second = arena("search", "solve", "tictactoe", "--strategy").out.split("\n\n")[3:]
    assert first.splitlines() == [
        "the first player holds the draw:",
        "└─ a1",
        "   ├─ b1 (2 alike), c1 (2 alike): a2  wins",
        "   ├─ b2: b1",
        "   │  ├─ c1: a3",
        "   │  │  ├─ a2: c2",
        "   │  │  │  ├─ b3: c3  draw",
        "   │  │  │  └─ c3: b3  draw",
        "   │  │  └─ c2, b3, c3: a2  wins",
        "   │  └─ a2, c2, a3, b3, c3: c1  wins",
        "   └─ c2 (2 alike), c3: c1  wins",
    ]
    lines = second.splitlines()
    assert lines[:2] == ["the second player holds the draw:", "├─ a1 (4 alike): b2"]
    assert len(lines) == 152
    ends = {line.rpartition("  ")[2] for line in lines[1:] if "  " in line.partition(": ")[2]}
    assert ends <= {"wins", "draw"}, "the whole of it is shown"


@pytest.mark.costly
def test_a_longer_draw_shows_its_first_moves_and_says_so() -> None:
    ended = arena("search", "solve", "connect4:rows=4,columns=4", "--strategy")
    assert max(map(len, (part.splitlines() for part in ended.out.split("\n\n")))) <= MOST_LINES + 3
    assert ended.out.endswith("(where a line ends with ... the game goes on; --moves shows more)\n")


def test_a_strategy_can_run_out_of_time() -> None:
    ended = arena("search", "solve", "connect4", "--strategy", "--seconds", "0.2")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "no winning strategy found within the time limit")


@pytest.mark.costly
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["conect4"], "no game 'conect4'; did you mean 'connect4'?"),
        (["nap:4", "--moves", "1 9"], "ply 2: expected a legal move"),
        (["kuhn"], "solve: this game has hidden information"),
        (["checkers"], "solve: this game is too large; --seconds 10 prints"),
        (["ludo:players=3"], "solve: this game is too large"),
        (["pig:goal=5", "--strategy"], "--strategy is for games of one or two players without chance"),
        (["nap:4", "--strategy", "--format", "json"], "--strategy is printed as a tree: leave out --format"),
        (["nap:4", "--seconds", "-1"], "--seconds: expected at least 0, got '-1'"),
    ],
)
def test_bad_input_gets_one_clear_error(arguments: list[str], message: str) -> None:
    ended = arena("search", "solve", *arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert message in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.costly
def test_an_interrupt_ends_it_at_once_and_quietly() -> None:
    code = "import arena.cli as cli; print('begun', flush=True); cli.app(['solve', 'connect4'])"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    try:
        process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err


def test_a_strategys_first_move_wins() -> None:
    text = arena("search", "solve", "nap:5", "--strategy").out.split("\n\n")[2].splitlines()[1].split()[-1]
    state = games.start("nap:5")
    assert value(state.play(state.from_text(text))) == 1


# `arena search tables` builds endgame tables once; `arena search solve --endgames` looks positions up in them.


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
