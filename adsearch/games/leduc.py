"""Leduc hold'em: poker with six cards and two rounds of bets, the next larger poker of research after Kuhn's.

The rules are those of Southey et al., "Bayes' Bluff: Opponent Modelling in Poker" (2005). The two suits of a rank are
equal in everything, so a card is its rank, and a deal has the probability of the cards that are left. A position with
an unknown card (loaded from a view) can be played; its utilities are expected values.
"""

from __future__ import annotations

import re
from functools import cache
from random import Random
from typing import Final, Self

from adsearch.errors import BadPosition, quote
from adsearch.state import CHANCE, State

RANKS: Final = "JQK"
SUITS: Final = 2
UNKNOWN: Final = "?"
ANTE: Final = 1
BETS: Final = (2, 4)
"""The chips of a bet or a raise, in the first and in the second round."""
REPLIES: Final = {
    "": ("check", "bet"),
    "check": ("check", "bet"),
    "bet": ("fold", "call", "raise"),
    "check bet": ("fold", "call", "raise"),
    "bet raise": ("fold", "call"),
    "check bet raise": ("fold", "call"),
}
"""The words said in a round -> the legal next words; any other words end the round."""
_POSITION = re.compile(
    r"(?P<cards>--|[JQK?]-|[JQK?]{2})(?P<first>( [a-z]+)*)( (?P<public>[JQK])(?P<second>( [a-z]+)*))?"
)


