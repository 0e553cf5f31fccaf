"""Which games count: the views, the scores, the games for ratings and single games agree for any database."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from sqlalchemy import text

from db import games, rated_games, scores, search
from db.database import Database
from db.rated_games import Scope
from db.search import GameFilter
from tests.kit.effort import tries
from tests.kit.random_record import NAMES, Record, fill

COUNTED = """
    SELECT v_game.id, v_seat.player, v_seat.points FROM v_game JOIN v_seat ON v_seat.game = v_game.id
    WHERE v_game.counts = 1 AND v_game.present = 1 ORDER BY v_game.finished, v_game.id, v_seat.seat
"""


@pytest.fixture(params=range(tries(2)))
def record(request: pytest.FixtureRequest, where: str) -> Iterator[Record]:
    with Database(where) as database, database.writing() as connection:
        made = Record(connection)
        fill(made, Random(300 + request.param))
        yield made


def test_the_views_count_the_games_that_are_rated_for_points(record: Record) -> None:
    viewed: dict[int, dict[str, float]] = {}
    for id, player, points in record.connection.execute(text(COUNTED)):
        viewed.setdefault(id, {})[player] = points
    rated = rated_games.games(record.connection, Scope(for_points=True))
    assert viewed == {game.id: dict(zip(game.names, game.points, strict=True)) for game in rated}
    assert [(game.id, game.names, game.points) for game in rated] == record.expected(Scope(for_points=True))
    assert 50 < len(viewed) < len(record.facts)


@pytest.mark.parametrize("tournament", [1, 2, 3, 4, 5])
def test_the_views_of_a_tournament_are_its_scores(record: Record, tournament: int) -> None:
    counted = scores.scores(record.connection, tournament)
    of_it = {"name": f"cup{tournament}"}
    standing = "SELECT name, games, wins, draws, losses, points FROM v_standing WHERE tournament = :name"
    assert {tuple(row) for row in record.connection.execute(text(standing), of_it)} == {
        (name, one.games, one.wins, one.draws, one.losses, one.points) for name, one in counted.players.items()
    }
    meetings = "SELECT name, opponent, games, points FROM v_head_to_head WHERE tournament = :name"
    assert {tuple(row) for row in record.connection.execute(text(meetings), of_it)} == {
        (*pair, met.games, met.points) for pair, met in counted.head_to_head.items()
    }


def test_a_game_is_given_the_same_points_in_a_view_by_itself_and_in_a_search(record: Record) -> None:
    viewed: dict[int, dict[str, float | None]] = {}
    for id, player, points in record.connection.execute(
        text("SELECT game, player, points FROM v_seat ORDER BY game, seat")
    ):
        viewed.setdefault(id, {})[player] = points
    ids = [fact.id for fact in record.facts]
    for game in games.games(record.connection, ids):
        alone: list[Any] = game.counted or [None] * len(game.seats)
        assert list(viewed[game.id].values()) == alone, game.id
    for name in NAMES:
        for result, share in (("win", 1.0), ("draw", 0.5), ("loss", 0.0)):
            found = search.page(record.connection, GameFilter(agent=name, result=result, statuses=()), limit=len(ids))
            expected = {id for id, points in viewed.items() if points.get(name) == share}
            assert {game.id for game in found} == expected, (name, result)
