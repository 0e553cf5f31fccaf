"""Opening a database; what cannot be opened is a readable error."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, text

from db import database as upgrade
from db import dialect, games, store
from db.database import REVISION, Database
from db.errors import Busy, DatabaseError, DiskFull, NewerDatabase, NotADatabase, NotFound
from db.records import HUMAN, ScheduledGame, moves_hash
from db.schema import METADATA, VIEWS
from tests.kit.places import ROOT, WRITTEN_BEFORE
from tests.kit.small_record import NOW, begun_game, counted, finish, planned, program


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
        match=rf"newer version of arena \(revision 9999, this version has {REVISION}\); use that version",
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


# Older databases are backed up and then migrated; the migrations create exactly the tables of the schema.


NOW_AT = upgrade.REVISION
NEXT_AT = f"{int(NOW_AT) + 1:04}"
NEXT = '''
"""A change to come."""
import sqlalchemy as sa
from alembic import op

revision = "{next}"
down_revision = "{now}"


def upgrade():
    op.add_column("agent", sa.Column("motto", sa.Text()))
    op.execute("UPDATE agent SET motto = 'play on'")
    {more}
'''


def next_program(folder: Path, monkeypatch: pytest.MonkeyPatch, more: str = "") -> None:
    """From now on this is a program that knows one revision more."""
    there = Path(upgrade.__file__).parent / "migrations"
    shutil.copytree(there, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / f"{NEXT_AT}_motto.py").write_text(NEXT.format(now=NOW_AT, next=NEXT_AT, more=more))
    monkeypatch.setattr(upgrade, "_MIGRATIONS", folder)
    monkeypatch.setattr(upgrade, "REVISION", NEXT_AT)


def older(file: Path) -> None:
    """A database of today's program, with a game in it."""
    with Database(str(file)) as database:
        finish(database, begun_game(database))


def revision(file: Path) -> str:
    with closing(sqlite3.connect(file)) as plain:
        return str(plain.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def test_the_migrations_create_the_tables_of_the_schema(tmp_path: Path) -> None:
    with Database(str(tmp_path / "arena.db")) as database, database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, METADATA) == []


def test_the_migrations_create_the_same_sql_word_for_word(tmp_path: Path) -> None:
    """What a comparison of tables does not look at: checks, uniqueness, keys without row ids."""

    def made(file: Path) -> dict[str, list[str]]:
        with closing(sqlite3.connect(file)) as plain:
            rows = plain.execute("SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql NOTNULL")
            # Every column and constraint has its line, an added column only a comma; their order means nothing.
            lines = {name: re.split(r"\n|, (?=\w+ [A-Z])", sql) for name, sql in rows}
            return {name: sorted(line.strip(" \t,") for line in of_it) for name, of_it in lines.items()}

    with Database(str(tmp_path / "migrated.db")) as database:
        database.close()
    engine = create_engine(f"sqlite:///{tmp_path}/known.db")
    METADATA.create_all(engine)
    engine.dispose()
    migrated = made(tmp_path / "migrated.db")
    migrated.pop("alembic_version")
    assert migrated == made(tmp_path / "known.db")


def test_all_views_exist_and_can_be_queried(tmp_path: Path) -> None:
    with Database(str(tmp_path / "arena.db")) as database:
        finish(database, begun_game(database))
        with database.reading() as connection:
            rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'view'"))
            made = {name: f"CREATE VIEW {name} AS {query}".strip() for name, query in VIEWS.items()}
            assert sorted(tuple(row) for row in rows) == sorted(made.items())
        assert {view: counted(database, view) for view in VIEWS} == {
            "v_game": 1,
            "v_seat": 2,
            "v_move": 12,
            "v_analysis": 0,
            "v_standing": 2,
            "v_head_to_head": 2,
            "v_submission": 0,
            "v_rating": 0,
        }


