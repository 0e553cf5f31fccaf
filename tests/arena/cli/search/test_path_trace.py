"""`arena search trace` with a path search: the frontier and the explored places, step by step."""

import json
from pathlib import Path

from tests.kit.arena_program import arena


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
