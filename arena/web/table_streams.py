"""Sends the games that people play to their open pages: a game is drawn after each change, and once for all its pages.

Changes come from the threads of the games; drawing runs in the threads of the pages. While a game is being drawn,
further changes wait for one more drawing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from time import monotonic_ns
from typing import TYPE_CHECKING

from arena.web.answers import in_thread
from arena.web.events import Change, event
from arena.web.turns import Busy

if TYPE_CHECKING:
    from arena.web.answers import Drawing
    from arena.web.person import PersonsGame


def topic(game: PersonsGame) -> str:
    """The topic of the game's stream."""
    return f"p={game.seen.key}"


class TableStreams:
    """What it draws is published on the streams of the running event loop."""

    def __init__(self, site: Drawing, parts: Callable[[PersonsGame], Mapping[str, str]]) -> None:
        """`parts` draws the parts of a game's page, in a thread."""
        self._site = site
        self._parts = parts
        self._loop = asyncio.get_running_loop()
        # By key: whether the game has changed since its drawing began.
        self._drawing: dict[str, bool] = {}
        self._tasks = set[asyncio.Task[None]]()

    def changed(self, game: PersonsGame) -> None:
        """The game has changed. Any thread may call this."""
        self._loop.call_soon_threadsafe(self._note, game)

    def _note(self, game: PersonsGame) -> None:
        key = game.seen.key
        if key in self._drawing:
            self._drawing[key] = True
            return
        self._drawing[key] = False
        task = asyncio.create_task(self._draw(game))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _draw(self, game: PersonsGame) -> None:
        key = game.seen.key
        try:
            while True:
                self._drawing[key] = False
                streams = self._site.streams
                if topic(game) in streams.wanted:
                    streams.publish([await in_thread(self._site, partial(self._change, game))])
                else:
                    streams.forget(topic(game))  # a page that opens a stream asks for a new drawing
                if not self._drawing[key]:
                    return
        except Busy:
            self._loop.call_later(1.0, self._note, game)
        finally:
            del self._drawing[key]

    def _change(self, game: PersonsGame) -> Change:
        """The parts of the game's page. Runs in a thread."""
        data = self._parts(game)
        return Change(topic(game), "parts", data, event("parts", data, now=monotonic_ns()))
