"""Traces: the lecture's event table, the order of calls, and readable numbers."""

from dataclasses import replace
from math import inf, nextafter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adsearch import algorithms, alphabeta, games, minimax, mtdf, negamax, pvs
from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.trace import Event, EventKind, Trace, as_table, ends, window_text, written
from adsearch.trace_calls import Nodes, not_searched, visits, with_names
from tests.kit.every_game import AnyState
from tests.kit.game_facts import facts
from tests.kit.random_trees import random_tree

ENDS = {"-inf": -inf, "+inf": inf}
SEARCHES = [minimax, negamax, alphabeta, pvs]


def traced(spec: str, algorithm: AnyState = alphabeta, **options: AnyState) -> Trace:
    trace = Trace()
    algorithm.search(games.start(spec), trace=trace, **options)
    return trace


def lecture_rows() -> list[list[AnyState]]:
    rows: list[list[AnyState]] = facts("trees.json")["professors"]["alphabeta_events"]
    return rows


def test_alphabeta_has_exactly_the_events_of_the_lecture() -> None:
    events = traced("tree:professors").events
    assert len(events) == len(lecture_rows())
    for event, (name, node, alpha, beta, returned) in zip(events, lecture_rows(), strict=True):
        told = (event.name, event.node, event.alpha, event.beta, event.value)
        assert told == (name, node, ENDS.get(alpha, alpha), ENDS.get(beta, beta), returned)


def test_the_table_has_exactly_the_rows_of_the_lecture() -> None:
    header, *rows = as_table(traced("tree:professors")).splitlines()
    assert header.split() == ["event", "alpha", "beta", "returned"]
    wanted = [[str(cell) for cell in row if cell is not None] for row in lecture_rows()]
    assert [row.removesuffix("cut-off").split() for row in rows] == wanted


def test_a_cut_off_marks_the_row_of_its_return_and_adds_none() -> None:
    marked = [row.split()[0] for row in as_table(traced("tree:professors")).splitlines() if row.endswith("cut-off")]
    assert marked == ["J->Q"]


@pytest.mark.parametrize("spec", ["tree:professors", "tree:textbook", "tree:binary", "tree:unbounded"])
@pytest.mark.parametrize(
    "search",
    [
        "alphabeta",
        "alphabeta:ordering=true",
        "pvs",
        "winning",
        "mtdf",
        "quiescence",
        "selective:width=2",
        "paranoid",
        "expectiminimax:pruning=star1",
        "expectiminimax:pruning=star2",
    ],
)
def test_every_cut_off_leaves_a_child_out(spec: str, search: str) -> None:
    state = games.start(spec)
    if state.chance and not search.startswith("expectiminimax"):
        return
    run, options = algorithms.configured(search)
    trace = Trace()
    run(state, trace=trace, **options)
    for root in visits(trace):
        for visit in root.walk():
            assert not any(child.call.cutoff for child in visit.children[:-1])
            assert not visit.cut or not_searched(visit)


def test_a_trace_prints_as_its_table() -> None:
    trace = traced("tree:four_leaves")
    assert str(trace) == as_table(trace)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (9.0, "9"),
        (9, "9"),
        (-0.5, "-0.5"),
        (3.25, "3.25"),
        (0.1 + 0.2, "0.3"),
        (1 / 3, "0.333333"),
        (nextafter(9.0, inf), "9"),
        (nextafter(0.0, -inf), "0"),
        (-0.0, "0"),
        (1_000_000.0, "1000000"),
        (inf, "+inf"),
        (-inf, "-inf"),
        ((1.0, -0.5), "(1, -0.5)"),
    ],
)
def test_numbers_are_as_short_as_they_are(value: AnyState, text: str) -> None:
    assert written(value) == text


def test_numbers_may_be_shorter_still() -> None:
    assert written((2 / 3, -2 / 3), digits=3) == "(0.667, -0.667)"


