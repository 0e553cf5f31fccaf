"""How `arena run` stops: at the time of --until, and on signals, with games in progress finished."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.cli.play import run
from arena.cli.play.tournament_display import TournamentDisplay
from arena.cli.terminal.stopping import Pausing, Signals, StopPhase, Stopping, read_until
from arena.errors import BadLeague
from arena.history import words
from arena.match.schedule import Entrant, Finished, InOrder, Planned, Ply
from arena.play.director import Director
from arena.tournament.tournament import Tournament
from arena.walls.run_folder import RunFolder
from db.errors import Busy
from tests.kit.arena_program import arena

BERLIN_EVENING = datetime(2026, 5, 1, 20, 30, tzinfo=UTC)
"""22:30 in Berlin."""


@pytest.fixture(autouse=True)
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The clock of this machine shows the time in Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def signals() -> Iterator[Signals]:
    """The signals of a run that plays; afterwards their handlers are restored."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signals = Signals()
    with signals.handled(lambda _: None), signals.playing():
        yield signals
    assert {signal.getsignal(number) for number in before} == {signal.SIG_IGN}
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("06:00", "2026-05-02 06:00"),
        ("6:00", "2026-05-02 06:00"),
        ("23:15", "2026-05-01 23:15"),
        ("22:30", "2026-05-02 22:30"),
        ("2026-05-02 06:00", "2026-05-02 06:00"),
        ("2026-05-02T06:00+00:00", "2026-05-02 08:00"),
        (" 2026-05-01 22:31 ", "2026-05-01 22:31"),
    ],
)
def test_a_time_is_the_next_moment_when_the_clock_shows_it(text: str, moment: str) -> None:
    assert words.local_time(read_until(text, BERLIN_EVENING)) == f"{moment} CEST"


def test_in_the_night_when_clocks_change_it_is_the_time_that_the_clock_shows() -> None:
    """In Berlin it is 03:00 after 02:00 on 2026-03-29, and 02:00 comes twice on 2026-10-25."""
    for evening, hours in ((datetime(2026, 3, 28, 21, tzinfo=UTC), 7), (datetime(2026, 10, 24, 20, tzinfo=UTC), 9)):
        assert read_until("06:00", evening) - evening == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("now", "minutes"),
    [
        (datetime(2026, 10, 25, 0, 15, tzinfo=UTC), 15),  # 02:15, the first time
        (datetime(2026, 10, 25, 0, 45, tzinfo=UTC), 45),  # 02:45, the first time
        (datetime(2026, 10, 25, 1, 15, tzinfo=UTC), 15),  # 02:15, the second time
        (datetime(2026, 3, 29, 0, 45, tzinfo=UTC), 45),  # 01:45, and 02:30 is skipped
    ],
)
def test_in_the_hour_that_clocks_repeat_or_skip_it_is_never_a_moment_that_is_over(now: datetime, minutes: int) -> None:
    found = {read_until(text, now) - now for text in ("02:30", f"{now.astimezone():%Y-%m-%d} 02:30")}
    assert found == {timedelta(minutes=minutes)}


@pytest.mark.parametrize("text", ["6", "24:00", "06:60", "tomorrow", "2026-05-02", "2026-13-02 06:00", "", "06:00:00x"])
def test_what_is_not_a_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadLeague, match="--until: expected a time, or a day and a time, such as 06:00 or"):
        read_until(text, BERLIN_EVENING)


def test_a_moment_that_is_over_is_refused() -> None:
    with pytest.raises(BadLeague, match="--until: 2026-05-01 22:30 CEST has passed; it is 2026-05-01 22:30 CEST now"):
        read_until("2026-05-01 22:30", BERLIN_EVENING)


def games(number: int) -> list[Planned]:
    seats = (Entrant("ann", "random"), Entrant("bob", "random"))
    return [Planned(n, "tictactoe", "tictactoe", seats, 1, (n,)) for n in range(number)]


def test_no_game_starts_at_that_time_or_later() -> None:
    now = BERLIN_EVENING
    said: list[str] = []
    stopping = Stopping(InOrder(games(5)), Signals(), said.append, until=now + timedelta(minutes=1), now=lambda: now)
    assert stopping.next() is not None
    now += timedelta(seconds=59)
    assert stopping.next() is not None
    now += timedelta(seconds=1)
    assert (stopping.next(), stopping.in_time) == (None, True)
    now -= timedelta(hours=1)  # a clock that is set back starts nothing again
    assert stopping.next() is None
    assert said == ["it is 2026-05-01 22:31 CEST: no more games start, those in progress are finished"]


def entrant(text: str) -> Entrant:
    """A built-in agent that really plays."""
    return Entrant(text, text, ("-m", "agents", text, "--connect", "-"), source=text)


