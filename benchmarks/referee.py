"""What the referee costs: the time of a ply with instant players, next to a bare ZeroMQ echo with equal messages.

    python benchmarks/referee.py            everything, about two minutes
    python benchmarks/referee.py ply        one part: ply, clock, flood, many, start

Echo and referee take turns in one run; figures are medians over the rounds. The players are one process, and the
referee or the echo is another: on two cores each has its own.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import zmq
from msgspec import msgpack

from adsearch import games
from arena.match.conditions import Conditions
from arena.match.fixture import Fixture, SeatPlan
from arena.match.schedule import InOrder, Planned, Ply
from arena.play import control
from arena.play.director import Director
from arena.play.helper import Process
from arena.players.entrants import Confinement, enter
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.walls.run_folder import RunFolder
from benchmarks.arguments import Reader

ROUNDS = 5
PLIES = 8_000
"""Rounds of each measurement."""
TURN_BYTES, MOVE_BYTES = 110, 50
"""Typical bytes of a `turn` and of a `move` without position, legal moves or search figures."""

GAMES = {
    "tictactoe": ["b2", "a1", "c1", "a3", "a2", "c2", "b1", "b3", "c3"],
    "connect4": [str(column) for column in (*[1, 2, 3, 5, 6, 7] * 3, *[2, 1, 5, 3, 7, 6] * 3, *[4] * 6)],
}
"""A whole game of each, without an early win."""

ECHO = """
import sys, zmq
socket = zmq.Context().socket(zmq.ROUTER)
socket.bind(sys.argv[1])
answer = b"x" * int(sys.argv[2])
while True:
    sender, data = socket.recv_multipart()
    socket.send_multipart([sender, answer])
"""


FLOOD = """
import sys, zmq
from msgspec import msgpack
socket = zmq.Context().socket(zmq.DEALER)
socket.connect(sys.argv[1])
socket.send(msgpack.encode({"type": "hello", "protocol": 1, "token": sys.stdin.read(), "wants": []}))
print(socket.recv(), flush=True)
while True:
    socket.send(msgpack.encode({"type": "move", "game": 0, "id": "00000000", "move": "4"}))
