"""The table of `arena results history`: it fits the terminal, and the players can be read."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import Any

import pytest
from rich.cells import cell_len

from arena.cli.look import history
from arena.cli.terminal.listings import show
from arena.history.words import printable
from tests.kit.plot_reading import AWKWARD

NAMES = ("my_agent", "minimax:depth=2", "random#2", "expectiminimax:depth=3")
DUEL: dict[str, Any] = {"players": NAMES[:2], "points": [1.0, 0.0]}
LUDO: dict[str, Any] = {
    "game": "ludo:players=4,tokens=2",
    "players": NAMES,
    "points": [1 / 3, 1 / 3, 1.0, 1 / 3],
    "plies": 1234,
}
OWN: dict[str, Any] = {"game": f"/home/ann/arena.store/{'0a' * 32}/countdown.py:Countdown:n=30", "players": NAMES[:2]}


def row(id: int = 812, **told: Any) -> dict[str, Any]:
    """A game, as JSON has it."""
    usual = {
        "id": id,
        "tournament": None,
        "number": id,
        "game": "connect4",
        "players": ["ann", "bob"],
        "points": [0.5, 0.5],
        "ruling": None,
        "verdict": "normal",
        "fault": None,
        "status": "finished",
        "plies": 42,
        "finished": "2026-05-01T12:00:00.000Z",
    }
    return usual | told


def table(
    rows: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    *,
    width: int = 80,
    agent: str | None = None,
    year: int = 2026,
) -> list[str]:
    """What is printed."""
    monkeypatch.setenv("COLUMNS", str(width))
    out = io.StringIO()
    with redirect_stdout(out):
        show(rows, history.columns(rows, agent=agent, year=year))
    return out.getvalue().splitlines()


def test_where_there_is_room_nothing_is_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = table([row(), row(**LUDO)], monkeypatch, width=200)
    assert lines[0].split() == ["game", "rules", "players", "points", "verdict", "plies", "day", "(UTC)"]
    assert f"  ludo:players=4,tokens=2  {' - '.join(NAMES)}  0.33-0.33-1-0.33  " in lines[2]
    assert lines[2].endswith("2026-05-01")


@pytest.mark.parametrize("rows", [[LUDO, DUEL, OWN], [LUDO], [LUDO | {"verdict": "illegal", "fault": 2}, DUEL]])
def test_at_80_columns_every_player_is_read(rows: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = table([row(**told) for told in rows], monkeypatch)
    assert max(map(cell_len, lines)) <= 80
    names = lines[1].partition("my_agent")[1:]
    shown = "".join(names).partition("  ")[0].split(" - ")
    assert len(shown) == 4
    assert all(one == name or len(one) >= 8 for one, name in zip(shown, NAMES, strict=True)), shown


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("agent", NAMES)
def test_the_one_that_was_asked_for_is_whole(agent: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row(**LUDO), row(**LUDO | {"players": ["first", "second", f"{agent}@12", "the very last"]})]
    lines = table(rows, monkeypatch, width=width, agent=agent)
    assert max(map(cell_len, lines)) <= width
    assert agent in lines[1]
    assert f"{agent}@12" in lines[2]


def test_a_game_stands_there_where_there_are_several(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "rules" not in table([row(), row()], monkeypatch)[0]
    lines = table([row(**LUDO), row(**OWN)], monkeypatch)
    assert [line.split()[1] for line in lines] == ["rules", "ludo", "Countdown"]


def test_a_day_of_this_year_needs_no_year_where_there_is_little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row(players=["expectiminimax:depth=3", "minimax:depth=12#2"])]
    assert table(rows, monkeypatch)[1].endswith(" 1 May")
    assert table(rows, monkeypatch, year=2027)[1].endswith("2026-05-01")


def test_verdicts_go_only_where_they_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "verdict" not in table([row(**LUDO)], monkeypatch, width=60)[0]
    assert "time (2)" in table([row(**LUDO | {"verdict": "time", "fault": 2})], monkeypatch, width=60)[1]


@pytest.mark.parametrize("width", [10, 40, 60, 80])
@pytest.mark.parametrize("agent", [None, AWKWARD[4]])
def test_no_name_breaks_it(width: int, agent: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row(**LUDO | {"players": list(names)}) for names in (AWKWARD[:4], AWKWARD[4:])]
    lines = table(rows, monkeypatch, width=width, agent=agent)
    assert len(lines) == 3
    assert all(printable(line) == line for line in lines)
    assert width < 60 or max(map(cell_len, lines)) <= width


def test_no_games_are_a_table_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert table([], monkeypatch) == ["game  players  points  verdict  plies  day (UTC)"]


def test_what_was_not_played_yet_has_no_day(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["expectiminimax:depth=3", "minimax:depth=12#2"]
    waiting = row(players=names, finished=None, verdict=None, status="scheduled", points=None, plies=None)
    assert table([waiting, row(players=names)], monkeypatch)[1].split()[-2:] == ["*", "scheduled"]
