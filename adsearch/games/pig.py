"""Pig, a small dice game in which players choose between more points and more risk; Piglet is the same with a coin.

A search to the end cannot find its value, because positions can repeat; value iteration solves it. Points beyond the
goal are not counted, so that the number of positions is finite.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Self

from adsearch.errors import BadOption, BadPosition, quote
from adsearch.games.evaluation import squash
from adsearch.option import Option
from adsearch.state import CHANCE, State

WEIGHT_OF_THE_LEAD = 1.0
"""Weight of the lead in points (with the expected points of this turn), divided by the goal."""
WEIGHT_OF_THE_RACE = 2.0
"""Weight of the lead, divided by the points that both players still need: a lead counts more near the goal."""
SHARE_EXPECTED_OF_A_THROW = 0.4
"""A turn is expected to end at this fraction of the way from its total to the total at which a throw gains nothing."""

CHOICES = ("roll", "hold")
BAR = 50
"""Width of the score bars, in characters."""

_POSITION = re.compile(
    r"(?P<first>[0-9]{1,4})-(?P<second>[0-9]{1,4})"
    r" (?:winner=(?P<winner>[01])|next=(?P<seat>[01]) total=(?P<total>[0-9]{1,4}) (?P<to>throw|choose))"
)


class Dice:
    """The constants of a game: the goal, and the die with the points of each face."""

    __slots__ = ("balance", "bust", "chances", "faces", "goal", "points", "survival", "totals")

    def __init__(self, goal: int, sides: int, bust: int, fixed: bool) -> None:
        self.goal = goal
        self.bust = bust
        self.faces = tuple(str(face) for face in range(1, sides + 1))
        self.chances = tuple((face, 1.0 / sides) for face in self.faces)
        # Points of each face; 0 for the bust face.
        self.points = {str(face): 0 if face == bust else 1 if fixed else face for face in range(1, sides + 1)}
        scoring = {points for points in self.points.values() if points}
        self.survival = 1.0 - (1.0 / sides if bust else 0.0)
        # The total at which the expected gain of a throw is 0 (20 with the default die), at most the goal.
        self.balance = min(goal, sum(self.points.values())) if bust else goal
        totals = {0}
        for total in range(1, goal):
            if any(total - points in totals for points in scoring):
                totals.add(total)
        # Every sum of throws below the goal.
        self.totals = frozenset(totals)


@lru_cache(maxsize=64)
def dice(goal: int, sides: int, bust: int, points: str) -> Dice:
    """The Dice for these options (cached)."""
    return Dice(goal, sides, bust, points == "fixed")


class Pig(State[str]):
    """Two players take turns. In a turn the player throws a die as often as they like; each throw adds its points to
    the turn's total. A player who holds adds the total to their score, and the turn passes; a player who throws the
    bust face loses the total, and the turn passes. Every turn starts with a throw. The first player whose score reaches
    the goal by holding wins; points beyond the goal are not counted. Piglet, with a coin, is
    `pig:goal=10,sides=2,bust=1,points=fixed`."""

    options = (
        Option("goal", 100, "points that win", 2, 500),
        Option("sides", 6, "sides of the die", 2, 20),
        Option("bust", 1, "the face that loses the turn's points; 0: none", 0, 20),
        Option("points", "face", "points of a throw: its face, or always 1", choices=("face", "fixed")),
    )
    notation = "roll or hold"
    position_notation = (
        ("12-30", "the points of seat 0 and of seat 1"),
        ("next=1", "the seat whose turn it is; winner=1 if the game is over"),
        ("total=5", "the points of this turn so far"),
        ("throw or choose", "what comes next: a throw of the die, or the choice of roll or hold"),
    )
    attributes = (
        ("scores[seat]", "the points of a seat that are safe"),
        ("total", "the points of this turn so far, which a bust would lose"),
        ("seat", "the seat that throws or chooses, also while turn is CHANCE"),
        ("goal", "the points that win"),
    )

    __slots__ = ("dice", "scores", "seat", "total", "turn")

    dice: Dice
    scores: tuple[int, int]
    seat: int
    """The seat to move or to throw; in a finished game the winner."""
    total: int
    """The points of this turn so far."""

    @classmethod
    def start(cls, *, goal: int, sides: int, bust: int, points: str) -> Self:
        if bust > sides:
            raise BadOption(f"bust must be 0..{sides}, a side of the die or none, got {bust}")
        return cls.of(dice(goal, sides, bust, points), (0, 0), 0, 0, CHANCE)

    @classmethod
    def of(cls, dice: Dice, scores: tuple[int, int], seat: int, total: int, turn: int | None) -> Self:
        """The position with these values; `turn` is CHANCE, `seat`, or None if that seat has won."""
        state = cls()
        state.dice = dice
        state.scores = scores
        state.seat = seat
        state.total = total
        state.turn = turn
        return state

    @classmethod
    def load(cls, text: str, *, goal: int, sides: int, bust: int, points: str) -> Self:
        start = cls.start(goal=goal, sides=sides, bust=bust, points=points)
        found = _POSITION.fullmatch(text)
        if not found:
            raise BadPosition(f"expected a position such as '{start.position()}', got {quote(text)}")
        totals = start.dice.totals
        scores = (int(found["first"]), int(found["second"]))
        seat = int(found["winner"] or found["seat"])
        total = int(found["total"] or 0)
        turn = None if found["winner"] else CHANCE if found["to"] == "throw" else seat
        for owner, score in enumerate(scores):
            if score not in totals and not (turn is None and score == goal and owner == seat):
                raise BadPosition(f"expected a score that can be thrown, below {goal}, got {score}")
        if turn is None and scores[seat] != goal:
            raise BadPosition(f"expected a winner with {goal} points, got {scores[seat]}")
        if (total not in totals and scores[seat] + total != goal) or scores[seat] + total > goal:
            raise BadPosition(f"expected a total that can be thrown, up to {goal - scores[seat]}, got {total}")
        if turn == seat and not total:
            raise BadPosition("expected a choice after points, got a total of 0")
        state = cls.of(start.dice, scores, seat, total, turn)
        if state.position() != text:
            raise BadPosition(f"expected '{state.position()}', got {quote(text)}")
        return state

    @property
    def goal(self) -> int:
        """The points that win."""
        return self.dice.goal

    @property
    def chance(self) -> bool:
        return True

    def moves(self) -> tuple[str, ...]:
        turn = self.turn
        return self.dice.faces if turn == CHANCE else CHOICES if turn is not None else ()

    def chances(self) -> tuple[tuple[str, float], ...]:
        return self.dice.chances if self.turn == CHANCE else ()

    def all_moves(self) -> tuple[str, ...]:
        return CHOICES

    def play(self, move: str) -> Self:
        child = self.__class__()
        child.dice = dice = self.dice
        child.scores = scores = self.scores
        child.seat = seat = self.seat
        if self.turn == CHANCE:
            points = dice.points[move]
            if points:
                missing = dice.goal - scores[seat]
                total = self.total + points
                child.total = total if total < missing else missing
                child.turn = seat
            else:
                child.seat = 1 - seat
                child.total = 0
                child.turn = CHANCE
        elif move == "roll":
            child.total = self.total
            child.turn = CHANCE
        else:
            score = scores[seat] + self.total
            child.scores = (scores[0], score) if seat else (score, scores[1])
            child.total = 0
            if score < dice.goal:
                child.seat = 1 - seat
                child.turn = CHANCE
            else:
                child.turn = None
        return child

    def utilities(self) -> tuple[float, float]:
        return (-1.0, 1.0) if self.seat else (1.0, -1.0)

    def ending(self) -> str:
        return f"{self.scores[0]}-{self.scores[1]} points"

    def evaluate(self, seat: int) -> float:
        if self.turn is None:
            return self.utilities()[seat]
        dice = self.dice
        mine, theirs = self.scores[self.seat], self.scores[1 - self.seat]
        total = self.total
        a_turn = SHARE_EXPECTED_OF_A_THROW * dice.balance
        expected = min(a_turn + (1.0 - SHARE_EXPECTED_OF_A_THROW) * total, dice.survival * (dice.goal - mine))
        if self.turn != CHANCE and expected < total:
            expected = total
        # The other player's turn follows; half of its expected points balances the start and the end of a turn.
        lead = mine + expected - theirs - a_turn / 2.0
        missing = 2 * dice.goal - mine - theirs - expected
        value = squash(WEIGHT_OF_THE_LEAD * lead / dice.goal + WEIGHT_OF_THE_RACE * lead / missing)
        return value if seat == self.seat else -value

    def noisy_moves(self) -> tuple[str, ...]:
        """Hold, if that wins."""
        wins = self.turn == self.seat and self.scores[self.seat] + self.total >= self.dice.goal
        return ("hold",) if wins else ()

    @property
    def key(self) -> tuple[tuple[int, int], int, int, int | None]:
        return (self.scores, self.seat, self.total, self.turn)

    def position(self) -> str:
        scores = "{}-{}".format(*self.scores)
        if self.turn is None:
            return f"{scores} winner={self.seat}"
        return f"{scores} next={self.seat} total={self.total} {'throw' if self.turn == CHANCE else 'choose'}"

    def __str__(self) -> str:
        goal = self.dice.goal
        lines = []
        for seat, score in enumerate(self.scores):
            total = self.total if seat == self.seat else 0
            kept, all_points = BAR * score // goal, BAR * (score + total) // goal
            bar = f"{'#' * kept}{'+' * (all_points - kept)}".ljust(BAR, ".")
            lines.append(f"seat {seat} {score:>5} {f'+{total}' if total else '':<5} {bar} {goal}")
        bust = f"; a {self.dice.bust} loses the turn's points" if self.dice.bust else ""
        if self.turn is None:
            lines.append(f"seat {self.seat} has won")
        elif self.turn == CHANCE:
            lines.append(f"seat {self.seat} throws{bust}")
        else:
            lines.append(f"seat {self.seat} may roll or hold{bust}")
        return "\n".join(lines)
