"""The page of one search, to step through: the tree grows, with the code that runs and the table of events beside it.

`arena trace --html` writes it. The page has the whole tree, code and table; a script shows one step at a time. Without
the script, and on paper, the page shows the end of the search. The rows of the table hold what each step changes.
"""

from __future__ import annotations

from typing import Final

from adsearch.errors import BadSearch
from adsearch.pictures.search_steps import Step, Stepped
from adsearch.pictures.svg import split_style
from adsearch.pictures.textbook_code import LEGEND
from adsearch.pictures.tree_drawing import as_svg
from adsearch.trace import COLUMNS, NULL_WINDOW, row_of
from arena.pages import html, stepper
from arena.pages.drawing import Frame, draw, file
from arena.pages.html import element

MOST_STEPS: Final = 2_000
"""Largest number of steps of a page."""
MOST_NODES: Final = 400
"""Largest number of nodes of a page's tree, with those that were not visited."""
_PICTURE: Final = (
    "A triangle that points up is MAX, one that points down is MIN, a circle is chance. Beside a node: [alpha, beta]. "
    "Dashed: not visited."
)
_TO_CUTOFFS: Final = (
    stepper.Button("earlier", "‹ ✂", "previous cut-off", "C"),
    stepper.Button("cutoff", "✂ ›", "next cut-off", "c"),
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
    sheet, tree = split_style(as_svg(search.picture, numbered=True))
    has_cutoffs = any(step.event is not None and step.event.cutoff for step in search.steps)
    body = (
        element("p", html.words(summary), class_="verdict"),
        stepper.controls(
            len(search.steps) - 1,
            more=_TO_CUTOFFS if has_cutoffs else (),
            hint=f"{'; c and C for the next and the previous cut-off' * has_cutoffs}. Click an event to go to it.",
        ),
        element("p", html.words(search.steps[-1].says), id="says"),
        element("div", _tree(tree), _code(search), _table(search), class_="search"),
        stepper.status(),
    )
    return draw(
        "plain.html",
        search.picture.title,
        Frame(script=stepper.SCRIPT + file("scripts/search.js")),
        styles=(sheet, "stepper.css", "search.css"),
        heading="",
        body="\n".join(body),
    ).text


def _tree(drawing: str) -> str:
    return element(
        "section",
        element("h2", "Tree"),
        _box("Tree", drawing, class_="wide picture"),
        class_="tree-part",
    )


def _code(search: Stepped) -> str:
    """The code of the algorithm, if there is one, and what the words and shapes mean."""
    if search.code is None:
        return element("section", element("h2", "Legend"), element("p", _PICTURE, class_="faint"), class_="code-part")
    lines = "".join(element("span", f"{html.words(line)}\n", class_="line") for line in search.code.lines)
    return element(
        "section",
        element("h2", "Code"),
        element("pre", element("code", lines), id="code", tabindex="0", role="group", aria_label="Code"),
        element("p", html.words(LEGEND), class_="faint"),
        element("p", html.words(_PICTURE), class_="faint"),
        class_="code-part",
    )


def _table(search: Stepped) -> str:
    """The table of events; each row has what its step changes."""
    titles = [*COLUMNS[:4], "note"]
    head = [element("th", title, scope="col", class_="number" if title in COLUMNS[1:4] else "text") for title in titles]
    rows = [element("tr", *_cells(step, number), **_changes(step)) for number, step in enumerate(search.steps)]
    null_windows = any(step.event is not None and step.event.null_window for step in search.steps)
    return element(
        "section",
        element("h2", "Events"),
        _box(
            "Events",
            element(
                "table",
                element("caption", "Events of the search in order", class_="unseen"),
                element("thead", element("tr", *head)),
                element("tbody", "\n", *(f"{row}\n" for row in rows)),
            ),
            class_="wide events",
            id="events",
        ),
        element("p", html.words(f"({NULL_WINDOW})"), class_="faint") if null_windows else "",
        class_="events-part",
    )


def _cells(step: Step, number: int) -> list[str]:
    name, *numbers, note = (
        ("end", "", "", step.value[1] if step.value else "", "") if step.event is None else row_of(step.event)
    )
    link = element("a", html.words(name), href=f"#step-{number}", id=f"step-{number}")
    cells = (element("td", html.words(text), class_="number") for text in numbers)
    return [element("td", link), *cells, element("td", html.words(note))]


def _changes(step: Step) -> dict[str, str]:
    """What the step changes, as attributes of its row."""
    changes = {"data_at": str(step.node), "data_says": step.says}
    if step.window:
        changes |= {"data_window_of": str(step.window[0]), "data_window": step.window[1]}
    if step.value:
        changes |= {"data_value_of": str(step.value[0]), "data_value": step.value[1]}
    if step.event is not None and step.event.table:
        changes["data_hit"] = "table"
    if step.appears:
        changes["data_appears"] = " ".join(map(str, step.appears))
    if step.lines:
        changes["data_lines"] = " ".join(map(str, step.lines))
    if step.event is not None and step.event.cutoff:
        changes["data_cutoff"] = "yes"
    return changes


def _box(label: str, inside: str, **attributes: str) -> str:
    """A box that scrolls."""
    return element("div", inside, tabindex="0", role="group", aria_label=label, **attributes)
