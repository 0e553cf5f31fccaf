"""A game in progress as the seat of the viewer's own agent sees it: its own cards, and what everyone sees.

No director publishes what a rule hides. What chance has dealt follows from the seed in the record; a hidden move of a
player does not, so from such a move on there is no position.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from adsearch import CHANCE, State, games
from arena.match.live import LiveGame, LivePly
from arena.match.seeds import GameSeeds
from arena.play.followed_game import FollowedGame


class OwnSeatGame(FollowedGame):
    """What this seat knows of a game after the messages so far. The `state` never has more in it."""

    def __init__(self, seat: int, seeds: GameSeeds) -> None:
        super().__init__()
        self.seat = seat
        self._seeds = seeds
        # The position with everything that is hidden; None if it is not known.
        self._whole: State[Any] | None = None

    def _begin(self, game: LiveGame) -> None:
        super()._begin(replace(game, plies=()))
        self.game, self._whole = game, self.state
        self._see()
        for ply in game.plies:
            self._play(ply)

    def _play(self, ply: LivePly) -> None:
        seen, whole, self._whole = self.state, self._whole, None
        super()._play(ply)
        if whole is None or not whole.hidden:
            self._whole = self.state
            return
        try:
            if (move := self._move(whole, ply)) is None:
                return
            self._whole = whole.play(move)
            self.last = None
            if seen is not None and (text := whole.view_move(self.seat, move)) == whole.to_text(move):
                self.last = seen.from_text(text)
                self.texts[-1] = seen.shown(self.last)
        except Exception as error:  # user-supplied rules may raise anything
            self._whole, self.trouble = None, str(error) or type(error).__name__
        self._see()

    def _move(self, whole: State[Any], ply: LivePly) -> Any:
        """The move that was played; None if it is not known."""
        if ply.move is not None:
            return whole.from_text(ply.move)
        return self._seeds.outcome(ply.ply, whole.chances()) if whole.turn == CHANCE else None

    def _see(self) -> None:
        """The position is the whole one as the seat sees it."""
        whole, self.state = self._whole, None
        if whole is not None and self.game is not None:
            try:
                self.state = games.load(self.game.rules, whole.view(self.seat))
            except Exception as error:  # user-supplied rules may raise anything
                self.trouble = str(error) or type(error).__name__
