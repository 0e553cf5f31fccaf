"""The live table of a running tournament: who leads, what is being played, and that it fits the screen."""

from __future__ import annotations

import io
import re
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from rich.console import Console
from rich.text import Text

from arena.cli.play.run_screen import LiveTable, RunScreen
from arena.cli.play.tournament_display import RunProgress
from arena.cli.terminal.board import Look
from arena.match.schedule import Entrant, Finished, Planned
from arena.ratings import points
from arena.ratings.systems.incremental import Elo
from arena.tournament.standings import TournamentStandings, standings
from arena.tournament.tournament import Tournament
from db.database import Database
from db.errors import Busy
from db.records import GameRecord, RatedGame, SeatRecord
from tests.arena.tournament.test_tournament import Course as PlayedCourse
from tests.kit.effort import PATIENCE

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLANNED = Planned(1, "nap", "nap", tuple(Entrant(name, name, source="random") for name in ("ann", "bob")), 1, (1,))


@dataclass
class Course:
    """What the table asks a tournament for."""

    games: list[RatedGame] = field(default_factory=list)
    entered: tuple[str, ...] = ()
    statuses: dict[str, str] = field(default_factory=dict)
    over: int = 1
    expected: int = 2
    test: None = None
    gauntlet: tuple[str, ...] = ()
    byes: dict[str, float] = field(default_factory=dict)
    reads: int = 0

    def standings(self) -> TournamentStandings:
        self.reads += 1
        statuses = dict.fromkeys(self.entered, "active") | self.statuses
        order = points.Order(apart=frozenset(self.gauntlet))
        return TournamentStandings(points.of(self.games), statuses, self.byes, order)

    def rated_so_far(self) -> list[RatedGame]:
        return []

    def stands(self) -> str:
        return f"{' vs '.join(self.entered)}, {self.over} games"


@dataclass
class Directed:
    """What it asks a director for."""

    in_progress: list[Planned]


def table_of(course: Course, *, clock: Any = lambda: 0.0) -> LiveTable:
    tournament = cast("Tournament", course)
    return LiveTable(tournament, RunProgress(tournament, clock).time_left, clock=clock)


def seen(table: LiveTable, *, width: int = 77, height: int = 24) -> str:
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=False).print(table.picture(width, height))
    return out.getvalue()


def finished() -> Finished:
    seats = tuple(
        SeatRecord(seat, name, share, 0.0, 0, 0) for seat, (name, share) in enumerate((("ann", 1.0), ("bob", 0.0)))
    )
    return Finished(PLANNED, GameRecord(1, "normal", None, "", seats, (), 0), NOW, NOW)


def test_it_shows_what_is_being_played() -> None:
    table = table_of(Course())
    assert "playing" not in seen(table)
    directed = Directed([PLANNED])
    table.director = cast("Any", directed)
    assert "  playing: ann - bob\n" in seen(table)
    directed.in_progress = [PLANNED] * 5
    assert "  playing: ann - bob\n  ... and 1 more game\n" in seen(table)
    directed.in_progress = [PLANNED] * 8
    assert (seen(table).count("playing"), seen(table).count("  ... and 4 more games\n")) == (4, 1)
    directed.in_progress.clear()
    assert "playing" not in seen(table)


def test_with_hosts_it_shows_what_they_do() -> None:
    table = table_of(Course())
    directed = Directed([PLANNED])
    directed.status = lambda: "2 hosts, 1 game in progress, 1 batch lost"  # type: ignore[attr-defined]
    table.director = cast("Any", directed)
    assert "  2 hosts, 1 game in progress, 1 batch lost\n  playing: ann - bob\n" in seen(table)


def test_a_long_line_is_cut() -> None:
    table = table_of(Course())
    table.add(finished(), "long " * 40)
    assert max(map(len, seen(table).splitlines())) == 77


