"""`arena trace` with a path search: the frontier and the explored places, step by step."""

from tests.kit.arena_program import arena


def test_a_path_search_shows_the_frontier_and_the_explored_places() -> None:
    ended = arena("trace", "tree:inconsistent", "astar")
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
    alone = arena("trace", "maze:0,map=tiny", "breadth_first:graph=false", "--moves", "e e", "--depth", "2")
    assert alone.out.splitlines()[-1] == "no path found  expanded 3"
    assert max(map(len, arena("trace", "maze:0,map=detour", "astar").out.splitlines())) <= 80


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
        ended = arena("trace", "tree:routes", "astar", *options)
        assert (ended.code, ended.out) == (2, "")
        assert message in ended.err
    ended = arena("trace", "connect4", "astar:graph=false")
    assert (ended.code, ended.out) == (2, "")
    assert "astar searches path problems: games of one player without chance, such as maze:0" in ended.err
