"""Endgames of checkers: their tables, built once, and positions with few pieces at random."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, product
from random import Random

from adsearch.games.checkers import BIT, FAR_ROW, SQUARES, Checkers
from adsearch.games.checkers_endgames import FEWEST, Endgames
from arena.endgames import build


@cache
def tables(pieces: int) -> tuple[bytes, ...]:
    """The tables for up to that many pieces; with 4, that takes 10 s."""
    smaller = tables(pieces - 1) if pieces > FEWEST else ()
    return (*smaller, build(pieces, smaller, progress=lambda _: None))


@cache
def endgames(pieces: int) -> Endgames:
    """The tables for up to that many pieces, to look positions up."""
    return Endgames(tables(pieces))


def every_board(pieces: int) -> Iterator[tuple[int, int, int]]:
    """Every way to place that many pieces: the bitboards of black, white and the kings."""
    for squares in combinations(SQUARES, pieces):
        for kinds in product("bBwW", repeat=pieces):
            if board := _board(squares, kinds):
                yield board


def every_position(pieces: int) -> Iterator[Checkers]:
    """Every position in which both sides have a piece, with either side to move."""
    for black, white, kings in every_board(pieces):
        if black and white:
            yield from (Checkers.of(black, white, kings, side) for side in (0, 1))


def random_positions(pieces: int, count: int, *, seed: int) -> Iterator[Checkers]:
    """That many positions in which both sides have a piece, each as likely as any other."""
    random = Random(seed)
    while count:
        board = _board(random.sample(SQUARES, pieces), random.choices("bBwW", k=pieces))
        if board and board[0] and board[1]:
            yield Checkers.of(*board, random.randrange(2))
            count -= 1


def _board(squares: Sequence[int], kinds: Sequence[str]) -> tuple[int, int, int] | None:
    """The pieces of these kinds on these squares; None if a man is where it would be a king."""
    sides = dict.fromkeys("bBwW", 0)
    for square, kind in zip(squares, kinds, strict=True):
        sides[kind] |= BIT[square]
    if sides["b"] & FAR_ROW[0] or sides["w"] & FAR_ROW[1]:
        return None
    return sides["b"] | sides["B"], sides["w"] | sides["W"], sides["B"] | sides["W"]
