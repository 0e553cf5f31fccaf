"""Where the endgame tables of this user are, for agents with the option `endgames` and for the commands of `arena`.

Nothing looks for tables unless it is asked to: so a game's result does not depend on what a folder happens to contain.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from adsearch import State
from adsearch.errors import BadTable
from adsearch.games.checkers import Checkers
from adsearch.games.checkers_endgames import Endgames


def folder() -> Path:
    """The folder of the tables: `$ARENA_TABLES`, else `arena` in the user's cache folder (`$XDG_CACHE_HOME`, else
    `~/.cache`); BadTable if this user has no home folder."""
    if named := os.environ.get("ARENA_TABLES"):
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(cache) if os.path.isabs(cache) else Path.home() / ".cache") / "arena"
    except RuntimeError:
        raise BadTable("you have no home folder: name a folder for endgame tables in ARENA_TABLES") from None


def of_checkers(state: State[Any]) -> Checkers:
    """`state`, if there are tables for its game; else BadTable. Rules that a user derives from checkers are others."""
    if type(state) is not Checkers:
        raise BadTable("there are endgame tables for checkers only")
    return state


def tables_for(state: State[Any], pieces: int) -> Endgames:
    """The tables for up to `pieces` pieces; BadTable if there are none for the game of `state`, or in the folder."""
    of_checkers(state)
    try:
        return Endgames.load(folder(), pieces)
    except BadTable as error:
        raise BadTable(
            f"{error}; arena search tables checkers --pieces {pieces} builds it, or set ARENA_TABLES to the "
            "folder that has it"
        ) from None
