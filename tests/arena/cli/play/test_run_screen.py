"""The lines of progress in the log of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from arena.cli.play.run_progress import RunProgress
from arena.tournament.tournament import Tournament


@dataclass
class Played:
    """How far a tournament is."""

    over: int
    expected: int = 100


def test_a_line_a_minute_at_most_with_the_time_that_the_other_games_need() -> None:
    seconds, played = 0.0, Played(20)
    progress = RunProgress(cast("Tournament", played), lambda: seconds)
    lines = []
    for _ in range(60):
        seconds += 4.0
        played.over += 1
        lines.append(progress.line("now"))
    assert [(place + 1) * 4 for place, line in enumerate(lines) if line] == [60, 120, 180, 240]
    assert next(filter(None, lines)) == "now  35 of 100 games are over, about 4 minutes left"


def test_before_the_first_game_of_this_run_no_time_is_given() -> None:
    assert RunProgress(cast("Tournament", Played(20)), lambda: 0.0).time_left() == ""
