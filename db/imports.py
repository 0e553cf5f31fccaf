"""Writes games that were played elsewhere into the database.

The games are plain values that the caller has checked; all are written in one transaction. Their players become agents
with versions whose source is IMPORTED, because their programs are not in the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import asdict
from sqlalchemy import Connection, insert, select

from db import store
from db.errors import DatabaseError
from db.games import COLUMN_FIELDS
from db.records import IMPORTED, SEAT_RESULT, GameKind, PastGame, PastRuling, PastSeat, moves_hash
from db.schema import Game, Move, Ruling, Seat, Tournament


def add(connection: Connection, games: Sequence[PastGame], now: datetime) -> list[str]:
    """Insert the games, in this order; return the names of the tournaments that were created for them."""
    tournaments: dict[str, int] = {}
    for game in games:
        if game.tournament is not None and game.tournament not in tournaments:
            of_it = [other for other in games if other.tournament == game.tournament]
            tournaments[game.tournament] = _new_tournament(connection, game.tournament, of_it, now)
    versions: dict[tuple[str, str], int] = {}
    seats: list[dict[str, Any]] = []
    moves: list[dict[str, Any]] = []
    for game in games:
        tournament = None if game.tournament is None else tournaments[game.tournament]
        new = {name: getattr(game, name) for name in COLUMN_FIELDS if name != "id"}
        if game.kind not in {*GameKind}:
            new["kind"] = GameKind.CASUAL if tournament is None else GameKind.TOURNAMENT
        new["moves_hash"] = moves_hash(game.moves, (game.seed, game.pair, game.leg, game.attempt), game.position)
        id = _key(
            connection.execute(insert(Game).values(tournament=tournament, rules=game.game, seed=game.seed, **new))
        )
        for seat in game.seats:
            source = _source(seat)
            version = versions.get((seat.player, source))
            if version is None:
                version = store.version(connection, seat.player, source, IMPORTED, now)
                versions[seat.player, source] = version
            result = {name: getattr(seat, name) for name in SEAT_RESULT}
            seats.append({"game": id, "seat": seat.seat, "name": seat.player, "version": version, **result})
        moves += [asdict(move) | {"game": id, "who": str(move.who)} for move in game.moves]
        _add_rulings(connection, id, game.rulings)
    connection.execute(insert(Seat), seats)
    if moves:
        connection.execute(insert(Move), moves)
    for name, tournament in tournaments.items():
        _enter_all(connection, tournament, [game for game in games if game.tournament == name], now)
    return list(tournaments)


def _add_rulings(connection: Connection, game: int, rulings: Sequence[PastRuling]) -> None:
    """Insert the rulings about a game, in their order; a revocation refers to the new id of the ruling it revokes."""
    ids: dict[int | None, int] = {}
    for ruling in rulings:
        ruled = {"what": ruling.what, "seat": ruling.seat, "reason": ruling.reason, "made": ruling.when}
        new = insert(Ruling).values(game=game, revokes=ids.get(ruling.revokes), **ruled)
        ids[ruling.id] = _key(connection.execute(new))


def _anchors(games: Sequence[PastGame]) -> dict[str, float]:
    """The fixed ratings of the players that have one."""
    return {seat.player: seat.anchor for game in games for seat in game.seats if seat.anchor is not None}


def _new_tournament(connection: Connection, name: str, games: Sequence[PastGame], now: datetime) -> int:
    if connection.execute(select(Tournament.id).where(Tournament.name == name)).first():
        raise DatabaseError(
            f"there is a tournament {name!r} already; name the imported tournament differently with --tournament"
        )
    (rules, _), (clock, _), (seed, _) = (
        Counter(getattr(game, part) for game in games).most_common(1)[0] for part in ("game", "clock", "seed")
    )
    tournament = store.create_tournament(
        connection,
        name,
        format=IMPORTED,
        rules=rules,
        clock=clock,
        seed=seed,
        settings={"agents": [{"name": name, "anchor": rating} for name, rating in _anchors(games).items()]},
        now=now,
    )
    played = {(game.pair, game.leg) for game in games if game.status == "finished"}
    whole = all((game.pair, game.leg) in played for game in games)
    store.set_status(connection, tournament, "finished" if whole else "stopped", now)
    return tournament


def _enter_all(connection: Connection, tournament: int, games: Sequence[PastGame], now: datetime) -> None:
    """Enter all players with their current version, even if that version has played no imported game."""
    for name in dict.fromkeys(seat.player for game in games for seat in game.seats):
        store.enter(connection, tournament, name, store.version(connection, name, IMPORTED, IMPORTED, now))


def _source(seat: PastSeat) -> str:
    """A `source` that is different for each version, in place of a hash."""
    return IMPORTED if seat.current else f"{IMPORTED}@{seat.version}"


def _key(result: Any) -> int:
    return int(result.inserted_primary_key[0])
