"""The estimate of how long games take: from recorded games, or from the clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.match.openings import Book
from arena.tournament import league
from arena.tournament.duration import ENOUGH, GameTime, game_time, typical_plies
from arena.tournament.duration import repeats_warning as warning


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


# The warning that games will repeat, when players meet more often than there are openings.


SAME = ["minimax:depth=2", "alphabeta:depth=2"]


def warned(game: str, players: list[str], **settings: object) -> str:
    return warning(league.from_arguments(game, players, **({"clock": "none"} | settings)))


def test_fewer_openings_than_pairings_give_a_warning_with_a_number_of_plies() -> None:
    assert warned("connect4", SAME, rounds=60, openings=2) == (
        "the same players meet up to 60 times with 49 different openings: deterministic players "
        "(alphabeta:depth=2, minimax:depth=2) will repeat whole games; openings = 3 gives every pairing a different one"
    )
    assert warned("connect4", ["random", "mcts"], rounds=8, openings=1) == (
        "the same players meet up to 8 times with 7 different openings: deterministic players will repeat whole "
        "games; openings = 2 gives every pairing a different one"
    )


def test_only_some_openings_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def different(_: Book, most: int) -> int:
        counted.append(most)
        return most

    monkeypatch.setattr(Book, "different", different)
    assert warned("connect4", SAME, rounds=100_000, openings=8) == ""
    assert warned("connect4", SAME, rounds=100_000).endswith("; openings = 1 gives 500 or more")
    assert counted == [500, 500]


def test_without_openings_only_deterministic_players_give_a_warning(tmp_path: Path) -> None:
    assert "twice" not in warned("connect4", SAME)
    assert warned("connect4", [*SAME, "random"], rounds=2).startswith(
        "the same players meet up to 2 times without openings: deterministic players "
        "(alphabeta:depth=2, minimax:depth=2) will repeat whole games; openings = 1"
    )
    assert warned("connect4", ["random", "mcts", SAME[0]], rounds=5) == ""
    (tmp_path / "ann.py").write_text("")
    students = [str(tmp_path / "ann.py")] * 2
    assert "deterministic players will repeat" in warned("connect4", students, rounds=2)


@pytest.mark.parametrize(
    ("game", "players", "settings"),
    [
        ("connect4", SAME, {"rounds": 49, "openings": 2}),
        ("connect4", SAME, {"rounds": 1}),
        ("pig", ["random:seed=1", "random:seed=2"], {"rounds": 9}),
        ("connect4", ["random"] * 8, {"format": "swiss", "rounds": 7, "openings": 1}),
        ("ludo", ["random"] * 8, {"rounds": 9}),
        ("rps", ["greedy", "greedy"], {"rounds": 9}),
    ],
    ids=["enough openings", "one meeting", "dice", "a swiss tournament", "tables", "hidden moves"],
)
def test_there_is_no_warning_if_no_game_repeats(game: str, players: list[str], settings: dict[str, object]) -> None:
    assert warned(game, players, **settings) == ""


def test_the_series_of_a_knockout_are_counted_with_their_repeats() -> None:
    assert "up to 6 times" in warned("connect4", [*SAME, "pvs"], format="knockout", best_of=3)
    assert "up to 2 times" in warned("connect4", [*SAME, "pvs"], format="swiss", rounds=3)


def test_a_file_with_too_few_openings_gives_a_warning(tmp_path: Path) -> None:
    (tmp_path / "openings.txt").write_text("4 4\n1 7\n")
    (tmp_path / "cup.toml").write_text(
        'game = "connect4"\nrounds = 3\nopenings = "openings.txt"\n'
        '[[agent]]\nname = "a"\nplayer = "pvs"\n[[agent]]\nname = "b"\nplayer = "pvs"\n'
    )
    told = warning(league.read(tmp_path / "cup.toml"))
    assert "with 2 different openings" in told
    assert told.endswith("; list more openings")
