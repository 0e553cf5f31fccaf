"""A real referee process; the test plays the director and the players, message by message."""

from __future__ import annotations

import secrets
from types import TracebackType
from typing import Any, Self

import zmq

from agents import protocol
from agents.protocol import Hello, Want
from arena.match.conditions import Conditions
from arena.match.fixture import Fixture, SeatPlan
from arena.play import control
from arena.play.helper import Process
from arena.walls.run_folder import RunFolder
from tests.kit.effort import PATIENCE


class ScriptedPlayer:
    """A player whose every message the test writes."""

    def __init__(self, room: Room, *, expected: bool = True, routing_id: bytes | None = None) -> None:
        self.token = secrets.token_hex(32)
        room.here.append(self)
        self.socket = room.context.socket(zmq.DEALER)
        self.socket.set(zmq.LINGER, 0)
        self.socket.set(zmq.RECONNECT_IVL, 10)
        if routing_id is not None:
            self.socket.set(zmq.ROUTING_ID, routing_id)
        self.socket.connect(room.folder.players)
        if expected:
            room.say(control.Expect(self.token))
            assert room.hear() == control.Expected(self.token)

    def send(self, message: Any) -> None:
        self.socket.send(protocol.pack(message))

    def hear(self) -> Any:
        """The next message; the test fails when none comes."""
        assert self.socket.poll(1000 * PATIENCE), "no message came"
        return protocol.unpack_from_referee(self.socket.recv())

    def hears_nothing(self) -> bool:
        return not self.socket.poll(0)

    def sit_down(self, *wants: Want) -> Any:
        """Says a good hello; the answer."""
        self.send(Hello(protocol.PROTOCOL, self.token, wants=wants))
        return self.hear()

    def close(self) -> None:
        self.socket.close()


class Room:
    """The referee's process, and the director's end of the line."""

    def __init__(self) -> None:
        self.folder = RunFolder()
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.context.set(zmq.MAX_SOCKETS, 5000)
        self.channel = control.Channel(self.context, self.folder.control, of_director=True)
        self.referee = Process(["-m", "arena.play.referee", str(self.folder.path)], folder=self.folder)
        self.here: list[ScriptedPlayer] = []
        # Those that were begun since the room was last emptied.
        self._games: set[int] = set()
        assert isinstance(self.hear(), control.Serving)

    def say(self, word: Any) -> None:
        if isinstance(word, control.Play):
            self._games.add(word.fixture.game)
        self.channel.send(word)

    def hear(self) -> Any:
        """The referee's next word to the director; the test fails when none comes."""
        while True:
            assert self.channel.socket.poll(1000 * PATIENCE), "the referee said nothing"
            word = control.from_referee(self.channel.socket.recv())
            if not self._is_old(word):
                return word

    def empty(self) -> None:
        """Everybody leaves; what the referee still says of them is not heard."""
        for player in self.here:
            player.close()
        self.here.clear()
        self._games.clear()

    def _is_old(self, word: Any) -> bool:
        match word:
            case control.Gone():
                return word.token not in {player.token for player in self.here}
            case control.GameOver():
                return word.record.game not in self._games
            case control.GameBegan() | control.PlyPlayed() | control.Declined():
                return word.game not in self._games
            case _:
                return False

    def players(self, count: int = 2) -> list[ScriptedPlayer]:
        """So many players, who have said hello."""
        players = [ScriptedPlayer(self) for _ in range(count)]
        for player in players:
            assert isinstance(player.sit_down(), protocol.Welcome)
        return players

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.empty()
        self.say(control.Stop())
        self.referee.end(asked=True)
        self.channel.socket.close()
        self.context.destroy(0)
        self.folder.remove()


def fixture(game: int, players: list[ScriptedPlayer], rules: str = "tictactoe", **settings: Any) -> Fixture:
    """A game between these players."""
    seats = tuple(
        SeatPlan(f"player{seat}", f"player{seat}", player.token, seat, hosted=False)
        for seat, player in enumerate(players)
    )
    conditions = Conditions(**{key: settings.pop(key) for key in [*settings] if key in Conditions.__struct_fields__})
    return Fixture(game, rules, seats, key=b"k" * 32, conditions=conditions, **settings)
