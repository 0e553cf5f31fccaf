"""What a tournament costs besides the thinking: games per second, processor time, time lost between moves, memory.

    python benchmarks/tournament.py                         everything, about three minutes
    python benchmarks/tournament.py games --games 5000      tic-tac-toe between instant players, 1, 2 and 4 at once
    python benchmarks/tournament.py memory --games 50000    random agents, and the memory of both processes
    python benchmarks/tournament.py thinking                40 games of agents that think 20 ms per move

The tournament, its processes and its database are real; the database is in a temporary folder. `games` needs Linux.
To compare with another checkout: python benchmarks/interleaved.py CHECKOUT benchmarks/tournament.py games
"""

from __future__ import annotations

import os
import platform
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from arena.match.clock import SECOND
from arena.match.schedule import Finished
from arena.play.director import Director
from arena.players.submissions import Store
from arena.tournament import league as leagues
from arena.tournament.tournament import Tournament
from arena.walls.run_folder import RunFolder
from arena.walls.usage import Usage
from benchmarks.arguments import Reader, positive
from benchmarks.processes import run_tournament
from db.database import Database


def measure_games(games: int) -> None:
    """Play and record tic-tac-toe between players that answer immediately, as `arena run` does without a terminal."""
    print("tictactoe, random against random:seed=1; processor time of a game in ms, and its context switches\n")
    print(
        "| games at once | games/s | all, ms | director | referee | players | switches | director | referee | players |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for at_once in (1, 2, 4):
        played = run_tournament("tictactoe", games, at_once=at_once)
        uses = [use.each(played.games) for use in played.uses.values()]
        times, switches = [1e3 * use.seconds for use in uses], [use.switches for use in uses]
        figures = [f"{played.games / played.seconds:.0f}", *(f"{figure:.2f}" for figure in (sum(times), *times))]
        figures += [f"{figure:.1f}" for figure in (sum(switches), *switches)]
        print(f"| {at_once} | {' | '.join(figures)} |", flush=True)


def run(players: list[str], *, games: int, at_once: int, **settings: object) -> None:
    """Play `games` games of Connect-4, and print the time they took."""
    with (
        tempfile.TemporaryDirectory() as name,
        Database(str(Path(name) / "arena.db")) as database,
        RunFolder() as folder,
    ):
        league = leagues.from_arguments("connect4", players, rounds=games // 2, seed=1, **settings)
        tournament = Tournament.begin(league, database, Store(Path(name) / "store"), scratch=folder.scratch, wait=print)
        with Director(folder, at_once=at_once) as director:
            began, thought, plies = time.monotonic(), 0, 0
            measured = [("director", Usage(os.getpid())), ("referee", Usage(director._crew.referee.pid))]
            for event in director.play(tournament):
                if isinstance(event, Finished):
                    thought += sum(seat.spent or 0 for seat in event.record.seats)
                    plies += len(event.record.moves)
                    if tournament.over in (games // 10, games // 2, games):
                        used = ", ".join(f"{who} {megabytes(usage)} MB" for who, usage in measured)
                        print(f"  after {tournament.over:,} games: {used}")
            took = time.monotonic() - began
        tournament.close()
    thinking = thought / SECOND / at_once
    print(
        f"{players[0]} against {players[1]}, {at_once} at once: {games / took:.0f} games/s, "
        f"{took / plies * 1e6 * at_once:.0f} µs a ply; wall time {took / thinking:.3f} times the thinking"
    )


def measure_memory(games: int) -> None:
    """Play between random agents, and print the memory of director and referee."""
    run(["random", "random:seed=1"], games=games, at_once=1)


def measure_thinking() -> None:
    """Play between agents that think, and print how much of the time is thinking."""
    for at_once in (1, 2):
        run(["mcts:seconds=0.02", "mcts:seconds=0.02,seed=1"], games=40, at_once=at_once, clock="60")


PARTS: Final[dict[str, Callable[[int], None]]] = {
    "games": measure_games,
    "memory": measure_memory,
    "thinking": lambda _: measure_thinking(),
}
"""Each part, with its number of games."""


def megabytes(usage: Usage) -> int:
    """Peak memory of a process."""
    return (usage.memory() or 0) // 2**20


def main() -> None:
    """Measure the parts named on the command line."""
    reader = Reader(__doc__, parts=PARTS)
    reader.add_argument("--games", type=positive, default=2000, help="games of `games` and of `memory` (default 2000)")
    given = reader.parse_args()
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}")
    for part in given.parts or PARTS:
        PARTS[part](given.games)


if __name__ == "__main__":
    main()
