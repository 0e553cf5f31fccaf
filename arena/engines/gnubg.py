"""GNU Backgammon, which is told what to do by the commands that people type in its terminal.

It keeps no game: before each move it is given the board and the dice, and asked for its best play. Its errors go to
stderr, and so into the agent's log.

    start    nothing: it greets by itself (a process of an earlier game: as after welcome)
    welcome  its settings, new game, and whose turn it is
    turn     the board, the dice, hint
    over     nothing
    bye      quit, and the answer to its question
"""

from __future__ import annotations

import re
from typing import Any, Final

from adsearch import games
from adsearch.errors import BadMove, quote
from adsearch.games.backgammon import BAR
from agents.errors import BadMessage
from agents.protocol import PROTOCOL as VERSION
from agents.protocol import Bye, FromPlayer, FromReferee, Hello, Move, Ready, Start, Turn, Welcome
from arena.engines import Engine, EngineProtocol, EngineTranslator, KnownEngine
from arena.errors import BadPlayer

_SETTINGS: Final = (
    *("set automatic game off", "set automatic roll off", "set automatic move off", "set automatic bearoff off"),
    *("set player 0 human", "set player 1 human", "set cube use off", "set jacoby off"),
)
_SET_PLIES: Final = "set evaluation chequerplay evaluation plies {}"
_PLIES: Final = ("0", "1", "2", "3")
"""How many plies it looks ahead; more take minutes."""
_TAKES: Final = f"GNU Backgammon has one setting here, plies={_PLIES[0]} to plies={_PLIES[-1]}"
_READY: Final = "set turn 1"
"""It answers this command when it has obeyed all before, because it obeys one after the other."""
_IS_READY: Final = re.compile(r".* is now on roll\.")
_HINT: Final = re.compile(r"1\. +Cube\S+ +\S+ +(?P<play>\S.*?) +Eq\.: *(?P<value>[-+]?[0-9.]+)")


class GnubgTranslator(EngineTranslator):
    """One process of GNU Backgammon."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._greeted = False
        self._start: Start | None = None
        self._is_ready = False
        self._turn: Turn | None = None

    def say(self, message: FromReferee) -> bytes:
        commands: list[str] = []
        match message:
            case Start():
                self._start, self._turn, self._is_ready = message, None, False
                commands = [_READY] if self._greeted else []
            case Welcome():
                commands = [*_SETTINGS, *map(_SET_PLIES.format, self._engine.options.values()), "new game", _READY]
            case Turn() if self._start is not None:
                self._turn = message
                commands = _question(self._start.rules, str(message.position))
            case Bye():
                commands = ["quit", "y"]
        return "".join(f"{command}\n" for command in commands).encode()

    def hear(self, line: bytes) -> FromPlayer | str | None:
        """What the line says. All that people would read, such as boards, is only logged."""
        text = line.decode("utf-8", "replace").strip()
        if self._start is None:
            return text
        if not self._greeted:
            if text.startswith("GNU Backgammon"):
                self._greeted = True
                return Hello(VERSION, wants=("position",))
            return text
        if not self._is_ready and _IS_READY.fullmatch(text):
            self._is_ready = True
            return Ready(self._start.game)
        if self._turn is not None and (hint := _HINT.match(text)):
            turn, self._turn = self._turn, None
            return self._answer(turn, hint["play"])
        return None

    def _answer(self, turn: Turn, play: str) -> Move:
        state = games.load(self._start.rules if self._start else "", str(turn.position))
        try:
            return Move(turn.game, turn.id, state.to_text(state.from_text(play)))
        except BadMove as error:
            raise BadMessage(f"expected a play such as 24/18 13/11, got {quote(play)}: {error}") from None


def _question(rules: str, position: str) -> list[str]:
    """The commands by which it is asked for a play."""
    state: Any = games.load(rules, position)
    mine, theirs = state.sides[state.turn], state.sides[1 - state.turn]
    board = [mine[BAR], *(mine[point] - theirs[BAR - point] for point in range(1, BAR)), -theirs[BAR]]
    return [_READY, f"set board simple {' '.join(map(str, board))}", f"set dice {' '.join(state.dice)}", "hint 1"]


class _Gnubg(EngineProtocol):
    game = "backgammon"
    translator = GnubgTranslator
    example = "'gnubg:gnubg'"
    setting = "'gnubg:gnubg?plies=0'"
    unlisted = f"{_TAKES}, such as 'gnubg:gnubg?plies=0'"
    known = (
        KnownEngine(
            "gnubg",
            "GNU Backgammon, which plays like a champion",
            ("-t", "-q", "-r", "--prefsdir=/"),
            package="gnubg",
        ),
    )

    def check(self, name: str, value: str) -> None:
        if not (name == "plies" and value in _PLIES):
            given = quote(f"{name}={value}")
            raise BadPlayer(f"{_TAKES}; got {given}")


PROTOCOL = _Gnubg("gnubg")
