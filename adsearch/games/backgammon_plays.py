"""The legal plays of backgammon: what a player can do with a throw.

Each side counts the points from its own view: 24 is the farthest, 1 the nearest, 25 the bar, 0 off the board. A side is
a tuple with the number of its checkers at each of these 26 places. The other side's checkers on point p stand on 25 - p
in its own view.
"""

from __future__ import annotations

from collections.abc import Iterator

Side = tuple[int, ...]
Step = tuple[int, int]
"""One checker with one die: from a place to another."""
Play = tuple[Step, ...]
"""The steps of a turn, the farthest first."""
After = tuple[Side, Side]
"""The own and the other side after a play."""

OFF, BAR = 0, 25
HOME = 6
"""Points 1 to 6 are the home board."""


def plays(mine: Side, theirs: Side, larger: int, smaller: int) -> dict[Play, After]:
    """Every legal play with this throw, and what it leads to; of those that lead to the same position one.

    As many dice as possible must be used, all four of a double; if one of two can be used but not both, the larger one
    if possible."""
    if larger == smaller:
        return _longest(_sequences(mine, theirs, (larger,) * 4, BAR))
    found = _longest(_sequences(mine, theirs, (larger, smaller), BAR))
    others = _longest(_sequences(mine, theirs, (smaller, larger), BAR))
    if not others or (found and _length(found) > _length(others)):
        return found
    if not found or _length(others) > _length(found):
        return others
    if _length(found) == 1:
        return found
    known = set(found.values())
    return found | {play: after for play, after in others.items() if after not in known}


def sequences(mine: Side, theirs: Side, larger: int, smaller: int) -> Iterator[tuple[Play, After]]:
    """All ways to use the dice, step by step, and what they lead to: also those that `plays` leaves out because another
    one leads to the same position."""
    if larger == smaller:
        yield from _sequences(mine, theirs, (larger,) * 4, BAR)
    else:
        yield from _sequences(mine, theirs, (larger, smaller), BAR)
        yield from _sequences(mine, theirs, (smaller, larger), BAR)


def _length(found: dict[Play, After]) -> int:
    """The number of dice that are used."""
    return len(next(iter(found)))


def _longest(sequences: Iterator[tuple[Play, After]]) -> dict[Play, After]:
    """Those sequences that use the most dice, the first of each that leads to the same position."""
    found: dict[After, Play] = {}
    longest = 0
    for play, after in sequences:
        if len(play) > longest:
            longest = len(play)
            found.clear()
        if len(play) == longest and after not in found:
            found[after] = play
    return {tuple(sorted(play, key=_farthest_first)): after for after, play in found.items()}


def _farthest_first(step: Step) -> tuple[int, int]:
    return -step[0], step[1]


def _sequences(mine: Side, theirs: Side, dice: tuple[int, ...], most: int) -> Iterator[tuple[Play, After]]:
    """The ways to use the dice in this order until no more can be used, from places up to `most`."""
    die, rest = dice[0], dice[1:]
    for place in _movable(mine, theirs, die, most):
        after = _step(mine, theirs, place, max(place - die, OFF))
        goes_on = False
        if rest:
            # The order of steps with equal dice does not matter: only the farthest first is tried.
            for play, end in _sequences(*after, rest, place if rest[0] == die else BAR):
                goes_on = True
                yield ((place, max(place - die, OFF)), *play), end
        if not goes_on:
            yield ((place, max(place - die, OFF)),), after


def _movable(mine: Side, theirs: Side, die: int, most: int) -> Iterator[int]:
    """The places up to `most` from which a checker can move with the die, the farthest first."""
    if mine[BAR]:
        if theirs[die] <= 1:
            yield BAR
        return
    farthest = BAR - 1
    while not mine[farthest]:
        farthest -= 1
        if not farthest:
            return
    for place in range(min(farthest, most), 0, -1):
        if not mine[place]:
            continue
        to = place - die
        if to > OFF:
            if theirs[BAR - to] <= 1:
                yield place
        elif farthest <= HOME and (to == OFF or place == farthest):
            yield place


def _step(mine: Side, theirs: Side, place: int, to: int) -> After:
    """The sides after one step."""
    own = list(mine)
    own[place] -= 1
    own[to] += 1
    if to != OFF and theirs[BAR - to]:
        other = list(theirs)
        other[BAR - to] = 0
        other[BAR] += 1
        return tuple(own), tuple(other)
    return tuple(own), theirs
