"""Call traces: a block for each call, in the order of the calls, with the numbers that a value comes from."""

import re
from itertools import zip_longest
from math import prod
from random import Random

import pytest

from adsearch import Trace, games, searches
from adsearch.pictures.call_trace import as_calls
from adsearch.trace import ends
from adsearch.trace_calls import Nodes
from tests.kit.game_facts import facts
from tests.kit.random_trees import random_tree


def call_trace(spec: str, search: str, nodes: Nodes = Nodes.MOVES, **more: int) -> str:
    run, options = searches.configured(search)
    trace = Trace()
    result = run(games.start(spec), trace=trace, **options, **more)
    return as_calls(trace, result, nodes=nodes)


def test_minimax_has_the_calls_of_the_lecture_with_their_four_facts() -> None:
    lines = call_trace("tree:four_leaves", "minimax").splitlines()
    calls = [line.strip().split(":")[0] for line in lines if "level" in line]
    assert calls == facts("trees.json")["four_leaves"]["calls"]
    assert lines[:5] == [
        "a: Player = Max, level 0",
        "   successors: b, c",
        "   b: Player = Min, level 1",
        "      successors: d, e",
        "      d: leaf, level 2",
    ]
    assert [line.strip() for line in lines if "reports" in line] == [
        "reports 2, its static score",
        "reports 7, its static score",
        "reports smallest of (2, 7) = 2",
        "reports 1, its static score",
        "reports 8, its static score",
        "reports smallest of (1, 8) = 1",
        "reports largest of (2, 1) = 2",
    ]


def test_alpha_beta_says_each_change_of_the_window_and_where_it_prunes() -> None:
    lines = [line.strip() for line in call_trace("tree:four_leaves", "alphabeta").splitlines()]
    assert [line for line in lines if "smaller" in line or "larger" in line or "pruning" in line] == [
        "beta = smaller of (+inf, 2) = 2",
        "beta = smaller of (2, 7) = 2",
        "alpha = larger of (-inf, 2) = 2",
        "beta = smaller of (+inf, 1) = 1",
        "pruning takes place; left out: g",
        "alpha = larger of (2, 1) = 2",
    ]
    assert "reports smallest of (1) = 1; the true value is ≤ 1" in lines
    assert "alpha = 2, beta = +inf" in lines


@pytest.mark.parametrize(
    ("spec", "search", "line"),
    [
        ("tree:four_leaves", "negamax", "reports largest of (-2, -7) = -2"),
        ("tree:bounded_below", "expectiminimax:pruning=star1",
         "reports sum of (0.5 x 4, 0.25 x 1, 0.25 x 1) = 2.5; the true value is ≥ 2.5"),
        ("tree:window", "alphabeta:alpha=9,beta=11,fail=hard", "reports ≤ 9: its static score is outside the window"),
        ("tree:textbook", "expectimax", "reports average of (3, 12, 8) = 7.66667"),
        ("tree:three", "maxn", "reports best for seat 1 of ((1, 2, 6), (6, 1, 2)) = (1, 2, 6)"),
        ("tree:horizon", "selective:width=1", "not searched: defend"),
        ("tree:four_leaves", "proof", "reports proof number 0"),
        ("tree:four_leaves", "mcts:simulations=2", "reports 8, the result of this simulated game"),
        ("kuhn", "mcts:simulations=2", "reports 1, the result of this simulated game"),
        ("nap:4", "alphabeta:table=true", "reports 1, found in the table"),
    ],
)  # fmt: skip
def test_every_search_reports_in_its_own_way(spec: str, search: str, line: str) -> None:
    assert line in [each.strip() for each in call_trace(spec, search).splitlines()]


def test_a_position_with_noisy_moves_says_its_stand_pat_value() -> None:
    assert "            stand pat: 0\n" in call_trace("tree:horizon", "quiescence", depth=3)


NUMBERS = re.compile(r"reports (largest|smallest|sum) of \(([^()]*)\) = ([^;\n]*)")


@pytest.mark.parametrize("search", [
    "minimax", "negamax", "alphabeta", "alphabeta:fail=hard", "pvs", "winning", "mtdf", "bisection", "aspiration",
    "expectiminimax", "expectiminimax:pruning=star1", "expectiminimax:pruning=star2",
])  # fmt: skip
def test_every_number_that_is_reported_is_computed_right(search: str) -> None:
    count = 0
    for seed in range(30):
        tree = random_tree(Random(seed), chance=search.startswith("expectiminimax"))
        run, options = searches.configured(search)
        trace = Trace()
        for kind, numbers, value in NUMBERS.findall(as_calls(trace, run(tree, trace=trace, **options))):
            terms = [prod(map(float, number.split(" x "))) for number in numbers.split(", ")]
            computed = sum(terms) if kind == "sum" else max(terms) if kind == "largest" else min(terms)
            assert computed == pytest.approx(float(value), abs=1e-4), (seed, kind, numbers, value)
            count += 1
    assert count > 60


def test_a_second_search_of_a_child_is_said() -> None:
    assert "\n   C is searched again: 3 is between 0 and +inf\n" in call_trace("tree:worst_first", "pvs")


def test_calls_can_have_the_names_of_positions() -> None:
    lines = [line.strip() for line in call_trace("grundy:7", "winning", Nodes.PROBLEMS).splitlines()]
    assert lines[:4] == [
        "W(7+): Player = Max, level 0",
        "successors: W(6-1-), W(5-2-), W(4-3-)",
        "W(6-1-): Player = Min, level 1",
        "successors: W(5-1-1+), W(4-2-1+)",
    ]
    assert "pruning takes place; left out: W(3-2-2+)" in lines


@pytest.mark.parametrize("search", ["alphabeta", "alphabeta:fail=hard", "paranoid", "pvs", "mtdf", "aspiration"])
def test_the_changes_of_the_window_are_those_of_the_search(search: str) -> None:
    for seed in range(30):
        run, options = searches.configured(search)
        trace = Trace()
        result = run(random_tree(Random(seed)), trace=trace, **options)
        changes = re.findall(r"(alpha|beta) = (?:larger|smaller) of \(.*\) = (.*)", as_calls(trace, result))
        returns = [
            dict(zip(("alpha", "beta"), ends(event.alpha, event.beta), strict=True))
            for event, following in zip_longest(trace.events, trace.events[1:])
            if event.value is not None and (following is None or following.path != event.path)
        ]
        assert [end for _, end in changes] == [window[name] for window, (name, _) in zip(returns, changes, strict=True)]
