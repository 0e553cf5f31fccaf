"""Meetings: the pairs of games that share an opening, and which of them repeat another move for move.

Values in, values out, and no numpy: commands about two players start sooner without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from db.records import RatedGame


def in_pairs(games: Iterable[RatedGame]) -> list[list[RatedGame]]:
    """The games for two, those of a pair together. Where the pair is not known, two neighbours with their names
    swapped are one."""
    paired: dict[Hashable, list[RatedGame]] = {}
    alone: list[list[RatedGame]] = []
    before: RatedGame | None = None
    for game in games:
        if len(game.names) != 2:
            continue
        if game.pair is not None:
            paired.setdefault(game.pair, []).append(game)
            before = None
        elif before is not None and (before.names, before.rules) == (game.names[::-1], game.rules):
            alone[-1].append(game)
            before = None
        else:
            alone.append([game])
            before = game
    return [*paired.values(), *alone]


def repeats(meetings: Iterable[Sequence[RatedGame]]) -> list[int]:
    """How often each of these meetings was played: those are the same whose games all went alike, move for move, with
    the same players in the same seats. A game whose moves are not on record is like no other."""
    played = [
        tuple(sorted((game.rules, game.names, game.moves_hash, game.points) for game in meeting))
        if all(game.moves_hash is not None for game in meeting)
        else number
        for number, meeting in enumerate(meetings)
    ]
    times = Counter[Hashable](played)
    return [times[one] for one in played]
