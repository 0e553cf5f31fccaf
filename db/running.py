"""Queries of a running tournament: who takes part, which games are scheduled, and the results so far.

Points are after rulings: an annulled game has none, and an awarded game has the points that were awarded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, bindparam, func, select, text

from db.counting import ANOTHER_ATTEMPT, ENTERED, LATER_ATTEMPT, SEVERAL_VERSIONS, outdated
from db.records import Attempt, ScheduledGame
from db.schema import ATTEMPT, Entry, Game, Seat, Tournament, Version


class EnteredPlayer(Struct, frozen=True):
    """A player in the tournament, with the version that it has entered now."""

    name: str
    version: int
    status: str
    source: str
    started_as: str


class Outcome(Struct, frozen=True):
    """The last attempt at a game that was not cancelled, with its status and each player's points."""

    id: int
    number: int
    pair: str
    leg: int
    status: str
    verdict: str | None
    fault: int | None
    given_up: bool
    """Whether another attempt was scheduled and then cancelled."""
    points: dict[str, float | None]


def tournament(connection: Connection, name: str) -> Any | None:
    """The row of the tournament of that name; None if there is none."""
    found = connection.execute(select(Tournament.__table__).where(Tournament.name == name)).mappings().first()
    return None if found is None else dict(found)


def status(connection: Connection, tournament: int) -> str:
    """The tournament's status: running, stopped or finished."""
    return connection.execute(select(Tournament.status).where(Tournament.id == tournament)).scalar_one()


def format(connection: Connection, tournament: int) -> str:
    """The tournament's format, such as "round-robin"."""
    return connection.execute(select(Tournament.format).where(Tournament.id == tournament)).scalar_one()


def entries(connection: Connection, tournament: int) -> list[EnteredPlayer]:
    """All players of the tournament, withdrawn ones too, in the order of entering."""
    rows = connection.execute(
        select(Entry.name, Entry.version, Entry.status, Version.source, Version.started_as)
        .join(Version, Version.id == Entry.version)
        .where(Entry.tournament == tournament)
        .order_by(Entry.id)
    )
    return [EnteredPlayer(*row) for row in rows]


def scheduled(connection: Connection, tournament: int, most: int) -> list[ScheduledGame]:
    """The next `most` scheduled games, in the order of their numbers."""
    found: dict[tuple[Any, ...], list[tuple[int, str]]] = {}
    for *game, version, name in connection.execute(_SCHEDULED, {"tournament": tournament, "most": most}):
        found.setdefault(tuple(game), []).append((version, name))
    return [ScheduledGame(**attempt(game), seats=tuple(seats)) for game, seats in found.items()]


class GameInProgress(Struct, frozen=True):
    """A game that is being played."""

    id: int
    tournament: int | None
    round: int | None
    number: int
    players: tuple[str, ...]
    """In the order of the seats."""


def in_progress(connection: Connection, tournament: int | None = None) -> list[GameInProgress]:
    """The games of all tournaments, or of one, that are being played, in the order in which they began."""
    every = [*connection.execute(select(Tournament.id)).scalars()] if tournament is None else [tournament]
    rows = (
        select(Game.id, Game.tournament, Game.round, Game.number, Seat.name)
        .join(Seat, Seat.game == Game.id)
        # By tournament, so that an index finds them.
        .where(Game.tournament.in_(every), Game.status == "playing")
        .order_by(Game.started, Game.id, Seat.seat)
    )
    found: dict[int, tuple[Any, ...]] = {}
    for id, *about, name in connection.execute(rows):
        found[id] = (*about, (*found[id][-1], name)) if id in found else (*about, (name,))
    return [GameInProgress(id, *about) for id, about in found.items()]


def tournaments_in_progress(connection: Connection) -> list[str]:
    """The tournaments with games that are being played, the newest first."""
    playing = select(Game.id).where(Game.tournament == Tournament.id, Game.status == "playing").exists()
    return list(connection.execute(select(Tournament.name).where(playing).order_by(Tournament.id.desc())).scalars())


def scheduled_of(connection: Connection, tournament: int, name: str) -> dict[int, int]:
    """The scheduled games of player `name`, each with its seat."""
    return dict[int, int](connection.execute(text(_SCHEDULED_OF), {"tournament": tournament, "name": name}).all())


