"""The standing process: people first, what others change in the database, and the loss of any process."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from agents.protocol import Verdict
from arena.match.schedule import Entrant, Finished, InOrder, Planned
from arena.play.director import Director
from arena.serve.happenings import Happening, Notice, Rated, SubmissionChanged, SubmissionWatch
from arena.serve.in_turn import StandingSchedule
from arena.serve.invited import FIRST_NUMBER, InvitedGames
from arena.serve.opened import OpenLadder, close, updated
from arena.serve.serving import Parts, Serving
from arena.walls.run_folder import RunFolder
from db import ladder
from db.ladder import SubmissionState
from db.records import GameRecord
from tests.kit.arena_program import arena
from tests.kit.hand_in_room import CLOSES, HandInRoom, hand_in_room
from tests.kit.ladder_room import LadderRoom


class Queue(InOrder, StandingSchedule):
    """A part of the ladder that plays what the test gives it."""

    def __init__(self) -> None:
        super().__init__(())
        self.calls: list[str] = []
        self.looked_at: list[OpenLadder] = []
        self.warnings: list[str] = []
        self.is_over = False

    def began(self, _: Planned) -> None:
        pass

    def look(self, ladder: OpenLadder) -> None:
        self.looked_at.append(ladder)

    def interrupted(self) -> None:
        self.calls.append("interrupted")

    def close(self) -> None:
        self.calls.append("close")


class Games(Queue):
    def __init__(self) -> None:
        super().__init__()
        self.placements = Queue()
        self.put_aside: list[str] = []
        self.left_out: dict[str, str] = {}
        self.is_closed = False
        self.opened: OpenLadder | None = None

    def reload(self) -> None:
        self.calls.append("reload")


class Rater:
    """The director's end of a rater that the test plays."""

    pid = 0
    """No process."""

    def __init__(self) -> None:
        self.link, self.test = socket.socketpair()
        self.link.setblocking(False)
        self.nudges = 0

    def fileno(self) -> int:
        return self.link.fileno()

    def nudge(self) -> None:
        self.nudges += 1

    def read(self) -> bool:
        try:
            return bool(self.link.recv(100))
        except BlockingIOError:
            return False

    def is_gone(self) -> bool:
        try:
            return not self.link.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False

    def how_it_ended(self) -> str:
        return "was killed"

    def end(self) -> None:
        self.link.close()
        self.test.close()


class Room:
    """A server whose other parts the test plays."""

    def __init__(self, hand_ins: HandInRoom, folder: RunFolder) -> None:
        self.hand_ins = hand_ins
        self.people = InvitedGames(hand_ins.database, pytest.fail)
        self.checks, self.games, self.raters = Queue(), Games(), list[Rater]()
        self.happened: list[Happening] = []
        self.seconds = 0.0
        self.dated = Queue()
        parts: Any = (self.people, self.checks, self.games, self.dated)
        with hand_ins.database.reading() as connection:
            submissions = SubmissionWatch(connection, hand_ins.opened.id)
        self.serving = Serving(
            hand_ins.opened,
            hand_ins.database,
            folder,
            Parts(*parts),
            submissions=submissions,
            start_rater=self.start_rater,
            tell=self.happened.append,
            now=lambda: hand_ins.now,
            clock=lambda: self.seconds,
        )

    def start_rater(self) -> Any:
        self.raters.append(Rater())
        return self.raters[-1]

    def look(self) -> list[Happening]:
        """What the server reports when it has looked at the database."""
        self.happened.clear()
        self.seconds += 3
        assert self.serving.next() is None
        return [*self.happened]


@pytest.fixture
def ladder_room(tmp_path: Path) -> Iterator[LadderRoom]:
    with LadderRoom(tmp_path) as room:
        yield room


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    hand_ins = hand_in_room(tmp_path)
    with hand_ins.database, RunFolder() as folder:
        room = Room(hand_ins, folder)
        try:
            yield room
        finally:
            room.serving.close()
            for rater in room.raters:
                rater.end()
    assert room.checks.calls[-1] == "close"


def entrant(text: str) -> Entrant:
    return Entrant(text, text, ("-m", "agents", text, "--connect", "-"), source=text)


def game(*entrants: Entrant, number: int = 0) -> Planned:
    return Planned(number, "tictactoe", "tictactoe", entrants, seed=1, identity=("people", number), clock="10+0.1")


