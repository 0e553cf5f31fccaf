"""Openings, so that two deterministic players do not play the same game again and again.

An opening depends on the tournament's seed, on the players, and on the number of their pairing; never on the order in
which games are scheduled. The same players get no position twice until they had all of them. No random opening ends the
game, or leaves one side a win that a short search finds, if the game has such openings.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from random import Random
from typing import Any, Final, Literal

from msgspec import Struct

from adsearch import Budget, State, games, pvs
from adsearch.errors import AdsearchError, quote
from agents.builtin.thinker import deepened
from arena.errors import BadFixture
from arena.match import schedule
from arena.match.fixture import move_text, position_text
from arena.match.seeds import number

_TRIES: Final = 200
"""The search for undecided openings stops after this number of decided ones in a row."""
_LOOKS_AHEAD: Final = 4
"""Plies of the search that finds forced wins."""
_MOST_NODES: Final = 4_000
"""Nodes of that search: enough for all its plies in Connect-4, for two in Go, and about 0.1 s in chess."""

_MOST_ORDERS: Final = 10_000
"""Groups of players whose openings are kept in memory; those of others are found again when they meet again."""
_MOST_LISTED: Final = 10_000_000
"""The same with the openings of a file: references to them that are kept."""


class Opening(Struct, frozen=True):
    """A position, and the moves after it."""

    moves: tuple[str, ...] = ()
    position: str = ""
    """Empty: the one from which all games begin."""


class ListedOpening(Struct, frozen=True, kw_only=True):
    """The openings of a file."""

    openings: tuple[Opening, ...] = ()
    order: Literal["random", "given"] = "random"
    """random: another order for each group of players. given: as in the file."""
    start: int = 1
    """The first one, counted from 1; after the last one the first of the file follows."""
    file: str = ""
    hash: str = ""
    """Of the file's content. Both are empty if settings have the openings themselves."""


def position_read(game: str, text: str) -> str:
    """A position that a user wrote, as the rules write it; BadFixture if no game can begin there."""
    try:
        state = games.load(game, text)
    except AdsearchError as error:
        raise BadFixture(str(error)) from None
    if state.turn is None:
        raise BadFixture(f"expected a position from which a game can begin, but in {quote(text)} it is over")
    return position_text(state.position())


class Book:
    """The openings of one game: random ones with a number of plies, or those of a file."""

    def __init__(self, rules: str, wanted: int | ListedOpening, *, seed: int, position: str = "") -> None:
        """`wanted`: a number of plies, 0 for none; or the openings to choose from. `position`: where they begin, if not
        where the rules say. BadFixture if the game cannot have them."""
        self._rules = rules
        self._wanted = wanted
        self._seed = seed
        self._position = position
        self._orders: dict[tuple[str, ...], _ListedOrder | _RandomOrder] = {}
        self._decided: dict[Hashable, bool] = {}
        self._different: list[Opening] = []
        if not wanted:
            return
        try:
            self._start = games.start(rules, position)
        except AdsearchError as error:
            raise BadFixture(str(error)) from None
        if self._start.chance:
            raise BadFixture(
                f"{rules}: openings are for games without chance; here chance already makes every game different"
            )
        longest = self._start.max_plies
        if isinstance(wanted, int) and longest is not None and wanted >= longest:
            raise BadFixture(f"{rules}: expected openings of fewer than {longest} plies, got {wanted}")

    def opening(self, cycle: int, *players: str) -> Opening:
        """The opening of a pairing of these players; `cycle` counts their pairings from 0. After the last opening the
        first one follows again. BadFixture if user-supplied rules fail."""
        found = self._until(cycle, players)
        opening = found[cycle % len(found)] if found else Opening()
        return opening if opening.position else Opening(opening.moves, self._position)

    def different(self, most: int) -> int:
        """How many different openings there are, counted up to `most`."""
        return len(self._until(most - 1, ())[:most])

    def _until(self, cycle: int, players: Sequence[str]) -> list[Opening]:
        """The openings of these players up to that pairing; fewer if there are no more."""
        if not self._wanted:
            return []
        names = tuple(sorted(players))
        try:
            if names not in self._orders:
                kept = _MOST_ORDERS if isinstance(self._wanted, int) else _MOST_LISTED // len(self._wanted.openings)
                if len(self._orders) >= kept:
                    self._orders.clear()
                self._orders[names] = self._order(names)
            return self._orders[names].until(cycle)
        except (Exception, SystemExit) as error:
            raise BadFixture(f"{schedule.rules_failure(error)}, in an opening") from error

    def _order(self, names: tuple[str, ...]) -> _ListedOrder | _RandomOrder:
        if isinstance(self._wanted, int):
            return _RandomOrder(self._start, self._rules, self._wanted, names, self._seed, self._decided)
        if not self._different:
            self._different = _different(self._rules, self._start, self._wanted.openings)
        return _ListedOrder(self._different, self._wanted, names, self._seed)


