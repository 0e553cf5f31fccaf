"""Boards on a terminal, in the colours that the browser's pictures have.

A game on a grid is drawn from its cells (`CELLS` of its module in `adsearch/pictures/boards`), as large as there is
room. Of other games the text is drawn, with each seat's pieces in the colour of the seat. Without colour (a pipe,
NO_COLOR, a terminal that cannot show it) a board is the game's text, and what is marked has signs around it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, product
from typing import Any, Final, NamedTuple

from rich.color import Color, ColorSystem
from rich.console import Console
from rich.style import Style
from rich.text import Text

from adsearch import State
from adsearch.errors import quote
from adsearch.games.grid import Cell, GridGame
from adsearch.pictures import boards
from adsearch.pictures.boards.paper import DARK, LIGHT, Cells, Piece, colour_of
from arena.errors import ArenaError
from arena.history import words

_LETTERS: Final = re.compile(r" *[aA]( +[b-zB-Z])+ *")
"""The line with the letters of the columns: none of them is a piece."""
_LARGEST: Final = 3
"""Rows of the largest cell, which is twice as wide."""
_LAST: Final = "#c11574"
_WON: Final = "#2ea043"
_CURSOR: Final = "#1f6feb"
_OF_16: Final = {
    name: number
    for number, names in {
        0: "paper hole lattice seam black cell no-land",
        1: "R R-land",
        2: "wood felt G G-land",
        3: "pale Y Y-land",
        4: "frame block B B-land",
        5: f"ghost {_LAST}",
        6: _CURSOR,
        7: "card",
        9: "red",
        10: _WON,
        11: "yellow runner full-o pellet",
        12: "full-x",
        15: "white",
    }.items()
    for name in names.split()
}
"""The nearest of the 16 colours of old terminals, chosen so that pieces and cells differ."""


_SYSTEMS: Final = {
    **dict.fromkeys(("truecolor", "true"), ColorSystem.TRUECOLOR),
    "256": ColorSystem.EIGHT_BIT,
    **dict.fromkeys(("standard", "16"), ColorSystem.STANDARD),
    "none": None,
}
"""How Rich and users call the colours of terminals."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a terminal can show."""

    colours: ColorSystem | None
    """None: no colours."""
    signs: bool
    """Whether it has the characters for pieces; else their letters are drawn."""

    @classmethod
    def of(cls, console: Console) -> Look:
        """What this console says of itself."""
        plain = not console.is_terminal or console.is_dumb_terminal or console.no_color
        system = None if plain or console.color_system is None else _SYSTEMS[console.color_system]
        signs = "utf" in (console.encoding or "") and not _has_few_signs() and os.environ.get("TERM") != "linux"
        for word in filter(None, os.environ.get("ARENA_LOOK", "").split(",")):
            if word in _SYSTEMS:
                system = _SYSTEMS[word] if console.is_terminal else None
            elif word in ("letters", "signs"):
                signs = word == "signs"
            else:
                raise ArenaError(f"ARENA_LOOK: expected true, 256, 16, none, letters or signs, got {quote(word)}")
        return cls(system, signs)

    def ink(self, fore: str, back: str = "", *, bold: bool = False) -> Style:
        """The style of characters in these colours: classes of the sheet, or hexadecimal; "" for the terminal's own."""
        return _ink(self.colours, fore, back, bold)

    def tile(self, kind: str, *, bold: bool = True) -> Style:
        """Characters on the colour of this class."""
        return Style.null() if self.colours is None else self.ink(_readable_on(kind), kind, bold=bold)


def _has_few_signs() -> bool:
    """Whether the locale is that of plain ASCII, or one whose terminals draw symbols two columns wide."""
    named = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "")
    return named in ("C", "POSIX") or named[:2] in ("zh", "ja", "ko")


@cache
def fills() -> dict[str, str]:
    """The colour that the sheet has for each of its classes in the dark, as hexadecimal."""
    found: dict[str, str] = {}
    for sheet, kind in product((LIGHT, DARK), ("stroke", "fill")):
        for names, rules in re.findall(r"([^{}]+)\{([^}]*)\}", sheet):
            if shown := re.search(rf"(?<!-){kind}: (#\w+)", rules):
                found |= {f"{kind}.{name.strip().split('.')[-1]}": shown[1] for name in names.split(",")}
    return {name.partition(".")[2]: found[name] for name in sorted(found, reverse=True)}


