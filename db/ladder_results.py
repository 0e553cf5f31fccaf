"""The results of a ladder's games as they end, and the last ratings: what ratings are computed from; and whether the
rows of a ladder agree.

A game is read again only until it is over. So the cost of reading depends on what happened since the last time, not on
the number of games that the ladder has.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from math import isfinite
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, bindparam, func, select, text

from db.counting import ruled
from db.ladder import FORMAT
from db.records import ANNULS, moment_of
from db.schema import Extension, Rating, Submission, Tournament

_AT_ONCE: Final = 5000
"""Games that one query reads."""


class LadderGame(Struct, frozen=True):
    """One game of a ladder, with the version in each seat."""

    id: int
    pair: str
    status: str
    verdict: str | None
    moves_hash: int | None
    first: int
    second: int
    points: float | None
    """Of the first seat; None without a result."""

    @property
    def is_over(self) -> bool:
        """Whether this row changes no more."""
        return self.status not in ("scheduled", "playing")

    @property
    def is_result(self) -> bool:
        """Whether it was played to a result."""
        return self.status == "finished" and self.verdict != "forfeit" and self.points is not None


class LastRating(Struct, frozen=True):
    """The last rating of a version."""

    rating: float
    error: float
    games: int


def games_after(connection: Connection, tournament: int, last: int) -> Iterator[LadderGame]:
    """The games of the ladder with an id above `last`, in the order of their ids."""
    while True:
        given = {"tournament": tournament, "last": last, "most": _AT_ONCE}
        rows = connection.execute(_AFTER, given).all()
        for row in rows:
            yield LadderGame(*row)
        if len(rows) < _AT_ONCE:
            return
        last = rows[-1][0]


def games_again(connection: Connection, ids: Collection[int]) -> list[LadderGame]:
    """These games, in the order of their ids."""
    if not ids:
        return []
    listed = _LISTED if connection.dialect.name == "sqlite" else _LISTED_POSTGRES
    query = text(f"{_GAMES} WHERE game.id IN ({listed}) ORDER BY game.id")
    return [LadderGame(*row) for row in connection.execute(query, {"ids": json.dumps(sorted(ids))})]


def overruled(connection: Connection) -> set[int]:
    """The games whose result was annulled or awarded."""
    return set(connection.execute(text(ruled(*ANNULS, "award"))).scalars())


def last_ratings(connection: Connection, tournament: int) -> dict[int, LastRating]:
    """The last rating of each version that was ever rated on the ladder."""
    rows: Any = connection.execute(_LAST_RATINGS, {"tournament": tournament})
    return {version: LastRating(*fields) for version, *fields in rows}


def unrated_tournaments(connection: Connection) -> list[int]:
    """The tournaments that are not ladders, except those that were rated after they were finished and after the last
    ruling."""
    rows = connection.execute(_UNRATED, {"ladder": FORMAT})
    return list(rows.scalars())


_GAMES: Final = """
    SELECT game.id, game.pair, game.status, game.verdict, game.moves_hash, a.version, b.version, a.points
    FROM game JOIN seat AS a ON a.game = game.id AND a.seat = 0 JOIN seat AS b ON b.game = game.id AND b.seat = 1
