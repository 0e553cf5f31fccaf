"""The ranking by recorded ratings."""

from __future__ import annotations

from math import hypot
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.errors import BadRating
from arena.ratings import bradley_terry, points, ranking, systems
from arena.ratings.duels import duels
from arena.ratings.recorded import RecordedRatings, progress
from arena.ratings.recorded import ranking as by_recorded
from db.records import RatedGame
from db.scores import Scores
from tests.kit.effort import tries
from tests.kit.game_lists import drawn, won


@pytest.mark.parametrize("seed", range(tries(10, soak=200)))
def test_ranks_count_those_whose_lead_is_larger_than_its_error(seed: int) -> None:
    random = Random(seed)
    rated = {f"p{n}": RecordedRatings(random.choice((0.0, 50.0, 120.0)) * n, random.uniform(0, 90)) for n in range(8)}
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
    ratings = {one.name: RecordedRatings(one.rating or 0.0, one.error or 0.0) for one in of_fit.players}
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
    ratings = {name: RecordedRatings(10.0 * at, 5.0) for at, name in enumerate(("ann", "bob", "cleo", "dan"))}
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
    assert by_recorded({"ann": RecordedRatings(1.0, 1.0)}, results).system.name == "plackett-luce"


def test_without_ratings_there_is_nobody() -> None:
    assert by_recorded({}, Scores()).players == []
    assert by_recorded({}, Scores(), one_scale=True).players == []


# Progress: each version has one rating, from one fit of all games.


LONG = [
    won("a@1", "b@1"),
    won("b@1", "a@1"),
    won("a@2", "b@1"),
    won("a@2", "c@1"),
    drawn("b@1", "c@1"),
    won("a@2", "b@1"),
]


def test_each_version_has_the_rating_that_a_table_of_all_versions_gives_it() -> None:
    fit = bradley_terry.fit(duels(LONG))
    found = progress(LONG)
    assert {name: [one.version for one in versions] for name, versions in found.items()} == {
        "a": ["a@1", "a@2"],
        "b": ["b@1"],
        "c": ["c@1"],
    }
    for one in (each for versions in found.values() for each in versions):
        place = fit.names.index(one.version)
        assert (one.rating, one.error) == (fit.ratings[place], fit.errors()[place])
    first, second = found["a"]
    assert (first.games, second.games) == (2, 3)
    places = fit.names.index("a@2"), fit.names.index("a@1")
    assert (first.better, second.better) == (None, fit.superiority(*places))


def test_a_version_counts_in_games_against_another_version_of_the_same_agent() -> None:
    games = [won("a@2", "a@1"), drawn("a@1", "a@2")] * 4 + [won("a@1", "b@1")]
    first, second = progress(games)["a"]
    assert (first.version, first.games) == ("a@1", 9)
    assert (second.version, second.games) == ("a@2", 8)
    assert second.rating > first.rating
    assert second.better is not None
    assert second.better > 0.5


def test_a_game_of_a_version_against_itself_is_one_game() -> None:
    assert [one.games for one in progress([*LONG, won("a@1", "a@1")])["a"]] == [3, 3]


def test_a_rating_does_not_fall_because_opponents_get_stronger() -> None:
    """The new version of an opponent beats an unchanged agent: only the rating of the opponent changes."""
    before = [drawn("a@1", "c@1"), drawn("c@1", "a@1"), drawn("a@1", "b@1"), drawn("b@1", "a@1")] * 20
    after = [drawn("a@2", "c@1"), drawn("c@1", "a@2"), won("b@2", "a@2"), drawn("a@2", "b@2")] * 20
    found = progress(before + after)
    first, second = found["a"]
    assert second.rating == pytest.approx(first.rating, abs=30)
    old, new = found["b"]
    assert new.rating > old.rating + 100


def test_a_later_version_is_not_blamed_for_an_earlier_one() -> None:
    first, second = progress([won("b@1", "a@1")] * 10 + [won("a@2", "b@1")] * 10)["a"]
    assert second.rating > first.rating + 300


def test_versions_stand_in_the_order_of_their_numbers_whenever_they_played() -> None:
    games = [won(f"a@{number}", "b@1") for number in (10, 2, 1, 9)]
    assert [one.version for one in progress(games)["a"]] == ["a@1", "a@2", "a@9", "a@10"]


def test_it_is_told_when_the_last_game_was_over() -> None:
    games = [replace(game, finished=f"2026-05-0{day}") for day, game in enumerate(LONG, 1)]
    assert [one.at for one in progress(games)["a"]] == ["2026-05-02", "2026-05-06"]


def test_versions_that_no_games_connect_are_not_compared() -> None:
    first, second = progress([won("a@1", "b@1"), won("a@2", "c@1")])["a"]
    assert (first.better, second.better) == (None, None)


def test_every_version_of_an_anchor_is_held_to_its_rating() -> None:
    games = [drawn("a@1", "b@1"), drawn("a@1", "b@2")]
    found = progress(games, anchors={"b": 700.0})
    assert [one.rating for one in found["a"]] == pytest.approx([700.0])
    assert [one.rating for one in found["b"]] == pytest.approx([700.0, 700.0])


def test_an_unknown_anchor_is_refused() -> None:
    with pytest.raises(BadRating, match=r"no anchor 'bb': no rated player has that name; did you mean 'bob'"):
        progress([won("a@1", "bob@1")], anchors={"bb": 0.0})


def test_without_a_prior_versions_that_tell_nothing_are_left_out() -> None:
    games = [won("a@1", "b@1"), won("b@1", "a@1"), won("a@2", "b@1")]
    assert [one.version for one in progress(games, prior=0.0)["a"]] == ["a@1"]
    assert [one.rating for one in progress(games, prior=0.0, anchors={"a": 50.0})["a"]] == pytest.approx([50.0])


def test_games_for_more_than_two_do_not_count() -> None:
    assert list(progress([won("a@1", "b@1", "c@1"), won("b@1", "c@1")])) == ["b", "c"]
    assert progress([]) == {}


VERSIONS = st.sampled_from(["a@1", "a@2", "b@1", "c@1"])


@given(st.lists(st.tuples(VERSIONS, VERSIONS), max_size=12), st.integers(0, 9))
def test_the_order_of_games_changes_nothing_and_each_version_is_there_once(
    names: list[tuple[str, str]], seed: int
) -> None:
    games: list[RatedGame] = [won(*both) for both in names]
    found = progress(games)
    assert sorted(one.version for versions in found.values() for one in versions) == sorted({*sum(names, ())})
    shuffled = Random(seed).sample(games, len(games))
    assert {name: [one.version for one in versions] for name, versions in progress(shuffled).items()} == {
        name: [one.version for one in versions] for name, versions in found.items()
    }
