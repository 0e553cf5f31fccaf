"""Times of a large database: a million games of 200 agents in 50 tournaments, written in bulk, queried and added to.

    python benchmarks/database.py                    a million games, about three minutes and 700 MB of disk
    python benchmarks/database.py --games 100000     a quick look

One game in a hundred has its moves stored: no listing reads moves, and those of all games would need 20 times the disk.
The database is in a temporary folder (set TMPDIR to choose where) and is removed at the end.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import combinations, count, islice
from pathlib import Path
from random import Random
from typing import Any, Final

from sqlalchemy import insert, text

from arena.ratings.points import crosstable, standings
from benchmarks.arguments import Reader, positive
from db import lookup, scores, search, store
from db.database import Database
from db.records import GameRecord, MoveRecord, SeatRecord, instant
from db.schema import Agent, Entry, Game, Move, Ruling, Seat, Tournament, Version

AGENTS, TOURNAMENTS, ENTRIES = 200, 50, 40
PLIES = 30
WITH_MOVES: Final = 100
"""One game in this many has its moves stored."""
ROUNDS = 5
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
        new = [store.NewGame(1, str(n), 0, 1, "connect4", "10+0.1", "1", None, seats) for n in range(games)]
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


def measure(what: str, aim: float, action: Callable[[], object]) -> None:
    """Print the time of the first call, which reads from a cold disk, and the median of later calls."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    missed = "   missed" if times[0] > aim else ""
    print(f"{what:<44}{times[0] * 1000:>10.0f}{statistics.median(times) * 1000:>10.0f}{aim * 1000:>10.0f}{missed}")


def main() -> None:
    """Write the database, then measure."""
    reader = Reader(__doc__)
    reader.add_argument("--games", type=positive, default=1_000_000, help="games to write (default 1000000)")
    games = reader.parse_args().games
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores; {games:,} games, {AGENTS} agents\n")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arena.db"
        began = time.perf_counter()
        with Database(str(file)) as database:
            fill(database, games)
        size = file.stat().st_size / 2**20
        print(f"made in {time.perf_counter() - began:.0f} s, {size:,.0f} MB\n")
        print(f"{'milliseconds':<44}{'first':>10}{'median':>10}{'aim':>10}")
        measure("opening the file", 0.05, lambda: Database(str(file)).close())
        with Database(str(file)) as database:
            look_back(database)
            print(f"\nwriting a game of {PLIES} plies: {write_games(database, 300):.2f} ms")
        for command in (["standings", "cup7"], ["history"], ["show", "last"]):
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "arena", *command, "--db", str(file)], check=True, stdout=subprocess.DEVNULL
            )
            print(f"arena {' '.join(command)}: {time.perf_counter() - began:.2f} s, including its start")


def look_back(database: Database) -> None:
    """The queries to measure."""

    def asked(question: Callable[[Any], object]) -> Callable[[], object]:
        def answered() -> object:
            with database.reading() as connection:
                return question(connection)

        return answered

    page, wanted = search.page, search.GameFilter
    cup = asked(lambda connection: scores.scores(connection, lookup.find_tournament(connection, "cup7")))()
    assert isinstance(cup, scores.Scores)
    assert cup.players
    for what, aim, question in (
        ("a tournament's standings", 0.5, lambda c: standings(scores.scores(c, lookup.find_tournament(c, "cup7")))),
        (
            "a tournament's crosstable",
            0.5,
            lambda c: crosstable(scores.scores(c, lookup.find_tournament(c, "cup7"))),
        ),
        ("a page of history", 0.5, lambda c: page(c, wanted(), limit=50)),
        ("of an agent", 0.5, lambda c: page(c, wanted(agent="agent7"), limit=50)),
        ("of two agents", 0.5, lambda c: page(c, wanted(agent="agent7", opponent="agent9"), limit=50)),
        ("of a tournament, lost on time", 0.5, lambda c: page(c, wanted(tournament="cup7", verdict="time"), limit=50)),
        ("the last game", 0.5, lambda c: lookup.find_game(c, "last")),
        ("a game by tournament and number", 0.5, lambda c: lookup.find_game(c, "cup7-812")),
        ("all tournaments", 3, lookup.tournaments),
        ("all-time standings", 3, lambda c: standings(scores.scores(c))),
        ("all-time crosstable", 3, lambda c: crosstable(scores.scores(c))),
        ("one against another, through v_head_to_head", 3, lambda c: c.execute(text(_VERSUS)).all()),
    ):
        measure(what, aim, asked(question))


_VERSUS: Final = """
    SELECT SUM(games), SUM(wins), SUM(draws), SUM(losses) FROM v_head_to_head
    WHERE name = 'agent7' AND opponent = 'agent9'
"""


if __name__ == "__main__":
    main()
