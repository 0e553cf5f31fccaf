"""Pairs of games that share an opening, and which of them repeat another pair move for move.

Values in, values out. It does not import numpy, so that commands about two players start faster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from db.records import RatedGame


def in_pairs(games: Iterable[RatedGame]) -> list[list[RatedGame]]:
    """The games of two players, grouped by pair. If the pair is not recorded, two consecutive games with swapped seats
    are a pair."""
    paired: dict[Hashable, list[RatedGame]] = {}
    singles: list[list[RatedGame]] = []
    before: RatedGame | None = None
    for game in games:
        if len(game.names) != 2:
            continue
        if game.pair is not None:
            paired.setdefault(game.pair, []).append(game)
            before = None
        elif before is not None and (before.names, before.rules) == (game.names[::-1], game.rules):
            singles[-1].append(game)
            before = None
        else:
            singles.append([game])
            before = game
    return [*paired.values(), *singles]


def repeats(pairs: Iterable[Sequence[RatedGame]]) -> list[int]:
    """For each pair of games, how many pairs are equal to it: the same players in the same seats played the same moves
    in all games. A pair with a game whose moves are not recorded equals no other."""
    played = [
        tuple(sorted((game.rules, game.names, game.moves_hash, game.points) for game in pair))
        if all(game.moves_hash is not None for game in pair)
        else number
        for number, pair in enumerate(pairs)
    ]
    times = Counter[Hashable](played)
    return [times[one] for one in played]
