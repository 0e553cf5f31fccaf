"""What a tournament of a thousand agents costs: its first game, each finished game, and the listings of its record.

    python benchmarks/season.py                              Swiss: 1,000 agents, 100,000 games
    python benchmarks/season.py --games 12000                Swiss of 12 rounds
    python benchmarks/season.py --format round-robin         the first 100,000 of 999,000 games
    python benchmarks/season.py --agents 100 --games 5000    a quick look
    python benchmarks/season.py --db season.db               keep the database, or continue with it

The results are made up: each agent has a strength, and some games end with a fault. Schedule, transactions and database
are those of `arena run`; there are no processes of players. A run with the same database resumes it.
"""

from __future__ import annotations

import os
import platform
import resource
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Final

from msgspec.structs import replace

from arena.match.schedule import Finished, Planned
from arena.players.submissions import Store
from arena.tournament import league as leagues
from arena.tournament.tournament import Tournament
from benchmarks.arguments import Reader, positive
from benchmarks.cli import measure
from db.database import Database
from db.records import GameRecord
from tests.kit.sample_record import played

GAME: Final = "tictactoe"
FORMATS: Final = ("swiss", "round-robin", "gauntlet", "knockout")
LISTINGS: Final = (
    ("standings", 0.7),
    ("crosstable", 2),
    ("rank", 2),
    ("grades --bar good=agent1 --bar fair=agent2", 2),
    ("history", 0.5),
    ("history --agent agent7", 0.5),
    ("history --agent agent7 --opponent agent9", 0.5),
    ("history --verdict time", 0.5),
    ("history --tournament season --agent agent7", 0.5),
    ("show last", 0.5),
)
"""Commands, each with the time that it should take, in seconds."""
_SPREAD: Final = 200
"""Standard deviation of the agents' strengths, in Elo."""
_DRAWS: Final = 0.2
_FAULTS: Final = 0.01
_VOIDS: Final = 0.001
_POOL: Final = 300
"""Number of different games."""
_PART: Final = 1000
"""Games at the start and at the end of a run that are measured together."""


class MadeUp:
    """Results of games that nobody plays: by the strengths of the agents, with moves of real games."""

    def __init__(self, names: Sequence[str], *, seed: int = 1) -> None:
        self._random = random = Random(seed)
        self._strength = {name: random.gauss(0, _SPREAD) for name in names}
        # By the points of seat 0; None: void games.
        self._normal: dict[float | None, list[GameRecord]] = {}
        # By the seat at fault.
        self._faulty: tuple[list[GameRecord], list[GameRecord]] = ([], [])
        for number in range(_POOL):
            one = played(number, GAME, ("first", "second"))
            self._normal.setdefault(one.seats[0].points, []).append(one)
            moves = [move.move for move in one.moves]
            for fault, faulty in enumerate(self._faulty):
                verdict = random.choice(("time", "illegal", "crashed"))
                made = " ".join(moves[: 4 + fault])  # then the seat at fault is to move
                faulty.append(played(number, GAME, ("first", "second"), moves=made, verdict=verdict, fault=fault))
            void = played(number, GAME, ("first", "second"), moves=" ".join(moves[:4]), verdict="void")
            self._normal.setdefault(None, []).append(void)

    def finished(self, game: Planned) -> Finished:
        """The game with a result."""
        chosen = self._random.choice(self._pool(*(self._strength[entrant.name] for entrant in game.entrants)))
        seats = tuple(
            replace(seat, player=entrant.name) for seat, entrant in zip(chosen.seats, game.entrants, strict=True)
        )
        now = datetime.now(UTC)
        return Finished(game, replace(chosen, game=game.number, seats=seats), now, now)

    def _pool(self, first: float, second: float) -> list[GameRecord]:
        kind = self._random.random()
        if kind < _VOIDS:
            return self._normal[None]
        if kind < _VOIDS + _FAULTS:
            return self._faulty[self._random.randrange(2)]
        if kind > 1 - _DRAWS:
            return self._normal[0.5]
        wins = self._random.random() < 1 / (1 + 10 ** ((second - first) / 400))
        return self._normal[float(wins)]