@cache
def _ink(system: ColorSystem | None, fore: str, back: str, bold: bool) -> Style:
    if system is None:
        return Style(bold=bold)

    def found(name: str) -> Color | None:
        if not name:
            return None
        if system is ColorSystem.STANDARD and name in _OF_16:
            return Color.from_ansi(_OF_16[name])
        return Color.parse(fills().get(name, name)).downgrade(system)

    return Style(color=found(fore), bgcolor=found(back), bold=bold)


def _readable_on(kind: str) -> str:
    """Black or white, whichever is easier to read on that colour."""
    red, green, blue = _parts(fills().get(kind, kind))
    return "#000000" if 299 * red + 587 * green + 114 * blue > 140_000 else "#ffffff"


def _parts(hexadecimal: str) -> tuple[int, int, int]:
    value = int(hexadecimal.removeprefix("#"), 16)
    return value >> 16, value >> 8 & 255, value & 255


def _mixed(kind: str, other: str, share: float) -> str:
    """The colour of a class with a `share` of another one in it."""
    pairs = zip(_parts(fills().get(kind, kind)), _parts(fills().get(other, other)), strict=True)
    return "#" + "".join(f"{round(one + share * (two - one)):02x}" for one, two in pairs)


@dataclass(frozen=True, slots=True)
class BoardMarks:
    """What is marked on a board besides the last move and a line that won."""

    cursor: Cell | None = None
    legal: Collection[Cell] = field(default=())
    """Where a move can end, or a piece can start."""
    start: Cell | None = None
    """The piece that is to move."""


@dataclass(frozen=True, slots=True)
class BoardText:
    """A board as lines, and where its cells are in them."""

    lines: list[Text]
    left: int = 0
    top: int = 0
    size: int = 0
    """Lines of a cell, which is twice as wide; 0: the lines have no cells."""
    shape: Cell = (0, 0)
    """Rows and columns of the board."""
    is_turned: bool = False

    def cell(self, x: int, y: int) -> Cell | None:
        """The cell at this place of the lines, if there is one."""
        if not self.size or x < self.left or y < self.top:
            return None
        row, column = (y - self.top) // self.size, (x - self.left) // (2 * self.size)
        if row >= self.shape[0] or column >= self.shape[1]:
            return None
        return (self.shape[0] - 1 - row, self.shape[1] - 1 - column) if self.is_turned else (row, column)


def board(
    state: State[Any],
    last: Any,
    look: Look,
    *,
    room: tuple[int, int] | None = None,
    marks: BoardMarks = BoardMarks(),
    turned: bool = False,
) -> BoardText:
    """The board after the move `last` (None at the start of a game). `room`: the columns and rows that it can have;
    None: as small as it is. `turned`: from the other side, if it has cells."""
    cells, inks = boards.characters(state)
    if look.colours is None or not isinstance(state, GridGame) or cells is None:
        return BoardText(_as_text(state, last, look, inks, marks))
    try:
        return _as_cells(state, last, look, cells, room, marks, turned=turned)
    except Exception:  # a user-supplied subclass may raise anything
        return BoardText(_as_text(state, last, look, inks, marks))


def _as_text(state: State[Any], last: Any, look: Look, inks: dict[str, str], marks: BoardMarks) -> list[Text]:
    """The game's text; in colour each seat's pieces are tiles in the colour of the seat."""
    if look.colours is None:
        return [Text(line) for line in _with_signs(state, words.drawn(state, last).split("\n"), marks)]
    lines, spots = words.marked(state, last)
    grounds = [ground for ground in boards.grounds(state) if ground.line < len(lines)]
    for ground in grounds:
        lines[ground.line] = lines[ground.line].ljust(ground.end)
    text = Text("\n".join(lines))
    seats = enumerate(state.looks.pieces)
    tiles = {letter: look.tile(colour_of(state.looks, seat)) for seat, letters in seats for letter in letters}
    tiles |= {letter: look.tile(kind, bold=False) for letter, kind in inks.items()}
    begins = [0, *accumulate(len(line) + 1 for line in lines)]
    for number, start, end, kind in grounds:
        text.stylize(look.ink(_readable_on(kind), kind), begins[number] + start, begins[number] + end)
    wide = {number: 1 for number, *_ in grounds}
    for number, (line, begin) in enumerate(zip(lines, begins, strict=False)):
        if not _LETTERS.fullmatch(line):
            for found in re.finditer(r"(?<!\S)\S(?!\S)", line):
                style = tiles.get(found[0], Style(dim=True) if found[0] == "." else None)
                if style is not None:
                    more = wide.get(number, 0)
                    text.stylize(style, begin + found.start() - more, begin + found.end() + more)
    for number, start, end, won in sorted(spots, key=lambda spot: not spot.won):
        text.stylize(look.tile(_WON if won else _LAST), begins[number] + start, begins[number] + end)
    return list(text.split("\n", allow_blank=True))


