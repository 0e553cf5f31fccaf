"""Tournaments of a ladder begin at their time with the versions of then, once, and are played to their end."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from agents.protocol import Verdict
from arena.errors import BadFixture
from arena.match.openings import Book
from arena.match.schedule import Finished, Planned
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.serve.open_ladders import close, opened, updated
from arena.serve.timed_tournaments import TimedTournaments
from arena.tournament.lock import running_in, tournament_lock
from arena.walls.run_folder import RunFolder
from db import ladder as rows
from db import running, store
from db.database import Database
from db.ladder import SubmissionState
from db.records import GameRecord, MoveRecord, SeatRecord
from tests.kit.built_agent import LANGUAGES, built_agent
from tests.kit.effort import tries
from tests.kit.ladder_record import CLOSES, DESCRIPTION, OPENED, STUDENTS, hand_in, open_ladder

FRIDAY = OPENED + timedelta(days=4)
DESCRIBED = f"""{DESCRIPTION}
[ladder.final]
rounds = 2

[[ladder.tournament]]
name = "friday"
starts = {FRIDAY:%Y-%m-%dT%H:%M:%SZ}
format = "swiss"
rounds = 3
"""


def finished(game: Planned) -> Finished:
    """The game as a referee would report it: the first seat wins."""
    seats = tuple(SeatRecord(seat, entrant.name, 1.0 - seat, None, 0, 0) for seat, entrant in enumerate(game.entrants))
    record = GameRecord(game.number, Verdict.NORMAL, None, "", seats, (MoveRecord(1, 0, "a1", 0, 0, 0),), 0)
    return Finished(game, record, OPENED, OPENED)


class Room:
    """A ladder, the clock, and runs of its tournaments without processes."""

    def __init__(self, folder: Path, run_folder: RunFolder) -> None:
        self.now = OPENED
        self.ladder_is_over = True
        self.said: list[str] = []
        self.run_folder = run_folder
        self.database = Database(str(folder / "arena.db"))
        self.store = Store(folder / "arena.store")
        with self.database.writing() as connection:
            self.ladder = open_ladder(connection, folder, DESCRIBED)

    def hand_in(self, *authors: str, source: str = "random", started_as: str | None = None) -> None:
        with self.database.writing() as connection:
            for author in authors:
                hand_in(connection, self.ladder, author, source, self.now, started_as=started_as)

    @contextmanager
    def run(self) -> Iterator[TimedTournaments]:
        """A run that is closed at its end."""
        dated = self.begin()
        try:
            yield dated
        finally:
            dated.close()

    def begin(self, **more: Any) -> TimedTournaments:
        return TimedTournaments(
            *(self.ladder, self.database, self.store, self.run_folder, pytest.fail, lambda: self.now),
            ladder_is_over=lambda: self.ladder_is_over,
            say=self.said.append,
            **more,
        )

    def next_of(self, dated: TimedTournaments) -> Planned | None:
        """The next game, after a look at the database."""
        with self.database.reading() as connection:
            dated.look(opened(connection, "cs101"))
        return dated.next()

    def play_all(self, dated: TimedTournaments) -> int:
        """Plays one game after the other, after a look at the database; how many."""
        with self.database.reading() as connection:
            dated.look(opened(connection, "cs101"))
        return play_all(dated)

    def entries(self, tournament: str) -> dict[str, str]:
        """The agents of the tournament, with their sources; none if there is no such tournament."""
        with self.database.reading() as connection:
            row = running.tournament(connection, tournament)
            found = [] if row is None else running.entries(connection, row["id"])
            return {entered.name: entered.source for entered in found}

    def games(self, tournament: str) -> Counter[tuple[str, int, str]]:
        """Pair, leg and status of each game."""
        with self.database.reading() as connection:
            row = running.tournament(connection, tournament)
            assert row is not None
            return Counter((one.pair, one.leg, one.status) for one in running.outcomes(connection, row["id"]))


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with RunFolder() as run_folder:
        room = Room(tmp_path, run_folder)
        with room.database:
            yield room


def play_all(dated: TimedTournaments) -> int:
    """Plays one game after the other; how many."""
    number = 0
    while (game := dated.next()) is not None:
        dated.note(finished(game))
        number += 1
    return number


def test_a_tournament_begins_at_its_time_with_the_versions_of_then(room: Room) -> None:
    room.hand_in(*STUDENTS)
    with room.run() as dated:
        room.now = FRIDAY - timedelta(seconds=1)
        assert room.next_of(dated) is None
        room.hand_in("alice", source="alphabeta:depth=2")
        room.now = FRIDAY + timedelta(seconds=2)
        game = room.next_of(dated)
        assert game is not None
        room.hand_in("alice", "dave", source="mcts")
        dated.note(finished(game))
        room.play_all(dated)
    assert room.entries("cs101 friday") == {"alice": "alphabeta:depth=2", "bob": "random", "carol": "random"}
    assert {status for _, _, status in room.games("cs101 friday")} == {"finished"}
    assert room.said == [
        "the tournament 'cs101 friday' is being played: 3 agents, 0 of 6 games are over",
        "the tournament 'cs101 friday' is over; its results: arena results 'cs101 friday'",
    ]
    with room.run() as dated:
        assert room.next_of(dated) is None  # it is over, and the final has not begun
    assert room.entries("cs101 final") == {}


def test_a_version_in_a_tournament_is_the_version_of_the_ladder(room: Room, tmp_path: Path) -> None:
    (tmp_path / "alice.py").write_text("from agents import Agent\n", "utf-8")
    submission = room.store.take(read_player(str(tmp_path / "alice.py")))
    with room.database.writing() as connection:
        version = hand_in(connection, room.ladder, "alice", submission.hash, started_as="alice.py")
    room.hand_in("bob")
    room.now = FRIDAY
    with room.run() as dated:
        assert room.next_of(dated) is not None
        with room.database.reading() as connection:
            row = running.tournament(connection, "cs101 friday")
            assert row is not None
            assert {one.name: one.version for one in running.entries(connection, row["id"])}["alice"] == version


def test_withdrawn_agents_stay_out_and_those_that_were_put_aside_take_part(room: Room) -> None:
    room.hand_in(*STUDENTS)
    with room.database.writing() as connection:
        store.set_entry_status(connection, room.ladder.id, "alice", "withdrawn")
        store.set_entry_status(connection, room.ladder.id, "bob", "quarantined")
    room.now = FRIDAY
    with room.run() as dated:
        room.play_all(dated)
    assert [*room.entries("cs101 friday")] == ["bob", "carol"]


def test_a_tournament_waits_for_two_agents(room: Room) -> None:
    room.hand_in("alice")
    room.now = FRIDAY
    with room.run() as dated:
        assert room.next_of(dated) is None
        assert room.entries("cs101 friday") == {}
        room.hand_in("bob")
        room.now += timedelta(seconds=2)
        assert room.next_of(dated) is not None


def test_the_final_waits_for_extensions_and_for_the_last_checks(room: Room) -> None:
    room.hand_in(*STUDENTS)
    until = CLOSES + timedelta(days=1)
    with room.database.writing() as connection:
        for end in (until + timedelta(days=5), until):  # the last one holds
            rows.extend(connection, room.ladder.id, "bob", end, reason="ill", now=OPENED)
    with room.run() as dated:
        room.now = until - timedelta(seconds=1)
        room.play_all(dated)
        assert room.entries("cs101 final") == {}
        with room.database.writing() as connection:
            waiting = rows.add_submission(
                connection,
                room.ladder.id,
                "bob",
                label="bob.py",
                source=None,
                state=SubmissionState.RECEIVED,
                words="",
                now=room.now,
            )
        room.now = until + timedelta(seconds=2)
        assert room.next_of(dated) is None, "it is not opened yet"
        with room.database.writing() as connection:
            state = SubmissionState.RECEIVED
            rows.change_submission(connection, waiting, state, room.now, source="random")
        room.now += timedelta(seconds=2)
        assert room.next_of(dated) is None
        with room.database.writing() as connection:
            rows.change_submission(connection, waiting, SubmissionState.FAILED, room.now, words="no")
        room.now += timedelta(seconds=2)
        assert room.play_all(dated) == 12
        assert dated.is_over
    assert [*room.entries("cs101 final")] == ["alice", "bob", "carol"]


def test_the_final_waits_for_uploads_that_began_before_the_close(room: Room) -> None:
    room.hand_in("alice", "bob")
    for extension in (None, timedelta(days=2)):
        end = CLOSES + (extension or timedelta(0))
        if extension is not None:
            with room.database.writing() as connection:
                rows.extend(connection, room.ladder.id, "alice", end, reason="was ill", now=OPENED)
        dated = room.begin(uploads_end_after=timedelta(seconds=90))
        room.now = end + timedelta(seconds=89)
        play_all(dated)  # friday's
        assert room.next_of(dated) is None
        dated.close()
    room.now = end + timedelta(seconds=90)
    dated = room.begin(uploads_end_after=timedelta(seconds=90))
    assert room.next_of(dated) is not None
    dated.close()


def test_a_ladder_that_is_closed_early_has_its_final_at_once(room: Room) -> None:
    room.hand_in("alice", "bob")
    with room.run() as dated:
        assert room.next_of(dated) is None
        with room.database.writing() as connection:
            close(connection, room.ladder, room.now)
        room.now += timedelta(seconds=2)
        assert room.play_all(dated) == 4


def test_the_final_waits_for_the_last_pairs_of_the_ladder(room: Room) -> None:
    room.hand_in("alice", "bob")
    room.now, room.ladder_is_over = CLOSES, False
    with room.run() as dated:
        room.play_all(dated)
        assert room.entries("cs101 final") == {}
        room.ladder_is_over = True
        room.now += timedelta(seconds=2)
        assert not dated.is_over
        assert room.play_all(dated) == 4
        assert dated.is_over


def test_a_tournament_that_another_process_runs_is_tried_again(room: Room) -> None:
    room.hand_in("alice", "bob")
    room.now = FRIDAY
    with room.run() as dated:
        with tournament_lock(room.store.folder, "cs101 friday"):
            for _ in range(2):
                assert room.next_of(dated) is None
                room.now += timedelta(seconds=2)
            (said,) = room.said
            assert said.startswith("the tournament 'cs101 friday' cannot be played now, it is tried again: another ")
        assert room.next_of(dated) is not None


def test_a_tournament_whose_agents_cannot_be_read_is_tried_again(room: Room, tmp_path: Path) -> None:
    (tmp_path / "alice.py").write_text("from agents import Agent\n", "utf-8")
    source = room.store.take(read_player(str(tmp_path / "alice.py"))).hash
    room.hand_in("bob")
    room.hand_in("alice", source=source, started_as="alice.py")
    room.now = FRIDAY
    folder = room.store.folder / source
    folder.chmod(0o700)
    folder.rename(tmp_path / "gone")
    with room.run() as dated:
        for _ in range(2):
            assert room.next_of(dated) is None
            room.now += timedelta(seconds=2)
        (said,) = room.said
        assert "cannot be played now, it is tried again: 'alice@1'" in said
        (tmp_path / "gone").rename(folder)
        assert room.next_of(dated) is not None


def test_agents_in_other_languages_have_the_walls_and_limits_of_their_language(room: Room, tmp_path: Path) -> None:
    source, started_as = built_agent(room.store, tmp_path)
    with room.database.writing() as connection:
        described = replace(room.ladder.ladder, languages=LANGUAGES)
        room.ladder = updated(connection, described, rules=room.ladder.rules, now=room.now)
    room.hand_in("bob")
    room.hand_in("alice", source=source, started_as=started_as)
    room.now = FRIDAY
    with room.run() as dated:
        assert room.next_of(dated) is not None
        listed = {one.name: (one.walls, one.allowance) for one in dated._running[0].tournament.league.agents}
    assert listed == {"alice": (LANGUAGES["sh"].walls, LANGUAGES["sh"].allowance), "bob": (None, None)}


def test_a_game_whose_rules_fail_stays_void_and_the_tournament_goes_on(room: Room) -> None:
    room.hand_in(*STUDENTS)
    room.now = FRIDAY
    with room.run() as dated:
        game = room.next_of(dated)
        assert game is not None
        over = finished(game)
        broken = replace(over.record, verdict=Verdict.VOID, detail="the rules failed: ZeroDivisionError")
        dated.note(dataclasses.replace(over, record=broken))
        room.play_all(dated)
    statuses = Counter(status for _, _, status in room.games("cs101 friday").elements())
    assert statuses == {"void": 1, "finished": 5}
    assert room.said[-1].startswith("the tournament 'cs101 friday' is over")


def test_after_a_restart_games_that_stayed_void_are_played_once_more_and_named(room: Room) -> None:
    room.hand_in(*STUDENTS)
    room.now = FRIDAY
    numbers = set[tuple[object, ...]]()
    with room.run() as dated:
        while len(numbers) < 2:
            game = room.next_of(dated)
            assert game is not None
            numbers.add((game.identity, game.leg))
            lost = replace(finished(game).record, verdict=Verdict.VOID, detail="its processes were killed")
            void = game.attempt <= 3 and len(numbers) == 1
            dated.note(dataclasses.replace(finished(game), record=lost) if void else finished(game))
    with room.run() as dated:
        room.play_all(dated)
    again = [line for line in room.said if line.startswith("played once more")]
    assert again == ["played once more, because the server failed: 1 game (cs101 friday-1)"]
    assert {status for _, _, status in room.games("cs101 friday")} == {"finished"}


def test_rules_that_fail_in_openings_end_no_tournament_and_are_reported_once(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a swiss tournament the next openings are drawn while a result is recorded."""

    def fails(*_: object) -> tuple[str, ...]:
        raise BadFixture("the rules failed: ZeroDivisionError, in an opening")

    room.hand_in(*STUDENTS, "dave")
    room.now = FRIDAY
    with room.run() as dated:
        game = room.next_of(dated)
        assert game is not None
        monkeypatch.setattr(Book, "opening", fails)
        dated.note(finished(game))
        room.play_all(dated)
        room.now = CLOSES
        room.play_all(dated)
        assert dated.is_over
    assert [text for text in room.said if "opening" in text] == [
        f"games of 'cs101 {name}' start without an opening: the rules failed: ZeroDivisionError, in an opening"
        for name in ("friday", "final")
    ]
    assert {status for _, _, status in room.games("cs101 final")} == {"finished"}


