"""UCI, the Universal Chess Interface: an agent of chess as an engine for chess programs.

The reading thread answers what may not wait (`stop`, `ponderhit`, `quit`, and `isready` while the agent thinks); the
main thread does the rest in the order of arrival. Unknown commands are ignored, as UCI demands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile, pairwise
from typing import Any, Final

from adsearch import State, games
from adsearch.errors import AdsearchError, BadPosition, quote
from adsearch.games.chess_rules import pawns_of_value
from agents import builtin
from agents.agent import Agent
from agents.builtin import BuiltIn
from agents.errors import AgentsError, BadAgent
from arena.as_engine.host import FOREVER, EngineHost, LineOfPlay, Thought, Turn, nanoseconds, suggested
from arena.as_engine.program import Wire
from arena.match.clock import TimeControl

GAME: Final = "chess"
NO_MOVE: Final = "(none)"
"""The `bestmove` of an agent that resigns or fails, and of a position without legal moves."""
_OVERHEAD: Final = "Move Overhead"
_NUMBERS: Final = ("wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "movetime")
_COMMANDS: Final = ("uci", "isready", "setoption", "ucinewgame", "position", "go", "stop", "ponderhit", "quit", "d")
_LONGEST_PV: Final = 32
"""The most moves of a principal variation."""
_LONGEST_NUMBER: Final = 18
"""The most digits of a number."""
_WON: Final = 10_000
"""A sure win whose length is not known, in hundredths of a pawn."""


@dataclass(frozen=True, slots=True)
class UciCommand:
    """A command for the main thread; `turn` if it is `go`."""

    words: tuple[str, ...]
    turn: Turn | None = None


class Uci:
    """One connection with a chess program."""

    def __init__(self, host: EngineHost, wire: Wire[UciCommand], *, builtin: BuiltIn | None = None) -> None:
        self._host = host
        self._wire = wire
        self._options = AgentOptions(builtin)
        self._overhead = 0.0
        self._line: LineOfPlay | None = LineOfPlay(_start("startpos"), rules=GAME)
        self._start = ""
        # What the last `info` line of this turn said.
        self._shown: tuple[dict[str, Any], Any] | None = None
        # The turns that were read and not answered, for the reading thread.
        self._turns: list[Turn] = []
        self._commands: dict[str, Callable[[Sequence[str]], None]] = {
            "uci": lambda _: self._introduce(),
            "isready": lambda _: self._wire.write("readyok"),
            "ucinewgame": lambda _: self._host.new_game(),
            "position": self._position,
            "setoption": self._set_option,
            "d": lambda _: self._draw(),
        }

    def run(self) -> None:
        """Answer commands until `quit` or the end of the input."""
        self._wire.read(self._arrived, self._ended)
        for order in self._wire.orders():
            if order.words[0] == "quit":
                break
            if order.turn:
                self._go(order.turn)
            else:
                self._commands[order.words[0]](order.words[1:])

    # In the reading thread.

    def _arrived(self, line: str) -> UciCommand | None:
        words = tuple(dropwhile(lambda word: word not in _COMMANDS, line.split()))
        command = words[0] if words else ""
        self._turns = [turn for turn in self._turns if not turn.answered]
        if command == "go":
            self._turns.append(Turn(words[1:], held="infinite" in words or "ponder" in words))
            return UciCommand(words, self._turns[-1])
        if command == "stop":
            for turn in self._turns:
                turn.stop()
        elif command == "ponderhit":
            for turn in self._turns:
                turn.released.set()
        elif command == "isready" and self._turns:
            self._wire.write("readyok")
        elif command:
            if command == "quit":
                self._ended()
            return UciCommand(words)
        return None

    def _ended(self) -> None:
        for turn in self._turns:
            if not turn.answered:
                turn.leave()

    # In the main thread.

    def _introduce(self) -> None:
        self._wire.write(f"id name {self._host.name}", "id author an agent of arena-referee")
        self._wire.write("option name Ponder type check default false")
        self._wire.write(f"option name {_OVERHEAD} type spin default 0 min 0 max 10000")
        self._wire.write(*self._options.lines(), "uciok")

    def _set_option(self, words: Sequence[str]) -> None:
        text = " ".join(words).removeprefix("name ")
        name, _, value = text.partition(" value ")
        known = name.lower()
        if known == "ponder":
            return
        if known == _OVERHEAD.lower() and value.isdecimal():
            self._overhead = int(value[:_LONGEST_NUMBER]) / 1000
            return
        try:
            self._host.change(self._options.set(known, value))
        except AgentsError as error:
            self._say(str(error))

    def _position(self, words: Sequence[str]) -> None:
        at = words.index("moves") if "moves" in words else len(words)
        start = " ".join(words[:at])
        try:
            if self._line is None or start != self._start:
                self._line = LineOfPlay(_start(start), rules=GAME, opened=_without_history)
                self._start = start
            self._line.follow(words[at + 1 :])
        except AdsearchError as error:
            self._line = None
            self._say(f"position: {error}")

    def _go(self, turn: Turn) -> None:
        line = self._line
        if line is None or line.state.turn is None:
            turn.over()
            thought = None
            self._say("the position is not known" if line is None else "the game is over")
        else:
            self._limit(turn, seat=line.state.turn)
            self._shown = None
            thought = self._host.choose(line, turn, self._show)
            self._report(thought)
        turn.released.wait()
        turn.answered = True
        self._wire.write(f"bestmove {_best(thought)}")

    def _limit(self, turn: Turn, *, seat: int) -> None:
        """Set the turn's time and limits as `go` gives them."""
        given = _numbers(turn.words)
        turn.depth, turn.nodes = _positive(given.get("depth")), _positive(given.get("nodes"))
        mine = "wtime" if seat == 0 else "btime"
        if "movetime" in given:
            turn.allow(*suggested(TimeControl(move=nanoseconds(given["movetime"] / 1000 - self._overhead))))
        elif mine in given:
            increment = given.get("winc" if seat == 0 else "binc", 0)
            control = TimeControl(
                base=nanoseconds(given[mine] / 1000 - self._overhead),
                increment=max(0, increment) * 1_000_000,
                moves=max(0, given.get("movestogo", 0)),
            )
            turn.allow(*suggested(control))
        elif "infinite" in turn.words:
            turn.allow(FOREVER, FOREVER)

    def _report(self, thought: Thought) -> None:
        """The `info` lines with what the agent reported, if that was not sent yet, and with its problem."""
        for text in (thought.info.get("text"), thought.problem):
            if text:
                self._say(text)
        if thought.move is not None and (thought.info, thought.move) != self._shown:
            self._show(thought)

    def _show(self, thought: Thought) -> None:
        self._shown = thought.info, thought.move
        words = [f"info depth {thought.info.get('depth', 1)}"]
        if "score" in thought.info:
            words.append(f"score {score(thought)}")
        if nodes := thought.info.get("nodes"):
            words.append(f"nodes {nodes} nps {round(nodes / max(thought.seconds, 0.001))}")
        words.append(f"time {round(thought.seconds * 1000)} pv {' '.join(thought.line[:_LONGEST_PV])}")
        self._wire.write(" ".join(words))

    def _draw(self) -> None:
        if self._line:
            # A position is FEN, followed by what repetition needs.
            fen = " ".join(self._line.state.position().split()[:6])
            self._wire.write(str(self._line.state), f"Fen: {fen}")

    def _say(self, text: str) -> None:
        self._wire.write(f"info string {' '.join(text.split())}")


