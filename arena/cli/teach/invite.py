"""`arena course invite`: makes links by which students and instructors sign in to the web pages, and lists who did.

The links are secrets: they are written once, into a file that only its owner can read, and only their hashes are kept.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TextIO
from urllib.parse import urlsplit

import typer

from adsearch.errors import one_of, quote
from arena.cli.asking.record_options import (
    CourseArgument,
    DatabaseOption,
    RosterOption,
    comes_first,
    course_of,
    reading,
    roster_of,
)
from arena.cli.terminal.listings import Shown, listed, show
from arena.cli.terminal.notes import note
from arena.errors import ArenaError
from arena.history import csv_cells
from arena.history.words import counted, moment, printable, recorded_moment
from arena.results.columns import Column
from db.records import instant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.accounts.people import AccountUse, Invited
    from arena.course.roster import Roster
    from arena.serve.open_ladders import OpenLadder
    from db.accounts import AccountsDatabase

_OUT: Final = "invitations.csv"
_LOCAL: Final = "http://127.0.0.1:8000"
"""The beginning of links, if the address of the pages is not known."""
_NO_ROSTER: Final = "expected a roster: --roster FILE, or roster = in the table [course] of the description FILE.toml"
_TITLES: Final = ("id", "name", "email", "alias", "link", "expires")


def _recorded(time: datetime | None) -> str | None:
    return None if time is None else instant(time)


def _read(time: datetime | None) -> str:
    return recorded_moment(_recorded(time))


ACCOUNTS: Final[tuple[Column[AccountUse], ...]] = (
    Column("name", value=lambda use: use.account.name, narrow=7),
    Column("id", value=lambda use: use.account.student),
    Column("alias", value=lambda use: use.account.author),
    Column("role", value=lambda use: use.account.role),
    Column("status", value=lambda use: "active" if use.account.active else "deactivated"),
    Column("invited", value=lambda use: _recorded(use.invited), text=lambda use: _read(use.invited)),
    Column("signed_in", "signed in", value=lambda use: _recorded(use.signed_in), text=lambda use: _read(use.signed_in)),
    Column("seen", "last seen", value=lambda use: _recorded(use.seen), text=lambda use: _read(use.seen)),
)


@listed(
    lambda: ACCOUNTS,
    about={
        "name, id, alias": "as on the roster",
        "role": "`student` or `instructor`",
        "status": "`active` or `deactivated`",
        "invited, signed_in": "when the last link was made and last used",
        "seen": "when a page or a token was last used, give or take five minutes",
    },
)
def invite(
    shown: Shown,
    tournament: CourseArgument,
    roster: RosterOption = None,
    author: Annotated[
        str | None,
        typer.Option(metavar="ALIAS", help="Invite only this student or team.", show_default="all on the roster"),
    ] = None,
    instructor: Annotated[
        str | None, typer.Option(metavar="NAME", help="Invite an instructor with this name, instead of students.")
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Public address of the web pages: the beginning of the links.",
            show_default=f"as of the last arena serve --web, else {_LOCAL}",
        ),
    ] = None,
    out: Annotated[str, typer.Option(metavar="FILE", help="CSV file for the links; - for the terminal.")] = _OUT,
    listed: Annotated[bool, typer.Option("--list", help="List all accounts instead; invite nobody.")] = False,
    deactivate: Annotated[
        str | None,
        typer.Option(
            metavar="ALIAS", help="End the account of this author: its links, sessions and tokens; invite nobody."
        ),
    ] = None,
    db: DatabaseOption = None,
) -> None:
    """Invite students to the web pages: write a CSV file with a link for each student of the roster.

    A link works once, for 14 days; then the browser stays signed in. A new link for the same student replaces an unused
    one. Students with the same alias are a team with one agent. Students who are not on the roster any more keep their
    accounts until --deactivate.

    Example: arena course invite cs101 --roster roster.csv --address https://arena.example.org

    Example: arena course invite cs101.toml --author kestrel --out -

    Example: arena course invite cs101 --list
    """
    from arena.accounts import people
    from arena.serve.open_ladders import opened
    from db.accounts import AccountsDatabase

    asked = {"--list": listed, "--deactivate": deactivate is not None, "--instructor": instructor is not None}
    asked |= {"--roster": roster is not None, "--author": author is not None}
    given = [option for option, is_given in asked.items() if is_given]
    if len(given) > 1 and given != ["--roster", "--author"]:
        raise typer.BadParameter(f"expected {given[0]} or {given[1]}, got both")
    ladder, course = course_of(tournament)
    with comes_first("arena ladder open", course), reading(db) as connection:
        found = opened(connection, ladder)
    with AccountsDatabase(db, create=not listed and deactivate is None) as accounts:
        if listed:
            with accounts.reading() as connection:
                rows = people.known(connection, found.name)
            show(rows, ACCOUNTS, shown)
        elif deactivate is not None:
            _deactivate(accounts, found, deactivate)
        elif instructor is not None:
            _invite(accounts, found, None, instructor, address=address, out=out)
        else:
            students = roster_of(roster, course)
            if students is None:
                raise typer.BadParameter(_NO_ROSTER)
            _invite(accounts, found, students, author, address=address, out=out)


def _invite(
    accounts: AccountsDatabase,
    ladder: OpenLadder,
    roster: Roster | None,
    only: str | None,
    *,
    address: str | None,
    out: str,
) -> None:
    """Invites the students of the roster, or without a roster the instructor `only`, and writes the links."""
    from arena.accounts import people
    from db import accounts as rows

    if address is not None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
            raise typer.BadParameter(
                f"--address: expected an address such as https://arena.example.org, got {quote(address)}"
            )
    now = datetime.now(UTC)
    # The file is complete before the links work, and removed if they do not: no link is lost.
    with _new_file(out) as file, accounts.writing() as connection:
        begins = (address or rows.address(connection) or _LOCAL).rstrip("/")
        if roster is None:
            invited = [people.invite_instructor(connection, only or "", now)]
        else:
            invited = people.invite_students(
                connection, roster, now, ladder=ladder.name, anchors=ladder.anchors, only=only
            )
        known = people.known(connection, ladder.name)
        _write(invited, begins, file)
    if out != "-" and invited:
        print(printable(f"{out}: {counted(len(invited), 'link')}; each works once, until {moment(invited[0].expires)}"))
        print("The file is secret: anyone who has a link can use it. Send each person only their own.")
    if begins == _LOCAL:
        note(f"the links begin with {_LOCAL}, which works on this machine only; give the address with --address URL")
    if roster is not None and only is None:
        _tell_of_others(known, invited, roster)


def _write(invited: Sequence[Invited], begins: str, file: TextIO) -> None:
    """Writes the links as CSV."""
    rows = (
        (by.student, by.name, one.email, by.author, f"{begins}/in/{one.key}", instant(one.expires))
        for one in invited
        for by in [one.account]
    )
    csv_cells.write(file, rows, titles=_TITLES)
    file.flush()


def _tell_of_others(known: Sequence[AccountUse], invited: Sequence[Invited], roster: Roster) -> None:
    """Says which accounts of students got no link."""
    there = {one.account.id for one in invited}
    others = [one.account for one in known if not one.account.is_instructor and one.account.id not in there]
    gone = dict.fromkeys(quote(one.author) for one in others if one.active)
    ended = dict.fromkeys(quote(one.author) for one in others if not one.active and roster.called(one.author))
    if gone:
        names = one_of([*gone])
        note(printable(f"not on {roster.file} any more, but can still sign in: {names}; --deactivate ALIAS ends this"))
    if ended:
        names = one_of([*ended])
        note(printable(f"deactivated, so without a link: {names}; --author ALIAS invites them again"))


def _deactivate(accounts: AccountsDatabase, ladder: OpenLadder, name: str) -> None:
    from arena.accounts import people

    with accounts.writing() as connection:
        ended = people.deactivate(connection, ladder.name, name, datetime.now(UTC))
    print(
        printable(f"{name}: {counted(len(ended), 'account')} deactivated; links, sessions and tokens do not work now")
    )


@contextmanager
def _new_file(name: str) -> Iterator[TextIO]:
    """A new file that only its owner can read, or the terminal ("-"). It is removed if the block raises."""
    if name == "-":
        yield sys.stdout
        return
    try:
        descriptor = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        raise ArenaError(
            f"{quote(name)} already exists, perhaps with links that still work; --out FILE writes new links, which end "
            "those"
        ) from None
    except OSError as error:
        raise ArenaError(f"cannot write {quote(name)}: {error.strerror}") from None
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            yield file
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
