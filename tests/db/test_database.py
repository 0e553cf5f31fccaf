"""Opening a database; what cannot be opened is a readable error."""

from __future__ import annotations

import inspect
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from db import dialect, store, upgrade
from db.database import Database
from db.errors import Busy, DatabaseError, DiskFull, NewerDatabase, NotADatabase, NotFound
from tests.kit.places import ROOT
from tests.kit.small_record import NOW, begun_game, counted, finish, program


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_missing_database_is_created(tmp_path: Path) -> None:
    with Database(str(tmp_path / "new.db")) as database:
        assert counted(database, "v_game") == 0
        assert database.copied is None
    assert (tmp_path / "new.db").exists()


def test_the_file_is_named_by_the_option_else_the_environment_else_arena_db(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARENA_DB", raising=False)
    assert Database().file == Path("arena.db")
    monkeypatch.setenv("ARENA_DB", "other.db")
    assert Database().file == Path("other.db")
    assert Database("third.db").file == Path("third.db")
    assert Database(f"sqlite:///{tmp_path}/fourth.db").file == tmp_path / "fourth.db"
    assert sorted(path.name for path in tmp_path.glob("*.db")) == ["arena.db", "fourth.db", "other.db", "third.db"]


@pytest.mark.parametrize("name", ["a b.db", "quest?ion#.db", "100%25.db", "näme🎲.db", "quote'\".db", "new\nline.db"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    with Database(str(tmp_path / name)) as database:
        begun_game(database)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    with Database(str(tmp_path / name), read_only=True) as database:
        assert counted(database, "game") == 1


def test_a_database_in_memory_works(tmp_path: Path) -> None:
    with Database(":memory:") as database:
        game = begun_game(database)
        finish(database, game)
        assert counted(database, "move") == 12


def test_commits_are_synced_and_foreign_keys_are_enforced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialect, "engine", inspect.unwrap(dialect.engine))  # tests do not wait for the disk
    with Database(str(tmp_path / "arena.db")) as database:
        for connect in (database.reading, database.writing):
            with connect() as connection:
                settings = {
                    name: connection.execute(text(f"PRAGMA {name}")).scalar_one()
                    for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
                }
            assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 10_000}


def test_nothing_can_be_written_through_a_read_only_database(tmp_path: Path) -> None:
    file = str(tmp_path / "arena.db")
    with Database(file) as database:
        begun_game(database)
    before = Path(file).read_bytes()
    with Database(file, read_only=True) as database:
        assert counted(database, "game") == 1
        with pytest.raises(DatabaseError, match="readonly database"), database.writing() as connection:
            store.version(connection, "zoe", "random", "random", NOW)
        with pytest.raises(DatabaseError, match="readonly database"), database.reading() as connection:
            connection.exec_driver_sql("DELETE FROM seat")
    assert Path(file).read_bytes() == before


def test_reading_does_not_create_a_missing_database(tmp_path: Path) -> None:
    for wish in ({"create": False}, {"read_only": True}):
        with pytest.raises(
            NotFound, match=r"there is no database .*none\.db; change to the folder where you played, or give its path"
        ):
            Database(str(tmp_path / "none.db"), **wish)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_or_a_file_in_a_missing_folder_is_a_readable_error(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match=r"expected a database file, but .* is a folder"):
        Database(str(tmp_path))
    with pytest.raises(DatabaseError, match=r"unable to open database file\. Does its folder exist"):
        Database(str(tmp_path / "no" / "arena.db"))


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_not_a_database_is_refused_and_not_changed(tmp_path: Path, *, read_only: bool) -> None:
    file = tmp_path / "arena.db"
    file.write_text("players = 'students/*'\n" * 1000)
    before = file.read_bytes()
    with pytest.raises(
        NotADatabase, match=r"arena\.db is not a database of arena, or it is damaged: file is not a database"
    ):
        Database(str(file), read_only=read_only)
    assert file.read_bytes() == before


@pytest.mark.parametrize("read_only", [False, True])
def test_a_database_of_another_program_is_refused_and_not_changed(tmp_path: Path, *, read_only: bool) -> None:
    file = tmp_path / "arena.db"
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE bookmark (id INTEGER)")
    with pytest.raises(NotADatabase, match=r"got other tables \(bookmark\)"):
        Database(str(file), read_only=read_only)
    with closing(sqlite3.connect(file)) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("bookmark",)]


