"""Every order of events, thrown at a match with the model looking on: arrivals, answers right and wrong, losses, time.

What is compared after each event, and what must be true of every game that is over, stands in `table.py`. Here is only
what can happen, and that whatever happened, the match ends when the time has passed that it asked for.
"""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from agents.protocol import Bye, Failed, Hello, Info, Move, Ready, Report, Resign, Turn, Verdict
from arena.match.conditions import Limits, OwnTime
from arena.match.match import Phase
from tests.kit.effort import tries
from tests.kit.match_model import CONTROLS, MS, SECOND
from tests.kit.match_table import GAME, NAMES, JudgedTable, new_fixture

RULES = {
    "tictactoe": 2,
    "connect4:rows=4,columns=4,line=3": 2,
    "pig:goal=8": 2,
    "ludo:players=3,tokens=1": 3,
    "ludo:players=4,tokens=1": 4,
    "kuhn": 2,
    "rps:rounds=2": 2,
    "tree:professors": 2,
}
SEATS = st.integers(0, 3)
SPENT = st.sampled_from([None, None, None, 0.0, 0.2, 0.9, 1.0, 1.1, -0.1])
"""The time that the host reports, as a share of the referee's interval."""
USED = st.sampled_from([None, 0.0, 0.5, 1.0, 1.5])
"""Processor time used, as a share of the interval."""
TIMES = st.one_of(st.integers(0, 60 * MS), st.integers(0, 2 * SECOND), st.integers(0, 20 * SECOND))
OPENINGS = {
    "tictactoe": ("a1", "b2"),
    "connect4:rows=4,columns=4,line=3": ("2",),
    "rps:rounds=2": ("rock", "paper"),
    "pig:goal=8": ("roll", "hold"),
}


