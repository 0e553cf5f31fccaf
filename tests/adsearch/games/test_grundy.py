"""Grundy's game against its published winners and nimbers."""

import re
from functools import reduce
from operator import xor

import pytest

from adsearch import games
from adsearch.errors import BadOption, BadPosition
from tests.kit.game_facts import facts, value, winning_moves

FACTS = facts("games.json")["grundy"]


@pytest.mark.parametrize("pile", range(1, 17))
def test_who_wins_and_by_which_splits(pile: int) -> None:
    start = games.start(f"grundy:pile={pile}")
    assert value(start) == {"win": 1, "loss": -1}[FACTS["first_player"][str(pile)]]
    if str(pile) in FACTS["winning_splits"]:
        assert [list(move) for move in winning_moves(start)] == FACTS["winning_splits"][str(pile)]


@pytest.mark.parametrize("piles", ["7+5", "3+3", "5+8", "1+2+2", "9+6+3", "11+10+4"])
def test_several_piles_are_worth_the_sum_of_their_nimbers(piles: str) -> None:
    nimber = reduce(xor, (FACTS["nimber"][pile] for pile in piles.split("+")))
    assert value(games.start(f"grundy:piles={piles}")) == (1 if nimber else -1)


def test_equal_piles_are_one_choice() -> None:
    state = games.start("grundy:piles=5+5")
    assert [state.to_text(move) for move in state.moves()] == ["1+4", "2+3"]
    assert state.play((1, 4)).position() == "5+4+1 turn=1"


@pytest.mark.parametrize("piles", ["", "0", "7+", "+7", "1001", "7,5", "a"])
def test_bad_piles_are_refused(piles: str) -> None:
    if piles:
        with pytest.raises(BadOption, match=r"^grundy: piles must be sizes from 1 to 1000"):
            games.start(f"grundy:piles={piles}")
        with pytest.raises(BadOption, match=r"^grundy: expected pile or piles, got both: 9 and"):
            games.start(f"grundy:pile=9,piles={piles}")
    else:
        assert games.start("grundy:piles=").position() == "7 turn=0"


@pytest.mark.parametrize("text", ["7", "7 turn=1", "5+1 turn=1", "2+5 turn=1", "8 turn=0", "5+2 turn=0", "5+02 turn=1"])
def test_an_impossible_position_is_refused(text: str) -> None:
    with pytest.raises(BadPosition, match=re.escape(repr(text))):
        games.load("grundy", text)
