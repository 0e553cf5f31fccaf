"""Games a second with instant players, beside what else could play them: fastchess, OpenSpiel, and ZeroMQ alone.

    python benchmarks/peers.py                five rounds, about four minutes
    python benchmarks/peers.py --rounds 1     a quick look

Each round measures every peer once, so that all see the same machine; the table shows medians. Each peer plays --games
games. Starts of processes are not counted. What is not installed has no figure: OpenSpiel comes with
`pip install '.[openspiel]'`; fastchess (github.com/Disservin/fastchess) must be on PATH. Linux only.

    arena run            tic-tac-toe between two `random` players, recorded (about 8 plies)
    fastchess            chess between two engines in Python that play seven scripted plies (scripted_engine.py)
    OpenSpiel            tic-tac-toe between two uniform random bots, in one process
    bare ZeroMQ echo     as many round trips as one of our games has: 12 (start, 4 or 5 turns and over for each player)
"""

from __future__ import annotations

import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.arguments import Reader, positive
from benchmarks.processes import run_tournament
from benchmarks.referee import echo

AT_ONCE: Final = (1, 2, 4)
ROUND_TRIPS: Final = 12
ENGINE: Final = Path(__file__).with_name("scripted_engine.py")


def ours(at_once: int, games: int) -> float:
    """Recorded games a second, without the first tenth."""
    played = run_tournament("tictactoe", games, at_once=at_once)
    return played.games / played.seconds


def fastchess(at_once: int, games: int) -> float | None:
    """Games a second, from two runs of different length; None if it is not installed."""
    program = shutil.which("fastchess")
    if program is None:
        return None
    few, many = games // 6 * 2, games // 2 * 2
    return (many - few) / (fastchess_time(program, at_once, many) - fastchess_time(program, at_once, few))


def fastchess_time(program: str, at_once: int, games: int) -> float:
    """Seconds for a whole run."""
    with tempfile.TemporaryDirectory() as folder:
        engine = ["-engine", f"cmd={sys.executable}", f"args={ENGINE}"]
        length = ["-rounds", str(games // 2), "-games", "2", "-each", "tc=60+0.1"]
        output = ["-concurrency", str(at_once), "-force-concurrency", "-pgnout", "file=games.pgn"]
        began = time.monotonic()
        subprocess.run(
            [program, *engine, "name=first", *engine, "name=second", *length, *output],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        took = time.monotonic() - began
        played = Path(folder, "games.pgn").read_text("utf-8").count("[Result ")
        if played != games:
            raise SystemExit(f"fastchess recorded {played} games instead of {games}")
    return took


def openspiel(at_once: int, games: int) -> float | None:
    """Games a second of its own loop; None if it is not installed. It plays one game at a time."""
    if at_once > 1:
        return None
    try:
        import pyspiel
        from open_spiel.python.algorithms.evaluate_bots import evaluate_bots
        from open_spiel.python.bots.uniform_random import UniformRandomBot
    except ImportError:
        return None
    game, chance = pyspiel.load_game("tic_tac_toe"), random.Random(1)
    bots = [UniformRandomBot(seat, chance) for seat in (0, 1)]
    began = time.monotonic()
    for _ in range(games):
        evaluate_bots(game.new_initial_state(), bots, chance)
    return games / (time.monotonic() - began)


def bare_echo(at_once: int, games: int) -> float:
    """Games a second if a game were nothing but its messages; each game at once is a player of its own."""
    return 1 / (ROUND_TRIPS * echo(at_once, ROUND_TRIPS * games))


PEERS: Final[dict[str, tuple[Callable[[int, int], float | None], str]]] = {
    "arena run": (ours, "every move in a database; walls; continues after any crash"),
    "fastchess": (fastchess, "PGN; no walls; continues from its last autosave"),
    "OpenSpiel's loop in Python": (openspiel, "no record, no walls, no clock, no processes"),
    "bare ZeroMQ echo": (bare_echo, "messages only: no game is played"),
}
"""What is measured, and what it does and does not do."""
KNOWN: Final = {"fastchess": {1: "580", 2: "2,000 to 2,300"}}
"""Figures for what is not installed, by games at once; measured at 98578d8."""


def main() -> None:
    """Measure all, in turn, and print the table."""
    reader = Reader(__doc__)
    reader.add_argument("--rounds", type=positive, default=5, help="rounds (default 5)")
    reader.add_argument("--games", type=positive, default=1500, help="games of each program a round (default 1500)")
    options = reader.parse_args()
    rounds, games = options.rounds, options.games
    found: dict[tuple[str, int], list[float]] = {}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        for at_once in AT_ONCE:
            for name, (measure, _) in PEERS.items():
                if (speed := measure(at_once, games)) is not None:
                    found.setdefault((name, at_once), []).append(speed)
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}; games a second, medians of {rounds} rounds\n")
    print(f"| | {' | '.join(f'{at_once} at once' for at_once in AT_ONCE)} | what it keeps and guards |")
    print("|---|" + "---|" * (len(AT_ONCE) + 1))
    for name, (_, does) in PEERS.items():
        measured = any((name, at_once) in found for at_once in AT_ONCE)
        figures = [
            f"{statistics.median(found[name, at_once]):,.0f}"
            if (name, at_once) in found
            else ("" if measured else KNOWN.get(name, {}).get(at_once, ""))
            for at_once in AT_ONCE
        ]
        note = " (measured at 98578d8)" if not measured and name in KNOWN else ""
        print(f"| {name}{note} | {' | '.join(figures)} | {does} |")


if __name__ == "__main__":
    main()