"""


class Table:
    """A referee process, and players that this process plays itself."""

    def __init__(self, players: int) -> None:
        self.folder = RunFolder()
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.context.set(zmq.MAX_SOCKETS, 10_000)
        self.channel = control.Channel(self.context, self.folder.control, of_director=True)
        self.referee = Process(["-m", "arena.play.referee", str(self.folder.path)], folder=self.folder)
        self.hear()
        self.poller = zmq.Poller()
        self.tokens: list[str] = []
        self.sockets: list[zmq.Socket[bytes]] = []
        # The table of each game.
        self.tables: dict[int, int] = {}
        self.games = 0
        self.poller.register(self.channel.socket, zmq.POLLIN)
        for number in range(players):
            self.connect(number)

    def connect(self, number: int) -> None:
        """Connect one more player."""
        token = f"{number:064x}"
        self.tokens.append(token)
        self.channel.send(control.Expect(token))
        self.hear()
        socket = self.context.socket(zmq.DEALER)
        socket.connect(self.folder.players)
        socket.send(msgpack.encode({"type": "hello", "protocol": 1, "token": token, "wants": []}))
        socket.recv()
        self.sockets.append(socket)

    def hear(self) -> Any:
        return control.from_referee(self.channel.socket.recv())

    def begin(self, table: int, rules: str) -> None:
        """Start a game of the players 2 * table and 2 * table + 1."""
        self.games += 1
        self.tables[self.games] = table
        seats = tuple(
            SeatPlan(f"p{seat}", f"p{seat}", self.tokens[2 * table + seat], seat, hosted=False) for seat in (0, 1)
        )
        self.channel.send(
            control.Play(Fixture(self.games, rules, seats, key=b"k" * 32, conditions=Conditions(clock="60")))
        )

    def play(self, rules: str, tables: int, games: int, think: Callable[[], None] | None = None) -> Played:
        """Play `games` games, `tables` of them at the same time."""
        script, records, round_trips = GAMES[rules], list[Any](), list[float]()
        for socket in self.sockets[: 2 * tables]:  # a poll asks each socket: only those that play
            self.poller.register(socket, zmq.POLLIN)
        for table in range(tables):
            self.begin(table, rules)
        began, sent = time.perf_counter(), 0.0
        while len(records) < games:
            for socket, _ in self.poller.poll():
                if socket is self.channel.socket:
                    for word in self.channel.received():
                        records.append(word.record)
                        self.channel.send(control.Stored(word.record.game))
                        if len(records) + tables <= games:
                            self.begin(self.tables[word.record.game], rules)
                    continue
                message = msgpack.decode(socket.recv())
                kind, game = message["type"], message["game"]
                if kind == "turn":
                    if message["ply"] > 1:
                        round_trips.append(time.perf_counter() - sent)
                    if think is not None:
                        think()
                    move = {"type": "move", "game": game, "id": message["id"], "move": script[message["ply"] - 1]}
                    sent = time.perf_counter()
                    socket.send(msgpack.encode(move))
                elif kind == "start":
                    socket.send(msgpack.encode({"type": "ready", "game": game}))
        took = time.perf_counter() - began
        for socket in self.sockets[: 2 * tables]:
            self.poller.unregister(socket)
        assert all(record.verdict == "normal" for record in records)
        return Played(took / (len(records) * len(script)), statistics.median(round_trips), max(round_trips), records)

    def close(self) -> None:
        self.context.destroy(0)
        self.referee.end()
        self.folder.remove()


@dataclass(frozen=True, slots=True)
class Played:
    """Times of some games."""

    ply: float
    """Seconds per ply, including starts and ends of games."""
    round_trip: float
    """Median seconds from a move to the next turn; meaningful where games are played one at a time."""
    slowest: float
    """The longest time from a move to the next turn, in seconds."""
    records: list[Any]


def echo(players: int, messages: int) -> float:
    """Seconds per message when a bare ROUTER answers `players` players."""
    with RunFolder() as folder:
        server = subprocess.Popen([sys.executable, "-c", ECHO, folder.players, str(TURN_BYTES)])
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        poller = zmq.Poller()
        sockets = [context.socket(zmq.DEALER) for _ in range(players)]
        message = b"x" * MOVE_BYTES
        for socket in sockets:
            socket.connect(folder.players)
            socket.send(message)
            socket.recv()
            poller.register(socket, zmq.POLLIN)
        began, answered = time.perf_counter(), 0
        for socket in sockets:
            socket.send(message)
        while answered < messages:
            for socket, _ in poller.poll():
                socket.recv()
                answered += 1
                socket.send(message)
        took = time.perf_counter() - began
        server.kill()
        server.wait()
        context.destroy(0)
    return took / messages


def measure_plies() -> None:
    """Measure a ply with 1, 2 and 16 games at the same time."""
    print("| game | games at once | echo, µs | referee, µs a ply | plies/s | times the echo |")
    print("|---|---|---|---|---|---|")
    for rules, script in GAMES.items():
        for tables in (1, 2, 16):
            ratios, echoes, plies, whole = [], [], [], []
            table = Table(2 * tables)
            for _ in range(ROUNDS):
                echoes.append(echo(tables, PLIES))
                played = table.play(rules, tables, PLIES // len(script))
                plies.append(played.round_trip if tables == 1 else played.ply)
                whole.append(played.ply)
                ratios.append(plies[-1] / echoes[-1])
            table.close()
            middle = [statistics.median(figures) for figures in (echoes, plies, whole, ratios)]
            print(
                f"| {rules} | {tables} | {middle[0] * 1e6:.0f} | {middle[1] * 1e6:.0f} "
                f"| {1 / middle[2]:,.0f} | {middle[3]:.2f} |"
            )


def measure_clock() -> None:
    """Measure what the clock charges a player that sleeps 5 ms."""
    slept = list[float]()

    def sleep() -> None:
        began = time.perf_counter()
        time.sleep(0.005)
        slept.append(time.perf_counter() - began)

    table = Table(2)
    records = table.play("connect4", 1, 10, think=sleep).records
    table.close()
    spent = [move.spent / 1e6 for record in records for move in record.moves]
    print(f"a player that sleeps 5 ms: by its own clock {statistics.median(slept) * 1e3:.3f} ms, ", end="")
    print(f"by the referee's {statistics.median(spent):.3f} ms (medians of {len(spent)})")


def measure_disturbance() -> None:
    """Measure how long other games wait while a process floods the referee as fast as it can."""
    table = Table(2)
    calm = table.play("connect4", 1, 100)
    token = "f" * 64
    table.channel.send(control.Expect(token))
    table.hear()
    with subprocess.Popen(
        [sys.executable, "-c", FLOOD, table.folder.players], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as flood:
        assert flood.stdin is not None
        assert flood.stdout is not None
        flood.stdin.write(token)
        flood.stdin.close()
        flood.stdout.readline()
        flooded = table.play("connect4", 1, 100)
        flood.kill()
    table.close()
    for name, played in (("without other load", calm), ("while another player floods the referee", flooded)):
        print(f"one game {name}: {played.round_trip * 1e3:.2f} ms a ply, at most {played.slowest * 1e3:.1f} ms")


def measure_many() -> None:
    """Measure a ply with many connected players, and with many games in progress."""
    few, many = Table(2), Table(1000)
    alone, among = list[float](), list[float]()
    for _ in range(ROUNDS):
        alone.append(few.play("connect4", 1, PLIES // 42 // 4).round_trip)
        among.append(many.play("connect4", 1, PLIES // 42 // 4).round_trip)
    print(
        f"one game with 2 players connected: {statistics.median(alone) * 1e6:.0f} µs a ply; with 1,000 connected: ",
        end="",
    )
    print(f"{statistics.median(among) * 1e6:.0f} µs")
    sixteen = statistics.median(many.play("connect4", 16, PLIES // 42).ply for _ in range(3))
    crowd = statistics.median(many.play("connect4", 500, 1000).ply for _ in range(3))
    print(f"16 games at once: {sixteen * 1e6:.0f} µs a ply; 500 games at once: {crowd * 1e6:.0f} µs")
    few.close()
    many.close()


def measure_start() -> None:
    """Measure the time from the request for a game to its first move."""
    table = Table(2)
    idle = []
    for _ in range(50):
        began = time.monotonic()
        played = table.play("tictactoe", 1, 1)
        idle.append(time.monotonic() - began - played.ply * 8)
    table.close()
    print(f"a game with players that are ready: {statistics.median(idle) * 1e3:.2f} ms to its first move")
    for name, player in (("a fresh agent of a student's (Python)", "examples/greedy.py"), ("a new built-in", "random")):
        print(f"a game with {name}: {first_move(player) * 1e3:.0f} ms to its first move")


def first_move(text: str) -> float:
    """Median seconds from the request for a game to its first move by `player`."""
    times = []
    with RunFolder() as folder, Director(folder) as director:
        store = Store(folder.path / "store")
        start = games.start("tictactoe")
        for number in range(10):
            entrants = [
                enter(read_player(spec), name, start, store, Confinement(folder.scratch, ""))
                for spec, name in ((text, "first" if text != "random" else f"first{number}"), ("random", "second"))
            ]
            if text == "random":
                entrants[0] = replace(entrants[0], key=f"new {number}")
            game = Planned(number, "tictactoe", "tictactoe", tuple(entrants), seed=1, identity=(number,), watched=True)
            began = time.monotonic()
            for event in director.play(InOrder([game])):
                if isinstance(event, Ply) and event.move.ply == 1:
                    times.append(time.monotonic() - began)
    return statistics.median(times[1:])  # the first game also waits for the referee to start


PARTS = {
    "ply": measure_plies,
    "clock": measure_clock,
    "flood": measure_disturbance,
    "many": measure_many,
    "start": measure_start,
}


def main() -> None:
    """Measure all parts, or those named on the command line."""
    parts = Reader(__doc__, parts=PARTS).parse_args().parts or PARTS
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}, libzmq {zmq.zmq_version()}")
    for part in parts:
        PARTS[part]()


if __name__ == "__main__":
    main()
