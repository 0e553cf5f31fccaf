"""What the standings say of the last days, on both databases, against the whole record read plainly."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

import pytest

from arena.web.manage import AWARD
from db import ladder as rows
from db import web
from db.ladder import NewRating
from tests.kit.ladder_record import OPENED
from tests.kit.managed_ladder import ManagedLadder

MOST = 5


@pytest.fixture
def place(where: str) -> str:
    return where


def test_the_last_results_are_those_that_count_the_oldest_first(room: ManagedLadder) -> None:
    counted = room.sql(
        "SELECT v_seat.player, v_game.id, v_seat.points FROM v_seat JOIN v_game ON v_game.id = v_seat.game "
        "WHERE v_game.tournament = 'cs101' AND v_game.counts = 1 AND v_seat.points IS NOT NULL "
        "ORDER BY v_game.number, v_game.id"
    )
    with room.record.reading() as connection:
        found = web.last_results(connection, room.ladder.id, players=5, most=MOST)
    assert {*found} == {name for name, *_ in counted}
    for name, games in found.items():
        every = [(id, points) for player, id, points in counted if player == name]
        assert [(game.id, game.points) for game in games] == every[-MOST:], name


def test_a_game_that_was_annulled_or_awarded_is_told_as_it_counts(room: ManagedLadder) -> None:
    def results() -> list[web.LastResult]:
        with room.record.reading() as connection:
            return web.last_results(connection, room.ladder.id, players=5, most=MOST)["alice"]

    *_, before, last = results()
    for game, what in ((last, "void"), (before, f"{AWARD}0")):
        room.send("game", game=game.id, number=game.number, what=what, reason="it was wrong", ruling=0)
    (seat,) = room.sql(f"SELECT seat FROM v_seat WHERE game = {before.id} AND player = 'alice'")[0]
    assert (results()[-1].id, results()[-1].points) == (before.id, 1.0 if seat == 0 else 0.0)


def test_wins_are_those_that_count_since_a_moment_each_pair_with_its_last_game(room: ManagedLadder) -> None:
    (first, *_) = room.sql("SELECT game.id, number FROM game JOIN seat ON game = game.id WHERE points = 1 ORDER BY 1")
    room.send("game", game=first[0], number=first[1], what="void", reason="it was wrong", ruling=0)
    counted = room.sql(
        "SELECT one.player, other.player, v_game.id, v_game.finished FROM v_game "
        "JOIN v_seat AS one ON one.game = v_game.id AND one.points = 1 "
        "JOIN v_seat AS other ON other.game = v_game.id AND other.seat <> one.seat "
        "WHERE v_game.tournament = 'cs101' AND v_game.counts = 1 AND v_game.id NOT IN (SELECT seat.game FROM seat "
        "JOIN entry ON entry.name = seat.name AND entry.version <> seat.version) ORDER BY v_game.id"
    )
    moments = sorted({datetime.fromisoformat(str(finished)) for *_, finished in counted})
    for since in (moments[0], moments[len(moments) // 2], moments[-1] + timedelta(seconds=1)):
        expected = {
            (winner, loser): game for winner, loser, game, at in counted if datetime.fromisoformat(str(at)) >= since
        }
        with room.record.reading() as connection:
            found = web.wins(connection, room.ladder.id, since=since)
        assert {(winner, loser): game for winner, loser, game in found} == expected


@pytest.mark.parametrize("seed", range(5))
def test_ratings_are_spread_evenly_and_the_one_of_yesterday_is_the_last_before_it(
    room: ManagedLadder, seed: int
) -> None:
    random = Random(seed)
    at = OPENED + timedelta(days=20)
    written: dict[str, list[tuple[datetime, float]]] = {}
    with room.record.writing() as connection:
        playing = {line.name: line.version for line in rows.standings(connection, room.ladder.id)}
        for _ in range(random.randrange(1, 60)):
            at += timedelta(hours=random.randrange(1, 9))
            some = [name for name in playing if random.random() < 0.8] or [*playing]
            ratings = {name: random.uniform(-500, 500) for name in some}
            rows.add_ratings(
                connection, room.ladder.id, [NewRating(playing[n], r, 30.0, 8) for n, r in ratings.items()], at
            )
            for name, rating in ratings.items():
                written.setdefault(name, []).append((at, rating))
        now = at + timedelta(hours=random.randrange(0, 30))
        found = web.sampled_ratings(connection, room.ladder.id, most=8, now=now)
    yesterday = now - timedelta(days=1)
    for name, history in written.items():
        curve, before = found[name]
        every = [rating for _, rating in history]
        assert curve[-1] == pytest.approx(every[-1]), name
        assert len(curve) <= 8
        if past := [rating for time, rating in history if time <= yesterday]:
            assert before == pytest.approx(past[-1]), name


def test_without_ratings_there_is_no_curve(room: ManagedLadder) -> None:
    with room.record.reading() as connection:
        assert web.sampled_ratings(connection, 10**6, most=8, now=OPENED) == {}
        assert web.last_results(connection, 10**6, players=5, most=MOST) == {}
