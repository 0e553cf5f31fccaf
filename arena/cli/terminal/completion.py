"""Shell completion of games, players, algorithms, exercises, tournaments, descriptions and recorded games.

The metavar of a parameter (GAME, AGENT, ...) decides what is offered, so parameters of new commands are completed too.
Completion reads the database and never fails: if nothing can be read, nothing is offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from sqlalchemy import Connection

_MOST_GAMES: Final = 20
"""Number of recorded games that are offered."""
_PLAIN: Final = re.compile(r"[\w@%+=:,./-]+")
"""A word that needs no quoting in a shell; other names are not offered, because a shell could execute them."""


class Completion(NamedTuple):
    """One offered word, with the attributes that Typer's completion scripts read."""

    value: str
    help: str | None = None
    type: str = "plain"


def complete(command: Any) -> None:
    """Enable completion for the parameters of `command` and of its subcommands."""
    for inner in getattr(command, "commands", {}).values():
        complete(inner)
    for parameter in command.params:
        words = _WORDS.get(_called(parameter))
        if words is not None:
            parameter.shell_complete = partial(_offers, words)


def _called(parameter: Any) -> str:
    """The kind of a parameter: "game" for GAME as well as for --game; "file.toml|game" for FILE.toml | GAME ..."""
    return str(parameter.metavar or parameter.name).replace(" | ", "|").split()[0].rstrip(".").lower()


def _offers(words: Callable[[str | None], Iterator[str]], ctx: Any, incomplete: str) -> list[Completion]:
    found: dict[str, Completion] = {}
    with suppress(Exception):  # an error message would appear in the middle of the user's line
        for word in words(ctx.params.get("db")):
            if word.startswith(incomplete) and _PLAIN.fullmatch(word):
                found[word] = Completion(word)
    return list(found.values())


def _games(_: str | None) -> Iterator[str]:
    from adsearch.games import catalog

    yield from catalog.GAMES.names()
    yield from catalog.GAMES.packages()


def _algorithms(_: str | None) -> Iterator[str]:
    from adsearch import searches

    yield from searches.names()


def _exercises(_: str | None) -> Iterator[str]:
    from arena.course.lecture import kinds

    yield from kinds.names()


def _players(db: str | None) -> Iterator[str]:
    yield from ("human", "wait")
    yield from _agents(db)


def _agents(db: str | None) -> Iterator[str]:
    from agents import builtin
    from db import audit

    yield from builtin.names()

    with _reading(db) as connection:
        yield from (version.agent for version in audit.versions(connection))


def _tournaments(db: str | None) -> Iterator[str]:
    from db import lookup

    with _reading(db) as connection:
        yield from (row.name for row in lookup.tournaments(connection))


def _descriptions(_: str | None) -> Iterator[str]:
    """In the current folder; the lists that `arena course collect` writes are none."""
    yield from sorted(str(file) for file in Path().glob("*.toml") if not file.name.endswith(".collected.toml"))


def _descriptions_and_games(db: str | None) -> Iterator[str]:
    yield from _descriptions(db)
    yield from _games(db)


def _descriptions_and_tournaments(db: str | None) -> Iterator[str]:
    # The descriptions first: they need no database.
    yield from _descriptions(db)
    yield from _tournaments(db)


def _ids(db: str | None) -> Iterator[str]:
    from db import search

    yield "last"
    with _reading(db) as connection:
        for game in search.page(connection, search.GameFilter(), limit=_MOST_GAMES):
            yield game.name


@contextmanager
def _reading(db: str | None) -> Iterator[Connection]:
    from db.database import Database

    with Database(db, create=False, read_only=True) as database, database.reading() as connection:
        yield connection


_WORDS: Final[dict[str, Callable[[str | None], Iterator[str]]]] = {
    "game": _games,
    "player": _players,
    "file.toml": _descriptions,
    "file.toml|game": _descriptions_and_games,
    "tournament|file.toml": _descriptions_and_tournaments,
    "agent": _agents,
    "opponent": _agents,
    "a": _agents,
    "b": _agents,
    "algorithm": _algorithms,
    "kind": _exercises,
    "id": _ids,
}
"""The words offered for a parameter, by the kind of the parameter."""
