"""A swiss tournament: players with equal points meet, nobody meets again while that can be avoided, byes are fair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.tournament.format import Pairing
from tests.kit.effort import tries
from tests.kit.paper_tournament import Event, byes, described, meetings, names, spread


def swiss(players: int, rounds: int, seed: int, random: Random) -> Event:
    """A whole tournament."""
    event = Event(described("swiss", rounds=rounds), names(players), seed)
    event.play(random)
    return event


def points_before(event: Event, round: int) -> dict[str, float]:
    """All players' points when the round was paired."""
    points = dict.fromkeys(event.names, 0.0)
    for pairing in event.known:
        if pairing.round < round:
            for name in pairing.names:
                points[name] += 2 if pairing.is_bye else event.results[pairing.key][name]
    return points


@settings(max_examples=tries(40))
@given(st.integers(2, 40), st.integers(1, 12), st.integers(0, 2**64), st.randoms(use_true_random=False))
@example(40, 12, 1, Random(1))
def test_everybody_plays_or_has_a_bye_in_every_round(players: int, rounds: int, seed: int, random: Random) -> None:
    event = swiss(players, rounds, seed, random)
    for round in range(1, rounds + 1):
        seated = [name for pairing in event.known if pairing.round == round for name in pairing.names]
        assert sorted(seated) == sorted(event.names)
    given = Counter(byes(event.known).values())
    assert sum(given.values()) == (rounds if players % 2 else 0)
    assert spread(given, event.names) <= 1


@settings(max_examples=tries(20))
@given(st.integers(2, 40), st.integers(0, 2**64), st.randoms(use_true_random=False))
def test_nobody_meets_again_in_half_as_many_rounds_as_players(players: int, seed: int, random: Random) -> None:
    # A round without rematches is always possible, because every player has met fewer than half of the others.
    event = swiss(players, max(1, players // 2 - 1), seed, random)
    assert set(meetings(event.known).values()) <= {1}


@settings(max_examples=tries(30))
@given(st.sampled_from([4, 6, 8]), st.integers(2, 9), st.integers(0, 2**64), st.randoms(use_true_random=False))
def test_no_round_could_have_had_fewer_rematches(players: int, rounds: int, seed: int, random: Random) -> None:
    event = swiss(players, rounds, seed, random)
    for round in range(1, rounds + 1):
        met = meetings(pairing for pairing in event.known if pairing.round < round)
        least = min(met[pair] for pair in all_pairs(event.names))
        now = [tuple(sorted(pairing.names)) for pairing in event.known if pairing.round == round]
        again = min(sum(met[pair] > least for pair in pairs) for pairs in all_rounds(sorted(event.names)))
        assert sum(met[pair] > least for pair in now) == again


def test_players_with_equal_points_meet() -> None:
    event = Event(described("swiss", rounds=4), names(16))
    for round in range(1, 5):
        event.ask()
        points = points_before(event, round)
        for pairing in event.open:
            # Sixteen players, and each pairing won 2 : 0: every group is even.
            first, second = pairing.names
            assert points[first] == points[second]
            event.results[pairing.key] = {first: 2, second: 0}
    assert sorted(Counter(points_before(event, 5).values()).values()) == [1, 1, 4, 4, 6]


def test_the_bye_goes_to_the_lowest_who_had_none() -> None:
    event = Event(described("swiss", rounds=5), names(5))
    had: set[str] = set()
    for round in range(1, 6):
        event.ask()
        bye = byes(event.known)[round]
        points = points_before(event, round)
        waiting = {name: points[name] for name in event.names if name not in had}
        assert bye in waiting
        if round == 2:
            assert points[bye] == min(waiting.values())
        had.add(bye)
        event.finish(event.open, Random(round), draws=False)


def test_a_round_is_paired_when_the_one_before_is_over() -> None:
    event = Event(described("swiss", rounds=2), names(6))
    first = event.ask()
    event.finish(first[:-1], Random(1))
    assert event.ask() == first
    event.finish(first[-1:], Random(1))
    assert [pairing.round for pairing in event.ask()] == [1, 1, 1, 2, 2, 2]
    assert not event.is_complete


def test_an_added_player_starts_in_the_next_round_with_0_points() -> None:
    event = Event(described("swiss", rounds=3), names(4))
    event.finish(event.ask(), Random(2), draws=False)
    event.names.append("newcomer")
    second = [pairing for pairing in event.ask() if pairing.round == 2]
    assert sorted(name for pairing in second for name in pairing.names) == sorted(event.names)
    assert "newcomer" not in {name for pairing in event.known if pairing.round == 1 for name in pairing.names}
    assert byes(second)[2] in {name for name, points in points_before(event, 2).items() if points == 0}


def test_a_withdrawn_player_is_not_paired() -> None:
    event = Event(described("swiss", rounds=3), names(6))
    event.finish(event.ask(), Random(2))
    event.withdrawn = {"agent 1"}
    later = event.ask()[3:]
    assert "agent 1" not in {name for pairing in later for name in pairing.names}
    assert len(byes(later)) == 1


def test_nothing_is_paired_when_nobody_is_left() -> None:
    event = Event(described("swiss", rounds=3), names(3))
    event.finish([pairing for pairing in event.ask() if not pairing.is_bye], Random(2))
    event.withdrawn = {"agent 0", "agent 1"}
    assert len(event.ask()) == 2
    assert event.is_complete


def all_pairs(players: Sequence[str]) -> list[tuple[str, str]]:
    """Any two."""
    return [(one, other) for one in players for other in players if one < other]


def all_rounds(players: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """All ways to put everybody in pairs."""
    if not players:
        yield []
        return
    one, *others = players
    for other in others:
        for rest in all_rounds([name for name in others if name != other]):
            yield [(one, other), *rest]


def test_a_bye_is_a_pairing_of_one_without_games() -> None:
    bye = next(pairing for pairing in Event(described("swiss"), names(3)).ask() if pairing.is_bye)
    assert bye == Pairing(bye.names, cycle=0, round=1, legs=0)
    assert len(bye.names) == 1
