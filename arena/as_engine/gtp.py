"""GTP, the Go Text Protocol, version 2: an agent of Go as an engine for Go programs.

Commands are answered one after the other, in the main thread; those that were read before the end of the input too.
When nobody can read the answers any more, a thinking agent is interrupted. A second move of the same colour is played
after a pass of the other.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from typing import Final

from adsearch import games
from adsearch.errors import AdsearchError, BadMove
from adsearch.games.go import COLUMNS
from arena import installation
from arena.as_engine.host import EngineHost, LineOfPlay, Turn, nanoseconds, suggested
from arena.as_engine.program import Wire
from arena.match.clock import TimeControl

GAME: Final = "go"
PASS: Final = "pass"
_COLOURS: Final = {"b": 0, "black": 0, "w": 1, "white": 1}
_MOST_STONES: Final = 10**6
"""Stones of a byo-yomi period; a larger number counts as this one."""
_NOT_TEXT: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class GtpRefused(Exception):
    """A command that cannot be carried out; its text is the answer."""


class Gtp:
    """One connection with a Go program."""

    def __init__(self, host: EngineHost, wire: Wire[str]) -> None:
        self._host = host
        self._wire = wire
        self._size = 9
        self._komi = 7.5
        # How many plies each `play` or `genmove` took: 2 after a pass for the other colour. `undo` needs it.
        self._steps: list[int] = []
        self._clear()
        # Main time, byo-yomi time and its stones; None: no time limit.
        self._settings: tuple[float, float, int] | None = None
        # What is left of each seat's time since the settings, as `_time_of` returns it.
        self._left: dict[int, tuple[float, int]] = {}
        self._turn: Turn | None = None
        self._commands: dict[str, Callable[[Sequence[str]], str]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: self._host.name,
            "version": lambda _: installation.software(),
            "known_command": lambda words: "true" if words[0] in self._commands else "false",
            "list_commands": lambda _: "\n".join(self._commands),
            "quit": lambda _: "",
            "boardsize": self._boardsize,
            "clear_board": lambda _: self._new_game(),
            "komi": self._set_komi,
            "play": self._play,
            "genmove": self._genmove,
            "undo": self._undo,
            "showboard": lambda _: f"\n{self._line.state}",
            "final_score": self._final_score,
            "fixed_handicap": self._fixed_handicap,
            "place_free_handicap": self._fixed_handicap,
            "set_free_handicap": self._set_handicap,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
        }

    def run(self) -> None:
        """Answer commands until `quit` or the end of the input."""
        self._wire.read(lambda line: line, self._ended)
        for line in self._wire.orders():
            words = _NOT_TEXT.sub("", line.partition("#")[0]).split()
            if not words:
                continue
            number = words.pop(0) if words[0].isdecimal() else ""
            sign, answer = self._answer(words)
            self._wire.write(f"{sign}{number} {answer}".rstrip(), "")
            if words[:1] == ["quit"]:
                break

    def _ended(self) -> None:
        self._wire.wait_until_unread()
        if self._turn:
            self._turn.leave()

    def _answer(self, words: Sequence[str]) -> tuple[str, str]:
        command = self._commands.get(words[0] if words else "")
        if command is None:
            return "?", "unknown command"
        try:
            return "=", command(words[1:])
        except GtpRefused as refused:
            return "?", str(refused)
        except (IndexError, ValueError):
            return "?", "syntax error"

    # The board.

    def _clear(self) -> str:
        rules = f"{GAME}:size={self._size},komi={self._komi:g}"
        self._line = LineOfPlay(games.start(rules), rules=rules)
        self._steps.clear()
        return ""

    def _new_game(self) -> str:
        self._host.new_game()
        return self._clear()

    def _boardsize(self, words: Sequence[str]) -> str:
        size = int(words[0])
        if not 1 <= size <= len(COLUMNS):
            raise GtpRefused("unacceptable size")
        self._size = size
        return self._new_game()

    def _set_komi(self, words: Sequence[str]) -> str:
        before, texts, steps = self._komi, self._line.texts, list(self._steps)
        self._komi = float(words[0])
        try:
            self._clear()
        except AdsearchError:
            self._komi = before
            raise GtpRefused("komi must be a multiple of 0.5, from -361 to 361") from None
        self._line.follow(texts)
        self._steps = steps
        return ""

    def _play(self, words: Sequence[str]) -> str:
        colour, vertex = _colour(words[0]), words[1]
        if vertex.lower() == "resign":
            return ""
        passed = self._give_turn(colour)
        try:
            self._line.play(vertex)
        except BadMove:
            self._line.undo(passed)
            raise GtpRefused("illegal move") from None
        self._steps.append(passed + 1)
        return ""

    def _give_turn(self, colour: int) -> int:
        """Let `colour` be next: pass for the other if necessary. The number of passes."""
        state = self._line.state
        if state.turn is None or state.turn == colour:
            return 0
        self._line.play(PASS)
        return 1

    def _undo(self, _: Sequence[str]) -> str:
        if not self._steps:
            raise GtpRefused("cannot undo")
        self._line.undo(self._steps.pop())
        return ""

    def _final_score(self, _: Sequence[str]) -> str:
        state = self._line.state
        while state.turn is not None:
            state = state.play(state.from_text(PASS))
        ahead = state.utilities()[0]
        return f"{'B' if ahead > 0 else 'W'}+{abs(ahead):g}" if ahead else "0"

    # Handicap stones.

    def _fixed_handicap(self, words: Sequence[str]) -> str:
        vertices = _handicap(self._size, int(words[0]))
        self._set_handicap(vertices)
        return " ".join(vertices)

    def _set_handicap(self, words: Sequence[str]) -> str:
        if self._line.texts:
            raise GtpRefused("board not empty")
        for vertex in words:
            try:
                self._play(("b", vertex))
            except GtpRefused:
                self._clear()
                raise GtpRefused("invalid vertex list") from None
        return ""

    # Moves and time.

    def _genmove(self, words: Sequence[str]) -> str:
        colour = _colour(words[0])
        passed = self._give_turn(colour)
        if self._line.state.turn is None:
            self._line.undo(passed)
            return PASS
        turn = self._turn = Turn()
        self._allow(turn, colour)
        thought = self._host.choose(self._line, turn)
        self._charge(colour, turn.seconds())
        if thought.move is None:
            print(f"arena: {thought.problem}", file=sys.stderr)
            self._line.undo(passed)
            return "resign"
        text = thought.state.to_text(thought.move)
        self._line.play(text)
        self._steps.append(passed + 1)
        return text

    def _time_settings(self, words: Sequence[str]) -> str:
        main, byo_yomi, stones = _seconds(words[0]), _seconds(words[1]), _stones(words[2])
        # Byo-yomi time without stones means that there is no time limit.
        self._settings = None if byo_yomi > 0 and stones == 0 else (main, byo_yomi, stones)
        self._left.clear()
        return ""

    def _time_left(self, words: Sequence[str]) -> str:
        self._left[_colour(words[0])] = (_seconds(words[1]), _stones(words[2]))
        return ""

    def _allow(self, turn: Turn, colour: int) -> None:
        if self._settings is None and colour not in self._left:
            return
        _, byo_yomi, stones = self._settings or (0.0, 0.0, 0)
        left, to_play = self._time_of(colour)
        period = nanoseconds(byo_yomi / stones) if byo_yomi and stones and not to_play else 0
        control = TimeControl(base=nanoseconds(left), moves=max(to_play, 0), periods=1 if period else 0, period=period)
        turn.allow(*suggested(control))

    def _time_of(self, colour: int) -> tuple[float, int]:
        """The seconds that a colour has left, and the stones to play in them (0: main time)."""
        main, byo_yomi, stones = self._settings or (0.0, 0.0, 0)
        return self._left.get(colour, (main, 0) if main else (byo_yomi, stones))

    def _charge(self, colour: int, seconds: float) -> None:
        """Take the time of a move from what is left, in case the controller sends no `time_left`."""
        if self._settings is None:
            return
        _, byo_yomi, stones = self._settings
        left, to_play = self._time_of(colour)
        left -= seconds
        if to_play == 1 or (left <= 0 and not to_play and stones):
            left, to_play = byo_yomi, stones
        elif to_play:
            to_play -= 1
        self._left[colour] = (max(left, 0.0), to_play)


def _colour(word: str) -> int:
    if word.lower() not in _COLOURS:
        raise GtpRefused("invalid color")
    return _COLOURS[word.lower()]


def _seconds(word: str) -> float:
    seconds = float(word)
    if math.isnan(seconds):
        raise GtpRefused("syntax error")
    return seconds


def _stones(word: str) -> int:
    return min(int(word), _MOST_STONES)


def _handicap(size: int, stones: int) -> list[str]:
    """The points of GTP for a fixed handicap."""
    low, high, middle = (4, size - 3, (size + 1) // 2) if size > 12 else (3, size - 2, (size + 1) // 2)
    most = 0 if size < 7 else 4 if size % 2 == 0 or size == 7 else 9
    if not 2 <= stones <= most:
        raise GtpRefused("invalid number of stones")
    corners = [(low, low), (high, high), (low, high), (high, low)]
    sides = [(low, middle), (high, middle), (middle, low), (middle, high)]
    points = (corners + sides)[: stones - stones % 2 if stones > 4 else stones]
    if stones > 4 and stones % 2:
        points.append((middle, middle))
    return [f"{COLUMNS[column - 1]}{row}" for column, row in points]