def _start(text: str) -> State[Any]:
    """The position that `position` names: "startpos" or "fen ..."; BadPosition for any other text."""
    kind, _, fen = text.partition(" ")
    if kind == "startpos":
        return games.start(GAME)
    if kind != "fen":
        raise BadPosition(f"expected startpos or fen, got {quote(text)}")
    state = games.load(GAME, fen)
    return _without_history(state) if state.turn is None else state


def _without_history(state: State[Any]) -> State[Any]:
    """The position without what came before.

    Repetition and fifty quiet moves end our game at once; in other programs a player has to claim the draw."""
    return games.load(GAME, " ".join((*state.position().split()[:4], "0", "1")))


def _numbers(words: Sequence[str]) -> Mapping[str, int]:
    """The numbers that `go` gives, by name."""
    found = {}
    for name, value in pairwise(words):
        if name in _NUMBERS and len(value) <= _LONGEST_NUMBER and value.removeprefix("-").isdecimal():
            found[name] = int(value)
    return found


def _best(thought: Thought | None) -> str:
    if thought is None or thought.move is None:
        return NO_MOVE
    return " ponder ".join(thought.line[:2])


def score(thought: Thought) -> str:
    """The agent's score as UCI writes it, in hundredths of a pawn or as moves to mate.

    Evaluations of chess are between -1 and 1; other scores count as hundredths of a pawn."""
    score, line = float(thought.info["score"]), thought.line
    if abs(score) == 1:
        end = thought.state
        for text in line:
            end = end.play(end.from_text(text))
        # The side that moves last in a line of an odd length is the agent.
        if end.turn is None and (score > 0) == (len(line) % 2 == 1):
            return f"mate {round(score) * ((len(line) + 1) // 2)}"
        score *= _WON
    elif abs(score) < 1:
        score = 100 * pawns_of_value(score)
    return f"cp {round(max(-_WON, min(_WON, score)))}"


def _positive(number: int | None) -> int | None:
    return None if number is None else max(1, number)


class AgentOptions:
    """The options of one agent; a user's own agent has none."""

    def __init__(self, agent: BuiltIn | None) -> None:
        self._agent = agent
        self._given = {} if agent is None else {name: _text(value) for name, value in agent.given}

    def lines(self) -> list[str]:
        """One `option` line for each option. An empty text is the agent's default."""
        lines = []
        for setting in self._agent.settings if self._agent else ():
            value = self._given.get(setting.name, "" if setting.default is None else _text(setting.default))
            kind = "check" if isinstance(setting.default, bool) else "string"
            lines.append(f"option name {setting.name} type {kind} default {value or '<empty>'}")
        return lines

    def set(self, name: str, value: str) -> Callable[[], Agent]:
        """What makes the agent with this option besides those that were set; BadAgent for a wrong name or value."""
        if self._agent is None:
            raise BadAgent(f"there is no option {name}: only built-in agents have options")
        given = {**self._given, name: value}
        if value in ("", "<empty>"):
            del given[name]
        text = ",".join(f"{name}={value}" for name, value in given.items())
        make = builtin.find(f"{self._agent.name}:{text}" if text else self._agent.name).make
        self._given = given
        return make


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
