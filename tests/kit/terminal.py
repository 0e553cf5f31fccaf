"""A terminal of 80 columns and 24 rows: runs commands one after another and shows the screen.

The pseudo-terminal is real, with a process that starts each command in its foreground, as a shell does. This module
builds the screen from the output. It supports only the escape sequences that Rich and our commands write; any other is
an error, because its effect on the screen would be unknown.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import select
import signal
import subprocess
import sys
import termios
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final

from rich.cells import cell_len

from tests.kit.effort import PATIENCE

COLUMNS: Final = 80
ROWS: Final = 24
_SEQUENCE: Final = re.compile(r"\x1b\[[?0-9;]*[@-~]|\x1b\][^\x07]*\x07|[^\x1b]", re.DOTALL)
_BEGUN: Final = re.compile(r"\x1b(\[[?0-9;]*|\][^\x07]*)?")
_OVER: Final = re.compile(r"\x1b\]133;D;(-?\d+);(\d)\x07")
"""How a command ended, and whether it left a process behind: what a shell tells a terminal, and as silently."""

_LEADER: Final = """
import ctypes, json, os, signal, subprocess, sys

commands = os.fdopen(os.dup(0))
os.login_tty(int(sys.argv[1]))
signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # it may take the terminal back
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: what a command leaves behind becomes ours


class Late(Exception):
    pass


def late(*_):
    raise Late


def to_the_foreground():
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)


def is_anything_left():
    signal.signal(signal.SIGALRM, late)
    signal.alarm(10)
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        return False
    except Late:
        return True
    finally:
        signal.alarm(0)


for line in commands:
    code = subprocess.run(json.loads(line), process_group=0, preexec_fn=to_the_foreground).returncode
    os.tcsetpgrp(0, os.getpgrp())
    os.write(1, b"\\x1b]133;D;%d;%d\\x07" % (code, is_anything_left()))
"""


@dataclass(slots=True)
class Screen:
    """What a terminal shows."""

    lines: list[list[str]] = field(default_factory=lambda: [[]])
    """Of the screen, and of what has scrolled away above it; a cell holds a letter, "" is half of the one before."""
    row: int = 0
    column: int = 0
    shows_cursor: bool = True
    main: tuple[list[list[str]], int, int] | None = None
    """The screen below, and its cursor, while the alternate one is shown."""
    pictures: list[str] = field(default_factory=list)
    """Every picture that was drawn over or erased since, the oldest first."""
    folded: list[str] = field(default_factory=list)
    """Lines that did not fit: the terminal went on in the next one, wherever that was."""
    over: tuple[int, bool] | None = None
    """The command's exit code, and whether a process of it is left; None: it runs."""
    _drawn: bool = False
    """Whether anything was drawn since the last picture."""
    _unread: str = ""

    def write(self, text: str) -> None:
        """A program writes `text`, of which the last sequence may come in two parts."""
        text, at = self._unread + text, 0
        while at < len(text) and (found := _SEQUENCE.match(text, at)):
            self._obey(found[0])
            at = found.end()
        self._unread = text[at:]
        assert not self._unread or _BEGUN.fullmatch(self._unread), f"unknown to this terminal: {self._unread!r}"

    def picture(self) -> str:
        """What is to be seen now."""
        return _text(self.lines[self._top :])

    def printed(self) -> str:
        """All that was printed and is still there, the part that has scrolled away too."""
        return _text(self.lines)

    @property
    def _top(self) -> int:
        return max(0, len(self.lines) - ROWS)

    def _obey(self, sequence: str) -> None:
        if found := _OVER.fullmatch(sequence):
            self.over = int(found[1]), found[2] == "1"
        elif sequence.startswith("\x1b"):
            self._control(sequence[2:-1], sequence[-1])
        elif sequence == "\n":
            self._go_down()
        elif sequence == "\r":
            self.column = 0
        else:
            assert sequence.isprintable(), f"unknown to this terminal: {sequence!r}"
            self._put(sequence)

    def _control(self, told: str, kind: str) -> None:
        match told, kind:
            case _, "m":  # a colour
                pass
            case "?25", "h" | "l":
                self.shows_cursor = kind == "h"
            case "?1049", "h" | "l":
                self._keep()
                self._change(to_alternate=kind == "h")
            case _, "A" if told.isdigit():
                self._keep()
                self.row -= int(told)
                assert self.row >= self._top, f"drawn over what has scrolled away:\n{self.picture()}"
            case "?1000" | "?1006", "h" | "l":  # the mouse
                pass
            case "?2026", "h":  # all up to "l" is drawn at once
                self._keep()
            case "?2026", "l":
                pass
            case _, "H":  # where the next change begins
                row, column = map(int, (told or "1;1").split(";"))
                self.row, self.column = self._top + row - 1, column - 1
                self.lines += [[] for _ in range(self.row + 1 - len(self.lines))]
            case "" | "2", "K":
                if self.column == 0 and self.main is None:
                    self._keep()
                self.lines[self.row] = [] if told else self.lines[self.row][: self.column]
            case "2", "J":
                self.lines = [[] for _ in range(ROWS)]
            case "", "J":
                self.lines[self.row] = self.lines[self.row][: self.column]
                self.lines[self.row + 1 :] = [[] for _ in self.lines[self.row + 1 :]]
            case _:
                raise AssertionError(f"unknown to this terminal: ESC [ {told} {kind}")

    def _change(self, *, to_alternate: bool) -> None:
        if to_alternate:
            assert self.main is None, "the alternate screen was asked for twice"
            self.main = self.lines, self.row, self.column
            self.lines, self.row, self.column = [[]], 0, 0
        elif self.main is not None:
            (self.lines, self.row, self.column), self.main = self.main, None

    def _put(self, letter: str) -> None:
        width = cell_len(letter)
        if self.column + width > COLUMNS:
            self.folded.append("".join(self.lines[self.row]))
            self._go_down()
            self.column = 0
        line = self.lines[self.row]
        line += " " * (self.column + width - len(line))
        if width:
            line[self.column : self.column + width] = [letter, *[""] * (width - 1)]
        else:
            line[self.column - 1] += letter
        self.column += width
        self._drawn = True

    def _go_down(self) -> None:
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append([])
            assert self.main is None or len(self.lines) <= ROWS, f"higher than the terminal:\n{_text(self.lines)}"

    def _keep(self) -> None:
        """What is shown is about to go."""
        if self._drawn:
            self.pictures.append(self.picture())
            self._drawn = False


