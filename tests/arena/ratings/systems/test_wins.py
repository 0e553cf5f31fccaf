"""Wins alone."""

from arena.ratings import systems
from arena.ratings.ranking import Settings
from db.records import RatedGame


def test_a_draw_counts_nothing() -> None:
    games = [RatedGame(("a", "b"), (0.5, 0.5)), RatedGame(("a", "b"), (1.0, 0.0))]
    ranking = systems.find("wins").rank(games, [], Settings())
    assert [(one.name, one.points) for one in ranking.players] == [("a", 1.0), ("b", 0.0)]
