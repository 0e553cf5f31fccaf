"""The standing process of a ladder in a thread, and a page server without HTTP at the other end of its link.

The director, its referee and all players are real; people are played by the test.
"""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from threading import Condition, Thread
from typing import Any, Final, Self

import pytest
from msgspec import Struct

from arena.match.schedule import Finished, Planned, WrappingSchedule
from arena.play.helper import Lines, Process
from arena.players.player import read_player
from arena.serve.invited_games import InvitedGames
from arena.serve.ladder_events import Happening
from arena.serve.messages import FromPages, from_pages, to_pages
from arena.serve.serving import RestartedProcess, Serving, standing
from arena.walls.run_folder import RunFolder
from arena.web.persons_game import GameStatus, PersonsGame, PersonsGames, SeenGame
from db import store
from tests.kit.effort import PATIENCE
from tests.kit.hand_in_room import HandInRoom

CLOCK: Final = "300+5"


class PageEnd:
    """The director's end of a page server whose process is this one."""

    pid = 0

    def __init__(self) -> None:
        self.link, self.test = socket.socketpair()
        self.lines = Lines(self.link)

    def fileno(self) -> int:
        return self.link.fileno()

    def is_gone(self) -> bool:
        try:
            return not self.link.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False

    def how_it_ended(self) -> str:
        return "was killed"

    def end(self) -> None:
        self.link.close()


class PersonProcess:
    """The director's end of a process with one person, who sits down and thinks."""

    def __init__(self, folder: RunFolder) -> None:
        self._process = Process(["-m", "tests.kit.person_process"], folder=folder)
        self.lines = Lines(self._process.link)
        self.pid = self._process.pid
        self.fileno = self._process.fileno
        self.is_gone = self._process.is_gone
        self.how_it_ended = self._process.how_it_ended
        self.end = self._process.end


class Until(WrappingSchedule):
    """The server's schedule, until the test stops it; what was finished."""

    def __init__(self, serving: Serving) -> None:
        super().__init__(serving)
        self.stopped = False
        self.finished: list[Finished] = []
        self.seen = Condition()

    def next(self) -> Planned | None:
        return None if self.stopped else super().next()

    def beside(self) -> Planned | None:
        return None if self.stopped else super().beside()

    def rest(self) -> float | None:
        return None if self.stopped else super().rest()

    def note(self, finished: Finished) -> None:
        super().note(finished)
        with self.seen:
            self.finished.append(finished)
            self.seen.notify_all()


