"""Which game to watch next: for `arena ladder watch` and for the pages of the web.

Pure: it gets the games in progress and the ratings, and returns one of the games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from db.running import GameInProgress


def most_interesting(
    playing: Sequence[GameInProgress], ratings: Mapping[str, float], before: Sequence[str]
) -> GameInProgress | None:
    """The game with the highest mean rating less the difference of the ratings; without ratings, the one that began
    first, because it has the most plies. If possible not again the players `before`."""

    def interest(game: GameInProgress) -> tuple[bool, float]:
        rated = [ratings[name] for name in game.players if name in ratings]
        is_rated = len(rated) == len(game.players)
        value = sum(rated) / len(rated) - (max(rated) - min(rated)) if is_rated else float("-inf")
        return sorted(game.players) != sorted(before), value

    return max(playing, key=interest, default=None)  # of equal ones the first


def older(playing: Sequence[GameInProgress], current: int | None) -> GameInProgress | None:
    """The game that began before the game `current`; the newest one if there is none, or if `current` is over."""
    ids = [game.id for game in playing]
    place = ids.index(current) if current in ids else 0
    return playing[place - 1] if playing else None
