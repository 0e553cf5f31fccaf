"""What to look at first in lost games: a fault first, else the first clear mistake, else a game to look at."""

from __future__ import annotations

import pytest

from adsearch import games
from arena.student.analysis import AnalysisBudget, judge_moves
from arena.student.lost_games import LostGame, fault_and_mistake, reasons, turning_point
from db.records import GameRecord, MoveRecord, PastGame, PastSeat


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
