"""`arena doctor`: what this machine offers to a tournament, and what to do for more."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

import typer

from arena.cli.asking.record_options import DatabaseOption
from arena.cli.terminal.listings import Columns, FormatOption, OutputFormat, show
from arena.cli.terminal.wrapping import line_width, wrap_lines

if TYPE_CHECKING:
    from arena.play.machine import Finding

_COLUMNS: Final[Columns] = {name: itemgetter(name) for name in ("area", "name", "value", "verdict", "advice")}
_MARKS: Final = {"ok": "ok", "warning": "!", "problem": "x", "unknown": "?"}
_STYLES: Final = {"ok": "green", "warning": "yellow", "problem": "red", "unknown": "dim"}
_LEAST: Final = 20
"""So wide a value stays, however narrow it is."""


def doctor(format: FormatOption = OutputFormat.TABLE, db: DatabaseOption = None) -> None:
    """What this machine offers: walls, clocks, memory, disk; and what to do for more.

    Walls are put up and tried, waiting and writing are measured; it takes a
    second. "!" marks what makes games less fair or less safe, "x" what does
    not work (the exit code is then 1), "?" what the system does not tell.

    Example: arena doctor
    """
    from arena.play.machine import Health, findings
    from db import dialect

    file = dialect.file_of(dialect.url(db))
    found = findings(None if file is None else file.parent)
    if format is OutputFormat.TABLE:
        _show_report(found)
    else:
        show([asdict(finding) for finding in found], _COLUMNS, format=format)
    if any(finding.verdict is Health.PROBLEM for finding in found):
        raise typer.Exit(1)


def _show_report(found: list[Finding]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    names = max(len(finding.name) for finding in found)
    margin = " " * (names + 8)
    width = max(line_width() - len(margin), _LEAST)
    for area, group in groupby(found, key=lambda finding: finding.area):
        console.print(Text(area, "bold"))
        for finding in group:
            first, *more = _filled(finding.value, width)
            mark = (f"{_MARKS[finding.verdict]:<2}", _STYLES[finding.verdict])
            console.print(Text.assemble("  ", mark, f"  {finding.name:<{names}}  {first}"))
            for line in more:
                console.print(Text(margin + line))
            for line in _filled(finding.advice, width):
                console.print(Text(margin + line, _STYLES[finding.verdict]))
    console.print(Text(_summary(found)))


def _filled(text: str, width: int) -> list[str]:
    """Lines of at most that width, which are whole words where they fit."""
    from arena.history.words import printable

    return wrap_lines(printable(text), width=width)


def _summary(found: list[Finding]) -> str:
    """How many findings want something done."""
    counts = {kind: sum(finding.verdict == kind for finding in found) for kind in ("problem", "warning")}
    parts = [f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in counts.items() if count]
    return ", ".join(parts) or "All is well."
