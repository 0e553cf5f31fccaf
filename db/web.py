"""What the web reads: all names, how many games there are, parts of lists, recorded ratings, and what happened lately.

Each function is a few short queries, because a reader that takes long keeps SQLite from truncating its log.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, and_, func, or_, select, text

from db import running
from db.counting import AWARD, COUNTED, LATER_ATTEMPT, points_of
from db.games import OVER, games
from db.ladder import RatingPoint
from db.records import PastGame, instant
from db.schema import Agent, Entry, Game, Rating, Seat, Tournament, Version
from db.search import GameFilter, filtered


class NamedVersion(Struct, frozen=True):
    """A version of an agent, and the names under which it is known."""

    row: int
    """The row id of the agent."""
    agent: str
    source: str
    started_as: str
    entered: tuple[str, ...]
    """The names under which tournaments have it."""


def named_versions(connection: Connection) -> list[NamedVersion]:
    """All versions, in the order in which their agents were recorded."""
    entered: dict[int, tuple[str, ...]] = {}
    for version, name in connection.execute(select(Entry.version, Entry.name).order_by(Entry.id)):
        entered[version] = (*entered.get(version, ()), name)
    rows = (
        select(Agent.id, Agent.name, Version.source, Version.started_as, Version.id)
        .join(Version, Version.agent == Agent.id)
        .order_by(Agent.id, Version.number)
    )
    return [
        NamedVersion(row, agent, source, started_as, entered.get(version, ()))
        for row, agent, source, started_as, version in connection.execute(rows)
    ]


def tournament_names(connection: Connection) -> dict[str, int]:
    """All tournaments: name -> row id, the oldest first."""
    return dict(connection.execute(select(Tournament.name, Tournament.id).order_by(Tournament.id)).all())


def public_tournaments(connection: Connection) -> set[int]:
    """The row ids of the tournaments whose descriptions say that visitors may see them."""
    # SQLite gives 1 for true, PostgreSQL the text.
    says_so = text("SELECT id FROM tournament WHERE CAST(settings ->> 'public' AS TEXT) IN ('1', 'true')")
    return set(connection.execute(says_so).scalars())


class WebTournament(Struct, frozen=True):
    """A tournament, with how many games it has."""

    id: int
    format: str
    rules: str
    clock: str
    settings: dict[str, Any]
    status: str
    finished: str | None
    entries: int
    games: dict[str, int]
    """By status; of the attempts at a game only the last one."""


def tournaments(connection: Connection, only: int | None = None) -> list[WebTournament]:
    """All tournaments, the newest first; or `only` the one with this id. The counts are read from indexes."""
    columns = (Tournament.id, Tournament.format, Tournament.rules, Tournament.clock, Tournament.settings)
    chosen = select(*columns, Tournament.status, Tournament.finished).order_by(Tournament.id.desc())
    counted = select(Game.tournament, Game.status, func.count()).group_by(Game.tournament, Game.status)
    entered = select(Entry.tournament, func.count()).group_by(Entry.tournament)
    if only is not None:
        chosen, counted = chosen.where(Tournament.id == only), counted.where(Game.tournament == only)
        entered = entered.where(Entry.tournament == only)
    games: dict[int | None, dict[str, int]] = {}
    for tournament, status, count in connection.execute(counted):
        games.setdefault(tournament, {})[status] = count
    of_these = "SELECT id FROM tournament" if only is None else ":only"
    repeated = text(
        f"""
        SELECT game.tournament, game.status, COUNT(DISTINCT game.id) FROM game AS later JOIN game ON {LATER_ATTEMPT}
        WHERE later.id IN (SELECT id FROM game WHERE tournament IN ({of_these}) AND attempt > 1)
        GROUP BY game.tournament, game.status
        """
    )
    for tournament, status, count in connection.execute(repeated, {} if only is None else {"only": only}):
        games[tournament][status] -= count
    entries = dict(connection.execute(entered).all())
    return [
        WebTournament(**row, entries=entries.get(row["id"], 0), games=games.get(row["id"], {}))
        for row in connection.execute(chosen).mappings()
    ]


def entered(connection: Connection) -> list[tuple[int, str]]:
    """Every agent that has entered a tournament: the tournament and the name."""
    return [(tournament, name) for tournament, name in connection.execute(select(Entry.tournament, Entry.name))]


def numbered(connection: Connection, number: int, most: int) -> list[tuple[int, int, int]]:
    """The games that are called by this number in their tournaments, and that with this id: id, tournament, number."""
    every = [*connection.execute(select(Tournament.id)).scalars()]
    called = (
        select(Game.id)
        # By tournament and status, so that an index finds them.
        .where(Game.tournament.in_(every), Game.status.in_([*OVER, "playing", "scheduled"]), Game.number == number)
        .limit(most)
    )
    rows = select(Game.id, Game.tournament, Game.number).where(Game.tournament.is_not(None))
    found = rows.where((Game.id == number) | Game.id.in_(called)).order_by(Game.id.desc())
    return [(id, tournament or 0, game) for id, tournament, game in connection.execute(found)]


def last_changes(connection: Connection, shown: Collection[int]) -> tuple[Any, ...]:
    """Values that change when one of the tournaments `shown` begins or ends, gets an agent or a game, or when a game of
    it begins or ends, and at nothing else; read from indexes, newest rows first."""
    states = select(Tournament.id, Tournament.status).where(Tournament.id.in_(shown)).order_by(Tournament.id)
    newest = (
        # "+ 0": by the index of the newest, not by that of the tournament, whose rows would all be sorted.
        select(last).where((of + 0).in_(shown), last.is_not(None)).order_by(last.desc()).limit(1)
        for last, of in (
            (Entry.id, Entry.tournament),
            (Game.id, Game.tournament),
            (Game.finished, Game.tournament),
        )
    )
    return (
        tuple(game.id for game in running.in_progress(connection) if game.tournament in shown),
        tuple(map(tuple, connection.execute(states))),
        *(connection.execute(one).scalar() for one in newest),
    )


# Games.


class Cursor(Struct, frozen=True):
    """Where a part of a list of games begins."""

    game: int
    """The games before or after this one are meant."""
    newer: bool


def part(
    connection: Connection,
    tournament: int,
    wanted: GameFilter,
    *,
    round: int | None = None,
    cursor: Cursor | None = None,
    most: int,
) -> list[PastGame]:
    """At most `most` games of the tournament, the newest first, without their moves: the newest ones, or those next to
    the cursor. Its game must have ended."""
    chosen = filtered(connection, select(Game.id), wanted).where(Game.tournament == tournament)
    if round is not None:
        chosen = chosen.where(Game.round == round)
    order = (Game.finished.desc(), Game.id.desc())
    if cursor is not None:
        finished = connection.execute(select(Game.finished).where(Game.id == cursor.game)).scalar_one()
        at_once = Game.finished == finished
        # The first condition says nothing new, but an index can answer it.
        if cursor.newer:
            beyond = or_(Game.finished > finished, and_(at_once, Game.id > cursor.game))
            chosen = chosen.where(Game.finished >= finished, beyond)
            order = (Game.finished.asc(), Game.id.asc())
        else:
            beyond = or_(Game.finished < finished, and_(at_once, Game.id < cursor.game))
            chosen = chosen.where(Game.finished <= finished, beyond)
    ids = [*connection.execute(chosen.order_by(*order).limit(most)).scalars()]
    return games(connection, ids[::-1] if cursor is not None and cursor.newer else ids)


def beside(connection: Connection, tournament: int, game: int) -> tuple[int | None, int | None]:
    """The games of the tournament that ended before and after this one; of a game in progress the last that ended."""
    if not has_ended(connection, tournament, game):
        return next((one.id for one in part(connection, tournament, GameFilter(), most=1)), None), None
    before, after = (
        next((one.id for one in part(connection, tournament, GameFilter(), cursor=Cursor(game, newer), most=1)), None)
        for newer in (False, True)
    )
    return before, after


def has_ended(connection: Connection, tournament: int, game: int) -> bool:
    """Whether this is a game of the tournament that is over."""
    found = select(Game.id).where(Game.id == game, Game.tournament == tournament, Game.status.in_(OVER))
    return connection.execute(found.where(Game.finished.is_not(None))).first() is not None


def last_round(connection: Connection, tournament: int) -> int:
    """The round of the finished game with the highest number; 0 if games have no round."""
    last = select(Game.round).where(Game.tournament == tournament, Game.status == "finished")
    return connection.execute(last.order_by(Game.number.desc()).limit(1)).scalar() or 0


class Loss(Struct, frozen=True):
    """A game that was lost as it was played, before rulings."""

    game: int
    opponent: str


def losses(connection: Connection, tournament: int, name: str) -> list[Loss]:
    """The games that the player lost with its current version against one opponent, the newest first."""
    own, other = Seat.__table__.alias(), Seat.__table__.alias()
    rows = (
        select(own.c.game, other.c.name)
        .select_from(Entry)
        .join(own, (own.c.version == Entry.version) & (own.c.name == Entry.name))
        .join(Game, Game.id == own.c.game)
        .join(other, (other.c.game == own.c.game) & (other.c.seat != own.c.seat))
        .where(Entry.tournament == tournament, Entry.name == name, Game.tournament == tournament)
        .where(own.c.points == 0.0, other.c.points == 1.0)
        .order_by(own.c.game.desc())
    )
    return [Loss(*row) for row in connection.execute(rows)]


def games_of(connection: Connection, tournament: int, name: str) -> list[int]:
    """The ids of the player's games that are over, of the version with which it plays now, in the order of the ids."""
    rows = (
        select(Seat.game)
        .join(Entry, (Entry.version == Seat.version) & (Entry.name == Seat.name))
        .join(Game, Game.id == Seat.game)
        .where(Entry.tournament == tournament, Entry.name == name)
        .where(Game.tournament == tournament, Game.status.in_(OVER))
        .order_by(Seat.game)
    )
    return [*connection.execute(rows).scalars()]