class Guests:
    """Players that the test starts."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []

    def seat(self, address: str, token: str) -> None:
        """A guest takes its seat: it is invited."""
        process = subprocess.Popen([sys.executable, "-m", "agents", "random", "--connect", "-"], stdin=subprocess.PIPE)
        assert process.stdin is not None
        process.stdin.write(json.dumps({"address": address, "token": token}).encode() + b"\n")
        process.stdin.flush()
        self.processes.append(process)

    def leave(self) -> None:
        for process in self.processes:
            process.kill()
            process.communicate()


class Until(InOrder):
    """The server's schedule, until that number of games is over."""

    def __init__(self, serving: Serving, games: int, then: Callable[[], None] = lambda: None) -> None:
        super().__init__(())
        self.serving, self.left, self.finished = serving, games, list[Finished]()
        self.then = then

    def next(self) -> Planned | None:
        game = self.serving.next() if self.left else None
        if game is not None:
            self.then()
        return game

    def ahead(self) -> Planned | None:
        return self.serving.ahead()

    def rest(self) -> float | None:
        return self.serving.rest() if self.left else None

    def note(self, finished: Finished) -> None:
        self.serving.note(finished)
        self.finished.append(finished)
        self.left -= 1


def test_people_play_before_all_others_and_their_games_are_recorded(room: Room) -> None:
    guests = Guests()
    room.games.append(game(entrant("random"), entrant("alphabeta:depth=2"), number=7))
    guest = Entrant("alice", "guest", source="human", invite=guests.seat)
    number = room.serving.invite(game(guest, entrant("random")), {"alice": "human", "random": "random"})
    assert number == FIRST_NUMBER
    until = Until(room.serving, 2)
    try:
        room.serving.play(until, lambda _: nullcontext(), at_once=1)
    finally:
        guests.leave()
    assert [one.game.number for one in until.finished] == [number, 7]
    assert until.finished[0].record.verdict == Verdict.NORMAL
    assert len(room.people.ids) == 1
    assert room.raters[0].nudges == 1, "games with people are not rated"


def test_after_the_loss_of_a_referee_guests_are_invited_again_and_all_games_go_on(room: Room) -> None:
    guests = Guests()
    guest = Entrant("alice", "guest", source="human", invite=guests.seat)
    room.serving.invite(game(guest, entrant("random")), {"alice": "human", "random": "random"})
    directors: list[Director] = []

    @contextmanager
    def heard_by(director: Director) -> Iterator[None]:
        directors.append(director)
        yield

    def kill() -> None:
        if len(directors) == 1:
            directors[0]._crew.referee.kill()

    until = Until(room.serving, 1, then=kill)
    try:
        room.serving.play(until, heard_by, at_once=1)
    finally:
        guests.leave()
    assert len(directors) == 2
    assert len(room.people.ids) == 1
    assert room.checks.calls == ["interrupted"]
    assert any(isinstance(one, Notice) and "a new referee" in one.text for one in room.happened)


def test_a_submission_that_another_process_wrote_is_reported_with_each_change(room: Room) -> None:
    assert room.look() == []
    one = room.hand_ins.receive(room.hand_ins.file())
    (change,) = room.look()
    assert change == SubmissionChanged(one, is_new_state=True)
    assert room.look() == []
    for steps, state, is_new in (
        ((), SubmissionState.CHECKING, True),
        (({"name": "found"},), SubmissionState.CHECKING, False),
        (({"name": "found"},), SubmissionState.FAILED, True),
    ):
        with room.hand_ins.database.writing() as connection:
            ladder.change_submission(connection, one.id, state, one.received, steps=steps)
        (change,) = room.look()
        assert isinstance(change, SubmissionChanged)
        assert (change.submission.state, change.submission.steps, change.is_new_state) == (state, steps, is_new)
    assert room.look() == []


def test_at_the_close_no_pair_begins_and_the_parts_know_it(room: Room) -> None:
    room.hand_ins.now = CLOSES - timedelta(days=1)
    assert room.look() == []
    with room.hand_ins.database.writing() as connection:
        closed = close(connection, room.hand_ins.opened, room.hand_ins.now)
    (notice,) = room.look()
    assert isinstance(notice, Notice)
    assert "closed" in notice.text
    assert room.games.is_closed
    assert [one.closes for one in room.checks.looked_at] == [CLOSES, closed.closes]
    assert room.look() == []


