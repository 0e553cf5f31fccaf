"""The standing process: people first, what others change in the database, and the loss of any process."""

from __future__ import annotations

import json
import os
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
from msgspec import Struct
from msgspec.structs import replace

from agents.protocol import Verdict
from arena.history.words import moment
from arena.match.conditions import Conditions
from arena.match.schedule import Entrant, Finished, InOrder, Planned
from arena.play.director import Director
from arena.serve.challenges import Challenges
from arena.serve.intake import MOST_INTERRUPTIONS
from arena.serve.invited_games import FIRST_NUMBER, GameInvitation, InvitedGames, planned
from arena.serve.ladder_events import Happening, Notice, Rated, SubmissionChanged, SubmissionWatch
from arena.serve.messages import GameRecorded, Seat, WantGame
from arena.serve.open_ladders import OpenLadder, close, extend, updated
from arena.serve.priority_schedule import StandingSchedule
from arena.serve.serving import LadderParts, Serving
from arena.serve.submissions import take_in
from arena.walls.run_folder import RunFolder
from db import ladder
from db.ladder import SubmissionState
from db.records import GameKind, GameRecord
from tests.kit.arena_program import arena
from tests.kit.hand_in_room import CLOSES, HandInRoom, hand_in_room
from tests.kit.ladder_record import hand_in
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
        self.quarantined: list[str] = []
        self.left_out: dict[str, str] = {}
        self.is_closed = False
        self.opened: OpenLadder | None = None

    def reload(self) -> None:
        self.calls.append("reload")


class Rater:
    """The director's end of a rater or an intake that the test plays."""

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
        self.people = InvitedGames(hand_ins.database, pytest.fail, self.plan)
        self.guests = Guests()
        self.people.connect(self.guests.hear)
        self.checks, self.games = Queue(), Games()
        self.raters, self.intakes = list[Rater](), list[Rater]()
        self.happened: list[Happening] = []
        self.seconds = 0.0
        self.dated = Queue()
        challenges = Challenges(
            hand_ins.opened, hand_ins.database, lambda _: None, wait=pytest.fail, now=lambda: hand_ins.now
        )
        parts: Any = (self.people, self.checks, challenges, self.games, self.dated)
        with hand_ins.database.reading() as connection:
            submissions = SubmissionWatch(connection, hand_ins.opened.id)
        self.serving = Serving(
            hand_ins.opened,
            hand_ins.database,
            folder,
            LadderParts(*parts),
            submissions=submissions,
            start_rater=self.start_rater,
            start_intake=self.start_intake,
            tell=self.happened.append,
            now=lambda: hand_ins.now,
            clock=lambda: self.seconds,
        )

    def plan(self, wanted: WantGame, number: int) -> GameInvitation:
        return planned(wanted, self.serving.ladder, lambda _: None, number=number)

    def start_rater(self) -> Any:
        self.raters.append(Rater())
        return self.raters[-1]

    def start_intake(self) -> Any:
        self.intakes.append(Rater())
        return self.intakes[-1]

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
            room.guests.leave()
            room.serving.close()
            for process in (*room.raters, *room.intakes):
                process.end()
    assert room.checks.calls[-1] == "close"


def entrant(text: str) -> Entrant:
    return Entrant(text, text, ("-m", "agents", text, "--connect", "-"), source=text)


def game(*entrants: Entrant, number: int = 0) -> Planned:
    """One of the ladder."""
    identity = ("people", number)
    return Planned(
        number,
        "tictactoe",
        "tictactoe",
        entrants,
        1,
        identity,
        conditions=Conditions(clock="10+0.1", kind=GameKind.LADDER),
    )


WANTED = WantGame("k" * 20, "", "random", 0, "10+0.1")


def points_of(finished: Finished) -> tuple[float | None, ...]:
    return tuple(seat.points for seat in finished.record.seats)


