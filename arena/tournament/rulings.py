"""Rulings: an instructor's recorded decisions about a game or an agent, which rulings are possible, and their effects.

Commands and pages both rule through this module. `writing` opens the transaction for every function that rules, so that
a ruling and its effects are recorded together, or not at all. Games are played again by the next run of the tournament,
or by `arena serve`. Rulings are never deleted: a ruling is revoked by another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from agents.protocol import Verdict
from arena.errors import BadRuling
from arena.tournament import formats
from arena.tournament.format import Format
from arena.tournament.lock import tournament_lock
from db import games, ladder, lookup, rulings, running, store
from db.database import Connection, Database
from db.records import ACTS, IMPORTED, PastGame

_WAITING: Final = ("scheduled", "playing")
LONGEST: Final = 1000
"""Characters of a reason."""


@contextmanager
def writing(database: Database, folder: Path, what: str, tournaments: Iterable[str]) -> Iterator[Connection]:
    """A transaction for such rulings in these tournaments, or for revoking them. `folder`: the store.

    TournamentBusy if games are to be scheduled or cancelled while another process runs their tournament. (A ladder
    looks at each new ruling.)"""
    with ExitStack() as stack:
        if what == "again":
            with database.reading() as connection:
                planned = {*tournaments}.difference(ladder.ladders(connection))
            for name in sorted(planned):
                stack.enter_context(tournament_lock(folder, name, database=database))
        yield stack.enter_context(database.writing())


def rule(
    connection: Connection, game: PastGame, what: str, reason: str, now: datetime, *, seat: int | None = None
) -> int:
    """Annuls the game ("void"), annuls it and schedules it again ("again"), or awards it to a seat ("award").

    Returns the id of the ruling; raises BadRuling if the ruling is not possible."""
    if why := refusal(connection, game, what):
        raise BadRuling(why)
    if (what == "award") is not (seat is not None):
        raise BadRuling("expected the seat that the game is awarded to, and one only then")
    holds = game.ruling
    if what == "award" and holds is not None and (holds.what, holds.seat) == (what, seat):
        raise BadRuling(f"game {game.name} was already awarded to {game.players[holds.seat or 0]} by ruling {holds.id}")
    ruling = store.rule_on_game(connection, game.id, what, reason, now, seat=seat)
    if what == "again":
        tournament = lookup.find_tournament(connection, game.tournament)
        versions = {entered.name: entered.version for entered in running.entries(connection, tournament)}
        store.repeat(connection, game.id, versions=versions)
        if running.status(connection, tournament) == "finished":
            store.set_status(connection, tournament, "stopped", now)
    return ruling


def refusal(connection: Connection, game: PastGame, what: str) -> str | None:
    """Why this ruling on the game is not possible; None if it is possible."""
    if game.status == "void" and what == "void":
        return f"game {game.name} is void: it has no result to annul; `arena rule again` plays it again"
    if game.status not in ("finished", "void"):
        attempt = f" (attempt {game.attempt})" if game.attempt > 1 else ""
        return f"expected a finished game, but game {game.name}{attempt} is {game.status}"
    for later in running.later_attempts(connection, game.id):
        if later.status != "cancelled":
            also = "is to be played again" if later.status in _WAITING else "was played again"
            return f"game {game.name} {also}, as attempt {later.attempt}: rule on that one, {game.name}"
    if what != "award" and game.ruling is not None and game.ruling.what in ("again", what):
        return f"game {game.name} was already annulled by ruling {game.ruling.id}"
    return _no_replay(connection, game) if what == "again" else None


def _no_replay(connection: Connection, game: PastGame) -> str | None:
    """Why the game cannot be played again; None if it can."""
    if game.tournament is None:
        return f"game {game.name} is not part of a tournament; use `arena play` for another game"
    tournament = lookup.find_tournament(connection, game.tournament)
    entered = {entry.name: entry for entry in running.entries(connection, tournament)}
    players = [entered[name] for name in game.players]
    if any(entry.source.startswith(IMPORTED) for entry in players):
        return f"game {game.name} was imported: its players' programs are not in the store"
    if game.verdict == Verdict.FORFEIT and game.fault is not None:
        return (
            f"game {game.name} was forfeited, not played; when {game.players[game.fault]} is active, "
            "`arena run` plays it"
        )
    for entry in players:
        if entry.status != "active":
            return (
                f"game {game.name} would be forfeited: {entry.name} is {entry.status}; "
                "`arena rule release` lets it play"
            )
    if "decided" in running.settings(connection, tournament):
        return f"the sequential test of {game.tournament} is decided: its games are not played any more"
    last = store.last_round(connection, tournament)
    format = _format(connection, tournament)
    if format is not None and format.has_bracket and last > (game.round or 0):
        return f"game {game.name} is in round {game.round}, and round {last} of the {format} is already paired"
    return None


def _format(connection: Connection, tournament: int) -> Format | None:
    return formats.recorded(running.format(connection, tournament), running.settings(connection, tournament))


def rule_on_entry(connection: Connection, tournament: int, agent: str, what: str, reason: str, now: datetime) -> int:
    """Takes the agent out ("withdraw"), puts it aside until its author hands in again ("quarantine"), or lets it play
    ("release").

    Returns the id of the ruling; raises BadRuling if the ruling would change nothing, or if the agent is an anchor of a
    ladder."""
    title, then = lookup.tournament_name(connection, tournament), ACTS[what].status
    if what != "release" and agent in _anchors(connection, tournament):
        raise BadRuling(
            f"{agent!r} is an anchor of the ladder {title!r} and cannot be {then}: the ratings of all agents depend on "
            "it"
        )
    if lookup.entry_statuses(connection, tournament).get(agent) == then:
        raise BadRuling(f"{agent!r} is already {then} in {title}")
    return store.rule_on_entry(connection, tournament, agent, what, reason, now)


def _anchors(connection: Connection, tournament: int) -> list[str]:
    """The anchors of a ladder; none of another tournament."""
    is_ladder = running.format(connection, tournament) == ladder.FORMAT
    return [agent["name"] for agent in running.settings(connection, tournament)["agents"]] if is_ladder else []


def reason_in(text: str) -> str:
    """The reason for a ruling that somebody wrote; BadRuling if there is none, or if it is too long."""
    reason = text.strip()
    if not reason:
        raise BadRuling("expected a reason, got an empty text")
    if len(reason) > LONGEST:
        raise BadRuling(f"expected a reason of at most {LONGEST:,} characters, got {len(reason):,}")
    return reason


def revoke(connection: Connection, id: int, reason: str, now: datetime) -> int:
    """Revokes the ruling `id`, and returns the id of the new ruling; BadRuling if its effects cannot all be undone."""
    ruling = rulings.ruling(connection, id)
    if ruling.what == "revoke":
        raise BadRuling(f"ruling {id} revoked ruling {ruling.revokes} and cannot be revoked itself: make a new ruling")
    if ruling.revoked is not None:
        raise BadRuling(f"ruling {id} was already revoked by ruling {ruling.revoked}")
    if (holding := rulings.holding(connection, ruling)) != id:
        raise BadRuling(f"ruling {holding} has replaced ruling {id}: revoke ruling {holding} first")
    if ruling.game is None:
        _refuse_paired(connection, ruling, round=None)
    else:
        _undo(connection, ruling, ruling.game, now)
    return store.revoke(connection, id, reason, now)


def _undo(connection: Connection, ruling: rulings.StoredRuling, id: int, now: datetime) -> None:
    """Undoes the effects of a ruling about a game: the scheduled attempt is cancelled. On a ladder, whose games another
    process may be playing, none that has begun is."""
    (game,) = games.games(connection, [id])
    _refuse_paired(connection, ruling, round=game.round)
    if ruling.what != "again":
        return
    tournament = lookup.find_tournament(connection, ruling.tournament)
    is_ladder = running.format(connection, tournament) == ladder.FORMAT
    later = running.later_attempts(connection, id)
    for attempt in later:
        if attempt.status not in (*_WAITING, "cancelled"):
            raise BadRuling(
                f"game {game.name} was played again, as attempt {attempt.attempt}, which counts now: "
                f"rule on that one, {game.name}"
            )
        if is_ladder and attempt.status == "playing":
            raise BadRuling(f"game {game.name} is being played again: rule on attempt {attempt.attempt} later")
    store.cancel_attempts(connection, [attempt.id for attempt in later])
    over, all = running.counts(connection, tournament)
    if not is_ladder and over == all and running.status(connection, tournament) == "stopped":
        store.set_status(connection, tournament, "finished", now)


def _refuse_paired(connection: Connection, ruling: rulings.StoredRuling, *, round: int | None) -> None:
    """Raises BadRuling if rounds that were paired later depend on the ruling: with a bracket every ruling, in other
    formats that grow only one about an agent. `round`: the round of the game that the ruling is about."""
    if ruling.tournament is None:
        return
    tournament = lookup.find_tournament(connection, ruling.tournament)
    format = _format(connection, tournament)
    if format is None or not (format.has_bracket or (format.grows and round is None)):
        return
    last = store.last_round(connection, tournament)
    then = (
        ruling.paired or round or 0
    )  # the last round when it was made; earlier versions of the program did not record it
    if last > then and (round is None or round >= then):
        released = "; `arena rule release` lets it play again"
        anew = {"withdraw": released, "quarantine": released, "release": "; `arena rule withdraw` takes it out again"}
        raise BadRuling(
            f"round {last} of {ruling.tournament} is already paired: ruling {ruling.id} cannot be undone"
            + anew.get(ruling.what, "")
        )
