"""Careers of all at once: the last word of each is what `career` says of it alone."""

from random import Random

import pytest

from arena.ratings.career import agent, career
from arena.ratings.careers import careers
from db.records import RatedGame


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
    found = careers(played, anchors={})
    assert set(found) == {agent(name) for game in played for name in game.names}
    for name, moments in found.items():
        alone = career(played, name)[-1]
        last = moments[-1]
        assert (last.version, last.games, last.total) == (alone.version, alone.games, alone.total)


def test_every_version_has_its_last_word() -> None:
    played = season(100)
    of_first = [moment for moment in careers(played, anchors={})["ann"] if moment.version == "ann@1"]
    assert of_first[-1].games == sum("ann@1" in game.names for game in played)


def test_nobody_has_two_moments_without_a_game_in_between() -> None:
    for moments in careers(season(100), anchors={}).values():
        totals = [moment.total for moment in moments]
        assert totals == sorted(set(totals))


def test_an_anchor_stays_where_it_is() -> None:
    found = careers(season(40), anchors={"bob": 1500.0})
    assert {moment.rating for moment in found["bob"]} == {1500.0}


def test_without_games_there_is_nothing() -> None:
    assert careers([], anchors={}) == {}
