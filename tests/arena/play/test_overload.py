"""Where players wait for processors fewer games are played at once, and more again where they do not."""

from __future__ import annotations

import pytest

from arena.match.clock import MILLISECOND
from arena.play.overload import GAMES, Overload
from db.records import GameRecord, MoveRecord


def game(*moves: tuple[int, int, int]) -> GameRecord:
    """A game of these moves: what each was charged, the lag and the delay, in milliseconds."""
    plies = tuple(
        MoveRecord(ply, ply % 2, "1", spent=spent * MILLISECOND, lag=lag * MILLISECOND, delay=delay * MILLISECOND)
        for ply, (spent, lag, delay) in enumerate(moves, 1)
    )
    return GameRecord(1, "normal", None, "", (), plies, lag=0)


def after(*games: GameRecord) -> Overload:
    overload = Overload()
    for one in games:
        overload.note(one)
    return overload


@pytest.mark.parametrize(
    ("move", "share", "advice"),
    [
        ((100, 0, 0), 0.0, 1),
        ((96, 2, 2), 0.04, 1),
        ((95, 0, 5), 0.05, 0),
        ((80, 10, 10), 0.2, 0),
        ((79, 0, 21), 0.21, -1),
        ((0, 0, 1000), 1.0, -1),
    ],
)
def test_more_than_a_fifth_of_waiting_is_too_much_and_less_than_a_twentieth_is_little(
    move: tuple[int, int, int], share: float, advice: int
) -> None:
    overload = after(*[game(move)] * GAMES)
    assert overload.share == pytest.approx(share)
    assert overload.advice() == advice


def test_nothing_changes_before_twenty_games_have_shown_it() -> None:
    waits = game((100, 0, 900))
    assert after(*[waits] * (GAMES - 1)).advice() == 0
    overload = after(*[waits] * GAMES)
    overload.forget()
    assert overload.advice() == 0
    assert overload.share == 0.0


def test_waits_of_short_turns_say_nothing() -> None:
    quick = game(*[(1, 3, 0), (1, 30, 3)] * 20)
    assert after(*[quick] * GAMES).share == 0.0


def test_what_is_long_ago_is_forgotten() -> None:
    assert after(game((100, 0, 50_000)), *[game((100, 0, 0))] * GAMES).share == 0.0
