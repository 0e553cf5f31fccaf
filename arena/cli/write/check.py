"""`arena check`: tests an agent step by step before a tournament, or all agents in a folder."""

from __future__ import annotations

import sys
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec import structs, to_builtins

from arena.cli.asking.game_options import CLOCK_HELP, NoHostsOption, WallsOption, refuse_hosts
from arena.cli.asking.record_options import DatabaseOption, submissions
from arena.cli.terminal import notes
from arena.cli.terminal.check_steps import StepPrinter, plain, signs
from arena.cli.terminal.listings import OutputFormat, Shown, listed, show
from arena.errors import BadPlayer
from arena.history.words import printable
from arena.match.clock import TimeControl
from arena.players.player import PlayerKind, read_player, split_path
from arena.results.columns import PROGRAMS, Column, Medium, fields, worded
from arena.student.checking import Light

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.student.checking import CheckReport, Exam
    from arena.student.checking.check_maker import Candidate

_NO_AGENT: Final = (
    "expected an agent, such as my_agent.py, or --all DIR, or --tournament FILE alone for all of its agents"
)
STEPS: Final = fields(("step", "light", "seconds", "told", "advice", "expected", "got", "board", "stderr", "again"))


def _signed(checked: CheckReport) -> str:
    return f"{signs()[checked.light]} {checked.light}"


CHECKED: Final[tuple[Column[CheckReport], ...]] = (
    *worded(
        Column("agent", narrow=7),
        Column("light", value=lambda checked: str(checked.light), on=PROGRAMS),
        Column("light", text=_signed, on=Medium.TABLE),
        Column("wrong", "step", value=lambda checked: checked.worst and str(checked.worst.name)),
        Column("told", "what is wrong", value=lambda checked: checked.worst and plain(checked.worst.message)),
    ),
    Column("advice", value=lambda checked: checked.worst and plain(checked.worst.advice), on=Medium.JSON),
    Column("steps", value=lambda checked: _steps(checked), on=Medium.JSON),
)


@listed(
    lambda: CHECKED,
    about={
        "agent": "",
        "light": "the result of the worst step: `good`, `warning` or `failed`",
        "wrong, told, advice": "the first step with that result, its message, what to do; null if all is good",
        "steps": (
            "an array of `step`, `light` (also `skipped`), `seconds`, `told`, `advice`, `expected`, `got`, "
            "`board`, `stderr`, `again` (the command that repeats the step)"
        ),
    },
)
def check(
    shown: Shown,
    player: Annotated[
        str | None,
        typer.Argument(
            metavar="PLAYER",
            help="Agent: FILE.py, FILE.py:CLASS, a folder with agent.py, a file or folder in another language, "
            "cmd:PROGRAM, or a recorded version (alice@2).",
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            "--game",
            "-g",
            metavar="GAME",
            help="Game that the agent should play.",
            show_default='the one that PLAYER\'s file names: game = "GAME" in its class, or a comment',
        ),
    ] = None,
    tournament: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Description with the game, clock and limits to test under; without PLAYER its agents are tested.",
        ),
    ] = None,
    every: Annotated[
        Path | None, typer.Option("--all", metavar="DIR", help="Folder of submissions to check, all of them.")
    ] = None,
    clock: Annotated[
        str | None, typer.Option(metavar="CLOCK", help=CLOCK_HELP, show_default="10+0.1, or the tournament's")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Seed for the test positions and games.", show_default="0"),
    ] = None,
    number: Annotated[
        int, typer.Option("--positions", metavar="N", min=1, max=10_000, help="Number of positions to test.")
    ] = 50,
    only: Annotated[
        int | None,
        typer.Option("--position", metavar="N", min=1, max=10_000, help="Number of one position, to test only that."),
    ] = None,
    walls: WallsOption = None,
    on: NoHostsOption = None,
    db: DatabaseOption = None,
) -> None:
    """Check an agent before a tournament: does it start, play legal moves, keep its clock?

    The agent runs in the same sandbox and with the same clock as in a tournament. Nothing is recorded. For each failed
    step the output says why, where, and what to do. Mistakes that end no game are found too, such as an illegal move
    that is played in a search, or a result of state.play(m) that is thrown away. The exit code is 1 if a step failed.

    Example: arena check my_agent.py --game connect4

    Example: arena check my_agent.py

    Example: arena check --all submissions --tournament cs101.toml
    """
    refuse_hosts(on, "arena check")
    if player is None and every is None and tournament is None:
        raise typer.BadParameter(_NO_AGENT)
    try:
        with ExitStack() as stack:
            named = None if player is None or every is not None else _found(player, db, stack)
            if game is None and tournament is None and named is not None:
                game = _game_of(named)
            exam, listed = _exam(game, tournament, listed=player is None and every is None)
            terms = exam.conditions
            exam = replace(
                exam,
                conditions=structs.replace(
                    terms,
                    clock=terms.clock if clock is None else str(TimeControl.parse(clock)),
                    walls=walls or terms.walls,
                ),
                seed=exam.seed if seed is None else seed,
                positions=number,
                only=only,
            )
            candidates = [named] if named is not None else _candidates(player, every, listed)
            if every is not None or (tournament is not None and player is not None):
                candidates = _as_listed(candidates, tournament, handed_in=every is not None)
            printer = None
            if player is not None and shown.is_table:
                printer = StepPrinter(_title(player, exam))
                candidates = [replace(candidates[0], report=printer.step)]
            counted = player is None and shown.is_table
            checked = _examined(candidates, exam, stack=stack, counted=counted)
        if printer is not None:
            printer.end()
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        raise typer.Exit(130) from None
    _show(checked, one=player is not None, only=only, shown=shown)
    if any(each.light is Light.FAILED for each in checked):
        raise typer.Exit(1)