class PeopleRoom:
    """People, the director that they play with, and the ladder that it serves meanwhile."""

    def __init__(self, hand_ins: HandInRoom, *, at_once: int = 1, in_a_process: bool = False) -> None:
        """`in_a_process`: the page server is a `PersonProcess`."""
        self._in_a_process = in_a_process
        self.hand_ins = hand_ins
        self.happened: list[Happening] = []
        self.heard: list[FromPages] = []
        """All that the director has heard from the page server."""
        self.views: list[SeenGame] = []
        """All that people have seen."""
        self._at_once = at_once
        self._changed = Condition()
        self._ready = Condition()
        self._error: BaseException | None = None
        self.serving: Serving | None = None
        self.until: Until | None = None
        self._bell, self._rope = socket.socketpair()
        self._thread = Thread(target=self._direct)

    def enter_builtin(self, text: str) -> None:
        """A built-in agent plays on the ladder."""
        with self.hand_ins.database.writing() as connection:
            version = store.version(connection, text, text, text, self.hand_ins.now)
            store.enter(connection, self.hand_ins.opened.id, text, version)

    def enter_file(self, name: str) -> None:
        """An agent of a student, behind walls."""
        taken = self.hand_ins.store.take(read_player(str(self.hand_ins.file())))
        with self.hand_ins.database.writing() as connection:
            version = store.version(connection, name, taken.hash, "my_agent.py", self.hand_ins.now)
            store.enter(connection, self.hand_ins.opened.id, name, version)

    def __enter__(self) -> Self:
        with self._ready:
            self._thread.start()
            assert self._ready.wait_for(lambda: self.until is not None or self._error, PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._bell.close()
        self._rope.close()
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """What the first Ctrl-C does; returns when the director has ended."""
        if self.until is not None:
            self.until.stopped = True
        self._rope.send(b"!")
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    # The director's thread.

    def _direct(self) -> None:
        try:
            with ExitStack() as stack:
                folder = self._folder = stack.enter_context(RunFolder())
                hand_ins = self.hand_ins
                self.serving = stack.enter_context(
                    standing(
                        *(hand_ins.opened, hand_ins.database, hand_ins.store, folder),
                        wait=pytest.fail,
                        tell=self.happened.append,
                        start_pages=self._start_pages,
                        now=lambda: hand_ins.now,
                    )
                )
                self.serving.kill_rater()  # its ratings are not needed
                until = Until(self.serving)
                with self._ready:
                    self.until = until
                    self._ready.notify_all()
                self.serving.play(until, self._heard_by, at_once=self._at_once)
        except BaseException as error:
            self._error = error
            for condition in (self._ready, self._changed):
                with condition:
                    condition.notify_all()

    def _heard_by(self, director: Any) -> Any:
        director.watch(self._bell.fileno(), lambda: self._bell.recv(1))
        return nullcontext()

    def _start_pages(self, people: InvitedGames) -> RestartedProcess[Any]:
        def start() -> PageEnd | PersonProcess:
            end: PageEnd | PersonProcess
            if self._in_a_process:
                end = PersonProcess(self._folder)
            else:
                end = PageEnd()
                self.tables = PersonsGames(Lines(end.test).send)
                self.tables.changed = self._note
                Thread(target=self._read, args=(end, self.tables), daemon=True).start()

            def send(message: Struct) -> None:
                end.lines.send(message)

            people.connect(send)
            self.end = end
            return end

        def read(end: PageEnd | PersonProcess) -> None:
            for line in end.lines.received():
                message = from_pages(line)
                people.hear(message)
                with self._changed:
                    self.heard.append(message)
                    self._changed.notify_all()

        self.people = people
        return RestartedProcess("page server", start, read=read, tell=self.happened.append)

    # The page server's thread.

    def _read(self, end: PageEnd, tables: PersonsGames) -> None:
        rest = b""
        while more := end.test.recv(65536):
            *lines, rest = (rest + more).split(b"\n")
            for line in lines:
                tables.take(to_pages(line))
        end.test.close()

    def _note(self, game: PersonsGame) -> None:
        with self._changed:
            self.views.append(game.seen)
            self._changed.notify_all()

    # The test.

    def play(self, account: str = "ann", **wanted: Any) -> PersonsGame:
        """A game of this person."""
        given: dict[str, Any] = {"game": "", "opponent": "random", "seat": 0, "clock": CLOCK}
        return self.tables.open(account, **given | wanted)

    def when(self, game: PersonsGame, wanted: Callable[[SeenGame], bool]) -> SeenGame:
        """What the person sees as soon as it is as wanted."""
        with self._changed:
            assert self._changed.wait_for(lambda: wanted(game.seen) or self._error, PATIENCE), game.seen
            assert self._error is None
            return game.seen

    def turn(self, game: PersonsGame) -> SeenGame:
        """What the person sees at the next turn, or at the end."""
        return self.when(game, lambda seen: seen.status in (GameStatus.YOURS, GameStatus.OVER))

    def over(self, game: PersonsGame) -> SeenGame:
        """What the person sees at the end."""
        return self.when(game, lambda seen: seen.status is GameStatus.OVER)

    def play_on(
        self, game: PersonsGame, choose: Callable[[SeenGame], str] = lambda seen: seen.choices[0].text
    ) -> SeenGame:
        """Plays the game to its end."""
        while (seen := self.turn(game)).status is GameStatus.YOURS:
            game.move(choose(seen))
        return seen

    def when_heard(self, kind: type[FromPages]) -> None:
        """Returns when the director has heard such a message from the page server."""
        with self._changed:
            assert self._changed.wait_for(lambda: any(isinstance(one, kind) for one in self.heard), PATIENCE)

    def when_finished(self, wanted: Callable[[list[Finished]], bool]) -> None:
        """Returns when the games that are over are as wanted."""
        until = self.until
        assert until is not None
        with until.seen:
            assert until.seen.wait_for(lambda: wanted(until.finished), PATIENCE)

    def _referee(self) -> Process:
        assert self.serving is not None
        assert self.serving._director is not None
        return self.serving._director._crew.referee

    def kill_referee(self) -> None:
        """Kills the referee."""
        self._referee().kill()

    @contextmanager
    def without_answers(self) -> Iterator[None]:
        """No answer comes from the referee meanwhile."""
        os.kill(self._referee().pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._referee().pid, signal.SIGCONT)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        connection = sqlite3.connect(self.hand_ins.folder / "arena.db", timeout=PATIENCE)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()
