"""How long a person waits: for help, listings, the check of an agent, and a report of ten thousand games.

    python benchmarks/cli.py                      everything, about four minutes
    python benchmarks/cli.py commands             only help and listings, half a minute
    python benchmarks/cli.py report --games 500   a quick look

Each command runs in a new process, as a person starts it. The database and the report are in a temporary folder.
"""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import combinations, cycle, islice
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.arguments import Reader, positive
from db.database import Database
from tests.kit.sample_record import Book

COMMANDS: Final = (
    ("--help", 0.3),
    ("games", 0.4),
    ("agents", 0.4),
    ("results tournaments", 0.6),
    ("results", 0.6),
    ("results crosstable", 0.6),
    ("results history", 0.6),
    ("replay last --show", 0.6),
    ("results rank", 0.6),
    ("results versus pvs random", 0.6),
    ("results progress pvs", 0.6),
    ("course grades", 0.6),
)
"""Commands on the database of `arena demo`, each with the time that it should take, in seconds."""
AGENTS: Final = 40
_RUNS: Final = 9


def run(arguments: Sequence[str]) -> tuple[float, float]:
    """The wall time of a command and the processor time it used, in seconds."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, "-m", "arena", *arguments]
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    took, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"arena {' '.join(arguments)} failed:\n{done.stderr}")
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(arguments: Sequence[str], aim: float, *, runs: int) -> None:
    """Print the medians of `runs` runs."""
    took, worked = (statistics.median(times) for times in zip(*(run(arguments) for _ in range(runs)), strict=True))
    missed = "" if worked <= aim else f"   (aim: {aim:g} s)"
    print(f"  arena {' '.join(arguments):<45} {took:6.2f} s, processor {worked:6.2f} s{missed}")


def commands() -> None:
    """Measure help, and every listing of the database of `arena demo`."""
    run(["demo"])
    print("help, and listings of the demo's database:")
    for command, aim in COMMANDS:
        measure(command.split(), aim, runs=_RUNS)


def check() -> None:
    """Measure `arena check` on working agents, as `arena new` writes them."""
    print("an agent written by `arena new`:")
    for style in ("simple", "search", "bare"):
        run(["new", f"{style}_agent.py", "--style", style])
        player = f"cmd:{sys.executable} {style}_agent.py" if style == "bare" else f"{style}_agent.py"
        measure(["check", player, "--game", "connect4"], 20, runs=3)


def report(games: int) -> None:
    """Measure the report of a tournament of `games` games of Connect-4, each with its moves and its page."""
    names = [f"agent{number}" for number in range(AGENTS)]
    random = Random(1)
    with Database("large.db") as database, database.writing() as connection:
        book = Book(connection)
        tournament = book.tournament("large", "connect4", status="finished")
        book.enter(tournament, *names)
        for pair in islice(cycle(combinations(names, 2)), games):
            book.play(tournament, "connect4", random.sample(pair, 2))
    print(f"a report of {games:,} games:")
    measure(["report", "large", "site", "--db", "large.db"], 60, runs=1)


PARTS: Final[dict[str, Callable[[int], None]]] = {
    "commands": lambda _: commands(),
    "check": lambda _: check(),
    "report": report,
}
"""Each part, with the number of games of the report."""


def main() -> None:
    """Measure the parts named on the command line."""
    reader = Reader(__doc__, parts=PARTS)
    reader.add_argument("--games", type=positive, default=10_000, help="games of the report (default 10000)")
    given = reader.parse_args()
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["ARENA_DB"] = str(Path(folder) / "arena.db")
        for part in given.parts or PARTS:
            PARTS[part](given.games)
        os.chdir("/")


if __name__ == "__main__":
    main()
