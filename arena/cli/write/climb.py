"""`arena climb`: how far up a ladder of ever stronger opponents an agent gets, and what to look at where it ends."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.asking.playing_options import SeedOption, WallsOption
from arena.cli.asking.record_options import DatabaseOption
from arena.cli.terminal.listings import show_json
from arena.cli.terminal.wrapping import wrapped
from arena.cli.write.climb_run import ClimbRun
from arena.cli.write.climb_screen import ClimbScreen, percent
from arena.history.words import printable, verdict, without_store
from arena.match.clock import TimeControl

if TYPE_CHECKING:
    from arena.student.climb import Climb
    from arena.student.lost_games import LostGame, TurningPoint

_USUAL_CLOCK: Final = "5+0.05"
_REASONS: Final = {
    "normal": "outplayed",
    "resigned": "given up",
    "time": "on time",
    "illegal": "by an illegal move",
    "crashed": "by a crash",
    "garbage": "by breaking the protocol",
    "flooded": "by sending too much",
    "memory": "out of memory",
    "unready": "for not being ready in time",
}
"""How games are lost, in words."""


class ClimbFormat(StrEnum):
    """How what was found is printed."""

    TABLE = "table"
    JSON = "json"


def climb(
    agent: Annotated[
        str, typer.Argument(metavar="FILE", help="Your agent: a file, a folder, cmd:PROGRAM, or alice@2 of the record.")
    ],
    game: Annotated[str, typer.Option("--game", metavar="GAME", help="The game, with options if you like.")],
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="PLAYER", help="Instead of the ladder: a built-in, a file, alice@2. May be repeated."),
    ] = None,
    clock: Annotated[str, typer.Option(help="As `arena play` takes it.")] = _USUAL_CLOCK,
    most: Annotated[
        int | None,
        typer.Option("--games", min=2, max=10_000, help="At most this many games for each step.  [default: 40]"),
    ] = None,
    seed: SeedOption = None,
    walls: WallsOption = None,
    db: DatabaseOption = None,
    format: Annotated[ClimbFormat, typer.Option("--format", help="How to print what was found.")] = ClimbFormat.TABLE,
) -> None:
    """How good is my agent? It plays ever stronger opponents, until it is clear.

    Games come in pairs, with one opening and seats changed; all go on record.
    It stops at the second opponent in a row that is not beaten. At the end it plays
    its own last version, if there is one, and says what to look at first.

    Example: arena climb my_agent.py --game connect4

    Example: arena climb my_agent.py --game connect4 --against my_agent@1
    """
    from arena.match import seeds

    screen = ClimbScreen(quiet=format is ClimbFormat.JSON)
    run = ClimbRun(
        agent=agent,
        game=game,
        against=tuple(against or ()),
        clock=str(TimeControl.parse(clock)),
        most=most,
        seed=seeds.short_seed() if seed is None else seed,
        walls=walls,
    )
    interrupted = False
    try:
        run.play(db, screen)
    except KeyboardInterrupt:
        interrupted = True
    screen.clear()
    if interrupted:
        print("interrupted", file=sys.stderr)
    if run.climb is not None:
        try:
            _show(run, run.climb, format, in_haste=interrupted, seed_given=seed is not None)
        except KeyboardInterrupt:
            interrupted = True
            print("interrupted", file=sys.stderr)
    if interrupted:
        raise typer.Exit(130)
    if run.climb is not None and run.climb.broken:
        raise typer.Exit(1)


# What it came to.


def _show(run: ClimbRun, climb: Climb, format: ClimbFormat, *, in_haste: bool, seed_given: bool) -> None:
    """All that was found; `in_haste` nothing is looked for any more."""
    from arena.match.schedule import repeated_games
    from arena.student.climb import GIVES_UP
    from arena.student.lost_games import reasons, turning_point

    lost = run.lost(climb)
    if format is ClimbFormat.JSON:
        show_json(_document(run, climb, lost=lost, learned=None if in_haste else turning_point(lost)))
        return
    print()
    if climb.done or not climb.broken:
        print(wrapped(_sentence(run.name, climb)))
    if climb.gave_up:
        rest = ", ".join(printable(step.opponent) for step in climb.steps if not step.begun)
        print(wrapped(f"stopped after {GIVES_UP} opponents in a row that it did not beat; not tried: {rest}"))
    if lost:
        verdicts = ", ".join(f"{count} {_REASONS.get(verdict, verdict)}" for verdict, count in reasons(lost).items())
        print(wrapped(f"lost {len(lost)} of {len(climb.played)} games: {verdicts}"))
    if repeated := repeated_games(finished for _, finished in climb.played):
        print(wrapped(f"{repeated} of {len(climb.played)} games repeat another move for move"))
    if climb.broken:
        print(wrapped(f"it failed in {climb.faults} games in a row, so no more were played; what is wrong is told by"))
        print(f"    {_check(run)}")
    if not in_haste and (learned := turning_point(lost)) is not None:
        print("\nlook at this first")
        print(wrapped(_in_words(run, learned), begin="    ", more="      "))
        for command in _commands(run, learned):
            print(f"    {command}")
    if not seed_given:
        print(f"\nthe same again: --seed {run.seed}")


def _sentence(name: str, climb: Climb) -> str:
    """Better than whom, and than whom not yet."""
    from arena.student.climb import StepVerdict

    parts = []
    for words, shown in (
        ("better than ", StepVerdict.BETTER),
        ("not yet better than ", StepVerdict.NOT_BETTER),
        ("not clear against ", StepVerdict.OPEN),
    ):
        steps = [step for step in climb.steps if step.verdict is shown and step.games]
        if steps:
            names = [f"{printable(step.opponent)} ({percent(step.likelihood)})" for step in steps]
            parts.append(words + ", ".join(names))
    return f"{printable(name)}: " + ("; ".join(parts) or "no round was whole, so there is nothing to compare")


def _in_words(run: ClimbRun, learned: TurningPoint) -> str:
    """What to look at first, in words."""
    game, mistake = learned.game, learned.mistake
    words = f"game {game.id} against {game.opponent}: "
    if game.at_fault:
        how = verdict(game.record).partition(";")[0]
        detail = without_store(game.record.detail).removeprefix(run.name).lstrip(":, ")
        return printable(f"{words}{how}" + (f": {detail}" if detail else ""))
    if mistake is None:
        return printable(f"{words}no single mistake stands out; look at all of it")
    return printable(
        f"{words}at ply {mistake.ply} {run.name} played {mistake.move}{mistake.mark}, better was {mistake.better[0]}"
    )


def _commands(run: ClimbRun, learned: TurningPoint) -> list[str]:
    """What to look at it with."""
    id, plies = learned.game.id, len(learned.game.record.moves)
    there = f" --ply {min(learned.ply, plies)}" if learned.ply and plies else ""
    commands = [f"arena replay {id}{there}", f"arena {'logs' if learned.game.at_fault else 'analyse'} {id}"]
    if learned.ply and not run.is_program:
        commands.append(f"arena debug {id} --ply {learned.ply}")
    return commands


def _check(run: ClimbRun) -> str:
    return shlex.join(["arena", "check", run.agent, "--game", run.game])


def _document(run: ClimbRun, climb: Climb, lost: list[LostGame], learned: TurningPoint | None) -> dict[str, Any]:
    from arena.student.lost_games import reasons

    steps = [
        {
            "opponent": step.opponent,
            "games": step.games,
            "wins": step.results["won"],
            "draws": step.results["drawn"],
            "losses": step.results["lost"],
            "rounds": step.counts,
            "own": step.own,
            "likelihood": step.likelihood if step.games else None,
            "verdict": step.verdict.value,
        }
        for step in climb.steps
        if step.begun
    ]
    return {
        "agent": run.name,
        "game": run.game,
        "clock": run.clock,
        "seed": run.seed,
        "steps": steps,
        "games": len(climb.played),
        "lost": reasons(lost),
        "broken": climb.broken,
        "look": None
        if learned is None
        else {
            "game": learned.game.id,
            "ply": learned.ply or None,
            "told": _in_words(run, learned),
            "commands": _commands(run, learned),
        },
    }
