"""`arena serve`: runs a ladder until Ctrl-C; prints a line for everything that happens."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.asking.course_options import RosterOption
from arena.cli.asking.record_options import DatabaseOption, open_to_others, submissions
from arena.cli.ladder.web_pages import (
    BehindOption,
    ListenOption,
    TrustEverybodyOption,
    WebOption,
    first_link,
    read_options,
)
from arena.cli.terminal.notes import note
from arena.cli.terminal.stopping import Pausing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.serve.ladder_events import Happening
    from arena.serve.open_ladders import OpenLadder
    from arena.serve.serving import Serving
    from db.ladder import LadderLine, StoredSubmission

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
    from arena.cli.terminal.stopping import Signals, StopPhase, Stopping
    from arena.play import cores
    from arena.serve import ladder as ladders
    from arena.walls.run_folder import RunFolder

    described = ladders.read(file)
    web_pages = read_options(
        file, web=web, listen=listen, behind=behind, roster=roster, trusts_everybody=trust_everybody
    )
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
            say(f"pages: {started.address}")
            if started.no_sign_in:
                note(started.no_sign_in)
            elif link := first_link(database, ladder.name, started.address):
                say(f"sign in as instructor (once): {link}")
        try:
            with standing(
                ladder, database, store, folder, wait=wait, tell=show, start_pages=start_pages, now=now
            ) as serving:
                lock.note(folder.path)
                say_what_it_does(serving, at_once)
                if started is not None and not started.no_sign_in and not serving.is_over:
                    say(f"invite the students to {started.address}: {_invites(file, roster)}")
                stopping = Stopping(serving, signals, say, until=None, now=now)
                with signals.playing():
                    serving.play(stopping, stopping.heard_by, at_once=at_once)
                say("writing the last ratings, which can take half a minute")
                with signals.waiting():
                    serving.end_rater()
            say(how_it_ended(serving))
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


def how_it_ended(serving: Serving) -> str:
    """Why the server ends, and what to do next."""
    if serving.is_over:
        return f"the final is over, and so is the ladder; grade list: arena course grades {serving.ladder.final!r}"
    return "stopped; the same command continues the ladder"


def show(happening: Happening) -> None:
    """Print one line."""
    from arena.history import words
    from arena.serve.ladder_events import Faulted, Notice, Rated, SubmissionChanged

    match happening:
        case SubmissionChanged(submission, is_new_state=True):
            say(_submission_line(submission))
        case Rated(standings):
            say(_ratings_line(standings))
        case Faulted(finished):
            names = " - ".join(entrant.name for entrant in finished.game.entrants)
            detail = words.without_store(finished.record.detail)
            say(f"game {finished.game.number}: {names}: {words.verdict(finished.record)}{detail and f': {detail}'}")
        case Notice(text):
            say(text)


def _submission_line(submission: StoredSubmission) -> str:
    words = f": {submission.words}" if submission.words else ""
    return f"submission {submission.id} of {submission.author} ({submission.label}): {submission.state}{words}"


def _ratings_line(standings: Sequence[LadderLine]) -> str:
    from arena.history import words

    rated = [line for line in standings if line.rating is not None and line.error]  # without anchors
    if not rated:
        return "new ratings; no agent has one yet"
    best = ", ".join(f"{line.name} {round(line.rating or 0)} ± {line.error:.0f}" for line in rated[:_BEST_SHOWN])
    return f"new ratings; the best of {words.counted(len(rated), 'agent')}: {best}"
