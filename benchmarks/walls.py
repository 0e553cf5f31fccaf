"""What walls cost and what they prevent: a ply, a start, a thread that spins off turn, the clock of a sleeper.

    python benchmarks/walls.py            everything, about two minutes
    python benchmarks/walls.py ply        one part: ply, start, spin, clock

Players that are compared take turns in one run; figures are medians. Directors, referees, wardens and agents are real.
A ply is the time that the referee waits for a seat, from its `turn` to its `move`.
"""

from __future__ import annotations

import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from adsearch import games
from agents.protocol import Verdict
from arena.match.allowance import WallKind
from arena.match.clock import MILLISECOND
from arena.match.conditions import Conditions
from arena.match.schedule import Began, Entrant, Finished, InOrder, Planned
from arena.play.director import Director
from arena.players.entrants import Confinement, enter
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.student import starter
from arena.walls import probe
from arena.walls.run_folder import RunFolder
from benchmarks.arguments import Reader
from db.records import GameRecord, MoveRecord

ROUNDS = 5
GAMES = 8
"""Games of each pair in each round; the first is not counted, because it starts the processes."""
STARTS = 30
THINKING = "mcts:seconds=0.1"
"""Opponent of an agent that spins."""
PLIES = 20
"""Plies of a game in which an agent spins."""
SLEEPS = 0.005
BARE = starter.FOLDER

INSTANT = """
from agents import Agent

class Instant(Agent):
    def choose(self, state, clock):
        return self.random.choice(state.moves())
"""
CALM = """
from agents import Agent

class Calm(Agent):
    def choose(self, state, clock):
        return state.moves()[0]
"""
SPINNING = (
    CALM
    + """
import hashlib, threading

def spin():
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)  # takes an hour, and releases the interpreter lock

threading.Thread(target=spin, daemon=True).start()
"""
)
SLEEPING = f"""
import time
from agents import Agent

class Sleeping(Agent):
    def choose(self, state, clock):
        began = time.perf_counter_ns()
        time.sleep({SLEEPS})
        self.tell(text=str(time.perf_counter_ns() - began))
        return state.moves()[0]
"""
SLEEPING_BARE = f"""
import json, sys, time
for line in sys.stdin:
    began = time.perf_counter_ns()
    message = json.loads(line)
    if message["type"] == "start":
        print(json.dumps({{"type": "ready", "game": message["game"]}}), flush=True)
    elif message["type"] == "turn":
        time.sleep({SLEEPS})
        answer = {{"type": "move", "game": message["game"], "id": message["id"], "move": message["legal"][0]}}
        answer["info"] = {{"text": str(time.perf_counter_ns() - began)}}
        print(json.dumps(answer), flush=True)
"""


class Setup:
    """A director, and two-player games for it."""

    def __init__(self, folder: RunFolder, director: Director, sources: Path) -> None:
        self.director = director
        self.sources = sources
        self._store = Store(folder.path / "store")
        self._scratch = folder.scratch
        self._numbers = count(1)

    def written(self, name: str, source: str) -> str:
        """The player text of an agent with this source."""
        path = self.sources / f"{name}.py"
        path.write_text(source)
        return str(path)

    def entrant(
        self, text: str, rules: str, kind: WallKind | None = None, *, fresh: bool = False, ponder: bool = False
    ) -> Entrant:
        """An entrant; behind walls of that kind unless it is a built-in."""
        held = Confinement(self._scratch, "", conditions=Conditions(walls=kind, reuse=not fresh, ponder=ponder))
        name = f"{text} {kind} {fresh} {ponder}"
        return enter(read_player(text), name, games.start(rules), self._store, held)

    def play(
        self, rules: str, first: Entrant, second: Entrant, *, plies: int | None = None, watched: bool = False
    ) -> tuple[float, GameRecord]:
        """Play one game; the seconds until all were ready, where the game is watched, and its end."""
        number = next(self._numbers)
        conditions = Conditions(clock="60", max_plies=plies)
        # The start of a game that is not watched is not reported.
        game = Planned(number, rules, rules, (first, second), 1, (number,), conditions=conditions, watched=watched)
        began, ready = time.perf_counter(), 0.0
        for event in self.director.play(InOrder([game])):
            if isinstance(event, Began):
                ready = time.perf_counter() - began
            if isinstance(event, Finished):
                if event.record.verdict not in (Verdict.NORMAL, Verdict.ADJUDICATED):
                    raise RuntimeError(f"{first.name} against {second.name}: {event.record.detail}")
                return ready, event.record
        raise RuntimeError("the game has no end")


