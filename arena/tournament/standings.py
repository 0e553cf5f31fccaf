"""The standings of a tournament as its format ranks them, and the bracket of a knockout: read from the database.

`arena standings`, `arena run` with its live table, grades and reports all use this module, so that they count the same
games and list players in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from msgspec import convert

from arena.ratings import points
from arena.ratings.points import BY_POINTS, Order, Standing
from db import lookup, running
from db.scores import Scores, scores

if TYPE_CHECKING:
    from arena.tournament.formats.knockout import Bracket
    from arena.tournament.formats.sprt_match import TestedMatch
    from db.database import Connection


@dataclass(frozen=True, slots=True)
class TournamentStandings:
    """The results of the games, and what else decides the ranking."""

    results: Scores
    statuses: Mapping[str, str]
    """By player: active, withdrawn or quarantined."""
    byes: Mapping[str, float]
    """Points for byes."""
    order: Order = BY_POINTS
    bracket: Bracket | None = None
    """None if the format is not knockout."""
    test: TestedMatch | None = None
    """None if it is not a match with a sequential test."""

    @property
    def lines(self) -> list[Standing]:
        """The standings, best first."""
        return points.standings(self.results, self.statuses, self.byes, self.order)

    def renamed(self, shown: Mapping[str, str]) -> TournamentStandings:
        """The same standings, with other names for all players; tied players are then in the order of these names."""
        results = Scores(
            {shown[name]: score for name, score in self.results.players.items()},
            {(shown[one], shown[other]): met for (one, other), met in self.results.head_to_head.items()},
        )
        order = Order(
            apart=frozenset(shown[name] for name in self.order.apart),
            places={shown[name]: place for name, place in self.order.places.items()},
        )
        return TournamentStandings(
            results=results,
            statuses={shown[name]: status for name, status in self.statuses.items()},
            byes={shown[name]: given for name, given in self.byes.items()},
            order=order,
            bracket=None if self.bracket is None else self.bracket.renamed(shown),
            test=None if self.test is None else self.test.renamed(shown),
        )


def standings(connection: Connection, tournament: int | None) -> TournamentStandings:
    """The standings of the tournament; with None, of all recorded games."""
    if tournament is None:
        return TournamentStandings(scores(connection), dict.fromkeys(lookup.entered(connection), "active"), {})
    bracket = _bracket(connection, tournament)
    return TournamentStandings(
        results=scores(connection, tournament),
        statuses=lookup.entry_statuses(connection, tournament),
        byes=lookup.byes(connection, tournament),
        order=_order(connection, tournament, bracket),
        bracket=bracket,
        test=_test(connection, tournament),
    )


def order(connection: Connection, tournament: int) -> Order:
    """The order in which the tournament's format ranks players."""
    return _order(connection, tournament, _bracket(connection, tournament))


def _order(connection: Connection, tournament: int, bracket: Bracket | None) -> Order:
    gauntlet = running.settings(connection, tournament).get("gauntlet", ())
    return Order(apart=frozenset(gauntlet), places={} if bracket is None else bracket.places())


def _bracket(connection: Connection, tournament: int) -> Bracket | None:
    """The current bracket of a knockout; None for other formats."""
    row = running.tournament(connection, lookup.tournament_name(connection, tournament))
    # The database of a bundle has only the author's own games, which are not enough for the bracket.
    if row is None or row["format"] != "knockout" or "best_of" not in row["settings"]:
        return None
    # Imported here, because these modules load slowly and only a knockout needs them.
    from arena.tournament.formats import knockout
    from arena.tournament.formats.tournament_state import TournamentState
    from arena.tournament.game_scheduling import known_pairings, results_of

    settings = row["settings"]
    entered = running.entries(connection, tournament)
    # A cancelled game has no points; `results_of` would count it as half a point for each player.
    outcomes = [one for one in running.outcomes(connection, tournament) if one.status != "cancelled"]
    so_far = TournamentState(
        names=tuple(sorted(entry.name for entry in entered)),
        seed=int(row["seed"]),
        results=results_of(outcomes),
        known=tuple(known_pairings(running.pairings(connection, tournament), settings.get("byes", []))),
        withdrawn=frozenset(entry.name for entry in entered if entry.status != "active"),
    )
    forfeits = {
        (one.pair, list(one.points)[one.fault])
        for one in outcomes
        if one.verdict == "forfeit" and one.fault is not None
    }
    return knockout.bracket_so_far(_Described(**{key: settings[key] for key in _TERMS}), so_far, forfeits)


def _test(connection: Connection, tournament: int) -> TestedMatch | None:
    """The sequential test of a match; None if there is none, or if it is not known."""
    described = running.settings(connection, tournament).get("sprt")
    if described is None:
        return None
    from arena.tournament.formats.sprt_match import SprtTerms, TestedMatch
    from arena.tournament.game_scheduling import match_so_far

    terms = convert(described, SprtTerms)
    others = [entry.name for entry in running.entries(connection, tournament) if entry.name != terms.of]
    if len(others) != 1:  # the database of a bundle has only its author's entry
        return None
    return TestedMatch(terms, others[0], match_so_far(connection, tournament, terms))


_TERMS: Final = ("format", "rounds", "gauntlet", "seeds", "best_of", "repeats")


@dataclass(frozen=True, slots=True)
class _Described:
    """The `Terms` of a recorded tournament."""

    format: str
    rounds: int
    gauntlet: Any
    seeds: Any
    best_of: int
    repeats: int
    seats: int = 2
