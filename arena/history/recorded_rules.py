"""Loads the rules of a recorded game, but only if the user trusts them: a database can contain anybody's code.

Rules that the user types, or that are in a description that the user runs, do not pass through this module. Rules from
a database, a bundle or an imported file are loaded only if this user's commands have played with the same content
before (`arena/players/own_sources.py`), or with `--trust-rules`. A file from a store is loaded only if its content
matches its hash. Built-in games need no trust, but a file in their options must be in a store. Games of OpenSpiel need
none if they are on our list, with their default parameters: others can crash the process.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from adsearch import State, games
from adsearch.errors import UnknownGame, quote
from adsearch.games import catalog
from arena.errors import ArenaError, UntrustedCode
from arena.history.words import printable, without_store
from arena.match.seeds import GameSeeds
from arena.players import own_sources
from arena.players.own_sources import OwnSource
from arena.players.submissions import Store, StoredPath, in_store
from db.records import PastGame

ADVICE: Final = "if you trust their author, add --trust-rules"


class MissingRules(UnknownGame):
    """The package that brings the rules is not installed."""


def start(game: PastGame, *, trust: bool) -> State[Any]:
    """The first position of the game; UntrustedCode if its recorded rules must not be loaded."""
    _check(game, trust=trust)
    return games.start(game.game, game.position)


def seeds(game: PastGame) -> GameSeeds | None:
    """The seeds of the game's chance events; None outside of tournaments, where they are not recorded."""
    if game.tournament is None:
        return None
    return GameSeeds.of(game.seed, (game.pair,), leg=game.leg, attempt=game.attempt)


def load(game: PastGame, position: str, *, trust: bool) -> State[Any]:
    """The position that `position` describes; UntrustedCode if the game's rules must not be loaded."""
    _check(game, trust=trust)
    return games.load(game.game, position)


def why_untrusted(game: PastGame) -> str:
    """Why the game's rules are not loaded without `--trust-rules`; empty if they are."""
    file, source = catalog.file_of(game.game), own_sources.of_package(game.game)
    if (file is None and source is None) or _is_unknown(game):
        return ""
    named = f"the rules {quote(without_store(game.game))}{_of_package(game)}"
    if game.from_outside:
        return f"{named} came in a bundle or an imported file, so they are not run; {ADVICE}"
    if file is not None:
        source = stored.hash if (stored := in_store(file)) is not None else None
    if source is None or not own_sources.is_noted(OwnSource.RULES, source):
        unknown = f" (the list of used rules cannot be saved: {why})" if (why := own_sources.why_not_kept()) else ""
        return f"you have not played with {named} on this account{unknown}, so they are not run; {ADVICE}"
    return ""


def package_in(host: Mapping[str, Any]) -> str:
    """The package, with its version, that brought the rules where a game was played; empty if none did."""
    return printable(str(host.get("software", "")).partition(", ")[2])


def _of_package(game: PastGame) -> str:
    package = package_in(game.host or {}) if catalog.is_by_entry_point(game.game) else ""
    return f" of the package {package}" if package else ""


def _is_unknown(game: PastGame) -> bool:
    """Whether nothing in the record says what the name of the rules means: no package is looked for then."""
    return catalog.is_by_entry_point(game.game) and not _of_package(game)


def _check(game: PastGame, *, trust: bool) -> None:
    """Raises UntrustedCode if the rules must not be loaded, or UnknownGame if they are not there. This process then
    loads exactly the checked content."""
    if not trust and _is_unknown(game):
        raise UnknownGame(f"no game {quote(game.game)}")
    if not trust and (why := why_untrusted(game)):
        raise UntrustedCode(why)
    if (file := catalog.file_of(game.game)) is not None and (stored := in_store(file)) is not None:
        catalog.use_checked(file, _content(stored))
    try:
        options = games.find(game.game)[1]
    except UnknownGame:
        if not (package := _of_package(game)):
            raise
        raise MissingRules(f"no game {quote(game.game)}: it is{package}, which is not installed here") from None
    for name, value in options.items():
        if isinstance(value, str) and value and (name == "file" or "/" in value or os.path.exists(value)):
            stored = in_store(Path(value))
            if stored is not None:
                _content(stored)
            elif not trust:
                named = f"the rules {quote(without_store(game.game))} name a file outside the store"
                raise UntrustedCode(f"{named}, which is not read; {ADVICE}")


def _content(stored: StoredPath) -> bytes:
    """The content of a stored file; ArenaError if the content of its folder does not match the hash."""
    files = Store(stored.store).read(stored.hash)
    if stored.name not in files:
        raise ArenaError(f"expected a file {quote(stored.name)} in {stored.store / stored.hash}: enter it again")
    return files[stored.name].content