@contextmanager
def setup() -> Iterator[Setup]:
    """A new director, and a folder for the sources of agents."""
    with (
        tempfile.TemporaryDirectory() as sources,
        RunFolder() as folder,
        Director(folder) as director,
    ):
        yield Setup(folder, director, Path(sources))


def kinds() -> list[WallKind]:
    """The kinds of walls that work on this machine."""
    return [kind for kind in WallKind if probe.offer(kind).holds]


def moves_of(record: GameRecord, seat: int) -> list[MoveRecord]:
    """The moves of that seat, without its first, which may include work from the start."""
    return [move for move in record.moves if move.who == seat][1:]


def waited(move: MoveRecord) -> float:
    """Microseconds that the referee waited for the move."""
    return ((move.spent or 0) + (move.delay or 0) + (move.lag or 0)) / 1000


def measure_plies() -> None:
    """Measure a ply of an instant agent behind each kind of walls, next to a ply of a built-in player."""
    with setup() as here:
        rules = "connect4"
        builtin = here.entrant("random", rules)
        texts = {"our kit": here.written("instant", INSTANT), "bare.py": f"cmd:{sys.executable} {BARE / 'bare.py'}"}
        if compiler := shutil.which("cc"):
            subprocess.run([compiler, "-O2", "-o", here.sources / "bare", BARE / "bare.c"], check=True)
            texts["bare.c"] = f"cmd:{here.sources / 'bare'}"
        entrants = {("built-in", ""): builtin}
        for kind in kinds():
            for name, text in texts.items():
                entrants[(name, str(kind))] = here.entrant(text, rules, kind)
        plies: dict[tuple[str, str], tuple[list[float], list[float]]] = {key: ([], []) for key in entrants}
        other = here.entrant("random:seed=1", rules)
        for _ in range(ROUNDS):
            for key, entrant in entrants.items():
                for number in range(GAMES):
                    _, record = here.play(rules, entrant, other)
                    for seat in (0, 1):
                        plies[key][seat].extend(map(waited, moves_of(record, seat) if number else ()))
    ours = statistics.median(plies[("built-in", "")][0])
    print("| an instant agent | walls | µs a ply | more than a built-in | its opponent, µs a ply |")
    print("|---|---|---|---|---|")
    for (name, kind_text), found in plies.items():
        middle, others = map(statistics.median, found)
        print(f"| {name} | {kind_text} | {middle:.0f} | {middle - ours:+.0f} | {others:.0f} |")


def measure_start() -> None:
    """Measure the time until a fresh agent behind walls is ready for a game; its warden runs already."""
    with setup() as here:
        rules = "tictactoe"
        other = here.entrant("random", rules)
        texts = {"our kit": here.written("calm", CALM), "bare.py": f"cmd:{sys.executable} -I -S {BARE / 'bare.py'}"}
        entrants = {
            (name, kind): here.entrant(text, rules, kind, fresh=True)
            for kind in kinds()
            for name, text in texts.items()
        }
        times: Mapping[tuple[str, WallKind], list[float]] = {key: [] for key in entrants}
        for _ in range(STARTS + 1):
            for key, entrant in entrants.items():
                times[key].append(here.play(rules, entrant, other, watched=True)[0])
    print("| a fresh Python agent | walls | ms until it is ready |")
    print("|---|---|---|")
    for (name, kind), taken in times.items():
        print(f"| {name} | {kind} | {statistics.median(taken[1:]) * 1e3:.0f} |")