def _examined(candidates: Sequence[Candidate], exam: Exam, *, stack: ExitStack, counted: bool) -> list[CheckReport]:
    """The reports in the order of the candidates; if `counted`, with a progress line."""
    from arena.student.checking.check_maker import Examiner
    from arena.walls.run_folder import RunFolder

    folder = stack.enter_context(RunFolder())
    checking = stack.enter_context(Examiner(exam, folder, many=len(candidates) > 1))
    for warning in checking.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    since = monotonic()

    def show_progress(ended: int, checking: Sequence[int]) -> None:
        if counted:
            names = [printable(candidates[place].name) for place in checking]
            text = notes.counted_line(ended, len(candidates), seconds=monotonic() - since, names=names)
            notes.show_progress(text, last=ended == len(candidates))

    done = dict(checking.each(candidates, show_progress))
    return [done[place] for place in sorted(done)]


# Agents and conditions.


def _exam(game: str | None, tournament: Path | None, *, listed: bool) -> tuple[Exam, list[Candidate]]:
    """The conditions, and if `listed` the agents of the tournament except built-ins; else it may have none yet."""
    from arena.student.checking import Exam, of_league
    from arena.student.checking.check_maker import Candidate
    from arena.tournament import league

    if (game is None) == (tournament is None):
        got = "neither" if game is None else "both"
        raise typer.BadParameter(
            f"expected --game GAME, such as --game connect4 (`arena games` lists all), or --tournament FILE, got {got}"
        )
    if tournament is None:
        return Exam(game=game or ""), []
    described = league.read(tournament, agents=listed)
    theirs = [
        Candidate(agent.name, agent.player_text, player=agent.player, allowance=agent.allowance, walls=agent.walls)
        for agent in described.agents
        if agent.player.kind is not PlayerKind.BUILTIN
    ]
    return of_league(described, description=str(tournament)), theirs


def _candidates(player: str | None, every: Path | None, listed: list[Candidate]) -> list[Candidate]:
    """The agents of a folder, or those `listed` by a tournament."""
    if player is None and every is not None:
        return _in_folder(every)
    if player is None and listed:
        return listed
    raise typer.BadParameter(_NO_AGENT)


def _as_listed(candidates: list[Candidate], tournament: Path | None, *, handed_in: bool) -> list[Candidate]:
    """The agents; those in other languages with the commands, walls and limits of the tournament's description, or
    refused where it lacks the table of the language, as `arena course collect` does. `handed_in`: as for a player."""
    from arena.players.builder import refuse_unlisted
    from arena.student.checking import agent_lookup
    from arena.student.checking.explanations import Explanation
    from arena.tournament import enrolment

    known = {} if tournament is None else enrolment.read_language_tables(tournament)

    def listed(candidate: Candidate) -> Candidate:
        found = candidate.player or agent_lookup.find(candidate.text, known)
        if isinstance(found, Explanation) or found.language is None:
            return candidate
        try:
            if tournament is not None:
                refuse_unlisted(found, known)
        except BadPlayer as error:
            return replace(candidate, player=Explanation.of_error(error))
        walls, allowance = found.language.walls, found.language.allowance
        return replace(candidate, player=replace(found, handed_in=handed_in), walls=walls, allowance=allowance)

    return [listed(candidate) for candidate in candidates]


