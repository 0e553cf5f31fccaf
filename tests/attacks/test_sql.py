"""`arena data sql` reads the record and does nothing else, on SQLite and on PostgreSQL; it ends after its time limit,
and at Ctrl-C and SIGTERM at once, whatever the database computes; and its memory is bounded."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from arena.cli.look.data import _ROWS as ROWS
from db import store
from db.database import Database
from tests.kit.arena_program import Ended, arena, arena_process
from tests.kit.effort import PATIENCE
from tests.kit.postgres_server import OWNER, Server

ENDLESS: Final = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT i FROM n"
SILENT: Final = f"SELECT 0 AS i UNION ALL SELECT 1 UNION ALL SELECT * FROM ({ENDLESS}) AS m WHERE i > 1"
"""Two rows, and then none for ever. Python's SQLite computes a row before it hands out the one before."""
ACTIVE: Final = "SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE 'FETCH%' AND state = 'active'"
WRITING: Final = (
    *("DELETE FROM game", "INSERT INTO agent (name) VALUES ('x')", "UPDATE agent SET name = 'x'", "DROP VIEW v_game"),
    *("CREATE TABLE t (a INT)", "CREATE TEMP TABLE t (a INT)", "ALTER TABLE agent RENAME TO other", "REINDEX"),
    *("SELECT 1; DELETE FROM agent", "COMMIT; DELETE FROM agent", "SELECT 1; COMMIT; DELETE FROM agent", "COMMIT"),
    *("ROLLBACK", "BEGIN", "SAVEPOINT s", "", "--", "selec 1", "SELECT * FROM nothing", "VACUUM"),
    "WITH gone AS (DELETE FROM agent RETURNING name) SELECT * FROM gone",
    "DELETE FROM agent RETURNING name",
)
ON_SQLITE: Final = (
    *("ATTACH DATABASE '{folder}/new.db' AS other", "VACUUM INTO '{folder}/new.db'", "PRAGMA query_only = OFF"),
    *("PRAGMA writable_schema = ON", "PRAGMA journal_mode = DELETE", "SELECT * FROM pragma_table_info('game')"),
    *(
        "SELECT load_extension('{folder}/evil.so')",
        "SELECT readfile('/etc/passwd')",
        "SELECT fts3_tokenizer('a', x'00')",
    ),
    *("SELECT writefile('{folder}/new', 'x')", "SELECT edit('x', 'touch {folder}/new')", "SELECT ?"),
    "CREATE VIRTUAL TABLE v USING fts5(a)",
)
ON_POSTGRESQL: Final = (
    *(
        "COPY agent TO '{folder}/new'",
        "COPY (SELECT 1) TO PROGRAM 'touch {folder}/new'",
        "COPY agent FROM '/etc/passwd'",
    ),
    *("SELECT pg_read_file('/etc/passwd')", "SELECT pg_ls_dir('/')", "SELECT lo_import('/etc/passwd')"),
    *("SELECT lo_export(1, '{folder}/new')", "RESET ROLE"),
    *("SET TRANSACTION READ WRITE", "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE"),
    *("SELECT set_config('transaction_read_only', 'off', true)", "SELECT nextval('agent_id_seq')"),
    *("SELECT setval('agent_id_seq', 99)", "DO $$ BEGIN DELETE FROM agent; END $$", "LOCK TABLE agent"),
    *("SELECT query_to_xml('DELETE FROM agent', true, true, '')", "SELECT * INTO t FROM agent", "SELECT ';'; COMMIT"),
    *("SELECT query_to_xml('SET transaction_read_only = off', true, true, '')", "CALL nothing()", "NOTIFY x"),
    *("EXPLAIN ANALYZE DELETE FROM agent", "SELECT * FROM agent FOR UPDATE", "PREPARE p AS DELETE FROM agent"),
    *("SELECT dblink_exec('', 'DELETE FROM agent')", "SELECT pg_reload_conf()", "SELECT pg_sleep(0) FROM nothing"),
    *("CREATE EXTENSION dblink", "LOAD 'auto_explain'", "CREATE FUNCTION f() RETURNS INT AS 'SELECT 1' LANGUAGE sql"),
)


@pytest.fixture
def record(where: str) -> str:
    """A record of one agent and no game."""
    with Database(where) as database, database.writing() as connection:
        store.version(connection, "ann", "random", "random", datetime(2026, 5, 1, tzinfo=UTC))
    return where


