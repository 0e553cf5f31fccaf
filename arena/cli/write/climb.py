"""`arena climb`: plays an agent against stronger and stronger opponents, and shows the game to look at first."""

from __future__ import annotations

import shlex
import sys
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.asking import recorded_game
from arena.cli.asking.game_options import CLOCK_HELP, NO_CLOCK, SLOW, SeedOption, WallsOption
from arena.cli.asking.record_options import DatabaseOption
from arena.cli.terminal import bars, notes
from arena.cli.terminal.listings import show_json
from arena.cli.terminal.notes import line_width, shortened, wrapped
from arena.errors import BadPlayer
from arena.history.words import printable, verdict, without_store
from arena.match.clock import TimeControl
from arena.players.player import read_player
from arena.student.climb import GIVES_UP, MOST, StepVerdict

if TYPE_CHECKING:
    from arena.players.entrants import Confinement
    from arena.student.analysis import LostGame, TurningPoint
    from arena.student.climb import Climb, LadderStep
    from arena.student.climb_run import ClimbRun

_DEFAULT_CLOCK: Final = "5+0.05"
_REASONS: Final = {
    "normal": "without a fault",
    "resigned": "by resigning",
    "time": "on time",
    "illegal": "by an illegal move",
    "crashed": "by a crash",
    "garbage": "by breaking the protocol",
    "flooded": "by sending too much",
    "memory": "out of memory",
    "unready": "for not being ready in time",
}
"""Reasons for lost games, by verdict."""


class ClimbFormat(StrEnum):
    """The values of --format."""

    TABLE = "table"
    JSON = "json"


def climb(
    agent: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Your agent: a file, a folder, cmd:PROGRAM, or a recorded version (alice@2)."
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(
            "--game",
            metavar="GAME",
            help="Game, with options if needed: connect4, connect4:rows=5.",
            show_default='the one that FILE names: game = "GAME" in its class, or a comment',
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Opponent to play instead of the ladder: a built-in, a file, alice@2; can be repeated.",
        ),
    ] = None,
    clock: Annotated[str, typer.Option(metavar="CLOCK", help=CLOCK_HELP)] = _DEFAULT_CLOCK,
    most: Annotated[
        int | None,
        typer.Option(
            "--games",
            metavar="N",
            min=2,
            max=10_000,
            help="Largest number of games against each opponent.",
            show_default=f"{MOST}, or more if a game needs it",
        ),
    ] = None,
    seed: SeedOption = None,
    walls: WallsOption = None,
    db: DatabaseOption = None,
    format: Annotated[ClimbFormat, typer.Option("--format", help="Output format.")] = ClimbFormat.TABLE,
) -> None:
    """Measure how strong an agent is: it plays a ladder of stronger and stronger opponents.

    Each opponent is played until it is statistically clear who is better. The ladder ends after two opponents in a row
    that your agent did not beat; the last step is its own previous version, if one is recorded. Games are played in
    pairs: the same opening, seats swapped. All games are recorded, and the most useful one to look at is named.

    Example: arena climb my_agent.py --game connect4

    Example: arena climb my_agent.py --game connect4 --against my_agent@1
    """
    from arena.match import seeds
    from arena.student.climb_run import ClimbRun

    screen = ClimbScreen(quiet=format is ClimbFormat.JSON)
    run = ClimbRun(
        agent=agent,
        game=_game_of(agent) if game is None else game,
        against=tuple(against or ()),
        clock=str(TimeControl.parse(clock)),
        most=most,
        seed=seeds.short_seed() if seed is None else seed,
        walls=walls,
    )

    def introduce(climb: Climb, confinement: Confinement) -> None:
        for warning in confinement.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        confined = confinement.described(run.name) if run.name in confinement.kinds else ""
        screen.introduce(climb, name=run.name, game=run.game, clock=run.clock, confined=confined, most=run.most or MOST)

    interrupted = False
    try:
        for seconds in run.play(db, introduce):
            if run.climb is not None:
                screen.show(run.climb, seconds)
    except KeyboardInterrupt:
        interrupted = True
    screen.clear()
    if interrupted:
        print("interrupted", file=sys.stderr)
    if run.climb is not None:
        try:
            look = _show(run, run.climb, format, was_interrupted=interrupted, seed_given=seed is not None)
            if look is not None and look.game.record.moves and not look.game.at_fault:
                recorded_game.keep(look.game.id, look.plies, total=len(look.game.record.moves), db=db)
        except KeyboardInterrupt:
            interrupted = True
            print("interrupted", file=sys.stderr)
    if interrupted:
        raise typer.Exit(130)
    if run.climb is not None and run.climb.broken:
        raise typer.Exit(1)