def measure_spin() -> None:
    """Measure how much a thread that spins off turn runs, and how much it slows the thinking opponent."""
    with setup() as here:
        rules = "othello"
        texts = {"calm": here.written("calm", CALM), "spins": here.written("spinning", SPINNING)}
        entrants = {(name, kind): here.entrant(text, rules, kind) for name, text in texts.items() for kind in kinds()}
        shares: dict[tuple[str, WallKind], list[float]] = {key: [] for key in entrants}
        nodes: dict[tuple[str, WallKind], list[float]] = {key: [] for key in entrants}
        opponent, second = here.entrant(THINKING, rules), here.entrant(f"{THINKING},seed=1", rules)
        for round_ in range(ROUNDS + 1):
            for key, entrant in entrants.items():
                _, record = here.play(rules, entrant, opponent, plies=PLIES)
                here.play(rules, second, opponent, plies=4)  # an agent that is kept can run for a moment after a game
                if not round_:
                    continue  # this game started the processes
                mine = [move for move in record.moves if move.who == 0]
                others = [move for move in record.moves if move.who == 1]
                thought = sum(move.spent or 0 for move in others)
                in_turn = sum(min(move.cpu or 0, move.spent or 0) for move in mine)
                shares[key].append(((record.seats[0].cpu or 0) - in_turn) / thought)
                nodes[key].append(sum(move.nodes or 0 for move in others) / thought * 1e9)
    calm = {kind: statistics.median(nodes[("calm", kind)]) for kind in kinds()}
    print("| an agent that | walls | share of a core off turn | its opponent's nodes a second | against a calm one |")
    print("|---|---|---|---|---|")
    for (name, kind), found in shares.items():
        rate = statistics.median(nodes[(name, kind)])
        print(f"| {name} | {kind} | {statistics.median(found):.2%} | {rate:,.0f} | {rate / calm[kind]:.1%} |")


def measure_clock() -> None:
    """Compare the time that the warden measures for an agent that sleeps 5 ms with the agent's own clock."""
    with setup() as here:
        rules = "connect4"
        other = here.entrant("random", rules)
        texts = {
            "our kit": here.written("sleeping", SLEEPING),
            "bare Python": f"cmd:{sys.executable} -I -S {here.written('sleeping_bare', SLEEPING_BARE)}",
        }
        entrants = {(name, kind): here.entrant(text, rules, kind) for kind in kinds() for name, text in texts.items()}
        pairs: dict[tuple[str, WallKind], list[tuple[float, float]]] = {key: [] for key in entrants}
        for round_ in range(ROUNDS + 1):
            for key, entrant in entrants.items():
                _, record = here.play(rules, entrant, other)
                pairs[key] += [
                    (int(move.text or 0) / MILLISECOND, (move.spent or 0) / MILLISECOND)
                    for move in (moves_of(record, 0) if round_ else [])
                ]
    print(
        "| an agent that sleeps 5 ms | walls | by its own clock, ms | by its warden's, ms | median of the differences |"
    )
    print("|---|---|---|---|---|")
    for (name, kind), found in pairs.items():
        own, read = (statistics.median(each) for each in zip(*found, strict=True))
        error = statistics.median(theirs - its for its, theirs in found)
        print(f"| {name} | {kind} | {own:.3f} | {read:.3f} | {error:+.3f} |")


PARTS = {"ply": measure_plies, "start": measure_start, "spin": measure_spin, "clock": measure_clock}


def main() -> None:
    """Measure all parts, or those named on the command line."""
    parts = Reader(__doc__, parts=PARTS).parse_args().parts or PARTS
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load:.1f}, Python {platform.python_version()}, Linux {platform.release()}")
    for part in parts:
        PARTS[part]()
        print()


if __name__ == "__main__":
    main()