# Ratings.


def current_version(connection: Connection, tournament: int, name: str) -> int | None:
    """The number of the version with which the player plays now."""
    entered = select(Version.number).join(Entry, Entry.version == Version.id)
    return connection.execute(entered.where(Entry.tournament == tournament, Entry.name == name)).scalar()


class VersionEntered(Struct, frozen=True):
    """A version of an agent that is in a tournament."""

    id: int
    agent: str
    number: int
    is_current: bool
    """Whether the agent plays with it now."""


def versions_entered(connection: Connection, tournament: int) -> list[VersionEntered]:
    """The versions that play in the tournament, and the earlier ones that have played in it."""
    now = select(Entry.version).where(Entry.tournament == tournament)
    played = select(Seat.version).join(Game, Game.id == Seat.game).where(Game.tournament == tournament)
    rows = (
        select(Version.id, Agent.name, Version.number, Version.id.in_(now))
        .join(Agent, Agent.id == Version.agent)
        .where(Version.id.in_(now) | Version.id.in_(played))
        .order_by(Version.id)
    )
    return [VersionEntered(id, agent, number, bool(current)) for id, agent, number, current in connection.execute(rows)]


class VersionNow(Struct, frozen=True):
    """A version with its last rating."""

    name: str
    """The player's name in the tournament."""
    number: int
    is_current: bool
    rating: float
    error: float
    games: int
    time: str


