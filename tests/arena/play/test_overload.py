"""An overloaded machine is told of, a busy player and a quick game are not."""

from __future__ import annotations

import pytest

from arena.match.clock import MILLISECOND, SECOND
from arena.play.overload import GAMES, Overload
from db.records import GameRecord, MoveRecord


def game(*moves: tuple[int, int, int]) -> GameRecord:
    """A game of these moves: how long each took, the lag and the delay, in milliseconds."""
    plies = tuple(
        MoveRecord(ply, ply % 2, "1", spent=spent * MILLISECOND, lag=lag * MILLISECOND, delay=delay * MILLISECOND)
        for ply, (spent, lag, delay) in enumerate(moves, 1)
    )
    return GameRecord(1, "normal", None, "", (), plies, lag=0)


def after(*games: GameRecord) -> str | None:
    overload = Overload()
    for one in games:
        overload.note(one)
    return overload.warning()


@pytest.mark.parametrize(
    "games",
    [
        [],
        [game()],
        [game((1000, 0, 0))] * 5,
        [game((1000, 20, 20))] * 5,
        [game((1, 3, 0), (1, 3, 0))] * GAMES,
        [game((900, 0, 400))],
        [game((5, 60, 0)), game((5, 0, 60))],
    ],
)
def test_a_machine_that_keeps_up_is_not_complained_of(games: list[GameRecord]) -> None:
    assert after(*games) is None


def test_players_who_wait_for_a_processor_are_told_of() -> None:
    told = after(game((1000, 0, 300), (1000, 100, 0)))
    assert told is not None
    assert "in the last game players waited 19% of their thinking time for a processor, up to 300 ms" in told
    assert "games_at_once" in told


def test_long_waits_are_told_of_however_quick_the_games_are() -> None:
    told = after(*[game((1, 0, 0), (1, 70, 0))] * 3)
    assert told is not None
    assert "in the last 3 games players waited long for a processor, up to 70 ms in one move" in told


def test_what_is_long_ago_is_forgotten() -> None:
    assert after(game((9000, 0, 5000)), *[game((1000, 0, 0))] * GAMES) is None


def test_what_nobody_measured_is_no_wait() -> None:
    unknown = MoveRecord(1, 0, "1", spent=2 * SECOND)
    assert after(GameRecord(1, "normal", None, "", (), (unknown,), lag=0)) is None


def test_a_game_that_is_void_for_a_wait_is_told_of_at_once() -> None:
    void = GameRecord(
        1, "void", None, "ann used 2.9 s of 2.0 s at ply 1, 1.4 s of it waiting for the machine", (), (), 0
    )
    told = after(game((1, 0, 0)), void)
    assert told is not None
    assert "in the last 2 games players waited long for a processor (1 void for it)" in told
    assert after(GameRecord(1, "void", None, "ann: cannot be started", (), (), 0)) is None
