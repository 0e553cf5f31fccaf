"""A submission as one value: what `arena submit --wait` prints, read here and from a page server."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import msgspec

from arena.serve.submissions import REPLACED, SubmissionDocument, submission_document
from arena.student.checking import CheckStep, Light, StepName
from db import ladder, store
from db.ladder import NewRating, SubmissionState
from db.records import GameRecord, ScheduledGame, SeatRecord
from tests.kit.hand_in_room import HandInRoom, hand_in_room


def documents(room: HandInRoom) -> list[SubmissionDocument]:
    """Those of all submissions, the oldest first; each is the same after a journey as JSON."""
    with room.database.reading() as connection:
        found = [submission_document(connection, room.opened, one) for one in room.rows()]
    for one in found:
        assert msgspec.json.decode(msgspec.json.encode(one), type=SubmissionDocument) == one
    return found


def entered(room: HandInRoom, id: int, source: str) -> int:
    """The submission passed its check; the id of its version."""
    with room.database.writing() as connection:
        steps = [msgspec.to_builtins(CheckStep(name=StepName.FOUND, light=Light.GOOD, seconds=0.5, message="x"))]
        ladder.change_submission(connection, id, SubmissionState.CHECKING, room.now, steps=steps)
        version = store.version(connection, "alice", source, "my_agent.py", room.now)
        ladder.change_submission(connection, id, SubmissionState.ENTERED, room.now, version=version)
        store.enter(connection, room.opened.id, "alice", version)
        return version


def test_it_follows_a_submission_to_its_first_rating(tmp_path: Path) -> None:
    room = hand_in_room(tmp_path)
    with room.database:
        room.receive(room.file(1), "bob")
        room.receive(room.file(2), "alice")
        one = documents(room)[1]
        assert (one.submission, one.ladder, one.agent, one.file) == (2, "cs101", "alice", "my_agent.py")
        assert (one.game, one.clock, one.state, one.ahead, one.status) == ("nap", "5+0.1", "received", 1, None)
        version = entered(room, 2, "a" * 64)
        one = documents(room)[1]
        assert (one.ahead, one.version, one.status, one.rating, one.first_games) == (None, 1, "active", None, ())
        assert [step.message for step in one.steps] == ["x"]
        with room.database.writing() as connection:
            seats = ((version, "alice"), (1, "random"))
            new = ScheduledGame(round=1, pair="pair", game="nap", seats=seats)
            (game,) = store.schedule(connection, room.opened.id, [new])
            results = (SeatRecord(0, "alice", 1.0, 1.0, 0, 0), SeatRecord(1, "random", 0.0, -1.0, 0, 0))
            later = room.now + timedelta(seconds=1)
            store.finish(
                connection, game, GameRecord(game, "normal", None, "", results, (), lag=0), host=None, now=later
            )
            ladder.add_ratings(connection, room.opened.id, [NewRating(version, 512.5, 130.5, 1)], later)
        one = documents(room)[1]
        assert [(each.opponent, each.points, each.verdict) for each in one.first_games] == [("random", 1.0, "normal")]
        assert (one.rating, one.error, one.games) == (512.5, 130.5, 1)
        room.receive(room.file(3), "alice", after=10)
        entered(room, 3, "b" * 64)
        before, now = documents(room)[1:]
        assert (before.status, before.version, before.rating) == (REPLACED, 1, None)
        assert (now.status, now.version, now.rating, now.first_games) == ("active", 2, None, ())


def test_a_rating_from_before_is_not_the_rating_of_files_that_were_handed_in_again(tmp_path: Path) -> None:
    room = hand_in_room(tmp_path)
    with room.database:
        room.receive(room.file(1))
        version = entered(room, 1, "a" * 64)
        with room.database.writing() as connection:
            later = room.now + timedelta(seconds=1)
            ladder.add_ratings(connection, room.opened.id, [NewRating(version, 512.5, 130.5, 1)], later)
        assert documents(room)[0].rating == 512.5
        for number, source in ((2, "b" * 64), (3, "a" * 64)):
            room.receive(room.file(number), after=10)
            entered(room, number, source)
        assert [(one.version, one.status, one.rating) for one in documents(room)] == [
            (1, "active", 512.5),
            (2, REPLACED, None),
            (1, "active", None),
        ]
