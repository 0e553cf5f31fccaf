"""A climb on the screen: each decided step as a line, the current step on the progress line."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from arena.cli.asking.playing_options import NO_CLOCK, SLOW
from arena.cli.terminal import bars, progress_line, walls_notice
from arena.cli.terminal.wrapping import line_width, shortened, wrapped
from arena.history.words import printable

if TYPE_CHECKING:
    from arena.student.climb import Climb, LadderStep

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
        for paragraph in walls_notice.due({name: confined} if confined else {}, datetime.now(UTC).astimezone().date()):
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
            progress_line.show(_line(self._shown + 1, current) + left)

    def clear(self) -> None:
        """Erase the progress line."""
        if not self._quiet:
            progress_line.erase()


def _line(number: int, step: LadderStep) -> str:
    """The line of a step."""
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
    from arena.student.climb import StepVerdict

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