@pytest.mark.parametrize(
    ("alpha", "beta", "text"),
    [
        (-inf, inf, "[-inf, +inf]"),
        (3.0, nextafter(3.0, inf), "[3, 3+]"),
        (nextafter(3.0, -inf), 3.0, "[3-, 3]"),
        (nextafter(0.0, -inf), 0.0, "[0-, 0]"),
        (0.0, nextafter(0.0, inf), "[0, 0+]"),
        (1 / 3, nextafter(1 / 3, inf), "[0.333333, 0.333333+]"),
        (4.0, nextafter(2.0, inf), "[4, 2]"),
        (None, None, ""),
    ],
)
def test_a_null_window_says_which_end_is_only_next_to_its_number(
    alpha: float | None, beta: float | None, text: str
) -> None:
    assert window_text(alpha, beta) == text


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_the_ends_of_any_window_are_short(alpha: float, beta: float) -> None:
    assert max(map(len, ends(alpha, beta))) <= len("-1.23457e-308+") + 3


def test_mtdf_begins_again_and_again() -> None:
    events = traced("tree:binary", mtdf).events
    assert sum(event.kind is EventKind.INIT for event in events) > 1
    assert any(event.null_window for event in events)


@pytest.mark.parametrize("algorithm", SEARCHES)
def test_every_node_that_a_search_visits_is_a_call(algorithm: AnyState) -> None:
    for seed in range(40):
        trace, state = Trace(), random_tree(Random(seed))
        result = algorithm.search(state, trace=trace)
        assert len(trace.calls()) == result.nodes
        assert all(call.value is not None for call in trace.calls() if len(call.path) > 1)


def test_nothing_is_looked_at_after_a_cut_off() -> None:
    for seed in range(100):
        trace = Trace()
        alphabeta.search(random_tree(Random(seed)), trace=trace)
        calls = trace.calls()
        for at, call in enumerate(calls):
            if call.cutoff:
                assert call.path[:-1] not in [later.path[:-1] for later in calls[at + 1 :]]


def test_only_the_first_events_are_kept_and_the_others_counted() -> None:
    whole = traced("tree:professors").events
    for keep in range(len(whole) + 2):
        trace = Trace(keep=keep)
        alphabeta.search(games.start("tree:professors"), trace=trace)
        assert len(trace.events) == min(keep, len(whole))
        assert len(trace.events) + trace.left_out == len(whole)
        # The last one kept may be a way down whose return was left out: a leaf's is not.
        assert trace.events == whole[:keep]
        assert len(trace.calls()) <= len(trace.events)


def test_a_search_of_too_many_events_is_given_up() -> None:
    with pytest.raises(BadSearch, match=r"at most 1,000 events to trace; limit its depth \(--depth\)"):
        minimax.search(games.start("tictactoe"), trace=Trace(keep=10, most=1000))


def test_a_search_that_its_budget_ends_leaves_calls_that_never_came_back() -> None:
    trace = traced("tree:professors", budget=Budget(nodes=5))
    open_calls = [call.path[-1] for call in trace.calls() if call.value is None]
    assert open_calls == ["A", "B", "E", "N"] or open_calls == ["A", "B", "F"]
    assert "returned" in as_table(trace)


def test_a_trace_may_tell_a_value_for_each_seat() -> None:
    trace, state = Trace(), games.start("tree:three")
    trace.begin(state)
    trace.descend("B")
    trace.back((1.0, 2.0, 6.0))
    assert trace.events[-1] == Event(EventKind.LEAF, ("A", "B"), None, None, (1.0, 2.0, 6.0))
    assert as_table(trace).endswith("  (1, 2, 6)")


def test_rows_can_have_the_names_of_positions() -> None:
    trace = traced("grundy:4")
    assert [line.split()[0] for line in as_table(with_names(trace, Nodes.PROBLEMS)).splitlines()[1:]] == [
        *("init", "W(4+)->W(3-1-)", "W(3-1-)->W(2-1-1+)", "W(3-1-)->W(4+)"),
    ]
    assert [event.name for event in with_names(trace, Nodes.POSITIONS).events][1:] == [
        *("4+->3-1-", "3-1- -> 2-1-1+", "3-1- -> 4+"),
    ]
    assert with_names(trace, Nodes.MOVES) is trace


def test_names_leave_every_other_part_of_a_trace_as_it_is() -> None:
    trace = traced("nap:5")
    named = with_names(trace, Nodes.POSITIONS)
    assert [replace(event, path=()) for event in named.events] == [replace(event, path=()) for event in trace.events]
    assert [len(event.path) for event in named.events] == [len(event.path) for event in trace.events]
