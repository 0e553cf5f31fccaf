"""A discrete-event simulation of many games, with simulated players, network and clock, from one seed.

It simulates everything around the matches: processes that start, think, answer, lie, hang and die; messages with
latency; a referee that is delayed now and then. Every match is checked against the model while it runs
(`tests/kit/match_table.py`), and every player has a behaviour with the verdicts that it can cause.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from random import Random
from typing import Any, Final

from adsearch import State, games
from agents.protocol import Bye, Failed, FromPlayer, Hello, Move, Over, Ready, Report, Resign, Start, Turn, Verdict
from arena.match.conditions import Limits
from arena.match.fixture import Fixture
from arena.match.match import Phase
from tests.kit.match_model import MS, SECOND
from tests.kit.match_table import BEGAN, JudgedTable, new_fixture

OUTSIDE, MESSAGE, NEWS, TIME = range(4)
"""The kinds of events, in the order in which a delayed referee handles them; OUTSIDE events are not the referee's."""

BEHAVIOURS: Final[dict[str, set[str]]] = {
    "honest": set(),
    "babbling": set(),
    "lying": {"time"},
    "absent": {"unready", "crashed"},
    "stillborn": {"crashed"},
    "mute": {"unready", "crashed"},
    "hanging": {"time"},
    "slow": {"time"},
    "cheating": {"illegal"},
    "resigning": {"resigned"},
    "crashing": {"crashed"},
    "dying after its move": {"crashed"},
    "leaving": {"crashed"},
    "shouting": {"garbage"},
    "greeting twice": {"garbage"},
    "flooding": {"flooded"},
    "failing": {"memory", "crashed", "flooded", "garbage"},
    "silent in the end": set(),
}
"""By behaviour, the verdicts that a player can cause against itself. A player that lies about its time is also charged
for the network's latency."""
LOST: Final = {"absent", "stillborn", "mute", "hanging", "crashing", "dying after its move", "leaving"}
"""Behaviours of players that die or send nothing: if their host is one of the server's, the game is void at first."""

RULES: Final = {
    "tictactoe": 2,
    "connect4:rows=4,columns=4,line=3": 2,
    "pig:goal=8": 2,
    "ludo:players=3,tokens=1": 3,
    "ludo:players=4,tokens=1": 4,
    "kuhn": 2,
    "rps:rounds=2": 2,
    "tree:professors": 2,
}


