"""`arena results hosts`: the machines that a tournament was played on, and how fast they are."""

from __future__ import annotations

from typing import Any, Final

from arena.cli.asking.record_options import DatabaseOption, TournamentArgument, reading, title_of
from arena.cli.terminal.listings import Columns, FormatOption, OutputFormat, exact_columns, show

_SAME: Final = ("name", "processor", "cores", "system", "python", "software")
"""What makes two games' hosts one host."""


def hosts(
    tournament: TournamentArgument = None, format: FormatOption = OutputFormat.TABLE, db: DatabaseOption = None
) -> None:
    """List the machines that a tournament was played on: name, speed, number of games, processor and software.

    The speed is the number of positions, in thousands, that a search of ours visits in a second of processor time: the
    best that was measured on that machine. With a clock, `arena run --on` gives no games to a machine whose speed
    differs by more than `host_tolerance` from that of the first one.

    Example: arena results hosts demo
    """
    from arena.tournament.host_speed import recorded
    from db import lookup
    from db.games import hosts as said

    with reading(db) as connection:
        found = said(connection, lookup.find_tournament(connection, tournament))
        title = title_of(connection, [tournament])
    machines: dict[tuple[str, ...], dict[str, Any]] = {}
    for host, games in found:
        one = {key: host.get(key) for key in _SAME}
        row = machines.setdefault(tuple(map(str, one.values())), one | {"speed": None, "games": 0, "walls": []})
        row["games"] += games
        row["speed"] = max((speed for speed in (row["speed"], recorded(host)) if speed is not None), default=None)
        row["walls"] = sorted({*row["walls"], *filter(None, [str(host.get("walls") or "")])})
    rows = list(machines.values())
    if format is not OutputFormat.TABLE:
        show(rows, {**exact_columns(_FIELDS), "walls": lambda row: " ".join(row["walls"])}, format=format)
    elif rows:
        if title:
            print(title)
        show(rows, _TABLE, format=format, narrowed="host", wrapped=20, numbers=("speed", "games", "cores"))
    else:
        print("no game is over")


_FIELDS: Final = (*_SAME, "speed", "games", "walls")
_TABLE: Final[Columns] = {
    "host": lambda row: str(row["name"] or "unknown"),
    "speed": lambda row: "" if row["speed"] is None else f"{row['speed']:.0f} k",
    "games": lambda row: str(row["games"]),
    "cores": lambda row: str(row["cores"] or ""),
    "walls": lambda row: ", ".join(row["walls"]),
    "processor and software": lambda row: ", ".join(
        str(part) for part in (row["processor"], row["software"], row["python"] and f"Python {row['python']}") if part
    ),
}
