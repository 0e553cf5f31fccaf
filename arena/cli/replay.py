"""`arena replay`: a game's boards, one after the other, on a terminal with keys to go through them.

The boards are made from the stored moves by the rules of the game; what was hidden is shown, for the game is over.
However it ends, the terminal is left as it was.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import typer

from arena.cli import past
from arena.cli.database import DatabaseOption
from arena.cli.rulings import GameIdArgument

if TYPE_CHECKING:
    from db.past import PastGame

_KEYS: Final = {
    **dict.fromkeys((b" ", b"\r", b"\n", b"n", b"l", b"\x1b[C", b"\x1bOC", b"\x1b[B", b"\x1bOB"), "next"),
    **dict.fromkeys((b"b", b"p", b"h", b"\x7f", b"\x1b[D", b"\x1bOD", b"\x1b[A", b"\x1bOA"), "back"),
    **dict.fromkeys((b"g", b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"\x1b[7~"), "home"),
    **dict.fromkeys((b"G", b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~"), "end"),
    **dict.fromkeys((b"q", b"Q", b"\x03", b"\x04"), "quit"),
}
_KEY: Final = re.compile(rb"\x1b\[[0-9;]*[@-~]|\x1bO.|[^\x1b]", re.DOTALL)
_HELP: Final = "right or space: next   left: back   home   end   q: quit"


def replay(id: GameIdArgument, db: DatabaseOption = None) -> None:
    """Step through the boards of a game: right, space or enter: next; left: back; home, end; q quits.

    Where there is no terminal all boards are printed.

    Example: arena replay cs101-812
    """

    game = past.read_game(id, db)
    top = past.header(game)
    frames = boards(game)
    if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        frames[-1] += [*past.ending(game)]
        _step(top, frames)
        return
    for line in [*top, *(line for frame in frames for line in ["", *frame]), "", *past.ending(game)]:
        print(line)


def add_to(app: typer.Typer) -> None:
    """Adds the command to `app`."""
    app.command()(replay)


def boards(game: PastGame) -> list[list[str]]:
    """What is shown of each position: the ply that led to it, the clocks, and the board."""
    from arena.cli import words

    frames = []
    left: dict[int, int | None] = {}
    for number, state in enumerate(past.positions(game)):
        told = "the beginning"
        if number:
            move = game.moves[number - 1]
            who = game.players[move.who] if isinstance(move.who, int) else move.who
            told = f"{move.ply:3}  {words.printable(who)} {words.printable(move.move)}"
            told += f"   {words.seconds(move.spent)}" * (move.spent is not None)
            if thinking := words.thinking(move):
                told += f"   {thinking}"
            if isinstance(move.who, int):
                left[move.who] = move.left
        clocks = "   ".join(
            f"{words.printable(game.players[seat])} {words.seconds(time)}"
            for seat, time in sorted(left.items())
            if time is not None
        )
        frames.append([told, *str(state).splitlines(), *([f"     {clocks}"] if clocks else [])])
    return frames


def _step(top: list[str], frames: list[list[str]]) -> None:
    """Shows one frame after the other, as the keys say, until it is enough."""
    at, last = 0, len(frames) - 1
    with _terminal() as keys:
        while True:
            _draw([*top, "", *frames[at], "", f"{at}/{last}   {_HELP}"])
            match keys():
                case "next":
                    at = min(at + 1, last)
                case "back":
                    at = max(at - 1, 0)
                case "home":
                    at = 0
                case "end":
                    at = last
                case "quit":
                    return


def _draw(lines: list[str]) -> None:
    """One screenful, drawn over the one before."""
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    shown = lines if len(lines) < rows else [*lines[: rows - 2], lines[-1]]
    sys.stdout.write("\x1b[H" + "".join(f"{line[:columns]}\x1b[K\r\n" for line in shown) + "\x1b[J")
    sys.stdout.flush()


@contextmanager
def _terminal() -> Iterator[Callable[[], str]]:
    """Inside, the screen is ours; what is yielded waits for a key and says what it means."""
    import select
    import signal
    import termios
    import tty

    keyboard = sys.stdin.fileno()
    # A signal that comes when nothing is being read yet would be heard of at the next key: it is to wake us.
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    before = termios.tcgetattr(keyboard)
    typed = b""

    def next_key() -> str:
        nonlocal typed
        while True:
            if found := _KEY.match(typed):
                typed = typed[found.end() :]
                if meaning := _KEYS.get(found[0]):
                    return meaning
                continue
            if keyboard not in select.select([keyboard, woken], [], [])[0]:
                os.read(woken, 1024)
                continue
            read = os.read(keyboard, 1024)
            if not read:
                return "quit"
            # An escape key by itself stands for nothing, whatever follows it.
            typed = typed.removeprefix(b"\x1b") if typed.startswith(b"\x1b\x1b") else typed
            typed += read
            if typed.startswith(b"\x1b") and len(typed) > 1 and typed[1:2] not in b"[O":
                typed = typed[1:]

    waked_before = signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    try:
        tty.setcbreak(keyboard)
        sys.stdout.write("\x1b[?1049h\x1b[?25l")
        yield next_key
    finally:
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
        signal.set_wakeup_fd(waked_before)
        os.close(woken)
        os.close(waking)