class Player:
    """A process at the other end of the network."""

    def __init__(self, table: SimulatedTable, seat: int, behaviour: str, when: int) -> None:
        self.table, self.seat, self.behaviour, self.when = table, seat, behaviour, when
        plan = table.fixture.seats[seat]
        self.hosted, self.guarded = plan.hosted, plan.guarded
        self.random = table.simulation.random
        self.turns = self.moves = 0
        # Arrival times of its last message and of the last message to it; messages arrive in order.
        self.last_arrival = self.last_delivery = 0
        self.dead = False
        self.state: State[Any] | None = None

    # The player's actions, and when the referee receives their messages.

    def say(self, message: FromPlayer, *, after: int = 0) -> None:
        """Sends the message after a delay, unless the player has died by then."""
        simulation = self.table.simulation
        simulation.after(after, OUTSIDE, lambda: self.send(message))

    def send(self, message: FromPlayer) -> None:
        if not self.dead:
            simulation = self.table.simulation
            self.last_arrival = max(self.last_arrival, simulation.now + simulation.latency())
            simulation.at(self.last_arrival, MESSAGE, lambda: self.table.on_message(self.seat, message))

    def deliver(self, message: Start | Turn | Over) -> None:
        """Delivers the referee's message after the latency."""
        simulation = self.table.simulation
        self.last_delivery = max(self.last_delivery, simulation.now + simulation.latency())
        simulation.at(self.last_delivery, OUTSIDE, lambda: self.receive(message))

    def die(self, *, after: int = 0) -> None:
        """Ends the process; the referee notices within 10 ms."""
        simulation = self.table.simulation

        def end() -> None:
            self.dead = True
            simulation.after(self.random.randrange(10 * MS), NEWS, lambda: self.table.on_exit(self.seat))

        simulation.after(after, OUTSIDE, end)

    def boot(self) -> None:
        """Starts the process and takes the seat."""
        if self.behaviour == "stillborn":
            self.die(after=self.random.randrange(SECOND))
        elif self.behaviour != "absent":
            self.table.simulation.after(self.random.randrange(SECOND), MESSAGE, lambda: self.table.seat(self.seat))

    def receive(self, message: Start | Turn | Over) -> None:
        if self.dead:
            return
        if isinstance(message, Start):
            self.state = games.load(message.rules, message.position)
            if self.random.random() < 0.1:  # a report that comes late, on the game before
                self.say(Report(0))
            if self.behaviour != "mute":
                self.say(Ready(message.game), after=self.random.randrange(SECOND))
        elif isinstance(message, Turn):
            self.answer(message)
        elif self.behaviour != "silent in the end":
            self.say(Report(message.game, cpu=1, memory=2), after=self.random.randrange(100 * MS))

    def answer(self, turn: Turn) -> None:
        state = self.follow(turn)
        assert state.turn == self.seat
        self.turns += 1
        move = state.to_text(self.random.choice(state.moves()))
        due = self.turns == self.when
        think = self.random.randrange(100 * MS if turn.budget is None else 1 + turn.budget * MS * 4 // 5)
        act = getattr(self, "act_" + self.behaviour.replace(" ", "_"), None) if due else None
        if act is not None and act(turn, think, move):
            return
        self.make(turn, think, move)

    def make(self, turn: Turn, think: int, move: str) -> None:
        """Sends a correct answer, or one with the additions of the player's behaviour."""
        spent: int | None = think
        if self.behaviour == "lying" or not self.hosted:
            spent = self.random.choice([None, -1, think + 10 * SECOND, 0 if not self.hosted else -(2**63)])
        self.moves += 1
        self.say(Move(turn.game, turn.id, move, spent=spent, cpu=think // 2), after=think)
        if self.behaviour == "babbling":
            self.say(Move(turn.game, turn.id, move), after=think + 1)
            self.say(Resign(turn.game, "00000000"), after=self.random.randrange(think + 1))

    def follow(self, turn: Turn) -> State[Any]:
        """The position as a host computes it: from the events, or the seat's view in games with hidden information."""
        rules = self.table.fixture.rules
        assert self.state is not None
        if self.state.hidden:
            assert isinstance(turn.position, str)
            self.state = games.load(rules, turn.position)
        else:
            for _, text in turn.events:
                self.state = self.state.play(self.state.from_text(text))
        return self.state

    # The misbehaviour of each kind of player. True: it does not answer the turn correctly.

    def act_hanging(self, turn: Turn, think: int, move: str) -> bool:
        if self.guarded and isinstance(turn.limit, int):
            self.say(Failed(turn.game, Verdict.TIME, "too late", spent=turn.limit + 1, cpu=0), after=turn.limit + 1)
        return True

    def act_slow(self, turn: Turn, think: int, move: str) -> bool:
        limit = 60 * SECOND if turn.left is None else (turn.left[self.seat] + 51) * MS
        self.make(turn, limit + self.random.randrange(1, 700 * MS), move)
        return True

    def act_cheating(self, turn: Turn, think: int, move: str) -> bool:
        self.say(Move(turn.game, turn.id, self.random.choice(["z9", "", "?", "none"]), spent=think), after=think)
        return True

    def act_resigning(self, turn: Turn, think: int, move: str) -> bool:
        self.say(Resign(turn.game, turn.id, spent=think), after=think)
        return True

    def act_crashing(self, turn: Turn, think: int, move: str) -> bool:
        self.die(after=think)
        return True

    def act_dying_after_its_move(self, turn: Turn, think: int, move: str) -> bool:
        """The exit can be noticed before the move arrives, by less than the 20 ms that the referee waits for it."""
        self.moves += 1
        simulation, table, seat = self.table.simulation, self.table, self.seat
        answer = Move(turn.game, turn.id, move, spent=think)
        simulation.after(think + self.random.randrange(10 * MS), MESSAGE, lambda: table.on_message(seat, answer))
        self.die(after=think)
        return True

    def act_leaving(self, turn: Turn, think: int, move: str) -> bool:
        self.say(Bye(), after=think)
        self.die(after=think + 1)
        return True

    def act_shouting(self, turn: Turn, think: int, move: str) -> bool:
        simulation = self.table.simulation
        simulation.after(think, MESSAGE, lambda: self.table.on_garbage(self.seat))
        return self.random.random() < 0.5

    def act_greeting_twice(self, turn: Turn, think: int, move: str) -> bool:
        self.say(Hello(1), after=think)
        return False

    def act_flooding(self, turn: Turn, think: int, move: str) -> bool:
        for number in range(150):
            self.say(Move(turn.game, "00000000", move), after=number * MS)
        return self.random.random() < 0.5

    def act_failing(self, turn: Turn, think: int, move: str) -> bool:
        """Its warden reports the failure, in its own turn or in another player's."""
        verdict = Verdict(self.random.choice(sorted(BEHAVIOURS["failing"])))
        in_its_turn = self.random.random() < 0.5
        self.say(Failed(turn.game, verdict, "it failed", spent=think), after=think + (0 if in_its_turn else 5 * MS))
        return in_its_turn


class SimulatedTable(JudgedTable):
    """A judged table with simulated players."""

    def __init__(self, simulation: Simulation, fixture: Fixture) -> None:
        self.simulation = simulation
        super().__init__(fixture, now=simulation.now)
        self.players = [self.new_player(seat) for seat in range(len(fixture.seats))]
        self.aborted = False

    def new_player(self, seat: int) -> Player:
        random, plan = self.simulation.random, self.fixture.seats[seat]
        possible = [*BEHAVIOURS, *["honest"] * len(BEHAVIOURS)]
        if not plan.guarded:
            possible.remove("failing")
        if self.fixture.conditions.limits.hello is None:
            possible.remove("absent")
        return Player(self, seat, random.choice(possible), random.randrange(1, 4))

    # Messages from the network.

    def seat(self, seat: int) -> None:
        self.happens(lambda: self.arrive(seat))

    def on_message(self, seat: int, message: FromPlayer) -> None:
        self.happens(lambda: self.say(seat, message))

    def on_garbage(self, seat: int) -> None:
        self.happens(lambda: self.refuse(seat))

    def on_exit(self, seat: int) -> None:
        self.happens(lambda: self.lose(seat))

    def fail(self, *_: Any, **__: Any) -> None:
        self.aborted = self.match.verdict is None
        self.happens(self.abort)

    def happens(self, event: Callable[[], object]) -> None:
        self.now = self.simulation.now
        event()
        if self.match.wake is not None:
            self.simulation.at(self.match.wake, TIME, lambda: self.now_is_due())
        elif self.phase() is Phase.DONE:
            self.simulation.is_over(self)

    def now_is_due(self) -> None:
        if self.match.wake is not None and self.match.wake <= self.simulation.now:
            self.happens(self.tick)

    def _deliver(self, sent: list[tuple[int, Start | Turn | Over]]) -> None:
        super()._deliver(sent)
        for seat, message in sent:
            self.players[seat].deliver(message)


class Simulation:
    """Some games, a few at the same time, and the queue of their events."""

    def __init__(self, seed: int, *, games: int = 10, at_once: int = 3) -> None:
        self.random = Random(seed)
        self.now = BEGAN
        self.tables: list[SimulatedTable] = []
        self._finished: set[int] = set()
        self._left = games
        self._queue: list[tuple[int, int, int, Callable[[], object]]] = []
        self._number = 0
        self._held_up_until = 0
        for _ in range(at_once):
            self.start_game()

    def run(self) -> None:
        """Handles all events in order, until there are no more."""
        while self._queue:
            time, order, number, event = heappop(self._queue)
            if order != OUTSIDE and time < self._held_up_until:
                heappush(self._queue, (self._held_up_until, order, number, event))
                continue
            self.now = time
            event()
            if self.random.random() < 0.003:
                self._held_up_until = self.now + self.random.randrange(400 * MS)

    def start_game(self) -> None:
        if not self._left:
            return
        self._left -= 1
        table = SimulatedTable(self, self.draw_fixture())
        self.tables.append(table)
        table.happens(lambda: None)
        for player in table.players:
            player.boot()
        if self.random.random() < 0.03:
            self.after(self.random.randrange(3 * SECOND), NEWS, table.fail)

    def draw_fixture(self) -> Fixture:
        random = self.random
        rules = random.choice(list(RULES))
        seats = range(RULES[rules])
        by_hand = random.random() < 0.15
        return new_fixture(
            rules,
            seats=len(seats),
            clock="none" if by_hand else random.choice(["none", "1", "0.3+0.05", "move=0.2"]),
            key=random.randbytes(4),
            hosted=() if by_hand else tuple(seats),
            guarded=() if by_hand else tuple(seat for seat in seats if random.random() < 0.4),
            liable=tuple(seat for seat in seats if random.random() < 0.5),
            max_plies=random.choice([None, None, None, 4, 12]),
            limits=Limits(hello=None if by_hand else 10 * SECOND),
            game=len(self.tables) + 1,
        )

    def is_over(self, table: SimulatedTable) -> None:
        if table.fixture.game not in self._finished:
            self._finished.add(table.fixture.game)
            self.start_game()

    def latency(self) -> int:
        """Below 1 ms in 98 % of cases, else below 300 ms."""
        return self.random.randrange(300 * MS) if self.random.random() < 0.02 else self.random.randrange(MS)

    def after(self, time: int, order: int, event: Callable[[], object]) -> None:
        self.at(self.now + time, order, event)

    def at(self, time: int, order: int, event: Callable[[], object]) -> None:
        self._number += 1
        heappush(self._queue, (time, order, self._number, event))
