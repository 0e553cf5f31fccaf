"""What was ruled: every ruling about a game or an entry, and which of them was revoked.

Rulings are only ever added. The last one about a game or an entry that was not revoked is the one that holds.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, select
from sqlalchemy.orm import aliased

from db.errors import NotFound
from db.schema import Entry, Game, Ruling, Seat, Tournament


class StoredRuling(Struct, frozen=True, kw_only=True):
    """One ruling, and what it is about."""

    id: int
    what: str
    """void, again, award, withdraw, release or revoke."""
    tournament: str | None
    game: int | None
    """Its id; None where the ruling is about an entry."""
    number: int | None
    """The game's number in its tournament."""
    players: tuple[str, ...]
    """Who played the game, or the agent that the ruling is about."""
    seat: int | None
    """To whom the game was awarded."""
    reason: str
    when: str
    revokes: int | None
    """The ruling that this one takes back."""
    revoked: int | None
    """The ruling that takes this one back."""
    paired: int | None
    """The last round that had been paired by then; None: not known."""


def rulings(connection: Connection, tournament: int | None = None) -> list[StoredRuling]:
    """The rulings about a tournament, or all, the newest first."""
    return _found(connection, Ruling.id.is_not(None) if tournament is None else Tournament.id == tournament)


def ruling(connection: Connection, id: int) -> StoredRuling:
    """The ruling of that number."""
    found = _found(connection, Ruling.id == id)
    if not found:
        raise NotFound(f"there is no ruling {id}; `arena rulings` lists those that there are")
    return found[0]


def holding(connection: Connection, like: StoredRuling) -> int:
    """The ruling that holds about the game or the entry that `like` is about."""
    about = select(Ruling.game, Ruling.entry).where(Ruling.id == like.id)
    game, entry = connection.execute(about).one()
    same = (Ruling.game == game) if entry is None else (Ruling.entry == entry)
    revoked = select(Ruling.revokes).where(Ruling.revokes.is_not(None))
    chosen = select(Ruling.id).where(same, Ruling.what != "revoke", Ruling.id.not_in(revoked))
    return connection.execute(chosen.order_by(Ruling.id.desc()).limit(1)).scalar_one()


def _found(connection: Connection, which: ColumnElement[bool]) -> list[StoredRuling]:
    revoking = aliased(Ruling)
    chosen = (
        select(Ruling.__table__, Tournament.name.label("title"), Game.number, Entry.name, revoking.id.label("revoked"))
        .outerjoin(Game, Game.id == Ruling.game)
        .outerjoin(Entry, Entry.id == Ruling.entry)
        .outerjoin(Tournament, (Tournament.id == Game.tournament) | (Tournament.id == Entry.tournament))
        .outerjoin(revoking, revoking.revokes == Ruling.id)
        .where(which)
        .order_by(Ruling.id.desc())
    )
    rows = connection.execute(chosen).all()
    names = _players(connection, {row.game for row in rows if row.game is not None})
    return [_stored(row, names) for row in rows]


def _players(connection: Connection, games: set[int]) -> dict[int, tuple[str, ...]]:
    rows = select(Seat.game, Seat.name).where(Seat.game.in_(select(Ruling.game))).order_by(Seat.game, Seat.seat)
    found: dict[int, tuple[str, ...]] = {}
    for game, name in connection.execute(rows):
        if game in games:
            found[game] = (*found.get(game, ()), name)
    return found


def _stored(row: Any, names: dict[int, tuple[str, ...]]) -> StoredRuling:
    return StoredRuling(
        id=row.id,
        what=row.what,
        tournament=row.title,
        game=row.game,
        number=row.number,
        players=(row.name,) if row.game is None else names.get(row.game, ()),
        seat=row.seat,
        reason=row.reason,
        when=row.made,
        revokes=row.revokes,
        revoked=row.revoked,
        paired=row.paired,
    )
