"""Plays a Match in tests: a Table by hand, a JudgedTable with the model as a check.

After every event a JudgedTable compares the decisions of the match with those of the model, and the messages to each
seat with what that seat is allowed to see. Time passes only where the test says so.
"""

from __future__ import annotations

from typing import Any, Final

from agents.protocol import (
    Failed,
    FromPlayer,
    Move,
    Over,
    Ready,
    Report,
    Resign,
    Start,
    Turn,
    Verdict,
    Want,
    pack,
    unpack_from_player,
)
from arena.match.conditions import Conditions
from arena.match.fixture import Fixture, SeatPlan
from arena.match.match import Match, Phase
from arena.match.seeds import GameSeeds
from db.records import MoveRecord
from tests.kit.match_model import MS, SECOND, Model, spent_in_all

GAME: Final = 7
NAMES: Final = ("ann", "bob", "cid", "dee")
BEGAN: Final = 1_000 * SECOND
"""The time at which games begin: a clock that counts from anywhere."""


def new_fixture(
    rules: str = "tictactoe",
    *,
    seats: int = 2,
    key: bytes = b"dice",
    hosted: tuple[int, ...] = (0, 1, 2, 3),
    guarded: tuple[int, ...] = (),
    liable: tuple[int, ...] = (),
    position: str = "",
    opening: tuple[str, ...] = (),
    game: int = GAME,
    played: tuple[MoveRecord, ...] = (),
    **conditions: Any,
) -> Fixture:
    """A game for that many seats under these conditions; each seat takes its name from NAMES."""
    plans = tuple(
        SeatPlan(
            NAMES[seat],
            f"seat {seat}",
            f"{seat:064x}",
            1000 + seat,
            hosted=seat in hosted,
            guarded=seat in guarded,
            liable=seat in liable,
        )
        for seat in range(seats)
    )
    return Fixture(game, rules, plans, key, Conditions(**conditions), position, opening, played=played)


class Table:
    """A match, the time, and what each seat was sent."""

    def __init__(self, fixture: Fixture | None = None, *, now: int = BEGAN, **described: Any) -> None:
        self.fixture = fixture or new_fixture(**described)
        self.now = now
        self.match = Match(self.fixture, self.now, secret=b"secret")
        self.post: list[list[Start | Turn | Over]] = [[] for _ in self.fixture.seats]

    # What happens.

    def arrive(self, *seats: int, wants: tuple[Want, ...] = ()) -> Table:
        for seat in seats:
            self._deliver(self.match.arrive(seat, wants, self.now))
        return self

    def begin(self, wants: tuple[Want, ...] = ()) -> Table:
        """Everybody sits down and is ready, in no time."""
        seats = range(len(self.fixture.seats))
        self.arrive(*seats, wants=wants)
        for seat in seats:
            self.say(seat, Ready(self.fixture.game))
        return self

    def say(self, seat: int, message: FromPlayer) -> None:
        """The message travels as it would."""
        self._deliver(self.match.receive(seat, unpack_from_player(pack(message)), self.now))

    def refuse(self, seat: int, verdict: Verdict = Verdict.GARBAGE) -> None:
        self._deliver(self.match.refuse(seat, verdict, "sent what is no message", self.now))

    def lose(self, seat: int) -> None:
        self._deliver(self.match.lose(seat, "ended", self.now))

    def abort(self) -> None:
        self._deliver(self.match.abort("the disk is full", self.now))

    def wait(self, time: int) -> None:
        """Time passes, and the match is told of it whenever it wants to be."""
        until = self.now + time
        while (wake := self.match.wake) is not None and wake <= until:
            self.now = max(wake, self.now)
            self.tick()
        self.now = until

    def stall(self, time: int) -> None:
        """Time passes, and the referee sleeps through it."""
        self.now += time

    def tick(self) -> None:
        self._deliver(self.match.tick(self.now))

    # What players do.

    @property
    def asked(self) -> int:
        """The seat whose answer is waited for."""
        turn = self.match.state.turn
        assert self.match.phase is Phase.PLAYING
        assert turn is not None
        return turn

    def question(self, seat: int | None = None) -> Turn:
        """The last question to that seat."""
        return next(
            sent for sent in reversed(self.post[self.asked if seat is None else seat]) if isinstance(sent, Turn)
        )

    def play(self, *moves: str, after: int = 0, **told: Any) -> None:
        """The seat that is asked makes the move, each after that time; at once, it comes before whatever is due."""
        for move in moves:
            if after:
                self.wait(after)
            question = self.question()
            self.say(self.asked, Move(question.game, question.id, move, **told))

    def resign(self, **told: Any) -> None:
        question = self.question()
        self.say(self.asked, Resign(question.game, question.id, **told))

    def fail(self, seat: int, verdict: Verdict, **told: Any) -> None:
        self.say(seat, Failed(self.fixture.game, verdict, "its agent failed", **told))

    def finish(self) -> None:
        """After the end: everybody reports."""
        for seat in range(len(self.fixture.seats)):
            self.say(seat, Report(self.fixture.game))

    # What came of it.

    def phase(self) -> Phase:
        """How far the match has come."""
        return self.match.phase

    def result(self) -> tuple[str | None, int | None]:
        """The verdict as text and the seat at fault; (None, None) while the game goes on."""
        verdict = self.match.verdict
        return (None if verdict is None else verdict.value, self.match.fault)

    def overs(self, seat: int) -> list[Over]:
        return [sent for sent in self.post[seat] if isinstance(sent, Over)]

    def events(self, seat: int) -> list[tuple[int | str, str]]:
        """All that the seat was told of the game, joined."""
        return [event for sent in self.post[seat] if isinstance(sent, Turn | Over) for event in sent.events]

    def _deliver(self, sent: list[tuple[int, Start | Turn | Over]]) -> None:
        for seat, message in sent:
            self.post[seat].append(message)


