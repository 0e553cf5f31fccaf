"""Games for more than two: everybody plays equally often, with everybody else about equally often, on every seat."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.effort import tries
from tests.kit.paper_tournament import Event, described, meetings, names, spread


def played(event: Event) -> Counter[str]:
    """By player, the number of tables so far."""
    return Counter(name for pairing in event.known for name in pairing.names)


@settings(max_examples=tries(60))
@given(st.integers(1, 6), st.integers(0, 34), st.integers(1, 6), st.integers(0, 2**64))
def test_everybody_plays_equally_often_to_within_one(seats: int, more: int, rounds: int, seed: int) -> None:
    event = Event(described("tables", rounds=rounds), names(seats + more), seed, seats=seats)
    every = event.ask()
    assert len(every) == rounds * ((seats + more) // seats)
    assert spread(played(event), event.names) <= 1
    for pairing in every:
        assert len(set(pairing.names)) == len(pairing.names) == pairing.legs == seats
        assert {pairing.seats(leg)[0] for leg in range(seats)} == set(pairing.names)


@pytest.mark.parametrize(
    ("players", "seats", "rounds"),
    [(4, 3, 4), (5, 4, 5), (6, 3, 10), (8, 4, 7), (9, 3, 4), (12, 4, 11), (13, 4, 12), (20, 4, 8), (40, 4, 13)],
)
def test_any_two_sit_together_about_equally_often(players: int, seats: int, rounds: int) -> None:
    event = Event(described("tables", rounds=rounds), names(players), seats=seats)
    met = meetings(event.ask())
    counts = [met[pair] for pair in combinations(sorted(event.names), 2)]
    assert max(counts) - min(counts) <= 2


@settings(max_examples=tries(40))
@given(st.integers(2, 4), st.integers(0, 12), st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**64))
def test_an_added_player_catches_up(seats: int, more: int, added: int, rounds: int, seed: int) -> None:
    event = Event(described("tables", rounds=rounds), names(seats + more), seed, seats=seats)
    event.ask()
    event.names += names(added, first=100)
    event.ask()
    everybody = Event(event.format, event.names, seed, seats=seats)
    everybody.ask()
    assert min(played(event)[name] for name in event.names) >= min(played(everybody)[name] for name in event.names)