def test_the_range_of_a_score_stands_in_its_cell_where_there_is_room() -> None:
    games = [RatedGame(("ann", "bob"), (1.0, 0.0))] * 30 + [RatedGame(("ann", "bob"), (0.0, 1.0))] * 10
    assert "├" not in seen(table_of(Course(games)))
    (line,) = [line for line in seen(table_of(Course(games)), width=100).splitlines() if " ann " in line]
    low, at, high = (line.index(sign) for sign in "├●┤")
    assert low < at < high
    assert line.rstrip().endswith("┤")
    assert 0 < at - low < 4  # 95 %: 59.8 to 85.8, of 16 places


def test_who_is_equal_has_the_same_rank() -> None:
    table = table_of(Course([RatedGame(("ann", "bob"), (0.5, 0.5))], entered=("eve",)))
    assert re.findall(r"^(\d) +(\w+)", seen(table), re.MULTILINE) == [("1", "ann"), ("1", "bob"), ("3", "eve")]


def test_who_is_out_and_who_has_points_by_forfeit_is_marked() -> None:
    games = [RatedGame(("ann", "bob"), (1.0, 0.0)), RatedGame(("eve", "bob"), (1.0, 0.0), verdict="forfeit")]
    shown = [line.split() for line in seen(table_of(Course(games, statuses={"bob": "withdrawn"}))).splitlines()]
    assert shown[0] == ["rank", "name", "games", "points", "forfeit", "score", "status", "elo"]
    assert ["1", "eve", "1", "1", "+1", "100.0%", "-"] in shown
    assert ["1", "ann", "1", "1", "100.0%", "-"] in shown
    assert ["3", "bob", "2", "0", "0.0%", "withdrawn", "-"] in shown


def test_points_for_a_bye_have_a_column_of_their_own() -> None:
    games = [RatedGame(("ann", "bob"), (1.0, 0.0))]
    shown = [line.split() for line in seen(table_of(Course(games, entered=("eve",), byes={"eve": 2.0}))).splitlines()]
    assert shown[0] == ["rank", "name", "games", "points", "bye", "score", "elo"]
    assert ["1", "eve", "0", "2", "+2", "-", "-"] in shown
    assert ["2", "ann", "1", "1", "100.0%", "-"] in shown


@pytest.mark.parametrize("height", [24, 30, 60])
@pytest.mark.parametrize("players", [3, 46, 200])
def test_of_a_long_table_the_standings_are_cut_and_nothing_else(players: int, height: int) -> None:
    course = Course(entered=tuple(f"student {number:03}" for number in range(players)))
    table = table_of(course)
    table.director = cast("Any", Directed([PLANNED] * 8))
    for number in range(10):
        table.add(finished(), f"result {number}")
    lines = seen(table, height=height - 4).splitlines()
    assert len(lines) <= height - 4  # room for what is said meanwhile
    names = [line for line in lines if "student" in line]
    cut = [int(found[1]) for line in lines if (found := re.fullmatch(r"\.\.\. and (\d+) more", line))]
    assert len(names) + sum(cut) == players
    assert bool(cut) == (len(lines) == height - 4 and len(names) < players)
    assert sum("playing: ann - bob" in line for line in lines) == 4
    assert [line for line in lines if "result" in line] == [f"result {number}" for number in range(4, 10)]
    assert any(line.startswith("1/2 ") for line in lines)


@pytest.mark.parametrize("height", range(16, 34))
def test_those_whom_a_gauntlet_names_are_below_a_heading_of_their_own(height: int) -> None:
    students = tuple(f"student {number}" for number in range(12))
    lines = seen(table_of(Course(entered=(*students, "bar", "low"), gauntlet=("bar", "low"))), height=height - 4)
    shown = [line.split() for line in lines.splitlines()[1:-1]]
    assert len(shown) <= height - 4 - 2
    assert shown[0][:2] == ["1", "student"]
    if height >= 12 + 3 + 6:
        assert [line[:2] for line in shown[12:]] == [["the", "gauntlet:"], ["1", "bar"], ["1", "low"]]
    else:
        more = 12 + 2 - sum(line[1] in ("student", "bar", "low") for line in shown)
        assert shown[-1] == ["...", "and", str(more), "more"]


