"""The history of games, searched: which games meet what is asked for, the newest first.

A page of a record of a million games takes milliseconds: each condition is one that an index answers, or one that is
looked at only for the games that are left.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Select, case, func, null, select, text
from sqlalchemy.orm import aliased

from db.counting import ANNULS
from db.errors import NotFound
from db.games import OVER, games
from db.lookup import find_tournament
from db.records import PastGame
from db.schema import Agent, Entry, Game, Ruling, Seat, Version

ANYBODY: Final = "any"
NORMAL: Final = "normal"
NOT_NORMAL: Final = text("game.verdict <> 'normal'")
"""Word for word as in the index of games that did not end by the rules: otherwise that is not used."""
AT_FAULT: Final = Game.fault.is_not(None) & (Game.verdict != "resigned")
"""Who gives a game up is not at fault."""


class Wanted(Struct, frozen=True, kw_only=True):
    """Which games are asked for: those that meet everything that is not None."""

    agent: str | None = None
    opponent: str | None = None
    seat: int | None = None
    """Where `agent` sits."""
    result: str | None = None
    """win, draw or loss of `agent`, after rulings."""
    game: str | None = None
    """With options, or without: then whatever the options. One of somebody's own is known by its file's name too."""
    tournament: str | None = None
    verdict: str | None = None
    fault: str | None = None
    """Who lost by a fault; ANYBODY: somebody."""
    opening: str | None = None
    """The first moves."""
    since: str | None = None
    until: str | None = None
    """Before which moment the game was over."""
    min_plies: int | None = None
    max_plies: int | None = None
    statuses: tuple[str, ...] = OVER
    """Empty: whatever the status."""


def page(connection: Connection, wanted: Wanted, *, limit: int) -> list[PastGame]:
    """The newest `limit` of the games that are wanted, the newest first, without their moves."""
    chosen = narrowed(connection, select(Game.id), wanted)
    newest = chosen.order_by(Game.finished.desc(), Game.id.desc()).limit(limit)
    return games(connection, connection.execute(newest).scalars().all())


def count(connection: Connection, wanted: Wanted, *, most: int) -> int:
    """How many games are wanted; where they are more than `most`, one more than that."""
    some = narrowed(connection, select(Game.id), wanted).limit(most + 1).subquery()
    return connection.execute(select(func.count()).select_from(some)).scalar_one()


def rules_on_record(connection: Connection) -> list[str]:
    """The games that there are on record, each with its options."""
    return sorted(connection.execute(select(Game.rules).distinct()).scalars())


def narrowed(connection: Connection, chosen: Select[int], wanted: Wanted) -> Select[int]:
    """`chosen`, of the games that are wanted alone."""
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
    return _narrowed_to_players(connection, chosen, wanted)


def _is_game(name: str) -> ColumnElement[bool]:
    """That the rules are those, whatever their options; or those of a file of that name, wherever it is kept."""
    exact = (Game.rules == name) | Game.rules.startswith(f"{name}:", autoescape=True)
    if ".py" not in name:
        return exact
    kept = f"/{name.rpartition('/')[2]}"
    return exact | Game.rules.endswith(kept, autoescape=True) | Game.rules.contains(f"{kept}:", autoescape=True)


def _narrowed_to_players(connection: Connection, chosen: Select[int], wanted: Wanted) -> Select[int]:
    """`chosen`, of the games of the players that are wanted alone."""
    if wanted.fault is not None and wanted.fault != ANYBODY:
        guilty = aliased(Seat)
        chosen = chosen.join(guilty, (guilty.game == Game.id) & (guilty.seat == Game.fault))
        chosen = chosen.where(AT_FAULT, NOT_NORMAL, *_is(connection, guilty, wanted.fault))
    if wanted.agent is None:
        return chosen
    own = aliased(Seat)
    # Who sits in a game twice is found twice. PostgreSQL orders by columns of a group, and not by those of DISTINCT.
    chosen = chosen.join(own, own.game == Game.id).where(*_is(connection, own, wanted.agent)).group_by(Game.id)
    if wanted.seat is not None:
        chosen = chosen.where(own.seat == wanted.seat)
    if wanted.opponent is not None:
        other = aliased(Seat)
        chosen = chosen.join(other, (other.game == Game.id) & (other.seat != own.seat))
        chosen = chosen.where(*_is(connection, other, wanted.opponent))
    if wanted.result is not None:
        points = counted_points(own)
        chosen = chosen.where(
            {"win": points == 1.0, "draw": (points > 0.0) & (points < 1.0), "loss": points == 0.0}[wanted.result]
        )
    return chosen


def counted_points(seat: type[Seat]) -> Any:
    """What `seat` is given for its game, after rulings."""
    what, to = _ruled(Ruling.what), _ruled(Ruling.seat)
    return case(
        (what.in_(ANNULS), null()),
        (what == "award", case((to == seat.seat, 1.0), else_=0.0)),
        else_=seat.points,
    )


def _ruled(column: Any) -> Any:
    """That column of the ruling that holds about a game."""
    last, revoking = aliased(Ruling), aliased(Ruling)
    revoked = select(revoking.id).where(revoking.revokes == last.id).correlate(last).exists()
    standing = select(func.max(last.id)).where(last.game == Game.id, last.what != "revoke", ~revoked)
    return select(column).where(Ruling.id == standing.correlate(Game).scalar_subquery()).scalar_subquery()


def _has_status(statuses: Collection[str]) -> ColumnElement[bool]:
    """That a game has one of these statuses, where one that was annulled is void, however it ended."""
    recorded = Game.status.in_(statuses)
    if ("void" in statuses) == ("finished" in statuses):
        return recorded
    annulled = func.coalesce(_ruled(Ruling.what).in_(ANNULS), False)
    return recorded | annulled if "void" in statuses else recorded & ~annulled


def _is(connection: Connection, seat: type[Seat], name: str) -> tuple[ColumnElement[bool], ...]:
    """That `name` sits there, or a version of it that was called alice@2 in that game. Seats are found by version: that
    is what there is an index of."""
    called = (seat.name == name) | seat.name.startswith(f"{name}@", autoescape=True)
    return seat.version.in_(known(connection, name)), called


def known(connection: Connection, name: str) -> list[int]:
    """The versions that may have played under that name; NotFound where there are none."""
    versions = _versions_of(connection, name)
    if not versions:
        near = get_close_matches(name, _names(connection), n=1)
        raise NotFound(f"nobody called {name!r} has played" + (f"; did you mean {near[0]!r}?" if near else ""))
    return versions


def _versions_of(connection: Connection, name: str) -> list[int]:
    """The versions that may have played under that name."""
    own = select(Version.id).join(Agent, Agent.id == Version.agent).where(Agent.name == name)
    entered = select(Entry.version).where(Entry.name == name)
    # Whoever takes part under another name is another version of the same agent.
    same = aliased(Version)
    others = select(same.id).join(Version, Version.agent == same.agent).where(Version.id.in_(entered))
    return sorted({*connection.execute(own).scalars(), *connection.execute(others).scalars()})


def versions_that_played(connection: Connection, agent: str, rules: str) -> set[int]:
    """The numbers of the versions of an agent that have a finished game of these rules."""
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
