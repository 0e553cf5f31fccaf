"""Checks of what was handed in: real ones with a real director, and thousands with interruptions at random."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace as changed

from arena.errors import RefereeLost
from arena.match.allowance import WallKind
from arena.match.schedule import Began, Entrant, Finished, Planned
from arena.play.director import Director
from arena.serve import checks
from arena.serve.checks import FIRST_NUMBER, MOST_INTERRUPTIONS, Checks
from arena.serve.submissions import take_in
from arena.student.checking import CheckStep, Exam, Light, StepName
from arena.student.checking.check_maker import Candidate, RunningCheck
from arena.student.checking.steps import GameBatch, GameRequests
from arena.walls.run_folder import RunFolder
from db import ladder, running, store
from db.errors import Busy
from db.ladder import StoredSubmission, SubmissionState, author_of
from db.records import GameRecord, ScheduledGame, SeatRecord
from tests.kit import needs
from tests.kit.effort import tries
from tests.kit.hand_in_room import AGENT, OPENS, HandInRoom, hand_in_room
from tests.kit.places import ROOT

WRONG_MOVE = AGENT.replace("state.moves()[0]", "'nonsense'")


@pytest.fixture
def room(tmp_path: Path) -> Iterator[HandInRoom]:
    room = hand_in_room(tmp_path)
    with room.database:
        yield room


def no_wait(reason: str) -> None:
    raise AssertionError(reason)


def new_checks(room: HandInRoom, scratch: Path, **callbacks: Any) -> Checks:
    return Checks(
        *(room.opened, room.database, room.store), scratch=scratch, wait=no_wait, now=lambda: room.now, **callbacks
    )


def play_all(room: HandInRoom, **callbacks: Any) -> list[StoredSubmission]:
    """Play the checks of everything that was received, with real processes. Returns the rows of submissions in their
    check, as they were when games began and ended."""
    seen: list[StoredSubmission] = []
    with RunFolder() as folder, Director(folder, at_once=2) as director:
        schedule = new_checks(room, folder.scratch, **callbacks)
        for event in director.play(schedule):
            if isinstance(event, Began):
                schedule.began(event.game)
            seen += [one for one in room.rows() if one.state is SubmissionState.CHECKING]
        schedule.close()
    return seen


# Real checks.


def test_the_command_that_repeats_a_check_runs_a_program_in_another_language(tmp_path: Path) -> None:
    needs.program("node")
    room = hand_in_room(tmp_path, game="connect4", more="[languages.js]\n")
    with room.database:
        room.receive(room.file(1, code="process.exit(1)", name="player.js"), "alice")
        play_all(room)
        (row,) = room.rows()
        assert row.state == "failed"
        assert row.steps[1]["again"] == "arena check player.js --game connect4 --clock 5+0.1"


@pytest.mark.costly
def test_an_agent_that_passes_plays_and_one_that_does_not_is_told_why(room: HandInRoom) -> None:
    good = room.receive(room.file(1), "alice")
    wrong = room.receive(room.file(2, code=WRONG_MOVE), "bob")
    broken = room.receive(room.file(3, code="def choose(:"), "carol")
    of_another_game = room.receive(room.file(4, code=AGENT.replace("()[0]", "()[0].row")), "dora")
    entered: list[StoredSubmission] = []
    seen = play_all(room, entered=entered.append)
    rows = {one.id: one for one in room.rows()}
    assert any(0 < len(one.steps) < len(rows[good.id].steps) for one in seen if one.id == good.id)
    assert rows[good.id].state == "entered"
    assert [one.id for one in entered] == [good.id]
    assert [step["name"] for step in rows[good.id].steps][:4] == [
        "found and importable", "starts in time", "says ready", "legal moves",
    ]  # fmt: skip
    assert "ready within" in rows[good.id].steps[1]["told"]
    assert rows[wrong.id].state == rows[broken.id].state == rows[of_another_game.id].state == "failed"
    assert rows[wrong.id].words.startswith("legal moves: ")
    assert rows[broken.id].words.startswith("found and importable: ")
    assert all(one.words.isprintable() for one in rows.values())
    with room.database.reading() as connection:
        entries = {entry.name: entry for entry in running.entries(connection, room.opened.id)}
    assert entries.keys() == {"random", "alice"}
    assert (entries["alice"].version, entries["alice"].source) == (rows[good.id].version, good.source)
    assert entries["alice"].started_as == "my_agent.py"


def test_an_agent_in_another_language_is_built_checked_and_entered(tmp_path: Path) -> None:
    needs.program("node")
    room = hand_in_room(tmp_path, game="connect4", more="[languages.js]\n")
    with room.database:
        program = room.file(1, code=(ROOT / "arena/student/starters/bare.js").read_text(), name="player.js")
        assert room.receive(program).state == "received"
        play_all(room)
        (one,) = room.rows()
        assert one.state == "entered", one.words
        with room.database.reading() as connection:
            (entry,) = (each for each in running.entries(connection, room.opened.id) if each.name == "alice")
        assert entry.started_as == "cmd:node ./agent.js"


@pytest.mark.costly
def test_a_fork_bomb_fails_its_check_and_others_do_not_notice(room: HandInRoom) -> None:
    bomb = AGENT.replace("return", "import os\n        while True:\n            os.fork()\n        return")
    room.receive(room.file(1, code=bomb), "alice")
    room.receive(room.file(2), "bob")
    play_all(room)
    assert [(one.author, one.state) for one in room.rows()] == [("alice", "failed"), ("bob", "entered")]


def test_a_submission_whose_files_are_gone_fails_with_words(room: HandInRoom) -> None:
    one = room.receive(room.file())
    room.store.folder.rename(room.folder / "moved.store")
    play_all(room)
    assert [(each.id, each.state, each.words) for each in room.rows()] == [
        (one.id, "failed", "found and importable: its files are not in the store; hand it in again")
    ]


RULES = """
from adsearch import State

