"""SVG, as far as pictures of trees need it: elements, a document that reads in light and dark, and where nodes stand.

It knows nothing of games. All text goes in through `element` and `words`, which escape it, so what comes out is
well-formed whatever the labels are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Generic, Protocol, Self, TypeVar

_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold, not even escaped."""

_STYLE = """
.tree { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 13px; }
.tree .paper { fill: #ffffff; }
.tree text { fill: #1f2328; text-anchor: middle; }
.tree .beside { text-anchor: start; }
.tree .small, .tree .faint { font-size: 10.5px; }
.tree .faint { fill: #59636e; }
.tree .edge { stroke: #6e7781; stroke-width: 1.3px; fill: none; }
.tree .node { stroke-width: 1.5px; stroke: #1f2328; fill: #ffffff; }
.tree .max { fill: #ddf4ff; stroke: #0969da; }
.tree .min { fill: #ffebda; stroke: #bc4c00; }
.tree .chance { fill: #fbefff; stroke: #8250df; }
.tree .seat { fill: #dafbe1; stroke: #1a7f37; }
.tree .end { fill: #f6f8fa; stroke: #818b98; stroke-width: 1px; }
.tree .best { stroke-width: 3px; }
.tree .edge.best { stroke: #1f2328; stroke-width: 3.5px; }
.tree text.best { font-weight: bold; }
.tree .pruned { stroke: #818b98; stroke-dasharray: 4 4; stroke-width: 1.2px; }
.tree .node.pruned { fill: none; }
.tree text.pruned { fill: #6e7781; stroke: none; }
""".strip()

_DARK = """
.tree .paper { fill: #0d1117; }
.tree text { fill: #e6edf3; }
.tree .faint { fill: #9198a1; }
.tree .edge { stroke: #8b949e; }
.tree .node { stroke: #e6edf3; fill: #0d1117; }
.tree .max { fill: #10294d; stroke: #58a6ff; }
.tree .min { fill: #3f2212; stroke: #f0883e; }
.tree .chance { fill: #2b1c48; stroke: #bc8cff; }
.tree .seat { fill: #12301c; stroke: #3fb950; }
.tree .end { fill: #161b22; stroke: #6e7681; }
.tree .edge.best { stroke: #e6edf3; }
.tree .pruned { stroke: #6e7681; }
.tree .node.pruned { fill: none; }
.tree text.pruned { fill: #8b949e; stroke: none; }
""".strip()


def element(name: str, *inside: str, **attributes: str | float) -> str:
    """An element; `inside` is markup already. An attribute class_ is class, and stroke_width stroke-width."""
    written = "".join(
        f" {key.strip('_').replace('_', '-')}={_attribute(value)}" for key, value in attributes.items() if value != ""
    )
    return f"<{name}{written}>{''.join(inside)}</{name}>" if inside else f"<{name}{written}/>"


def words(text: str) -> str:
    """`text` as markup that shows it, in an attribute too."""
    return escape(_UNPRINTABLE.sub("\ufffd", text))


def _attribute(value: str | float) -> str:
    return f'"{words(value if isinstance(value, str) else number(value))}"'


def number(value: float) -> str:
    """A coordinate."""
    return f"{round(value, 1):.10g}"


def width_of(text: str, size: float) -> float:
    """About how wide `text` is at that font size: measured on wide letters, for it must not touch its neighbour."""
    return sum(0.36 if letter in " ,.:;!|'()[]ijl" else 1.0 if ord(letter) > 0x2E80 else 0.62 for letter in text) * size


def document(width: float, height: float, *body: str, title: str, description: str) -> str:
    """A whole picture. `title` and `description` are what someone hears who does not see it."""
    style = f"{_STYLE}\n@media (prefers-color-scheme: dark) {{\n{_DARK}\n}}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="tree" role="img" width="{number(width)}" '
            f'height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}">',
            element("title", words(title)),
            element("desc", words(description)),
            element("style", words(f"\n{style}\n")),
            element("rect", class_="paper", width=width, height=height, rx=8),
            *body,
            "</svg>\n",
        ]
    )


class Branching(Protocol):
    """A node with children."""

    @property
    def children(self) -> Sequence[Self]: ...


N = TypeVar("N", bound=Branching)


@dataclass(frozen=True, slots=True)
class Placed(Generic[N]):
    """A node, how far to the right of its parent it stands, and the subtree below."""

    node: N
    shift: float
    children: tuple[Placed[N], ...]


Contour = list[tuple[float, float]]
"""For each generation below a node, how far its subtree reaches to the left and to the right of it."""


def tidy(root: N, reach: Callable[[N], tuple[float, float]], *, gap: float) -> tuple[Placed[N], Contour]:
    """Every node above the middle of its children, and subtrees as near each other as they go: no two nodes of one
    generation are nearer than `gap`, when a node reaches as far to the left and right as `reach` says."""
    placed, contours = [], []
    for child in root.children:
        below, contour = tidy(child, reach, gap=gap)
        placed.append(below)
        contours.append(contour)
    shifts: list[float] = []
    whole: Contour = []
    for contour in contours:
        shift = max((right + gap - left for (_, right), (left, _) in zip(whole, contour, strict=False)), default=0.0)
        shifts.append(shift)
        moved = [(left + shift, right + shift) for left, right in contour]
        both = [(first[0], second[1]) for first, second in zip(whole, moved, strict=False)]
        whole = both + (whole if len(whole) > len(moved) else moved)[len(both) :]
    middle = (shifts[0] + shifts[-1]) / 2.0 if shifts else 0.0
    children = tuple(
        Placed(below.node, shift - middle, below.children) for below, shift in zip(placed, shifts, strict=True)
    )
    return Placed(root, 0.0, children), [reach(root), *((left - middle, right - middle) for left, right in whole)]
