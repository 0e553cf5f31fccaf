"""The paragraph about walls: once a day, again for other walls, and always where it cannot be noted."""

from datetime import date
from pathlib import Path

import pytest

from arena.cli.terminal.walls_notice import due

TODAY, TOMORROW = date(2026, 5, 1), date(2026, 5, 2)
SANDBOX = {"alice": "alice is confined (sandbox): it reads its own source"}
LIMITS = {"alice": "alice is confined (limits): it runs as this user"}


@pytest.fixture(autouse=True)
def _nothing_was_printed_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def test_a_paragraph_is_printed_once_a_day() -> None:
    assert due(SANDBOX, TODAY) == [*SANDBOX.values()]
    assert due(SANDBOX, TODAY) == []
    assert due(SANDBOX, TOMORROW) == [*SANDBOX.values()]


def test_other_walls_are_printed_on_the_same_day() -> None:
    due(SANDBOX, TODAY)
    assert due(LIMITS, TODAY) == [*LIMITS.values()]


def test_the_name_of_the_agent_makes_no_difference_but_all_agents_of_a_game_are_named() -> None:
    both = SANDBOX | {"bob": "bob is confined (sandbox): it reads its own source"}
    assert due(both, TODAY) == [*both.values()]
    assert due({"carol": "carol is confined (sandbox): it reads its own source"}, TODAY) == []


def test_notes_of_earlier_days_do_not_stay(tmp_path: Path) -> None:
    due(SANDBOX, TODAY)
    due(LIMITS, TOMORROW)
    assert len([*(tmp_path / "arena").iterdir()]) == 1


def test_it_is_printed_each_time_where_nothing_can_be_noted(tmp_path: Path) -> None:
    (tmp_path / "arena").write_text("a file, not a folder")
    assert due(SANDBOX, TODAY) == due(SANDBOX, TODAY) == [*SANDBOX.values()]
