"""A ladder as a database records it, made without processes: submissions, versions, pairs of games, and ratings.

The agents are built-in ones under the names of students, so that everything that reads a database accepts them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Final

from msgspec import to_builtins

from arena.serve import ladder as descriptions
from arena.serve import open_ladders
from arena.serve.open_ladders import OpenLadder
from arena.student.checking import CheckStep, Light, StepName
from db import ladder as rows
from db import store
from db.database import Connection, Database
from db.ladder import NewRating, SubmissionState
from db.records import ScheduledGame
from tests.kit.judged_records import HOST, played

OPENED: Final = datetime(2026, 11, 2, 8, 0, 0, tzinfo=UTC)
CLOSES: Final = OPENED + timedelta(days=40)
DESCRIPTION: Final = f"""
name = "cs101"
game = "tictactoe"
clock = "5"
openings = 1
seed = 7

[ladder]
opens = {OPENED:%Y-%m-%dT%H:%M:%SZ}
closes = {CLOSES:%Y-%m-%dT%H:%M:%SZ}
anchors = {{ "random" = 0, "alphabeta:depth=1" = 150 }}
"""
STUDENTS: Final = ("alice", "bob", "carol")
_STEP: Final = CheckStep(name=StepName.STARTS, light=Light.GOOD, seconds=0.5, message="in 0.1 s")


def open_ladder(connection: Connection, folder: Path, description: str = DESCRIPTION) -> OpenLadder:
    """The ladder of that description, opened at `OPENED`; the description is written into the folder."""
    file = folder / "cs101.toml"
    file.write_text(description, "utf-8")
    described = descriptions.read(file)
    ratings = {anchor.name: anchor.rating or 0.0 for anchor in described.anchors}
    return open_ladders.open_ladder(connection, described, rules=described.league.game, ratings=ratings, now=OPENED)


def hand_in(
    connection: Connection,
    ladder: OpenLadder,
    author: str,
    source: str,
    now: datetime = OPENED,
    *,
    started_as: str | None = None,
) -> int:
    """A submission that passed its check and plays now; the id of its version."""
    id = rows.add_submission(
        connection,
        ladder.id,
        author,
        label=f"{author}.py",
        source=source,
        state=SubmissionState.RECEIVED,
        words="",
        now=now,
    )
    rows.change_submission(connection, id, SubmissionState.CHECKING, now, steps=[to_builtins(_STEP)])
    version = store.version(connection, author, source, started_as or source, now)
    rows.change_submission(connection, id, SubmissionState.ENTERED, now, version=version)
    store.enter(connection, ladder.id, author, version)
    return version


def play_pair(
    connection: Connection, ladder: OpenLadder, versions: Mapping[str, int], number: int, random: Random
) -> None:
    """A pair of finished games between these two players."""
    league = ladder.ladder.league
    for leg in (0, 1):
        seats = [*versions.items()][:: -1 if leg else 1]
        new = ScheduledGame(
            pair=json.dumps([*sorted(versions), number]),
            leg=leg,
            game=ladder.rules,
            clock=league.conditions.clock,
            seed=ladder.seed,
            seats=tuple((version, name) for name, version in seats),
        )
        (id,) = store.schedule(connection, ladder.id, [new])
        at = OPENED + timedelta(minutes=number)
        store.begin(connection, id, at)
        store.finish(connection, id, played(id, new, (), random), host=HOST, now=at + timedelta(hours=1))


def store_ladder(database: Database, folder: Path, description: str = DESCRIPTION) -> OpenLadder:
    """A ladder with three students, of whom alice has handed in twice; everyone has met everyone."""
    random = Random(3)
    with database.writing() as connection:
        ladder = open_ladder(connection, folder, description)
        playing = {name: hand_in(connection, ladder, name, "random") for name in STUDENTS}
        anchors = {
            line.name: line.version for line in rows.standings(connection, ladder.id) if line.name in ladder.anchors
        }
        number = 0
        for source in ("random", "alphabeta:depth=2"):
            playing["alice"] = hand_in(connection, ladder, "alice", source, OPENED + timedelta(hours=number))
            known = playing | anchors
            for at, one in enumerate(STUDENTS):
                for other in (*STUDENTS[at + 1 :], *anchors):
                    number += 1
                    play_pair(connection, ladder, {one: known[one], other: known[other]}, number, random)
            new = [NewRating(version, 100.0 * at + number, 90.0, 16) for at, version in enumerate(playing.values())]
            rows.add_ratings(connection, ladder.id, new, OPENED + timedelta(hours=number))
    return ladder
