"""`arena submit`: hands in an agent to a ladder, and shows its check and its first games.

On the machine of the ladder the command writes one row, and nudges the process that runs it; with --to it sends the
agent to a page server. The submission does not depend on this command: Ctrl-C ends only the waiting.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec import Struct, to_builtins

from arena.cli.asking.record_options import DatabaseOption, submissions
from arena.cli.terminal.check_steps import StepPrinter
from arena.cli.terminal.listings import OF_ROWS, Shown, listed, show
from arena.cli.terminal.notes import note
from arena.errors import BadSubmission
from arena.history.words import counted, printable
from arena.results.columns import fields

if TYPE_CHECKING:
    from arena.serve.submissions import SubmissionDocument

_SERVER: Final = "ARENA_SERVER"
"""The environment variable with the default of --to."""
_TOKEN: Final = "ARENA_TOKEN"
"""The environment variable with the default of --token, so that no secret is among the arguments of a process."""
_RESULTS: Final = {1.0: "won", 0.5: "drew", 0.0: "lost"}
SUBMITTED: Final = fields(
    ("submission", "ladder", "agent", "state", "words", "ahead", "running", "version", "rating", "error", "games")
)


class _HandedIn(Struct, frozen=True, kw_only=True):
    """What was handed in, and how to look at it again."""

    first: SubmissionDocument
    """As it was then."""
    running: bool
    """Whether a process runs the ladder."""
    look: Callable[[], SubmissionDocument]
    """Reads how it is now."""
    pause: float
    """Seconds between two looks."""
    page: str
    """The address of its page; empty if no page server shows it."""


@listed(
    lambda: SUBMITTED,
    about={
        "submission, ladder, agent": "",
        "state, words": "[its state](ladder.md#hand-in) when the command ends, and the reason",
        "ahead": "number of submissions before it; null if it was refused",
        "running": "whether `arena serve` runs the ladder; true with `--to`",
        "version, rating, error, games": "once it has entered, and has its first rating (`--wait`); else null",
    },
    without=OF_ROWS,
)
def submit(
    shown: Shown,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Agent: a file, a folder, or a zip.")],
    author: Annotated[
        str | None, typer.Option("--as", metavar="AUTHOR", help="Name of the author, and of the agent; not with --to.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--ladder", metavar="NAME", help="Name of the ladder.", show_default="the only one")
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of a further agent of the author: alice.NAME."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Page server that takes the agent.", show_default=f"${_SERVER}"),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(metavar="TOKEN", help="Your token for that server.", show_default=f"${_TOKEN}"),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the check, the first games and the rating.")] = False,
    db: DatabaseOption = None,
) -> None:
    """Hand in an agent to a ladder. It is checked, and then plays until its author hands in another one.

    With --to the agent is sent to a page server, whose page "My page" makes tokens; without it, the ladder is in a
    database of this machine. Only the newest submission of an agent is checked. The exit code is 2 if the submission is
    refused, and 1 if the check failed (with --wait).

    Example: arena submit my_agent.py --as alice

    Example: arena submit my_folder --to https://arena.example.org --wait
    """
    server = to or os.environ.get(_SERVER)
    if server is not None:
        local = {"--as": author, "--ladder": name, "--db": db}
        if given := [option for option, value in local.items() if value is not None]:
            where = f"--to, which is set by ${_SERVER}" if to is None else "--to"
            raise typer.BadParameter(
                f"expected {given[0]} or {where}, got both: the server knows its ladder, and from the token who you are"
            )
        if not (token or os.environ.get(_TOKEN)) and (meant := _misspelt(_TOKEN)):
            raise typer.BadParameter(meant)
        handing_in = _to_server(server, token or os.environ.get(_TOKEN, ""), file, agent or "")
    elif token is not None:
        raise typer.BadParameter("--token needs --to ADDRESS too")
    elif author is None:
        raise typer.BadParameter(
            _misspelt(_SERVER) or "missing --as AUTHOR; for example: arena submit my_agent.py --as alice"
        )
    else:
        handing_in = _on_this_machine(db, name, file, author, agent or "")
    with handing_in as handed:
        waiting = _Waiting(handed, quiet=not shown.in_words)
        refused = handed.first.state == "refused"
        if refused and shown.in_words:
            raise BadSubmission(f"submission {handed.first.submission} is refused: {printable(handed.first.words)}")
        try:
            if not refused:
                waiting.say_received()
            if wait and not refused:
                waiting.to_the_end()
        except KeyboardInterrupt:
            print(f"\nstopped waiting; submission {handed.first.submission} goes on", file=sys.stderr)
            raise typer.Exit(130) from None
    if not shown.in_words:
        show([waiting.row], SUBMITTED, shown)
    if code := {"failed": 1, "refused": 2}.get(waiting.now.state):
        raise typer.Exit(code)


def _misspelt(variable: str) -> str:
    """That an environment variable has nearly this name; empty if none has."""
    others = [name for name in os.environ if name.startswith("ARENA") and name not in (_SERVER, _TOKEN)]
    close = get_close_matches(variable, others, n=1, cutoff=0.8)
    return f"the environment variable {close[0]} is set; did you mean {variable}?" if close else ""


@contextmanager
def _on_this_machine(db: str | None, name: str | None, file: Path, author: str, agent: str) -> Iterator[_HandedIn]:
    """Hands in to a ladder in a database."""
    from arena.cli.ladder.serve import submission_page
    from arena.serve.messages import nudge
    from arena.serve.open_ladders import opened
    from arena.serve.submissions import receive, submission_document
    from db import ladder
    from db.database import Database

    with Database(db, create=False) as database:
        store = submissions(database)
        with database.reading() as connection:
            found = opened(connection, name)
        one = receive(database, store, found, file, author, datetime.now(UTC), agent=agent)
        with database.reading() as connection:
            first = submission_document(connection, found, one)

        def look() -> SubmissionDocument:
            with database.reading() as connection:
                return submission_document(connection, found, ladder.submission(connection, one.id))

        running = nudge(store.folder, found.name)
        page = submission_page(db, one.id) if running else ""
        yield _HandedIn(first=first, running=running, look=look, pause=0.25, page=page)


@contextmanager
def _to_server(address: str, token: str, file: Path, agent: str) -> Iterator[_HandedIn]:
    """Sends the agent to a page server."""
    from arena.serve.hand_in_client import HandInClient, packed

    server = HandInClient(address, token)
    first = server.hand_in(packed(file), agent=agent)
    page = server.page(first.submission)
    yield _HandedIn(first=first, running=True, look=lambda: server.look(first.submission), pause=0.5, page=page)


class _Waiting:
    """What becomes of a submission, printed as it happens."""

    def __init__(self, handed: _HandedIn, *, quiet: bool) -> None:
        self.now = handed.first
        self._handed = handed
        self._quiet = quiet
        self._games_said: set[int] = set()

    def say_received(self) -> None:
        """Print the place of the submission."""
        one, ahead, ladder = self.now, self.now.ahead, printable(self.now.ladder)
        before = "1 other is before it" if ahead == 1 else f"{ahead or 'no'} others are before it"
        self._say(f"submission {one.submission} of {printable(one.agent)} is received by ladder {ladder}; {before}")
        if self._handed.page:
            self._say(f"its page: {self._handed.page}")
        if not self._handed.running:
            note(f"nothing runs ladder {ladder} now; the agent is checked when `arena serve` runs it")

    def to_the_end(self) -> None:
        """Print the steps of the check, then the first games, until the agent has a rating."""
        self._wait_for_check()
        one = self.now
        if one.state == "entered":
            self._say(f"{printable(one.agent)} plays on ladder {printable(one.ladder)} now")
            while self._say_games():
                self._look_again()
        elif one.state == "failed":
            self._say(f"submission {one.submission} failed its check: correct the agent, and hand it in again")
        else:
            self._say(f"submission {one.submission} is {one.state}: {printable(one.words)}")

    def _wait_for_check(self) -> None:
        one = self.now
        about = f"Checking {printable(one.file)} for {printable(one.ladder)}"
        printer = StepPrinter(f"{about}: {printable(one.game)}, clock {printable(one.clock)}")
        shown = 0
        while True:
            if len(self.now.steps) < shown:
                self._say("the check was interrupted, and begins again")
                shown = 0
            for step in () if self._quiet else self.now.steps[shown:]:
                printer.step(step)
                shown += 1
            if self.now.state.is_final:
                break
            self._look_again()
        if shown:
            printer.end()

    def _say_games(self) -> bool:
        """Print the games that are over, and the rating when it is there; whether to look again."""
        one = self.now
        for game in one.first_games:
            if game.id not in self._games_said:
                self._games_said.add(game.id)
                result = "void" if game.points is None else _RESULTS.get(game.points, str(game.points))
                against = f"against {printable(game.opponent)} ({printable(game.verdict)})"
                self._say(f"game {game.number}: {result} {against}")
        if one.status == "replaced":
            self._say("a newer submission plays now")
        elif one.status != "active":
            self._say(f"{printable(one.agent)} is {printable(one.status or 'not on the ladder')}")
        elif one.rating is not None:
            self._say(f"rating {round(one.rating)} ± {one.error or 0:.0f} after {counted(one.games or 0, 'game')}")
        else:
            return True
        return False

    def _look_again(self) -> None:
        time.sleep(self._handed.pause)
        self.now = self._handed.look()

    def _say(self, text: str) -> None:
        if not self._quiet:
            print(text, flush=True)

    @property
    def row(self) -> dict[str, Any]:
        """The submission as it is now, for JSON and CSV."""
        row: dict[str, Any] = to_builtins(self.now)
        return row | {"ahead": self._handed.first.ahead, "running": self._handed.running}