class Leduc(State[str]):
    """Poker for two players with six cards: two jacks, two queens, two kings. Each player puts one chip into the pot
    and gets one card that the other does not see. In a round, seat 0 speaks first: check or bet. After a bet, the other
    player folds, calls (puts in as many chips) or raises (calls and bets again). After a raise the other player folds
    or calls. After the first round a third card is dealt for all to see, and a second round follows. A bet is 2 chips
    in the first round and 4 in the second. A player who folds loses the pot. Otherwise a card equal to the third card
    wins it, then the higher card; equal cards share it. Utilities are the chips won."""

    notation = "check, bet, call, raise or fold; a deal is the card: J, Q or K"
    position_notation = (
        ("QK", "the card of seat 0, then of seat 1; ? is a card that you cannot see, - is not dealt yet"),
        ("check bet call", "what the players said in the first round, in order; seat 0 speaks first"),
        ("J", "the card that all can see"),
        ("bet", "what the players said in the second round; seat 0 speaks first again"),
    )
    attributes = (
        ("cards[seat]", "the card of a seat: 'J', 'Q', 'K', or '?' if you cannot see it"),
        ("public", "the card that all can see; '' before it is dealt"),
        ("said", "what the players said in this round so far, such as 'check bet'"),
        ("chips[seat]", "the chips that a seat has put into the pot"),
    )
    chance = True
    hidden = True
    bounds = (-13.0, 13.0)
    max_plies = 11

    __slots__ = ("cards", "public", "rounds", "turn")

    cards: str
    """The cards dealt to the seats so far, seat 0's first."""
    public: str
    rounds: tuple[str, ...]
    """The words of each round, the current one last."""

    @classmethod
    def start(cls) -> Self:
        return cls.of("", "", ("",))

    @classmethod
    def of(cls, cards: str, public: str, rounds: tuple[str, ...]) -> Self:
        """The position after these deals and words."""
        state = cls()
        state.cards, state.public, state.rounds = cards, public, rounds
        said = rounds[-1]
        if len(cards) < 2:
            state.turn = CHANCE
        elif said in REPLIES:
            state.turn = len(said.split()) % 2
        else:
            state.turn = None if public or said.endswith("fold") else CHANCE
        return state

    @classmethod
    def load(cls, text: str) -> Self:
        match = _POSITION.fullmatch(text)
        if not match:
            raise BadPosition(f"expected cards and what was said, such as 'QK check bet call J bet', got {quote(text)}")
        cards, public = match["cards"].rstrip("-"), match["public"] or ""
        rounds = [match["first"][1:]] + ([match["second"][1:]] if public else [])
        for rank in RANKS:
            if (cards + public).count(rank) > SUITS:
                raise BadPosition(f"there are only {SUITS} cards {rank}, got {quote(text)}")
        for said in rounds:
            *before, last = said.split() or [""]
            if said and (len(cards) < 2 or last not in REPLIES.get(" ".join(before), ())):
                raise BadPosition(f"expected words of a round, such as 'check bet call', got {quote(said)}")
        if public and (rounds[0] in REPLIES or rounds[0].endswith("fold")):
            raise BadPosition(f"the third card is dealt after a first round such as 'bet call', got {quote(rounds[0])}")
        return cls.of(cards, public, tuple(rounds))

    @property
    def said(self) -> str:
        """The words of this round so far."""
        return self.rounds[-1]

    @property
    def chips(self) -> tuple[int, int]:
        """The chips that each seat has put into the pot."""
        chips = [ANTE, ANTE]
        for said, bet in zip(self.rounds, BETS, strict=False):
            for place, word in enumerate(said.split()):
                if word in ("call", "bet", "raise"):
                    chips[place % 2] = chips[1 - place % 2] + (0 if word == "call" else bet)
        return chips[0], chips[1]

    def moves(self) -> tuple[str, ...]:
        if self.turn == CHANCE:
            return tuple(rank for rank in RANKS if self._left(rank))
        return REPLIES[self.said] if self.turn is not None else ()

    def chances(self) -> tuple[tuple[str, float], ...]:
        """An unknown card can be any of those that are left, so it changes no probability."""
        if self.turn != CHANCE:
            return ()
        left = {rank: self._left(rank) for rank in self.moves()}
        return tuple((rank, number / sum(left.values())) for rank, number in left.items())

    def _left(self, rank: str) -> int:
        """How many cards of this rank are not seen."""
        return SUITS - (self.cards + self.public).count(rank)

    def all_moves(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(word for words in REPLIES.values() for word in words))

    def play(self, move: str) -> Self:
        if len(self.cards) < 2:
            return self.of(self.cards + move, "", ("",))
        if self.turn == CHANCE:
            return self.of(self.cards, move, (*self.rounds, ""))
        return self.of(self.cards, self.public, (*self.rounds[:-1], f"{self.said} {move}".lstrip()))

    def utilities(self) -> tuple[float, float]:
        chips = self.chips
        if self.said.endswith("fold"):
            loser = (len(self.said.split()) - 1) % 2
            return (-float(chips[0]), float(chips[0])) if loser == 0 else (float(chips[1]), -float(chips[1]))
        won = chips[0] * self._edge()
        return (won, 0.0 - won)

    def evaluate(self, seat: int) -> float:
        """Half the pot, multiplied by the probability that the own card wins, minus that it loses."""
        if self.turn is None:
            return self.utilities()[seat]
        estimate = sum(self.chips) / 2 * self._edge()
        return estimate if seat == 0 else 0.0 - estimate

    def _edge(self) -> float:
        """The probability that seat 0 wins a showdown, minus that seat 1 does, over all cards that are not known."""
        return _edge(f"{self.cards:{UNKNOWN}<2}{self.public or UNKNOWN}")

    def _seen(self, seat: int) -> str:
        """The cards as `seat` sees them: the other player's card only after a showdown."""
        if self.turn is None and not self.said.endswith("fold"):
            return self.cards
        return "".join(card if owner == seat else UNKNOWN for owner, card in enumerate(self.cards))

    def ending(self) -> str:
        if self.said.endswith("fold"):
            return "the other player folded"
        return "a pair" if self.public in self.cards else "the higher card" if self._edge() else "equal cards"

    @property
    def key(self) -> tuple[str, str, tuple[str, ...]]:
        return (self.cards, self.public, self.rounds)

    def position(self) -> str:
        return " ".join(filter(None, (f"{self.cards:-<2}", self.rounds[0], self.public, *self.rounds[1:])))

    def view(self, seat: int) -> str:
        return self.of(self._seen(seat), self.public, self.rounds).position()

    def view_move(self, seat: int, move: str) -> str:
        return UNKNOWN if len(self.cards) < 2 and len(self.cards) != seat else move

    def sample(self, seat: int, random: Random) -> Self:
        state = self.of(self._seen(seat), self.public, self.rounds)
        while UNKNOWN in state.cards:
            left = [rank for rank in RANKS for _ in range(state._left(rank))]
            state = self.of(state.cards.replace(UNKNOWN, random.choice(left), 1), self.public, self.rounds)
        return state

    def __str__(self) -> str:
        cards = f"{self.cards:-<2}"
        rounds = [f"round {number}: {said or 'nothing said'}" for number, said in enumerate(self.rounds, start=1)]
        first, second = self.chips
        return "\n".join(
            [
                f"seat 0: {cards[0]}   seat 1: {cards[1]}   for all: {self.public or '-'}",
                *rounds,
                f"chips in the pot: {first} from seat 0, {second} from seat 1",
            ]
        )


@cache
def _edge(cards: str) -> float:
    """`Leduc._edge` for the card of seat 0, of seat 1, and for all."""
    if UNKNOWN in cards:
        left = [rank for rank in RANKS for _ in range(SUITS - cards.count(rank))]
        return sum(_edge(cards.replace(UNKNOWN, card, 1)) for card in left) / len(left)
    public = cards[2]
    mine, theirs = ((card == public, RANKS.index(card)) for card in cards[:2])
    return float((mine > theirs) - (mine < theirs))
