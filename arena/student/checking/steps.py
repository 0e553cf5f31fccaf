"""One check from the first step to the last: which games it asks for, and what each step reports.

A check is a generator: it asks for games, is sent how they went, and goes on by what it reads in them. It starts no
process and reads no clock of its own, so a test can send it any games.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, Final

from adsearch import State
from agents.protocol import Verdict
from arena.match.clock import MILLISECOND, SECOND
from arena.match.schedule import Entrant, Planned
from arena.student.checking import NUMBERED_STEPS, CheckStep, Light, StepName, explanations, planned_games, played_games
from arena.student.checking.explanations import Explanation, Failure
from arena.student.checking.planned_games import CheckPosition, GamePlanner
from arena.student.checking.played_games import COSTLY, CheckGame, Pace

_MOST_FAILURES: Final = 3
"""After so many failures no more positions are tried."""
_THINKS: Final = 20 * MILLISECOND
"""An agent whose moves never take longer than this does not look at the clock."""


@dataclass(frozen=True, slots=True)
class GameBatch:
    """Games that a check asks for."""

    games: Iterable[Planned]
    seconds: float = float("inf")
    """After so long no more of them are begun."""
    enough: Callable[[CheckGame], bool] = field(default=lambda _: False)
    """Called with each that is over: whether no more are to be begun."""


GameRequests = Generator[GameBatch, list[CheckGame], None]
"""Asks for games, is sent how they went, and ends by itself."""


class Check:
    """One check of one agent that was found."""

    def __init__(self, planner: GamePlanner, *, now: Callable[[], float], report: Callable[[CheckStep], None]) -> None:
        self._planner = planner
        self._players = planner.players
        self._conditions = planner.conditions
        self._now = now
        self._report = report
        self._reported: set[StepName] = set()
        # When the last step was reported.
        self._since = now()
        # Whether the agent takes its time.
        self._thinks = True
        # All games that count for what it printed and used.
        self._games: list[CheckGame] = []
        # A game that failed in a process that had played before, and not in a fresh one.
        self._leftover: CheckGame | None = None

    def games(self) -> GameRequests:
        """The whole check."""
        only = self._conditions.only
        positions = planned_games.draw_positions(self._planner.start, self._conditions.seed)
        if only is not None:
            positions = (position for position in positions if position.number == only)
        (first,) = self._moves(self._players.kept, islice(positions, 1))
        (begun,) = yield GameBatch([replace(first, watched=True)])
        if not begun.was_asked:
            yield from self._explain_start(begun)
        else:
            self._report_start(begun)
            rest = islice(positions, 0 if only is not None else self._conditions.positions - 1)
            goes_on = yield from self._try_positions(begun, rest)
            if only is None and goes_on:
                yield from self._try_whole_games()
        self._skip_the_rest()

    # The start.

    def _report_start(self, begun: CheckGame) -> None:
        seconds = begun.ready_after or 0.0
        message = f"{self._players.behind}, ready within {seconds:.1f} s"
        self._add(StepName.STARTS, Light.GOOD, message, seconds=seconds)
        allowed = f"{self._conditions.limits.ready / SECOND:.0f} s are allowed"
        self._add(
            StepName.READY, Light.GOOD, allowed if self._players.python else "as the protocol wants it", seconds=0.0
        )

    def _explain_start(self, begun: CheckGame) -> GameRequests:
        """The agent was never ready: why."""
        if begun.undecided:
            self._add_undecided(StepName.STARTS, begun)
            return
        why = yield from self._explain(begun)
        name = StepName.FOUND if why.loading else StepName.STARTS
        if not why.loading and (
            why.method == "begin" or (not self._players.python and begun.record.verdict == Verdict.UNREADY)
        ):
            self._add(StepName.STARTS, Light.GOOD, self._players.behind)
            name = StepName.READY
        self._add_failure(name, why, again=self._command())

    # Positions.

    def _moves(self, entrant: Entrant, positions: Iterable[CheckPosition]) -> Iterator[Planned]:
        """A game of one move in each of these positions."""
        for position in positions:
            yield self._planner.one_move(position, entrant, thinks=self._thinks)

    def _position(self, game: CheckGame) -> CheckPosition:
        """Where the agent was asked for one move."""
        return self._planner.positions[game.planned.number]

    def _try_positions(
        self, begun: CheckGame, more: Iterator[CheckPosition]
    ) -> Generator[GameBatch, list[CheckGame], bool]:
        """A move in each of many positions; whether the agent can go on to whole games."""
        failures = [begun] if begun.failed else []
        self._thinks = begun.own.longest > _THINKS

        def enough(game: CheckGame) -> bool:
            self._thinks = self._thinks or game.own.longest > _THINKS
            if game.failed:
                failures.append(game)
            return game.failed and (game.verdict in COSTLY or len(failures) >= _MOST_FAILURES)

        played = [begun]
        before = self._now()
        if not (begun.failed and begun.verdict in COSTLY):
            played += yield GameBatch(self._moves(self._players.kept, more), self._conditions.seconds, enough)
        if failures and failures[0] is not begun:
            (again,) = yield GameBatch(self._moves(self._players.fresh, [self._position(failures[0])]))
            if not again.failed and not again.undecided:
                # What was left of the games before was to blame: in a tournament each game has a fresh process.
                self._leftover = failures[0]
                waiting = [*map(self._position, failures[1:])]
                played = [game for game in played if not game.failed] + [again]
                failures.clear()
                rest = max(1.0, self._conditions.seconds - (self._now() - before))
                games = self._moves(self._players.fresh, chain(waiting, more))
                played += yield GameBatch(games, rest, enough)
        self._games += played
        return (yield from self._report_positions(played))

    def _report_positions(self, played: list[CheckGame]) -> Generator[GameBatch, list[CheckGame], bool]:
        failures = sorted((game for game in played if game.failed), key=lambda game: game.planned.number)
        tried = [self._position(game) for game in played if not game.undecided]
        count = f"{len(tried)} position{'s' * (len(tried) != 1)}"
        if failures:
            yield from self._report_failures(failures, len(tried), count)
            return not failures[0].late and len(failures) < len(tried)
        if not tried:
            self._add_undecided(StepName.LEGAL, played[0])
            return False
        short = len(played) < self._conditions.positions and self._conditions.only is None
        mean = played_games.mean_time(played)
        slow = f"; no more, for a move took {mean:.2f} s" if short and mean > 0.05 else ""
        seats = len({position.seat for position in tried})
        as_each = f", as {'both seats' if seats == 2 else f'{seats} seats'}" if seats > 1 else ""
        self._add(StepName.LEGAL, Light.GOOD, f"{count}{as_each}: {planned_games.count_stages(tried)}{slow}")
        return True

    def _report_failures(self, failures: Sequence[CheckGame], tried: int, count: str) -> GameRequests:
        """The first of the failures, of so many positions that were tried."""
        first = failures[0]
        why = yield from self._explain(first)
        if others := len(failures) - 1:
            why = replace(why, message=f"{why.message} (and in {others} of {tried - 1} other positions)")
        if first.late:
            good = tried - len(failures)
            message = f"in {good} of {count}; no more were tried" if good else "no move has come"
            self._add(StepName.LEGAL, Light.GOOD if good else Light.SKIPPED, message)
            if self._conditions.only is None:
                self._add(StepName.WHOLE, Light.SKIPPED)
        position = self._position(first)
        self._add_failure(
            StepName.CLOCK if first.late else StepName.LEGAL,
            why,
            board=self._board(position.state, position.seat, position.opening, position),
            again=self._conditions.command_for(self._players.text, position.number),
        )

    # Whole games.

    def _try_whole_games(self) -> GameRequests:
        """Games from beginning to end, as each seat, in one process; then one in another."""
        longest = self._planner.moves_until_resigning(played_games.mean_time(self._games))
        entrant = self._players.fresh if self._leftover else self._players.kept
        games = [self._planner.whole_game(seat, entrant, longest) for seat in range(self._planner.start.players)]
        played = yield GameBatch(
            games, 2 * self._conditions.seconds, lambda game: game.failed and game.verdict in COSTLY
        )
        again: CheckGame | None = None
        if not any(game.late for game in played):
            # The first game once more, in a fresh process.
            once_more = self._planner.whole_game(played[0].seat, self._players.watched, longest)
            (again,) = yield GameBatch([once_more])
        self._games += played
        yield from self._report_whole_games(played)
        yield from self._report_clock(played)
        for why in explanations.unnoticed(again.own.stderr or "") if again else ():
            self._add_failure(StepName.UNNOTICED, why, light=Light.WARNING, again=self._command())
        self._report_again(played[0], again)
        self._report_seed(played[0], again)
        self._add(StepName.PRINTED, *played_games.output(self._games))
        self._add(StepName.USED, *played_games.resources_used(self._games, self._conditions.allowance))

    def _report_whole_games(self, played: list[CheckGame]) -> GameRequests:
        broken = [game for game in played if game.failed and not game.late]
        message = played_games.results(played)
        if broken:
            yield from self._fail_in_game(StepName.WHOLE, broken[0])
        elif all(game.undecided for game in played):
            self._add_undecided(StepName.WHOLE, played[0])
        elif not message:
            self._add(StepName.WHOLE, Light.SKIPPED, "none came to its end")
        else:
            resigned = any(game.record.verdict == Verdict.RESIGNED and not game.opponent_resigned for game in played)
            if resigned and not any(game.own_moves for game in played):
                advice = "Resign is for lost games: look at when choose raises it"
                self._add(StepName.WHOLE, Light.WARNING, message, advice=advice)
            else:
                self._add(StepName.WHOLE, Light.GOOD, message)

    def _report_clock(self, played: list[CheckGame]) -> GameRequests:
        late = [game for game in played if game.late]
        if late:
            yield from self._fail_in_game(StepName.CLOCK, late[0])
            return
        measured = played_games.time_used(self._games, played, self._conditions.clock)
        if slow := (yield from self._too_slow(played)):
            advice = "look at clock.left in choose: who never takes more than clock.budget for a move is never late"
            self._add(StepName.CLOCK, Light.WARNING, f"{measured.message}; {slow}", advice=advice)
        else:
            self._add(StepName.CLOCK, *measured)

    def _too_slow(self, played: list[CheckGame]) -> Generator[GameBatch, list[CheckGame], Pace | None]:
        """How slow it is, where it would lose a longer game on time; who adapts to the clock is faster when asked."""
        game = max(played, key=lambda game: len(game.own_moves))
        taken = int(played_games.mean_time([game]) * SECOND)
        conditions = self._conditions
        pace = played_games.too_slow(
            taken, conditions.clock, margin=conditions.margin, moves=self._planner.most_moves()
        )
        if pace is None:
            return None
        (asked,) = yield GameBatch([self._planner.in_a_hurry(game, pace)])
        return pace if asked.record.verdict == Verdict.TIME and asked.failed else None

    def _report_again(self, first: CheckGame, again: CheckGame | None) -> None:
        """Whether the `first` game went as well `again`, in a fresh process; and all others in one that was kept."""
        if self._leftover is not None:
            self._add(
                StepName.AGAIN,
                Light.FAILED if self._conditions.reuse else Light.WARNING,
                "it fails in a process that has played before, and not in a fresh one",
                advice="forget all of the last game in begin: variables outside of the object stay as they were",
                stderr=self._leftover.record.detail,
                again=self._command(),
            )
        elif again is None or again.undecided:
            self._add(StepName.AGAIN, Light.SKIPPED)
        elif again.late and not first.failed:
            # It says nothing of what was there before: the clock, or how busy the machine was, differed.
            self._add(StepName.AGAIN, Light.SKIPPED, f"the same game again took longer: {again.detail}")
        elif again.failed and not first.failed:
            self._add(
                StepName.AGAIN,
                Light.FAILED,
                f"the same game again, in a fresh process, it lost: {again.detail}",
                advice="what it does must not depend on what was there before",
                again=self._play_command(again),
            )
        else:
            message = f"{len(self._games)} games in a row in one process, and one after a restart"
            self._add(StepName.AGAIN, Light.GOOD, message)

    def _report_seed(self, first: CheckGame, again: CheckGame | None) -> None:
        """Whether it made the same moves in both games, which had the same seed."""
        if again is None or any(game.failed or game.undecided for game in (first, again)):
            self._add(StepName.SEED, Light.SKIPPED)
        elif (differs := played_games.first_difference(first, again)) is None:
            self._add(StepName.SEED, Light.GOOD, f"{len(again.own_moves)} moves, twice the same")
        else:
            place, one, other = differs
            self._add(
                StepName.SEED,
                Light.WARNING,
                f"at move {place} it played {one}, and in the same position again {other}",
                advice="draw from self.random, which is seeded for each game; who thinks until time is up may differ",
                again=self._play_command(first),
            )

    # Why it failed.

    def _explain(self, game: CheckGame) -> Generator[GameBatch, list[CheckGame], Explanation]:
        """Why it failed; one that did not take too long is watched in the same position, to see what it changes."""
        watched_log = ""
        if self._players.python and game.was_asked and game.verdict not in COSTLY:
            (watched,) = yield GameBatch([self._planner.watched(game)])
            watched_log = watched.own.stderr or ""
        return explanations.explain(
            Failure(
                verdict=game.verdict,
                detail=game.detail,
                stderr=game.own.stderr or "",
                python=self._players.python,
                waits_charged=self._players.waits_charged,
                asked=game.was_asked,
                watched_log=watched_log,
                source_line=self._players.source_line,
            )
        )

    def _fail_in_game(self, name: StepName, game: CheckGame) -> GameRequests:
        """The step fails, for the agent failed in that whole game."""
        why = yield from self._explain(game)
        state = self._planner.start
        for move in game.record.moves:
            state = state.play(state.from_text(move.move))
        self._add_failure(
            name,
            replace(why, message=f"as seat {game.seat}, at move {len(game.own_moves) + 1}: {why.message}"),
            board=self._board(state, game.seat, game.decisions),
            again=self._play_command(game),
        )

    # Reporting.

    def _add(
        self,
        name: StepName,
        light: Light,
        message: str = "",
        advice: str = "",
        stderr: str = "",
        *,
        seconds: float | None = None,
        expected: str = "",
        got: str = "",
        board: str = "",
        again: str = "",
    ) -> None:
        """Reports a step; without `seconds` it took as long as the last one is ago."""
        now = self._now()
        step = CheckStep(
            name=name,
            light=light,
            seconds=round(now - self._since, 3) if seconds is None else seconds,
            message=message,
            advice=advice,
            expected=expected,
            got=got,
            board=board,
            stderr=stderr,
            again=again,
        )
        self._since = now
        self._reported.add(name)
        self._report(step)

    def _add_failure(
        self, name: StepName, why: Explanation, *, light: Light = Light.FAILED, board: str = "", again: str = ""
    ) -> None:
        self._add(
            name,
            light,
            why.message,
            advice=why.advice,
            stderr=why.stderr,
            expected=why.expected,
            got=why.got,
            board=board,
            again=again,
        )

    def _add_undecided(self, name: StepName, game: CheckGame) -> None:
        self._add(
            name,
            Light.WARNING,
            f"nobody can say: {game.detail}",
            advice="this machine is too busy, or something on it fails: try again, and see `arena doctor`",
        )

    def _skip_the_rest(self) -> None:
        """What was not tried is reported as such."""
        for name in (StepName.LEGAL,) if self._conditions.only is not None else NUMBERED_STEPS:
            if name not in self._reported and name is not StepName.FOUND:
                self._add(name, Light.SKIPPED, seconds=0.0)

    def _command(self) -> str:
        return self._conditions.command(self._players.text)

    def _play_command(self, game: CheckGame) -> str:
        """The command that plays the same game again and shows it."""
        conditions = self._conditions
        if conditions.description:
            return self._command()
        players = [self._players.text if entrant.guarded else "random" for entrant in game.planned.entrants]
        words = ["arena", "play", conditions.game, *players, "--clock", conditions.clock]
        return shlex.join([*words, "--seed", str(conditions.seed)])

    def _board(self, state: State[Any], seat: int, moves: Sequence[str], position: CheckPosition | None = None) -> str:
        return planned_games.draw_board(self._planner.rules, state, seat, moves, position)
