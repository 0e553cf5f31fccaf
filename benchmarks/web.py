"""How fast the web pages are, and what their visitors cost the games.

    python benchmarks/web.py                              all parts, about ten minutes
    python benchmarks/web.py pages                        one part: start, pages, live
    python benchmarks/web.py --games 1000 --rounds 1      a quick look

The record has 200 agents and 100,000 games. Meanwhile two agents of a sandbox play one game after the other on two
cores. start: until `arena serve --web` answers. pages: each page asked for by twenty visitors at once, of a server that
has answered nothing yet; then by one visitor, again and again. live: the lag of a ply, without the page server and with
0, 1 and 500 viewers of the game, and the time from a ply to the last viewer. Games with the same number of a round have
the same seed and opening, and must have the same moves and verdicts. Linux only.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count, islice
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, Final

from sqlalchemy import insert

from arena.match.allowance import WallKind
from arena.match.conditions import Conditions
from arena.match.schedule import Entrant, Finished, InOrder, Planned
from arena.play import control
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.tournament.lock import tournament_lock
from arena.web import links
from arena.web.links import Wanted
from benchmarks import web_visitors
from benchmarks.arguments import Reader, positive
from benchmarks.database import games_of
from benchmarks.processes import number_in, use_of
from benchmarks.walls import Setup, setup
from db import store
from db.database import Database
from db.ladder import NewRating, add_ratings
from db.records import GameRecord, ScheduledGame
from db.schema import Game, Seat
from tests.kit.ladder_record import OPENED, hand_in, open_ladder
from tests.kit.sample_record import Book
from tests.kit.web_room import PageServer

AGENTS: Final = 200
AT_ONCE: Final = 20
WARM: Final = 3000
"""Requests of one visitor."""
VIEWERS: Final = (None, 0, 1, 500)
"""Of a game; None: without a page server."""
JOINED_BY: Final = 12
"""Plies at the start of a game that are not measured: the page server joins during them."""
RULES: Final = "connect4"
LADDER: Final = "cs101"
STORE: Final = "arena.store"
DESCRIPTION: Final = f"""
name = "{LADDER}"
game = "{RULES}"
clock = "60"
games_at_once = 1
public = true
[ladder]
closes = "2099-12-20 23:59"
anchors = {{ "random" = 0, "alphabeta:depth=1" = 150 }}
"""
AGENT: Final = """
import time
from agents.builtin.alphabeta import AlphaBeta

class Searcher(AlphaBeta):
    def __init__(self):
        super().__init__(depth=4)

    def choose(self, state, clock):
        time.sleep(0.15)  # so that a page server has time to join the game
        return super().choose(state, clock)
