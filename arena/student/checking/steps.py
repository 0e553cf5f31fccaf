"""One check from the first step to the last: which games it requests, and what each step reports.

A check is a generator: it yields the games to play, is sent the played games, and continues from their results. It
starts no process and reads no clock, so a test can send it any games.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Final

from agents.protocol import Verdict
from agents.strict import mistakes_in
from arena.match.clock import MILLISECOND, SECOND
from arena.match.schedule import Entrant, Planned
from arena.student.checking import NUMBERED_STEPS, CheckStep, Light, StepName, explanations, planned_games, played_games
from arena.student.checking.explanations import Explanation, Failure
from arena.student.checking.planned_games import CheckPosition, GamePlanner
from arena.student.checking.played_games import COSTLY, CheckGame, MovePace

_MOST_FAILURES: Final = 3
"""Number of failures after which no more positions are tried."""
_MOST_MISTAKES: Final = 5
"""The largest number of mistakes that did not end a game that are reported."""
_LOSSES: Final = 8
"""Games lost against random moves, all of those played in one seat, that are a warning."""
_USES_CLOCK: Final = 20 * MILLISECOND
"""An agent whose moves never take longer than this does not use its clock."""


@dataclass(frozen=True, slots=True)
class GameBatch:
    """Games that a check requests."""

    games: Iterable[Planned]
    seconds: float = float("inf")
    """Time limit in seconds; after it, no more games start."""
    enough: Callable[[CheckGame], bool] = field(default=lambda _: False)
    """Called with each finished game; True: start no more games."""


GameRequests = Generator[GameBatch, list[CheckGame], None]
"""Yields games to play, and is sent the played games."""


class Check:
    """One check of one agent that was found."""

    def __init__(self, planner: GamePlanner, *, now: Callable[[], float], report: Callable[[CheckStep], None]) -> None:
        self._planner = planner
        self._players = planner.players
        self._exam = planner.exam
        self._now = now
        self._report = report
        self._reported: set[StepName] = set()
        # The time of the last report.
        self._since = now()
        # Whether the agent's moves depend on its clock.
        self._uses_clock = True
        # All games that count for the steps on output and resources.
        self._games: list[CheckGame] = []
        # What the agent's logs show of mistakes that did not end a game, and how each is reported; one of a kind for
        # each line of the agent.
        self._mistakes: dict[tuple[str, str], tuple[Explanation, Light]] = {}
        # The messages of failed steps.
        self._explained: set[str] = set()
        # A game that failed only in a process that had already played a game, not in a fresh process.
        self._failed_after_other_games: CheckGame | None = None

    def games(self) -> GameRequests:
        """The whole check."""
        only = self._exam.only
        positions = planned_games.draw_positions(self._planner.start, self._exam.seed)
        if only is not None:
            positions = (position for position in positions if position.number == only)
        (planned,) = self._moves(self._players.kept, islice(positions, 1))
        (first,) = yield from self._play(GameBatch([replace(planned, watched=True)]))
        if not first.was_asked:
            self._explain_start(first)
        else:
            self._report_start(first)
            rest = islice(positions, 0 if only is not None else self._exam.positions - 1)
            play_whole_games = yield from self._try_positions(first, rest)
            if only is None and play_whole_games:
                yield from self._try_whole_games()
        self._report_mistakes()
        self._skip_the_rest()

    def _play(self, batch: GameBatch) -> Generator[GameBatch, list[CheckGame], list[CheckGame]]:
        """Requests games, and notes what their logs show of mistakes."""
        played = yield batch
        for game in played if self._players.python else ():
            log = game.own.stderr or ""
            for mistake in mistakes_in(log):
                why = explanations.by_mistake(mistake)
                self._mistakes.setdefault((mistake.place, mistake.cure), (why, Light.FAILED))
            if not game.failed and (raised := explanations.of_end(log)):
                self._mistakes.setdefault((raised.message, ""), (raised, Light.WARNING))
        return played

    # The start.

    def _report_start(self, first: CheckGame) -> None:
        seconds = first.ready_after or 0.0
        message = self._players.confined + (f", ready within {seconds:.1f} s" if first.ready_after is not None else "")
        self._add(StepName.STARTS, Light.GOOD, message, seconds=seconds)
        allowed = f"{self._exam.conditions.limits.ready / SECOND:.0f} s are allowed"
        self._add(
            StepName.READY, Light.GOOD, allowed if self._players.python else "as the protocol requires", seconds=0.0
        )

    def _explain_start(self, first: CheckGame) -> None:
        """Reports why the agent was never ready."""
        if first.undecided:
            self._add_undecided(StepName.STARTS, first)
            return
        why = self._explain(first)
        name = StepName.FOUND if why.loading else StepName.STARTS
        if not why.loading and (
            why.method == "begin" or (not self._players.python and first.record.verdict == Verdict.UNREADY)
        ):
            self._add(StepName.STARTS, Light.GOOD, self._players.confined)
            name = StepName.READY
        self._add_failure(name, why, again=self._command())

    # Positions.

    def _moves(self, entrant: Entrant, positions: Iterable[CheckPosition]) -> Iterator[Planned]:
        """A game of one move for each of these positions."""
        for position in positions:
            yield self._planner.one_move(position, entrant, uses_clock=self._uses_clock)

    def _position(self, game: CheckGame) -> CheckPosition:
        """The position in which the agent was asked for a move."""
        return self._planner.positions[game.planned.number]

    def _try_positions(
        self, first: CheckGame, more: Iterator[CheckPosition]
    ) -> Generator[GameBatch, list[CheckGame], bool]:
        """Plays a move in many positions. Returns whether the agent can continue with whole games."""
        failures = [first] if first.failed else []
        self._uses_clock = (first.own.longest or 0) > _USES_CLOCK

        def enough(game: CheckGame) -> bool:
            self._uses_clock = self._uses_clock or (game.own.longest or 0) > _USES_CLOCK
            if game.failed:
                failures.append(game)
            return game.failed and (game.verdict in COSTLY or len(failures) >= _MOST_FAILURES)

        played = [first]
        before = self._now()
        if not (first.failed and first.verdict in COSTLY):
            games = self._moves(self._players.kept, more)
            played += yield from self._play(GameBatch(games, self._exam.seconds, enough))
        if failures and failures[0] is not first:
            games = self._moves(self._players.fresh, [self._position(failures[0])])
            (again,) = yield from self._play(GameBatch(games))
            if not again.failed and not again.undecided:
                # Something left over from earlier games was to blame: in a tournament each game has a fresh process.
                self._failed_after_other_games = failures[0]
                waiting = [*map(self._position, failures[1:])]
                played = [game for game in played if not game.failed] + [again]
                failures.clear()
                rest = max(1.0, self._exam.seconds - (self._now() - before))
                games = self._moves(self._players.fresh, chain(waiting, more))
                played += yield from self._play(GameBatch(games, rest, enough))
        self._games += played
        return self._report_positions(played)

    def _report_positions(self, played: list[CheckGame]) -> bool:
        failures = sorted((game for game in played if game.failed), key=lambda game: game.planned.number)
        tried = [self._position(game) for game in played if not game.undecided]
        count = f"{len(tried)} position{'s' * (len(tried) != 1)}"
        if failures:
            self._report_failures(failures, len(tried), count)
            return not failures[0].late and len(failures) < len(tried)
        if not tried:
            self._add_undecided(StepName.LEGAL, played[0])
            return False
        short = len(played) < self._exam.positions and self._exam.only is None
        mean = played_games.mean_time(played)
        slow = f"; no more, because a move took {mean:.2f} s" if short and mean > 0.05 else ""
        seats = len({position.seat for position in tried})
        in_seats = f", in {'both seats' if seats == 2 else f'{seats} seats'}" if seats > 1 else ""
        self._add(StepName.LEGAL, Light.GOOD, f"{count}{in_seats}: {planned_games.count_stages(tried)}{slow}")
        return True

    def _report_failures(self, failures: Sequence[CheckGame], tried: int, count: str) -> None:
        """Reports the first of the failures; `tried` is the number of positions tried."""
        first = failures[0]
        why = self._explain(first)
        if others := len(failures) - 1:
            why = replace(why, message=f"{why.message} (and in {others} of {tried - 1} other positions)")
        if first.late:
            good = tried - len(failures)
            message = f"in {good} of {count}; no more were tried" if good else "no move in time"
            self._add(StepName.LEGAL, Light.GOOD if good else Light.SKIPPED, message, seconds=None if good else 0.0)
            if self._exam.only is None:
                self._add(StepName.WHOLE, Light.SKIPPED, seconds=0.0)
        position = self._position(first)
        self._add_failure(
            StepName.CLOCK if first.late else StepName.LEGAL,
            why,
            board=self._planner.board(position.state, position.seat, position.opening, position),
            again=self._exam.command_for(self._players.text, position.number),
        )

    # Whole games.

    def _try_whole_games(self) -> GameRequests:
        """Plays whole games, one in each seat, in one process; then the first again in a fresh process."""
        longest = self._planner.moves_until_resigning(played_games.mean_time(self._games))
        entrant = self._players.fresh if self._failed_after_other_games else self._players.kept
        games = [self._planner.whole_game(seat, entrant, longest) for seat in range(self._planner.start.players)]
        played = yield from self._play(
            GameBatch(games, 2 * self._exam.seconds, lambda game: game.failed and game.verdict in COSTLY)
        )
        again: CheckGame | None = None
        if not any(game.late for game in played):
            # The first game again, in a fresh process.
            once_more = self._planner.whole_game(played[0].seat, self._players.fresh, longest)
            (again,) = yield from self._play(GameBatch([once_more]))
        self._games += played
        yield from self._report_whole_games(played, entrant, longest)
        yield from self._report_clock(played)
        self._report_again(played[0], again)
        yield from self._report_seed(played[0], again, longest)
        self._add(StepName.PRINTED, *played_games.output(self._games))
        self._add(StepName.USED, *played_games.resources_used(self._games, self._exam.conditions.allowance))

    def _report_whole_games(self, played: list[CheckGame], entrant: Entrant, longest: int | None) -> GameRequests:
        broken = [game for game in played if game.failed and not game.late]
        message = played_games.results(played)
        if broken:
            self._fail_in_game(StepName.WHOLE, broken[0])
        elif all(game.undecided for game in played):
            self._add_undecided(StepName.WHOLE, played[0])
        elif not message:
            self._add(StepName.WHOLE, Light.SKIPPED, "no game was finished")
        else:
            resigned = any(game.record.verdict == Verdict.RESIGNED and not game.opponent_resigned for game in played)
            if resigned and not any(game.own_moves for game in played):
                advice = "resign only lost games: check when choose raises Resign"
                self._add(StepName.WHOLE, Light.WARNING, message, advice=advice)
            elif (seat := (yield from self._seat_that_only_loses(played, entrant, longest))) is not None:
                message = f"as seat {seat} the agent lost {_LOSSES} of {_LOSSES} games against random moves"
                advice = "look for a wrong sign or a wrong seat in its evaluation"
                if self._players.python:
                    advice += ": state.turn is your seat in choose, and another one after play"
                self._add(StepName.WHOLE, Light.WARNING, message, advice=advice)
            else:
                self._add(StepName.WHOLE, Light.GOOD, message)

    def _seat_that_only_loses(
        self, played: list[CheckGame], entrant: Entrant, longest: int | None
    ) -> Generator[GameBatch, list[CheckGame], int | None]:
        """The seat in which the agent loses all games against random moves; None without one, and in games of luck."""
        start = self._planner.start
        if start.players != 2 or start.chance or start.hidden:
            return None
        for seat in (game.seat for game in played if game.lost):
            games = [self._planner.whole_game(seat, entrant, longest, number=number) for number in range(1, _LOSSES)]
            more = yield from self._play(GameBatch(games, self._exam.seconds, lambda game: not game.lost))
            if len(more) == len(games) and all(game.lost for game in more):
                return seat
        return None

    def _report_clock(self, played: list[CheckGame]) -> GameRequests:
        late = [game for game in played if game.late]
        if late:
            self._fail_in_game(StepName.CLOCK, late[0])
            return
        measured = played_games.time_used(self._games, played, self._exam.conditions.clock, budget=self._budget)
        if slow := (yield from self._too_slow(played)):
            advice = f"use at most {self._budget} for each move: then the agent never loses on time"
            self._add(StepName.CLOCK, Light.WARNING, f"{measured.message}; {slow}", advice=advice)
        else:
            self._add(StepName.CLOCK, *measured)

    @property
    def _budget(self) -> str:
        """Where the agent reads how long it should think."""
        return "clock.budget seconds" if self._players.python else "the milliseconds in 'budget' of the message 'turn'"

    def _too_slow(self, played: list[CheckGame]) -> Generator[GameBatch, list[CheckGame], MovePace | None]:
        """The agent's pace if it would lose a longer game on time; None if it moves faster when little time is left."""
        game = max(played, key=lambda game: len(game.own_moves))
        taken = int(played_games.mean_time([game]) * SECOND)
        exam = self._exam
        pace = played_games.too_slow(
            taken, exam.conditions.clock, margin=exam.conditions.margin, moves=self._planner.most_moves()
        )
        if pace is None:
            return None
        (asked,) = yield from self._play(GameBatch([self._planner.in_a_hurry(game, pace)]))
        return pace if asked.record.verdict == Verdict.TIME and asked.failed else None

    def _report_again(self, first: CheckGame, again: CheckGame | None) -> None:
        """Reports whether it plays several games in one process, and the `first` one `again` in a fresh process."""
        if self._failed_after_other_games is not None:
            self._add(
                StepName.AGAIN,
                Light.FAILED if self._exam.conditions.reuse else Light.WARNING,
                "the agent fails in a process that has already played a game, but not in a fresh process",
                advice=self._forget_the_last_game(),
                stderr=self._failed_after_other_games.record.detail,
                again=self._command(),
            )
        elif again is None or again.undecided:
            self._add(StepName.AGAIN, Light.SKIPPED)
        elif again.late and not first.failed:
            # Not a failure: only the clock differed, or how busy the machine was.
            self._add(
                StepName.AGAIN,
                Light.WARNING,
                f"the same game again was lost on time: {again.detail}",
                advice=f"use at most {self._budget} for each move, or a longer --clock",
            )
        elif again.failed and not first.failed:
            self._add(
                StepName.AGAIN,
                Light.FAILED,
                f"the agent lost when the same game was played again in a fresh process: {again.detail}",
                advice="the agent's moves must not depend on earlier games",
                again=self._play_command(again),
            )
        else:
            message = f"{len(self._games)} games in a row in one process, and one after a restart"
            self._add(StepName.AGAIN, Light.GOOD, message)

    def _report_seed(self, first: CheckGame, again: CheckGame | None, longest: int | None) -> GameRequests:
        """Reports whether the agent made the same moves in both games, which have the same seed."""
        if again is None or any(game.failed or game.undecided for game in (first, again)):
            self._add(StepName.SEED, Light.SKIPPED)
        elif (differs := played_games.first_difference(first, again)) is None:
            self._add(StepName.SEED, Light.GOOD, f"{len(again.own_moves)} moves, the same both times")
        else:
            place, one, other = differs
            message = f"at move {place} the agent played {one} the first time and {other} the second time"
            advice = "use self.random, not random: self.random has the seed of the game"
            if not self._players.python:
                advice = "start the random numbers of each game from the 'seed' of the message 'start'"
            once_more = self._planner.whole_game(first.seat, self._players.fresh, longest)
            (third,) = yield from self._play(GameBatch([once_more]))
            if third.own_moves and played_games.first_difference(again, third) is None:
                message = f"at move {place} the agent played {one} after other games, and {other} in a fresh process"
                advice = self._forget_the_last_game()
            advice += "; a search that stops by time can cause this too"
            self._add(StepName.SEED, Light.WARNING, message, advice=advice, again=self._play_command(first))

    def _forget_the_last_game(self) -> str:
        """What to do about variables that still have their values from an earlier game."""
        if self._players.python:
            what = "set all variables again in begin: global variables and those of the class"
        else:
            what = "set all variables again at each message 'start': they"
        return f"{what} keep their values from the last game"

    # Why the agent failed.

    def _explain(self, game: CheckGame) -> Explanation:
        """Why the agent lost."""
        why = explanations.explain(
            Failure(
                verdict=game.verdict,
                detail=game.detail,
                stderr=game.own.stderr or "",
                python=self._players.python,
                waits_charged=self._players.waits_charged,
                asked=game.was_asked,
                source_line=self._players.source_line,
                command=self._players.kept.settings["command"],
            )
        )
        self._explained.add(why.message)
        return why

    def _fail_in_game(self, name: StepName, game: CheckGame) -> None:
        """Reports the step as failed because the agent failed in that whole game."""
        why = self._explain(game)
        state = self._planner.start
        for move in game.record.moves:
            state = state.play(state.from_text(move.move))
        self._add_failure(
            name,
            replace(why, message=f"as seat {game.seat}, at move {len(game.own_moves) + 1}: {why.message}"),
            board=self._planner.board(state, game.seat, game.decisions),
            again=self._play_command(game),
        )

    def _report_mistakes(self) -> None:
        """Reports the mistakes that are not the reason of a failed step."""
        mistakes = [one for one in self._mistakes.values() if one[0].message not in self._explained]
        for why, light in mistakes[:_MOST_MISTAKES]:
            self._add_failure(StepName.UNNOTICED, why, light=light)

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
        """Reports a step; without `seconds` it took the time since the last report. What is left of that belongs to
        the next step."""
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
        self._since = now if seconds is None else min(now, self._since + seconds)
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
            f"no result: {game.detail}",
            advice="this machine is too busy or has a problem: try again, and run `arena doctor`",
        )

    def _skip_the_rest(self) -> None:
        """Reports the steps that were not tried as skipped."""
        for name in (StepName.LEGAL,) if self._exam.only is not None else NUMBERED_STEPS:
            if name not in self._reported and name is not StepName.FOUND:
                self._add(name, Light.SKIPPED, seconds=0.0)

    def _command(self) -> str:
        return self._exam.command(self._players.text)

    def _play_command(self, game: CheckGame) -> str:
        """The command that plays the game again and shows it."""
        exam = self._exam
        if exam.description:
            return self._command()
        players = [self._players.text if entrant.guarded else "random" for entrant in game.planned.entrants]
        words = ["arena", "play", exam.game, *players, "--clock", exam.conditions.clock]
        return shlex.join([*words, "--seed", str(exam.seed)])
