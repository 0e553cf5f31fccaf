"""`arena replay`: steps through a recorded game, on a terminal with keys, or as a page for a browser.

The boards are computed from the recorded moves by the rules of the game. Hidden information is shown, because the game
is over. The terminal's settings are restored in every case.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

import typer

from arena.cli.asking import recorded_game
from arena.cli.asking.analysis import analysed
from arena.cli.terminal.coloured_board import board_lines
from arena.cli.terminal.files import write_file
from arena.cli.terminal.full_screen import cut, draw, full_screen, is_possible
from arena.cli.terminal.wrapping import APART, side_by_side, wrap_lines
from arena.errors import ArenaError
from arena.history import words

if TYPE_CHECKING:
    from arena.history.replay import Replay, Step
    from db.records import PastGame

_KEYS: Final = {
    **dict.fromkeys((b" ", b"n", b"l", b"\x1b[C", b"\x1bOC", b"\x1b[B", b"\x1bOB"), "next"),
    **dict.fromkeys((b"\r", b"\n"), "enter"),
    **dict.fromkeys((b"b", b"h", b"\x1b[D", b"\x1bOD", b"\x1b[A", b"\x1bOA"), "back"),
    **dict.fromkeys((b"\x7f", b"\x08"), "rub out"),
    **dict.fromkeys((b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"\x1b[7~"), "home"),
    **dict.fromkeys((b"G", b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~"), "end"),
    **dict.fromkeys((b"q", b"Q", b"\x03", b"\x04"), "quit"),
    **{b"%d" % digit: str(digit) for digit in range(10)},
    b"g": "jump",
    b"p": "play",
    b"m": "mistake",
    b"M": "earlier mistake",
    **dict.fromkeys((b"+", b"="), "faster"),
    **dict.fromkeys((b"-", b"_"), "slower"),
    b"?": "help",
}
_SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Moves a second."""
_HELP: Final = (
    ("right, space, n", "next move"),
    ("left, b", "one move back"),
    ("home, end", "start, end of the game"),
    ("14 and enter", "jump to move 14; g asks for the number"),
    ("m, M", "next, previous mistake"),
    ("p", "play, pause"),
    ("+, -", "play faster, slower"),
    ("?", "this help"),
    ("q", "quit"),
)
_LOGS: Final = "A larger window shows more of what the agents printed; arena replay ID --logs shows all."


def step_through(
    id: str,
    *,
    ply: int | None,
    html: Path | None,
    svg: Path | None,
    animated: bool,
    analyse: bool,
    trust_rules: bool,
    db: str | None,
) -> None:
    """Show a recorded game move by move, with boards, clocks, mistakes and the agents' output."""
    if animated is not (svg is not None):
        raise typer.BadParameter(
            "--svg and --animated belong together; `arena replay ID --show --svg FILE` draws one board"
        )
    from arena.history import replay as steps

    game = recorded_game.read_game(id, db)
    recorded_game.refuse_beyond(game, ply)
    if analyse and not game.analysis:
        game = analysed(game, trust=trust_rules, db=db)
    if html is not None:
        from arena.pages.replay_page import page

        write_file(html, page(game, trust=trust_rules, at=ply).text)
        return
    found = steps.replay(game, trust=trust_rules)
    game = found.game
    if svg is not None:
        _draw(svg, found)
        return
    if found.trouble and not game.moves:
        raise ArenaError(found.trouble)
    if is_possible():
        _step(game, found, ply or 0)
        return
    for line in recorded_game.header(game):
        print(line)
    explained = False
    for step in found.steps[ply or 0 :]:
        print("", *_step_lines(game, found, step, explained=explained), sep="\n")
        explained = step.state is None
    print("", *recorded_game.ending(game), sep="\n")


def _draw(file: Path, replay: Replay) -> None:
    """Writes the game as a moving picture."""
    from arena.pages.animated import animated

    positions = [(step.state, step.last) for step in replay.steps if step.state is not None]
    if not positions:
        raise ArenaError(replay.trouble)
    write_file(file, animated(positions, words.printable(" – ".join(replay.game.players))))


# A step as text.


def _step_lines(game: PastGame, replay: Replay, step: Step, *, explained: bool) -> list[str]:
    """The lines of a step. `explained`: the reason for missing boards has been printed."""
    return [*_position_lines(game, replay, step, explained=explained), *_printed(game, replay, step)]


def _position_lines(
    game: PastGame, replay: Replay, step: Step, *, explained: bool = False, width: int | None = None
) -> list[str]:
    """The ply, the board, the clocks, and what the agent reported about its search; sentences in lines of `width`."""
    board = [] if explained and step.state is None else _board(replay, step)
    mistake, thinking = (_sentence(text, width) for text in (_mistake(game, step), _thinking(step)))
    return [_ply(game, step), *mistake, *board, *_clocks(game, step), *thinking]


