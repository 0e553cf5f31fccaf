"""Finds the mistakes of a game for a page of its players: one search after the other, each in a helper.

The helper answers with the number of each ply that it has judged, and at the end writes the whole analysis into the
record. It has the lowest priority and ends with the page server.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable
from typing import Final

from adsearch.errors import quote
from agents.errors import one_line
from arena.errors import ArenaError, HelperEnded, HelperFailed
from arena.history import recorded_rules
from arena.play.helper import Asker, Helper, HelperLimits
from arena.student.analysis import AnalysisBudget, judge_moves
from db import games, store
from db.database import Database

_LIMITS: Final = HelperLimits(nice=19)
_MOST_SECONDS: Final = 300.0
"""Time limit of a search."""
_WRITTEN: Final = -1
"""The answer after the last ply: the analysis is in the record."""


class NoSuchGame(ArenaError):
    """The mistakes of a game could not be found."""


class Analyses:
    """The analyses of a page server: those in progress and those that wait. It is used by one event loop."""

    def __init__(self, database: str, written: Callable[[], None] = lambda: None) -> None:
        """`database`: its address. `written` is called when an analysis is in the record, before its page is told."""
        self._database = database
        self._written = written
        self._turn = asyncio.Semaphore(1)
        self._running: dict[int, _Running] = {}
        # By whose wish, the game that was asked for last.
        self._asked: dict[Hashable, int] = {}

    def is_busy(self, whose: Hashable, game: int) -> bool:
        """Whether another game that they have asked for is being analysed, or waits."""
        return self._asked.get(whose, game) != game and self._asked[whose] in self._running

    def is_running(self, game: int) -> bool:
        """Whether the game is being analysed, or waits: who asks for it too costs nothing."""
        return game in self._running

    def analyse(self, whose: Hashable, game: int) -> _Running:
        """The analysis of the game, which begins if it is not in progress, and goes on if its page is closed."""
        self._asked[whose] = game
        if (running := self._running.get(game)) is None:
            running = self._running[game] = _Running()
            running.task = asyncio.create_task(self._run(game, running))
        return running

    async def _run(self, game: int, running: _Running) -> None:
        try:
            async with self._turn, asyncio.timeout(_MOST_SECONDS):
                await running.search(self._database, game)
            self._written()
        except TimeoutError:
            running.trouble = f"it took longer than {_MOST_SECONDS:g} s"
        except (NoSuchGame, OSError, ValueError) as error:
            running.trouble = str(error)
        finally:
            del self._running[game]
            running.note(ended=True)


class _Running:
    """An analysis in progress."""

    def __init__(self) -> None:
        self.task: asyncio.Task[None] | None = None
        self.trouble = ""
        self._plies = 0
        self._has_ended = False
        self._changed = asyncio.Event()

    def note(self, *, plies: int = 0, ended: bool = False) -> None:
        """It has judged this number of plies, or has ended."""
        self._plies, self._has_ended = max(plies, self._plies), ended
        self._changed.set()
        self._changed = asyncio.Event()

    async def search(self, database: str, game: int) -> None:
        """Starts the helper and waits for its last answer; NotFound if it fails."""
        with Helper(judge, _LIMITS) as helper:
            helper.send((database, game))
            try:
                while True:
                    await _readable(helper)
                    for ply in helper.received(int):
                        if ply == _WRITTEN:
                            return
                        self.note(plies=ply)
            except HelperFailed as error:
                raise NoSuchGame(one_line(str(error))) from None
            except HelperEnded:
                raise NoSuchGame("the search was ended") from None

    async def progress(self) -> AsyncIterator[int]:
        """The number of plies that were judged, at each change until it has ended. NotFound if it failed."""
        shown, has_ended = -1, False
        while not has_ended:
            changed, has_ended = self._changed, self._has_ended
            if self._plies != shown:
                yield (shown := self._plies)
            if not has_ended:
                await changed.wait()
        if self.trouble:
            raise NoSuchGame(f"the mistakes were not found: {self.trouble}")


async def _readable(helper: Helper) -> None:
    """Waits until the helper has answered or ended."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(helper, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(helper)


def judge(asker: Asker) -> None:
    """Answers one job, a database and a game in it, with each ply that was judged, and at the end `_WRITTEN`; in a
    helper."""
    address, id = asker.job(tuple[str, int])
    with Database(address, create=False) as database:
        with database.reading() as connection:
            (game,) = games.games(connection, [id], whole=True)
        try:
            judged = []
            start = recorded_rules.start(game, trust=False)
            for ply in judge_moves(start, game.moves, AnalysisBudget.default(len(game.moves))):
                judged.append(ply)
                asker.answer(ply.ply)
        except Exception as error:  # untrusted rules, or user-supplied ones, which may raise anything
            asker.fail(f"the rules failed with {quote(str(error) or type(error).__name__)}")
            return
        with database.writing() as connection:
            store.keep_analysis(connection, id, judged)
    asker.answer(_WRITTEN)
