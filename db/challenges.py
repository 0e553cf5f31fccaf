"""The rows of challenges: who wanted a game that counts nowhere, against whom, and what became of it.

A challenge is a row here and a game of the kind "challenge", written in one transaction. The game is of no tournament,
so nothing that is computed of a ladder has it. Its status says whether it waits, is played, is over, or was cancelled.
Functions that write need an open transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, func, insert, select, update

from db import store
from db.records import ScheduledGame, instant
from db.running import attempt
from db.schema import ATTEMPT, Challenge, Game, Seat, Tournament

_OPEN: Final = ("scheduled", "playing")


class StoredChallenge(Struct, frozen=True):
    """One challenge, with its game."""

    game: ScheduledGame
    author: str
    """Who wanted it."""
    made: datetime
    words: str
    """Why it was not played; empty unless it was cancelled."""
    verdict: str | None
    points: tuple[float | None, ...]
    """Of each seat."""


def add(connection: Connection, ladder: int, author: str, game: ScheduledGame, now: datetime) -> int:
    """Insert a challenge that waits for its game; return the row id of the game."""
    (id,) = store.schedule(connection, None, [game])
    connection.execute(insert(Challenge).values(game=id, tournament=ladder, author=author, made=instant(now), words=""))
    return id


def count(connection: Connection, ladder: int) -> int:
    """How many challenges there were on the ladder."""
    made = select(func.count()).where(Challenge.tournament == ladder)
    return int(connection.execute(made).scalar_one())


def open_of(connection: Connection, ladder: int, author: str) -> int | None:
    """The game of the author's challenge that waits or is played; None if there is none."""
    found = _games(ladder).with_only_columns(Game.id).where(Challenge.author == author, Game.status.in_(_OPEN))
    return connection.execute(found.limit(1)).scalar()


def played_since(connection: Connection, ladder: int, author: str, since: datetime) -> int:
    """How many challenges the author has made since this time; one that was not played does not count."""
    made = _games(ladder).with_only_columns(func.count())
    made = made.where(Challenge.author == author, Challenge.made >= instant(since), Game.status != "cancelled")
    return int(connection.execute(made).scalar_one())


def latest(connection: Connection, ladder: int, author: str, *, most: int) -> list[StoredChallenge]:
    """The author's last challenges, the newest first."""
    return _challenges(connection, _games(ladder).where(Challenge.author == author), most)


def waiting(connection: Connection, ladder: int) -> list[StoredChallenge]:
    """The challenges that wait for their games, the oldest first."""
    return _challenges(connection, _games(ladder).where(Game.status == "scheduled"))[::-1]


def of_game(connection: Connection, game: int) -> tuple[str, str] | None:
    """The name of the ladder on which the game is a challenge, and why it was not played; None for another game."""
    row = select(Tournament.name, Challenge.words).join(Challenge, Challenge.tournament == Tournament.id)
    found = connection.execute(row.where(Challenge.game == game)).first()
    return None if found is None else (found[0], found[1])


def begin(connection: Connection, game: int, versions: Mapping[str, int], opening: str | None, now: datetime) -> bool:
    """Begin the game with these versions, by the players' names; False if it does not wait any more."""
    if connection.execute(select(Game.status).where(Game.id == game)).scalar() != "scheduled":
        return False
    for name, version in versions.items():
        connection.execute(update(Seat).where(Seat.game == game, Seat.name == name).values(version=version))
    connection.execute(update(Game).where(Game.id == game).values(opening=opening))
    store.begin(connection, game, now)
    return True


def cancel(connection: Connection, game: int, words: str) -> None:
    """The game is not played; `words` say why. No effect if it does not wait any more."""
    waits = update(Game).where(Game.id == game, Game.status == "scheduled")
    if connection.execute(waits.values(status="cancelled")).rowcount:
        connection.execute(update(Challenge).where(Challenge.game == game).values(words=words))


def interrupt(connection: Connection, ladder: int) -> None:
    """The game in progress waits again: the referee that played it has ended."""
    of_ladder = select(Challenge.game).where(Challenge.tournament == ladder)
    playing = update(Game).where(Game.id.in_(of_ladder), Game.status == "playing")
    connection.execute(playing.values(status="scheduled", started=None))


def _games(ladder: int) -> Any:
    columns = (Challenge.author, Challenge.made, Challenge.words, Game.verdict)
    return select(*ATTEMPT, *columns).join(Challenge, Challenge.game == Game.id).where(Challenge.tournament == ladder)


def _challenges(connection: Connection, chosen: Any, most: int | None = None) -> list[StoredChallenge]:
    rows = connection.execute(chosen.order_by(Challenge.id.desc()).limit(most)).all()
    seats = select(Seat.game, Seat.version, Seat.name, Seat.points).where(Seat.game.in_([row.id for row in rows]))
    players: dict[int, list[tuple[int, str, float | None]]] = {}
    for game, version, name, points in connection.execute(seats.order_by(Seat.game, Seat.seat)):
        players.setdefault(game, []).append((version, name, points))
    return [
        StoredChallenge(
            game=ScheduledGame(**attempt(row), seats=tuple([player[:2] for player in players[row.id]])),
            author=row.author,
            made=datetime.fromisoformat(row.made),
            words=row.words,
            verdict=row.verdict,
            points=tuple([points for *_, points in players[row.id]]),
        )
        for row in rows
    ]
