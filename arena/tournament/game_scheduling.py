"""Writes what a format decides into the database: games scheduled, cancelled and forfeited, and the end of a test.

The caller opens a transaction for every function here, so that a result and all that follows from it are recorded
together, or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from msgspec import convert, to_builtins

from arena.match.openings import Book
from arena.tournament import formats
from arena.tournament.formats.sprt_match import MatchTest, match_test
from arena.tournament.league import League
from db import running, store
from db.database import Connection

OVER: Final = ("finished", "void", "cancelled")
"""The statuses of a game that is not going to be played."""
_CANCELLED_AT_ONCE: Final = 500
"""Most pairings in one query."""


@dataclass(frozen=True, slots=True)
class RecordedTournament:
    """A tournament in the database, with the description that it is run with."""

    id: int
    seed: int
    league: League
    rules: str
    """The game's text for the referee: paths of user-supplied files lead into the store."""


def schedule_more(connection: Connection, tournament: RecordedTournament) -> None:
    """Schedules the pairings that are known by now, and cancels those that are no longer needed."""
    league = tournament.league
    id = tournament.id
    seed = tournament.seed
    entered = running.entries(connection, id)
    settings = running.settings(connection, id)
    known = known_pairings(running.pairings(connection, id), settings.get("byes", []))
    names = [entry.name for entry in entered]
    outcomes = running.outcomes(connection, id)
    results = results_of(outcomes)
    withdrawn = {entry.name for entry in entered if entry.status != "active"}
    pairings = formats.pairings(league, names, results, seed, known=known, withdrawn=withdrawn)
    needless = formats.needless(league, names, results, seed, known=pairings, withdrawn=withdrawn)
    store.cancel(connection, id, [pairing.key for pairing in needless])
    byes = [[pairing.round, *pairing.identity] for pairing in pairings if pairing.is_bye]
    if byes != settings.get("byes", []):
        store.change_settings(connection, id, settings | {"byes": byes})
    known_keys = {pairing.key for pairing in known}
    new = [pairing for pairing in pairings if pairing.key not in known_keys and not pairing.is_bye]
    versions = {entry.name: entry.version for entry in entered}
    store.schedule(connection, id, _new_games(tournament, new, versions))
    wanted = _needed_after_all(league, outcomes, {pairing.key for pairing in needless})
    for game in wanted:
        store.repeat(connection, game, versions=versions)
    for entry in entered:
        if (new or wanted) and entry.status != "active":
            forfeit_all(connection, id, entry.name, f"{entry.name} is {entry.status}")


def _needed_after_all(league: League, outcomes: Iterable[running.Outcome], needless: Collection[str]) -> list[int]:
    """The cancelled games of decided series that a ruling has opened again."""
    if not formats.grows(league):
        return []
    return [one.id for one in outcomes if one.status == "cancelled" and one.pair not in needless]


def _new_games(
    tournament: RecordedTournament, pairings: Sequence[formats.Pairing], versions: Mapping[str, int]
) -> list[store.NewGame]:
    """The games of new pairings; all games of a pairing share its opening."""
    book = Book(tournament.rules, tournament.league.openings, seed=tournament.seed)
    return [
        store.NewGame(
            round=pairing.round,
            pair=pairing.key,
            leg=leg,
            attempt=1,
            rules=tournament.rules,
            clock=tournament.league.clock,
            seed=str(tournament.seed),
            opening=" ".join(book.opening(pairing.cycle, *pairing.names)) or None,
            seats=tuple((versions[name], name) for name in pairing.seats(leg)),
        )
        for pairing in pairings
        for leg in range(pairing.legs)
    ]


def forfeit_all(connection: Connection, tournament: int, name: str, reason: str) -> None:
    """Forfeits every scheduled game of `name`."""
    now = datetime.now(UTC)
    for game, seat in running.scheduled_of(connection, tournament, name):
        store.forfeit(connection, game, seat, reason, now)


def decide_match(connection: Connection, tournament: RecordedTournament) -> MatchTest | None:
    """The state of a match's sequential test; None if the match has no test.

    Once the test is decided, the scheduled games are cancelled. Neither the games in progress nor later rulings change
    the decision."""
    terms = tournament.league.sprt
    if terms is None:
        return None
    settings = running.settings(connection, tournament.id)
    if "decided" in settings:
        test = convert(settings["decided"], MatchTest)
    else:
        test = match_test(terms, running.pair_points(connection, tournament.id, terms.of))
    if test.verdict is None:
        return test
    if "decided" not in settings:
        store.change_settings(connection, tournament.id, settings | {"decided": to_builtins(test)})
    waiting = running.waiting_pairs(connection, tournament.id)
    for first in range(0, len(waiting), _CANCELLED_AT_ONCE):
        store.cancel(connection, tournament.id, waiting[first : first + _CANCELLED_AT_ONCE])
    return test


def count_games(connection: Connection, tournament: int) -> tuple[int, int]:
    """The number of games that are over, and the number of all games; neither counts cancelled games."""
    statuses = [one.status for one in running.outcomes(connection, tournament) if one.status != "cancelled"]
    return sum(status in OVER for status in statuses), len(statuses)


def outdated_games(connection: Connection, tournament: int) -> list[int]:
    """The games that were played by an earlier version of an agent."""
    current = {entered.name: entered.version for entered in running.entries(connection, tournament)}
    played = running.played_versions(connection, tournament)
    return [
        game for game, seats in played.items() if any(current.get(name) != version for name, version in seats.items())
    ]


def known_pairings(
    rows: Iterable[tuple[int, str, tuple[str, ...]]], byes: Iterable[tuple[int, str, int]]
) -> list[formats.Pairing]:
    """The recorded pairings, as `Pairing` values."""
    known = [formats.Pairing(names, json.loads(key)[-1], round, len(names)) for round, key, names in rows]
    known += [formats.Pairing((name,), cycle, round, 0) for round, name, cycle in byes]
    return sorted(known, key=lambda pairing: pairing.round)


def results_of(outcomes: Iterable[running.Outcome]) -> dict[str, dict[str, float]]:
    """The points of the pairings whose games are all over; a game without a result counts half a point for each player.

    A pairing is not in it if it was cancelled because its series was decided."""
    pairs: dict[str, list[running.Outcome]] = {}
    for outcome in outcomes:
        pairs.setdefault(outcome.pair, []).append(outcome)
    results: dict[str, dict[str, float]] = {}
    for pair, legs in pairs.items():
        if all(leg.status in ("finished", "void") for leg in legs):
            totals: dict[str, float] = {}
            for leg in legs:
                for name, points in leg.points.items():
                    totals[name] = totals.get(name, 0.0) + (0.5 if points is None else points)
            results[pair] = totals
    return results
