"""NAP against the lecture's numbers."""

import re

import pytest

from adsearch import games
from adsearch.errors import BadMove, BadPosition
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


@pytest.mark.parametrize(
    ("marked", "text", "why"),
    [
        ("3 10", "17", "3, 10, 17 are in arithmetic progression"),
        ("19 1", " 10 ", "1, 10, 19 are in arithmetic progression"),
        ("3 10", "10", "10 is marked already"),
        ("3 10", "21", "21 is not in 1..20"),
        ("3 10", "0", "0 is not in 1..20"),
    ],
)
def test_a_refused_number_says_why(marked: str, text: str, why: str) -> None:
    state = games.start("nap:20")
    for number in marked.split():
        state = state.play(state.from_text(number))
    with pytest.raises(BadMove, match=rf"^expected a legal move, got '{text}': {re.escape(why)}$"):
        state.from_text(text)


def test_every_number_that_is_not_a_move_is_in_progression_with_two_marked_ones() -> None:
    for state in positions("nap:9"):
        for number in {*range(1, 10)} - {*state.moves(), *state.marks}:
            low, middle, high = (int(word) for word in re.findall(r"\d+", state.why_illegal(str(number))))
            assert middle - low == high - middle > 0
            assert {low, middle, high} - {*state.marks} == {number}


def test_a_set_with_a_progression_is_refused_with_its_numbers() -> None:
    with pytest.raises(BadPosition, match="nap: 1, 3, 5 are in arithmetic progression, got '1 3 5 9'"):
        games.load("nap:9", "1 3 5 9")


@pytest.mark.parametrize("text", ["x", "", "1.5", "²", "99999"])
def test_what_is_not_a_number_is_refused_as_in_any_game(text: str) -> None:
    with pytest.raises(BadMove, match=r"got '.*'$"):
        games.start("nap:20").from_text(text)