def _sentence(text: str, width: int | None) -> list[str]:
    """A sentence about the ply, in lines of `width`; on one line if that is None."""
    if width is None or not text:
        return [f"     {text}"] * bool(text)
    return wrap_lines(text, begin=" " * 5, more=" " * 7, width=width)


def _ply(game: PastGame, step: Step) -> str:
    """The ply that led to the position."""
    move = step.move
    if move is None:
        return "start"
    spent = "" if move.spent is None else f"   {words.seconds(move.spent)}"
    mark = step.judged.mark if step.judged is not None else ""
    return f"{move.ply:3}  {words.printable(_who(game, step))} {words.printable(move.move)}{mark}{spent}"


def _mistake(game: PastGame, step: Step) -> str:
    """What was better, after a mistake; else empty."""
    return "" if step.judged is None else words.mistake(step.judged, game.players)


def _who(game: PastGame, step: Step) -> str:
    who = step.move.who if step.move else ""
    return game.players[who] if isinstance(who, int) else who


def _board(replay: Replay, step: Step) -> list[str]:
    """The board, or the reason why there is none."""
    if step.state is not None:
        return board_lines(step.state, step.last)
    return recorded_game.missing_board(f"no board: {replay.trouble}").splitlines()


def _clocks(game: PastGame, step: Step) -> list[str]:
    """The time left of each player."""
    shown = [
        f"{words.printable(name)} {words.seconds(left)}"
        for name, left in zip(game.players, step.left, strict=True)
        if left is not None
    ]
    return [f"     {'   '.join(shown)}"] if shown else []


def _thinking(step: Step) -> str:
    """What the agent reported about its search; else empty."""
    if step.move is None:
        return ""
    line = f"expects {words.printable(step.move.line)}" if step.move.line else ""
    marks = f"marks {marked}" if (marked := words.marks(step.move.marks)) else ""
    thinking = ", ".join(part for part in (words.thinking(step.move), line, marks) if part)
    return f"says: {thinking}" if thinking else ""


def _printed(game: PastGame, replay: Replay, step: Step) -> list[str]:
    """What the agent printed before its move; after the last move also the other output of all agents."""
    found = _log(f"{_who(game, step)} printed:", step.printed)
    if step.number == len(game.moves):
        for name, leftover in zip(game.players, replay.leftovers, strict=True):
            found += _log(f"{name} printed {leftover.where}:", leftover.text)
    return found


def _log(heading: str, text: str) -> list[str]:
    if not text.strip():
        return []
    lines = [words.without_store(words.printable(line)) for line in text.strip("\n").splitlines()]
    return [f"     {words.printable(heading)}", *(f"     | {line}" for line in lines)]


