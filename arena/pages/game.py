"""What every page of a game shows, over, in progress or played by a person: its players, and its list of moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from msgspec import Struct

from adsearch import games
from adsearch.pictures.boards.paper import colour, player
from arena.history import words
from arena.results import figures
from db.records import Mark

MARKS: Final = {Mark.MISTAKE: "a mistake", Mark.BLUNDER: "a serious mistake"}
_LONGEST: Final = 100
"""Most characters of a name or a move that are shown; imported files can have longer ones."""
_SHORT: Final = 8
"""Most characters of a move that two columns of moves have room for."""


class Seat(Struct, frozen=True, kw_only=True):
    """A player at the edge of the board."""

    name: str
    kind: str
    """The colour of its pieces, as a class."""
    about: str
    """Its side, and its rating if it is known."""
    href: str | None = None
    time: str = ""
    """On its clock."""
    runs: Mapping[str, str] = {}
    """When its clock runs, what the script must know, as attributes."""
    is_turn: bool = False
    is_below: bool = False
    """Of two players: whether it stands below the board."""


class Ply(Struct, frozen=True):
    """A move in the list."""

    number: int
    """Of the ply, from 1."""
    text: str
    who: int | str
    """The seat, or "chance" or "opening"."""
    spent: str = ""
    """The time that it took."""
    mark: str = ""
    passes: bool = False
    """Whether it is dealt together with what follows."""

    @property
    def meaning(self) -> str:
        """What the mark says."""
        return MARKS.get(Mark(self.mark), "") if self.mark else ""


class Item(Struct, frozen=True):
    """An item of the list: a move, or all that is dealt in a row."""

    number: str
    who: str
    kind: str
    """The class of the seat's colour, and whether it is long; "events" of what is dealt."""
    plies: Sequence[Ply]


def seat_kind(seat: int, rules: str) -> str:
    """The class that gives what belongs to a seat the colour of its pieces."""
    return f"of-{colour(rules, seat)}"


def plays(seat: int, rules: str) -> str:
    """The side of the seat on the board: the colour of its pieces, or else their letter."""
    sides = games.looks(rules).sides
    return sides[seat] if seat < len(sides) else words.piece(seat, rules) or player(seat)


def about(seat: int, rules: str, rating: float | None = None, error: float | None = None) -> str:
    """The side of a seat, and its rating; that of an anchor has no error."""
    rated = "" if rating is None else figures.whole(rating) + (f" ± {error:.0f}" if error else "")
    return " · ".join(filter(None, (plays(seat, rules), rated)))


def shape(players: int) -> str:
    """How many rows the players take, as a class."""
    return "one" if players < 2 else "" if players == 2 else "four" if players < 5 else "six"


def items(plies: Iterable[Ply], names: Sequence[str], rules: str) -> list[Item]:
    """The list of moves. What is dealt in a row shares an item."""
    found: list[Item] = []
    dealt: list[Ply] = []
    pairs = games.looks(rules).two_plies_a_number
    for ply in plies:
        dealt.append(ply)
        if ply.passes:
            continue
        is_player = isinstance(ply.who, int) and ply.who < len(names)
        who = names[ply.who] if isinstance(ply.who, int) and is_player else str(ply.who)
        number = words.move_number(dealt[0].number, rules)
        if len(dealt) > 1:
            number = f"{dealt[0].number}–{ply.number}."
        elif pairs and found and not ply.number % 2:
            number = ""
        kind = "events" if len(dealt) > 1 else seat_kind(ply.who, rules) if isinstance(ply.who, int) else ""
        if kind != "events" and len(ply.text) > _SHORT:
            kind = f"{kind} long".strip()
        found.append(Item(number, who, kind, tuple(dealt)))
        dealt.clear()
    return found


def runs(whos: Iterable[int | str], *, deals: bool) -> list[bool]:
    """For each ply, whether it is dealt together with the next one. `deals`: chance deals cards or tiles here."""
    found: list[bool] = []
    for is_dealt, group in groupby(whos, lambda who: deals and who == "chance"):
        length = len([*group])
        found += [is_dealt and number < length - 1 for number in range(length)]
    return found


def shown(text: str) -> str:
    """A name or a move on one line, not too long."""
    return words.printable(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def leftover(heading: str, text: str) -> dict[str, Any] | None:
    """A heading and the printed text; None if nothing was printed."""
    if not text.strip():
        return None
    lines = (words.without_store(words.printable(line)) for line in text.strip("\n").splitlines())
    return {"heading": heading, "text": "\n".join(lines)}
