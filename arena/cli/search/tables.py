"""`arena search tables`: builds endgame tables, which tell who wins a position with few pieces, and how fast."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from adsearch.games.checkers_endgames import FEWEST, MOST, blocks, placements, positions, starts
from agents import endgames
from arena.cli.asking.position_options import asked_position
from arena.cli.terminal import progress_line
from arena.cli.terminal.listings import Shown, listed, show
from arena.cli.terminal.notes import note
from arena.results.columns import Column

_SECONDS: Final = {2: 0.1, 3: 0.5, 4: 8.0}
"""About how long it takes to build a table, by the number of pieces."""
_TITLES: Final = ("pieces", "positions", "won", "lost", "drawn", "longest", "bytes")


@listed()
def tables(
    shown: Shown,
    game: Annotated[str, typer.Argument(metavar="GAME", help="Game: checkers.")],
    pieces: Annotated[
        int, typer.Option("--pieces", metavar="N", min=FEWEST, max=MOST, help="Largest number of pieces.")
    ] = MOST,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder", metavar="FOLDER", help="Folder of the tables.", show_default="$ARENA_TABLES or ~/.cache/arena"
        ),
    ] = None,
) -> None:
    """Build endgame tables of checkers: the value of every position with few pieces, and how fast it is won.

    Tables that are there are kept: then the command only lists them. Agents use them with the option endgames
    (pvs:endgames=4), arena search solve with --endgames 4; both read them from the folder $ARENA_TABLES, by default
    ~/.cache/arena.

    For each number of pieces the list has the number of positions, with pieces of both colours or of one. Those with
    both colours are won, lost or drawn for the side to move; longest is the longest win, in plies.

    Example: arena search tables checkers

    Example: arena search tables checkers --pieces 3 --folder tables
    """
    endgames.of_checkers(asked_position(game, None, ""))
    from arena.endgames import retrograde
    from arena.history import words

    place = endgames.folder() if folder is None else folder
    found, problems = retrograde.there(place, pieces)
    for problem in problems:
        note(f"{problem}: it is built again")
    missing = [count for count in range(FEWEST, pieces + 1) if count not in found]
    if missing:
        megabytes = sum(starts(count)[1] for count in missing) / 1e6
        seconds = sum(_SECONDS[count] for count in missing)
        note(f"building tables of {megabytes:.1f} MB in {place}, in about {words.rough_duration(seconds)}")
        try:
            with progress_line.temporary() as tell:
                retrograde.complete(
                    place, pieces, found, lambda count, done: tell(f"{count} pieces: {done:.0%} of the table is built")
                )
        except KeyboardInterrupt:
            note("stopped: complete tables are kept, and the same command builds the others")
            raise
    else:
        note(f"all tables are in {place}: there is nothing to build")
    rows = [_row(count, found[count]) for count in sorted(found)]
    show(rows, [Column(name, text=partial(_counted, name), number=True) for name in _TITLES], shown)
    if folder is not None:
        note(
            "agents and arena search solve find these tables with: "
            f"export ARENA_TABLES={shlex.quote(str(place.absolute()))}"
        )


def _counted(name: str, row: dict[str, Any]) -> str:
    return f"{row[name]:,}"


def _row(pieces: int, table: bytes) -> dict[str, Any]:
    """What is in a table."""
    import numpy as np

    counts = np.bincount(np.frombuffer(table, np.uint8), minlength=3)
    won, lost = int(counts[2::2].sum()), int(counts[1::2].sum())
    return {
        "pieces": pieces,
        "positions": positions(pieces),
        "won": won,
        "lost": lost,
        "drawn": sum(placements(*block) for block in blocks(pieces)) - won - lost,
        "longest": len(counts) - 2,
        "bytes": len(table),
    }
