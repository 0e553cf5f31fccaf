"""The screen writes only what changed; another terminal emulator shows the same as after a full drawing."""

from __future__ import annotations

import io
import os
import select
import sys
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pyte
import pytest
from rich.color import ColorSystem
from rich.style import Style
from rich.text import Text

from adsearch import games
from arena.cli.terminal.board import BoardMarks, Look
from arena.cli.terminal.game_view import GameView, picture
from arena.cli.terminal.screen import Screen

LOOKS = {
    "true": Look(ColorSystem.TRUECOLOR, True),
    "256": Look(ColorSystem.EIGHT_BIT, True),
    "16": Look(ColorSystem.STANDARD, True),
    "letters": Look(ColorSystem.TRUECOLOR, False),
    "none": Look(None, False),
}
MOST = 1500
"""Bytes for one move at 80x24."""


class Tube:
    """A screen of our program, and what a terminal shows of its bytes."""

    def __init__(self, columns: int, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.written = io.StringIO()
        monkeypatch.setattr(sys, "stdout", self.written)
        self._patch = monkeypatch
        self.resize(columns, rows)
        self.screen = Screen()
        self.screen._is_away = False
        self.emulator = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.emulator)

    def resize(self, columns: int, rows: int) -> None:
        self._patch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((columns, rows)))
        if hasattr(self, "emulator"):
            self.emulator.resize(rows, columns)

    def draw(self, lines: list[Text]) -> str:
        """What was written."""
        self.screen.draw(lines)
        written = self.written.getvalue()
        self.written.seek(0)
        self.written.truncate()
        self._stream.feed(written)
        return written

    def shown(self) -> list[list[object]]:
        """Each cell: what is in it, and its colours; of a blank the colour behind it."""
        columns, rows = self.emulator.columns, self.emulator.lines
        cells = [[self.emulator.buffer[y][x] for x in range(columns)] for y in range(rows)]
        return [[(c.data, c.bg, c.reverse) if c.data == " " else c for c in row] for row in cells]


def views(rules: str, look: Look, columns: int, rows: int) -> Iterator[list[Text]]:
    """A game, as `arena play` shows it: one picture for each move."""
    random, state, last = Random(5), games.start(rules), None
    view = GameView(
        "a game", rules=rules, players=["ann", "bob", "cy", "di"][: state.players], status=["keys   q: quit"]
    )
    plies: list[tuple[int | str, str]] = []
    values: list[float | None] = []
    while state.turn is not None and len(plies) < 60:
        last = random.choice(state.moves())
        plies.append((state.turn if state.turn >= 0 else "chance", state.shown(last)))
        state = state.play(last)
        spent = [f"0:{59 - len(plies) % 50:02}", "0:09.4", "1:00", "1:00"][: state.players]
        said = [f"depth {random.randrange(9)}, score {random.random():.3}"]
        shown = replace(view, state=state, last=last, plies=[*plies], clocks=spent, turn=state.turn, says=said)
        values.append(random.uniform(-1, 1))
        shown.values = values if state.players == 2 else []
        way = state.cells(state.moves()[0]) if state.turn is not None and state.turn >= 0 else ()
        shown.marks = BoardMarks(way[-1] if way else None)
        yield picture(shown, look, columns, rows).lines


@pytest.mark.parametrize(
    ("rules", "look"),
    [
        *(("chess", look) for look in LOOKS),
        *((rules, "true") for rules in ("othello", "connect4", "go:size=19", "ludo", "words", "maze", "kuhn")),
    ],
)
def test_the_changes_of_a_game_lead_to_the_same_as_full_drawings(
    rules: str, look: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tube, sizes = Tube(80, 24, monkeypatch), []
    tube.screen.look = LOOKS[look]
    for number, lines in enumerate(views(rules, LOOKS[look], 80, 24)):
        written = tube.draw(lines)
        if number:
            sizes.append(len(written.encode()))
            assert "\x1b[2J" not in written
        other = Tube(80, 24, monkeypatch)
        other.screen.look = LOOKS[look]
        other.draw(lines)
        assert tube.shown() == other.shown()
        monkeypatch.setattr(sys, "stdout", tube.written)
    assert max(sizes) <= MOST


def test_random_lines_with_wide_characters_and_other_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    random, tube = Random(1), Tube(30, 8, monkeypatch)
    letters = "ab 日本é♟●█ "
    for step in range(300):
        if step % 50 == 49:
            tube.resize(random.randrange(10, 40), random.randrange(3, 12))
        columns, rows = os.get_terminal_size(1)
        lines = []
        for _ in range(random.randrange(rows + 2)):
            text = Text("".join(random.choice(letters) for _ in range(random.randrange(columns + 5))))
            text.stylize(Style(color="red", bgcolor="blue"), 2, random.randrange(2, 9))
            lines.append(text)
        tube.draw(lines)
        other = Tube(columns, rows, monkeypatch)
        other.draw(lines)
        assert tube.shown() == other.shown(), step
        monkeypatch.setattr(sys, "stdout", tube.written)


def test_what_is_there_already_is_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tube = Tube(20, 4, monkeypatch)
    tube.draw([Text("one"), Text("two")])
    assert tube.draw([Text("one"), Text("two")]) == ""
    written = tube.draw([Text("one"), Text("tWo")])
    assert written == "\x1b[?2026h\x1b[2;2HW\x1b[?2026l"


def test_a_resize_in_the_middle_of_a_drawing_is_drawn_whole_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    tube = Tube(20, 4, monkeypatch)
    tube.draw([Text("one")])
    cells = tube.screen._cells

    def resized(line: Text, columns: int) -> object:
        tube.screen._resize()
        return cells(line, columns)

    monkeypatch.setattr(tube.screen, "_cells", resized)
    tube.draw([Text("two"), Text("three")])
    monkeypatch.setattr(tube.screen, "_cells", cells)
    assert "\x1b[2J" in tube.draw([Text("two"), Text("three")])
    assert tube.emulator.display[:2] == [f"{'two':<20}", f"{'three':<20}"]


def test_without_colours_bold_and_reverse_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    tube = Tube(20, 4, monkeypatch)
    tube.screen.look = LOOKS["none"]
    assert "\x1b[1;7mnow\x1b[0m" in tube.draw([Text("now", Style(bold=True, reverse=True))])


def test_keys_that_arrive_in_pieces_are_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    read = os.read
    monkeypatch.setattr(os, "read", lambda file, _: read(file, 1))
    ours, keyboard = os.pipe()
    try:
        shown = Screen()
        shown._keyboard = ours
        os.write(keyboard, b"\x1b[Cx\x1b[5~\x1b[<0;3;4M\x1bOA" + "ä♞".encode() + b"\x1b")
        keys = []
        while select.select([ours], [], [], 0)[0]:
            keys += shown.pressed()
        assert keys == ["right", "x", "mouse 2 3", "up", "ä", "♞", "escape"]
    finally:
        os.close(ours)
        os.close(keyboard)