"""
_BULK: Final = 10_000
_PAGE: Final = os.sysconf("SC_PAGESIZE")


@dataclass
class Scene:
    """A record, and two agents that play in it."""

    folder: Path
    database: Database
    tournament: int
    own: Setup
    entrants: tuple[Entrant, Entrant]
    numbers: Iterator[int]
    """The next number of a pair in the record."""

    @contextmanager
    def pages(self) -> Iterator[PageServer]:
        """A new page server that answers."""
        with (
            tournament_lock(self.folder / STORE, LADDER) as lock,
            PageServer(str(self.folder / "arena.db"), self.folder / STORE, served=LADDER) as server,
        ):
            lock.note(self.own.director.folder.path)
            server.get("/healthz")
            yield server

    def plan(self, number: int) -> Planned:
        """A new game; games of the same number are played in the same way."""
        with self.database.writing() as connection:
            names = [entrant.name for entrant in self.entrants]
            version = store.version(connection, "agent3", "random", "random", OPENED)
            new = ScheduledGame(
                pair=str(next(self.numbers)),
                game=RULES,
                clock="60",
                seed=1,
                seats=tuple((version, name) for name in names),
            )
            (id,) = store.schedule(connection, self.tournament, [new])
            store.begin(connection, id, datetime.now(UTC))
        opening = (str(1 + number % 7), str(1 + number // 7 % 7))
        return Planned(
            id,
            RULES,
            RULES,
            self.entrants,
            seed=1,
            identity=(number,),
            conditions=Conditions(clock="60"),
            opening=opening,
        )

    def play(self, game: Planned) -> GameRecord:
        """Plays the game, and records it."""
        for event in self.own.director.play(InOrder([game])):
            if isinstance(event, Finished):
                with self.database.writing() as connection:
                    store.finish(connection, game.number, event.record, host=None, now=datetime.now(UTC))
                return event.record
        raise RuntimeError("the game has no end")


def fill(database: Database, folder: Path, games: int) -> int:
    """Writes the record; the row id of its ladder."""
    random = Random(1)
    file = folder / "searcher.py"
    file.write_text(AGENT, "utf-8")
    taken = Store(folder / STORE).take(read_player(str(file)))
    with database.writing() as connection:
        ladder = open_ladder(connection, folder, DESCRIPTION)
        ids = list[int]()
        while len(ids) < AGENTS:  # `games_of` names them after the rows of their versions
            name = f"agent{ids[-1] + 1 if ids else 3}"
            ids.append(hand_in(connection, ladder, name, taken.hash, started_as=file.name))
        assert ids == [*range(3, AGENTS + 3)]
        ratings = [NewRating(id, random.gauss(0, 200), 30.0, 2 * games // AGENTS) for id in ids]
        for _ in range(50):
            add_ratings(connection, ladder.id, ratings, OPENED)
        rows = islice(games_of(ladder.id, ids, "1", random, count(1)), games)
        while part := [*islice(rows, _BULK)]:
            connection.execute(insert(Game), [game | {"round": None} for game, _ in part])
            connection.execute(insert(Seat), [seat for _, seats in part for seat in seats])
        book = Book(connection)
        book.games = games
        replayed = book.play(None, RULES, ("ann", "bob"))
        assert replayed
    return ladder.id


@contextmanager
def record(games: int) -> Iterator[tuple[Path, Database, int]]:
    """The record: its folder, its database, the row id of its ladder."""
    with tempfile.TemporaryDirectory() as name, Database(str(Path(name, "arena.db"))) as database:
        yield Path(name), database, fill(database, Path(name), games)


@contextmanager
def scene(folder: Path, database: Database, tournament: int, numbers: Iterator[int]) -> Iterator[Scene]:
    """A director with two cores: one for the game, one for all else."""
    with setup() as own:
        first, second = (own.entrant(own.written(name, AGENT), RULES, WallKind.SANDBOX) for name in ("one", "other"))
        found = Scene(folder, database, tournament, own, (first, second), numbers)
        found.play(found.plan(0))  # it starts the processes of the agents
        yield found


def start(folder: Path, rounds: int) -> None:
    """Measures the time until the pages answer."""
    took = []
    for _ in range(rounds):
        began = time.perf_counter()
        command = [sys.executable, "-m", "arena", "serve", f"{LADDER}.toml", "--web", "--listen", "127.0.0.1:0"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
            assert run.stdout is not None
            address = next(line.split()[-1] for line in run.stdout if " pages: " in line)
            web_visitors.one_by_one(address, [links.HOME])
            took.append(time.perf_counter() - began)
            run.send_signal(signal.SIGINT)
            if any("Ctrl-C again" in line for line in run.stdout):
                run.send_signal(signal.SIGINT)
            run.stdout.read()
    print(f"arena serve --web: the front page after {statistics.median(took):.2f} s, at most {max(took):.2f} s")


def addresses(games: int) -> dict[str, list[str]]:
    """Twenty addresses of each kind of page: the same one if there is only one."""
    pairs = [(f"agent{3 + place}", f"agent{4 + place}") for place in range(AT_ONCE)]
    return {
        "front page": [links.HOME] * AT_ONCE,
        "standings": [links.tournament(LADDER)] * AT_ONCE,
        "crosstable": [links.crosstable(LADDER)] * AT_ONCE,
        "games": [links.games(LADDER)] * AT_ONCE,
        "games of an agent": [links.games(LADDER, Wanted(player=one)) for one, _ in pairs],
        "games of two agents": [links.games(LADDER, Wanted(player=one, opponent=other)) for one, other in pairs],
        "lost on time": [links.games(LADDER, Wanted(player=one, result="loss", verdict="time")) for one, _ in pairs],
        "agent": [links.agent(LADDER, pairs[0][0])] * AT_ONCE,
        "twenty different agents": [links.agent(LADDER, one) for one, _ in pairs],
        "replay": [links.game(games)] * AT_ONCE,
        "JSON of the standings": [links.api(LADDER)] * AT_ONCE,
        "TV": [links.TV] * AT_ONCE,
    }


def pages(scene: Scene, rounds: int) -> None:
    """Measures every page while a game is played."""
    with scene.database.reading() as connection:
        (replayed,) = connection.exec_driver_sql("SELECT MAX(game) FROM move").scalars()
    results: Any = multiprocessing.get_context("spawn").SimpleQueue()
    print(f"| page | {AT_ONCE} at once, cold: the last, ms | one visitor: median, ms | 99 % | a second and core |")
    print("|---|---|---|---|---|")
    for name, paths in addresses(replayed).items():
        cold = list[float]()
        for last in (False,) * (rounds - 1) + (True,):
            with scene.pages() as server, playing_meanwhile(scene):
                cold.append(max(_visit(results, web_visitors.at_once, server.address, paths)))
                if last:
                    before = use_of(server.pid).seconds
                    warm = _visit(results, web_visitors.one_by_one, server.address, [paths[0]] * WARM)
                    used = use_of(server.pid).seconds - before
                    peak = number_in(Path(f"/proc/{server.pid}/status"), "VmHWM:") / 1024
        tail = statistics.quantiles(warm, n=100)[98]
        print(
            f"| {name} | {1000 * statistics.median(cold):.0f} | {1000 * statistics.median(warm):.2f} | "
            f"{1000 * tail:.2f} | {WARM / used:,.0f} |",
            flush=True,
        )
    print(f"memory of the page server at the end: at most {peak:.0f} MiB")


def _visit(results: Any, visit: Callable[..., list[float]], address: str, paths: Sequence[str]) -> list[float]:
    """What the visitors say, who are in a process of their own."""
    process = multiprocessing.get_context("spawn").Process(target=_visitors, args=(results, visit, address, paths))
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit("the visitors failed")
    found: list[float] = results.get()
    return found


def _visitors(results: Any, visit: Callable[..., list[float]], address: str, paths: Sequence[str]) -> None:
    results.put(visit(address, paths))


@contextmanager
def playing_meanwhile(scene: Scene) -> Iterator[None]:
    """Inside, another thread plays game after game; at the end the last one is finished."""
    ends = False

    def play() -> None:
        for number in count():
            scene.play(scene.plan(number))
            if ends:
                return

    playing = Thread(target=play)
    playing.start()
    try:
        yield
    finally:
        ends = True
        playing.join()


def live(scene: Scene, rounds: int) -> None:
    """Measures the lag of plies, and how long they take to the last viewer."""
    played = {viewers: list[GameRecord]() for viewers in VIEWERS}
    delays: dict[int | None, list[float]] = {viewers: [] for viewers in VIEWERS}
    memory: dict[int, float] = {}
    for number in range(rounds):
        for viewers in VIEWERS:
            with ExitStack() as stack:
                server = None if viewers is None else stack.enter_context(scene.pages())
                game = scene.plan(number)
                if server is None or not viewers:
                    played[viewers].append(scene.play(game))
                    continue
                before = _resident(server.pid)
                link = stack.enter_context(_watching(server.address, links.events(g=game.number), viewers))
                link.recv()
                with plies_noted(scene) as began:
                    played[viewers].append(scene.play(game))
                memory[viewers] = (_resident(server.pid) - before) / viewers
                link.send(None)
                came = link.recv()
                delays[viewers] += [came[ply] - at for ply, at in began.items() if ply > JOINED_BY and ply in came]
    report(played, delays, memory)


@contextmanager
def _watching(address: str, path: str, viewers: int) -> Iterator[Any]:
    """A process with viewers; gives the link to it."""
    processes = multiprocessing.get_context("spawn")
    link, theirs = processes.Pipe()
    process = processes.Process(target=web_visitors.watch, args=(theirs, address, path, viewers), daemon=True)
    process.start()
    theirs.close()
    try:
        yield link
    finally:
        link.close()
        process.kill()
        process.join()


@contextmanager
def plies_noted(scene: Scene) -> Iterator[dict[int, float]]:
    """Inside, notes when each ply was played, on the clock of time.monotonic, as its referee reports it."""
    noted = dict[int, float]()
    take = scene.own.director.live.note_ply

    def note(message: control.PlyPlayed) -> None:
        noted.setdefault(message.move.ply, message.at / 1e9)
        take(message)

    scene.own.director.live.note_ply = note  # type: ignore[method-assign]
    try:
        yield noted
    finally:
        scene.own.director.live.note_ply = take  # type: ignore[method-assign]


def report(
    played: dict[int | None, list[GameRecord]], delays: dict[int | None, list[float]], memory: dict[int, float]
) -> None:
    """Prints a line for each number of viewers."""
    moves = [
        [(record.verdict, [move.move for move in record.moves]) for record in records] for records in played.values()
    ]
    if moves[1:] != moves[:-1]:
        raise SystemExit("a game with viewers was played differently")
    print("| viewers | plies | lag, ms: median | 90 % | more than without | s to the last: median | 90 % | KB each |")
    print("|---|---|---|---|---|---|---|---|")
    without = 0.0
    for viewers, records in played.items():
        lags = [(move.lag or 0) / 1e6 for record in records for move in record.moves[JOINED_BY:]]
        median, ninth = statistics.median(lags), statistics.quantiles(lags, n=10)[8]
        without = without or median
        line = f"| {'no page server' if viewers is None else viewers} | {len(lags)} | {median:.3f} | {ninth:.3f} | "
        line += f"{median - without:+.3f} | "
        if found := delays[viewers]:
            line += f"{statistics.median(found):.3f} | {statistics.quantiles(found, n=10)[8]:.3f} | "
            line += f"{memory[viewers] / 1000:.0f} |" if viewers == max(memory) else "|"
        else:
            line += "| | |"
        print(line)
    print("verdicts and moves: the same in all games")


def _resident(pid: int) -> int:
    """Bytes of memory of that process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE


PARTS: Final = {"pages": pages, "live": live}
START: Final = "start"


def main() -> None:
    """Measures all parts, or those named on the command line."""
    reader = Reader(__doc__, parts=(START, *PARTS))
    reader.add_argument("--games", type=positive, default=100_000, help="finished games (default 100000)")
    reader.add_argument("--rounds", type=positive, default=5, help="repetitions (default 5)")
    given = reader.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}")
    parts = given.parts or (START, *PARTS)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    numbers = count()
    with record(given.games) as made:
        if START in parts:
            start(made[0], given.rounds)
            print()
        for part in (part for part in parts if part != START):
            with scene(*made, numbers) as found:
                PARTS[part](found, given.rounds)
            print()


if __name__ == "__main__":
    main()
