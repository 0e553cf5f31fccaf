"""Draws a tree (a `Picture`) as text, as DOT for Graphviz, and as SVG.

MAX is a triangle pointing up, MIN a triangle pointing down, chance a circle, another player a square with the seat's
number. Pruned branches are dashed and grey; the principal variation is bold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Generic, Protocol, Self, TypeVar

from adsearch.errors import BadSearch
from adsearch.pictures import svg
from adsearch.pictures.tree_picture import Node, Picture, Shape, search_tree
from adsearch.result import Bound
from adsearch.state import State
from adsearch.trace import SIGNS, Trace, Value, signed, written

_MOST_NODES: Final = 300
"""Largest number of nodes of a drawn trace: a larger tree is too wide to look at in a notebook."""


def as_text(picture: Picture) -> str:
    """The tree with one node per line; heavy strokes mark the principal variation, dotted strokes pruned branches."""
    return "\n".join(_lines(picture.root, "", ""))


def _lines(node: Node, first: str, rest: str) -> Iterator[str]:
    """The lines of `node`, with the prefixes `first` for its first line and `rest` for the others."""
    yield first + _summary(node)
    if node.position is not None:
        for line in str(node.position).splitlines():
            yield (rest + ("│  " if node.children else "   ") + line).rstrip()
    for number, child in enumerate(node.children, 1):
        last = number == len(node.children)
        if not child.visits:
            branch = "└╌ " if last else "├╌ "
        elif child.best:
            branch = "┕━ " if last else "┝━ "
        else:
            branch = "└─ " if last else "├─ "
        yield from _lines(child, rest + branch, rest + ("   " if last else "│  "))


def _summary(node: Node) -> str:
    """A node's data on one line."""
    who = f"{node.name or node.label} {node.player}".rstrip()
    if not node.visits:
        return f"{who}  {'pruned' if node.cut else 'not visited'}"
    parts = [
        who if node.value is None else f"{who} {signed(node.value, node.bound)}",
        "table" if node.table else "",
        node.window,
        "" if node.probability is None else f"p={written(node.probability)}",
        f"{node.visits} visits" if node.visits > 1 else "",
        _alike(node),
        "..." if node.more and node.value is None else "",
    ]
    return "  ".join(filter(None, parts))


def _alike(node: Node) -> str:
    """For how many moves of the parent the node stands."""
    return f"{node.alike} alike" if node.alike > 1 else ""


# DOT

_DOT_SHAPES: Final = {
    Shape.MAX: "triangle",
    Shape.MIN: "invtriangle",
    Shape.CHANCE: "circle",
    Shape.SEAT: "square",
    Shape.END: "box",
}


def as_dot(picture: Picture) -> str:
    """The tree in DOT, the language of Graphviz."""
    lines = [
        "digraph tree {",
        f"  graph [label={_dot_quoted(picture.title)}, ordering=out]",
        "  node [fixedsize=false]",
        "  edge [dir=none]",
    ]
    numbers = {id(node): number for number, node in enumerate(picture.root.walk())}
    for node in picture.root.walk():
        lines.append(f"  n{numbers[id(node)]} [{_dot_node(node)}]")
        for child in node.children:
            lines.append(f"  n{numbers[id(node)]} -> n{numbers[id(child)]} [{_dot_edge(child)}]")
    return "\n".join([*lines, "}\n"])


def _dot_node(node: Node) -> str:
    inside = [str(node.seat)] if node.shape is Shape.SEAT else []
    if node.value is not None:
        sign = "" if node.bound is Bound.EXACT else SIGNS[node.bound]
        inside.append(sign + written(node.value))
    attributes = {
        "shape": _DOT_SHAPES[node.shape],
        "label": _dot_quoted("\n".join(inside)),
        "tooltip": _dot_quoted(_summary(node)),
    }
    if node.position is not None:
        # Lines that end with \\l are aligned on the left.
        board = "".join(f"{line}\n" for line in [*str(node.position).splitlines(), *inside])
        attributes |= {"shape": "box", "fontname": "monospace", "label": _dot_quoted(board).replace("\\n", "\\l")}
    outside = "\n".join(filter(None, (node.name, node.window)))
    if outside:
        attributes["xlabel"] = _dot_quoted(outside)
    return _dot_list(attributes, node)


