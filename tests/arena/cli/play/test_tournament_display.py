"""What a running tournament says: who is out, and now and then, where clocks run, that the machine is too slow."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from rich.console import Console

from arena.cli.play.tournament_display import RunProgress, TournamentDisplay
from arena.match.schedule import Entrant, Finished, PaceChanged, Planned
from arena.tournament import league
from arena.tournament.tournament import Tournament
from db.records import GameRecord, SeatRecord

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLANNED = Planned(1, "nap", "nap", tuple(Entrant(name, name, source="random") for name in ("ann", "bob")), 1, (1,))


@dataclass
class Course:
    """What the screen asks a tournament for."""

    over: int = 1
    expected: int = 2
    test: None = None
    quarantined: list[str] = field(default_factory=list)
    is_over: bool = False


def display(course: Course) -> TournamentDisplay:
    shown = TournamentDisplay(league.from_arguments("nap", ["pvs", "random"], clock="none"))
    shown._tournament = cast("Tournament", course)
    return shown


def won_by_ann() -> Finished:
    seats = tuple(
        SeatRecord(seat, name, points, 0.0, 0, 0) for seat, (name, points) in enumerate((("ann", 1.0), ("bob", 0.0)))
    )
    return Finished(PLANNED, GameRecord(1, "illegal", 1, "bob, ply 2: expected a legal move", seats, (), 0), NOW, NOW)


def test_who_is_quarantined_is_told_once_with_what_can_be_done(capsys: Any) -> None:
    course = Course()
    shown = display(course)
    shown._console = Console(width=300)
    for course.quarantined in ([], ["bob"], ["bob"]):
        shown.show(won_by_ann())
    told = [line for line in capsys.readouterr().out.splitlines() if "quarantined" in line]
    assert told == [
        "bob is quarantined after 5 faults in a row: it forfeits its other games until a new version is entered, or "
        "until: arena rule release bob --reason WHY"
    ]


def test_fewer_games_at_once_are_told_of_and_more_again(capsys: pytest.CaptureFixture[str]) -> None:
    shown = TournamentDisplay(league.from_arguments("connect4", ["pvs", "random"], games_at_once=3))
    for before, at_once, waited in ((3, 2, 0.34), (2, 1, 0.25), (1, 1, 0.5), (1, 1, 0.5), (1, 2, 0.01)):
        shown.show(PaceChanged(before, at_once, waited))
    told = capsys.readouterr()
    assert told.err == (
        "warning: players waited for a processor for 50% of their thinking time; their clocks do not count it, but "
        "games take longer: close other programs\n"
    )
    assert " ".join(told.out.split()) == (
        "players waited for a processor for 34% of their thinking time: from now on 2 games at the same time, one "
        "fewer than before players waited for a processor for 25% of their thinking time: from now on 1 game at the "
        "same time, one fewer than before players waited for a processor for 1% of their thinking time: from now on 2 "
        "games at the same time, one more than before"
    )


def test_after_the_last_game_the_number_of_games_at_once_is_of_no_interest(capsys: pytest.CaptureFixture[str]) -> None:
    shown = display(Course(is_over=True))
    shown.show(PaceChanged(3, 2, 0.34))
    shown.show(PaceChanged(1, 1, 0.5))
    assert capsys.readouterr() == ("", "")


# The lines of progress in the log of a run.


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
