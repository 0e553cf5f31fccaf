"""Several schedules as one: priority, who gets the end of a game, and what a lost referee means for each."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime
from random import Random

from agents.protocol import Verdict
from arena.match.schedule import Finished, Planned
from arena.serve.priority_schedule import PrioritySchedule, StandingSchedule
from db.records import GameRecord

NOW = datetime(2026, 11, 1, tzinfo=UTC)


class Numbered(StandingSchedule):
    """Games with these numbers; those in progress are played again after an interruption."""

    def __init__(self, *numbers: int) -> None:
        self.waiting = deque(numbers)
        self.playing: list[int] = []
        self.noted: list[int] = []
        self.closed = 0

    def next(self) -> Planned | None:
        if not self.waiting:
            return None
        self.playing.append(self.waiting.popleft())
        return Planned(self.playing[-1], "tictactoe", "tictactoe", (), 1, ("any",))

    def note(self, finished: Finished) -> None:
        self.playing.remove(finished.game.number)
        self.noted.append(finished.game.number)

    def interrupted(self) -> None:
        self.waiting.extendleft(self.playing)
        self.playing = []

    def close(self) -> None:
        self.closed += 1


def over(game: Planned) -> Finished:
    return Finished(game, GameRecord(game.number, Verdict.NORMAL, None, "", (), (), 0), NOW, NOW)


def test_the_first_schedule_that_has_a_game_gives_it() -> None:
    people, checks, pairs = Numbered(), Numbered(11), Numbered(21, 22)
    in_turn = PrioritySchedule([people, checks, pairs])
    started = [game for _ in range(2) if (game := in_turn.next()) is not None]
    people.waiting.append(1)
    started += [game for _ in range(3) if (game := in_turn.next()) is not None]
    assert [game.number for game in started] == [11, 21, 1, 22]
    for game in reversed(started):
        in_turn.note(over(game))
    assert (people.noted, checks.noted, pairs.noted) == ([1], [11], [22, 21])
    assert in_turn.ahead() is None


def test_a_lost_referee_and_the_end_are_told_to_every_schedule() -> None:
    final, pairs = Numbered(1, 2), Numbered(3)
    in_turn = PrioritySchedule([final, pairs])
    assert in_turn.next() is not None
    in_turn.interrupted()
    assert (list(final.waiting), list(pairs.waiting)) == ([1, 2], [3])
    in_turn.close()
    assert (final.closed, pairs.closed) == (1, 1)


def test_every_game_is_noted_once_whatever_order_they_end_in() -> None:
    random = Random(3)
    schedules = [Numbered(*range(first, first + 100)) for first in (0, 1000, 2**40)]
    in_turn = PrioritySchedule(schedules)
    playing: list[Planned] = []
    while (game := in_turn.next()) is not None or playing:
        if game is not None:
            playing.append(game)
        if random.random() < 0.02:
            playing.clear()
            in_turn.interrupted()
        elif playing and random.random() < 0.5:
            in_turn.note(over(playing.pop(random.randrange(len(playing)))))
    assert [len(schedule.noted) for schedule in schedules] == [100, 100, 100]
    assert [len(set(schedule.noted)) for schedule in schedules] == [100, 100, 100]
