"""Shows a trace in a notebook, as HTML: the tree that the search visited, and the table of its events.

A large trace is shown in part: the tree is not drawn, and the table ends early. Both are said in words.
"""

from __future__ import annotations

from typing import Final

from adsearch.errors import BadSearch
from adsearch.pictures.html import element, image, scrolling, words
from adsearch.pictures.tree_drawing import as_svg
from adsearch.pictures.tree_picture import search_tree
from adsearch.trace import Trace, as_table

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
    more = f"\n... and {count - _MOST_EVENTS:,} more events" if count > _MOST_EVENTS else ""
    events = element("pre", words(as_table(trace, most=_MOST_EVENTS) + more))
    return element("details", element("summary", f"Table of events ({count:,})"), scrolling(events))


def _sentence(text: str) -> str:
    return element("p", words(text))
