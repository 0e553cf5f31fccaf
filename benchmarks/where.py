"""Where a ply goes and where a game goes: microseconds of processor time, process by process.

    python benchmarks/where.py                both tables for this checkout, about two minutes
    python benchmarks/where.py --games 500    fewer games: quicker and rougher
    python benchmarks/interleaved.py --rounds 3 OTHER_CHECKOUT benchmarks/where.py    both checkouts, and ratios

A game is one of tic-tac-toe between `random` players, recorded by a real `arena run`, one game at a time. A ply is the
difference between whole games of Connect-4 and games that end after four plies, divided by the difference in plies:
what every ply costs, without what every game costs once.

The kernel counts the processor time of each thread exactly. How a main thread divides its time is sampled
(benchmarks/sampler, 250 samples a second of work), so a figure under a tenth of its column is rough. Linux only.
"""

from __future__ import annotations

import linecache
import os
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import arena
from benchmarks.arguments import Reader, positive
from benchmarks.processes import ROLES, Measured, run_tournament
from benchmarks.sampler.sitecustomize import sample_into

SAMPLER: Final = Path(__file__).with_name("sampler")
PACKAGES: Final = Path(arena.__file__).parents[1]
WAITS: Final = re.compile(r"\.(recv|recv_multipart|send|send_multipart|poll|received)\(")
CODES: Final = re.compile(r"\b(un)?pack\w*\(|\b(en|de)code\(|\bconvert\(|from_(referee|director|player)\(")
PLACES: Final = (
    ("/zmq/", "ZeroMQ's calls"),
    ("/agents/zmtp.py", "ZeroMQ's calls"),
    ("/msgpack/", "messages to values and back"),
    ("/agents/protocol.py", "messages to values and back"),
    ("/arena/play/control.py", "messages to values and back"),
    ("/sqlalchemy/", "database"),
    ("/db/", "database"),
    ("/rich/", "screen"),
    ("/arena/cli/", "screen"),
    ("/arena/match/", "match"),
    ("/adsearch/", "rules of the game"),
    ("/arena/tournament/", "tournament"),
    ("/arena/ratings/", "tournament"),
    ("/arena/play/", "own code of the process"),
    ("/arena/walls/", "own code of the process"),
    ("/agents/", "own code of the process"),
)
"""Part of a file's path, and what its code is for. The first match counts."""
ROWS: Final = (*dict.fromkeys(what for _, what in PLACES), "ZeroMQ's threads")
Table = dict[str, dict[str, float]]
"""Microseconds, by row and role."""


def kind_of(sample: Sequence[str]) -> str:
    """What the process was doing, from the innermost of its frames that says so."""
    for frame in sample:
        file, _, line = frame.rpartition(":")
        for part, what in PLACES:
            if part in file.removeprefix(str(PACKAGES)):
                text = linecache.getline(file, int(line))
                if WAITS.search(text):
                    return "ZeroMQ's calls"
                return "messages to values and back" if CODES.search(text) else what
    return "own code of the process"


def table_of(measured: Measured, samples: Path) -> Table:
    """Where the processor time of one game went."""
    table: Table = {row: dict.fromkeys(ROLES, 0.0) for row in (*ROWS, "whole", "of it in the kernel", "switches")}
    found = {who: Counter[str]() for who in ROLES}
    for pid, who in measured.roles.items():
        for text in (samples / str(pid)).read_text().splitlines():
            when, *frames = text.split("\t")
            if measured.began <= float(when) <= measured.ended:
                found[who][kind_of(frames)] += 1
    for who, use in measured.uses.items():
        game = use.each(measured.games)
        for what, times in found[who].items():
            table[what][who] = 1e6 * (game.seconds - game.others) * times / found[who].total()
        table["ZeroMQ's threads"][who] = 1e6 * game.others
        table["whole"][who] = 1e6 * game.seconds
        table["of it in the kernel"][who] = 1e6 * game.kernel
        table["switches"][who] = game.switches
    return table


def difference(more: Table, less: Table, parts: float) -> Table:
    """What an equal part of the difference costs."""
    return {
        row: {who: (figure - less[row][who]) / parts for who, figure in columns.items()}
        for row, columns in more.items()
    }


def show(title: str, table: Mapping[str, Mapping[str, float]]) -> None:
    """Print a table, without the rows in which nothing was found."""
    print(f"\n| {title} | {' | '.join(ROLES)} | all |")
    print("|---|" + "---|" * (len(ROLES) + 1))
    for row, columns in table.items():
        shown = [*columns.values(), sum(columns.values())]
        form = ".1f" if row == "switches" or table["whole"]["referee"] < 200 else ".0f"
        print(f"| {row} | {' | '.join(format(figure, form) for figure in shown)} |")


def main() -> None:
    """Play, sample, print."""
    reader = Reader(__doc__)
    reader.add_argument("--games", type=positive, default=3000, help="games of tic-tac-toe (default 3000)")
    games = reader.parse_args().games
    with tempfile.TemporaryDirectory() as name:
        samples = Path(name)
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(SAMPLER), os.environ.get("PYTHONPATH", ""))))
        os.environ["SAMPLES"] = name
        sample_into(name)

        whole = run_tournament("tictactoe", games)
        short, long = run_tournament("connect4 --max-plies 4", games), run_tournament("connect4", games)
        parts = long.plies / long.games - short.plies / short.games
        ply = difference(table_of(long, samples), table_of(short, samples), parts)
        show("a ply, µs of processor time", ply)
        show(f"a game of {whole.plies / whole.games:.1f} plies, µs of processor time", table_of(whole, samples))
        print(f"\n{whole.games / whole.seconds:.0f} games/s")


if __name__ == "__main__":
    main()
