"""Games as CSV: one row per game, with its result and its moves; and plain lists "round,first,second,result".

Columns can be in any order; only first, second and result are required. Clocks, stderr and earlier rulings are not
included. Columns with a value for each seat have them in the order of the seats, with "-" for no value.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import PurePath
from typing import Final, NoReturn, TextIO
from urllib.parse import quote as percent
from urllib.parse import unquote

from msgspec.structs import replace

from adsearch.errors import nearly, quote
from arena.history import csv_cells
from arena.history.documents import AFTER_PLAYERS, BEFORE_PLAYERS, NUMBERS, TEXTS
from arena.history.exchange.checks import refuse
from db.records import MAX_INTEGER, MoveRecord, PastGame, PastRuling, PastSeat

SEATS: Final = ("first", "second", "third", "fourth")
PLAIN: Final = ("round", "first", "second", "result")
_EMPTY: Final = "%"
"""Stands for a move with an empty text, in a list of moves separated by spaces."""


def seat_name(seat: int) -> str:
    """The name of the seat in exported files."""
    return SEATS[seat] if seat < len(SEATS) else f"seat{seat}"


# Results.


def result(points: list[float] | None) -> str:
    """Points as a result: "1-0", "1/2-1/2", "*" without points."""
    if points is None:
        return "*"
    return "-".join("1/2" if share == 0.5 else _digits(share) for share in points)


def points(text: str) -> list[float] | None:
    """The points of a result; ValueError if the text is not a result."""
    if text.strip() == "*":
        return None
    return [0.5 if share in ("1/2", "½") else float(share) for share in text.strip().split("-")]


def _digits(number: float) -> str:
    """A number without an exponent, because "-" separates points."""
    if number in (0.0, 1.0):
        return str(int(number))
    return format(Decimal(repr(number)), "f")


# A value for each seat.


def by_seat(values: Iterable[object]) -> str:
    """The values of all seats in one text; empty if no seat has a value."""
    found = list(values)
    return "" if all(value is None for value in found) else " ".join("-" if one is None else str(one) for one in found)


def of_seats(text: str, seats: int) -> list[str | None] | None:
    """The values of a text that `by_seat` made; None if their number is not that of the seats."""
    values = text.split() or ["-"] * seats
    return [None if value == "-" else value for value in values] if len(values) == seats else None


class Reader:
    """Reads a part of a file; a mistake is a BadImport with its line."""

    def __init__(self, name: str, line: int) -> None:
        self._name, self._at = name, line

    def _refuse(self, why: str) -> NoReturn:
        refuse(self._name, self._at, why)

    def _scored(self, text: str, players: int) -> list[float] | None:
        """The points of a result for this number of players."""
        try:
            scored = points(text)
        except ValueError:
            self._refuse(f"expected a result such as 1-0, 0-1, 1/2-1/2 or points, got {quote(text)}")
        if scored is not None and len(scored) != players:
            self._refuse(f"expected the points of {players} players, got {quote(text)}")
        return scored

    def _of_seats(self, column: str, text: str, players: int) -> list[str | None]:
        """The values of a text with one value for each seat."""
        values = of_seats(text, players)
        if values is None:
            self._refuse(f"{column}: expected {players} values, got {quote(text)}")
        return values


# Moves separated by spaces.


def joined(texts: Iterable[str]) -> str:
    """The texts in one string, separated by spaces; `parted` splits the string again."""
    return " ".join(_without_spaces(text) or _EMPTY for text in texts)


def parted(text: str) -> list[str]:
    """The texts of a string that `joined` made."""
    return ["" if part == _EMPTY else unquote(part) for part in text.split(" ") if part]


def _without_spaces(text: str) -> str:
    return "".join(
        percent(letter, safe="") if letter == "%" or letter.isspace() or not letter.isprintable() else letter
        for letter in text
    )


# Writing.


def write(games: Iterable[PastGame], out: TextIO, *, most_seats: int = 2) -> int:
    """Writes a row for each game and returns the number of games."""
    writer = csv.writer(out, lineterminator="\n")
    columns = [*BEFORE_PLAYERS, *(seat_name(seat) for seat in range(max(2, most_seats))), *AFTER_PLAYERS]
    writer.writerow(columns)
    count = 0
    for game in games:
        row = _row(game)
        writer.writerow(csv_cells.written(row.get(column, "")) for column in columns)
        count += 1
    return count


def _row(game: PastGame) -> dict[str, str]:
    row = {name: "" if (value := getattr(game, name)) is None else str(value) for name in ("id", *TEXTS, *NUMBERS)}
    row |= {seat_name(seat.seat): seat.player for seat in game.seats}
    row["result"] = result(game.points)
    row["utilities"] = " ".join(map(repr, game.utilities or []))
    row["counts"] = "" if game.counts is None else str(int(game.counts))
    row["versions"] = by_seat(seat.version for seat in game.seats)
    row["outdated"] = by_seat(None if seat.current else 1 for seat in game.seats)
    row["anchors"] = by_seat(seat.anchor for seat in game.seats)
    if game.ruling is not None:
        row["ruling"], row["ruling_reason"], row["ruling_when"] = game.ruling.what, game.ruling.reason, game.ruling.when
        row["ruling_seat"] = "" if game.ruling.seat is None else str(game.ruling.seat)
    row["movers"] = " ".join(str(move.who) for move in game.moves)
    row["moves"] = joined(move.move for move in game.moves)
    return row


# Reading.


def read(text: str, name: str) -> Iterator[tuple[int, PastGame]]:
    """The games of the rows of `text`, each with the number of its last line."""
    limit = csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    try:
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        columns: list[str] | None = None
        met: Counter[str] = Counter()
        before: PastGame | None = None
        count = 0
        while (cells := _next(rows, name)) is not None:
            if not any(cell.strip() for cell in cells):
                continue
            cells = list(map(csv_cells.read, cells))
            if columns is None:
                columns = _columns(cells, name, rows.line_num)
                if columns is not cells:
                    continue
                columns = list(PLAIN)
            if len(cells) > len(columns):
                refuse(name, rows.line_num, f"expected {len(columns)} cells ({', '.join(columns)}), got {len(cells)}")
            count += 1
            row = dict(zip(columns, cells, strict=False))
            game = _Row(row, name, rows.line_num).game(count)
            if game.pair:
                before = None
            else:
                game, before = paired(game, before, met)
            yield rows.line_num, game
    finally:
        csv.field_size_limit(limit)


def _next(rows: Iterator[list[str]], name: str) -> list[str] | None:
    try:
        return next(rows, None)
    except csv.Error as error:
        refuse(name, getattr(rows, "line_num", 0), f"expected CSV: {error}")


def _columns(cells: list[str], name: str, line: int) -> list[str]:
    """The columns that the first row names; the row itself if it is already a game of a plain list."""
    titles = [cell.strip().lower() for cell in cells]
    if not {"first", "second", "result"} & set(titles):
        if len(cells) == len(PLAIN):
            return cells
        refuse(name, line, f"expected a header line with the names of the columns, such as {','.join(PLAIN)}")
    known = {*BEFORE_PLAYERS, *AFTER_PLAYERS, *SEATS}
    for title in titles:
        if title not in known and not (title.startswith("seat") and title[4:].isdigit()):
            refuse(name, line, f"unknown column {quote(title)}{nearly(title, sorted(known))}")
    for title in ("first", "result"):
        if title not in titles:
            refuse(name, line, f"expected a column {title!r}, got {', '.join(titles)}")
    if len(set(titles)) < len(titles):
        refuse(name, line, f"expected each column once, got {', '.join(titles)}")
    return titles


def paired(game: PastGame, before: PastGame | None, met: Counter[str]) -> tuple[PastGame, PastGame | None]:
    """The game with its `pair`, and the game that waits for the other game of its pair, if any. Two consecutive games
    with swapped seats are a pair; `before` is the game in the row above, if it waits."""
    if before is not None and len(game.players) == 2:
        swapped = (before.players[::-1], before.game, before.tournament)
        if (game.players, game.game, game.tournament) == swapped:
            return replace(game, pair=before.pair, leg=1), None
    players = json.dumps(sorted(game.players))
    met[players] += 1
    game = replace(game, pair=json.dumps([*sorted(game.players), met[players]]))
    return game, game


class _Row(Reader):
    """A row that is being read."""

    def __init__(self, cells: Mapping[str, str], name: str, line: int) -> None:
        super().__init__(name, line)
        self._cells = cells

    def game(self, count: int) -> PastGame:
        """The game of the row, the `count`-th of the file; its pair is empty if the row has none."""
        players = self._players()
        scored = self._scored(self._cells.get("result", ""), len(players))
        moves = self._moves()
        texts = {text: self._text(text) for text in TEXTS}
        texts["tournament"] = texts["tournament"] if "tournament" in self._cells else PurePath(self._name).stem
        texts["pair"] = texts["pair"] or ""
        status, verdict = ("finished", "normal") if scored else ("void", "void")
        defaults = {"game": "unknown", "clock": "none", "status": status, "verdict": verdict}
        utilities = self._utilities(len(players))
        versions, outdated, anchors = (
            self._of_seats(column, self._cells.get(column, ""), len(players))
            for column in ("versions", "outdated", "anchors")
        )
        plies = self._number("plies")
        return PastGame(
            id=0,
            number=count if (number := self._number("number")) is None else number,
            attempt=self._number("attempt") or 1,
            leg=self._number("leg") or 0,
            round=self._number("round"),
            seed=self._number("seed", most=2**256) or 0,
            fault=self._number("fault"),
            plies=len(moves) if plies is None and moves else plies,
            counts=None if (counts := self._number("counts", most=1)) is None else bool(counts),
            seats=tuple(
                PastSeat(
                    seat=seat,
                    player=player,
                    version=None if (version := versions[seat]) is None else self._whole("versions", version),
                    current=outdated[seat] is None,
                    anchor=None if (anchor := anchors[seat]) is None else self._float("anchors", anchor),
                    points=scored[seat] if scored else None,
                    utility=utilities[seat],
                )
                for seat, player in enumerate(players)
            ),
            moves=moves,
            rulings=self._rulings(),
            **{text: value if value is not None else defaults.get(text) for text, value in texts.items()},  # type: ignore[arg-type]
        )

    def _players(self) -> list[str]:
        players: list[str] = []
        while cell := self._cells.get(seat_name(len(players))):
            players.append(cell)
        if not players:
            self._refuse("expected a player in the column 'first', got nothing")
        return players

    def _utilities(self, players: int) -> list[float] | list[None]:
        text = self._text("utilities")
        if text is None:
            return [None] * players
        try:
            found = [float(part) for part in text.split()]
        except ValueError:
            found = []
        if len(found) != players:
            self._refuse(f"utilities: expected {players} numbers, got {quote(text)}")
        return found

    def _moves(self) -> tuple[MoveRecord, ...]:
        texts = parted(self._cells.get("moves", ""))
        movers = self._cells.get("movers", "").split()
        if len(texts) != len(movers):
            self._refuse(f"expected as many moves as movers, got {len(texts)} and {len(movers)}")
        return tuple(
            MoveRecord(ply, int(who) if who.isascii() and who.isdigit() and len(who) < 10 else who, text)
            for ply, (who, text) in enumerate(zip(movers, texts, strict=True), 1)
        )

    def _rulings(self) -> tuple[PastRuling, ...]:
        what = self._text("ruling")
        if what is None:
            return ()
        seat = self._number("ruling_seat")
        return (PastRuling(what, seat, self._cells.get("ruling_reason", ""), self._cells.get("ruling_when", "")),)

    def _text(self, column: str) -> str | None:
        return self._cells.get(column) or None

    def _number(self, column: str, *, most: int = MAX_INTEGER) -> int | None:
        text = self._cells.get(column, "").strip()
        return self._whole(column, text, most=most) if text else None

    def _whole(self, column: str, text: str, *, most: int = MAX_INTEGER) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 100 and int(text) <= most):
            self._refuse(f"{column}: expected a whole number, got {quote(text)}")
        return int(text)

    def _float(self, column: str, text: str) -> float:
        try:
            return float(text)
        except ValueError:
            self._refuse(f"{column}: expected a number, got {quote(text)}")