def test_a_screen_of_a_few_lines_shows_the_leader() -> None:
    lines = seen(table_of(Course(entered=("ann", "bob", "cid"))), height=1).splitlines()
    assert [line.split()[:2] for line in lines[1:3]] == [["1", "ann"], ["...", "and"]]


def test_the_standings_are_read_again_after_a_game_but_not_all_the_time() -> None:
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 1.0
        return now

    course = Course()
    table = table_of(course, clock=clock)
    for _ in range(100):  # each reading takes a second of this clock
        table.add(finished(), "")
    assert 2 <= course.reads <= 10
    now = 0.0
    at_once = table_of(course := Course(), clock=lambda: now)
    for _ in range(20):  # reading takes no time of this clock
        now += 0.05
        at_once.add(finished(), "")
    assert 8 <= course.reads <= 11, "at most ten times a second"


def test_a_database_that_does_not_answer_is_the_tournament_s_matter() -> None:
    now = 0.0
    table = table_of(course := Course(entered=("ann", "bob")), clock=lambda: now)
    now = 1.0

    def busy() -> TournamentStandings:
        raise Busy("it does not answer")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(course, "standings", busy)
        table.add(finished(), "")
    assert "ann" in seen(table)
    reads = course.reads
    table.add(finished(), "")
    assert course.reads == reads + 1


def test_games_that_end_between_two_drawings_are_all_rated() -> None:
    table = table_of(Course(entered=("ann", "bob")))
    assert "15" not in seen(table)
    for _ in range(3):
        table.add(finished(), "")
    ratings = Elo()
    for _ in range(3):
        ratings.play(RatedGame(("ann", "bob"), (1.0, 0.0)))
    for _ in range(2):
        shown = [line.split() for line in seen(table).splitlines()]
        rated = {line[1]: line[-1] for line in shown if line[1:2] in (["ann"], ["bob"])}
        assert rated == {name: f"{one.rating:.0f}" for name, one in ratings.rated().items()}


# Beside the record.


@pytest.fixture
def played(tmp_path: Path) -> PlayedCourse:
    course = PlayedCourse(tmp_path)
    course.describe()
    return course


def test_it_counts_the_same_games_as_the_standings_after_a_source_has_changed(played: PlayedCourse) -> None:
    played.run()
    for text in ("x = 1", "x = 2"):
        played.write_agent("ann", text)
        with played.opened() as tournament:
            table = LiveTable(tournament, str)
            shown = [line.split() for line in seen(table).splitlines()]
        with Database(str(played.folder / "arena.db")) as database, database.reading() as connection:
            expected = standings(connection, 1).lines
        assert [line[:4] for line in shown[1 : 1 + len(expected)]] == [
            [str(line.rank), line.name, str(line.games), f"{line.points:g}"] for line in expected
        ]
        assert [line.games for line in expected if line.name == "ann"] == [0]
        played.run(most=1, rerun_changed=True)


# On the whole screen.


class Shown:
    """A screen that keeps what is drawn, and presses one key after the other."""

    look = Look(None, True)

    def __init__(self, columns: int, rows: int, *keys: str) -> None:
        self.size = columns, rows
        self.pictures: list[list[str]] = []
        self._keys = list(keys)
        self.is_done = threading.Event()

    def draw(self, lines: list[Text]) -> None:
        self.pictures.append([line.plain for line in lines])

    def key(self, _: float | None) -> str:
        if not self._keys:
            self.is_done.set()
            return ""
        return self._keys.pop(0)


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (140, 40), (40, 10)])
def test_the_run_fills_the_screen_and_messages_stay(columns: int, rows: int) -> None:
    students = tuple(f"student {number}" for number in range(1000))
    shown = Shown(columns, rows, "g", "n", "s", "w", "g", "x")
    screen = RunScreen(cast("Tournament", Course(entered=students)), cast("Any", shown), str)
    for number in range(9):
        screen.say(f"message {number}")
    assert shown.is_done.wait(PATIENCE)
    assert screen.close() == [f"message {number}" for number in range(9)]
    for lines in shown.pictures:
        assert len(lines) == rows
        assert lines[0].startswith("ra")
        assert any("more" in line for line in lines)
    assert shown.pictures[-1][-2] == "message 8"
