"""One refereed game: rules, clocks and verdict, without input or output.

The caller passes events to a Match, each with its time: a player connected, a message came, a player was lost, or only
time has passed (`tick`). The Match returns the messages to send; `wake` is when `tick` must be called next. A Match
opens no socket, reads no clock and draws no random number that it was not given, so every rule of refereeing can be
tested here, in any order of events. Whatever the players do, a match ends with one verdict.

    GATHERING --all connected--> STARTING --all ready--> PLAYING --a verdict--> REPORTING --all reported--> DONE
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

from msgspec import UNSET, structs

from adsearch import CHANCE, State
from adsearch.errors import BadGame, BadMove, quote
from adsearch.form import Form
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
    shortened,
    with_board,
)
from arena.match.clock import MILLISECOND, SECOND, TOO_BUSY, charged, longest_wait
from arena.match.conditions import DrawRule, ResignRule, Ruled, ruled
from arena.match.fixture import Fixture, SeatPlan, move_text, position_text
from arena.match.points import finite, result
from arena.match.seeds import GameSeeds
from db.records import GameRecord, MoveRecord, SeatRecord

Sent = tuple[int, Start | Turn | Over]
"""A message, and the seat it is for."""

BACKSTOP: Final = SECOND
"""How much longer than a host the referee waits before it calls time itself, in nanoseconds."""
GRACE: Final = 20 * MILLISECOND
"""How long a lost player's last message can still arrive, in nanoseconds: the news of its end can come first."""
REPORTS_WITHIN: Final = SECOND
"""How long the referee waits for reports after a game, in nanoseconds."""
_WORTH_REPORTING: Final = 10 * MILLISECOND
"""A shorter wait for a processor is not mentioned in `detail`, in nanoseconds."""

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
        *("adsearch", "arrived", "cpu", "dropped", "events", "fault", "longest", "memory", "plan", "ready", "ready_by"),
        *("reported", "spent", "stderr", "wants_board", "wants_legal", "wants_position"),
    )

    def __init__(self, plan: SeatPlan, times: Sequence[int]) -> None:
        """`times`: of its moves in the game that this one continues."""
        self.plan = plan
        self.arrived = self.ready = self.reported = False
        # When it must be ready; None before `start` was sent.
        self.ready_by: int | None = None
        self.wants_position = self.wants_legal = self.wants_board = False
        self.events: list[tuple[Who, str]] = []
        # What ends the game when the seat is next to act; without a verdict: the player is lost.
        self.fault: tuple[Verdict | None, str] | None = None
        self.dropped, self.spent, self.longest = 0, sum(times), max(times, default=0)
        self.cpu: int | None = None
        self.memory: int | None = None
        self.stderr: str | None = None
        self.adsearch: Form | None = None


class _Spent(NamedTuple):
    """What a turn took, in nanoseconds. The sum of the three is the interval that the referee measured."""

    charged: int
    delay: int
    """How long the agent, or its host, waited for a processor."""
    lag: int
    """Time between the referee and the host."""


