"""`arena data verify` accepts a ladder as it is recorded, and reports each change of its rows."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from arena.history.verify import verify
from arena.players.submissions import Store
from db.database import Database
from db.ladder_results import contradictions
from tests.kit.ladder_record import store_ladder
from tests.kit.postgres_server import Server


@pytest.fixture(scope="module")
def true_record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a ladder."""
    folder = tmp_path_factory.mktemp("ladder")
    with Database(str(folder / "arena.db")) as database:
        store_ladder(database, folder)
    return folder / "arena.db"


def reasons(file: Path) -> list[str]:
    """What is wrong in the database, each with its place."""
    with Database(str(file), read_only=True) as database:
        return [
            f"{wrong.where}: {wrong.reason}" for wrong in verify(database, Store(file.with_suffix(".store"))).wrongs
        ]


def test_a_ladder_has_no_contradictions(true_record: Path) -> None:
    assert reasons(true_record) == []


def test_a_ladder_in_postgresql_is_read_too(postgres: Server, tmp_path: Path) -> None:
    with Database(postgres.new_database()) as database:
        store_ladder(database, tmp_path)
        with database.reading() as connection:
            assert [*contradictions(connection)] == []
        with database.writing() as connection:
            connection.execute(text("UPDATE submission SET words = '', state = 'refused' WHERE id = 1"))
        with database.reading() as connection:
            found = [reason for _, reason in contradictions(connection)]
    assert "submission 1 of 'alice': expected no version, because it is refused" in found
    assert "submission 1 of 'alice': expected the reason why it is refused" in found


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (
            "UPDATE submission SET version = NULL WHERE id = 1",
            "submission 1 of 'alice': expected a version, because it",
        ),
        (
            "UPDATE submission SET state = 'failed', words = 'no' WHERE id = 1",
            "submission 1 of 'alice': expected no ver",
        ),
        ("UPDATE submission SET version = 4 WHERE id = 1", "its version is of 'bob', or has other files"),
        ("UPDATE submission SET source = 'mcts' WHERE id = 1", "its version is of 'alice', or has other files"),
        ("UPDATE submission SET source = NULL WHERE id = 1", "expected the hash of its files, because it is entered"),
        (
            "UPDATE submission SET state = 'refused', version = NULL WHERE id = 1",
            "expected the reason why it is refused",
        ),
        ("UPDATE submission SET steps = '{' WHERE id = 2", "submission 2 of 'bob': its steps cannot be read"),
        ("UPDATE submission SET steps = '{\"steps\": 1}' WHERE id = 2", "its steps cannot be read"),
        ("UPDATE submission SET steps = '[]' WHERE id = 2", "its steps cannot be read"),
        ("UPDATE submission SET changed = 'noon' WHERE id = 3", "changed: expected a time, got 'noon'"),
        (
            "UPDATE submission SET state = 'checking', version = NULL WHERE author = 'alice'",
            "submissions 1 and 4 of 'alice' are both in their check",
        ),
        (
            "UPDATE entry SET version = (SELECT version FROM submission WHERE id = 1) WHERE name = 'alice'",
            "'alice' does not play with the version of its last submission that was entered",
        ),
        ("DELETE FROM submission WHERE author = 'bob'", "'bob' does not play with the version of its last submission"),
        (
            "UPDATE submission SET author = 'zoe' WHERE id IN (1, 4)",
            "1 ratings of alice@1, which never played in it",
        ),
        ("UPDATE rating SET rating = 9e999 WHERE id = 4", "rating 4: expected finite numbers, got inf"),
        ("UPDATE rating SET error = -1 WHERE id = 4", "rating 4: expected finite numbers, got 109.0 ± -1.0"),
        ("UPDATE rating SET time = '' WHERE id = 4", "rating 4: expected a time, got ''"),
        (
            "INSERT INTO extension (tournament, author, until, reason, made) VALUES (1, 'bob', 'soon', 'ill', '')",
            "extension 1: expected a time, got 'soon'",
        ),
        ("UPDATE tournament SET format = 'swiss'", "it is not a ladder, but has 5 rows in the table 'submission'"),
    ],
)
def test_a_changed_row_is_reported(true_record: Path, tmp_path: Path, statement: str, reason: str) -> None:
    file = Path(shutil.copy(true_record, tmp_path / "arena.db"))
    with closing(sqlite3.connect(file)) as plain:
        assert plain.execute(statement).rowcount > 0
        plain.commit()
    assert any(reason in one for one in reasons(file)), reasons(file)
