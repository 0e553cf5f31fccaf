"""`arena submit`: hands in an agent to a ladder, and shows its check and its first games.

The command writes one row, and nudges the process that runs the ladder. All else is read from the database, so the
submission does not depend on this command: Ctrl-C ends only the waiting.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.asking.record_options import DatabaseOption, submissions
from arena.cli.terminal.check_steps import StepPrinter
from arena.cli.terminal.listings import Columns, FormatOption, OutputFormat, exact_columns, show
from arena.cli.terminal.notes import note
from arena.errors import BadSubmission
from arena.history.words import counted, printable, without_store

if TYPE_CHECKING:
    from arena.serve.opened import OpenLadder
    from db.database import Database
    from db.ladder import LadderLine, StoredSubmission

_LOOK_EVERY: Final = 0.25
"""Seconds between two looks at the database with --wait."""
_RESULTS: Final = {1.0: "won", 0.5: "drew", 0.0: "lost"}
_FIELDS: Final = (
    "submission",
    "ladder",
    "agent",
    "state",
    "words",
    "ahead",
    "running",
    "version",
    "rating",
    "error",
    "games",
)
_COLUMNS: Final[Columns] = exact_columns(_FIELDS)


def submit(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Agent: a file, a folder with agent.py, or a zip.")],
    author: Annotated[str, typer.Option("--as", metavar="AUTHOR", help="Name of the author, and of the agent.")],
    name: Annotated[
        str | None, typer.Option("--ladder", metavar="NAME", help="Name of the ladder.", show_default="the only one")
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of a further agent of the author: alice.NAME."),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the check, the first games and the rating.")] = False,
    format: FormatOption = OutputFormat.TABLE,
    db: DatabaseOption = None,
) -> None:
    """Hand in an agent to a ladder. It is checked, and then plays until its author hands in another one.

    Only the newest submission of an agent is checked. The exit code is 2 if the submission is refused, and 1 if the
    check failed (with --wait).

    Example: arena submit my_agent.py --as alice

    Example: arena submit my_folder --as alice --wait
    """
    from arena.serve.opened import opened
    from arena.serve.place import nudge
    from arena.serve.submissions import receive
    from db import ladder
    from db.database import Database

    with Database(db, create=False) as database:
        store = submissions(database)
        with database.reading() as connection:
            found = opened(connection, name)
        one = receive(database, store, found, file, author, datetime.now(UTC), agent=agent or "")
        running = nudge(store.folder, found.name)
        with database.reading() as connection:
            ahead = ladder.ahead_of(connection, one)
        refused = one.state == "refused"
        if refused and format is OutputFormat.TABLE:
            raise BadSubmission(f"submission {one.id} is refused: {one.words}")
        waiting = _Waiting(database, found, one, quiet=format is not OutputFormat.TABLE)
        try:
            if not refused:
                waiting.say_received(ahead=ahead, running=running)
            if wait and not refused:
                waiting.to_the_end()
        except KeyboardInterrupt:
            print(f"\nstopped waiting; submission {one.id} goes on", file=sys.stderr)
            raise typer.Exit(130) from None
    if format is not OutputFormat.TABLE:
        show([waiting.row | {"ahead": ahead, "running": running}], _COLUMNS, format=format)
    if code := {"failed": 1, "refused": 2}.get(waiting.one.state):
        raise typer.Exit(code)


class _Waiting:
    """What becomes of a submission, printed as it happens."""

    def __init__(self, database: Database, found: OpenLadder, one: StoredSubmission, *, quiet: bool) -> None:
        self.one = one
        self._database = database
        self._ladder = found
        self._quiet = quiet
        # The line of its agent in the standings, once it has a rating.
        self._rated: LadderLine | None = None
        # The number of its version, once it has entered.
        self._version: int | None = None
        self._games_said: set[int] = set()

    def say_received(self, *, ahead: int, running: bool) -> None:
        """Print the place of the submission."""
        one, name = self.one, printable(self._ladder.name)
        before = "1 other is before it" if ahead == 1 else f"{ahead or 'no'} others are before it"
        self._say(f"submission {one.id} of {printable(one.author)} is received by ladder {name}; {before}")
        if not running:
            note(f"nothing runs ladder {name} now; the agent is checked when `arena serve` runs it")

    def to_the_end(self) -> None:
        """Print the steps of the check, then the first games, until the agent has a rating."""
        self._wait_for_check()
        if self.one.state == "entered":
            self._say(f"{printable(self.one.author)} plays on ladder {printable(self._ladder.name)} now")
            while self._look_at_games():
                time.sleep(_LOOK_EVERY)
        elif self.one.state == "failed":
            self._say(f"submission {self.one.id} failed its check: correct the agent, and hand it in again")
        else:
            self._say(f"submission {self.one.id} is {self.one.state}: {self.one.words}")

    def _wait_for_check(self) -> None:
        from msgspec import convert

        from arena.student.checking import CheckStep
        from db import ladder

        league = self._ladder.ladder.league
        clock = f"{without_store(printable(league.game_text))}, clock {league.clock}"
        printer = StepPrinter(f"Checking {printable(self.one.label)} for {printable(self._ladder.name)}: {clock}")
        shown = 0
        while True:
            with self._database.reading() as connection:
                self.one = ladder.submission(connection, self.one.id)
            if len(self.one.steps) < shown:
                self._say("the check was interrupted, and begins again")
                shown = 0
            for step in () if self._quiet else self.one.steps[shown:]:
                printer.step(convert(step, CheckStep))
                shown += 1
            if self.one.state.is_final:
                break
            time.sleep(_LOOK_EVERY)
        if shown:
            printer.end()

    def _look_at_games(self) -> bool:
        """Print the games that are over, and the rating when it is there; whether to look again."""
        from db import ladder

        one = self.one
        with self._database.reading() as connection:
            games = ladder.games_since(connection, self._ladder.id, one.version or 0, one.changed)
            self._version = dict(ladder.versions(connection, self._ladder.id, one.author)).get(one.version or 0)
            (line,) = (line for line in ladder.standings(connection, self._ladder.id) if line.name == one.author)
        for game in games:
            if game.id not in self._games_said:
                self._games_said.add(game.id)
                result = "void" if game.points is None else _RESULTS.get(game.points, str(game.points))
                self._say(f"game {game.id}: {result} against {printable(game.opponent)} ({game.verdict})")
        if line.version != one.version:
            self._say("a newer submission plays now")
        elif line.status != "active":
            self._say(f"{printable(one.author)} is {line.status}")
        elif line.rating is not None and line.rated is not None and line.rated > one.changed:
            self._rated = line
            self._say(f"rating {line.rating:.0f} ± {line.error:.0f} after {counted(line.games, 'game')}")
        else:
            return True
        return False

    def _say(self, text: str) -> None:
        if not self._quiet:
            print(text, flush=True)

    @property
    def row(self) -> dict[str, Any]:
        """The submission as it is now, for JSON and CSV."""
        one, rated = self.one, self._rated
        return {
            "submission": one.id,
            "ladder": self._ladder.name,
            "agent": one.author,
            "state": str(one.state),
            "words": one.words,
            "version": self._version,
            "rating": None if rated is None else rated.rating,
            "error": None if rated is None else rated.error,
            "games": None if rated is None else rated.games,
        }
