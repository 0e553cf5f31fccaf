"""The ratings of a ladder: the right games are counted once, however they end, and only what changed is read and
written."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random

import pytest

from arena.ratings.bradley_terry import fit
from arena.ratings.duels import duels
from arena.ratings.ranking import RankingSettings
from arena.results.ranking_table import recorded_ranking
from arena.serve.rating import LadderRatings
from db import ladder, rated_games, store
from db.database import Connection, Database
from db.ladder import NewRating
from db.rated_games import Scope
from tests.kit.effort import tries
from tests.kit.random_record import Fact, Record

NOW = datetime(2026, 5, 1, tzinfo=UTC)
PLAYERS = ("ann", "bob", "cleo", "dan")
ANCHORS = {"low": 0.0, "high": 400.0}


@pytest.fixture
def database(where: str) -> Iterator[Database]:
    with Database(where) as database:
        yield database


class RandomLadder:
    """A ladder on which everything happens that can."""

    def __init__(self, connection: Connection, random: Random) -> None:
        self.record, self.random = Record(connection), random
        self.id = self.record.tournament(*PLAYERS, *ANCHORS, format="ladder")
        held = [NewRating(self.record.version(name, 1), rating, 0.0, 0) for name, rating in ANCHORS.items()]
        ladder.add_ratings(connection, self.id, held, NOW)
        self.open: list[Fact] = []
        self.over: list[Fact] = []
        self._pairs = 0

    def happen(self, connection: Connection, *, rulings: bool = True) -> None:
        """One thing."""
        self.record.connection = connection
        kind = self.random.random()
        if kind < 0.3 or not self.open:
            self.begin_pair()
        elif kind < 0.85:
            self.end(self.open.pop(self.random.randrange(len(self.open))))
        elif kind < 0.9:
            name = self.random.choice(PLAYERS)
            for pair in {game.pair for game in self.open if name in dict(game.seats)}:
                self.cancel(connection, pair)
            self.record.enter(self.id, name, self.record.entries[self.id, name] + 1)
        elif kind < 0.93:
            self.cancel(connection, self.open[0].pair)
        elif rulings and self.over:
            self.record.rule(self.random.choice(self.over), "void")

    def cancel(self, connection: Connection, pair: str) -> None:
        """The games of the pair that have not begun are not played."""
        store.cancel(connection, self.id, [pair])
        self.open = [game for game in self.open if game.pair != pair]

    def begin_pair(self) -> None:
        """Two games, scheduled."""
        self._pairs += 1
        one, other = self.random.sample([*PLAYERS, *ANCHORS], 2)
        for leg, names in enumerate([(one, other), (other, one)]):
            self.open.append(self.record.plan(self.id, *names, pair=f"{self._pairs}", leg=leg))

    def end(self, game: Fact) -> None:
        """The game ends somehow; often it repeats another one move for move."""
        how = self.random.random()
        if how < 0.1:
            self.record.finish(game)
            self.open.append(self.record.repeat(game))
            return
        moves = self.random.choice("abcd") * 3
        score = {"a": 1.0, "b": 0.0, "c": 0.5, "d": 1.0}[moves[0]]
        if how < 0.15:
            self.record.forfeit(game, 0)
        else:
            self.record.finish(game, score, 1.0 - score, moves=moves)
        self.over.append(game)


@pytest.mark.parametrize("seed", range(tries(3)))
def test_ratings_are_those_of_a_fit_of_all_games(database: Database, seed: int) -> None:
    """Read in parts, while games end in any order, they are those that the rest of the program finds."""
    random = Random(seed)
    with database.writing() as connection:
        made = RandomLadder(connection, random)
    with database.reading() as connection:
        ratings = LadderRatings(connection, made.id)
    for _ in range(8):
        with database.writing() as connection:
            for _ in range(30):
                made.happen(connection)
        with database.reading() as connection:
            ratings.read(connection)
        ratings.write(database, ratings.fitted(set()), NOW)
    with database.reading() as connection:
        every = rated_games.games(connection, Scope(tournaments=(made.id,), versions=True))
        expected = fit(duels(every), held={f"{name}@1": rating for name, rating in ANCHORS.items()})
        versions = {f"{name}@{number}": id for (name, number), id in made.record.versions.items()}
        found = {one.version: one for one in again(connection, made.id)}
        for name, rating, error in zip(expected.names, expected.ratings, expected.errors(), strict=True):
            if name.partition("@")[0] in ANCHORS:
                continue
            one = found[versions[name]]
            assert (one.rating, one.error) == pytest.approx((rating, error), abs=1e-3)
            assert one.games == sum(name in game.names for game in every)
            assert ladder.curve(connection, made.id, versions[name])[-1].games == one.games


def test_a_ranking_of_a_ladder_has_its_ratings(database: Database) -> None:
    """`arena results rank` holds all anchors; each agent has one version here, because it rates agents."""
    random = Random(8)
    with database.writing() as connection:
        made = RandomLadder(connection, random)
        held = [{"name": name, "anchor": rating} for name, rating in ANCHORS.items()]
        store.change_settings(connection, made.id, {"agents": held})
        for number in range(60):
            one, other = random.sample([*PLAYERS, *ANCHORS], 2)
            for leg, names in enumerate([(one, other), (other, one)]):
                made.record.play(made.id, *names, random.choice([0.0, 0.5, 1.0]), pair=f"{number}", leg=leg)
    with database.reading() as connection:
        scope = Scope(tournaments=(made.id,))
        ranking, _ = recorded_ranking(connection, scope, system=None, settings=RankingSettings())
        ratings = {player.name: player.rating for player in ranking.players}
        versions = {id: name for (name, _), id in made.record.versions.items()}
        expected = {versions[one.version]: one.rating for one in again(connection, made.id)}
    assert ratings == pytest.approx(expected | ANCHORS, abs=1e-3)


def again(connection: Connection, tournament: int) -> list[NewRating]:
    """The ratings that a process finds that begins now and knows no ratings that were written."""
    ratings = LadderRatings(connection, tournament)
    ratings.read(connection)
    ratings._written.clear()
    return ratings.fitted(set())


def test_reading_in_parts_counts_what_reading_at_once_counts(database: Database) -> None:
    with database.writing() as connection:
        made = RandomLadder(connection, Random(1))
        ratings = LadderRatings(connection, made.id)
        for _ in range(300):
            made.happen(connection)
            ratings.read(connection)
        at_once = LadderRatings(connection, made.id)
        assert at_once.read(connection)
        assert not at_once.read(connection)
        assert ratings._results.games == at_once._results.games
        assert sorted(map(repr, ratings._results.counted())) == sorted(map(repr, at_once._results.counted()))


def test_a_rating_is_written_if_its_version_played_or_moved(database: Database) -> None:
    with database.writing() as connection:
        made = RandomLadder(connection, Random(2))
        record = made.record
        for one, other in (("ann", "low"), ("bob", "ann"), ("cleo", "high"), ("dan", "high")):
            record.play(made.id, one, other, 0.5, pair=one)
            record.play(made.id, other, one, 0.5, pair=one, leg=1)
    with database.reading() as connection:
        ratings = LadderRatings(connection, made.id)
        ratings.read(connection)
    of = {name: record.version(name, 1) for name in PLAYERS}

    def written(current: set[int]) -> set[str]:
        with database.reading() as connection:
            ratings.read(connection)
        new = ratings.fitted(current)
        ratings.write(database, new, NOW)
        return {name for name, version in of.items() if version in {one.version for one in new}}

    assert written(set()) == set(PLAYERS)
    assert written(set(of.values())) == set()
    with database.writing() as connection:
        record.connection = connection
        record.play(made.id, "ann", "low", 1.0, pair="new")
        record.play(made.id, "low", "ann", 0.0, pair="new", leg=1)
    # Bob met ann, and moves with her; cleo and dan did not.
    assert written({of["bob"], of["cleo"]}) == {"ann", "bob"}
    with database.reading() as connection:
        assert {name: len(ladder.curve(connection, made.id, id)) for name, id in of.items()} == {
            "ann": 2,
            "bob": 2,
            "cleo": 1,
            "dan": 1,
        }
        for name, rating in ANCHORS.items():
            (only,) = ladder.curve(connection, made.id, record.version(name, 1))
            assert (only.rating, only.error) == (rating, 0.0)
        # Another process begins with what was written.
        later = LadderRatings(connection, made.id)
        later.read(connection)
        assert later.fitted(set(of.values())) == []


def test_a_ruling_counts_all_games_anew(database: Database) -> None:
    with database.writing() as connection:
        made = RandomLadder(connection, Random(3))
        record = made.record
        game = record.play(made.id, "ann", "low", 1.0)
        ratings = LadderRatings(connection, made.id)
        assert ratings.read(connection)
        (before,) = ratings.fitted(set())
        assert before.rating > 200.0  # the anchors' mean
        record.rule(game, "void")
        assert ratings.read(connection)
        assert ratings.fitted(set()) == []
        assert not ratings.read(connection)


@pytest.mark.parametrize("where", ["sqlite"], indirect=True)
def test_old_versions_keep_their_ratings_if_there_are_too_many(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are rated nearly as in a fit of all versions."""
    with database.writing() as connection:
        made = RandomLadder(connection, Random(5))
    with database.reading() as connection:
        ratings = LadderRatings(connection, made.id)
    for _ in range(12):
        with database.writing() as connection:
            for _ in range(60):
                made.happen(connection, rulings=False)
        with database.reading() as connection:
            ratings.read(connection)
            current = {line.version for line in ladder.standings(connection, made.id)}
        ratings.write(database, ratings.fitted(current), NOW)
    with database.writing() as connection:
        for _ in range(60):
            made.happen(connection, rulings=False)
    with database.reading() as connection:
        ratings.read(connection)
    every = {one.version: one for one in ratings.fitted(current)}
    monkeypatch.setattr("arena.serve.rating._MOST_FITTED", 15)
    found = {one.version: one for one in ratings.fitted(current)}
    assert len(ratings._settled(current)) >= 15
    assert found.keys() & current
    assert found.keys() <= every.keys()
    for version in found.keys() & current:
        assert found[version].rating == pytest.approx(every[version].rating, abs=0.25 * every[version].error)
        assert 0.8 < found[version].error / every[version].error < 1.2
        assert found[version].games == every[version].games


