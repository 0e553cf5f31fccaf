"""The climb: each step ends when its result is clear, in any order of games; chance alone makes no agent better."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

import pytest

from adsearch import games
from agents import builtin
from arena.match.openings import Book
from arena.match.schedule import Entrant, Finished, Planned
from arena.student.climb import (
    BETTER_BY,
    GIVES_UP,
    MOST_FAULTS,
    Climb,
    LadderStep,
    StepVerdict,
    fewest_rounds,
    ladder,
    opening_plies,
)
from db.records import GameRecord, MoveRecord, SeatRecord
from tests.kit.effort import tries

NOW = datetime(2026, 5, 1, tzinfo=UTC)
ME = Entrant("me", "me")
RULES = {
    **dict.fromkeys(
        ("tictactoe", "connect4", "nap", "grundy", "dots", "othello", "checkers", "chess", "go", "tree"), "minimax"
    ),
    "examples/countdown.py:Countdown": "minimax",
    "pig": "expectiminimax",
    "ludo:players=2": "expectiminimax",
    "ludo": "maxn",
    "maze": "maxn",
    "kuhn": "mcts",
    "leduc": "mcts",
    "rps": "mcts",
    "words": "mcts",
}

Result = Callable[[Planned, int], float]
"""The agent's points in a game, by its seat."""


def new_climb(
    opponents: int = 1, *, seats: int = 2, rounds: int = 20, repeats: bool = False, gives_up: bool = True
) -> Climb:
    steps = [
        LadderStep(f"foe {number}", tuple(Entrant(f"foe {number}#{seat}", "foe") for seat in range(1, seats)))
        for number in range(opponents)
    ]
    common = Planned(0, "tictactoe", "tictactoe", (), 7, ())
    openings = [(f"o{number}",) for number in range(rounds)]
    return Climb(ME, steps, common, openings, repeats=repeats, gives_up=gives_up)


def over(
    game: Planned, points: float, *, verdict: str = "normal", fault: int | None = None, moves: str = ""
) -> Finished:
    """A finished game with these points for the agent."""
    mine = game.entrants.index(ME)
    rest = (1.0 - points) if len(game.entrants) == 2 else 0.5
    seats = tuple(
        SeatRecord(seat, entrant.name, points if seat == mine else rest, 0.0, 0, 0)
        for seat, entrant in enumerate(game.entrants)
    )
    played = tuple(MoveRecord(ply, 0, move) for ply, move in enumerate(moves.split(), 1))
    return Finished(game, GameRecord(game.number, verdict, fault, "", seats, played, 0), NOW, NOW)


def play(
    climb: Climb, result: Result, *, at_once: int = 1, random: Random | None = None, most: int = 10_000
) -> list[Planned]:
    """Plays the whole schedule, several games at the same time, which end in any order."""
    running: list[Planned] = []
    played: list[Planned] = []
    while len(played) < most:
        while len(running) < at_once and (game := climb.next()) is not None:
            running.append(game)
        if not running:
            break
        game = running.pop(random.randrange(len(running)) if random else 0)
        played.append(game)
        climb.note(over(game, result(game, game.entrants.index(ME))))
    return played


def test_an_agent_that_wins_every_game_is_better_after_eight_rounds_and_climbs_on() -> None:
    climb = new_climb(3)
    played = play(climb, lambda *_: 1.0)
    assert [step.verdict for step in climb.steps] == [StepVerdict.BETTER] * 3
    assert len(played) == 3 * 16
    assert [step.results["won"] for step in climb.steps] == [16] * 3
    assert all(step.likelihood > 0.99 for step in climb.steps)


def test_an_agent_that_loses_every_game_stops_after_two_steps() -> None:
    climb = new_climb(5)
    played = play(climb, lambda *_: 0.0)
    assert [step.over for step in climb.steps] == [True] * GIVES_UP + [False] * (5 - GIVES_UP)
    assert [step.verdict for step in climb.done] == [StepVerdict.NOT_BETTER] * GIVES_UP
    assert len(played) <= 5 * 2 * GIVES_UP
    assert climb.next() is None


