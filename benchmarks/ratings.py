"""How long ratings take: fits with error bars, for lists of games and for a database of a million games.

    python benchmarks/ratings.py                     everything, about four minutes
    python benchmarks/ratings.py --games 100000      a smaller database
    python benchmarks/ratings.py --db FILE           an existing database

The database is made as in benchmarks/database.py, in a temporary folder; an existing one is only read.
"""

from __future__ import annotations

import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import combinations, islice
from pathlib import Path
from random import Random
from typing import TypeVar

from arena.ratings import bradley_terry
from arena.ratings.duels import duels
from arena.ratings.ranking import Ranking
from arena.ratings.systems import rank
from benchmarks.arguments import Reader, positive
from benchmarks.database import fill
from db import rated_games
from db.database import Database
from db.records import RatedGame

ROUNDS = 5
Found = TypeVar("Found")


def round_robin(players: int, games: int) -> list[RatedGame]:
    """`games` games in pairs with swapped seats, of players of random strengths."""
    random = Random(1)
    names = [f"player{number:04}" for number in range(players)]
    strength = {name: random.gauss(0.0, 1.0) for name in names}
    together = list(combinations(names, 2))
    random.shuffle(together)
    meetings = together * (games // 2 // len(together) + 1)
    found = []
    for pair, (one, other) in enumerate(islice(meetings, games // 2)):
        for first, second in ((one, other), (other, one)):
            luck = random.gauss(strength[first] - strength[second] + 0.1, 1.5)
            score = 0.5 if abs(luck) < 0.3 else float(luck > 0.0)
            found.append(RatedGame((first, second), (score, 1.0 - score), rules="connect4", pair=pair))
    return found


def measure(what: str, aim: float | None, action: Callable[[], Found]) -> Found:
    """Print the time of the first call, which reads from a cold disk, and the median of later calls."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        found = action()
        times.append(time.perf_counter() - began)
    aimed = "" if aim is None else f"{aim * 1000:>10.0f}" + ("   missed" if times[0] > aim else "")
    print(f"{what:<44}{times[0] * 1000:>10.0f}{statistics.median(times) * 1000:>10.0f}{aimed}")
    return found


def rate_lists() -> None:
    """Measure fits of lists of games whose columns are already made."""
    for players, games, aim in ((40, 3_120, 0.05), (1_000, 100_000, 5.0)):
        columns = duels(round_robin(players, games))
        measure(f"{players:,} players, {games:,} games", aim, partial(bradley_terry.fit, columns))


def rate_record(file: Path) -> None:
    """Measure the way from the database to the table of ratings, and its parts."""
    with Database(str(file), create=False) as database, database.reading() as connection:

        def ranking() -> Ranking:
            counts, games = rated_games.counted(connection, rated_games.Scope())
            return rank(games, counts)

        whole = measure("the whole record, ranked", 2.0, ranking)
        counts, games = measure("  reading", None, lambda: rated_games.counted(connection, rated_games.Scope()))
        columns = measure("  columns", None, lambda: duels(games, counts))
        measure("  fitting, with errors", None, lambda: bradley_terry.fit(columns))
    games_rated = int(columns.often[columns.pair].sum())
    print(f"\n{len(whole.players)} players, {games_rated:,} rated games, {len(counts):,} counts")


def main() -> None:
    """Write the database, then measure."""
    reader = Reader(__doc__)
    reader.add_argument("--games", type=positive, default=1_000_000, help="games to write (default 1000000)")
    reader.add_argument("--db", type=Path, help="a database to read (default: a new one)")
    told = reader.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores\n")
    print(f"{'milliseconds':<44}{'first':>10}{'median':>10}{'aim':>10}")
    rate_lists()
    if told.db is not None:
        rate_record(told.db)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arena.db"
        with Database(str(file)) as database:
            fill(database, told.games)
        rate_record(file)


if __name__ == "__main__":
    main()
