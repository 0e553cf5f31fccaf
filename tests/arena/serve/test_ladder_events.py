"""Which game is watched next."""

from __future__ import annotations

from arena.serve.ladder_events import most_interesting, older
from db.running import GameInProgress


def test_the_most_interesting_game_has_strong_players_with_similar_ratings() -> None:
    weak, uneven, best, other = (
        GameInProgress(id, None, None, id, players)
        for id, players in enumerate([("a", "b"), ("a", "d"), ("c", "d"), ("c", "unrated")], start=1)
    )
    ratings = {"a": 0.0, "b": 10.0, "c": 500.0, "d": 520.0}
    assert most_interesting([weak, uneven, best, other], ratings, ()) == best
    assert most_interesting([weak, uneven, best], ratings, ("d", "c")) == weak
    assert most_interesting([best], ratings, ("c", "d")) == best
    assert most_interesting([uneven, weak], {}, ()) == uneven
    assert most_interesting([], ratings, ()) is None


def test_the_next_game_is_the_one_that_began_before_and_after_the_oldest_the_newest() -> None:
    first, second, third = playing = [GameInProgress(id, None, None, id, ("a", "b")) for id in (5, 3, 9)]
    assert older(playing, None) == third
    assert older(playing, 9) == second
    assert older(playing, 3) == first
    assert older(playing, 5) == third
    assert older(playing, 4) == third
    assert older([], 9) is None
