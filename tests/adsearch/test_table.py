"""The transposition table: its size is limited, and it never returns a wrong entry."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adsearch import Budget, Table, alphabeta, games, pvs
from adsearch.result import Bound
from adsearch.table import Entry


def entry(value: float, *, proven: bool = False) -> Entry:
    return Entry(value, Bound.EXACT, 3, proven, None)


@given(st.lists(st.integers(0, 40)), st.integers(2, 20))
def test_it_never_holds_more_than_its_size_and_what_it_gives_was_put_last(keys: list[int], size: int) -> None:
    table, last = Table(size), {}
    for at, key in enumerate(keys):
        table.put(key, entry(at))
        last[key] = at
        assert len(table) <= size
        for known in last:
            found = table.get(known)
            assert found is None or found.value == last[known]
        assert len(table) <= size


def test_what_is_asked_for_stays() -> None:
    table = Table(10)
    table.put("kept", entry(1))
    for key in range(100):
        table.put(key, entry(key))
        assert table.get("kept") == entry(1)
    assert table.get(0) is None


def test_what_is_proven_is_not_overwritten_by_an_estimate() -> None:
    table = Table()
    table.put("position", entry(1, proven=True))
    table.put("position", entry(0.3))
    assert table.get("position") == entry(1, proven=True)


@pytest.mark.costly
def test_a_search_that_is_cut_off_leaves_nothing_false() -> None:
    state = games.start("connect4:rows=4,columns=5")
    for nodes in range(0, 3000, 37):
        table = Table()
        alphabeta.search(state, depth=6, table=table, budget=Budget(nodes=nodes))
        for algorithm in (alphabeta, pvs):
            assert algorithm.search(state, depth=6, table=table).value == alphabeta.search(state, depth=6).value


@pytest.mark.costly
def test_a_million_entries_need_less_than_250_megabytes() -> None:
    """Measured on a tenth of that, with keys and values as Connect-4 has them."""
    tracemalloc.start()
    table = Table(200_000)
    for key in range(100_000):
        table.put((1 << 48) + key * 977, Entry(key / 977, Bound.EXACT, 7, False, 3))
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(table) == 100_000
    assert used < 25_000_000
