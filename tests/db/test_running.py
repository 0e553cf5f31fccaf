"""The queries of a running tournament: the pairings that a sequential test can use."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection

from db import running, store
from db.database import Database
from db.records import GameRecord, ScheduledGame, SeatRecord
from tests.kit.small_record import NOW, tournament


class Match:
    """Pairs of games between ann and bob."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.id = tournament(connection)
        self.versions = {name: store.version(connection, name, "first", "random", NOW) for name in ("ann", "bob")}
        for name, version in self.versions.items():
            store.enter(connection, self.id, name, version)

    def pair(self, key: str) -> list[int]:
        """The two games of a new pair: ann sits first in the first of them."""
        seats = tuple((version, name) for name, version in self.versions.items())
        return store.schedule(
            self.connection,
            self.id,
            [
                ScheduledGame(round=1, pair=key, leg=leg, game="tictactoe", seed=7, seats=(seats[leg], seats[1 - leg]))
                for leg in range(2)
            ],
        )

    def play(self, game: int, ann: float | None, *, leg: int = 0) -> None:
        """The game is over, and brought ann so much; None: void."""
        points = (None, None) if ann is None else (ann, 1 - ann) if leg == 0 else (1 - ann, ann)
        seats = tuple(SeatRecord(seat, "", points[seat], None, 0, 0) for seat in range(2))
        verdict = "void" if ann is None else "normal"
        store.finish(self.connection, game, GameRecord(game, verdict, None, "", seats, (), 0), host=None, now=NOW)

    def played(self, key: str, first: float, second: float) -> list[int]:
        """A whole pair that brought ann so much."""
        games = self.pair(key)
        self.play(games[0], first)
        self.play(games[1], second, leg=1)
        return games

    def points(self, name: str = "ann") -> dict[float, int]:
        return running.pair_points(self.connection, self.id, name)


@pytest.fixture
def match() -> Iterator[Match]:
    with Database(":memory:") as database, database.writing() as connection:
        yield Match(connection)


def test_pairings_are_counted_by_the_points_of_the_player(match: Match) -> None:
    for number, (first, second) in enumerate([(1, 1), (1, 0.5), (0.5, 1), (0, 1), (0.5, 0.5), (0, 0)]):
        match.played(f"pair {number}", first, second)
    assert match.points() == {2.0: 1, 1.5: 2, 1.0: 2, 0.0: 1}
    assert match.points("bob") == {0.0: 1, 0.5: 2, 1.0: 2, 2.0: 1}


def test_a_half_played_pairing_is_not_counted(match: Match) -> None:
    one, other = match.pair("half"), match.pair("begun")
    match.play(one[0], 1)
    match.play(other[0], 1)
    store.begin(match.connection, other[1], NOW)
    assert match.points() == {}


def test_a_pairing_with_a_forfeit_is_not_counted(match: Match) -> None:
    match.played("played", 1, 1)
    games = match.pair("forfeit")
    match.play(games[0], 1)
    store.forfeit(match.connection, {games[1]: 0}, "bob is withdrawn", NOW)
    for game in match.pair("both"):
        store.forfeit(match.connection, {game: 0}, "withdrawn", NOW)
    assert match.points() == {2.0: 1}


@pytest.mark.parametrize("what", ["void", "award"])
def test_a_pairing_with_a_ruling_is_not_counted(match: Match, what: str) -> None:
    match.played("played", 1, 1)
    games = match.played("ruled", 1, 1)
    store.rule_on_game(match.connection, games[1], what, "a reason", NOW, seat=1 if what == "award" else None)
    assert match.points() == {2.0: 1}


def test_a_void_game_counts_only_once_it_is_played_again(match: Match) -> None:
    first, second = match.pair("void")
    match.play(second, 0.5, leg=1)
    match.play(first, None)
    assert match.points() == {}
    again = store.repeat(match.connection, first)
    assert match.points() == {}
    match.play(again, 1)
    assert match.points() == {1.5: 1}


def test_of_two_attempts_the_last_counts(match: Match) -> None:
    first, _ = match.played("twice", 1, 1)
    again = store.repeat(match.connection, first)
    assert match.points() == {}
    match.play(again, 0)
    assert match.points() == {1.0: 1}


def test_games_of_an_earlier_version_do_not_count(match: Match) -> None:
    match.played("old", 1, 1)
    match.versions["bob"] = store.version(match.connection, "bob", "second", "random", NOW)
    store.enter(match.connection, match.id, "bob", match.versions["bob"])
    assert match.points() == {}
    match.played("new", 0, 0)
    assert match.points() == {0.0: 1}


def test_the_games_of_another_tournament_do_not_count(match: Match) -> None:
    match.played("played", 1, 1)
    here, match.id = match.id, tournament(match.connection, "cs102")
    for name, version in match.versions.items():
        store.enter(match.connection, match.id, name, version)
    match.played("played", 0, 0)
    assert match.points() == {0.0: 1}
    match.id = here
    assert match.points() == {2.0: 1}


def test_a_pairing_is_waiting_while_one_of_its_games_is_scheduled(match: Match) -> None:
    match.played("played", 1, 1)
    half, begun = match.pair("half"), match.pair("begun")
    match.play(half[0], 1)
    for game in begun:
        store.begin(match.connection, game, NOW)
    match.pair("whole")
    assert sorted(running.waiting_pairs(match.connection, match.id)) == ["half", "whole"]
