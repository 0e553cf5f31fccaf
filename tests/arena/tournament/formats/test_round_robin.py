"""Everyone meets everyone as often as described, in the rounds of FIDE's Berger tables."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.round_robin import table
from tests.kit.effort import tries
from tests.kit.paper_tournament import Event, described, meetings, names
from tests.kit.places import TRUTHS

TABLES = json.loads((TRUTHS / "berger.json").read_text("utf-8"))["tables"]


@pytest.mark.parametrize("players", [int(number) for number in TABLES])
def test_the_tables_are_those_of_fide(players: int) -> None:
    expected = [[tuple(meeting) for meeting in meet] for meet in TABLES[str(players)]]
    assert table(players) == expected
    without_last = [[meeting for meeting in meet if players not in meeting] for meet in expected]
    assert table(players - 1) == without_last


@pytest.mark.parametrize("players", range(2, 41))
def test_in_every_table_all_meet_once_and_nobody_is_free_more_than_once(players: int) -> None:
    rounds = table(players)
    assert len(rounds) == players - 1 + players % 2
    met = Counter(tuple(sorted(meeting)) for meet in rounds for meeting in meet)
    assert met == Counter(combinations(range(1, players + 1), 2))
    for meet in rounds:
        seated = [player for meeting in meet for player in meeting]
        assert len(set(seated)) == len(seated) == players - players % 2


@settings(max_examples=tries(40))
@given(st.integers(2, 40), st.integers(1, 4), st.integers(0, 2**64))
def test_everyone_meets_everyone_exactly_as_often_as_described(players: int, rounds: int, seed: int) -> None:
    every = Event(described("round-robin", rounds=rounds), names(players), seed).ask()
    assert meetings(every) == Counter(dict.fromkeys(combinations(sorted(names(players)), 2), rounds))
    assert {pairing.legs for pairing in every} == {2}
    assert [pairing.round for pairing in every] == sorted(pairing.round for pairing in every)


def test_who_meets_when_follows_from_the_seed() -> None:
    terms = described("round-robin")
    first, other = (Event(terms, names(8), seed).ask() for seed in (1, 2))
    assert [pairing.names for pairing in first] != [pairing.names for pairing in other]


def test_more_rounds_only_add_pairings() -> None:
    event = Event(described("round-robin", rounds=1), names(7))
    once = event.ask()
    event.format = described("round-robin", rounds=2)
    twice = event.ask()
    assert twice == Event(event.format, names(7)).ask()
    assert twice[: len(once)] == once


def test_withdrawn_players_keep_their_pairings() -> None:
    event = Event(described("round-robin"), names(5))
    before = event.ask()
    event.withdrawn = {"agent 3"}
    assert event.ask() == before
