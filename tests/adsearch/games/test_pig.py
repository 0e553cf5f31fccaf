"""Pig: published winning probabilities, Piglet, and the rules of a turn."""

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import pytest

from adsearch import games
from adsearch.errors import BadMove, BadOption, BadPosition
from adsearch.state import CHANCE, State

PIGLET = "sides=2,bust=1,points=fixed"


def play(state: State[Any], moves: str) -> State[Any]:
    for move in moves.split():
        state = state.play(state.from_text(move))
    return state


def positions_from(start: State[Any]) -> dict[Hashable, State[Any]]:
    """Every position that can be reached, by key, the last found first."""
    found: dict[Hashable, State[Any]] = {start.key: start}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        for move in state.moves():
            child = state.play(move)
            if child.key not in found:
                found[child.key] = child
                waiting.append(child)
    return dict(reversed(found.items()))


def value_of(start: State[Any]) -> float:
    """What the game is worth to seat 0 when both play best, by value iteration."""
    states = positions_from(start)
    values = {key: state.utilities()[0] if state.turn is None else 0.0 for key, state in states.items()}
    children = {key: [state.play(move).key for move in state.moves()] for key, state in states.items()}
    change = 1.0
    while change > 1e-14:
        change = 0.0
        for key, state in states.items():
            below = [values[child] for child in children[key]]
            if state.turn is None:
                continue
            if state.turn == CHANCE:
                value = sum(p * worth for (_, p), worth in zip(state.chances(), below, strict=True))
            else:
                value = min(below) if state.turn else max(below)
            change = max(change, abs(value - values[key]))
            values[key] = value
    return values[start.key]


def chance_to_win(spec: str) -> float:
    return (1.0 + value_of(games.start(spec))) / 2.0


@pytest.mark.parametrize(("goal", "chance"), [(5, 0.7970479704797006), (10, 0.709424322598303)])
def test_the_first_player_wins_as_often_as_published(goal: int, chance: float) -> None:
    assert chance_to_win(f"pig:goal={goal}") == pytest.approx(chance, abs=1e-11)


@pytest.mark.parametrize(("goal", "chance"), [(2, Fraction(4, 7)), (3, Fraction(6, 11))])
def test_the_first_player_wins_piglet_as_often_as_published(goal: int, chance: Fraction) -> None:
    assert chance_to_win(f"pig:goal={goal},{PIGLET}") == pytest.approx(float(chance), abs=1e-11)


def test_a_turn_begins_with_a_throw() -> None:
    state = games.start("pig")
    assert (state.turn, state.moves()) == (CHANCE, ("1", "2", "3", "4", "5", "6"))
    assert [probability for _, probability in state.chances()] == [1 / 6] * 6
    state = play(state, "4")
    assert (state.turn, state.moves(), state.chances()) == (0, ("roll", "hold"), ())
    assert play(state, "roll").turn == CHANCE


def test_a_turn_adds_up_until_it_is_held() -> None:
    assert play(games.start("pig"), "4 roll 6 roll 2").position() == "0-0 next=0 total=12 choose"
    assert play(games.start("pig"), "4 roll 6 roll 2 hold").position() == "12-0 next=1 total=0 throw"


def test_the_bust_face_loses_the_turn_but_not_the_score() -> None:
    assert play(games.start("pig"), "4 hold 3 hold 5 roll 6 roll 1").position() == "4-3 next=1 total=0 throw"
    assert play(games.start("pig:bust=5"), "1 roll 5").position() == "0-0 next=1 total=0 throw"


def test_holding_at_the_goal_wins_and_rolling_on_may_lose() -> None:
    state = play(games.start("pig:goal=10"), "5 hold 6 roll 4")
    assert state.moves() == ("roll", "hold")
    assert state.noisy_moves() == ("hold",)
    won = play(state, "hold")
    assert (won.turn, won.moves(), won.utilities(), won.position()) == (None, (), (-1.0, 1.0), "5-10 winner=1")
    assert play(state, "roll 1").position() == "5-0 next=0 total=0 throw"


def test_points_beyond_the_goal_are_not_counted() -> None:
    state = play(games.start("pig:goal=10"), "5 hold 1 4")
    assert play(state, "roll 6").key == play(state, "roll 2").key == play(state, "roll 2 roll 6").key
    assert play(state, "roll 6 hold").position() == "10-0 winner=0"


def test_with_fixed_points_every_face_scores_one_and_stays_an_outcome_of_its_own() -> None:
    state = games.start("pig:points=fixed")
    assert len(state.moves()) == 6
    assert play(state, "6 roll 2").position() == "0-0 next=0 total=2 choose"


def test_without_a_bust_face_every_throw_scores() -> None:
    state = games.start("pig:goal=3,sides=2,bust=0")
    assert play(state, "1").position() == "0-0 next=0 total=1 choose"
    assert value_of(state) == pytest.approx(1.0)


def test_a_bust_face_that_the_die_has_not_is_refused() -> None:
    with pytest.raises(BadOption, match=r"^pig: bust must be 0\.\.4, .*got 5$"):
        games.start("pig:sides=4,bust=5")


def test_there_is_nothing_but_to_roll_or_to_hold() -> None:
    with pytest.raises(BadMove, match="roll, hold"):
        play(games.start("pig"), "4 pass")
    with pytest.raises(BadMove):
        play(games.start("pig"), "hold")


@pytest.mark.parametrize(
    "text",
    [
        "0-0 next=0 total=0 throw",
        "0-0 next=0 total=2 choose",
        "99-98 next=1 total=2 throw",
        "57-100 winner=1",
    ],
)
def test_a_position_can_be_loaded(text: str) -> None:
    assert games.load("pig", text).position() == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a position such as '0-0 next=0 total=0 throw'"),
        ("0-0 next=2 total=0 throw", "expected a position"),
        ("0-0 next=0 total=0 choose", "a choice after points"),
        ("00-0 next=0 total=0 throw", "expected '0-0 next=0"),
        ("0-0 next=0 total=1 choose", "a total that can be thrown, up to 100, got 1"),
        ("1-0 next=0 total=0 throw", "a score that can be thrown"),
        ("90-0 next=0 total=12 choose", "up to 10, got 12"),
        ("100-0 next=1 total=0 throw", "a score that can be thrown, below 100, got 100"),
        ("100-100 winner=0", "below 100, got 100"),
        ("12-14 winner=0", "a winner with 100 points, got 12"),
    ],
)
def test_a_position_that_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadPosition, match=message):
        games.load("pig", text)


def test_the_evaluation_prefers_more_points_and_holds_when_a_throw_gains_nothing() -> None:
    worth = [games.load("pig", f"{score}-30 next=0 total=0 throw").evaluate(0) for score in range(10, 90, 10)]
    assert worth == sorted(set(worth))
    for total, best in [(19, "roll"), (21, "hold")]:
        state = games.load("pig", f"20-30 next=0 total={total} choose")
        assert max(state.moves(), key=lambda move: state.play(move).evaluate(0)) == best


def test_the_board_shows_scores_and_whose_turn_it_is() -> None:
    assert str(games.load("pig:goal=10", "2-5 next=1 total=3 choose")).splitlines() == [
        "seat 0     2       ##########........................................ 10",
        "seat 1     5 +3    #########################+++++++++++++++.......... 10",
        "seat 1 may roll or hold; a 1 loses the turn's points",
    ]
