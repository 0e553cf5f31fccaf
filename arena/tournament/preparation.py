"""Prepares a run of a tournament: creates or resumes it, enters all agents, and schedules the first games.

All of this is one transaction, which the caller opens. The allowed changes since the last run (submissions,
withdrawals, added agents and rounds) are recorded here; any other change of the description is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any, Final

from msgspec import Struct

from agents.protocol import Verdict
from arena.match.schedule import Entrant, rules_failed
from arena.players import builder
from arena.players.player import PlayerKind
from arena.players.submissions import Store
from arena.tournament.format import MatchTest
from arena.tournament.game_scheduling import (
    RecordedTournament,
    decide_match,
    forfeit_all,
    schedule_more,
)
from arena.tournament.league import League, settings_of
from arena.tournament.league import changes_between as changes
from arena.tournament.league import refuse_changes as refuse
from arena.tournament.rulings import refusal
from db import games, running, store
from db.database import Connection
from db.games import repeated_games
from db.records import PastGame

_KEPT: Final = ("byes", "decided")
"""The recorded settings that do not come from the description."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A tournament that is ready to be played."""

    tournament: RecordedTournament
    changed: list[str]
    """The agents whose source has changed."""
    tried_again: list[int]
    """The numbers of the void games that this run plays once more."""
    faults: dict[str, int]
    """By agent: the number of faults in a row up to its last game."""
    test: MatchTest | None
    """The state of a match's sequential test."""
    over: int
    all: int
    """All games except cancelled ones."""


def prepare(
    connection: Connection,
    league: League,
    rules: str,
    entrants: Mapping[str, Entrant],
    *,
    rerun_changed: bool,
    if_rules_fail: Callable[[str], None] | None = None,
) -> Prepared:
    """Creates or resumes the tournament; BadLeague if the description has changed too much.

    With `rerun_changed`, games of an older source are played again."""
    now = datetime.now(UTC)
    tournament = _continued(connection, league, rules, now) or _created(connection, league, rules, now)
    tournament = replace(tournament, if_rules_fail=if_rules_fail)
    changed = _enter_all(connection, tournament, entrants, now)
    if rerun_changed:
        _rerun(connection, tournament.id)
    _forfeit_or_return(connection, tournament.id)
    tried_again = _try_again(connection, tournament.id)
    faults = faults_in_a_row(connection, tournament)
    schedule_more(connection, tournament)
    test = decide_match(connection, tournament)
    over, all = running.counts(connection, tournament.id)
    return Prepared(tournament, changed=changed, tried_again=tried_again, faults=faults, test=test, over=over, all=all)


def _created(connection: Connection, league: League, rules: str, now: datetime) -> RecordedTournament:
    seed, seats_key = league.drawn()
    id = store.create_tournament(
        connection,
        league.name,
        format=str(league.format),
        rules=rules,
        clock=league.conditions.clock,
        seed=seed,
        seats_key=seats_key,
        settings=league.settings() | {"rules": rules},
        now=now,
    )
    return RecordedTournament(id, seed, seats_key, league, rules)


def _continued(connection: Connection, league: League, rules: str, now: datetime) -> RecordedTournament | None:
    """The recorded tournament of that name, if there is one; its games in progress are scheduled again."""
    row = running.tournament(connection, league.name)
    if row is None:
        return None
    tournament = RecordedTournament(row["id"], row["seed"], row["seats_key"], league, rules)
    _refuse_changes(row, tournament)
    kept = {key: row["settings"][key] for key in _KEPT if key in row["settings"]}
    store.change_settings(connection, tournament.id, league.settings() | {"rules": rules} | kept)
    store.set_status(connection, tournament.id, "running", now)
    store.interrupt(connection, tournament.id)
    return tournament


def _refuse_changes(row: Mapping[str, Any], tournament: RecordedTournament) -> None:
    league = tournament.league
    refused = list(changes(settings_of(row), league.settings()).refused)
    if row["rules"] != tournament.rules:
        refused.append("game: its rules have changed")
    refuse(league.name, refused)


def _enter_all(
    connection: Connection, tournament: RecordedTournament, entrants: Mapping[str, Entrant], now: datetime
) -> list[str]:
    """Enters all listed agents with their current sources; returns the agents whose source has changed."""
    before = {entered.name: entered for entered in running.entries(connection, tournament.id)}
    started_as = {listed.name: listed.player_text for listed in tournament.league.agents}
    changed = []
    for name, entrant in entrants.items():
        version = store.version(connection, name, entrant.source, started_as[name], now)
        known = before.get(name)
        if known is None or known.version != version:
            store.enter(connection, tournament.id, name, version)
        if known is not None and known.version != version:
            changed.append(name)
            store.use_version(connection, tournament.id, name, version)
            if known.status == "quarantined":  # the faults were the old version's
                store.set_entry_status(connection, tournament.id, name, "active")
    return changed


