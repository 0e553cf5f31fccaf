"""The ranking by recorded ratings."""

from __future__ import annotations

from math import hypot
from random import Random

import pytest

from arena.ratings import points, ranking, systems
from arena.ratings.recorded import Recorded
from arena.ratings.recorded import ranking as by_recorded
from db.records import RatedGame
from db.scores import Scores
from tests.kit.effort import tries


@pytest.mark.parametrize("seed", range(tries(10, soak=200)))
def test_ranks_count_those_whose_lead_is_larger_than_its_error(seed: int) -> None:
    random = Random(seed)
    rated = {f"p{n}": Recorded(random.choice((0.0, 50.0, 120.0)) * n, random.uniform(0, 90)) for n in range(8)}
    anchors = {"p2", "p5"}
    found = by_recorded(rated, Scores(), anchors=anchors, one_scale=True)
    assert sorted(rated) == sorted(one.name for one in found.players)
    assert {one.name for one in found.players if one.rank is one.rank_low is one.rank_high is None} == anchors
    for one in found.players:
        if one.rank is None:
            continue
        own = rated[one.name]
        leads = {name: other.rating - own.rating for name, other in rated.items() if name not in anchors}
        sure = {name: lead for name, lead in leads.items() if abs(lead) > hypot(own.error, rated[name].error)}
        assert one.rank == 1 + sum(lead > 0 for lead in leads.values())
        assert one.rank_low == 1 + sum(lead > 0 for lead in sure.values())
        assert one.rank_high == len(leads) - sum(lead < 0 for lead in sure.values())
    assert [one.rating for one in found.players] == sorted((one.rating for one in rated.values()), reverse=True)


def test_the_ranking_of_a_fit_comes_back_from_its_ratings() -> None:
    random = Random(1)
    names = ("ann", "bob", "cleo")
    played = [
        RatedGame((one, other), (score, 1.0 - score))
        for one in names
        for other in names
        if one != other
        for score in (random.choice((0.0, 0.5, 1.0)) for _ in range(4))
    ]
    of_fit = systems.rank(played)
    ratings = {one.name: Recorded(one.rating or 0.0, one.error or 0.0) for one in of_fit.players}
    found = by_recorded(ratings, points.of(played))
    assert str(found.system) == "elo"
    for one, other in zip(found.players, of_fit.players, strict=True):
        for field in ("rank", "name", "rating", "error", "games", "wins", "draws", "losses", "points", "score", "pool"):
            assert getattr(one, field) == pytest.approx(getattr(other, field)), field
        assert one.opponents == pytest.approx(other.opponents)
        assert one.los is None or other.los is not None
        assert (one.los is None) == (other.los is None)


def test_players_whom_no_games_connect_are_in_pools_of_their_own_unless_anchors_hold_the_scale() -> None:
    results = points.of([RatedGame(two, (1.0, 0.0)) for two in (("ann", "bob"), ("cleo", "dan"))])
    ratings = {name: Recorded(10.0 * at, 5.0) for at, name in enumerate(("ann", "bob", "cleo", "dan"))}
    found = by_recorded(ratings, results)
    assert found.pools == 2
    assert [(one.name, one.pool, one.rank) for one in found.players] == [
        ("bob", 1, 1),
        ("ann", 1, 2),
        ("dan", 2, 1),
        ("cleo", 2, 2),
    ]
    on_one_scale = by_recorded(ratings, results, anchors={"ann"}, one_scale=True)
    assert on_one_scale.pools == 1
    assert [one.marks for one in on_one_scale.players if one.name == "ann"] == [[ranking.ANCHOR]]


def test_games_for_three_are_rated_by_another_system() -> None:
    results = points.of([RatedGame(("ann", "bob", "cleo"), (1.0, 0.5, 0.0))])
    assert by_recorded({"ann": Recorded(1.0, 1.0)}, results).system.name == "plackett-luce"


def test_without_ratings_there_is_nobody() -> None:
    assert by_recorded({}, Scores()).players == []
    assert by_recorded({}, Scores(), one_scale=True).players == []
