"""The positions of a check: in every game, of every stage, for every seat, and such that the referee can reach them."""

from __future__ import annotations

from itertools import islice

import pytest

from adsearch import CHANCE, games
from arena.match.seeds import GameSeeds
from arena.student.checking import planned_games
from arena.student.checking.planned_games import CheckPosition, Stage
from tests.kit import places

COUNTDOWN = f"{places.COUNTDOWN}:Countdown"
GAMES = [*games.names(), "ludo:players=2", "maze:ghosts=1", "connect4:rows=4", "countdown"]


def drawn(rules: str, most: int = 50, seed: int = 0) -> list[CheckPosition]:
    return list(
        islice(planned_games.draw_positions(games.start(COUNTDOWN if rules == "countdown" else rules), seed), most)
    )


@pytest.mark.costly
@pytest.mark.parametrize("rules", GAMES)
def test_positions_are_different_and_for_every_seat(rules: str) -> None:
    found = drawn(rules)
    seen = {(each.seat, each.state.view(each.seat) if each.state.hidden else each.state.key) for each in found}
    assert len(seen) == len(found)
    assert {each.seat for each in found} == set(range(found[0].state.players))
    assert all(each.state.turn == each.seat and each.state.moves() for each in found)


@pytest.mark.costly
@pytest.mark.parametrize("rules", GAMES)
def test_the_referee_reaches_positions_by_the_same_moves_and_dice(rules: str) -> None:
    for position in drawn(rules, 20):
        state = games.start(COUNTDOWN if rules == "countdown" else rules)
        dice = GameSeeds.of(0, planned_games.identity(position.number), leg=0, attempt=1)
        opening, ply = iter(position.opening), 1
        while True:
            if state.turn == CHANCE:
                state = state.play(dice.outcome(ply, state.chances()))
            elif (text := next(opening, None)) is not None:
                state = state.play(state.from_text(text))
            else:
                break
            ply += 1
        assert state.position() == position.state.position()


@pytest.mark.parametrize("rules", ["connect4", "othello", "checkers", "maze", "ludo", "dots", "nap"])
def test_positions_are_of_every_stage_that_the_game_has(rules: str) -> None:
    found = drawn(rules)
    stages = {each.stage for each in found}
    assert {Stage.OPENING, Stage.MIDDLE, Stage.LAST} <= stages
    assert (Stage.LATE in stages) == (rules != "ludo"), "whose games know no longest"
    if rules in ("connect4", "othello", "maze", "ludo"):
        assert Stage.FORCED in stages
    told = [int(part.split()[0]) for part in planned_games.count_stages(found).split(", ")]
    assert sum(told) == len(found)


def test_near_the_end_the_board_is_nearly_full_and_no_move_ends_the_game() -> None:
    late = [each for each in drawn("connect4") if each.stage is Stage.LATE]
    assert len(late) >= 5
    assert {each.seat for each in late} == {0, 1}
    assert all(len(each.opening) >= 28 for each in late), "of 42"
    assert all(each.state.play(move).turn is not None for each in late for move in each.state.moves())


@pytest.mark.parametrize("rules", GAMES)
def test_the_greatest_length_is_within_the_rules(rules: str) -> None:
    start = games.start(COUNTDOWN if rules == "countdown" else rules)
    assert 1 <= planned_games.greatest_length(start, 0) <= (start.max_plies or 1000)


def test_a_game_that_no_player_ends_early_is_longer() -> None:
    start = games.start("connect4")
    assert planned_games.typical_length(start, 0) < 30 < planned_games.greatest_length(start, 0)


def test_the_first_position_is_the_start() -> None:
    first, *_ = drawn("connect4")
    assert (first.number, first.opening, first.seat, first.stage) == (1, (), 0, Stage.OPENING)


def test_before_the_last_move_some_move_ends_the_game() -> None:
    last = [each for each in drawn("tictactoe") if each.stage is Stage.LAST]
    assert last
    assert all(any(each.state.play(move).turn is None for move in each.state.moves()) for each in last)


def test_the_same_seed_gives_the_same_positions() -> None:
    assert [each.opening for each in drawn("connect4", 9)] == [each.opening for each in drawn("connect4", 9)]
    assert [each.opening for each in drawn("connect4", 9)] != [each.opening for each in drawn("connect4", 9, seed=1)]


def test_a_small_game_has_few_positions() -> None:
    assert len(drawn("tree")) == 9