def test_others_learn_where_a_tournament_is_played(room: Room) -> None:
    room.hand_in("alice", "bob")
    room.now = FRIDAY
    with room.run() as dated:
        assert room.next_of(dated) is not None
        assert running_in(room.store.folder, "cs101 friday") == room.run_folder.path
    assert running_in(room.store.folder, "cs101 friday") is None


def play_friday(room: Room) -> None:
    """Play the first tournament; then it is the time of the final."""
    room.hand_in("alice", "bob")
    room.now = FRIDAY
    with room.run() as dated:
        room.play_all(dated)
    room.now = CLOSES


def test_an_agent_that_is_received_while_the_final_is_prepared_is_in_it(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_friday(room)
    received: list[int] = []

    def locked(*arguments: Any, **named: Any) -> Any:
        if not received:
            with room.database.writing() as connection:
                submitted = rows.add_submission(
                    *(connection, room.ladder.id, "carol"),
                    label="carol.py",
                    source="random",
                    state=SubmissionState.RECEIVED,
                    words="",
                    now=CLOSES,
                )
                received.append(submitted)
        return tournament_lock(*arguments, **named)

    monkeypatch.setattr("arena.serve.timed_tournaments.tournament_lock", locked)
    with room.run() as dated:
        assert room.next_of(dated) is None
        assert room.next_of(dated) is None, "its check is not over"
        assert room.entries("cs101 final") == {}
        room.hand_in("carol")
        with room.database.writing() as connection:
            rows.change_submission(connection, received[0], SubmissionState.ENTERED, CLOSES)
        room.play_all(dated)
    assert [*room.entries("cs101 final")] == ["alice", "bob", "carol"]


def test_a_final_does_not_begin_if_its_ladder_is_open_longer_meanwhile(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_friday(room)

    def locked(*arguments: Any, **named: Any) -> Any:
        with room.database.writing() as connection:
            rows.extend(connection, room.ladder.id, "bob", CLOSES + timedelta(days=1), reason="ill", now=CLOSES)
        return tournament_lock(*arguments, **named)

    monkeypatch.setattr("arena.serve.timed_tournaments.tournament_lock", locked)
    with room.run() as dated:
        assert room.next_of(dated) is None
    assert room.entries("cs101 final") == {}


@pytest.mark.parametrize("seed", range(tries(12, soak=300)))
def test_whatever_is_killed_every_game_is_played_once(room: Room, seed: int) -> None:
    random = Random(seed)
    room.hand_in(*STUDENTS)
    dated = room.begin()
    playing: list[Planned] = []
    for _ in range(1000):
        room.now += random.choice((timedelta(seconds=1), timedelta(days=1)))
        what = random.random()
        if what < 0.05:  # the process is killed: its locks are released by the kernel
            for one in dated._running:
                one.lock.close()
            dated, playing = room.begin(), []
        elif what < 0.1:
            dated.interrupted()
            playing = []
        elif what < 0.15:
            dated.close()
            dated, playing = room.begin(), []
        elif what < 0.55 and playing:
            dated.note(finished(playing.pop(random.randrange(len(playing)))))
        elif len(playing) < 3 and (game := room.next_of(dated)) is not None:
            playing.append(game)
        if room.now > CLOSES and dated.is_over:
            break
    dated.close()
    assert len(room.games("cs101 final")) == 12
    for name in ("cs101 friday", "cs101 final"):
        games = room.games(name)
        assert {status for _, _, status in games} == {"finished"}
        assert max(games.values()) == 1