def _found(text: str, db: str | None, stack: ExitStack) -> Candidate:
    """The agent that `text` names: a file, or a recorded agent. BadPlayer if there is neither."""
    from arena.players.versions import find_version, player_of
    from arena.student.checking import agent_lookup
    from arena.student.checking.check_maker import Candidate
    from db import dialect
    from db.database import Database

    try:
        read_player(text)
    except BadPlayer as error:
        if agent_lookup.is_there(text):
            return Candidate("", text)
        file = dialect.file_of(dialect.url(db))
        if "/" in text or ":" in text or (file is not None and not file.exists()):
            raise
        database = stack.enter_context(Database(db))
        with database.reading() as connection:
            try:
                version = find_version(connection, text)
            except BadPlayer as unknown:
                raise unknown if "@" in text else error from None
        return Candidate(text, text, player=player_of(version, submissions(database)))
    return Candidate("", text)


def _game_of(candidate: Candidate) -> str:
    """The game that the agent's own file names. BadPlayer if it names none, or if there is no agent."""
    from arena.student.checking import agent_lookup
    from arena.student.checking.agent_lookup import named_game
    from arena.student.checking.explanations import Explanation

    found = candidate.player or agent_lookup.find(candidate.text)
    if isinstance(found, Explanation):
        raise BadPlayer("; ".join(filter(None, (found.message, found.advice))))
    return named_game(found)


def _in_folder(folder: Path) -> list[Candidate]:
    from arena.student.checking.agent_lookup import submissions_in
    from arena.student.checking.check_maker import Candidate

    if not folder.is_dir():
        raise typer.BadParameter(f"--all: expected a folder of submissions, got '{folder}'")
    found = [Candidate(name, text) for name, text in submissions_in(folder)]
    if not found:
        raise typer.BadParameter(f"--all: expected files or folders in '{folder}', but it is empty")
    return found


# Output.


def _title(player: str, exam: Exam) -> str:
    where = f" for {exam.description}" if exam.description else ""
    how = ", a function as Kaggle's agents are" if _is_of_kaggle(player) else ""
    return f"Checking {player}{how}{where}: {exam.game}, clock {exam.conditions.clock}"


def _is_of_kaggle(player: str) -> bool:
    """Whether the player is a file that `agents.kaggle` plays."""
    from agents import kaggle

    if player.startswith("kaggle:"):
        return True
    file = split_path(player)
    with suppress(OSError):
        return file is not None and kaggle.is_in(Path(file[0]).expanduser().read_bytes())
    return False


def _show(checked: Sequence[CheckReport], *, one: bool, only: int | None, shown: Shown) -> None:
    if one and not shown.is_table and shown.format is not OutputFormat.JSON:
        show(_steps(checked[0]), STEPS, shown)
    elif one and shown.is_table:
        _show_summary(checked[0], only)
    else:
        show(checked, CHECKED, shown)
        if shown.is_table:
            counts = {light: sum(each.light == light for each in checked) for light in ("good", "warning", "failed")}
            print(", ".join(f"{count} {light}" for light, count in counts.items() if count))


def _show_summary(checked: CheckReport, only: int | None) -> None:
    seconds = sum(step.seconds for step in checked.steps)
    lights = [step.light for step in checked.steps]
    if checked.light == "failed":
        if checked.plays:
            mistakes = lights.count(checked.light)
            print(
                f"Plays legal games, but with {mistakes} mistake{'s' * (mistakes != 1)} to correct ({seconds:.1f} s)."
            )
            return
        skipped = lights.count(checked.light.SKIPPED)
        more = f", {skipped} could not be run" if skipped else ""
        failed = lights.count(checked.light)
        print(f"Not ready to play: {failed} step{'s' * (failed != 1)} failed{more} ({seconds:.1f} s).")
    elif checked.light == "warning":
        warnings = lights.count(checked.light)
        print(f"Ready to play, with {warnings} warning{'s' * (warnings != 1)} ({seconds:.1f} s).")
    else:
        print(f"{'Ready to play' if only is None else f'Position {only}'}: no problems found ({seconds:.1f} s).")


def _steps(checked: CheckReport) -> list[dict[str, Any]]:
    return [{"step": step.pop("name"), **step} for step in map(to_builtins, checked.steps)]
