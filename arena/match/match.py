"""One game under a judge: rules, clocks and verdict, without input or output.

A Match is told what happened and when: a player sat down, a message came, a player was lost, so late it is now. It
answers with the messages to send, and `wake` is the instant at which it wants to be told the time again. It opens no
socket, reads no clock and draws no random number that it was not given, so every rule of refereeing is tested here, in
any order of events. Whatever the players do, a match ends, with one verdict.

    GATHERING --all sat down--> STARTING --all ready--> PLAYING --a verdict--> REPORTING --all reported--> DONE
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from enum import Enum
from typing import Any, Final, NamedTuple

from msgspec import UNSET

from adsearch import CHANCE, State
from adsearch.errors import BadGame, BadMove, quote
from agents.errors import one_line
from agents.protocol import (
    MOST_DROPPED,
    Bye,
    ClockInfo,
    Failed,
    FromPlayer,
    Info,
    Move,
    Over,
    Ready,
    Report,
    Resign,
    Start,
    Turn,
    Verdict,
    Want,
    Who,
)
from arena.match.clock import MILLISECOND, SECOND, TOO_BUSY, charged, longest_wait
from arena.match.fixture import Fixture, SeatPlan, move_text, position_text
from arena.match.points import finite, result
from arena.match.seeds import GameSeeds
from db.records import GameRecord, MoveRecord, SeatRecord

Sent = tuple[int, Start | Turn | Over]
"""A message, and the seat it is for."""

BACKSTOP: Final = SECOND
"""How much later than a host the referee itself calls time."""
GRACE: Final = 20 * MILLISECOND
"""How long a lost player's last message may still arrive: the news of its end can overtake it."""
REPORTS_WITHIN: Final = SECOND
RULES_FAILED: Final = "the rules failed"
"""How the detail of a game begins that ended because somebody's own game is broken."""
_WORTH_SAYING: Final = 10 * MILLISECOND
"""A shorter wait is not told."""

_LONGEST_DETAIL: Final = 1000

_FROM_A_WARDEN: Final = frozenset(
    {Verdict.TIME, Verdict.CRASHED, Verdict.GARBAGE, Verdict.FLOODED, Verdict.MEMORY, Verdict.UNREADY, Verdict.VOID}
)


class Phase(Enum):
    """How far a match has come."""

    GATHERING = 1
    STARTING = 2
    PLAYING = 3
    REPORTING = 4
    DONE = 5


class _Seat:
    """What the match knows of one seat."""

    __slots__ = (
        *("arrived", "cpu", "dropped", "events", "fault", "gone_by", "longest", "memory", "plan", "ready", "ready_by"),
        *("reported", "spent", "stderr", "wants_legal", "wants_position"),
    )

    def __init__(self, plan: SeatPlan) -> None:
        self.plan = plan
        self.arrived = self.ready = self.reported = False
        # Once it was told that the game begins.
        self.ready_by: int | None = None
        self.wants_position = self.wants_legal = False
        self.events: list[tuple[Who, str]] = []
        # What ends the game when the seat's turn comes; without a verdict: the player is lost.
        self.fault: tuple[Verdict | None, str] | None = None
        # The player is lost; until then a message of its may still arrive.
        self.gone_by: int | None = None
        self.dropped = self.spent = self.longest = 0
        self.cpu: int | None = None
        self.memory: int | None = None
        self.stderr: str | None = None


class _Spent(NamedTuple):
    """What a turn took. Together it is the referee's own interval."""

    charged: int
    delay: int
    """What the machine kept the agent, or its host, waiting."""
    lag: int
    """What passed between the referee and the host."""


