"""An engine for tictactoe that reads a position and answers with a move, a line each."""

from __future__ import annotations

from agents.protocol import PROTOCOL as VERSION
from agents.protocol import FromPlayer, FromReferee, Hello, Move, Ready, Start, Turn, Welcome
from arena.engines import EngineProtocol, EngineTranslator
from arena.errors import BadPlayer


class LinesTranslator(EngineTranslator):
    """One process of it."""

    turn: Turn

    def say(self, message: FromReferee) -> bytes:
        match message:
            case Start():
                self.game = message.game
                return b"hello\n"
            case Welcome():
                return b"new\n"
            case Turn():
                self.turn = message
                return f"{message.position}\n".encode()
        return b""

    def hear(self, line: bytes) -> FromPlayer | None:
        match line.decode().split():
            case ["hello"]:
                return Hello(VERSION, wants=("position",))
            case ["new"]:
                return Ready(self.game)
        return Move(self.turn.game, self.turn.id, line.decode().strip())


class _Lines(EngineProtocol):
    game = "tictactoe"
    translator = LinesTranslator
    example = "'lines:./engine'"

    def check(self, name: str, value: str) -> None:
        raise BadPlayer("an engine of lines has no settings")


PROTOCOL = _Lines("lines")