def last_rating(connection: Connection, tournament: int) -> int | None:
    """The row id of the last rating in the tournament; None if there is none."""
    newest = select(Rating.id).where(Rating.tournament == tournament).order_by(Rating.id.desc()).limit(1)
    return connection.execute(newest).scalar()


def last_ratings(connection: Connection, tournament: int) -> list[VersionNow]:
    """The last rating of each version of each player, the versions in the order of their numbers."""
    return [
        VersionNow(name, number, bool(current), *rest)
        for name, number, current, *rest in connection.execute(_LAST, {"tournament": tournament})
    ]


_LAST: Final = text(
    """
    SELECT entry.name, version.number, version.id = entry.version,
           rating.rating, rating.error, rating.games, rating.time
    FROM entry JOIN version AS own ON own.id = entry.version JOIN version ON version.agent = own.agent
    JOIN rating ON rating.id = (
        SELECT MAX(last.id) FROM rating AS last
        WHERE last.tournament = entry.tournament AND last.version = version.id)
    WHERE entry.tournament = :tournament
    ORDER BY entry.name, version.number
    """
)
"""One index lookup for each version; the histories are not read."""


def curves(connection: Connection, tournament: int, name: str, *, most: int) -> dict[int, list[RatingPoint]]:
    """The ratings of each version of the player over time: version number -> at most `most` ratings, the last one
    included."""
    rows = connection.execute(_CURVES, {"tournament": tournament, "name": name})
    found: dict[int, list[Any]] = {}
    for number, *point in rows:
        found.setdefault(number, []).append(point)
    return {
        number: [RatingPoint(datetime.fromisoformat(time), *rest) for time, *rest in _thinned(points, most)]
        for number, points in found.items()
    }


