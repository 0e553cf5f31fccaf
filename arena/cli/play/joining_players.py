"""Players that the arena does not start: people at this terminal, and agents that a user starts by hand ("wait").

They connect to the referee like all other players, each with its own token.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from arena.cli.play.game_screen import GameScreen
from arena.cli.play.human_player import HumanPlayer, Keyboard, TakeBacks
from arena.cli.terminal.notes import is_interactive
from arena.errors import BadPlayer
from arena.match.schedule import Entrant
from arena.play.director import Director
from arena.players.player import Player, PlayerKind
from arena.walls.run_folder import RunFolder
from db.records import HUMAN

_NEXT: Final = "Enter: the next game "
_QUESTION: Final = "end the program? This game is not recorded then (y: end, Enter: play on): "


class JoiningPlayers:
    """All people and all "wait" players of one command."""

    def __init__(self, folder: RunFolder, screen: GameScreen) -> None:
        # The director, whose loop reads their sockets, and the schedule; to be set before games are played.
        self.director: Director | None = None
        self.take_backs: TakeBacks | None = None
        self._folder = folder
        self._screen = screen
        self._people: list[HumanPlayer] = []
        self._keyboard: Keyboard | None = None
        # Whether the program asks after Ctrl-C whether to end.
        self._is_leaving = False

    def invited(self, player: Player, name: str) -> Entrant | None:
        """The entrant for `player` if it is a person or "wait", else None."""
        if player.kind is PlayerKind.HUMAN:
            if sys.stdin is None:
                raise BadPlayer("'human' plays from the keyboard, and there is none: stdin is closed")
            return Entrant(
                name, name, source=HUMAN, invite=lambda address, token: self._seat_a_person(name, address, token)
            )
        if player.kind is PlayerKind.WAIT:
            return Entrant(
                name, name, source="wait", invite=lambda address, token: self._show_how_to_join(name, address, token)
            )
        return None

    def close(self) -> None:
        """Disconnect all people."""
        for person in self._people:
            person.close()

    @contextmanager
    def asking_before_the_end(self) -> Iterator[None]:
        """Inside, Ctrl-C asks a person at a terminal whether to end the program; a second Ctrl-C ends it at once."""
        if self.director is None or not is_interactive():
            yield
            return
        # The question is asked in the director's loop: a signal handler can interrupt a line that is being printed.
        read, write = os.pipe()
        self.director.watch(read, lambda: self._ask_to_end(os.read(read, 1)))

        def interrupted(*_: object) -> None:
            if self._is_leaving or self._keyboard is None:
                raise KeyboardInterrupt
            self._is_leaving = True
            os.write(write, b"!")

        before = signal.signal(signal.SIGINT, interrupted)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            self.director.unwatch(read)
            os.close(read)
            os.close(write)

    def _ask_to_end(self, _: bytes) -> None:
        if self._keyboard is not None:
            self._keyboard.ask_first(self._end_or_go_on)
            self._show_question()

    def _show_question(self, _: int = 0) -> None:
        """Print the question, again below each new board, if it waits for its answer."""
        if self._keyboard is not None and self._keyboard.has_question:
            self._screen.ask(_QUESTION)

    def _end_or_go_on(self, line: str | None) -> None:
        self._screen.answered()
        if line is None or line.strip().lower() in ("y", "yes"):
            raise KeyboardInterrupt
        self._is_leaving = False
        if self.take_backs is not None and self.take_backs.is_held:
            self.ask_for_the_next()
        for person in self._people:
            person.ask()

    def _seat_a_person(self, name: str, address: str, token: str) -> None:
        if self.director is None or self.take_backs is None:
            raise RuntimeError("people are seated by a director")
        if self._keyboard is None:
            self._keyboard = Keyboard(sys.stdin.fileno(), self._screen.read)
            self.director.watch(self._keyboard.descriptor, self._hear_keyboard)
            self._screen.after_each_ply(self._show_question)
        person = HumanPlayer(name, self._keyboard, self._screen, self.take_backs)
        self._people.append(person)
        self._screen.after_each_ply(person.shown)
        self.director.watch(person.sit_down(address, token), person.hear)

    def _hear_keyboard(self) -> None:
        if self._keyboard is not None and self.director is not None and not self._keyboard.read():
            self.director.unwatch(self._keyboard.descriptor)

    def ask_for_the_next(self) -> None:
        """Ask the person whether the next game may begin."""
        if self._keyboard is not None:
            self._screen.ask(_NEXT)
            self._keyboard.ask(self._begin_the_next)

    def _begin_the_next(self, line: str | None) -> None:
        self._screen.answered()
        if line is None:
            raise KeyboardInterrupt
        if self.take_backs is not None:
            self.take_backs.let_go()

    def _show_how_to_join(self, name: str, address: str, token: str) -> None:
        file = self._folder.path / f"{name.replace('#', '-')}.json"
        file.unlink(missing_ok=True)  # an earlier player that was lost left one
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as opened:
            opened.write(json.dumps({"address": address, "token": token}) + "\n")
        self._screen.say(f"waiting for {name}; start your agent in another terminal with")
        self._screen.say_whole(f"python -m agents my_agent.py --connect {file}")
