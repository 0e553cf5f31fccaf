"""NAP against the lecture's numbers."""

import pytest

from adsearch import games
from adsearch.errors import BadPosition
from tests.kit.every_game import AnyState, positions
from tests.kit.game_facts import facts, value, winning_moves

FACTS = facts("games.json")["nap"]
HEIGHTS = facts("games.json")["salem_spencer"]["values"]


@pytest.mark.parametrize("n", range(1, 12))
def test_who_wins_and_by_which_first_moves(n: int) -> None:
    start = games.start(f"nap:n={n}")
    assert value(start) == {"win": 1, "loss": -1}[FACTS["first_player"][str(n)]]
    assert winning_moves(start) == FACTS["winning_first_moves"][str(n)]


@pytest.mark.parametrize("n", range(1, 12))
def test_the_number_of_positions(n: int) -> None:
    assert len({state.key for state in positions(f"nap:n={n}")}) == FACTS["positions"][str(n)]


@pytest.mark.parametrize("n", range(1, 13))
def test_the_longest_game_has_as_many_marks_as_a_progression_free_set(n: int) -> None:
    assert max(len(state.marks) for state in positions(f"nap:{n}", most=100_000)) == HEIGHTS[str(n)]


def test_the_mirrored_game_is_the_same_game() -> None:
    for state in positions("nap:9"):
        mirrored = games.load("nap:9", _mirrored(state, 9))
        assert mirrored.moves() == tuple(sorted(10 - move for move in state.moves()))
        assert mirrored.evaluate(0) == state.evaluate(0)


def _mirrored(state: AnyState, n: int) -> str:
    return " ".join(str(n + 1 - mark) for mark in sorted(state.marks, reverse=True)) or "-"


@pytest.mark.parametrize("text", ["", "1 3 5", "3 1", "1 1", "0", "10", "1  2", "01", "a"])
def test_an_impossible_set_is_refused(text: str) -> None:
    with pytest.raises(BadPosition):
        games.load("nap:9", text)
