"""The table of `arena results history`, fitted to the width of the terminal.

If the table is too wide, texts get shorter, then columns are dropped, then names are shortened, the name given with
--agent last of all. In a file or a pipe nothing is shortened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from rich.cells import cell_len

from arena.cli.terminal.wrapping import shortened
from arena.history.fields import LISTED
from arena.history.words import printable, result, without_store
from arena.results.columns import ALL, PROGRAMS, Column, Medium
from db.records import ACTS

Row = Mapping[str, Any]
_BETWEEN: Final = " - "
_LEGIBLE: Final = 10
"""Width to which longer names can be shortened and still be recognised."""
_LEAST: Final = 3
"""Smallest width of a name, on any terminal."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_FRACTIONS: Final = {"0.25": "¼", "0.33": "⅓", "0.5": "½", "0.67": "⅔", "0.75": "¾"}
DAY: Final = "day (UTC)"
"""The title of a column of days."""


def columns(rows: Sequence[Row], *, agent: str | None = None, year: int) -> list[Column[Row]]:
    """The columns for the games in `rows`; dates in `year` can be shown without the year."""
    this_year = all((row["finished"] or str(year)).startswith(str(year)) for row in rows)
    is_normal = all(verdict(row) == "normal" for row in rows)
    several = len({row["game"] for row in rows}) > 1
    of_games: dict[str, Column[Row]] = {
        "game": Column("game", "rules", text=lambda row: without_store(row["game"]), shorter=_rules,
                       on=ALL if several else PROGRAMS),
        "players": Column("players", text=seated, csv=_joined("players", " - "), cut=partial(seated, agent=agent),
                          narrow=max((_least(row, agent) for row in rows), default=1)),
        "points": Column("points", text=points, csv=_joined("points", " "), shorter=_fractions),
        "utilities": Column("utilities", csv=_joined("utilities", " "), on=PROGRAMS),
        "verdict": Column("verdict", text=verdict, csv=lambda row: row["verdict"] or "", spare=3 * is_normal),
        "plies": Column("plies", spare=1),
        "finished": Column("finished", DAY, text=lambda row: (row["finished"] or "")[:10], spare=2,
                           csv=lambda row: row["finished"] or "", shorter=_day if this_year else None),
        "ruling": Column("ruling", csv=lambda row: "" if row["ruling"] is None else row["ruling"]["what"], on=PROGRAMS),
    }  # fmt: skip
    return [
        Column("name", "game", value=name, on=Medium.TABLE),
        *(of_games.get(each, Column(each, on=PROGRAMS)) for each in LISTED),
    ]


def _joined(name: str, between: str) -> Callable[[Row], str]:
    return lambda row: "" if row[name] is None else between.join(map(str, row[name]))


def name(row: Row) -> str:
    """The name of the game that other commands accept: "demo-12", or its id."""
    return str(row["id"]) if row["tournament"] is None else f"{row['tournament']}-{row['number']}"


def points(row: Row) -> str:
    """The points of each player, marked if a ruling decided them."""
    mark = "" if row["ruling"] is None else f" ({ACTS[row['ruling']['what']].done.partition(' ')[0]})"
    return result(row["points"] or [None]) + mark


def verdict(row: Row) -> str:
    """The verdict, and the seat of the player at fault."""
    seat = "" if row["fault"] is None else f" ({row['fault']})"
    return f"{row['verdict'] or row['status']}{seat}"


def seated(row: Row, room: int | None = None, *, agent: str | None = None) -> str:
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
