"""A second, simple implementation of the refereeing rules: what every Match must decide.

It is written from the documented rules, not from `arena/match/match.py`, and uses only the games. Ids of questions and
chance events, which it cannot compute, are passed to it. It checks decisions, not the words of messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final

from adsearch import CHANCE, games
from adsearch.errors import BadMove
from agents.protocol import Bye, Failed, FromPlayer, Hello, Move, Ready, Report, Resign, Verdict
from arena.match.fixture import Fixture

MS: Final = 1_000_000
SECOND: Final = 1_000 * MS
AT_ONCE: Final = (Verdict.GARBAGE, Verdict.FLOODED)
FROM_WARDENS: Final = ("time", "crashed", "garbage", "flooded", "memory", "unready", "void")


def patience(limit: int) -> int:
    """How long a host of ours may be silent about somebody who has this limit."""
    return 10 * limit + 61 * SECOND


@dataclass
class Control:
    """A time control as the model knows it: so much in all and after each move, or for each move, or nothing."""

    text: str
    base: int | None = None
    increment: int = 0
    per_move: int | None = None

    @property
    def at_first(self) -> int | None:
        return self.base if self.per_move is None else self.per_move

    def after(self, left: int | None, charged: int) -> int | None:
        if left is None or self.per_move is not None:
            return left
        return max(0, left - charged) + self.increment


CONTROLS: Final = {
    control.text: control
    for control in (
        Control("none"),
        Control("1", base=SECOND),
        Control("0.3+0.05", base=300 * MS, increment=50 * MS),
        Control("move=0.2", per_move=200 * MS),
    )
}


@dataclass
class Place:
    """One seat."""

    left: int | None
    sat: bool = False
    ready: bool = False
    lost_for_good: int | None = None
    """The instant until which a lost player's last message may still come."""
    fault: Verdict | None = None
    """What ends the game as soon as the seat is needed; of a lost player only its warden's word, if there was one."""
    told: bool = False
    """That the game begins."""
    ready_by: float = inf
    dropped: int = 0
    spent: list[int] = field(default_factory=list)


