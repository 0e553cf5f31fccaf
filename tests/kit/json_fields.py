"""The fields of listings: as their columns have them, and as the tables of docs/reference.md explain them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from arena.cli import Commands
from arena.results.columns import Column, Medium

_TABLE: Final = re.compile(r"^\| field \| \|\n\|---\|---\|\n(?:\|.*\n)*", re.MULTILINE)


def listings() -> Iterator[tuple[str, set[str]]]:
    """All commands whose listings have fields in JSON, with these."""
    every = Commands()
    for name in every.list_commands(None):
        command: Any = every.get_command(None, name)
        inner = {f"{name} {each}": command.get_command(None, each) for each in getattr(command, "places", ())}
        if (default := getattr(command, "default", None)) is not None:
            inner[name] = inner.pop(f"{name} {default}")
        for words, one in (inner or {name: command}).items():
            columns: Iterable[Column[Any]] = getattr(one.callback, "listing", tuple)()
            if fields := {column.name for column in columns if Medium.JSON in column.on}:
                yield words, fields


def explained(page: str, command: str) -> list[set[str]]:
    """The fields in each table of the command's section, which goes from its title to the next one, without fields of
    fields; of a document around a listing, or of an option, there can be tables too."""
    section = re.search(rf"^### `arena {command}(?: --\w+)?`\n(?:(?!##).*\n)*", page, re.MULTILINE)
    tables = _TABLE.findall(section[0]) if section else []
    rows = ([row.split("|")[1] for row in table.splitlines()[2:]] for table in tables)
    return [{name for row in cells for name in re.findall(r"`(\w+)[`.\[]", row)} for cells in rows]
