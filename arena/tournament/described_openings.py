"""The key `openings` of a description: a number of random plies, or a file with an opening in each line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adsearch import State, games
from adsearch.errors import AdsearchError
from arena.errors import ArenaError, BadLeague
from arena.match import openings
from arena.tournament.description import Table, read_text, shown


def read_openings(table: Table, folder: Path, game: str, position: str) -> int | tuple[tuple[str, ...], ...]:
    """The number of random plies after that position, or the moves of each opening in a file."""
    given = table.value("openings")
    if given is None:
        return 0
    start = games.start(game, position)
    if isinstance(given, str):
        if start.chance:
            table.fail(f"openings from a file need a game without chance; {game} has chance events", "openings")
        try:
            return tuple(_lines(folder / os.path.expanduser(given), start))
        except BadLeague as error:
            table.fail(str(error), "openings")
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= 1000:
        table.fail(f"expected a whole number from 0 to 1000 or a file's name, got {shown(given)}", "openings")
    try:
        openings.Book(game, given, seed=0, position=position)
    except ArenaError as error:
        table.fail(str(error), "openings")
    return given


def _lines(path: Path, start: State[Any]) -> Iterator[tuple[str, ...]]:
    """The openings of a file, one per line: moves separated by spaces. A "#" starts a comment."""
    there_are = False
    for number, line in enumerate(read_text(path, "openings").splitlines(), 1):
        moves = tuple(line.partition("#")[0].split())
        state = start
        for at, text in enumerate(moves, 1):
            try:
                state = state.play(state.from_text(text))
            except AdsearchError as error:
                raise BadLeague(f"{path}, line {number}, move {at}: {error}") from None
        if state.turn is None:
            raise BadLeague(f"{path}, line {number}: an opening must not end the game, but these moves do")
        if moves:
            there_are = True
            yield moves
    if not there_are:
        raise BadLeague(f"{path}: expected openings, one per line, moves separated by spaces; the file has none")
