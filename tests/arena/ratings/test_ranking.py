"""Rankings in every system."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadRating
from arena.ratings import bradley_terry, systems
from arena.ratings.duels import duels
from arena.ratings.ranking import ANCHOR, ONLY_LOST, ONLY_WON, Ranked, Ranking, RankingSettings
from arena.ratings.systems import rank
from db.records import PairCount, RatedGame
from tests.kit.effort import tries
from tests.kit.game_lists import drawn, games, won

COURSE = [
    *[won("ann", "bob", pair=number) for number in range(6)],
    *[won("bob", "ann", pair=10 + number) for number in range(3)],
    *[drawn("bob", "cleo", pair=20 + number) for number in range(4)],
    *[won("cleo", "ann", pair=30)],
    *[won(name, "dan", pair=f"{name} dan") for name in ("ann", "bob", "cleo")],  # type: ignore[arg-type]
]


def line(ranking: Ranking, name: str) -> Ranked:
    (found,) = (player for player in ranking.players if player.name == name)
    return found


@pytest.mark.parametrize("system", systems.names())
def test_everybody_has_a_line_with_games_and_points_as_they_were(system: str) -> None:
    found = rank(COURSE, system=systems.find(system))
    assert str(found.system) == system
    assert {one.name: (one.games, one.wins, one.draws, one.losses, one.points) for one in found.players} == {
        "ann": (11, 7, 0, 4, 7.0),
        "bob": (14, 4, 4, 6, 6.0),
        "cleo": (6, 2, 4, 0, 4.0),
        "dan": (3, 0, 0, 3, 0.0),
    }
    assert all(one.score == pytest.approx(one.points / one.games) for one in found.players)
    assert {one.name: one.marks for one in found.players if one.marks} == {"dan": [ONLY_LOST]}


def test_the_best_comes_first_with_what_the_fit_says() -> None:
    found, fit = rank(COURSE), bradley_terry.fit(duels(COURSE))
    assert [one.rating for one in found.players] == sorted(fit.ratings, reverse=True)
    for one in found.players:
        place = fit.names.index(one.name)
        assert (one.rating, one.error) == (fit.ratings[place], fit.errors()[place])
    for above, below in zip(found.players, [*found.players[1:], None], strict=True):
        places = [fit.names.index(one.name) for one in (above, below) if one is not None]
        assert above.los == (fit.superiority(*places) if below is not None else None)
    assert found.advantages == dict(fit.advantages)


def test_opponents_are_averaged_as_often_as_they_were_met() -> None:
    found = rank(COURSE)
    rating = {one.name: one.rating or 0.0 for one in found.players}
    assert line(found, "cleo").opponents == pytest.approx((4 * rating["bob"] + rating["ann"] + rating["dan"]) / 6)
    assert line(found, "dan").opponents == pytest.approx((rating["ann"] + rating["bob"] + rating["cleo"]) / 3)


@pytest.mark.parametrize("system", ["elo", "incremental", "glicko2", "plackett-luce"])
def test_nobody_is_an_opponent_of_itself(system: str) -> None:
    found = rank([*COURSE, won("ann", "ann")], system=systems.find(system))
    rating = {one.name: one.rating or 0.0 for one in found.players}
    expected = (9 * rating["bob"] + rating["cleo"] + rating["dan"]) / 11
    assert line(found, "ann").opponents == pytest.approx(expected)


def test_who_has_met_nobody_else_has_no_opponents() -> None:
    assert rank([won("ann", "ann")]).players[0].opponents is None


@pytest.mark.parametrize("system", ["elo", "plackett-luce", "glicko2"])
def test_those_who_did_the_same_share_a_rank(system: str) -> None:
    played = [
        RatedGame(names, points, pair=(twin, other))
        for other in ("cleo", "dan")
        for twin in ("ann", "bob")
        for names, points in (((twin, other), (1.0, 0.0)), ((other, twin), (0.5, 0.5)))
    ]
    found = rank([*played, won("cleo", "dan")], system=systems.find(system))
    assert [(one.rank, one.name) for one in found.players] == [(1, "ann"), (1, "bob"), (3, "cleo"), (4, "dan")]


def test_ranks_that_the_error_bars_allow_go_from_the_best_to_the_worst() -> None:
    sure = [
        RatedGame(names, tuple(float(name == "ann") for name in names), pair=(other, n))
        for other in ("bob", "cleo")
        for n in range(40)
        for names in (("ann", other), (other, "ann"))
    ]
    equal = [won(*two, pair=(two, n)) for two in (("bob", "cleo"), ("cleo", "bob")) for n in range(10)]  # type: ignore[arg-type]
    some = [won("bob", "ann", pair=n) for n in range(3)]
    ranges = {one.name: (one.rank_low, one.rank_high) for one in rank([*sure, *equal, *some]).players}
    assert ranges == {"ann": (1, 1), "bob": (2, 3), "cleo": (2, 3)}


@pytest.mark.parametrize("number", range(5))
def test_ranks_that_the_error_bars_allow_are_those_of_players_whose_bars_do_not_meet(number: int) -> None:
    random, names = Random(number), "abcdefgh"
    played = [
        RatedGame((one, other), (score, 1.0 - score), pair=pair)
        for pair in range(400)
        for one, other in [random.sample(names, 2)]
        for score in [random.choice([0.5, float(one < other), float(one < other), float(random.random() < 0.5)])]
    ]
    bars = {
        one.name: ((one.rating or 0) - (one.error or 0), (one.rating or 0) + (one.error or 0))
        for one in rank(played).players
    }
    for one in rank(played).players:
        low, high = bars[one.name]
        assert one.rank_low == 1 + sum(bars[name][0] > high for name in names)
        assert one.rank_high == len(names) - sum(bars[name][1] < low for name in names)


def test_each_pool_is_ranked_by_itself() -> None:
    played = [*COURSE, won("xena", "yves", pair="a"), drawn("yves", "xena", pair="b")]  # type: ignore[arg-type]
    found = rank(played)
    assert found.pools == 2
    assert [(one.pool, one.rank) for one in found.players] == [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2)]
    assert line(found, "yves").los is None


def test_who_cannot_be_rated_comes_last_and_is_told_why() -> None:
    found = rank(COURSE, settings=RankingSettings(prior=0.0))
    assert found.unrated == {"dan": "lost every game"}
    last = found.players[-1]
    assert (last.name, last.rank, last.rating, last.error, last.pool) == ("dan", None, None, None, 0)
    assert (last.games, last.losses) == (3, 3)


def test_anchors_are_marked_and_are_where_they_should_be() -> None:
    found = rank(COURSE, settings=RankingSettings(anchors={"bob": 1500.0}))
    assert line(found, "bob").rating == pytest.approx(1500.0)
    assert [one.name for one in found.players if ANCHOR in one.marks] == ["bob"]


@pytest.mark.parametrize("system", ["incremental", "glicko2", "points"])
def test_anchors_are_refused_where_they_make_no_sense(system: str) -> None:
    with pytest.raises(BadRating, match=f"anchors are for elo and plackett-luce only: {system}"):
        rank(COURSE, system=systems.find(system), settings=RankingSettings(anchors={"bob": 1500.0}))


def test_games_for_more_are_refused_by_elo_and_left_out_beside_games_for_two() -> None:
    with pytest.raises(BadRating, match="elo rates games of 2 players, these are for 3"):
        rank([won("ann", "bob", "cleo")], system=systems.find("elo"))
    assert [one.name for one in rank([won("ann", "bob", "cleo"), won("ann", "bob")]).players] == ["ann", "bob"]


def test_games_counted_by_pairs_are_ranked_as_if_they_were_told() -> None:
    counts = [PairCount("ann", "bob", "hex", 1.0, 0.5, 2), PairCount("bob", "cleo", "hex", 0.0, None, 3)]
    told = [
        *[
            RatedGame(*game, rules="hex", pair=n)
            for n in range(2)
            for game in ((("ann", "bob"), (1.0, 0.0)), (("bob", "ann"), (0.5, 0.5)))
        ],
        *[RatedGame(("bob", "cleo"), (0.0, 1.0), rules="hex", pair=10 + n) for n in range(3)],
    ]
    one, other = rank([], counts), rank(told)
    for counted, listed in zip(one.players, other.players, strict=True):
        assert (counted.name, counted.rank, counted.games, counted.wins) == (
            *(listed.name, listed.rank, listed.games, listed.wins),
        )
        assert (counted.rating, counted.error, counted.los) == pytest.approx((listed.rating, listed.error, listed.los))
    assert one.advantages == other.advantages


@pytest.mark.parametrize("system", systems.names())
def test_no_games_are_an_empty_ranking(system: str) -> None:
    found = rank([], system=systems.find(system))
    assert (found.players, found.pools, found.unrated) == ([], 0, {})


@pytest.mark.costly
@settings(max_examples=tries(60))
@given(
    st.one_of(games(seats=2), games(most=30, seats=4)), st.sampled_from(systems.names()), st.sampled_from([0.0, 1.0])
)
def test_whatever_the_games_a_ranking_agrees_with_itself(played: list[RatedGame], system: str, prior: float) -> None:
    if system == "plackett-luce":
        prior = 1.0
    if system == "elo" and not any(len(game.names) == 2 for game in played):
        played = [game for game in played if len(game.names) == 2]
    with np.errstate(all="raise", under="ignore"):
        found = rank(played, system=systems.find(system), settings=RankingSettings(prior=prior))
    for pool in range(1, found.pools + 1):
        _agrees([one for one in found.players if one.pool == pool], sure=system != "incremental")
    names = [one.name for one in found.players]
    assert len(names) == len(set(names))
    assert {one.name for one in found.players if one.rank is None} == set(found.unrated)
    for one in found.players:
        assert one.wins + one.draws + one.losses == one.games
        assert (ONLY_WON in one.marks) == (one.games == one.wins > 0)
        assert (ONLY_LOST in one.marks) == (one.games == one.losses > 0)
    numbers = [value for one in found.players for value in (one.rating, one.error, one.opponents, one.los, one.score)]
    assert all(np.isfinite(value) for value in numbers if value is not None)


def _agrees(pool: list[Ranked], *, sure: bool) -> None:
    """Checks that ranks follow from the ratings, and the ranges of ranks from the errors."""
    for one in pool:
        assert one.rank is not None
        assert one.rank_low is not None
        assert one.rank_high is not None
        assert 1 <= one.rank_low <= one.rank <= one.rank_high <= len(pool)
        assert one.los is None or 0.0 <= one.los <= 1.0
        assert one.error is None or one.error >= 0.0
        assert (one.error is None) or sure
    for above, below in combinations(pool, 2):
        assert above.rating is not None
        assert below.rating is not None
        assert above.rank is not None
        assert below.rank is not None
        assert above.rating >= below.rating - 1e-5
        assert above.rank <= below.rank
        assert above.rank < below.rank or above.rating == pytest.approx(below.rating, abs=1e-5)
