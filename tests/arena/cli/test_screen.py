"""What is shown of games: counted right, and nothing in it that a terminal would obey."""

from datetime import UTC, datetime
from typing import Any

import pytest

from adsearch import State, games
from arena import words
from arena.cli import documents
from arena.cli.screen import Screen
from arena.director import Entrant, Finished, Planned, Ply
from db.records import GameRecord, MoveRecord, SeatRecord

ESCAPE = "\x1b[2J"
PLANNED = Planned(1, "tictactoe", "tictactoe", (Entrant("a", "a"), Entrant("b", "b")), seed=1, identity=(1,))


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
    Screen(quiet=True).show_score(attempts)
    assert capsys.readouterr().out == "2 games, in points: a 1   b 0\n"
    assert [documents.game(event)["attempt"] for event in attempts] == [1, 2, 3]


def test_no_terminal_obeys_what_an_agent_wrote_or_a_game_says(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen(quiet=False)
    screen.show(finished("crashed", (0.0, 1.0), stderr=f"{ESCAPE}\nlost"))
    screen._state = games.start("tictactoe")
    screen.show(Ply(PLANNED, MoveRecord(1, 0, "b2", spent=0, text=ESCAPE)))
    assert "\x1b" not in capsys.readouterr().out


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
