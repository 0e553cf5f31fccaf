"""Engines that speak UCI (Universal Chess Interface).

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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from msgspec import UNSET

from adsearch.errors import meant, one_of, quote
from agents.errors import BadMessage
from agents.protocol import PROTOCOL as VERSION
from agents.protocol import (
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
from arena.engines import Engine, EngineOption, EngineProtocol, EngineTranslator, KnownEngine
from arena.errors import BadPlayer
from arena.match import clock
from arena.match.clock import MILLISECOND, TimeControl

DEFAULT_MOVETIME: Final = 1000
"""Milliseconds for each move, if there is no clock and the user has limited neither nodes, depth nor time."""

_MOVE: Final = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?|0000")
"""0000 is the null move: it can be read, and the referee finds it illegal."""
_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")
_LONGEST_NAME: Final = 256
_MOST_MOVES: Final = 64
"""Moves of the engine's expected line that go on record."""
_KEYS: Final = ("type", "default", "min", "max", "var")
_TRUTHS: Final = ("true", "false")
_MEBIBYTE: Final = 1024 * 1024
_SET_BY_REFEREE: Final = {
    "ponder": "an engine that plays here does not think in its opponent's time",
    "uci_chess960": "games here are ordinary chess",
}
"""Options that a user cannot set, in lower case, and why."""


@dataclass(frozen=True, slots=True)
class UciOption:
    """One line `option name ... type ...` of an engine."""

    name: str
    kind: str
    """check, spin, combo, button or string."""
    default: str = ""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    @classmethod
    def parse(cls, line: str) -> UciOption | None:
        """The option that this line declares; None if it cannot be read."""
        words = line.split()
        if words[:2] != ["option", "name"]:
            return None
        parts: list[tuple[str, list[str]]] = [("name", [])]
        for word in words[2:]:
            if word in _KEYS:
                parts.append((word, []))
            else:
                parts[-1][1].append(word)
        texts = {key: " ".join(value) for key, value in parts}
        if not texts["name"] or not texts.get("type"):
            return None
        choices = tuple(" ".join(value) for key, value in parts if key == "var")
        least, most = (integer(texts.get(key, "")) for key in ("min", "max"))
        return cls(texts["name"], texts["type"], texts.get("default", ""), least, most, choices)

    @property
    def expected(self) -> str:
        """The values that it takes, in words."""
        match self.kind:
            case "check":
                return "true or false"
            case "combo":
                return one_of(self.choices)
            case "spin":
                return (
                    "an integer" if None in (self.least, self.most) else f"an integer from {self.least} to {self.most}"
                )
            case "button":
                return "no value"
        return "text"

    def problem(self, value: str) -> str | None:
        """What is wrong with `value` for this option; None if it is valid."""
        expected = None
        if not value.isprintable():
            expected = "printable characters"
        elif not self._takes(value):
            expected = self.expected
        return None if expected is None else f"option {self.name}: expected {expected}, got {quote(value)}"

    def _takes(self, value: str) -> bool:
        match self.kind:
            case "check":
                return value in _TRUTHS
            case "combo":
                return value.lower() in [choice.lower() for choice in self.choices]
            case "spin":
                number = integer(value)
                low, high = self.least, self.most
                return number is not None and (low is None or low <= number) and (high is None or number <= high)
        return True

    def command(self, value: str) -> str:
        """The UCI command that sets it."""
        return f"setoption name {self.name}" + ("" if self.kind == "button" else f" value {value}")


def find_option(options: Mapping[str, UciOption], name: str) -> UciOption | None:
    """The option of that name in upper or lower case."""
    return next((option for option in options.values() if option.name.lower() == name.lower()), None)


def first_problem(options: Mapping[str, UciOption], wanted: Mapping[str, str]) -> str | None:
    """The first thing that is wrong with the values that a user wants to set; None if an engine with these options
    takes them all."""
    for name, value in wanted.items():
        option = find_option(options, name)
        if option is None:
            return f"the engine has no option {quote(name)}{meant(name, tuple(options))}"
        if (problem := option.problem(value)) is not None:
            return problem
    return None