class Match:
    """One game, from the moment at which its players can connect to its record."""

    def __init__(self, fixture: Fixture, now: int, *, secret: bytes) -> None:
        """`secret`: the key of the turns' ids, which no player can predict. BadFixture if the game cannot be played."""
        self.fixture = fixture
        self.state: State[Any] = fixture.first_position()
        self.phase = Phase.GATHERING
        self.moves: list[MoveRecord] = []
        self.verdict: Verdict | None = None
        self.fault: int | None = None
        self.detail = ""
        self.utilities: tuple[float, ...] | None = None
        self.points: tuple[float, ...] | None = None
        # When `tick` must be called at the latest; None: nothing is due.
        self.wake: int | None = None
        self._clock = fixture.new_clock()
        self._seeds = GameSeeds(fixture.key)
        self._seats = [_Seat(plan, fixture.times(seat)) for seat, plan in enumerate(fixture.seats)]
        # The seats of lost players, and until when their last messages can still arrive.
        self._gone_by: dict[int, int] = {}
        self._new_id = hashlib.blake2b(b"%d:" % fixture.game, key=secret, digest_size=4)
        self._hidden = self.state.hidden
        self.secret: set[int] = set()  # the plies whose moves not every seat sees
        self._max_plies = self.state.max_plies
        # Whether the rules are user-supplied: if they fail, they fail here, and no player loses by it.
        self._foreign = not type(self.state).__module__.startswith("adsearch.games.")
        # Whether the rules have their own `from_text`, which may be wrong.
        self._own_from_text = type(self.state).from_text is not State.from_text
        # Moves by players.
        self._made = len(fixture.played)
        self._lag = sum(move.lag or 0 for move in fixture.played)
        # Id of the open turn; empty between turns.
        self._id = ""
        # When the turn was sent, its time limit, and its seat.
        self._asked = self._limit = self._asked_seat = 0
        self._given = fixture.given()
        hello = fixture.conditions.limits.hello
        if hello is not None and all(plan.hosted for plan in fixture.seats):
            hello = _host_may_be_silent(hello)
        # When the phase, or the turn, is too late.
        self._due: int | None = None if hello is None else now + hello
        self._sent: list[Sent] = []
        self._set_wake()

    # Events.

    def arrive(self, seat: int, wants: Iterable[Want], now: int) -> list[Sent]:
        """The seat's player has connected."""
        place = self._seats[seat]
        if self.phase is Phase.GATHERING and not place.arrived:
            place.arrived = True
            place.wants_position = "position" in wants
            place.wants_legal = "legal" in wants
            if all(other.arrived for other in self._seats):
                self._start(now)
        return self._answer()

    def receive(self, seat: int, message: FromPlayer, now: int) -> list[Sent]:
        """A message of the seat's player has arrived."""
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
            self._refuse(seat, Verdict.GARBAGE, f"sent a {name!r}, which is not allowed now", now)
        return self._answer()

    def refuse(self, seat: int, verdict: Verdict, detail: str, now: int) -> list[Sent]:
        """The seat's player broke the protocol (GARBAGE, FLOODED): the game ends, also if another seat is to move."""
        self._refuse(seat, verdict, detail, now)
        return self._answer()

    def lose(self, seat: int, detail: str, now: int) -> list[Sent]:
        """The seat's player is gone. Its last messages were received before, or arrive within `GRACE`."""
        place = self._seats[seat]
        if self.phase is Phase.REPORTING:
            place.reported = True
            self._finish_when_reported()
        elif self.phase is not Phase.DONE and seat not in self._gone_by:
            self._gone_by[seat] = now + GRACE
            place.fault = place.fault or (None, detail)
        return self._answer()

    def tick(self, now: int) -> list[Sent]:
        """Does everything that is due at `now`."""
        while self.wake is not None and now >= self.wake and self.phase is not Phase.DONE:
            self._tick(now)
            self._set_wake()
        return self._answer()

    def abort(self, detail: str, now: int) -> list[Sent]:
        """Ends the game as void: the server itself failed."""
        if self.phase.value < Phase.REPORTING.value:
            self._end(Verdict.VOID, None, detail, now)
        return self._answer()

    # The result.

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
                    seed=seat.plan.seed,
                    clock=self.fixture.conditions.own_clock(seat.plan.player),
                    adsearch=seat.adsearch,
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
        place.wants_board = message.board
        if place.plan.hosted:
            place.adsearch = message.adsearch
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
        info = message.info or _NO_INFO
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
            marks=info.marks,
        )
        self._made += 1
        self._play(move, record)
        terms = self.fixture.conditions
        if self.state.turn is None:
            self._go_on(now)
        elif (found := self._ruled(terms.resign, terms.draw)) is not None:
            self._end(Verdict.ADJUDICATED, None, found.detail, now, loser=found.loser)
        elif self._made == terms.max_plies:
            self._end(Verdict.ADJUDICATED, None, f"the limit of {self._made} moves was reached", now)
        else:
            self._go_on(now)

    def _ruled(self, resign: ResignRule | None, draw: DrawRule | None) -> Ruled | None:
        """How a rule of the conditions ends the game now."""
        return None if resign is None and draw is None else ruled(self.moves, resign, draw, self.state.reported)

    def _read(self, text: str) -> Any:
        """The legal move that `text` names; BadMove if there is none, whatever error the rules raise."""
        state = self.state
        try:
            move = state.from_text(text)
            if not self._own_from_text or move in state.moves():
                return move
            problem = ""
        except BadMove:
            raise
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            # User-supplied rules that raise an error on a text have not found a move in it.
            problem = f" ({type(error).__name__})"
        raise BadMove(f"expected a legal move, got {quote(text)}{problem}")

    def _text(self, move: Any) -> str:
        """The move's text, as sent and recorded; BadGame if it does not fit into a message."""
        text = self.state.to_text(move)
        return move_text(text) if self._foreign else text

    def _view(self, seat: int) -> str:
        """What the seat can see of the position; BadGame if it does not fit into a message."""
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
        """Whether the message answers the open turn."""
        return (
            bool(self._id) and message.id == self._id and message.game == self.fixture.game and seat == self.state.turn
        )

    def _drop(self, seat: int, now: int) -> None:
        """Ignores a message that answers nothing; more than MOST_DROPPED of them are `flooded`."""
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
        """Starts agents behind wardens one after the other, so that none can make another late."""
        starting = [number for number, seat in enumerate(self._seats) if seat.plan.guarded and not seat.ready]
        if starting and self._seats[starting[0]].ready_by is None:
            self._announce(starting[0], now)
        self._due = min(seat.ready_by for seat in self._seats if seat.ready_by is not None and not seat.ready)

    def _announce(self, seat: int, now: int) -> None:
        """Sends `start` to this seat."""
        fixture = self.fixture
        plan = self._seats[seat].plan
        within = fixture.conditions.limits.ready
        if plan.guarded:
            # A warden adds the time that a new process takes to start, and reports `unready` itself.
            within = max(within, plan.start)
        self._seats[seat].ready_by = now + (_host_may_be_silent(within) if plan.hosted else within)
        start = Start(
            game=fixture.game,
            rules=fixture.rules,
            seat=seat,
            seats=tuple([other.plan.player if other.plan is plan else other.plan.shown for other in self._seats]),
            clock=self._clock_of(seat),
            seed=plan.seed,
            position=self._view(seat),
            core=UNSET if plan.core is None or not plan.hosted else plan.core,
        )
        self._sent.append((seat, start))

    def _clock_of(self, seat: int) -> ClockInfo:
        """What the seat is told of the clocks."""
        texts = tuple([self.fixture.conditions.time_of(plan.player).clock for plan in self.fixture.seats])
        return ClockInfo(texts[seat], self._clock.milliseconds(), texts if len({*texts}) > 1 else UNSET)

    def _go_on(self, now: int) -> None:
        """Plays the plies that are given, and those of chance; then asks the next seat for a move, or ends the game."""
        while (state := self.state).turn is not None:
            if state.turn == CHANCE:
                outcome = self._seeds.outcome(self._ply, state.chances())
                self._play(outcome, MoveRecord(self._ply, "chance", self._text(outcome)))
            elif (given := next(self._given, None)) is not None:
                try:
                    move = state.from_text(given.move)
                except BadMove as error:
                    self._end(Verdict.VOID, None, f"opening, ply {self._ply}: {error}", now)
                    return
                self._play(move, structs.replace(given, ply=self._ply, move=self._text(move)))
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
            self._check_turn(turn)
        new_id = self._new_id.copy()
        new_id.update(b"%d" % ply)
        self._id = new_id.hexdigest()
        budget = clock.budget(turn, self._moves_left(ply))
        limit = self._limit = clock.limit(turn)
        self._asked = now
        # A seat without a host of ours has no other timekeeper, so its time is up here immediately.
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
            legal=shortened([*map(state.to_text, state.moves())]) if place.wants_legal else UNSET,
            limit=limit if place.plan.guarded else UNSET,
        )
        place.events = []
        if place.wants_board:
            question = with_board(question, state, turn)
        self._sent.append((turn, question))

    def _check_turn(self, turn: int) -> None:
        """BadGame if user-supplied rules give a wrong seat, or no moves."""
        name = type(self.state).__name__
        moves = self.state.moves()
        if turn not in range(len(self._seats)):
            raise BadGame(f"{name}.turn: expected a seat from 0 to {len(self._seats) - 1}, got {quote(turn)}")
        if not moves:
            raise BadGame(f"{name}.moves(): expected at least one move for seat {turn}, got none")
        for move in moves:
            self._text(move)

    def _moves_left(self, ply: int) -> int | None:
        """The most moves that a seat still has to make; None if there is no limit."""
        left = [] if self._max_plies is None else [self._max_plies - ply]
        if self.fixture.conditions.max_plies is not None:
            left.append(self.fixture.conditions.max_plies - self._made - 1)
        return min(left) // len(self._seats) + 1 if left else None

    def _play(self, move: Any, record: MoveRecord) -> None:
        """Plays the next ply; each seat gets it, as far as it can see it, with its next message."""
        state = self.state
        for number, seat in enumerate(self._seats):
            text = state.view_move(number, move) if self._hidden else record.move
            if self._hidden and text != record.move:
                self.secret.add(record.ply)
            seat.events.append((record.who, move_text(text) if self._foreign else text))  # type: ignore[arg-type]
        self.moves.append(record)
        self.state = state.play(move)

    @property
    def asked_at(self) -> int:
        """When the last turn was sent."""
        return self._asked

    @property
    def _ply(self) -> int:
        """The number of the ply that is next."""
        return len(self.moves) + 1

    # Time.

    def _spend(self, seat: int, said: Move | Resign | Failed | None, now: int) -> _Spent:
        """Ends the turn. What it took: as our host measured it (`said`), or else the referee's interval."""
        self._id = ""
        place = self._seats[seat]
        interval = wall = cost = now - self._asked
        if said is not None and place.plan.hosted and said.spent is not None and 0 <= said.spent <= interval:
            wall = said.spent
            cost = charged(wall, said.cpu, said.delay)
        place.spent += cost
        place.longest = max(place.longest, cost)
        self._lag += interval - wall
        return _Spent(cost, wall - cost, interval - wall)

    def _out_of_time(self, seat: int, turn: _Spent, now: int) -> None:
        """Ends the game on time: the seat loses, or the game is void if the machine was too busy."""
        clock = self._clock
        had = clock.left(seat)
        had = clock.move_limit if had is None else had
        clock.stop(seat, turn.charged)
        used = f"{self._name(seat)} used {turn.charged / SECOND:.3f} s of {had / SECOND:.3f} s at ply {self._ply}"
        waited = f"waited {turn.delay / SECOND:.3f} s for a processor"
        if turn.charged <= self._limit:
            self._end(Verdict.VOID, None, f"{used}, and {waited}: {TOO_BUSY}", now)
        elif turn.delay >= _WORTH_REPORTING:
            self._end(Verdict.TIME, seat, f"{used} (it also {waited}, which is not charged)", now)
        else:
            self._end(Verdict.TIME, seat, used, now)

    def _tick(self, now: int) -> None:
        """Does what was due first: a referee that was delayed decides as if it were on time."""
        for seat, gone_by in sorted(self._gone_by.items()):
            if gone_by == self.wake and self._waits_for(seat):
                self._end_by_fault(seat, now)
                return
        if self.phase is Phase.REPORTING:
            self._finish()
            return
        late = self._late()
        what = "connect" if self._gathers else "say ready" if self.phase is Phase.STARTING else "answer"
        if self._seats[late].plan.guarded:
            # A warden that has been silent for so long counts as lost.
            self._seats[late].fault = (None, f"its warden did not {what} in time")
            self._end_by_fault(late, now)
        elif self._seats[late].plan.hosted:
            self._end(Verdict.VOID, None, f"{self._name(late)} did not {what} in time: {TOO_BUSY}", now)
        elif self.phase is Phase.PLAYING:
            self._out_of_time(late, self._spend(late, None, now), now)
        else:
            self._end(Verdict.UNREADY, late, f"{self._name(late)} did not {what} in time", now)

    def _late(self) -> int:
        """The seat that the game is waiting for, and that is late."""
        if self.phase is Phase.PLAYING:
            return self._asked_seat
        if self._gathers:
            return [seat.arrived for seat in self._seats].index(False)
        return [not seat.ready and seat.ready_by == self._due for seat in self._seats].index(True)

    def _waits_for(self, seat: int) -> bool:
        """Whether the game cannot continue without the seat."""
        if self._gathers:
            return not self._seats[seat].arrived or seat in self._gone_by
        if self.phase is Phase.STARTING:
            return not self._seats[seat].ready
        return self.phase is Phase.PLAYING and self.state.turn == seat

    @property
    def _gathers(self) -> bool:
        return self.phase is Phase.GATHERING

    def _answer(self) -> list[Sent]:
        self._set_wake()
        sent, self._sent = self._sent, []
        return sent

    def _set_wake(self) -> None:
        wake = self._due
        for seat, gone_by in self._gone_by.items():
            if self._waits_for(seat) and (wake is None or gone_by < wake):
                wake = gone_by
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
        """Whether the seat is not at fault for the loss of its player.

        A confined agent cannot end its warden, unless the seat is `liable`. And a process of ours that ended before the
        game started was not ended by the game."""
        plan = self._seats[seat].plan
        return not plan.liable if plan.guarded else plan.hosted and self.phase is not Phase.PLAYING

    def _end(self, verdict: Verdict, fault: int | None, detail: str, now: int, *, loser: int | None = None) -> None:
        if self._id:
            self._clock.stop(self._asked_seat, self._spend(self._asked_seat, None, now).charged)
        self.utilities, self.points = result(self.state, verdict, fault if loser is None else loser)
        self.verdict = verdict
        self.fault = fault
        self.detail = one_line(detail, most=_LONGEST_DETAIL)
        self.phase = Phase.REPORTING
        self._due = now + REPORTS_WITHIN
        utilities = None if self.utilities is None else tuple(map(finite, self.utilities))
        for number, seat in enumerate(self._seats):
            if seat.arrived and number not in self._gone_by:
                over = Over(self.fixture.game, utilities, verdict, fault, tuple(seat.events))
                self._sent.append((number, over))
            seat.reported = not (seat.arrived and seat.plan.hosted and number not in self._gone_by)
        self._finish_when_reported()

    def _finish_when_reported(self) -> None:
        if all(seat.reported for seat in self._seats):
            self._finish()

    def _finish(self) -> None:
        self.phase = Phase.DONE
        self._due = None

    def _name(self, seat: int) -> str:
        return self._seats[seat].plan.player


_NO_INFO: Final = Info()


def _host_may_be_silent(limit: int) -> int:
    """How long a host of ours can be silent about a seat with this limit: a second longer than the host waits."""
    return longest_wait(limit) + BACKSTOP