class Signalled(InOrder):
    """The process gets these signals while the first of four games is recorded."""

    def __init__(self, *numbers: signal.Signals, second: str = "random") -> None:
        """`second` plays the second game."""
        seats = {each: (entrant(second if each == 2 else "random"),) * 2 for each in (1, 2, 3, 4)}
        super().__init__(Planned(each, "tictactoe", "tictactoe", seats[each], 1, (each,)) for each in seats)
        self.numbers = numbers

    def ahead(self) -> Planned | None:
        return None

    def note(self, finished: Finished) -> None:
        for number in self.numbers:
            os.kill(os.getpid(), number)
        super().note(finished)
        self.numbers = ()


def play(schedule: Signalled, signals: Signals) -> tuple[list[int], list[str], bool]:
    """The games that were announced, the messages, and whether the director was interrupted."""
    ended: list[int] = []
    said: list[str] = []
    stopping = Stopping(schedule, signals, said.append, until=None, now=lambda: BERLIN_EVENING)
    with RunFolder() as folder, Director(folder, at_once=2) as director, stopping.heard_by(director):
        try:
            for event in director.play(stopping):
                if isinstance(event, Finished):
                    ended.append(event.game.number)
        except KeyboardInterrupt:
            return ended, said, True
    assert (stopping.next(), stopping.stopped, stopping.in_time) == (None, True, False)
    return ended, said, False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_after_a_signal_no_game_starts_and_those_in_progress_are_finished(
    number: signal.Signals, signals: Signals
) -> None:
    ended, said, interrupted = play(Signalled(number), signals)
    assert (sorted(ended), interrupted) == ([1, 2], False)
    assert (signals.number, signals.phase) == (number, StopPhase.FINISHING)
    assert len(said) <= 1  # none if the other one is over too


def test_a_second_signal_interrupts_after_the_game_that_is_being_recorded(signals: Signals) -> None:
    """The other game would take minutes."""
    schedule = Signalled(signal.SIGINT, signal.SIGTERM, signal.SIGINT, second="mcts:seconds=60")
    ended, _, interrupted = play(schedule, signals)
    assert (ended, interrupted) == ([1], True)
    assert (signals.number, signals.phase) == (signal.SIGTERM, StopPhase.STOPPING)


def stopped_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, first: int, last: int, number: signal.Signals = signal.SIGINT
) -> tuple[int, str, int]:
    """A run of 6 games that gets a signal after each printed line from `first` to `last`: its exit code, what it
    printed, and the number of games that it recorded and printed."""
    printed = 0

    def signalled(self: TournamentDisplay, line: str) -> None:
        nonlocal printed
        whole(self, line)
        printed += 1
        if first <= printed <= last:
            os.kill(os.getpid(), number)

    whole = TournamentDisplay._print
    with monkeypatch.context() as patch:
        patch.setattr(TournamentDisplay, "_print", signalled)
        players = ("random", "random:seed=2")
        options = (
            "--rounds",
            "3",
            "--clock",
            "none",
            "--seed",
            "1",
            "--seats-key",
            "1",
            "--games-at-once",
            "1",
            "--name",
            "short",
        )
        ended = arena("run", "tictactoe", *players, *options, cwd=folder)
    assert ended.err == ""
    with closing(sqlite3.connect(folder / "arena.db")) as connection:
        query = "SELECT COUNT(*) FROM game WHERE status = 'finished'"
        recorded = connection.execute(query).fetchone()[0] if first > 1 else 0
    assert len(re.findall(r"^\d/6  ", ended.out, re.MULTILINE)) == recorded
    return ended.code, ended.out, recorded


@pytest.mark.costly
def test_signals_at_every_line_end_the_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first line is the plan; each game has one."""
    code, out, _ = stopped_run(tmp_path, monkeypatch, 1, 99, signal.SIGTERM)
    assert code == 143
    assert out.endswith("stopped before a game was played; the same command continues\n")

    code, out, recorded = stopped_run(tmp_path, monkeypatch, 3, 3)
    assert code == 130
    assert out.count("finishing the games in progress") <= 1
    assert 2 <= recorded < 6
    assert f"stopped after {recorded} of 6 games" in out.splitlines()[-1]

    (tmp_path / "again").mkdir()
    code, out, recorded = stopped_run(tmp_path / "again", monkeypatch, 2, 99)
    assert code == 130
    assert 1 <= recorded < 6
    assert f"stopped after {recorded} of 6 games" in out.splitlines()[-1]


def test_signals_after_the_last_game_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, recorded = stopped_run(tmp_path, monkeypatch, 7, 99)
    assert (code, recorded) == (0, 6)
    assert "short is finished: 6 games. Next:\n" in out
    assert not re.search("stopped|finishing", out)


def test_a_signal_while_nothing_can_be_recorded_stops_immediately(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even the end of the run can be recorded."""

    def full(*_: object) -> None:
        raise Busy("the database is locked")

    def pause(self: Pausing, reason: str) -> None:
        self._say(f"paused: {reason}")
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Tournament, "_record", full)
    monkeypatch.setattr(Tournament, "_put_back", full)
    monkeypatch.setattr(Pausing, "__call__", pause)
    ended = arena("run", "tictactoe", "random", "random:seed=2", "--clock", "none", "--seed", "1", cwd=tmp_path)
    assert (ended.code, ended.out.count("paused: the database is locked")) == (130, 1)
    assert "stopped; the games in progress will be played again\n" in ended.out
    assert "stopped after 0 of 2 games; the same command continues\n" in ended.out