def outcomes(connection: Connection, tournament: int, pairs: Sequence[str] | None = None) -> list[Outcome]:
    """The last attempt at each game that was not cancelled; if all were, the last attempt. `pairs`: the keys of
    pairings; with None, of all."""
    query = text(
        f"""
        SELECT game.id, game.number, game.pair, game.leg, game.status, game.verdict, game.fault, v_seat.player,
               v_seat.points
        FROM game JOIN v_seat ON v_seat.game = game.id
        WHERE game.tournament = :tournament {"" if pairs is None else "AND game.pair IN :pairs"}
        ORDER BY game.number, game.attempt, v_seat.seat
        """
    )
    if pairs is not None:
        query = query.bindparams(bindparam("pairs", list(pairs), expanding=True))
    rows = connection.execute(query, {"tournament": tournament})
    attempts: dict[int, Outcome] = {}
    for id, number, pair, leg, status, verdict, fault, name, points in rows:
        new = Outcome(id, number, pair, leg, status, verdict, fault, False, {})
        attempts.setdefault(id, new).points[name] = points
    last: dict[tuple[str, int], Outcome] = {}
    for attempt in attempts.values():
        before = last.get((attempt.pair, attempt.leg))
        if attempt.status == "cancelled" and before is not None and before.status != "cancelled":
            last[attempt.pair, attempt.leg] = replace(before, given_up=True)
        else:
            last[attempt.pair, attempt.leg] = attempt
    return list(last.values())


def later_attempts(connection: Connection, game: int) -> list[Attempt]:
    """The later attempts at the same game, played or not."""
    of_game = text(f"SELECT later.id FROM game JOIN game AS later ON {ANOTHER_ATTEMPT} WHERE game.id = :game")
    later = connection.execute(of_game, {"game": game}).scalars().all()
    rows = connection.execute(select(*ATTEMPT).where(Game.id.in_(later)).order_by(Game.attempt))
    return [Attempt(**attempt(row)) for row in rows]


def pair_points(connection: Connection, tournament: int, name: str) -> dict[float, int]:
    """For each number of points that `name` has from a pairing of two games, how many pairings gave that many.

    Only pairings with two finished games of the current versions, without a forfeit, a void game or a ruling."""
    pairs = f"{_POINTS_OF_PAIRS} HAVING COUNT(*) = 2"
    query = f"SELECT pairs.points, COUNT(*) FROM ({pairs}) AS pairs GROUP BY pairs.points"
    return dict[float, int](connection.execute(text(query), {"tournament": tournament, "name": name}).all())


def half_points(connection: Connection, tournament: int, name: str) -> dict[str, float]:
    """The points of `name` in the pairings of which only one such game is finished, by their keys."""
    rows = connection.execute(text(f"{_POINTS_OF_PAIRS} HAVING COUNT(*) = 1"), {"tournament": tournament, "name": name})
    return dict[str, float](rows.all())


def ruling_count(connection: Connection) -> int:
    """The number of all rulings: it grows with each one, because none is ever deleted."""
    return int(connection.execute(_RULING_COUNT).scalar_one())


def waiting(connection: Connection, tournament: int) -> list[tuple[str, int]]:
    """The games that are scheduled or in progress: pairing and leg of each."""
    rows = select(Game.pair, Game.leg).where(Game.tournament == tournament, Game.status.in_(("scheduled", "playing")))
    return [(pair, leg) for pair, leg in connection.execute(rows)]


def waiting_pairs(connection: Connection, tournament: int) -> list[str]:
    """The keys of the pairings that have a scheduled game."""
    rows = select(Game.pair).where(Game.tournament == tournament, Game.status == "scheduled").distinct()
    return list(connection.execute(rows).scalars())


def settings(connection: Connection, tournament: int) -> dict[str, Any]:
    """The tournament's description as it is now, with additions such as "byes"."""
    found = connection.execute(select(Tournament.settings).where(Tournament.id == tournament)).scalar_one()
    return dict(found)


def own_clocks(connection: Connection, tournament: int) -> dict[str, str]:
    """The clocks of the agents that have another one than the rest."""
    found = settings(connection, tournament)
    own = {agent["name"]: agent.get("clock") for agent in found.get("agents", ())}
    return {name: clock for name, clock in own.items() if clock not in (None, found.get("clock"))}


