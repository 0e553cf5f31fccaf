"""Reads the rulings about games and entries, and which of them were revoked.

Rulings are never changed or deleted. The ruling in force is the last one about a game or entry that was not revoked.
"""

from __future__ import annotations

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, func, select

from db.errors import NotFound
from db.schema import Entry, Game, Ruling, Seat, Tournament


class StoredRuling(Struct, frozen=True, kw_only=True):
    """One ruling, with the game or entry that it is about."""

    id: int
    what: str
    """One of `db.records.ACTS`."""
    tournament: str | None
    game: int | None
    """The game's id; None if the ruling is about an entry."""
    number: int | None
    """The game's number in its tournament."""
    players: tuple[str, ...]
    """The players of the game, or the player that the ruling is about."""
    seat: int | None
    """The seat that the game was awarded to."""
    reason: str
    when: str
    revokes: int | None
    """The ruling that this one takes back."""
    revoked: int | None
    """The ruling that takes this one back."""
    paired: int | None
    """The last round that was paired when the ruling was made; None: not known."""


def rulings(connection: Connection, tournament: int | None = None) -> list[StoredRuling]:
    """The rulings about a tournament (default: all rulings), the newest first."""
    return _found(connection, Ruling.id.is_not(None) if tournament is None else Tournament.id == tournament)


def last(connection: Connection) -> int:
    """The id of the last ruling; 0 if there is none. It is read from an index."""
    return connection.execute(select(func.max(Ruling.id))).scalar() or 0


def ruling(connection: Connection, id: int) -> StoredRuling:
    """The ruling with that id."""
    found = _found(connection, Ruling.id == id)
    if not found:
        raise NotFound(f"there is no ruling {id}; `arena rule list` lists all rulings")
    return found[0]


def holding(connection: Connection, like: StoredRuling) -> int:
    """The id of the ruling in force about the same game or entry as `like`."""
    about = select(Ruling.game, Ruling.entry).where(Ruling.id == like.id)
    game, entry = connection.execute(about).one()
    same = (Ruling.game == game) if entry is None else (Ruling.entry == entry)
    revoked = select(Ruling.revokes).where(Ruling.revokes.is_not(None))
    chosen = select(Ruling.id).where(same, Ruling.what != "revoke", Ruling.id.not_in(revoked))
    return connection.execute(chosen.order_by(Ruling.id.desc()).limit(1)).scalar_one()


def _found(connection: Connection, which: ColumnElement[bool]) -> list[StoredRuling]:
    revoking = Ruling.__table__.alias()
    chosen = (
        select(
            Ruling.__table__, Tournament.name.label("title"), Game.number, Entry.name, revoking.c.id.label("revoked")
        )
        .outerjoin(Game, Game.id == Ruling.game)
        .outerjoin(Entry, Entry.id == Ruling.entry)
        .outerjoin(Tournament, (Tournament.id == Game.tournament) | (Tournament.id == Entry.tournament))
        .outerjoin(revoking, revoking.c.revokes == Ruling.id)
        .where(which)
        .order_by(Ruling.id.desc())
    )
    rows = connection.execute(chosen).all()
    names = _players(connection, {row.game for row in rows if row.game is not None})
    return [
        StoredRuling(
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
        for row in rows
    ]


def _players(connection: Connection, games: set[int]) -> dict[int, tuple[str, ...]]:
    rows = select(Seat.game, Seat.name).where(Seat.game.in_(select(Ruling.game))).order_by(Seat.game, Seat.seat)
    found: dict[int, tuple[str, ...]] = {}
    for game, name in connection.execute(rows):
        if game in games:
            found[game] = (*found.get(game, ()), name)
    return found
