"""What watching costs a game: the lag of a ply that nobody watches, that 1 and that 300 watch, on two cores.

    python benchmarks/live.py                  ten games of each, about a minute
    python benchmarks/live.py --rounds 30

Games of the three kinds take turns in one run; figures are medians over all plies. The lag of a ply is the time between
referee and player that is charged to nobody. Every game is played three times from the same seed, once of each kind:
its moves and its verdict must be the same. The watchers are one process, with one connection each.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import zmq

from adsearch import games
from arena.match import live
from arena.match.conditions import Conditions
from arena.match.live import GameNews, LiveEnd, LivePly
from arena.match.schedule import Finished, InOrder, Planned
from arena.play.director import Director
from arena.players.entrants import Confinement, enter
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.walls import run_folder
from arena.walls.run_folder import RunFolder
from benchmarks.arguments import Reader, positive

WATCHERS: Final = (0, 1, 300)
PLAYER: Final = "alphabeta:depth=6"
JOINED_BY: Final = 6
"""Plies at the start of a game that are not measured: the watchers join during them."""


def watch(folder: Path, ready: Any, received: Any) -> None:
    """The watchers' process: each game gets as many as its number says, from its beginning to its end.
    `received` counts by kind of game the plies that came."""
    context = zmq.Context[Any]()
    context.set(zmq.MAX_SOCKETS, 2 * max(WATCHERS))
    sockets = [context.socket(zmq.SUB) for _ in range(max(WATCHERS))]
    poller = zmq.Poller()
    for socket in sockets:
        socket.connect(run_folder.live_address(folder))
        poller.register(socket, zmq.POLLIN)
    sockets[0].subscribe(live.NEWS)
    ready.set()
    while True:
        for socket, _ in poller.poll():
            topic, data = socket.recv_multipart()
            if topic != live.NEWS:
                message = live.of_game(data)
                received[message.game % len(WATCHERS)] += isinstance(message, LivePly)
                if isinstance(message, LiveEnd):
                    socket.unsubscribe(topic)
            elif isinstance(news := live.news(data), GameNews) and not news.over:
                for one in sockets[: WATCHERS[news.game % len(WATCHERS)]]:
                    one.subscribe(live.topic(news.game))


def play(director: Director, folder: RunFolder, rounds: int) -> list[Finished]:
    """Plays every game once for each number of watchers."""
    store, start = Store(folder.path / "store"), games.start("connect4")
    confinement = Confinement(folder.scratch, "")
    entrants = tuple(enter(read_player(PLAYER), name, start, store, confinement) for name in ("first", "second"))
    openings = [(str(1 + number % 7), str(1 + number // 7 % 7)) for number in range(rounds)]
    planned = [
        Planned(
            *(len(WATCHERS) * number + kind, "connect4", "connect4", entrants),
            seed=1,
            identity=(number,),
            conditions=Conditions(clock="60"),
            opening=openings[number],
        )
        for number in range(rounds)
        for kind in range(len(WATCHERS))
    ]
    return [event for event in director.play(InOrder(planned)) if isinstance(event, Finished)]


def report(finished: Sequence[Finished], received: Sequence[int]) -> None:
    """Prints a line for each number of watchers."""
    kinds = [[event.record for event in finished if event.game.number % len(WATCHERS) == kind] for kind in range(3)]
    played = [[(record.verdict, [move.move for move in record.moves]) for record in records] for records in kinds]
    if played[1:] != played[:-1]:
        raise SystemExit("a watched game was played differently")
    print("| watchers | plies | lag, ms: median | 90 % | 99 % | more than unwatched, ms | received |")
    print("|---|---|---|---|---|---|---|")
    unwatched = 0.0
    for watchers, records, came in zip(WATCHERS, kinds, received, strict=True):
        lags = [(move.lag or 0) / 1e6 for record in records for move in record.moves[JOINED_BY:]]
        median, tenths = statistics.median(lags), statistics.quantiles(lags, n=100)
        unwatched = unwatched or median
        figures = f"{median:.3f} | {tenths[89]:.3f} | {tenths[98]:.3f} | {median - unwatched:+.3f}"
        share = came / (watchers * sum(len(record.moves) for record in records)) if watchers else 0.0
        print(f"| {watchers} | {len(lags)} | {figures} | {share:.1%} |")
    print("verdicts and moves: the same in all games")


def main() -> None:
    """Plays and reports."""
    reader = Reader(__doc__)
    reader.add_argument("--rounds", type=positive, default=10, help="games of each kind (default 10)")
    rounds = reader.parse_args().rounds
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    processes = multiprocessing.get_context("spawn")
    with RunFolder() as folder, Director(folder) as director:
        ready, received = processes.Event(), processes.Array("q", len(WATCHERS))
        watchers = processes.Process(target=watch, args=(folder.path, ready, received), daemon=True)
        watchers.start()
        ready.wait()
        try:
            finished = play(director, folder, rounds)
            report(finished, received[:])
        finally:
            watchers.kill()


if __name__ == "__main__":
    main()
