"""Kuhn poker: the smallest poker game, an example of hidden information from a deal.

The two cards are dealt one after the other; each deal is a chance event that only one seat sees. A position with an
unknown card (loaded from a view) can be played; its utilities are expected values.
"""

from __future__ import annotations

import re
from random import Random
from typing import Final, Self

from adsearch.errors import BadPosition, quote
from adsearch.state import CHANCE, State

CARDS: Final = "JQK"
UNKNOWN: Final = "?"
ENDS: Final = ("check check", "check bet call", "check bet fold", "bet call", "bet fold")
_REPLIES: Final = {
    "": ("check", "bet"),
    "check": ("check", "bet"),
    "bet": ("fold", "call"),
    "check bet": ("fold", "call"),
}
"""The words said so far -> the legal next words."""
_POSITION = re.compile(r"(--|[JQK?]-|[JQK?]{2})( [a-z ]+)?")


class Kuhn(State[str]):
    """Poker for two players with three cards, J < Q < K. Each player puts one chip into the pot and gets one card that
    the other does not see. Seat 0 checks or bets one more chip. After a check, seat 1 checks or bets; after a bet, it
    calls (also one chip) or folds. After check and bet, seat 0 calls or folds. A player who folds loses the pot;
    otherwise the higher card wins it. Utilities are the chips won."""

    notation = "check, bet, call or fold; a deal is the card: J, Q or K"
    position_notation = (
        ("QK", "the card of seat 0, then of seat 1; ? is a card that you cannot see, - is not dealt yet"),
        ("check bet", "what the players said, in order; seat 0 speaks first"),
    )
    attributes = (
        ("cards[seat]", "the card of a seat: 'J', 'Q', 'K', or '?' if you cannot see it"),
        ("said", "what the players said so far, such as 'check bet'"),
        ("pot", "the chips in the pot"),
    )
    chance = True
    hidden = True
    bounds = (-2.0, 2.0)
    max_plies = 5

    __slots__ = ("cards", "said", "turn")

    cards: str
    """The cards dealt so far, seat 0's first."""
    said: str
    """The words said so far, one per ply."""

    @classmethod
    def start(cls) -> Self:
        return cls.of("", "")

    @classmethod
    def of(cls, cards: str, said: str) -> Self:
        """The position after these deals and words."""
        state = cls()
        state.cards = cards
        state.said = said
        state.turn = CHANCE if len(cards) < 2 else None if said in ENDS else (said.count(" ") + 1) % 2 if said else 0
        return state

    @classmethod
    def load(cls, text: str) -> Self:
        match = _POSITION.fullmatch(text)
        cards = match[1].rstrip("-") if match else ""
        said = (match[2] or "")[1:] if match else ""
        if match is None or (said and len(cards) < 2) or said not in (*_REPLIES, *ENDS):
            raise BadPosition(f"expected two cards and what was said, such as 'QK check bet', got {quote(text)}")
        if len(cards) == 2 and cards[0] == cards[1] != UNKNOWN:
            raise BadPosition(f"both seats cannot have {cards[0]}, got {quote(text)}")
        return cls.of(cards, said)

    @property
    def pot(self) -> int:
        """The chips in the pot."""
        return 2 + self.said.count("bet") + self.said.count("call")

    def moves(self) -> tuple[str, ...]:
        if len(self.cards) < 2:
            return tuple(card for card in CARDS if card not in self.cards)
        return _REPLIES.get(self.said, ())

    def chances(self) -> tuple[tuple[str, float], ...]:
        if len(self.cards) == 2:
            return ()
        left = self.moves()
        return tuple((card, 1.0 / len(left)) for card in left)

    def all_moves(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(word for words in _REPLIES.values() for word in words))

    def play(self, move: str) -> Self:
        if len(self.cards) < 2:
            return self.of(self.cards + move, "")
        return self.of(self.cards, f"{self.said} {move}".lstrip())

    def utilities(self) -> tuple[float, float]:
        if self.said.endswith("fold"):
            loser = self.said.count(" ") % 2
            return (-1.0, 1.0) if loser == 0 else (1.0, -1.0)
        pot = 2.0 if self.said.endswith("call") else 1.0
        won = pot * self._edge()
        return (won, 0.0 - won)

    def evaluate(self, seat: int) -> float:
        """One chip for the higher card, and half a chip for an unanswered bet."""
        if self.turn is None:
            return self.utilities()[seat]
        estimate = self._edge() * (1.5 if self.said.endswith("bet") else 1.0)
        return estimate if seat == 0 else 0.0 - estimate

    def _edge(self) -> float:
        """The probability that seat 0 has the higher card, minus seat 1's; an unknown card is any card left."""
        first, second = [*self.cards, UNKNOWN, UNKNOWN][:2]
        if first == UNKNOWN:
            return 1.0 - CARDS.index(second) if second != UNKNOWN else 0.0
        if second == UNKNOWN:
            return CARDS.index(first) - 1.0
        return 1.0 if CARDS.index(first) > CARDS.index(second) else -1.0

    def _seen(self, seat: int) -> str:
        """The cards as `seat` sees them: the other player's card only after a showdown."""
        if self.turn is None and not self.said.endswith("fold"):
            return self.cards
        return "".join(card if owner == seat else UNKNOWN for owner, card in enumerate(self.cards))

    @property
    def key(self) -> tuple[str, str]:
        return (self.cards, self.said)

    def position(self) -> str:
        return f"{self.cards:-<2} {self.said}".rstrip()

    def view(self, seat: int) -> str:
        return self.of(self._seen(seat), self.said).position()

    def view_move(self, seat: int, move: str) -> str:
        return UNKNOWN if len(self.cards) < 2 and len(self.cards) != seat else move

    def sample(self, seat: int, random: Random) -> Self:
        cards = list(self._seen(seat))
        for owner, card in enumerate(cards):
            if card == UNKNOWN:
                cards[owner] = random.choice([left for left in CARDS if left not in cards])
        return self.of("".join(cards), self.said)

    def __str__(self) -> str:
        cards = f"{self.cards:-<2}"
        return f"seat 0: {cards[0]}   seat 1: {cards[1]}   {self.said or 'nothing said'}"
