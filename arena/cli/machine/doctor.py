"""`arena doctor`: checks whether this machine is fit for a tournament, with advice."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

import typer

from arena.cli.asking.record_options import DatabaseOption, open_to_others
from arena.cli.terminal.listings import Shown, listed, show
from arena.cli.terminal.notes import line_width, wrap_lines
from arena.results.columns import fields

if TYPE_CHECKING:
    from arena.play.machine import Finding

FINDINGS: Final = fields(("area", "name", "value", "verdict", "advice"))
_MARKS: Final = {"ok": "ok", "warning": "!", "problem": "x", "unknown": "?", "absent": "-"}
_STYLES: Final = {"ok": "green", "warning": "yellow", "problem": "red", "unknown": "dim", "absent": "dim"}
_LEAST: Final = 20
"""Smallest width of a value, on any terminal."""


@listed(
    lambda: FINDINGS,
    about={
        "area, name, value, advice": "",
        "verdict": "`ok`, `warning`, `problem` or `unknown`",
    },
)
def doctor(shown: Shown, db: DatabaseOption = None) -> None:
    """Check this machine: sandbox, container, clocks, memory, disk; with advice for each problem.

    Sandboxes are started and tested, waiting times and disk speed are measured; this takes a second. "!" makes games
    less fair or less safe, "x" does not work (then the exit code is 1), "?" is not known.

    Example: arena doctor
    """
    from arena.play.machine import Finding, Health, findings
    from db import dialect

    file = dialect.file_of(dialect.url(db))
    found = findings(None if file is None else file.parent)
    after = max((place for place, one in enumerate(found, 1) if one.area == "disk"), default=len(found))
    told = (why.rpartition(": ") for why in open_to_others(file))
    found[after:after] = [Finding("disk", "private", what, Health.WARNING, command) for what, _, command in told]
    if shown.is_table:
        _show_report(found)
    else:
        show(found, FINDINGS, shown)
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
            kind = "absent" if finding.value.startswith("not installed") else finding.verdict
            mark = (f"{_MARKS[kind]:<2}", _STYLES[kind])
            console.print(Text.assemble("  ", mark, f"  {finding.name:<{names}}  {first}"))
            for line in more:
                console.print(Text(margin + line))
            for line in _filled(finding.advice, width):
                console.print(Text(margin + line, _STYLES[finding.verdict]))
    console.print(Text(_summary(found)))


def _filled(text: str, width: int) -> list[str]:
    """The text wrapped to `width`, without control characters."""
    from arena.history.words import printable

    return wrap_lines(printable(text), width=width)


def _summary(found: list[Finding]) -> str:
    """The number of problems and warnings."""
    counts = {kind: sum(finding.verdict == kind for finding in found) for kind in ("problem", "warning")}
    parts = [f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in counts.items() if count]
    return ", ".join(parts) or "No problems found."
