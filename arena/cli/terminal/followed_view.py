"""One game in progress for a terminal, computed from the messages of its director: as a view, or as lines of text.

It reads no socket and no clock. If the rules hide a move, there is no board from then on until the game is over.
"""

from __future__ import annotations

from typing import Final

from arena.cli.terminal.board import board_lines
from arena.cli.terminal.game_view import GameView
from arena.history import words
from arena.play.followed_game import HIDDEN, FollowedGame

_HIDDEN: Final = "the rules hide moves from players, so the board is shown only by arena replay, after the game"
_LAST: Final = 10
"""Number of last moves that are listed if there is no board."""


class FollowedView(FollowedGame):
    """The game that is followed now."""

    def __init__(self, name: str, before: FollowedView | None = None) -> None:
        """`name`: the game as it is called on the screen, such as "game 12". `before`: the one that was followed before
        it, from the same side."""
        super().__init__()
        self.name = name
        self._turned: bool = before is not None and before._turned
        self._in_words: bool = before is not None and before._in_words

    def press(self, key: str) -> None:
        """Show the board from the other side, or in words, if this is the key for it."""
        self._turned ^= key == "s"
        self._in_words ^= key == "w"

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

    def ending(self) -> list[str]:
        """How the game ended."""
        if self.is_not_live:
            return ["this game is not being played any more"]
        if self.end is None or self.game is None:
            return []
        ending = words.live_ending(self.end.verdict, self.end.points, self.game.players)
        return [words.printable(ending), f"arena replay {self.end.game} shows every move"]

    def view(self, now: int) -> GameView:
        """The game at `now` (time.monotonic_ns), for the screen."""
        if self.game is None:
            return GameView(self.name, why_no_board="waiting for the players")
        trouble = _HIDDEN if self.has_hidden_move else self.trouble
        last = [] if self.plies and self.turn is not None else [self.ply()]
        return GameView(
            self.header(),
            rules=self.game.rules,
            players=self.game.players,
            clocks=["" if left is None else words.clock(left) for left in self.left_at(now)],
            turn=self.turn,
            state=self.state,
            last=self.last,
            why_no_board=f"(no board: {trouble})",
            plies=[(ply.who, words.printable(text)) for ply, text in zip(self.plies, self.texts, strict=True)],
            says=[*last, *self.ending()],
            turned=self._turned,
            in_words=self._in_words,
        )
