"""What a running tournament says of its machine: on stderr, now and then, and only where clocks run."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from arena.cli.play.tournament_display import TournamentDisplay
from arena.match.clock import MILLISECOND
from arena.match.schedule import Finished, Planned
from arena.tournament import league
from db.records import GameRecord, MoveRecord

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def busy() -> Finished:
    """A game whose players waited most of the time."""
    moves = tuple(
        MoveRecord(ply, ply % 2, "1", spent=900 * MILLISECOND, lag=0, delay=500 * MILLISECOND) for ply in range(1, 5)
    )
    record = GameRecord(1, "normal", None, "", (), moves, lag=0)
    return Finished(Planned(1, "connect4", "connect4", (), 1, (1,)), record, NOW, NOW)


@pytest.mark.parametrize(("clock", "warnings"), [("10", 1), ("none", 0)])
def test_an_overloaded_machine_is_told_of_once_a_minute(
    clock: str, warnings: int, capsys: pytest.CaptureFixture[str]
) -> None:
    display = TournamentDisplay(league.from_arguments("connect4", ["pvs", "random"], clock=clock))
    for _ in range(3):
        display._warn_of_overload(busy())
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("warning: this machine is overloaded: ") == warnings
