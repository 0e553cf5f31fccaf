"""Finds tournaments, games and entries by the names that people use for them.

Each function takes an open connection and returns plain values. An unknown name raises NotFound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, case, distinct, func, select

from db.errors import NotFound, advice
from db.schema import Agent, Entry, Game, Seat, Tournament, Version

LAST: Final = "last"
_MOST_DIGITS: Final = 18
"""Every number with at most this many digits fits into a 64-bit id."""

_BYE_POINTS: Final = 2.0
"""Points for a bye: as many as for winning both games of a pairing."""


def find_game(connection: Connection, text: str) -> int:
    """The id of the game that `text` names: an id, "last", or a tournament and the game's number in it ("cs101-812").

    "last" is the game that ended last. "cs101-812" is the last attempt at that game."""
    if text == LAST:
        latest = select(Game.id).where(Game.finished.is_not(None)).order_by(Game.finished.desc(), Game.id.desc())
        found = connection.execute(latest.limit(1)).scalar()
        if found is None:
            raise NotFound("there is no last game: no game is over yet")
        return found
    if _is_number(text):
        found = connection.execute(select(Game.id).where(Game.id == int(text))).scalar()
        if found is None:
            raise NotFound(f"there is no game {text}; `arena results history` lists the recorded games")
        return found
    name, dash, number = text.rpartition("-")
    if not dash or not name or not _is_number(number):
        raise NotFound(f"expected a game's id, 'last', or a tournament and a number such as 'cs101-812', got {text!r}")
    tournament = find_tournament(connection, name)
    attempts = select(Game.id).where(Game.tournament == tournament, Game.number == int(number))
    found = connection.execute(attempts.order_by(Game.attempt.desc()).limit(1)).scalar()
    if found is None:
        raise NotFound(f"the tournament {name!r} has no game {number}")
    return found


def find_tournament(connection: Connection, name: str | None = None) -> int:
    """The id of the tournament called `name`; without a name, the newest tournament's."""
    chosen = select(Tournament.id).order_by(Tournament.id.desc()).limit(1)
    if name is not None:
        chosen = chosen.where(Tournament.name == name)
    found = connection.execute(chosen).scalar()
    if found is not None:
        return found
    if name is None:
        raise NotFound("there is no tournament yet: `arena run` plays one; `arena results history` lists all games")
    names = connection.execute(select(Tournament.name)).scalars()
    raise NotFound(
        f"there is no tournament {name!r}{advice(name, names, '`arena results tournaments` lists all tournaments')}"
    )


def tournament_name(connection: Connection, tournament: int) -> str:
    """The tournament's name."""
    return connection.execute(select(Tournament.name).where(Tournament.id == tournament)).scalar_one()


class EntryRow(Struct, frozen=True):
    """A player's entry in one tournament."""

    tournament: str
    tournament_status: str
    status: str
    """active, withdrawn or quarantined."""


def entries_of(connection: Connection, name: str) -> list[EntryRow]:
    """The tournaments in which `name` takes part, the newest first."""
    chosen = select(Tournament.name, Tournament.status, Entry.status)
    rows = connection.execute(
        chosen.join(Entry, Entry.tournament == Tournament.id).where(Entry.name == name).order_by(Tournament.id.desc())
    )
    return [EntryRow(*row) for row in rows]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


# Tournaments.


class TournamentRow(Struct, frozen=True):
    """A tournament, with its status and how many of its games are over."""

    name: str
    format: str
    game: str
    clock: str
    entries: int
    played: int
    """Games that are over; all attempts at a game count once."""
    games: int
    """All games, played or still to be played, without cancelled ones."""
    status: str
    created: str
    finished: str | None


def tournaments(connection: Connection, only: int | None = None) -> list[TournamentRow]:
    """All tournaments, the newest first; or `only` the one with this id."""
    everybody = select(Entry.tournament, func.count()).group_by(Entry.tournament)
    entries = dict(connection.execute(everybody).all())
    counted = select(
        Game.tournament,
        func.count(distinct(case((Game.status != "cancelled", Game.number)))),
        func.count(distinct(case((Game.status.in_(("scheduled", "playing")), Game.number)))),
    ).group_by(Game.tournament)
    chosen = select(Tournament.__table__).order_by(Tournament.id.desc())
    if only is not None:
        counted, chosen = counted.where(Game.tournament == only), chosen.where(Tournament.id == only)
    counts = {tournament: (every, waiting) for tournament, every, waiting in connection.execute(counted)}
    rows = connection.execute(chosen).mappings()
    found = []
    for row in rows:
        every, waiting = counts.get(row["id"], (0, 0))
        found.append(
            TournamentRow(
                name=row["name"],
                format=row["format"],
                game=row["rules"],
                clock=row["clock"],
                entries=entries.get(row["id"], 0),
                played=every - waiting,
                games=every,
                status=row["status"],
                created=row["created"],
                finished=row["finished"],
            )
        )
    return found


def entry_statuses(connection: Connection, tournament: int) -> dict[str, str]:
    """The tournament's players in the order of entering, each with its status: active, withdrawn or quarantined."""
    rows = select(Entry.name, Entry.status).where(Entry.tournament == tournament).order_by(Entry.id)
    return dict(connection.execute(rows).all())


class VersionPlayed(Struct, frozen=True):
    """A version of an agent that has played in a tournament."""

    player: str
    """The name under which it played."""
    agent: str
    version: int


def versions_played(connection: Connection, tournament: int) -> list[VersionPlayed]:
    """The versions that played the tournament's games which are over."""
    chosen = (
        select(Seat.name, Agent.name, Version.number)
        .distinct()
        .join(Game, Game.id == Seat.game)
        .join(Version, Version.id == Seat.version)
        .join(Agent, Agent.id == Version.agent)
        .where(Game.tournament == tournament, Game.status.in_(("finished", "void")))
    )
    return [VersionPlayed(*row) for row in connection.execute(chosen)]


def byes(connection: Connection, tournament: int) -> dict[str, float]:
    """The points that players of a tournament have from byes."""
    settings = connection.execute(select(Tournament.settings).where(Tournament.id == tournament)).scalar_one()
    points: dict[str, float] = {}
    for _, name, _ in settings.get("byes", ()):
        points[name] = points.get(name, 0.0) + _BYE_POINTS
    return points


def anchors(connection: Connection, tournaments: Sequence[int] | None = None) -> dict[str, float]:
    """Fixed ratings from the descriptions of these tournaments (default: all). If they differ, the newest is used."""
    found: dict[str, float] = {}
    chosen = select(Tournament.settings).order_by(Tournament.id)
    if tournaments is not None:
        chosen = chosen.where(Tournament.id.in_(tournaments))
    for settings in connection.execute(chosen).scalars():
        for agent in settings.get("agents", ()):
            if agent.get("anchor") is not None:
                found[agent["name"]] = agent["anchor"]
    return found


def entered(connection: Connection) -> list[str]:
    """The names of all players of all tournaments, sorted."""
    return list(connection.execute(select(Entry.name).distinct().order_by(Entry.name)).scalars())