class Guests:
    """Players that the test starts."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self.heard: list[Struct] = []

    def hear(self, message: Struct) -> None:
        """A guest takes its seat: it is invited."""
        self.heard.append(message)
        if isinstance(message, Seat):
            self._sit(message.address, message.token)

    def _sit(self, address: str, token: str) -> None:
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

    def beside(self) -> Planned | None:
        game = self.serving.beside() if self.left else None
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


def test_people_play_beside_all_others_and_their_games_are_recorded(room: Room) -> None:
    for number in (7, 8):
        room.games.append(game(entrant("random"), entrant("alphabeta:depth=2"), number=number))
    room.people.hear(WANTED)
    until = Until(room.serving, 3)
    room.serving.play(until, lambda _: nullcontext(), at_once=1)
    finished = {one.game.number: one for one in until.finished}
    assert finished.keys() == {7, 8, FIRST_NUMBER}
    record = finished[FIRST_NUMBER].record
    assert record.verdict == Verdict.NORMAL
    (id,) = room.people.ids
    plies = tuple((move.who, move.move) for move in record.moves)
    points = points_of(finished[FIRST_NUMBER])
    assert room.guests.heard[1:] == [GameRecorded(WANTED.key, id, "normal", None, points, "no move left", plies=plies)]
    assert room.raters[0].nudges == 2, "games with people are not rated"


def test_after_the_loss_of_a_referee_guests_are_invited_again_and_all_games_go_on(room: Room) -> None:
    room.people.hear(WANTED)
    directors: list[Director] = []

    @contextmanager
    def heard_by(director: Director) -> Iterator[None]:
        directors.append(director)
        yield

    def kill() -> None:
        if len(directors) == 1:
            directors[0]._crew.referee.kill()

    until = Until(room.serving, 1, then=kill)
    room.serving.play(until, heard_by, at_once=1)
    assert [type(one) for one in room.guests.heard].count(GameRecorded) == 1
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


def test_authors_who_handed_in_the_same_files_are_named_when_the_second_one_enters(room: Room) -> None:
    with room.hand_ins.database.writing() as connection:
        for name, source in (("alice", "a"), ("alice", "b"), ("bob", "b"), ("alice.two", "a"), ("cid", "c")):
            hand_in(connection, room.hand_ins.opened, name, source)
    notices = [one.text for one in room.look() if isinstance(one, Notice)]
    assert notices == ["alice and bob handed in the same files (version 2 and version 1)"]
    with room.hand_ins.database.writing() as connection:
        hand_in(connection, room.hand_ins.opened, "dan", "b")
        hand_in(connection, room.hand_ins.opened, "cid", "d")
    notices = [one.text for one in room.look() if isinstance(one, Notice)]
    assert notices == ["alice, bob and dan handed in the same files (version 2, version 1 and version 1)"]


def test_at_the_close_no_pair_begins_and_the_parts_know_it(room: Room) -> None:
    room.hand_ins.now = CLOSES - timedelta(days=1)
    assert room.look() == []
    with room.hand_ins.database.writing() as connection:
        closed = close(connection, room.hand_ins.opened, room.hand_ins.now)
    (notice,) = room.look()
    assert isinstance(notice, Notice)
    assert notice.text == "the ladder is closed; the pairs in progress are finished, then the final is played"
    assert room.games.is_closed
    assert [one.closes for one in room.checks.looked_at] == [CLOSES, closed.closes]
    assert room.look() == []


def test_at_the_close_an_extension_is_named_for_which_the_final_waits(room: Room) -> None:
    until = CLOSES + timedelta(days=2)
    with room.hand_ins.database.writing() as connection:
        extend(connection, room.hand_ins.opened, "alice", until, reason="ill", now=CLOSES)
    room.hand_ins.now = CLOSES
    (notice,) = room.look()
    assert isinstance(notice, Notice)
    assert f"after the last extension, which ends at {moment(until)}, the final is played" in notice.text


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


def test_an_intake_is_started_for_the_first_upload_and_nudged_while_uploads_wait(room: Room) -> None:
    room.hand_ins.receive(room.hand_ins.file(1), "bob")
    room.look()
    assert room.intakes == []
    one = room.hand_ins.upload(b"class Mine: ...")
    room.look()
    (intake,) = room.intakes
    assert intake.nudges == 1
    room.look()
    assert intake.nudges == 2
    with room.hand_ins.database.writing() as connection:
        take_in(connection, room.hand_ins.opened, one.id, "0" * 64, "", one.received)
    intake.test.send(b".")
    room.serving._intake.heard()
    looked = len(room.checks.looked_at)
    assert room.serving.next() is None
    assert len(room.checks.looked_at) == looked + 1, "it looks at once"
    room.look()
    assert intake.nudges == 2
    intake.test.close()
    room.serving._intake.heard()
    room.hand_ins.upload(b"class Other: ...")
    room.look()
    assert len(room.intakes) == 1, "it ended soon after its start"
    room.seconds += 11
    room.look()
    assert [each.nudges for each in room.intakes] == [2, 1]


def test_the_instructor_hears_of_an_upload_during_which_the_server_was_killed_again_and_again(room: Room) -> None:
    one, other = room.hand_ins.upload(b"class Mine: ..."), room.hand_ins.upload(b"class Other: ...", "bob")
    with room.hand_ins.database.writing() as connection:
        for id, times in ((one.id, MOST_INTERRUPTIONS), (other.id, MOST_INTERRUPTIONS - 1)):
            ladder.change_submission(connection, id, one.state, one.received, interruptions=times)
    assert [happening.text for happening in room.look() if isinstance(happening, Notice)] == [
        "submission 1 of alice (my_agent.py): the server ended 3 times while it opened this upload; it is opened last"
    ]
    assert len(room.intakes) == 1


@pytest.mark.journey
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


@pytest.mark.costly
def test_an_upload_plays_whatever_is_killed_before_it_is_opened(ladder_room: LadderRoom) -> None:
    room = ladder_room
    room.serve()
    assert room.upload("alice").source is None
    room.wait_for(lambda line: "alice" in line and "entered" in line)
    os.kill(room.awaited("serve.intake"), signal.SIGKILL)
    room.wait_for(lambda line: "the intake was killed by SIGKILL; a new one continues" in line)
    room.upload("bob")
    room.upload("carol", code="")
    room.kill(group=True)
    room.serve()
    room.wait_until_checked()
    assert room.stop() == 0
    room.assert_whole()
    states = room.rows("SELECT author, state FROM submission ORDER BY id")
    assert states == [("alice", "entered"), ("bob", "entered"), ("carol", "failed")]


@pytest.mark.costly
def test_after_the_close_the_final_is_played_and_the_server_ends(ladder_room: LadderRoom) -> None:
    room = ladder_room
    room.serve()
    for author in ("alice", "bob"):
        with room.submit(author) as submit:
            submit.communicate()
    room.wait_until_checked()
    assert arena("ladder", "close", cwd=room.folder).code == 0
    assert room.end() == 0
    assert room.printed[-1].endswith("the ladder; grade list: arena course grades 'cs101 final'")
    assert room.rows("SELECT status FROM tournament WHERE name = 'cs101 final'") == [("finished",)]
    unfinished = "SELECT id FROM game WHERE status NOT IN ('finished', 'cancelled')"
    assert room.rows(unfinished) == []
