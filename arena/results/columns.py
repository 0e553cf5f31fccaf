"""A listing, declared once: its columns, and what stands in each of them for a row.

Every way to show a listing comes from its columns: tables in a terminal, in Markdown and in a notebook, CSV and JSON,
the tables of pages, the live table and the TV. A column stands in all of these, unless `on` says where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from enum import Flag, auto
from html import escape
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from msgspec import Struct

from arena.history import csv_cells
from arena.history.words import number, printable

if TYPE_CHECKING:
    from arena.results.report import ListedGame
    from db.web import LastResult

Row = TypeVar("Row")
_LONG: Final = 100
"""Number of rows from which on a table scrolls in a box."""


class Medium(Flag):
    """Where columns stand."""

    TABLE = auto()
    """In a terminal, in Markdown and in a notebook."""
    LIVE = auto()
    """In the table of a running tournament."""
    CSV = auto()
    JSON = auto()
    """Of commands and of the web."""
    PAGE = auto()
    LADDER = auto()
    """On the page of a ladder."""
    TV = auto()


NOWHERE: Final = Medium(0)
ALL: Final = ~NOWHERE
PROGRAMS: Final = Medium.CSV | Medium.JSON
PAGES: Final = Medium.PAGE | Medium.LADDER
TABLES: Final = Medium.TABLE | Medium.LIVE | PAGES


class Cell(Struct, frozen=True, kw_only=True):
    """What stands in one place of a table of a page."""

    text: str = ""
    href: str | None = None
    """The address that the text leads to."""
    label: str = ""
    """What a screen reader says of the link, if the text alone does not say it."""
    place: str | None = None
    """A number before the text."""
    players: Sequence[tuple[str, str | None]] = ()
    """The players of a game instead of a text, each with the address of its page."""
    current: bool = False
    """Whether the link leads to the page that it is on."""
    small: str = ""
    """What stands after the text in small letters."""
    notes: Sequence[str] = ()
    """Short remarks after the text."""
    person: str = ""
    """Who is behind the agent; in a line below."""
    title: str = ""
    """The whole text, where a long one is cut."""
    kind: str = ""
    """How it is shown, as a CSS class, if not as the rest of its column."""
    picture: str = ""
    """A small picture before the text, as SVG."""
    marks: Sequence[tuple[str, str, str, str | None]] = ()
    """Letters or numbers in a row, each with its kind as a class, what it means, and its address."""
    state: tuple[str, str | None] | None = None
    """What is going on, after the text, with its address."""


def named(
    name: str,
    href: str | None,
    *,
    notes: Sequence[str] = (),
    place: str | None = None,
    person: str = "",
    playing: str | None = None,
) -> Cell:
    """An agent at the start of a row, with the person behind it. `playing`: the address of its game in progress."""
    full = f"{name} ({person})" if person else name
    state = None if playing is None else ("playing", playing)
    return Cell(text=name, href=href, notes=notes, place=place, person=person, title=full, state=state)


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column: what stands in it for each row."""

    name: str
    """For programs: the field in JSON, the title in CSV, and what --columns and --sort take."""
    title: str = ""
    """The heading of a table; by default the name."""
    _: KW_ONLY
    value: Callable[[Row], Any] | None = None
    """What programs read, with all digits; by default the field of that name. In a column that only a page has: the
    text, or a `Cell` if the column heads its rows or is brief."""
    text: Callable[[Row], str] | None = None
    """What people read; by default the value, with two decimal places."""
    csv: Callable[[Row], str] | None = None
    """What stands in CSV; by default the value."""
    csv_title: str = ""
    """By default the name."""
    cell: Callable[[Row, Any], str | Cell] | None = None
    """What stands on a page, given what the page knows besides the row; by default the text."""
    type: Any = Any
    """Of the value, for the JSON schema."""
    on: Medium = ALL
    optional: Medium = NOWHERE
    """Where the column is left out if it says nothing of any row."""
    heading: str = ""
    """The heading on a page; by default the title."""
    number: bool = False
    """Whether it is right-aligned, and never wrapped."""
    lines: bool = False
    """Whether its line ends are kept in CSV."""
    narrow: int = 0
    """Where names are cut if a table is too wide: the width that they keep as long as other columns can be dropped."""
    cut: Callable[[Row, int], str] | None = None
    """The text of a narrow column in a width; by default its end is cut."""
    wrapped: int = 16
    """The width to which the texts of the last column are wrapped if a table is too wide."""
    shorter: Callable[[Row], str] | None = None
    """A shorter text, if a table is too wide."""
    spare: int = 0
    """Whether the column is dropped if a table is too wide: all with 1 are dropped first."""
    short: str = ""
    """The heading on a page, if the title is too long for the column."""
    heads: bool = False
    """Whether its cells are the headings of their rows."""
    kind: str = ""
    """How its cells are shown on a page, as a CSS class."""
    heading_kind: str = ""
    """The same of its heading."""
    brief: bool = False
    """Whether long texts are cut."""

    def of(self, row: Row) -> Any:
        """The value."""
        if self.value is not None:
            return self.value(row)
        return row[self.name] if isinstance(row, Mapping) else getattr(row, self.name)

    def said(self, row: Row) -> str:
        """The text."""
        if self.text is not None:
            return self.text(row)
        value = self.of(row)
        return number(value) if isinstance(value, float) else csv_cells.exact(value)

    def in_csv(self, row: Row) -> str:
        """The cell of CSV, before it is made safe."""
        return csv_cells.exact(self.of(row)) if self.csv is None else self.csv(row)

    def drawn(self, page: object) -> Column[Row]:
        """The column of a page that knows this."""
        cell = self.cell
        value = self.said if cell is None else lambda row: cell(row, page)
        return replace(self, value=value, title=self.heading or self.title or self.name)