def _rerun(connection: Connection, tournament: int) -> None:
    """Schedules again the games that were played with an older source."""
    current = {entered.name: entered.version for entered in running.entries(connection, tournament)}
    outdated = running.outdated_games(connection, tournament)
    for game in outdated:
        store.repeat(connection, game, versions=current)
    settings = running.settings(connection, tournament)
    # The test of a match was decided with the older sources. Its cancelled games are scheduled again, until the test
    # is decided for the current sources.
    if outdated and settings.pop("decided", None) is not None:
        store.change_settings(connection, tournament, settings)
        for outcome in running.outcomes(connection, tournament):
            if outcome.status == "cancelled":
                store.repeat(connection, outcome.id, versions=current)


def _forfeit_or_return(connection: Connection, tournament: int) -> None:
    """Forfeits the games of withdrawn agents, and schedules again what released agents had forfeited."""
    entered = running.entries(connection, tournament)
    versions = {entry.name: entry.version for entry in entered}
    for entry in entered:
        if entry.status != "active":
            forfeit_all(connection, tournament, entry.name, f"{entry.name} is {entry.status}")
    for game in running.forfeited(connection, tournament):
        store.repeat(connection, game, versions=versions)


def _try_again(connection: Connection, tournament: int) -> list[int]:
    """Schedules the games once more in which the server failed at each attempt; returns their numbers."""
    versions = {entry.name: entry.version for entry in running.entries(connection, tournament)}
    failed = to_try_again(connection, tournament)
    for game in failed:
        store.repeat(connection, game.id, versions=versions)
    return [game.number for game in failed]


def to_try_again(connection: Connection, tournament: int) -> list[PastGame]:
    """The void games that the next run plays once more. Not those whose user-supplied rules failed, because the same
    rules fail again, and not those that a ruling could not schedule again."""
    void = games.games(connection, running.without_result(connection, tournament))
    return [game for game in void if not rules_failed(game) and refusal(connection, game, "again") is None]


def faults_in_a_row(connection: Connection, tournament: RecordedTournament) -> dict[str, int]:
    """By agent, the number of faults in a row up to its last game, less than the quarantine's limit: an agent that was
    released must make one more fault before it is quarantined again. Without agents that were never at fault."""
    most = max(1, tournament.league.quarantine)
    return {
        name: min(_streak(running.last_games(connection, tournament.id, name, most)), most - 1)
        for name in running.at_fault(connection, tournament.id)
    }


def _streak(last_games: Iterable[tuple[str, bool]]) -> int:
    """How many of the last games, newest first, the agent lost by its own fault, up to the first other one."""
    return sum(1 for _ in takewhile(lambda game: game[1] and game[0] != Verdict.RESIGNED, last_games))


# The state of a tournament before it is run again: its progress, and which agents have changed.


class Plan(Struct, frozen=True):
    """The progress of a tournament."""

    over: int
    all: int
    """All games, including those that the description adds."""
    changed: tuple[str, ...]
    """The agents whose source differs from the recorded one."""
    superseded: int
    """Games of earlier versions, which no longer count."""
    repeated: int
    """Games that repeat another one move for move."""


def plan_of(connection: Connection, league: League, submissions: Store) -> Plan | None:
    """The progress of the tournament that `league` describes; None if it has not started.

    Raises BadLeague if it was started with another description. Agents' sources are copied to `submissions`."""
    there = running.tournament(connection, league.name)
    if there is None:
        return None
    refuse(league.name, changes(settings_of(there), league.settings()).refused)
    over, scheduled = running.counts(connection, there["id"])
    before = {entered.name: entered.source for entered in running.entries(connection, there["id"])}
    now = {
        listed.name: listed.player.text
        if listed.player.kind is PlayerKind.BUILTIN
        else builder.take(listed.player, submissions).hash
        for listed in league.agents
    }
    return Plan(
        over=over,
        all=league.expected(scheduled),
        changed=tuple(name for name, source in now.items() if before.get(name, source) != source),
        superseded=len(running.outdated_games(connection, there["id"])),
        repeated=repeated_games(connection, there["id"]),
    )
