"""The progress line is replaced on a terminal, and written now and then into a file."""

from __future__ import annotations

import io
import re

import pytest

from arena.cli.terminal.progress_line import ProgressLine, counted


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