def searched_unlike(connection: Connection, tournament: int) -> bool:
    """Whether one of its agents has searched in one form of adsearch in some games, and in another one in others."""
    seats = select(Seat.name).join(Game, Game.id == Seat.game).where(Game.tournament == tournament)
    unlike = seats.group_by(Seat.name).having(func.count(Seat.adsearch.distinct()) > 1)
    return connection.execute(unlike.limit(1)).first() is not None


def pairings(connection: Connection, tournament: int) -> list[tuple[int, str, tuple[str, ...]]]:
    """Every pairing: its round, its key, and the players of its first game by seat; in the order of their numbers."""
    rows = connection.execute(
        select(Game.id, Game.round, Game.pair)
        .where(Game.tournament == tournament, Game.leg == 0, Game.attempt == 1)
        .order_by(Game.number)
    ).all()
    seats = connection.execute(
        select(Seat.game, Seat.name)
        .join(Game, Game.id == Seat.game)
        .where(Game.tournament == tournament, Game.leg == 0, Game.attempt == 1)
        .order_by(Seat.game, Seat.seat)
    )
    names: dict[int, list[str]] = {}
    for game, name in seats:
        names.setdefault(game, []).append(name)
    return [(round or 0, pair, tuple(names[id])) for id, round, pair in rows]


def pairing_count(connection: Connection, tournament: int) -> int:
    """How many pairings there are."""
    first = select(func.count()).where(Game.tournament == tournament, Game.leg == 0, Game.attempt == 1)
    return connection.execute(first).scalar_one()


def voids(connection: Connection, tournament: int, pair: str, leg: int) -> int:
    """How many attempts at this game were void."""
    count = select(func.count()).where(
        Game.tournament == tournament, Game.pair == pair, Game.leg == leg, Game.status == "void"
    )
    return connection.execute(count).scalar() or 0


def last_games(connection: Connection, tournament: int, name: str, most: int) -> list[tuple[str, bool]]:
    """The last `most` games that `name` played with its current version, newest first: the verdict, and whether the
    fault was its own."""
    rows = connection.execute(
        select(Game.verdict, Game.fault, Seat.seat)
        .join(Seat, Seat.game == Game.id)
        .join(
            Entry, (Entry.tournament == Game.tournament) & (Entry.name == Seat.name) & (Entry.version == Seat.version)
        )
        .where(Game.tournament == tournament, Game.status == "finished", Game.verdict != "forfeit", Seat.name == name)
        .order_by(Game.finished.desc(), Game.id.desc())
        .limit(most)
    )
    return [(str(verdict), fault == seat) for verdict, fault, seat in rows]


def outdated_games(connection: Connection, tournament: int) -> list[int]:
    """The games that are over and were played by an earlier version of an agent, without those played again since."""
    if not connection.execute(text(SEVERAL_VERSIONS)).scalar():
        return []
    rows = connection.execute(
        text(
            f"""
            SELECT DISTINCT game.id, game.number FROM game
            WHERE game.status IN ('finished', 'void') AND game.id IN ({outdated("AND game.tournament = :tournament")})
                  AND NOT EXISTS (SELECT 1 FROM game AS later WHERE {LATER_ATTEMPT})
            ORDER BY game.number
            """
        ),
        {"tournament": tournament},
    )
    return [id for id, _ in rows]


def forfeited(connection: Connection, tournament: int) -> list[int]:
    """The forfeited games whose players are all active now: they can be played after all. Without those of which
    another attempt was ever scheduled."""
    # verdict <> 'normal' is the condition of the partial index game_not_normal, which SQLite uses only if it is here.
    rows = connection.execute(
        text(
            f"""
            SELECT game.id FROM game
            WHERE game.tournament = :tournament AND game.verdict <> 'normal' AND game.verdict = 'forfeit'
                  AND game.fault IS NOT NULL
                  AND NOT EXISTS (SELECT 1 FROM game AS later WHERE {ANOTHER_ATTEMPT})
                  AND NOT EXISTS (SELECT 1 FROM seat JOIN entry ON {ENTERED}
                                  WHERE seat.game = game.id AND entry.status <> 'active')
            ORDER BY game.number
            """
        ),
        {"tournament": tournament},
    )
    return list(rows.scalars())


