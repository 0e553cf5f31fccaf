"""A move that is taken back: what stays of its game, and the game that continues from there.

The game in progress ends without a record, and a new one is played whose opening is the moves before the person's
earlier turn. It has the same seeds, so the same dice fall. The protocol knows nothing of all this.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import NamedTuple

from adsearch import CHANCE, games
from arena.match.schedule import Planned


class TakenBack(NamedTuple):
    """What stays of a game."""

    plies: int
    opening: tuple[str, ...]
    """The moves of the players among these plies."""
    more: int
    """The number of earlier moves that can be taken back too."""

    def continued(self, game: Planned) -> Planned:
        """The game that continues `game`."""
        made = len(self.opening) - len(game.opening)
        limit = None if game.max_plies is None else game.max_plies - made
        return replace(game, opening=self.opening, max_plies=limit)


def before_last_move(rules: str, moves: Iterable[str], seats: Collection[int], *, fixed: int) -> TakenBack | None:
    """What stays of the plies `moves` when the last move of one of these seats is taken back; None if there is none.

    `fixed`: the number of moves at the start that are nobody's."""
    state = games.start(rules)
    opening = list[str]()
    # For each of their moves, what came before it: the number of plies, and of moves of players.
    own = list[tuple[int, int]]()
    for ply, text in enumerate(moves):
        if state.turn != CHANCE:
            if state.turn in seats and len(opening) >= fixed:
                own.append((ply, len(opening)))
            opening.append(text)
        state = state.play(state.from_text(text))
    if not own:
        return None
    plies, made = own[-1]
    return TakenBack(plies, tuple(opening[:made]), len(own) - 1)
