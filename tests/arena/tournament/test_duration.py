"""The estimate of how long games take: from recorded games, or from the clock."""

from __future__ import annotations

import pytest

from arena.tournament import league
from arena.tournament.duration import ENOUGH, GameTime, game_time, typical_plies


def test_recorded_games_give_the_estimate() -> None:
    described = league.from_arguments("connect4", ["random", "pvs"])
    recent = [
        time
        for hour in range(ENOUGH)
        for time in ((hour * 3600.0, hour * 3600.0 + 3.0), (hour * 3600.0, hour * 3600.0 + 5.0))
    ]
    assert game_time(described, recent, there=2).seconds == 4.0
    assert f"the last {2 * ENOUGH} such games" in game_time(described, recent, there=2).because
    assert game_time(described, recent[: ENOUGH - 1], there=2) == game_time(described, [], there=2)


def test_games_that_shared_cores_took_longer_than_one_alone() -> None:
    described = league.from_arguments("connect4", ["random", "pvs"])
    four_at_once = [(8.0 * number, 8.0 * number + 8.0) for number in range(ENOUGH) for _ in range(4)]
    assert [game_time(described, four_at_once, there=there).seconds for there in (1, 2, 4, 8)] == [2.0, 4.0, 8.0, 8.0]


def test_more_games_at_once_than_cores_do_not_help_and_every_game_has_a_cost_of_its_own() -> None:
    def seconds(at_once: int, there: int, each: float = 6.0) -> float | None:
        described = league.from_arguments("connect4", ["random", "pvs"], games_at_once=at_once)
        return GameTime(each, "").of(1000, described, there=there)

    assert [seconds(at_once, 2) for at_once in (1, 2, 4)] == [6002.5, 3002.5, 3002.5]
    assert seconds(4, 8) == 1502.5
    assert seconds(4, 2, each=0.0) == 2.5
    assert GameTime(None, "").of(1000, league.from_arguments("connect4", ["random", "pvs"]), there=2) is None


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
    assert game_time(described, [], there=2).seconds == seconds


@pytest.mark.parametrize(("game", "least", "most"), [("connect4", 15, 35), ("othello", 58, 60), ("nap:4", 3, 3)])
def test_games_are_as_long_as_random_ones(game: str, least: int, most: int) -> None:
    assert least <= typical_plies(league.from_arguments(game, ["random", "random"])) <= most


def test_rules_that_raise_do_not_stop_the_estimate(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from adsearch.games.tictactoe import TicTacToe

    described = league.from_arguments("tictactoe", ["random", "random"])
    monkeypatch.setattr(TicTacToe, "play", lambda *_: 1 / 0)
    assert typical_plies(described) == 60
