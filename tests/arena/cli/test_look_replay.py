"""`arena replay`: all boards on paper, and on a terminal with keys that leaves it as it was."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.arena.cli.terminal import arena, environment

RIGHT, LEFT, HOME, END = b"\x1b[C", b"\x1b[D", b"\x1b[H", b"\x1b[F"
HERE, GONE = b"\x1b[?1049h\x1b[?25l", b"\x1b[?25h\x1b[?1049l"


def test_without_a_terminal_all_boards_are_printed(record: Path) -> None:
    ended = arena("replay", "cs101-1", "--db", str(record))
    assert ended.code == 0
    assert ended.out.count("  a b c") == 6
    assert "  3  ann a2" in ended.out
    assert ended.out.splitlines()[-1] == "ann wins   5 plies"


@pytest.mark.parametrize("id", ["evening-1", "evening-2", "evening-3"])
def test_games_of_chance_and_of_secrets_are_shown_with_all_that_happened(record: Path, id: str) -> None:
    ended = arena("replay", id, "--db", str(record))
    assert ended.code == 0, ended.err
    assert "chance " in ended.out
    assert "?" not in ended.out


def test_a_game_whose_rules_are_not_here_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "club.csv").write_text("1,ann,bob,1-0\n", "utf-8")
    assert arena("import", "club.csv", cwd=tmp_path).code == 0
    ended = arena("replay", "club-1", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "no game 'unknown'" in ended.err


@dataclass(slots=True)
class Terminal:
    """A terminal with a replay in it."""

    keyboard: int
    process: subprocess.Popen[bytes]
    before: list[object]
    seen: bytes = b""

    def until(self, words: str) -> bytes:
        """What comes on the screen up to these words; they are taken from it."""
        wanted = words.encode()
        while wanted not in self.seen:
            assert select.select([self.keyboard], [], [], 60)[0], f"{words!r} did not come: {self.seen!r}"
            self.seen += os.read(self.keyboard, 4096)
        shown, _, self.seen = self.seen.partition(wanted)
        return shown + wanted

    def press(self, key: bytes) -> None:
        """Somebody presses a key."""
        os.write(self.keyboard, key)

    def end(self) -> int:
        """Waits for the end; how the process ended."""
        code = self.process.wait(60)
        while select.select([self.keyboard], [], [], 0)[0]:
            try:
                self.seen += os.read(self.keyboard, 4096)
            except OSError:
                break
        return code


@pytest.fixture
def terminal(record: Path) -> Iterator[Terminal]:
    """A terminal with the replay of a game of five plies."""
    keyboard, screen = pty.openpty()
    termios.tcsetwinsize(screen, (24, 80))
    before = termios.tcgetattr(screen)
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", "replay", "cs101-1", "--db", str(record)],
        stdin=screen,
        stdout=screen,
        stderr=screen,
        env=environment(80) | {"TERM": "xterm"},
        cwd=Path(__file__).parents[3],
        start_new_session=True,
        preexec_fn=lambda: __import__("fcntl").ioctl(0, termios.TIOCSCTTY, 0),
    )
    shown = Terminal(keyboard, process, before)
    yield shown
    if process.poll() is None:
        process.kill()
        process.wait()
    assert termios.tcgetattr(screen) == before
    os.close(keyboard)
    os.close(screen)


def test_keys_step_through_the_boards(terminal: Terminal) -> None:
    assert HERE in terminal.until("0/5")
    for key, at in (
        (RIGHT, "1/5"),
        (b" ", "2/5"),
        (b"\r", "3/5"),
        (LEFT, "2/5"),
        (END, "5/5"),
        (RIGHT, "5/5"),
        (HOME, "0/5"),
        (LEFT, "0/5"),
        (b"\x1b[5~x" + RIGHT, "1/5"),
    ):
        terminal.press(key)
        assert b"/5" not in terminal.until(at)[: -len(at)]
    terminal.press(END)
    assert b"ann wins" in terminal.until("5/5")
    terminal.press(b"q")
    assert terminal.end() == 0
    assert terminal.seen.endswith(GONE)


def test_keys_that_arrive_in_pieces_are_keys(terminal: Terminal) -> None:
    terminal.until("0/5")
    terminal.press(b"\x1b")
    terminal.press(b"[")
    terminal.press(b"C")
    terminal.until("1/5")
    terminal.press(b"\x1b")
    terminal.press(b"q")
    assert terminal.end() == 0


def test_ctrl_c_leaves_the_terminal_as_it_was(terminal: Terminal) -> None:
    terminal.until("0/5")
    terminal.press(b"\x03")
    assert terminal.end() == 130
    assert GONE in terminal.seen
    assert b"Traceback" not in terminal.seen


def test_an_interrupt_from_elsewhere_does_so_too(terminal: Terminal) -> None:
    terminal.until("0/5")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == 130
    assert GONE in terminal.seen
