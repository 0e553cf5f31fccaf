"""What a tournament of a thousand agents costs: its first game, each finished game, and the listings of its record.

    python benchmarks/season.py                              Swiss: 1,000 agents, 100,000 games
    python benchmarks/season.py --games 12000                Swiss of 12 rounds
    python benchmarks/season.py --format round-robin         the first 100,000 of 999,000 games
    python benchmarks/season.py --agents 100 --games 5000    a quick look
    python benchmarks/season.py --db season.db               keep the database, or continue with it
    python benchmarks/season.py --hosts 100                  a Swiss of 12 rounds on 100 simulated hosts

The results are made up: each agent has a strength, and some games end with a fault. Schedule, transactions and database
are those of `arena run`; there are no processes of players. A run with the same database resumes it.

With --hosts, games take simulated time on simulated hosts, some of which fail. The leases, which decide what host plays
which game, are real too. A game has 40 to 80 plies. The first lines are for smaller seasons, so that one sees what
grows: agents, games and hosts double from line to line. --games counts results; games in progress are finished then.
"""

from __future__ import annotations

import os
import platform
import resource
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
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
from benchmarks.simulated_hosts import Conditions, Simulation
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
_PLIES: Final = (40, 80)
"""Fewest and most plies of a game on a simulated host."""
_SIMULATED: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""When simulated time begins."""
_ROUNDS: Final = 12
"""Games of each agent on simulated hosts."""
_FAILS_AFTER: Final = 24 * 3600.0
"""Mean simulated time in seconds until a host fails."""
_DOUBLED: Final = 0.01
"""Share of a simulated host's answers that arrive twice."""
_PART: Final = 1000
"""Games at the start and at the end of a run that are measured together."""


class MadeUp:
    """Results of games that nobody plays: by the strengths of the agents, with moves of real games. They depend on the
    game (its pairing, leg, attempt) and the seed, not on when and where it is played."""

    def __init__(self, names: Sequence[str], *, seed: int = 1) -> None:
        self._seed = seed
        random = Random(seed)
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
        now = datetime.now(UTC)
        return Finished(game, self._record(game), now, now)

    def finished_on(self, game: Planned, began: float, ended: float, host: str) -> Finished:
        """The game with a result, played in this part of simulated time."""
        started, finished = (_SIMULATED + timedelta(seconds=seconds) for seconds in (began, ended))
        return Finished(game, self._record(game), started, finished, {"name": host})

    def plies(self, game: Planned) -> int:
        """How long it is in simulated time; the moves on record are those of a short game."""
        return self._drawn("plies", game).randint(*_PLIES)

    def _record(self, game: Planned) -> GameRecord:
        random = self._drawn("result", game)
        chosen = random.choice(self._pool(random, *(self._strength[entrant.name] for entrant in game.entrants)))
        seats = tuple(
            replace(seat, player=entrant.name) for seat, entrant in zip(chosen.seats, game.entrants, strict=True)
        )
        return replace(chosen, game=game.number, seats=seats)

    def _drawn(self, what: str, game: Planned) -> Random:
        return Random(f"{what} {self._seed} {game.identity} {game.leg} {game.attempt}")

    def _pool(self, random: Random, first: float, second: float) -> list[GameRecord]:
        kind = random.random()
        if kind < _VOIDS:
            return self._normal[None]
        if kind < _VOIDS + _FAULTS:
            return self._faulty[random.randrange(2)]
        if kind > 1 - _DRAWS:
            return self._normal[0.5]
        wins = random.random() < 1 / (1 + 10 ** ((second - first) / 400))
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


@contextmanager
def opened(description: Path, database: Path) -> Iterator[tuple[Tournament, MadeUp]]:
    """A run of the tournament, and the results of its games."""
    with Database(str(database)) as record:
        league = leagues.read(description)
        store = Store(description.parent / "store")
        tournament = Tournament.begin(league, record, store, scratch=description.parent, wait=print)
        yield tournament, MadeUp([listed.name for listed in league.agents])
        tournament.close()


def play(description: Path, database: Path, games: int) -> None:
    """Plays up to `games` games, and prints what they cost."""
    began = time.monotonic()
    with opened(description, database) as (tournament, made_up):
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


