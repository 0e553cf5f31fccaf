"""One game in progress as a watcher knows it: its position, clocks and plies, from the messages of its director.

It reads no socket and no clock. If the rules hide a move, or if they fail, there is no position from then on.
"""

from __future__ import annotations

from typing import Any, Final

from adsearch import CHANCE, State, games
from adsearch.pictures import boards
from arena.match.clock import at_first
from arena.match.live import LiveEnd, LiveGame, LivePly, NotLive, OfGame

HIDDEN: Final = "?"
"""The text of a move that the rules hide."""


class FollowedGame:
    """What is known of a game after the messages so far."""

    def __init__(self) -> None:
        self.game: LiveGame | None = None
        """The players, rules and clock; None until the first message."""
        self.end: LiveEnd | None = None
        self.is_not_live = False
        self.plies: list[LivePly] = []
        self.texts: list[str] = []
        """The move of each ply as people write it, such as "Nf3"; `HIDDEN` if it is hidden."""
        self.left: list[int | None] = []
        """The time that each seat had left after its last move, in nanoseconds."""
        self.state: State[Any] | None = None
        """The position; None if there is none."""
        self.last: Any = None
        """The move that led to the position."""
        self.has_hidden_move = False
        self.trouble = ""
        """The error of rules that failed."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        return self.is_not_live or self.end is not None

    def take(self, message: OfGame) -> None:
        """Takes the next message of the game. Plies that come before the first `LiveGame` are in it."""
        match message:
            case LiveGame():
                self._begin(message)
            case LivePly():
                if self.game is not None:
                    self._play(message)
            case LiveEnd():
                self.end = message
            case NotLive():
                self.is_not_live = True

    def _begin(self, game: LiveGame) -> None:
        self.game, self.plies, self.texts, self.last = game, [], [], None
        self.has_hidden_move, self.trouble, self.is_not_live = False, "", False
        self.left = [at_first(clock) for clock in game.clocks]
        try:
            self.state = games.start(game.rules, game.position)
        except Exception as error:  # user-supplied rules may raise anything
            self.state, self.trouble = None, str(error) or type(error).__name__
        for ply in game.plies:
            self._play(ply)

    def _play(self, ply: LivePly) -> None:
        self.plies.append(ply)
        if isinstance(ply.who, int):
            self.left[ply.who] = ply.left
        state, self.state, text, played = self.state, None, ply.move or HIDDEN, None
        if ply.move is None:
            self.has_hidden_move = True
        elif state is not None:
            try:
                played = state.from_text(ply.move)
                text = state.shown(played)
                self.state = state.play(played)
            except Exception as error:  # user-supplied rules may raise anything
                self.trouble = str(error) or type(error).__name__
        self.last = boards.last_mark(self.state, ply.who, played, self.last)
        self.texts.append(text)

    def who(self, ply: LivePly) -> str:
        """The player of that ply; else "chance" or "opening"."""
        return self.game.players[ply.who] if self.game is not None and isinstance(ply.who, int) else str(ply.who)

    @property
    def turn(self) -> int | None:
        """The seat whose clock runs; None if no clock runs, or if it is not known."""
        if self.state is None or self.is_over or self.since is None:
            return None
        turn = self.state.turn
        return None if turn is None or turn == CHANCE else turn

    @property
    def since(self) -> int | None:
        """When the turn began, on the clock of `LivePly.at`."""
        if self.plies:
            return self.plies[-1].at
        return None if self.game is None else self.game.since

    def left_at(self, now: int) -> list[int | None]:
        """The time left of each seat at `now` (time.monotonic_ns)."""
        since, turn = self.since, self.turn
        return [
            max(0, left - max(0, now - since)) if seat == turn and left is not None and since is not None else left
            for seat, left in enumerate(self.left)
        ]