class Listing(Struct, Generic[Row], frozen=True, kw_only=True):
    """A table of a page, which draws it with the macro `table` (arena/pages/templates/macros.html)."""

    caption: str
    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    kind: str = ""
    """Which table it is, as a CSS class."""

    @property
    def is_long(self) -> bool:
        """Whether its rows scroll below its headings."""
        return len(self.rows) > _LONG


def worded(*columns: Column[Row]) -> tuple[Column[Row], ...]:
    """The columns of a listing whose CSV has the texts and the titles of its table."""
    return tuple(replace(one, csv=one.said, csv_title=one.title) for one in columns)


def fields(names: Iterable[str], *, on: Medium = ALL) -> tuple[Column[Any], ...]:
    """Columns of the fields with these names."""
    return tuple(Column(name, on=on) for name in names)


def standing_in(
    columns: Iterable[Column[Row]], medium: Medium, rows: Collection[Row], first: Sequence[str] = ()
) -> list[Column[Row]]:
    """The columns of that medium for these rows, those with the names `first` before all others."""
    found = [
        one
        for one in columns
        if medium in one.on and (medium not in one.optional or any(one.said(row) for row in rows))
    ]
    return sorted(found, key=lambda one: first.index(one.name) if one.name in first else len(first))


def document(row: Row, columns: Iterable[Column[Row]]) -> dict[str, Any]:
    """The row as a JSON object."""
    return {one.name: one.of(row) for one in columns if Medium.JSON in one.on}


def markdown(rows: Iterable[Row], columns: Sequence[Column[Row]]) -> Iterator[str]:
    """The lines of a table in Markdown. No text of a cell is markup or ends the cell."""
    yield f"| {' | '.join(_escaped(one.title or one.name) for one in columns)} |"
    yield f"|{'|'.join(' ---: ' if one.number else ' --- ' for one in columns)}|"
    for row in rows:
        yield f"| {' | '.join(_escaped(one.said(row)) for one in columns)} |"


def _escaped(text: str) -> str:
    return re.sub(r"[\\|`*_\[\]~#]", r"\\\g<0>", escape(printable(text), quote=False))


# The addresses of other pages, which tables and pages with results link to.


class Links(Protocol):
    """Addresses of other pages, as seen from the page that is made."""

    def agent(self, name: str) -> str:
        """The page of an agent."""
        ...

    def pair(self, one: str, other: str) -> str | None:
        """The games of two agents against each other; None if they have no page."""
        ...

    def game(self, listed: ListedGame | LastResult) -> str | None:
        """The page of a game; None if it has none."""
        ...

    def live(self, _: int, /) -> str | None:
        """The page of a game in progress; None if it has none."""
        ...
