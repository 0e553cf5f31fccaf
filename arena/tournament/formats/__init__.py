"""Who plays whom: one file a tournament format, each a pure function of the description, the names and the results.

    formats.pairings(league, names, results, seed, known=...)     all pairings so far, in order
    formats.is_complete(...)   formats.needless(...)   formats.byes(...)   formats.estimate(...)

The same questions have the same answers whatever the order of names, and what was said once is never taken back: pass
the pairings that are on record as `known`, and the answer begins with them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from arena.tournament.formats import gauntlet, knockout, round_robin, sprt_match, swiss, tables
from arena.tournament.formats.pairing import Pairing
from arena.tournament.formats.tournament_state import Results, Terms, TournamentState

__all__ = [
    "Estimate",
    "Format",
    "Pairing",
    "Results",
    "Terms",
    "byes",
    "estimate",
    "is_complete",
    "needless",
    "pairings",
]


class Format(StrEnum):
    """The formats there are, as descriptions name them."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    MATCH = "match"
    TABLES = "tables"


_FURTHER: Final[dict[Format, Callable[[Terms, TournamentState], list[Pairing]]]] = {
    Format.ROUND_ROBIN: round_robin.further,
    Format.GAUNTLET: gauntlet.further,
    Format.SWISS: swiss.further,
    Format.KNOCKOUT: knockout.further,
    Format.MATCH: sprt_match.further,
    Format.TABLES: tables.further,
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """How much there is to play in a whole tournament; less in a match that a sequential test ends early."""

    pairings: int
    games: int
    """In a knockout: if no series is tied."""
    at_most: int
    """The most games that can be played: in a knockout, if every series is tied to the end; else `games`."""


def pairings(
    terms: Terms,
    names: Iterable[str],
    results: Results,
    seed: int,
    *,
    known: Sequence[Pairing] = (),
    withdrawn: Collection[str] = (),
) -> list[Pairing]:
    """All pairings that are known so far, in the order in which they are to be played.

    `names`: everybody who takes part or did, the withdrawn as well. `known`: what was said before, byes too; the answer
    begins with it, and it is needed once names, rounds or withdrawals have been added since. A swiss tournament or a
    knockout gets one round more each time that its last round is over."""
    so_far = _so_far(names, results, seed, known, withdrawn)
    while more := _FURTHER[Format(terms.format)](terms, so_far):
        so_far = replace(so_far, known=(*so_far.known, *more))
    return list(so_far.known)


def is_complete(
    terms: Terms,
    names: Iterable[str],
    results: Results,
    seed: int,
    *,
    known: Sequence[Pairing] = (),
    withdrawn: Collection[str] = (),
) -> bool:
    """Whether nothing is left to be played."""
    names = list(names)
    every = pairings(terms, names, results, seed, known=known, withdrawn=withdrawn)
    without = {pairing.key for pairing in needless(terms, names, results, seed, known=every, withdrawn=withdrawn)}
    return all(pairing.is_bye or pairing.key in results or pairing.key in without for pairing in every)


def needless(
    terms: Terms,
    names: Iterable[str],
    results: Results,
    seed: int,
    *,
    known: Sequence[Pairing] = (),
    withdrawn: Collection[str] = (),
) -> list[Pairing]:
    """The pairings that need not be played any more, because the series of a knockout is decided without them."""
    if Format(terms.format) is not Format.KNOCKOUT:
        return []
    every = pairings(terms, names, results, seed, known=known, withdrawn=withdrawn)
    return knockout.needless(terms, _so_far(names, results, seed, every, withdrawn))


def grows(terms: Terms) -> bool:
    """Whether there are more pairings once those known are over; else all are known from the start."""
    return Format(terms.format) in (Format.SWISS, Format.KNOCKOUT)


def byes(pairings: Iterable[Pairing]) -> dict[int, str]:
    """By round who has a bye that counts: in a swiss tournament with an odd number of players.

    It is worth as many points as a pairing has games. Who is free in a round of another format gets none for it."""
    return {pairing.round: pairing.names[0] for pairing in pairings if pairing.is_bye}


def estimate(terms: Terms, players: int) -> Estimate:
    """How much a whole tournament of this number of players has to play."""
    count = {
        Format.ROUND_ROBIN: terms.rounds * (players * (players - 1) // 2),
        Format.GAUNTLET: terms.rounds * len(terms.gauntlet) * (players - len(terms.gauntlet)),
        Format.SWISS: terms.rounds * (players // 2),
        Format.KNOCKOUT: terms.best_of * (players - 1),
        Format.MATCH: terms.rounds,
        Format.TABLES: terms.rounds * (players // terms.seats),
    }[Format(terms.format)]
    repeated = terms.repeats * (players - 1) if Format(terms.format) is Format.KNOCKOUT else 0
    return Estimate(count, count * terms.seats, at_most=(count + repeated) * terms.seats)


def _so_far(
    names: Iterable[str], results: Results, seed: int, known: Sequence[Pairing], withdrawn: Collection[str]
) -> TournamentState:
    return TournamentState(tuple(sorted(set(names))), seed, results, tuple(known), frozenset(withdrawn))
