"""The tables of docs/json.md that list the fields of listings: which fields there are comes from their declarations.

`python -m tests.kit.json_fields` writes them: it adds a row for each new field, whose words are to be written by hand,
and takes away what is gone. Words that stand there are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from arena.cli import Commands
from arena.results.columns import Column, Medium
from tests.kit.places import ROOT

PAGE: Final = ROOT / "docs" / "json.md"
_TABLE: Final = re.compile(r"^\| field \| \|\n\|---\|---\|\n(?:\|.*\n)*", re.MULTILINE)
_FIELD: Final = re.compile(r"`([\w.\[\]]+)`")


def listings() -> Iterator[tuple[str, list[str]]]:
    """The commands that have a listing, each with the fields of its JSON. The section of a group is that of its default
    command."""
    every = Commands()
    for name in every.list_commands(None):
        command: Any = every.get_command(None, name)
        inner = {f"{name} {each}": command.get_command(None, each) for each in getattr(command, "places", ())}
        if (default := getattr(command, "default", None)) is not None:
            inner[name] = inner.pop(f"{name} {default}")
        for words, one in (inner or {name: command}).items():
            columns: Iterable[Column[Any]] = getattr(one.callback, "listing", tuple)()
            if fields := list(dict.fromkeys(column.name for column in columns if Medium.JSON in column.on)):
                yield words, fields


def written(page: str) -> str:
    """The page with the tables as they should be, for each listing that has a section."""
    for command, fields in listings():
        section = _section(page, command)
        if tables := _TABLE.findall(section):
            table = max(tables, key=lambda one: len({*_names(one)} & {*fields}))
            page = page.replace(section, section.replace(table, "".join(_rows(table, fields))))
    return page


def without_table(page: str) -> set[str]:
    """The commands with a listing of which the page has no table."""
    return {command for command, _ in listings() if not _TABLE.search(_section(page, command))}


def _section(page: str, command: str) -> str:
    """The section of the command, from its title to the next one; empty if there is none."""
    found = re.search(rf"^## `arena {command}(?: --\w+)?`\n(?:(?!## ).*\n)*", page, re.MULTILINE)
    return found[0] if found else ""


def _names(table: str) -> list[str]:
    """The fields in the first column of the table."""
    return [name for row in table.splitlines()[2:] for name in _FIELD.findall(row.split("|")[1])]


def _rows(table: str, fields: Sequence[str]) -> Iterator[str]:
    """The lines of the table with these fields; fields of fields, such as `series[].round`, stay."""
    head, line, *rows = table.splitlines(keepends=True)
    yield from (head, line)
    for row in rows:
        _, names, words = row.split("|", 2)
        if kept := [name for name in _FIELD.findall(names) if re.split(r"[.\[]", name)[0] in {"", *fields}]:
            yield row if kept == _FIELD.findall(names) else f"| {', '.join(f'`{name}`' for name in kept)} |{words}"
    known = {*_names(table)}
    yield from (f"| `{name}` | |\n" for name in fields if name not in known)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
