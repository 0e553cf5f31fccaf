"""`arena doctor`, `arena worker` and `arena docs`: this machine is checked, and plays games of tournaments that run on
other machines; the documentation that came with the program.
"""

from __future__ import annotations

import os
import shlex
import shutil
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from adsearch.errors import nearly
from arena.cli.asking.record_options import DatabaseOption, open_to_others
from arena.cli.terminal.listings import Shown, listed, show
from arena.cli.terminal.notes import line_width, wrap_lines
from arena.errors import ArenaError
from arena.history.words import printable
from arena.results.columns import fields

if TYPE_CHECKING:
    from arena.play.machine import Finding

# `arena doctor`: checks whether this machine is fit for a tournament, with advice.


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
            first, *more = wrap_lines(printable(finding.value), width=width)
            kind = "absent" if finding.value.startswith("not installed") else finding.verdict
            mark = (f"{_MARKS[kind]:<2}", _STYLES[kind])
            console.print(Text.assemble("  ", mark, f"  {finding.name:<{names}}  {first}"))
            for line in more:
                console.print(Text(margin + line))
            for line in wrap_lines(printable(finding.advice), width=width):
                console.print(Text(margin + line, _STYLES[finding.verdict]))
    counts = {kind: sum(finding.verdict == kind for finding in found) for kind in ("problem", "warning")}
    parts = [f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in counts.items() if count]
    console.print(Text(", ".join(parts) or "No problems found."))


# `arena worker`: plays games of tournaments that run on other machines.


def worker(
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="Address of the Dask scheduler, such as tcp://scheduler:8786.")
    ],
    games: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=1024,
            help="Number of games played at the same time.",
            show_default="processor cores minus one",
        ),
    ] = None,
) -> None:
    """Play games for `arena run --on ADDRESS`: this machine becomes a game host of a Dask cluster.

    Agents run behind the same walls as in `arena run`. The command runs until Ctrl-C: pressed once, it finishes the
    games in progress, twice, it stops immediately; SIGTERM does the same. If the scheduler goes away, it waits five
    minutes for one at the same address. A connection over TLS (tls://) uses the certificates of Dask's configuration.

    Everyone who can connect to the scheduler can run programs on this machine as your user: see
    `arena docs tournaments`.

    Example: arena worker tcp://scheduler:8786 --games 4
    """
    from arena.hosts.messages import check_address, check_certificate, check_dask

    check_address(address, "ADDRESS")
    check_dask("arena worker")
    check_certificate(address, "ADDRESS", "worker")
    from arena.hosts.worker import play_for

    number = play_for(address, lambda text: print(text, flush=True), games=games)
    raise typer.Exit(128 + number)


# `arena docs`: the documentation in the terminal, offline.


def docs(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="PAGE|WORD...", help="A page, a part of it such as course#deadlines, or words to find."),
    ] = None,
    write: Annotated[
        Path | None, typer.Option("--write", help="Write all pages as a site into this new folder.")
    ] = None,
) -> None:
    """Read or search the documentation, which came with the program.

    Without PAGE it lists the pages. Into a file or a pipe it prints the page's Markdown.

    Example: arena docs first-evening

    Example: arena docs out of time
    """
    from arena.pages import manual

    if write is not None:
        if words:
            raise typer.BadParameter("--write writes all pages: leave out the page")
        try:
            write.mkdir(parents=True)
            for name, text in manual.files():
                (write / name).write_text(text, "utf-8")
        except OSError as error:
            raise ArenaError(f"{write}: the pages cannot be written: {error.strerror}") from None
        print(f"{write / 'index.html'}: {len(manual.PAGES)} pages")
        return
    name, sign, at = words[0].lower().partition("#") if words and len(words) == 1 else ("", "", "")
    is_old = name in manual.OLD_NAMES and not sign  # such as "time": a word to find
    page = manual.page_called(name) if name and not is_old else None
    if page is not None:
        parts = [part for part in manual.sections(page) if at in ("", part.anchor)]
        if not parts:
            anchors = ", ".join(part.anchor for part in manual.sections(page) if part.anchor)
            raise ArenaError(f"the page {page} has no part {at!r}; its parts: {anchors}")
        _read("\n\n".join(part.text for part in parts))
    elif not words:
        _list(
            [(one, manual.about(one)) for one in manual.PAGES], "arena docs PAGE reads one; arena docs WORD... searches"
        )
    else:
        found = manual.found(" ".join(words))
        if not found:
            hint = nearly(name, manual.PAGES) or "; `arena docs` lists the pages"
            raise ArenaError(f"no page has {' '.join(words)!r}{hint}")
        if len(found) == 1:
            _read(found[0].text)
        else:
            rows = [(part.name, manual.excerpt(part, " ".join(words))) for part in found]
            _list(rows, f"arena docs {found[0].name} reads the first one")


def _read(text: str) -> None:
    """Shows Markdown, a screen at a time."""
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    if not console.is_terminal:
        print(text)
        return
    shown, width = Markdown(text), min(console.width, 100)
    with console.capture() as captured:
        console.print(shown, width=width)
    os.environ.setdefault("LESS", "FRX")  # it shows colours, and ends at the end of a short text
    pager = shlex.split(os.environ.get("PAGER") or "less")
    if captured.get().count("\n") < console.height or shutil.which(pager[0]) is None:
        print(captured.get(), end="")
    else:
        with console.pager(styles=True):
            console.print(shown, width=width)


def _list(rows: list[tuple[str, str]], hint: str) -> None:
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        print(*wrap_lines(text, begin=f"{name:<{width}}  ", more=" " * (width + 2), width=line_width()), sep="\n")
    print(f"\n{hint}")
