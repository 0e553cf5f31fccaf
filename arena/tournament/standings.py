"""The standings of a tournament as its format ranks them, with its bracket and its test: read from the database.

`arena results`, `arena run` with its live table, grades and reports all use this module, so that they count the same
games and list players in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adsearch.errors import AdsearchError
from arena.errors import BadLeague
from arena.ratings import points
from arena.ratings.points import BY_POINTS, Order, Standing
from arena.tournament import formats
from db import lookup, running
from db.scores import Scores, scores

if TYPE_CHECKING:
    from arena.tournament.format import Bracket, Format, TestedMatch
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
    """None if the format has none."""
    test: TestedMatch | None = None
    """None if it is not a match with a sequential test."""
    missing: str = ""
    """Why the players are only ranked by points: the package of the format is not installed."""

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
            missing=self.missing,
        )


def standings(connection: Connection, tournament: int | None) -> TournamentStandings:
    """The standings of the tournament; with None, of all recorded games."""
    if tournament is None:
        return TournamentStandings(scores(connection), dict.fromkeys(lookup.entered(connection), "active"), {})
    row, format, missing = _described(connection, tournament)
    bracket = _bracket(connection, row, format)
    return TournamentStandings(
        results=scores(connection, tournament),
        statuses=lookup.entry_statuses(connection, tournament),
        byes=lookup.byes(connection, tournament),
        order=_order(format, bracket),
        bracket=bracket,
        test=_test(connection, tournament, format),
        missing=missing,
    )


def order(connection: Connection, tournament: int) -> Order:
    """The order in which the tournament's format ranks players."""
    row, format, _ = _described(connection, tournament)
    return _order(format, _bracket(connection, row, format))


def _described(connection: Connection, tournament: int) -> tuple[Mapping[str, Any], Format | None, str]:
    """The tournament's row and its format; or why there is none, if that can be mended."""
    row = running.tournament(connection, lookup.tournament_name(connection, tournament))
    assert row is not None
    try:
        return row, formats.recorded(row["format"], row["settings"]), ""
    except (AdsearchError, BadLeague) as error:
        return row, None, f"ranked by points: {error}"


def _order(format: Format | None, bracket: Bracket | None) -> Order:
    apart = () if format is None else format.apart
    return Order(apart=frozenset(apart), places={} if bracket is None else bracket.places())


def _bracket(connection: Connection, row: Mapping[str, Any], format: Format | None) -> Bracket | None:
    """The current bracket; None if the format has none."""
    if format is None or not format.has_bracket:
        return None
    # Imported here, because these modules load slowly and only a bracket needs them.
    from arena.tournament.format import TournamentState
    from arena.tournament.game_scheduling import known_pairings, results_of

    tournament = row["id"]
    entered = running.entries(connection, tournament)
    # A cancelled game has no points; `results_of` would count it as half a point for each player.
    outcomes = [one for one in running.outcomes(connection, tournament) if one.status != "cancelled"]
    so_far = TournamentState(
        names=tuple(sorted(entry.name for entry in entered)),
        seed=row["seed"],
        results=results_of(outcomes),
        known=tuple(known_pairings(running.pairings(connection, tournament), row["settings"].get("byes", []))),
        withdrawn=frozenset(entry.name for entry in entered if entry.status != "active"),
    )
    forfeits = {
        (one.pair, list(one.points)[one.fault])
        for one in outcomes
        if one.verdict == "forfeit" and one.fault is not None
    }
    return format.bracket(so_far, forfeits)


def _test(connection: Connection, tournament: int, format: Format | None) -> TestedMatch | None:
    """The sequential test of a match; None if there is none."""
    if format is None or (terms := format.test) is None:
        return None
    from arena.tournament.format import TestedMatch
    from arena.tournament.game_scheduling import match_so_far

    (other,) = (entry.name for entry in running.entries(connection, tournament) if entry.name != terms.of)
    return TestedMatch(terms, other, match_so_far(connection, tournament, terms))