class Match:
    """One game, from the moment at which its players may sit down to its record."""

    def __init__(self, fixture: Fixture, now: int, *, secret: bytes) -> None:
        """`secret` makes the ids of turns, which no player can then foretell. BadFixture where it cannot be played."""
        self.fixture = fixture
        self.state: State[Any] = fixture.first_position()
        self.phase = Phase.GATHERING
        self.moves: list[MoveRecord] = []
        self.verdict: Verdict | None = None
        self.fault: int | None = None
        self.detail = ""
        self.utilities: tuple[float, ...] | None = None
        self.points: tuple[float, ...] | None = None
        # When `tick` must be called at the latest; None: no event is due.
        self.wake: int | None = None
        self._clock = fixture.new_clock()
        self._seeds = GameSeeds(fixture.key)
        self._seats = [_Seat(plan) for plan in fixture.seats]
        self._secret = secret
        self._hidden = self.state.hidden
        self._max_plies = self.state.max_plies
        # Whether the rules are somebody's own: if they fail, then here, and not in a player who would lose by it.
        self._foreign = not type(self.state).__module__.startswith("adsearch.games.")
        # Whether the rules read moves in a way of their own, which may not be right.
        self._reads_by_itself = type(self.state).from_text is not State.from_text
        # Moves by players.
        self._made = 0
        self._lag = 0
        # Of the question that is open; empty between questions.
        self._id = ""
        # Since when, how long it may take, and who is asked.
        self._asked = self._limit = self._asked_seat = 0
        self._opening = iter(fixture.opening)
        hello = fixture.limits.hello
        if hello is not None and all(plan.hosted for plan in fixture.seats):
            hello = _host_may_be_silent(hello)
        # When the phase, or the turn, takes too long.
        self._due: int | None = None if hello is None else now + hello
        self._sent: list[Sent] = []
        self._set_wake()

    # What happens.

    def arrive(self, seat: int, wants: Iterable[Want], now: int) -> list[Sent]:
        """The seat's player has sat down."""
        place = self._seats[seat]
        if self.phase is Phase.GATHERING and not place.arrived:
            place.arrived = True
            place.wants_position = "position" in wants
            place.wants_legal = "legal" in wants
            if all(other.arrived for other in self._seats):
                self._start(now)
        return self._answer()

    def receive(self, seat: int, message: FromPlayer, now: int) -> list[Sent]:
        """A message of the seat's player has come."""
        if self.phase is Phase.DONE:
            return []
        kind = type(message)
        if kind is Move:
            self._receive_move(seat, message, now)  # type: ignore[arg-type]
        elif kind is Bye:
            return self.lose(seat, "said bye", now)
        elif self.phase is Phase.REPORTING:
            if isinstance(message, Report) and self._is_ours(message):
                self._note_report(seat, message)
        elif isinstance(message, Ready):
            self._receive_ready(seat, message, now)
        elif isinstance(message, Resign):
            self._receive_resignation(seat, message, now)
        elif isinstance(message, Failed) and self._seats[seat].plan.guarded and message.verdict in _FROM_A_WARDEN:
            self._receive_failed(seat, message, now)
        elif isinstance(message, Report):
            self._drop(seat, now)
        else:
            name = kind.__name__.lower()
            self._refuse(seat, Verdict.GARBAGE, f"sent a {name!r} that it may not send now", now)
        return self._answer()

    def refuse(self, seat: int, verdict: Verdict, detail: str, now: int) -> list[Sent]:
        """The seat's player broke the protocol (GARBAGE, FLOODED): the game ends, whoever's turn it is."""
        self._refuse(seat, verdict, detail, now)
        return self._answer()

    def lose(self, seat: int, detail: str, now: int) -> list[Sent]:
        """The seat's player is gone. What it has sent before must have been received already, or comes very soon."""
        place = self._seats[seat]
        if self.phase is Phase.REPORTING:
            place.reported = True
            self._finish_when_reported()
        elif self.phase is not Phase.DONE and place.gone_by is None:
            place.gone_by = now + GRACE
            place.fault = place.fault or (None, detail)
        return self._answer()

    def tick(self, now: int) -> list[Sent]:
        """It is `now`: whatever is due is done."""
        while self.wake is not None and now >= self.wake and self.phase is not Phase.DONE:
            self._tick(now)
            self._set_wake()
        return self._answer()

    def abort(self, detail: str, now: int) -> list[Sent]:
        """The server itself fails: the game is void."""
        if self.phase.value < Phase.REPORTING.value:
            self._end(Verdict.VOID, None, detail, now)
        return self._answer()

    # What came of it.

    def record(self) -> GameRecord:
        """The game as it is recorded, once it is over."""
        if self.verdict is None:
            raise RuntimeError("the game is not over")
        return GameRecord(
            game=self.fixture.game,
            verdict=self.verdict.value,
            fault=self.fault,
            detail=self.detail,
            seats=tuple(
                SeatRecord(
                    seat=number,
                    player=seat.plan.player,
                    points=None if self.points is None else self.points[number],
                    utility=None if self.utilities is None else finite(self.utilities[number]),
                    spent=seat.spent,
                    longest=seat.longest,
                    cpu=seat.cpu,
                    memory=seat.memory,
                    stderr=seat.stderr,
                )
                for number, seat in enumerate(self._seats)
            ),
            moves=tuple(self.moves),
            lag=self._lag,
        )

    # Messages.

    def _receive_ready(self, seat: int, message: Ready, now: int) -> None:
        place = self._seats[seat]
        if place.ready_by is None or place.ready or not self._is_ours(message):
            self._drop(seat, now)
            return
        place.ready = True
        if all(other.ready for other in self._seats):
            self.phase = Phase.PLAYING
            self._go_on(now)
        else:
            self._start_next(now)

    def _receive_resignation(self, seat: int, message: Resign, now: int) -> None:
        if not self._is_the_answer(seat, message):
            self._drop(seat, now)
            return
        self._clock.stop(seat, self._spend(seat, message, now).charged)
        self._end(Verdict.RESIGNED, seat, f"{self._name(seat)} resigned at ply {self._ply}", now)

    def _receive_move(self, seat: int, message: Move, now: int) -> None:
        if not self._is_the_answer(seat, message):
            self._drop(seat, now)
            return
        place = self._seats[seat]
        clock = self._clock
        turn = self._spend(seat, message, now)
        if turn.charged > self._limit:
            self._out_of_time(seat, turn, now)
            return
        try:
            move = self._read(message.move)
        except BadMove as error:
            clock.stop(seat, turn.charged)
            self._end(Verdict.ILLEGAL, seat, f"{self._name(seat)}, ply {self._ply}: {error}", now)
            return
        clock.charge(seat, turn.charged)
        hosted = place.plan.hosted
        info = message.info or _NOTHING_TOLD
        record = MoveRecord(
            ply=self._ply,
            who=seat,
            move=self._text(move),
            spent=turn.charged,
            left=clock.left(seat),
            lag=turn.lag,
            cpu=message.cpu if hosted else None,
            delay=turn.delay,
            log=message.log if hosted else None,
            score=info.score,
            depth=info.depth,
            nodes=info.nodes,
            line=info.line if info.line is None or isinstance(info.line, str) else " ".join(info.line),
            text=info.text,
        )
        self._made += 1
        self._play(move, record)
        if self.state.turn is not None and self._made == self.fixture.max_plies:
            self._end(Verdict.ADJUDICATED, None, f"{self._made} moves were played, the most allowed", now)
        else:
            self._go_on(now)

    def _read(self, text: str) -> Any:
        """The move that `text` names; BadMove where it is no legal one, however the rules say so."""
        state = self.state
        try:
            move = state.from_text(text)
            if not self._reads_by_itself or move in state.moves():
                return move
            problem = ""
        except BadMove:
            raise
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            # Rules of somebody's own that stumble over a text have not found a move in it.
            problem = f" ({type(error).__name__})"
        raise BadMove(f"expected a legal move, got {quote(text)}{problem}")

    def _text(self, move: Any) -> str:
        """The move as it is sent and recorded; BadGame where no message could hold that."""
        text = self.state.to_text(move)
        return move_text(text) if self._foreign else text

    def _view(self, seat: int) -> str:
        """What the seat may see of the position; BadGame where no message could hold it."""
        view = self.state.view(seat)
        return position_text(view) if self._foreign else view

    def _receive_failed(self, seat: int, message: Failed, now: int) -> None:
        detail = f"{self._name(seat)}: {message.detail}"
        if not self._is_ours(message):
            self._drop(seat, now)
        elif message.verdict is Verdict.VOID:
            self._end(Verdict.VOID, None, detail, now)
        elif message.verdict in (Verdict.GARBAGE, Verdict.FLOODED) or self._waits_for(seat) or self._gathers:
            if self._id and self.state.turn == seat:
                turn = self._spend(seat, message, now)
                if message.verdict is Verdict.TIME:
                    self._out_of_time(seat, turn, now)
                    return
                self._clock.stop(seat, turn.charged)
            self._end(message.verdict, seat, detail, now)
        else:
            place = self._seats[seat]
            place.fault = place.fault or (message.verdict, message.detail)

    def _note_report(self, seat: int, message: Report) -> None:
        place = self._seats[seat]
        if place.plan.hosted and not place.reported:
            place.reported = True
            place.cpu = message.cpu
            place.memory = message.memory
            place.stderr = message.stderr
            self._finish_when_reported()

    def _is_ours(self, message: Ready | Failed | Report) -> bool:
        return message.game == self.fixture.game

    def _is_the_answer(self, seat: int, message: Move | Resign) -> bool:
        """Whether the message answers the question that is open."""
        return (
            bool(self._id) and message.id == self._id and message.game == self.fixture.game and seat == self.state.turn
        )

    def _drop(self, seat: int, now: int) -> None:
        """A message that answers nothing is forgotten, up to a point."""
        place = self._seats[seat]
        place.dropped += 1
        if place.dropped > MOST_DROPPED:
            self._refuse(seat, Verdict.FLOODED, f"sent more than {MOST_DROPPED} messages that nobody asked for", now)

    def _refuse(self, seat: int, verdict: Verdict, detail: str, now: int) -> None:
        if self.phase.value < Phase.REPORTING.value:
            self._end(verdict, seat, f"{self._name(seat)} {detail}", now)

    # The course of the game.

    def _start(self, now: int) -> None:
        self.phase = Phase.STARTING
        for number, seat in enumerate(self._seats):
            if not seat.plan.guarded:
                self._announce(number, now)
        self._start_next(now)

    def _start_next(self, now: int) -> None:
        """Agents behind wardens start one after the other: so none can keep another from being ready in time."""
        starting = [number for number, seat in enumerate(self._seats) if seat.plan.guarded and not seat.ready]
        if starting and self._seats[starting[0]].ready_by is None:
            self._announce(starting[0], now)
        self._due = min(seat.ready_by for seat in self._seats if seat.ready_by is not None and not seat.ready)

    def _announce(self, seat: int, now: int) -> None:
        """The game begins for this seat."""
        fixture = self.fixture
        plan = self._seats[seat].plan
        within = fixture.limits.ready
        if plan.guarded:
            # A warden counts in what a fresh process takes to start, and calls its agent unready itself.
            within = max(within, plan.start)
        self._seats[seat].ready_by = now + (_host_may_be_silent(within) if plan.hosted else within)
        start = Start(
            game=fixture.game,
            rules=fixture.rules,
            seat=seat,
            seats=tuple([other.plan.player if other.plan is plan else other.plan.shown for other in self._seats]),
            clock=ClockInfo(fixture.clock, self._clock.milliseconds()),
            seed=plan.seed,
            position=self._view(seat),
            core=UNSET if plan.core is None or not plan.hosted else plan.core,
        )
        self._sent.append((seat, start))

    def _go_on(self, now: int) -> None:
        """The opening and chance have their plies; then the next seat is asked, or the game is over."""
        while (state := self.state).turn is not None:
            if state.turn == CHANCE:
                outcome = self._seeds.outcome(self._ply, state.chances())
                self._play(outcome, MoveRecord(self._ply, "chance", self._text(outcome)))
            elif (text := next(self._opening, None)) is not None:
                try:
                    move = state.from_text(text)
                except BadMove as error:
                    self._end(Verdict.VOID, None, f"opening, ply {self._ply}: {error}", now)
                    return
                self._play(move, MoveRecord(self._ply, "opening", self._text(move)))
            else:
                self._ask(state.turn, now)
                return
        self._end(Verdict.NORMAL, None, self.state.ending(), now)

    def _ask(self, turn: int, now: int) -> None:
        place = self._seats[turn]
        state = self.state
        clock = self._clock
        ply = self._ply
        if place.fault is not None:
            self._end_by_fault(turn, now)
            return
        if self._foreign:
            self._check_question(turn)
        self._id = hashlib.blake2b(b"%d:%d" % (self.fixture.game, ply), key=self._secret, digest_size=4).hexdigest()
        budget = clock.budget(turn, self._moves_left(ply))
        limit = self._limit = clock.limit(turn)
        self._asked = now
        # Nobody calls time for a seat without a host but we: at once.
        self._due = now + (_host_may_be_silent(limit) if place.plan.hosted else limit + 1)
        self._asked_seat = turn
        question = Turn(
            game=self.fixture.game,
            id=self._id,
            ply=ply,
            events=tuple(place.events),
            left=clock.milliseconds(),
            budget=None if budget is None else budget // MILLISECOND,
            position=self._view(turn) if self._hidden or place.wants_position else UNSET,
            legal=tuple(map(state.to_text, state.moves())) if place.wants_legal else UNSET,
            limit=limit if place.plan.guarded else UNSET,
        )
        place.events = []
        self._sent.append((turn, question))

    def _check_question(self, turn: int) -> None:
        """BadGame where somebody's own rules leave a seat nothing that it could answer."""
        name = type(self.state).__name__
        moves = self.state.moves()
        if turn not in range(len(self._seats)):
            raise BadGame(f"{name}.turn: expected a seat from 0 to {len(self._seats) - 1}, got {quote(turn)}")
        if not moves:
            raise BadGame(f"{name}.moves() has none, and the turn is {turn}")
        for move in moves:
            self._text(move)

    def _moves_left(self, ply: int) -> int | None:
        """How many moves a seat may still have to make; None where nobody can say."""
        left = [] if self._max_plies is None else [self._max_plies - ply]
        if self.fixture.max_plies is not None:
            left.append(self.fixture.max_plies - self._made - 1)
        return min(left) // len(self._seats) + 1 if left else None

    def _play(self, move: Any, record: MoveRecord) -> None:
        """The next ply happens, and every seat that may see it will be told."""
        state = self.state
        for number, seat in enumerate(self._seats):
            text = state.view_move(number, move) if self._hidden else record.move
            seat.events.append((record.who, move_text(text) if self._foreign else text))  # type: ignore[arg-type]
        self.moves.append(record)
        self.state = state.play(move)

    @property
    def _ply(self) -> int:
        """The number of the ply that is next."""
        return len(self.moves) + 1

    # Time.

    def _spend(self, seat: int, said: Move | Resign | Failed | None, now: int) -> _Spent:
        """The turn ends now: what it took, by what a host of ours says of it, and else by the referee's interval."""
        self._id = ""
        place = self._seats[seat]
        interval = wall = now - self._asked
        cost = interval
        if said is not None and place.plan.hosted and said.spent is not None and 0 <= said.spent <= interval:
            wall = said.spent
            cost = charged(wall, said.cpu, said.delay)
        place.spent += cost
        place.longest = max(place.longest, cost)
        self._lag += interval - wall
        return _Spent(cost, wall - cost, interval - wall)

    def _out_of_time(self, seat: int, turn: _Spent, now: int) -> None:
        """Nothing more is waited for: the seat has lost on time, unless the machine took what was its."""
        clock = self._clock
        had = clock.left(seat)
        had = clock.move_limit if had is None else had
        clock.stop(seat, turn.charged)
        used = f"{self._name(seat)} used {turn.charged / SECOND:.3f} s of {had / SECOND:.3f} s at ply {self._ply}"
        waited = f"waited {turn.delay / SECOND:.3f} s for a processor"
        if turn.charged <= self._limit:
            self._end(Verdict.VOID, None, f"{used}, and {waited}: {TOO_BUSY}", now)
        elif turn.delay >= _WORTH_SAYING:
            self._end(Verdict.TIME, seat, f"{used} (it also {waited}, which does not count)", now)
        else:
            self._end(Verdict.TIME, seat, used, now)

    def _tick(self, now: int) -> None:
        """The earliest of what is due is done: a referee that was held up decides as if it had not been."""
        for number, seat in enumerate(self._seats):
            if seat.gone_by == self.wake and self._waits_for(number):
                self._end_by_fault(number, now)
                return
        if self.phase is Phase.REPORTING:
            self._finish()
            return
        late = self._late()
        what = "sit down" if self._gathers else "say ready" if self.phase is Phase.STARTING else "answer"
        if self._seats[late].plan.guarded:
            # A warden that is silent for so long is as good as lost.
            self._seats[late].fault = (None, f"its warden did not {what} in time")
            self._end_by_fault(late, now)
        elif self._seats[late].plan.hosted:
            self._end(Verdict.VOID, None, f"{self._name(late)} did not {what} in time: {TOO_BUSY}", now)
        elif self.phase is Phase.PLAYING:
            self._out_of_time(late, self._spend(late, None, now), now)
        else:
            self._end(Verdict.UNREADY, late, f"{self._name(late)} did not {what} in time", now)

    def _late(self) -> int:
        """The seat for which nothing goes on."""
        if self.phase is Phase.PLAYING:
            return self._asked_seat
        if self._gathers:
            return [seat.arrived for seat in self._seats].index(False)
        return [not seat.ready and seat.ready_by == self._due for seat in self._seats].index(True)

    def _waits_for(self, seat: int) -> bool:
        """Whether nothing goes on without the seat."""
        if self._gathers:
            return not self._seats[seat].arrived or self._seats[seat].gone_by is not None
        if self.phase is Phase.STARTING:
            return not self._seats[seat].ready
        return self.phase is Phase.PLAYING and self.state.turn == seat

    @property
    def _gathers(self) -> bool:
        return self.phase is Phase.GATHERING

    def _answer(self) -> list[Sent]:
        self._set_wake()
        sent = self._sent
        self._sent = []
        return sent

    def _set_wake(self) -> None:
        wake = self._due
        for number, seat in enumerate(self._seats):
            if seat.gone_by is not None and self._waits_for(number) and (wake is None or seat.gone_by < wake):
                wake = seat.gone_by
        self.wake = wake

    # The end.

    def _end_by_fault(self, seat: int, now: int) -> None:
        verdict, detail = self._seats[seat].fault or (None, "was lost")
        detail = f"{self._name(seat)}: {detail}"
        if verdict is None and self._is_blameless(seat):
            self._end(Verdict.VOID, None, detail, now)
        else:
            self._end(verdict or Verdict.CRASHED, seat, detail, now)

    def _is_blameless(self, seat: int) -> bool:
        """Whether it is no fault of the seat's own that its player is lost.

        Whatever ended a warden, its agent was confined, unless the seat answers for it. And it was not the game that
        ended a player of ours which was not even ready."""
        plan = self._seats[seat].plan
        return not plan.liable if plan.guarded else plan.hosted and self.phase is not Phase.PLAYING

    def _end(self, verdict: Verdict, fault: int | None, detail: str, now: int) -> None:
        if self._id:
            self._clock.stop(self._asked_seat, self._spend(self._asked_seat, None, now).charged)
        self.utilities, self.points = result(self.state, verdict, fault)
        self.verdict = verdict
        self.fault = fault
        self.detail = one_line(detail, most=_LONGEST_DETAIL)
        self.phase = Phase.REPORTING
        self._due = now + REPORTS_WITHIN
        utilities = None if self.utilities is None else tuple(map(finite, self.utilities))
        for number, seat in enumerate(self._seats):
            if seat.arrived and seat.gone_by is None:
                over = Over(self.fixture.game, utilities, verdict, fault, tuple(seat.events))
                self._sent.append((number, over))
            seat.reported = not (seat.arrived and seat.plan.hosted and seat.gone_by is None)
        self._finish_when_reported()

    def _finish_when_reported(self) -> None:
        if all(seat.reported for seat in self._seats):
            self._finish()

    def _finish(self) -> None:
        self.phase = Phase.DONE
        self._due = None

    def _name(self, seat: int) -> str:
        return self._seats[seat].plan.player


_NOTHING_TOLD: Final = Info()


def _host_may_be_silent(limit: int) -> int:
    """How long a host of ours may say nothing about a seat with this limit: a second longer than it waits itself."""
    return longest_wait(limit) + BACKSTOP
