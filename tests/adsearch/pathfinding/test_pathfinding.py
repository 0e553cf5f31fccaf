"""Each path search finds a path, and the ones that promise the cheapest find it: compared with plain relaxation."""

import inspect
from collections import deque
from collections.abc import Callable, Hashable
from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsearch import Budget, Result, algorithms, games, searches
from adsearch.errors import BadOption, BadSearch
from adsearch.games.maze import Maze
from adsearch.games.tree import Tree, read
from adsearch.path_state import PathState
from adsearch.pathfinding.search import PathTrace
from adsearch.registry import dialects, pathfinding
from agents import builtin
from tests.kit.effort import tries
from tests.kit.every_game import EVERY

every_path_search = pytest.mark.parametrize("name", pathfinding.names())
tree_and_graph = pytest.mark.parametrize("graph", [False, True])
ADMISSIBLE = ("farthest", "manhattan", "pellets", "zero")


def search(name: str) -> Callable[..., Result[Any]]:
    found: Callable[..., Result[Any]] = pathfinding[name].search
    return found


def places(start: Any) -> tuple[dict[Hashable, Any], list[tuple[Hashable, float, Hashable]]]:
    """All places that can be reached, each with a position there, and the moves between them with their costs."""
    found, moves, queue = {start.place: start}, [], deque([start])
    while queue:
        state = queue.popleft()
        for move in state.moves():
            child = state.play(move)
            moves.append((state.place, state.cost(move), child.place))
            if child.place not in found:
                found[child.place] = child
                queue.append(child)
    return found, moves


def true_costs(start: Any) -> dict[Hashable, float]:
    """The cost of the cheapest path from each place to a goal: relaxation until nothing changes (Bellman, Ford)."""
    found, moves = places(start)
    costs = {place: 0.0 if state.goal else inf for place, state in found.items()}
    changed = True
    while changed:
        changed = False
        for place, cost, to in moves:
            if cost + costs[to] < costs[place]:
                costs[place] = cost + costs[to]
                changed = True
    return costs


def fewest_moves(start: Any) -> int:
    """The number of moves to the nearest goal, layer by layer."""
    layer, moves = [start], 0
    while not any(state.goal for state in layer):
        nexts = [state.play(move) for state in layer for move in state.moves()]
        layer, moves = [*{state.place: state for state in nexts}.values()], moves + 1
    return moves


def check_path(start: Any, result: Result[Any]) -> None:
    """The line is a legal path from `start` to a goal, and the value is its cost."""
    state, cost = start, 0.0
    for move in result.line:
        assert move in state.moves()
        cost += state.cost(move)
        state = state.play(move)
    assert state.goal
    assert result.value == cost
    assert result.move == (result.line[0] if result.line else None)
    assert result.distance == len(result.line)


@st.composite
def graphs(draw: st.DrawFn, *, consistent: bool = False) -> Tree:
    """A random path problem S, A, B, ..., G as a tree, with a heuristic that is admissible, and consistent if asked."""
    names = [*"SABCDE"[: draw(st.integers(1, 6))], "G"]
    edges: dict[str, dict[str, int]] = {}
    for number, name in enumerate(names[:-1]):
        onward = draw(st.lists(st.sampled_from(names[number + 1 :]), min_size=1, max_size=3, unique=True))
        edges[name] = {child: draw(st.integers(0, 6)) for child in onward}
    costs = {"G": 0.0}
    for name in reversed(names[:-1]):
        costs[name] = min(cost + costs[child] for child, cost in edges[name].items())
    share = draw(st.sampled_from([0.0, 0.5, 1.0])) if consistent else None
    heuristic = {
        name: cost * (draw(st.sampled_from([0.0, 0.5, 1.0])) if share is None else share)
        for name, cost in costs.items()
    }

    def node(name: str) -> Any:
        if name == "G":
            return 1
        children = {child: node(child) for child in edges[name]}
        return {"@costs": edges[name], "@heuristic": heuristic[name]} | children

    drawn = read({"players": 1, "tree": {"S": node("S")}})
    return Tree.at(drawn, drawn.root)


@st.composite
def maze_maps(draw: st.DrawFn) -> str:
    """A random small map without ghosts: open cells with two pellets, a power pellet, and some walls."""
    cells = draw(st.permutations(["P", ".", ".", "o", "%", "%", " ", " ", " "]))
    return "\n".join(["%%%%%", *("%" + "".join(cells[at : at + 3]) + "%" for at in (0, 3, 6)), "%%%%%"])


def maze_on(folder: Path, text: str) -> Maze | None:
    """The maze on that map; None if its pellets cannot be reached."""
    file = folder / "map.txt"
    file.write_text(text + "\n")
    try:
        state = games.start(f"maze:0,map={file},steps=40")
    except BadOption:
        return None
    assert isinstance(state, Maze)
    return state


