"""`arena data` tells what is in a database, brings older ones up to date, and finds whatever is wrong."""

from __future__ import annotations

import json
import os
import pty
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from db import database as upgrade
from db.database import Database
from tests.kit.arena_program import arena, environment
from tests.kit.judged_records import store_evening, store_tournament
from tests.kit.places import ROOT


def test_what_is_in_a_database_is_told_wherever_it_is(where: str) -> None:
    with Database(where) as database:
        store_tournament(database)
    ended = arena("data", "info", "--db", where)
    assert (ended.code, ended.err) == (0, "")
    assert "games finished" in ended.out


@pytest.fixture(scope="module")
def true_record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a tournament of six games."""
    file = tmp_path_factory.mktemp("record") / "arena.db"
    with Database(str(file)) as database:
        store_tournament(database)
    return file


@pytest.fixture
def record(true_record: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copy(true_record, tmp_path / "arena.db"))


def change(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as plain:
        plain.execute(statement)
        plain.commit()


def test_info_counts_what_is_there(record: Path) -> None:
    change(record, "UPDATE game SET status = 'cancelled' WHERE id = 6")
    ended = arena("data", "info", "--db", str(record), columns=200)
    assert ended.code == 0
    told = dict(line.split(maxsplit=1) for line in ended.out.splitlines()[1:] if not line.startswith("games"))
    assert told["database"].strip() == str(record)
    assert (told["revision"], told["agents"], told["versions"], told["tournaments"]) == (
        upgrade.REVISION,
        "3",
        "3",
        "1",
    )
    assert [line.split() for line in ended.out.splitlines() if line.startswith("games")] == [
        ["games", "cancelled", "1"],
        ["games", "finished", "5"],
    ]


def test_info_as_json_is_one_document(record: Path) -> None:
    (info,) = json.loads(arena("data", "info", "--db", str(record), "--format", "json").out)
    assert list(info) == ["database", "bytes", "revision", "agents", "versions", "tournaments", "games", "moves"]
    assert info["games"] == {"finished": 6}
    assert info["bytes"] >= record.stat().st_size


@pytest.mark.parametrize("command", ["info", "verify", "upgrade"])
def test_a_database_that_is_not_there_is_not_made(tmp_path: Path, command: str) -> None:
    ended = arena("data", command, "--db", "none.db", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert (
        ended.err
        == "arena: there is no database none.db; change to the folder where you played, or give its path with --db\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["info", "verify", "upgrade"])
def test_a_file_that_is_no_database_is_told_in_one_line(tmp_path: Path, command: str) -> None:
    (tmp_path / "arena.db").write_text("nothing of the kind " * 100)
    ended = arena("data", command, cwd=tmp_path)
    assert ended.code == 2
    assert ended.err == "arena: arena.db is not a database of arena, or it is damaged: file is not a database\n"


def test_a_true_record_is_well(record: Path) -> None:
    ended = arena("data", "verify", "--db", str(record))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("6 games with ")
    assert ended.out.endswith(" plies and 3 versions checked: no errors\n")
    assert json.loads(arena("data", "verify", "--db", str(record), "--format", "json").out) == []


def test_what_is_wrong_is_listed_with_exit_code_1(record: Path) -> None:
    change(record, "UPDATE seat SET points = 0.25 WHERE game IN (2, 4) AND seat = 0")
    ended = arena("data", "verify", "--db", str(record))
    assert ended.code == 1
    assert [line.split()[:4] for line in ended.out.splitlines()[1:]] == [
        ["cs101-2", "expected", "the", "points"],
        ["cs101-4", "expected", "the", "points"],
    ]
    assert ended.err.endswith("checked: 2 wrong\n")
    told = arena("data", "verify", "--db", str(record), "--format", "json")
    assert told.code == 1
    assert [(wrong["where"], wrong["game"]) for wrong in json.loads(told.out)] == [("cs101-2", 2), ("cs101-4", 4)]
    assert arena("data", "verify", "--db", str(record), "--format", "csv").out.splitlines()[0] == "where,reason"


def test_what_is_wrong_shows_no_terminal_escapes(record: Path) -> None:
    change(record, "UPDATE tournament SET name = 'cs' || char(27) || '[31m'")
    change(record, "UPDATE game SET verdict = char(27) || '[2J' WHERE id = 1")
    ended = arena("data", "verify", "--db", str(record))
    assert ended.code == 1
    assert "\x1b" not in ended.out + ended.err


def test_a_database_that_is_up_to_date_stays_as_it_is(record: Path) -> None:
    before = record.read_bytes()
    ended = arena("data", "upgrade", "--db", str(record))
    assert (ended.code, ended.out) == (0, f"{record} is up to date (revision {upgrade.REVISION})\n")
    assert record.read_bytes() == before


def test_upgrade_says_where_the_copy_is(record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    migrations = tmp_path / "migrations"
    shutil.copytree(
        Path(upgrade.__file__).parent / "migrations", migrations, ignore=shutil.ignore_patterns("__pycache__")
    )
    now, next = upgrade.REVISION, f"{int(upgrade.REVISION) + 1:04}"
    (migrations / "versions" / f"{next}_next.py").write_text(
        f'"""Next."""\nrevision = "{next}"\ndown_revision = "{now}"\n\n\ndef upgrade():\n    pass\n'
    )
    monkeypatch.setattr(upgrade, "_MIGRATIONS", migrations)
    monkeypatch.setattr(upgrade, "REVISION", next)
    refused = arena("data", "info", "--db", str(record))
    assert refused.code == 2
    assert "upgrade it with `arena data upgrade`" in refused.err
    ended = arena("data", "upgrade", "--db", str(record))
    assert ended.out == f"{record} is now at revision {next}; the old database was copied to {record}.before-{next}\n"
    assert ended.code == 0


@pytest.mark.costly
def test_progress_is_shown_on_a_terminal_and_nothing_of_it_stays_in_a_pipe(tmp_path: Path) -> None:
    with Database(str(tmp_path / "arena.db")) as database:
        for seed in range(10):
            store_evening(database, seed)
    ours, theirs = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "arena", "db", "verify", "--db", str(tmp_path / "arena.db")],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**environment(80), "TERM": "xterm"},
        cwd=ROOT,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    out, _ = done.communicate()
    assert done.returncode == 0
    assert b"no errors" in out
    assert b"games" in shown
