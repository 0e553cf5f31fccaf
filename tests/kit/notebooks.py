"""Notebooks without Jupyter: what a value shows, and a whole notebook, run cell by cell.

A cell's last expression is shown as a notebook shows it, by its own HTML or SVG, which must be well-formed. A line that
starts with "!" is a command.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

from msgspec import Struct

from tests.kit.html_validity import check_html


def check_shown(value: Any) -> str:
    """The markup by which a notebook shows `value`; fails if it is not well-formed."""
    if (markup := _given(value, "_repr_html_")) is not None:
        check_html(page("A cell", markup))
        return markup
    if (picture := _given(value, "_repr_svg_")) is not None:
        assert not any("style" in each.attrib for each in fromstring(picture).iter())
        return picture
    return f"<pre>{escape(repr(value))}</pre>"


def _given(value: Any, method: str) -> str | None:
    """What a method returns that notebooks ask for; None if there is no such method."""
    given: str | None = getattr(value, method, lambda: None)()
    return given


def page(title: str, *body: str) -> str:
    """An HTML page with these parts."""
    head = f"<head><meta charset='utf-8'><title>{escape(title)}</title></head>"
    inside = "\n".join(body)
    return f'<!doctype html><html lang="en">{head}<body><main><h1>{escape(title)}</h1>{inside}</main></body></html>'


class Cell(Struct, frozen=True, kw_only=True):
    """A cell, and what stands below it when it has run."""

    kind: str
    """markdown or code."""
    source: str
    printed: str = ""
    value: Any = None
    shown: str = ""
    """The markup of `value`; empty if there is none."""


def run(file: Path, folder: Path) -> Iterator[Cell]:
    """Run the notebook in `folder`, all cells in one namespace."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.chdir(folder):
        for cell in json.loads(file.read_text("utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] != "code":
                yield Cell(kind=cell["cell_type"], source=source)
                continue
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                value = _value(source, names)
            shown = "" if value is None else check_shown(value)
            yield Cell(kind="code", source=source, printed=printed.getvalue(), value=value, shown=shown)


def _value(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; return its last expression."""
    lines = (f"_command({line[1:]!r})" if line.startswith("!") else line for line in source.splitlines())
    body = ast.parse("\n".join(lines)).body
    names["_command"] = _command
    last = body[-1]
    if not isinstance(last, ast.Expr):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        return None
    exec(compile(ast.Module(body[:-1], []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def _command(line: str) -> None:
    """Run a command as a shell does that finds `arena`; print what it prints."""
    name, *arguments = line.split()
    assert name == "arena", line
    environment = {name: value for name, value in os.environ.items() if name != "ARENA_DB"}
    ended = subprocess.run(
        [sys.executable, "-m", "arena", *arguments], capture_output=True, text=True, env=environment, check=True
    )
    print(ended.stdout)
