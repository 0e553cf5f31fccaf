"""`arena results history`, and `arena replay` with --show and --logs: lists of games, one game, and its logs.

These commands only read. Control characters in the texts of agents are escaped in tables; JSON and CSV hold the texts
unchanged.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec.structs import replace
from rich.cells import cell_len

from arena.cli.asking import recorded_game
from arena.cli.asking.game_filters import filtered, refuse_unknown_game
from arena.cli.asking.record_options import DatabaseOption, TournamentArgument, reading, title_of
from arena.cli.asking.recorded_game import write_board
from arena.cli.terminal.listings import OutputFormat, Shown, listed, show, show_json
from arena.cli.terminal.notes import shortened
from arena.errors import ArenaError
from arena.history import documents, words
from arena.history.words import printable, result, without_store
from arena.results.columns import ALL, PROGRAMS, Column, Medium, fields
from db.records import ACTS

if TYPE_CHECKING:
    from pathlib import Path

    from adsearch import State
    from arena.history.replay import Replay
    from db.records import PastGame
    from db.search import GameFilter


# The table of `arena results history`, fitted to the width of the terminal.


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
        *(of_games.get(each, Column(each, on=PROGRAMS)) for each in documents.LISTED),
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


_DEFAULT_LIMIT: Final = 50
_MOST_COUNTED: Final = 10_000
"""Largest number of games that are counted; counting more takes too long."""


class Status(StrEnum):
    """The values of --status."""

    OVER = "over"
    SCHEDULED = "scheduled"
    PLAYING = "playing"
    FINISHED = "finished"
    VOID = "void"
    CANCELLED = "cancelled"
    ANY = "any"


_STATUS_HELP: Final = f"Status of the games: {', '.join(Status)}. over: finished or void."


@listed(
    lambda: columns((), year=0),
    about={
        "id, tournament, round, number, attempt, game, opening, clock, position": "as in [`v_game`](#v_game)",
        "status, verdict, fault, plies, started, finished, kind": "as in [`v_game`](#v_game)",
        "players, seed": "an array in the order of the seats; a number",
        "points, utilities": "arrays: the points that count, after rulings; the result on the board",
        "ruling": (
            'the ruling that changed the points: `{"what", "seat", "reason", "when", "id"}` (`id`: for '
            "`arena rule revoke`); else null"
        ),
    },
    without=("limit",),
)
@filtered()
def history(
    wanted: GameFilter,
    shown: Shown,
    status: Annotated[Status, typer.Option(metavar="STATUS", help=_STATUS_HELP)] = Status.OVER,
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=1_000_000, help="Largest number of games to list.", show_default="50"),
    ] = None,
    db: DatabaseOption = None,
) -> None:
    """List recorded games, newest first; filters select by player, result, date and more.

    Example: arena results history --agent mcts --opponent pvs --result loss

    Example: arena results history --fault any --since 2026-05-01 --format csv
    """
    from db import search

    wanted = replace(wanted, statuses=_STATUSES.get(status, (status.value,)))
    with reading(db) as connection:
        found = search.page(connection, wanted, limit=limit or _DEFAULT_LIMIT)
        there_are = len(found)
        if limit is None and there_are == _DEFAULT_LIMIT:
            there_are = search.count(connection, wanted, most=_MOST_COUNTED)
        if not found:
            refuse_unknown_game(connection, wanted)
    rows = [documents.heading(game) for game in found]
    show(rows, columns(rows, agent=wanted.agent, year=datetime.now(UTC).year), shown)
    if there_are > _MOST_COUNTED:
        print(
            f"the newest {_DEFAULT_LIMIT} of more than {_MOST_COUNTED:,} games; --limit N lists more", file=sys.stderr
        )
    elif there_are > len(found):
        print(f"the newest {_DEFAULT_LIMIT} of {there_are:,} games; --limit {there_are} lists all", file=sys.stderr)


def show_game(id: str, *, ply: int | None, svg: Path | None, trust_rules: bool, shown: Shown, db: str | None) -> None:
    """Show one recorded game; JSON has everything that is recorded, CSV the moves."""
    from arena.history.replay import replay

    game = recorded_game.read_game(id, db)
    recorded_game.refuse_beyond(game, ply)
    if svg is not None:
        write_board(svg, *_reached(replay(game, trust=trust_rules), ply))
    elif shown.in_words:
        found = replay(game, trust=trust_rules)
        _print(found.game, _board(found, ply))
    elif shown.format is OutputFormat.JSON and shown.is_whole:
        show_json(documents.whole(game))
    else:
        rows = [
            documents.move(move) | {"player": _player(game, move.who), "marks": words.marks(move.marks)}
            for move in game.moves
        ]
        if shown.format is OutputFormat.JSON:
            show_json(documents.whole(game) | {"moves": shown.documents(rows, MOVES)})
        else:
            show(rows, MOVES, shown)


def show_logs(id: str, *, seat: int | None, agent: str | None, shown: Shown, db: str | None) -> None:
    """Show what the agents printed in a game: their logs, tracebacks and debug output (stderr)."""
    from db import dialect
    from db.bundles import traffic_beside

    game = recorded_game.read_game(id, db)
    seats = [one for one in game.seats if (seat is None or one.seat == seat) and (agent is None or one.player == agent)]
    if not seats:
        wanted = " and ".join(
            part for part in (f"seat {seat}" * (seat is not None), f"{agent!r}" * (agent is not None)) if part
        )
        there = ", ".join(f"{number}: {player!r}" for number, player in enumerate(game.players))
        raise typer.BadParameter(f"{wanted} did not play in game {game.name}; its players are {there}")
    if not shown.in_words:
        show(seats, LOGS, shown)
        return

    for one in seats:
        if len(seats) > 1:
            print(f"{one.seat}  {words.printable(one.player)}")
        for line in words.without_store(one.stderr or "").splitlines() or ["(printed nothing)"]:
            print(words.printable(line))
        traffic = traffic_beside(dialect.file_of(dialect.url(db))) / f"{game.id}-{one.seat}.log"
        if traffic.exists():
            print(f"the whole traffic with this engine: {traffic}")


# Listings.


MOVES: Final = fields(documents.SHOWN)
LOGS: Final = (*fields(("seat", "player")), Column("stderr", lines=True))
_STATUSES: Final = {Status.OVER: ("finished", "void"), Status.ANY: ()}


# One game.


def _board(found: Replay, ply: int | None) -> str:
    """The board after that ply, or at the end; or the reason why its rules cannot be run."""
    from arena.cli.terminal.board import board_lines

    try:
        return "\n".join(board_lines(*_reached(found, ply)))
    except ArenaError as error:
        return recorded_game.missing_board(str(error))


def _reached(found: Replay, ply: int | None) -> tuple[State[Any], Any]:
    """The position after that ply, or at the end, and the move that led to it; ArenaError if the rules do not run."""
    step = found.steps[-1 if ply is None else ply]
    if step.state is None:
        raise ArenaError(f"no board: {found.trouble}")
    return step.state, step.last


def _print(game: PastGame, board: str) -> None:
    """Print heading, moves, board, verdict and rulings."""
    from arena.tournament.host import recorded_speed as recorded

    for line in recorded_game.header(game):
        print(line)
    host = game.host or {}
    if (speed := recorded(host)) is not None:
        on = f"played on {host.get('name')}: {host.get('processor')}, {speed:.0f} thousand positions a second"
        print(words.printable(on))
    if game.moves:
        print()
    for move in game.moves:
        thinking, marks = words.thinking(move), words.marks(move.marks)
        parts = [f"{move.ply:3}  {words.printable(_player(game, move.who))} {words.printable(move.move)}"]
        parts += [words.seconds(move.spent)] * (move.spent is not None)
        parts += [f"{words.seconds(move.left)} left"] * (move.left is not None)
        parts += [thinking] * bool(thinking)
        parts += [f"marks {marks}"] * bool(marks)
        print("   ".join(parts))
    if board:
        print(f"\n{board}")
    print()
    for line in recorded_game.ending(game):
        print(line)


def _player(game: PastGame, who: int | str) -> str:
    """The player or chance event that made a ply."""
    return game.players[who] if isinstance(who, int) else who


# `arena results hosts`: the machines that a tournament was played on, and how fast they are.


_SAME: Final = ("name", "processor", "cores", "system", "python", "software")
"""What makes two games' hosts one host."""


@listed(
    lambda: HOSTS,
    about={
        "name, processor, cores, system, python, software": "",
        "speed": "thousands of positions that our search visits in a second of processor time",
        "games, walls": "games played on it; an array of the walls that they had",
    },
)
def hosts(shown: Shown, tournament: TournamentArgument = None, db: DatabaseOption = None) -> None:
    """List the machines that a tournament was played on: name, speed, number of games, processor and software.

    The speed is the number of positions, in thousands, that a search of ours visits in a second of processor time: the
    best that was measured on that machine. With a clock, `arena run --on` gives no games to a machine whose speed
    differs by more than `host_tolerance` from that of the first one.

    Example: arena results hosts demo
    """
    from arena.tournament.host import recorded_speed as recorded
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
