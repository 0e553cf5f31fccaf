"""The whole screen of a terminal, for commands that draw over it and read keys; it alone changes the terminal's mode.

What is drawn is compared with what is there, and only the difference is written. Ctrl-C, Ctrl-Z, an error and the end
of the program leave the terminal as it was.
"""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, Self

from rich.cells import cell_len, get_character_cell_size
from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style
from rich.text import Text

from arena.cli.terminal.board import Look

if TYPE_CHECKING:
    from types import TracebackType

_KEY: Final = re.compile(rb"\x1b\[<(\d+);(\d+);(\d+)[Mm]|\x1b\[[0-9;]*[@-~]|\x1bO.|[\x00-\x7f]|[\xc0-\xff][\x80-\xbf]+")
_REST_WITHIN: Final = 0.03
"""Seconds in which the rest of a key must follow its first byte; Escape alone is a key too."""
_BEGUN: Final = re.compile(rb"\x1b(\[[0-9;<]*|O)?|[\xc0-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf7][\x80-\xbf]{0,2}")
"""A key of which more can come."""
_LOOK_EVERY: Final = 0.2
"""Seconds between two looks whether the terminal is ours again."""
_NAMES: Final = {
    **dict.fromkeys((b"\x1b[A", b"\x1bOA"), "up"),
    **dict.fromkeys((b"\x1b[B", b"\x1bOB"), "down"),
    **dict.fromkeys((b"\x1b[C", b"\x1bOC"), "right"),
    **dict.fromkeys((b"\x1b[D", b"\x1bOD"), "left"),
    **dict.fromkeys((b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"\x1b[7~"), "home"),
    **dict.fromkeys((b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~"), "end"),
    **dict.fromkeys((b"\r", b"\n"), "enter"),
    **dict.fromkeys((b"\x7f", b"\x08"), "rub out"),
    **dict.fromkeys((b"\x03", b"\x04"), "quit"),
    b"\x1b": "escape",
    b"\t": "tab",
}
_ON: Final = "\x1b[?1049h\x1b[?25l"
"""The other screen, and no cursor."""
_CLICKS: Final = "\x1b[?1000h\x1b[?1006h"
_OFF: Final = "\x1b[?1006l\x1b[?1000l\x1b[0m\x1b[?25h\x1b[?1049l"
_BEGIN: Final = "\x1b[?2026h"
"""The terminal shows nothing new until `_END`, if it knows this; others ignore it."""
_END: Final = "\x1b[?2026l"
_OF_ANY_WIDTH: Final = frozenset("♟♜♞♝♛♚♕●○◯╳•·┼")
"""Characters that some terminals draw two columns wide: after each, the column is said again."""
_PARTS: Final = re.compile(r"[34]8;5;\d+|[34]8;2;\d+;\d+;\d+|\d+")
"""The parts of a style as a sequence: colours and the like."""
_LAYERS: Final = {"before": re.compile(r"38;|3[0-79]$|9[0-7]$"), "behind": re.compile(r"48;|4[0-79]$|10[0-7]$")}
"""Which of them are the colour of a character, or that behind it: a new one takes the place of an old one."""
_GAP: Final = 4
"""Up to this number of unchanged cells between two changed ones are written again: that is shorter than a position."""

Cells = list[tuple[str, Style]]
_BLANK: Final = (" ", Style.null())


def _of(part: str) -> str:
    """The layer of a part of a style; of what is no colour the part itself."""
    return next((layer for layer, found in _LAYERS.items() if found.match(part)), part)


def is_possible() -> bool:
    """Whether stdin and stdout are a terminal that can do this, and that is ours: not that of another program."""
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return is_terminal and os.name == "posix" and _is_ours()


def _is_ours() -> bool:
    """Whether this program is in the foreground of its terminal; in the background, changing its mode would stop it."""
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError:  # not the terminal of this session, which has no background then
        return True


class Screen:
    """The terminal, from entering this block to leaving it."""

    def __init__(self, *, mouse: bool = False) -> None:
        """`mouse`: clicks are keys; then the terminal's user cannot select text with the mouse alone."""
        self._on = _ON + _CLICKS * mouse
        # Whether the terminal is not ours now, and whether all must be drawn again.
        self._is_away, self._is_stale = True, True
        self._console = Console(highlight=False)
        self.look = Look.of(self._console)
        self._shown: list[Cells] = []
        self._lines: list[Text] = []
        # The style of what was written last, as a sequence, and as it is.
        self._ink, self._style = "", Style.null()
        self._typed = b""
        self._keyboard = -1
        self._before: list[Any] = []
        self._handlers: dict[int, Any] = {}
        self._woken, self._waking = -1, -1
        self._lock = threading.RLock()

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return os.get_terminal_size(1)

    def __enter__(self) -> Self:
        import termios

        self._keyboard = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._keyboard)
        # A signal writes a byte into this pipe, so that `key` wakes up when the screen is resized.
        self._woken, self._waking = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._waking, False)
        self._wakeup = signal.set_wakeup_fd(self._waking, warn_on_full_buffer=False)
        self._handlers = {
            signal.SIGWINCH: signal.signal(signal.SIGWINCH, self._resize),
            signal.SIGTSTP: signal.signal(signal.SIGTSTP, self._stop),
        }
        self._take()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give_back()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        os.close(self._woken)
        os.close(self._waking)

    def _take(self) -> None:
        import tty

        tty.setcbreak(self._keyboard)
        self._is_away, self._is_stale = False, True
        self._write(self._on)

    def _give_back(self) -> None:
        import termios

        if self._is_away:
            return
        self._is_away = True
        self._write(_OFF)
        termios.tcsetattr(self._keyboard, termios.TCSADRAIN, self._before)

    @contextmanager
    def left(self) -> Iterator[None]:
        """Inside, the terminal is as it was before: other parts of the program can print and read lines."""
        self._give_back()
        before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        try:
            yield
        finally:
            signal.signal(signal.SIGTSTP, before)
            self._take()

    def _stop(self, *_: object) -> None:
        """Ctrl-Z: the shell gets its terminal, until the program is continued."""
        with self._lock:  # a thread can be drawing
            self._give_back()
            os.kill(os.getpid(), signal.SIGSTOP)
            self._come_back()

    def _resize(self, *_: object) -> None:
        self._is_stale = True

    def _come_back(self) -> bool:
        """Take the terminal again if it is ours, and not another program's since this one was stopped."""
        if self._is_away and _is_ours():
            self._take()
        return not self._is_away

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    @property
    def is_stale(self) -> bool:
        """Whether what the terminal shows is not what was drawn: after a resize, or while it was another program's."""
        return self._is_stale or self._is_away

    @property
    def descriptor(self) -> int:
        """Readable when `pressed` has something."""
        return self._keyboard

    def pressed(self) -> list[str]:
        """The keys that were pressed, without waiting: their names, or the characters typed, or "mouse X Y" for a click
        (from 0)."""
        self._typed += os.read(self._keyboard, 4096) or b"\x04"
        return list(self._keys())

    def key(self, most: float | None) -> str:
        """The next key; waits for at most that many seconds. "" if none came, or if the screen was resized."""
        if not self._come_back():
            time.sleep(_LOOK_EVERY if most is None else min(most, _LOOK_EVERY))
            return ""
        for name in self._keys():
            return name
        ready = select.select([self._keyboard, self._woken], [], [], most)[0]
        if self._woken in ready:
            os.read(self._woken, 1024)
        if self._keyboard not in ready:
            return ""
        self._typed += os.read(self._keyboard, 1024) or b"\x04"
        return next(self._keys(), "")

    def _keys(self) -> Iterator[str]:
        while self._typed:
            while _BEGUN.fullmatch(self._typed) and select.select([self._keyboard], [], [], _REST_WITHIN)[0]:
                self._typed += os.read(self._keyboard, 1024)
            found = _KEY.match(self._typed)
            self._typed = self._typed[found.end() if found else 1 :]
            if found is None:
                continue
            if found[1]:
                if found[0].endswith(b"M") and int(found[1]) == 0:
                    yield f"mouse {int(found[2]) - 1} {int(found[3]) - 1}"
            elif name := _NAMES.get(found[0]):
                yield name
            elif (text := found[0].decode("utf-8", "replace")).isprintable():
                yield text

    def draw(self, lines: Sequence[Text]) -> None:
        """Show these lines; what is there already is not written again."""
        with self._lock:
            if self._come_back():
                self._draw(lines)

    def _draw(self, lines: Sequence[Text]) -> None:
        columns, rows = self.size
        blank = [_BLANK] * columns
        if self._is_stale or len(self._shown) != rows or any(len(row) != columns for row in self._shown):
            self._is_stale, self._shown, self._lines = False, [], []
            self._write("\x1b[0m\x1b[2J")
        before = self._shown or [blank] * rows
        same = [old == new for old, new in zip(self._lines, lines, strict=False)] + [False] * len(lines)
        cells = [old if equal else self._cells(line, columns) for old, equal, line in zip(before, same, lines)]  # noqa: B905
        cells += [blank] * (rows - len(cells))
        self._lines = [line.copy() for line in lines]
        self._ink, self._style = "", Style.null()
        written = "".join(self._changes(y, old, new) for y, (old, new) in enumerate(zip(before, cells, strict=True)))
        self._shown = cells
        if written:
            self._write(f"{_BEGIN}{written}{self._inked(Style.null())}{_END}")

    def _style_of(self, character: str, style: Style) -> Style:
        """The style to write that in: of a blank only the colour behind it counts."""
        before = self._style
        if character != " " or style.reverse or before.reverse or style.bgcolor != before.bgcolor:
            self._style = style
        return self._style

    def _inked(self, style: Style) -> str:
        """What to write so that the next characters have this style: what differs from the style before."""
        # Without colours a style is bold or reverse at most, which every terminal can show.
        ink = style.render("x", color_system=self.look.colours or ColorSystem.STANDARD).partition("mx")[0][2:]
        new, old = (_PARTS.findall(part) for part in (ink, self._ink))
        self._ink = ink
        kept = [part for part in old if part in new or (_of(part) in _LAYERS and _of(part) in map(_of, new))]
        if kept != old:  # something ends
            new, old = ["0", *new], []
        codes = [code for code in new if code not in old]
        return f"\x1b[{';'.join(codes)}m" if codes else ""

    def _cells(self, line: Text, columns: int) -> Cells:
        """The cells of a line of the screen; the second one of a wide character is empty."""
        found: Cells = []
        whole = line.style if isinstance(line.style, Style) else Style.null()  # which `render` leaves out without spans
        for text, style, _ in line.render(self._console):
            style = whole + style if style else whole
            blank = (
                Style(bgcolor=style.bgcolor, reverse=style.reverse) if style.bgcolor or style.reverse else Style.null()
            )
            for character in text.replace("\n", ""):
                width = get_character_cell_size(character)
                if width:
                    found.append((character, blank if character == " " else style))
                    found += [("", style)] * (width - 1)
        if len(found) > columns:
            half = not found[columns - 1][0]  # of a wide character
            found = [*found[: columns - 1 - half], *[_BLANK] * half, ("…", Style.null())]
        return found + [_BLANK] * (columns - len(found))

    def _changes(self, y: int, old: Cells, new: Cells) -> str:
        """What to write so that a line of the screen changes."""
        different = [x for x, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
        halves = {
            near for x in different for near in (x - 1, x + 1) if 0 <= near < len(old) and not old[max(x, near)][0]
        }
        different = sorted({*different, *halves})  # a wide character goes with either of its halves
        end = max((x + 1 for x, cell in enumerate(new) if cell != _BLANK), default=0)
        emptied = [x for x in different if x >= end]
        different = different[: -len(emptied)] if emptied else different
        written, at = "", -1
        while different:
            first = last = different.pop(0)
            while different and different[0] - last <= _GAP:
                last = different.pop(0)
            while first > 0 and not new[first][0]:  # a wide character is written whole
                first -= 1
            for style, group in groupby(range(first, last + 1), lambda x: self._style_of(*new[x])):
                for x, text in self._runs(list(group), new):
                    if x != at:
                        written += f"\x1b[{y + 1};{x + 1}H"
                    written += self._inked(style) + text
                    at = -1 if text[-1] in _OF_ANY_WIDTH else x + cell_len(text)
        if emptied:
            self._style = Style.null()
            written += f"\x1b[{y + 1};{emptied[0] + 1}H{self._inked(self._style)}\x1b[K"
        return written

    @staticmethod
    def _runs(places: Sequence[int], cells: Cells) -> Iterator[tuple[int, str]]:
        """The texts from the first of these places on; each ends after a character that can have another width."""
        start, text = places[0], ""
        for x in places:
            text += cells[x][0]
            if cells[x][0] in _OF_ANY_WIDTH:
                yield start, text
                start, text = x + 1, ""
        if text:
            yield start, text
