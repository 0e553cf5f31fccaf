"""What stays the same during a game of `maze`: the board, the options, the scores, and what follows from them.

It stands between `maze_map`, which knows nothing of options, and `maze`, which has the rules. A setting never changes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from adsearch.errors import BadOption, quote
from adsearch.games.maze_map import Board, board_of, map_text
from adsearch.state import CHANCE

SCORE_OF_A_PELLET: Final = 10
SCORE_OF_A_ROUND: Final = -1
SCORE_OF_ALL_PELLETS: Final = 500
SCORE_OF_BEING_CAUGHT: Final = -500
SCORE_OF_A_SCARED_GHOST: Final = 200
SCARED_ROUNDS: Final = 20
"""Rounds for which ghosts are scared after a power pellet."""


class MazeSetting:
    """The constants of a game: the board, the options, and values computed from them."""

    __slots__ = (
        "alone",
        "board",
        "bounds",
        "everyone",
        "ghosts",
        "homes",
        "inside",
        "next",
        "random",
        "runner_moves",
        "steps",
        "turns",
    )

    def __init__(self, board: Board, ghosts: int, random: bool, steps: int) -> None:
        self.board = board
        self.next = board.next
        # Alone, it never helps the runner to stay.
        self.runner_moves = board.runner_moves if ghosts else tuple(moves[:-1] for moves in board.runner_moves)
        self.homes = board.homes[:ghosts]
        self.ghosts = ghosts
        self.random = random
        self.steps = steps
        # Whether the runner is the only player.
        self.alone = random or not ghosts
        self.everyone = (1 << ghosts) - 1
        # Mover -> turn; the last entry (index -1) is the turn of a finished game.
        self.turns: tuple[int | None, ...] = (0, *(CHANCE if random else seat for seat in range(1, ghosts + 1)), None)
        # At most one pellet or ghost is eaten in a round, and each ghost at most once for each power pellet.
        pellets, power = board.pellets.bit_count(), min(board.power.bit_count(), steps) if ghosts else 0
        low = (SCORE_OF_BEING_CAUGHT if ghosts else 0) + SCORE_OF_A_ROUND * steps
        high = (SCORE_OF_A_PELLET + SCORE_OF_A_ROUND) * min(pellets, steps)
        high += (SCORE_OF_A_SCARED_GHOST * ghosts + SCORE_OF_A_ROUND) * power
        high += SCORE_OF_ALL_PELLETS if pellets <= steps else 0
        if not self.alone:
            high = max(high, -low)
            low = -high
        self.bounds = (float(low), float(high))
        self.inside = (low + 0.5, high - 0.5)


@lru_cache(maxsize=64)
def setting_of(board: Board, ghosts: int, random: bool, steps: int) -> MazeSetting:
    """The setting for these options (cached)."""
    return MazeSetting(board, ghosts, random, steps)


def read_setting(ghosts: str, map_name: str, steps: int) -> MazeSetting:
    """The setting for these options; BadOption if the map is invalid or has too few ghosts."""
    text = map_text(map_name)
    try:
        board = board_of(text)
    except BadOption as error:
        raise BadOption(f"map {quote(map_name)}: {error}") from None
    most = len(board.homes)
    random = ghosts.startswith("random")
    number = ghosts.removeprefix("random")
    count = int(number) if number else min(2, most)
    if not most and ghosts != "0":
        raise BadOption(f"ghosts must be 0, because the map {quote(map_name)} has no ghosts, got {quote(ghosts)}")
    if count > most:
        raise BadOption(f"ghosts must be at most {most}, as many as the map {quote(map_name)} has, got {quote(ghosts)}")
    return setting_of(board, count, random, steps)