def described(folder: Path, *, format: str, agents: int, games: int) -> Path:
    """A file that describes the tournament."""
    names = [f"agent{number}" for number in range(1, agents + 1)]
    settings = {
        "swiss": f"rounds = {max(1, games // agents)}",
        "round-robin": f"rounds = {-(-games // (agents * (agents - 1)))}",
        "gauntlet": f"gauntlet = {names[: max(1, games // (2 * agents))]}",
        "knockout": "best_of = 2",
    }
    listed = "".join(f'[[agent]]\nname = "{name}"\nplayer = "random"\n' for name in names)
    file = folder / "season.toml"
    head = f'name = "season"\ngame = "{GAME}"\nformat = "{format}"\nseed = 1\nquarantine = 0\n{settings[format]}\n'
    file.write_text(head + listed, "utf-8")
    return file


def play(description: Path, database: Path, games: int) -> None:
    """Plays up to `games` games, and prints what they cost."""
    began = time.monotonic()
    with Database(str(database)) as opened:
        league = leagues.read(description)
        store = Store(description.parent / "store")
        tournament = Tournament.begin(league, opened, store, scratch=description.parent, wait=print)
        made_up = MadeUp([listed.name for listed in league.agents])
        game = tournament.next()
        print(f"first game after {time.monotonic() - began:.1f} s, {peak():.0f} MiB")
        first, last, count = [used()], deque([used()], maxlen=_PART + 1), 0
        while game is not None and count < games:
            tournament.note(made_up.finished(game))
            game = tournament.next()
            count += 1
            last.append(used())
            if count <= _PART:
                first.append(last[-1])
        tournament.close()
        print(f"{count:,} games in {time.monotonic() - began:.1f} s, {peak():.0f} MiB; milliseconds a game:")
        for part, times in ("first", first), ("last", [*last]):
            if count:
                show(part, times)


def show(part: str, times: Sequence[tuple[float, float]]) -> None:
    """Prints what these games cost. `times`: `used` before the first game and after each one."""
    count = len(times) - 1
    wall, processor = ((times[-1][clock] - times[0][clock]) * 1000 / count for clock in (0, 1))
    slowest = max(after[0] - before[0] for before, after in pairwise(times)) * 1000
    print(f"  the {part} {count:,}: {wall:.2f}, processor {processor:.2f}, slowest {slowest:.0f}")


def used() -> tuple[float, float]:
    """Time so far and processor time of this process, in seconds."""
    return time.monotonic(), time.process_time()


def peak() -> float:
    """Peak memory of this process, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Play the season, then measure the listings."""
    reader = Reader(__doc__)
    reader.add_argument("--agents", type=positive, default=1000, help="at least 10 (default 1000)")
    reader.add_argument("--games", type=positive, default=100_000, help="at most this many games (default 100000)")
    reader.add_argument("--format", choices=FORMATS, default="swiss", help="format of the tournament (default swiss)")
    reader.add_argument("--db", type=Path, help="a file to keep (default: a temporary one).")
    reader.add_argument("--runs", type=int, default=5, help="runs of each listing; 0: none (default 5).")
    given = reader.parse_args()
    if given.agents < 10:
        reader.error(f"argument --agents: expected at least 10, got {given.agents}")
    print(
        f"{os.cpu_count()} cores, Python {platform.python_version()}; {given.format}, {given.agents:,} agents, "
        f"at most {given.games:,} games"
    )
    with tempfile.TemporaryDirectory() as name:
        database = (given.db or Path(name) / "arena.db").absolute()
        description = described(Path(name), format=given.format, agents=given.agents, games=given.games)
        play(description, database, given.games)
        os.environ["ARENA_DB"] = str(database)
        if given.runs:
            print("listings, each in a new process:")
        for command, aim in LISTINGS if given.runs else ():
            measure(command.split(), aim, runs=given.runs)


if __name__ == "__main__":
    main()
