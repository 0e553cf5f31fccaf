"""The ratings of tournaments that are not ladders: the same as a report's, and written when results have changed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.course.report import gather
from arena.serve.rating import TournamentRatings
from db import ladder, ladder_results, lookup, store
from db.database import Connection, Database
from tests.kit import sample_record
from tests.kit.random_record import Record

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def database(where: str) -> Iterator[Database]:
    sample_record.make(where)
    with Database(where) as database:
        yield database


def rows(connection: Connection, tournament: int) -> int:
    return sum(
        len(ladder.curve(connection, tournament, version))
        for version in ladder_results.last_ratings(connection, tournament)
    )


def test_they_are_what_a_report_shows_of_versions_that_play_now_and_of_earlier_ones(database: Database) -> None:
    assert TournamentRatings().rate(database, NOW)
    with database.reading() as connection:
        for name in ("cs101", "evening"):
            tournament = lookup.find_tournament(connection, name)
            report, names = gather(connection, tournament, None, now=NOW)
            lines = {names.shown[line.name]: line for line in ladder.standings(connection, tournament)}
            rated = {agent.name: agent.rated for agent in report.agents if agent.rated is not None}
            assert {name for name, line in lines.items() if line.rating is not None} == {*rated}
            for agent, found in rated.items():
                assert lines[agent].rating == pytest.approx(found.rating)
                assert lines[agent].error == pytest.approx(found.error)
                assert lines[agent].games == found.games
        course = lookup.find_tournament(connection, "cs101")
        (dan,) = (agent for agent in gather(connection, course, None, now=NOW)[0].agents if agent.name == "dan")
        assert [one.version for one in dan.versions] == ["dan@1", "dan@2"]
        versions = ladder_results.last_ratings(connection, course)
        assert dan.versions[0].rating in [pytest.approx(one.rating) for one in versions.values()]
        assert not [*ladder_results.contradictions(connection)]


def test_they_are_written_again_only_if_results_have_changed(database: Database) -> None:
    ratings = TournamentRatings()
    assert ratings.rate(database, NOW)
    assert not ratings.rate(database, NOW)
    with database.writing() as connection:
        course = lookup.find_tournament(connection, "cs101")
        before = rows(connection, course)
        book = sample_record.Book(connection)
        game = book.play(course, "tictactoe", ("ann", "bob"), moves=sample_record.X_WINS, round=4)
    assert ratings.rate(database, NOW)
    with database.writing() as connection:
        assert rows(connection, course) > before
        store.rule_on_game(connection, game, "void", "a mistake", NOW)
    assert ratings.rate(database, NOW)


def test_after_a_restart_equal_ratings_are_not_written_again(database: Database) -> None:
    assert TournamentRatings().rate(database, NOW)
    assert not TournamentRatings().rate(database, NOW)


def test_a_finished_tournament_is_rated_once_and_again_after_a_ruling(tmp_path: Path) -> None:
    with Database(str(tmp_path / "arena.db")) as database:
        with database.writing() as connection:
            record = Record(connection)
            cup = record.tournament("ann", "bob")
            game = record.play(cup, "ann", "bob", 1.0).id
            record.tournament("ann", format=ladder.FORMAT)
            assert ladder_results.unrated_tournaments(connection) == [cup]
            store.set_status(connection, cup, "finished", NOW - timedelta(hours=1))
        assert TournamentRatings().rate(database, NOW)
        with database.writing() as connection:
            assert ladder_results.unrated_tournaments(connection) == []
            store.rule_on_game(connection, game, "award", "cheated", NOW + timedelta(hours=1), seat=1)
            assert ladder_results.unrated_tournaments(connection) == [cup]
