"""`arena results`, and its commands `tournaments` and `crosstable`: tables of tournaments, points, and results
between players.

These commands only read. Control characters in names are escaped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from arena.cli.asking.game_filters import AtOption, filtered, rated_scope
from arena.cli.asking.record_options import (
    AllOption,
    DatabaseOption,
    TournamentArgument,
    asked_tournaments,
    ladder_note,
    read_standings,
    reading,
    title_of,
    unlike_note,
)
from arena.cli.terminal.bars import show_standings, standings_columns
from arena.cli.terminal.listings import OutputFormat, Shown, listed, show, show_json
from arena.cli.terminal.notes import table_width
from arena.history import words
from arena.results.columns import Column, Medium, fields, worded

if TYPE_CHECKING:
    from arena.ratings.points import Crosstable
    from arena.ratings.ranking import Ranking
    from db.database import Connection
    from db.scores import HeadToHead
    from db.search import GameFilter

TOURNAMENTS: Final = worded(
    Column("name", narrow=7),
    Column("format"),
    Column("game", text=lambda row: words.without_store(row.game)),
    *fields(("clock", "played", "finished"), on=Medium.JSON),
    Column("entries"),
    Column("games", text=lambda row: f"{row.played}/{row.games}"),
    Column("status"),
    Column("created", text=lambda row: words.recorded_moment(row.created), wrapped=12),
)


@listed(
    lambda: TOURNAMENTS,
    about={
        "name, format, game, clock, created, finished": "",
        "entries": "number of players",
        "played, games": "games that are over; games scheduled so far",
        "status": "`running` or `finished`",
    },
)
def tournaments(shown: Shown, db: DatabaseOption = None) -> None:
    """List all tournaments, newest first, with their status and number of games.

    Example: arena results tournaments
    """
    from arena.serve.open_ladders import with_finals
    from db import lookup

    with reading(db) as connection:
        rows = with_finals(lookup.tournaments(connection))
    show(rows, TOURNAMENTS, shown)


@listed(
    standings_columns,
    about={
        "rank, name, games, wins, draws, losses, points, score": "",
        "tiebreaks": (
            "an object with [`direct`, `sonneborn_berger`, `buchholz`, `buchholz_cut1`, `wins`, "
            "`wins_second`](results.md#tie-breaks)"
        ),
        "faults": "an object: verdict -> lost games",
        "forfeits, byes": "games that opponents forfeited; points from byes",
        "apart": "whether `gauntlet` names it",
        "status": "`active`, `withdrawn` or `quarantined`",
        "seed, series": "of a knockout (`series`: an array); else null",
        "series[].round, .opponent, .opponent_seed, .games, .points, .opponent_points": (
            "`opponent` is null for a bye, or if not yet known"
        ),
        "series[].through, .why": (
            "whether it goes through, and why: `won`, `tied, higher seed`, `opponent withdrew`, `bye` or "
            "`already paired` (before a ruling); null while open"
        ),
    },
)
def standings(
    shown: Shown,
    tournament: TournamentArgument = None,
    everything: AllOption = False,
    db: DatabaseOption = None,
) -> None:
    """Show how a tournament stands: points, ratings with error bars, games still to be played.

    Agents are ranked by points. Ties are broken by points among the tied agents, Sonneborn-Berger, Buchholz, Buchholz
    without the weakest opponent, wins, and wins in other seats than the first. A knockout is ranked by the round
    reached, then by the score in the lost series; its bracket is below the table. A gauntlet is ranked by score, with a
    second table for the agents named in `gauntlet`.

    "forfeit +5": it won 5 games because the opponent forfeited them. "bye +2": 2 of its points are from byes. Only the
    games of each agent's current version count, with the rulings about them. CSV and JSON have the standings only.

    Example: arena results demo

    Example: arena results show rank
    """
    asked = asked_tournaments([tournament], everything)
    with reading(db) as connection:
        found = read_standings(connection, asked)
        if not shown.is_table:
            show_standings(found, shown)
            return
        title, notes = title_of(connection, asked), [unlike_note(connection, asked), ladder_note(connection, asked)]
        ratings, progress = _rated(connection, asked), _still_to_play(connection, asked)
    if title:
        print(title)
    show_standings(found, shown)
    if ratings is not None:
        _show_ratings(ratings)
    if progress:
        print(f"\n{progress}")
    for note in filter(None, notes):
        print(note)


def _rated(connection: Connection, asked: Sequence[str | None]) -> Ranking | None:
    """The ratings of the players; None if no game can be rated."""
    from arena.ratings.ranking import RankingSettings
    from arena.results import ranking_table
    from db.search import GameFilter

    scope = rated_scope(connection, asked, wanted=GameFilter(), at=None)
    found, _ = ranking_table.recorded_ranking(connection, scope, system=None, settings=RankingSettings())
    return found if any(player.rating is not None for player in found.players) else None


def _show_ratings(found: Ranking) -> None:
    """Print the columns of `arena results rank` that say who is stronger, and how sure that is."""
    from arena.results import ranking_table

    columns = {one.name: one for one in ranking_table.columns_of(found)}
    print()
    show(found.players, [columns[name] for name in ("rank", "name", "rating", "error")])
    print(f"ratings: {found.system}, with 95 % error bars; arena results rank explains them")


def _still_to_play(connection: Connection, asked: Sequence[str | None]) -> str:
    """How many games of the tournament are still to be played; empty for all recorded games."""
    from db import lookup, running

    if not asked:
        return ""
    over, all = running.counts(connection, lookup.find_tournament(connection, asked[0]))
    if over == all:
        return f"{words.counted(all, 'game')}, none is still to be played"
    return f"{over:,} of {words.counted(all, 'game')} are over, {all - over:,} are still to be played"


@listed(without=("columns",))
@filtered(without=("tournament",))
def crosstable(
    wanted: GameFilter,
    shown: Shown,
    tournament: TournamentArgument = None,
    everything: AllOption = False,
    at: AtOption = None,
    db: DatabaseOption = None,
) -> None:
    """Show a crosstable: the results of all players against each other.

    A cell has the points of the row's player and the number of games: 3/4 is 3 points in 4 games. The players are in
    the order of the standings. The table has the first 100 of them; CSV and JSON have all.

    Example: arena results crosstable demo

    Example: arena results crosstable --all --game connect4 --since 2026-05-01
    """
    from arena.ratings import points
    from db import rated_games
    from db.search import GameFilter

    asked = asked_tournaments([tournament], everything)
    with reading(db) as connection:
        if wanted == GameFilter() and at is None:
            found = read_standings(connection, asked)
            table = points.crosstable(found.results, found.statuses, found.byes, found.order)
        else:
            scope = rated_scope(connection, asked, wanted=wanted, at=at, for_points=True)
            table = points.crosstable(points.of(rated_games.games(connection, scope)))
        title = title_of(connection, asked)
    rows = shown.ordered([*_columns(table)], zip(table.players, table.cells, strict=True))
    table = _of(table, [player for player, _ in rows])
    if shown.format is OutputFormat.JSON:
        show_json({"players": table.players, "cells": [[_cell(cell) for cell in row] for row in table.cells]})
    elif not shown.is_table:
        show([*zip(table.players, table.cells, strict=True)], _columns(table), Shown(format=shown.format))
    elif not table.players:
        print("no games")
    else:
        if title:
            print(title)
        there_are = len(table.players)
        for line in crosstable_lines(_of(table, table.players[: points.IN_CROSSTABLE]), width=table_width()):
            print(line)
        if there_are > points.IN_CROSSTABLE:
            print(f"the first {points.IN_CROSSTABLE} of {there_are:,} players; --format csv has all", file=sys.stderr)


def _cell(cell: HeadToHead | None) -> dict[str, Any] | None:
    return None if cell is None else {"points": round(cell.points, 9), "games": cell.games}


# The crosstable as a listing, and as text.


def _columns(table: Crosstable) -> Iterator[Column[tuple[str, Sequence[HeadToHead | None]]]]:
    """A row has a player, and the results against all."""
    from arena.results import figures  # it loads drawing

    yield Column("name", value=itemgetter(0))
    for place, player in enumerate(table.players):
        yield Column(
            player,
            value=partial(_share, place),
            csv=partial(_met, place, points="{:g}".format),
            text=partial(_met, place, points=figures.share),
        )


def _share(place: int, row: tuple[str, Sequence[HeadToHead | None]]) -> float | None:
    cell = row[1][place]
    return None if cell is None or not cell.games else cell.points / cell.games


def _met(place: int, row: tuple[str, Sequence[HeadToHead | None]], *, points: Callable[[float], str]) -> str:
    cell = row[1][place]
    return "" if cell is None else f"{points(cell.points)}/{cell.games}"


def _of(table: Crosstable, players: Sequence[str]) -> Crosstable:
    """The table of only these players, in this order."""
    places = [table.players.index(player) for player in players]
    cells = [[table.cells[row][column] for column in places] for row in places]
    return replace(table, players=list(players), cells=cells)


def crosstable_lines(table: Crosstable, *, width: int | None) -> list[str]:
    """The table in lines of at most `width` columns, split into parts if needed; None: lines of any length.

    Columns are numbered like rows."""
    from rich.cells import cell_len, set_cell_size

    columns = [*_columns(table)][1:]
    cells = [[one.said(row) or "." for one in columns] for row in zip(table.players, table.cells, strict=True)]
    for number, row in enumerate(cells):
        row[number] = "x" if row[number] == "." else row[number]
    heads = [str(number) for number in range(1, len(table.players) + 1)]
    names = [words.printable(name) for name in table.players]
    each = max([len(text) for row in [heads, *cells] for text in row], default=1)
    first = len(heads[-1]) if heads else 1
    longest = max(map(cell_len, names), default=0)
    width = width or first + 1 + longest + (each + 1) * len(heads)
    # Names are shortened, to at least 12 columns, before the table is split.
    room = min(longest, max(12, width - first - 1 - (each + 1) * len(heads)))
    at_once = max(1, (width - first - 1 - room) // (each + 1))
    lines: list[str] = []
    for begin in range(0, len(heads), at_once):
        part = slice(begin, begin + at_once)
        lines += [""] if lines else []
        lines.append(" " * (first + 1 + room) + "".join(f" {head:>{each}}" for head in heads[part]))
        for head, name, row in zip(heads, names, cells, strict=True):
            shown = name if cell_len(name) <= room else set_cell_size(name, room - 1) + "…"
            line = f"{head:>{first}} {set_cell_size(shown, room)}" + "".join(f" {text:>{each}}" for text in row[part])
            lines.append(line.rstrip())
    return lines
