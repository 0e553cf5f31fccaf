"""`arena docs`: the documentation in the terminal, offline."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import Annotated

import typer

from adsearch.errors import nearly
from arena.errors import ArenaError


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
        _write(write)
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
    shown = Markdown(text)
    with console.capture() as captured:
        console.print(shown, width=min(console.width, 100))
    os.environ.setdefault("LESS", "FRX")  # it shows colours, and ends at the end of a short text
    pager = shlex.split(os.environ.get("PAGER") or "less")
    if captured.get().count("\n") < console.height or shutil.which(pager[0]) is None:
        print(captured.get(), end="")
    else:
        with console.pager(styles=True):
            console.print(shown, width=min(console.width, 100))


def _list(rows: list[tuple[str, str]], hint: str) -> None:
    from arena.cli.terminal.notes import line_width, wrap_lines

    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        print(*wrap_lines(text, begin=f"{name:<{width}}  ", more=" " * (width + 2), width=line_width()), sep="\n")
    print(f"\n{hint}")


def _write(folder: Path) -> None:
    from arena.pages import manual

    try:
        folder.mkdir(parents=True)
        for name, text in manual.files():
            (folder / name).write_text(text, "utf-8")
    except OSError as error:
        raise ArenaError(f"{folder}: the pages cannot be written: {error.strerror}") from None
    print(f"{folder / 'index.html'}: {len(manual.PAGES)} pages")