class Model:
    """One game as the rules have it."""

    def __init__(self, fixture: Fixture, now: int) -> None:
        self.fixture = fixture
        own = {time.agent: time for time in fixture.conditions.own_times}
        times = [own.get(plan.player, fixture.conditions) for plan in fixture.seats]
        self.controls, self.margins = [CONTROLS[time.clock] for time in times], [time.margin for time in times]
        self.state: Any = games.start(fixture.rules)
        self.stage = "gathering"
        self.verdict: Verdict | None = None
        self.fault: int | None = None
        self.places = [Place(control.at_first) for control in self.controls]
        hello = fixture.conditions.limits.hello
        if hello is not None and all(plan.hosted for plan in fixture.seats):
            hello = patience(hello)
        self.deadline = inf if hello is None else now + hello
        # Whether a seat is asked, and has not answered.
        self.open = False
        self.asked_at = now
        # The id of the open question.
        self.question = ""
        self.moves_made = 0
        self.charged: list[int] = []
        self.lags: list[int] = []
        self.delays: list[int] = []
        self.intervals: list[int] = []
        self.plies: list[tuple[int | str, str]] = []
        self.opening = list(fixture.opening)
        # What chance did, as the referee says.
        self.chance: list[str] = []
        self.reports_due: set[int] = set()

    # What happens.

    def arrive(self, seat: int, now: int) -> None:
        if self.stage == "gathering":
            self.places[seat].sat = True
            if all(place.sat for place in self.places):
                self.stage = "starting"
                self.start_more(now)

    def receive(self, seat: int, message: FromPlayer, now: int) -> None:
        place, guarded = self.places[seat], self.fixture.seats[seat].guarded
        match message:
            case Bye():
                self.lose(seat, now)
            case Report() if self.stage == "reporting":
                if message.game == self.fixture.game and self.fixture.seats[seat].hosted:
                    self.leave(seat)
            case _ if self.verdict is not None:
                pass
            case Move() if self.is_the_answer(seat, message):
                self.moved(seat, message, now)
            case Resign() if self.is_the_answer(seat, message):
                self.charge(seat, message, now)
                self.end(Verdict.RESIGNED, seat, now)
            case Ready() if place.told and not place.ready and message.game == self.fixture.game:
                place.ready = True
                if all(other.ready for other in self.places):
                    self.stage = "playing"
                    self.go_on(now)
                else:
                    self.start_more(now)
            case Failed() if guarded and message.verdict in FROM_WARDENS and message.game == self.fixture.game:
                self.failed(seat, message, now)
            case Failed() if guarded and message.verdict in FROM_WARDENS:
                self.drop(seat, now)
            case Failed() | Hello():
                self.end(Verdict.GARBAGE, seat, now)
            case _:
                self.drop(seat, now)

    def refuse(self, seat: int, verdict: Verdict, now: int) -> None:
        if self.verdict is None:
            self.end(verdict, seat, now)

    def abort(self, now: int) -> None:
        if self.verdict is None:
            self.end(Verdict.VOID, None, now)

    def lose(self, seat: int, now: int) -> None:
        place = self.places[seat]
        if self.stage == "reporting":
            self.leave(seat)
        elif self.verdict is None and place.lost_for_good is None:
            place.lost_for_good = now + 20 * MS

    @property
    def next_event(self) -> float:
        """When something is due, if nothing else happens."""
        lost = [
            place.lost_for_good
            for seat, place in enumerate(self.places)
            if place.lost_for_good is not None and self.needs(seat)
        ]
        return inf if self.stage == "done" else min([self.deadline, *lost])

    def tick(self, now: int) -> None:
        while (due := self.next_event) <= now:
            lost = [s for s, place in enumerate(self.places) if place.lost_for_good == due and self.needs(s)]
            if self.stage == "reporting":
                self.stage = "done"
            elif lost:
                self.give_up(lost[0], now)
            else:
                self.too_late(self.late, now)

    @property
    def late(self) -> int:
        """For whom nothing goes on."""
        if self.stage == "gathering":
            return [place.sat for place in self.places].index(False)
        if self.stage == "starting":
            return [not place.ready and place.ready_by == self.deadline for place in self.places].index(True)
        turn: int = self.state.turn
        return turn

    def too_late(self, seat: int, now: int) -> None:
        """Nothing has come for as long as anybody is waited for."""
        plan = self.fixture.seats[seat]
        if plan.guarded and plan.liable:
            self.end(Verdict.CRASHED, seat, now)
        elif plan.hosted:
            self.end(Verdict.VOID, None, now)
        else:
            self.end(Verdict.TIME if self.stage == "playing" else Verdict.UNREADY, seat, now)

    def give_up(self, seat: int, now: int) -> None:
        """The seat's player is lost, and is needed."""
        plan, said = self.fixture.seats[seat], self.places[seat].fault
        ours = plan.hosted and not plan.guarded and self.stage != "playing"
        if said is None and (ours or (plan.guarded and not plan.liable)):
            self.end(Verdict.VOID, None, now)
        else:
            self.end(said or Verdict.CRASHED, seat, now)

    def start_more(self, now: int) -> None:
        """All begin at once but agents with wardens, who begin one after the other."""
        for place, plan in zip(self.places, self.fixture.seats, strict=True):
            busy = any(
                other.told and not other.ready and theirs.guarded
                for other, theirs in zip(self.places, self.fixture.seats, strict=True)
            )
            if not place.told and not (plan.guarded and busy):
                ready = (
                    max(self.fixture.conditions.limits.ready, plan.start)
                    if plan.guarded
                    else self.fixture.conditions.limits.ready
                )
                place.told, place.ready_by = True, now + (patience(ready) if plan.hosted else ready)
        self.deadline = min(place.ready_by for place in self.places if place.told and not place.ready)

    # The rules.

    def needs(self, seat: int) -> bool:
        """Whether the game stands still for the seat."""
        place = self.places[seat]
        if self.stage == "gathering":
            return not place.sat or place.lost_for_good is not None
        if self.stage == "starting":
            return not place.ready
        return self.stage == "playing" and self.state.turn == seat

    def is_the_answer(self, seat: int, message: Move | Resign) -> bool:
        return self.open and (seat, message.game, message.id) == (self.state.turn, self.fixture.game, self.question)

    def go_on(self, now: int) -> None:
        while self.state.turn is not None and (self.state.turn == CHANCE or self.opening):
            who = "chance" if self.state.turn == CHANCE else "opening"
            text = self.chance[len(self.plies)] if who == "chance" else self.opening.pop(0)
            try:
                self.play(who, text)
            except BadMove:
                self.end(Verdict.VOID, None, now)
                return
        turn = self.state.turn
        if turn is None:
            self.end(Verdict.NORMAL, None, now)
        elif self.places[turn].fault is not None or self.places[turn].lost_for_good is not None:
            self.give_up(turn, now)
        else:
            self.open, self.asked_at = True, now
            limit = self.limit(turn)
            self.deadline = now + (patience(limit) if self.fixture.seats[turn].hosted else limit + 1)

    def play(self, who: int | str, text: str) -> None:
        self.state = self.state.play(self.state.from_text(text))
        self.plies.append((who, text))

    def limit(self, seat: int) -> int:
        left = self.places[seat].left
        return self.fixture.conditions.limits.move if left is None else left + self.margins[seat]

    def charge(self, seat: int, said: Move | Resign | Failed | None, now: int) -> int:
        """The open question is answered, or never will be; what the seat is charged: all but its waits, and no less
        than it computed."""
        wall = cost = interval = now - self.asked_at
        hosted = self.fixture.seats[seat].hosted
        if said is not None and said.spent is not None and hosted and 0 <= said.spent <= interval:
            wall = cost = said.spent
            if said.cpu is not None and said.delay is not None:
                cost = sorted((0, wall - said.delay, wall))[1]
                cost = max(cost, min(said.cpu, wall))
        self.places[seat].spent.append(cost)
        self.charged.append(cost)
        self.delays.append(wall - cost)
        self.lags.append(interval - wall)
        self.intervals.append(interval)
        self.open = False
        return cost

    def moved(self, seat: int, message: Move, now: int) -> None:
        place, limit = self.places[seat], self.limit(seat)
        charged = self.charge(seat, message, now)
        if charged > limit:
            self.end(Verdict.TIME, seat, now)
            return
        try:
            legal = self.state.from_text(message.move)
        except BadMove:
            self.end(Verdict.ILLEGAL, seat, now)
            return
        place.left = self.controls[seat].after(place.left, charged)
        self.play(seat, self.state.to_text(legal))
        self.moves_made += 1
        if self.state.turn is not None and self.moves_made == self.fixture.conditions.max_plies:
            self.end(Verdict.ADJUDICATED, None, now)
        else:
            self.go_on(now)

    def failed(self, seat: int, message: Failed, now: int) -> None:
        place = self.places[seat]
        if message.verdict is Verdict.VOID:
            self.end(Verdict.VOID, None, now)
        elif not (message.verdict in AT_ONCE or self.needs(seat) or self.stage == "gathering"):
            place.fault = place.fault or message.verdict
        elif self.open and self.state.turn == seat:
            limit = self.limit(seat)
            charged = self.charge(seat, message, now)
            if message.verdict is Verdict.TIME and charged <= limit:
                self.end(Verdict.VOID, None, now)
            else:
                self.end(message.verdict, seat, now)
        else:
            self.end(message.verdict, seat, now)

    def drop(self, seat: int, now: int) -> None:
        self.places[seat].dropped += 1
        if self.places[seat].dropped == 101:
            self.end(Verdict.FLOODED, seat, now)

    def end(self, verdict: Verdict | None, fault: int | None, now: int) -> None:
        if self.open:
            self.charge(self.state.turn, None, now)
        self.verdict, self.fault = verdict, fault
        self.stage, self.deadline = "reporting", now + SECOND
        self.reports_due = {
            seat
            for seat, place in enumerate(self.places)
            if place.sat and place.lost_for_good is None and self.fixture.seats[seat].hosted
        }
        self.leave(-1)

    def leave(self, seat: int) -> None:
        """Nothing more is expected of the seat."""
        self.reports_due.discard(seat)
        if not self.reports_due:
            self.stage = "done"

    # What it is worth.

    def points(self) -> tuple[float, ...] | None:
        seats = range(len(self.places))
        if self.verdict is Verdict.VOID:
            return None
        if self.verdict is Verdict.ADJUDICATED:
            return tuple(0.5 for _ in seats)
        worth = self.state.utilities() if self.fault is None else [0.0 if s == self.fault else 1.0 for s in seats]
        return tuple(
            sum((worth[me] > worth[other]) + (worth[me] == worth[other]) / 2 for other in seats if other != me)
            / (len(seats) - 1)
            for me in seats
        )

    def utilities(self) -> tuple[float, ...] | None:
        if self.verdict is Verdict.VOID:
            return None
        if self.verdict is Verdict.NORMAL:
            return tuple(self.state.utilities())
        if self.verdict is Verdict.ADJUDICATED:
            return (0.0,) * len(self.places) if self.state.zero_sum else None
        if len(self.places) > 2:
            return None
        low, high = self.state.bounds
        least = low if self.fault == 0 or not self.state.zero_sum else -high
        least = -1.0 if least == -inf else least
        return (least, 0.0 - least) if self.fault == 0 else (0.0 - least, least)


def spent_in_all(model: Model, seats: Iterable[int]) -> list[tuple[int, int]]:
    """For each seat, all that it was charged and its longest turn."""
    return [(sum(model.places[seat].spent), max(model.places[seat].spent, default=0)) for seat in seats]