class Failing(State):
    def __init__(self, plies=0):
        self.plies = plies
        self.turn = plies % 2 if plies < 4 else None
    def moves(self):
        return (1, 2) if self.plies < 4 else ()
    def play(self, move):
        return Failing(self.plies + 1)
    def utilities(self):
        return (1, -1)
    def position(self):
        return str(self.plies)
    @classmethod
    def load(cls, text):
        return cls(int(text))
"""


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(RULES.replace("return (1, -1)", "raise ZeroDivisionError"), id="in the referee"),
        pytest.param(RULES.replace("return (1, 2)", "return (1, 2) if self.plies < 2 else 1 / 0"), id="in the server"),
    ],
)
def test_rules_that_fail_end_the_check_with_words_and_the_server_goes_on(tmp_path: Path, broken: str) -> None:
    (tmp_path / "failing.py").write_text(broken, "utf-8")
    room = hand_in_room(tmp_path, game="failing.py")
    with room.database:
        room.receive(room.file(1), "alice")
        room.receive(room.file(2), "bob")
        play_all(room)
        rows = room.rows()
    assert [one.state for one in rows] == ["failed", "failed"]
    for one in rows:
        assert ": this is not a fault of the agent: the rules failed: ZeroDivisionError" in one.words
        assert "(failing.py, line" in one.words
        assert one.words.endswith("; ask your instructor, who can correct the rules of the game")


# Checks that a stand-in makes: a game or two, and their result is known beforehand.


class _Maker:
    """Makes checks of two games; an agent whose file is called bad.py fails."""

    confinement = SimpleNamespace(warnings=())

    def __init__(self, *_: object, numbers: Iterator[int]) -> None:
        self._numbers = numbers

    def check(self, place: int, candidate: Candidate) -> RunningCheck:
        running = RunningCheck(place, candidate)
        running.requests = self._requests(candidate, running)
        return running

    def _requests(self, candidate: Candidate, running: RunningCheck) -> GameRequests:
        light = Light.FAILED if candidate.text == "bad.py" else Light.GOOD
        for name in (StepName.FOUND, StepName.LEGAL):
            entrant = Entrant(candidate.name, candidate.name)
            yield GameBatch([Planned(next(self._numbers), "nap", "nap", (entrant,), 0, ("check",))])
            running.report(CheckStep(name=name, light=light, seconds=0.0))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "CheckMaker", _Maker)


def over(room: HandInRoom, game: Planned) -> Finished:
    seats = (SeatRecord(0, game.entrants[0].name, points=0.5, utility=0.0, spent=0, longest=0),)
    return Finished(game, GameRecord(game.number, "normal", None, "", seats, (), lag=0), room.now, room.now)


def play_out(room: HandInRoom, schedule: Checks) -> list[str]:
    """Play until nothing is left; the names of the agents in the order of their games."""
    played = []
    while (game := schedule.next()) is not None:
        played.append(game.entrants[0].name)
        schedule.note(over(room, game))
    return played


@pytest.mark.usefixtures("quick")
def test_authors_take_turns(tmp_path: Path) -> None:
    room = hand_in_room(tmp_path, agents=5)
    with room.database:
        for number in range(5):
            room.receive(room.file(number), "alice", agent=f"a{number}")
        room.receive(room.file(8), "bob")
        room.receive(room.file(9), "carol")
        schedule = new_checks(room, tmp_path)
        order = list(dict.fromkeys(play_out(room, schedule)))
    # Five submissions by one author delay each of the others by one check.
    assert order == ["alice.a0", "bob", "carol", "alice.a1", "alice.a2", "alice.a3", "alice.a4"]


@pytest.mark.usefixtures("quick")
def test_two_checks_of_one_author_never_run_at_the_same_time(tmp_path: Path) -> None:
    room = hand_in_room(tmp_path, agents=2)
    with room.database:
        for agent in ("", "second"):
            room.receive(room.file(), "alice", agent=agent)
        room.receive(room.file(), "bob")
        schedule = new_checks(room, tmp_path)
        playing = [schedule.next(), schedule.next(), schedule.next()]
    assert [game and game.entrants[0].name for game in playing] == ["alice", "bob", None]
    assert [game.number >= FIRST_NUMBER for game in playing if game] == [True, True]


@pytest.mark.usefixtures("quick")
def test_a_new_version_plays_at_once_and_cancels_what_its_old_one_had_not_begun(room: HandInRoom) -> None:
    tournament = room.opened.id

    def game(version: int, leg: int) -> ScheduledGame:
        return ScheduledGame(round=1, pair="a pair", leg=leg, game="nap", seats=((version, "alice"), (1, "random")))

    room.receive(room.file(1))
    schedule = new_checks(room, room.folder)
    play_out(room, schedule)
    version = room.rows()[0].version
    assert version is not None
    with room.database.writing() as connection:
        waiting, begun = store.schedule(connection, tournament, [game(version, 0), game(version, 1)])
        store.begin(connection, begun, OPENS)
        store.set_entry_status(connection, tournament, "alice", "quarantined")
    room.receive(room.file(2))
    schedule.look(room.opened)
    play_out(room, schedule)
    assert [one.state for one in room.rows()] == ["entered", "entered"]
    with room.database.reading() as connection:
        (line,) = (line for line in ladder.standings(connection, tournament) if line.name == "alice")
        games = {one.id: one.status for one in running.outcomes(connection, tournament)}
    assert (line.number, line.status) == (2, "active")
    assert games == {waiting: "cancelled", begun: "playing"}


@pytest.mark.usefixtures("quick")
def test_a_new_submission_is_seen_at_the_next_look(room: HandInRoom) -> None:
    schedule = new_checks(room, room.folder)
    assert schedule.next() is None
    room.receive(room.file(1), "alice")
    assert schedule.next() is None
    schedule.look(room.opened)
    assert play_out(room, schedule) == ["alice", "alice"]


@pytest.mark.usefixtures("quick")
def test_an_upload_waits_until_it_is_opened_and_replaces_nothing_before(room: HandInRoom) -> None:
    first = room.receive(room.file(1), "alice")
    schedule = new_checks(room, room.folder)
    assert schedule.next() is not None
    upload, other = room.upload(b"x"), room.upload(b"y", "bob")
    with room.database.reading() as connection:
        assert [ladder.ahead_of(connection, one) for one in (first, upload, other)] == [0, 1, 2]
    schedule = new_checks(room, room.folder)  # the server was killed
    assert [(one.state, one.interruptions) for one in room.rows()] == [
        ("received", 1),
        ("received", 0),
        ("received", 0),
    ]
    assert play_out(room, schedule) == ["alice", "alice"]
    assert [one.state for one in room.rows()] == ["entered", "received", "received"]
    other_source = room.receive(room.file(2), "carol").source
    with room.database.writing() as connection:
        take_in(connection, room.opened, upload.id, other_source, "", room.now)
    schedule.look(room.opened)
    assert sorted(play_out(room, schedule)) == ["alice", "alice", "carol", "carol"]


@pytest.mark.usefixtures("quick")
def test_a_check_has_the_conditions_of_its_time(room: HandInRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Exam] = []

    def maker(exam: Exam, *_: object, numbers: Iterator[int]) -> _Maker:
        made.append(exam)
        return _Maker(numbers=numbers)

    monkeypatch.setattr(checks, "CheckMaker", maker)
    schedule = new_checks(room, room.folder)
    schedule.look(room.opened)
    league = room.opened.ladder.league
    league = replace(league, conditions=changed(league.conditions, walls=WallKind.LIMITS))
    schedule.look(changed(room.opened, ladder=changed(room.opened.ladder, league=league)))
    assert [one.conditions.walls for one in made] == [None, WallKind.LIMITS]
    room.receive(room.file())
    assert play_out(room, schedule) == ["alice", "alice"]


@pytest.mark.usefixtures("quick")
def test_a_submission_during_whose_check_the_server_is_killed_is_checked_last_and_never_fails(room: HandInRoom) -> None:
    room.receive(room.file(1), "alice")
    for number in range(1, 2 * MOST_INTERRUPTIONS):
        schedule = new_checks(room, room.folder)
        room.now += timedelta(minutes=2)
        assert schedule.next() is not None
        schedule = new_checks(room, room.folder)
        assert [(one.state, one.interruptions) for one in room.rows()] == [("received", number)]
        assert len(schedule.warnings) == (number >= MOST_INTERRUPTIONS)
    assert schedule.warnings == [
        "submission 1 of alice (my_agent.py): the server ended 5 times during its check; "
        "it is checked after all others, 2 minutes after the start"
    ]
    room.receive(room.file(2), "bob")
    room.receive(room.file(3), "carol")
    schedule.look(room.opened)
    assert sorted(play_out(room, schedule)) == ["bob", "bob", "carol", "carol"]
    room.receive(room.file(4), "dora")
    room.now += timedelta(minutes=2)
    schedule.look(room.opened)
    assert play_out(room, schedule) == ["dora", "dora", "alice", "alice"]
    assert {one.state for one in room.rows()} == {"entered"}


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("outside", [None, RefereeLost("killed"), Busy("locked")])
def test_a_submission_during_whose_check_the_server_ends_twice_by_an_error_fails_alone(
    outside: Exception | None, room: HandInRoom
) -> None:
    room.receive(room.file(1), "alice")
    room.receive(room.file(2), "bob")
    schedule = new_checks(room, room.folder)
    assert [schedule.next(), schedule.next()].count(None) == 0
    schedule.ends_by = ValueError("no such move")
    schedule.close()
    for error in (outside, ValueError("no such move")):
        schedule = new_checks(room, room.folder)
        game = schedule.next()
        assert game is not None
        assert game.entrants[0].name == "alice"
        assert schedule.next() is None  # bob waits until she is checked
        assert room.rows()[0].words == (
            "the server of the ladder ended by an error during this check, so it is checked again"
        )
        if error is not None:  # else it is killed without a word
            schedule.ends_by = error
            schedule.close()
    schedule = new_checks(room, room.folder)
    alice, _ = room.rows()
    assert alice.state == "failed"
    assert alice.words.startswith("the server of the ladder ended by an error twice during this check")
    assert play_out(room, schedule) == ["bob", "bob"]
    assert (room.rows()[1].state, room.rows()[1].words) == ("entered", "")


@pytest.mark.usefixtures("quick")
def test_ctrl_c_and_lost_referees_do_not_count_against_a_submission(room: HandInRoom) -> None:
    room.receive(room.file())
    for _ in range(2 * MOST_INTERRUPTIONS):
        schedule = new_checks(room, room.folder)
        assert schedule.next() is not None
        schedule.interrupted()
        assert schedule.next() is not None
        schedule.close()
    assert [(one.state, one.interruptions) for one in room.rows()] == [("received", 0)]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("seed", range(tries(5, soak=500)))
def test_whatever_is_killed_every_submission_reaches_its_end(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    room = hand_in_room(tmp_path, agents=2)
    numbers = count(1)
    with room.database:
        schedule, playing = new_checks(room, tmp_path), list[Planned]()
        for _ in range(60):
            match random.choice(("submit", "submit", "next", "next", "note", "note", "note", "kill", "referee")):
                case "submit":
                    name = random.choice(("good.py", "good.py", "bad.py"))
                    path = room.file(next(numbers), name=name)
                    room.receive(path, random.choice("abc"), agent=random.choice(("", "x")))
                    schedule.look(room.opened)
                case "next" if len(playing) < 3 and (game := schedule.next()) is not None:
                    playing.append(game)
                case "note" if playing:
                    schedule.note(over(room, playing.pop(random.randrange(len(playing)))))
                case "kill":  # without a word: only what is in the database is left
                    schedule, playing = new_checks(room, tmp_path), []
                case "referee":
                    schedule.interrupted()
                    playing.clear()
            check_rows(room, playing)
        for game in playing:
            schedule.note(over(room, game))
        play_out(room, schedule)
        room.now += timedelta(minutes=2)
        schedule.look(room.opened)
        play_out(room, schedule)
        rows = room.rows()
        assert all(one.state.is_final for one in rows)
        check_entries(room, rows)


def check_rows(room: HandInRoom, playing: list[Planned]) -> None:
    """At most one check an author, at most one submission that waits for it an agent."""
    states = [(one.state, one.author) for one in room.rows()]
    checking = Counter(author_of(name) for state, name in states if state is SubmissionState.CHECKING)
    waiting = Counter(name for state, name in states if state is SubmissionState.RECEIVED)
    assert not checking or max(checking.values()) == 1
    assert not waiting or max(waiting.values()) == 1
    assert {author_of(game.entrants[0].name) for game in playing} <= checking.keys()


def check_entries(room: HandInRoom, rows: list[StoredSubmission]) -> None:
    """Each agent plays with the newest submission that passed, and with no other. No good one fails."""
    newest = {one.author: one for one in rows if one.state is SubmissionState.ENTERED}
    assert all(one.label == "good.py" for one in newest.values())
    failed = [one for one in rows if one.state is SubmissionState.FAILED]
    assert all(one.label == "bad.py" for one in failed)
    with room.database.reading() as connection:
        lines = {line.name: line for line in ladder.standings(connection, room.opened.id) if line.name != "random"}
    assert {name: line.version for name, line in lines.items()} == {name: one.version for name, one in newest.items()}
    assert {name: line.source for name, line in lines.items()} == {name: one.source for name, one in newest.items()}