def _thinned(points: list[Any], most: int) -> list[Any]:
    """At most `most` of these, evenly, the last one included."""
    step = -(-len(points) // most)
    return points[::-1][::step][::-1]


_CURVES: Final = text(
    """
    SELECT version.number, rating.time, rating.rating, rating.error, rating.games
    FROM entry JOIN version AS own ON own.id = entry.version JOIN version ON version.agent = own.agent
    JOIN rating ON rating.tournament = entry.tournament AND rating.version = version.id
    WHERE entry.tournament = :tournament AND entry.name = :name
    ORDER BY version.number, rating.id
    """
)


# What happened lately in a tournament, for its standings: last results, ratings over time, and who plays now.


_ENOUGH: Final = 12
"""Of the last games, for each agent, among which its last results are looked for."""


class LastResult(Struct, frozen=True):
    """A game of a player that is over."""

    id: int
    number: int
    attempt: int
    points: float
    """Of the player."""


def last_results(connection: Connection, tournament: int, *, players: int, most: int) -> dict[str, list[LastResult]]:
    """The last results of each player, at most `most`, the oldest first, of those among the last games of all."""
    rows = connection.execute(_LAST_RESULTS, {"tournament": tournament, "most": _ENOUGH * max(players, 10)})
    found: dict[str, list[LastResult]] = {}
    for name, *game in rows:
        results = found.setdefault(name, [])
        if len(results) < most:
            results.insert(0, LastResult(*game))
    return found


_LAST_RESULTS: Final = text(
    f"""
    SELECT one.name, game.id, game.number, game.attempt, {points_of("one")}
    FROM (SELECT last.id AS id FROM game AS last WHERE last.tournament = :tournament AND last.status = 'finished'
          ORDER BY last.number DESC, last.id DESC LIMIT :most) AS late
    JOIN game ON game.id = late.id
    CROSS JOIN seat AS one {AWARD}
    WHERE one.game = game.id AND {COUNTED} AND {points_of("one")} IS NOT NULL
    ORDER BY game.number DESC, game.id DESC
    """
)


def wins(connection: Connection, tournament: int, *, since: datetime) -> list[tuple[str, str, int]]:
    """Who has beaten whom in games for two since then, each with the last such game."""
    rows = connection.execute(_WINS, {"tournament": tournament, "since": instant(since)})
    return [(str(winner), str(loser), int(game)) for winner, loser, game in rows]


_WINS: Final = text(
    f"""
    SELECT one.name, other.name, MAX(game.id)
    FROM game
    JOIN seat AS one ON one.game = game.id
    JOIN seat AS other ON other.game = game.id AND other.seat = 1 - one.seat {AWARD}
    WHERE game.tournament = :tournament AND game.status = 'finished' AND game.finished >= :since AND {COUNTED}
      AND {points_of("one")} = 1.0 AND one.seat IN (0, 1)
      AND NOT EXISTS (SELECT 1 FROM seat AS third WHERE third.game = game.id AND third.seat = 2)
    GROUP BY one.name, other.name
    """
)


def sampled_ratings(
    connection: Connection, tournament: int, *, most: int, now: datetime
) -> dict[str, tuple[list[float], float | None]]:
    """For each player with a rating, at most `most` ratings of the version that plays now, evenly over the time since
    the first rating of all and the last one included; and the rating a day ago, if it had one."""
    ids = [
        connection.execute(select(Rating.id).where(Rating.tournament == tournament).order_by(order).limit(1)).scalar()
        for order in (Rating.id, Rating.id.desc())
    ]
    if ids[0] is None or ids[1] is None:
        return {}
    first, last = ids[0], ids[1]
    places = sorted({first + (last - first) * step // (most - 1) for step in range(most)})
    yesterday = _before(connection, first, last, instant(now - timedelta(days=1)))
    wanted = " UNION ALL ".join(f"SELECT {place} AS id" for place in sorted({*places, yesterday}))
    found: dict[str, tuple[list[float], float | None]] = {}
    for name, place, rating in connection.execute(text(_SAMPLED.format(wanted=wanted)), {"tournament": tournament}):
        curve, before = found.get(name, ([], None))
        if place == yesterday:
            before = rating
        if rating is not None and place in places:
            curve.append(rating)
        found[name] = (curve, before)
    return {name: (curve, before) for name, (curve, before) in found.items() if curve}


_SAMPLED: Final = """
    SELECT entry.name, place.id, (
        SELECT rating.rating FROM rating
        WHERE rating.tournament = entry.tournament AND rating.version = entry.version AND rating.id <= place.id
        ORDER BY rating.id DESC LIMIT 1)
    FROM entry CROSS JOIN ({wanted}) AS place
    WHERE entry.tournament = :tournament
    ORDER BY entry.name, place.id
"""
"""One index lookup for each agent and place; the histories are not read."""


def _before(connection: Connection, first: int, last: int, time: str) -> int:
    """The last row id of a rating until that time, between `first` and `last`; 0 if all are later. The ratings of all
    tournaments are in the order of their times."""
    low, high = first - 1, last
    while low < high:
        middle = (low + high + 1) // 2
        next_one = select(Rating.id, Rating.time).where(Rating.id >= middle).order_by(Rating.id).limit(1)
        id, at = connection.execute(next_one).one()
        if at <= time:
            low = min(id, high)
        else:
            high = middle - 1
    return low if low >= first else 0
