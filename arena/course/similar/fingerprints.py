"""Fingerprints of tokens by winnowing (Schleimer, Wilkerson and Aiken, 2003).

Pure. A fingerprint is the hash of LENGTH tokens in a row. Of every WINDOW hashes in a row the smallest is chosen, so
that two texts with GUARANTEED equal tokens in a row always share a chosen fingerprint. Nothing shorter than LENGTH is
found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

LENGTH: Final = 14
"""Tokens of a fingerprint, about two lines of code."""
WINDOW: Final = 10
GUARANTEED: Final = LENGTH + WINDOW - 1
"""Equal tokens in a row that are always found, about three lines of code."""


def hashes(codes: Sequence[int]) -> list[int]:
    """The hash of every LENGTH tokens in a row, by the place of the first; the same in every process."""
    return [*map(hash, zip(*(codes[place:] for place in range(LENGTH)), strict=False))]


def chosen(found: Sequence[int]) -> list[int]:
    """The places of the chosen hashes: in each window the smallest, of equal ones the last."""
    places: list[int] = []
    best = -1
    for end in range(len(found)):
        first = end - WINDOW + 1
        if best < max(first, 0):
            best = min(range(end, max(first, 0) - 1, -1), key=found.__getitem__)
        elif found[end] <= found[best]:
            best = end
        if (first >= 0 or end == len(found) - 1) and (not places or places[-1] != best):
            places.append(best)
    return places
