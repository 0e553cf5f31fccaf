"""Boards: the position of each game as SVG, in one module a game, which is called like the game's.

`draw` is what `State.svg` calls. Each game's module has a function `draw(state, last)` for the whole picture, and is
imported only when it is asked for; `text.py` draws games that have none. Where a move is a place or two on the board,
the module also has `touched(state, move)`: the fields that a person clicks, from the corner of the board; and where a
move has steps that can be clicked in any order, `STEP`, the number of fields of each, and `others(state, move)`, which
gives other steps that make the same move. Where several moves have the same fields, `chosen(state, move)` is a small
picture of what tells one from the others. Where the sides move towards each other, it has `ABOVE`, the seat whose
pieces start at the upper edge, and these functions take `turned`: then the board is drawn from the other side.
Where a board has cells, or other places with names, `cells(state)` gives the fields of all of them.
`CELLS` says what fills each cell of a board of characters, in a game on a grid; `INKS` gives the colours of other
single characters of the game's text. `SHOWS_EVENTS` is true where a picture shows the last chance event if that is
given as `last`. `paper.py` has what they are drawn with, and the style of all, in which no colour means anything that a
shape, a letter or a number does not say as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, cast

from adsearch.pictures.boards.paper import Cells, Field, Ground, corner
from adsearch.state import CHANCE, State


def draw(state: State[Any], last: Any = None, *, below: int | None = None) -> str:
    """The position as an SVG document; `last` is the move that led to it. A user's subclass of one of our games is
    drawn as that game, any other as its text. `below`: the seat whose pieces are at the lower edge, where the sides
    move towards each other; None: as books show it."""
    module = _module_of(state)
    picture: str = module.draw(state, last, **_turned(module, below))
    return picture


def fields(state: State[Any], *, below: int | None = None) -> dict[str, tuple[Field, ...]]:
    """For each legal move, by its text, the fields of the picture in the order in which a person clicks them. They are
    in the coordinates of its viewBox, whatever `last` was; `below` is that of `draw`. Moves without fields are left
    out: all at a chance node, and in games whose moves are not places or that draw themselves.

    No two fields overlap, and no move's fields are the beginning of another's. So a move is made when all its fields
    are clicked, except that several moves can have the same fields, such as a pawn's promotions: then the page asks
    which. After the fields clicked so far, only those that come next in some move can be clicked. `step` says where
    the order is free."""
    return {text: first for text, (first, *_) in ways(state, below=below).items()}


def ways(state: State[Any], *, below: int | None = None) -> dict[str, list[tuple[Field, ...]]]:
    """For each move of `fields` every way to click it: in backgammon one checker can use the two dice in either order,
    which is the same move."""
    module = _module_of(state)
    if state.turn in (None, CHANCE) or not is_clicked(state):
        return {}
    left, top = corner(draw(state))
    turned = _turned(module, below)
    others = getattr(module, "others", lambda _state, _move: ())
    found = {
        state.to_text(move): [
            tuple(field.moved(left, top) for field in module.touched(state, way, **turned))
            for way in (move, *others(state, move))
        ]
        for move in state.moves()
    }
    return {text: clicked for text, clicked in found.items() if clicked[0]}


def pictures(state: State[Any]) -> dict[str, str]:
    """For each legal move of those that have the same fields, by its text, a small picture of what tells it from the
    others: of a pawn's promotion, the piece that it becomes. Empty in games without `chosen`."""
    chosen = getattr(_module_of(state), "chosen", lambda _state, _move: "")
    return {state.to_text(move): picture for move in state.moves() if (picture := chosen(state, move))}


def cells(state: State[Any], *, below: int | None = None) -> dict[str, Field]:
    """Every cell of the board by its name, in the coordinates of the picture's viewBox; `below` is that of `draw`.
    Empty in games whose boards have no cells, and in those that draw themselves."""
    module = _module_of(state)
    named = getattr(module, "cells", None)
    if named is None or type(state).svg is not State.svg:
        return {}
    left, top = corner(draw(state))
    return {field.name: field.moved(left, top) for field in named(state, **_turned(module, below))}


def last_mark(state: State[Any] | None, who: int | str, played: Any, last: Any) -> Any:
    """What the board marks after the ply `played` of `who` if it marked `last` before: that ply; but after a chance
    event still the last move, unless the game's board shows what chance did, or a player has lost the turn by a throw.
    `state`: the position after the ply, if it is known."""
    if who != "chance" or (state is not None and getattr(_module_of(state), "SHOWS_EVENTS", False)):
        return played
    return last if state is None or state.hidden or state.turn != CHANCE else None


def characters(state: State[Any]) -> tuple[Cells | None, dict[str, str]]:
    """How a terminal shows the board: what fills its cells, if it has any; and the classes of the sheet for single
    characters of the game's text."""
    module = _module_of(state)
    return getattr(module, "CELLS", None), getattr(module, "INKS", {})


def grounds(state: State[Any]) -> Sequence[Ground]:
    """What of the game's text has a colour behind it in a terminal; a later one is above an earlier one."""
    found = getattr(_module_of(state), "grounds", None)
    return () if found is None else cast("Sequence[Ground]", found())


def above(state: State[Any]) -> int | None:
    """The seat whose pieces start at the upper edge of the board; None in a game whose sides have no edges."""
    return getattr(_module_of(state), "ABOVE", None)


def can_turn(state: State[Any]) -> bool:
    """Whether the board can be drawn from either side: `below` makes a difference then."""
    return hasattr(_module_of(state), "ABOVE") and type(state).svg is State.svg


def is_clicked(state: State[Any]) -> bool:
    """Whether moves of this game are clicked on its board: some position has `fields`."""
    return hasattr(_module_of(state), "touched") and type(state).svg is State.svg


def step(state: State[Any]) -> int | None:
    """The number of fields of each step of a move, if a person can click the steps in any order."""
    return getattr(_module_of(state), "STEP", None)


def _turned(module: ModuleType, below: int | None) -> dict[str, bool]:
    """The argument with which the board is drawn from the other side; none if it is not."""
    return {"turned": True} if below is not None and below == getattr(module, "ABOVE", None) else {}


def _module_of(state: State[Any]) -> ModuleType:
    """The module that draws the position."""
    for kind in type(state).__mro__:
        package, _, game = kind.__module__.rpartition(".")
        if package == "adsearch.games" and find_spec(f"{__name__}.{game}"):
            return import_module(f"{__name__}.{game}")
    return import_module(f"{__name__}.text")
