"""The web pages of `arena serve`: their options, and the start of the process that shows them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.terminal.files import read_file
from arena.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.players.submissions import Store
    from arena.serve.invited_games import InvitedGames
    from arena.serve.ladder_events import Happening
    from arena.serve.open_ladders import OpenLadder
    from arena.serve.serving import RestartedProcess
    from arena.walls.run_folder import RunFolder
    from arena.web.web_process import Listening, WebProcess
    from db.database import Database

_LISTEN: Final = "127.0.0.1:8000"
_INSTRUCTOR: Final = "instructor"
"""The name of the first instructor's account."""

WebOption = Annotated[bool, typer.Option("--web", help="Show the ladder as web pages, for handing in and playing too.")]
ListenOption = Annotated[
    str | None,
    typer.Option(
        "--listen",
        metavar="ADDRESS:PORT",
        help="Address of the pages; 0.0.0.0:8000 for the whole network.",
        show_default=_LISTEN,
    ),
]
BehindOption = Annotated[
    str | None,
    typer.Option("--behind", metavar="URL", help="Public address of the pages, if a reverse proxy is before them."),
]
TrustEverybodyOption = Annotated[
    bool,
    typer.Option(
        "--trust-everybody", help="Agents from the web even without a sandbox; they can then read this user's files."
    ),
]


class WebPages:
    """What the options of the pages say; nothing is started yet."""

    def __init__(
        self, file: Path, *, listen: str | None, behind: str | None, roster: str | None, trusts_everybody: bool
    ) -> None:
        """`file`: the ladder's description, which can name a roster."""
        from arena.course import course
        from arena.course import roster as rosters
        from arena.web import web_process

        web_process.refuse_missing_packages()
        self._listen = listen or _LISTEN
        self._behind = behind
        self._trusts_everybody = trusts_everybody
        web_process.read_address(self._listen)
        if behind is not None:
            web_process.read_behind(behind)
        named = roster or course.read(file).roster
        self._roster = None if named is None else read_file(str(named), "a roster")
        if self._roster is not None:
            rosters.read(*self._roster)

    @contextmanager
    def started(self, folder: RunFolder) -> Iterator[StartedPages]:
        """Inside, the port is bound and the process starts, which takes as long as the director's own start.
        ArenaError if the port is in use."""
        from arena.web.web_process import Listening, WebProcess

        with closing(Listening(self._listen, self._behind)) as listening, ExitStack() as stack:
            process = WebProcess(folder, listening)
            stack.callback(process.end)
            yield StartedPages(process, listening, folder, self._roster, self._trusts_everybody)


class StartedPages:
    """A process that waits until it is told what to show."""

    def __init__(
        self,
        process: WebProcess,
        listening: Listening,
        folder: RunFolder,
        roster: tuple[str, str] | None,
        trusts_everybody: bool,
    ) -> None:
        self._first, self._listening, self._folder, self._roster = process, listening, folder, roster
        self._trusts_everybody = trusts_everybody
        self.address = listening.address
        """The address to type into a browser."""
        self.no_sign_in = listening.no_sign_in
        """Why nobody can sign in; empty if people can."""

    def shown(
        self,
        ladder: OpenLadder,
        database: Database,
        store: Store,
        tell: Callable[[Happening], None],
        people: InvitedGames,
    ) -> RestartedProcess[Any]:
        """The process shows the pages of the ladder from now on, or another one that takes its place; for its visitors
        `people` are played."""
        from arena.serve.ladder_events import Notice
        from arena.serve.messages import Complaint
        from arena.serve.serving import RestartedProcess
        from arena.serve.submissions import why_no_hand_ins
        from arena.web.web_process import WebProcess, WebSettings

        settings = WebSettings(
            database=database.address.render_as_string(hide_password=False),
            store=str(store.folder),
            served=ladder.name,
            roster=self._roster,
            listening=self._listening.descriptor,
            hosts=self._listening.hosts,
            address=self._listening.address,
            no_sign_in=self._listening.no_sign_in,
            no_hand_ins=why_no_hand_ins(ladder, trusts_everybody=self._trusts_everybody),
        )
        waiting = [self._first]

        def start() -> WebProcess:
            process = waiting.pop() if waiting else WebProcess(self._folder, self._listening)
            process.send(settings)
            people.connect(process.say)
            return process

        def read(process: WebProcess) -> None:
            for message in process.heard():
                if isinstance(message, Complaint):
                    tell(Notice(message.text))
                else:
                    people.hear(message)

        return RestartedProcess("page server", start, read=read, tell=tell)


def first_link(database: Database, ladder: str, address: str) -> str:
    """A link by which the first instructor signs in; empty if one has done so. The address is noted for other links."""
    from datetime import UTC, datetime

    from arena.accounts import people
    from arena.accounts.people import invite_instructor
    from db import accounts as rows
    from db.accounts import AccountsDatabase

    with (
        AccountsDatabase(database.address.render_as_string(hide_password=False)) as accounts,
        accounts.writing() as connection,
    ):
        rows.note_address(connection, address)
        if any(one.account.is_instructor and one.signed_in for one in people.known(connection, ladder)):
            return ""
        made = invite_instructor(connection, _INSTRUCTOR, datetime.now(UTC))
    return f"{address}/in/{made.key}"


def submission_page(db: str | None, submission: int) -> str:
    """The address of a submission's page on the last page server of this database; empty if there was none."""
    from arena.web import links
    from db import accounts as rows
    from db.accounts import AccountsDatabase
    from db.errors import DatabaseError

    try:
        with AccountsDatabase(db, create=False) as accounts, accounts.reading() as connection:
            address = rows.address(connection)
    except DatabaseError:
        return ""
    return address and f"{address}{links.submission(submission)}"


def read_options(
    file: Path,
    *,
    web: bool,
    listen: str | None,
    behind: str | None,
    roster: str | None,
    trusts_everybody: bool,
) -> WebPages | None:
    """The pages that the options ask for; None without --web. ArenaError if an option is invalid, or is of no use."""
    if web:
        return WebPages(file, listen=listen, behind=behind, roster=roster, trusts_everybody=trusts_everybody)
    given = {"--listen": listen, "--behind": behind, "--roster": roster, "--trust-everybody": trusts_everybody or None}
    for name, value in given.items():
        if value is not None:
            raise ArenaError(f"{name} is about the web pages, which are shown only with --web")
    return None
