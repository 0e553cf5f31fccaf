"""The word list of `words` as a DAWG, an automaton in which words share their beginnings and their ends.

DAWG means directed acyclic word graph. Each edge has a letter, and each path from the root to a final node spells a
word.
It is minimal: no two nodes have the same words below them. `words_board` walks through it to find all legal words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

from adsearch.errors import BadOption, quote
from adsearch.games.textfile import read_text

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
