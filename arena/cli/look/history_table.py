"""The table of `arena history` on a terminal: as wide as that is, with every player to be read.

What is least needed goes first, names are shortened last, and the one that was asked for after all others. In a file,
and for programs, nothing is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from rich.cells import cell_len

from arena.cli.terminal.listings import Columns, Row
from arena.cli.terminal.wrapping import shortened, table_width
from arena.history.words import RULED, printable, result, without_store

_BETWEEN: Final = " - "
_LEGIBLE: Final = 10
"""Columns of a name: what is longer may be shortened to that."""
_LEAST: Final = 3
"""So many are left of a name, however narrow the terminal is."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_FRACTIONS: Final = {"0.25": "¼", "0.33": "⅓", "0.5": "½", "0.67": "⅔", "0.75": "¾"}
_Cells = dict[str, Callable[[Row], str]]


def columns(rows: Sequence[Row], *, agent: str | None = None, year: int) -> Columns:
    """The columns for games of these `rows`; a day of that `year` needs no year."""
    cells: _Cells = {
        "game": name,
        "rules": lambda row: without_store(row["game"]),
        "players": seated,
        "points": points,
        "verdict": verdict,
        "plies": lambda row: "" if row["plies"] is None else str(row["plies"]),
        "finished": lambda row: (row["finished"] or "")[:10],
    }
    if len({row["game"] for row in rows}) < 2:
        del cells["rules"]  # the same in every row
    width = table_width()
    if width is None or not rows:
        return cells
    whole = max(cell_len(seated(row)) for row in rows)
    legible = max(_least(row, agent) for row in rows)
    this_year = all((row["finished"] or str(year)).startswith(str(year)) for row in rows)
    shorter = {"finished": _day if this_year else cells["finished"], "rules": _rules, "points": _fractions}
    for title, short in shorter.items():
        if title in cells and _room(rows, cells, width) < whole:
            cells[title] = short
    for title in ("plies", "finished", "verdict"):
        texts = {cells[title](row) for row in rows}
        if _room(rows, cells, width) < legible and (title != "verdict" or texts == {"normal"}):
            del cells[title]
    room = _room(rows, cells, width)
    return cells | {"players": lambda row: seated(row, room=room, agent=agent)}


def name(row: Row) -> str:
    """The game as it may be asked for."""
    return str(row["id"]) if row["tournament"] is None else f"{row['tournament']}-{row['number']}"


def points(row: Row) -> str:
    """What each player was given, and whether that was by a ruling."""
    mark = "" if row["ruling"] is None else f" ({RULED[row['ruling']['what']].partition(' ')[0]})"
    return result(row["points"] or [None]) + mark


def verdict(row: Row) -> str:
    """How it ended, and in which seat who lost by that."""
    seat = "" if row["fault"] is None else f" ({row['fault']})"
    return f"{row['verdict'] or row['status']}{seat}"


def seated(row: Row, *, room: int | None = None, agent: str | None = None) -> str:
    """Who played, shortened to so much `room` where there is no more; the name of `agent` only if it must be."""
    names = list(map(printable, row["players"]))
    if room is None or cell_len(_BETWEEN.join(names)) <= room:
        return _BETWEEN.join(names)
    left = room - len(_BETWEEN) * (len(names) - 1)
    shown = dict[int, str]()
    # The short ones leave room to the long ones.
    order = sorted(range(len(names)), key=lambda seat: (not _is(names[seat], agent), cell_len(names[seat])))
    for number, seat in enumerate(order):
        others = len(names) - number - 1
        share = left - _LEAST * others if _is(names[seat], agent) else left // (others + 1)
        shown[seat] = shortened(names[seat], max(share, _LEAST))
        left -= cell_len(shown[seat])
    return _BETWEEN.join(shown[seat] for seat in range(len(names)))


def _is(player: str, agent: str | None) -> bool:
    """Whether that is the one, or a version of it."""
    return agent is not None and (player == agent or player.startswith((f"{agent}@", f"{agent}#")))


def _least(row: Row, agent: str | None) -> int:
    """The columns in which all who played can be read."""
    names = list(map(printable, row["players"]))
    each = [cell_len(name) if _is(name, agent) else min(cell_len(name), _LEGIBLE) for name in names]
    return sum(each) + len(_BETWEEN) * (len(names) - 1)


def _room(rows: Sequence[Row], cells: _Cells, width: int) -> int:
    """What the other columns leave to the players."""
    others = [(title, text) for title, text in cells.items() if title != "players"]
    widths = [max([len(title), *(cell_len(printable(text(row))) for row in rows)]) for title, text in others]
    return width - sum(widths) - 2 * len(widths)


# Shorter forms.


def _day(row: Row) -> str:
    """A day of this year."""
    if row["finished"] is None:
        return ""
    return f"{int(row['finished'][8:10]):2} {_MONTHS[int(row['finished'][5:7]) - 1]}"


def _rules(row: Row) -> str:
    """The game without its options and its file."""
    return re.sub(r"^.*\.py:", "", without_store(row["game"])).partition(":")[0]


def _fractions(row: Row) -> str:
    """The points as fractions."""
    return re.sub(r"0\.\d+", lambda found: _FRACTIONS.get(found[0], found[0]), points(row))