def at_fault(connection: Connection, tournament: int) -> list[str]:
    """The players who were at fault in any game, forfeits included."""
    rows = connection.execute(
        text(
            """
            SELECT DISTINCT seat.name FROM game JOIN seat ON seat.game = game.id AND seat.seat = game.fault
            WHERE game.tournament = :tournament AND game.verdict <> 'normal'
            """
        ),
        {"tournament": tournament},
    )
    return list(rows.scalars())


def counts(connection: Connection, tournament: int) -> tuple[int, int]:
    """The number of games that are over, and the number of all games. Of the attempts at a game only the last one
    counts, and cancelled ones do not."""
    found = dict[str, int](
        connection.execute(
            select(Game.status, func.count()).where(Game.tournament == tournament).group_by(Game.status)
        ).all()
    )
    # Repeated games are few: they are subtracted, instead of looking for a later attempt at each of a million games.
    repeated = text(
        f"""
        SELECT game.status, COUNT(DISTINCT game.id) FROM game AS later JOIN game ON {LATER_ATTEMPT}
        WHERE later.tournament = :tournament AND later.attempt > 1 GROUP BY game.status
        """
    )
    for status, number in connection.execute(repeated, {"tournament": tournament}):
        found[status] -= number
    found.pop("cancelled", None)
    return found.get("finished", 0) + found.get("void", 0), sum(found.values())


def without_result(connection: Connection, tournament: int) -> list[int]:
    """The games that are void, in the order of their numbers: no result, no award, no other attempt."""
    rows = connection.execute(
        text(
            f"""
            SELECT game.id FROM game JOIN v_game ON v_game.id = game.id
            WHERE game.tournament = :tournament AND game.status = 'void'
                  AND (v_game.ruling IS NULL OR v_game.ruling <> 'award')
                  AND NOT EXISTS (SELECT 1 FROM game AS later WHERE {ANOTHER_ATTEMPT})
            ORDER BY game.number
            """
        ),
        {"tournament": tournament},
    )
    return list(rows.scalars())


def attempt(row: Iterable[Any]) -> dict[str, Any]:
    """The fields of the attempt in a row that begins with the columns of `ATTEMPT`."""
    return dict(zip(Attempt.__struct_fields__, row, strict=False))


_NEXT: Final = (
    select(*ATTEMPT)
    .where(Game.tournament == bindparam("tournament"), Game.status == "scheduled")
    .order_by(Game.number, Game.attempt)
    .limit(bindparam("most"))
    .subquery()
)
_SCHEDULED: Final = (
    select(*_NEXT.c, Seat.version, Seat.name)
    .join(Seat, Seat.game == _NEXT.c.id)
    .order_by(_NEXT.c.number, _NEXT.c.attempt, _NEXT.c.id, Seat.seat)
)
"""The next scheduled games: a row for each seat."""
# CROSS JOIN fixes SQLite's join order: the seats of the player's versions by index, not all scheduled games.
_SCHEDULED_OF: Final = """
    SELECT game.id, seat.seat FROM seat CROSS JOIN game
    WHERE seat.version IN (
            SELECT version.id FROM entry JOIN version AS entered ON entered.id = entry.version
                                         JOIN version ON version.agent = entered.agent
            WHERE entry.tournament = :tournament AND entry.name = :name)
          AND seat.name = :name AND game.id = seat.game AND game.tournament = :tournament AND game.status = 'scheduled'
"""
_POINTS_OF_PAIRS: Final = """
    SELECT game.pair, SUM(seat.points) AS points
    FROM game JOIN v_game ON v_game.id = game.id JOIN seat ON seat.game = game.id
    WHERE game.tournament = :tournament AND game.status = 'finished' AND game.verdict <> 'forfeit'
          AND v_game.counts = 1 AND v_game.present = 1 AND v_game.ruling IS NULL
          AND seat.name = :name AND seat.points IS NOT NULL
    GROUP BY game.pair
"""
"""The points of a player in the finished games of each pairing that count and have no forfeit and no ruling."""
_RULING_COUNT: Final = text("SELECT COUNT(*) FROM ruling")
