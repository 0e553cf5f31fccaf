"""The live table of a running tournament: who leads, and what is being played."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from typing import Any, cast

from rich.console import Console

from arena.cli.play.live_table import LiveTable
from arena.match.schedule import Entrant, Planned
from arena.tournament.tournament import Tournament
from db.records import RatedGame

PLANNED = Planned(1, "nap", "nap", tuple(Entrant(name, name, source="random") for name in ("ann", "bob")), 1, (1,))


@dataclass
class Course:
    """What the table asks a tournament for."""

    points: dict[str, list[float]] = field(default_factory=dict)
    over: int = 1
    all: int = 2
    test: None = None

    def points_so_far(self) -> dict[str, list[float]]:
        return self.points

    def rated_so_far(self) -> list[RatedGame]:
        return []


@dataclass
class Directed:
    """What it asks a director for."""

    in_progress: list[Planned]


def seen(table: LiveTable) -> str:
    out = io.StringIO()
    Console(file=out, width=80, force_terminal=False).print(table.picture())
    return out.getvalue()


def test_it_shows_what_is_being_played() -> None:
    table = LiveTable(cast(Tournament, Course()))
    assert "playing" not in seen(table)
    directed = Directed([PLANNED])
    table.director = cast(Any, directed)
    assert "  playing: ann - bob\n" in seen(table)
    directed.in_progress.clear()
    assert "playing" not in seen(table)


def test_who_has_as_many_points_has_the_same_rank() -> None:
    table = LiveTable(cast(Tournament, Course({"ann": [1.0, 0.0], "bob": [0.5, 0.5], "eve": [0.0]})))
    assert re.findall(r"^ +(\d)  (\w+)", seen(table), re.MULTILINE) == [("1", "ann"), ("1", "bob"), ("3", "eve")]
