"""Who plays next on a ladder. Values in, values out: nothing here reads the database or a clock.

A new version begins with pairs against anchors, which find its place. Then two rules decide: the player whose rating
is least certain for the time that it has waited begins a pair, and its opponent is the one whose games tell most about
both. All agents of an author wait together: a second agent, or a new version every hour, gives an author no more games.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import exp, sqrt
from random import Random
from typing import Final

from msgspec import Struct

from arena.ratings.scale import ELO

PLACEMENT_PAIRS: Final = 8
"""Number of pairs that a new version begins with, against anchors."""
UNRATED_ERROR: Final = 350.0
"""The standard error of a version without a rating, in Elo."""

_OVERDUE: Final = 1.1
"""A player that has waited longer than this, in mean pauses, is next, however certain its rating is."""
_STARVED: Final = 1.5
"""Placement waits for a player that has waited longer than this, in mean pauses, and longer than any new one."""
_RESTED: Final = 0.5
"""Up to this time since its last pair, in mean pauses, a player is less likely to be an opponent."""
_FAR: Final = 0.05
"""The probability of a random opponent, which may be far stronger or weaker."""
_ANCHORED: Final = 0.1
"""The probability of an anchor as opponent: only games with anchors show where all the others are together."""


class Candidate(Struct, frozen=True):
    """A player of the ladder, with the version that it plays with now."""

    name: str
    author: str
    """Agents of the same author never meet."""
    anchor: bool
    rating: float
    error: float
    """One standard error, in Elo; `UNRATED_ERROR` without a rating, 0 for an anchor."""
    pairs: int = 0
    """Number of pairs that it has begun with this version."""
    last: int = 0
    """The number of the pair that it began last, with any version; 0 if it has not played."""
    busy: int = 0
    """Number of its pairs in progress."""


class State(Struct, frozen=True):
    """What decides who plays next."""

    candidates: Sequence[Candidate]
    """All who can play now."""
    met: Mapping[tuple[str, str], int]
    """For two names in alphabetical order, the number of the last pair of their current versions."""
    now: int
    """Number of pairs that the ladder has begun."""
    aside: Collection[frozenset[str]] = frozenset()
    """Pairs of names that cannot be played."""


class Pair(Struct, frozen=True):
    """Two games of these two: the same opening, seats swapped."""

    one: str
    other: str


def pick(state: State, random: Random, *, placement: bool) -> Pair | None:
    """The next pair, of two different authors and not of two anchors; None if there is none to play.

    With `placement`, only a pair of a version with fewer than `PLACEMENT_PAIRS`; otherwise only of other versions."""
    anchors = [one for one in state.candidates if one.anchor]
    waiting = _Waiting(state)
    new: list[Candidate] = []
    placed: list[Candidate] = []
    for one in state.candidates:
        if not one.anchor:
            (new if anchors and one.pairs < PLACEMENT_PAIRS else placed).append(one)
    if not placement:
        return _begun(state, waiting, placed, [*placed, *anchors], random)
    new = [one for one in new if not one.busy]
    longest = max(map(waiting.of_author, new), default=0.0)
    if any(waiting.of_author(one) > max(_STARVED, longest) for one in placed):
        return None
    return _begun(state, waiting, new, anchors, random)


class _Waiting:
    """How long players have waited for a pair, in mean pauses: 1 is the pause if all authors take turns."""

    def __init__(self, state: State) -> None:
        self._now = state.now + 1
        # By author: the pair that one of its agents began last.
        self._last: dict[str, int] = {}
        # By author: the number of its agents.
        self.agents: dict[str, int] = {}
        for one in state.candidates:
            if not one.anchor:
                self._last[one.author] = max(one.last, self._last.get(one.author, 0))
                self.agents[one.author] = self.agents.get(one.author, 0) + 1
        self.mean_pause = max(1.0, len(self._last) / 2.0)

    def of_author(self, one: Candidate) -> float:
        """The wait of all agents of its author."""
        return (self._now - self._last[one.author]) / self.mean_pause

    def of_agent(self, one: Candidate) -> float:
        """The wait of this agent, which takes turns with the other agents of its author."""
        return (self._now - one.last) / (self.mean_pause * self.agents[one.author])

    def since(self, met: int | None) -> float:
        """The time since that pair; infinite for None."""
        return float("inf") if met is None else (self._now - met) / self.mean_pause


def _begun(
    state: State, waiting: _Waiting, players: Sequence[Candidate], others: Sequence[Candidate], random: Random
) -> Pair | None:
    """The pair that the most urgent of these players who has an opponent begins with one of the others."""
    if not players:
        return None
    one = _most_urgent(_least_busy(players), waiting, random)
    opponents = _least_busy(
        [
            other
            for other in others
            if (other.anchor or other.author != one.author) and frozenset((one.name, other.name)) not in state.aside
        ]
    )
    if not opponents:
        return _begun(state, waiting, [player for player in players if player is not one], others, random)
    chance = random.random()
    if chance < _FAR:
        return Pair(one.name, random.choice(opponents).name)
    if chance < _FAR + _ANCHORED:
        opponents = [other for other in opponents if other.anchor] or opponents
    return Pair(one.name, max(opponents, key=lambda other: _worth(state, waiting, one, other)).name)


def _least_busy(players: Iterable[Candidate]) -> list[Candidate]:
    """Those with the fewest pairs in progress. Anchors can play any number at the same time."""
    found = list(players)
    least = min((0 if one.anchor else one.busy for one in found), default=0)
    return [one for one in found if one.anchor or one.busy == least]


def _most_urgent(players: Sequence[Candidate], waiting: _Waiting, random: Random) -> Candidate:
    """The author with the largest error times wait, then the agent of that author with the largest; one that is overdue
    goes first."""

    def of_author(one: Candidate) -> tuple[bool, float, float]:
        # With k agents each has a k-th of the games, and so an error sqrt(k) times as large.
        error = one.error / sqrt(waiting.agents[one.author])
        return (*_urgency(waiting.of_author(one), error), random.random())

    def of_agent(one: Candidate) -> tuple[bool, float, float]:
        return (*_urgency(waiting.of_agent(one), one.error), random.random())

    author = max(players, key=of_author).author
    return max((one for one in players if one.author == author), key=of_agent)


def _urgency(wait: float, error: float) -> tuple[bool, float]:
    """Larger is more urgent."""
    return wait > _OVERDUE, wait if wait > _OVERDUE else wait * error


def _worth(state: State, waiting: _Waiting, one: Candidate, other: Candidate) -> float:
    """What a pair of these two tells about their ratings, less if they met lately or the other has just played."""
    chance = 1.0 / (1.0 + exp((other.rating - one.rating) / ELO))
    information = chance * (1.0 - chance)
    variance = (one.error**2 + other.error**2) / ELO**2
    # By how much the two games reduce the variance of the difference.
    told = information * variance / (1.0 + 2.0 * information * variance)
    names = (one.name, other.name) if one.name < other.name else (other.name, one.name)
    rested = 1.0
    if not other.anchor:
        rested = min(1.0, waiting.of_author(other) / _RESTED) / waiting.agents[other.author]
    return told * (0.2 + min(1.0, waiting.since(state.met.get(names)))) * rested