def _with_signs(state: State[Any], lines: list[str], marks: BoardMarks) -> list[str]:
    """The lines with the signs of what is marked: (e) around the cursor, + in an empty cell where a move can end."""
    if not isinstance(state, GridGame):
        return lines

    def put(cell: Cell, before: str, after: str, empty: str) -> None:
        line, at = state.in_text(*cell)
        text = lines[line].ljust(at + 2)
        middle = empty if text[at] == "." and empty else text[at]
        lines[line] = text[: at - 1] + (before or text[at - 1]) + middle + (after or text[at + 1]) + text[at + 2 :]

    for cell in marks.legal:
        put(cell, "", "", "+")
    for marked, signs in ((marks.start, "{}"), (marks.cursor, "()")):
        if marked is not None:
            put(marked, signs[0], signs[1], "")
    return lines


def _as_cells(
    state: GridGame[Any],
    last: Any,
    look: Look,
    cells: Cells,
    room: tuple[int, int] | None,
    marks: BoardMarks,
    *,
    turned: bool,
) -> BoardText:
    """The board from its cells, as large as there is room; below it what else the game's text says."""
    rows = state.rows()
    text = words.marked(state)[0]
    first, columns = state.in_text(0, 0)[0], range(len(rows[0]))
    above = first > 0
    heads = _heads(text[first - 1 if above else len(rows)], state, columns) if cells.has_labels else []
    sides = [text[first + row][: state.in_text(row, 0)[1] - 1].strip() for row in range(len(rows))]
    if not cells.has_labels:  # numbers of cells can stand right of the board
        ends = state.in_text(0, columns[-1])[1] + 1
        numbers = [text[first + row][ends:].split() for row in range(len(rows))]
        sides = ["-".join((row[0], row[-1])[:: -1 if turned else 1]) if row else "" for row in numbers]
    margin = max(map(len, sides)) + 1 if any(sides) else 0
    rest = [line for line in text[first + len(rows) + (not above and bool(heads)) :] if line.strip()]
    wide, high = room or (0, 0)
    size = min((wide - margin) // (2 * len(columns)), (high - bool(heads) - len(rest)) // len(rows), _LARGEST)
    size = max(size, 1)
    signs = _signs(state, last, marks)
    drawn, faint = [], Style(dim=True)
    across = columns[::-1] if turned else columns
    for row in reversed(range(len(rows))) if turned else range(len(rows)):
        marked = [signs.get((row, at), "") for at in across]
        befores = [_MARKED[name].around[0] if name != "legal" else " " for name in marked]
        edge, *nexts = [*(before if before != " " else cells.link for before in befores), " "]
        parts = [
            _cell(rows[row][at], cells, (row, at), size, look, name, beside)
            for at, name, beside in zip(across, marked, nexts, strict=True)
        ]
        for n in range(size):
            side = sides[row] if n == (size - 1) // 2 else ""
            before = (
                f"{side:>{margin - 1}}{edge if size == 1 and edge != cells.link else ' '}" if margin else "",
                faint,
            )
            drawn.append(Text.assemble(before, *[part[n] for part in parts]))
    if heads:
        label = Text(" " * margin + "".join(f"{heads[at]:^{2 * size}}" for at in across), faint)
        drawn = [label, *drawn] if above else [*drawn, label]
    return BoardText([*drawn, *map(Text, rest)], margin, int(above), size, (len(rows), len(columns)), turned)


def _heads(line: str, state: GridGame[Any], columns: range) -> list[str]:
    """The letters or numbers above or below the columns, as the game's text has them."""
    starts = [state.in_text(0, column)[1] for column in columns]
    wide = starts[1] - starts[0] if len(starts) > 1 else 2
    return [line[max(0, at + 2 - wide) : at + 1].strip() for at in starts]


class _Sign(NamedTuple):
    """How a cell is marked."""

    around: str
    """What stands on its two sides."""
    colour: str = ""
    share: float = 0.0
    """How much of the colour is in that of the cell."""


_MARKED: Final = {
    "": _Sign("  "),
    "legal": _Sign("••"),
    "last": _Sign("[]", _LAST, 0.5),
    "won": _Sign("**", _WON, 0.75),
    "start": _Sign("{}", _CURSOR, 0.6),
    "cursor": _Sign("()", _CURSOR, 1.0),
}


def _signs(state: GridGame[Any], last: Any, marks: BoardMarks) -> dict[Cell, str]:
    """For each cell what it is marked as; the last one of these counts."""
    found: dict[Cell, str] = {}
    found |= dict.fromkeys(() if last is None else state.last_cells(last), "last")
    found |= dict.fromkeys((cell for line in state.winning_lines() for cell in line), "won")
    found |= dict.fromkeys(marks.legal, "legal")
    found |= {cell: name for cell, name in ((marks.start, "start"), (marks.cursor, "cursor")) if cell is not None}
    return found


def _cell(mark: str, cells: Cells, cell: Cell, size: int, look: Look, marked: str, beside: str) -> list[Text]:
    """The lines of one cell, `size` high and twice as wide. `beside`: what the next cell has before it, for which a
    cell of one line has no room itself."""
    piece = cells.pieces.get(mark, Piece("ink", " " if mark == "." else mark))
    ground = piece.kind if piece.fills else _ground(cells, cell, look)
    around, colour, share = _MARKED[marked]
    before, after = tuple(around)
    if colour:
        base = ground if piece.fills or len(cells.grounds) > 1 else cells.grounds[0]
        ground = colour if look.colours is ColorSystem.STANDARD else _mixed(base, colour, share)
    fore = _readable_on(ground) if piece.fills else piece.kind
    style = look.ink(fore, ground, bold=True)
    large = piece.large if size == _LARGEST else ()
    if look.signs and size > 1 and (large or not piece.sign):
        return [Text(line, style) for line in large or (_RINGS if piece.is_ring else _DISCS)[size - 2]]
    sign = mark
    if look.signs:
        sign = piece.sign or ("·" if mark == "." else "○" if piece.is_ring else "●")
    elif mark == "." and look.colours is not ColorSystem.STANDARD:
        sign = " "
    elif not piece.sign and mark != ".":
        style = look.tile(piece.kind)
    if marked == "legal" and sign in " .·┼":
        sign, before, after = "•" if look.signs else "+", " ", " "
    side = look.ink(_readable_on(ground), ground)
    if size == 1:
        after = after if after != " " else beside
        link = look.ink(cells.pieces["."].kind, ground, bold=True) if after == cells.link != " " else side
        return [Text.assemble((sign, style), (after, link))]
    gap = " " * (size - 2)
    text = Text.assemble((gap + before, side), (sign, style), (after + gap + " ", side))
    blank = Text(" " * (2 * size), side)
    return [text if n == (size - 1) // 2 else blank.copy() for n in range(size)]


_DISCS: Final = (("▗██▖", "▝██▘"), (" ▄▄▄▄ ", "▐████▌", " ▀▀▀▀ "))
_RINGS: Final = (("▟▀▀▙", "▜▄▄▛"), (" ▄▄▄▄ ", "▐▌  ▐▌", " ▀▀▀▀ "))
"""A piece in a cell of two lines, and of three."""


def _ground(cells: Cells, cell: Cell, look: Look) -> str:
    """The colour of an empty cell. Cells of one colour alternate a little, so that one can count them."""
    n = sum(cell) % 2
    if len(cells.grounds) > 1 or n == 0 or cells.link != " " or look.colours is ColorSystem.STANDARD:
        return cells.grounds[n % len(cells.grounds)]
    return _mixed(cells.grounds[0], "#000000", 0.12)


def board_lines(state: State[Any], last: Any) -> list[str]:
    """The board as lines to print, with the escape sequences that stdout understands."""
    console = Console(highlight=False)
    with console.capture() as captured:
        for line in board(state, last, Look.of(console)).lines:
            console.print(line, soft_wrap=True)
    return captured.get().splitlines()
