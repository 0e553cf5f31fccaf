"""The live table of a running tournament: who leads, what is being played, and who is out."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from rich.console import Console

from arena.cli.play.tournament_display import TournamentDisplay
from arena.match.schedule import Entrant, Finished, Planned
from arena.tournament import league
from arena.tournament.tournament import Tournament
from db.records import GameRecord, SeatRecord

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLANNED = Planned(1, "nap", "nap", tuple(Entrant(name, name, source="random") for name in ("ann", "bob")), 1, (1,))


@dataclass
class Course:
    """What the screen asks a tournament for."""

    over: int = 1
    all: int = 2
    test: None = None
    quarantined: list[str] = field(default_factory=list)


@dataclass
class Directed:
    """What it asks a director for."""

    in_progress: list[Planned]


def display(course: Course) -> TournamentDisplay:
    shown = TournamentDisplay(league.from_arguments("nap", ["pvs", "random"], clock="none"))
    shown._tournament = cast(Tournament, course)
    return shown


def won_by_ann() -> Finished:
    seats = tuple(
        SeatRecord(seat, name, points, 0.0, 0, 0) for seat, (name, points) in enumerate((("ann", 1.0), ("bob", 0.0)))
    )
    return Finished(PLANNED, GameRecord(1, "illegal", 1, "bob, ply 2: expected a legal move", seats, (), 0), NOW, NOW)


def seen(shown: TournamentDisplay) -> str:
    out = io.StringIO()
    Console(file=out, width=80, force_terminal=False).print(shown._picture())
    return out.getvalue()


def test_it_shows_what_is_being_played() -> None:
    shown = display(Course())
    assert "playing" not in seen(shown)
    directed = Directed([PLANNED])
    shown.follow(cast(Any, directed))
    assert "  playing: ann - bob\n" in seen(shown)
    directed.in_progress.clear()
    assert "playing" not in seen(shown)


def test_who_has_as_many_points_has_the_same_rank() -> None:
    shown = display(Course())
    shown._points = {"ann": [1.0, 0.0], "bob": [0.5, 0.5], "eve": [0.0]}
    shown._standings = shown._ranked()
    assert re.findall(r"^ +(\d)  (\w+)", seen(shown), re.MULTILINE) == [("1", "ann"), ("1", "bob"), ("3", "eve")]


def test_who_is_quarantined_is_told_once_with_what_can_be_done(capsys: Any) -> None:
    course = Course()
    shown = display(course)
    shown._console = Console(width=300)
    for course.quarantined in ([], ["bob"], ["bob"]):
        shown.show(won_by_ann())
    told = [line for line in capsys.readouterr().out.splitlines() if "quarantined" in line]
    assert told == [
        "bob is quarantined for 5 faults in a row: it forfeits its other games, until it is entered anew, or "
        "`arena release bob --reason WHY` lets it go on"
    ]
