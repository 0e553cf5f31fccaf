"""Random openings: drawn from the seed, legal, different, and fair as far as a short search sees."""

from typing import Any

import pytest

from adsearch import State, games, pvs
from arena.errors import BadFixture
from arena.match.openings import draw


@pytest.mark.parametrize("rules", ["tictactoe", "connect4", "othello", "checkers", "dots", "rps"])
@pytest.mark.parametrize("plies", [1, 2, 3])
def test_openings_are_legal_and_end_nothing(rules: str, plies: int) -> None:
    for opening in draw(rules, plies, range(5), seed=7):
        state = games.start(rules)
        for text in opening:
            state = state.play(state.from_text(text))
        assert len(opening) == plies
        assert state.turn is not None


def test_the_seed_decides() -> None:
    assert draw("connect4", 4, range(10), seed=1) == draw("connect4", 4, range(10), seed=1)
    assert draw("connect4", 4, range(10), seed=1) != draw("connect4", 4, range(10), seed=2)


def test_more_openings_begin_with_the_same_ones() -> None:
    assert draw("connect4", 4, range(20), seed=1)[:10] == draw("connect4", 4, range(10), seed=1)


def test_openings_differ_as_long_as_there_are_enough() -> None:
    assert len(set(draw("connect4", 2, range(49), seed=3))) >= 45
    assert len(set(draw("connect4", 3, range(40), seed=3))) == 40


def test_where_there_are_few_openings_each_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched, search = [], pvs.search

    def searched_once(state: State[Any], **terms: Any) -> Any:
        searched.append(state.key)
        return search(state, **terms)

    monkeypatch.setattr(pvs, "search", searched_once)
    drawn = draw("tictactoe", 1, range(3000), seed=1)
    assert len(set(drawn)) == len(searched) == 9
    assert drawn[:50] == draw("tictactoe", 1, range(50), seed=1)


def test_no_opening_gives_one_side_a_quick_win() -> None:
    for opening in draw("connect4", 6, range(40), seed=5):
        state = games.start("connect4")
        for text in opening:
            state = state.play(state.from_text(text))
        assert abs(pvs.search(state, depth=4).value) < 1


def test_no_plies_are_no_opening() -> None:
    assert draw("pig", 0, range(3), seed=1) == [(), (), ()]


def test_games_of_chance_take_no_openings() -> None:
    with pytest.raises(BadFixture, match="the dice make every game another one"):
        draw("pig", 2, range(1), seed=1)


def test_an_opening_as_long_as_the_game_is_refused() -> None:
    with pytest.raises(BadFixture, match="fewer than 9 plies, got 9"):
        draw("tictactoe", 9, range(1), seed=1)
