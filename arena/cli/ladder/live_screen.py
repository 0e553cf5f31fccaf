"""One game in progress as lines of text: board, clocks and last move, computed from the messages of its director.

It reads no socket and no clock. If the rules hide a move, there is no board from then on until the game is over.
"""

from __future__ import annotations

from typing import Any, Final

from adsearch import CHANCE, State, games
from agents.protocol import Verdict
from arena.cli.terminal.coloured_board import board_lines
from arena.cli.terminal.full_screen import cut
from arena.errors import BadClock
from arena.history import words
from arena.match.clock import Clock, TimeControl
from arena.match.live import LiveEnd, LiveGame, LivePly, NotLive, OfGame
from db.records import GameRecord, SeatRecord

_HIDDEN: Final = "the rules hide moves from players, so the board is shown only by arena replay, after the game"
_LAST: Final = 10
"""Number of last moves that are listed if there is no board."""


class LiveScreen:
    """The game that is followed now."""

    def __init__(self, name: str) -> None:
        """`name`: the game as it is called on the screen, such as "game 12"."""
        self.name = name
        self.end: LiveEnd | None = None
        self.is_not_live = False
        self._game: LiveGame | None = None
        self._plies: list[LivePly] = []
        self._left: list[int | None] = []
        self._state: State[Any] | None = None
        # The move that led to the position, as a value of the game and as text.
        self._last: Any = None
        self._text = ""
        # Why there is no board.
        self._trouble = ""

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        return self.is_not_live or self.end is not None

    @property
    def plies(self) -> int:
        """The number of plies so far."""
        return len(self._plies)

    def take(self, message: OfGame) -> None:
        """Takes the next message of the game."""
        match message:
            case LiveGame():
                self._begin(message)
            case LivePly():
                self._play(message)
            case LiveEnd():
                self.end = message
            case NotLive():
                self.is_not_live = True

    def _begin(self, game: LiveGame) -> None:
        self._game, self._plies, self._trouble, self._text, self._last = game, [], "", "", None
        try:
            first = Clock(TimeControl.parse(game.clock), 1).left(0)
        except BadClock:
            first = None
        self._left = [first] * len(game.players)
        try:
            self._state = games.start(game.rules)
        except Exception as error:  # user-supplied rules may raise anything
            self._state, self._trouble = None, str(error) or type(error).__name__
        for ply in game.plies:
            self._play(ply)

    def _play(self, ply: LivePly) -> None:
        self._plies.append(ply)
        if isinstance(ply.who, int):
            self._left[ply.who] = ply.left
        state, self._state, self._last, self._text = self._state, None, None, ply.move or "?"
        if ply.move is None:
            self._trouble = self._trouble or _HIDDEN
        elif state is not None:
            try:
                self._last = state.from_text(ply.move)
                self._text = state.shown(self._last)
                self._state = state.play(self._last)
            except Exception as error:  # user-supplied rules may raise anything
                self._trouble = str(error) or type(error).__name__

    def header(self) -> str:
        """The game, its players and its clock."""
        if self._game is None:
            return self.name
        game, players = self._game, " - ".join(self._game.players)
        return words.printable(f"{self.name}   {words.without_store(game.rules)}   {players}   clock {game.clock}")

    def ply(self) -> str:
        """The last move."""
        if not self._plies or self._game is None:
            return "waiting for the players" if self._game is None or self._game.since is None else "start"
        last = self._plies[-1]
        spent = "" if last.spent is None else f"   {words.seconds(last.spent)}"
        return words.printable(f"{last.ply:3}  {self._who(last)} {self._text}{spent}")

    def _who(self, ply: LivePly) -> str:
        return self._game.players[ply.who] if self._game is not None and isinstance(ply.who, int) else str(ply.who)

    def board(self) -> list[str]:
        """The board; without one the reason and the last moves."""
        if self._state is not None and self._game is not None:
            return board_lines(self._state, self._last, self._game.rules)
        if not self._trouble:
            return []
        moves = [f"{self._who(ply)} {ply.move or '?'}" for ply in self._plies[-_LAST:]]
        return [words.printable(line) for line in (f"(no board: {self._trouble})", ", ".join(moves))]

    def clocks(self, now: int) -> list[str]:
        """The time left of each player at `now` (time.monotonic_ns); the clock that runs is marked with ">"."""
        if self._game is None or all(left is None for left in self._left):
            return []
        shown = []
        for seat, (name, left) in enumerate(zip(self._game.players, self._left, strict=True)):
            runs = seat == self._turn
            if runs and left is not None and (since := self._since) is not None:
                left = max(0, left - max(0, now - since))
            shown.append(words.printable(f"{'>' if runs else ' '} {name} {words.seconds(left)}"))
        return ["   " + "   ".join(shown)]

    @property
    def _turn(self) -> int | None:
        """The seat whose clock runs; None if no clock runs, or if it is not known."""
        if self._state is None or self.end is not None or self._since is None:
            return None
        turn = self._state.turn
        return None if turn is None or turn == CHANCE else turn

    @property
    def _since(self) -> int | None:
        """When the turn began."""
        if self._plies:
            return self._plies[-1].at
        return None if self._game is None else self._game.since

    def ending(self) -> list[str]:
        """How the game ended."""
        if self.is_not_live:
            return ["this game is not being played any more"]
        if self.end is None or self._game is None:
            return []
        seats = tuple(
            SeatRecord(seat, name, points, None, 0, 0)
            for seat, (name, points) in enumerate(zip(self._game.players, self.end.points, strict=True))
        )
        how = words.verdict(GameRecord(self.end.game, self.end.verdict, None, "", seats, (), 0))
        kind = "" if self.end.verdict in (Verdict.NORMAL, Verdict.VOID) else f" ({self.end.verdict})"
        result = words.result(self.end.points)
        return [words.printable(f"{result}   {how}{kind}"), f"arena replay {self.end.game} shows every move"]

    def lines(self, now: int, status: str, *, columns: int, rows: int) -> list[str]:
        """A screen of that size, with `status` at the bottom."""
        below = [*self.clocks(now), *self.ending()]
        board = self.board()
        room = rows - len(below) - 3
        gap = [""] if len(board) < room else []  # a board of 19x19 has just enough room without it
        board = board if len(board) <= room else [*board[: max(0, room - 1)], "..."]
        lines = [self.header(), *gap, self.ply(), *board, *below]
        lines = [*lines, *[""] * rows][: rows - 1]
        return [cut(line, columns) for line in (*lines, status)]
