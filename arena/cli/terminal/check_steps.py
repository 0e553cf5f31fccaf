"""Prints the steps of a check, each as soon as its result is known: for `arena check` and `arena submit`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from arena.cli.terminal.notes import line_width, wrap_lines
from arena.history.words import printable, without_store
from arena.student.checking import NUMBERED_STEPS

if TYPE_CHECKING:
    from arena.student.checking import CheckStep

_SIGNS: Final = {"good": "✓", "warning": "!", "failed": "✗", "skipped": "-"}
_PLAIN: Final = {"good": "ok", "warning": "!", "failed": "x", "skipped": "-"}
"""Signs for a terminal that cannot print the others."""
_STYLES: Final = {"good": "green", "warning": "yellow", "failed": "bold red", "skipped": "dim"}
_INDENT: Final = 6
"""Indent of details below a step."""
_NAMED: Final = 22
"""Width of a step's name."""
_MARGIN: Final = 35
"""Column at which the message of a step starts; on a narrow terminal the message is below the step's name."""
_LABEL: Final = 10
"""Width of a detail's label."""


class StepPrinter:
    """Prints the steps of one agent, each as soon as it is finished."""

    def __init__(self, title: str) -> None:
        """`title`: the line above the steps."""
        from rich.console import Console

        self._console = Console(highlight=False, soft_wrap=True)
        self._width = line_width()
        self._begun = False
        self._signs = signs()
        self._title = title
        self._not_tried: list[str] = []

    def step(self, step: CheckStep) -> None:
        from rich.text import Text

        if not self._begun:
            self._say(plain(self._title), "bold")
        self._begun = True
        number = NUMBERED_STEPS.index(step.name) + 1 if step.name in NUMBERED_STEPS else ""
        if step.light == "skipped" and not step.message:
            self._not_tried.append(step.name)
            return
        style = _STYLES[step.light]
        took = f"{step.seconds:.1f} s"
        margin = _MARGIN if self._width >= _MARGIN * 3 // 2 else _INDENT
        lines = _filled(step.message, self._width - margin)
        first = lines.pop(0) if lines and margin == _MARGIN else ""
        sign = (f"{self._signs[step.light]:<2}", style)
        head = Text.assemble(f"{number:>2} ", sign, f"{step.name:<{_NAMED}}", (f"{took:>6}", "dim"), f"  {first}")
        head.rstrip()
        self._console.print(head)
        for line in lines:
            self._say(" " * margin + line)
        self._details(step)

    def end(self) -> None:
        """Print the names of the steps that were not run."""
        if self._not_tried:
            lines = _filled(f"not run: {', '.join(self._not_tried)}", self._width - _INDENT)
            for number, line in enumerate(lines):
                self._say(f" {' ' if number else self._signs['skipped']}    {line}", "dim")

    def _details(self, step: CheckStep) -> None:
        self._detail("advice", step.advice)
        self._detail("expected", step.expected)
        self._detail("got", step.got)
        where, _, drawn = step.board.partition("\n")
        self._detail("where", where)
        self._block(drawn)
        if step.stderr:
            self._say(f"{' ' * _INDENT}output")
            self._block(step.stderr)
        self._detail("repeat", step.again, style="cyan", whole=True)

    def _detail(self, name: str, text: str, *, style: str = "", whole: bool = False) -> None:
        """Print a labelled text, wrapped unless it is a command to copy (`whole`)."""
        if not text:
            return
        first, *more = [plain(text)] if whole else _filled(text, self._width - _INDENT - _LABEL)
        self._say(f"{' ' * _INDENT}{name:<{_LABEL}}{first}", style)
        for line in more:
            self._say(" " * (_INDENT + _LABEL) + line)

    def _block(self, text: str) -> None:
        for line in filter(None, text.split("\n")):
            shown = plain(line)
            room = self._width - _INDENT - 2
            self._say(" " * (_INDENT + 2) + (shown if len(shown) <= room else f"{shown[: room - 3]}..."), "dim")

    def _say(self, line: str, style: str = "") -> None:
        from rich.text import Text

        self._console.print(Text(line.rstrip(), style))


def _filled(text: str, width: int) -> list[str]:
    return wrap_lines(plain(text), width=width)


def plain(text: str) -> str:
    """`text` without control characters and store paths."""
    return without_store(printable(text))


def signs() -> dict[str, str]:
    """The sign of each result that this terminal can print."""
    try:
        "".join(_SIGNS.values()).encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return _PLAIN
    return _SIGNS
