"""Analysis: losses are exact if the whole game can be searched, and every game can be analysed."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from adsearch import CHANCE, Option, State, games, minimax
from adsearch.errors import BadMove
from arena.student.analysis import (
    AnalysisBudget,
    LostGame,
    fault_and_mistake,
    first_mistake,
    judge_moves,
    reasons,
    summaries,
    turning_point,
)
from db.records import GameRecord, JudgedPly, Mark, MoveRecord, PastGame, PastSeat, PositionValue

EVERY_GAME = (
    *("tictactoe", "connect4", "nap:n=9", "grundy", "dots:rows=2,columns=2", "othello", "checkers", "pig:goal=15"),
    *("ludo", "ludo:players=2", "ludo:players=3", "maze:ghosts=1,map=tiny", "maze:ghosts=4", "maze:ghosts=random"),
    *("kuhn", "rps", "tree", "tree:professors", "examples/countdown.py:Countdown"),
)


def at_random(rules: str, seed: int, most: int = 400) -> tuple[State[Any], list[MoveRecord]]:
    """A game of random moves, and its start position."""
    random, start = Random(f"{rules} {seed}"), games.start(rules)
    state, moves = start, list[MoveRecord]()
    while state.turn is not None and len(moves) < most:
        who = "chance" if state.turn == CHANCE else state.turn
        weights = [chance for _, chance in state.chances()] or None
        move = random.choices(state.moves(), weights)[0]
        moves.append(MoveRecord(len(moves) + 1, who, state.to_text(move)))
        state = state.play(move)
    return start, moves


def by_text(rules: str, text: str, effort: AnalysisBudget | None = None) -> list[JudgedPly]:
    """The judgements of the moves of a game without chance."""
    state, moves = games.start(rules), list[MoveRecord]()
    for number, move in enumerate(text.split(), 1):
        moves.append(MoveRecord(number, state.turn or 0, move))
        state = state.play(state.from_text(move))
    return list(judge_moves(games.start(rules), moves, effort or AnalysisBudget.default(len(moves))))


def test_a_missed_win_is_a_blunder_and_the_winning_line_is_shown() -> None:
    plies = by_text("tictactoe", "a1 b1 a2 b2 c3")
    missed = plies[-1]
    assert (missed.mark, missed.better, missed.loss) == (Mark.BLUNDER, ("a3",), 2.0)
    assert (missed.before.exact, missed.before.distance, missed.before.values) == (True, 1, (1.0, -1.0))
    assert missed.after.values == (-1.0, 1.0)
    assert missed.after.distance == 1
    assert first_mistake(plies, 0) is missed


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("seat", [0, 1])
def test_the_moves_of_one_seat_are_judged_as_in_the_whole_game(seat: int, seed: int) -> None:
    start, moves = at_random("tictactoe", seed)
    every = judge_moves(start, moves, AnalysisBudget(depth=9))
    own = judge_moves(start, moves, AnalysisBudget(depth=9), seat=seat)
    assert [(ply.ply, ply.loss, ply.mark) for ply in own] == [
        (ply.ply, ply.loss, ply.mark) for ply in every if ply.who == seat
    ]


def test_a_best_move_is_not_a_mistake() -> None:
    plies = by_text("tictactoe", "b2 a1 c3 a3 a2 c2 b1 b3 c1")
    assert [ply.mark for ply in plies] == [Mark.NONE] * 9
    assert first_mistake(plies, 0) is first_mistake(plies, 1) is None
    assert all(ply.before.exact and ply.after.exact for ply in plies)


@pytest.mark.parametrize("rules", ["tictactoe", "grundy", "nap:n=7", "dots:rows=1,columns=2", "tree:professors"])
@pytest.mark.parametrize("seed", [1, 2])
def test_if_the_whole_game_is_searched_every_loss_is_exact(rules: str, seed: int) -> None:
    start, moves = at_random(rules, seed)
    state = start
    for ply, move in zip(judge_moves(start, moves, AnalysisBudget(depth=40)), moves, strict=True):
        child = state.play(state.from_text(move.move))
        best, played = minimax.search(state).value, minimax.search(child).value
        seat, other = state.turn, child.turn
        played = child.utilities()[seat or 0] if other is None else played if other == seat else -played
        assert ply.loss == pytest.approx(best - played)
        assert ply.before.exact
        assert ply.after.exact
        outcome = (best > 0) - (best < 0), (played > 0) - (played < 0)
        assert (ply.mark is Mark.BLUNDER) >= (outcome[0] > outcome[1])
        assert bool(ply.better) == bool(ply.mark)
        state = child


@pytest.mark.parametrize("rules", EVERY_GAME)
def test_every_game_can_be_analysed_with_the_same_result_each_time(rules: str) -> None:
    start, moves = at_random(rules, 3, most=24)
    plies = list(judge_moves(start, moves, AnalysisBudget(nodes=300)))
    assert [ply.ply for ply in plies] == list(range(1, len(moves) + 1))
    assert plies == list(judge_moves(start, moves, AnalysisBudget(nodes=300)))
    low, high = start.bounds
    low = min(low, -high) if start.zero_sum or start.players > 2 else low
    high = max(high, -low) if start.zero_sum or start.players > 2 else high
    for ply in plies:
        for worth in (ply.before, ply.after):
            assert len(worth.values) == start.players
            assert all(low - 1e-9 <= value <= high + 1e-9 for value in worth.values)
        assert (ply.loss is None) == (not isinstance(ply.who, int) or not ply.before.known or not ply.after.known)
        assert ply.loss is None or ply.loss >= 0.0
        assert not (start.hidden and ply.mark)
        if ply.better:
            state = start
            for move in moves[: ply.ply - 1]:
                state = state.play(state.from_text(move.move))
            assert state.from_text(ply.better[0]) in state.moves()
            assert ply.better[0] != ply.move
    told = summaries(plies, start.players)
    assert [one.moves for one in told] == [sum(ply.who == seat for ply in plies) for seat in range(start.players)]
    assert [one.luck is None for one in told] == [not any(ply.who == "chance" for ply in plies)] * start.players


def test_before_a_throw_the_value_is_the_average_of_its_outcomes() -> None:
    """The value before a throw is the average of its outcomes, searched to the same horizon."""
    start = games.start("pig:goal=12")
    (first, *_) = judge_moves(start, [MoveRecord(1, "chance", "1")], AnalysisBudget(depth=4))
    average = 0.0
    for outcome, chance in start.chances():
        (ply,) = judge_moves(start, [MoveRecord(1, "chance", start.to_text(outcome))], AnalysisBudget(depth=4))
        average += chance * ply.after.values[0]
    assert first.before.values[0] == pytest.approx(average)


class Silent(State[int]):
    """Two players take 1 or 2 of many sticks; the player that takes the last wins. It has no estimate."""

    max_plies = 1000
    options = (Option("left", 200, "sticks", 1, 1000),)

    def __init__(self, left: int = 200, mover: int = 0) -> None:
        self.left, self.mover = left, mover
        self.turn = mover if left else None

    def moves(self) -> tuple[int, ...]:
        return tuple(range(1, min(2, self.left) + 1))

    def play(self, move: int) -> Silent:
        return Silent(self.left - move, 1 - self.mover)

    def utilities(self) -> tuple[float, float]:
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)

    def position(self) -> str:
        return f"{self.left} {self.mover}"


def test_without_an_estimate_only_proven_values_are_known() -> None:
    early = [MoveRecord(1, 0, "1"), MoveRecord(2, 1, "1")]
    for ply in judge_moves(Silent(), early, AnalysisBudget(nodes=200)):
        assert (ply.before.known, ply.loss, ply.mark) == (False, None, Mark.NONE)
    (late,) = judge_moves(Silent(5), [MoveRecord(1, 0, "1")], AnalysisBudget(nodes=5000))
    assert late.before.known
    assert (late.mark, late.better[0]) == (Mark.BLUNDER, "2")


class Endless(Silent):
    """The same game without bounds on its values."""

    bounds = (float("-inf"), float("inf"))

    def play(self, move: int) -> Endless:
        return Endless(self.left - move, 1 - self.mover)

    def evaluate(self, seat: int) -> float:
        return float(self.left % 7) * (1 if seat == 0 else -1)


def test_a_game_without_bounds_is_judged_by_the_values_that_occur() -> None:
    moves = [MoveRecord(number, (number - 1) % 2, "1") for number in range(1, 8)]
    plies = list(judge_moves(Endless(), moves, AnalysisBudget(depth=1)))
    assert {ply.mark for ply in plies} <= {Mark.NONE, Mark.MISTAKE, Mark.BLUNDER}
    assert all(ply.loss is not None for ply in plies)


def test_moves_of_other_rules_are_an_error() -> None:
    with pytest.raises(BadMove, match="expected a legal move"):
        list(judge_moves(games.start("tictactoe"), [MoveRecord(1, 0, "z9")], AnalysisBudget(depth=1)))


def test_the_first_mistake_is_found_without_judging_all_moves() -> None:
    start, moves = at_random("tictactoe", 1)
    plies = judge_moves(start, moves, AnalysisBudget(depth=2))
    assert next(plies).ply == 1


def test_a_blunder_is_found_before_a_mistake() -> None:
    worth = PositionValue((0.0, 0.0), False)
    plies = [
        JudgedPly(ply=number, who=0, move="a", before=worth, after=worth, depth=1, mark=mark)
        for number, mark in enumerate((Mark.NONE, Mark.MISTAKE, Mark.MISTAKE, Mark.BLUNDER, Mark.BLUNDER), 1)
    ]
    found = first_mistake(plies, 0)
    assert found is not None
    assert found.ply == 4
    small = first_mistake(plies[:3], 0)
    assert small is not None
    assert small.ply == 2
    assert first_mistake(plies, 1) is None


def test_long_games_get_fewer_nodes_per_position_but_never_zero() -> None:
    nodes = [AnalysisBudget.default(plies).nodes or 0 for plies in (0, 1, 40, 400, 10_000)]
    assert nodes == sorted(nodes, reverse=True)
    assert nodes[-1] > 0
    assert AnalysisBudget(seconds=1.0, clock=lambda: 5.0).for_one_search() is not None


# What to look at first in lost games: a fault first, else the first clear mistake, else a game to look at.


def lost(
    id: int, text: str, *, seat: int = 0, verdict: str = "normal", fault: int | None = None, foe: str = "pvs"
) -> LostGame:
    state, moves = games.start("tictactoe"), list[MoveRecord]()
    for number, move in enumerate(text.split(), 1):
        moves.append(MoveRecord(number, state.turn or 0, move))
        state = state.play(state.from_text(move))
    return LostGame(id, "tictactoe", seat, foe, GameRecord(id, verdict, fault, "", (), tuple(moves), 0))


def test_without_lost_games_there_is_no_turning_point() -> None:
    assert turning_point([]) is None
    assert reasons([]) == {}


def test_a_fault_comes_before_every_mistake() -> None:
    found = turning_point([lost(1, "a1 b2 a2 a3 b1 c1"), lost(2, "a1 b2", verdict="crashed", fault=0)])
    assert found is not None
    assert (found.game.id, found.ply, found.mistake) == (2, 3, None)


def test_the_mistake_that_lost_the_game_is_found() -> None:
    found = turning_point([lost(1, "b2 a2 a1 c3 b1 b3 a3 c2 c1", seat=1)])
    assert found is not None
    assert found.mistake is not None
    assert (found.ply, found.mistake.mark) == (2, "??")
    whole = judge_moves(games.start("tictactoe"), found.game.record.moves, AnalysisBudget(nodes=8_000))
    assert list(found.plies) == list(whole)


def test_a_game_without_a_mistake_is_still_shown() -> None:
    found = turning_point([lost(9, "b2 a1", seat=0)])
    assert found is not None
    assert (found.game.id, found.ply) == (9, 0)
    assert [(ply.ply, ply.mark) for ply in found.plies] == [(1, ""), (2, "")]


def test_games_against_the_first_opponent_come_first() -> None:
    found = turning_point([lost(1, "a1 b2 a2 a3 b1 c1", foe="random"), lost(2, "a1 a2", foe="pvs")])
    assert found is not None
    assert found.game.id == 1


def test_a_fault_of_the_opponent_is_not_a_reason() -> None:
    games_lost = [lost(1, "a1", verdict="time", fault=0), lost(2, "a1", verdict="time", fault=0), lost(3, "a1 b2")]
    assert list(reasons([*games_lost, lost(4, "a1", verdict="crashed", fault=1)]).items()) == [
        ("time", 2),
        ("normal", 2),
    ]


def at_look(
    text: str, points: tuple[float | None, ...], verdict: str, fault: int | None = None
) -> tuple[int | None, int | None]:
    """The ply of the fault and the ply of the mistake."""
    moves = lost(1, text).record.moves
    seats = tuple(PastSeat(seat=seat, player="ab"[seat], points=share) for seat, share in enumerate(points))
    game = PastGame(
        id=1,
        number=1,
        pair="[]",
        game="tictactoe",
        status="finished",
        seats=seats,
        moves=moves,
        verdict=verdict,
        fault=fault,
    )
    plies = list(judge_moves(games.start("tictactoe"), moves, AnalysisBudget(depth=9)))
    failed, mistake = fault_and_mistake(game, plies)
    return failed, None if mistake is None else mistake.ply


@pytest.mark.parametrize(
    ("text", "points", "verdict", "fault", "found"),
    [
        ("b2 a2 a1 c3 b1 b3 a3 c2 c1", (1.0, 0.0), "normal", None, (None, 2)),
        ("b2 a2 a1", (1.0, 0.0), "illegal", 1, (4, 2)),
        ("b2 a1 c3", (1.0, 0.0), "crashed", 1, (4, None)),
        ("b2 a2 a1", (1.0, 0.0), "resigned", 1, (None, 2)),
        ("b2 a2 a1", (0.0, 1.0), "time", 0, (4, None)),
        ("a1 b1 c3 b3 b2", (1.0, 0.0), "normal", None, (None, 2)),
        ("b2 a2 c2 a1 c3 a3", (0.0, 1.0), "normal", None, (None, 3)),
        ("b2 a1 c3 c1 b1 b3 a2 c2 a3", (0.5, 0.5), "normal", None, (None, None)),
        ("a1 b2 c3 a3 c1 b1 b3 a2 c2", (0.5, 0.5), "normal", None, (None, 4)),
        ("b2 a2", (None, None), "void", None, (None, 2)),
    ],
)
def test_the_fault_and_the_mistake_of_the_loser_are_shown(
    text: str,
    points: tuple[float | None, ...],
    verdict: str,
    fault: int | None,
    found: tuple[int | None, int | None],
) -> None:
    assert at_look(text, points, verdict, fault) == found
