"""Backgammon: dice, hits, the bar and bearing off; gammon and backgammon count double and threefold. No doubling cube.

A throw is a chance event, and a whole turn is one move. The legal ones are found at the end of this file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from typing import Any, Final, Self, cast

from adsearch.errors import BadMove, BadPosition, one_of, quote
from adsearch.games.evaluation import squash
from adsearch.state import CHANCE, Feature, Looks, State

# The legal plays of backgammon: what a player can do with a throw.


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
    return tuple([tuple(sorted(steps, key=lambda step: (-step[0], step[1]))) for steps in found.values()])


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


MARKS: Final = "XO"
"""The checkers of seat 0 and of seat 1."""
CHECKERS: Final = 15
_NAMES: Final = {OFF: "off", BAR: "bar"}
_PLACES: Final = {name: place for place in range(26) for name in {str(place), _NAMES.get(place, str(place))}}
THROWS: Final = tuple(
    (f"{one}{other}", (2 if one != other else 1) / 36) for one in range(6, 0, -1) for other in range(one, 0, -1)
)
"""The 21 throws, the larger die first, with their probabilities."""
FIRST_THROWS: Final = tuple((throw, 1 / 15) for throw, _ in THROWS if throw[0] != throw[1])

MOST: Final = 3.0
"""What a backgammon is worth."""
WEIGHT_OF_THE_RACE: Final = 0.02
WEIGHT_OF_A_BLOT: Final = 0.06
WEIGHT_OF_A_POINT: Final = 0.08
WEIGHT_OF_THE_BAR: Final = 0.15
WEIGHT_OF_A_CHECKER_OFF: Final = 0.05
_REACH: Final = 6
"""A blot is in danger from checkers up to this number of points away, which one die can move."""

_POSITION: Final = re.compile(r"X=(\S+) O=(\S+) (?:next=([XO]) dice=(first|\?|[1-6]{2})|winner=([XO]))")


def side(standing: dict[int, int]) -> Side:
    """A side from the number of its checkers at places."""
    return tuple(standing.get(place, 0) for place in range(26))


START: Final = side({24: 2, 13: 5, 8: 3, 6: 5})


class Backgammon(State[Any]):
    """Two players move 15 checkers each around 24 points, in opposite directions, and bear them off. A turn starts
    with a throw of two dice; each die moves one checker that number of points, and a double is played four times. A
    checker cannot move to a point with two or more checkers of the other side. A checker that is alone on its point
    can be hit: it goes to the bar, and must enter again at the far end before its side can make another move. A side
    with all its checkers on its points 1 to 6 can bear them off, with the exact die, or from its farthest point with a
    larger one. As many dice as possible must be used; if only one of two can be used, the larger one. A player who can
    move no checker loses the turn. The first player without checkers on the board wins: 1 point, 2 if the other player
    has borne off none (a gammon), 3 if one of these is still on the bar or on the winner's points 1 to 6 (a
    backgammon). There is no doubling cube. Seat 0 begins; the first throw is not a double."""

    notation = "from where to where each checker goes, by the player's own points: 24/18,13/11; bar, off; * is a hit"
    looks = Looks(sides=("White", "Black"), pieces=("X", "O"))
    position_notation = (
        (
            "X=24:2,13:5",
            "seat 0's checkers: two on its point 24, five on 13. All 15 must be listed, also those on the bar "
            "(bar:1) and those borne off (off:3)",
        ),
        ("O=24:2,13:5", "seat 1's, counted from its own side: its point 24 is point 1 of seat 0"),
        ("next=X", "the player who throws or moves; winner=X if the game is over"),
        ("dice=31", "the throw to use; ? before a throw, first before the first one of the game"),
    )
    attributes = (
        (
            "sides[seat]",
            "the checkers of a seat, by its own points: sides[0][24] of seat 0 on its point 24; 25: bar, 0: off",
        ),
        ("dice", "the throw to use, such as '31'; '?' or 'first' before a throw"),
        ("seat", "the seat that throws or moves, also while turn is CHANCE"),
        ("pips(seat)", "how many points the checkers of a seat still have to go"),
    )
    evaluation = (
        Feature("race", WEIGHT_OF_THE_RACE, "the opponent's pips minus the own"),
        Feature("blots", -WEIGHT_OF_A_BLOT, "own blots that one die can hit, minus the opponent's"),
        Feature("points", WEIGHT_OF_A_POINT, "own points 1 to 7 with two checkers or more, minus the opponent's"),
        Feature("bar", -WEIGHT_OF_THE_BAR, "own checkers on the bar, minus the opponent's"),
        Feature("off", WEIGHT_OF_A_CHECKER_OFF, "own checkers borne off, minus the opponent's"),
    )
    chance = True
    bounds = (-MOST, MOST)
    plies_a_round = 4

    __slots__ = ("_plays", "dice", "seat", "sides", "turn")

    sides: tuple[Side, Side]
    seat: int
    """The seat to move or to throw; in a finished game the winner."""
    dice: str
    _plays: tuple[Play, ...]

    @classmethod
    def start(cls) -> Self:
        return cls.of((START, START), 0, "first")

    @classmethod
    def of(cls, sides: tuple[Side, Side], seat: int, dice: str) -> Self:
        """The position with these values. Without a legal play the turn has passed; a seat without checkers has won."""
        state = cls()
        state.sides, state.seat, state.dice = sides, seat, dice
        state.turn, state._plays = CHANCE, ()
        if sides[seat][OFF] == CHECKERS:
            state.turn = None
        elif dice.isdigit():
            state._plays = plays(sides[seat], sides[1 - seat], int(dice[0]), int(dice[1]))
            if not state._plays:
                return cls.of(sides, 1 - seat, "?")
            state.turn = seat
        return state

    @classmethod
    def load(cls, text: str) -> Self:
        found = _POSITION.fullmatch(text)
        if not found:
            raise BadPosition(f"expected a position such as '{cls.start().position()}', got {quote(text)}")
        sides = (_read_side(found[1], "X"), _read_side(found[2], "O"))
        seat = MARKS.index(found[3] or found[5])
        for point in range(1, BAR):
            if sides[0][point] and sides[1][BAR - point]:
                raise BadPosition(f"X and O cannot both be on point {point} of X")
        if all(one[BAR] and min(other[1 : HOME + 1]) > 1 for one, other in (sides, sides[::-1])):
            raise BadPosition("X and O cannot both be on the bar for ever, before six points that are taken")
        if sides[1 - seat][OFF] == CHECKERS:
            raise BadPosition(f"{MARKS[1 - seat]} has borne off all checkers, so expected winner={MARKS[1 - seat]}")
        dice = found[4] or "?"
        if dice.isdigit() and dice[0] < dice[1]:
            raise BadPosition(f"expected the larger die first, dice={dice[::-1]}, got dice={dice}")
        if dice == "first" and (sides != (START, START) or seat):
            raise BadPosition("dice=first is only for the start of the game, where X throws; write dice=?")
        state = cls.of(sides, seat, dice)
        if state.position() != text:
            raise BadPosition(f"expected '{state.position()}', got {quote(text)}")
        return state

    def pips(self, seat: int) -> int:
        """How many points the checkers of a seat still have to go."""
        return sum([place * count for place, count in enumerate(self.sides[seat])])

    def moves(self) -> tuple[Play | str, ...]:
        if self.turn == CHANCE:
            return tuple([throw for throw, _ in self.chances()])
        return self._plays

    def chances(self) -> tuple[tuple[str, float], ...]:
        if self.turn != CHANCE:
            return ()
        return FIRST_THROWS if self.dice == "first" else THROWS

    def play(self, move: Play | str) -> Self:
        if isinstance(move, str):
            return self.of(self.sides, self.seat, move)
        mine, theirs = played(self.sides[self.seat], self.sides[1 - self.seat], move)
        if mine[OFF] == CHECKERS:
            return self.of((theirs, mine) if self.seat else (mine, theirs), self.seat, "?")
        return self.of((theirs, mine) if self.seat else (mine, theirs), 1 - self.seat, "?")

    def utilities(self) -> tuple[float, float]:
        worth = float(self._worth())
        return (-worth, worth) if self.seat else (worth, -worth)

    def _worth(self) -> int:
        """The points of the finished game: 1, 2 for a gammon, 3 for a backgammon."""
        loser = self.sides[1 - self.seat]
        if loser[OFF]:
            return 1
        return 3 if any(loser[BAR - HOME :]) else 2

    def ending(self) -> str:
        return ("all checkers borne off", "a gammon", "a backgammon")[self._worth() - 1]

    def evaluate(self, seat: int) -> float:
        if self.turn is None:
            return self.utilities()[seat]
        features = self.features(seat)
        return self.scaled(sum(feature.weight * features[feature.name] for feature in self.evaluation))

    def features(self, seat: int) -> dict[str, float]:
        mine, theirs = self.sides[seat], self.sides[1 - seat]
        return {
            "race": float(self.pips(1 - seat) - self.pips(seat)),
            "blots": float(_blots(mine, theirs) - _blots(theirs, mine)),
            "points": float(_points(mine) - _points(theirs)),
            "bar": float(mine[BAR] - theirs[BAR]),
            "off": float(mine[OFF] - theirs[OFF]),
        }

    def scaled(self, score: float) -> float:
        return MOST * squash(score)

    @property
    def key(self) -> tuple[tuple[Side, Side], int, str]:
        return (self.sides, self.seat, self.dice)

    def to_text(self, move: Play | str) -> str:
        return move if isinstance(move, str) else _written(move, self.sides[1 - self.seat])

    def from_text(self, text: str) -> Play | str:
        """A play can also be written in other ways that say the same: 24/18 18/13 or 24/18/13 for 24/13. Each stop that
        is written must be one, and each * a hit."""
        written = ",".join(text.replace(",", " ").split()) if isinstance(text, str) else text
        try:
            return cast("Play | str", super().from_text(written))
        except BadMove:
            found = self._meant(text) if isinstance(text, str) else []
            if len(found) != 1:
                raise
            return found[0]

    def _meant(self, text: str) -> list[Play]:
        """The legal plays that can be meant by a text that is not exactly that of one."""
        if self.turn not in (0, 1) or (read := _read(text)) is None:
            return []
        ways, hits = read
        mine, theirs = self.sides[self.seat], self.sides[1 - self.seat]
        meant = {
            played(mine, theirs, steps)
            for steps in self.step_by_step()
            if hits <= _hits(steps, theirs) and _covers(ways, steps)
        }
        return [play for play in self._plays if played(mine, theirs, play) in meant]

    def step_by_step(self) -> list[Play]:
        """All ways to use the dice that are thrown, also those that lead to the same position."""
        board, (one, other) = _Board(self.sides[self.seat], self.sides[1 - self.seat]), map(int, self.dice)
        return [steps for dice in {(one, other), (other, one)} for steps, _ in board.ways(*dice)]

    def why_illegal(self, text: str) -> str:
        if self.turn not in (0, 1):
            return ""
        if (read := _read(text)) is None or not read[0]:
            return f"write moves such as {self.to_text(self._plays[0])}"
        if found := self._meant(text):
            return f"it can mean {one_of([*map(self.to_text, found)])}"
        ways, hits = read
        mine, theirs = [*self.sides[self.seat]], self.sides[1 - self.seat]
        for place, to in sorted(ways, reverse=True):
            if place != BAR and mine[BAR]:
                return "a checker on the bar must enter first"
            if not mine[place]:
                return f"there is no checker of yours on {'the bar' if place == BAR else place}"
            if to >= place:
                return f"checkers go from high points to low ones, so not {name_of(place)}/{name_of(to)}"
            if to == OFF and any(mine[HOME + 1 :]):
                return "checkers can be borne off only when all of yours are on the points 1 to 6"
            if to != OFF and theirs[BAR - to] > 1:
                return f"{to} is blocked: there are {theirs[BAR - to]} checkers of the other side"
            mine[place] -= 1
            mine[to] += 1
        if missed := [point for point in sorted(hits) if point == OFF or theirs[BAR - point] != 1]:
            return f"there is no single checker of the other side on {name_of(missed[0])} to hit"
        first, second = self.dice[0], self.dice[1]
        for steps in self.step_by_step():
            if any(_covers(ways, part) for count in range(1, len(steps) + 1) for part in combinations(steps, count)):
                if first != second and len(self._plays[0]) == 1:
                    return f"only one die can be used, so the larger one must be: {first}"
                dice = f"{first} and {second}" if first != second else f"{first} up to four times"
                return f"as many dice as possible must be used: {dice}"
        return f"the dice {first} and {second} do not allow it"

    def position(self) -> str:
        standing = " ".join(f"{mark}={_standing(each)}" for mark, each in zip(MARKS, self.sides, strict=True))
        mark = MARKS[self.seat]
        return f"{standing} winner={mark}" if self.turn is None else f"{standing} next={mark} dice={self.dice}"

    def __str__(self) -> str:
        """The board as seat 0 sees it, with the numbers of both players; below it what is borne off, and whose turn it
        is."""
        upper, lower = range(13, BAR), range(12, 0, -1)
        lines = [*_numbers(upper), *self._rows(upper), "", *reversed(self._rows(lower)), *reversed(_numbers(lower))]
        for seat, mark in enumerate(MARKS):
            counted = self.sides[seat]
            lines.append(f"{mark}  seat {seat}: {counted[BAR]} on the bar, {counted[OFF]} off, {self.pips(seat)} pips")
        lines.append(self._whose_turn())
        return "\n".join(line.rstrip() for line in lines)

    def _rows(self, points: Iterable[int]) -> list[str]:
        """Five rows of checkers on these points, the row at the edge first; a number for the checkers above four."""
        rows = []
        for row in range(_TALLEST):
            cells = []
            for point in points:
                mine, theirs = self.sides[0][point], self.sides[1][BAR - point]
                count = mine or theirs
                more = row == _TALLEST - 1 and count > _TALLEST
                cells.append(
                    "."
                    if count <= row and not row
                    else " "
                    if count <= row
                    else str(count)
                    if more
                    else MARKS[not mine]
                )
            rows.append(_line(cells))
        return rows

    def _whose_turn(self) -> str:
        mark = MARKS[self.seat]
        if self.turn is None:
            return f"{mark} has won: {self.ending()}"
        return f"{mark} has thrown {self.dice}" if self.turn != CHANCE else f"{mark} throws"


_TALLEST: Final = 5


def _line(cells: Iterable[str]) -> str:
    """Twelve cells, with the bar in the middle."""
    texts = [f"{cell:>3}" for cell in cells]
    return f"{''.join(texts[:6])}  |{''.join(texts[6:])}"


def _numbers(points: Sequence[int]) -> tuple[str, str]:
    """What each player calls these points of seat 0."""
    return f"{_line(map(str, points))}  {MARKS[0]}", f"{_line(str(BAR - point) for point in points)}  {MARKS[1]}"


def _blots(mine: Side, theirs: Side) -> int:
    """How many checkers are alone, and within one die of a checker of the other side."""
    alone = [BAR - place for place in range(1, BAR) if mine[place] == 1]
    return sum([any(theirs[at + 1 : at + 1 + _REACH]) for at in alone])


def _points(mine: Side) -> int:
    """How many of the points 1 to 7 have two checkers or more."""
    return sum([count > 1 for count in mine[1 : HOME + 2]])


def _standing(one: Side) -> str:
    """Where a side's checkers are, the farthest first."""
    return ",".join(f"{name_of(place)}:{one[place]}" for place in range(BAR, -1, -1) if one[place])