def screenful(game: PastGame, replay: Replay, number: int, status: str, *, columns: int, rows: int) -> list[str]:
    """A step on a screen of that size, with `status` at the bottom. Of long output of the agents the end is shown."""
    parts = status.split(APART)
    below = side_by_side(parts, width=columns)
    if len(below) > max(1, rows // 6):
        below = side_by_side([parts[0], *parts[-2:]], width=columns)[:2]
    step, room = replay.steps[number], max(0, rows - 1 - len(below))
    ending = recorded_game.ending(game) if number == len(game.moves) else []
    lines = [*_position_lines(game, replay, step, width=columns), *ending]
    if len(lines) > room:
        lines = [*_position_lines(game, replay, step), *ending]
    if len(lines) + 2 <= room:
        lines = [recorded_game.header(game)[0], "", *lines]
    # The empty line above the status gives its place to the last line of a tall board.
    apart = [""] if len(lines) <= room else []
    room += 1 - len(apart)
    printed, free = _printed(game, replay, step), room - len(lines)
    if len(printed) > free >= 2:
        printed = [f"{printed[0].removesuffix(':')} (the end of it):", *printed[1 - free :]]
    lines = [*lines, *printed, *[""] * room][:room]
    return [cut(line, columns) for line in [*lines, *apart, *below]][-rows:]


def _help(columns: int) -> Iterator[str]:
    """The help for the keys."""
    for keys, does in _HELP:
        yield from wrap_lines(does, begin=f"{keys:<18}", more=" " * 18, width=columns)
    yield ""
    yield from wrap_lines(_LOGS, width=columns)


# On a terminal.


@dataclass(slots=True)
class Viewer:
    """The position of the viewer in a game, changed by keys and by the time (in seconds)."""

    last: int
    at: int = 0
    mistakes: Sequence[int] = ()
    """The numbers of the plies that the analysis marked."""
    speed: int = 2
    """Index into _SPEEDS."""
    due: float | None = None
    """Time at which the next move is shown; None while the game does not play automatically."""
    typed: str | None = None
    """The digits of a move number typed so far; None if no number is being typed."""
    helping: bool = False
    passed: Container[int] = ()
    """The numbers of the plies at which a step does not stop."""
    without: str = ""
    """What is said if a mistake is asked for and none is marked."""
    saying: str = ""
    """What is said in the line at the bottom, until the next key."""
    over: bool = False

    def press(self, key: str, now: float) -> None:
        """Handle a key."""
        typed, helping, self.typed, self.helping, self.saying = self.typed, self.helping, None, False, ""
        if helping and key != "quit":
            return
        match key:
            case "quit":
                self.over = True
            case "help":
                self.helping, self.due = True, None
            case "play":
                self.due = None if self.due is not None else self._next_at(now)
                self.at = 0 if self.due is not None and self.at == self.last else self.at
            case "faster" | "slower":
                self.speed += 1 if key == "faster" else -1
                self.speed = min(max(self.speed, 0), len(_SPEEDS) - 1)
                self.due = None if self.due is None else self._next_at(now)
            case "mistake" | "earlier mistake" if not self.mistakes:
                self.saying, self.due = self.without, None
            case "mistake" | "earlier mistake":
                # After the last mistake the first one comes again.
                later = [ply for ply in self.mistakes if ply > self.at]
                before = [ply for ply in self.mistakes if ply < self.at]
                found = [*later, *self.mistakes][:1] if key == "mistake" else [*self.mistakes, *before][-1:]
                self._go(found[0])
            case "jump":
                self.typed, self.due = "", None
            case _ if key.isdigit():
                self.typed, self.due = f"{typed or ''}{key}"[:6], None
            case "rub out" if typed is not None:
                self.typed = typed[:-1]
            case "enter" if typed:
                self._go(int(typed))
            case _ if typed is None or key != "enter":
                places = {"next": self._beside(1), "enter": self._beside(1), "home": 0, "end": self.last}
                self._go(places.get(key, self._beside(-1)))

    def pass_time(self, now: float) -> None:
        """Show the next move if its time has come."""
        if self.due is not None and now >= self.due:
            self._go(self._beside(1), self._next_at(now))

    def _beside(self, by: int) -> int:
        """The next step (by 1), or the one before (by -1)."""
        at = self.at + by
        while at in self.passed:
            at += by
        return at

    def _go(self, wanted: int, due: float | None = None) -> None:
        self.at = min(max(wanted, 0), self.last)
        self.due = None if self.at == self.last else due

    def _next_at(self, now: float) -> float:
        return now + 1 / _SPEEDS[self.speed]

    def status(self) -> str:
        """The line at the bottom: the position, then the keys, with the most important ones last."""
        at = f"{self.at}/{self.last}"
        if self.typed is not None:
            return f"{at}   jump to move: {self.typed}_   (enter)"
        if self.saying:
            return f"{at}   {self.saying}   ?: all keys   q: quit"
        if self.due is not None:
            return f"{at}   playing, {_SPEEDS[self.speed]:g} moves a second   +: faster   -: slower   p: stop   q: quit"
        mistake = "m: next mistake   " * bool(self.mistakes)
        return f"{at}   right or space: next   left: back   {mistake}p: play   ?: all keys   q: quit"


def why_no_mistake(game: PastGame, replay: Replay) -> str:
    """Why no move is marked as a mistake."""
    start = replay.steps[0].state
    if start is not None and start.hidden:
        return "no mistakes are marked in a game with hidden information"
    if not game.analysis:
        return f"no mistakes are marked yet: arena replay {shlex.quote(game.name)} --mistakes"
    return "the analysis found no mistake"


def _step(game: PastGame, replay: Replay, at: int) -> None:
    """Show steps, controlled by the keys, until the user quits."""
    viewer = Viewer(
        len(game.moves),
        at,
        [ply.ply for ply in game.analysis if ply.mark],
        passed={step.number for step in replay.steps if step.passes},
        without=why_no_mistake(game, replay),
    )
    with full_screen(_KEYS) as next_key:
        while not viewer.over:
            columns, rows = os.get_terminal_size(sys.stdout.fileno())
            if viewer.helping:
                shown: Sequence[str] = [cut(line, columns) for line in _help(columns)][: rows - 1]
            else:
                shown = screenful(game, replay, viewer.at, viewer.status(), columns=columns, rows=rows)
            draw(shown)
            key = next_key(None if viewer.due is None else max(0.0, viewer.due - monotonic()))
            if key:
                viewer.press(key, monotonic())
            viewer.pass_time(monotonic())