def _text(lines: list[list[str]]) -> str:
    return "\n".join("".join(line).rstrip() for line in lines).rstrip("\n")


@dataclass(slots=True)
class Ended:
    """How a command ended."""

    code: int
    printed: str
    pictures: list[str]


class Session:
    """Somebody in front of a terminal, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._keyboard, self._below = os.openpty()
        termios.tcsetwinsize(self._below, (ROWS, COLUMNS))
        self._before = termios.tcgetattr(self._below)
        self._leader = subprocess.Popen(
            [sys.executable, "-c", _LEADER, str(self._below)],
            stdin=subprocess.PIPE,
            pass_fds=(self._below,),
            cwd=folder,
            env=_environment(),
            text=True,
        )
        self._screen = Screen()
        # How many pictures were looked at.
        self._seen = 0
        self._letters = codecs.getincrementaldecoder("utf-8")()
        self._given = ""

    def close(self) -> None:
        """Nobody sits here any more."""
        assert self._leader.stdin is not None
        self._leader.stdin.close()
        os.close(self._keyboard)
        os.close(self._below)
        try:
            self._leader.wait(PATIENCE)
        finally:
            self._leader.kill()
            self._leader.wait()

    def give(self, command: str) -> None:
        """Types a command, on an empty screen."""
        arguments = command.split()
        self._screen, self._seen, self._given = Screen(), 0, command
        program = [str(Path(sys.executable).with_name("arena"))] if arguments[0] == "arena" else arguments[:1]
        assert self._leader.stdin is not None
        self._leader.stdin.write(json.dumps(program + arguments[1:]) + "\n")
        self._leader.stdin.flush()

    def until(self, *words: str) -> str:
        """A picture with all these words on it, which may be gone already."""
        deadline = monotonic() + PATIENCE
        while True:
            now = self._screen.picture()
            for picture in [*self._screen.pictures, now][self._seen :]:
                if all(word in picture for word in words):
                    return picture
            assert self._screen.over is None, f"{words} did not come; `{self._given}` is over:\n{now}"
            assert self._read(deadline), f"{words} did not come; `{self._given}` shows\n{now}"

    def type(self, keys: str) -> None:
        """Somebody answers a program that prints line below line: what was shown before is still there."""
        os.write(self._keyboard, keys.encode())

    def press(self, keys: str) -> None:
        """Somebody presses keys; what was shown before is looked at no more."""
        self._seen = len(self._screen.pictures) + 1
        os.write(self._keyboard, keys.encode())

    def signal(self, number: signal.Signals) -> None:
        """The command gets a signal from another program."""
        os.killpg(os.tcgetpgrp(self._keyboard), number)

    def until_left(self) -> None:
        """Waits until the command has left the alternate screen; then the terminal must behave as before."""
        deadline = monotonic() + PATIENCE
        while self._screen.main is not None or not self._screen.shows_cursor:
            assert self._read(deadline), f"`{self._given}` does not leave the screen"
        while termios.tcgetattr(self._below) != self._before:
            assert monotonic() < deadline, f"`{self._given}`: the terminal behaves otherwise"

    def end(self) -> Ended:
        """Waits for the end of the command, which must leave everything as a shell expects it, and readable."""
        deadline = monotonic() + PATIENCE
        while self._screen.over is None:
            assert self._read(deadline), f"`{self._given}` did not end; it shows\n{self._screen.picture()}"
        screen, (code, is_anything_left) = self._screen, self._screen.over
        printed = screen.printed()
        assert not screen.folded, f"`{self._given}`: lines are wider than the terminal: {screen.folded}\n{printed}"
        assert not is_anything_left, f"`{self._given}`: a process is left"
        assert screen.main is None, f"`{self._given}`: the alternate screen is left"
        assert screen.shows_cursor, f"`{self._given}`: the cursor is hidden"
        assert screen.column == 0, f"`{self._given}`: the prompt would stand in the middle of a line:\n{printed}"
        assert termios.tcgetattr(self._below) == self._before, f"`{self._given}`: the terminal behaves otherwise"
        return Ended(code, printed, [*screen.pictures, screen.picture()])

    def run(self, command: str) -> Ended:
        """Types a command, and waits for its end."""
        self.give(command)
        return self.end()

    def _read(self, deadline: float) -> bool:
        """Takes in what was written; False: nothing came up to the deadline."""
        if not select.select([self._keyboard], [], [], max(0.0, deadline - monotonic()))[0]:
            return False
        self._screen.write(self._letters.decode(os.read(self._keyboard, 65536)))
        return True


def _environment() -> dict[str, str]:
    """Of a terminal with colours, whose width only the terminal itself tells."""
    told = {
        name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR", "ARENA_DB")
    }
    return told | {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
