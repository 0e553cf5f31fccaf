"""`arena ladder watch`: what it shows of a game in progress, which game it follows, and that it follows a real run."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
import zmq

from arena.cli.ladder.watch import _Watching
from arena.cli.terminal.board import Look
from arena.cli.terminal.game_view import FollowedView, picture
from arena.match.live import LiveEnd, LiveGame, LivePly, NotLive, OfGame
from arena.match.schedule import Entrant, Finished, Planned
from arena.play.director import LiveGames
from arena.walls.run_folder import RunFolder
from db import lookup, running
from db.database import Database
from db.records import GameRecord, SeatRecord
from tests.kit.arena_program import arena, environment
from tests.kit.effort import PATIENCE
from tests.kit.terminal import Session

SECOND = 1_000_000_000
SLOW = """
import time
from agents import Agent

class Slow(Agent):
    def choose(self, state, clock):
        time.sleep(0.05)
        return state.moves()[0]
"""
DESCRIPTION = """
name = "evening"
game = "tictactoe"
clock = "60"
format = "match"
rounds = 500
[[agent]]
name = "ann"
player = "slow.py"
[[agent]]
name = "bob"
player = "slow.py"
"""


def shown(rules: str, clock: str, *moves: str | None, players: tuple[str, ...] = ("ann", "bob")) -> FollowedView:
    """The screen after these moves, of the seats in turn; each took 2 s, and its turn began at its number of s."""
    screen = FollowedView("cs101-1")
    screen.take(LiveGame(7, rules, players, (clock,) * len(players), (), 0))
    for ply, move in enumerate(moves, start=1):
        screen.take(LivePly(7, ply, (ply - 1) % 2, move, 2 * SECOND, 8 * SECOND, ply * SECOND))
    return screen


def lines_of(screen: FollowedView, now: int, status: str, *, columns: int, rows: int) -> list[str]:
    """The screen without colours, as lines of text."""
    view = screen.view(now)
    view.status = [status]
    return [line.plain for line in picture(view, Look(None, True), columns, rows).lines]


def test_the_board_the_last_move_and_both_clocks_are_shown() -> None:
    screen = shown("tictactoe", "10", "a1", "b2")
    lines = lines_of(screen, 2 * SECOND, "q: quit", columns=80, rows=24)
    assert len(lines) == 24
    assert lines[0] == "cs101-1   tictactoe   ann - bob   clock 10"
    assert any("1. a1" in line and "2. b2" in line for line in lines)
    assert any("[o]" in line for line in lines)
    assert lines[-1] == "q: quit"


def test_only_the_clock_of_the_seat_to_move_runs_and_it_stops_at_zero() -> None:
    screen = shown("tictactoe", "10", "a1", "b2", "a2")
    assert screen.view(3 * SECOND).clocks == ["0:08.0", "0:08.0"]
    assert screen.view(4 * SECOND).clocks == ["0:08.0", "0:07.0"]
    assert (screen.view(99 * SECOND).clocks, screen.view(99 * SECOND).turn) == (["0:08.0", "0:00.0"], 1)
    screen.take(LiveEnd(7, "time", (1.0, 0.0)))
    assert (screen.view(99 * SECOND).clocks, screen.view(99 * SECOND).turn) == (["0:08.0", "0:08.0"], None)
    assert screen.ending() == ["1-0   ann wins (time)", "arena replay 7 shows every move"]


def test_before_all_players_are_ready_no_clock_runs_and_without_a_clock_none_is_shown() -> None:
    screen = FollowedView("cs101-1")
    screen.take(LiveGame(7, "tictactoe", ("ann", "bob"), ("10", "10"), (), None))
    assert screen.ply() == "waiting for the players"
    assert (screen.view(99 * SECOND).clocks, screen.view(99 * SECOND).turn) == (["0:10", "0:10"], None)
    assert shown("tictactoe", "none").view(99 * SECOND).clocks == ["", ""]


def test_a_game_with_hidden_moves_has_no_board_and_lists_its_plies() -> None:
    screen = shown("kuhn", "10", None, "bet")
    assert screen.board() == [
        "(no board: the rules hide moves from players, so the board is shown only by arena replay, after the game)",
        "ann ?, bob bet",
    ]
    assert screen.view(0).turn is None


def test_rules_that_fail_and_names_that_are_hostile_do_no_harm() -> None:
    for rules, moves in (("nosuch", ["a1"]), ("tictactoe", ["z9"]), ("tictactoe", ["a1", "a1", "b1"])):
        screen = shown(rules, "10", *moves, players=("\x1b[2Jann", "bob"))
        lines = lines_of(screen, 0, "", columns=40, rows=10)
        assert len(lines) == 10
        assert any("no board" in line for line in lines)
        assert not any("\x1b" in line for line in lines)


@pytest.mark.parametrize("rules", ["go:size=19", "chess", "connect4:rows=12,columns=12,line=5"])
@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (30, 8)])
def test_large_boards_fit_on_the_screen(rules: str, columns: int, rows: int) -> None:
    screen = shown(rules, "10")
    screen.take(LiveEnd(7, "normal", (0.5, 0.5)))
    lines = lines_of(screen, 0, "status", columns=columns, rows=rows)
    assert (len(lines), lines[-1]) == (rows, "status")
    assert max(map(len, lines)) <= columns
    assert any("½-½" in line for line in lines) or rows == 8


def test_the_whole_board_of_go_and_both_clocks_are_on_a_terminal_of_24_rows() -> None:
    lines = lines_of(shown("go:size=19", "10", "D4"), 0, "status", columns=80, rows=24)
    assert len(lines) == 24
    assert {line[:2].strip() for line in lines} >= {str(row) for row in range(1, 20)}
    assert any("> bob" in line and "0:10" in line for line in lines)


def test_a_game_that_is_not_live_says_so() -> None:
    screen = FollowedView("cs101-1")
    screen.take(NotLive(7))
    assert screen.is_over
    assert screen.ending() == ["this game is not being played any more"]


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Path]:
    """The folder of a run in progress."""
    (tmp_path / "slow.py").write_text(SLOW, "utf-8")
    (tmp_path / "evening.toml").write_text(DESCRIPTION, "utf-8")
    command = [sys.executable, "-m", "arena", "run", "evening.toml", "--db", "arena.db"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment(80), text=True
    ) as run:
        assert run.stdout is not None
        for line in run.stdout:
            if line.lstrip().startswith("1/"):
                break
        yield tmp_path
        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=PATIENCE)


@pytest.mark.costly
def test_a_run_is_followed_into_a_pipe_and_on_a_terminal(evening: Path) -> None:
    command = [sys.executable, "-m", "arena", "watch"]
    with subprocess.Popen(
        command, cwd=evening, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment(80), text=True
    ) as watch:
        assert watch.stdout is not None
        printed = []
        for line in watch.stdout:
            printed.append(line)
            if "shows every move" in line and any(" - " in before for before in printed):
                break
        watch.send_signal(signal.SIGINT)
        watch.communicate(timeout=PATIENCE)
        assert watch.returncode == 0
    endings = tuple(f"tictactoe   {players}   clock 60\n" for players in ("ann - bob", "bob - ann"))
    assert any(line.endswith(endings) for line in printed)
    session = Session(evening)
    session.give("arena ladder watch --tv")
    session.until("ann", "clock 60", "> ", "q: quit")
    session.press("q")
    assert session.end().code == 0
    session.close()
    with Database(str(evening / "arena.db"), create=False) as database, database.reading() as connection:
        evening_id = lookup.find_tournament(connection, "evening")
        (over, *_) = running.outcomes(connection, evening_id)
    ended = arena("ladder", "watch", str(over.id), cwd=evening)
    assert (ended.code, ended.err) == (2, f"arena: game {over.id} is over; `arena replay {over.id}` shows it\n")


def test_a_chosen_game_is_followed_again_when_a_new_director_plays_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = "playing"
    entrants = (Entrant("ann", "1"), Entrant("bob", "2"))
    playing = {7: Planned(7, "tictactoe", "tictactoe", entrants, seed=1, identity=(7,))}

    def received(director: LiveGames) -> list[OfGame]:
        """What the watcher receives of the game."""
        found = list[OfGame]()
        while not found and not watching.has_ended:
            director.read(playing)
            found = watching.receive(0.01)
        return found

    with (
        RunFolder() as folder,
        zmq.Context[zmq.Socket[bytes]]() as context,
        Database(str(tmp_path / "a.db")) as database,
    ):
        monkeypatch.setattr("arena.tournament.lock.running_in", lambda *_: folder.path)
        monkeypatch.setattr("db.games.game", lambda *_: SimpleNamespace(status=status))
        director = LiveGames(context, folder.path, lambda _: None)
        with closing(_Watching(database, "evening", folder.path, 7, tv=False)) as watching:
            assert [type(message) for message in received(director)] == [LiveGame]
            director.close()
            assert watching.receive(PATIENCE) == []
            assert watching.has_ended
            status = "scheduled"
            director = LiveGames(context, folder.path, lambda _: None)
            assert watching.reconnect()
            assert (watching.screen, watching.is_done) == (None, False)
            status = "playing"
            assert watching.follow_next()
            assert [type(message) for message in received(director)] == [LiveGame]
            seats = tuple(SeatRecord(seat, entrant.name, 0.5, None, 0, 0) for seat, entrant in enumerate(entrants))
            record, now = GameRecord(7, "normal", None, "", seats, (), 0), datetime.now(UTC)
            director.note_finished(Finished(playing.pop(7), record, now, now))
            assert received(director) == [LiveEnd(7, "normal", (0.5, 0.5))]
            assert watching.is_done
        director.close()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cs101-1",), "game cs101-1 is over; `arena replay cs101-1` shows it"),
        (("--tournament", "cs101"), "tournament 'cs101' is not running here; `arena run` or `arena serve` plays it"),
        ((), "no tournament is running here; `arena run` or `arena serve` plays one"),
        (("cs101-999",), "the tournament 'cs101' has no game 999"),
        (("cs101-1", "--tv"), "expected a game, or --tournament and --tv, got both"),
    ],
)
def test_what_cannot_be_watched_is_said_with_what_to_do(record: Path, arguments: tuple[str, ...], said: str) -> None:
    ended = arena("ladder", "watch", *arguments, "--db", str(record), columns=200)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
