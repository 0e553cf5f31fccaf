"""Engines that speak GTP (Go Text Protocol, version 2).

The engine keeps its own board: it gets the moves of its opponent and of the opening with `play`, and makes its own with
`genmove`. It answers every command, in order, with a line that begins with "=" or "?".

    start    protocol_version           (a process of an earlier game: as after welcome)
    welcome  the user's commands, boardsize, clear_board, komi, play ..., time_settings
    turn     play ..., time_left, genmove
    over     nothing
    bye      quit
"""

from __future__ import annotations

import re
from collections import deque
from enum import Enum
from typing import Any, Final, NamedTuple

from adsearch import games
from adsearch.errors import quote
from agents.errors import BadMessage
from agents.protocol import PROTOCOL as VERSION
from agents.protocol import (
    Bye,
    Failed,
    FromPlayer,
    FromReferee,
    Hello,
    Move,
    Ready,
    Resign,
    Start,
    Turn,
    Verdict,
    Welcome,
)
from arena.engines import Engine, EngineProtocol, EngineTranslator, KnownEngine
from arena.errors import BadPlayer
from arena.match import clock
from arena.match.clock import SECOND, TimeControl

_COLOURS: Final = ("b", "w")
"""By seat."""
_ANSWER: Final = re.compile(r"(?P<sign>[=?])[0-9]*\s*(?P<text>.*)")
_MOVE: Final = re.compile(r"[a-hj-t][1-9][0-9]?|pass")
_NO_LIMIT: Final = "time_settings 0 1 0"
"""GTP's text for no clock."""
_MILLISECONDS: Final = 1000
_SENT_BY_WARDEN: Final = frozenset(
    {
        *("boardsize", "clear_board", "komi", "play", "genmove", "undo", "quit", "time_settings", "time_left"),
        *("fixed_handicap", "place_free_handicap", "set_free_handicap", "loadsgf"),
    }
)
"""Commands that decide the game, so that they cannot be options."""


class _Need(Enum):
    """What the answer to a command is for."""

    GREETING = 1
    SUCCESS = 2
    """An error ends the game for the engine."""
    NOTHING = 3
    """An engine can do without this command."""
    READY = 4
    """Success, and with it the engine is ready for the game."""
    MOVE = 5


class _Command(NamedTuple):
    text: str
    need: _Need = _Need.SUCCESS


