"""The challengers meet all the others, and nobody else meets."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.effort import tries
from tests.kit.paper_tournament import Event, described, meetings, names


@settings(max_examples=tries(60))
@given(st.integers(1, 12), st.integers(1, 28), st.integers(1, 3), st.integers(0, 2**64))
def test_each_challenger_meets_each_other_as_often_as_described(few: int, others: int, rounds: int, seed: int) -> None:
    challengers, field = names(few), names(others, first=few)
    every = Event(described("gauntlet", rounds=rounds, gauntlet=challengers), challengers + field, seed).ask()
    expected = {tuple(sorted((one, other))): rounds for one in challengers for other in field}
    assert meetings(every) == Counter(expected)
    assert max(pairing.round for pairing in every) == rounds * max(few, others)


def test_a_match_has_one_pairing_per_round() -> None:
    every = Event(described("match", rounds=5), ["bob", "alice"]).ask()
    assert [(pairing.round, pairing.cycle) for pairing in every] == [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4)]
    assert len({pairing.names for pairing in every[:2]}) == 2
