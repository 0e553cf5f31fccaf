"""Random databases with everything that can happen to a game, and a list of what happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Final

from sqlalchemy import Connection

from db import store
from db.rated_games import Scope
from db.records import IMPORTED, GameKind, GameRecord, MoveRecord, ScheduledGame, SeatRecord, instant

BEGAN: Final = datetime.fromisoformat("2026-05-01T12:00:00+00:00")
NAMES: Final = ("ann", "bob", "cleo", "dan")


@dataclass
class Ruling:
    what: str
    seat: int | None
    made: str
    id: int
    revoked: str = "9999"
    """When it was."""


@dataclass
class Fact:
    """What was written about a game: what is rated must follow from this alone."""

    id: int
    tournament: int | None
    pair: str
    leg: int
    attempt: int
    rules: str
    seats: list[tuple[str, int]]
    """The names, and the numbers of the versions."""
    status: str = "scheduled"
    verdict: str = ""
    points: tuple[float, ...] = ()
    started: str = ""
    finished: str = ""
    rulings: list[Ruling] = field(default_factory=list)


class Record:
    """Writes a record, each step a minute after the one before, and notes what it has written."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.now = BEGAN
        self.facts: list[Fact] = []
        # With which version somebody takes part now.
        self.entries: dict[tuple[int, str], int] = {}
        self.versions: dict[tuple[str, int], int] = {}
        self._tournaments = 0

    def tick(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now

    def tournament(self, *names: str, rules: str = "connect4", format: str = "round-robin") -> int:
        """A new tournament of the first versions of `names`."""
        self._tournaments += 1
        number = store.create_tournament(
            self.connection,
            f"cup{self._tournaments}",
            format=format,
            rules=rules,
            clock="10",
            seed=1,
            seats_key=2**100 + self._tournaments,
            settings={},
            now=self.tick(),
        )
        for name in names:
            self.enter(number, name, 1)
        return number

    def version(self, name: str, number: int) -> int:
        if (name, number) not in self.versions:
            for each in range(1, number + 1):
                found = store.version(self.connection, name, f"{name} {each}", "any", self.now)
                self.versions[name, each] = found
        return self.versions[name, number]

    def enter(self, tournament: int, name: str, number: int) -> None:
        """`name` goes on with that version."""
        store.enter(self.connection, tournament, name, self.version(name, number))
        store.use_version(self.connection, tournament, name, self.version(name, number))
        self.entries[tournament, name] = number
        for fact in self.facts:
            if fact.tournament == tournament and fact.status == "scheduled":
                fact.seats = [(who, number if who == name else played) for who, played in fact.seats]

    def plan(
        self,
        tournament: int | None,
        *names: str,
        pair: str = "pair",
        leg: int = 0,
        rules: str = "connect4",
        kind: GameKind | None = None,
    ) -> Fact:
        seats = [(name, 1 if tournament is None else self.entries[tournament, name]) for name in names]
        new = ScheduledGame(
            round=1,
            pair=pair,
            leg=leg,
            game=rules,
            clock="10",
            seed=1,
            seats=tuple((self.version(*seat), seat[0]) for seat in seats),
            kind=kind,
        )
        (id,) = store.schedule(self.connection, tournament, [new])
        self.facts.append(Fact(id, tournament, pair, leg, 1, rules, seats))
        return self.facts[-1]

    def finish(self, fact: Fact, *points: float, verdict: str = "normal", moves: str = "") -> Fact:
        """The game is over; without points it is void. `moves`: a letter each."""
        fact.started = instant(self.tick())
        store.begin(self.connection, fact.id, self.now)
        fact.status, fact.verdict, fact.points = ("finished", verdict, points) if points else ("void", "void", ())
        seats = tuple(
            SeatRecord(seat, name, points[seat] if points else None, None, 1, 1, seed=2**53 - fact.id)
            for seat, (name, _) in enumerate(fact.seats)
        )
        fault = None if fact.verdict in ("normal", "void") else 0
        plies = tuple(MoveRecord(ply, ply % 2, move) for ply, move in enumerate(moves, 1))
        played = GameRecord(fact.id, fact.verdict, fault, "", seats, plies, 0)
        store.finish(self.connection, fact.id, played, host=None, now=self.tick())
        fact.finished = instant(self.now)
        return fact

    def play(
        self,
        tournament: int | None,
        first: str,
        second: str,
        score: float,
        *,
        pair: str = "pair",
        leg: int = 0,
        moves: str = "",
        kind: GameKind | None = None,
    ) -> Fact:
        planned = self.plan(tournament, first, second, pair=pair, leg=leg, kind=kind)
        return self.finish(planned, score, 1.0 - score, moves=moves)

    def repeat(self, fact: Fact, *, current: bool = False) -> Fact:
        """The game is to be played again, with the versions that are `current` or with the same ones."""
        of_now = {
            name: self.entries[fact.tournament, name] if current and fact.tournament is not None else number
            for name, number in fact.seats
        }
        versions = {name: self.version(name, number) for name, number in of_now.items()}
        id = store.repeat(self.connection, fact.id, versions=versions)
        attempts = [
            f.attempt for f in self.facts if (f.tournament, f.pair, f.leg) == (fact.tournament, fact.pair, fact.leg)
        ]
        again = Fact(id, fact.tournament, fact.pair, fact.leg, max(attempts) + 1, fact.rules, list(of_now.items()))
        self.facts.append(again)
        return again

    def forfeit(self, fact: Fact, loser: int) -> None:
        store.forfeit(self.connection, {fact.id: loser}, "withdrawn", self.tick())
        fact.status, fact.verdict, fact.finished = "finished", "forfeit", instant(self.now)
        fact.points = tuple(float(seat != loser) for seat in range(2))

    def rule(self, fact: Fact, what: str, seat: int | None = None) -> None:
        id = store.rule_on_game(self.connection, fact.id, what, "because", self.tick(), seat=seat)
        fact.rulings.append(Ruling(what, seat, instant(self.now), id))

    def revoke(self, ruling: Ruling) -> None:
        store.revoke(self.connection, ruling.id, "because", self.tick())
        ruling.revoked = instant(self.now)

    # What should be rated, by the rules as they are told to people.

    def expected(self, scope: Scope) -> list[tuple[int, tuple[str, ...], tuple[float, ...]]]:
        """Game, names and points of what is to be rated, in order."""
        found = []
        for fact in self.facts:
            points = self.counts_as(fact, scope)
            if points is not None:
                names = tuple(f"{name}@{number}" if scope.versions else name for name, number in fact.seats)
                found.append((fact.finished, fact.id, names, points))
        return [game[1:] for game in sorted(found)]

    def counts_as(self, fact: Fact, scope: Scope) -> tuple[float, ...] | None:
        """The points that the game is rated with; None if it is not."""
        then = scope.at or "9999"
        rulings = [ruling for ruling in fact.rulings if ruling.made < then <= ruling.revoked]
        ruling = rulings[-1].what if rulings else None
        if fact.status not in ("finished", "void") or fact.finished >= then:
            return None
        if scope.tournaments and fact.tournament not in scope.tournaments:
            return None
        if self.was_played_again(fact, scope) or self.is_outdated(fact, scope) or ruling in ("void", "again"):
            return None
        if ruling == "award":
            if not scope.for_points:
                return None
            return tuple(float(seat == rulings[-1].seat) for seat in range(len(fact.seats)))
        if fact.status == "void" or (fact.verdict == "forfeit" and not scope.for_points):
            return None
        return fact.points

    def was_played_again(self, fact: Fact, scope: Scope) -> bool:
        if scope.versions:
            return False  # what a version has played stays its own
        return fact.tournament is not None and any(
            (later.tournament, later.pair, later.leg) == (fact.tournament, fact.pair, fact.leg)
            and later.attempt > fact.attempt
            and (scope.at is None or "" < later.finished < scope.at)
            for later in self.facts
            if later.status != "cancelled"
        )

    def is_outdated(self, fact: Fact, scope: Scope) -> bool:
        if scope.versions or fact.tournament is None:
            return False
        return any(number != self.taking_part(fact.tournament, name, scope.at) for name, number in fact.seats)

    def taking_part(self, tournament: int, name: str, at: str | None) -> int:
        """With which version, then."""
        if at is None:
            return self.entries[tournament, name]
        over = [fact for fact in self.facts if fact.tournament == tournament and "" < fact.finished < at]
        over.sort(key=lambda fact: (fact.started or fact.finished, fact.id))
        return [dict(fact.seats)[name] for fact in over if name in dict(fact.seats)][-1]


def fill(record: Record, random: Random) -> None:
    """Tournaments and casual games in which everything happens that can."""
    cups = [
        (record.tournament(*NAMES, rules=rules, format=format), rules, format)
        for rules, format in (
            ("connect4", "round-robin"),
            ("hex", "swiss"),
            ("connect4", "gauntlet"),
            ("hex", IMPORTED),
            ("pig", "tables"),
        )
    ]
    for step in range(150):
        cup, rules, format = random.choice(cups)
        if random.random() < 0.05:
            record.enter(cup, random.choice(NAMES), random.randint(1, 3))
        if random.random() < 0.15:
            first, second = random.sample(NAMES, 2)
            record.play(None, first, second, random.choice((0.0, 0.5, 1.0)), pair=f"{step // 4}")
            continue
        names = random.sample(NAMES, 3 if format == "tables" else 2)
        every = [names[leg:] + names[:leg] for leg in range(len(names))]
        planned = every if format == "tables" else every[: random.choice((1, 2, 2, 2))]
        legs = [record.plan(cup, *seated, pair=f"{step}", leg=leg, rules=rules) for leg, seated in enumerate(planned)]
        for game in legs:
            _play(record, random, game)


def _play(record: Record, random: Random, game: Fact) -> None:
    happens = random.random()
    if happens < 0.06:
        return  # still to be played
    if happens < 0.1:
        store.cancel(record.connection, game.tournament or 0, [game.pair])
        for other in record.facts:
            if (other.tournament, other.pair, other.status) == (game.tournament, game.pair, "scheduled"):
                other.status = "cancelled"
        return
    if game.status == "cancelled":
        return
    if happens < 0.16 and len(game.seats) == 2:
        record.forfeit(game, random.randrange(2))
    elif happens < 0.24:
        record.finish(game)
    else:
        share = random.choice((0.0, 0.5, 1.0))
        points = (share, 1.0 - share) if len(game.seats) == 2 else (1.0, share, 0.0)
        record.finish(game, *points, verdict=random.choice(("normal", "normal", "time", "resigned")))
    if random.random() < (0.6 if game.status == "void" else 0.08) and game.attempt < 3:
        _play(record, random, record.repeat(game, current=random.random() < 0.5))
    while random.random() < 0.12:
        what = random.choice(("void", "again", "award"))
        record.rule(game, what, random.randrange(len(game.seats)) if what == "award" else None)
        if random.random() < 0.4:
            record.revoke(random.choice([ruling for ruling in game.rulings if ruling.revoked == "9999"]))
