"""Games on several hosts: games per second with 1, 2 and 4 game hosts, and what a game costs the tournament's process.

    python benchmarks/hosts.py                      everything, about six minutes
    python benchmarks/hosts.py scaling --games 40   agents that sleep, so that cores are not the limit; 40 games a host
    python benchmarks/hosts.py home --games 2000    instant players: processor time of the tournament's process

Scheduler, hosts and tournaments are real processes on this machine, in a temporary folder. It needs the extra `scale`.
"""

from __future__ import annotations

import os
import platform
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from benchmarks.arguments import Reader, positive

_SLEEPER: Final = """
import time

from agents import Agent


class Sleeper(Agent):
    def choose(self, state, clock):
        time.sleep(1)
        return state.moves()[0]
"""
_SLEEPERS: Final = """
name = "{name}"
game = "tictactoe"
format = "match"
rounds = {rounds}
clock = "none"
reuse = true
seed = 1
[[agent]]
name = "first"
player = "first.py"
[[agent]]
name = "second"
player = "second.py"
"""
_AT_ONCE: Final = 4
"""Games that a host plays at the same time."""


@contextmanager
def cluster(folder: Path, hosts: int, games: int) -> Iterator[str]:
    """The address of a scheduler with that many hosts, each of which plays `games` at the same time."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    place = ("--host", "127.0.0.1", "--port", str(port), "--dashboard-address", "127.0.0.1:0")
    with ExitStack() as stack:
        _started(stack, folder, "Scheduler at:", "-m", "distributed.cli.dask_scheduler", *place)
        for _ in range(hosts):
            _started(stack, folder, "joined", "-m", "arena", "worker", address, "--games", str(games))
        yield address


def _started(stack: ExitStack, folder: Path, ready: str, *words: str) -> None:
    """Starts a Python process, which is ended with `stack`; it has printed the text `ready`."""
    process = subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"DASK_TEMPORARY_DIRECTORY": str(folder)},
        cwd=folder,
    )
    stack.enter_context(process)
    stack.callback(process.send_signal, signal.SIGTERM)
    assert process.stdout is not None
    while ready not in (line := process.stdout.readline()):
        if not line:
            raise SystemExit(f"{' '.join(words)} ended")


def run(folder: Path, *words: str) -> float:
    """Runs `arena run`; returns the seconds of processor time that its process used."""
    command = [sys.executable, "-m", "arena", "run", *words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with exit code {process.returncode}")
    return used.ru_utime + used.ru_stime


def times(folder: Path, name: str) -> list[tuple[float, float]]:
    """When each game of the tournament began and ended, in seconds, in the order of their ends."""
    with closing(sqlite3.connect(folder / "arena.db")) as database:
        rows = database.execute(
            "SELECT game.started, game.finished FROM game JOIN tournament ON tournament.id = game.tournament "
            "WHERE tournament.name = ? ORDER BY game.finished",
            (name,),
        ).fetchall()
    return [
        (datetime.fromisoformat(began).timestamp(), datetime.fromisoformat(ended).timestamp()) for began, ended in rows
    ]


def measure_scaling(folder: Path, games: int) -> None:
    """Agents that sleep, and are kept for their next game."""
    print(f"tictactoe, agents that sleep 1 s a move; each host plays {_AT_ONCE} games at the same time\n")
    print("| hosts | games | a game, s | places busy | games/s | of linear |")
    print("|---|---|---|---|---|---|")
    for agent in ("first", "second"):
        (folder / f"{agent}.py").write_text(_SLEEPER, "utf-8")
    alone = 0.0
    for hosts in (1, 2, 4):
        name = f"sleepers-{hosts}"
        (folder / f"{name}.toml").write_text(_SLEEPERS.format(name=name, rounds=games * hosts // 2), "utf-8")
        with cluster(folder, hosts, _AT_ONCE) as address:
            run(folder, f"{name}.toml", "--on", address)
        places = hosts * _AT_ONCE
        played = times(folder, name)[places:]  # in the first game of each place its agents start
        began = min(began for began, _ in played)
        took = played[-1][1] - began
        rate, each = len(played) / took, sum(ended - began for began, ended in played) / len(played)
        alone = alone or rate
        figures = (f"{each:.2f}", f"{len(played) * each / (took * places):.1%}", f"{rate:.2f}")
        print(f"| {hosts} | {len(played)} | {' | '.join(figures)} | {rate / hosts / alone:.3f} |", flush=True)


def measure_home(folder: Path, games: int) -> None:
    """Players that answer immediately: the difference of two runs, so without the start of the command."""
    print("\ntictactoe, random against random:seed=1, one host; processor time of the tournament's process\n")
    print("| games | all, s | a game, without the start, ms |")
    print("|---|---|---|")
    with cluster(folder, 1, 2) as address:
        used = []
        for count in (games // 10, games):
            words = ("--rounds", str(count // 2), "--name", f"instant-{count}", "--seed", "1", "--on", address)
            used.append(run(folder, "tictactoe", "random", "random:seed=1", *words))
    each = (used[1] - used[0]) / (games - games // 10)
    print(f"| {games // 10} | {used[0]:.2f} | |")
    print(f"| {games} | {used[1]:.2f} | {1000 * each:.2f} |", flush=True)


PARTS: Final[dict[str, tuple[Callable[[Path, int], None], int]]] = {
    "scaling": (measure_scaling, 40),
    "home": (measure_home, 2000),
}
"""Each part, with its default number of games."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the parts named on the command line."""
    reader = Reader(__doc__, parts=PARTS)
    reader.add_argument("--games", type=positive, help="games of each part (default: 40 for each host; 2000)")
    given = reader.parse_args(arguments)
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}")
    for part in given.parts or PARTS:
        measure, default = PARTS[part]
        with tempfile.TemporaryDirectory() as name:
            measure(Path(name), given.games or default)


if __name__ == "__main__":
    main()
