"""A game in one file with chance, hidden information and simultaneous moves: `examples/auction.py:Auction`."""

import re

from adsearch import CHANCE, Option, State
from adsearch.errors import BadPosition

COINS = range(7)
HIDDEN = "?"


class Auction(State[int]):
    """A die decides the value of the prize. Then all players bid 0 to 6 coins at the same time, unseen. The highest bid
    that no other player made wins the prize and pays the bid; all others pay nothing."""

    options = (Option("players", 3, "number of players", 2, 5),)
    seats = (2, 3, 4, 5)
    notation = "the number of coins; for the die, the number thrown"
    players = 3  # the default; __init__ sets the number in this game
    chance = True
    hidden = True
    zero_sum = False
    bounds = (-6.0, 6.0)
    max_plies = 6

    def __init__(self, players, prize=0, bids=()):
        self.players, self.prize, self.bids = players, prize, bids
        # The bids are made one after the other, but no player sees the bids of the others.
        self.turn = CHANCE if not prize else len(bids) if len(bids) < players else None

    @classmethod
    def load(cls, text, *, players):
        found = re.fullmatch(r"([0-6]) bids=((?:[0-6?],)*[0-6?])?", text)
        bids = found[2].split(",") if found and found[2] else []
        if not found or len(bids) > players:
            raise BadPosition(f"expected a prize and at most {players} bids, such as '4 bids=2,?', got {text!r}")
        return cls(players, int(found[1]), tuple(bid if bid == HIDDEN else int(bid) for bid in bids))

    def moves(self):
        if self.turn is None:
            return ()
        return (1, 2, 3, 4, 5, 6) if self.turn == CHANCE else tuple(COINS)

    def chances(self):
        return tuple((face, 1 / 6) for face in self.moves()) if self.turn == CHANCE else ()

    def play(self, move):
        if self.turn == CHANCE:
            return Auction(self.players, move)
        return Auction(self.players, self.prize, (*self.bids, move))

    def utilities(self):
        unique = [bid for bid in self.bids if bid != HIDDEN and self.bids.count(bid) == 1]
        return tuple(float(self.prize - bid) if unique and bid == max(unique) else 0.0 for bid in self.bids)

    def position(self):
        return f"{self.prize} bids={','.join(map(str, self.bids))}"

    def view(self, seat):
        if self.turn is None:  # at the end everything is revealed
            return self.position()
        seen = tuple(bid if owner == seat else HIDDEN for owner, bid in enumerate(self.bids))
        return Auction(self.players, self.prize, seen).position()

    def view_move(self, seat, move):
        return str(move) if self.turn in (CHANCE, seat) else HIDDEN

    def sample(self, seat, random):
        seen = self.load(self.view(seat), players=self.players)
        guessed = tuple(random.choice(COINS) if bid == HIDDEN else bid for bid in seen.bids)
        return Auction(self.players, self.prize, guessed)
