"""The course of a check: which games an agent is asked to play, and what is read from them, step by step.

A course is a generator: it asks for games, is given their records, and goes on by what it reads. It starts nothing and
reads no clock of its own, so it can be told any story.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any, Final

from adsearch import State
from agents.protocol import Verdict
from arena.match.clock import MILLISECOND, SECOND
from arena.match.schedule import Entrant, Planned
from arena.student.checking import (
    AGAIN,
    CLOCK,
    FOUND,
    LEGAL,
    NAMES,
    PRINTED,
    READY,
    SEED,
    STARTS,
    UNNOTICED,
    USED,
    WHOLE,
    Light,
    Step,
    causes,
    pace,
    positions,
    reading,
)
from arena.student.checking.causes import Cause, Fault
from arena.student.checking.check_games import Batch, Cast, Course, Played
from arena.student.checking.conditions import Conditions
from arena.student.checking.pace import Pace
from arena.student.checking.plans import COSTLY, Plans
from arena.student.checking.positions import Position

_MOST_FAULTS: Final = 3
"""After so many faults no more positions are tried."""
_THINKS: Final = 20 * MILLISECOND
"""Whoever never takes longer for a move does not do so by the clock."""


def run(
    cast: Cast,
    start: State[Any],
    rules: str,
    conditions: Conditions,
    *,
    numbers: Iterator[int],
    now: Callable[[], float],
    report: Callable[[Step], None],
) -> Course:
    """The course of one agent that was found, in the game that begins at `start`; steps are reported as they come."""
    yield from _Course(cast, start, rules, conditions, numbers, now, report).steps()


class _Course:
    def __init__(
        self,
        cast: Cast,
        start: State[Any],
        rules: str,
        conditions: Conditions,
        numbers: Iterator[int],
        now: Callable[[], float],
        report: Callable[[Step], None],
    ) -> None:
        self._cast, self._start, self._rules, self._conditions = cast, start, rules, conditions
        self._plans = Plans(cast, start, rules, conditions, numbers)
        self._now, self._report = now, report
        self._steps: list[Step] = []
        self._since = now()
        # Whether the agent takes its time.
        self._thinks = True
        # All that count for what it printed and used.
        self._games: list[Played] = []

    def steps(self) -> Course:
        """The whole course."""
        only = self._conditions.only
        drawn = positions.drawn(self._start, self._conditions.seed)
        if only is not None:
            drawn = (position for position in drawn if position.number == only)
        first = next(drawn)
        (begun,) = yield Batch([replace(self._plans.asked(first, self._cast.kept, thinks=self._thinks), watched=True)])
        if not begun.asked:
            yield from self._not_begun(begun)
            self._skip_the_rest()
            return
        self._tell_begun(begun)
        wanted = 1 if only is not None else self._conditions.positions
        goes_on = yield from self._positions(first, begun, islice(drawn, max(0, wanted - 1)))
        if only is not None or not goes_on:
            self._skip_the_rest()
            return
        yield from self._whole_games()

    # The beginning.

    def _tell_begun(self, begun: Played) -> None:
        starting = begun.ready_after or 0.0
        told = f"{self._cast.behind}, ready within {starting:.1f} s"
        self._tell(Step(name=STARTS, light=Light.GOOD, seconds=starting, told=told))
        allowed = self._conditions.limits.ready / SECOND
        told = f"{allowed:.0f} s are allowed" if self._cast.python else "as the protocol wants it"
        self._tell(Step(name=READY, light=Light.GOOD, seconds=0.0, told=told))

    def _not_begun(self, begun: Played) -> Generator[Batch, list[Played], None]:
        """The agent was never ready: why."""
        if begun.undecided:
            self._tell(self._undecided(STARTS, begun))
            return
        cause = yield from self._cause(begun)
        if cause.loading:
            self._fail(FOUND, cause, again=self._command())
            return
        if cause.place == "begin" or (not self._cast.python and begun.record.verdict == Verdict.UNREADY):
            self._tell(self._good(STARTS, self._cast.behind))
            self._fail(READY, cause, again=self._command())
        else:
            self._fail(STARTS, cause, again=self._command())

    # Positions.

    def _positions(
        self, first: Position, begun: Played, more: Iterator[Position]
    ) -> Generator[Batch, list[Played], bool]:
        """A move in each of many positions; whether the agent can go on to whole games."""
        by_number: dict[int, Position] = {begun.planned.number: first}
        faults = [begun] if begun.failed else []

        def games(entrant: Entrant, wanted: Iterator[Position]) -> Iterator[Planned]:
            for position in wanted:
                game = self._plans.asked(position, entrant, thinks=self._thinks)
                by_number[game.number] = position
                yield game

        self._thinks = begun.own.longest > _THINKS

        def enough(played: Played) -> bool:
            self._thinks = self._thinks or played.own.longest > _THINKS
            if played.failed:
                faults.append(played)
            return played.failed and (played.verdict in COSTLY or len(faults) >= _MOST_FAULTS)

        played = [begun]
        before = self._now()
        if not (begun.failed and begun.verdict in COSTLY):
            played += yield Batch(games(self._cast.kept, more), self._conditions.seconds, enough)
        leftover: Played | None = None
        if faults and faults[0] is not begun:
            position = by_number[faults[0].planned.number]
            (again,) = yield Batch(games(self._cast.fresh, iter((position,))))
            if not again.failed and not again.undecided:
                # What was left of the games before was to blame: in a tournament each game has a fresh process.
                leftover = faults[0]
                waiting = chain([by_number[each.planned.number] for each in faults[1:]], more)
                played = [each for each in played if not each.failed] + [again]
                faults.clear()
                rest = max(1.0, self._conditions.seconds - (self._now() - before))
                played += yield Batch(games(self._cast.fresh, waiting), rest, enough)
        self._games += played
        self._leftover = leftover
        return (yield from self._tell_positions(played, by_number))

    def _tell_positions(
        self, played: list[Played], by_number: dict[int, Position]
    ) -> Generator[Batch, list[Played], bool]:
        faults = sorted((each for each in played if each.failed), key=lambda each: each.planned.number)
        tried = [by_number[each.planned.number] for each in played if not each.undecided]
        count = f"{len(tried)} position{'s' * (len(tried) != 1)}"
        if not faults:
            if not tried:
                self._tell(self._undecided(LEGAL, played[0]))
                return False
            short = len(played) < self._conditions.positions and self._conditions.only is None
            mean = reading.mean_time(played)
            slow = f"; no more, for a move took {mean:.2f} s" if short and mean > 0.05 else ""
            seats = {position.seat for position in tried}
            as_each = f", as {'both seats' if len(seats) == 2 else f'{len(seats)} seats'}" if len(seats) > 1 else ""
            self._tell(self._good(LEGAL, f"{count}{as_each}: {positions.described(tried)}{slow}"))
            return True
        first = faults[0]
        cause = yield from self._cause(first)
        others = len(faults) - 1
        if others:
            cause = replace(cause, told=f"{cause.told} (and in {others} of {len(tried) - 1} other positions)")
        position = by_number[first.planned.number]
        late = first.late
        if late:
            good = len(tried) - len(faults)
            told = f"in {good} of {count}; no more were tried" if good else "no move has come"
            self._tell(self._good(LEGAL, told, light=Light.GOOD if good else Light.SKIPPED))
            if self._conditions.only is None:
                self._tell(self._good(WHOLE, "", light=Light.SKIPPED))
        again = self._conditions.command_for(self._cast.text, position.number)
        self._fail(
            CLOCK if late else LEGAL, cause, board=self._board(position.state, position.seat, position), again=again
        )
        return not late and len(faults) < len(tried)

    # Whole games.

    def _whole_games(self) -> Generator[Batch, list[Played], None]:
        """Games from beginning to end, as each seat, in one process; then one in another."""
        longest = self._plans.most_moves(reading.mean_time(self._games))
        entrant = self._cast.fresh if self._leftover else self._cast.kept
        games = [self._plans.whole(seat, entrant, longest) for seat in range(self._start.players)]
        faults: list[Played] = []

        def enough(game: Played) -> bool:
            if game.failed:
                faults.append(game)
            return game.failed and game.verdict in COSTLY

        played = yield Batch(games, 2 * self._conditions.seconds, enough)
        again: list[Played] = []
        late = [game for game in faults if game.late]
        if not late:
            # The first game once more, in a fresh process.
            again = yield Batch([self._plans.whole(played[0].seat, self._cast.watched, longest)])
        self._games += played
        yield from self._tell_games(played, faults)
        yield from self._tell_clock(played, late)
        self._tell_changes(again)
        self._tell_again(played, again)
        self._tell_seed(played[0], again)
        self._tell(self._measured(PRINTED, *reading.printed(self._games)))
        self._tell(self._measured(USED, *reading.used(self._games, self._conditions.allowance)))

    def _tell_games(self, played: list[Played], faults: list[Played]) -> Generator[Batch, list[Played], None]:
        broken = [game for game in faults if not game.late]
        if broken:
            cause = yield from self._cause(broken[0])
            told = f"as seat {broken[0].seat}, at move {reading.moves_made(broken[0]) + 1}: {cause.told}"
            self._fail(
                WHOLE,
                replace(cause, told=told),
                board=self._board_after(broken[0]),
                again=self._play_command(broken[0]),
            )
        elif all(game.undecided for game in played):
            self._tell(self._undecided(WHOLE, played[0]))
        elif not (told := reading.results(played)):
            self._tell(self._good(WHOLE, "none came to its end", light=Light.SKIPPED))
        else:
            resigned = sum(game.record.verdict == Verdict.RESIGNED and not game.given_up for game in played)
            early = resigned and all(reading.moves_made(game) == 0 for game in played)
            advice = "Resign is for lost games: look at when choose raises it" if early else ""
            light = Light.WARNING if early else Light.GOOD
            self._tell(self._measured(WHOLE, light, told, advice))

    def _tell_clock(self, played: list[Played], late: list[Played]) -> Generator[Batch, list[Played], None]:
        if late:
            cause = yield from self._cause(late[0])
            told = f"as seat {late[0].seat}, at move {reading.moves_made(late[0]) + 1}: {cause.told}"
            board = self._board_after(late[0])
            self._fail(CLOCK, replace(cause, told=told), board=board, again=self._play_command(late[0]))
        else:
            light, told, advice, _ = reading.times(self._games, played, self._conditions.clock)
            if slow := (yield from self._too_slow(played)):
                light, told, advice = Light.WARNING, f"{told}; {slow}", pace.ADVICE
            self._tell(self._measured(CLOCK, light, told, advice))

    def _too_slow(self, played: list[Played]) -> Generator[Batch, list[Played], Pace | None]:
        """How slow it is, where it would lose a longer game on time; who adapts to the clock is faster when asked."""
        game = max(played, key=reading.moves_made)
        taken = int(reading.mean_time([game]) * SECOND)
        slow = pace.too_slow(taken, self._conditions.clock, self._conditions.margin, self._plans.great_length())
        if slow is None:
            return None
        (asked,) = yield Batch([self._plans.hurried(game, slow)])
        return slow if asked.record.verdict == Verdict.TIME and asked.failed else None

    def _tell_changes(self, again: list[Played]) -> None:
        """What only a watched agent shows, and no game may notice."""
        for cause in causes.unnoticed(again[0].own.stderr or "") if again else ():
            self._tell(
                Step(
                    name=UNNOTICED,
                    light=Light.WARNING,
                    seconds=self._took(),
                    told=cause.told,
                    advice=cause.advice,
                    expected=cause.expected,
                    got=cause.got,
                    stderr=cause.stderr,
                    again=self._command(),
                )
            )

    def _tell_again(self, played: list[Played], again: list[Played]) -> None:
        if self._leftover is not None:
            light = Light.FAILED if self._conditions.reuse else Light.WARNING
            self._tell(
                Step(
                    name=AGAIN,
                    light=light,
                    seconds=self._took(),
                    told="it fails in a process that has played before, and not in a fresh one",
                    advice="forget all of the last game in begin: variables outside of the object stay as they were",
                    stderr=self._leftover.record.detail,
                    again=self._command(),
                )
            )
        elif not again or again[0].undecided:
            self._tell(self._good(AGAIN, "", light=Light.SKIPPED))
        elif again[0].failed and not played[0].failed:
            self._tell(
                Step(
                    name=AGAIN,
                    light=Light.FAILED,
                    seconds=self._took(),
                    told=f"the same game again, in a fresh process, it lost: {again[0].detail}",
                    advice="what it does must not depend on what was there before",
                    again=self._play_command(again[0]),
                )
            )
        else:
            count = len(self._games)
            self._tell(self._good(AGAIN, f"{count} games in a row in one process, and one after a restart"))

    def _tell_seed(self, first: Played, again: list[Played]) -> None:
        if not again or again[0].failed or again[0].undecided or first.failed or first.undecided:
            self._tell(self._good(SEED, "", light=Light.SKIPPED))
            return
        differs = reading.first_difference(first, again[0])
        if differs is None:
            self._tell(self._good(SEED, f"{reading.moves_made(again[0])} moves, twice the same"))
            return
        place, one, other = differs
        self._tell(
            Step(
                name=SEED,
                light=Light.WARNING,
                seconds=self._took(),
                told=f"at move {place} it played {one}, and in the same position again {other}",
                advice="draw from self.random, which is seeded for each game; who thinks until time is up may differ",
                again=self._play_command(first),
            )
        )

    # Causes.

    def _cause(self, played: Played) -> Generator[Batch, list[Played], Cause]:
        """Why it failed; an agent that was too slow is watched in the same position, to see where it is busy."""
        sent = ""
        if self._cast.python and (played.asked or played.verdict in COSTLY):
            (watched,) = yield Batch([self._plans.watched(played)])
            sent = watched.own.stderr or ""
        return causes.of(
            Fault(
                verdict=played.verdict,
                detail=played.detail,
                stderr=played.own.stderr or "",
                python=self._cast.python,
                asked=played.asked,
                sent=sent,
                code=self._cast.code,
            )
        )

    # Steps.

    def _tell(self, step: Step) -> None:
        """The step is made."""
        self._since = self._now()
        self._steps.append(step)
        self._report(step)

    def _took(self) -> float:
        return round(self._now() - self._since, 3)

    def _good(self, name: str, told: str, *, light: Light = Light.GOOD) -> Step:
        return Step(name=name, light=light, seconds=self._took(), told=told)

    def _measured(self, name: str, light: Light, told: str, advice: str, stderr: str = "") -> Step:
        return Step(name=name, light=light, seconds=self._took(), told=told, advice=advice, stderr=stderr)

    def _undecided(self, name: str, played: Played) -> Step:
        return Step(
            name=name,
            light=Light.WARNING,
            seconds=self._took(),
            told=f"nobody can say: {played.detail}",
            advice="this machine is too busy, or something on it fails: try again, and see `arena doctor`",
        )

    def _fail(self, name: str, cause: Cause, *, board: str = "", again: str = "") -> None:
        self._tell(
            Step(
                name=name,
                light=Light.FAILED,
                seconds=self._took(),
                told=cause.told,
                advice=cause.advice,
                expected=cause.expected,
                got=cause.got,
                board=board,
                stderr=cause.stderr,
                again=again,
            )
        )

    def _skip_the_rest(self) -> None:
        """What was not tried is told as such."""
        told = {step.name for step in self._steps}
        wanted = (LEGAL,) if self._conditions.only is not None else NAMES
        for name in wanted:
            if name not in told and name != FOUND:
                self._tell(Step(name=name, light=Light.SKIPPED, seconds=0.0))

    # Words.

    def _command(self) -> str:
        return self._conditions.command(self._cast.text)

    def _play_command(self, played: Played) -> str:
        """What plays the same game again for everybody to see."""
        conditions = self._conditions
        if conditions.description:
            return self._command()
        players = [self._cast.text if entrant.guarded else "random" for entrant in played.planned.entrants]
        words = ["arena", "play", conditions.game, *players, "--clock", conditions.clock]
        return shlex.join([*words, "--seed", str(conditions.seed)])

    def _board_after(self, played: Played) -> str:
        """The position in which the game ended."""
        state = self._start
        for move in played.record.moves:
            state = state.play(state.from_text(move.move))
        return self._board(state, played.seat, None, moves=reading.decisions(played))

    def _board(self, state: State[Any], seat: int, position: Position | None, *, moves: Sequence[str] = ()) -> str:
        return reading.board(self._rules, state, seat, position, moves)