def test_a_ladder_that_closes_later_after_all_goes_on(room: Room) -> None:
    room.hand_ins.now = CLOSES
    room.look()
    closed = [room.games.is_closed]
    ladder = room.hand_ins.opened.ladder
    with room.hand_ins.database.writing() as connection:
        updated(
            connection, replace(ladder, closes=CLOSES + timedelta(days=1)), rules=room.hand_ins.opened.rules, now=CLOSES
        )
    (notice,) = room.look()
    assert isinstance(notice, Notice)
    assert notice.text.startswith("the ladder is open again, until 2026-12-2")
    closed.append(room.games.is_closed)
    room.hand_ins.now += timedelta(days=1)
    room.look()
    closed.append(room.games.is_closed)
    assert closed == [True, False, True]


def test_the_server_ends_when_the_final_is_over(room: Room) -> None:
    room.dated.is_over = True
    assert room.look() == []
    assert room.serving.rest() is not None, "the ladder is open"
    room.hand_ins.now = CLOSES
    room.dated.is_over = False
    room.look()
    assert room.serving.rest() is not None
    room.dated.is_over = True
    room.look()
    assert room.serving.rest() is None
    room.serving.play(room.serving, lambda _: nullcontext(), at_once=1)


def test_rules_that_fail_are_reported_once_and_games_go_on(room: Room) -> None:
    void = GameRecord(
        7, Verdict.VOID, None, "the rules failed: ZeroDivisionError (mine.py, line 4, in play)", (), (), 0
    )
    for number in (7, 8):
        planned = game(entrant("random"), entrant("random"), number=number)
        room.serving._report_broken_rules(Finished(planned, void, CLOSES, CLOSES))
    (notice,) = (one for one in room.happened if isinstance(one, Notice))
    assert notice.text.startswith("tictactoe: the rules failed: ZeroDivisionError (mine.py, line 4, in play); such")


def test_a_rater_that_ends_is_replaced_and_one_that_ends_at_once_after_a_pause(room: Room) -> None:
    first = room.raters[0]
    first.test.send(b".")
    room.serving._rater.heard()
    assert room.games.calls == ["reload"]
    assert isinstance(room.happened[-1], Rated)
    first.test.close()
    room.serving._rater.heard()
    assert len(room.raters) == 1, "it ended soon after its start"
    room.seconds += 11
    room.look()
    assert len(room.raters) == 2
    room.seconds += 11
    room.raters[1].test.close()
    room.serving._rater.heard()
    assert len(room.raters) == 3


def test_a_ladder_is_served_once_stops_in_order_and_continues(ladder_room: LadderRoom) -> None:
    room = ladder_room
    room.serve()
    other = room.started("serve", "cs101.toml")
    out, _ = other.communicate()
    assert (other.returncode, out.count("\n")) == (1, 1)
    assert "another process is running ladder 'cs101'" in out
    with room.submit("alice") as submit:
        submit.communicate()
    room.wait_for(lambda line: "alice" in line and "entered" in line)
    assert room.stop() == 0
    assert room.printed[-1].endswith("stopped; the same command continues the ladder")
    room.assert_whole()
    played = room.rows("SELECT COUNT(*) FROM game WHERE status = 'finished'")
    room.serve()
    room.wait_for(lambda line: "ratings" in line)
    assert room.stop(signal.SIGTERM) == 0
    assert room.rows("SELECT COUNT(*) FROM game WHERE status = 'finished'") > played
    room.assert_whole()


def test_after_the_close_the_final_is_played_and_the_server_ends(ladder_room: LadderRoom) -> None:
    room = ladder_room
    room.serve()
    for author in ("alice", "bob"):
        with room.submit(author) as submit:
            submit.communicate()
    room.wait_until_checked()
    assert arena("ladder", "close", cwd=room.folder).code == 0
    assert room.end() == 0
    assert room.printed[-1].endswith("the ladder; grade list: arena grades 'cs101 final'")
    assert room.rows("SELECT status FROM tournament WHERE name = 'cs101 final'") == [("finished",)]
    unfinished = "SELECT id FROM game WHERE status NOT IN ('finished', 'cancelled')"
    assert room.rows(unfinished) == []
