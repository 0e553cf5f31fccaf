"""Shows a trace in a notebook, as HTML: the tree that the search visited, and the table of its events.

A large trace is shown in part: the tree is not drawn, and the table ends early. Both are said in words.
"""

from __future__ import annotations

from typing import Final

from adsearch.errors import BadSearch
from adsearch.pictures.html import element, image, table, words
from adsearch.pictures.tree_drawing import as_svg
from adsearch.pictures.tree_picture import search_tree
from adsearch.trace import COLUMNS, NULL_WINDOW, Trace, row_of

_MOST_NODES: Final = 300
"""Largest number of nodes that is drawn: a larger tree is too wide to look at."""
_MOST_EVENTS: Final = 200
"""Number of events in the table."""


def of_trace(trace: Trace) -> str:
    """The trace as HTML."""
    return element("div", _tree(trace), _table(trace))


def _tree(trace: Trace) -> str:
    """The drawn tree, or a sentence that says why it is not drawn."""
    if trace.state is None:
        return _sentence("No search has used this trace yet.")
    try:
        picture = search_tree(trace.state, trace)
    except BadSearch as error:
        return _sentence(f"The tree is not drawn: {error}.")
    nodes = sum(1 for _ in picture.root.walk())
    if nodes > _MOST_NODES:
        return _sentence(
            f"The tree is not drawn: it has {nodes:,} nodes, and at most {_MOST_NODES} fit. Search less deep."
        )
    return image(as_svg(picture))


def _table(trace: Trace) -> str:
    """The first events, folded; a click shows them."""
    count = len(trace.events) + trace.left_out
    title = f"Table of events ({count:,})"
    shown = [row_of(event) for event in trace.events[:_MOST_EVENTS]]
    events = table("Events in order", [*COLUMNS[:4], "note"], shown, numbers=COLUMNS[1:4])
    more = _sentence(f"... and {count - len(shown):,} more events") if count > len(shown) else ""
    null_windows = any(event.null_window for event in trace.events[:_MOST_EVENTS])
    explained = _sentence(f"({NULL_WINDOW})") if null_windows else ""
    return element("details", element("summary", title), events, more, explained)


def _sentence(text: str) -> str:
    return element("p", words(text))