"""
# "+ 0": read by id, not by the index of the tournament's games, which would read all of them.
_AFTER: Final = text(
    f"{_GAMES} WHERE game.tournament + 0 = :tournament AND game.id > :last ORDER BY game.id LIMIT :most"
)
_LISTED: Final = "SELECT value FROM json_each(:ids)"
_LISTED_POSTGRES: Final = "SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(:ids AS JSON))"
_LAST_RATINGS: Final = text(
    """
    SELECT version, rating, error, games FROM rating
    WHERE id IN (SELECT MAX(id) FROM rating WHERE tournament = :tournament GROUP BY version)
    """
)
_UNRATED: Final = text(
    """
    SELECT id FROM tournament
    WHERE format <> :ladder AND NOT EXISTS (
        SELECT 1 FROM rating
        WHERE rating.tournament = tournament.id AND tournament.status = 'finished'
              AND rating.time >= tournament.finished
              AND rating.time >= COALESCE((SELECT MAX(made) FROM ruling), ''))
    ORDER BY id
    """
)


# The pairs of a ladder's games: which were begun, and which games are not played after all.


class BegunPairs(Struct, frozen=True):
    """The pairs of two versions."""

    names: tuple[str, str]
    versions: tuple[int, int]
    """The row ids of the versions, in the order of the names."""
    pairs: int
    last: int
    """The number of their last pair."""


def begun(connection: Connection, tournament: int) -> list[BegunPairs]:
    """All pairs that were ever begun, counted by versions; each two of them in one or both orders. This reads every
    game of the ladder."""
    return [
        BegunPairs((one, other), (version, other_version), pairs, pair_number(last))
        for one, other, version, other_version, pairs, last in connection.execute(_BEGUN, {"tournament": tournament})
    ]


def pair_number(game_number: int) -> int:
    """The number of the pair that the game with this number belongs to; both count from 1."""
    return (game_number + 1) // 2


def all_active(connection: Connection, tournament: int, versions: Collection[int]) -> bool:
    """Whether each of these versions is entered now, by an agent that is neither withdrawn nor quarantined."""
    found = connection.execute(_ACTIVE, {"tournament": tournament, "versions": list(versions)}).scalar_one()
    return bool(found == len(versions))


def cancel_replaced(connection: Connection, tournament: int) -> int:
    """Cancel the scheduled games of versions that are not entered any more, and of agents that are not active; return
    their number. Games in progress are left as they are."""
    return connection.execute(_CANCEL_REPLACED, {"tournament": tournament}).rowcount


_BEGUN: Final = text(
    """
    SELECT one.name, other.name, one.version, other.version, COUNT(*), MAX(game.number)
    FROM game JOIN seat AS one ON one.game = game.id AND one.seat = 0
              JOIN seat AS other ON other.game = game.id AND other.seat = 1
    WHERE game.tournament = :tournament AND game.leg = 0 AND game.attempt = 1
    GROUP BY one.name, other.name, one.version, other.version
    """
)
_ACTIVE: Final = text(
    "SELECT COUNT(*) FROM entry WHERE tournament = :tournament AND status = 'active' AND version IN :versions"
).bindparams(bindparam("versions", expanding=True))
_CANCEL_REPLACED: Final = text(
    """
    UPDATE game SET status = 'cancelled'
    WHERE tournament = :tournament AND status = 'scheduled' AND EXISTS (
        SELECT 1 FROM seat LEFT JOIN entry ON entry.tournament = game.tournament AND entry.name = seat.name
                                              AND entry.version = seat.version AND entry.status = 'active'
        WHERE seat.game = game.id AND entry.id IS NULL)
    """
)


# Reads every row of the standing ladders, and all ratings, for `arena data verify`.


_BATCH: Final = 1000
"""Rows that are fetched at once: a ladder can have millions of ratings."""


def contradictions(connection: Connection) -> Iterator[tuple[str, str]]:
    """What is wrong with the rows of ladders: the ladder's name, and a sentence."""
    ladders = dict[int, str](
        connection.execute(select(Tournament.id, Tournament.name).where(Tournament.format == FORMAT)).all()
    )
    yield from _wrong_places(connection, ladders)
    yield from _wrong_submissions(connection, ladders)
    yield from _wrong_entries(connection)
    yield from _wrong_ratings(connection)
    for name, id, until in connection.execute(
        select(Tournament.name, Extension.id, Extension.until).join(Extension, Extension.tournament == Tournament.id)
    ):
        if moment_of(until) is None:
            yield name, f"extension {id}: expected a time, got {until!r}"


