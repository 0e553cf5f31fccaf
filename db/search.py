"""Searches the history of games with filters; the newest games first.

A page out of a million games takes milliseconds: each condition uses an index, or is tested only on the games that the
other conditions leave.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, FromClause, Select, case, func, null, select, text

from db.errors import NotFound, advice
from db.games import OVER, games
from db.lookup import find_tournament
from db.records import ANNULS, PastGame
from db.schema import Agent, Entry, Game, Ruling, Seat, Version

ANYBODY: Final = "any"
NORMAL: Final = "normal"
NOT_NORMAL: Final = text("game.verdict <> 'normal'")
"""Must be exactly the condition of the partial index `game_not_normal`; otherwise the index is not used."""
AT_FAULT: Final = Game.fault.is_not(None) & (Game.verdict != "resigned")
"""The game was lost by a fault. Resigning is not a fault."""


class GameFilter(Struct, frozen=True, kw_only=True):
    """A filter for games: a game must meet every condition that is not None."""

    agent: str | None = None
    opponent: str | None = None
    seat: int | None = None
    """The seat of `agent`."""
    result: str | None = None
    """The result of `agent`, after rulings: win, draw or loss."""
    game: str | None = None
    """The rules; without options, any options match. User-supplied rules are also found by their file's name."""
    tournament: str | None = None
    verdict: str | None = None
    fault: str | None = None
    """The player that lost by a fault; ANYBODY: any player."""
    opening: str | None = None
    """The first moves."""
    since: str | None = None
    until: str | None = None
    """The game ended before this time."""
    min_plies: int | None = None
    max_plies: int | None = None
    statuses: tuple[str, ...] = OVER
    """Empty: any status."""


def page(connection: Connection, wanted: GameFilter, *, limit: int) -> list[PastGame]:
    """The newest `limit` games that match, the newest first, without their moves."""
    chosen = filtered(connection, select(Game.id), wanted)
    newest = chosen.order_by(Game.finished.desc(), Game.id.desc()).limit(limit)
    return games(connection, connection.execute(newest).scalars().all())


def count(connection: Connection, wanted: GameFilter, *, most: int) -> int:
    """How many games match; at most `most` + 1, so that counting stays fast."""
    some = filtered(connection, select(Game.id), wanted).limit(most + 1).subquery()
    return connection.execute(select(func.count()).select_from(some)).scalar_one()


def rules_on_record(connection: Connection) -> list[str]:
    """The rules of all recorded games, each with its options, sorted."""
    return sorted(connection.execute(select(Game.rules).distinct()).scalars())


def filtered(connection: Connection, chosen: Select[int], wanted: GameFilter) -> Select[int]:
    """`chosen` with the WHERE conditions of `wanted`."""
    if wanted.statuses:
        chosen = chosen.where(_has_status(wanted.statuses))
    if wanted.tournament is not None:
        chosen = chosen.where(Game.tournament == find_tournament(connection, wanted.tournament))
    if wanted.game is not None:
        chosen = chosen.where(_is_game(wanted.game))
    if wanted.opening is not None:
        moves = " ".join(wanted.opening.split())
        chosen = chosen.where((Game.opening == moves) | Game.opening.startswith(f"{moves} ", autoescape=True))
    if wanted.verdict is not None:
        chosen = chosen.where(Game.verdict == wanted.verdict)
        if wanted.verdict != NORMAL:
            chosen = chosen.where(NOT_NORMAL)
    if wanted.fault == ANYBODY:
        chosen = chosen.where(AT_FAULT, NOT_NORMAL)
    if wanted.since is not None:
        chosen = chosen.where(Game.finished >= wanted.since)
    if wanted.until is not None:
        chosen = chosen.where(Game.finished < wanted.until)
    if wanted.min_plies is not None:
        chosen = chosen.where(Game.plies >= wanted.min_plies)
    if wanted.max_plies is not None:
        chosen = chosen.where(Game.plies <= wanted.max_plies)
    return _filtered_by_players(connection, chosen, wanted)


def _is_game(name: str) -> ColumnElement[bool]:
    """Condition: the game's rules are `name`, with any options (or parameters in parentheses); or, if `name` is a file,
    a file of that name in any folder."""
    options, parameters = (Game.rules.startswith(f"{name}{mark}", autoescape=True) for mark in ":(")
    exact = (Game.rules == name) | options | parameters
    if ".py" not in name:
        return exact
    file = f"/{name.rpartition('/')[2]}"
    return exact | Game.rules.endswith(file, autoescape=True) | Game.rules.contains(f"{file}:", autoescape=True)


