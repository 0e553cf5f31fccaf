"""Paper: what every board is made of, and the style sheet of all. A file of a game draws its board; here it gets the
rest of a picture.

Below the board stands a caption: the pieces with what they are called, and what comes next. All lengths are pixels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from adsearch.games import catalog
from adsearch.games.grid import LETTERS
from adsearch.pictures import svg
from adsearch.pictures.svg import pair
from adsearch.state import Looks, State

# The sheet: the colours and lines of all boards, one text for every picture, so that many on a page cannot clash.


SEATS: Final = (*("white", "black", "yellow", "red", "R", "G", "Y", "B", "runner", "ghost", "full-x", "full-o"),)
"""The classes of pieces: a page gives the colours of each to all else that belongs to a seat."""
LIGHT: Final = """
.board { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 14px;
  text-anchor: middle; stroke-linejoin: round; }
.board .paper, .board .hole { fill: #ffffff; }
.board text { fill: #1f2328; }
.board .faint { fill: #59636e; }
.board .mono { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.board .bold { font-weight: 700; }
.board .line, .board .dim, .board .stroke, .board .x, .board .o, .board .last, .board .won { fill: none; }
.board .line { stroke: #6e7781; stroke-width: 1.5px; }
.board .dim { stroke: #d0d7de; stroke-width: 1.5px; }
.board .stroke { stroke: #1f2328; stroke-width: 2px; }
.board .won { stroke: #1f2328; stroke-width: 4px; }
.board .cell { fill: #f6f8fa; stroke: #b7bfc8; }
.board .nothing { fill: none; stroke: #b7bfc8; stroke-dasharray: 4 3; }
.board .ink { fill: #1f2328; }
.board .on-ink { fill: #ffffff; }
.board .x { stroke: #0969da; stroke-width: 5px; }
.board .o { stroke: #bc4c00; stroke-width: 5px; }
.board .of-x { fill: #ddf4ff; }
.board .of-o { fill: #ffe7d3; }
.board .wins { stroke: #1f2328; stroke-width: 2px; }
.board .full-x { fill: #0969da; }
.board .full-o { fill: #bc4c00; }
.board .more { fill-opacity: 0.4; }
.board .last { stroke: #c11574; stroke-width: 3px; }
.board .at { fill: #ffdff0; }
.board .drawn { fill: none; stroke: #1f2328; stroke-width: 4px; }
.board .dot, .board .stone { fill: none; stroke: #1f2328; }
.board .small { fill: none; stroke: #a5adb6; }
.board .heap { fill: #1f2328; }
.board .frame { fill: #2458b3; }
.board .yellow { fill: #ffd33d; stroke: #9a6700; }
.board .red { fill: #c4232c; stroke: #6e0b12; }
.board .on-yellow { fill: none; stroke: #5c3d00; stroke-width: 3px; }
.board .on-red { fill: none; stroke: #ffffff; stroke-width: 3px; }
.board .line-of { fill: none; stroke: #ffffff; stroke-width: 3px; }
.board .lit { fill: none; stroke: #ff9ad5; stroke-width: 3px; }
.board .felt { fill: #2e8b57; }
.board .seam { fill: none; stroke: #17492e; }
.board .spot { fill: #17492e; }
.board .lattice { fill: none; stroke: #4a2c0c; }
.board .black-area { fill: #1b1f24; }
.board .white-area { fill: #ffffff; stroke: #3d444d; }
.board .last-on-black { fill: none; stroke: #ff9ad5; stroke-width: 3px; }
.board .last-on-white { fill: none; stroke: #c11574; stroke-width: 3px; }
.board .black { fill: #1b1f24; stroke: #000000; }
.board .white { fill: #ffffff; stroke: #3d444d; }
.board .on-black { fill: none; stroke: #aeb6bf; stroke-width: 1.5px; }
.board .on-white { fill: none; stroke: #59636e; stroke-width: 1.5px; }
.board .crown { fill: #e3b341; stroke: #7d4e00; }
.board .pale { fill: #f3e3c8; }
.board .wood { fill: #c99a66; }
.board .on-wood { fill: #4a2c0c; }
.board .die, .board .card { fill: #ffffff; stroke: #3d444d; stroke-width: 1.5px; }
.board .pip { fill: none; stroke: #1f2328; }
.board .on-card { fill: #1f2328; }
.board .back { fill: none; stroke: #a9c7f5; stroke-width: 4px; }
.board .chip { fill: #e3b341; stroke: #7d4e00; stroke-width: 1.5px; }
.board .star { fill: #6e7781; }
.board .wall { fill: none; stroke: #2458b3; stroke-width: 9px; }
.board .block { fill: #2458b3; }
.board .pellet { fill: none; stroke: #7d4e00; }
.board .runner { fill: #f2c53d; stroke: #6b4e00; stroke-width: 1.5px; }
.board .ghost { fill: #a3243b; stroke: #3d0914; }
.board .scared { fill: #ffffff; stroke: #2458b3; stroke-width: 1.5px; stroke-dasharray: 3 2; }
.board .eye { fill: none; stroke: #ffffff; } .board .pupil { fill: none; stroke: #16202e; }
.board .R { fill: #b93447; stroke: #5f1420; }
.board .G { fill: #127a5b; stroke: #06382a; }
.board .Y { fill: #f2c53d; stroke: #6b4e00; }
.board .B { fill: #2a6fbe; stroke: #0d2f57; }
.board .on-R, .board .on-G, .board .on-B, .board .on-ghost { fill: #ffffff; }
.board .on-Y { fill: #1f2328; }
.board .R-land { fill: #f3c4ca; }
.board .G-land { fill: #b3decf; }
.board .Y-land { fill: #faeab6; }
.board .B-land { fill: #bcd7f4; }
.board .no-land { fill: #e6eaef; }
.board path, .board line { stroke-linecap: round; }
""".strip()

DARK: Final = """
.board .paper, .board .hole { fill: #0d1117; }
.board text { fill: #e6edf3; }
.board .faint { fill: #9198a1; }
.board .line { stroke: #8b949e; }
.board .dim { stroke: #30363d; }
.board .stroke, .board .won, .board .wins, .board .drawn, .board .dot, .board .stone { stroke: #e6edf3; }
.board .cell { fill: #161b22; stroke: #4a525c; }
.board .nothing { stroke: #4a525c; }
.board .ink, .board .heap { fill: #e6edf3; }
.board .on-ink { fill: #0d1117; }
.board .x { stroke: #58a6ff; }
.board .o { stroke: #f0883e; }
.board .of-x { fill: #10294d; }
.board .of-o { fill: #3f2212; }
.board .full-x { fill: #58a6ff; }
.board .full-o { fill: #f0883e; }
.board .last { stroke: #ff80c8; }
.board .at { fill: #4a1335; }
.board .small { stroke: #545d68; }
.board .frame { fill: #1d4486; }
.board .felt { fill: #1f6b43; }
.board .seam { stroke: #0f3521; }
.board .spot { fill: #0f3521; }
.board .black { stroke: #8b949e; }
.board .pale { fill: #b59d7a; }
.board .wood { fill: #7a5a3a; }
.board .on-wood { fill: #f3e3c8; }
.board .wall { stroke: #3f78d8; }
.board .block { fill: #3f78d8; }
.board .pellet { stroke: #f2cc60; }
.board .scared { fill: #0d1117; stroke: #79b8ff; }
.board .on-card, .board .on-Y { fill: #1f2328; }
.board .on-R, .board .on-G, .board .on-B, .board .on-ghost { fill: #ffffff; }
.board .R-land { fill: #56222a; }
.board .G-land { fill: #123f31; }
.board .Y-land { fill: #54451a; }
.board .B-land { fill: #173a60; }
.board .no-land { fill: #21262d; }
""".strip()


SIZE: Final = 14.0
"""The font's."""
SMALL: Final = 11.0
MARGIN: Final = 14.0
CELL: Final = 40.0
RIM: Final = 20.0
"""Width of the margin for a board's letters and numbers, in pixels."""
GAP: Final = 14.0

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing; its top left corner is (0, 0)."""

    width: float
    height: float
    markup: str

    def at(self, x: float, y: float, *, kind: str = "") -> str:
        """The markup with that corner at (x, y)."""
        return svg.element("g", self.markup, class_=kind, transform=f"translate({svg.number(x)} {svg.number(y)})")


class Piece(NamedTuple):
    """What fills a cell of a board of characters."""

    kind: str
    """The class of the sheet with its colour."""
    sign: str = ""
    """The character that shows it; empty: a disc."""
    large: tuple[str, ...] = ()
    """Three lines of six characters that show it where cells are so large."""
    is_ring: bool = False
    """Whether its disc is a ring, so that not only the colour tells it from others."""
    fills: bool = False
    """Whether its colour fills the whole cell."""


class Cells(NamedTuple):
    """A board of cells as characters, for a terminal: `CELLS` of a game's module."""

    grounds: tuple[str, ...]
    """The classes of the cells' colours, which alternate."""
    pieces: Mapping[str, Piece]
    """By the marks of `State.cell`; a mark that is missing is written as it is."""
    has_labels: bool = True
    """Whether letters or numbers stand beside the board in the game's text."""
    link: str = " "
    """What stands between the signs of cells."""


class Ground(NamedTuple):
    """Characters of a game's text with a colour behind them, in a terminal; a piece is three of them wide there."""

    line: int
    start: int
    end: int
    kind: str
    """The class of the sheet with the colour."""


@dataclass(frozen=True, slots=True)
class Field:
    """A rectangle of a board that a person clicks to move there."""

    name: str
    """What a person calls it, such as "e4" or "column 3"; no two fields of a position have the same name."""
    x: float
    """Of the left edge; `y` is that of the top edge."""
    y: float
    width: float
    height: float

    @classmethod
    def around(cls, name: str, middle: Point, side: float) -> Field:
        """The square with that middle."""
        x, y = middle
        return cls(name, x - side / 2, y - side / 2, side, side)

    def moved(self, right: float, down: float) -> Field:
        """The same field in a picture whose origin is further to the left and higher."""
        return replace(self, x=self.x + right, y=self.y + down)


def document(
    board: Drawing, game: str, event: str, *, sentences: Iterable[str], caption: Sequence[Drawing] = ()
) -> str:
    """A whole picture: the board and, centred below it, the caption and the event. `sentences` describe the position
    for screen readers."""
    items = [*caption, label(event)]
    across = sum(item.width for item in items) + GAP * (len(items) - 1)
    width = max(board.width, across) + 2 * MARGIN
    left = (width - board.width) / 2
    body = [board.at(left, MARGIN)]
    x = (width - across) / 2
    middle = board.height + GAP + RIM
    for item in items:
        body.append(item.at(x, middle - item.height / 2, kind="caption"))
        x += item.width + GAP
    lowest = middle + max([RIM / 2, *(item.height / 2 for item in items)]) + MARGIN
    return svg.document(
        width,
        lowest,
        *body,
        kind="board",
        title=f"{game}: {event}",
        description=" ".join(sentences),
        style=LIGHT,
        dark=DARK,
        board=" ".join(map(svg.number, (left, MARGIN, board.width, board.height))),
    )


def corner(picture: str) -> Point:
    """The top left corner of the board in a picture that `document` has made."""
    x, y, *_ = picture.partition(' data-board="')[2].partition('"')[0].split()
    return float(x), float(y)


def label(text: str) -> Drawing:
    """A text, such as stands in a caption."""
    return Drawing(svg.width_of(text, SIZE), RIM, words(text, 0.0, 15.0, anchor="start"))


def words(text: str, x: float, y: float, *, size: float = SIZE, anchor: str = "", kind: str = "") -> str:
    """A text whose baseline is at y; its middle is at x unless `anchor` says otherwise."""
    font = {} if size == SIZE else {"font_size": size}
    return svg.element("text", svg.words(text), class_=kind, x=x, y=y, text_anchor=anchor, **font)


def inside(text: str, x: float, y: float, *, size: float = SIZE, kind: str = "") -> str:
    """A text with its middle at (x, y)."""
    return words(text, x, y + 0.35 * size, size=size, kind=kind)


def circle(kind: str, x: float, y: float, r: float) -> str:
    return svg.element("circle", class_=kind, cx=x, cy=y, r=r)


def rect(kind: str, x: float, y: float, width: float, height: float, *, rx: float | str = "") -> str:
    return svg.element("rect", class_=kind, x=x, y=y, width=width, height=height, rx=rx)


def path(kind: str, steps: str) -> str:
    return svg.element("path", class_=kind, d=steps)


def line(kind: str, start: Point, end: Point) -> str:
    return svg.element("line", class_=kind, x1=start[0], y1=start[1], x2=end[0], y2=end[1])


def dots(kind: str, centres: Iterable[Point], size: float) -> str:
    """A dot of that size at each of the centres, as one path with lines of almost no length."""
    steps = "".join(f"M{pair(*centre)}h.01" for centre in centres)
    return svg.element("path", class_=kind, d=steps, stroke_width=size) if steps else ""


_PIPS = {1: "5", 2: "19", 3: "159", 4: "1379", 5: "13579", 6: "134679"}
"""The pips of each face, as keys of a telephone."""


def die(face: int, *, sides: int = 6, size: float = 32.0) -> Drawing:
    """A die that shows that face; a die with more than six sides shows a number."""
    markup = rect("die", 1.0, 1.0, size - 2.0, size - 2.0, rx=size / 5)
    if sides > 6:
        return _rolls(size, markup + inside(str(face), size / 2, size / 2, kind="on-card"))
    places = [divmod(int(key) - 1, 3) for key in _PIPS[face]]
    step = size / 4
    pips = [(size / 2 + (column - 1) * step, size / 2 + (row - 1) * step) for row, column in places]
    return _rolls(size, markup + dots("pip", pips, size / 6))


def _rolls(size: float, markup: str) -> Drawing:
    """What a script lets roll when it changes."""
    return Drawing(size, size, svg.element("g", markup, class_="rolls"))


def cross(kind: str, x: float, y: float, reach: float) -> str:
    """A mark of seat 0: a saltire."""
    d = svg.number(2 * reach)
    return path(kind, f"M{pair(x - reach, y - reach)}l{d},{d}M{pair(x + reach, y - reach)}l-{d},{d}")


def mark(side: str, x: float, y: float, reach: float) -> str:
    """The mark of x or of o."""
    return cross("x", x, y, reach) if side == "x" else circle("o", x, y, reach * 1.15)


def sample(markup: str, name: str = "", *, size: float = 22.0) -> Drawing:
    """A piece drawn at the middle of a square of `size`, and what it is called: for captions."""
    if not name:
        return Drawing(size, size, markup)
    text = words(name, size + 5.0, size / 2 + 5.0, anchor="start")
    return Drawing(size + 5.0 + svg.width_of(name, SIZE), size, markup + text)


def rims(rows: int, columns: int, *, cell: float = CELL, letters: str = LETTERS) -> str:
    """The letters above a board and the numbers to its left; the board itself begins at (RIM, RIM)."""
    above = (inside(letters[n], RIM + (n + 0.5) * cell, RIM / 2 - 1, size=SMALL, kind="faint") for n in range(columns))
    beside = (inside(str(n + 1), RIM / 2 - 2, RIM + (n + 0.5) * cell, size=SMALL, kind="faint") for n in range(rows))
    return "".join((*above, *beside))


def grid(kind: str, rows: int, columns: int, *, around: bool = True) -> str:
    """The lines between the cells of a board that begins at (RIM, RIM), and those around it."""
    out = 0 if around else 1
    width, height = svg.number(columns * CELL), svg.number(rows * CELL)
    across = (f"M{pair(RIM, RIM + n * CELL)}h{width}" for n in range(out, rows + 1 - out))
    down = (f"M{pair(RIM + n * CELL, RIM)}v{height}" for n in range(out, columns + 1 - out))
    return path(kind, "".join((*across, *down)))


def centre(row: int, column: int, *, cell: float = CELL) -> Point:
    """The middle of a cell of such a board."""
    return RIM + (column + 0.5) * cell, RIM + (row + 0.5) * cell


_OF_OTHERS: Final = ("full-x", "full-o", "G", "Y", "R")


def colour(rules: str, seat: int) -> str:
    """The class of the sheet that has the colour of a seat's pieces, by which all else of the seat is coloured too."""
    return colour_of(catalog.looks(rules), seat)


def colour_of(looks: Looks, seat: int) -> str:
    """The same for a game with these looks."""
    named = looks.colours or tuple(map(str.lower, looks.sides)) or _OF_OTHERS
    return named[seat % len(named)]


def player(seat: int) -> str:
    """What the player of a seat is called where the game has no word of its own."""
    return f"{_ORDER[seat]} player" if seat < len(_ORDER) else f"player {seat + 1}"


_ORDER: Final = ("first", "second", "third", "fourth")
PLAYERS: Final = (player(0), player(1))
"""The players of a game for two."""


def next_event(state: State[Any], sides: Sequence[str], *, at_chance: str = "") -> str:
    """Who moves, or how the game ended; `at_chance` is what happens at a chance node."""
    if state.turn is not None:
        return f"{sides[state.turn]} to move" if state.turn >= 0 else at_chance
    worth = state.utilities()
    best = [side for side, utility in zip(sides, worth, strict=True) if utility == max(worth)]
    result = f"{best[0]} has won" if len(best) == 1 else "a draw"
    return f"{result}: {state.ending()}" if state.ending() else result


def last_move(state: State[Any], last: Any) -> list[str]:
    """A sentence about the move that led to the position, if known."""
    return [] if last is None else [f"Last: {state.to_text(last)}."]


def listed(names: Iterable[str]) -> str:
    """The names separated by commas, or "none"."""
    return ", ".join(names) or "none"
