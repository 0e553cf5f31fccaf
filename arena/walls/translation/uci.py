"""The translator for engines that speak UCI (Universal Chess Interface).

The engine gets the start position and all moves since, never the position alone, so that it sees repetitions. Pondering
is off: it is only asked to search in its own turn. UCI has no numbers for questions, so an answer belongs to the turn
that is open, and one outside a turn is dropped by the guard.

    start    uci                        (a process of an earlier game: ucinewgame, isready)
    welcome  setoption ..., ucinewgame, isready
    turn     position startpos moves ..., go ...
    over     stop, if it is searching
    bye      quit
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Final

from msgspec.structs import replace

from adsearch.errors import quote
from adsearch.games.chess_text import START
from adsearch.games.chess_worth import value_of_pawns
from agents.errors import BadMessage
from agents.protocol import (
    PROTOCOL,
    Bye,
    Failed,
    FromPlayer,
    FromReferee,
    Hello,
    Info,
    Move,
    Over,
    Ready,
    Start,
    Turn,
    Verdict,
    Welcome,
)
from arena.match.clock import MILLISECOND, TimeControl
from arena.walls.translation import time_left
from arena.walls.translation.engine import Engine
from arena.walls.translation.uci_option import UciOption, find_option, first_problem

DEFAULT_MOVETIME: Final = 1000
"""Milliseconds for each move, if there is no clock and the user has limited neither nodes, depth nor time."""

_MOVE: Final = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?|0000")
"""0000 is the null move: it can be read, and the referee finds it illegal."""
_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")
_LONGEST_NAME: Final = 256
_MOST_MOVES: Final = 64
"""Moves of the engine's expected line that go on record."""