def _dot_edge(child: Node) -> str:
    return _dot_list({"label": _dot_quoted("\n".join(_on_edge(child)))}, child)


def _dot_list(attributes: dict[str, str], node: Node) -> str:
    if not node.visits:
        attributes |= {"style": "dashed", "color": "gray", "fontcolor": "gray"}
    elif node.best:
        attributes |= {"style": "bold", "penwidth": "3"}
    return ", ".join(f"{key}={value}" for key, value in attributes.items())


def _dot_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


# SVG

_SIZE: Final = 13.0
"""Font size, and font size of the text beside a node, in pixels."""
_SMALL: Final = 10.5
_HALF: Final = 19.0
"""Half the height of a node."""
_HALF_SEAT: Final = 17.0
_HALF_SMALL: Final = 11.0
_PADDING: Final = 5.0
"""Between a board and its frame."""
_LINE: Final = 17.0
"""Height of the text below a board."""
_GAP: Final = 12.0
_MARGIN: Final = 18.0

LIGHT: Final = """
.tree { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 13px;
  text-anchor: middle; }
.tree .paper { fill: #ffffff; }
.tree text { fill: #1f2328; }
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

DARK: Final = """
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


def as_svg(picture: Picture, *, numbered: bool = False) -> str:
    """The tree as an SVG document, for light and dark mode.

    `numbered`: each part has its node's number (`data-node`, in the order of `Node.walk`), so that a script can change
    it. The texts that change have the classes `value`, `window` and `hit` (in the table)."""
    return _Svg(picture, numbered=numbered).document()


def of_trace(trace: Trace) -> str:
    """The tree that the search visited, as an SVG document; BadSearch says why there is none."""
    if trace.state is None:
        raise BadSearch("no search has used this trace yet")
    picture = search_tree(trace.state, trace)
    if (nodes := sum(1 for _ in picture.root.walk())) > _MOST_NODES:
        raise BadSearch(f"it has {nodes:,} nodes, and at most {_MOST_NODES} fit; search less deep")
    return as_svg(picture)


