"""What a PostgreSQL server does for several processes: writers take turns, locks are a session's, a lost session is
made again; and what both databases do alike."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from sqlalchemy import text

from db import dialect
from db.database import Database
from db.errors import Busy, DatabaseError, DiskFull, NotADatabase, Unsure
from db.records import storable
from tests.kit import needs
from tests.kit.postgres_server import Server


@pytest.fixture
def two(postgres: Server) -> Iterator[tuple[Database, Database]]:
    """One database, opened twice as by two processes."""
    url = postgres.new_database()
    with Database(url) as one, Database(url) as other:
        yield one, other


def hang_up(server: Server) -> None:
    """The server ends all sessions of arena, as it does when it is restarted."""
    server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'arena'")


def add_agent(database: Database, name: str) -> None:
    with database.writing() as connection:
        connection.execute(text("INSERT INTO agent (name) VALUES (:name)"), {"name": name})


def agents(database: Database) -> int:
    with database.reading() as connection:
        return int(connection.execute(text("SELECT COUNT(*) FROM agent")).scalar_one())


def test_all_queries_of_a_reader_see_one_state(where: str) -> None:
    with Database(where) as database, database.reading() as connection:
        count = text("SELECT COUNT(*) FROM agent")
        assert connection.execute(count).scalar() == 0
        add_agent(database, "alice")
        assert connection.execute(count).scalar() == 0
        assert agents(database) == 1


def test_one_writes_at_a_time(two: tuple[Database, Database], monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = two
    monkeypatch.setattr(dialect, "BUSY_TIMEOUT", 50)
    with one.writing():
        with pytest.raises(Busy, match="locked by another program"):
            add_agent(other, "bob")
        assert agents(other) == 0, "who only reads does not wait"
    add_agent(other, "bob")


def test_a_lock_has_one_holder(two: tuple[Database, Database], monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = two
    monkeypatch.setattr(dialect, "_LOCK_TIMEOUT", 50)
    with one.holding("cup"), one.holding("final"):
        with pytest.raises(Busy), other.holding("cup"):
            pass
        with other.holding("another cup"):
            add_agent(other, "alice")
        add_agent(one, "bob")
    with other.holding("cup"), other.holding("final"):
        pass


def test_a_lock_that_was_lost_is_taken_again_before_anything_is_written(
    two: tuple[Database, Database], postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    monkeypatch.setattr(dialect, "_LOCK_TIMEOUT", 50)
    with ExitStack() as stack:
        stack.enter_context(one.holding("cup"))
        hang_up(postgres)
        with pytest.raises(Busy, match="does not answer"):
            add_agent(one, "alice")
        add_agent(one, "alice")
        with pytest.raises(Busy), other.holding("cup"):
            pass
        hang_up(postgres)
        with pytest.raises(Busy):
            add_agent(one, "bob")
        with other.holding("cup"), pytest.raises(Busy):
            add_agent(one, "bob")
        add_agent(one, "bob")
    assert agents(one) == 2


def test_an_open_database_survives_a_restart_of_the_server(two: tuple[Database, Database], postgres: Server) -> None:
    one, _ = two
    add_agent(one, "alice")
    assert agents(one) == 1
    hang_up(postgres)
    assert agents(one) == 1


@pytest.mark.parametrize("is_late", [False, True])
def test_a_commit_whose_answer_was_lost_is_asked_for(
    two: tuple[Database, Database], postgres: Server, monkeypatch: pytest.MonkeyPatch, is_late: bool
) -> None:
    one, _ = two
    add_agent(one, "alice")
    commit = one._engine.dialect.do_commit

    def lost(connection: Any) -> None:
        if is_late:
            commit(connection)
        hang_up(postgres)
        connection.execute("SELECT 1")

    monkeypatch.setattr(one._engine.dialect, "do_commit", lost)
    with pytest.raises(Unsure) as raised:
        add_agent(one, "bob")
    monkeypatch.undo()
    while (was_committed := one.committed(raised.value.transaction)) is None:
        pass
    assert was_committed == is_late
    assert agents(one) == 1 + is_late


@pytest.mark.parametrize(
    ("code", "kind"),
    [("53100", "DiskFull"), ("58030", "DiskFull"), ("40P01", "Busy"), ("57P05", "Busy"), ("42P01", "DatabaseError")],
)
def test_what_a_server_says_is_an_error_of_ours(two: tuple[Database, Database], code: str, kind: str) -> None:
    with pytest.raises(DatabaseError) as raised, two[0].reading() as connection:
        connection.exec_driver_sql(f"DO $$ BEGIN RAISE EXCEPTION 'told' USING ERRCODE = '{code}'; END $$")
    assert type(raised.value).__name__ == kind
    assert "told" in str(raised.value) or code == "40P01"


def test_a_full_disk_is_told_in_our_words_alone(
    two: tuple[Database, Database], caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(DiskFull) as raised, two[0].writing() as connection:
        connection.exec_driver_sql("DO $$ BEGIN RAISE 'told' USING ERRCODE = '53100', HINT = 'look at it.'; END $$")
    said = "the database cannot be written: told. Free some space on its disk; nothing that was stored is lost"
    assert str(raised.value) == said
    logging.getLogger("psycopg").warning("a pipeline was aborted")
    assert caplog.text == ""


def test_no_server_is_one_clear_error() -> None:
    pytest.importorskip("psycopg", reason=needs.extra("postgres"))
    with pytest.raises(Busy, match=r"the database does not answer: .*No such file or directory"):
        Database("postgresql://arena@/arena?host=/nowhere")


def test_what_the_server_will_always_refuse_is_not_waited_for(postgres: Server) -> None:
    """A tournament is paused as long as its server does not answer; this one has answered."""
    for url, words in {
        postgres.url("none"): 'the database cannot be opened: database "none" does not exist',
        postgres.url("postgres", role="eve"): 'the database cannot be opened: role "eve" does not exist',
    }.items():
        with pytest.raises(DatabaseError) as raised:
            Database(url)
        assert (type(raised.value), str(raised.value)) == (DatabaseError, words)


def test_text_with_any_character_is_stored(where: str) -> None:
    """An agent can write NUL and lone surrogates; both databases keep the rest (the whole path: tests/attacks)."""
    with Database(where) as database:
        add_agent(database, storable("a\0b\ud800c"))
        with database.reading() as connection:
            assert connection.execute(text("SELECT name FROM agent")).scalar() == "a\ufffdb\ufffdc"


def test_an_empty_database_is_not_a_record(postgres: Server) -> None:
    with pytest.raises(NotADatabase, match="expected a database of arena, the database is empty"):
        Database(postgres.new_database(), read_only=True)