def integer(text: str) -> int | None:
    """The integer of at most 18 digits that `text` is, else None."""
    return int(text) if _INTEGER.fullmatch(text) else None


class UciTranslator(EngineTranslator):
    """One process of an engine."""

    def __init__(self, engine: Engine) -> None:
        # Now, so that no turn waits for it; not at the top, because who reads a player needs no chess.
        from adsearch.games.chess_board import START
        from adsearch.games.chess_rules import value_of_pawns

        super().__init__(engine)
        self._initial, self._value_of_pawns = START, value_of_pawns
        self.options: dict[str, UciOption] = {}
        """The options that the engine has, by name; complete when `hear` has returned the engine's hello."""
        self._name = ""
        self._greeted = False
        self._start: Start | None = None
        self._controls = (TimeControl(), TimeControl())  # of both seats
        # All moves since the start position, and how many of them are the engine's own.
        self._moves: list[str] = []
        self._made = 0
        # The open turn, and what the engine has said about its search in it.
        self._turn: Turn | None = None
        # The last lines with a score and with a number of nodes: only these are read, when there is a move.
        self._scored = self._counted = b""

    # To the engine.

    def say(self, message: FromReferee) -> bytes:
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
        texts = (start.clock.text,) * 2 if start.clock.texts is UNSET else start.clock.texts
        self._controls = (TimeControl.parse(texts[0]), TimeControl.parse(texts[1]))
        self._moves, self._made, self._turn = [], 0, None

    def _settings(self) -> list[str]:
        found = ((find_option(self.options, name), value) for name, value in self._engine.options.items())
        return [option.command(value) for option, value in found if option is not None]

    def _question(self, turn: Turn, start: Start) -> list[str]:
        self._turn, self._scored, self._counted = turn, b"", b""
        self._moves += [move for _, move in turn.events]
        self._made += sum(who == start.seat for who, _ in turn.events)
        # A position is FEN, followed by what repetition needs.
        fen = " ".join(start.position.split()[:6])
        position = "position startpos" if fen == self._initial else f"position fen {fen}"
        moves = " ".join(["", "moves", *self._moves]) if self._moves else ""
        return [position + moves, self._go(turn, start.seat)]

    def _go(self, turn: Turn, seat: int) -> str:
        engine, words, movetime = self._engine, ["go"], self._engine.movetime
        if left := clock.of_seats(self._controls, turn, seat):
            own = left[seat].period if left[seat].in_period else left[seat].main
            if self._controls[seat].move:
                movetime = own if movetime is None else min(movetime, own)
            else:
                words += self._clocks(left, seat)
                movetime = None if movetime is None else min(movetime, own)
        elif engine.nodes is engine.depth is movetime is None:
            movetime = DEFAULT_MOVETIME
        for name, value in (("depth", engine.depth), ("nodes", engine.nodes), ("movetime", movetime)):
            words += [] if value is None else [name, str(value)]
        return " ".join(words)

    def _clocks(self, left: tuple[clock.TimeLeft, ...], seat: int) -> list[str]:
        """The clocks of both seats. UCI has no byo-yomi: until the main time is used up, a period is an increment that
        was already added; then it is all the time for one move."""
        words: list[str] = []
        for color, time in zip("wb", left, strict=True):
            whole = time.period if time.in_period else time.main + time.period
            words += [f"{color}time", str(whole)]
        own = self._controls[seat]
        increments = [
            control.increment // MILLISECOND or time.period for control, time in zip(self._controls, left, strict=True)
        ]
        to_go = 1 if left[seat].in_period else clock.moves_to_go(own, self._made)
        if any(increments) and not left[seat].in_period:
            words += ["winc", str(increments[0]), "binc", str(increments[1])]
        return words + (["movestogo", str(to_go)] if to_go else [])

    # Before a run.

    def listed(self) -> list[EngineOption]:
        return [EngineOption(option.name, option.default, option.expected) for option in self.options.values()]

    def needs_too_much(self, memory: int) -> str:
        """The hash table can take half of the memory."""
        option = find_option(self.options, "Hash")
        if option is None:
            return ""
        given = next((value for name, value in self._engine.options.items() if name.lower() == "hash"), option.default)
        most = memory // _MEBIBYTE // 2
        if (number := integer(given)) is None or number <= most:
            return ""
        return (
            f"Hash is {given} MiB, more than half of the memory limit; "
            f"expected at most {most}, or a higher memory limit in the tournament's description"
        )

    # From the engine.

    def hear(self, line: bytes) -> FromPlayer | str | None:
        """What the line says. Lines that are not UCI are only logged, as UCI demands."""
        if line.startswith(b"info ") and not line.startswith(b"info string"):  # most lines by far
            self._keep_info(line)
            return None
        text = line.decode("utf-8", "replace").strip()
        words = text.split()
        match words[0] if words else "":
            case "bestmove":
                return self._answer(words, text)
            case "info" if words[1:2] != ["string"]:
                self._keep_info(line)
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
        return Hello(VERSION, name=self._name, wants=())

    def _answer(self, words: list[str], text: str) -> Move:
        move = words[1].lower() if len(words) > 1 else ""
        if not _MOVE.fullmatch(move):
            raise BadMessage(f"expected 'bestmove' and a move such as e2e4 or e7e8q, got {quote(text)}")
        turn, self._turn = self._turn, None
        # An id that no turn has: the guard drops an answer to nothing.
        return Move(0, "", move) if turn is None else Move(turn.game, turn.id, move, self._info())

    def _keep_info(self, line: bytes) -> None:
        """Remembers the line if it is about the best variation."""
        line = b" ".join(line.split()).partition(b" string ")[0] + b" "
        if self._turn is None or (b" multipv " in line and b" multipv 1 " not in line):
            return
        if b" score cp " in line or b" score mate " in line:
            self._scored = line
        if b" nodes " in line:
            self._counted = line

    def _info(self) -> Info | None:
        """The last score with its depth and line, and the last number of nodes; None without both."""
        scored, counted = (line.decode("utf-8", "replace").split() for line in (self._scored, self._counted))
        how, nodes = _after(scored, "score")[:2], _count(_after(counted, "nodes"))
        if (score := _score(how, self._value_of_pawns)) is None:
            return None if nodes is None else Info(nodes=nodes)
        line = tuple(takewhile(_MOVE.fullmatch, _after(scored, "pv")[:_MOST_MOVES]))
        deepest = _count(_after(scored, "seldepth"))
        text = " ".join([*how, *(["seldepth", str(deepest)] if deepest is not None else [])])
        return Info(depth=_count(_after(scored, "depth")), score=score, nodes=nodes, line=line or None, text=text)


def _after(words: list[str], key: str) -> list[str]:
    """The words of an `info` line after this key; none if the line does not have it."""
    return words[words.index(key) + 1 :] if key in words else []


def _score(words: list[str], value_of_pawns: Callable[[float], float]) -> float | None:
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


class _Uci(EngineProtocol):
    game = "chess"
    translator = UciTranslator
    example = "'uci:stockfish?Hash=16&nodes=1000'"
    has_limits = True
    known = (
        KnownEngine("stockfish", "Stockfish, the strongest open chess engine", package="stockfish"),
        KnownEngine("gnuchess", "GNU Chess", ("--uci",), package="gnuchess"),
        KnownEngine("toga2", "Toga II, a chess engine derived from Fruit", package="toga2"),
        KnownEngine("glaurung", "Glaurung, the chess engine that Stockfish began as", package="glaurung"),
        KnownEngine("ethereal", "Ethereal, a chess engine", package="ethereal-chess"),
        KnownEngine("lc0", "Leela Chess Zero, a chess engine with a neural network"),
    )

    def check(self, name: str, value: str) -> None:
        if why := _SET_BY_REFEREE.get(name.lower()):
            raise BadPlayer(f"the option {name} cannot be set: {why}")


PROTOCOL = _Uci("uci")
