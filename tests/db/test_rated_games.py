"""The right games are read for ratings, both one by one and counted by pairing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from sqlalchemy import text

from arena.ratings.bradley_terry import fit
from arena.ratings.duels import Duels, duels
from db import rated_games, scores, store
from db.database import Database
from db.rated_games import Scope
from db.records import HUMAN, IMPORTED, GameKind, instant
from db.search import GameFilter
from tests.kit.effort import tries
from tests.kit.random_record import BEGAN, NAMES, Record, fill


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


def test_games_are_in_the_order_in_which_they_ended_with_all_fields(record: Record) -> None:
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


def test_pairings_with_the_same_results_are_one_row(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    for cycle in range(3):
        record.play(cup, "ann", "bob", 1.0, pair=f"{cycle}")
        record.play(cup, "bob", "ann", 0.5, pair=f"{cycle}", leg=1)
    record.play(cup, "ann", "bob", 1.0, pair="alone")
    pairs, rest = rated_games.counted(record.connection, Scope())
    assert not rest
    assert sorted((pair.first, pair.second, pair.count) for pair in pairs) == [("ann", "bob", 1), ("ann", "bob", 3)]
    ids(record)


def test_repeated_pairings_are_counted_for_either_first_seat(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    for number, (first, second) in enumerate([("ann", "bob"), ("bob", "ann"), ("ann", "bob")]):
        for leg, (one, other) in enumerate([(first, second), (second, first)]):
            record.play(cup, one, other, float(one == "ann"), pair=f"{number}", leg=leg, moves=f"ab{one}")
    for leg, moves in enumerate(["ab", "cd"]):  # the same results, other moves
        one, other = ("bob", "ann") if leg else ("ann", "bob")
        record.play(cup, one, other, 1.0 - leg, pair="other", leg=leg, moves=moves)
    record.play(cup, "ann", "bob", 1.0, pair="alone", moves="abann")
    for pair in ("no moves", "either"):
        record.play(cup, "bob", "ann", 0.5, pair=pair)
    pairs, rest = rated_games.counted(record.connection, Scope())
    assert not rest
    assert {(pair.own, pair.others, pair.count, pair.repeats) for pair in pairs} == {
        (1.0, 0.0, 3, 3),
        (1.0, 0.0, 1, 1),
        (1.0, None, 1, 1),
        (None, 0.5, 2, 1),
    }


@pytest.mark.parametrize("number", range(tries(6)))
def test_repeats_of_counted_pairs_are_those_of_the_games_listed(record: Record, number: int) -> None:
    random = Random(number)
    cup = record.tournament(*NAMES)
    for pair in range(60):
        players = random.sample(NAMES[:3], 2)
        for leg in range(random.choice((1, 2, 2))):
            moves = random.choice(("ab", "abc", "abc", ""))
            one, other = players[::-1] if leg else players
            record.play(cup, one, other, len(moves) / 4, pair=f"{pair}", leg=leg, moves=moves)
    found = alike(columns(record, Scope()))
    assert found == alike(columns_of_counts(record, Scope()))
    assert max(repeats for _, repeats in found) > 2.0


def alike(games: Duels) -> dict[tuple[object, float], float]:
    """How often there is a pair in which just that was played, and that was played just so that often."""
    found: dict[tuple[object, float], float] = {}
    for pair, often in enumerate(games.often):
        rows = np.flatnonzero(games.pair == pair)
        seats = ((games.names[games.first[row]], games.names[games.second[row]]) for row in rows)
        key = (tuple(sorted(zip(seats, games.score[rows].tolist(), strict=True))), float(games.repeats[pair]))
        found[key] = found.get(key, 0.0) + float(often)
    return found


def test_scheduled_and_cancelled_games_are_not_rated(record: Record) -> None:
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


def test_a_game_of_a_person_is_not_rated_but_gives_points(record: Record) -> None:
    record.versions["human", 1] = store.version(record.connection, "human", HUMAN, "human", record.tick())
    cup = record.tournament("ann", "bob")
    rated = [record.play(tournament, "ann", "bob", 1.0).id for tournament in (cup, None)]
    played = record.play(None, "ann", "human", 0.0, pair="other", kind=GameKind.WITH_A_PERSON)
    assert ids(record) == rated
    assert ids(record, Scope(versions=True)) == rated
    assert played.id in [game for game, _, _ in told(record, Scope(for_points=True))]
    giving = rated_games.for_ratings_and_points(record.connection, Scope())
    assert [[game.id for game in games] for games in giving] == [rated, [*rated, played.id]]


def test_a_challenge_neither_counts_nor_gives_points(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    rated = [record.play(tournament, "ann", "bob", 1.0).id for tournament in (cup, None)]
    before = told(record), told(record, Scope(for_points=True))
    lost = record.play(None, "ann", "bob", 0.0, pair="other", kind=GameKind.CHALLENGE)
    assert (told(record), told(record, Scope(for_points=True))) == before
    assert ids(record) == ids(record, Scope(versions=True)) == rated
    views = {
        view: record.connection.execute(text(f"SELECT COUNT(*) FROM {view} WHERE {which}")).scalar()
        for view, which in (("v_game", f"id = {lost.id} AND counts = 1"), ("v_standing", "losses > 0 AND name = 'ann'"))
    }
    assert views == {"v_game": 0, "v_standing": 0}
    assert record.connection.execute(text("SELECT MAX(games) FROM v_head_to_head")).scalar() == 1


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


def test_an_awarded_void_game_gives_points_but_is_not_rated(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    void = record.finish(record.plan(cup, "ann", "bob"))
    record.rule(void, "award", 1)
    assert ids(record) == []
    assert told(record, Scope(for_points=True)) == [(void.id, ("ann", "bob"), (0.0, 1.0))]


def test_games_of_an_earlier_version_are_rated_for_that_version_only(record: Record) -> None:
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


def test_games_of_another_tournament_are_not_read(record: Record) -> None:
    cups = [record.tournament("ann", "bob") for _ in range(3)]
    games = [record.play(cup, "ann", "bob", 1.0).id for cup in cups]
    alone = record.play(None, "ann", "bob", 1.0).id
    assert ids(record) == [*games, alone]
    assert ids(record, Scope(tournaments=(cups[1],))) == [games[1]]
    assert ids(record, Scope(tournaments=(cups[2], cups[0]))) == [games[0], games[2]]


@pytest.mark.parametrize("format", [IMPORTED, "tables"])
def test_games_that_are_not_pairings_of_two_are_listed_one_by_one(record: Record, format: str) -> None:
    cup = record.tournament("ann", "bob", "cleo", format=format)
    three = record.plan(cup, "ann", "bob", "cleo", pair="three", rules="ludo:players=3")
    record.finish(three, 1.0, 0.5, 0.0)
    for leg, seated in enumerate((("bob", "cleo", "ann"), ("cleo", "ann", "bob")), 1):
        record.plan(cup, *seated, pair="three", leg=leg, rules="ludo:players=3")
    two = record.finish(record.plan(cup, "ann", "bob", pair="two", rules="hex"), 1.0, 0.0)
    pairs, rest = rated_games.counted(record.connection, Scope())
    assert pairs == []
    assert [(game.id, game.names, game.rules) for game in rest] == [
        (three.id, ("ann", "bob", "cleo"), "ludo:players=3"),
        (two.id, ("ann", "bob"), "hex"),
    ]


def test_only_games_that_match_the_filter_are_read(record: Record) -> None:
    cup = record.tournament("ann", "bob", "cleo")
    one, other = record.play(cup, "ann", "bob", 1.0, pair="a"), record.play(cup, "ann", "cleo", 1.0, pair="b")
    late = record.finish(record.plan(cup, "bob", "cleo", pair="c"), 0.0, 1.0, verdict="time")
    for wanted, expected in (
        (GameFilter(agent="ann"), [one, other]),
        (GameFilter(agent="cleo", seat=1), [other, late]),
        (GameFilter(verdict="time"), [late]),
        (GameFilter(since=other.finished), [other, late]),
        (GameFilter(until=other.finished), [one]),
        (GameFilter(game="hex"), []),
    ):
        assert ids(record, Scope(wanted=wanted)) == [game.id for game in expected]
    record.rule(late, "void")
    assert ids(record, Scope(wanted=GameFilter(verdict="time"))) == []


# As the record was.


def test_with_at_nothing_later_is_read(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    first, ruled = record.play(cup, "ann", "bob", 1.0), record.play(cup, "bob", "ann", 1.0, leg=1)
    then = instant(record.tick())
    record.rule(ruled, "void")
    again = record.finish(record.repeat(first), 0.0, 1.0)
    later = record.play(cup, "ann", "bob", 1.0, pair="later")
    assert ids(record, Scope(at=then)) == [first.id, ruled.id]
    assert ids(record, Scope(at=later.finished)) == [again.id]
    assert ids(record) == [again.id, later.id]


def test_with_at_the_ruling_in_force_then_gives_the_points(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    played = record.play(cup, "ann", "bob", 1.0)
    moments = [instant(record.tick())]
    for what, seat in (("award", 1), ("void", None), ("award", 0)):
        record.rule(played, what, seat)
        moments.append(instant(record.tick()))
    found = [told(record, Scope(at=at, for_points=True)) for at in moments]
    assert [[game[2] for game in games] for games in found] == [[(1.0, 0.0)], [(0.0, 1.0)], [], [(1.0, 0.0)]]


def test_with_at_the_version_of_that_time_is_rated(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    before = record.play(cup, "ann", "bob", 1.0)
    then = instant(record.tick())
    record.enter(cup, "ann", 2)
    after = record.play(cup, "bob", "ann", 1.0, leg=1)
    assert ids(record, Scope(at=then)) == [before.id]
    assert ids(record, Scope(at=instant(record.tick()))) == [after.id]


def test_with_at_a_filter_does_not_change_which_version_is_outdated(record: Record) -> None:
    cup = record.tournament("ann", "bob", "cleo")
    record.play(cup, "ann", "bob", 1.0)
    record.enter(cup, "ann", 2)
    record.play(cup, "ann", "cleo", 1.0, pair="other")
    wanted = GameFilter(agent="ann", opponent="bob")
    assert ids(record, Scope(wanted=wanted)) == []
    assert ids(record, Scope(wanted=wanted, at=instant(record.tick()))) == []


# Whatever the record.


@pytest.mark.costly
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
def test_counted_games_are_the_listed_games(record: Record, number: int) -> None:
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
