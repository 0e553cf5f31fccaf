"""Writes what a format decides into the database: games scheduled, cancelled and forfeited, and the end of a test.

The caller opens a transaction for every function here, so that a result and all that follows from it are recorded
together, or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from msgspec import convert, to_builtins

from adsearch.garbage import rare_collection
from arena.errors import BadFixture
from arena.match.openings import Opening
from arena.tournament.format import MatchTest, Pairing, SprtTerms, TournamentState, match_test
from arena.tournament.league import League
from db import running, store
from db.database import Connection
from db.records import ScheduledGame

_CANCELLED_AT_ONCE: Final = 500
"""Most pairings in one query."""


@dataclass(frozen=True, slots=True)
class RecordedTournament:
    """A tournament in the database, with the description that it is run with."""

    id: int
    seed: int
    seats_key: int | None
    """The key of the seats' seeds; None in a tournament of an older version, where they come from `seed`."""
    league: League
    rules: str
    """The game's text for the referee: paths of user-supplied files lead into the store."""
    if_rules_fail: Callable[[str], None] | None = None
    """Called with a sentence when user-supplied rules fail, and the next game is played; None: the run ends."""


def schedule_more(connection: Connection, tournament: RecordedTournament) -> list[Pairing]:
    """Schedules the pairings that are known by now, and cancels those that are no longer needed.

    Returns the pairings without those that are not needed; nothing in a format that does not grow."""
    league = tournament.league
    id = tournament.id
    entered = running.entries(connection, id)
    versions = {entry.name: entry.version for entry in entered}
    format = league.format
    if format.is_all(len(entered), league.seats, running.pairing_count(connection, id)):
        return []
    settings = running.settings(connection, id)
    known = known_pairings(running.pairings(connection, id), settings.get("byes", []))
    so_far = TournamentState(tuple(sorted(versions)), tournament.seed, {}, tuple(known), seats=league.seats)
    if not format.grows:
        with rare_collection():  # saves a tenth of the time
            store.schedule(connection, id, _new_games(tournament, format.further(so_far), versions))
        forfeit_inactive(connection, id, entered)
        return []
    outcomes = running.outcomes(connection, id)
    withdrawn = frozenset(entry.name for entry in entered if entry.status != "active")
    so_far = replace(so_far, results=results_of(outcomes), withdrawn=withdrawn)
    new = list(format.further(so_far))
    pairings = [*known, *new]
    needless = {pairing.key for pairing in format.needless(replace(so_far, known=tuple(pairings)))}
    store.cancel(connection, id, list(needless))
    byes = [[pairing.round, *pairing.identity] for pairing in pairings if pairing.is_bye]
    if byes != settings.get("byes", []):
        store.change_settings(connection, id, settings | {"byes": byes})
    store.schedule(connection, id, _new_games(tournament, new, versions))
    # The cancelled games of decided series that a ruling has opened again.
    wanted = [one.id for one in outcomes if one.status == "cancelled" and one.pair not in needless]
    for game in wanted:
        store.repeat(connection, game, versions=versions)
    if new or wanted:
        forfeit_inactive(connection, id, entered)
    return [pairing for pairing in pairings if pairing.key not in needless]


def forfeit_inactive(connection: Connection, tournament: int, entered: Iterable[running.EnteredPlayer]) -> None:
    """Forfeits every scheduled game of the agents that are withdrawn or quarantined."""
    for entry in entered:
        if entry.status != "active":
            forfeit_all(connection, tournament, entry.name, f"{entry.name} is {entry.status}")


def _new_games(
    tournament: RecordedTournament, pairings: Iterable[Pairing], versions: Mapping[str, int]
) -> Iterator[ScheduledGame]:
    """The games of new pairings; those of a pairing share its opening."""
    book = tournament.league.book(tournament.rules, seed=tournament.seed)
    for pairing in pairings:
        try:
            opening = book.opening(pairing.cycle, *pairing.names)
        except BadFixture as error:
            if tournament.if_rules_fail is None:
                raise
            tournament.if_rules_fail(f"games of {tournament.league.name!r} start without an opening: {error}")
            opening = Opening()
        yield from games_of(tournament, pairing, versions, opening)


def games_of(
    tournament: RecordedTournament, pairing: Pairing, versions: Mapping[str, int], opening: Opening
) -> Iterator[ScheduledGame]:
    """The games of one new pairing, all with this opening."""
    for leg in range(pairing.legs):
        yield ScheduledGame(
            round=pairing.round or None,
            pair=pairing.key,
            leg=leg,
            game=tournament.rules,
            clock=tournament.league.conditions.clock,
            seed=tournament.seed,
            kind=tournament.league.conditions.kind,
            position=opening.position or None,
            opening=" ".join(opening.moves) or None,
            seats=tuple([(versions[name], name) for name in pairing.seats(leg)]),
        )


def forfeit_all(connection: Connection, tournament: int, name: str, reason: str) -> None:
    """Forfeits every scheduled game of `name`."""
    store.forfeit(connection, running.scheduled_of(connection, tournament, name), reason, datetime.now(UTC))


def decide_match(connection: Connection, tournament: RecordedTournament) -> MatchTest | None:
    """The state of a match's sequential test; None if the match has no test.

    Once the test is decided, the scheduled games are cancelled. Neither the games in progress nor later rulings change
    the decision."""
    terms = tournament.league.format.test
    if terms is None:
        return None
    test = match_so_far(connection, tournament.id, terms)
    if test.verdict is None:
        return test
    settings = running.settings(connection, tournament.id)
    if "decided" not in settings:
        store.change_settings(connection, tournament.id, settings | {"decided": to_builtins(test)})
    waiting = running.waiting_pairs(connection, tournament.id)
    for first in range(0, len(waiting), _CANCELLED_AT_ONCE):
        store.cancel(connection, tournament.id, waiting[first : first + _CANCELLED_AT_ONCE])
    return test


def match_so_far(connection: Connection, tournament: int, terms: SprtTerms) -> MatchTest:
    """The state of a match's sequential test: as it was decided, or by the games so far."""
    decided = running.settings(connection, tournament).get("decided")
    if decided is not None:
        return convert(decided, MatchTest)
    return match_test(terms, running.pair_points(connection, tournament, terms.of))


def known_pairings(
    rows: Iterable[tuple[int, str, tuple[str, ...]]], byes: Iterable[tuple[int, str, int]]
) -> list[Pairing]:
    """The recorded pairings, as `Pairing` values."""
    known = [Pairing(names, json.loads(key)[-1], round, len(names)) for round, key, names in rows]
    known += [Pairing((name,), cycle, round, 0) for round, name, cycle in byes]
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