class _Svg:
    """The state of one drawing."""

    def __init__(self, picture: Picture, *, numbered: bool) -> None:
        self.picture = picture
        # An explicit tree's root has a name; the start of a game is only "root".
        root = picture.root
        self.root_label = "" if root.name or root.position is not None or root.label == "root" else root.label
        self.boards = {id(node): board_of(node.position) for node in picture.root.walk() if node.position is not None}
        self.numbers = {id(node): number for number, node in enumerate(picture.root.walk())} if numbered else {}
        inside = [_inside(node) for node in picture.root.walk() if node.shape in (Shape.MAX, Shape.MIN)]
        # At the height of the number, a triangle's width is about 0.6 of its base. All nodes have the widest's width.
        self.half = max([22.0, *(svg.width_of(text, _inside_size(text)) / 1.15 + 2.0 for text in inside)])
        self.placed, self.contour = tidy(picture.root, self.reach, gap=_GAP)
        self.levels = self.heights()
        self.edges: list[str] = []
        self.best_edges: list[str] = []
        self.nodes: list[str] = []
        self.labels: list[str] = []

    def document(self) -> str:
        """The whole picture: edges at the back, then nodes, then labels."""
        left = min(left for left, _ in self.contour)
        right = max(right for _, right in self.contour)
        self.draw(self.placed, _MARGIN - left, 0)
        if self.root_label:
            above = self.levels[0] - self.half_height(self.picture.root) - 6.0
            self.labels.append(svg.element("text", svg.words(self.root_label), x=_MARGIN - left, y=above))
        return svg.document(
            right - left + 2 * _MARGIN,
            self.levels[-1] + self.lowest + _MARGIN,
            *self.edges,
            *self.best_edges,
            *self.nodes,
            *self.labels,
            kind="tree",
            title=self.picture.title,
            description=self.picture.description,
            style="\n".join([LIGHT, *{board.sheet: None for board in self.boards.values()}]).strip(),
            dark=DARK,
        )

    def half_width(self, node: Node) -> float:
        """Half the width of a node's shape."""
        if node.position is not None:
            board = self.boards[id(node)]
            return max(board.width / 2 + _PADDING, svg.width_of(_caption(node), _SIZE) / 2 + _PADDING)
        if node.shape in (Shape.MAX, Shape.MIN):
            return self.half if _inside(node) else self.half_height(node) + 2.0
        if node.shape is Shape.END:
            return max(_HALF_SMALL, _half_text(node))
        return self.half_height(node)

    def half_height(self, node: Node) -> float:
        """Half the height of a node's shape; less for a node without a number."""
        if node.position is not None:
            return self.boards[id(node)].height / 2 + _PADDING + (_LINE / 2 if _caption(node) else 0.0)
        if node.shape is Shape.END or not _inside(node):
            return _HALF_SMALL
        if node.shape is Shape.CHANCE:
            return max(_HALF, _half_text(node))
        return _HALF_SEAT if node.shape is Shape.SEAT else _HALF

    def reach(self, node: Node) -> tuple[float, float]:
        """How much room a node needs to its left and right, what stands beside it and on its edge included."""
        half = self.half_width(node)
        beside = max((svg.width_of(text, _SMALL) for text in (*_beside(node), node.room) if text), default=-4.0)
        # The labels of siblings are 0.6 times as far apart as the nodes. Short ones have more room than they need.
        width = max((svg.width_of(text, _SIZE) for text in _on_edge(node)), default=0.0)
        label = max(width * 1.5, (width + 2.0) / 0.6 - _GAP) / 2
        if node is self.picture.root:
            label = svg.width_of(self.root_label, _SIZE) / 2
        return -max(half, label), max(half + 4.0 + beside, label)

    def heights(self) -> list[float]:
        """The y coordinate of each generation; lower if edges are long."""
        spans: list[float] = []
        # By how much the highest node of each generation is higher than a shape.
        higher = [0.0]

        def look(placed: Placed[Node], depth: int) -> None:
            higher[depth] = max(higher[depth], self.half_height(placed.node) - _HALF)
            if placed.children and depth + 1 == len(higher):
                higher.append(0.0)
            for child in placed.children:
                if depth == len(spans):
                    spans.append(0.0)
                spans[depth] = max(spans[depth], abs(child.shift), 550.0 if child.node.probability is not None else 0.0)
                look(child, depth + 1)

        look(self.placed, 0)
        heights = [_MARGIN + _HALF + higher[0] + (_LINE if self.root_label else 0.0)]
        for span, (above, below) in zip(spans, pairwise(higher), strict=True):
            heights.append(heights[-1] + min(max(86.0, 0.2 * span), 240.0) + above + below)
        self.lowest = _HALF + higher[-1]
        return heights

    def draw(self, placed: Placed[Node], x: float, depth: int) -> None:
        """Draw a node at `x` and its subtree."""
        node = placed.node
        y = self.levels[depth]
        self.nodes.append(self.shape(node, x, y))
        for child in placed.children:
            self.draw_edge(child.node, (x, y + self.half_height(node)), (x + child.shift, self.levels[depth + 1]))
            self.draw(child, x + child.shift, depth + 1)

    def draw_edge(self, child: Node, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Draws the edge to `child`, which stands at `end`, with the move and its probability."""
        (x1, y1), (x2, y2) = start, (end[0], end[1] - self.half_height(child))
        lines = self.best_edges if child.best else self.edges
        marks = self.marks(child)
        lines.append(svg.element("line", class_=f"edge{_state(child)}", x1=x1, y1=y1, x2=x2, y2=y2, **marks))
        texts = _on_edge(child)
        x, y = x1 + (x2 - x1) * 0.6, y1 + (y2 - y1) * 0.6 - 7.0 * len(texts)
        for number, text in enumerate(texts):
            kind, size = ("", _SIZE) if number == 0 else ("faint", _SMALL)
            width, height = svg.width_of(text, size) + 4.0, size + 2.0
            # The edge is interrupted where the label stands.
            self.labels += [
                svg.element("rect", class_="paper", x=x - width / 2, y=y, width=width, height=height, **marks),
                svg.element(
                    "text", svg.words(text), class_=f"{kind}{_state(child)}".strip(), x=x, y=y + size - 1.5, **marks
                ),
            ]
            y += height

    def shape(self, node: Node, x: float, y: float) -> str:
        """The shape of a node with its texts inside and beside it, and a tooltip with all its data."""
        half, height = self.half_width(node), self.half_height(node)
        kind = f"node {node.shape.value.lower()}{_state(node)}"
        if node.position is not None:
            outline = svg.element("rect", class_=kind, x=x - half, y=y - height, width=2 * half, height=2 * height)
        elif node.shape is Shape.MAX:
            outline = svg.polygon(kind, [(x, y - height), (x - half, y + height), (x + half, y + height)])
        elif node.shape is Shape.MIN:
            outline = svg.polygon(kind, [(x, y + height), (x - half, y - height), (x + half, y - height)])
        elif node.shape is Shape.CHANCE:
            outline = svg.element("circle", class_=kind, cx=x, cy=y, r=half)
        else:
            corner = {"rx": 4.0} if node.shape is Shape.END else {}
            outline = svg.element(
                "rect", class_=kind, x=x - half, y=y - height, width=2 * half, height=2 * height, **corner
            )
        # A title with the last value would be wrong while the tree grows.
        parts = [outline] if self.numbers else [svg.element("title", svg.words(_summary(node))), outline]
        baseline = y + 4.5 + {Shape.MAX: 9.0, Shape.MIN: -8.0}.get(node.shape, 0.0)
        marks = self.marks(node)
        if node.position is not None:
            board = self.boards[id(node)]
            parts.append(board.at(x - board.width / 2, y - height + _PADDING))
            if _caption(node):
                # The value is an element of its own, so that a script can change it.
                value = svg.element("tspan", svg.words(_value(node)), class_="value") if marks and _value(node) else ""
                text = svg.words(f"{node.player} ".lstrip()) + value if value else svg.words(_caption(node))
                parts.append(svg.element("text", text, class_=_state(node).strip(), x=x, y=y + height - 5.0))
        elif _inside(node):
            size = "" if _inside_size(_inside(node)) == _SIZE else " small"
            changes = " value" if marks and node.shape is not Shape.SEAT else ""
            kind = f"{_state(node)}{size}{changes}".strip()
            parts.append(svg.element("text", svg.words(_inside(node)), class_=kind, x=x, y=baseline))
        beside = _beside(node)
        for number, text in enumerate(beside):
            line = y + 4.0 + 13.0 * (number - (len(beside) - 1) / 2)
            changes = {node.window: " window", "table": " hit", _value(node): " value"}.get(text, "") if marks else ""
            kind = f"beside faint{changes}"
            parts.append(svg.element("text", svg.words(text), class_=kind, x=x + half + 4.0, y=line))
        return svg.element("g", *parts, **marks)

    def marks(self, node: Node) -> dict[str, str]:
        """The attributes that say whose part it is."""
        return {"data_node": str(self.numbers[id(node)])} if self.numbers else {}


def _state(node: Node) -> str:
    """The CSS classes of a node and of its edge: best, pruned, or none."""
    return " best" if node.best else "" if node.visits else " pruned"


def _half_text(node: Node) -> float:
    """Half the width of the text inside a node, with a margin."""
    return svg.width_of(_inside(node), _inside_size(_inside(node))) / 2 + 5.0


def _inside_size(text: str) -> float:
    """The size of the font inside a node."""
    return _SIZE if len(text) <= 4 else _SMALL


def _inside(node: Node) -> str:
    """The text inside a node: its value, or a seat's number."""
    if node.shape is Shape.SEAT:
        return str(node.seat)
    return _value(node)


def _value(node: Node) -> str:
    """A node's value, with a sign if it is only a bound."""
    return "" if node.value is None else value_text(node.value, node.bound)


def value_text(value: Value, bound: Bound | None) -> str:
    """A value as a node shows it: short, and with a sign if it is only a bound."""
    return ("" if bound in (None, Bound.EXACT) else SIGNS[bound]) + written(value, digits=3)


def _caption(node: Node) -> str:
    """The text below a board: who moves, and the value."""
    return " ".join(filter(None, (node.player, _value(node))))


def _beside(node: Node) -> list[str]:
    """The lines of text to the right of a node."""
    value = _value(node) if node.shape is Shape.SEAT and node.position is None else ""
    gate = node.player if node.problem else ""
    return [*filter(None, (node.name, gate, value, node.window, "table" if node.table else ""))]


def _on_edge(node: Node) -> list[str]:
    """The lines of text on the edge to a node. In a tree whose moves are the names of nodes, the name is enough."""
    label = "" if node.label == node.name else node.label
    odds = "" if node.probability is None else written(node.probability, digits=3)
    return [*filter(None, (label, odds, _alike(node)))]


# Layout.


class Branching(Protocol):
    """A node with children."""

    @property
    def children(self) -> Sequence[Self]: ...


N = TypeVar("N", bound=Branching)


@dataclass(frozen=True, slots=True)
class Placed(Generic[N]):
    """A node, its distance to the right of its parent, and its subtree."""

    node: N
    shift: float
    children: tuple[Placed[N], ...]


Contour = list[tuple[float, float]]
"""For each generation below a node, how far its subtree extends to the left and to the right."""


def tidy(root: N, reach: Callable[[N], tuple[float, float]], *, gap: float) -> tuple[Placed[N], Contour]:
    """Place every node above the middle of its children, with subtrees as close as possible: nodes of one generation
    have at least `gap` between them; `reach` gives a node's extent to the left and to the right."""
    placed = []
    contours = []
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


_SIDE: Final = 84.0
"""The longest side of a board, in pixels."""
_BOARD: Final = re.compile(r'<svg [^>]*class="([^"]*)"[^>]* data-board="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Board:
    """A board to draw in a tree."""

    width: float
    height: float
    sheet: str
    """Its style sheet, which is needed once in a picture."""
    image: str = ""
    """The address of the whole picture, if it is an image."""
    kind: str = ""
    part: str = ""
    """The part of the picture that is the board: x, y, width and height."""
    markup: str = ""

    def at(self, x: float, y: float) -> str:
        """The markup with the top left corner there."""
        place = {"x": x, "y": y, "width": self.width, "height": self.height}
        if self.image:
            return svg.element("image", **place, href=self.image)
        return svg.element("svg", self.markup, class_=self.kind, viewBox=self.part, **place)


def board_of(state: State[Any]) -> Board:
    """The board of a position; ValueError if its game draws something that is not an SVG document."""
    picture = state.svg()
    found = _BOARD.match(picture) if type(state).svg is State.svg else None
    if found is None:
        whole = svg.embedded(picture)
        scale = _SIDE / max(whole.width, whole.height)
        return Board(whole.width * scale, whole.height * scale, "", image=whole.address)
    sheet, drawing = svg.split_style(picture)
    width, height = map(float, found[2].split()[2:])
    scale = min(1.0, _SIDE / max(width, height))
    markup = drawing[drawing.index("</desc>") + len("</desc>") : drawing.rindex("</svg>")]
    return Board(width * scale, height * scale, sheet, kind=found[1], part=found[2], markup=markup)