def may_see(rules: str, seat: int, ply: int) -> bool:
    """Whether the seat may see the ply, by the rules of the two games of the catalogue that hide something."""
    if rules == "kuhn":
        return ply > 2 or ply == seat + 1
    if rules.startswith("rps"):
        return seat == 0 or ply % 2 == 0
    return True


class JudgedTable(Table):
    """A Table at which the model plays along: every event is compared."""

    def __init__(self, fixture: Fixture | None = None, *, now: int = BEGAN, **described: Any) -> None:
        super().__init__(fixture, now=now, **described)
        self.model = Model(self.fixture, self.now)

    def arrive(self, *seats: int, wants: tuple[Want, ...] = ()) -> Table:
        for seat in seats:
            sent = self.match.arrive(seat, wants, self.now)
            self.model.arrive(seat, self.now)
            self._deliver(sent)
        return self

    def say(self, seat: int, message: FromPlayer) -> None:
        sent = self.match.receive(seat, message, self.now)
        self._look_at_chance()
        self.model.receive(seat, message, self.now)
        self._deliver(sent)

    def refuse(self, seat: int, verdict: Verdict = Verdict.GARBAGE) -> None:
        sent = self.match.refuse(seat, verdict, "sent what is no message", self.now)
        self.model.refuse(seat, verdict, self.now)
        self._deliver(sent)

    def lose(self, seat: int) -> None:
        sent = self.match.lose(seat, "ended", self.now)
        self.model.lose(seat, self.now)
        self._deliver(sent)

    def abort(self) -> None:
        sent = self.match.abort("the disk is full", self.now)
        self.model.abort(self.now)
        self._deliver(sent)

    def tick(self) -> None:
        sent = self.match.tick(self.now)
        self.model.tick(self.now)
        self._deliver(sent)

    def _look_at_chance(self) -> None:
        """The model is told what chance did; that it was drawn from the game's key is seen to here."""
        self.model.chance = [record.move for record in self.match.moves]

    def _deliver(self, sent: list[tuple[int, Start | Turn | Over]]) -> None:
        super()._deliver(sent)
        model, match = self.model, self.match
        assert match.phase.name.lower() == model.stage
        assert (match.verdict, match.fault) == (model.verdict, model.fault), match.detail
        assert (match.wake is None) == (model.next_event == float("inf"))
        assert match.wake is None or match.wake == model.next_event
        for seat, message in sent:
            if isinstance(message, Turn):
                self._check_question(seat, message)
        asked = [message for _, message in sent if isinstance(message, Turn)]
        assert len(asked) <= 1
        if model.open:
            assert self.question(model.state.turn).ply == len(model.plies) + 1
        if model.verdict is None:
            assert match.utilities is match.points is None

    def _check_question(self, seat: int, question: Turn) -> None:
        model, plan = self.model, self.fixture.seats[seat]
        assert model.open
        assert seat == model.state.turn
        assert question.ply == len(model.plies) + 1
        asked_before = [
            sent.id for post in self.post for sent in post if isinstance(sent, Turn) and sent is not question
        ]
        assert question.id not in asked_before
        assert len(bytes.fromhex(question.id)) == 4
        model.question = question.id
        left = [place.left for place in model.places]
        assert question.left == (None if None in left else tuple((time or 0) // MS for time in left))
        assert (question.budget is None) == (question.left is None)
        if question.budget is not None and question.left is not None:
            assert 0 <= question.budget <= question.left[seat]
        assert (question.limit == model.limit(seat)) if plan.guarded else not isinstance(question.limit, int)
        if isinstance(question.legal, tuple):
            assert question.legal == tuple(model.state.to_text(move) for move in model.state.moves())
        if model.state.hidden:
            assert question.position == model.state.view(seat)

    def check_the_end(self) -> None:
        """All that must be true of a game that is over."""
        match, model, fixture = self.match, self.model, self.fixture
        assert match.phase is Phase.DONE
        assert match.wake is None
        assert match.utilities == model.utilities()
        assert match.points == model.points()
        record = match.record()
        assert (record.game, record.verdict, record.fault) == (fixture.game, model.verdict, model.fault)
        assert [(ply.who, ply.move) for ply in record.moves] == model.plies
        assert [ply.ply for ply in record.moves] == list(range(1, len(model.plies) + 1))
        assert match.state.position() == model.state.position()
        self._check_clocks()
        self._check_chance()
        for seat in range(len(fixture.seats)):
            self._check_what_was_told(seat)

    def _check_clocks(self) -> None:
        record, model = self.match.record(), self.model
        assert [(seat.spent, seat.longest) for seat in record.seats] == spent_in_all(model, range(len(record.seats)))
        assert sum(seat.spent or 0 for seat in record.seats) + sum(model.delays) + record.lag == sum(model.intervals)
        answered = [ply for ply in record.moves if isinstance(ply.who, int)]
        assert [ply.spent for ply in answered] == model.charged[: len(answered)]
        assert [ply.lag for ply in answered] == model.lags[: len(answered)]
        assert [ply.delay for ply in answered] == model.delays[: len(answered)]
        assert all(
            (ply.spent or 0) + (ply.delay or 0) + (ply.lag or 0) == time
            for ply, time in zip(answered, model.intervals, strict=False)
        )
        assert all(ply.left is None or ply.left >= 0 for ply in answered)

    def _check_chance(self) -> None:
        state, seeds = self.match.fixture.first_position(), GameSeeds(self.fixture.key)
        for ply in self.match.record().moves:
            move = state.from_text(ply.move)
            assert move in state.moves()
            assert ply.who != "chance" or move == seeds.outcome(ply.ply, state.chances())
            state = state.play(move)

    def _check_what_was_told(self, seat: int) -> None:
        """Start, questions, the end; and in them the whole game as the seat may see it, no more and no less."""
        model, post = self.model, self.post[seat]
        there = model.places[seat].sat and model.places[seat].lost_for_good is None
        assert len(self.overs(seat)) == there
        if there:
            over = post[-1]
            assert isinstance(over, Over)
            assert (over.verdict, over.fault, over.utilities) == (model.verdict, model.fault, model.utilities())
        kinds = [type(message) for message in post]
        assert kinds == sorted(kinds, key=[Start, Turn, Over].index)
        assert kinds.count(Start) <= 1
        seen = [
            (who, text if may_see(self.fixture.rules, seat, ply) else "?")
            for ply, (who, text) in enumerate(model.plies, 1)
        ]
        told = self.events(seat)
        assert told == (seen if there else seen[: len(told)])