def _game_of(agent: str) -> str:
    """The game that the agent's own file names. BadPlayer if it names none, or if there is no such file."""
    from arena.student.checking.agent_lookup import ADD_GAME, named_game

    try:
        player = read_player(agent)
    except BadPlayer as error:
        if "@" in agent:  # a recorded version
            raise BadPlayer(f"{agent} does not name its game: {ADD_GAME}") from None
        raise BadPlayer(f"{error}; for a recorded agent {ADD_GAME}" if agent.isidentifier() else str(error)) from None
    return named_game(player)


# Results.


def _show(
    run: ClimbRun, climb: Climb, format: ClimbFormat, *, was_interrupted: bool, seed_given: bool
) -> TurningPoint | None:
    """Print the results, and return what to look at first; `was_interrupted`: without the search for it."""
    from arena.match.schedule import repeated_games
    from arena.student.analysis import reasons, turning_point

    lost = run.lost(climb)
    if format is ClimbFormat.JSON:
        learned = None if was_interrupted else turning_point(lost)
        show_json(_document(run, climb, lost=lost, learned=learned))
        return learned
    print()
    if climb.done or not climb.broken:
        print(wrapped(_sentence(run.name, climb)))
    if climb.gave_up:
        rest = ", ".join(printable(step.opponent) for step in climb.steps if not step.started)
        print(wrapped(f"stopped after {GIVES_UP} opponents in a row that it did not beat; not played: {rest}"))
    if lost:
        verdicts = ", ".join(f"{count} {_REASONS.get(verdict, verdict)}" for verdict, count in reasons(lost).items())
        print(wrapped(f"lost {len(lost)} of {len(climb.played)} games: {verdicts}"))
    if climb.repeats and (repeated := repeated_games(finished for _, finished in climb.played)):
        print(wrapped(f"{repeated} of {len(climb.played)} games repeat another game move for move"))
    if climb.broken:
        print(wrapped(f"stopped after faults in {climb.faults} games in a row; to see what is wrong:"))
        print(f"    {shlex.join(['arena', 'check', run.agent, '--game', run.game])}")
    if (learned := None if was_interrupted else turning_point(lost)) is not None:
        print("\nlook at this game first:")
        print(wrapped(_in_words(run, learned), begin="    ", more="      "))
        for command in _commands(run, learned):
            print(f"    {command}")
    if not seed_given:
        print(f"\nto repeat with the same random numbers: --seed {run.seed}")
    return learned


def _sentence(name: str, climb: Climb) -> str:
    """The sentence that lists the opponents by how the agent stands against them."""
    parts = []
    for stands, link in (("clearly better", "than"), ("no clear lead", "over"), ("clearly weaker", "than")):
        steps = [step for step in climb.steps if step.games and standing(step) == stands]
        if steps:
            names = [f"{printable(step.opponent)} ({percent(step.likelihood)})" for step in steps]
            parts.append(f"{stands} {link} " + ", ".join(names))
    return f"{printable(name)}: " + ("; ".join(parts) or "no pair of games was finished, so there is no result")


def _in_words(run: ClimbRun, learned: TurningPoint) -> str:
    """The sentence that says what to look at first."""
    game, mistake = learned.game, learned.mistake
    words = f"game {game.id} against {game.opponent}: "
    if game.at_fault:
        how = verdict(game.record).partition(";")[0]
        detail = without_store(game.record.detail).removeprefix(run.name).lstrip(":, ")
        return printable(f"{words}{how}" + (f": {detail}" if detail else ""))
    if mistake is None:
        return printable(f"{words}no single mistake found; look at the whole game")
    return printable(
        f"{words}at ply {mistake.ply} {run.name} played {mistake.move}{mistake.mark}, better was {mistake.better[0]}"
    )


def _commands(run: ClimbRun, learned: TurningPoint) -> list[str]:
    """The commands that show the game to look at."""
    id, plies = learned.game.id, len(learned.game.record.moves)
    there = f" --ply {min(learned.ply, plies)}" if learned.ply and plies else ""
    commands = [f"arena replay {id}{there}", f"arena replay {id} {'--logs' if learned.game.at_fault else '--mistakes'}"]
    if learned.ply and not run.is_program:
        commands.append(f"arena replay {id} --debug --turn {learned.ply}")
    return commands


