"""`arena play` on the whole screen: games while they are played, with a cursor on the board for a person.

It takes the same events and messages as `GameScreen`, which prints them. Moves can be typed, or chosen with the arrows
and Enter, or with the mouse. When the screen is left, the result of each game is printed, and the last board.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic, monotonic_ns
from typing import Any, Final

from rich.text import Text

from adsearch import CHANCE, State
from adsearch.games.grid import Cell, GridGame
from adsearch.pictures import boards
from arena.cli.play.game_screen import GameScreen
from arena.cli.terminal.board import BoardMarks, board_lines
from arena.cli.terminal.game_view import GamePicture, GameView, picture
from arena.cli.terminal.screen import Screen
from arena.history import words
from arena.match.schedule import Began, Event, Finished, Planned, Ply
from arena.play.director import Director

_EVERY: Final = 0.2
"""Seconds between two drawings while clocks run."""
_AT_ONCE: Final = 0.04
"""Least time between two drawings, in seconds."""
_SAID: Final = 6
"""Number of messages that are shown."""
_KEYS: Final = "arrows and Enter, a click, or type a move   ?: help   tab: in words   esc: clear"
_WATCHING: Final = "s: other side   w: in words   q: end"
_DIRECTIONS: Final = {"up": "n", "down": "s", "left": "w", "right": "e"}
"""The moves of a game in which a piece walks."""
_STEPS: Final = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class PlayScreen(GameScreen):
    """Shows games on the screen while they are played."""

    def __init__(self, screen: Screen, *, people: Sequence[str]) -> None:
        super().__init__(quiet=False, people=people)
        self._screen = screen
        self._game: Planned | None = None
        self._plies: list[tuple[int | str, str]] = []
        self._values: list[float | None] = []
        self._thoughts: dict[int, str] = {}
        # When the turn began; None before the first one.
        self._since: int | None = None
        self._said: deque[str] = deque(maxlen=_SAID)
        self._results: list[str] = []
        self._prompt, self._typed = "", ""
        # Whether what is typed was chosen with the arrows: the next character begins anew.
        self._is_chosen = False
        self._cursor: Cell | None = None
        self._start: Cell | None = None
        self._turned = self._in_words = False
        self._picture: GamePicture | None = None
        self._drawn_at = 0.0
        # Whether the prompt is a question, and not for a move.
        self._asks = False
        # The moves to the cell that was chosen last, if they are several.
        self._asked_for = [""]
        self._is_shown = False
        # Whether a game is over and the next one has not begun: what is said then stays.
        self._is_between = False
        # Whether help is shown, until the next key.
        self._explains = False
        self._is_stale = True

    @contextmanager
    def following(self, director: Director) -> Iterator[None]:
        """Inside, the screen is drawn in the loop of this director: the clocks run, and keys are heard."""
        read, write = os.pipe()
        os.set_blocking(write, False)
        over = threading.Event()

        def tick() -> None:
            while not over.wait(_EVERY):
                with suppress(BlockingIOError):  # nobody has read the ticks before
                    os.write(write, b".")

        thread = threading.Thread(target=tick, daemon=True)
        director.watch(read, lambda: self._tick(os.read(read, 4096)))
        if not self._people:
            director.watch(self._screen.descriptor, self._hear)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            director.unwatch(read)
            os.close(read)
            os.close(write)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Inside, the terminal shows the screen; then what stays is printed: the last board, and the results."""
        try:
            with self._screen:
                self._is_shown = True
                self._draw_now()
                yield
        finally:
            self._is_shown = False
            if self._game is not None and (state := self._seen(self._game)) is not None:
                print(*board_lines(state, self._last), "", sep="\n")
            for line in self._results:
                self._console.print(Text(line), soft_wrap=True)

    # What happens.

    def show(self, event: Event) -> None:
        match event:
            case Began():
                self._begin(event.game)
                self._is_between = False
                self._game, self._plies, self._values, self._thoughts = event.game, [], [], {}
                self._cursor = self._start = None
                self._since = monotonic_ns()
                self._call_watchers(0)
            case Ply():
                self._note(event)
                self._explain(event)
                if self._known_plies is not None and len(self._plies) >= self._known_plies:
                    self._known_plies = None
                self._call_watchers(event.move.ply)
            case Finished():
                self._show_end(event)
        self._draw_soon()

    def _note(self, event: Ply) -> None:
        text, move = self._play(event), event.move
        self._plies.append((move.who, words.printable(text)))
        score = move.score if not self._hidden_from else None
        self._values.append(None if score is None else -score if move.who == 1 else score)
        if isinstance(move.who, int) and not self._hidden_from:
            spent = words.seconds(move.spent)
            self._thoughts[move.who] = (
                f"{event.game.entrants[move.who].name}: {spent}   {words.thinking(move)}".rstrip()
            )
        self._since = monotonic_ns()
        self._start = None
        self._said.clear()

    def _print(self, text: Text, end: str = "\n", *, more: str = "  ", wrapped: bool = True) -> None:
        if not self._is_shown:
            super()._print(text, end, more=more, wrapped=wrapped)
            return
        if not end:
            self._prompt = text.plain
        else:
            self._said.append(text.plain.strip())
            if self._is_between:
                self._results.append(text.plain)
        self._draw_soon()

    def _show_end(self, event: Finished) -> None:
        self._since, self._prompt, self._is_between = None, "", True
        self._said.clear()
        super()._show_end(event)

    def ask(self, question: str) -> None:
        self._asks = True
        super().ask(question)

    def answered(self) -> None:
        self._prompt, self._typed, self._start, self._asks = "", "", None, False
        self._asked_for = [""]
        super().answered()

    # The picture.

    def _tick(self, _: bytes) -> None:
        """Draw if something changed, or if a clock runs."""
        runs = self._since is not None and any(left is not None for left in self._left.values())
        if runs or self._is_stale or self._screen.is_stale:
            self._draw_now()

    def _draw_soon(self) -> None:
        self._is_stale = True
        if self._is_shown and monotonic() - self._drawn_at >= _AT_ONCE:
            self._draw_now()

    def _draw_now(self) -> None:
        self._drawn_at, self._is_stale = monotonic(), False
        self._picture = picture(self._view(), self._screen.look, *self._screen.size)
        self._screen.draw(self._picture.lines)

    def _view(self) -> GameView:
        game = self._game
        if game is None:
            return GameView("starting the players", said=[*self._said], status=[_WATCHING])
        state = self._seen(game)
        turn = None if state is None or state.turn == CHANCE or self._since is None else state.turn
        clocks = [game.conditions.time_of(entrant.name).clock for entrant in game.entrants]
        return GameView(
            f"{game.game}   {words.clocks(clocks)}",
            rules=game.rules,
            players=[entrant.name for entrant in game.entrants],
            clocks=[self._clock(seat, turn) for seat in range(len(game.entrants))],
            turn=turn,
            state=state,
            last=self._last,
            plies=self._plies,
            values=self._values if len(game.entrants) == 2 else [],
            said=[*self._thoughts.values(), *self._said],
            explains=self._explains,
            prompt=f"{self._prompt}{self._typed}_" if self._prompt else "",
            status=[] if self._asks else [_KEYS if self._prompt or self._people else _WATCHING],
            marks=self._marks(state),
            turned=self._turned != self._sits_above(game, state),
            in_words=self._in_words,
        )

    def _sits_above(self, game: Planned, state: State[Any] | None) -> bool:
        """Whether the only person here would see the own pieces at the upper edge."""
        seats = [seat for seat, entrant in enumerate(game.entrants) if entrant.name in self._people]
        upper = None if state is None else boards.above(state)
        return upper is not None and seats == [upper]

    def _clock(self, seat: int, turn: int | None) -> str:
        left = self._left.get(seat)
        if left is None:
            return ""
        return words.clock(max(0, left - (monotonic_ns() - (self._since or 0))) if seat == turn else left)

    # The cursor.

    def _ways(self, state: State[Any] | None) -> dict[Any, tuple[Cell, ...]]:
        """For each legal move that goes to a cell, where it starts and ends; empty if nobody here is to move."""
        if state is None or not self._prompt or self._asks or not isinstance(state, GridGame):
            return {}
        try:
            return {move: way for move in state.moves() if (way := state.cells(move))}
        except Exception:  # user-supplied rules may raise anything
            return {}

    def _marks(self, state: State[Any] | None) -> BoardMarks:
        ways = self._ways(state)
        if not ways:
            return BoardMarks()
        if self._cursor is None:
            self._cursor = next(iter(ways.values()))[0]
        if self._start is not None:
            legal = {way[-1] for way in ways.values() if way[0] == self._start}
        elif any(len(way) > 1 for way in ways.values()):
            legal = set()
        else:
            legal = {way[-1] for way in ways.values()}
        few = self._start is not None or len(legal) <= _MOST_MARKED
        return BoardMarks(self._cursor, frozenset(legal) if few else (), self._start)

    def read(self) -> bytes | None:
        """The line that the keys make, if it is complete."""
        lines = []
        for key in self._screen.pressed():
            line = self._press(key)
            if line is not None:
                lines.append(line)
                self._typed = ""
        self._draw_now()
        return "".join(f"{line}\n" for line in lines).encode() if lines else None

    def _hear(self) -> None:
        self.read()

    def _press(self, key: str) -> str | None:
        """A key; the line that it completes, if it does."""
        state = self._seen(self._game) if self._game is not None else None
        ways = self._ways(state)
        self._explains = key == "?" and not self._typed
        if key == "quit" or (key == "q" and not self._people):  # Ctrl-D: as Ctrl-C
            os.kill(os.getpid(), signal.SIGINT)
        self._in_words ^= key == "tab"
        if not self._people:
            self._turned ^= key == "s"
            self._in_words ^= key == "w"
        elif key == "escape":
            self._typed, self._start, self._asked_for = "", None, [""]
            self._said.clear()
        elif key == "rub out":
            self._typed = self._typed[:-1]
        elif not self._prompt:  # typed ahead
            self._typed += key * (len(key) == 1)
        elif key == "?" and not self._typed:
            self._said.clear()
            return "?"
        elif key == "enter":
            if self._typed and self._typed == self._asked_for[0][: len(self._typed)]:
                self._typed = self._asked_for[0]
            return self._typed if self._typed or not ways else self._choose(ways, state)
        elif key.startswith("mouse "):
            _, x, y = key.split()
            cell = self._picture.cell(int(x), int(y)) if self._picture else None
            if cell is not None and ways:
                self._cursor = cell
                return self._choose(ways, state)
        elif key in _STEPS:
            self._move_cursor(key, ways, state)
        elif len(key) == 1:
            self._typed = key if self._is_chosen else self._typed + key
            self._is_chosen = False
        return None

    def _move_cursor(self, key: str, ways: dict[Any, tuple[Cell, ...]], state: State[Any] | None) -> None:
        """Move the cursor; in a game without cells, go through the legal moves."""
        if not ways or not isinstance(state, GridGame):
            try:
                texts = [] if state is None else [state.shown(move) for move in state.moves()]
            except Exception:  # user-supplied rules may raise anything
                texts = []
            if {*_DIRECTIONS.values()} & {*texts}:
                self._typed = _DIRECTIONS[key] if _DIRECTIONS[key] in texts else self._typed
            elif texts:
                at = texts.index(self._typed) if self._typed in texts else -1 if key in ("down", "right") else 0
                self._typed = texts[(at + (1 if key in ("down", "right") else -1)) % len(texts)]
            self._is_chosen = True
            return
        down, right = _STEPS[key]
        if self._picture is not None and self._picture.board.is_turned:
            down, right = -down, -right
        rows = state.rows()
        row, column = self._cursor or (0, 0)
        self._cursor = (row + down) % len(rows), (column + right) % len(rows[0])

    def _choose(self, ways: dict[Any, tuple[Cell, ...]], state: State[Any] | None) -> str | None:
        """The move to the cursor as a line; None if it is not complete yet."""
        cell = self._cursor
        if state is None or cell is None:
            return None
        if self._start is None and any(way[0] == cell and len(way) > 1 for way in ways.values()):
            self._start = cell
            return None
        found = [move for move, way in ways.items() if way[-1] == cell and self._start in (None, way[0])]
        if not found and self._start is None and len({way[-1][1] for way in ways.values()}) == len(ways):
            found = [move for move, way in ways.items() if way[-1][1] == cell[1]]  # a column takes the disc
        if self._start is not None and any(way[0] == cell for way in ways.values()) and not found:
            self._start = None if cell == self._start else cell
            return None
        texts = [state.to_text(move) for move in found]
        if len(texts) > 1:
            self._typed, self._asked_for = texts[0][: _common(texts)], texts
            self.say(f"which of {', '.join(texts)}? Enter takes the first one; or type the rest")
            return None
        if not texts:
            self.say("no move ends there")
            return None
        return texts[0]


def _common(texts: Sequence[str]) -> int:
    """How many characters all these texts begin with."""
    shortest = min(map(len, texts))
    return next((n for n in range(shortest) if len({text[n] for text in texts}) > 1), shortest)


_MOST_MARKED: Final = 24
"""Number of cells that are marked as legal; more would hide the board."""
