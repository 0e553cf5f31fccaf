"""`arena search trace` and `arena search tree`, as a user sees them."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.kit.arena_program import arena
from tests.kit.game_facts import facts


def test_a_trace_is_the_table_of_the_lecture_and_the_result() -> None:
    ended = arena("search", "trace", "tree:professors", "alphabeta")
    assert (ended.code, ended.err) == (0, "")
    header, *rows, summary = ended.out.splitlines()
    assert header.split() == ["event", "alpha", "beta", "returned"]
    wanted = [
        [str(cell) for cell in row if cell is not None] for row in facts("trees.json")["professors"]["alphabeta_events"]
    ]
    assert [row.removesuffix("cut-off").split() for row in rows] == wanted
    assert summary == "value 1  move D  line D L U  nodes 20"


def test_table_is_what_it_prints_anyway() -> None:
    assert arena("search", "trace", "nap:4", "minimax", "--table") == arena("search", "trace", "nap:4", "minimax")


def test_calls_end_with_what_the_root_reports() -> None:
    *calls, summary = arena("search", "trace", "tree:four_leaves", "minimax", "--calls").out.splitlines()
    assert calls[-1] == "   reports largest of (2, 1) = 2"
    assert summary.startswith("value 2  move b  line b d  nodes 7")


def test_a_window_gives_a_bound_soft_or_hard() -> None:
    soft = arena("search", "trace", "tree:window", "alphabeta", "--window", "9,11").out.splitlines()
    assert soft[1].split() == ["init", "root", "9", "11"]
    assert soft[-1].startswith("value <= 7 ")
    hard = arena("search", "trace", "tree:window", "alphabeta", "--window", "9,11", "--fail", "hard").out.splitlines()
    assert hard[-1].startswith("value <= 9 ")
    again = arena("search", "trace", "tree:window", "alphabeta", "--window", "-inf,7").out.splitlines()
    assert again[-1].startswith("value 3 ")
    above = arena("search", "trace", "tree:window", "alphabeta", "--window=-9,2").out.splitlines()
    assert above[-1].startswith("value >= 3 ")


def test_order_reversed_begins_with_the_last_move() -> None:
    rows = arena("search", "trace", "tree:best_first", "alphabeta", "--order", "reversed").out.splitlines()
    assert rows[2].split()[0] == "A->D"
    assert rows[-1] == "value 6  move B  line B b1  nodes 13"


def test_order_reversed_is_for_every_search_and_the_picture_keeps_the_order_of_the_game() -> None:
    *lines, summary = arena(
        "search", "trace", "tree:professors", "winning", "--order", "reversed", "--tree"
    ).out.splitlines()
    assert [line for line in lines if "pruned" in line] == ["├╌ B MIN  pruned", "├╌ C MIN  pruned"]
    assert lines[3].split()[1] == "D"
    assert summary == "value >= 1  move D  line D L U  nodes 7"
    assert (
        arena("search", "trace", "tree:coins", "expectiminimax", "--order", "reversed")
        .out.splitlines()[2]
        .startswith("A->tails")
    )


def test_a_position_is_a_text_and_moves_are_played_from_it() -> None:
    ended = arena("search", "trace", "tree:professors", "alphabeta", "--position", "A C", "--moves", "J")
    assert [line.split()[0] for line in ended.out.splitlines()[1:3]] == ["init", "J->Q"]
    assert arena("search", "tree", "tree:professors", "--position", "A D K").out == "K MAX = 2\n┕━ T = 2\n"
    assert "--position: tictactoe: expected" in arena("search", "solve", "tictactoe", "--position", "xxx/.../...").err
    assert arena("search", "solve", "tictactoe", "--position", "xx./oo./...").out.startswith(
        "the first player wins in 1 ply"
    )


def test_depth_and_moves_say_which_part_is_searched() -> None:
    ended = arena("search", "trace", "connect4", "alphabeta", "--depth", "1", "--moves", "4 4", "--calls")
    leaves = [line.split(":")[0].strip() for line in ended.out.splitlines() if "level 1" in line]
    assert leaves == ["1", "2", "3", "4", "5", "6", "7"]


def test_moves_may_be_outcomes_of_chance() -> None:
    ended = arena("search", "trace", "tree:coins", "expectiminimax", "--moves", "heads C", "--calls")
    assert ended.out.splitlines()[0].startswith("C")
    assert ended.out.splitlines()[-1].startswith("value 3 ")


def test_null_windows_are_explained() -> None:
    ended = arena("search", "trace", "tree:binary", "pvs")
    assert "4+" in ended.out
    assert "(5+ is the next floating-point number above 5" in ended.out
    assert "(5+" not in arena("search", "trace", "tree:binary", "alphabeta").out


def test_the_tree_of_a_search_shows_what_was_pruned(tmp_path: Path) -> None:
    ended = arena("search", "trace", "tree:professors", "alphabeta", "--tree")
    assert "│     ├╌ R  pruned" in ended.out.splitlines()
    assert "event" not in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80
    drawn = arena("search", "trace", "tree:professors", "alphabeta", "--svg", "p.svg", "--dot", "p.dot", cwd=tmp_path)
    assert drawn.out == "value 1  move D  line D L U  nodes 20\n"
    assert drawn.err == "written: p.svg\nwritten: p.dot\n"
    title = ElementTree.parse(tmp_path / "p.svg").getroot()[0].text
    assert title == "tree:professors searched by alphabeta"
    assert (tmp_path / "p.dot").read_text("utf-8").startswith("digraph")


def test_a_long_trace_prints_its_beginning_and_says_so() -> None:
    ended = arena("search", "trace", "nap:11", "minimax", "--depth", "5")
    assert ended.code == 0
    *rows, more, summary = ended.out.splitlines()
    assert len(rows) == 1 + 5000
    assert re.fullmatch(r"\.\.\. and \d+,\d{3} more events; limit the depth \(--depth\) to see them all", more)
    assert summary.startswith("value ")


def test_tree_draws_nap_whole_with_its_values() -> None:
    ended = arena("search", "tree", "nap:4")
    assert (ended.code, ended.err) == (0, "")
    assert len(ended.out.splitlines()) == 29
    assert ended.out.splitlines()[:4] == ["root MAX = 1", "┝━ 1 MIN = 1", "│  ┝━ 2 MAX = 1", "│  │  ┕━ 4 = 1"]


def test_tree_draws_the_first_plies_of_a_larger_game_into_files(tmp_path: Path) -> None:
    (tmp_path / "t.svg").write_text("older")
    ended = arena(
        "search",
        "tree",
        "tictactoe",
        "--depth",
        "2",
        "--moves",
        "b2 a1",
        "--svg",
        "t.svg",
        "--dot",
        "t.dot",
        cwd=tmp_path,
    )
    assert (ended.code, ended.out, ended.err) == (0, "", "written: t.svg\nwritten: t.dot\n")
    root = ElementTree.parse(tmp_path / "t.svg").getroot()
    assert root[0].text == "The tree of tictactoe, after b2 a1"
    assert root[1].text == "50 nodes. The value of root is 0. Best play: b1, b3."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["trace", "nap:4", "alphabta"], "no algorithm 'alphabta'; did you mean 'alphabeta'?"),
        (["trace", "nap:4", "minimax", "--window", "1,2"], "minimax takes no --window; it takes --depth"),
        (["trace", "nap:4", "pvs", "--fail", "hard"], "pvs takes no --fail; it takes --depth, --order, --window"),
        (["trace", "nap:4", "alphabeta", "--fail", "loud"], "--fail: expected one of soft, hard, got 'loud'"),
        (["trace", "nap:4", "alphabeta", "--window", "nan,1"], "expected a window such as 9,11"),
        (["trace", "nap:4", "alphabeta", "--window", "3,1"], "expected a window with alpha below beta, got [3, 1]"),
        (["trace", "nap:4", "alphabeta", "--depth", "-1"], "expected a depth of 0 or more plies, got -1"),
        (["trace", "nap:4", "alphabeta", "--moves", "1 1"], "ply 2: expected a legal move, got '1': 1 is marked"),
        (["trace", "kuhn", "alphabeta"], "alphabeta does not support chance"),
        (["trace", "tictactoe", "minimax", "--depth", "5", "--svg", "x.svg"], "at most 2,000 nodes"),
        (["tree", "nap"], "at most 2,000 nodes and 200 plies to draw; limit its depth (--depth)"),
        (["tree", "nap"], "This one has 39,692,669 nodes; arena search size nap measures the game"),
        (
            ["tree", "tictactoe", "--depth", "5"],
            "This one has 18,730 nodes in its first 5 plies; arena search size tictactoe",
        ),
        (["tree", "nap:4", "--depth", "-2"], "expected a depth of 0 or more plies to draw, got -2"),
        (["tree", "nap:4", "--moves", "x"], "--moves, ply 1: expected a legal move (1, 2, 3, 4), got 'x'"),
        (
            ["tree", "pig", "--depth", "1", "--nodes", "problems"],
            "nodes as problems, OR and AND: expected a game of MAX",
        ),
        (["trace", "pig", "mcts", "--nodes", "problems", "--calls"], "nodes as problems, OR and AND"),
        (["tree", "tree:coins", "--nodes", "boards"], "nodes as boards: expected a game with a board"),
        (["tree", "nap:4", "--nodes", "position"], "--nodes: expected one of moves, positions, problems, boards"),
        (["tree", "nap:4", "--svg", "/nowhere/x.svg"], "there is no folder '/nowhere'"),
        (["trace", "nap:4", "pvs", "--svg", "a", "--html", "./a"], "'a' is given for two files"),
        (["tree", "nap:4", "--svg", "/"], "cannot write '/': it is a folder; name a file in it"),
    ],
)
def test_bad_input_gets_one_clear_error(arguments: list[str], message: str, tmp_path: Path) -> None:
    ended = arena(*arguments, columns=200, cwd=tmp_path)
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert list(tmp_path.iterdir()) == []


def test_a_game_that_fails_while_it_is_played_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text(
        "from adsearch import State\n\n\nclass Broken(State):\n    turn = 0\n\n"
        "    def moves(self):\n        return {}['oops']\n\n    def position(self):\n        return 'x'\n"
    )
    ended = arena("search", "trace", f"{file}:Broken", "minimax", "--depth", "2")
    assert ended.code == 1
    assert ended.err.startswith("arena: KeyError: 'oops' (")
    assert "broken.py, line 8" in ended.err
    assert len(ended.err.splitlines()) == 1


def test_an_option_given_twice_is_refused() -> None:
    ended = arena("search", "trace", "tree:window", "alphabeta:fail=hard", "--fail", "soft")
    assert (ended.code, ended.out) == (2, "")
    assert "fail is given twice" in ended.err


def test_a_picture_without_a_place_is_refused_before_the_search() -> None:
    ended = arena("search", "trace", "tree:window", "alphabeta", "--svg", "/nowhere/x.svg")
    assert (ended.code, ended.out) == (2, "")
    assert "there is no folder '/nowhere'" in ended.err


def test_nodes_of_a_table_and_a_tree_show_what_is_asked_for() -> None:
    ended = arena("search", "trace", "grundy:7", "winning", "--table", "--tree", "--nodes", "problems")
    assert (ended.code, ended.err) == (0, "")
    assert "W(7+)->W(6-1-)" in ended.out
    assert "W(7+) OR = -1" in ended.out


def test_the_tree_of_tic_tac_toe_is_folded() -> None:
    ended = arena("search", "tree", "tictactoe", "--depth", "2", "--fold")
    assert (ended.code, len(ended.out.splitlines())) == (0, 16)
    assert ended.out.startswith("root MAX = 0\n┝━ a1 MIN = 0  4 alike\n")


def test_boards_need_a_tree() -> None:
    ended = arena("search", "trace", "nap:4", "alphabeta", "--nodes", "boards")
    assert (ended.code, ended.out) == (2, "")
    assert "--nodes boards works only with --tree, --svg, --dot or --html" in ended.err


def test_html_writes_a_page_with_all_steps(tmp_path: Path) -> None:
    file = tmp_path / "search.html"
    ended = arena("search", "trace", "tree:four_leaves", "alphabeta", "--html", str(file))
    assert (ended.code, ended.out) == (0, "value 2  move b  line b d  nodes 6\n")
    assert ended.err == f"written: {file}\n"
    page = file.read_text("utf-8")
    assert "tree:four_leaves searched by alphabeta" in page
    _, *events, _ = arena("search", "trace", "tree:four_leaves", "alphabeta").out.splitlines()
    assert page.count("data-says") == len(events) + 1


def test_html_refuses_a_search_that_is_too_large_and_prints_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "search.html"
    ended = arena("search", "trace", "connect4", "alphabeta", "--depth", "4", "--html", str(file))
    assert (ended.code, ended.out) == (2, "")
    assert "at most 2,000 steps" in ended.err
    assert not file.exists()


def test_the_value_is_the_one_at_the_root_of_the_tree_and_says_for_whom_if_min_moves() -> None:
    for search, value in (("expectiminimax", "2 for MAX"), ("expectimax", "-2 for MIN")):
        tree = arena("search", "trace", "tree:bounded_below", search, "--tree").out.splitlines()
        assert tree[-1].startswith(f"value {value}  move")
        assert tree[0].startswith(f"A MIN = {value.split()[0]}")


def test_a_value_from_the_table_is_marked_in_the_table_of_events_and_in_the_tree() -> None:
    rows = arena("search", "trace", "nap:4", "alphabeta:table=true").out.splitlines()
    assert [row.split() for row in rows if "table" in row] == [["2->1", "1", "1", "1", "table,", "cut-off"]]
    assert (
        "├─ 2 MIN ≤ 1  [1, +inf]\n│  ├─ 1 MAX = 1  table\n"
        in arena("search", "trace", "nap:4", "alphabeta:table=true", "--tree").out
    )


# `arena search trace` with a path search: the frontier and the explored places, step by step.


def test_a_path_search_shows_the_frontier_and_the_explored_places() -> None:
    ended = arena("search", "trace", "tree:inconsistent", "astar")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "step  node  from  g  h  f  frontier         explored",
        "   1  S           0  2  2  B 2; A 5         S",
        "   2  B     S     1  1  2  C 4; A 5         S B",
        "   3  C     B     3  1  4  A 5; G 6         S B C",
        "   4  A     S     1  4  5  C 3; G 6         S B C A",
        "   5  C     A     2  1  3  explored before  S B C A",
        "   6  G     C     6  0  6  goal             S B C A",
        "cost 6  moves 3  path B C G  expanded 4",
    ]
    alone = arena("search", "trace", "maze:0,map=tiny", "breadth_first:graph=false", "--moves", "e e", "--depth", "2")
    assert alone.out.splitlines()[-1] == "no path found  expanded 3"
    assert max(map(len, arena("search", "trace", "maze:0,map=detour", "astar").out.splitlines())) <= 80


def test_where_a_depth_limit_can_mislead_graph_search_the_last_line_says_so(tmp_path: Path) -> None:
    """The cheapest way to B has two moves, and then none is left for G."""
    to_goal = {"@costs": {"G": 1}, "G": 1}
    tree = {"@costs": {"A": 1, "B": 5}, "A": {"@costs": {"B": 1}, "B": to_goal}, "B": to_goal}
    (tmp_path / "detour.json").write_text(json.dumps({"players": 1, "tree": {"S": tree}}), "utf-8")
    for search, depth, line in (
        ("uniform_cost", "2", "no path found within the depth; graph=false may find one  expanded 2"),
        ("uniform_cost:graph=false", "2", "cost 6  moves 2  path B G  expanded 3"),
        ("breadth_first", "1", "no path found  expanded 1"),
        ("uniform_cost:graph=false", "1", "no path found  expanded 1"),
    ):
        ended = arena("search", "trace", f"tree:file={tmp_path}/detour.json", search, "--depth", depth)
        assert ended.out.splitlines()[-1] == line


def test_a_path_search_takes_no_window_and_draws_no_tree() -> None:
    for options, message in (
        (("--window", "1,2"), "astar takes no --window"),
        (
            ("--svg", "t.svg"),
            "astar is shown as a table only; leave out --calls, --tree, --svg, --dot, --html and --nodes",
        ),
        (("--nodes", "positions"), "astar is shown as a table only"),
        (("--tree",), "astar is shown as a table only"),
    ):
        ended = arena("search", "trace", "tree:routes", "astar", *options)
        assert (ended.code, ended.out) == (2, "")
        assert message in ended.err
    ended = arena("search", "trace", "connect4", "astar:graph=false")
    assert (ended.code, ended.out) == (2, "")
    assert "astar searches path problems: games of one player without chance, such as maze:0" in ended.err
