"""Winnowing: what is guaranteed to be found, and what is never found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.course.similar.comparison import GUARANTEED, LENGTH, WINDOW, chosen, hashes

CODES = st.lists(st.integers(0, 3), max_size=40)


def chosen_hashes(codes: list[int]) -> set[int]:
    """The chosen fingerprints of a text."""
    found = hashes(codes)
    return {found[place] for place in chosen(found)}


@given(CODES, CODES, CODES, CODES, st.lists(st.integers(0, 9), min_size=GUARANTEED, max_size=60))
def test_an_equal_part_of_the_guaranteed_length_is_always_found(
    before: list[int], after: list[int], other_before: list[int], other_after: list[int], part: list[int]
) -> None:
    assert chosen_hashes(before + part + after) & chosen_hashes(other_before + part + other_after)


@given(st.integers(0, 200), st.integers(0, 1000))
def test_every_window_has_a_chosen_hash(length: int, seed: int) -> None:
    found = [(place * 7919 + seed) % 101 for place in range(length)]
    places = chosen(found)
    assert places == sorted({*places})
    assert all(any(place in range(start, start + WINDOW) for place in places) for start in range(length - WINDOW + 1))
    assert bool(places) == bool(found)


def test_of_equal_hashes_in_a_window_the_last_is_chosen() -> None:
    assert chosen([5] * WINDOW) == [WINDOW - 1]
    assert chosen([*range(WINDOW), 0]) == [0, WINDOW]


@given(st.lists(st.integers(0, 3), max_size=LENGTH - 1))
def test_a_text_shorter_than_a_fingerprint_has_none(codes: list[int]) -> None:
    assert hashes(codes) == []
    assert chosen([]) == []
