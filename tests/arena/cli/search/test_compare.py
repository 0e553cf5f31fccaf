"""`arena search compare`: our searches side by side, and a student's own search function beside them."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from adsearch import games
from adsearch.size import effective_branching
from arena.course.lecture.comparison import gains, worker_processes
from arena.errors import ArenaError
from tests.kit.arena_program import arena
from tests.kit.effort import PATIENCE
from tests.kit.places import EXAMPLES

# Our searches.


def test_path_searches_are_compared_by_cost_and_expanded_nodes() -> None:
    rows = compared("tree:routes", "depth_first", "breadth_first", "uniform_cost", "astar", "--depth", "4")
    assert [(row["value"], row["nodes"], row["move"]) for row in rows] == [
        (11, 4, "A"),
        (10, 5, "C"),
        (7, 6, "B"),
        (7, 3, "B"),
    ]
    [row] = compared("tree:routes", "astar", "--depth", "1")
    assert (row["value"], row["move"]) == (None, None), "no path of one move"


def compared(*arguments: str) -> list[dict[str, Any]]:
    """What `arena search compare --format json` prints."""
    ended = arena("search", "compare", *arguments, "--format", "json")
    assert ended.code == 0
    read: list[dict[str, Any]] = json.loads(ended.out)
    return read


def test_a_parallel_search_that_the_node_limit_ends_is_left_out() -> None:
    """It never visits more nodes than the limit: it must not look complete, with a wrong value."""
    ended = arena("search", "compare", "connect4", "parallel", "--depth", "4-6", "--nodes", "5000", "--format", "json")
    assert [(row["depth"], row["nodes"]) for row in json.loads(ended.out)] == [(4, 1357)]
    assert ended.err == "arena: parallel: depth 5 takes more than 5,000 nodes; left out from this depth on\n"


def test_algorithms_stand_side_by_side() -> None:
    rows = compared("connect4", "--depth", "1-4", "minimax", "alphabeta", "alphabeta:table=true,ordering=true")
    assert [(row["depth"], row["algorithm"]) for row in rows] == [
        (depth, name)
        for depth in range(1, 5)
        for name in ("minimax", "alphabeta", "alphabeta:table=true,ordering=true")
    ]
    assert [row["nodes"] for row in rows if row["algorithm"] == "minimax"] == [8, 57, 400, 2801]
    assert all(row["branching"] == 7 for row in rows if row["algorithm"] == "minimax")
    assert not any(row["differs"] for row in rows)
    for depth in range(1, 5):
        at_depth = [row for row in rows if row["depth"] == depth]
        assert len({row["value"] for row in at_depth}) == 1
        assert at_depth[1]["nodes"] <= at_depth[0]["nodes"]
    assert set(rows[0]) == {
        *("depth", "algorithm", "value", "bound", "differs", "move", "nodes", "branching", "time"),
        *("positions", "leaves", "speed"),
    }


def test_the_table_fits_into_eighty_columns_and_its_numbers_are_those_of_the_json() -> None:
    ended = arena("search", "compare", "connect4", "--depth", "1-3", "minimax", "alphabeta", "pvs")
    assert (ended.code, ended.err) == (0, "")
    header, *lines = ended.out.splitlines()
    assert header.split() == [
        *("depth", "nodes", "distinct", "leaves", "time", "speed", "b", "value", "move", "algorithm")
    ]
    assert len(lines) == 9
    assert max(map(len, ended.out.splitlines())) <= 80
    assert lines[6].split()[:2] == ["3", "400"]


def test_different_positions_and_leaves_are_counted_once() -> None:
    tictactoe, alphabeta = compared("tictactoe", "--depth", "2", "minimax", "alphabeta")
    assert (tictactoe["nodes"], tictactoe["positions"], tictactoe["leaves"]) == (82, 82, 72)
    assert (alphabeta["positions"], alphabeta["leaves"]) == (alphabeta["nodes"], alphabeta["nodes"] - 10)
    (whole,) = compared("nap:6", "--depth", "6", "minimax")
    assert (whole["nodes"], whole["positions"]) == (217, 40)


def test_pvs_looks_at_no_other_leaves_than_alphabeta_though_it_visits_more() -> None:
    alphabeta, pvs = compared("connect4", "--depth", "5", "alphabeta", "pvs")
    assert pvs["leaves"] < alphabeta["leaves"]
    assert pvs["nodes"] > alphabeta["nodes"]


def test_positions_of_a_large_search_are_not_counted_and_neither_are_those_of_your_own_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.course.lecture.comparison._MOST_WATCHED", 200)
    small, large = compared("nap:6", "--depth", "3-4", "minimax")
    assert (small["nodes"], small["positions"]) == (121, 1 + 6 + 15 + 14)
    assert (large["nodes"], large["positions"], large["leaves"]) == (217, None, None)
    own = compared("nap:4", "--depth", "4", "mine.py:alphabeta")
    assert (own[0]["positions"], own[0]["leaves"]) == (None, None)


def test_a_window_is_for_all_algorithms_that_have_one_or_for_one() -> None:
    ended = arena("search", "compare", "tree:window", "alphabeta", "pvs", "minimax", "--depth", "2", "--window", "9,11")
    assert "arena: minimax has no window: it searches without --window\n" in ended.err
    assert [line.split()[1] for line in ended.out.splitlines()[1:]] == ["7", "7", "10"]
    both = compared("tree:window", "--depth", "2", "alphabeta", "alphabeta:alpha=9,beta=11")
    assert [(row["nodes"], row["value"], row["bound"]) for row in both] == [(9, 3, "exact"), (7, 7, "upper")]


def test_in_reverse_order_every_algorithm_tries_the_last_move_first_and_so_does_your_own_function() -> None:
    algorithms = ("alphabeta", "mine.py:alphabeta", "winning")
    rows = compared("tree:professors", "--depth", "4", "--order", "reversed", *algorithms)
    assert [row["nodes"] for row in rows] == [16, 16, 7]
    assert {row["move"] for row in rows} == {"D"}


def test_a_position_can_be_given_as_text_with_moves_to_play_from_it() -> None:
    given = compared("tree:professors", "--depth", "3", "minimax", "--position", "A C")
    played = compared("tree:professors", "--depth", "3", "minimax", "--moves", "C")
    assert given[0]["nodes"] == played[0]["nodes"] < compared("tree:professors", "--depth", "4", "minimax")[0]["nodes"]
    both = compared("tree:professors", "--depth", "3", "minimax", "--position", "A C", "--moves", "G")
    assert (both[0]["nodes"], both[0]["value"]) == (3, 8)


def test_a_search_that_needs_too_many_nodes_is_left_out_and_so_are_deeper_ones() -> None:
    ended = arena("search", "compare", "connect4", "minimax", "alphabeta", "--depth", "1-20", "--nodes", "1000")
    assert "arena: minimax: depth 4 takes more than 1,000 nodes; left out from this depth on\n" in ended.err
    assert [line.split()[0] for line in ended.out.splitlines()[1:] if line.endswith("minimax")] == ["1", "2", "3"]


def test_values_that_differ_are_flagged() -> None:
    ended = arena("search", "compare", "tictactoe", "--depth", "3", "minimax", "winning")
    assert ended.err == 'arena: a value marked "!" differs from the first algorithm at the same depth\n'
    assert [" ! " in line for line in ended.out.splitlines()[1:]] == [False, True]


def test_a_bound_is_shown_as_one() -> None:
    assert "<= 0" in arena("search", "compare", "tictactoe", "--depth", "9", "proof").out


def test_a_search_that_takes_too_long_is_left_out_and_so_are_deeper_ones() -> None:
    ended = arena("search", "compare", "connect4", "--depth", "2-20", "minimax", "--seconds", "0.2")
    assert ended.code == 0
    found = re.fullmatch(
        r"arena: minimax: depth (\d+) takes more than 0\.2 s; left out from this depth on\n", ended.err
    )
    assert found is not None
    assert [int(line.split()[0]) for line in ended.out.splitlines()[1:]] == list(range(2, int(found[1])))


def test_as_csv_numbers_are_plain() -> None:
    rows = list(
        csv.DictReader(
            io.StringIO(arena("search", "compare", "connect4", "--depth", "4", "minimax", "--format", "csv").out)
        )
    )
    assert (rows[0]["nodes"], rows[0]["depth"], rows[0]["bound"]) == ("2801", "4", "exact")


def test_after_ctrl_c_the_searches_that_ended_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_self: Any, found: Any, *_: Any) -> str:
        if found.nodes > 100:
            raise KeyboardInterrupt
        return ""

    monkeypatch.setattr("arena.course.lecture.comparison.Comparison._limit_reached", interrupt)
    ended = arena("search", "compare", "connect4", "minimax", "--depth", "1-20")
    assert ended.code == 130
    assert [line.split()[:2] for line in ended.out.splitlines()[1:]] == [["1", "8"], ["2", "57"]]
    assert ended.err == "\ninterrupted; the table has the searches that ended before\n"


@pytest.mark.parametrize(("width", "depth"), [(1, 5), (2, 10), (3, 4), (7, 8), (40, 3)])
def test_the_branching_of_a_uniform_tree_is_its_width(width: int, depth: int) -> None:
    nodes = sum(width**ply for ply in range(depth + 1))
    assert effective_branching(nodes, depth) == pytest.approx(width, abs=1e-3)


def test_the_branching_stands_for_any_number_of_nodes() -> None:
    assert effective_branching(1, 0) is None
    assert effective_branching(1, 5) == pytest.approx(0, abs=1e-3)
    assert effective_branching(10**9, 999) == pytest.approx(1.02, abs=0.01)
    assert effective_branching(sum(3**ply for ply in range(241)), 240) == pytest.approx(3, abs=1e-3)


# A search of one's own.


ALPHABETA = """
from math import inf

