"""What a text became, said by the text before it: a stream sends a move and not a board.

The new text is given in pieces: a range of the text before, or what is new. The texts are markup, so whole tags and
words are compared; nothing here knows a game. `scripts/parts.js` puts the pieces together.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import accumulate
from typing import Final

Piece = str | tuple[int, int]
_TOKEN: Final = re.compile(r"<[^>]*>|[^<\s]*\s+|[^<\s]+|<")
_LEAST: Final = 8
"""Characters of a range at least: a shorter one is written out."""
_MOST_PLACES: Final = 16
"""Places of a token in the text before that are tried."""


def delta(before: str, after: str) -> list[Piece]:
    """The pieces of `after`. Ranges count as scripts do, in units of UTF-16."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    begins = [0, *accumulate(map(_units, old))]
    places = defaultdict[str, list[int]](list)
    for place, token in enumerate(old):
        places[token].append(place)
    pieces: list[Piece] = []
    at = follows = 0
    while at < len(new):
        length, place = _longest(old, new, at, [follows, *places[new[at]][:_MOST_PLACES]])
        begin, end = begins[place], begins[place + length]
        last = pieces[-1] if pieces else ""
        if isinstance(last, tuple) and last[1] == begin < end:
            pieces[-1] = (last[0], end)
        elif end - begin >= _LEAST:
            pieces.append((begin, end))
        else:
            length, place = 1, follows
            if isinstance(last, str) and pieces:
                pieces[-1] = last + new[at]
            else:
                pieces.append(new[at])
        at, follows = at + length, place + length
    return pieces


def _longest(old: list[str], new: list[str], at: int, places: list[int]) -> tuple[int, int]:
    """The number of tokens that are the same from `at` on, and their place in the old ones."""
    best = (0, 0)
    for place in places:
        length = 0
        while at + length < len(new) and place + length < len(old) and new[at + length] == old[place + length]:
            length += 1
        best = max(best, (length, place), key=lambda found: found[0])
    return best


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