def simulate_sizes(format: str, *, agents: int, games: int, hosts: int, cores: int, seconds_a_move: float) -> None:
    """Plays `games` games on simulated hosts, after a quarter and a half of all. Prints a line for each."""
    print(f"{cores} games at the same time on each host, {seconds_a_move:g} s a move\n")
    print(
        "| agents | hosts | cores | games | simulated hours | places busy | lost batches | played in vain | "
        "leases, ms a game | schedule and database, ms a game |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for part in (4, 2, 1):
        conditions = Conditions(hosts=max(1, hosts // part), cores=cores, fails_after=_FAILS_AFTER, doubled=_DOUBLED)
        sizes = {"agents": max(10, agents // part), "games": max(1, games // part)}
        simulate(format, **sizes, conditions=conditions, seconds_a_move=seconds_a_move)


def simulate(format: str, *, agents: int, games: int, conditions: Conditions, seconds_a_move: float) -> None:
    """Plays one tournament on simulated hosts, and prints a line about it."""
    with tempfile.TemporaryDirectory() as name:
        description = described(Path(name), format=format, agents=agents, games=games)
        with opened(description, Path(name) / "arena.db") as (tournament, made_up):
            simulation = simulated(tournament, made_up, conditions, games=games, seconds_a_move=seconds_a_move)
            for _ in simulation.play():
                if tournament.over >= games:
                    simulation.leases.stop()
    leases, schedule = (f"{1000 * seconds / simulation.results:.2f}" for seconds in simulation.processor)
    print(
        f"| {agents:,} | {conditions.hosts:,} | {conditions.hosts * conditions.cores:,} | {simulation.results:,} | "
        f"{simulation.now / 3600:.1f} | {simulation.busy:.1%} | {simulation.leases.lost_batches} | "
        f"{simulation.begun - simulation.results} | {leases} | {schedule} |",
        flush=True,
    )


def simulated(
    tournament: Tournament,
    made_up: MadeUp,
    conditions: Conditions,
    *,
    games: int,
    seconds_a_move: float,
    seed: int = 1,
) -> Simulation:
    """A run of this tournament on simulated hosts, which know that it ends after this number of games."""
    return Simulation(
        tournament,
        conditions,
        left=lambda: min(games, tournament.all) - tournament.over,
        seconds=lambda game: made_up.plies(game) * seconds_a_move,
        finished=made_up.finished_on,
        seed=seed,
    )


def used() -> tuple[float, float]:
    """Time so far and processor time of this process, in seconds."""
    return time.monotonic(), time.process_time()


def peak() -> float:
    """Peak memory of this process, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_listings(database: Path, runs: int) -> None:
    """Prints how long each listing takes."""
    os.environ["ARENA_DB"] = str(database)
    print("listings, each in a new process:")
    for command, aim in LISTINGS:
        measure(command.split(), aim, runs=runs)


def main() -> None:
    """Play the season, then measure the listings; or play it on simulated hosts."""
    reader = Reader(__doc__)
    reader.add_argument("--agents", type=positive, default=1000, help="at least 10 (default 1000)")
    reader.add_argument(
        "--games", type=positive, help="games until it stops (default 100000; with --hosts 12 for each agent)"
    )
    reader.add_argument("--format", choices=FORMATS, default="swiss", help="format of the tournament (default swiss)")
    reader.add_argument("--db", type=Path, help="a file to keep (default: a temporary one).")
    reader.add_argument("--runs", type=int, default=5, help="runs of each listing; 0: none (default 5).")
    reader.add_argument("--hosts", type=positive, help="number of simulated hosts (default: none)")
    reader.add_argument("--cores", type=positive, default=10, help="games at the same time on a host (default 10)")
    reader.add_argument("--seconds-a-move", type=float, default=5, help="simulated time of a move (default 5)")
    given = reader.parse_args()
    if given.agents < 10:
        reader.error(f"argument --agents: expected at least 10, got {given.agents}")
    if given.hosts and given.db:
        reader.error("argument --db: not with --hosts, which plays several tournaments")
    if not given.seconds_a_move > 0:
        reader.error(f"argument --seconds-a-move: expected more than 0, got {given.seconds_a_move}")
    games = given.games or (_ROUNDS * given.agents if given.hosts else 100_000)
    sizes = {"agents": given.agents, "games": games}
    print(
        f"{os.cpu_count()} cores, Python {platform.python_version()}; {given.format}, {given.agents:,} agents, "
        f"at most {games:,} games"
    )
    if given.hosts:
        times = {"cores": given.cores, "seconds_a_move": given.seconds_a_move}
        simulate_sizes(given.format, **sizes, hosts=given.hosts, **times)
        return
    with tempfile.TemporaryDirectory() as name:
        database = (given.db or Path(name) / "arena.db").absolute()
        play(described(Path(name), format=given.format, **sizes), database, games)
        if given.runs:
            measure_listings(database, given.runs)


if __name__ == "__main__":
    main()
