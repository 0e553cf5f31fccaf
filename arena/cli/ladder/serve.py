"""`arena serve`: runs a ladder until Ctrl-C, with web pages if wanted; prints a line for everything that happens."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from arena.cli.asking.record_options import DatabaseOption, RosterOption, open_to_others, submissions
from arena.cli.terminal.files import read_file
from arena.cli.terminal.notes import note
from arena.cli.terminal.stopping import Pausing, Signals, StopPhase, Stopping
from arena.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arena.players.submissions import Store
    from arena.serve.invited_games import InvitedGames
    from arena.serve.ladder_events import Happening
    from arena.serve.open_ladders import OpenLadder
    from arena.serve.serving import RestartedProcess, Serving
    from arena.walls.run_folder import RunFolder
    from arena.web.web_process import Listening, WebProcess
    from db.database import Database
    from db.ladder import LadderLine

_BEST_SHOWN: Final = 3


def serve(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="Description of a ladder.")],
    games_at_once: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=1024,
            help="Number of games played at the same time.",
            show_default="as in the description, else processor cores minus one",
        ),
    ] = None,
    db: DatabaseOption = None,
    web: WebOption = False,
    listen: ListenOption = None,
    behind: BehindOption = None,
    roster: RosterOption = None,
    trust_everybody: TrustEverybodyOption = False,
) -> None:
    """Run a ladder: check what is handed in, play, rate, until Ctrl-C or the end of the final.

    With --web students sign in with a browser, hand in, watch and play, and instructors manage the ladder. Those who
    have not signed in see only ladders and tournaments with public = true. With a roster the pages show agents by
    their aliases. The pages stay after the final, until Ctrl-C.

    The ladder is opened if it is not open yet. Press Ctrl-C once to finish the games in progress and stop, twice to
    stop immediately; SIGTERM does the same. The same command continues the ladder, also after a crash or a power cut:
    no submission and no game is lost. After the final, and after the first Ctrl-C, the exit code is 0.

    Example: arena serve cs101.toml

    Example: arena serve cs101.toml --web --listen 0.0.0.0:8000
    """
    from arena.play import cores
    from arena.serve import ladder as ladders
    from arena.walls.run_folder import RunFolder

    described = ladders.read(file)
    web_pages = None
    if web:
        web_pages = WebPages(file, listen=listen, behind=behind, roster=roster, trusts_everybody=trust_everybody)
    else:
        useless = {"--listen": listen, "--behind": behind, "--roster": roster}
        for name, value in (useless | {"--trust-everybody": trust_everybody or None}).items():
            if value is not None:
                raise ArenaError(f"{name} is about the web pages, which are shown only with --web")
    at_once = games_at_once or described.league.at_once(cores.count())
    signals = Signals()
    pause = Pausing(say, "Ctrl-C stops; nothing is lost")

    def wait(reason: str) -> None:
        with signals.waiting():
            pause(reason)

    def now() -> datetime:
        return datetime.now(UTC)

    with ExitStack() as stack:
        stack.enter_context(signals.handled(say))
        folder = stack.enter_context(RunFolder())
        started = None if web_pages is None else stack.enter_context(web_pages.started(folder))
        # Imported while the page server starts.
        from arena.serve.opening import open_or_update
        from arena.serve.serving import standing
        from arena.tournament.lock import tournament_lock
        from db.database import Database

        database = stack.enter_context(Database(db))
        store = submissions(database)
        for why in open_to_others(database.file):
            print(f"warning: {why}", file=sys.stderr)
        lock = stack.enter_context(tournament_lock(store.folder, described.name, database=database, what="ladder"))
        ladder = open_or_update(described, database, store, wait=wait, say=say, now=now)
        start_pages = None
        if started is not None:
            start_pages = partial(started.shown, ladder, database, store, show)
            say(f"pages: {started.listening.address}")
            if started.listening.no_sign_in:
                note(started.listening.no_sign_in)
            elif link := first_link(database, ladder.name, started.listening.address):
                say(f"sign in as instructor (once): {link}")
        try:
            with standing(
                ladder, database, store, folder, wait=wait, tell=show, start_pages=start_pages, now=now
            ) as serving:
                lock.note(folder.path)
                say_what_it_does(serving, at_once)
                if started is not None and not started.listening.no_sign_in and not serving.is_over:
                    say(f"invite the students to {started.listening.address}: {_invites(file, roster)}")
                stopping = Stopping(serving, signals, say, until=None, now=now)
                with signals.playing():
                    serving.play(stopping, stopping.heard_by, at_once=at_once)
                say("writing the last ratings, which can take half a minute")
                with signals.waiting():
                    serving.end_rater()
            grades = f"grade list: arena course grades {serving.ladder.final!r}"
            over = f"the final is over, and so is the ladder; {grades}"
            say(over if serving.is_over else "stopped; the same command continues the ladder")
        except KeyboardInterrupt:
            say("stopped; the games in progress will be played again")
    if signals.phase is StopPhase.STOPPING and signals.number is not None:
        raise typer.Exit(128 + signals.number)


def say(text: str) -> None:
    """Print a line with the time of this machine."""
    from arena.history.words import printable

    print(f"{datetime.now(UTC).astimezone():%H:%M:%S %Z} {printable(text)}", flush=True)


def say_what_it_does(serving: Serving, at_once: int) -> None:
    """Print what is served, how to hand in, and how to stop."""
    from arena.history import words

    ladder: OpenLadder = serving.ladder
    league = ladder.ladder.league
    for warning in serving.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    closes = "closed since" if ladder.closes <= datetime.now(UTC) else "closes"
    games = words.counted(at_once, "game")
    when = words.moment(ladder.closes)
    say(f"{ladder.name}: {league.game_text}, clock {league.conditions.clock}, {closes} {when}; {games} at once")
    if not serving.is_over:
        say(f"hand in: arena submit FILE --as NAME --ladder {ladder.name}; Ctrl-C stops")


def _invites(file: Path, roster: str | None) -> str:
    """The command that invites the students of the roster; `roster`: as in the option --roster."""
    from arena.course import course

    if roster is None and course.read(file).roster is None:
        roster = "roster.csv"
    return shlex.join(["arena", "course", "invite", str(file), *(() if roster is None else ("--roster", roster))])


def show(happening: Happening) -> None:
    from arena.history import words
    from arena.serve.ladder_events import Faulted, Notice, Rated, SubmissionChanged

    match happening:
        case SubmissionChanged(one, is_new_state=True):
            why = f": {one.words}" if one.words else ""
            say(f"submission {one.id} of {one.author} ({one.label}): {one.state}{why}")
        case Rated(standings):
            say(_ratings_line(standings))
        case Faulted(finished):
            names = " - ".join(entrant.name for entrant in finished.game.entrants)
            detail = words.without_store(finished.record.detail)
            say(f"game {finished.game.number}: {names}: {words.verdict(finished.record)}{detail and f': {detail}'}")
        case Notice(text):
            say(text)


def _ratings_line(standings: Sequence[LadderLine]) -> str:
    from arena.history import words

    rated = [line for line in standings if line.rating is not None and line.error]  # without anchors
    if not rated:
        return "new ratings; no agent has one yet"
    best = ", ".join(f"{line.name} {round(line.rating or 0)} ± {line.error:.0f}" for line in rated[:_BEST_SHOWN])
    return f"new ratings; the best of {words.counted(len(rated), 'agent')}: {best}"


# The web pages of `arena serve`: their options, and the start of the process that shows them.


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


class StartedPages(NamedTuple):
    """A process that waits until it is told what to show."""

    first: WebProcess
    listening: Listening
    folder: RunFolder
    roster: tuple[str, str] | None
    trusts_everybody: bool

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
            roster=self.roster,
            listening=self.listening.descriptor,
            hosts=self.listening.hosts,
            address=self.listening.address,
            no_sign_in=self.listening.no_sign_in,
            no_hand_ins=why_no_hand_ins(ladder, trusts_everybody=self.trusts_everybody),
        )
        waiting = [self.first]

        def start() -> WebProcess:
            process = waiting.pop() if waiting else WebProcess(self.folder, self.listening)
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
    from arena.accounts import people
    from db import accounts as rows
    from db.accounts import AccountsDatabase

    with (
        AccountsDatabase(database.address.render_as_string(hide_password=False)) as accounts,
        accounts.writing() as connection,
    ):
        rows.note_address(connection, address)
        if any(one.account.is_instructor and one.signed_in for one in people.known(connection, ladder)):
            return ""
        made = people.invite_instructor(connection, _INSTRUCTOR, datetime.now(UTC))
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
