"""`arena results hosts`: the machines that a tournament was played on, and how fast they are."""

from __future__ import annotations

from typing import Any, Final

from arena.cli.asking.record_options import DatabaseOption, TournamentArgument, reading, title_of
from arena.cli.terminal.listings import Shown, listed, show
from arena.results.columns import PROGRAMS, Column, Medium, fields

_SAME: Final = ("name", "processor", "cores", "system", "python", "software")
"""What makes two games' hosts one host."""


@listed(
    lambda: HOSTS,
    about={
        "name, processor, cores, system, python, software": "what the machine is; null where it was not recorded",
        "speed": "thousands of positions that our search visits in a second of processor time; or null",
        "games": "games played on it",
        "walls": "an array of the walls that its games had",
    },
)
def hosts(shown: Shown, tournament: TournamentArgument = None, db: DatabaseOption = None) -> None:
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
    if shown.is_table and not rows:
        print("no game is over")
        return
    if shown.is_table and title:
        print(title)
    show(rows, HOSTS, shown, first=("name", "speed", "games"))


def _built(row: dict[str, Any]) -> str:
    """Processor and software."""
    parts = (row["processor"], row["software"], row["python"] and f"Python {row['python']}")
    return ", ".join(str(part) for part in parts if part)


HOSTS: Final[tuple[Column[dict[str, Any]], ...]] = (
    Column("name", "host", text=lambda row: str(row["name"] or "unknown"), narrow=7),
    Column("processor", on=PROGRAMS),
    Column("cores", number=True),
    *fields(("system", "python", "software"), on=PROGRAMS),
    Column("speed", text=lambda row: "" if row["speed"] is None else f"{row['speed']:.0f} k", number=True),
    Column("games", number=True),
    Column("walls", text=lambda row: ", ".join(row["walls"])),
    Column("built", "processor and software", value=_built, on=Medium.TABLE, wrapped=20),
)
