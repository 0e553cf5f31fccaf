"""Writing: every change of the record, each a function of an open transaction.

Whoever calls puts together what must stand or fall together: a finished game with its seats and moves, and the next one
that begins. Nothing that was played is ever changed; what is decided about it later is a ruling of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Connection, bindparam, func, insert, select, update

from db.errors import DatabaseError, NotFound
from db.records import SEAT_RESULT, GameRecord, instant, moves_hash
from db.schema import Agent, Entry, Game, Move, Ruling, Seat, Tournament, Version

VOID: Final = "void"
FORFEIT: Final = "forfeit"


class NewGame(Struct, frozen=True):
    """A game that is to be played."""

    round: int | None
    pair: str
    leg: int
    attempt: int
    rules: str
    clock: str
    seed: str
    opening: str | None
    seats: tuple[tuple[int, str], ...]
    """Version and name of each seat."""


# Who.


def version(connection: Connection, name: str, source: str, started_as: str, now: datetime) -> int:
    """The version of the agent `name` with this source; a new one where there is none."""
    agent = connection.execute(select(Agent.id).where(Agent.name == name)).scalar()
    if agent is None:
        agent = _key(connection.execute(insert(Agent).values(name=name)))
    same = select(Version.id).where(Version.agent == agent, Version.source == source)
    found = connection.execute(same).scalar()
    if found is not None:
        return found
    last = connection.execute(select(func.max(Version.number)).where(Version.agent == agent)).scalar() or 0
    new = insert(Version).values(
        agent=agent, number=last + 1, source=source, started_as=started_as, created=instant(now)
    )
    return _key(connection.execute(new))


# Tournaments.


def create_tournament(
    connection: Connection,
    name: str,
    *,
    format: str,
    rules: str,
    clock: str,
    seed: int,
    settings: Mapping[str, Any],
    now: datetime,
) -> int:
    """A new tournament; its id."""
    new = insert(Tournament).values(
        name=name,
        format=format,
        rules=rules,
        clock=clock,
        seed=str(seed),
        settings=dict(settings),
        status="running",
        created=instant(now),
    )
    return _key(connection.execute(new))


def change_settings(connection: Connection, tournament: int, settings: Mapping[str, Any]) -> None:
    """The description has grown."""
    connection.execute(update(Tournament).where(Tournament.id == tournament).values(settings=dict(settings)))


def set_status(connection: Connection, tournament: int, status: str, now: datetime) -> None:
    """How far the tournament has come: running, stopped or finished."""
    finished = instant(now) if status == "finished" else None
    connection.execute(update(Tournament).where(Tournament.id == tournament).values(status=status, finished=finished))


def enter(connection: Connection, tournament: int, name: str, version: int) -> None:
    """`name` takes part with that version, from now on."""
    there = select(Entry.id).where(Entry.tournament == tournament, Entry.name == name)
    entry = connection.execute(there).scalar()
    if entry is None:
        connection.execute(insert(Entry).values(tournament=tournament, name=name, version=version, status="active"))
    else:
        connection.execute(update(Entry).where(Entry.id == entry).values(version=version))


def set_entry_status(connection: Connection, tournament: int, name: str, status: str) -> None:
    """The entry is active, withdrawn or quarantined from now on."""
    connection.execute(update(Entry).where(Entry.tournament == tournament, Entry.name == name).values(status=status))


# Games.


def schedule(connection: Connection, tournament: int | None, games: Sequence[NewGame]) -> list[int]:
    """Games that are to be played, numbered after the last; their ids."""
    if not games:
        return []
    last = select(func.max(Game.number)).where(_of(tournament))
    first = (connection.execute(last).scalar() or 0) + 1
    ids = []
    for number, game in enumerate(games, first):
        new = insert(Game).values(
            tournament=tournament,
            round=game.round,
            number=number,
            pair=game.pair,
            leg=game.leg,
            attempt=game.attempt,
            rules=game.rules,
            clock=game.clock,
            seed=game.seed,
            opening=game.opening,
            status="scheduled",
        )
        ids.append(_key(connection.execute(new)))
    connection.execute(
        insert(Seat),
        [
            {"game": id, "seat": seat, "version": version, "name": name}
            for id, game in zip(ids, games, strict=True)
            for seat, (version, name) in enumerate(game.seats)
        ],
    )
    return ids


def begin(connection: Connection, game: int, now: datetime) -> None:
    """The game is being played."""
    connection.execute(_BEGIN, {"_game": game, "started": instant(now)})


def interrupt(connection: Connection, tournament: int) -> None:
    """Nobody plays the games that were in progress any more: they are to be played, as if they had never begun."""
    connection.execute(
        update(Game)
        .where(Game.tournament == tournament, Game.status == "playing")
        .values(status="scheduled", started=None)
    )


def finish(
    connection: Connection, game: int, record: GameRecord, *, host: Mapping[str, Any] | None, now: datetime
) -> None:
    """The game is over, with all that belongs to it. It must not have been over before."""
    written = connection.execute(
        _FINISH,
        {
            "_game": game,
            "status": "void" if record.verdict == VOID else "finished",
            "verdict": record.verdict,
            "fault": record.fault,
            "detail": record.detail,
            "plies": len(record.moves),
            "finished": instant(now),
            "host": None if host is None else dict(host),
            "lag": record.lag,
            "moves_hash": moves_hash(record.moves),
        },
    )
    if written.rowcount != 1:
        raise DatabaseError(f"expected a game that is not over, got game {game}: what was played is never changed")
    connection.execute(
        _SEAT,
        [
            {
                "_game": game,
                "_seat": seat.seat,
                **{name: getattr(seat, name) for name in SEAT_RESULT},
            }
            for seat in record.seats
        ],
    )
    if record.moves:
        connection.execute(_MOVE, [asdict(move) | {"game": game, "who": str(move.who)} for move in record.moves])


def repeat(connection: Connection, game: int, *, versions: Mapping[str, int] | None = None) -> int:
    """The game is to be played again, as its next attempt, under its own number; the id of that.

    `versions`: with these versions of the players so named, instead of those that played."""
    row = connection.execute(select(Game.__table__).where(Game.id == game)).mappings().one()
    last = select(func.max(Game.attempt)).where(
        Game.tournament == row["tournament"], Game.pair == row["pair"], Game.leg == row["leg"]
    )
    attempt = (connection.execute(last).scalar() or row["attempt"]) + 1
    same = ("tournament", "round", "number", "pair", "leg", "rules", "clock", "seed", "opening")
    new = insert(Game).values(status="scheduled", attempt=attempt, **{name: row[name] for name in same})
    id = _key(connection.execute(new))
    seats = connection.execute(select(Seat.seat, Seat.version, Seat.name).where(Seat.game == game)).all()
    connection.execute(
        insert(Seat),
        [
            {"game": id, "seat": seat, "version": (versions or {}).get(name, played), "name": name}
            for seat, played, name in seats
        ],
    )
    return id


def use_version(connection: Connection, tournament: int, name: str, version: int) -> None:
    """`name` plays the games that have not begun with that version."""
    waiting = select(Game.id).where(Game.tournament == tournament, Game.status == "scheduled")
    connection.execute(update(Seat).where(Seat.game.in_(waiting), Seat.name == name).values(version=version))


def cancel_attempts(connection: Connection, games: Sequence[int]) -> None:
    """These attempts, of which none was played to its end, will not be played."""
    connection.execute(update(Game).where(Game.id.in_(games)).values(status="cancelled", started=None))


def cancel(connection: Connection, tournament: int, pairs: Sequence[str]) -> None:
    """What has not begun of these pairs will not be played: something has been decided without them."""
    if pairs:
        waiting = update(Game).where(Game.tournament == tournament, Game.status == "scheduled", Game.pair.in_(pairs))
        connection.execute(waiting.values(status="cancelled"))


def forfeit(connection: Connection, game: int, loser: int, detail: str, now: datetime) -> None:
    """The game is not played: the seat `loser` loses it."""
    seats = connection.execute(select(Seat.seat).where(Seat.game == game)).scalars().all()
    connection.execute(
        update(Game)
        .where(Game.id == game)
        .values(status="finished", verdict=FORFEIT, fault=loser, detail=detail, plies=0, lag=0, finished=instant(now))
    )
    others = len(seats) - 1
    for seat in seats:
        # Whoever forfeits is beaten by all; the others tie among themselves.
        points = 0.0 if seat == loser else (1.0 + (others - 1) * 0.5) / others
        connection.execute(
            update(Seat).where(Seat.game == game, Seat.seat == seat).values(points=points, spent=0, longest=0)
        )


# Rulings.


AFTER: Final = {"withdraw": "withdrawn", "release": "active"}
"""The status of an entry after a ruling about it."""


def rule_on_game(
    connection: Connection, game: int, what: str, reason: str, now: datetime, *, seat: int | None = None
) -> int:
    """A ruling about a game: "void", "again", or "award" to a seat. Its id."""
    found = connection.execute(select(Game.tournament).where(Game.id == game)).first()
    if found is None:
        raise NotFound(f"there is no game {game}")
    paired = None if found[0] is None else last_round(connection, found[0])
    return _rule(connection, reason, now, game=game, what=what, seat=seat, paired=paired)


def rule_on_entry(connection: Connection, tournament: int, name: str, what: str, reason: str, now: datetime) -> int:
    """A ruling about an entry: "withdraw" or "release". Its id."""
    chosen = select(Entry.id, Entry.status).where(Entry.tournament == tournament, Entry.name == name)
    found = connection.execute(chosen).first()
    if found is None:
        raise NotFound(f"nobody called {name!r} takes part")
    set_entry_status(connection, tournament, name, AFTER[what])
    paired = last_round(connection, tournament)
    return _rule(connection, reason, now, entry=found.id, what=what, status_before=found.status, paired=paired)


def revoke(connection: Connection, ruling: int, reason: str, now: datetime) -> int:
    """A ruling that takes back another one. Its id. An entry gets the status that it had before."""
    old = connection.execute(select(Ruling.__table__).where(Ruling.id == ruling)).mappings().one()
    after = AFTER.get(old["what"])
    before = old["status_before"] or ("active" if after == "withdrawn" else "withdrawn")
    # What has changed since, such as a new quarantine, stays.
    undone = update(Entry).where(Entry.id == old["entry"], Entry.status == after).values(status=before)
    connection.execute(undone)
    return _rule(connection, reason, now, game=old["game"], entry=old["entry"], what="revoke", revokes=ruling)


def last_round(connection: Connection, tournament: int) -> int:
    """The last round that is paired."""
    return connection.execute(select(func.max(Game.round)).where(Game.tournament == tournament)).scalar() or 0


def _rule(connection: Connection, reason: str, now: datetime, **values: Any) -> int:
    return _key(connection.execute(insert(Ruling).values(reason=reason, made=instant(now), **values)))


def _of(tournament: int | None) -> Any:
    return Game.tournament.is_(None) if tournament is None else Game.tournament == tournament


def _key(result: Any) -> int:
    return int(result.inserted_primary_key[0])


# Made once: SQLAlchemy then finds what it has compiled by identity.
_BEGIN: Final = update(Game).where(Game.id == bindparam("_game")).values(status="playing")
_FINISH: Final = update(Game).where(Game.id == bindparam("_game"), Game.verdict.is_(None))
_SEAT: Final = update(Seat).where(Seat.game == bindparam("_game"), Seat.seat == bindparam("_seat"))
_MOVE: Final = insert(Move)
