"""Kuhn poker: what each seat sees, and the payoffs."""

from itertools import permutations

import pytest

from adsearch import CHANCE, games
from adsearch.errors import BadPosition
from tests.kit.every_game import positions


def test_it_starts_with_two_deals() -> None:
    start = games.start("kuhn")
    assert start.turn == CHANCE
    assert start.chances() == (("J", 1 / 3), ("Q", 1 / 3), ("K", 1 / 3))
    dealt = start.play("Q")
    assert dealt.chances() == (("J", 0.5), ("K", 0.5))
    assert dealt.play("J").turn == 0


def test_there_are_six_deals_and_five_ways_to_end_each() -> None:
    ends = [state.position() for state in positions("kuhn") if state.turn is None]
    assert len(ends) == 30
    assert len(list(positions("kuhn"))) == 1 + 3 + 6 * 9


@pytest.mark.parametrize(
    ("said", "stake"),
    [("check check", 1), ("bet call", 2), ("check bet call", 2)],
)
def test_the_higher_card_wins_the_pot(said: str, stake: int) -> None:
    for first, second in permutations("JQK", 2):
        won = stake if "JQK".index(first) > "JQK".index(second) else -stake
        assert games.load("kuhn", f"{first}{second} {said}").utilities() == (won, -won)


def test_a_fold_loses_the_ante_and_shows_no_card() -> None:
    state = games.load("kuhn", "KQ bet fold")
    assert state.utilities() == (1.0, -1.0)
    assert (state.view(0), state.view(1)) == ("K? bet fold", "?Q bet fold")
    state = games.load("kuhn", "KQ check bet fold")
    assert state.utilities() == (-1.0, 1.0)
    assert games.load("kuhn", state.view(1)).utilities() == (-1.0, 1.0)


def test_cards_are_laid_open_at_a_showdown() -> None:
    state = games.load("kuhn", "KQ bet call")
    assert state.view(0) == state.view(1) == "KQ bet call"


def test_a_deal_is_seen_by_its_owner_only() -> None:
    start = games.start("kuhn")
    assert (start.view_move(0, "K"), start.view_move(1, "K")) == ("K", "?")
    second = start.play("K")
    assert (second.view_move(0, "J"), second.view_move(1, "J")) == ("?", "J")
    assert (second.view(0), second.view(1)) == ("K-", "?-")


def test_on_a_view_the_value_is_the_expected_one() -> None:
    assert [games.load("kuhn", f"{card}?").evaluate(0) for card in "JQK"] == [-1.0, 0.0, 1.0]
    assert games.load("kuhn", "?K bet").evaluate(1) == 1.5


@pytest.mark.parametrize("text", ["", "KK", "K", "-K", "QK bet check", "Q- bet", "QK bet call fold", "QA", "qk"])
def test_an_impossible_position_is_refused(text: str) -> None:
    with pytest.raises(BadPosition):
        games.load("kuhn", text)