def _read_side(text: str, mark: str) -> Side:
    """A side from the text of `_standing`."""
    standing: dict[int, int] = {}
    for word in text.split(","):
        name, _, count = word.partition(":")
        if name not in _PLACES or not count.isdecimal() or len(count) > 2:
            raise BadPosition(f"expected points and checkers of {mark}, such as 24:2,13:5, got {quote(word)}")
        standing[_PLACES[name]] = standing.get(_PLACES[name], 0) + int(count)
    if sum(standing.values()) != CHECKERS:
        raise BadPosition(f"expected {CHECKERS} checkers of {mark}, got {sum(standing.values())}")
    return side(standing)


def _written(play: Play, theirs: Side) -> str:
    """A play as text: one part for each checker that moves, with the points between only where it hits."""
    paths: list[list[int]] = []
    for place, to in play:
        for path in paths:
            if path[-1] == place:
                path.append(to)
                break
        else:
            paths.append([place, to])
    blots = _hits(play, theirs)
    parts = []
    for first, *between, last in paths:
        stops = [name_of(first)]
        for point in (*between, last):
            if point in blots:
                blots.remove(point)
                stops.append(f"{name_of(point)}*")
            elif point == last:
                stops.append(name_of(point))
        parts.append("/".join(stops))
    return ",".join(part if count == 1 else f"{part}({count})" for part, count in Counter(parts).items())