def test_opponents_named_by_the_user_are_all_played() -> None:
    climb = new_climb(4, gives_up=False)
    play(climb, lambda *_: 0.0)
    assert len(climb.done) == 4


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_in_a_round_the_agent_sits_on_every_seat_once_with_one_opening(seats: int) -> None:
    climb = new_climb(seats=seats, rounds=3)
    played = play(climb, lambda *_: 0.5)
    for number in range(len(played) // seats):
        of_it = played[number * seats : (number + 1) * seats]
        assert sorted(game.entrants.index(ME) for game in of_it) == list(range(seats))
        assert {game.opening for game in of_it} == {(f"o{number}",)}
        assert len({game.identity for game in of_it}) == 1
        assert [game.leg for game in of_it] == list(range(seats))
    assert len({game.number for game in played}) == len(played)


@pytest.mark.parametrize("seed", range(6))
def test_the_result_does_not_depend_on_which_games_end_first(seed: int) -> None:
    """Short games end first: if they counted first, an agent that loses quickly would look weaker than it is."""

    def result(game: Planned, seat: int) -> float:
        return Random(f"{seed} {game.identity} {game.leg}").choice((0.0, 0.5, 1.0, 1.0))

    alone, crowd = new_climb(), new_climb()
    play(alone, result)
    play(crowd, result, at_once=7, random=Random(seed))
    assert (alone.steps[0].counts, alone.steps[0].verdict) == (crowd.steps[0].counts, crowd.steps[0].verdict)


def test_of_equal_agents_at_most_one_in_twenty_is_found_to_be_better() -> None:
    random, found = Random(3), list[StepVerdict]()
    for _ in range(tries(100)):
        climb = new_climb()
        play(climb, lambda *_: random.choice((0.0, 1.0)))
        found.append(climb.steps[0].verdict)
    assert found.count(StepVerdict.BETTER) <= 0.07 * len(found)
    assert found.count(StepVerdict.NOT_BETTER) > 0.8 * len(found)


def test_a_much_stronger_agent_is_nearly_always_found_to_be_better() -> None:
    random, found = Random(4), list[StepVerdict]()
    chance = 1.0 / (1.0 + 10.0 ** (-2 * BETTER_BY / 400.0))
    for _ in range(tries(40)):
        climb = new_climb()
        play(climb, lambda *_: float(random.random() < chance))
        found.append(climb.steps[0].verdict)
    assert found.count(StepVerdict.BETTER) > 0.95 * len(found)


def test_a_seat_that_always_wins_does_not_make_an_agent_better() -> None:
    climb = new_climb()
    play(climb, lambda _, seat: float(seat == 0))
    assert climb.steps[0].verdict is StepVerdict.NOT_BETTER
    assert climb.steps[0].likelihood == 0.5


def test_after_three_faults_in_a_row_the_climb_stops() -> None:
    climb = new_climb(3)
    for number in range(MOST_FAULTS):
        assert not climb.broken
        game = climb.next()
        assert game is not None, number
        climb.note(over(game, 0.0, verdict="crashed", fault=game.entrants.index(ME)))
    assert climb.broken
    assert climb.next() is None


def test_faults_of_the_opponent_and_resignations_are_not_faults_of_the_agent() -> None:
    climb = new_climb()
    for verdict, own in (("crashed", True), ("time", True), ("crashed", False), ("resigned", True), ("time", True)):
        game = climb.next()
        assert game is not None
        mine = game.entrants.index(ME)
        climb.note(over(game, float(not own), verdict=verdict, fault=mine if own else 1 - mine))
    assert climb.faults == 1


def test_a_void_game_is_played_again_and_a_round_that_stays_void_does_not_count() -> None:
    climb = new_climb(rounds=2)
    attempts = []
    while (game := climb.next()) is not None:
        attempts.append((game.identity, game.leg, game.attempt))
        void = "0]" in str(game.identity[0]) and game.leg == 1
        climb.note(over(game, 0.5, verdict="void" if void else "normal"))
    assert [attempt for *_, attempt in attempts] == [1, 1, 2, 3, 1, 1]
    assert climb.steps[0].games == 2
    assert climb.steps[0].over


def test_repeated_games_do_not_count() -> None:
    climb = new_climb(repeats=True)
    played = 0
    while (game := climb.next()) is not None:
        climb.note(over(game, 1.0, moves=f"a b {game.leg}"))
        played += 1
    step = climb.steps[0]
    assert (step.games, step.verdict, step.exhausted) == (2, StepVerdict.OPEN, True)
    assert played == 2 * 5


@pytest.mark.parametrize(("rules", "second"), RULES.items(), ids=lambda value: str(value).rpartition("/")[2])
def test_every_game_has_a_ladder_of_agents_that_can_play_it_and_openings(rules: str, second: str) -> None:
    start = games.start(rules)
    steps = ladder(start)
    assert steps[0] == "random"
    assert steps[1].startswith(second)
    for step in steps:
        builtin.check_can_play(step, start)
    assert len(Book(rules, opening_plies(start), seed=1).opening(0).moves) == opening_plies(start)


def test_with_hidden_information_the_strongest_is_greedy_where_features_make_the_evaluation() -> None:
    assert ladder(games.start("words"))[-1] == "greedy"
    for rules in ("kuhn", "leduc", "rps"):
        assert "greedy" not in ladder(games.start(rules))


def test_a_round_of_several_seats_is_counted_by_its_share_of_the_points() -> None:
    climb = new_climb(seats=4, rounds=1)
    play(climb, lambda _, seat: (1.0, 1.0, 1.0, 0.0)[seat])
    assert climb.steps[0].counts == [0, 0, 0, 1, 0]
    assert climb.steps[0].games == 4


def test_fewer_rounds_cannot_decide() -> None:
    assert fewest_rounds() == 8
    climb = new_climb(rounds=fewest_rounds() - 1)
    play(climb, lambda *_: 1.0)
    assert climb.steps[0].verdict is StepVerdict.OPEN


@pytest.mark.parametrize("result", [0.0, 1.0])
def test_the_agents_last_version_is_played_last_wherever_the_climb_ends(result: float) -> None:
    climb = new_climb(6)
    climb.steps[-1].own = True
    play(climb, lambda *_: result, at_once=3)
    assert climb.steps[-1].over
    assert [step.over for step in climb.steps[:-1]] == ([True] * 5 if result else [True] * GIVES_UP + [False] * 3)
    assert climb.gave_up is not bool(result)
    assert climb.current is None


def test_the_agents_unbeaten_last_version_does_not_stop_the_climb() -> None:
    climb = new_climb(2)
    climb.steps[-1].own = True
    play(climb, lambda *_: 0.0)
    assert not climb.gave_up
    assert len(climb.done) == 2
