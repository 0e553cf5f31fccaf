"""Neighbours: all but two meet two others."""

from tests.kit.paper_tournament import Event, described, names


def test_everyone_meets_the_next_one() -> None:
    event = Event(described("neighbours", rounds=1), names(5), seed=1)
    met = [name for pairing in event.ask() for name in pairing.names]
    assert sorted(met.count(name) for name in event.names) == [1, 1, 2, 2, 2]