@pytest.fixture
def empty(tmp_path: Path) -> str:
    """An empty record, in a file."""
    with Database(str(tmp_path / "empty.db")) as database:
        return str(database.file)


@pytest.mark.costly
def test_nothing_is_written_or_read_elsewhere(record: str, tmp_path: Path) -> None:
    before = dumped(record)
    files = sorted(tmp_path.iterdir())
    for query in (*WRITING, *(ON_POSTGRESQL if "://" in record else ON_SQLITE)):
        ended = arena("data", "sql", query.format(folder=tmp_path), "--db", record)
        assert (ended.code, ended.out) == (2, ""), query
        assert ended.err.startswith("arena: "), query
        assert ended.err.count("\n") == 1, query
        assert "Traceback" not in ended.err
    assert dumped(record) == before
    assert sorted(tmp_path.iterdir()) == files


def test_on_a_server_a_query_can_only_read_and_sees_one_moment(postgres: Server) -> None:
    url = postgres.new_database()
    with Database(url):
        pass
    settings = ("transaction_read_only", "transaction_isolation")
    ended = arena("data", "sql", f"SELECT {', '.join(f'current_setting({name!r})' for name in settings)}", "--db", url)
    assert ["on", "repeatable", "read"] in [line.split() for line in ended.out.splitlines()]


def dumped(record: str) -> object:
    with Database(record, read_only=True) as database, database.reading() as connection:
        tables = "sqlite_master" if "://" not in record else "pg_tables"
        return [
            connection.exec_driver_sql(query).all()
            for query in (f"SELECT COUNT(*) FROM {tables}", "SELECT * FROM agent")
        ]


def test_what_postgresql_lets_a_query_make_is_gone_after_it(postgres: Server) -> None:
    url = postgres.new_database()
    with Database(url):
        pass
    for query in ("SELECT lo_create(0)", "SELECT lo_from_bytea(0, 'x')"):  # refused from version 16 on
        arena("data", "sql", query, "--db", url)
    assert postgres.run("SELECT COUNT(*) FROM pg_largeobject_metadata", database=postgres.name_of(url)) == [(0,)]


def test_a_percent_sign_and_a_colon_are_nothing_special(record: str) -> None:
    ended = arena(
        "data", "sql", "SELECT name, ':x %s' AS a FROM agent WHERE name LIKE 'a%'", "--db", record, "--format", "json"
    )
    assert json.loads(ended.out) == [{"name": "ann", "a": ":x %s"}]


def test_a_role_that_may_use_files_of_the_server_is_refused(postgres: Server) -> None:
    url = postgres.new_database()
    with Database(url):
        pass
    postgres.run("CREATE ROLE copier LOGIN IN ROLE arena, pg_write_server_files")
    for role in (OWNER, "copier"):
        ended = arena("data", "sql", "SELECT 1", "--db", postgres.url(postgres.name_of(url), role=role))
        assert ended.code == 2
        assert f"got '{role}'" in ended.err


# It ends.


def ended(record: str, query: str, *options: str) -> Ended:
    """How it ends, as a process: it may leave without asking anybody."""
    return arena_process("data", "sql", query, "--db", record, *options)


@pytest.mark.costly
@pytest.mark.parametrize(
    "query",
    [
        f"SELECT COUNT(*) FROM ({ENDLESS}) AS m",
        f"SELECT i FROM ({ENDLESS}) AS m ORDER BY i",
        SILENT,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT DISTINCT i % 7 AS i FROM n ORDER BY 1",
    ],
)
def test_a_query_without_end_is_given_up(record: str, query: str) -> None:
    found = ended(record, query, "--timeout", "0.5")
    assert found.code == 2
    assert found.err == ("arena: the query took longer than 0.5 s; select fewer rows, or use --timeout SECONDS\n")


