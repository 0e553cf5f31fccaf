"""The legal plays of backgammon: what a player can do with a throw.

Each side counts the points from its own view: 24 is the farthest, 1 the nearest, 25 the bar, 0 off the board. A side is
a tuple with the number of its checkers at each of these 26 places. The other side's checkers on point p stand on 25 - p
in its own view.
"""

from __future__ import annotations

from typing import Final

Side = tuple[int, ...]
Step = tuple[int, int]
"""One checker with one die: from a place to another."""
Play = tuple[Step, ...]
"""The steps of a turn, the farthest first."""

OFF, BAR = 0, 25
HOME = 6
"""Points 1 to 6 are the home board."""

_CHECKER: Final = tuple(16**place for place in range(26))
_HIT: Final = tuple(16 ** (26 + place) for place in range(26))
"""What a checker and a hit at each place count in the result of a way to use the dice. A result is a number: two ways
have the same one exactly if they lead to the same position."""


def plays(mine: Side, theirs: Side, larger: int, smaller: int) -> tuple[Play, ...]:
    """Every legal play with this throw; of those that lead to the same position one.

    As many dice as possible must be used, all four of a double; if one of two can be used but not both, the larger one
    if possible."""
    board = _Board(mine, theirs)
    ways = board.ways(larger, smaller)
    others = board.ways(smaller, larger) if larger != smaller else []
    longest = max([len(steps) for steps, _ in ways + others], default=0)
    if longest > 1 or not ways:
        ways += others
    found: dict[int, Play] = {}
    for steps, result in ways:
        if len(steps) == longest and result not in found:
            found[result] = steps
    return tuple([tuple(sorted(steps, key=_farthest_first)) for steps in found.values()])


def sequences(mine: Side, theirs: Side, larger: int, smaller: int) -> list[Play]:
    """All ways to use the dice, step by step: also those that `plays` leaves out because another one leads to the same
    position."""
    board = _Board(mine, theirs)
    return [steps for dice in {(larger, smaller), (smaller, larger)} for steps, _ in board.ways(*dice)]


def played(mine: Side, theirs: Side, play: Play) -> tuple[Side, Side]:
    """The own and the other side after a play."""
    own, other = list(mine), list(theirs)
    for place, to in play:
        own[place] -= 1
        own[to] += 1
        if to != OFF and other[BAR - to]:
            other[BAR - to] = 0
            other[BAR] += 1
    return tuple(own), tuple(other)


def _farthest_first(step: Step) -> tuple[int, int]:
    return -step[0], step[1]


class _Board:
    """A board on which steps are tried and taken back."""

    def __init__(self, mine: Side, theirs: Side) -> None:
        self.mine, self.theirs = list(mine), list(theirs)

    def ways(self, first: int, second: int) -> list[tuple[Play, int]]:
        """The ways to use two dice in this order, or a double four times, until no more can be used; and their
        results."""
        found: list[tuple[Play, int]] = []
        self._use((first, second) if first != second else (first,) * 4, BAR, (), 0, found)
        return found

    def _use(self, dice: tuple[int, ...], most: int, before: Play, result: int, found: list[tuple[Play, int]]) -> None:
        """Adds to `found` the ways that begin with the steps `before` and go on with these dice, the first of them from
        a place up to `most`."""
        mine, theirs = self.mine, self.theirs
        die, rest = dice[0], dice[1:]
        places = self._movable(die, most)
        if not places and before:
            found.append((before, result))
        for place in places:
            to = max(place - die, OFF)
            hits = theirs[BAR - to] if to != OFF else 0
            steps, after = (*before, (place, to)), result - _CHECKER[place] + _CHECKER[to] + hits * _HIT[to]
            if not rest:
                found.append((steps, after))
                continue
            mine[place] -= 1
            mine[to] += 1
            theirs[BAR - to] -= hits
            # The order of steps with equal dice does not matter: only the farthest first is tried.
            self._use(rest, place if rest[0] == die else BAR, steps, after, found)
            mine[place] += 1
            mine[to] -= 1
            theirs[BAR - to] += hits

    def _movable(self, die: int, most: int) -> list[int]:
        """The places up to `most` from which a checker can move with the die, the farthest first."""
        mine, theirs = self.mine, self.theirs
        if mine[BAR]:
            return [BAR] if theirs[die] <= 1 else []
        farthest = min(most, BAR - 1)
        places = [at for at in range(farthest, die, -1) if mine[at] and theirs[BAR - at + die] <= 1]
        if not any(mine[HOME + 1 :]):
            # A checker can be borne off with the exact die; one that needs less only from the farthest point.
            last = min(die, max([at for at in range(1, HOME + 1) if mine[at]], default=OFF))
            if OFF < last <= most and mine[last]:
                places.append(last)
        return places