def _wrong_places(connection: Connection, ladders: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """Rows of tournaments that are not ladders."""
    for table in (Submission, Extension):
        counts = select(Tournament.id, Tournament.name, func.count()).join(table, table.tournament == Tournament.id)
        for tournament, name, count in connection.execute(counts.group_by(Tournament.id, Tournament.name)):
            if tournament not in ladders:
                yield name, f"it is not a ladder, but has {count} rows in the table {table.__table__.name!r}"


def _wrong_submissions(connection: Connection, ladders: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    rows = connection.execute(
        text(
            """
            SELECT submission.id, submission.tournament, submission.author, submission.source, submission.state,
                   submission.words, CAST(submission.steps AS TEXT) AS steps, submission.version,
                   submission.received, submission.changed, version.source AS played, agent.name AS agent
            FROM submission
            LEFT JOIN version ON version.id = submission.version
            LEFT JOIN agent ON agent.id = version.agent
            ORDER BY submission.id
            """
        ).execution_options(yield_per=_BATCH)
    )
    in_check: dict[tuple[int, str], int] = {}
    for row in rows.mappings():
        where = ladders.get(row["tournament"], "submissions")
        for reason in _wrong_submission(row):
            yield where, f"submission {row['id']} of {row['author']!r}: {reason}"
        if row["state"] == "checking":
            agent = (row["tournament"], row["author"])
            if agent in in_check:
                yield (
                    where,
                    f"submissions {in_check[agent]} and {row['id']} of {row['author']!r} are both in their check",
                )
            in_check[agent] = row["id"]


def _wrong_submission(row: Mapping[Any, Any]) -> Iterator[str]:
    state = row["state"]
    if (state == "entered") != (row["version"] is not None):
        expected = "a version" if state == "entered" else "no version"
        yield f"expected {expected}, because it is {state}"
    elif state == "entered" and (row["agent"], row["played"]) != (row["author"], row["source"]):
        yield f"its version is of {row['agent']!r}, or has other files"
    if state in ("checking", "entered", "failed") and row["source"] is None:
        yield f"expected the hash of its files, because it is {state}"
    if state in ("failed", "refused", "withdrawn") and not row["words"].strip():
        yield f"expected the reason why it is {state}"
    if not _readable(row["steps"]):
        yield "its steps cannot be read"
    for time in ("received", "changed"):
        if moment_of(row[time]) is None:
            yield f"{time}: expected a time, got {row[time]!r}"


def _wrong_entries(connection: Connection) -> Iterator[tuple[str, str]]:
    """The players of ladders that are not anchors and do not play with what was handed in last."""
    rows = connection.execute(
        text(
            """
            SELECT tournament.name, entry.name, entry.version, last.version AS handed_in,
                   (SELECT MIN(rating.error) FROM rating
                    WHERE rating.tournament = entry.tournament AND rating.version = entry.version) AS error
            FROM entry JOIN tournament ON tournament.id = entry.tournament
            LEFT JOIN submission AS last ON last.id = (
                SELECT MAX(submission.id) FROM submission
                WHERE submission.tournament = entry.tournament AND submission.author = entry.name
                      AND submission.state = 'entered')
            WHERE tournament.format = :format
            ORDER BY entry.id
            """
        ),
        {"format": FORMAT},
    )
    for ladder, name, version, handed_in, error in rows:
        if handed_in is None and error == 0:
            continue  # an anchor
        if version != handed_in:
            yield ladder, f"{name!r} does not play with the version of its last submission that was entered"


def _wrong_ratings(connection: Connection) -> Iterator[tuple[str, str]]:
    unknown = text(
        """
        SELECT tournament.name, agent.name, version.number, COUNT(*)
        FROM rating
        JOIN tournament ON tournament.id = rating.tournament
        JOIN version ON version.id = rating.version JOIN agent ON agent.id = version.agent
        WHERE NOT EXISTS (SELECT 1 FROM entry
                          WHERE entry.tournament = rating.tournament AND entry.version = rating.version)
              AND NOT EXISTS (SELECT 1 FROM submission
                              WHERE submission.tournament = rating.tournament AND submission.author = agent.name
                                    AND submission.version = rating.version)
              AND (tournament.format = :format OR NOT EXISTS (
                  SELECT 1 FROM seat JOIN game ON game.id = seat.game
                  WHERE seat.version = rating.version AND game.tournament = rating.tournament))
        GROUP BY tournament.name, agent.name, version.number
        ORDER BY tournament.name, agent.name, version.number
        """
    )
    for ladder, agent, number, count in connection.execute(unknown, {"format": FORMAT}):
        yield ladder, f"{count} ratings of {agent}@{number}, which never played in it"
    rows = connection.execute(
        select(Tournament.name, Rating.id, Rating.time, Rating.rating, Rating.error, Rating.games)
        .join(Tournament, Tournament.id == Rating.tournament)
        .order_by(Rating.id)
        .execution_options(yield_per=_BATCH)
    )
    for ladder, id, time, rating, error, games in rows:
        if moment_of(time) is None:
            yield ladder, f"rating {id}: expected a time, got {time!r}"
        if not (isfinite(rating) and isfinite(error) and error >= 0 and games >= 0):
            yield ladder, f"rating {id}: expected finite numbers, got {rating} ± {error} from {games} games"


def _readable(steps: str) -> bool:
    """Whether these are the steps of a check: a list of objects, in an object."""
    try:
        found = json.loads(steps)
    except ValueError:
        return False
    listed = found.get("steps") if isinstance(found, dict) else None
    return isinstance(listed, list) and all(isinstance(step, dict) for step in listed)
