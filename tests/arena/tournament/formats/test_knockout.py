"""A knockout: a bracket drawn once, series of so many pairings, and what happens when one is tied."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadLeague
from arena.tournament import formats
from arena.tournament.formats.knockout import bracket
from tests.kit.effort import tries
from tests.kit.paper_tournament import Event, Terms, names


def knockout(players: int, *, best_of: int = 1, repeats: int = 3) -> Event:
    """Agents 0, 1, 2, ... are the seeds 1, 2, 3, ..."""
    listed = names(players)
    return Event(Terms("knockout", seeds=listed, best_of=best_of, repeats=repeats), listed)


def give(event: Event, first: float, second: float) -> None:
    """The higher seed of every pairing that is to be played gets `first`, the other `second`."""
    for pairing in event.open:
        high, low = sorted(pairing.names, key=event.names.index)
        event.results[pairing.key] = {high: first, low: second}


def together(event: Event, round: int) -> list[list[str]]:
    """Who meets in that round, the higher seed first."""
    return [sorted(pairing.names, key=event.names.index) for pairing in event.known if pairing.round == round]


def test_the_best_seeds_meet_last() -> None:
    assert bracket(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    assert bracket(2) == [1, 2]
    assert bracket(16)[:8] == [1, 16, 8, 9, 4, 13, 5, 12]
    assert sorted(bracket(32)) == list(range(1, 33))


def test_the_best_seeds_have_the_byes() -> None:
    event = knockout(6)
    event.ask()
    assert together(event, 1) == [["agent 3", "agent 4"], ["agent 2", "agent 5"]]
    give(event, 2, 0)
    event.ask()
    assert together(event, 2) == [["agent 0", "agent 3"], ["agent 1", "agent 2"]]
    give(event, 2, 0)
    event.ask()
    assert together(event, 3) == [["agent 0", "agent 1"]]
    assert formats.byes(event.known) == {}


@settings(max_examples=tries(60))
@given(st.integers(2, 40), st.integers(1, 3), st.integers(0, 3), st.integers(0, 2**64), st.randoms())
def test_all_but_one_lose_a_series(players: int, best_of: int, repeats: int, seed: int, random: Random) -> None:
    event = Event(Terms("knockout", best_of=best_of, repeats=repeats), names(players), seed)
    every = event.play(random)
    series = {(pairing.round, tuple(sorted(pairing.names))) for pairing in every}
    assert len(series) == players - 1
    assert len({pair for _, pair in series}) == players - 1
    last = max(pairing.round for pairing in every)
    assert 2 ** (last - 1) < players <= 2**last
    for round, pair in series:
        count = sum(pairing.round == round and tuple(sorted(pairing.names)) == pair for pairing in every)
        assert best_of <= count <= best_of + repeats


def test_a_tied_series_is_repeated_and_then_the_higher_seed_goes_through() -> None:
    event = knockout(4, repeats=3)
    for _ in range(4):
        event.ask()
        assert {pairing.round for pairing in event.open} == {1}
        give(event, 1, 1)
    event.ask()
    assert [pairing.cycle for pairing in event.known if pairing.round == 1] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert together(event, 2) == [["agent 0", "agent 1"]]


@pytest.mark.parametrize(("players", "best_of", "repeats"), [(2, 1, 0), (6, 9, 5), (13, 2, 3)])
def test_no_more_games_are_played_than_the_bound_says_even_if_every_game_is_drawn(
    players: int, best_of: int, repeats: int
) -> None:
    event = knockout(players, best_of=best_of, repeats=repeats)
    while event.ask() and event.open:
        give(event, 1, 1)
    expected = formats.estimate(event.terms, players)
    assert sum(pairing.legs for pairing in event.known) == expected.at_most
    assert expected.games == 2 * best_of * (players - 1)


def test_a_repeated_pairing_decides() -> None:
    event = knockout(2, best_of=2)
    event.ask()
    give(event, 1, 1)
    event.ask()
    assert len(event.open) == 1
    give(event, 0.5, 1.5)
    event.ask()
    assert event.is_complete


def test_a_decided_series_needs_no_more_games() -> None:
    event = knockout(2, best_of=5)
    event.ask()
    for pairing in event.known[:3]:
        assert not event.is_complete
        event.results[pairing.key] = {"agent 0": 2, "agent 1": 0}
    event.ask()
    assert event.is_complete
    without = formats.needless(event.terms, event.names, event.results, event.seed, known=event.known)
    assert without == event.known[3:]


def test_a_later_round_waits_for_all_series() -> None:
    event = knockout(4)
    first = event.ask()
    event.finish(first[:1], Random(1), draws=False)
    assert event.ask() == first


def test_who_meets_a_withdrawn_player_goes_through() -> None:
    event = knockout(4)
    event.ask()
    give(event, 2, 0)
    event.withdrawn = {"agent 0"}
    event.ask()
    assert event.is_complete
    event = knockout(5)
    event.withdrawn = {"agent 1", "agent 2"}
    event.ask()
    give(event, 2, 0)
    event.ask()
    give(event, 2, 0)
    assert [pair for round in (1, 2, 3) for pair in together(event, round)] == [
        ["agent 3", "agent 4"],
        ["agent 0", "agent 3"],
    ]
    event.ask()
    assert event.is_complete


def test_a_round_that_is_paired_stands_whatever_is_ruled_later() -> None:
    event = knockout(4)
    first = event.ask()
    give(event, 2, 0)
    event.ask()
    event.results[first[0].key] = {name: 2 - points for name, points in event.results[first[0].key].items()}
    event.ask()
    assert together(event, 2) == [["agent 0", "agent 1"]]


def test_nobody_joins_a_bracket_that_is_drawn() -> None:
    event = knockout(4)
    event.ask()
    event.names.append("newcomer")
    with pytest.raises(BadLeague, match="the bracket of a knockout is drawn once"):
        event.ask()


def test_without_named_seeds_the_bracket_is_drawn_from_the_seed() -> None:
    drawn = {tuple(pairing.names) for seed in range(20) for pairing in Event(Terms("knockout"), names(4), seed).ask()}
    assert len({tuple(sorted(pair)) for pair in drawn}) == 6