def instructions(database: Database, ratings: LadderRatings) -> int:
    """The instructions of SQLite's machine that one more read takes."""
    counted = 0

    def count() -> None:
        nonlocal counted
        counted += 1

    with database.reading() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.set_progress_handler(count, 1)
        ratings.read(connection)
        ladder.standings(connection, 1)
        driver.set_progress_handler(None, 0)
    return counted


@pytest.mark.parametrize("where", ["sqlite"], indirect=True)
def test_a_finished_game_costs_the_same_however_many_were_played(database: Database) -> None:
    """Counted in instructions of the database, not in time."""
    with database.writing() as connection:
        made = RandomLadder(connection, Random(4))
        record = made.record
    costs = []
    with database.reading() as connection:
        ratings = LadderRatings(connection, made.id)
    for games in (10, 1000):
        with database.writing() as connection:
            record.connection = connection
            for number in range(games):
                record.play(made.id, "ann", "bob", float(number % 2), pair=f"{games} {number}")
        with database.reading() as connection:
            ratings.read(connection)
        ratings.write(database, ratings.fitted(set()), NOW)
        with database.writing() as connection:
            record.connection = connection
            record.play(made.id, "ann", "bob", 1.0, pair=f"{games} one more")
        costs.append(instructions(database, ratings))
    assert costs[0] == costs[1] > 0
