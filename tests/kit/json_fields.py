"""The tables of docs/reference.md that list the fields of listings, from their declarations.

`python -m tests.kit.json_fields` writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from arena.cli import Commands
from arena.results.columns import Column, Medium
from tests.kit.places import ROOT

PAGE: Final = ROOT / "docs" / "reference.md"
_TABLE: Final = re.compile(r"^\| field \| \|\n\|---\|---\|\n(?:\|.*\n)*", re.MULTILINE)


class Declared(NamedTuple):
    """A command's listing."""

    command: str
    """The section of a group is that of its default command."""
    fields: set[str]
    about: Mapping[str, str]

    @property
    def listed(self) -> set[str]:
        """The fields that the words are about, without fields of fields."""
        return {re.split(r"[.\[]", name)[0] for names in self.about for name in names.split(", ")} - {""}

    @property
    def table(self) -> str:
        rows = (
            f"| {', '.join(f'`{name}`' for name in names.split(', '))} |{f' {words}' if words else ''} |\n"
            for names, words in self.about.items()
        )
        return "| field | |\n|---|---|\n" + "".join(rows)


def listings() -> Iterator[Declared]:
    """All listings that have fields in JSON."""
    every = Commands()
    for name in every.list_commands(None):
        command: Any = every.get_command(None, name)
        inner = {f"{name} {each}": command.get_command(None, each) for each in getattr(command, "places", ())}
        if (default := getattr(command, "default", None)) is not None:
            inner[name] = inner.pop(f"{name} {default}")
        for words, one in (inner or {name: command}).items():
            columns: Iterable[Column[Any]] = getattr(one.callback, "listing", tuple)()
            if fields := {column.name for column in columns if Medium.JSON in column.on}:
                yield Declared(words, fields, one.callback.about)


def written(page: str) -> str:
    """The page with the tables as they are declared."""
    for one in listings():
        section = _section(page, one.command)
        # Some sections have tables of other fields too: of a document around the listing, or of an option.
        if one.about and (tables := _TABLE.findall(section)):
            nearest = max(tables, key=lambda table: sum(f"`{name}`" in table for name in one.fields))
            page = page.replace(section, section.replace(nearest, one.table))
    return page


def _section(page: str, command: str) -> str:
    """The section of the command, from its title to the next one; empty if there is none."""
    found = re.search(rf"^### `arena {command}(?: --\w+)?`\n(?:(?!##).*\n)*", page, re.MULTILINE)
    return found[0] if found else ""


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
