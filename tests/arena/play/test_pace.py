"""When players wait for processors, fewer games are played at the same time, and more again when they do not."""

from __future__ import annotations

import pytest

from arena.match.clock import MILLISECOND, TOO_BUSY
from arena.match.schedule import PaceChanged
from arena.play.director import GAMES, Pace
from db.records import GameRecord, MoveRecord


def game(*moves: tuple[int, int, int]) -> GameRecord:
    """A game of these moves: what each was charged, the lag and the delay, in milliseconds."""
    plies = tuple(
        MoveRecord(ply, ply % 2, "1", spent=spent * MILLISECOND, lag=lag * MILLISECOND, delay=delay * MILLISECOND)
        for ply, (spent, lag, delay) in enumerate(moves, 1)
    )
    return GameRecord(1, "normal", None, "", (), plies, lag=0)


WAITS, CALM, USUAL = game((700, 0, 300)), game((1000, 0, 0)), game((900, 0, 100))
STARVED = GameRecord(1, "void", None, f"ann used 0.1 s of 1.0 s at ply 1: {TOO_BUSY}", (), (), lag=0)


def after(pace: Pace, *games: GameRecord) -> list[tuple[int, int]]:
    """Each change: the number of games at the same time before and after."""
    changes = [pace.note(one) for one in games]
    return [(change.before, change.at_once) for change in changes if change is not None]


@pytest.mark.parametrize(
    ("move", "changes"),
    [
        ((100, 0, 0), []),
        ((80, 10, 10), []),
        ((79, 0, 21), [(3, 2)]),
        ((79, 21, 0), [(3, 2)]),
        ((0, 0, 1000), [(3, 2)]),
    ],
)
def test_more_than_a_fifth_of_waiting_is_too_much(move: tuple[int, int, int], changes: list[tuple[int, int]]) -> None:
    assert after(Pace(3), *[game(move)] * GAMES) == changes


@pytest.mark.parametrize(("move", "changes"), [((96, 2, 2), [(2, 3)]), ((95, 0, 5), [])])
def test_less_than_a_twentieth_is_little(move: tuple[int, int, int], changes: list[tuple[int, int]]) -> None:
    pace = Pace(3)
    after(pace, *[WAITS] * GAMES)
    assert after(pace, *[game(move)] * GAMES) == changes


def test_nothing_changes_before_twenty_games_have_shown_it() -> None:
    pace = Pace(3)
    assert after(pace, *[WAITS] * (GAMES - 1)) == []
    assert after(pace, WAITS) == [(3, 2)]
    assert after(pace, *[WAITS] * (GAMES - 1)) == []


def test_at_least_one_game_is_played_and_never_more_than_wanted() -> None:
    pace = Pace(2)
    assert after(pace, *[WAITS] * GAMES * 3) == [(2, 1), (1, 1), (1, 1)]
    assert after(pace, *[CALM] * GAMES * 9) == [(1, 2)]


def test_a_rise_that_was_too_early_makes_the_next_one_later() -> None:
    """One game is calm, two wait: the number does not change for ever."""
    pace = Pace(2)
    changes = []
    for number in range(GAMES * 200):
        if after(pace, WAITS if pace.at_once == 2 else CALM):
            changes.append(number // GAMES)
    assert len(changes) < 16
    assert changes == sorted(set(changes))


def test_games_that_are_void_because_the_machine_is_too_busy_are_nothing_but_waiting() -> None:
    assert after(Pace(2), *[STARVED] * GAMES) == [(2, 1)]


def test_waits_of_short_turns_say_nothing() -> None:
    pace = Pace(2)
    after(pace, *[WAITS] * GAMES)
    quick = game(*[(1, 3, 0), (1, 30, 3)] * 20)
    assert after(pace, *[quick] * GAMES * 3) == []


def test_the_share_is_reported() -> None:
    pace = Pace(2)
    *_, told = [pace.note(WAITS) for _ in range(GAMES)]
    assert told == PaceChanged(2, 1, 0.3)
    assert after(pace, *[USUAL] * GAMES) == []
