"""Parallel search has the value and the move of alpha-beta, with whatever workers, and counts all their nodes."""

import pickle
from collections.abc import Callable, Iterable
from multiprocessing import get_context
from typing import Any

import pytest
from hypothesis import given, settings

from adsearch import Budget, Trace, alphabeta, games, parallel
from adsearch.errors import BadSearch
from adsearch.games.tree import Tree
from adsearch.parallel import Answer, Job
from tests.kit.effort import tries
from tests.kit.every_game import EVERY
from tests.kit.random_trees import trees


def last_first(work: Callable[[Job[Any]], Answer[Any]], jobs: Iterable[Job[Any]]) -> list[Answer[Any]]:
    """Workers that finish in the reverse order, each with copies of its jobs, as in other processes."""
    copies = pickle.loads(pickle.dumps(list(jobs)))
    return [work(job) for job in reversed(copies)][::-1]


@pytest.mark.parametrize("spec", [spec for spec in EVERY if games.start(spec).players == 2])
def test_in_every_game_value_and_move_are_those_of_alphabeta(spec: str) -> None:
    state = games.start(spec)
    if state.chance or not state.zero_sum:
        with pytest.raises(BadSearch, match=r"^parallel "):
            parallel.search(state, depth=2)
        return
    for plies in range(3):
        expected = alphabeta.search(state, depth=plies)
        for workers in (map, last_first):
            found = parallel.search(state, depth=plies, workers=workers)
            assert (found.value, found.move, found.exact) == (expected.value, expected.move, expected.exact)
            assert found.nodes >= expected.nodes


@settings(max_examples=tries(100))
@given(tree=trees(depth=5))
def test_workers_change_nothing(tree: Tree) -> None:
    plain = parallel.search(tree)
    assert parallel.search(tree, workers=last_first) == plain
    expected = alphabeta.search(tree)
    assert (plain.value, plain.move, plain.exact) == (expected.value, expected.move, expected.exact)
    trace = Trace()
    assert parallel.search(tree, trace=trace, workers=last_first) == plain
    # Each visited node but the root has one call.
    assert len(trace.calls()) == plain.nodes


def test_the_first_child_is_searched_alone_and_its_brothers_get_its_window() -> None:
    batches: list[list[tuple[str, float, float]]] = []

    def workers(work: Callable[[Job[Any]], Answer[Any]], jobs: Iterable[Job[Any]]) -> Iterable[Answer[Any]]:
        batches.append([(job.name, job.alpha, job.beta) for job in jobs])
        return map(work, jobs)

    infinity = float("inf")
    result = parallel.search(games.start("tree:professors"), workers=workers)
    assert batches == [[("B", -infinity, infinity)], [("C", -9, infinity), ("D", -9, infinity)]]
    assert (result.value, result.move) == (1, "D")


@pytest.mark.parametrize("nodes", [0, 1, 2, 50, 500, 3000])
def test_all_workers_together_stay_within_the_nodes_of_the_budget(nodes: int) -> None:
    state = games.start("connect4")
    result = parallel.search(state, depth=6, budget=Budget(nodes=nodes), workers=last_first)
    assert result.nodes <= nodes + 1
    assert (result.depth, result.exact) == (0, False)
    assert result.move in state.moves()


def test_processes_are_workers() -> None:
    state = games.start("connect4")
    with get_context("spawn").Pool(2) as pool:
        found = parallel.search(state, depth=5, workers=pool.imap)
    assert found == parallel.search(state, depth=5)
