"""The paragraph about walls: once a day, again for other walls, and always where it cannot be noted."""

from __future__ import annotations

import io
import re
from datetime import date
from pathlib import Path

import pytest
from rich.cells import cell_len

from arena.cli.terminal.notes import ProgressLine, line_width, shortened, wrapped
from arena.cli.terminal.notes import counted_line as counted
from arena.cli.terminal.notes import notes_due as due
from arena.history.words import printable
from tests.kit.plot_reading import AWKWARD

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


# Folding and shortening: no line is too long, no word is cut, both ends of a name are seen.


SENTENCE = "game 42 against minimax:depth=2: ann-marie played an illegal move: expected a legal move, got 'e9'"


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize(("begin", "more"), [("", "  "), ("    ", "      ")])
def test_every_line_fits_and_every_word_is_whole(width: int, begin: str, more: str) -> None:
    lines = wrapped(SENTENCE, begin=begin, more=more, width=width).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert lines[0].startswith(begin)
    assert all(line.startswith(more) for line in lines[1:])
    assert " ".join(" ".join(lines).split()) == SENTENCE


def test_what_fits_stays_as_it_is() -> None:
    assert wrapped("connect4   clock 5+0.05   7 steps", width=40) == "connect4   clock 5+0.05   7 steps"
    assert wrapped("", width=40) == ""


@pytest.mark.parametrize("name", AWKWARD)
def test_a_word_that_no_line_holds_stays_whole(name: str) -> None:
    text = f"ann beats {name} in seven"
    assert " ".join(wrapped(text, width=40).split()) == " ".join(text.split())


def test_letters_that_are_two_columns_wide_are_counted_so() -> None:
    lines = wrapped(" ".join(["田中太郎"] * 9), width=40).splitlines()
    assert [cell_len(line) for line in lines] == [35, 37, 10]


@pytest.mark.parametrize(("terminal", "width"), [(20, 40), (60, 60), (80, 80), (300, 100)])
def test_lines_are_as_long_as_the_terminal_is_wide_within_reason(
    terminal: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(terminal))
    assert line_width() == width


@pytest.mark.parametrize("name", [*AWKWARD, "minimax:depth=12#3"])
@pytest.mark.parametrize("width", [3, 7, 8, 20])
def test_a_shortened_name_fits_and_keeps_both_ends(name: str, width: int) -> None:
    name = printable(name)
    short = shortened(name, width)
    assert cell_len(short) <= width
    if short != name:
        begin, end = short.split("…")
        assert name.startswith(begin)
        assert name.endswith(end)


def test_what_a_name_ends_in_tells_versions_apart() -> None:
    assert shortened("minimax:depth=12#3", 10) == "mini…=12#3"


# The progress line is replaced on a terminal, and written now and then into a file.


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_one_line_that_is_cut_to_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    stream = Terminal()
    line = ProgressLine(stream)
    line.show("1 of 3 checked: 田中 太郎, Anna Berger, Ben Costa")
    line.show("3 of 3 checked", last=True)
    assert stream.getvalue() == "\r1 of 3 checked: 田中 太郎, A…\x1b[K\r3 of 3 checked\x1b[K\n"


def test_a_file_gets_whole_lines_at_most_one_every_10_seconds() -> None:
    stream, time = io.StringIO(), [0.0]
    line = ProgressLine(stream, now=lambda: time[0])
    for second in range(35):
        time[0] = second
        line.show(f"{second} of 100 checked")
    line.show("100 of 100 checked", last=True)
    line.erase()
    times, texts = zip(*(text.split("  ") for text in stream.getvalue().splitlines()), strict=True)
    assert texts == ("10 of 100 checked", "20 of 100 checked", "30 of 100 checked", "100 of 100 checked")
    assert all(re.fullmatch(r"\d\d:\d\d:\d\d \S+", each) for each in times)


def test_a_file_gets_the_line_again_while_nothing_new_happens() -> None:
    stream, time = io.StringIO(), [0.0]
    line = ProgressLine(stream, now=lambda: time[0])
    line.show("1 of 3 checked")
    for second in (5, 10, 15, 20):
        time[0] = second
        assert line.tick()
    line.erase()
    time[0] = 30
    assert not line.tick()
    assert [text.partition("  ")[2] for text in stream.getvalue().splitlines()] == ["1 of 3 checked"] * 2


def test_a_quick_command_writes_nothing_into_a_file() -> None:
    stream = io.StringIO()
    line = ProgressLine(stream, now=lambda: 5.0)
    line.show("1 of 2 checked")
    line.show("2 of 2 checked", last=True)
    assert stream.getvalue() == ""


def test_the_time_to_go_follows_from_the_checks_that_ended() -> None:
    assert counted(0, 60, seconds=0.0, names=["Anna Berger"]) == "0 of 60 checked: Anna Berger"
    text = "12 of 60 checked, about 2 minutes left: Anna Berger, Ben Costa"
    assert counted(12, 60, seconds=30.0, names=["Anna Berger", "Ben Costa"]) == text
    assert counted(60, 60, seconds=90.0, names=[]) == "60 of 60 checked"
