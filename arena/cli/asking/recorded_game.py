"""One recorded game as commands read, print and analyse it: its heading, its ending, a position as a file of a picture.

Control characters in names and in the output of agents are escaped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adsearch import State
from adsearch.errors import quote
from arena.cli.asking.record_options import reading
from arena.cli.terminal import notes
from arena.cli.terminal.files import check_folder, write_file
from arena.cli.terminal.notes import side_by_side, wrapped
from arena.errors import ArenaError, BadFixture
from arena.history import words
from db.records import GameRecord, SeatRecord

if TYPE_CHECKING:
    from arena.student.analysis import AnalysisBudget
    from db.records import JudgedPly, PastGame, PastSeat


def read_game(id: str, db: str | None) -> PastGame:
    """The game that `id` names, with its moves."""
    from db import games, lookup

    with reading(db) as connection:
        return games.game(connection, lookup.find_game(connection, id))


def refuse_beyond(game: PastGame, ply: int | None) -> None:
    """Raise BadParameter for a --ply beyond the end of the game."""
    if ply is not None and ply > len(game.moves):
        raise typer.BadParameter(f"--ply: expected 0 to {len(game.moves)}, the number of plies played, got {ply}")


def header(game: PastGame) -> list[str]:
    """The heading: players, game, result, clock, walls and date."""
    what = [f"round {game.round}" * (game.round is not None)]
    what += [f"attempt {game.attempt}" * (game.attempt > 1), words.clocks(game.clocks)]
    what += words.beginning(game)
    host = game.host or {}
    walls, waits_charged = host.get("walls"), host.get("waits_charged")
    what += [f"walls {walls}" * bool(walls), words.recorded_moment(game.finished)]
    if waits_charged and isinstance(waits_charged, list):
        charged = ", ".join(player for seat, player in enumerate(game.players) if seat in waits_charged)
        what.append(f"time spent waiting for a processor was charged to {charged}")
    ruling = game.ruling
    ruled = "" if ruling is None else words.helped(ruling) or f"{words.ruled(ruling, game.players)}: {ruling.reason}"
    return [
        words.printable(f"{game.name}   {words.without_store(game.game)}   {' - '.join(game.players)}   ")
        + words.result(game.counted or [None])
        + words.printable(f"   {ruled}" if ruled else ""),
        *side_by_side([words.printable(part) for part in what if part]),
    ]


def ending(game: PastGame) -> list[str]:
    """The verdict with its details, and the rulings about the game."""
    if game.verdict is None:
        return [game.status]
    seats = tuple(
        SeatRecord(seat.seat, seat.player, seat.points, seat.utility, seat.spent or 0, seat.longest or 0)
        for seat in game.seats
    )
    record = GameRecord(game.id, game.verdict, game.fault, game.detail or "", seats, game.moves, game.lag or 0)
    plies = "" if game.plies is None else f"   {words.plies(game.plies)}"
    lines = [f"{words.verdict(record)}{plies}"]
    if game.detail and game.verdict != "normal":
        lines.append(game.detail)
    lines += busy(game.verdict, game.fault, game.seats)
    for ruling in game.rulings:
        made = f"ruling {ruling.id} of {ruling.when}: {words.ruled(ruling, game.players)}: {ruling.reason}"
        lines.append(words.helped(ruling) or made)
    return [words.printable(line) for line in lines]


def busy(verdict: str | None, fault: int | None, seats: Sequence[SeatRecord | PastSeat]) -> list[str]:
    """The source lines at which players were when their time ran out, if a traceback was written."""
    if verdict not in ("time", "unready", "void"):
        return []
    from arena.student.checking import tracebacks

    found = [(seat.player, tracebacks.busy(seat.stderr or "")) for seat in seats if fault in (None, seat.seat)]
    return [
        words.printable(f"{player} was busy at {trace.frames[-1].place}, in {trace.frames[-1].function}")
        for player, trace in found
        if trace is not None and trace.frames
    ]


def missing_board(why: str) -> str:
    """The reason for a missing board, printed in its place."""
    return wrapped(words.printable(words.without_store(f"({why})")), more=" ")


# The option --svg of commands that show a board, and the function that writes the SVG file.


SvgOption = Annotated[
    Path | None, typer.Option("--svg", metavar="FILE", help="SVG file to draw the board into, instead of printing it.")
]


def write_board(file: Path, state: State[Any], last: Any = None) -> None:
    """Draw the position into `file`, with the move `last` that led to it, and print the file's name to stderr."""
    check_folder(file)
    try:
        picture = state.svg(last)
    except Exception as error:  # a user-supplied game can raise anything
        raise ArenaError(f"svg of {type(state).__name__}: {type(error).__name__}: {error}") from error
    if not isinstance(picture, str):
        raise ArenaError(f"svg of {type(state).__name__}: expected a picture as text, got {quote(picture)}")
    write_file(file, picture if type(state).svg is State.svg else _as_image(state, picture))


def _as_image(state: State[Any], picture: str) -> str:
    """The SVG of a user-supplied game, wrapped as an image, in which a browser runs no script and loads no file."""
    from adsearch.pictures.svg import framed

    try:
        return framed(picture)
    except ValueError as error:
        raise ArenaError(f"svg of {type(state).__name__}: {error}") from None


# Analyses a recorded game for a command: shows the progress, and keeps the result in the database.


AnalyseOption = Annotated[
    bool, typer.Option("--analyse", help="Analyse the game first, if that was not done yet (a few seconds).")
]


def analysed(
    game: PastGame,
    *,
    effort: AnalysisBudget | None = None,
    trust: bool,
    db: str | None,
    show: Callable[[str], None] | None = None,
) -> PastGame:
    """The game with a new analysis, which is also kept in the database. `effort`: the limit of each search; `show`:
    what shows the progress (default: the progress line)."""
    from msgspec.structs import replace

    from arena.history import recorded_rules
    from arena.student.analysis import AnalysisBudget, judge_moves

    if not game.moves:
        raise BadFixture(f"game {game.name} has no moves to analyse: {'; '.join(ending(game))}")
    start = recorded_rules.start(game, trust=trust)
    effort = effort or AnalysisBudget.default(len(game.moves))
    try:
        plies = keep(game.id, judge_moves(start, game.moves, effort), total=len(game.moves), db=db, show=show)
    except KeyboardInterrupt:
        if show is None:
            print("interrupted", file=sys.stderr)
        raise typer.Exit(130) from None
    return replace(game, analysis=plies)


def keep(
    game: int,
    plies: Iterable[JudgedPly],
    *,
    total: int,
    db: str | None,
    show: Callable[[str], None] | None = None,
) -> tuple[JudgedPly, ...]:
    """Judge all `total` plies of the game with this id, and write them to the database."""
    from db import store
    from db.database import Database
    from db.errors import DatabaseError

    judged = tuple(_counted(plies, total, show))
    try:
        with Database(db, create=False) as database, database.writing() as connection:
            store.keep_analysis(connection, game, judged)
    except DatabaseError as error:
        print(f"the analysis was not kept: {error}", file=sys.stderr)
    return judged


def _counted(plies: Iterable[JudgedPly], total: int, show: Callable[[str], None] | None) -> Iterator[JudgedPly]:
    """The plies; shows the number of the one that is searched, and the time that remains."""
    began = monotonic()
    with notes.temporary_line() if show is None else nullcontext(show) as show_progress:
        show_progress(f"analysing ply 1 of {total}")
        for number, ply in enumerate(plies, 1):
            yield ply
            if left := words.time_left(number, total, monotonic() - began):
                show_progress(f"analysing ply {number + 1} of {total}, {left}")
