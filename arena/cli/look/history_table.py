"""The table of `arena results history`, fitted to the width of the terminal.

If the table is too wide, texts get shorter, then columns are dropped, then names are shortened, the name given with
--agent last of all. In a file or a pipe nothing is shortened.
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
"""Width to which longer names can be shortened and still be recognised."""
_LEAST: Final = 3
"""Smallest width of a name, on any terminal."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_FRACTIONS: Final = {"0.25": "¼", "0.33": "⅓", "0.5": "½", "0.67": "⅔", "0.75": "¾"}
DAY: Final = "day (UTC)"
"""The title of a column of days."""
_Cells = dict[str, Callable[[Row], str]]


def columns(rows: Sequence[Row], *, agent: str | None = None, year: int) -> Columns:
    """The columns for the games in `rows`; dates in `year` are shown without the year."""
    cells: _Cells = {
        "game": name,
        "rules": lambda row: without_store(row["game"]),
        "players": seated,
        "points": points,
        "verdict": verdict,
        "plies": lambda row: "" if row["plies"] is None else str(row["plies"]),
        DAY: lambda row: (row["finished"] or "")[:10],
    }
    if len({row["game"] for row in rows}) < 2:
        del cells["rules"]  # every row has the same rules
    width = table_width()
    if width is None or not rows:
        return cells
    whole = max(cell_len(seated(row)) for row in rows)
    legible = max(_least(row, agent) for row in rows)
    this_year = all((row["finished"] or str(year)).startswith(str(year)) for row in rows)
    shorter = {DAY: _day if this_year else cells[DAY], "rules": _rules, "points": _fractions}
    for title, short in shorter.items():
        if title in cells and _room(rows, cells, width) < whole:
            cells[title] = short
    for title in ("plies", DAY, "verdict"):
        texts = {cells[title](row) for row in rows}
        if _room(rows, cells, width) < legible and (title != "verdict" or texts == {"normal"}):
            del cells[title]
    room = _room(rows, cells, width)
    return cells | {"players": lambda row: seated(row, room=room, agent=agent)}


def name(row: Row) -> str:
    """The name of the game that other commands accept: "demo-12", or its id."""
    return str(row["id"]) if row["tournament"] is None else f"{row['tournament']}-{row['number']}"


def points(row: Row) -> str:
    """The points of each player, marked if a ruling decided them."""
    mark = "" if row["ruling"] is None else f" ({RULED[row['ruling']['what']].partition(' ')[0]})"
    return result(row["points"] or [None]) + mark


def verdict(row: Row) -> str:
    """The verdict, and the seat of the player at fault."""
    seat = "" if row["fault"] is None else f" ({row['fault']})"
    return f"{row['verdict'] or row['status']}{seat}"


def seated(row: Row, *, room: int | None = None, agent: str | None = None) -> str:
    """The players in at most `room` columns; the name of `agent` is shortened last."""
    names = list(map(printable, row["players"]))
    if room is None or cell_len(_BETWEEN.join(names)) <= room:
        return _BETWEEN.join(names)
    left = room - len(_BETWEEN) * (len(names) - 1)
    shown = dict[int, str]()
    # Short names first: what they do not need is left for long names.
    order = sorted(range(len(names)), key=lambda seat: (not _is(names[seat], agent), cell_len(names[seat])))
    for number, seat in enumerate(order):
        others = len(names) - number - 1
        share = left - _LEAST * others if _is(names[seat], agent) else left // (others + 1)
        shown[seat] = shortened(names[seat], max(share, _LEAST))
        left -= cell_len(shown[seat])
    return _BETWEEN.join(shown[seat] for seat in range(len(names)))


def _is(player: str, agent: str | None) -> bool:
    """Whether `player` is `agent` or a version of it."""
    return agent is not None and (player == agent or player.startswith((f"{agent}@", f"{agent}#")))


def _least(row: Row, agent: str | None) -> int:
    """The smallest width in which all players of a game can be recognised."""
    names = list(map(printable, row["players"]))
    each = [cell_len(name) if _is(name, agent) else min(cell_len(name), _LEGIBLE) for name in names]
    return sum(each) + len(_BETWEEN) * (len(names) - 1)


def _room(rows: Sequence[Row], cells: _Cells, width: int) -> int:
    """The width that the other columns leave for the players."""
    others = [(title, text) for title, text in cells.items() if title != "players"]
    widths = [max([len(title), *(cell_len(printable(text(row))) for row in rows)]) for title, text in others]
    return width - sum(widths) - 2 * len(widths)


# Shorter forms.


def _day(row: Row) -> str:
    """The day the game ended, without the year."""
    if row["finished"] is None:
        return ""
    return f"{int(row['finished'][8:10]):2} {_MONTHS[int(row['finished'][5:7]) - 1]}"


def _rules(row: Row) -> str:
    """The rules without options, file and library."""
    name = re.sub(r"^(.*\.py|openspiel):", "", without_store(row["game"]))
    return re.split(r"[:(]", name)[0]


def _fractions(row: Row) -> str:
    """The points as fractions."""
    return re.sub(r"0\.\d+", lambda found: _FRACTIONS.get(found[0], found[0]), points(row))