@pytest.mark.costly
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGALRM])
def test_a_game_that_waits_for_the_one_in_progress_does_not_begin(number: signal.Signals, signals: Signals) -> None:
    """SIGALRM comes at the time of --until."""
    clock = [BERLIN_EVENING]
    until = BERLIN_EVENING + timedelta(hours=1)
    seats = (entrant("mcts:seconds=0.1"), entrant("random"))
    planned = [Planned(each, "connect4", "connect4", seats, 1, (each,), watched=True) for each in (1, 2, 3)]
    said: list[str] = []
    stopping = Stopping(InOrder(planned), signals, said.append, until=until, now=lambda: clock[0])
    ended = []
    with RunFolder() as folder, Director(folder) as director, stopping.heard_by(director):
        for event in director.play(stopping):
            if isinstance(event, Ply) and event.move.ply == 1:
                clock[0] = until if number is signal.SIGALRM else clock[0]
                os.kill(os.getpid(), number)
            if isinstance(event, Finished):
                ended.append(event.game.number)
    assert ended == [1]
    assert (stopping.stopped, stopping.in_time) == (True, number is signal.SIGALRM)
    assert stopping._schedule.next() is planned[1]
    how = {signal.SIGINT: "press Ctrl-C again", signal.SIGTERM: "send SIGTERM again"}
    players = " - ".join(entrant.name for entrant in seats)
    message = f"finishing the games in progress ({players}); {how.get(number)} to stop immediately"
    assert said == [
        message if number in how else "it is 2026-05-01 23:30 CEST: no more games start, those in progress are finished"
    ]


def test_the_director_is_rung_even_if_the_alarm_is_late() -> None:
    signals = Signals()
    stopping = Stopping(InOrder(games(2)), signals, lambda _: None, until=BERLIN_EVENING, now=lambda: BERLIN_EVENING)
    rung: list[bool] = []
    signals.ring = lambda: rung.append(True)
    assert (stopping.ahead(), stopping.next()) == (None, None)
    assert rung == [True]


@pytest.mark.costly
def test_a_run_ends_at_that_time_with_code_0_and_the_same_command_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # Two rounds of four games, of which the second is not scheduled before the first is over.
    players = ["random", "random", "random", "random"]
    command = ("run", "tictactoe", *players, "--format", "swiss", "--rounds", "2", "--clock", "none", "--seed", "1")
    assert "8 games" in arena(*command, "--plan").out

    class Clock(datetime):
        """Eight hours later each time that it is asked."""

        hours = 0

        @classmethod
        def now(cls, _: object = None) -> datetime:  # type: ignore[override]
            cls.hours += 8
            return BERLIN_EVENING + timedelta(hours=cls.hours - 8)

    with monkeypatch.context() as patch:
        patch.setattr(run, "datetime", Clock)
        ended = arena(*command, "--until", "2026-05-02 20:00")
    assert (ended.code, ended.err) == (0, "")
    assert "stops at 2026-05-02 20:00 CEST: no game starts after that\n" in ended.out
    assert "it is 2026-05-02 20:00 CEST: no more games start, those in progress are finished\n" in ended.out
    assert "stopped after 1 of 8 games, about " in ended.out
    assert "left; the same command continues\n" in ended.out
    rest = arena(*command, "--until", "2100-01-01 06:00")
    assert rest.code == 0
    assert "continuing: 1 of 8 games are over\n" in rest.out
    assert "is finished: 8 games" in rest.out
    assert "4/8  " in rest.out


def test_it_is_refused_with_a_plan() -> None:
    ended = arena("run", "tictactoe", "random", "random", "--plan", "--until", "06:00")
    assert (ended.code, ended.err) == (2, "arena: --until: not allowed with --plan, which plays nothing\n")
