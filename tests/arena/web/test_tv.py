"""What stands beside the board of the TV page: the upset of the day, when the final begins, and the podium after it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from arena.web.live_record import LiveRecord
from arena.web.permissions import MEMBER, Names
from db import ladder as rows
from db import store
from db.ladder import NewRating
from tests.kit.managed_ladder import ManagedLadder
from tests.kit.sample_record import X_WINS, Book


def side(room: ManagedLadder, tournament: str | None = "cs101") -> dict[str, str]:
    names = Names(accounts=room.accounts).seen_by(MEMBER)
    parts = LiveRecord(room.record, names, "cs101").side(tournament, public=False)
    return {name: " ".join(re.sub("<[^>]*>", " ", text).split()) for name, text in parts.items()}


def rate(room: ManagedLadder, **ratings: float) -> None:
    with room.record.writing() as connection:
        version = {line.name: line.version for line in rows.standings(connection, room.ladder.id)}
        new = [NewRating(version[name], rating, 30.0, 8) for name, rating in ratings.items()]
        rows.add_ratings(connection, room.ladder.id, new, datetime.now(UTC))


def won_now(room: ManagedLadder, winner: str, loser: str, *, ago: timedelta = timedelta()) -> int:
    """A game of the ladder that has ended by now; its number in the database."""
    with room.record.writing() as connection:
        book, pair = Book(connection), f"{winner} {loser} {ago}"
        game = book.play(room.ladder.id, "tictactoe", (winner, loser), moves=X_WINS, pair=pair)
        ended = (datetime.now(UTC) - ago).isoformat()
        connection.exec_driver_sql(f"UPDATE game SET finished = '{ended}' WHERE id = {game}")
    return game


def test_the_upset_of_the_day_is_the_win_against_the_greatest_lead(room: ManagedLadder) -> None:
    rate(room, bob=100.0, random=300.0, carol=450.0)
    assert side(room)["upset"] == ""
    won_now(room, "bob", "carol", ago=timedelta(hours=25))
    won_now(room, "carol", "bob")
    assert side(room)["upset"] == ""
    won_now(room, "random", "carol")
    assert side(room)["upset"].startswith("Upset of the day random beat carol , who is 150 Elo ahead")
    upset = won_now(room, "bob", "carol")
    assert side(room)["upset"].startswith("Upset of the day bob beat carol , who is 350 Elo ahead")
    with room.record.writing() as connection:
        store.rule_on_game(connection, upset, "void", "it was wrong", datetime.now(UTC))
    assert side(room)["upset"].startswith("Upset of the day random beat carol")


def test_before_the_final_it_says_when_that_begins_and_after_it_who_has_won(room: ManagedLadder) -> None:
    found = side(room)
    assert found["soon"].startswith("The ladder closes, and its final follows 20")
    assert found["waiting"] == "Waiting for the next game."
    room.send("close", sure="yes")
    found = side(room)
    assert (found["soon"], found["waiting"]) == (
        "",
        "The ladder is closed. Its final begins soon.",
    )
    with room.record.writing() as connection:
        book = Book(connection)
        final = book.tournament("cs101 final", "tictactoe", status="finished")
        book.enter(final, "alice", "bob", "carol", "dan")
        for pair in (("alice", "bob"), ("alice", "carol"), ("bob", "carol"), ("carol", "dan")):
            book.play(final, "tictactoe", pair, moves=X_WINS)
    for tournament in ("cs101", "cs101 final"):
        found = side(room, tournament)
        assert found["soon"] == ""
        assert found["waiting"].startswith("cs101 final 1 alice 2 points 2 bob 1 point 3 carol 1 point")
        assert found["standings"].startswith("alice 2")


def test_who_has_won_is_said_where_all_would_be_on_the_podium(room: ManagedLadder) -> None:
    room.send("close", sure="yes")
    with room.record.writing() as connection:
        book = Book(connection)
        final = book.tournament("cs101 final", "tictactoe", status="finished")
        book.enter(final, "alice", "bob")
        book.play(final, "tictactoe", ("alice", "bob"), moves=X_WINS)
    assert side(room)["waiting"] == "cs101 final: alice won."


def test_the_games_of_the_final_are_shown_where_those_of_its_ladder_were(room: ManagedLadder) -> None:
    with room.record.writing() as connection:
        book = Book(connection)
        final = book.tournament("cs101 final", "tictactoe", status="running")
        book.enter(final, "alice", "bob")
        game = book.play(final, "tictactoe", ("alice", "bob"))
        connection.exec_driver_sql(f"UPDATE game SET status = 'playing', finished = NULL WHERE id = {game}")
    assert side(room)["waiting"] == "Waiting for the next game."
    record = LiveRecord(room.record, Names(accounts=room.accounts).seen_by(MEMBER), "cs101")
    found = record.next_game("cs101", without=(), before=(), public=False)
    assert found is not None
    assert (found.shown.id, found.tournament) == (game, "cs101 final")
