"""The accounts are beside the record, not in it: no key is in their file, and what reads the record does not find it.

What stands in their rows is tested in `tests/arena/accounts`.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest
from sqlalchemy import URL, Engine, text

from arena.accounts import sessions
from db import accounts, dialect, plain_sql
from db.accounts import METADATA, REVISION, TABLES, AccountsDatabase, file_beside
from db.database import Database
from db.errors import DatabaseError, NewerDatabase, NotADatabase, NotFound
from tests.kit.account_room import NOW, invite, sign_in
from tests.kit.postgres_server import Server


@pytest.mark.parametrize(
    ("record", "file"),
    [
        ("arena.db", "arena-accounts.db"),
        ("a/cs101.db", "a/cs101-accounts.db"),
        ("x.sqlite", "x.sqlite-accounts.db"),
        ("x.db.old", "x.db.old-accounts.db"),
        ("plain", "plain-accounts.db"),
    ],
)
def test_the_file_is_beside_the_record(record: str, file: str) -> None:
    assert file_beside(Path(record)) == Path(file)


def test_all_its_files_are_private_from_their_first_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before_sqlite = []
    engine = dialect.engine

    def found() -> dict[str, int]:
        return {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}

    def made(address: URL, views: Mapping[str, str]) -> Engine:
        before_sqlite.append(found())
        return engine(address, views)

    monkeypatch.setattr(dialect, "engine", made)
    before = os.umask(0)
    try:
        with AccountsDatabase(str(tmp_path / "arena.db")) as database:
            invite(database)
            names = {f"arena-accounts.db{ending}" for ending in ("", "-wal", "-shm")}
            assert found() == dict.fromkeys(names, 0o600)
    finally:
        os.umask(before)
    assert before_sqlite == [{"arena-accounts.db": 0o600}]


def test_a_file_that_others_can_read_is_not_opened(tmp_path: Path) -> None:
    where = str(tmp_path / "arena.db")
    AccountsDatabase(where).close()
    for mode in (0o640, 0o604, 0o622):
        (tmp_path / "arena-accounts.db").chmod(mode)
        with pytest.raises(DatabaseError, match=rf"only their owner can read, got the mode {mode:o}: chmod 600 "):
            AccountsDatabase(where)


def test_no_key_is_in_the_files(tmp_path: Path) -> None:
    with AccountsDatabase(str(tmp_path / "arena.db")) as database:
        ann, bob, _ = invite(database)
        _, session = sign_in(database, ann)
        with database.writing() as connection:
            token = sessions.make_token(connection, ann.account, "laptop", NOW)
        there = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert b"kestrel" in there
        for key in (ann.key, bob.key, session, token):
            assert key[3:].encode() not in there
            assert key[3:20].encode() not in there


def test_several_programs_can_create_them_at_once(where: str) -> None:
    together = Barrier(6)

    def create(number: int) -> None:
        together.wait()
        with AccountsDatabase(where) as database, database.writing() as connection:
            accounts.note_address(connection, str(number))

    with ThreadPoolExecutor(6) as threads:
        assert [*threads.map(create, range(6))] == [None] * 6
    AccountsDatabase(where, create=False).close()


def test_the_record_can_be_named_by_its_url(tmp_path: Path) -> None:
    AccountsDatabase(f"sqlite:///{tmp_path}/cs101.db").close()
    assert [path.name for path in tmp_path.iterdir()] == ["cs101-accounts.db"]


def test_without_create_there_must_be_accounts(where: str) -> None:
    with pytest.raises(NotFound, match="nobody was invited yet"):
        AccountsDatabase(where, create=False)
    AccountsDatabase(where).close()
    AccountsDatabase(where, create=False).close()


def test_accounts_of_a_newer_version_are_refused_and_not_changed(where: str) -> None:
    with AccountsDatabase(where) as database:
        invite(database)
        with database.writing() as connection:
            schema = "" if connection.dialect.name == "sqlite" else "arena_accounts."
            connection.execute(text(f"UPDATE {schema}accounts SET revision = '0999'"))
    words = rf"was written by a newer version of arena \(revision 0999, this version has {REVISION}\); use that version"
    with pytest.raises(NewerDatabase, match=words):
        AccountsDatabase(where)


def test_another_file_of_that_name_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "arena-accounts.db"
    with closing(sqlite3.connect(file)) as plain:
        plain.execute("CREATE TABLE game (id INTEGER)")
    file.chmod(0o600)
    with pytest.raises(NotADatabase, match=r"expected accounts of arena, got other tables \(game\)"):
        AccountsDatabase(str(tmp_path / "arena.db"))
    file.write_text("something else")
    with pytest.raises(NotADatabase, match="is not a database of arena"):
        AccountsDatabase(str(tmp_path / "arena.db"))
    with pytest.raises(DatabaseError, match="Does its folder exist"):
        AccountsDatabase(str(tmp_path / "nowhere" / "arena.db"))


def test_a_file_whose_schema_runs_sql_is_refused(tmp_path: Path) -> None:
    AccountsDatabase(str(tmp_path / "arena.db")).close()
    with closing(sqlite3.connect(tmp_path / "arena-accounts.db")) as plain:
        plain.execute("CREATE TRIGGER t AFTER INSERT ON session BEGIN DELETE FROM audit; END")
    with pytest.raises(NotADatabase, match="trigger t"):
        AccountsDatabase(str(tmp_path / "arena.db"))


def test_the_record_and_the_accounts_do_not_see_each_other(where: str) -> None:
    """In either order, and the record is opened as before when there are accounts."""
    with Database(where), AccountsDatabase(where) as database:
        invite(database)
    with Database(where) as record, record.reading() as connection, AccountsDatabase(where) as database:
        for table in TABLES:
            with pytest.raises(Exception, match=r"no such table|does not exist"), record.reading() as reading:
                reading.execute(text(f"SELECT * FROM {table}"))
        assert connection.execute(text("SELECT COUNT(*) FROM game")).scalar() == 0
    assert set(METADATA.tables) == set(TABLES)


def test_no_query_of_arena_sql_reaches_the_accounts_beside_a_file(tmp_path: Path) -> None:
    where = str(tmp_path / "arena.db")
    with Database(where), AccountsDatabase(where) as database:
        invite(database)
    for query in (
        f"ATTACH '{tmp_path}/arena-accounts.db' AS accounts",
        "SELECT * FROM account",
        "SELECT readfile('arena-accounts.db')",
    ):
        with (
            Database(where, read_only=True) as record,
            record.reading() as connection,
            pytest.raises(DatabaseError, match="the query failed"),
        ):
            plain_sql.answer(connection, query)
    with pytest.raises(NotADatabase, match="expected a database of arena, got other tables"):
        Database(str(tmp_path / "arena-accounts.db"), read_only=True)


def test_no_query_of_arena_sql_reaches_the_accounts_on_a_server(postgres: Server) -> None:
    where = postgres.new_database()
    name = postgres.name_of(where)
    with Database(where), AccountsDatabase(where) as database:
        invite(database)
        with database.reading() as connection:
            assert len(accounts.accounts(connection, "cs101")) == 3
    words = "and to the accounts of the web pages, got 'arena'; create one that"
    with Database(where) as record, record.reading() as connection, pytest.raises(DatabaseError, match=words):
        plain_sql.answer(connection, "SELECT 1")
    postgres.run(f"CREATE ROLE {name}_reader LOGIN")
    postgres.run(f"GRANT pg_read_all_data TO {name}_reader")
    with Database(postgres.url(name, role=f"{name}_reader"), read_only=True) as record:
        for query in ("SELECT * FROM arena_accounts.account", "SELECT hash FROM arena_accounts.invitation"):
            with record.reading() as connection:
                assert list(plain_sql.answer(connection, query)[1]) == []
        with record.reading() as connection:
            assert list(plain_sql.answer(connection, "SELECT COUNT(*) FROM game")[1]) == [[0]]


def test_the_address_of_the_pages_is_kept(where: str) -> None:
    with AccountsDatabase(where) as database, database.writing() as connection:
        assert accounts.address(connection) == ""
        accounts.note_address(connection, "https://arena.example.org")
    with AccountsDatabase(where) as database, database.reading() as connection:
        assert accounts.address(connection) == "https://arena.example.org"
