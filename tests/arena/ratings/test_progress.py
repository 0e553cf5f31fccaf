"""Ratings over time, of one player and of all: each moment as if nothing had come after it."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.errors import BadRating
from arena.ratings import bradley_terry
from arena.ratings.duels import duels
from arena.ratings.estimates import PRIOR
from arena.ratings.progress import Moment, agent, ratings_over_time
from db.records import RatedGame
from tests.kit.game_lists import drawn, won


def career(
    games: list[RatedGame],
    name: str,
    *,
    prior: float = PRIOR,
    anchors: Mapping[str, float] = MappingProxyType({}),
    points: int | None = None,
) -> list[Moment]:
    """The moments of one player."""
    return ratings_over_time(games, of=name, prior=prior, anchors=anchors, points=points).get(name, [])


LONG = [
    won("a@1", "b@1"),
    won("b@1", "a@1"),
    won("a@2", "b@1"),
    won("a@2", "c@1"),
    drawn("b@1", "c@1"),
    won("a@2", "b@1"),
]


def test_each_moment_is_what_a_table_of_all_games_by_then_says() -> None:
    moments = career(LONG, "a")
    assert [(one.version, one.games, one.total) for one in moments] == [
        ("a@1", 1, 1),
        ("a@1", 2, 2),
        ("a@2", 1, 3),
        ("a@2", 2, 4),
        ("a@2", 3, 5),
    ]
    for moment, last in zip(moments, [0, 1, 2, 3, 5], strict=True):
        fit = bradley_terry.fit(duels(LONG[: last + 1]))
        place = fit.names.index(moment.version)
        assert (moment.rating, moment.error) == (fit.ratings[place], fit.errors()[place])


def test_what_comes_later_changes_nothing_before() -> None:
    assert career(LONG[:3], "a") == career(LONG, "a")[:3]


def test_a_moment_tells_when_its_last_game_was_over() -> None:
    games = [replace(game, finished=f"2026-05-0{day}") for day, game in enumerate(LONG, 1)]
    assert [one.at for one in career(games, "a")] == [f"2026-05-0{day}" for day in (1, 2, 3, 4, 6)]


def test_a_later_version_is_not_blamed_for_an_earlier_one() -> None:
    games = [won("b@1", "a@1")] * 10 + [won("a@2", "b@1")] * 10
    first, second = career(games, "a")[9], career(games, "a")[-1]
    assert second.rating > first.rating + 300
    assert (second.version, second.games, second.total) == ("a@2", 10, 20)


def test_a_long_career_is_told_in_few_points_and_every_version_has_its_last() -> None:
    games = [won("a@1", "b@1")] * 3 + [drawn("a@2", "b@1")] * 94 + [won("b@1", "a@3")] * 3
    moments = career(games, "a", points=5)
    assert len(moments) <= 8
    assert {(one.version, one.games) for one in moments} >= {("a@1", 3), ("a@2", 94), ("a@3", 3)}
    assert moments[-1].total == 100


def test_every_version_of_an_anchor_is_held_to_its_rating() -> None:
    games = [drawn("a@1", "b@1"), drawn("a@1", "b@2")]
    assert [one.rating for one in career(games, "a", anchors={"b": 700.0})] == pytest.approx([700.0, 700.0])


def test_an_anchor_who_comes_late_is_no_reason_to_fail() -> None:
    assert len(career(LONG, "a", anchors={"c": 100.0})) == 5


def test_an_anchor_that_nobody_is_is_told() -> None:
    with pytest.raises(BadRating, match=r"no anchor 'bb': nobody called so is rated; did you mean 'bob'"):
        career([won("a@1", "bob@1")], "a", anchors={"bb": 0.0})


def test_without_a_prior_moments_that_tell_nothing_are_left_out() -> None:
    games = [won("a@1", "b@1"), won("a@1", "b@1"), won("b@1", "a@1")]
    assert [one.total for one in career(games, "a", prior=0.0)] == [3]
    assert career(games[:2], "a", prior=0.0) == []


def test_games_for_more_than_two_and_games_of_others_are_no_moments() -> None:
    assert career([won("a@1", "b@1", "c@1"), won("b@1", "c@1")], "a") == []


VERSIONS = st.sampled_from(["a@1", "a@2", "b@1", "c@1"])


@given(st.lists(st.tuples(VERSIONS, VERSIONS).filter(lambda both: both[0] != both[1]), max_size=12), st.booleans())
def test_any_games_make_a_career_that_counts_up(names: list[tuple[str, str]], prior: bool) -> None:
    games: list[RatedGame] = [won(*both) for both in names]
    totals = [one.total for one in career(games, "a", prior=float(prior), points=3)]
    assert totals == sorted(set(totals))
    assert not prior or bool(totals) is any("a@" in name for both in names for name in both)


# Of all at once.


def season(games: int) -> list[RatedGame]:
    """Three players; ann enters a second version halfway."""
    random = Random(games)
    found = []
    for number in range(games):
        ann = "ann@1" if number < games // 2 else "ann@2"
        two = random.sample([ann, "bob@1", "cid@1"], 2)
        points = random.choice([(1.0, 0.0), (0.0, 1.0), (0.5, 0.5)])
        found.append(RatedGame(tuple(two), points, finished=f"2026-05-01T12:{number // 60:02}:{number % 60:02}Z"))
    return found


@pytest.mark.parametrize("games", [1, 2, 7, 100])
def test_it_ends_where_the_career_of_each_ends(games: int) -> None:
    played = season(games)
    found = ratings_over_time(played)
    assert set(found) == {agent(name) for game in played for name in game.names}
    for name, moments in found.items():
        alone = career(played, name)[-1]
        last = moments[-1]
        assert (last.version, last.games, last.total) == (alone.version, alone.games, alone.total)


def test_every_version_has_its_last_word() -> None:
    played = season(100)
    of_first = [moment for moment in ratings_over_time(played)["ann"] if moment.version == "ann@1"]
    assert of_first[-1].games == sum("ann@1" in game.names for game in played)


def test_nobody_has_two_moments_without_a_game_in_between() -> None:
    for moments in ratings_over_time(season(100)).values():
        totals = [moment.total for moment in moments]
        assert totals == sorted(set(totals))


def test_an_anchor_stays_where_it_is() -> None:
    found = ratings_over_time(season(40), anchors={"bob": 1500.0})
    assert {moment.rating for moment in found["bob"]} == {1500.0}


def test_without_games_there_is_nothing() -> None:
    assert ratings_over_time([]) == {}


@pytest.mark.parametrize("of", [None, "a"])
def test_a_version_that_comes_back_has_a_moment_at_each_change(of: str | None) -> None:
    versions = ["a@1"] * 7 + ["a@2"] * 9 + ["a@1"] * 20 + ["a@2"] * 3
    games = [won(version, "b@1") if number % 3 else won("b@1", version) for number, version in enumerate(versions)]
    moments = ratings_over_time(games, of=of, points=1)["a"]
    assert [(one.version, one.total) for one in moments] == [("a@1", 7), ("a@2", 16), ("a@1", 36), ("a@2", 39)]