class UciTranslator:
    """One process of an engine."""

    def __init__(self, engine: Engine) -> None:
        self.options: dict[str, UciOption] = {}
        """The options that the engine has, by name; complete when `hear` has returned the engine's hello."""
        self._engine = engine
        self._name = ""
        self._greeted = False
        self._start: Start | None = None
        self._control = TimeControl()
        # All moves since the start position, and how many of them are the engine's own.
        self._moves: list[str] = []
        self._made = 0
        # The open turn, and what the engine has said about its search in it.
        self._turn: Turn | None = None
        self._info: Info | None = None

    # To the engine.

    def say(self, message: FromReferee) -> bytes:
        """The commands for this message."""
        commands: list[str] = []
        match message:
            case Start():
                self._begin(message)
                commands = ["ucinewgame", "isready"] if self._greeted else ["uci"]
            case Welcome():
                commands = [*self._settings(), "ucinewgame", "isready"]
            case Turn() if self._start is not None:
                commands = self._question(message, self._start)
            case Over() if self._turn is not None:
                self._turn = None
                commands = ["stop"]
            case Bye():
                commands = ["quit"]
        return "".join(f"{command}\n" for command in commands).encode()

    def _begin(self, start: Start) -> None:
        self._start = start
        self._control = TimeControl.parse(start.clock.text)
        self._moves, self._made, self._turn = [], 0, None

    def _settings(self) -> list[str]:
        found = ((find_option(self.options, name), value) for name, value in self._engine.options.items())
        return [option.command(value) for option, value in found if option is not None]

    def _question(self, turn: Turn, start: Start) -> list[str]:
        self._turn, self._info = turn, None
        self._moves += [move for _, move in turn.events]
        self._made += sum(who == start.seat for who, _ in turn.events)
        # A position is FEN, followed by what repetition needs.
        fen = " ".join(start.position.split()[:6])
        position = "position startpos" if fen == START else f"position fen {fen}"
        moves = " ".join(["", "moves", *self._moves]) if self._moves else ""
        return [position + moves, self._go(turn, start.seat)]

    def _go(self, turn: Turn, seat: int) -> str:
        engine, words, movetime = self._engine, ["go"], self._engine.movetime
        if left := time_left.of_seats(self._control, turn, seat):
            own = left[seat].period if left[seat].in_period else left[seat].main
            if self._control.move:
                movetime = own if movetime is None else min(movetime, own)
            else:
                words += self._clocks(left, seat)
                movetime = None if movetime is None else min(movetime, own)
        elif engine.nodes is engine.depth is movetime is None:
            movetime = DEFAULT_MOVETIME
        for name, value in (("depth", engine.depth), ("nodes", engine.nodes), ("movetime", movetime)):
            words += [] if value is None else [name, str(value)]
        return " ".join(words)

    def _clocks(self, left: tuple[time_left.TimeLeft, ...], seat: int) -> list[str]:
        """The clocks of both seats. UCI has no byo-yomi: until the main time is used up, a period is an increment that
        was already added; then it is all the time for one move."""
        words: list[str] = []
        for color, time in zip("wb", left, strict=True):
            whole = time.period if time.in_period else time.main + time.period
            words += [f"{color}time", str(whole)]
        increment = self._control.increment // MILLISECOND or left[seat].period
        to_go = 1 if left[seat].in_period else time_left.moves_to_go(self._control, self._made)
        if increment and not left[seat].in_period:
            words += ["winc", str(increment), "binc", str(increment)]
        return words + (["movestogo", str(to_go)] if to_go else [])

    # From the engine.

    def hear(self, line: bytes) -> FromPlayer | str | None:
        """What the line says. Lines that are not UCI are only logged, as UCI demands."""
        text = line.decode("utf-8", "replace").strip()
        words = text.split()
        match words[0] if words else "":
            case "bestmove":
                return self._answer(words, text)
            case "info" if words[1:2] != ["string"]:
                self._read_info(words[1:])
                return None
            case "uciok" if not self._greeted and self._start is not None:
                self._greeted = True
                return self._hello(self._start.game)
            case "readyok" if self._greeted and self._start is not None:
                return Ready(self._start.game)
            case "option" if not self._greeted:  # later ones are not counted, and would fill the memory
                if (option := UciOption.parse(text)) is not None:
                    self.options[option.name] = option
                return None
            case "id" if words[1:2] == ["name"]:
                self._name = " ".join(words[2:])[:_LONGEST_NAME]
        return text

    def _hello(self, game: int) -> Hello | Failed:
        if (problem := first_problem(self.options, self._engine.options)) is not None:
            return Failed(game, Verdict.UNREADY, problem)
        return Hello(PROTOCOL, name=self._name, wants=())

    def _answer(self, words: list[str], text: str) -> Move:
        move = words[1].lower() if len(words) > 1 else ""
        if not _MOVE.fullmatch(move):
            raise BadMessage(f"expected 'bestmove' and a move such as e2e4 or e7e8q, got {quote(text)}")
        turn, self._turn = self._turn, None
        # An id that no turn has: the guard drops an answer to nothing.
        return Move(0, "", move) if turn is None else Move(turn.game, turn.id, move, self._info)

    def _read_info(self, words: list[str]) -> None:
        """Remembers the last depth, score and line of the best variation, and the last number of nodes."""
        if self._turn is None or _after(words, "multipv")[:1] not in ([], ["1"]):
            return
        info, how = self._info or Info(), _after(words, "score")[:2]
        if (score := _score(how)) is not None:
            line = tuple(takewhile(_MOVE.fullmatch, _after(words, "pv")[:_MOST_MOVES]))
            depth = _count(_after(words, "depth"))
            info = Info(depth=depth, score=score, nodes=info.nodes, line=line or None, text=" ".join(how))
        nodes = _count(_after(words, "nodes"))
        self._info = info if nodes is None else replace(info, nodes=nodes)


def _after(words: list[str], key: str) -> list[str]:
    """The words of an `info` line after this key; none if the line does not have it."""
    return words[words.index(key) + 1 :] if key in words else []


def _score(words: list[str]) -> float | None:
    """An engine's score on the scale of our evaluation of chess; a forced mate is 1 or -1."""
    if len(words) < 2 or not _INTEGER.fullmatch(words[1]):
        return None
    number = int(words[1])
    if words[0] == "mate":
        return 1.0 if number > 0 else -1.0  # mate 0: the engine is mated
    return value_of_pawns(number / 100) if words[0] == "cp" else None


def _count(words: list[str]) -> int | None:
    """The first of `words` as a number, 0 or more; None if it is not one."""
    return int(words[0]) if words and _INTEGER.fullmatch(words[0]) and words[0][0] != "-" else None