@pytest.mark.costly
def test_the_time_in_which_rows_are_printed_counts(empty: str) -> None:
    """A query that answers without end, and as quickly as can be."""
    with subprocess.Popen(
        [sys.executable, "-m", "arena", "sql", ENDLESS, "--db", empty, "--timeout", "0.5", "--format", "json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        assert b"took longer than 0.5 s" in process.stderr.read()
        assert process.wait(PATIENCE) == 2


@pytest.mark.costly
def test_what_does_not_fit_into_memory_is_not_put_on_the_disk(empty: str) -> None:
    """There no limit is on it; in memory there is one."""
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
    found = ended(empty, f"{rows} SELECT COUNT(*) FROM (SELECT randomblob(60000000) AS b FROM n ORDER BY b)")
    assert found.code == 2
    assert "at most 1024 MiB of memory" in found.err


@pytest.mark.costly
def test_what_was_found_before_is_printed(empty: str) -> None:
    found = ended(empty, SILENT, "--timeout", "0.5", "--format", "csv")
    assert (found.code, found.out) == (2, "i\n0\n")


@pytest.mark.costly
def test_one_function_of_sqlite_that_takes_minutes_is_given_up(empty: str) -> None:
    # 200 million letters are compared with 50 million at each place: no step of SQLite's, and nothing interrupts it.
    query = "SELECT instr(printf('%.*c', 120000000, 'a'), printf('%.*c', 50000000, 'a') || 'b')"
    found = ended(empty, query, "--timeout", "1")
    assert found.code == 2
    assert "took longer than 1 s" in found.err


@pytest.mark.costly
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_at_once(record: str, number: signal.Signals, request: pytest.FixtureRequest) -> None:
    server: Server | None = request.getfixturevalue("postgres") if "://" in record else None
    command = [sys.executable, "-u", "-m", "arena", "sql", SILENT, "--db", record, "--format", "csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_until_it_computes(process, server)
            process.send_signal(number)
            _, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert (process.returncode, err) == (128 + number, "")
    while server is not None and server.run(ACTIVE) != [(0,)]:
        pass  # the server looks every second whether it is still asked


@pytest.mark.costly
def test_an_interrupt_between_two_rows_prints_nothing(empty: str) -> None:
    """The cursor is closed before its connection, even while a traceback keeps the rows alive."""
    program = """if True:
        from arena.__main__ import main
        from arena.cli.look.data import TimeLimit

        def each(self, items):
            yield next(items)
            raise KeyboardInterrupt

        TimeLimit.each = each
        main()
    """
    command = [sys.executable, "-c", program, "sql", "SELECT 1 UNION ALL SELECT 2", "--db", empty, "--format", "csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")


def wait_until_it_computes(process: subprocess.Popen[str], server: Server | None) -> None:
    if server is None:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["i\n", "0\n"]
    while server is not None and server.run(ACTIVE) == [(0,)]:
        assert process.poll() is None


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "1e9", "soon"])
def test_a_time_limit_that_is_none_is_refused(tmp_path: Path, seconds: str) -> None:
    found = arena("data", "sql", "SELECT 1", "--timeout", seconds, "--db", str(tmp_path / "arena.db"))
    assert (found.code, found.out) == (2, "")
    assert "--timeout" in found.err
    assert found.err.count("\n") == 1


# It stays small.


def test_a_table_shows_the_first_rows_and_says_so(record: str) -> None:
    rows = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS + 1}) SELECT i FROM n"
    found = arena("data", "sql", rows, "--db", record)
    assert (found.code, len(found.out.splitlines())) == (0, ROWS + 1)
    assert found.err == "only the first 1,000 rows; --limit N prints more; --format csv prints all\n"
    assert arena("data", "sql", rows, "--db", record, "--limit", str(ROWS + 1)).err == ""
    assert len(json.loads(arena("data", "sql", rows, "--db", record, "--format", "json").out)) == ROWS + 1
    few = arena("data", "sql", rows, "--db", record, "--format", "csv", "--limit", "2")
    assert (few.out, few.err) == ("i\n1\n2\n", "only the first 2 rows; --limit N prints more\n")


@pytest.mark.costly
def test_rows_that_nobody_reads_are_not_computed(record: str) -> None:
    command = [sys.executable, "-m", "arena", "sql", ENDLESS, "--db", record, "--format", "csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert [process.stdout.readline() for _ in range(3)] == ["i\n", "1\n", "1\n"]
        process.stdout.close()
        assert "Traceback" not in process.stderr.read()
        assert process.wait(PATIENCE) != 0


@pytest.mark.costly
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the memory of a process so")
@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("SELECT randomblob(1000000000)", "string or blob too big"),
        (f"SELECT {', '.join(['hex(zeroblob(60000000))'] * 12)}", "at most 1024 MiB of memory"),
    ],
    ids=["in a value", "in a row"],
)
def test_a_gigabyte_is_refused(empty: str, query: str, what: str) -> None:
    found = ended(empty, query)
    assert (found.code, found.out) == (2, "")
    assert what in found.err
    assert found.err.count("\n") == 1
