"""A report, written: its pages into a folder, and the page of every game, by several processes.

Only the games are many: they are read and drawn some at a time, each process by itself, so that memory stays small.
A game is made fit to be published before its page is made: whatever a page shows, it has no more to show.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import combinations
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from adsearch.pictures.svg import words
from agents.parent import die_with_it
from arena.course import report
from arena.course.aliases import Names
from arena.course.pages import addresses, agent_page, front_page, game_lists
from arena.course.pages.addresses import Addresses
from arena.errors import ArenaError
from arena.history.pages import game as replays
from db import games as record
from db.database import Database

if TYPE_CHECKING:
    from arena.course.report import Report
    from db.records import PastGame

_AT_ONCE: Final = 10
"""So many games a process takes at a time."""
_FEW: Final = 60
"""Fewer are drawn sooner than another process starts."""


class Job(Struct, frozen=True):
    """What is the same for the pages of all games."""

    database: str | None
    """Where the record is."""
    folder: str
    title: str
    names: Names
    addresses: Addresses


def write(
    found: Report,
    names: Names,
    folder: Path,
    *,
    database: str | None,
    games: bool,
    processes: int,
    done: Callable[[int], None],
) -> None:
    """Writes the site into `folder`, which is there and empty. With `games`, each game has a page: `processes` draw
    them, and `done` is called with the number written so far."""
    where = addresses.of((agent.name for agent in found.agents), replays=games)
    for place, page in pages(found, where):
        _write(folder / place, page)
    if games:
        job = Job(database, str(folder), found.title, names, where)
        (folder / "games").mkdir()
        _write_games(job, [game.id for game in found.meetings], processes, done)


def pages(found: Report, where: Addresses) -> Iterator[tuple[str, str]]:
    """Every page but those of the games, with its place."""
    yield addresses.FRONT, front_page.page(found, where)
    yield from game_lists.every(found, where)
    yield from game_lists.pairs(found, where)
    for agent in found.agents:
        yield from agent_page.pages(found, agent, where)


def _write(file: Path, page: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(page, "utf-8")


# Games.


def _write_games(job: Job, ids: Sequence[int], processes: int, done: Callable[[int], None]) -> None:
    portions = [ids[first : first + _AT_ONCE] for first in range(0, len(ids), _AT_ONCE)]
    if len(ids) < _FEW or processes == 1:
        with Database(job.database, create=False) as database:
            for number, portion in enumerate(portions, 1):
                write_portion(job, database, portion)
                done(min(number * _AT_ONCE, len(ids)))
        return
    # Not forked: what has threads or an open database must not be.
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin, (job,))
    try:
        with _ctrl_c_ignored():
            begun = [pool.submit(_go_on, portion) for portion in portions]
        written = 0
        for finished in as_completed(begun):
            written += finished.result()
            done(written)
    except BrokenProcessPool:
        raise ArenaError("a process that drew games was ended from outside, perhaps for want of memory") from None
    except BaseException:
        for process in active_children():
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _ctrl_c_ignored() -> Iterator[None]:
    """Ctrl-C goes to all processes, but who started them clears up: those that are started inside never hear of it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


_ours: tuple[Job, Database] | None = None
"""Of a process that draws: what to do, with what."""


def _begin(job: Job) -> None:
    """The first thing that a process does."""
    global _ours
    die_with_it()
    _ours = job, Database(job.database, create=False)


def _go_on(ids: Sequence[int]) -> int:
    assert _ours is not None
    write_portion(*_ours, ids)
    return len(ids)


def write_portion(job: Job, database: Database, ids: Sequence[int]) -> None:
    """Writes the pages of these games."""
    with database.reading() as connection:
        games = record.games(connection, ids, whole=True)
    for game in games:
        place = addresses.game(game.number, game.attempt)
        Path(job.folder, place).write_text(page(game, job, place), "utf-8")


def page(game: PastGame, job: Job, place: str) -> str:
    """The page of a game."""
    up = addresses.up(place)
    shown = [job.names.shown[name] for name in game.players]
    links = [(f"{up}{addresses.FRONT}", job.title)]
    links += [(up + job.addresses.agent(name), name) for name in dict.fromkeys(shown)]
    links += [(up + job.addresses.pair(*two), f"{two[0]} – {two[1]}") for two in combinations(dict.fromkeys(shown), 2)]
    public = publishable(game, job.names, job.title)
    drawn = replays.page(public, names={name: name for name in shown}, private=False, links=links)
    told, fit = words(report.rules(game.game)), words(report.rules(game.game, job.names))
    return drawn if told == fit else drawn.replace(told, fit)


def publishable(game: PastGame, names: Names, title: str) -> PastGame:
    """The game without anything that is nobody's business: names, what agents wrote, files, reasons, machines."""
    return replace(
        game,
        tournament=title,
        detail=report.detail(game, names),
        host=None,
        seed=0,
        pair="",
        seats=tuple(
            replace(seat, player=names.shown[seat.player], stderr=None, cpu=None, memory=None) for seat in game.seats
        ),
        moves=tuple(
            replace(move, log=None, score=None, depth=None, nodes=None, line=None, text=None) for move in game.moves
        ),
        rulings=tuple(replace(ruling, reason="") for ruling in game.rulings),
    )
