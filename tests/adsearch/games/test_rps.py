"""Rock, paper, scissors: simultaneous moves as hidden ones."""

import pytest

from adsearch import games
from adsearch.errors import BadPosition


def test_each_choice_beats_one_and_loses_to_one() -> None:
    results = {
        (first, second): games.start("rps:1").play(first).play(second).utilities()[0]
        for first in ("rock", "paper", "scissors")
        for second in ("rock", "paper", "scissors")
    }
    assert {pair for pair, result in results.items() if result == 1} == {
        ("rock", "scissors"),
        ("scissors", "paper"),
        ("paper", "rock"),
    }
    assert all(results[first, second] == -results[second, first] for first, second in results)


def test_seat_1_does_not_see_the_choice_that_it_answers() -> None:
    start = games.start("rps")
    views = {start.play(choice).view(1) for choice in start.moves()}
    assert views == {"?"}
    assert {start.play(choice).view(0) for choice in start.moves()} == {"r", "p", "s"}
    assert start.view_move(1, "rock") == "?"
    assert start.play("rock").view_move(0, "paper") == "paper"


def test_after_both_have_chosen_both_see_it() -> None:
    state = games.start("rps").play("rock").play("paper")
    assert state.view(0) == state.view(1) == "rp"
    assert state.evaluate(0) == -1.0


def test_utilities_are_rounds_won_less_rounds_lost() -> None:
    assert games.load("rps", "rp rs pp").utilities() == (0.0, 0.0)
    assert games.load("rps", "pr rs pp").utilities() == (2.0, -2.0)


@pytest.mark.parametrize("text", ["", "r p", "rpx", "rp rp rp r", "rp  rp", "R", "rp r rp"])
def test_an_impossible_position_is_refused(text: str) -> None:
    with pytest.raises(BadPosition):
        games.load("rps", text)
