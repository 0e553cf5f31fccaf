"""`arena submit`: what its user reads while an agent is handed in, checked and rated."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.match.schedule import Began
from arena.play.director import Director
from arena.serve.checks import Checks
from arena.walls.run_folder import RunFolder
from db import ladder, store
from db.ladder import NewRating, StoredSubmission
from db.records import GameRecord, ScheduledGame, SeatRecord
from tests.kit.arena_program import Ended, arena, environment
from tests.kit.effort import PATIENCE
from tests.kit.hand_in_room import HandInRoom, hand_in_room


@pytest.fixture
def room(tmp_path: Path) -> Iterator[HandInRoom]:
    room = hand_in_room(tmp_path, opens=datetime(2000, 1, 1, tzinfo=UTC), closes=datetime(2999, 1, 1, tzinfo=UTC))
    with room.database:
        yield room


def submitted(room: HandInRoom, path: Path, *options: str) -> Ended:
    return arena("submit", str(path), "--db", str(room.folder / "arena.db"), *options)


def test_a_hand_in_without_a_running_ladder_waits_for_it(room: HandInRoom) -> None:
    ended = submitted(room, room.file(1), "--as", "alice")
    assert (ended.code, ended.out) == (
        0,
        "submission 1 of alice is received by ladder cs101; no others are before it\n",
    )
    assert ended.err == "arena: nothing runs ladder cs101 now; the agent is checked when `arena serve` runs it\n"
    ended = submitted(room, room.file(2), "--as", "bob", "--format", "json")
    (row,) = json.loads(ended.out)
    assert (row["submission"], row["state"], row["ahead"], row["running"], row["rating"]) == (
        *(2, "received", 1, False, None),
    )


def test_a_refused_one_is_one_sentence_and_exit_code_2(room: HandInRoom) -> None:
    text = room.file(name="notes.txt", code="hello")
    ended = submitted(room, text, "--as", "alice")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("arena: submission 1 is refused: notes.txt is not a Python file")
    assert ended.err.count("\n") == 1
    ended = submitted(room, text, "--as", "alice", "--format", "json")
    assert (ended.code, json.loads(ended.out)[0]["state"], ended.err) == (2, "refused", "")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--as", "random"), "arena: 'random' is an anchor of ladder 'cs101': choose another name"),
        (("--as", "alice", "--ladder", "cs102"), "arena: there is no ladder 'cs102'"),
    ],
)
def test_a_mistake_in_the_command_is_one_sentence_and_exit_code_2(
    room: HandInRoom, options: tuple[str, ...], words: str
) -> None:
    ended = submitted(room, room.file(), *options)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(words)


def serve(room: HandInRoom) -> None:
    """Check what was received; then one game against random, and a rating."""

    def entered(one: StoredSubmission) -> None:
        with room.database.writing() as connection:
            row = ladder.submission(connection, one.id)
            assert row.version is not None
            seats = ((row.version, "alice"), (1, "random"))
            new = ScheduledGame(round=1, pair="pair", game="nap", seats=seats)
            (game,) = store.schedule(connection, room.opened.id, [new])
            results = (SeatRecord(0, "alice", 1.0, 1.0, 0, 0), SeatRecord(1, "random", 0.0, -1.0, 0, 0))
            record = GameRecord(game, "normal", None, "", results, (), lag=0)
            store.finish(connection, game, record, host=None, now=row.changed + timedelta(seconds=1))
            rating = NewRating(row.version, 512.3, 130.2, 1)
            ladder.add_ratings(connection, room.opened.id, [rating], row.changed + timedelta(seconds=1))

    with RunFolder() as folder, Director(folder, at_once=2) as director:
        schedule = Checks(
            *(room.opened, room.database, room.store),
            scratch=folder.scratch,
            wait=print,
            entered=entered,
            now=lambda: datetime.now(UTC),
        )
        for event in director.play(schedule):
            if isinstance(event, Began):
                schedule.began(event.game)


def waiting_for(room: HandInRoom, path: Path, *options: str) -> subprocess.Popen[str]:
    """`arena submit --wait` in a process of its own, which has handed in the agent."""
    words = (str(path), "--as", "alice", "--wait", "--db", str(room.folder / "arena.db"), *options)
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", "submit", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(80, "utf-8"),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "submission 1 of alice is received by ladder cs101; no others are before it\n"
    return process


@pytest.mark.journey
def test_waiting_shows_the_check_the_first_games_and_the_rating(room: HandInRoom) -> None:
    process = waiting_for(room, room.file())
    serve(room)
    out, _ = process.communicate(timeout=PATIENCE)
    lines = out.splitlines()
    assert process.returncode == 0
    assert lines[0] == "Checking my_agent.py for cs101: nap, clock 5+0.1"
    assert [line.split()[:2] for line in lines if line[:2].strip().isdigit()] == [[str(n), "✓"] for n in range(1, 11)]
    assert lines[-3:] == [
        "alice plays on ladder cs101 now",
        "game 1: won against random (normal)",
        "rating 512 ± 130 after 1 game",
    ]


@pytest.mark.costly
def test_waiting_for_an_agent_that_fails_its_check_says_why(room: HandInRoom) -> None:
    process = waiting_for(room, room.file(code="def choose(:"))
    serve(room)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "✗ found and importable" in out
    assert out.splitlines()[-1] == "submission 1 failed its check: correct the agent, and hand it in again"


@pytest.mark.costly
def test_ctrl_c_ends_only_the_waiting(room: HandInRoom) -> None:
    process = waiting_for(room, room.file())
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "stopped waiting; submission 1 goes on"
    assert [one.state for one in room.rows()] == ["received"]
