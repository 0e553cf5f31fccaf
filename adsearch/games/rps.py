"""Rock, paper, scissors: an example of simultaneous moves, played as hidden moves one after the other.

Seat 0 chooses first; seat 1 sees that choice only after its own. A position with an unknown choice (loaded from a view)
can be played; such a round counts as a draw.
"""

from __future__ import annotations

from random import Random
from typing import Final, Self

from adsearch.errors import BadPosition, quote
from adsearch.option import Option
from adsearch.state import State

CHOICES: Final = ("rock", "paper", "scissors")
_INITIALS: Final = {choice[0]: choice for choice in CHOICES}
UNKNOWN: Final = "?"


def winner(first: str, second: str) -> int:
    """1 if `first` beats `second`, -1 if it loses, 0 if neither (or one is unknown)."""
    if UNKNOWN in (first, second):
        return 0
    return (0, 1, -1)[(CHOICES.index(first) - CHOICES.index(second)) % 3]


class RockPaperScissors(State[str]):
    """Both players choose rock, paper or scissors at the same time: rock beats scissors, scissors beat paper, paper
    beats rock. Seat 0 is asked first; seat 1 sees that choice only after its own. Utilities are the rounds won minus
    the rounds lost."""

    options = (Option("rounds", 3, "number of rounds", 1, 100),)
    notation = "rock, paper or scissors"
    position_notation = (
        ("rp", "a round: the first letter of seat 0's choice, then of seat 1's; ? is a choice that you cannot see"),
        ("rp ss r", "several rounds; in the last one seat 1 has not chosen yet. - is the start"),
    )
    attributes = (
        ("chosen", "all choices so far: of seat 0, seat 1, seat 0, ...; '?' is a choice that you cannot see"),
        ("rounds", "the number of rounds of the game"),
        ("lead", "the rounds won by seat 0 minus the rounds won by seat 1"),
    )
    hidden = True

    __slots__ = ("chosen", "rounds", "turn")

    rounds: int
    chosen: tuple[str, ...]
    """All choices so far: seat 0, seat 1, seat 0, ..."""

    @classmethod
    def start(cls, *, rounds: int) -> Self:
        return cls.of(rounds, ())

    @classmethod
    def of(cls, rounds: int, chosen: tuple[str, ...]) -> Self:
        """The position after these choices."""
        state = cls()
        state.rounds = rounds
        state.chosen = chosen
        state.turn = len(chosen) % 2 if len(chosen) < 2 * rounds else None
        return state

    @classmethod
    def load(cls, text: str, *, rounds: int) -> Self:
        words = text.split(" ") if text != "-" else []
        initials = "".join(words)
        paired = all(len(word) == 2 for word in words[:-1]) and len(words[-1]) in (1, 2) if words else True
        if not paired or not set(initials) <= {*_INITIALS, UNKNOWN} or len(initials) > 2 * rounds:
            raise BadPosition(
                f"expected up to {rounds} rounds by initials, such as 'rp ss r', or '-', got {quote(text)}"
            )
        return cls.of(rounds, tuple(_INITIALS.get(initial, UNKNOWN) for initial in initials))

    @property
    def bounds(self) -> tuple[float, float]:
        return (-float(self.rounds), float(self.rounds))

    @property
    def max_plies(self) -> int:
        return 2 * self.rounds

    @property
    def lead(self) -> int:
        """Rounds won by seat 0 minus rounds won by seat 1."""
        return sum(map(winner, self.chosen[::2], self.chosen[1::2]))

    def moves(self) -> tuple[str, ...]:
        return CHOICES if self.turn is not None else ()

    def all_moves(self) -> tuple[str, ...]:
        return CHOICES

    def play(self, move: str) -> Self:
        return self.of(self.rounds, (*self.chosen, move))

    def utilities(self) -> tuple[float, float]:
        return (float(self.lead), float(-self.lead))

    def evaluate(self, seat: int) -> float:
        """The lead so far: future rounds are as likely to be won as lost."""
        return float(self.lead if seat == 0 else -self.lead)

    @property
    def key(self) -> tuple[int, int, str]:
        return (len(self.chosen), self.lead, self.chosen[-1] if self.turn == 1 else "")

    def position(self) -> str:
        initials = "".join(choice[0] for choice in self.chosen)
        return " ".join(initials[at : at + 2] for at in range(0, len(initials), 2)) or "-"

    def view(self, seat: int) -> str:
        return self.of(self.rounds, self._seen(seat)).position()

    def _seen(self, seat: int) -> tuple[str, ...]:
        """The choices as `seat` sees them."""
        return (*self.chosen[:-1], UNKNOWN) if self.turn == 1 and seat == 1 else self.chosen

    def view_move(self, seat: int, move: str) -> str:
        return UNKNOWN if self.turn == 0 and seat == 1 else move

    def sample(self, seat: int, random: Random) -> Self:
        guessed = tuple(random.choice(CHOICES) if choice == UNKNOWN else choice for choice in self._seen(seat))
        return self.of(self.rounds, guessed)

    def __str__(self) -> str:
        rounds = [
            f"{number:>3}  {first:<8} {second}"
            for number, (first, second) in enumerate(zip(self.chosen[::2], [*self.chosen[1::2], ""], strict=False), 1)
        ]
        ahead = f"seat {int(self.lead < 0)} leads by {abs(self.lead)}" if self.lead else "even"
        return "\n".join([f"{ahead} after {len(self.chosen) // 2} of {self.rounds} rounds", *rounds])
