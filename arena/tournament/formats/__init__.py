"""Who plays whom: one file per tournament format, each a pure function of the description, the names and the results.

    formats.pairings(league, names, results, seed, known=...)     all pairings so far, in order
    formats.is_complete(...)   formats.needless(...)   formats.byes(...)   formats.estimate(...)

The result does not depend on the order of the names. A pairing is never taken back: pass the recorded pairings as
`known`, and the result starts with them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from arena.tournament.formats import gauntlet, knockout, round_robin, sprt_match, swiss, tables
from arena.tournament.formats.pairing import Pairing
from arena.tournament.formats.tournament_state import Results, Terms, TournamentState, scheduled

__all__ = [
    "Estimate",
    "Format",
    "Pairing",
    "Results",
    "Terms",
    "byes",
    "estimate",
    "further",
    "grows",
    "is_all",
    "is_complete",
    "is_decided",
    "needless",
    "pairings",
]


class Format(StrEnum):
    """The formats, by their names in descriptions."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    MATCH = "match"
    TABLES = "tables"


_MEETINGS: Final[dict[Format, Callable[[Terms, TournamentState], list[list[tuple[str, str]]]]]] = {
    Format.ROUND_ROBIN: round_robin.meetings,
    Format.GAUNTLET: gauntlet.meetings,
    Format.MATCH: sprt_match.meetings,
}
"""The formats in which every two players meet equally often: the rounds of the first cycle."""
_NEXT_ROUND: Final[dict[Format, Callable[[Terms, TournamentState], list[Pairing]]]] = {
    Format.SWISS: swiss.further,
    Format.KNOCKOUT: knockout.further,
    Format.TABLES: tables.further,
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """The number of games of a whole tournament; a match with a sequential test can end earlier."""

    pairings: int
    games: int
    """In a knockout: the games if no series is tied."""
    at_most: int
    """Most games possible: in a knockout, if every series is tied to the end; else `games`."""


def pairings(
    terms: Terms,
    names: Iterable[str],
    results: Results,
    seed: int,
    *,
    known: Sequence[Pairing] = (),
    withdrawn: Collection[str] = (),
) -> list[Pairing]:
    """All pairings that are known so far, in the order of play.

    `names`: all players, including withdrawn ones. `known`: the earlier pairings, including byes; the result starts
    with them, and they are needed if names, rounds or withdrawals have been added since. A swiss tournament or a
    knockout gets one more round each time its last round is over."""
    return [*known, *further(terms, names, results, seed, known=known, withdrawn=withdrawn)]


def further(
    terms: Terms,
    names: Iterable[str],
    results: Results,
    seed: int,
    *,
    known: Sequence[Pairing] = (),
    withdrawn: Collection[str] = (),
) -> Iterator[Pairing]:
    """The pairings that follow the `known` ones. A format that knows all pairings from the start makes them one by one,
    so that a million games need little memory."""
    so_far = _so_far(names, results, seed, known, withdrawn)
    format = Format(terms.format)
    if format in _MEETINGS:
        yield from scheduled(so_far, _MEETINGS[format](terms, so_far), terms.rounds)
        return
    while more := _NEXT_ROUND[format](terms, so_far):
        yield from more
        so_far = replace(so_far, known=(*so_far.known, *more))


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
    """The pairings of a knockout that need not be played, because their series is already decided. `known`: all
    pairings so far, as `pairings` returns them."""
    if Format(terms.format) is not Format.KNOCKOUT:
        return []
    return knockout.needless(terms, _so_far(names, results, seed, known, withdrawn))


def is_decided(terms: Terms, series: Sequence[Pairing], results: Results, seed: int) -> bool:
    """Whether a series of a knockout, all pairings of two players, is decided by these results."""
    return knockout.is_decided(terms, _so_far(series[0].names, results, seed, series, ()))


def grows(terms: Terms) -> bool:
    """Whether later pairings depend on results; else all pairings are known from the start."""
    return Format(terms.format) in (Format.SWISS, Format.KNOCKOUT)


def is_all(terms: Terms, players: int, pairings: int) -> bool:
    """Whether this number of known pairings is certainly all of them, so that none has to be looked at. Always False in
    formats in which later pairings depend on earlier ones."""
    return Format(terms.format) in _MEETINGS and pairings == estimate(terms, players).pairings


def byes(pairings: Iterable[Pairing]) -> dict[int, str]:
    """By round: the player with a bye that counts, in a swiss tournament with an odd number of players.

    A bye is worth as many points as a pairing has games. In other formats a player without a game in a round gets no
    points."""
    return {pairing.round: pairing.names[0] for pairing in pairings if pairing.is_bye}


def estimate(terms: Terms, players: int) -> Estimate:
    """The number of games of a whole tournament of this number of players."""
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
