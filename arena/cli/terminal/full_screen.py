"""The whole screen of a terminal, for commands that draw over it and read keys.

The terminal's settings are restored in every case.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

_KEY: Final = re.compile(rb"\x1b\[[0-9;]*[@-~]|\x1bO.|[^\x1b]", re.DOTALL)


def is_possible() -> bool:
    """Whether stdin and stdout are a terminal that can do this."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and os.name == "posix"


def cut(line: str, columns: int) -> str:
    """The line, cut to the screen's width; some characters are two columns wide."""
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    if "\x1b" in line:
        # A line of a board in colour; one that is too wide loses its colours.
        plain = Text.from_ansi(line)
        return line if plain.cell_len <= columns else cut(plain.plain, columns)
    return line if cell_len(line) <= columns else f"{set_cell_size(line, columns - 1)}…"


def draw(lines: Sequence[str]) -> None:
    """Draw the lines over the previous screen."""
    sys.stdout.write("\x1b[H" + "\r\n".join(f"{line}\x1b[K" for line in lines) + "\x1b[J")
    sys.stdout.flush()


@contextmanager
def full_screen(keys: Mapping[bytes, str]) -> Iterator[Callable[[float | None], str]]:
    """Inside, the terminal is in full-screen mode. The yielded function waits for a key, at most the given seconds, and
    returns its meaning in `keys`; "" if no key came or the screen was resized."""
    import select
    import signal
    import termios
    import tty

    keyboard = sys.stdin.fileno()
    # SIGWINCH writes a byte into this pipe (set_wakeup_fd), so that select() wakes up when the screen is resized.
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    before = termios.tcgetattr(keyboard)
    typed = b""

    def next_key(most: float | None) -> str:
        nonlocal typed
        while True:
            if found := _KEY.match(typed):
                typed = typed[found.end() :]
                if meaning := keys.get(found[0]):
                    return meaning
                continue
            ready = select.select([keyboard, woken], [], [], most)[0]
            if keyboard not in ready:
                if ready:
                    os.read(woken, 1024)
                return ""
            read = os.read(keyboard, 1024)
            if not read:
                return "quit"
            # The escape key by itself has no meaning: drop it.
            typed = typed.removeprefix(b"\x1b") if typed.startswith(b"\x1b\x1b") else typed
            typed += read
            if typed.startswith(b"\x1b") and len(typed) > 1 and typed[1:2] not in b"[O":
                typed = typed[1:]

    waked_before = signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    resized_before = signal.signal(signal.SIGWINCH, lambda *_: None)
    try:
        tty.setcbreak(keyboard)
        sys.stdout.write("\x1b[?1049h\x1b[?25l")
        yield next_key
    finally:
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
        signal.signal(signal.SIGWINCH, resized_before)
        signal.set_wakeup_fd(waked_before)
        os.close(woken)
        os.close(waking)
