"""Random openings, so that two players who always do the same do not play one game again and again.

They are drawn from the tournament's seed: the games of a pair begin with the same one. No opening ends the game, or
leaves one side a win that a short search finds, where the game allows such openings.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any, Final

from adsearch import State, games, pvs
from adsearch.errors import AdsearchError
from arena.errors import BadFixture
from arena.match.seeds import number

_TRIES: Final = 200
_LOOKS_AHEAD: Final = 4


def draw(
    rules: str, plies: int, purposes: Iterable[object], *, seed: int, taken: Iterable[tuple[str, ...]] = ()
) -> list[tuple[str, ...]]:
    """An opening of `plies` random moves for each purpose, all different as long as the game has enough of them.

    What is `taken` already counts as different ones."""
    if not plies:
        return [() for _ in purposes]
    try:
        start = games.start(rules)
    except AdsearchError as error:
        raise BadFixture(str(error)) from None
    if start.chance:
        raise BadFixture(f"{rules}: openings are for games without chance; here the dice make every game another one")
    if start.max_plies is not None and plies >= start.max_plies:
        raise BadFixture(f"{rules}: expected openings of fewer than {start.max_plies} plies, got {plies}")
    book = _Book(start, taken)
    return [book.draw(plies, Random(number(seed, "opening", rules, plies, purpose))) for purpose in purposes]


_FRESH_AND_OPEN: Final = 3
"""The best opening: no other game begins with it, and nothing is decided. Then comes open alone, then fresh alone."""


class _Book:
    """The openings of one game that were drawn so far, and what is known of positions."""

    def __init__(self, start: State[Any], taken: Iterable[tuple[str, ...]]) -> None:
        self._start = start
        self._taken = set(taken)
        # What the next ones are looked for: no better than the worst so far, which took all tries.
        self._good_enough = _FRESH_AND_OPEN
        self._decided: dict[object, bool] = {}

    def draw(self, plies: int, random: Random) -> tuple[str, ...]:
        """The first random opening that is good enough; failing that the best of many; failing all a shorter."""
        best = -1
        opening: tuple[str, ...] = ()
        for _ in range(_TRIES):
            state, moves = self._played(plies, random)
            if state.turn is None:
                continue
            value = 2 * (not self._is_decided(state)) + (moves not in self._taken)
            if value > best:
                best = value
                opening = moves
            if best >= self._good_enough:
                break
        if best < 0:
            return self.draw(plies - 1, random)
        self._good_enough = min(self._good_enough, best)
        self._taken.add(opening)
        return opening

    def _played(self, plies: int, random: Random) -> tuple[State[Any], tuple[str, ...]]:
        state = self._start
        moves = list[str]()
        while len(moves) < plies and state.turn is not None:
            move = random.choice(state.moves())
            moves.append(state.to_text(move))
            state = state.play(move)
        return state, tuple(moves)

    def _is_decided(self, state: State[Any]) -> bool:
        """Whether a short search finds a forced win."""
        if not state.zero_sum or state.hidden:
            return False
        key = state.key
        if key not in self._decided:
            self._decided[key] = pvs.search(state, depth=_LOOKS_AHEAD).value in state.bounds
        return self._decided[key]
