"""One game in progress as lines of text: board, clocks and last move, computed from the messages of its director.

It reads no socket and no clock. If the rules hide a move, there is no board from then on until the game is over.
"""

from __future__ import annotations

from typing import Final

from arena.cli.terminal.coloured_board import board_lines
from arena.cli.terminal.full_screen import cut
from arena.history import words
from arena.play.followed_game import HIDDEN, FollowedGame

_HIDDEN: Final = "the rules hide moves from players, so the board is shown only by arena replay, after the game"
_LAST: Final = 10
"""Number of last moves that are listed if there is no board."""


class LiveScreen(FollowedGame):
    """The game that is followed now."""

    def __init__(self, name: str) -> None:
        """`name`: the game as it is called on the screen, such as "game 12"."""
        super().__init__()
        self.name = name

    def header(self) -> str:
        """The game, its players and its clock."""
        if self.game is None:
            return self.name
        game, players = self.game, " - ".join(self.game.players)
        return words.printable(
            f"{self.name}   {words.without_store(game.rules)}   {players}   {words.clocks(game.clocks)}"
        )

    def ply(self) -> str:
        """The last move."""
        if not self.plies:
            return "waiting for the players" if self.since is None else "start"
        last = self.plies[-1]
        spent = "" if last.spent is None else f"   {words.seconds(last.spent)}"
        return words.printable(f"{last.ply:3}  {self.who(last)} {self.texts[-1]}{spent}")

    def board(self) -> list[str]:
        """The board; without one the reason and the last moves."""
        if self.state is not None and self.game is not None:
            return board_lines(self.state, self.last)
        trouble = _HIDDEN if self.has_hidden_move else self.trouble
        if not trouble:
            return []
        moves = [f"{self.who(ply)} {ply.move or HIDDEN}" for ply in self.plies[-_LAST:]]
        return [words.printable(line) for line in (f"(no board: {trouble})", ", ".join(moves))]

    def clocks(self, now: int) -> list[str]:
        """The time left of each player at `now` (time.monotonic_ns); the clock that runs is marked with ">"."""
        if self.game is None or all(left is None for left in self.left):
            return []
        shown = [
            words.printable(f"{'>' if seat == self.turn else ' '} {name} {words.seconds(left)}")
            for seat, (name, left) in enumerate(zip(self.game.players, self.left_at(now), strict=True))
        ]
        return ["   " + "   ".join(shown)]

    def ending(self) -> list[str]:
        """How the game ended."""
        if self.is_not_live:
            return ["this game is not being played any more"]
        if self.end is None or self.game is None:
            return []
        ending = words.live_ending(self.end.verdict, self.end.points, self.game.players)
        return [words.printable(ending), f"arena replay {self.end.game} shows every move"]

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
