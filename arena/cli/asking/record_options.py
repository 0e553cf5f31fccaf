"""Arguments that name a database, a tournament, a course or a recorded game, and the functions that open these."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.terminal.files import read_file
from arena.history.words import printable

if TYPE_CHECKING:
    from arena.course.course import Course
    from arena.course.roster import Roster
    from arena.players.player import Player
    from arena.players.submissions import Store
    from arena.tournament.standings import TournamentStandings
    from db.audit import StoredVersion
    from db.database import Connection, Database

DatabaseOption = Annotated[
    str | None,
    typer.Option("--db", metavar="PATH|URL", help="Database.", show_default="$ARENA_DB or arena.db"),
]
NAME_OR_FILE: Final = "TOURNAMENT|FILE.toml"
"""The metavar of each parameter that takes a tournament by its name or by its description."""


def tournament_name(text: str | None) -> str | None:
    """The name of the tournament that `text` names: a name, or the file of a description."""
    if text is None or not text.endswith(".toml"):
        return text
    from arena.course import course

    return course.read(Path(text)).tournament


def _tournament_names(texts: list[str] | None) -> list[str] | None:
    return None if texts is None else [str(tournament_name(text)) for text in texts]


def by_name(declared: Callable[..., Any], *names: str, help: str, **more: Any) -> Any:
    """An argument or an option (`declared`) that takes a tournament by its name or by its description."""
    return declared(*names, metavar=NAME_OR_FILE, help=help, callback=tournament_name, **more)


TournamentArgument = Annotated[
    str | None,
    by_name(typer.Argument, help="Name of a tournament, or its description.", show_default="the newest"),
]
TournamentsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar=NAME_OR_FILE,
        help="Names of one or more tournaments, or their descriptions.",
        show_default="the newest",
        callback=_tournament_names,
    ),
]
LadderArgument = Annotated[
    str | None,
    by_name(typer.Argument, help="Name of the ladder, or its description.", show_default="the only one"),
]
TrustOption = Annotated[
    bool,
    typer.Option(
        "--trust-rules",
        help="Run user-supplied code from a record that others made: rules, and in debug, uci and gtp also agents.",
    ),
]
"""Without this option no command loads rules or agents that another account recorded."""
AllOption = Annotated[bool, typer.Option("--all", help="All recorded games instead of one tournament.")]
GameIdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="Recorded game: its id, 'last', or tournament and number such as demo-12.")
]

HtmlOption = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="HTML page to write, for a browser.")]


@contextmanager
def reading(db: str | None) -> Iterator[Connection]:
    """A read-only connection to the database, which must exist."""
    from db.database import Database

    with Database(db, create=False) as database, database.reading() as connection:
        yield connection


def asked_tournaments(
    names: Sequence[str | None], everything: bool, *, what: str = "a tournament"
) -> Sequence[str | None]:
    """The tournaments that a command reads: `names` ([None]: the newest), or an empty list with --all."""
    if everything and any(name is not None for name in names):
        raise typer.BadParameter(f"expected {what} or --all, got both")
    return () if everything else names


def title_of(connection: Connection, tournaments: Sequence[str | None]) -> str:
    """The line above a table that names its tournament if the user did not; else empty."""
    from db import lookup

    if list(tournaments) != [None]:
        return ""
    return f"Tournament: {printable(lookup.tournament_name(connection, lookup.find_tournament(connection)))}\n"


def unlike_note(connection: Connection, tournaments: Sequence[str | None]) -> str:
    """The lines below a table of results if some agents of its tournament have a clock of their own, or searched in
    two forms of adsearch; else empty."""
    from db import lookup, running

    if len(tournaments) != 1:
        return ""
    id = lookup.find_tournament(connection, tournaments[0])
    own = running.own_clocks(connection, id)
    listed = ", ".join(f"{printable(name)} {clock}" for name, clock in own.items())
    notes = [f"not all have the same clock: {listed}; their strengths with that are compared"] if own else []
    if running.searched_unlike(connection, id):
        notes.append("not all games are alike: agents searched compiled in some and interpreted, slower, in others")
    return "\n".join(notes)


def ladder_note(connection: Connection, tournaments: Sequence[str | None]) -> str:
    """The line below a table of points if the tournament is a ladder; else empty."""
    from db import ladder, lookup, running

    if len(tournaments) != 1:
        return ""
    id = lookup.find_tournament(connection, tournaments[0])
    if running.format(connection, id) != ladder.FORMAT:
        return ""
    name = lookup.tournament_name(connection, id)
    compared = f"Compare their ratings: arena ladder show {shlex.quote(name)}"
    return "\n" + printable(f"{name} is a ladder: agents meet different opponents. {compared}")


def read_standings(connection: Connection, tournaments: Sequence[str | None]) -> TournamentStandings:
    """The standings of the tournament, or of all recorded games."""
    from arena.tournament.standings import standings
    from db import lookup

    return standings(connection, lookup.find_tournament(connection, tournaments[0]) if tournaments else None)


def open_to_others(record: Path | None) -> list[str]:
    """What other users of this machine can read of the record, its accounts and its store, with the remedies."""
    from db import private
    from db.accounts import file_beside
    from db.bundles import store_beside

    parts = [store_beside(record)] if record is None else [record, file_beside(record), store_beside(record)]
    return [why for part in parts if (why := private.why_open(part))]


def submissions(database: Database) -> Store:
    """The store of submissions: the folder "arena.store" beside "arena.db"."""
    from arena.players.submissions import Store
    from db.bundles import store_beside

    return Store(store_beside(database.file))


def named_players(texts: Sequence[str], db: str | None) -> list[tuple[Player, StoredVersion | None]]:
    """The players that `texts` name, each with its version if it is a recorded agent."""
    from arena.errors import BadPlayer
    from arena.players.player import read_player

    try:
        return [(read_player(text), None) for text in texts]
    except BadPlayer as error:
        unknown = error
    # Imported only now: they load SQLAlchemy.
    from arena.players.versions import named_player
    from db.database import Database
    from db.errors import DatabaseError

    try:
        database = Database(db, create=False)
    except DatabaseError:
        raise unknown from None
    with database, database.reading() as connection:
        return [named_player(connection, text, submissions(database)) for text in texts]


# The course of a command: a tournament's description instead of its name, and the roster that it names.


CourseArgument = Annotated[str, typer.Argument(metavar=NAME_OR_FILE, help="Name of a tournament, or its description.")]
RosterOption = Annotated[
    str | None,
    typer.Option("--roster", metavar="FILE", help="Roster of the course.", show_default="the one in the description"),
]


def course_of(text: str) -> tuple[str, Course | None]:
    """The name of the tournament that the user named, and its course if `text` is a description."""
    from arena.course import course

    if not text.endswith(".toml"):
        return text, None
    described = course.read(Path(text))
    return described.tournament, described


@contextmanager
def comes_first(command: str, course: Course | None, *more: str) -> Iterator[None]:
    """If a course is not in the database yet, the error names the command that comes first, such as "arena run", with
    the description, and then the words `more`."""
    from db.errors import NotFound

    try:
        yield
    except NotFound as error:
        missing, _, _ = str(error).partition(";")
        if course is None or not missing.startswith("there is no"):
            raise
        raise NotFound(f"{missing}; first: {' '.join((command, shlex.quote(str(course.file)), *more))}") from None


def roster_of(option: str | None, course: Course | None) -> Roster | None:
    """The roster of --roster, else the one in the description; None if there is none."""
    from arena.course import roster

    file = option or (str(course.roster) if course is not None and course.roster is not None else None)
    return None if file is None else roster.read(*read_file(file, "a roster"))