def test_an_older_database_is_backed_up_and_then_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "arena.db"
    older(file)
    next_program(tmp_path / "migrations", monkeypatch)
    with Database(str(file)) as database:
        assert database.copied == tmp_path / f"arena.db.before-{NEXT_AT}"
        assert counted(database, "agent", "motto = 'play on'") == 2
        assert counted(database, "v_seat") == 2
    assert (revision(file), revision(tmp_path / f"arena.db.before-{NEXT_AT}")) == (NEXT_AT, NOW_AT)
    with closing(sqlite3.connect(tmp_path / f"arena.db.before-{NEXT_AT}")) as copy:
        assert copy.execute("SELECT COUNT(*) FROM move").fetchone() == (12,)
    with Database(str(file)) as database:
        assert database.copied is None


def test_games_of_an_older_database_get_their_kinds(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with Database(str(file)) as database, database.writing() as connection:
        cups = [
            store.create_tournament(
                connection, format, format=format, rules="nim", clock="none", seed=1, settings={}, now=NOW
            )
            for format in ("swiss", "ladder")
        ]
        names = {"ann": "a", "bob": "b", "human": HUMAN}
        players = [(store.version(connection, name, source, name, NOW), name) for name, source in names.items()]
        ann, bob, human = players
        for cup, number in ((cups[0], 1), (cups[1], 2), (None, 3), (None, 2**41)):  # those of people were numbered so
            seats = (ann, human if number == 2**41 else bob)
            new = ScheduledGame(pair=json.dumps(["ann", number]), game="nim", seed=1, seats=seats)
            store.schedule(connection, cup, [new])
    with closing(sqlite3.connect(file)) as plain:
        for statement in ("INDEX game_unrated", "TABLE challenge"):
            plain.execute(f"DROP {statement}")
        for view in VIEWS:
            plain.execute(f"DROP VIEW {view}")
        later = (
            ("game", "kind"),
            ("game", "position"),
            ("seat", "clock"),
            ("seat", "adsearch"),
            ("analysis", "answer"),
        )
        for table, column in later:
            plain.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        plain.execute("UPDATE alembic_version SET version_num = '0008'")
        plain.commit()
    with Database(str(file)) as database, database.reading() as connection:
        kinds = connection.execute(text("SELECT kind FROM game ORDER BY id")).scalars().all()
    assert kinds == ["tournament", "ladder", "casual", "with a person"]


def test_opening_read_only_does_not_change_an_older_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "arena.db"
    older(file)
    next_program(tmp_path / "migrations", monkeypatch)
    with pytest.raises(
        DatabaseError, match=rf"older version of arena \(revision {NOW_AT}\); upgrade it with `arena data upgrade`"
    ):
        Database(str(file), read_only=True)
    assert revision(file) == NOW_AT


def test_an_upgrade_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "arena.db"
    older(file)
    next_program(tmp_path / "migrations", monkeypatch, more='op.execute("no SQL at all")')
    with pytest.raises(DatabaseError, match="syntax error"):
        Database(str(file))
    assert revision(file) == NOW_AT
    with closing(sqlite3.connect(file)) as plain:
        assert "motto" not in [column[1] for column in plain.execute("PRAGMA table_info(agent)")]
        assert plain.execute("SELECT COUNT(*) FROM v_game").fetchone() == (1,)


def test_without_space_for_the_backup_nothing_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "arena.db"
    older(file)
    next_program(tmp_path / "migrations", monkeypatch)

    def no_room(*_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr(upgrade, "_copy", no_room)
    with pytest.raises(DiskFull):
        Database(str(file))
    assert revision(file) == NOW_AT
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arena.db", "migrations"]


def test_a_backup_that_fails_leaves_no_part_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "arena.db"
    older(file)
    next_program(tmp_path / "migrations", monkeypatch)
    backup = tmp_path / f"arena.db.before-{NEXT_AT}"
    backup.mkdir()
    with pytest.raises(IsADirectoryError):
        Database(str(file))
    assert {path.name for path in tmp_path.iterdir()} == {"arena.db", "migrations", backup.name}


def test_the_backup_includes_the_write_ahead_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "arena.db"
    open_still = Database(str(file))
    finish(open_still, begun_game(open_still))
    assert (tmp_path / "arena.db-wal").stat().st_size > 0
    next_program(tmp_path / "migrations", monkeypatch)
    Database(str(file)).close()
    with closing(sqlite3.connect(tmp_path / f"arena.db.before-{NEXT_AT}")) as copy:
        assert copy.execute("SELECT COUNT(*) FROM move").fetchone() == (12,)


@pytest.mark.costly
def test_several_processes_migrate_once_and_the_backup_is_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "arena.db"
    older(file)
    next_program(tmp_path / "migrations", monkeypatch)
    code = """
        upgrade._MIGRATIONS, upgrade.REVISION = Path(sys.argv[2]), sys.argv[3]
        start = os.pipe()

        def open_it():
            os.close(start[1])
            os.read(start[0], 1)  # until all are there
            with Database(sys.argv[1]) as database:
                os.write(1, b"True\\n" if database.copied else b"False\\n")  # a whole line at once

        children = [forked(open_it) for _ in range(6)]
        os.close(start[0])
        os.close(start[1])
        print([ended(child) for child in children])
    """
    done = subprocess.run(
        [sys.executable, "-c", program(code), str(file), str(tmp_path / "migrations"), NEXT_AT],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    *copied, codes = done.stdout.splitlines()
    assert codes == "[0, 0, 0, 0, 0, 0]", done.stderr
    assert sorted(copied) == ["False"] * 5 + ["True"]
    assert (revision(file), revision(tmp_path / f"arena.db.before-{NEXT_AT}")) == (NEXT_AT, NOW_AT)


def test_the_migration_adds_the_hash_of_moves_to_older_games(tmp_path: Path) -> None:
    """The migrations have the hash written out; games that were played since must be comparable with them."""
    file = tmp_path / "course.db"
    shutil.copy(WRITTEN_BEFORE / "0.1.0" / "course.db", file)
    assert revision(file) == "0001"
    with Database(str(file)) as database, database.reading() as connection:
        ids = games.ids(connection, None, every=True)
        wanted = {
            game.id: moves_hash(game.moves, (game.seed, game.pair, game.leg, game.attempt))
            for game in games.games(connection, ids, whole=True)
        }
        rows = connection.execute(text("SELECT id, moves_hash FROM game WHERE status IN ('finished', 'void')"))
        assert {row.id: row.moves_hash for row in rows} == wanted
    assert sum(one is not None for one in wanted.values()) > 40


def test_moves_of_older_games_have_no_marks_and_those_of_new_games_in_the_same_database_do(tmp_path: Path) -> None:
    file = tmp_path / "course.db"
    shutil.copy(WRITTEN_BEFORE / "1.0.0" / "course.db", file)
    with Database(str(file)) as database:
        with database.writing() as connection:
            ids = games.ids(connection, None, every=True)
            older = [move for game in games.games(connection, ids, whole=True) for move in game.moves]
            ann, bob = (store.version(connection, name, "random", "random", NOW) for name in ("ann", "bob"))
            (game,) = store.schedule(connection, None, [planned((ann, bob))])
            store.begin(connection, game, NOW)
        finish(database, game)
        with database.reading() as connection:
            (found,) = games.games(connection, [game], whole=True)
            stored = connection.execute(text(f"SELECT DISTINCT marks FROM v_move WHERE game = {game}")).scalar_one()
            none = connection.execute(text(f"SELECT COUNT(marks) FROM v_move WHERE game <> {game}")).scalar_one()
    assert older
    assert {str(move.marks) for move in older} == {"None"}
    assert (json.loads(stored), none) == ({"a1": "good", "c3": -0.5}, 0)
    assert {str(move.marks) for move in found.moves} == {str(json.loads(stored))}


def test_known_revisions_end_with_the_program_s_own() -> None:
    assert upgrade.known_revisions()[-1] == upgrade.REVISION