class GtpTranslator(EngineTranslator):
    """One process of an engine."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._greeted = False
        self._start: Start | None = None
        self._control = TimeControl()
        # The seat to move in the start position; the plies since, and how many of them are the engine's own moves.
        self._first = self._plies = self._made = 0
        self._was_asked = False
        self._turn: Turn | None = None
        # The commands that the engine has not answered yet.
        self._open: deque[_Command] = deque()

    # To the engine.

    def say(self, message: FromReferee) -> bytes:
        commands: list[_Command] = []
        match message:
            case Start():
                self._start, self._turn = message, None
                self._control = TimeControl.parse(message.clock.text)
                commands = self._new_game(message) if self._greeted else [_Command("protocol_version", _Need.GREETING)]
            case Welcome() if self._start is not None:
                commands = self._new_game(self._start)
            case Turn() if self._start is not None:
                commands = self._question(message, self._start.seat)
            case Bye():
                commands = [_Command("quit", _Need.NOTHING)]
        self._open += commands
        return "".join(f"{command.text}\n" for command in commands).encode()

    def _new_game(self, start: Start) -> list[_Command]:
        state: Any = games.load(start.rules, start.position)
        self._first, self._plies, self._made, self._was_asked = state.turn or 0, 0, 0, False
        size = len(state.rows())
        stones = [
            _Command(f"play {_COLOURS['xo'.index(mark)]} {state.to_text(row * size + column)}")
            for row, marks in enumerate(state.rows())
            for column, mark in enumerate(marks)
            if mark in "xo"
        ]
        options = (" ".join(f"{name} {value}".split()) for name, value in self._engine.options.items())
        return [
            *(_Command(option) for option in options),
            _Command(f"boardsize {size}"),
            _Command("clear_board"),
            *stones,
            _Command(_time_settings(self._control), _Need.NOTHING),
            _Command(f"komi {state.komi:g}", _Need.READY),
        ]

    def _question(self, turn: Turn, seat: int) -> list[_Command]:
        # In a game that continues another one, the moves before the first turn are those of another process.
        is_new, self._was_asked, self._turn = not self._was_asked, True, turn
        commands: list[_Command] = []
        for who, move in turn.events:
            color = _COLOURS[(self._first + self._plies) % 2]
            self._plies += 1
            self._made += who == seat
            if who != seat or is_new:  # else the engine has placed it itself
                commands.append(_Command(f"play {color} {move}"))
        if left := clock.of_seats([self._control] * 2, turn, seat):
            commands.append(_Command(f"time_left {_COLOURS[seat]} {self._time_left(left[seat])}", _Need.NOTHING))
        return [*commands, _Command(f"genmove {_COLOURS[seat]}", _Need.MOVE)]

    def _time_left(self, left: clock.TimeLeft) -> str:
        """Whole seconds, and for how many moves: 0 stands for main time."""
        if left.in_period:
            return f"{left.period // _MILLISECONDS} 1"
        stones = 1 if self._control.move else clock.moves_to_go(self._control, self._made)
        return f"{left.main // _MILLISECONDS} {stones}"

    # From the engine.

    def hear(self, line: bytes) -> FromPlayer | str | None:
        """What the line says. A line that answers no command is only logged."""
        text = line.decode("utf-8", "replace").strip()
        answer = _ANSWER.fullmatch(text)
        if answer is None or not self._open or self._start is None:
            return text
        command = self._open.popleft()
        succeeded, said = answer["sign"] == "=", answer["text"]
        if not succeeded and command.need is not _Need.NOTHING:
            verdict = Verdict.UNREADY if self._turn is None else Verdict.GARBAGE
            return Failed(self._start.game, verdict, f"answered {quote(command.text)} with an error: {quote(said)}")
        if command.need is _Need.GREETING:
            self._greeted = True
            return Hello(VERSION, wants=())
        if command.need is _Need.MOVE and self._turn is not None:
            return self._answer(self._turn, said)
        if command.need is _Need.READY:
            return Ready(self._start.game)
        return None if succeeded else text

    def _answer(self, turn: Turn, said: str) -> Move | Resign:
        move = said.lower()
        self._turn = None
        if move == "resign":
            return Resign(turn.game, turn.id)
        if not _MOVE.fullmatch(move):
            raise BadMessage(f"expected a point such as D4, pass or resign, got {quote(said)}")
        return Move(turn.game, turn.id, move)


def _time_settings(control: TimeControl) -> str:
    """The clock in GTP, in whole seconds. GTP has byo-yomi for a number of moves, but no increments."""
    if not control:
        return _NO_LIMIT
    if control.move or control.moves:
        return f"time_settings 0 {_whole(control.move or control.base)} {control.moves or 1}"
    period = f"{_whole(control.period)} 1" if control.periods else "0 0"
    return f"time_settings {control.base // SECOND} {period}"


def _whole(time: int) -> int:
    return max(1, time // SECOND)


class _Gtp(EngineProtocol):
    game = "go"
    translator = GtpTranslator
    example = "'gtp:gnugo --level 5'"
    setting = "'gtp:gnugo?level=5'"
    unlisted = (
        "only UCI engines list their options; for other engines see the manual, and write settings as in "
        "'gtp:gnugo?level=5'"
    )
    known = (
        KnownEngine(
            "gnugo",
            "GNU Go, with area scoring; it captures dead stones before it passes",
            (
                *("--mode", "gtp", "--chinese-rules", "--positional-superko"),
                *("--play-out-aftermath", "--capture-all-dead"),
            ),
            package="gnugo",
        ),
        KnownEngine("katago", "KataGo, a Go engine with a neural network", ("gtp",)),
    )

    def check(self, name: str, value: str) -> None:
        if name in _SENT_BY_WARDEN:
            raise BadPlayer(f"{name}= cannot be set for an engine: it is a part of the game")
        # "1" would be the id of the command in the value, and after "#" there is only a comment.
        if not re.fullmatch("[A-Za-z][^ #]*", name):
            raise BadPlayer(f"expected the name of a GTP command before '=', got {quote(name)}")


PROTOCOL = _Gtp("gtp")
