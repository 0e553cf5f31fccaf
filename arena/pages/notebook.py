"""What a notebook shows of a trace, a game of `practice` and a table of results, as HTML for one cell.

The notebook asks the object, which asks `html` (`arena/__init__.py` sets that). A picture is shown as an image, so that
its style does not change the rest of the notebook. A large trace is shown in part: its tree is not drawn, and its table
ends early. Both are said in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, Final

from adsearch.errors import BadSearch
from adsearch.pictures.svg import Embedded, embedded
from adsearch.pictures.tree_drawing import of_trace
from adsearch.trace import COLUMNS, NULL_WINDOW, Trace, row_of
from agents import Played
from arena.history.words import printable
from arena.pages.drawing import PageFrame, draw
from arena.results import ResultsTable
from arena.results.columns import Column, Listing

_MOST_EVENTS: Final = 200
"""Number of events in the table of a trace."""

Part = str | Embedded | Listing[Any] | Listing[tuple[str, ...]]
"""A sentence, a picture or a table."""


def html(value: Trace | Played | ResultsTable) -> str:
    """The value as HTML, without a page around it."""
    match value:
        case Trace():
            return _drawn([_tree(value)], f"Table of events ({_count(value):,})", _events(value))
        case Played():
            return _drawn([embedded(value.picture), *value.texts])
        case ResultsTable():
            return _drawn(_results(value))


def _drawn(parts: Sequence[Part], title: str = "", folded: Sequence[Part] = ()) -> str:
    """The parts, one below the other; those in `folded` are shown by a click on `title`."""
    return draw("notebook.html", title, PageFrame(), parts=parts, folded=folded).text


def _tree(trace: Trace) -> Part:
    """The drawn tree, or a sentence that says why it is not drawn."""
    try:
        return embedded(of_trace(trace))
    except BadSearch as error:
        return f"The tree is not drawn: {error}."


def _count(trace: Trace) -> int:
    return len(trace.events) + trace.left_out


def _events(trace: Trace) -> list[Part]:
    """The first events as a table."""
    events = trace.events[:_MOST_EVENTS]
    columns = [
        Column[tuple[str, ...]](name=title, title=title, value=itemgetter(place), number=title in COLUMNS[1:4])
        for place, title in enumerate((*COLUMNS[:4], "note"))
    ]
    parts: list[Part] = [Listing(caption="Events in order", columns=columns, rows=[row_of(event) for event in events])]
    if (more := _count(trace) - len(events)) > 0:
        parts.append(f"... and {more:,} more events")
    if any(event.null_window for event in events):
        parts.append(f"({NULL_WINDOW})")
    return parts


def _results(table: ResultsTable) -> list[Part]:
    """The table, with its picture below."""
    if not table.rows:
        return [f"{table.title}: nothing yet"]

    def column(one: Column[Any]) -> Column[Any]:
        return Column(one.name, one.title or one.name, value=lambda row: printable(one.said(row)), number=one.number)

    columns = [*map(column, table.columns)]
    parts: list[Part] = [Listing(caption=table.title, columns=columns, rows=table.listed)]
    if table.note:
        parts.append(table.note)
    if table.picture:
        parts.append(embedded(table.picture))
    return parts
