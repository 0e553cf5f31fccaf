"""Reports for the tests of pages, made from databases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from html import unescape
from itertools import combinations
from pathlib import Path
from typing import Final

from arena.course import report
from arena.course.report import WholeReport, gather, pages
from db import lookup
from db.database import Database
from tests.kit.plot_reading import AWKWARD
from tests.kit.sample_record import Book

NOW: Final = datetime(2026, 5, 2, 18, 30, tzinfo=UTC)
NAMES: Final = (*(name.replace("\ud800", "") for name in AWKWARD), "CON", "Ann", "ann", "ÄNN", "../x", "a/b", "nul")


def reported(file: Path, tournament: str) -> WholeReport:
    """The report of a recorded tournament, with the agents' own names."""
    with Database(str(file)) as database, database.reading() as connection:
        return gather(connection, lookup.find_tournament(connection, tournament), None, now=NOW)[0]


def site(found: WholeReport, *, replays: bool = False) -> dict[str, str]:
    """The pages of a report except those of the games, by address."""
    shown = [game.id for game in found.games] if replays else ()
    where = report.address_of([agent.name for agent in found.agents], replays=shown)
    written = list(pages(found, where))
    assert len({place for place, _ in written}) == len(written)
    return dict(written)


def crowd(file: Path, names: Sequence[str], *, games: int = 1) -> Path:
    """A database in which all of these agents play each other in `games` games."""
    with Database(str(file)) as database, database.writing() as connection:
        book = Book(connection)
        course = book.tournament("cs101", "tictactoe", status="finished")
        book.enter(course, *names)
        for two in combinations(names, 2):
            for leg in range(games):
                players = two if leg % 2 == 0 else two[::-1]
                book.play(course, "tictactoe", players, pair=f"{two} {leg // 2}", leg=leg % 2, round=leg // 2 + 1)
    return file


def links(page: str) -> list[str]:
    """The targets of all links on the page."""
    return [unescape(href) for href in re.findall(r'<a href="([^"]*)"', page)]
