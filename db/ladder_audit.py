"""Reads every row of the standing ladders, and all ratings, for `arena data verify`.

What no process of this program would have written is a contradiction, with a sentence for each. Nothing is changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, Final

from sqlalchemy import Connection, func, select, text

from db.ladder import FORMAT
from db.records import moment_of
from db.schema import Extension, Rating, Submission, Tournament

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