def _document(run: ClimbRun, climb: Climb, lost: list[LostGame], learned: TurningPoint | None) -> dict[str, Any]:
    from arena.student.analysis import reasons

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
        if step.started
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


# A climb on the screen: each decided step as a line, the current step on the progress line.


_BESIDE_NAMES: Final = 54
"""Width of a step's line without the opponent's name."""
_WEAKER: Final = 0.05
"""Largest likelihood of being the better player at which an agent is clearly weaker."""


class ClimbScreen:
    """Prints a climb while it is played; nothing if `quiet`."""

    def __init__(self, *, quiet: bool) -> None:
        # The largest number of games for each step.
        self._most = 0
        self._quiet = quiet
        # Number of decided steps printed so far.
        self._shown = 0
        # Whether it was said why a game can take long.
        self._explained = False
        # When the current step began, in seconds after the start.
        self._begun = 0.0

    def introduce(self, climb: Climb, *, name: str, game: str, clock: str, confined: str, most: int) -> None:
        """Print how the agent `name` is `confined` (once a day), and the plan: at most `most` games for each step."""
        self._most = most
        if self._quiet:
            return
        for paragraph in notes.notes_due({name: confined} if confined else {}, datetime.now(UTC).astimezone().date()):
            print(wrapped(printable(paragraph)))
        count = len(climb.steps)
        steps = f"{count} step{'s' * (count != 1)}, up to {self._most} games each"
        if (last := climb.steps[-1]).own:
            steps += f"; the last one is {printable(last.opponent)}, its previous version"
        print(wrapped(f"{printable(game)}   clock {clock}   {steps}"))
        print(wrapped(f"in brackets: the probability that {printable(name)} is the better player") + "\n")

    def show(self, climb: Climb, seconds: float) -> None:
        """Print newly decided steps, and the current step with its longest duration, `seconds` after the start."""
        if self._quiet:
            return
        self.clear()
        if not self._explained and climb.played:
            last = climb.played[-1][1]
            if last.game.conditions.clock == "none" and any((seat.longest or 0) > SLOW for seat in last.record.seats):
                self._explained = True
                print(wrapped(NO_CLOCK), flush=True)
        while self._shown < len(climb.done):
            self._begun = seconds
            self._shown += 1
            step = climb.done[self._shown - 1]
            print(_line(self._shown, step), flush=True)
            if why := by_pairs(step):
                print(wrapped(why, begin="    ", more="    "), flush=True)
            if step.exhausted:
                print("    stopped: the same games are repeated move for move", flush=True)
        if (current := climb.current) is not None:
            played = sum(step is current for step, _ in climb.played)
            left = ""
            if 0 < played < self._most:
                left = f" up to {_duration((seconds - self._begun) / played * (self._most - played))}"
            notes.show_progress(_line(self._shown + 1, current) + left)

    def clear(self) -> None:
        if not self._quiet:
            notes.erase_progress()


def _line(number: int, step: LadderStep) -> str:
    from rich.cells import cell_len

    room = max(8, min(22, line_width() - _BESIDE_NAMES))
    name = shortened(printable(step.opponent), room)
    name += " " * (room - cell_len(name))
    results = step.results
    line = f"{number:2}  {name}  won {results['won']:<3} drawn {results['drawn']:<3} lost {results['lost']:<3}"
    if bars.has_room():
        line += f" {bars.results(results['won'], results['drawn'], results['lost']):<{bars.WIDTH}} "
    if not step.over:
        return f"{line} ..."
    return f"{line} {standing(step)} ({percent(step.likelihood)})"


def standing(step: LadderStep) -> str:
    """How the agent stands against the opponent, in words."""
    if step.verdict is StepVerdict.BETTER:
        return "clearly better"
    return "clearly weaker" if step.likelihood <= _WEAKER else "no clear lead"


def by_pairs(step: LadderStep) -> str:
    """Why the probability does not look like the results of the games: it counts pairs. Empty if it does."""
    lead = step.results["won"] - step.results["lost"]
    ahead, level, behind = step.decided
    if len(step.others) != 1 or lead * (ahead - behind) > 0 or lead == ahead - behind:
        return ""
    pairs = f"of {ahead + level + behind} pairs (same opening, seats swapped)"
    return f"{pairs} it won {ahead}, lost {behind} and drew {level}: {percent(step.likelihood)} follows from these"


def percent(share: float) -> str:
    """A probability in percent, at least 1 and at most 99."""
    return f"{min(max(round(100 * share), 1), 99)} %"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
