"""The board of `words`: its squares, the score of a move, all words that can be laid, and the dictionary.

A board is a text of 225 characters, row by row: a capital letter is a tile, a small letter is a blank that stands for
this letter, "." is an empty square. A move is its text, such as "8D-HELLO": row 8, from column D to the right;
"D8-HELLO" goes down from the same square. It has the whole word, with the letters that are there already; "_" before a
letter is a blank that stands for it. A word of one new tile, which can be part of two words, is written across if it
makes a word across.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from adsearch.errors import BadOption, quote
from adsearch.games.textfile import read_text

SIZE: Final = 15
EMPTY: Final = "." * SIZE * SIZE
CENTRE: Final = SIZE * SIZE // 2
BLANK: Final = "_"
COLUMNS: Final = "ABCDEFGHIJKLMNO"
FULL_RACK: Final = 7
BONUS: Final = 50
"""Points for seven tiles in one move."""

# The letters and premium squares of the English edition, as listed by Wikipedia, "Scrabble letter distributions" and
# "Scrabble".
TILES: Final = "AAAAAAAAABBCCDDDDEEEEEEEEEEEEFFGGGHHIIIIIIIIIJKLLLLMMNNNNNNOOOOOOOOPPQRRRRRRSSSSTTTTTTUUUUVVWWXYYZ__"
_LETTERS_BY_POINTS: Final = {1: "AEILNORSTU", 2: "DG", 3: "BCMP", 4: "FHVWY", 5: "K", 8: "JX", 10: "QZ"}
POINTS: Final = {
    **dict.fromkeys("abcdefghijklmnopqrstuvwxyz" + BLANK, 0),
    **{letter: points for points, letters in _LETTERS_BY_POINTS.items() for letter in letters},
}
"""Points of each tile; a blank has none, also as a small letter on the board."""
_QUARTER: Final = ("T..d...T", ".D...t..", "..D...d.", "d..D...d", "....D...", ".t...t..", "..d...d.", "T..d...D")
"""The upper left quarter of the board, with the middle row and column: T and D are triple and double word, t and d
triple and double letter."""
_LEFT_HALF: Final = (*_QUARTER, *_QUARTER[-2::-1])
PREMIUMS: Final = "".join(row + row[-2::-1] for row in _LEFT_HALF)
_OF_LETTER: Final = tuple({"d": 2, "t": 3}.get(premium, 1) for premium in PREMIUMS)
_OF_WORD: Final = tuple({"D": 2, "T": 3}.get(premium, 1) for premium in PREMIUMS)

_MOVE: Final = re.compile(r"(?:(?:1[0-5]|[1-9])[A-O]|[A-O](?:1[0-5]|[1-9]))-(?:_?[A-Z]){1,15}")
_TILE: Final = re.compile("(_?)([A-Z])")


class Laid(NamedTuple):
    """What a move does."""

    board: str
    tiles: str
    """The tiles that it takes from the rack."""
    points: int


def turned(board: str) -> str:
    """The board with rows and columns exchanged."""
    return "".join([board[column::SIZE] for column in range(SIZE)])


def name(square: int, down: bool) -> str:
    """The square as a move across or down from it begins: "8D", "D8"."""
    row, column = divmod(square, SIZE)
    return f"{COLUMNS[column]}{row + 1}" if down else f"{row + 1}{COLUMNS[column]}"


def squares_of(move: str) -> list[int]:
    """The squares of the word of a move."""
    place, _, word = move.partition("-")
    down = place[0] in COLUMNS
    column, row = (place[0], place[1:]) if down else (place[-1], place[:-1])
    start, step = (int(row) - 1) * SIZE + COLUMNS.index(column), SIZE if down else 1
    length = len(word) - word.count(BLANK)
    return [start + step * number for number in range(length)]


def letters_of(move: str) -> list[str]:
    """The letters of the word of a move, as they lie on the board: small for a blank."""
    word = move.partition("-")[2]
    return [letter.lower() if blank else letter for blank, letter in _TILE.findall(word)]


def lay(board: str, move: str) -> Laid:
    """What the move does, which must be one of `placements`. A premium square counts for the tile laid on it, in both
    directions; later words over it do not count it again."""
    squares, after, tiles = squares_of(move), list(board), []
    down = move[0] in COLUMNS
    word, factor, others = 0, 1, 0
    for square, letter in zip(squares, letters_of(move), strict=True):
        if board[square] != ".":
            word += POINTS[board[square]]
            continue
        after[square] = letter
        tiles.append(BLANK if letter.islower() else letter)
        points = POINTS[letter] * _OF_LETTER[square]
        word += points
        factor *= _OF_WORD[square]
        before, behind = around(board, square, down=not down)
        if before or behind:
            others += (points + sum([POINTS[tile] for tile in before + behind])) * _OF_WORD[square]
    bonus = BONUS if len(tiles) == FULL_RACK else 0
    return Laid("".join(after), "".join(tiles), word * factor + others + bonus)


def around(board: str, square: int, *, down: bool) -> tuple[str, str]:
    """The tiles just before the square and just behind it, in its row, or (down) in its column."""
    row, column = divmod(square, SIZE)
    line, at = (board[column::SIZE], row) if down else (board[row * SIZE : (row + 1) * SIZE], column)
    return line[:at].rpartition(".")[2], line[at + 1 :].partition(".")[0]


def words_on(board: str) -> Iterator[str]:
    """All words of two or more letters on the board, in capital letters."""
    for lines in (board, turned(board)):
        for at in range(0, len(lines), SIZE):
            for run in lines[at : at + SIZE].split("."):
                if len(run) > 1:
                    yield run.upper()


def placements(board: str, rack: str, dawg: Dawg) -> list[str]:
    """All moves that lay tiles of the rack: first those across, then those down."""
    words = WordFinder(rack, dawg)
    return [
        move
        for grid, down in ((board, False), (turned(board), True))
        for row in range(SIZE)
        for move in words.in_row(grid, row, down=down)
    ]


def placements_in_a_line(board: str, rack: str, dawg: Dawg, random: Random) -> list[str]:
    """Those of `placements` in a random row or column that has any; much faster."""
    words = WordFinder(rack, dawg)
    columns = turned(board)
    for line in random.sample(range(2 * SIZE), 2 * SIZE):
        down = line >= SIZE
        if found := words.in_row(columns if down else board, line % SIZE, down=down):
            return found
    return []


def why_not(board: str, rack: str, dawg: Dawg, text: str) -> str:
    """Why this text, which is not one of `placements`, is not a move."""
    move = text.strip().upper()
    if not _MOVE.fullmatch(move):
        return "write 8D-HELLO across, D8-HELLO down (the first square, a hyphen, the word), exchange-AEI or pass"
    down = move[0] in COLUMNS
    squares, letters = squares_of(move), letters_of(move)
    if squares[-1] >= SIZE * SIZE or (not down and squares[0] // SIZE != squares[-1] // SIZE):
        return "the word does not fit on the board"
    before, behind = around(board, squares[0], down=down)[0], around(board, squares[-1], down=down)[1]
    if before or behind:
        return f"write the whole word, {before.upper()}{''.join(letters).upper()}{behind.upper()}"
    if len(letters) == 1:
        return "a word has at least two letters: write the whole word"
    for square, letter in zip(squares, letters, strict=True):
        if board[square] != "." and board[square].upper() != letter.upper():
            return f"{name(square, False)} has {board[square].upper()}, not {letter.upper()}"
        if board[square] != "." and letter.islower():
            return f"{name(square, False)} has {board[square].upper()} already: write it without {BLANK}"
    after, tiles, _ = lay(board, move)
    if not tiles:
        return "it lays no tile"
    if missing := Counter(tiles) - Counter(rack):
        return f"the rack has not enough {min(missing)}"
    if wrong := [word for word in words_on(after) if word not in dawg]:
        return f"{wrong[0]} is not in the word list"
    if board == EMPTY:
        return "the first word covers the centre, 8H"
    touched = any(board[square] != "." or any(around(board, square, down=not down)) for square in squares)
    return "write it across: it also makes a word there" if touched else "it touches no tile"


@lru_cache(maxsize=50_000)
def _fitting(dawg: Dawg, before: str, behind: str) -> str:
    """The letters that make a word between `before` and `behind`."""
    node = dawg.after(dawg.root, before)
    edges = {} if node is None else dawg.edges[node]
    return "".join(
        letter for letter, child in edges.items() if (end := dawg.after(child, behind)) is not None and dawg.final[end]
    )


class WordFinder:
    """All words that the tiles of a rack can make on a board (Appel and Jacobson, "The World's Fastest Scrabble
    Program", 1988).

    A new word covers at least one anchor: an empty square beside a tile. A word belongs to the first anchor that it
    covers. Its part before this anchor is a run of tiles on the board, or lies on free squares, where any letters
    fit. Then this part does not depend on the board, and `begin` finds all such beginnings once."""

    __slots__ = ("beginnings", "dawg", "known", "rack")

    def __init__(self, rack: str, dawg: Dawg) -> None:
        self.rack = rack
        self.dawg = dawg
        # The result of `choices` by its arguments: the same come again at many anchors.
        self.known: dict[tuple[int, str], list[tuple[str, str, int, str]]] = {}
        # For each number of tiles before the anchor, and each letter on the anchor: what is laid, the node, the rest.
        self.beginnings: list[dict[str, list[tuple[str, int, str]]]] = [{} for _ in rack]
        if rack:
            self.begin("", dawg.root, rack, 0)

    def choices(self, node: int, rack: str) -> list[tuple[str, str, int, str]]:
        """Each way to add a tile of the rack to the word: the letter, its text, the next node, the rest of the rack."""
        found = self.known.get((node, rack))
        if found is None:
            found = self.known[node, rack] = []
            for letter, child in self.dawg.edges[node].items():
                if letter in rack:
                    found.append((letter, letter, child, rack.replace(letter, "", 1)))
                if BLANK in rack:
                    found.append((letter, BLANK + letter, child, rack.replace(BLANK, "", 1)))
        return found

    def begin(self, laid: str, node: int, rack: str, before: int) -> None:
        """Collect the beginnings of words that start with `laid`, which has `before` tiles."""
        for letter, text, child, rest in self.choices(node, rack):
            self.beginnings[before].setdefault(letter, []).append((laid + text, child, rest))
            if rest:
                self.begin(laid + text, child, rest, before + 1)

    def in_row(self, board: str, row: int, *, down: bool) -> list[str]:
        """The moves across in that row; `down`: the board is turned, so that they are the moves down in that column."""
        found: list[str] = []
        if board == EMPTY and row != CENTRE // SIZE:
            return found
        line = board[row * SIZE : (row + 1) * SIZE]
        # For each column: the letters that fit the tiles above and below; None if there are none.
        fits: list[str | None] = [None] * SIZE
        for column, tile in enumerate(line):
            if tile == ".":
                above, below = around(board, row * SIZE + column, down=True)
                if above or below:
                    fits[column] = _fitting(self.dawg, above.upper(), below.upper())
        free = 0
        for column, tile in enumerate(line):
            beside = line[max(column - 1, 0) : column + 2].strip(".")
            if tile != ".":
                free = 0
            elif beside or fits[column] is not None or (board == EMPTY and row * SIZE + column == CENTRE):
                self.through(line, row, column, free, fits, down, found)
                free = 0
            else:
                free += 1
        return found

    def through(
        self, line: str, row: int, anchor: int, free: int, fits: list[str | None], down: bool, found: list[str]
    ) -> None:
        """Add to `found` the moves whose first anchor is in this column; `free` squares before it are no anchors."""
        edges, final, choices = self.dawg.edges, self.dawg.final, self.choices
        # A single tile that makes a word across too is a move across.
        doubled = len(self.rack) - 1 if down and fits[anchor] is not None else -1

        def extend(start: str, word: str, node: int, rack: str, column: int) -> None:
            """Add the words that begin with `word`, whose next letter is in that column."""
            if column == SIZE or line[column] == ".":
                if final[node] and len(rack) != doubled:
                    found.append(f"{start}-{word}")
                if column < SIZE and rack:
                    allowed = fits[column]
                    for letter, text, child, rest in choices(node, rack):
                        if allowed is None or letter in allowed:
                            extend(start, word + text, child, rest, column + 1)
            else:
                letter = line[column].upper()
                if letter in edges[node]:
                    extend(start, word + letter, edges[node][letter], rack, column + 1)

        allowed = fits[anchor]
        before = line[:anchor].rpartition(".")[2].upper()
        if before:
            node = self.dawg.after(self.dawg.root, before)
            start = self.start(row, anchor - len(before), down)
            for letter, text, child, rest in () if node is None else choices(node, self.rack):
                if allowed is None or letter in allowed:
                    extend(start, before + text, child, rest, anchor + 1)
            return
        for tiles, beginnings in enumerate(self.beginnings[: free + 1]):
            start = self.start(row, anchor - tiles, down)
            for letter, some in beginnings.items():
                if allowed is None or letter in allowed:
                    for word, node, rest in some:
                        extend(start, word, node, rest, anchor + 1)

    def start(self, row: int, column: int, down: bool) -> str:
        """The first square of a move, as its text begins."""
        return name(column * SIZE + row if down else row * SIZE + column, down)


# The word list of `words` as a DAWG, an automaton in which words share their beginnings and their ends.


COMMON: Final = "common"
"""The name of the list that comes with the game."""
_COMMON_WORDS: Final = Path(__file__).with_name("words.txt")
_WORD: Final = re.compile(r"[a-z]{2,15}")
_MOST_BYTES: Final = 4_000_000


class Dawg:
    """The words as a DAWG. A node is a number; letters are capital letters."""

    __slots__ = ("edges", "final", "note", "root")

    note: str
    """How many words were taken from the list, and which line was not."""

    def __init__(self, words: Iterable[str]) -> None:
        """The algorithm of Daciuk, Mihov, Watson and Watson for sorted words ("Incremental construction of minimal
        acyclic finite-state automata", 2000). `path` is the path of the previous word: its nodes can still get edges.
        The nodes on it that the next word does not share are finished; each gets its number, or is replaced by an
        equal node."""
        self.note = ""
        self.edges: list[dict[str, int]] = []
        self.final: list[bool] = []
        numbers: dict[tuple[object, ...], int] = {}

        def finished(edges: dict[str, int], final: bool) -> int:
            node = numbers.setdefault((final, *edges.items()), len(numbers))
            if node == len(self.edges):
                self.edges.append(edges)
                self.final.append(final)
            return node

        previous = ""
        path: list[dict[str, int]] = [{}]
        ends: list[bool] = [False]
        for word in [*sorted(set(words)), ""]:
            shared = 0
            for one, other in zip(previous, word, strict=False):
                if one != other:
                    break
                shared += 1
            for letter in reversed(previous[shared:]):
                node = finished(path.pop(), ends.pop())
                path[-1][letter] = node
            for _ in word[shared:]:
                path.append({})
                ends.append(False)
            ends[-1] = bool(word)
            previous = word
        self.root = finished(path[0], False)

    def after(self, node: int | None, letters: str) -> int | None:
        """The node that the edges with these letters lead to; None if there is none."""
        for letter in letters:
            if node is None:
                return None
            node = self.edges[node].get(letter)
        return node

    def __contains__(self, word: str) -> bool:
        node = self.after(self.root, word)
        return node is not None and self.final[node]

    def __len__(self) -> int:
        """The number of words."""
        below = [0] * len(self.edges)
        # Finished nodes come before those that lead to them.
        for node, edges in enumerate(self.edges):
            below[node] = self.final[node] + sum(below[child] for child in edges.values())
        return below[self.root]


@lru_cache(maxsize=4)
def dawg_of(text: str) -> Dawg:
    """The words of a list (cached)."""
    words, left_out = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if _WORD.fullmatch(line):
            words.append(line.upper())
        elif line:
            left_out.append((number, line))
    dawg = Dawg(words)
    dawg.note = f"{len(dawg):,} words"
    if left_out:
        number, line = left_out[0]
        lines = len(words) + len(left_out)
        dawg.note += (
            f"; not taken: {len(left_out):,} of {lines:,} lines, the first is line {number}, {quote(line)} "
            "(a word is 2 to 15 small letters a to z)"
        )
    return dawg


def dawg_in(name: str) -> Dawg:
    """The words of the list `name`: common, or a file with one word a line. Only words of 2 to 15 letters a to z count;
    other lines, such as names with a capital letter, are ignored."""
    path = _COMMON_WORDS if name == COMMON else Path(name)
    try:
        is_there = name != "" and path.exists()
    except OSError:  # the name is too long
        is_there = False
    if not is_there:
        raise BadOption(f"no file {quote(name)}: list must be {COMMON} or a file with one word a line")
    dawg = dawg_of(read_text(path, most=_MOST_BYTES))
    if not dawg.edges[dawg.root]:
        raise BadOption(f"list {quote(name)}: expected one word a line, in small letters a to z")
    return dawg
