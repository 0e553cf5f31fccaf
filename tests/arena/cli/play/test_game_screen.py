"""What is shown of games: counted right, and nothing in it that a terminal would obey."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from adsearch import State, games
from arena.cli.play.game_screen import GameScreen
from arena.history import documents, words
from arena.match.schedule import Began, Entrant, Finished, Planned, Ply
from db.records import GameRecord, MoveRecord, SeatRecord

ESCAPE = "\x1b[2J"
PLANNED = Planned(1, "tictactoe", "tictactoe", (Entrant("a", "a"), Entrant("b", "b")), seed=1, identity=(1,))


@pytest.fixture
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 60 columns."""
    for name, value in (("FORCE_COLOR", "1"), ("NO_COLOR", "1"), ("COLUMNS", "60"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)


def finished(verdict: str, points: tuple[float | None, float | None], *, attempt: int = 1, **told: Any) -> Finished:
    seats = tuple(SeatRecord(seat, "ab"[seat], share, None, 0, 0, **told) for seat, share in enumerate(points))
    record = GameRecord(1, verdict, 0 if told else None, ESCAPE if told else "", seats, (), 0)
    planned = Planned(1, "tictactoe", "tictactoe", PLANNED.entrants, seed=1, identity=(1,), attempt=attempt)
    now = datetime.now(UTC)
    return Finished(planned, record, now, now)


def test_attempts_that_are_played_again_are_no_games_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    attempts = [
        finished("void", (None, None)),
        finished("normal", (1.0, 0.0), attempt=2),
        finished("void", (None, None), attempt=3),
    ]
    GameScreen(quiet=True).show_score(attempts)
    assert capsys.readouterr().out == "2 games, points: a 1   b 0\n"
    assert [documents.past(event).attempt for event in attempts] == [1, 2, 3]


def scored(*utilities: float) -> Finished:
    """A finished game with these utilities."""
    points = (1.0,) if len(utilities) == 1 else (1.0, 0.0) if utilities[0] > 0 else (0.0, 1.0)
    seats = tuple(
        SeatRecord(seat, "ab"[seat], share, utility, 0, 0)
        for seat, (share, utility) in enumerate(zip(points, utilities, strict=True))
    )
    return Finished(PLANNED, GameRecord(1, "normal", None, "", seats, (), 0), datetime.now(UTC), datetime.now(UTC))


def test_games_with_scores_show_the_mean_score_and_lost_rounds_alone_are_not_points(
    capsys: pytest.CaptureFixture[str],
) -> None:
    GameScreen(quiet=True).show_score([scored(525.0), scored(-502.0), scored(514.0)])
    assert capsys.readouterr().out == "3 games, won: a 2\nmean score: a 179.0\n"
    GameScreen(quiet=True).show_score([scored(4.0, -4.0), scored(-1.0, 1.0)])
    assert capsys.readouterr().out == "2 games, points: a 1   b 1\nmean score: a 1.5   b -1.5\n"
    GameScreen(quiet=True).show_score([scored(1.0, -1.0), scored(-1.0, 1.0)])
    assert capsys.readouterr().out == "2 games, points: a 1   b 1\n"


def test_no_terminal_obeys_what_an_agent_wrote_or_a_game_says(capsys: pytest.CaptureFixture[str]) -> None:
    screen = GameScreen(quiet=False)
    screen.show(finished("crashed", (0.0, 1.0), stderr=f"{ESCAPE}\nlost"))
    screen._state = games.start("tictactoe")
    screen.show(Ply(PLANNED, MoveRecord(1, 0, "b2", spent=0, text=ESCAPE)))
    assert "\x1b" not in capsys.readouterr().out


def test_the_first_slow_move_of_a_game_without_a_clock_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    screen = GameScreen(quiet=False, people=["b"])
    screen.show(Began(PLANNED))
    for ply, (move, seconds) in enumerate([("a1", 4), ("b1", 60), ("c1", 6), ("a2", 1), ("b2", 6)], 1):
        screen.show(Ply(PLANNED, MoveRecord(ply, (ply - 1) % 2, move, spent=seconds * 10**9)))
    before, explained, after = capsys.readouterr().out.partition(
        "     there is no clock, so a player may think this long; --clock 10+0.1 sets one\n"
    )
    assert explained
    assert before.splitlines()[-1].startswith("  3  a c1   6.0")
    assert "no clock" not in after


def shown(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines on the terminal, without its colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()


LUDO = Planned(
    *(1, "ludo", "ludo", tuple(Entrant(name, name) for name in ("random", "random#2", "maxn:depth=12", "my_agent"))),
    seed=1,
    identity=(1,),
)


@pytest.mark.usefixtures("_narrow")
def test_on_a_terminal_what_does_not_fit_goes_on_below_a_little_to_the_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [entrant.name for entrant in LUDO.entrants]
    seats = tuple(SeatRecord(seat, name, float(seat == 3), None, 0, 0) for seat, name in enumerate(names))
    detail = "my_agent, ply 6: expected a legal move (1, 2, 3, 4, 5, 6, 7), got nothing of the kind"
    record = GameRecord(1, "illegal", 0, detail, seats, (), 0)
    now = datetime.now(UTC)
    screen = GameScreen(quiet=False)
    screen.say("my_agent is confined (sandbox): it reads its own source and Python, writes nothing, has no network")
    said = shown(capsys)
    assert [line[:2] == "  " for line in said] == [False, True]
    screen.show(Began(LUDO))
    screen.show(Ply(LUDO, MoveRecord(1, -1, "6")))
    capsys.readouterr()
    screen.show(Ply(LUDO, MoveRecord(2, 0, "enter", spent=0, depth=12, score=0.123, nodes=1_234_567, text="a thought")))
    screen.show(Finished(LUDO, record, now, now))
    lines = shown(capsys)
    assert max(map(len, [*said, *lines])) <= 60
    assert all(line == line.rstrip() for line in [*said, *lines])
    end = next(number for number, line in enumerate(lines) if line.startswith("1  random"))
    assert all(line.startswith("   ") for line in lines[end + 1 :])
    whole = " ".join(" ".join(lines[end:]).split())
    assert detail in whole
    assert "random played an illegal move; my_agent wins 0 plies (random 0.00 s, " in whole


@pytest.mark.usefixtures("_narrow")
def test_a_command_to_be_copied_stays_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    command = f"python -m agents my_agent.py --connect /tmp/{'long/' * 20}wait.json"
    GameScreen(quiet=False).say_whole(command)
    assert shown(capsys) == [f"  {command}"]


class Drawn(State[int]):
    """A position that looks like anything."""

    def __init__(self, board: str | None) -> None:
        self.board = board

    def __str__(self) -> str:
        if self.board is None:
            raise ValueError
        return self.board

    def position(self) -> str:
        return "the position"


@pytest.mark.parametrize(
    ("board", "shown"), [("a b\nc ☃", "a b\nc ☃"), (f"x{ESCAPE}\ny", "x\\x1b[2J\ny"), (None, "the position")]
)
def test_a_board_is_shown_as_its_game_draws_it_or_as_its_position(board: str | None, shown: str) -> None:
    assert words.drawn(Drawn(board)) == shown