def test_the_family_is_listed_apart_and_no_agent_plays_with_it() -> None:
    assert not {*pathfinding} & {*algorithms, *dialects, *builtin.names()}
    for name, module in pathfinding.items():
        assert searches.find(name) is module
        assert module.__doc__
        parameters = [*inspect.signature(module.search).parameters]
        assert parameters[:5] == ["state", "depth", "budget", "trace", "graph"]


@every_path_search
@tree_and_graph
@settings(max_examples=tries(40))
@given(start=graphs())
def test_the_line_is_a_path_to_a_goal_and_the_value_is_its_cost(name: str, graph: bool, start: Tree) -> None:
    result = search(name)(start, graph=graph)
    check_path(start, result)
    assert result.value >= true_costs(start)[start.place]
    if name == "breadth_first":
        assert len(result.line) == fewest_moves(start)


@tree_and_graph
@settings(max_examples=tries(40))
@given(start=graphs())
def test_uniform_cost_search_finds_the_cheapest_path(graph: bool, start: Tree) -> None:
    cheapest = true_costs(start)[start.place]
    result = search("uniform_cost")(start, graph=graph)
    assert (result.value, result.exact) == (cheapest, True)
    assert search("astar")(start, graph=graph, heuristic="zero").value == cheapest


@settings(max_examples=tries(40))
@given(start=graphs())
def test_astar_in_tree_search_needs_only_an_admissible_heuristic(start: Tree) -> None:
    assert search("astar")(start, graph=False).value == true_costs(start)[start.place]


@settings(max_examples=tries(40))
@given(start=graphs(consistent=True))
def test_astar_in_graph_search_needs_a_consistent_heuristic(start: Tree) -> None:
    assert search("astar")(start, graph=True).value == true_costs(start)[start.place]


