"""The page of one search, to step through: the tree grows, with the code that runs and the table of events beside it.

`arena search trace --html` writes it. The page has the whole tree, code and table; a script shows one step at a time.
Without the script, and on paper, the page shows the end of the search. The rows of the table hold what each step
changes.
"""

from __future__ import annotations

from typing import Any, Final

from adsearch.errors import BadSearch
from adsearch.pictures.search_steps import Step, Stepped
from adsearch.pictures.svg import split_style
from adsearch.pictures.textbook_code import LEGEND
from adsearch.pictures.tree_drawing import as_svg
from adsearch.trace import COLUMNS, NULL_WINDOW, row_of
from arena.pages.drawing import PageFrame, draw

MOST_STEPS: Final = 2_000
"""Largest number of steps of a page."""
MOST_NODES: Final = 400
"""Largest number of nodes of a page's tree, with those that were not visited."""
_PICTURE: Final = (
    "A triangle that points up is MAX, one that points down is MIN, a circle is chance. Beside a node: [alpha, beta]. "
    "Dashed: not visited."
)


def page(search: Stepped, *, summary: str) -> str:
    """The whole page, as an HTML document; `summary` is the result on one line. BadSearch for a search that is too
    large."""
    nodes = sum(1 for _ in search.picture.root.walk())
    if len(search.steps) > MOST_STEPS or nodes > MOST_NODES:
        raise BadSearch(
            f"expected a search of at most {MOST_STEPS:,} steps in a tree of at most {MOST_NODES} nodes for a page, "
            f"got {len(search.steps):,} steps and {nodes:,} nodes; limit its depth (--depth)"
        )
    _, tree = split_style(as_svg(search.picture, numbered=True))
    has_cutoffs = any(step.event is not None and step.event.cutoff for step in search.steps)
    null_windows = any(step.event is not None and step.event.null_window for step in search.steps)
    return draw(
        "search.html",
        search.picture.title,
        PageFrame(modules=("search.js",), broad=True),
        summary=summary,
        has_cutoffs=has_cutoffs,
        tree=tree,
        code=None if search.code is None else search.code.lines,
        legend=LEGEND,
        shapes=_PICTURE,
        titles=[*COLUMNS[:4], "note"],
        rows=[_row(step) for step in search.steps],
        note=f"({NULL_WINDOW})" if null_windows else "",
    ).text


def _row(step: Step) -> dict[str, Any]:
    """The row of a step in the table of events, with what the step changes."""
    name, *numbers, note = (
        ("end", "", "", step.value[1] if step.value else "", "") if step.event is None else row_of(step.event)
    )
    return {"name": name, "numbers": numbers, "note": note, "changes": _changes(step)}


def _changes(step: Step) -> dict[str, str]:
    """What the step changes, as attributes of its row that the page's script reads."""
    changes = {"data-at": str(step.node), "data-says": step.says}
    if step.window:
        changes |= {"data-window-of": str(step.window[0]), "data-window": step.window[1]}
    if step.value:
        changes |= {"data-value-of": str(step.value[0]), "data-value": step.value[1]}
    if step.event is not None and step.event.table:
        changes["data-hit"] = "table"
    if step.appears:
        changes["data-appears"] = " ".join(map(str, step.appears))
    if step.lines:
        changes["data-lines"] = " ".join(map(str, step.lines))
    if step.event is not None and step.event.cutoff:
        changes["data-cutoff"] = "yes"
    return changes