def test_an_empty_file_gets_tables_unless_it_is_opened_read_only(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    file.touch()
    with pytest.raises(NotADatabase, match=r"expected a database of arena, .* is empty"):
        Database(str(file), read_only=True)
    with Database(str(file)) as database:
        begun_game(database)


def test_a_damaged_file_is_a_readable_error(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with Database(str(file)) as database:
        finish(database, begun_game(database))
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(NotADatabase, match="is damaged"), Database(str(file)) as database:
        counted(database, "move")


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_database_is_refused_and_not_changed(tmp_path: Path, *, read_only: bool) -> None:
    file = tmp_path / "arena.db"
    with Database(str(file)) as database, database.writing() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    before = file.read_bytes()
    with pytest.raises(
        NewerDatabase,
        match=rf"newer version of arena \(revision 9999, this version has {upgrade.REVISION}\); use that version",
    ):
        Database(str(file), read_only=read_only)
    assert file.read_bytes() == before
    assert not list(tmp_path.glob("*before*"))


@pytest.mark.costly
def test_a_missing_write_permission_is_a_readable_error(open_folder: Path) -> None:
    file = open_folder / "arena.db"
    with Database(str(file)) as database:
        begun_game(database)
    code = """
        file = sys.argv[1]
        sys.stdout.flush()

        def open_it(where, **wish):
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            try:
                with Database(where, **wish) as database, database.writing() as connection:
                    store.version(connection, "zoe", "random", "random", NOW)
            except DatabaseError as error:
                print(error, flush=True)

        ended(forked(lambda: open_it(file)))
        ended(forked(lambda: open_it(str(Path(file).parent / "new.db"))))
    """
    os.chmod(file, 0o444)
    os.chmod(open_folder, 0o555)
    done = subprocess.run(
        [sys.executable, "-c", program(code), str(file)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    os.chmod(open_folder, 0o755)
    told = done.stdout.splitlines()
    assert len(told) == 2, done.stderr
    for line, name in zip(told, ("arena.db", "new.db"), strict=True):
        assert line.startswith(f"{open_folder}/{name}: ")
        assert line.endswith("Does its folder exist, and can you write to it?")


@pytest.mark.costly
def test_several_processes_can_create_the_same_database_at_the_same_time(tmp_path: Path) -> None:
    code = """
        folder, rounds, many = Path(sys.argv[1]), 5, 6

        def open_it(number, file, start):
            os.close(start[1])
            os.read(start[0], 1)  # until all are there
            with Database(str(file)) as database, database.writing() as connection:
                store.version(connection, f"agent {number}", "random", "random", NOW)

        for round in range(rounds):
            start = os.pipe()
            file = folder / f"{round}.db"
            children = [forked(lambda number=number: open_it(number, file, start)) for number in range(many)]
            os.close(start[0])
            os.close(start[1])
            codes = [ended(child) for child in children]
            with Database(str(file)) as database:
                print(codes, counted(database, "agent"), flush=True)
    """
    done = subprocess.run(
        [sys.executable, "-c", program(code), str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == ["[0, 0, 0, 0, 0, 0] 6"] * 5, done.stderr


@pytest.mark.costly
def test_opening_an_up_to_date_database_does_not_import_alembic(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    Database(str(file)).close()
    code = (
        "import sys; from db.database import Database; Database(sys.argv[1]).close(); print('alembic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_every_error_of_the_database_is_one_that_users_can_read() -> None:
    for kind in (Busy, DiskFull, NewerDatabase, NotADatabase, NotFound):
        assert issubclass(kind, DatabaseError)