@settings(max_examples=tries(15))
@given(text=maze_maps())
def test_in_a_maze_heuristics_are_admissible_and_consistent_and_the_cheapest_path_is_found(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    start = maze_on(tmp_path_factory.mktemp("maze"), text)
    if start is None:
        return
    costs, (found, moves) = true_costs(start), places(start)
    for name in ADMISSIBLE[:-1]:
        estimate = {place: Maze.heuristics[name](state) for place, state in found.items()}
        assert all(estimate[place] <= costs[place] for place in found), f"{name} is admissible"
        assert all(estimate[place] <= cost + estimate[to] for place, cost, to in moves), f"{name} is consistent"
        assert all((estimate[place] == 0) == state.goal for place, state in found.items())
    uniform = search("uniform_cost")(start)
    assert uniform.value == costs[start.place] == search("breadth_first")(start).value
    for name in ADMISSIBLE:
        result = search("astar")(start, heuristic=name)
        check_path(start, result)
        assert result.value == costs[start.place]
        assert result.nodes <= uniform.nodes or name == "zero"
    for name in pathfinding:
        check_path(start, search(name)(start))


def test_a_heuristic_that_is_not_admissible_can_miss_the_cheapest_path(tmp_path: Path) -> None:
    start = maze_on(tmp_path, "%%%%%%%%%%\n%. P  ...%\n%%%%%%%%%%")
    assert start is not None
    assert search("uniform_cost")(start).value == 9
    assert search("astar")(start, heuristic="total").value > 9
    assert Maze.heuristics["total"](start) > true_costs(start)[start.place]


def test_an_inconsistent_heuristic_misleads_graph_search_only() -> None:
    start: Any = games.start("tree:inconsistent")
    found, moves = places(start)
    estimate = {place: start.heuristics["given"](state) for place, state in found.items()}
    assert all(estimate[place] <= cost for place, cost in true_costs(start).items()), "admissible"
    assert [(place, to) for place, cost, to in moves if estimate[place] > cost + estimate[to]] == [("A", "C")]
    values = {graph: search("astar")(start, graph=graph).value for graph in (False, True)}
    assert values == {False: 5, True: 6}


def test_the_four_searches_differ_on_the_tree_of_routes() -> None:
    start: Any = games.start("tree:routes")
    results = {name: search(name)(start) for name in pathfinding}
    assert {name: (result.value, "".join(result.line), result.nodes) for name, result in results.items()} == {
        "depth_first": (11, "ADEG", 4),
        "breadth_first": (10, "CG", 5),
        "uniform_cost": (7, "BDG", 6),
        "astar": (7, "BDG", 3),
    }
    _, moves = places(start)
    estimate = {place: start.heuristics["given"](state) for place, state in places(start)[0].items()}
    assert all(estimate[place] <= cost + estimate[to] for place, cost, to in moves), "consistent"


@every_path_search
@tree_and_graph
@settings(max_examples=tries(30))
@given(start=graphs())
def test_a_trace_has_a_step_for_each_node_that_leaves_the_frontier(name: str, graph: bool, start: Tree) -> None:
    trace = PathTrace()
    result = search(name)(start, graph=graph, trace=trace)
    assert sum(not step.note for step in trace.steps) == result.nodes
    assert trace.steps[-1].note == "goal"
    for before, step in zip(trace.steps, trace.steps[1:], strict=False):
        assert before.frontier[0] is step.node, "the first of the frontier leaves next"
    for step in trace.steps:
        explored = [node.state.place for node in step.explored]
        assert len({*explored}) == len(explored)
        assert graph or not explored
        assert step.note != "explored before" or step.node.state.place in explored
    assert result == search(name)(start, graph=graph)


def test_a_trace_as_a_table() -> None:
    trace = PathTrace()
    search("astar")(games.start("tree:routes"), trace=trace)
    assert str(trace).splitlines() == [
        "step  node  from  g  h  f  frontier             explored",
        "   1  S           0  6  6  B 7; A 8; C 10       S",
        "   2  B     S     2  5  7  D 7; A 8; C 10       S B",
        "   3  D     B     3  4  7  G 7; A 8; E 9; C 10  S B D",
        "   4  G     D     7  0  7  goal                 S B D",
    ]
    assert repr(trace) == "<PathTrace of 4 steps; print shows the table>"


def test_a_trace_keeps_the_first_steps_and_counts_the_others() -> None:
    trace = PathTrace(keep=2)
    search("uniform_cost")(games.start("tree:routes"), trace=trace)
    assert (len(trace.steps), trace.left_out) == (2, 6)


@every_path_search
def test_a_depth_limits_the_path(name: str) -> None:
    start = games.start("tree:routes")
    result = search(name)(start, depth=1)
    assert (result.value, result.line, result.exact, result.nodes) == (inf, (), False, 1)
    assert search(name)(start, depth=2).line == ("C", "G")
    goal = start.play("C").play("G")
    assert (search(name)(goal).value, search(name)(goal).move) == (0, None)


@every_path_search
def test_a_budget_ends_the_search(name: str) -> None:
    result = search(name)(games.start("tree:routes"), budget=Budget(nodes=2))
    assert (result.value, result.depth, result.exact, result.nodes) == (inf, 0, False, 3)


@every_path_search
@pytest.mark.parametrize("spec", EVERY)
def test_games_that_are_no_path_problems_are_refused(name: str, spec: str) -> None:
    state = games.start(spec)
    if isinstance(state, PathState) and state.players == 1 and not state.chance:
        search(name)(state, depth=3)
    else:
        with pytest.raises(BadSearch, match=f"^{name} searches path problems: games of one player without chance"):
            search(name)(state, depth=3)


def test_wrong_arguments_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adsearch.pathfinding.search.MOST", 1_000)
    start = games.start("maze:0,map=tiny")
    with pytest.raises(BadSearch, match="astar: this game has no heuristic 'farhest'; did you mean 'farthest'"):
        search("astar")(start, heuristic="farhest")
    with pytest.raises(BadSearch, match="astar: expected a depth of 0 or more plies, got -1"):
        search("astar")(start, depth=-1)
    with pytest.raises(BadSearch, match="breadth_first expanded 1,000 nodes and reached no goal; try graph=true"):
        search("breadth_first")(games.start("maze:0,map=open"), graph=False)


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ({"@costs": {"X": 1}, "G": 1}, "expected a cost for each of its children as @costs"),
        ({"@costs": {"G": -1}, "G": 1}, "expected costs of 0 or more, got -1"),
        ({"@costs": {"G": True}, "G": 1}, "expected costs of 0 or more, got True"),
        ({"@heuristic": "far", "G": 1}, "expected a heuristic of 0 or more, got 'far'"),
    ],
)
def test_wrong_costs_and_heuristics_of_a_tree_are_refused(node: Any, message: str) -> None:
    with pytest.raises(BadOption, match=f"node 'S': {message}"):
        read({"players": 1, "tree": {"S": node}})


class Countdown(PathState[int]):
    """A user-supplied path problem with the defaults: take 1 or 2 until exactly nothing is left."""

    __slots__ = ("left", "turn")

    def __init__(self, left: int = 5) -> None:
        self.left, self.turn = left, 0 if left > 0 else None

    @property
    def players(self) -> int:
        return 1

    def moves(self) -> tuple[int, ...]:
        return (1, 2) if self.left > 0 else ()

    def play(self, move: int) -> "Countdown":
        return Countdown(self.left - move)

    def utilities(self) -> tuple[float, ...]:
        return (1.0 if self.left == 0 else -1.0,)

    def position(self) -> str:
        return str(self.left)


def test_without_costs_or_heuristics_a_goal_is_the_best_end_and_a_move_costs_1() -> None:
    assert search("astar")(Countdown()).value == search("breadth_first")(Countdown()).value == 3
    assert search("depth_first")(Countdown()).line == (1, 1, 1, 1, 1)