def alphabeta(state, depth, alpha=-inf, beta=inf):
    if state.turn is None or depth == 0:
        return state.evaluate(0), None
    best, move = (-inf, None) if state.turn == 0 else (inf, None)
    for each in state.moves():
        value, _ = alphabeta(state.play(each), depth - 1, alpha, beta)
        if (state.turn == 0 and value > best) or (state.turn == 1 and value < best):
            best, move = value, each
        if state.turn == 0:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best, move


def wrong(state, depth):
    return 0.5

def nothing(state, depth):
    if depth == 2:
        return 1 / 0
    return 0

def endless(state, depth):
    while True:
        pass

def cheat(state, depth):
    from adsearch import minimax
    return minimax.search(state, depth=depth).value
"""


@pytest.fixture(autouse=True)
def _a_students_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ALPHABETA, "utf-8")
    (tmp_path / "broken.py").write_text("def f(state)\n", "utf-8")


@pytest.mark.parametrize("game", ["connect4", "tictactoe", "othello:size=6", "checkers", "dots", "nap:n=20"])
@pytest.mark.parametrize("moves", [0, 1], ids=["first player", "second player"])
def test_a_right_function_has_our_value_move_and_nodes(game: str, moves: int) -> None:
    start = games.start(game)
    played = ["--moves", start.to_text(start.moves()[0])] if moves else []
    ended = arena(
        "search", "compare", game, "alphabeta", "mine.py:alphabeta", "--depth", "1-3", *played, "--format", "json"
    )
    assert ended.code == 0, ended.err
    rows = json.loads(ended.out)
    assert len(rows) == 6
    for ours, theirs in zip(rows[::2], rows[1::2], strict=True):
        for field in ("depth", "value", "nodes", "move"):
            assert theirs[field] == (pytest.approx(ours[field]) if field == "value" else ours[field])
        assert not theirs["differs"]


def test_a_wrong_value_is_marked() -> None:
    ended = arena("search", "compare", "connect4", "minimax", "mine.py:wrong", "--depth", "2")
    assert " 0.5 !" in ended.out
    assert ended.code == 0


def test_a_function_that_fails_is_left_out_from_that_depth_on_and_the_exit_code_says_so() -> None:
    ended = arena("search", "compare", "connect4", "minimax", "mine.py:nothing", "--depth", "1-3")
    assert ended.code == 1
    assert "mine.py:nothing: mine.py, line 26: ZeroDivisionError: division by zero; left out from depth 2" in ended.err
    assert ended.out.count("mine.py:nothing") == 1
    assert ended.out.count("minimax") == 3


@pytest.mark.costly
def test_a_function_without_an_end_is_left_out_after_the_time_limit() -> None:
    ended = arena("search", "compare", "tictactoe", "minimax", "mine.py:endless", "--depth", "1-2", "--seconds", "1")
    assert "mine.py:endless: depth 1 takes more than 1 s; left out" in ended.err
    assert "endless" not in ended.out


def test_a_function_cannot_use_our_searches() -> None:
    ended = arena("search", "compare", "tictactoe", "mine.py:cheat", "--depth", "1")
    assert ended.code == 1
    assert "our searches are not available" in ended.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nap", "alphbeta"], "no algorithm 'alphbeta'; did you mean 'alphabeta'?"),
        (["nap", "alphabeta:tabel=true"], "alphabeta: no option 'tabel'; did you mean 'table'?"),
        (["nap", "alphabeta:table"], "alphabeta: expected an option such as table=true, got 'table'"),
        (["nap", "alphabeta:table=maybe"], "alphabeta: table: expected true or false, got 'maybe'"),
        (["nap", "alphabeta:fail=hrd"], "alphabeta: fail: expected soft, hard, got 'hrd'"),
        (["nap", "alphabeta:depth=3"], "alphabeta: no option 'depth'"),
        (["nap", "alphabeta:table=true,table=true"], "alphabeta: option table is given twice"),
        (["nap", "selective:width=x"], "selective: width: expected a whole number, got 'x'"),
        (["nap", "minimax", "--depth", "3-1"], "--depth: expected a depth or a range of them"),
        (["nap", "minimax", "--depth", "x"], "--depth: expected a depth or a range of them"),
        (["pig", "minimax"], "minimax does not support chance"),
        (["nap"], "missing ALGORITHM"),
        (["nap", "alphabeta", "--window", "9"], "--window: expected a window such as 9,11 or -inf,3, got '9'"),
        (
            ["nap", "alphabeta", "--position", "1 2 3"],
            "--position: nap: 1, 2, 3 are in arithmetic progression",
        ),
        (["connect4", "mine.py"], "expected FILE.py:FUNCTION, such as mine.py:alphabeta, got 'mine.py'"),
        (["connect4", "other.py:f"], "'other.py' does not exist"),
        (["connect4", "mine.py:alphbeta"], "mine.py:alphbeta: expected a function alphbeta in mine.py; it has"),
        (["connect4", "broken.py:f"], "broken.py:f: broken.py, line 1: SyntaxError"),
        (["kuhn", "mine.py:alphabeta"], "can search only games of one or two players, without hidden cards"),
    ],
)
def test_a_wrong_argument_is_one_clear_error(arguments: list[str], words: str) -> None:
    ended = arena("search", "compare", "--depth", "1", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert words in " ".join(ended.err.split())


def test_a_game_in_a_students_own_file_is_searched_too(tmp_path: Path) -> None:
    (tmp_path / "countdown.py").write_text((EXAMPLES / "countdown.py").read_text("utf-8"), "utf-8")
    ended = arena("search", "compare", "countdown.py:Countdown", "alphabeta", "mine.py:alphabeta", "--format", "json")
    assert ended.code == 0, ended.err
    assert not any(row["differs"] for row in json.loads(ended.out))


# Parallel search.


@pytest.mark.costly
def test_parallel_has_the_value_and_move_of_alphabeta_and_its_waste_is_told() -> None:
    ended = arena("search", "compare", "connect4", "alphabeta", "parallel", "--processes", "2", "--depth", "4-5")
    assert (ended.code, ended.err) == (0, "")
    *_, one, other = ended.out.splitlines()
    plain, parallel = compared("connect4", "alphabeta", "parallel", "--processes", "2", "--depth", "5")
    wasted = parallel["nodes"] - plain["nodes"]
    assert wasted == 2288
    assert (plain["value"], plain["move"]) == (parallel["value"], parallel["move"])
    assert one.startswith("depth 4, 2 processes: ")
    assert other.startswith("depth 5, 2 processes: ")
    assert other.endswith("; 2,288 nodes wasted (57%)")


@pytest.mark.costly
@pytest.mark.parametrize("game", ["tictactoe:m=2,n=4,k=2", f"{EXAMPLES}/countdown.py:Countdown:n=9"])
def test_positions_of_any_game_are_sent_to_the_processes(game: str) -> None:
    for order in ("given", "reversed"):
        plain, parallel = compared(
            game, "alphabeta", "parallel", "--processes", "2", "--depth", "4", "--order", order, "--seconds", "60"
        )
        assert (plain["value"], plain["move"]) == (parallel["value"], parallel["move"])


LOCK = Lock()


def lock_is_free(_: object) -> Any:
    return not LOCK.locked()


@pytest.mark.costly
def test_workers_do_not_inherit_a_lock_that_a_thread_holds() -> None:
    jobs: list[Any] = [1, 2]
    with LOCK, worker_processes(2, "nap") as workers:
        free: list[Any] = [*workers(lock_is_free, jobs)]
    assert free == [True, True]


@pytest.mark.costly
def test_a_worker_that_is_killed_is_an_error_in_words() -> None:
    codes: list[Any] = [1]
    kill: Any = os._exit
    expected = pytest.raises(ArenaError, match=r"^a process that searched was killed from outside; ")
    with expected, worker_processes(2, "nap") as workers:
        [*workers(kill, codes)]


@pytest.mark.costly
def test_ctrl_c_ends_the_processes_at_once_and_quietly() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", *["compare", "connect4", "parallel", "--processes", "2", "--depth", "20"]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGINT)  # the terminal sends it to all of them
    # The output ends when the last of the processes has ended.
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in err


def test_processes_without_parallel_are_refused() -> None:
    ended = arena("search", "compare", "connect4", "alphabeta", "--processes", "2")
    assert (ended.code, ended.out) == (2, "")
    assert "--processes is for parallel; add it to the algorithms, such as alphabeta parallel" in ended.err


def test_a_gain_is_the_time_of_alphabeta_by_that_of_parallel() -> None:
    rows = [
        {"algorithm": "alphabeta", "depth": 3, "time": 300, "nodes": 1000},
        {"algorithm": "parallel", "depth": 3, "time": 200, "nodes": 1250},
        {"algorithm": "parallel", "depth": 4, "time": 200, "nodes": 1250},
    ]
    assert [*gains(rows, 4)] == ["depth 3, 4 processes: 1.50 times as fast as alphabeta; 250 nodes wasted (25%)"]
    rows[0]["time"] = 3
    assert "depth 3, 1 process: too fast to time; " in next(gains(rows, 1))
