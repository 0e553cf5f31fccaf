"""What holds for all tests.

Ctrl-C and a hang-up end programs, even where the tests run in the background: a shell without job control, and nohup,
start what runs in the background with these signals ignored, and every process that a test starts would inherit that.
Nothing is written to the home of who runs the tests. No example of Hypothesis has a deadline, as no test depends on how
fast the machine is. In this process no write waits for the disk, SQL is compiled once for all databases, Alembic makes
one new database of each kind, an interpreter is asked once, crews are forked, and garbage is not looked for among the
thousands of tests themselves.
"""

import copy
import functools
import gc
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy import Connection, Engine, event

from agents import player
from arena.play import helper
from arena.walls import library
from db import database, dialect
from tests.kit import postgres_server, prestarted
from tests.kit.postgres_server import Server

gc.disable()  # until all tests are collected

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class CompiledStatements(dict[Any, Any]):
    """Compiled statements of all engines for SQLite. SQLAlchemy keeps them for each engine: its key begins with the
    engine's dialect. These dialects are all alike, and a test opens many databases."""

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        return super().get(key[1:], default)

    def __setitem__(self, key: tuple[Any, ...], value: Any) -> None:
        super().__setitem__(key[1:], value)


@pytest.fixture(scope="session", autouse=True)
def _with_databases_that_are_quick() -> Iterator[None]:
    """A commit that does not wait for the disk is a commit for every process, even if one is killed; only a machine
    that loses its power would notice."""
    engine = dialect.engine
    compiled = CompiledStatements()

    @functools.wraps(engine)
    def quick_engine(*arguments: Any, **named: Any) -> Engine:
        made = engine(*arguments, **named)
        if made.dialect.name == "sqlite":
            made.update_execution_options(compiled_cache=compiled)
            event.listen(made, "connect", lambda connection, _: connection.execute("PRAGMA synchronous = OFF"))
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dialect, "engine", quick_engine)
        yield


@pytest.fixture(scope="session")
def once_for_all(pytestconfig: pytest.Config) -> bool:
    """Whether tests may use what others have found out; not where it is recorded which test executes which line."""
    return not pytestconfig.pluginmanager.hasplugin("tests.mutants.recorder")


@pytest.fixture(scope="session", autouse=True)
def _with_new_databases_like_the_first(once_for_all: bool) -> Iterator[None]:
    """Alembic needs 50 ms for the tables of a new database; the same statements need a millisecond."""
    migrate = database._migrate
    known: dict[tuple[str, str], list[tuple[str, Any]]] = {}

    @functools.wraps(migrate)
    def make_tables(connection: Connection) -> None:
        if database._revision(connection) is not None:
            migrate(connection)
            return
        kind = (connection.dialect.name, database.REVISION)
        if once_for_all and kind in known:
            for statement, values in known[kind]:
                connection.exec_driver_sql(statement, values)
            return
        statements: list[tuple[str, Any]] = []

        def note(_connection: Connection, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
            statements.append((statement, values))

        event.listen(connection, "before_cursor_execute", note)
        migrate(connection)
        event.remove(connection, "before_cursor_execute", note)
        known[kind] = statements

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "_migrate", make_tables)
        yield


@pytest.fixture(scope="session", autouse=True)
def _without_collecting_garbage_for_each_game() -> Iterator[None]:
    """A host collects garbage at the start of a game; in a process with thousands of tests that takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(player, "gc", SimpleNamespace(isenabled=lambda: False))
        yield


@pytest.fixture(scope="session", autouse=True)
def _with_folders_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the tests enter is not noted as the own code of who runs them, and their endgame tables are not kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("ARENA_TABLES", raising=False)
        yield


@pytest.fixture(scope="session", autouse=True)
def _without_asking_an_interpreter_twice(once_for_all: bool) -> Iterator[None]:
    """What a Python says of itself is the same all the while; asking costs a process."""
    ask = library._ask
    once = functools.cache(lambda program, roots, _path: ask(program, roots, ""))

    @functools.wraps(ask)
    def ask_once(program: str, roots: Sequence[str], rules: str) -> dict[str, Any]:
        if rules or not once_for_all:  # `rules` is a file that may change
            return ask(program, roots, rules)
        return copy.deepcopy(once(program, tuple(roots), os.environ.get("PYTHONPATH")))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(library, "_ask", ask_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def _with_a_crew_that_starts_at_once() -> Iterator[None]:
    """Tests that start a crew inside their own process need no interpreter that starts anew."""
    if not prestarted.POSSIBLE:
        yield
        return
    nursery = prestarted.Nursery()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(helper, "subprocess", nursery.subprocess)
        yield
    nursery.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of this run's own, where there is one."""
    with postgres_server.server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that is empty, in a file and on a server: its path or URL."""
    if request.param == "sqlite":
        return str(tmp_path / "arena.db")
    server: Server = request.getfixturevalue("postgres")
    return server.new_database()


def pytest_collection_modifyitems() -> None:
    gc.freeze()
    gc.enable()
