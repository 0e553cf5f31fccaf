"""What is true of every format: it depends on nothing but what it is told, and takes nothing back.

Results are random, and come in any order; names are added and withdrawn on the way.
"""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament import formats
from arena.tournament.format import Format, Pairing
from tests.kit.effort import tries
from tests.kit.paper_tournament import Event, described, first_seats, names

KINDS = st.sampled_from(formats.names())
SEEDS = st.integers(0, 2**128 - 1)


def event_of(kind: str, players: int, rounds: int, seed: int) -> Event:
    """A tournament of that format; a match is between two, tables are for three."""
    count = 2 if kind == "match" else max(players, 3) if kind == "tables" else players
    listed = names(count)
    own = {
        "gauntlet": {"gauntlet": tuple(listed[: max(1, count // 4)]), "rounds": rounds},
        "knockout": {"seeds": tuple(listed[:2]), "best_of": rounds},
    }
    format = described(kind, **own.get(kind, {"rounds": rounds}))
    return Event(format, listed, seed, seats=3 if kind == "tables" else 2)


@settings(max_examples=tries(40))
@given(KINDS, st.integers(2, 40), st.integers(1, 3), SEEDS, st.randoms(use_true_random=False))
def test_pairings_are_never_taken_back_and_every_tournament_ends(
    kind: str, players: int, rounds: int, seed: int, random: Random
) -> None:
    event = event_of(kind, players, rounds, seed)
    every = event.play(random)
    assert event.is_complete
    assert {name for pairing in every for name in pairing.names} <= set(event.names)
    again = event.format.further(replace(event.so_far, known=()))
    assert list(again) == every  # from the results alone, without what was said before


@settings(max_examples=tries(40))
@given(KINDS, st.integers(2, 20), st.integers(1, 3), SEEDS, st.randoms(use_true_random=False))
def test_the_order_of_names_and_results_does_not_matter(
    kind: str, players: int, rounds: int, seed: int, random: Random
) -> None:
    event = event_of(kind, players, rounds, seed)
    every = event.play(random)
    results = dict(random.sample(list(event.results.items()), len(event.results)))
    names = random.sample(event.names, len(event.names))
    assert Event(event.format, names, seed, results=results, seats=event.seats).ask() == every


@settings(max_examples=tries(40))
@given(KINDS, st.integers(2, 30), st.integers(1, 3), SEEDS, st.randoms(use_true_random=False))
def test_everybody_sits_equally_often_on_each_seat(
    kind: str, players: int, rounds: int, seed: int, random: Random
) -> None:
    event = event_of(kind, players, rounds, seed)
    seats = first_seats(event.play(random))
    for name in event.names:
        assert len({seats[name, seat] for seat in range(event.seats)}) == 1


@settings(max_examples=tries(40))
@given(KINDS, st.integers(2, 12), st.integers(1, 6), SEEDS, st.randoms(use_true_random=False))
def test_players_who_meet_again_take_turns_to_sit_first(
    kind: str, players: int, rounds: int, seed: int, random: Random
) -> None:
    event = event_of(kind, players, rounds, seed)
    firsts: dict[tuple[str, ...], list[str]] = {}
    for pairing in sorted(event.play(random), key=lambda pairing: pairing.cycle):
        together = firsts.setdefault(tuple(sorted(pairing.names)), [])
        assert pairing.cycle == len(together)
        together.append(pairing.names[0])
    for players_who_meet, first in firsts.items():
        counts = [first.count(name) for name in players_who_meet]
        assert max(counts) - min(counts) <= 1


@settings(max_examples=tries(40))
@given(KINDS, st.integers(2, 40), st.integers(1, 3), SEEDS, st.randoms(use_true_random=False))
def test_no_player_plays_twice_in_a_round(kind: str, players: int, rounds: int, seed: int, random: Random) -> None:
    event = event_of(kind, players, rounds, seed)
    seen: dict[tuple[int, str], Pairing] = {}
    for pairing in event.play(random):
        for name in pairing.names:
            other = seen.setdefault((pairing.round, name), pairing)
            # In a knockout the pairings of a series are one round.
            assert other is pairing or (kind == "knockout" and sorted(other.names) == sorted(pairing.names))


@settings(max_examples=tries(40))
@given(
    st.sampled_from([kind.name for kind in formats.every() if not kind.closed and kind.most_players > 2]),
    st.integers(2, 15),
    st.integers(1, 6),
    st.integers(1, 3),
    SEEDS,
    st.randoms(use_true_random=False),
)
def test_added_players_change_nothing_for_the_others(
    kind: str, players: int, added: int, rounds: int, seed: int, random: Random
) -> None:
    event = event_of(kind, players, rounds, seed)
    before = event.ask()
    event.finish(random.sample(event.open, random.randint(0, len(event.open))), random)
    event.names = random.sample(event.names + names(added, first=100), len(event.names) + added)
    every = event.play(random)
    assert event.is_complete
    everybody = Event(event.format, event.names, seed, seats=event.seats).ask() if not event.format.grows else []
    same = {pairing.key: pairing for pairing in everybody}
    if kind in ("round-robin", "gauntlet"):
        # All meet in the same seats as if they had been there from the start; the added players in later rounds.
        assert {pairing.key: pairing.names for pairing in every} == {
            key: pairing.names for key, pairing in same.items()
        }
        last = max(pairing.round for pairing in before)
        assert all(pairing.round > last for pairing in every[len(before) :])


@pytest.mark.parametrize(
    ("format", "players", "seats", "pairings", "games"),
    [
        (described("round-robin", rounds=2), 10, 2, 90, 180),
        (described("gauntlet", rounds=3, gauntlet=("agent 0", "agent 1")), 10, 2, 48, 96),
        (described("swiss", rounds=5), 11, 2, 25, 50),
        (described("knockout", best_of=3), 10, 2, 27, 54),
        (described("match", rounds=7), 2, 2, 7, 14),
        (described("tables", rounds=4), 10, 4, 8, 32),
    ],
)
def test_the_number_of_games_is_known_before(
    format: Format, players: int, seats: int, pairings: int, games: int
) -> None:
    expected = format.estimate(players, seats)
    assert (expected.pairings, expected.games) == (pairings, games)
    assert expected.at_most == games or format.has_bracket
    event = Event(format, names(players), seats=seats)
    while event.ask() and event.open:
        event.finish(event.open, Random(1), draws=False)
    played = [pairing for pairing in event.known if not pairing.is_bye]
    assert (len(played), sum(pairing.legs for pairing in played)) == (pairings, games)


def test_a_pairings_identity_is_its_players_and_their_cycle() -> None:
    event = Event(described("match", rounds=2), ['quo"ted', "wide 界"])
    first, second = event.ask()
    assert sorted(first.identity[:2], key=str) == ['quo"ted', "wide 界"]
    assert [json.loads(pairing.key) for pairing in (first, second)] == [
        [*first.identity[:2], cycle] for cycle in (0, 1)
    ]
    assert first == Pairing(first.names, 0, 1, 2)
    assert (first.seats(0), first.seats(1), first.seats(2)) == (first.names, first.names[::-1], first.names)