def _filtered_by_players(connection: Connection, chosen: Select[int], wanted: GameFilter) -> Select[int]:
    """`chosen` with the conditions about players: fault, agent, seat, opponent and result."""
    if wanted.fault is not None and wanted.fault != ANYBODY:
        guilty = Seat.__table__.alias()
        chosen = chosen.join(guilty, (guilty.c.game == Game.id) & (guilty.c.seat == Game.fault))
        chosen = chosen.where(AT_FAULT, NOT_NORMAL, *_is_player(connection, guilty, wanted.fault))
    if wanted.agent is None:
        return chosen
    own = Seat.__table__.alias()
    # Without GROUP BY, a player with two seats in a game would be found twice. (PostgreSQL refuses SELECT DISTINCT with
    # an ORDER BY of other columns.)
    chosen = chosen.join(own, own.c.game == Game.id).where(*_is_player(connection, own, wanted.agent)).group_by(Game.id)
    if wanted.seat is not None:
        chosen = chosen.where(own.c.seat == wanted.seat)
    if wanted.opponent is not None:
        other = Seat.__table__.alias()
        chosen = chosen.join(other, (other.c.game == Game.id) & (other.c.seat != own.c.seat))
        chosen = chosen.where(*_is_player(connection, other, wanted.opponent))
    if wanted.result is not None:
        points = counted_points(own)
        chosen = chosen.where(
            {"win": points == 1.0, "draw": (points > 0.0) & (points < 1.0), "loss": points == 0.0}[wanted.result]
        )
    return chosen


def counted_points(seat: FromClause) -> Any:
    """Expression: the points of `seat`, after rulings."""
    what, to = _ruling_in_force(Ruling.what), _ruling_in_force(Ruling.seat)
    return case(
        (what.in_(ANNULS), null()),
        (what == "award", case((to == seat.c.seat, 1.0), else_=0.0)),
        else_=seat.c.points,
    )


def _ruling_in_force(column: Any) -> Any:
    """Subquery: `column` of the ruling in force about a game (the last one that was not revoked)."""
    last, revoking = Ruling.__table__.alias(), Ruling.__table__.alias()
    revoked = select(revoking.c.id).where(revoking.c.revokes == last.c.id).correlate(last).exists()
    newest = select(func.max(last.c.id)).where(last.c.game == Game.id, last.c.what != "revoke", ~revoked)
    return select(column).where(Ruling.id == newest.correlate(Game).scalar_subquery()).scalar_subquery()


def _has_status(statuses: Collection[str]) -> ColumnElement[bool]:
    """Condition: the game has one of these statuses; a game that a ruling annulled has the status "void"."""
    recorded = Game.status.in_(statuses)
    if ("void" in statuses) == ("finished" in statuses):
        return recorded
    annulled = func.coalesce(_ruling_in_force(Ruling.what).in_(ANNULS), False)
    return recorded | annulled if "void" in statuses else recorded & ~annulled


def _is_player(connection: Connection, seat: FromClause, name: str) -> tuple[ColumnElement[bool], ...]:
    """Conditions: player `name` has that seat, or a version of it such as "alice@2". Seats are first selected by
    version, because `seat_by_version` is the only index that helps."""
    called = (seat.c.name == name) | seat.c.name.startswith(f"{name}@", autoescape=True)
    return seat.c.version.in_(versions_named(connection, name)), called


def versions_named(connection: Connection, name: str) -> list[int]:
    """The ids of the versions that may have played under that name; NotFound if there is none."""
    own = select(Version.id).join(Agent, Agent.id == Version.agent).where(Agent.name == name)
    entered = select(Entry.version).where(Entry.name == name)
    # An agent entered under another name: all versions of that agent.
    same = Version.__table__.alias()
    others = select(same.c.id).join(Version, Version.agent == same.c.agent).where(Version.id.in_(entered))
    found = {*connection.execute(own).scalars(), *connection.execute(others).scalars()}
    if not found:
        raise NotFound(f"no player called {name!r} has played{advice(name, _names(connection))}")
    return sorted(found)


def versions_that_played(connection: Connection, agent: str, rules: str) -> set[int]:
    """The numbers of the agent's versions that have a finished game with these rules."""
    played = (
        select(Version.number)
        .join(Agent, Agent.id == Version.agent)
        .where(
            Agent.name == agent,
            select(Seat.game)
            .join(Game, Game.id == Seat.game)
            .where(Seat.version == Version.id, Game.rules == rules, Game.status == "finished")
            .exists(),
        )
    )
    return {*connection.execute(played).scalars()}


def _names(connection: Connection) -> list[str]:
    agents = connection.execute(select(Agent.name)).scalars()
    return sorted({*agents, *connection.execute(select(Entry.name).distinct()).scalars()})
