"""The estimate of how long games take: from recorded games, or from the clock."""

from __future__ import annotations

import pytest

from arena.tournament import league
from arena.tournament.duration import ENOUGH, game_time, typical_plies


def test_recorded_games_give_the_estimate() -> None:
    described = league.from_arguments("connect4", ["random", "pvs"])
    assert game_time(described, [3.0, 5.0] * ENOUGH).seconds == 4.0
    assert f"the last {2 * ENOUGH} such games" in game_time(described, [3.0, 5.0] * ENOUGH).because
    assert game_time(described, [3.0] * (ENOUGH - 1)) == game_time(described, [])


@pytest.mark.parametrize(
    ("game", "clock", "seconds"),
    [
        ("tictactoe", "move=2", 8 * 2),
        ("tictactoe", "10+1", 2 * (10 + 3)),
        ("tictactoe", "0+1x60", 2 * 4 * 60),
        ("tictactoe", "2/10", 2 * 20),
        ("ludo", "5", 4 * 5),
        ("tictactoe", "none", None),
    ],
)
def test_a_clock_is_used_up_by_every_seat(game: str, clock: str, seconds: float | None) -> None:
    players = ["random"] * (4 if game == "ludo" else 2)
    described = league.from_arguments(game, players, clock=clock, max_plies=8)
    assert game_time(described, []).seconds == seconds


@pytest.mark.parametrize(("game", "least", "most"), [("connect4", 15, 35), ("othello", 58, 60), ("nap:4", 3, 3)])
def test_games_are_as_long_as_random_ones(game: str, least: int, most: int) -> None:
    assert least <= typical_plies(league.from_arguments(game, ["random", "random"])) <= most


def test_rules_that_raise_do_not_stop_the_estimate(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from adsearch.games.tictactoe import TicTacToe

    described = league.from_arguments("tictactoe", ["random", "random"])
    monkeypatch.setattr(TicTacToe, "play", lambda *_: 1 / 0)
    assert typical_plies(described) == 60