def name_of(place: int) -> str:
    """The name of a place in moves."""
    return _NAMES.get(place, str(place))


def _hits(play: Play, theirs: Side) -> set[int]:
    """The points on which it hits."""
    return {to for _, to in play if to != OFF and theirs[BAR - to] == 1}


def _covers(ways: Play, steps: Play) -> bool:
    """Whether these steps of single dice are exactly the ways that checkers go, of one or more steps each."""
    if not ways:
        return not steps
    (place, to), *others = ways
    for at, (start, end) in enumerate(steps):
        if start == place and end >= to:
            further = ((end, to),) if end > to else ()
            if _covers((*further, *others), steps[:at] + steps[at + 1 :]):
                return True
    return False


_PART: Final = re.compile(r"[a-z0-9]+(?:/[a-z0-9]+\*?)+(?:\(([1-4])\))?")


def _read(text: str) -> tuple[Play, set[int]] | None:
    """A play that is written in any way: from where to where checkers go, between all stops, and where they hit; None
    if it cannot be read."""
    ways: list[Step] = []
    hits = set()
    for part in text.lower().replace(",", " ").split():
        found = _PART.fullmatch(part)
        stops = part.partition("(")[0].split("/") if found else [""]
        places = [_PLACES.get(stop.removesuffix("*")) for stop in stops]
        if found is None or None in places:
            return None
        line = [place for place in places if place is not None]
        hits |= {place for place, stop in zip(line, stops, strict=True) if stop.endswith("*")}
        ways += [*pairwise(line)] * int(found[1] or 1)
    return tuple(ways), hits
