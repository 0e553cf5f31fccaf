"""One player against another: counts, pairs, and the confidence bound of a perfect score."""

from __future__ import annotations

from itertools import count
from math import log10, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.ratings.versus import Seated, Versus, versus
from db.records import RatedGame

_ids = count(1)


def game(
    first: str, second: str, points: float, *, pair: str = "", verdict: str = "normal", plies: int | None = 9
) -> RatedGame:
    """A game with the score of `first`; without `pair`, it is a pair of its own."""
    id = next(_ids)
    return RatedGame(
        id=id,
        names=(first, second),
        points=(points, 1.0 - points),
        rules="tictactoe",
        pair=("1", pair or f"game {id}"),
        round=1,
        finished="2026-05-01T12:00:00.000Z",
        tournament=1,
        number=id,
        verdict=verdict,
        plies=plies,
    )


def pair(name: str, own: float, other: float) -> list[RatedGame]:
    """Two games with the scores of a, first in the first seat."""
    return [game("a", "b", own, pair=name), game("b", "a", 1.0 - other, pair=name)]


def test_games_are_counted_in_all_and_by_seat() -> None:
    games = [*pair("1", 1.0, 0.5), game("a", "b", 0.0), game("a", "c", 0.0), game("c", "b", 1.0)]
    found = versus(games, "a", "b")
    assert (found.a, found.b, found.games, found.wins, found.draws, found.losses) == ("a", "b", 3, 1, 1, 1)
    assert found.by_seat == [Seated(0, 2, 1, 0, 1), Seated(1, 1, 0, 1, 0)]


def test_pairs_are_counted_together_and_what_is_left_on_its_own() -> None:
    games = [
        *pair("1", 1.0, 1.0),
        *pair("2", 1.0, 0.5),
        *pair("3", 0.0, 1.0),
        *pair("4", 0.0, 0.0),
        game("a", "b", 1.0),
    ]
    found = versus(games, "a", "b")
    assert (found.pentanomial, found.single) == ([1, 0, 1, 1, 1], 1)


def test_who_is_better_is_told_by_the_pairs_that_one_of_them_has_won() -> None:
    even = versus(pair("1", 0.0, 1.0), "a", "b")
    assert even.los == 0.5
    won = versus(pair("1", 1.0, 1.0), "a", "b")
    assert won.los == pytest.approx(0.75)
    # Two games with one opening give less information than two games with two openings.
    assert versus([game("a", "b", 1.0), game("b", "a", 0.0)], "a", "b").los > won.los


def test_the_longest_the_shortest_and_the_last_games_are_told() -> None:
    games = [game("a", "b", 1.0, plies=plies) for plies in (7, None, 30, 5, *[9] * 10)]
    found = versus(games, "a", "b")
    assert found.longest is not None
    assert found.shortest is not None
    assert (found.longest.plies, found.shortest.plies) == (30, 5)
    assert [one.id for one in found.last] == [one.id for one in games[:-11:-1]]


def test_games_of_unknown_length_have_no_longest_one() -> None:
    found = versus([game("a", "b", 1.0, plies=None)], "a", "b")
    assert (found.games, found.longest, found.shortest) == (1, None, None)


def test_how_games_ended_is_counted() -> None:
    games = [game("a", "b", 1.0, verdict=verdict) for verdict in ("time", "normal", "time")]
    assert versus(games, "a", "b").verdicts == {"normal": 1, "time": 2}


def test_a_version_is_itself_and_a_name_is_all_of_them() -> None:
    games = [game("a@1", "b@1", 1.0), game("a@2", "b@1", 0.0), game("a@2", "a@1", 1.0)]
    assert versus(games, "a", "b").games == 2
    assert versus(games, "a@2", "b").losses == 1
    assert versus(games, "a@2", "a@1").wins == 1


def test_in_a_game_for_more_it_counts_who_of_the_two_has_more() -> None:
    three = game("a", "b", 0.5)
    games = [
        replace(three, names=("c", "a", "b"), points=(1.0, 0.0, 0.0)),
        replace(three, names=("a", "c", "b"), points=(0.25, 0.75, 0.0), pair=("1", "another")),
    ]
    found = versus(games, "a", "b")
    assert (found.wins, found.draws, found.losses) == (1, 1, 0)


