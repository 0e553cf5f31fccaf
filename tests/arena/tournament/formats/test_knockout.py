"""A knockout: a bracket drawn once, series of several pairings, and ties."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadLeague
from arena.tournament.format import Bracket, Why
from arena.tournament.formats.knockout import places
from tests.kit.effort import tries
from tests.kit.paper_tournament import Event, byes, described, names


def knockout(players: int, *, best_of: int = 1, repeats: int = 3) -> Event:
    """Agents 0, 1, 2, ... are the seeds 1, 2, 3, ..."""
    listed = names(players)
    return Event(described("knockout", seeds=listed, best_of=best_of, repeats=repeats), listed)


def give(event: Event, first: float, second: float) -> None:
    """Plays all pairings so far: the higher seed gets `first` points, the other `second`."""
    for pairing in event.open:
        high, low = sorted(pairing.names, key=event.names.index)
        event.results[pairing.key] = {high: first, low: second}


def shown(event: Event, forfeits: set[tuple[str, str]] | None = None) -> Bracket:
    """The current bracket."""
    found = event.format.bracket(event.so_far, forfeits or set())
    assert found is not None
    return found


def told(bracket: Bracket, **statuses: str) -> list[str]:
    """Every series as a sentence, from the first round to the final."""
    withdrawn = {name.replace("_", " "): status for name, status in statuses.items()}
    return [bracket.sentence(one, withdrawn) for series in bracket.rounds for one in series]


def ranked(bracket: Bracket) -> list[str]:
    """The players, best first."""
    places = bracket.places()
    return sorted(places, key=places.__getitem__, reverse=True)


def together(event: Event, round: int) -> list[list[str]]:
    """The pairs of that round, the higher seed first."""
    return [sorted(pairing.names, key=event.names.index) for pairing in event.known if pairing.round == round]


def test_the_best_seeds_meet_last() -> None:
    assert places(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    assert places(2) == [1, 2]
    assert places(16)[:8] == [1, 16, 8, 9, 4, 13, 5, 12]
    assert sorted(places(32)) == list(range(1, 33))


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
    assert byes(event.known) == {}


@pytest.mark.costly
@settings(max_examples=tries(60))
@given(st.integers(2, 40), st.integers(1, 3), st.integers(0, 3), st.integers(0, 2**64), st.randoms())
def test_all_but_one_lose_a_series(players: int, best_of: int, repeats: int, seed: int, random: Random) -> None:
    event = Event(described("knockout", best_of=best_of, repeats=repeats), names(players), seed)
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
    expected = event.format.estimate(players, 2)
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
    without = event.format.needless(event.so_far)
    assert without == event.known[3:]


def test_a_later_round_waits_for_all_series() -> None:
    event = knockout(4)
    first = event.ask()
    event.finish(first[:1], Random(1), draws=False)
    assert event.ask() == first


def test_the_opponent_of_a_withdrawn_player_goes_through() -> None:
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


def test_a_paired_round_does_not_change_after_a_ruling() -> None:
    event = knockout(4)
    first = event.ask()
    give(event, 2, 0)
    event.ask()
    event.results[first[0].key] = {name: 2 - points for name, points in event.results[first[0].key].items()}
    event.ask()
    assert together(event, 2) == [["agent 0", "agent 1"]]


def test_players_cannot_be_added_to_a_drawn_bracket() -> None:
    event = knockout(4)
    event.ask()
    event.names.append("newcomer")
    with pytest.raises(BadLeague, match="the bracket of a knockout is drawn once"):
        event.ask()


def test_without_named_seeds_the_bracket_is_drawn_from_the_seed() -> None:
    drawn = {
        tuple(pairing.names) for seed in range(20) for pairing in Event(described("knockout"), names(4), seed).ask()
    }
    assert len({tuple(sorted(pair)) for pair in drawn}) == 6


# The bracket as it is shown.


def test_the_bracket_says_who_went_through_and_why() -> None:
    event = knockout(6, repeats=1)
    event.ask()
    assert told(shown(event)) == [
        "agent 0 (1) has a bye",
        "agent 3 (4) against agent 4 (5): no result yet",
        "agent 1 (2) has a bye",
        "agent 2 (3) against agent 5 (6): no result yet",
        "agent 0 (1) waits for the other player",
        "agent 1 (2) waits for the other player",
        "",
    ]
    give(event, 0.5, 1.5)
    event.ask()
    give(event, 1, 1)
    event.ask()
    assert told(shown(event))[4] == "agent 0 (1) against agent 4 (5): 1-1 so far"
    give(event, 1, 1)
    event.ask()
    give(event, 2, 0)
    event.ask()
    found = shown(event)
    assert told(found) == [
        "agent 0 (1) has a bye",
        "agent 4 (5) beat agent 3 (4) 1.5-0.5",
        "agent 1 (2) has a bye",
        "agent 5 (6) beat agent 2 (3) 1.5-0.5",
        "agent 0 (1) and agent 4 (5) tied 2-2: agent 0 goes through as the higher seed",
        "agent 1 (2) and agent 5 (6) tied 2-2: agent 1 goes through as the higher seed",
        "agent 0 (1) beat agent 1 (2) 2-0",
    ]
    assert found.winner == "agent 0"
    assert [one.why for series in found.rounds for one in series] == [
        *(Why.BYE, Why.WON, Why.BYE, Why.WON),
        *(Why.TIED, Why.TIED, Why.WON),
    ]
    assert [found.title(round) for round in (1, 2, 3)] == ["Round 1", "Round 2", "Final"]
    assert [found.reached(name) for name in found.seeds] == [
        *("winner", "final", "round 1", "round 1", "round 2", "round 2")
    ]


def test_players_are_ranked_by_the_round_that_they_reached_and_then_by_the_series_that_they_lost() -> None:
    event = knockout(8)
    event.ask()
    scores = {"agent 0": 2.0, "agent 3": 1.5, "agent 1": 2.0, "agent 2": 1.5}
    for pairing in event.open:
        high, low = sorted(pairing.names, key=event.names.index)
        event.results[pairing.key] = {high: scores[high], low: 2 - scores[high]}
    event.ask()
    while event.open:  # the semi-final of 1 and 2 is tied until its last pairing
        for pairing in event.open:
            high, low = sorted(pairing.names, key=event.names.index)
            last = high == "agent 0" or pairing.cycle == 3
            event.results[pairing.key] = {high: 2.0 if last else 1.0, low: 0.0 if last else 1.0}
        event.ask()
    places = shown(event).places()
    assert places["agent 0"] > places["agent 1"] > places["agent 2"] > places["agent 3"] > places["agent 5"]
    assert places["agent 4"] == places["agent 5"] > places["agent 6"] == places["agent 7"]


def test_who_is_still_in_is_before_who_lost_in_the_same_round() -> None:
    event = knockout(4)
    first = event.ask()
    event.results[first[0].key] = dict(zip(first[0].names, (2.0, 0.0), strict=True))
    places = shown(event).places()
    winner, loser = first[0].names
    waiting = [places[name] for name in event.names if name not in first[0].names]
    assert places[winner] > waiting[0] == waiting[1] > places[loser]


def test_a_series_that_was_forfeited_says_so() -> None:
    event = knockout(4)
    first, second = event.ask()
    high, low = sorted(first.names, key=event.names.index)
    event.results[first.key] = {high: 1.0, low: 1.0}
    event.withdrawn = {high}
    event.ask()
    assert told(shown(event), agent_0="withdrawn")[0] == (
        "agent 3 (4) goes through against agent 0 (1) 1-1: agent 0 withdrew"
    )
    event.results[first.key] = {high: 0.0, low: 2.0}
    forfeits = {(first.key, high)}
    assert told(shown(event, forfeits), agent_0="quarantined")[0] == (
        "agent 3 (4) goes through against agent 0 (1) 2-0: agent 0 was quarantined"
    )
    assert told(shown(event))[0] == "agent 3 (4) beat agent 0 (1) 2-0"
    event.results[second.key] = dict(zip(second.names, (2.0, 0.0), strict=True))
    event.withdrawn = {high, low}
    event.ask()
    assert told(shown(event), agent_3="withdrawn")[2].endswith(
        "goes through against agent 3 (4) without a game: agent 3 withdrew"
    )


def test_a_withdrawal_after_a_tied_series_changes_neither_who_is_through_nor_why() -> None:
    event = knockout(4, repeats=1)
    while event.ask() and event.open:
        give(event, 1, 1)
    before = told(shown(event))
    assert before[2].endswith("tied 2-2: agent 0 goes through as the higher seed")
    for withdrawn in ({"agent 0"}, {"agent 1"}, {"agent 0", "agent 1"}, {"agent 3"}):
        event.withdrawn = withdrawn
        event.ask()
        assert told(shown(event)) == before


def test_who_went_through_because_the_other_left_may_leave_later() -> None:
    event = knockout(4)
    first, second = event.ask()
    event.results[first.key] = {"agent 0": 1.0, "agent 3": 1.0}
    event.results[second.key] = dict(zip(second.names, (2.0, 0.0), strict=True))
    event.withdrawn = {"agent 0"}
    event.ask()
    event.withdrawn = {"agent 0", "agent 3"}
    event.ask()
    assert told(shown(event), agent_0="withdrawn")[0] == (
        "agent 3 (4) goes through against agent 0 (1) 1-1: agent 0 withdrew"
    )


def test_who_went_through_before_a_ruling_is_shown_as_such() -> None:
    event = knockout(4)
    first = event.ask()[0]
    give(event, 2, 0)
    event.ask()
    event.results[first.key] = {"agent 0": 0.0, "agent 3": 2.0}
    assert told(shown(event))[0] == "agent 0 (1) went through against agent 3 (4) before a ruling; now the score is 0-2"
    assert shown(event).rounds[0][0].why is Why.PAIRED


@pytest.mark.costly
@settings(max_examples=tries(60))
@given(st.integers(2, 40), st.integers(1, 3), st.integers(0, 3), st.integers(0, 2**64), st.randoms())
def test_at_any_moment_the_bracket_agrees_with_what_is_played(
    players: int, best_of: int, repeats: int, seed: int, random: Random
) -> None:
    event = Event(described("knockout", best_of=best_of, repeats=repeats), names(players), seed)
    while event.ask() and event.open:
        event.finish(random.sample(event.open, random.randint(1, len(event.open))), random)
        found = shown(event)
        assert (found.winner is None) == (not event.is_complete)
        met = {frozenset(one.players) for series in found.rounds for one in series}
        assert all(frozenset(pairing.names) in met for pairing in event.known)
        for before, after in pairwise(found.rounds):
            through = [one.winner for one in before]
            assert [name for one in after for name in one.players] == through
    found = shown(event)
    best, *others = ranked(found)
    assert best == found.winner
    lost = [one for series in found.rounds for one in series if one.why is not Why.BYE]
    assert sorted(others) == sorted(name for one in lost for name in one.players if name and name != one.winner)
    reached = [len(found.of(name)) for name in ranked(found)]
    assert reached == sorted(reached, reverse=True)