def _different(rules: str, start: State[Any], listed: Sequence[Opening]) -> list[Opening]:
    """Of the openings that lead to one position only the first; positions that are only written down differ."""
    found: dict[Hashable, Opening] = {}
    for opening in listed:
        key: Hashable = opening.position
        if opening.moves:
            state = games.start(rules, opening.position) if opening.position else start
            for text in opening.moves:
                state = state.play(state.from_text(text))
            key = state.key
        found.setdefault(key, opening)
    return [*found.values()]


class _ListedOrder:
    """The openings of a file, in an order for certain players."""

    def __init__(self, different: Sequence[Opening], listed: ListedOpening, names: tuple[str, ...], seed: int) -> None:
        found = [*different]
        if listed.order == "random":
            found.sort(key=lambda one: number(seed, "opening", *names, *one.moves, *filter(None, [one.position])))
        first = (listed.start - 1) % len(found)
        self._found = [*found[first:], *found[:first]]

    def until(self, _: int) -> list[Opening]:
        """All of them."""
        return self._found


class _RandomOrder:
    """Random openings in an order for certain players, found only as far as needed.

    Each is a random walk. A walk that ends at a known position, or in a decided game, is dropped, and its last move is
    not taken again; so in the end every opening is found."""

    def __init__(
        self,
        start: State[Any],
        rules: str,
        plies: int,
        names: tuple[str, ...],
        seed: int,
        decided: dict[Hashable, bool],
    ) -> None:
        self._start = start
        self._rules = rules
        self._wanted = plies
        self._names = names
        self._seed = seed
        # Results of the short searches, shared by the orders of all players.
        self._decided = decided
        self._found: list[Opening] = []
        self._is_complete = False
        self._look_for(plies, even=True)

    def _look_for(self, plies: int, *, even: bool) -> None:
        """Starts to look for openings of `plies` plies; if `even`, only for undecided ones."""
        self._plies = plies
        self._even = even
        self._used: set[Hashable] = set()
        # Paths (indices of moves) that lead to nothing new, and the number of legal moves after each other path.
        self._spent: set[tuple[int, ...]] = set()
        self._moves: dict[tuple[int, ...], int] = {}

    def until(self, cycle: int) -> list[Opening]:
        """The openings up to that pairing; fewer if there are no more."""
        while len(self._found) <= cycle and not self._is_complete:
            opening = self._next()
            if opening is not None:
                self._found.append(opening)
            elif self._found:
                self._is_complete = True
            else:
                self._look_for(self._plies - (not self._even), even=not self._even)
        return self._found

    def _next(self) -> Opening | None:
        """An opening that was not found before; None if there is none."""
        cycle = len(self._found)
        purpose = json.dumps([*self._names, cycle]) if self._names else cycle
        random = Random(number(self._seed, "opening", self._rules, self._wanted, purpose))
        bad = 0
        while () not in self._spent and bad < _TRIES:
            path, state, opening = self._walk(random)
            if state.key not in self._used:
                if state.turn is not None and not (self._even and self._is_decided(state)):
                    self._used.add(state.key)
                    return opening
                bad += 1
            self._spend(path)
        return None

    def _walk(self, random: Random) -> tuple[tuple[int, ...], State[Any], Opening]:
        path: tuple[int, ...] = ()
        state = self._start
        moves: tuple[str, ...] = ()
        while len(path) < self._plies and state.turn is not None:
            legal = state.moves()
            self._moves[path] = len(legal)
            place = random.choice([place for place in range(len(legal)) if (*path, place) not in self._spent])
            path = (*path, place)
            moves = (*moves, move_text(state.to_text(legal[place])))
            state = state.play(legal[place])
        return path, state, Opening(moves)

    def _spend(self, path: tuple[int, ...]) -> None:
        """Marks a path that leads to nothing new, and each shorter path all of whose moves are marked."""
        self._spent.add(path)
        while path and all((*path[:-1], place) in self._spent for place in range(self._moves[path[:-1]])):
            path = path[:-1]
            self._spent.add(path)

    def _is_decided(self, state: State[Any]) -> bool:
        """Whether a short search finds a forced win."""
        if not state.zero_sum or state.hidden:
            return False
        key = state.key
        if key not in self._decided:
            found = deepened(pvs.search, state, _LOOKS_AHEAD, Budget(nodes=_MOST_NODES))
            self._decided[key] = found.value in state.bounds
        return self._decided[key]
