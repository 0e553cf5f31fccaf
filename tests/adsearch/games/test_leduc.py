"""Leduc hold'em: deals, words, chips, and what each seat sees."""

from collections import Counter
from random import Random

import pytest

from adsearch import CHANCE, games
from adsearch.errors import BadPosition
from tests.kit.every_game import AnyState, positions


def test_a_deal_has_the_chances_of_the_cards_that_are_left() -> None:
    start = games.start("leduc")
    assert start.turn == CHANCE
    assert start.chances() == (("J", 1 / 3), ("Q", 1 / 3), ("K", 1 / 3))
    assert start.play("Q").chances() == (("J", 2 / 5), ("Q", 1 / 5), ("K", 2 / 5))
    assert games.load("leduc", "QK check check").chances() == (("J", 1 / 2), ("Q", 1 / 4), ("K", 1 / 4))
    assert games.load("leduc", "QQ check check").chances() == (("J", 1 / 2), ("K", 1 / 2))
    assert games.load("leduc", "Q? check check").chances() == (("J", 2 / 5), ("Q", 1 / 5), ("K", 2 / 5))


def test_a_player_decides_in_as_many_different_views_as_can_be_counted_by_hand() -> None:
    """A seat speaks after three beginnings of a round, and five first rounds lead to the second. With two suits for
    each rank the same count is 936, the number of information states of OpenSpiel 2.0.2's leduc_poker."""
    views = {(state.turn, state.view(state.turn)) for state in positions("leduc") if state.turn in (0, 1)}
    assert len(views) == 2 * 3 * (3 + 3 * 5 * 3) == 288
    assert 2 * 3 * (6 + 6 * 5 * 5) == 936


@pytest.mark.parametrize(
    ("position", "chips"),
    [
        ("QK", (1, 1)),
        ("QK bet", (3, 1)),
        ("QK check bet", (1, 3)),
        ("QK check bet raise", (5, 3)),
        ("QK check bet raise call", (5, 5)),
        ("QK check check J", (1, 1)),
        ("QK bet call J check bet", (3, 7)),
        ("QK bet raise call J bet raise", (9, 13)),
        ("QK bet raise call J bet raise call", (13, 13)),
    ],
)
def test_a_bet_is_two_chips_and_four_in_the_second_round(position: str, chips: tuple[int, int]) -> None:
    state: AnyState = games.load("leduc", position)
    assert state.chips == chips


@pytest.mark.parametrize(
    ("position", "won"),
    [
        ("QK bet fold", 1),
        ("QK check bet raise fold", 3),
        ("KQ bet call J bet fold", 3),
        ("KQ bet call J bet raise fold", -7),
        ("QK check check Q check check", 1),
        ("QK bet call Q bet call", 7),
        ("QK bet call J bet call", -7),
        ("QQ bet raise call J bet raise call", 0),
        ("JK check bet call K check check", -3),
    ],
)
def test_the_pot_goes_to_a_pair_then_to_the_higher_card_and_to_who_did_not_fold(position: str, won: int) -> None:
    state = games.load("leduc", position)
    assert state.turn is None
    assert state.utilities() == (won, -won)


def test_nobody_raises_a_raise_and_each_round_begins_with_seat_0() -> None:
    assert games.load("leduc", "QK bet").moves() == ("fold", "call", "raise")
    assert games.load("leduc", "QK bet raise").moves() == ("fold", "call")
    state = games.load("leduc", "QK check bet call")
    assert state.turn == CHANCE
    assert (state.play("J").turn, state.play("J").moves()) == (0, ("check", "bet"))


def test_own_cards_are_hidden_until_a_showdown_and_the_third_card_never() -> None:
    state = games.load("leduc", "QK check bet call J bet")
    assert (state.view(0), state.view(1)) == ("Q? check bet call J bet", "?K check bet call J bet")
    assert state.play("fold").view(0) == "Q? check bet call J bet fold"
    assert state.play("call").view(0) == state.play("call").view(1) == "QK check bet call J bet call"
    first = games.start("leduc")
    assert (first.view_move(0, "K"), first.view_move(1, "K")) == ("K", "?")
    assert (first.play("K").view_move(0, "J"), first.play("K").view_move(1, "J")) == ("?", "J")
    third = games.load("leduc", "QK check check")
    assert (third.view_move(0, "J"), third.view_move(1, "J")) == ("J", "J")


def test_a_sample_draws_the_unknown_card_from_those_that_are_left() -> None:
    state: AnyState = games.load("leduc", "QK check check Q check")
    random = Random(1)
    drawn = Counter(state.sample(1, random).cards for _ in range(3000))
    assert drawn.keys() == {"JK", "QK", "KK"}
    assert drawn["JK"] / 3000 == pytest.approx(2 / 4, abs=0.03)
    assert drawn["QK"] / 3000 == pytest.approx(1 / 4, abs=0.03)


def test_on_a_view_the_value_is_the_expected_one() -> None:
    assert games.load("leduc", "?Q").evaluate(1) == pytest.approx(0.0)
    by_hand = {
        "K? check check K": 1.0,
        "J? check check K": -3 / 4,  # the other J ties, a Q and the other K win
        "K? check check J": (2 * 1 - 1) / 4,  # two Q lose, the other K ties, the other J pairs
    }
    for view, edge in by_hand.items():
        assert games.load("leduc", view).evaluate(0) == pytest.approx(edge)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected cards and what was said"),
        ("Q", "expected cards and what was said"),
        ("QA", "expected cards and what was said"),
        ("Q- check", "expected words of a round"),
        ("QK check call", "expected words of a round"),
        ("QK check bet raise raise", "expected words of a round"),
        ("QK check check J fold", "expected words of a round"),
        ("QK check J", "after a first round such as 'bet call', got 'check'"),
        ("QK bet fold J", "after a first round such as 'bet call', got 'bet fold'"),
        ("QQ check check Q", "there are only 2 cards Q"),
    ],
)
def test_an_impossible_position_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadPosition, match=message.replace("?", r"\?")):
        games.load("leduc", text)


def test_the_board_says_cards_words_and_chips() -> None:
    assert str(games.load("leduc", "Q? check bet call J bet")).splitlines() == [
        "seat 0: Q   seat 1: ?   for all: J",
        "round 1: check bet call",
        "round 2: bet",
        "chips in the pot: 7 from seat 0, 3 from seat 1",
    ]
