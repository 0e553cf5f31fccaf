"""The warning that games will repeat, when players meet more often than there are openings."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.match.openings import Book
from arena.tournament import league
from arena.tournament.repeats import warning

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