def test_without_games_nothing_is_told() -> None:
    found = versus([], "a", "b")
    assert (found.games, found.difference.elo, found.bound, found.los) == (0, None, None, 0.5)
    assert (found.by_seat, found.last, found.verdicts) == ([], [], {})


@pytest.mark.parametrize("pairs", [1, 4, 5, 100])
def test_who_wins_everything_is_better_by_what_would_have_failed_one_time_in_twenty(pairs: int) -> None:
    found = versus([one for number in range(pairs) for one in pair(str(number), 1.0, 1.0)], "a", "b")
    assert (found.difference.elo, found.bound is not None) == (None, True)
    assert found.bound is not None
    score = 1.0 / (1.0 + 10.0 ** (-found.bound / 400.0))
    # All games in a row are won with probability 5 % at this expected score.
    assert score**pairs == pytest.approx(0.05)
    assert (found.bound > 0.0) is (pairs >= 5)


def test_a_single_game_counts_as_much_as_a_pair_for_what_is_sure() -> None:
    both = versus([*pair("1", 1.0, 1.0), game("a", "b", 1.0)], "a", "b")
    assert both.bound == pytest.approx(400.0 * log10(0.05**0.5 / (1.0 - 0.05**0.5)))


@pytest.mark.parametrize("points", [[1.0, 0.5], [0.5, 0.5], [1.0, 0.0]])
def test_nothing_more_is_sure_where_not_everything_was_won(points: list[float]) -> None:
    assert versus([game("a", "b", share) for share in points], "a", "b").bound is None


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from("1234")), max_size=12))
def test_it_is_the_same_from_the_other_side(played: list[tuple[bool, float, str]]) -> None:
    games = [game("a" if first else "b", "b" if first else "a", points, pair=name) for first, points, name in played]
    own, other = versus(games, "a", "b"), versus(games, "b", "a")
    assert (own.wins, own.draws, own.losses) == (other.losses, other.draws, other.wins)
    assert own.pentanomial == other.pentanomial[::-1]
    assert own.los == pytest.approx(1.0 - other.los)
    for one, mirrored in ((own.difference.elo, other.difference.elo), (own.bound, other.bound)):
        assert (one is None) is (mirrored is None)
        assert one is None or mirrored is None or one == pytest.approx(-mirrored, abs=1e-9)
    assert _adds_up(own)


def _adds_up(found: Versus) -> bool:
    return found.games == found.wins + found.draws + found.losses == 2 * sum(found.pentanomial) + found.single


def test_pairs_that_repeat_another_move_for_move_make_nobody_surer() -> None:
    once = [*pair("1", 1.0, 1.0), *pair("2", 1.0, 0.5), *pair("3", 0.0, 1.0), *pair("4", 0.0, 1.0)]
    once = [replace(one, moves_hash=number) for number, one in enumerate(once)]
    again = [replace(one, pair=(one.pair, copy)) for copy in range(20) for one in once]
    new = [replace(one, moves_hash=None) for one in again]
    one, repeated, independent = (versus(games, "a", "b") for games in (once, again, new))
    assert (one.repeated, repeated.repeated, independent.repeated) == (0, 4 * 19, 0)
    assert repeated.difference.elo == pytest.approx(one.difference.elo)
    assert repeated.los == one.los < independent.los
    assert repeated.games == 160
    assert repeated.pentanomial == [20 * count for count in one.pentanomial]
    assert repeated.difference.error == pytest.approx(one.difference.error)
    assert (independent.difference.error or 0.0) < 0.3 * (one.difference.error or 0.0)


def test_who_won_one_game_again_and_again_has_proven_no_more_than_with_one() -> None:
    won = [replace(one, moves_hash=number) for number, one in enumerate(pair("1", 1.0, 1.0))]
    again = [replace(one, pair=copy) for copy in range(9) for one in won]
    assert versus(again, "a", "b").bound == versus(won, "a", "b").bound


def test_a_few_pairs_that_went_alike_are_no_reason_to_be_sure() -> None:
    found = versus([one for number in range(8) for one in pair(f"{number}", 1.0, 0.0)], "a", "b").difference
    # One pair of independent games among eight that were split: sqrt(1/2) / 16 is the standard error of the score.
    width = 1.96 * sqrt(0.5) / 16.0
    assert found.elo == 0.0
    assert found.error == pytest.approx(400.0 * log10((0.5 + width) / (0.5 - width)), rel=1e-3)