class AnyOrder(RuleBasedStateMachine):
    """One game, and all events that can happen to it."""

    table: JudgedTable

    @initialize(
        rules=st.sampled_from(sorted(RULES)),
        clock=st.sampled_from(sorted(CONTROLS)),
        hosted=st.sets(SEATS).map(tuple),
        guarded=st.sets(SEATS).map(tuple),
        liable=st.sets(SEATS).map(tuple),
        margin=st.sampled_from([0, 50 * MS]),
        opens=st.booleans(),
        max_plies=st.sampled_from([None, None, 1, 2, 5]),
        hello=st.sampled_from([10 * SECOND, 10 * SECOND, None]),
        begins=st.booleans(),
        key=st.binary(min_size=1, max_size=2),
        own=st.none() | st.tuples(SEATS, st.sampled_from(sorted(CONTROLS.keys() - {"none"})), st.just(10 * MS)),
    )
    def set_out(
        self,
        *,
        rules: str,
        hosted: tuple[int, ...],
        opens: bool,
        hello: int | None,
        begins: bool,
        own: tuple[int, str, int] | None,
        **more: Any,
    ) -> None:
        if own is not None and more["clock"] != "none":
            more["own_times"] = (OwnTime(NAMES[own[0]], *own[1:]),)
        self.table = JudgedTable(
            new_fixture(
                rules,
                seats=RULES[rules],
                hosted=(*hosted, *more["guarded"]),
                opening=OPENINGS.get(rules, ()) if opens else (),
                limits=Limits(hello=hello, move=2 * SECOND),
                **more,
            )
        )
        if begins:
            self.table.begin(wants=("position", "legal"))

    def seat(self, number: int) -> int:
        return number % len(self.table.fixture.seats)

    def interval(self, share: float | None) -> int | None:
        """That share of the time since the last turn was sent."""
        return None if share is None else int(share * (self.table.now - self.table.model.asked_at))

    def is_there(self, seat: int) -> bool:
        """Only a connected player can send a message."""
        return self.table.model.places[seat].sat

    # What players do.

    @precondition(lambda self: self.table.phase() is Phase.GATHERING)
    @rule(seat=SEATS)
    def sits_down(self, seat: int) -> None:
        self.table.arrive(self.seat(seat))

    @precondition(lambda self: self.table.phase() in (Phase.GATHERING, Phase.STARTING))
    @rule(seat=SEATS, game=st.sampled_from([GAME, GAME, GAME, 8]))
    def is_ready(self, seat: int, game: int) -> None:
        if self.is_there(self.seat(seat)):
            self.table.say(self.seat(seat), Ready(game))

    @precondition(lambda self: self.table.phase() is Phase.PLAYING)
    @rule(draw=st.randoms(use_true_random=False), after=st.integers(0, 400 * MS), spent=SPENT, used=USED, waited=USED)
    def moves(self, draw: Random, after: int, spent: float | None, used: float | None, waited: float | None) -> None:
        self.table.wait(after)
        if self.table.phase() is Phase.PLAYING:
            told: dict[str, Any] = {
                "spent": self.interval(spent),
                "cpu": self.interval(used),
                "delay": self.interval(waited),
            }
            state = self.table.model.state
            self.table.play(state.to_text(draw.choice(state.moves())), info=Info(3, line=("a", "b")), **told)

    @precondition(lambda self: self.table.phase() is Phase.PLAYING)
    @rule(draw=st.randoms(use_true_random=False), plies=st.integers(1, 8))
    def plays_on(self, draw: Random, plies: int) -> None:
        for _ in range(plies):
            if self.table.phase() is Phase.PLAYING:
                state = self.table.model.state
                self.table.play(state.to_text(draw.choice(state.moves())))

    @precondition(lambda self: self.table.phase() is Phase.PLAYING)
    @rule(
        over=st.sampled_from([-1, 0, 1, 10 * MS, 60 * MS]),
        lag=st.sampled_from([0, 1, 10 * MS, 60 * MS, 61 * MS, 110 * MS]),
        delay=st.sampled_from([None, -1, 0, 1, 10 * MS, 60 * MS, 110 * MS]),
        used=st.sampled_from([None, 0, -1, 0, 1]),
        fails=st.booleans(),
    )
    def is_about_as_late_as_can_be(self, over: int, lag: int, delay: int | None, used: int | None, fails: bool) -> None:
        """`over` beyond the time and the margin; with processor time of nothing, or about as much as time passed."""
        table, seat = self.table, self.table.asked
        spent = max(0, table.model.limit(seat) + over)
        table.wait(max(0, table.model.asked_at + spent + lag - table.now))
        if table.phase() is Phase.PLAYING:
            fails = fails and table.fixture.seats[seat].guarded
            cpu = None if used is None else used and spent + (0 if fails else lag) + used
            if fails:
                table.fail(seat, Verdict.TIME, spent=spent, cpu=cpu, delay=delay)
            else:
                state = table.model.state
                table.play(state.to_text(state.moves()[0]), spent=spent, cpu=cpu, delay=delay)

    @precondition(lambda self: self.table.phase() is Phase.PLAYING)
    @rule(text=st.sampled_from(["", "z9", "?", "a1", " ROCK ", "1", "\n", "\u202e"]), spent=SPENT)
    def moves_somehow(self, text: str, spent: float | None) -> None:
        self.table.play(text, spent=self.interval(spent))

    @rule(seat=SEATS, back=st.integers(0, 4), resigns=st.booleans(), game=st.sampled_from([GAME, GAME, 8]))
    def answers_some_question(self, seat: int, back: int, resigns: bool, game: int) -> None:
        """An earlier id, another player's, another game's or an invented one; or by chance the right one."""
        questions = [sent for post in self.table.post for sent in post if isinstance(sent, Turn)]
        answered = questions[-1 - back].id if back < len(questions) else "00000000"
        if self.is_there(self.seat(seat)):
            self.table.say(self.seat(seat), Resign(game, answered) if resigns else Move(game, answered, "b1"))

    @precondition(lambda self: self.table.phase() is Phase.PLAYING)
    @rule(spent=SPENT)
    def resigns(self, spent: float | None) -> None:
        self.table.resign(spent=self.interval(spent))

    @rule(
        seat=SEATS,
        verdict=st.sampled_from(Verdict),
        game=st.sampled_from([GAME, GAME, 8]),
        spent=SPENT,
        used=USED,
        delay=USED,
    )
    def says_that_its_agent_failed(
        self, seat: int, verdict: Verdict, game: int, spent: float | None, used: float | None, delay: float | None
    ) -> None:
        told = {"spent": self.interval(spent), "cpu": self.interval(used), "delay": self.interval(delay)}
        if self.is_there(self.seat(seat)):
            self.table.say(self.seat(seat), Failed(game, verdict, "so it is", **told))

    @rule(seat=SEATS, message=st.sampled_from([Bye(), Hello(1), Report(GAME), Report(GAME, 1, 2, "log"), Report(8)]))
    def says_what_fits_seldom(self, seat: int, message: Bye | Hello | Report) -> None:
        if self.is_there(self.seat(seat)):
            self.table.say(self.seat(seat), message)

    @rule(seat=SEATS, times=st.sampled_from([40, 100, 101]))
    def chatters(self, seat: int, times: int) -> None:
        if self.is_there(self.seat(seat)):
            for _ in range(times):
                self.table.say(self.seat(seat), Move(GAME, "chatter", "a1"))

    @rule(seat=SEATS, verdict=st.sampled_from([Verdict.GARBAGE, Verdict.FLOODED]))
    def breaks_the_protocol(self, seat: int, verdict: Verdict) -> None:
        if self.is_there(self.seat(seat)):
            self.table.refuse(self.seat(seat), verdict)

    # What happens to them.

    @rule(seat=SEATS)
    def is_lost(self, seat: int) -> None:
        self.table.lose(self.seat(seat))

    @precondition(lambda self: self.table.phase() is Phase.PLAYING)
    @rule(grace=st.sampled_from([0, 19 * MS, 20 * MS - 1, 20 * MS]))
    def is_lost_right_after_its_move(self, grace: int) -> None:
        """The news of the end arrives before the move, earlier by about `GRACE`."""
        asked = self.table.asked
        self.table.lose(asked)
        self.table.wait(grace)
        if self.table.phase() is Phase.PLAYING:
            state = self.table.model.state
            self.table.play(state.to_text(state.moves()[0]))

    @rule(time=TIMES)
    def time_passes(self, time: int) -> None:
        self.table.wait(time)

    @precondition(lambda self: self.table.match.wake is not None)
    @rule(early=st.sampled_from([0, 1, MS]))
    def time_passes_until_something_is_due(self, early: int) -> None:
        self.table.wait(max(0, (self.table.match.wake or 0) - early - self.table.now))

    @rule(time=TIMES)
    def the_referee_is_held_up(self, time: int) -> None:
        self.table.stall(time)

    @rule()
    def the_time_is_told(self) -> None:
        self.table.tick()

    @rule(sure=st.integers(0, 5))
    def the_server_fails(self, sure: int) -> None:
        if sure == 5:
            self.table.abort()

    def teardown(self) -> None:
        """All players fall silent, and the match still ends: it waits for nothing without a time limit."""
        if not hasattr(self, "table"):
            return
        table = self.table
        table.tick()
        for seat, place in enumerate(table.model.places):
            if table.phase() is Phase.GATHERING and not place.sat and table.match.wake is None:
                table.arrive(seat)
        for _ in range(6):
            if table.match.wake is not None:
                table.wait(max(0, table.match.wake - table.now))
        table.check_the_end()


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(
    max_examples=tries(150),
    stateful_step_count=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
