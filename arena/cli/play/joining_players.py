"""Players that the arena does not start: people at this terminal, and agents that a user starts by hand ("wait").

They connect to the referee like all other players, each with its own token.
"""

from __future__ import annotations

import json
import os
import sys

from arena.cli.play.game_screen import GameScreen
from arena.cli.play.human_player import HumanPlayer, Keyboard
from arena.cli.play.take_backs import TakeBacks
from arena.errors import BadPlayer
from arena.match.schedule import Entrant
from arena.play.director import Director
from arena.players.player import Player, PlayerKind
from arena.walls.run_folder import RunFolder


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

    def invited(self, player: Player, name: str) -> Entrant | None:
        """The entrant for `player` if it is a person or "wait", else None."""
        if player.kind is PlayerKind.HUMAN:
            if sys.stdin is None:
                raise BadPlayer("'human' plays from the keyboard, and there is none: stdin is closed")
            return Entrant(
                name, name, source="human", invite=lambda address, token: self._seat_a_person(name, address, token)
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

    def _seat_a_person(self, name: str, address: str, token: str) -> None:
        if self.director is None or self.take_backs is None:
            raise RuntimeError("people are seated by a director")
        if self._keyboard is None:
            self._keyboard = Keyboard(sys.stdin.fileno())
            self.director.watch(self._keyboard.descriptor, self._hear_keyboard)
        person = HumanPlayer(name, self._keyboard, self._screen, self.take_backs)
        self._people.append(person)
        self._screen.after_each_ply(person.shown)
        self.director.watch(person.sit_down(address, token), person.hear)

    def _hear_keyboard(self) -> None:
        if self._keyboard is not None and self.director is not None and not self._keyboard.read():
            self.director.unwatch(self._keyboard.descriptor)

    def _show_how_to_join(self, name: str, address: str, token: str) -> None:
        file = self._folder.path / f"{name.replace('#', '-')}.json"
        file.unlink(missing_ok=True)  # an earlier player that was lost left one
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as opened:
            opened.write(json.dumps({"address": address, "token": token}) + "\n")
        self._screen.say(f"waiting for {name}; start your agent in another terminal with")
        self._screen.say_whole(f"python -m agents my_agent.py --connect {file}")
