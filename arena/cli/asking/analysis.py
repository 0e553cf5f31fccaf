"""Analyses a recorded game for a command: shows the progress, and keeps the result in the database.

The last analysis of a game is the one that is kept. If the database cannot be written, the user sees a note and the
command goes on: an analysis can be made again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.asking import recorded_game
from arena.cli.terminal import notes
from arena.errors import BadFixture
from arena.history import recorded_rules, words

if TYPE_CHECKING:
    from arena.student.analysis import AnalysisBudget
    from db.records import JudgedPly, PastGame


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

    from arena.student.analysis import AnalysisBudget, judge_moves

    if not game.moves:
        raise BadFixture(f"game {game.name} has no moves to analyse: {'; '.join(recorded_game.ending(game))}")
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
