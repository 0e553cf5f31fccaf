"""From what a format says to games on record: what is scheduled, cancelled and forfeited, and when a test is over.

Every function here is called inside a transaction that somebody else has begun. It writes through `db.store`, so that
whatever follows from one result is on record together with it, or not at all.
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
from arena.tournament.formats.sprt_match import Weighed, weigh
from arena.tournament.league import League
from db import running, store
from db.database import Connection

OVER: Final = ("finished", "void", "cancelled")
"""The status of a game that nobody waits for any more."""
_CANCELLED_AT_ONCE: Final = 500
"""Pairs in one query."""


@dataclass(frozen=True, slots=True)
class OnRecord:
    """A tournament that is on record, with the description by which it is run."""

    id: int
    seed: int
    league: League
    rules: str
    """The game as the referee reads it: user-supplied files are those in the store."""


def schedule_more(connection: Connection, tournament: OnRecord) -> None:
    """Schedules the pairings that are known by now, and cancels those that are not needed any more."""
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
    """The cancelled games of series that were decided without them, and are open again since a ruling."""
    if not formats.grows(league):
        return []
    return [one.id for one in outcomes if one.status == "cancelled" and one.pair not in needless]


def _new_games(
    tournament: OnRecord, pairings: Sequence[formats.Pairing], versions: Mapping[str, int]
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
    """`name` loses every game that it has not begun."""
    now = datetime.now(UTC)
    for game, seat in running.scheduled_of(connection, tournament, name):
        store.forfeit(connection, game, seat, reason, now)


def decide_match(connection: Connection, tournament: OnRecord) -> Weighed | None:
    """How the sequential test of a match stands; None where there is none.

    When it is decided, the games that have not begun are cancelled. A decision stands, whatever the games in progress
    come to then, and whatever is ruled about the others."""
    terms = tournament.league.sprt
    if terms is None:
        return None
    settings = running.settings(connection, tournament.id)
    if "decided" in settings:
        test = convert(settings["decided"], Weighed)
    else:
        test = weigh(terms, running.pair_points(connection, tournament.id, terms.of))
    if test.verdict is None:
        return test
    if "decided" not in settings:
        store.change_settings(connection, tournament.id, settings | {"decided": to_builtins(test)})
    waiting = running.waiting_pairs(connection, tournament.id)
    for first in range(0, len(waiting), _CANCELLED_AT_ONCE):
        store.cancel(connection, tournament.id, waiting[first : first + _CANCELLED_AT_ONCE])
    return test


def count_games(connection: Connection, tournament: int) -> tuple[int, int]:
    """How many games are over, and how many there are; cancelled ones count for neither."""
    statuses = [one.status for one in running.outcomes(connection, tournament) if one.status != "cancelled"]
    return sum(status in OVER for status in statuses), len(statuses)


def outdated_games(connection: Connection, tournament: int) -> list[int]:
    """The games that were played by a version which is not the present one."""
    current = {entered.name: entered.version for entered in running.entries(connection, tournament)}
    played = running.played_versions(connection, tournament)
    return [
        game for game, seats in played.items() if any(current.get(name) != version for name, version in seats.items())
    ]


def known_pairings(
    rows: Iterable[tuple[int, str, tuple[str, ...]]], byes: Iterable[tuple[int, str, int]]
) -> list[formats.Pairing]:
    """The pairings that are on record, as formats know them."""
    known = [formats.Pairing(names, json.loads(key)[-1], round, len(names)) for round, key, names in rows]
    known += [formats.Pairing((name,), cycle, round, 0) for round, name, cycle in byes]
    return sorted(known, key=lambda pairing: pairing.round)


def results_of(outcomes: Iterable[running.Outcome]) -> dict[str, dict[str, float]]:
    """The points of the pairings whose games are all over; a game without result counts half for everybody.

    A pairing that was cancelled, because a series was decided without it, has none."""
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
