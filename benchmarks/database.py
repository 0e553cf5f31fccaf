"""Times of a large database: a million games of 200 agents in 50 tournaments, written in bulk, queried and added to.

    python benchmarks/database.py                    a million games, about ten minutes and 2 GB of disk
    python benchmarks/database.py --games 100000     a quick look

One game in a hundred has its moves stored: no listing reads moves, and those of all games would need 20 times the disk.
The databases are an SQLite file in a temporary folder (set TMPDIR to choose where) and, if PostgreSQL is installed, one
on a server that runs only for this. They are removed at the end.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import combinations, count, islice
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from sqlalchemy import insert, text

from arena.ratings.points import crosstable, standings
from benchmarks.arguments import Reader, positive
from db import lookup, scores, search, store
from db.database import Database
from db.records import GameRecord, MoveRecord, ScheduledGame, SeatRecord, instant
from db.schema import Agent, Entry, Game, Move, Ruling, Seat, Tournament, Version
from tests.kit import postgres_server

AGENTS, TOURNAMENTS, ENTRIES = 200, 50, 40
PLIES = 30
WITH_MOVES: Final = 100
"""One game in this many has its moves stored."""
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_AT_ONCE = 10_000
_VERDICTS = ["normal"] * 92 + ["time"] * 3 + ["illegal", "crashed", "resigned", "forfeit", "void"]
Row = dict[str, Any]


def fill(database: Database, games: int) -> None:
    """Write the database."""
    random = Random(1)
    seed = str(2**127 + 1)
    with database.writing() as connection:
        connection.execute(insert(Agent), [{"id": id, "name": f"agent{id}"} for id in range(1, AGENTS + 1)])
        connection.execute(
            insert(Version),
            [
                {"id": id, "agent": id, "number": 1, "source": "random", "started_as": "random", "created": "2026"}
                for id in range(1, AGENTS + 1)
            ],
        )
    ids = count(1)
    for tournament in range(1, TOURNAMENTS + 1):
        entered = sorted(random.sample(range(1, AGENTS + 1), ENTRIES))
        with database.writing() as connection:
            about = {"format": "round-robin", "rules": "connect4", "clock": "10+0.1", "seed": seed, "settings": {}}
            new = {"id": tournament, "name": f"cup{tournament}", "status": "finished", "created": "2026", **about}
            connection.execute(insert(Tournament), [new])
            connection.execute(
                insert(Entry),
                [{"tournament": tournament, "version": id, "name": f"agent{id}", "status": "active"} for id in entered],
            )
            rows = islice(games_of(tournament, entered, seed, random, ids), games // TOURNAMENTS)
            while part := list(islice(rows, _AT_ONCE)):
                connection.execute(insert(Game), [game for game, _ in part])
                connection.execute(insert(Seat), [seat for _, seats in part for seat in seats])
                connection.execute(insert(Move), [move for game, _ in part for move in _moves(game["id"])])
    with database.writing() as connection:
        connection.execute(
            insert(Ruling),
            [
                {"game": game, "what": "void", "reason": "the machine", "made": "2026"}
                for game in range(1, games, games // 100 or 1)
            ],
        )


def games_of(
    tournament: int, entered: list[int], seed: str, random: Random, ids: Iterator[int]
) -> Iterator[tuple[Row, list[Row]]]:
    """An endless series of games of a tournament, with their seats; a void game is followed by its next attempt."""
    pairs = list(combinations(entered, 2))
    meetings = ((cycle, pair, leg) for cycle in count() for pair in pairs for leg in (0, 1))
    for number, (cycle, pair, leg) in enumerate(meetings, 1):
        for attempt in (1, 2):
            id = next(ids)
            verdict = random.choice(_VERDICTS) if attempt == 1 else "normal"
            fault = None if verdict in ("normal", "void") else random.randrange(2)
            first = random.choice([1.0, 1.0, 0.5, 0.0]) if fault is None else float(fault == 1)
            finished = BEGAN + timedelta(seconds=10 * id)
            game = {
                "id": id,
                "tournament": tournament,
                "round": number // ENTRIES + 1,
                "number": number,
                "pair": json.dumps([*(f"agent{agent}" for agent in pair), cycle]),
                "leg": leg,
                "attempt": attempt,
                "rules": "connect4",
                "clock": "10+0.1",
                "seed": seed,
                "opening": "4 4",
                "status": "void" if verdict == "void" else "finished",
                "verdict": verdict,
                "fault": fault,
                "detail": "",
                "plies": random.randrange(8, 43),
                "started": instant(finished - timedelta(seconds=9)),
                "finished": instant(finished),
                "host": {"cpu": "synthetic"},
                "lag": 10**6,
                "moves_hash": random.getrandbits(63),
            }
            points = (None, None) if verdict == "void" else (first, 1.0 - first)
            seats = [
                {
                    "game": id,
                    "seat": seat,
                    "version": agent,
                    "name": f"agent{agent}",
                    "points": points[seat],
                    "utility": None,
                    "spent": 10**9,
                    "longest": 10**8,
                    "cpu": 10**9,
                    "memory": 10**7,
                    "stderr": None,
                }
                for seat, agent in enumerate(pair if leg == 0 else pair[::-1])
            ]
            yield game, seats
            if verdict != "void":
                break


def _moves(game: int) -> list[Row]:
    if game % WITH_MOVES:
        return []
    return [
        {"game": game, "ply": ply, "who": str(ply % 2), "move": "4", "spent": 10**6, "left": 10**9}
        for ply in range(1, PLIES + 1)
    ]


def record(game: int) -> GameRecord:
    """A game of typical length, with the depth and score that agents report."""
    seats = tuple(SeatRecord(seat, "any", 0.5, 0.0, 10**9, 10**8, 10**9, 10**7, "") for seat in (0, 1))
    moves = tuple(
        MoveRecord(ply, ply % 2, "4", 10**6, 10**9, 10**3, 10**6, 0, 0, 0.5, 6, 12_345, "4 3 5", None)
        for ply in range(1, PLIES + 1)
    )
    return GameRecord(game, "normal", None, "", seats, moves, 10**5)


def write_games(database: Database, games: int) -> float:
    """Milliseconds to record the start and the end of a game, each in one transaction as the director does."""
    with database.writing() as connection:
        tournament = store.create_tournament(
            connection,
            "written",
            format="match",
            rules="connect4",
            clock="10+0.1",
            seed=1,
            settings={},
            now=BEGAN,
        )
        seats = ((1, "agent1"), (2, "agent2"))
        new = [
            ScheduledGame(round=1, pair=str(n), game="connect4", clock="10+0.1", seed=1, seats=seats)
            for n in range(games)
        ]
        ids = store.schedule(connection, tournament, new)
    times = []
    for id in ids:
        played = record(id)
        began = time.perf_counter()
        with database.writing() as connection:
            store.begin(connection, id, BEGAN)
            store.finish(connection, id, played, host={"cpu": "any"}, now=BEGAN)
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


@dataclass
class Column:
    """The figures of one database, in milliseconds, by what was measured."""

    name: str
    figures: dict[str, float] = field(default_factory=dict)

    def measure(self, what: str, action: Callable[[], object]) -> None:
        """Note the time of the first call, which reads from a cold disk."""
        began = time.perf_counter()
        action()
        self.figures[what] = 1000 * (time.perf_counter() - began)


def measured(name: str, where: str, games: int) -> Column:
    """All figures of the empty database `where`."""
    column = Column(name)
    with Database(where) as database:
        column.measure("made", lambda: fill(database, games))
        if database.file is None:
            with database.writing() as connection:
                for table in ("tournament", "game"):  # the next rows have the next ids
                    last = f"(SELECT MAX(id) FROM {table})"
                    connection.exec_driver_sql(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), {last})")
                connection.exec_driver_sql("ANALYZE")  # else the server would do it in the middle
        column.measure("opening", lambda: Database(where).close())
        look_back(database, column)
        column.figures[f"writing a game of {PLIES} plies"] = write_games(database, 300)
    for command in (["standings", "cup7"], ["history"], ["show", "last"]):
        arguments = [sys.executable, "-m", "arena", *command, "--db", where]
        column.measure(
            f"arena {' '.join(command)}",
            functools.partial(subprocess.run, arguments, check=True, stdout=subprocess.DEVNULL),
        )
    return column


def main() -> None:
    """Write the databases, measure, and print a table."""
    reader = Reader(__doc__)
    reader.add_argument("--games", type=positive, default=1_000_000, help="games to write (default 1000000)")
    games = reader.parse_args().games
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores; {games:,} games, {AGENTS} agents\n")
    with tempfile.TemporaryDirectory() as folder:
        columns = [measured("SQLite", str(Path(folder) / "arena.db"), games)]
    try:
        with postgres_server.server(safe=True) as server:
            columns.append(measured("PostgreSQL", server.new_database(), games))
    except pytest.skip.Exception as reason:
        print(f"{reason}\n")
    print(f"{'milliseconds':<44}{''.join(f'{column.name:>12}' for column in columns)}{'aim':>12}")
    for what in columns[0].figures:
        aim = f"{AIMS[what]:,.0f}" if what in AIMS else ""
        print(f"{what:<44}{''.join(f'{column.figures[what]:>12,.1f}' for column in columns)}{aim:>12}")


AIMS: Final = {
    "opening": 50,
    "a tournament's standings": 500,
    "a tournament's crosstable": 500,
    "a page of history": 500,
    "of an agent": 500,
    "of two agents": 500,
    "of a tournament, lost on time": 500,
    "the last game": 500,
    "a game by tournament and number": 500,
    "all tournaments": 3000,
    "all-time standings": 3000,
    "all-time crosstable": 3000,
    "v_standing": 3000,
    "v_head_to_head": 3000,
    "two agents, through v_head_to_head": 3000,
    f"writing a game of {PLIES} plies": 4,
}
"""In milliseconds, for a million games."""


def look_back(database: Database, column: Column) -> None:
    """Measure the queries."""
    page, wanted = search.page, search.GameFilter
    questions: dict[str, Callable[[Any], object]] = {
        "a tournament's standings": lambda c: standings(scores.scores(c, lookup.find_tournament(c, "cup7"))),
        "a tournament's crosstable": lambda c: crosstable(scores.scores(c, lookup.find_tournament(c, "cup7"))),
        "a page of history": lambda c: page(c, wanted(), limit=50),
        "of an agent": lambda c: page(c, wanted(agent="agent7"), limit=50),
        "of two agents": lambda c: page(c, wanted(agent="agent7", opponent="agent9"), limit=50),
        "of a tournament, lost on time": lambda c: page(c, wanted(tournament="cup7", verdict="time"), limit=50),
        "the last game": lambda c: lookup.find_game(c, "last"),
        "a game by tournament and number": lambda c: lookup.find_game(c, "cup7-112"),
        "all tournaments": lookup.tournaments,
        "all-time standings": lambda c: standings(scores.scores(c)),
        "all-time crosstable": lambda c: crosstable(scores.scores(c)),
        "v_standing": lambda c: c.execute(text("SELECT * FROM v_standing")).all(),
        "v_head_to_head": lambda c: c.execute(text("SELECT * FROM v_head_to_head")).all(),
        "two agents, through v_head_to_head": lambda c: c.execute(text(_VERSUS)).all(),
    }
    for what, question in questions.items():
        with database.reading() as connection:
            column.measure(what, functools.partial(question, connection))


_VERSUS: Final = """
    SELECT SUM(games), SUM(wins), SUM(draws), SUM(losses) FROM v_head_to_head
    WHERE name = 'agent7' AND opponent = 'agent9'
"""


if __name__ == "__main__":
    main()
