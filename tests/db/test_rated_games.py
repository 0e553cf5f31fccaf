"""The games that ratings are made of are the right ones, one after the other as well as counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
import pytest
from sqlalchemy import Connection

from arena.ratings.bradley_terry import fit
from arena.ratings.duels import Duels, duels
from db import rated_games, scores, store
from db.database import Database
from db.imports import IMPORTED
from db.rated_games import Scope
from db.records import GameRecord, SeatRecord, instant
from db.search import Wanted
from tests.kit.effort import tries

BEGAN: Final = datetime.fromisoformat("2026-05-01T12:00:00+00:00")


@dataclass
class Ruling:
    what: str
    seat: int | None
    made: str


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
        self, tournament: int | None, *names: str, pair: str = "pair", leg: int = 0, rules: str = "connect4"
    ) -> Fact:
        seats = [(name, 1 if tournament is None else self.entries[tournament, name]) for name in names]
        new = store.NewGame(
            1, pair, leg, 1, rules, "10", "1", None, tuple((self.version(*seat), seat[0]) for seat in seats)
        )
        (id,) = store.schedule(self.connection, tournament, [new])
        self.facts.append(Fact(id, tournament, pair, leg, 1, rules, seats))
        return self.facts[-1]

    def finish(self, fact: Fact, *points: float, verdict: str = "normal") -> Fact:
        """The game is over; without points it is void."""
        fact.started = instant(self.tick())
        store.begin(self.connection, fact.id, self.now)
        fact.status, fact.verdict, fact.points = ("finished", verdict, points) if points else ("void", "void", ())
        seats = tuple(
            SeatRecord(seat, name, points[seat] if points else None, None, 1, 1, None, None, None)
            for seat, (name, _) in enumerate(fact.seats)
        )
        fault = None if fact.verdict in ("normal", "void") else 0
        played = GameRecord(fact.id, fact.verdict, fault, "", seats, (), 0)
        store.finish(self.connection, fact.id, played, host=None, now=self.tick())
        fact.finished = instant(self.now)
        return fact

    def play(
        self, tournament: int | None, first: str, second: str, score: float, *, pair: str = "pair", leg: int = 0
    ) -> Fact:
        return self.finish(self.plan(tournament, first, second, pair=pair, leg=leg), score, 1.0 - score)

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
        store.forfeit(self.connection, fact.id, loser, "withdrawn", self.tick())
        fact.status, fact.verdict, fact.finished = "finished", "forfeit", instant(self.now)
        fact.points = tuple(float(seat != loser) for seat in range(2))

    def rule(self, fact: Fact, what: str, seat: int | None = None) -> None:
        store.rule_on_game(self.connection, fact.id, what, "because", self.tick(), seat=seat)
        fact.rulings.append(Ruling(what, seat, instant(self.now)))

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
        rulings = [ruling for ruling in fact.rulings if ruling.made < then]
        ruling = rulings[-1].what if rulings else None
        if fact.status not in ("finished", "void") or fact.finished >= then:
            return None
        if scope.tournaments and fact.tournament not in scope.tournaments:
            return None
        if self.was_played_again(fact, scope) or self.is_outdated(fact, scope) or ruling == "void":
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


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with Database(str(tmp_path / "arena.db")) as database, database.writing() as connection:
        yield Record(connection)


def told(record: Record, scope: Scope | None = None) -> list[tuple[int, tuple[str, ...], tuple[float, ...]]]:
    return [(game.id, game.names, game.points) for game in rated_games.games(record.connection, scope or Scope())]


def ids(record: Record, scope: Scope | None = None) -> list[int]:
    """The games that are rated, and the same whichever way they are asked for."""
    scope = scope or Scope()
    found = [game.id for game in rated_games.games(record.connection, scope)]
    assert weighed(columns_of_counts(record, scope)) == weighed(columns(record, scope))
    return found


def columns(record: Record, scope: Scope) -> Duels:
    return duels(rated_games.games(record.connection, scope))


def columns_of_counts(record: Record, scope: Scope) -> Duels:
    pairs, rest = rated_games.counted(record.connection, scope)
    return duels(rest, pairs)


def weighed(games: Duels) -> dict[tuple[tuple[object, ...], ...], float]:
    """How often there is a pair in which just that was played."""
    pairs: dict[int, list[tuple[object, ...]]] = {}
    for row, pair in enumerate(games.pair):
        names = games.names[games.first[row]], games.names[games.second[row]]
        pairs.setdefault(int(pair), []).append((*names, games.kinds[games.kind[row]], float(games.score[row])))
    found: dict[tuple[tuple[object, ...], ...], float] = {}
    for pair, played in pairs.items():
        key = tuple(sorted(played))
        found[key] = found.get(key, 0.0) + float(games.often[pair])
    return found


# What is left out, each by itself.


def test_games_are_told_in_the_order_in_which_they_were_over_with_all_that_ratings_ask(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    later, sooner = record.plan(cup, "ann", "bob"), record.plan(cup, "bob", "ann", leg=1)
    record.finish(sooner, 0.5, 0.5)
    record.finish(later, 0.0, 1.0)
    one, other = rated_games.games(record.connection, Scope())
    assert (one.id, other.id) == (sooner.id, later.id)
    assert (one.names, one.points, one.rules, one.tournament) == (("bob", "ann"), (0.5, 0.5), "connect4", cup)
    assert (one.number, one.round, one.finished, one.verdict, one.plies) == (2, 1, sooner.finished, "normal", 0)
    assert one.pair == other.pair


def test_pairs_of_two_tournaments_are_not_the_same_pair(record: Record) -> None:
    for _ in range(2):
        record.play(record.tournament("ann", "bob"), "ann", "bob", 1.0)
    one, other = rated_games.games(record.connection, Scope())
    assert one.pair != other.pair


def test_pairs_that_went_alike_are_one_row(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    for cycle in range(3):
        record.play(cup, "ann", "bob", 1.0, pair=f"{cycle}")
        record.play(cup, "bob", "ann", 0.5, pair=f"{cycle}", leg=1)
    record.play(cup, "ann", "bob", 1.0, pair="alone")
    pairs, rest = rated_games.counted(record.connection, Scope())
    assert not rest
    assert sorted((pair.first, pair.second, pair.count) for pair in pairs) == [("ann", "bob", 1), ("ann", "bob", 3)]
    ids(record)


def test_games_to_be_played_and_cancelled_are_not_rated(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    played = record.play(cup, "ann", "bob", 1.0)
    begun = record.plan(cup, "bob", "ann", leg=1)
    record.plan(cup, "bob", "ann", pair="needless")
    store.begin(record.connection, begun.id, record.tick())
    store.cancel(record.connection, cup, ["needless"])
    assert ids(record) == [played.id]


def test_a_forfeit_is_not_rated_but_gives_points(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    played, not_played = record.play(cup, "ann", "bob", 1.0), record.plan(cup, "bob", "ann", leg=1)
    record.forfeit(not_played, 0)
    assert ids(record) == [played.id]
    assert told(record, Scope(for_points=True))[1] == (not_played.id, ("bob", "ann"), (0.0, 1.0))


def test_a_loss_by_a_fault_is_rated(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    late = record.finish(record.plan(cup, "ann", "bob"), 0.0, 1.0, verdict="time")
    assert ids(record) == [late.id]


def test_a_void_game_is_not_rated_and_its_next_attempt_is(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    void = record.finish(record.plan(cup, "ann", "bob"))
    assert ids(record) == []
    again = record.finish(record.repeat(void), 1.0, 0.0)
    assert ids(record) == [again.id]


def test_a_game_that_is_played_again_is_not_rated_even_before_that_is_over(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    first = record.play(cup, "ann", "bob", 1.0)
    again = record.repeat(first)
    assert ids(record) == []
    record.finish(again, 0.0, 1.0)
    assert ids(record) == [again.id]


def test_a_game_whose_repetition_was_cancelled_is_rated(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    first = record.play(cup, "ann", "bob", 1.0)
    record.repeat(first).status = "cancelled"
    second = record.play(cup, "bob", "ann", 0.5, leg=1)
    store.cancel(record.connection, cup, ["pair"])
    assert ids(record) == [first.id, second.id]
    record.repeat(second).status = "cancelled"
    store.cancel(record.connection, cup, ["pair"])
    assert ids(record) == [first.id, second.id]


@pytest.mark.parametrize(
    ("rulings", "is_rated", "gives"),
    [
        ((), True, (1.0, 0.0)),
        (("void",), False, None),
        (("award",), False, (0.0, 1.0)),
        (("award", "void"), False, None),
        (("void", "award"), False, (0.0, 1.0)),
    ],
)
def test_an_overruled_game_is_not_rated_and_gives_the_points_of_the_last_ruling(
    record: Record, rulings: tuple[str, ...], is_rated: bool, gives: tuple[float, ...] | None
) -> None:
    cup = record.tournament("ann", "bob")
    played = record.play(cup, "ann", "bob", 1.0)
    for what in rulings:
        record.rule(played, what, 1 if what == "award" else None)
    assert ids(record) == ([played.id] if is_rated else [])
    expected = [] if gives is None else [(played.id, ("ann", "bob"), gives)]
    assert told(record, Scope(for_points=True)) == expected


def test_a_void_game_that_was_awarded_gives_points_alone(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    void = record.finish(record.plan(cup, "ann", "bob"))
    record.rule(void, "award", 1)
    assert ids(record) == []
    assert told(record, Scope(for_points=True)) == [(void.id, ("ann", "bob"), (0.0, 1.0))]


def test_games_of_an_earlier_version_are_rated_for_that_version_alone(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    before = record.play(cup, "ann", "bob", 1.0)
    record.enter(cup, "ann", 2)
    assert ids(record) == []
    after = record.play(cup, "bob", "ann", 1.0, leg=1)
    assert ids(record) == [after.id]
    scope = Scope(versions=True)
    assert ids(record, scope) == [before.id, after.id]
    assert [game[1] for game in told(record, scope)] == [("ann@1", "bob@1"), ("bob@1", "ann@2")]


def test_a_version_is_outdated_only_where_another_was_entered(record: Record) -> None:
    one, other = record.tournament("ann", "bob"), record.tournament("ann", "bob")
    games = [record.play(cup, "ann", "bob", 1.0) for cup in (one, other)]
    alone = record.play(None, "ann", "bob", 1.0)
    record.enter(one, "ann", 2)
    assert ids(record) == [games[1].id, alone.id]


def test_games_of_another_tournament_are_not_asked_for(record: Record) -> None:
    cups = [record.tournament("ann", "bob") for _ in range(3)]
    games = [record.play(cup, "ann", "bob", 1.0).id for cup in cups]
    alone = record.play(None, "ann", "bob", 1.0).id
    assert ids(record) == [*games, alone]
    assert ids(record, Scope(tournaments=(cups[1],))) == [games[1]]
    assert ids(record, Scope(tournaments=(cups[2], cups[0]))) == [games[0], games[2]]


@pytest.mark.parametrize("format", [IMPORTED, "tables"])
def test_games_of_more_and_of_several_rules_are_told_one_by_one(record: Record, format: str) -> None:
    cup = record.tournament("ann", "bob", "cleo", format=format)
    three = record.plan(cup, "ann", "bob", "cleo", pair="three", rules="ludo:players=3")
    record.finish(three, 1.0, 0.5, 0.0)
    two = record.finish(record.plan(cup, "ann", "bob", pair="two", rules="hex"), 1.0, 0.0)
    pairs, rest = rated_games.counted(record.connection, Scope())
    assert pairs == []
    assert [(game.id, game.names, game.rules) for game in rest] == [
        (three.id, ("ann", "bob", "cleo"), "ludo:players=3"),
        (two.id, ("ann", "bob"), "hex"),
    ]


def test_only_wanted_games_are_told(record: Record) -> None:
    cup = record.tournament("ann", "bob", "cleo")
    one, other = record.play(cup, "ann", "bob", 1.0, pair="a"), record.play(cup, "ann", "cleo", 1.0, pair="b")
    late = record.finish(record.plan(cup, "bob", "cleo", pair="c"), 0.0, 1.0, verdict="time")
    for wanted, expected in (
        (Wanted(agent="ann"), [one, other]),
        (Wanted(agent="cleo", seat=1), [other, late]),
        (Wanted(verdict="time"), [late]),
        (Wanted(since=other.finished), [other, late]),
        (Wanted(until=other.finished), [one]),
        (Wanted(game="hex"), []),
    ):
        assert ids(record, Scope(wanted=wanted)) == [game.id for game in expected]
    record.rule(late, "void")
    assert ids(record, Scope(wanted=Wanted(verdict="time"))) == []


# As the record was.


def test_at_a_moment_nothing_that_came_later_is_known(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    first, ruled = record.play(cup, "ann", "bob", 1.0), record.play(cup, "bob", "ann", 1.0, leg=1)
    then = instant(record.tick())
    record.rule(ruled, "void")
    again = record.finish(record.repeat(first), 0.0, 1.0)
    later = record.play(cup, "ann", "bob", 1.0, pair="later")
    assert ids(record, Scope(at=then)) == [first.id, ruled.id]
    assert ids(record, Scope(at=later.finished)) == [again.id]
    assert ids(record) == [again.id, later.id]


def test_at_a_moment_the_ruling_that_held_then_gives_the_points(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    played = record.play(cup, "ann", "bob", 1.0)
    moments = [instant(record.tick())]
    for what, seat in (("award", 1), ("void", None), ("award", 0)):
        record.rule(played, what, seat)
        moments.append(instant(record.tick()))
    found = [told(record, Scope(at=at, for_points=True)) for at in moments]
    assert [[game[2] for game in games] for games in found] == [[(1.0, 0.0)], [(0.0, 1.0)], [], [(1.0, 0.0)]]


def test_at_a_moment_the_version_that_played_then_is_rated(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    before = record.play(cup, "ann", "bob", 1.0)
    then = instant(record.tick())
    record.enter(cup, "ann", 2)
    after = record.play(cup, "bob", "ann", 1.0, leg=1)
    assert ids(record, Scope(at=then)) == [before.id]
    assert ids(record, Scope(at=instant(record.tick()))) == [after.id]


def test_a_version_is_outdated_at_a_moment_whatever_games_are_wanted(record: Record) -> None:
    cup = record.tournament("ann", "bob", "cleo")
    record.play(cup, "ann", "bob", 1.0)
    record.enter(cup, "ann", 2)
    record.play(cup, "ann", "cleo", 1.0, pair="other")
    wanted = Wanted(agent="ann", opponent="bob")
    assert ids(record, Scope(wanted=wanted)) == []
    assert ids(record, Scope(wanted=wanted, at=instant(record.tick()))) == []


# Whatever the record.

NAMES: Final = ("ann", "bob", "cleo", "dan")


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
        names = random.sample(NAMES, 3 if format == "tables" and random.random() < 0.5 else 2)
        either_way = [names, names[1:] + names[:1]][: random.choice((1, 2, 2, 2))]
        legs = [
            record.plan(cup, *seated, pair=f"{step}", leg=leg, rules=rules) for leg, seated in enumerate(either_way)
        ]
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
        what = random.choice(("void", "award"))
        record.rule(game, what, random.randrange(len(game.seats)) if what == "award" else None)


@pytest.mark.parametrize("number", range(tries(8)))
def test_exactly_the_games_that_should_be_are_rated(record: Record, number: int) -> None:
    random = Random(number)
    fill(record, random)
    moments = [instant(BEGAN + (record.now - BEGAN) * part) for part in (0.2, 0.5, 0.8, 1.1)]
    for at in (None, *moments):
        for tournaments in ((), (1,), (1, 4), (2, 3, 5)):
            for versions in (False, True):
                for for_points in (False, True):
                    scope = Scope(tournaments=tournaments, at=at, versions=versions, for_points=for_points)
                    assert told(record, scope) == record.expected(scope), scope


@pytest.mark.parametrize("number", range(tries(8)))
def test_games_that_are_counted_are_those_that_are_told(record: Record, number: int) -> None:
    fill(record, Random(100 + number))
    for tournaments in ((), (1,), (1, 4), (2, 3, 5)):
        for versions in (False, True):
            for for_points in (False, True):
                scope = Scope(tournaments=tournaments, versions=versions, for_points=for_points)
                assert weighed(columns_of_counts(record, scope)) == weighed(columns(record, scope)), scope
    one, other = fit(columns(record, Scope())), fit(columns_of_counts(record, Scope()))
    assert one.names == other.names
    assert (one.ratings == other.ratings).all()
    np.testing.assert_allclose(other.covariance, one.covariance, rtol=1e-9, atol=1e-9)
    pairs, _ = rated_games.counted(record.connection, Scope())
    assert sum(pair.count for pair in pairs) > 10


@pytest.mark.parametrize("number", range(tries(4)))
def test_games_for_points_are_those_of_the_standings(record: Record, number: int) -> None:
    fill(record, Random(200 + number))
    for tournament in range(1, 6):
        standing: dict[str, list[float]] = {}
        for game in rated_games.games(record.connection, Scope(tournaments=(tournament,), for_points=True)):
            for name, points in zip(game.names, game.points, strict=True):
                standing.setdefault(name, []).append(points)
        counted = scores.scores(record.connection, tournament).players
        assert {name: (len(all), sum(all)) for name, all in standing.items()} == {
            name: (one.games, one.points) for name, one in counted.items()
        }
    whole = {name: 0 for pair in combinations(NAMES, 2) for name in pair}
    for game in rated_games.games(record.connection, Scope(for_points=True)):
        for name in game.names:
            whole[name] += 1
    assert whole == {name: one.games for name, one in scores.scores(record.connection).players.items()}
