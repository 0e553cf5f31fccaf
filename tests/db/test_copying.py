"""A copied database has every row of the first one, and goes on as the first one would."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import Connection, Table, select, update

from db import dialect, schema, store
from db.accounts import AccountsDatabase, file_beside
from db.copying import copy, copy_accounts
from db.database import Database
from db.errors import DatabaseError
from db.ladder import add_challenge
from db.records import ScheduledGame
from db.schema import Agent, Game, Tournament
from tests.kit.account_room import invite, signed_in
from tests.kit.ladder_record import store_ladder
from tests.kit.random_record import Record, fill
from tests.kit.small_record import NOW, planned, tournament


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record with everything in it, and accounts."""
    folder = tmp_path_factory.mktemp("original")
    file = folder / "old.db"
    with Database(str(file)) as database:
        ladder = store_ladder(database, folder)
        with database.writing() as connection:
            challenge = ScheduledGame(
                pair="a challenge",
                game="tictactoe",
                clock="5",
                seed=1,
                kind="challenge",
                seats=((1, "alice"), (2, "bob")),
            )
            add_challenge(connection, ladder.id, "alice", challenge, NOW)
            fill(Record(connection), Random(5))
            connection.execute(update(Game).where(Game.id == 1).values(detail="\u2665 \U0001f600 'quoted' \\ \n"))
    with AccountsDatabase(str(file)) as accounts:
        invite(accounts)
        signed_in(accounts)
    return file


def rows(file: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables of a file."""
    with closing(sqlite3.connect(file)) as plain:
        tables = [name for (name,) in plain.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: sorted(plain.execute(f"SELECT * FROM {name}").fetchall(), key=repr)
            for name in tables
            if not name.startswith("sqlite_")
        }


def copied(old: str, new: str, **more: Any) -> tuple[int, bool]:
    with Database(old, read_only=True) as before, Database(new) as after:
        return copy(before, after, schema.METADATA, **more)


def test_there_and_back_is_the_same_record(original: Path, where: str, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    there = sum(map(len, rows(original).values())) - 1  # without the revision
    assert copied(str(original), where, progress=lambda done, all: seen.append((done, all))) == (there, False)
    assert seen == sorted(seen)
    assert seen[-1] == (2 * there, 2 * there)
    assert copied(where, str(tmp_path / "back.db")) == (there, False)
    found = rows(original)
    assert rows(tmp_path / "back.db") == found
    assert {name for name, all in found.items() if not all} <= {"analysis", "extension"}
    assert copied(str(original), where) == (there, True)


def test_what_is_written_afterwards_has_new_ids(original: Path, where: str) -> None:
    copied(str(original), where)
    with Database(where) as database, database.writing() as connection:
        last = max(connection.execute(select(Tournament.id)).scalars())
        assert tournament(connection, "next") > last
        agents = [store.version(connection, name, "random", "random", NOW) for name in ("eve", "fay")]
        last = max(connection.execute(select(Game.id)).scalars())
        assert min(store.schedule(connection, 1, [planned((agents[0], agents[1]), "eve fay")])) > last


def test_accounts_are_copied_too(original: Path, where: str, tmp_path: Path) -> None:
    back = str(tmp_path / "back.db")
    for old, new in ((str(original), where), (where, back), (str(original), where)):
        copy_accounts(old, new)
    assert rows(file_beside(Path(back))) == rows(file_beside(original))
    with AccountsDatabase(where, create=False) as accounts:
        signed_in(accounts)


def test_another_record_is_not_overwritten(original: Path, where: str) -> None:
    with Database(where) as database, database.writing() as connection:
        tournament(connection, "mine")
    with pytest.raises(DatabaseError, match="has another record already: it differs in the table"):
        copied(str(original), where)
    with Database(where) as database, database.reading() as connection:
        assert connection.execute(select(Tournament.name)).scalars().all() == ["mine"]
        assert connection.execute(select(Agent.id)).all() == []


@pytest.mark.parametrize("change", [{"name": "eve"}, None], ids=["a row differs", "it is interrupted"])
def test_a_copy_that_fails_leaves_nothing(
    original: Path, where: str, monkeypatch: pytest.MonkeyPatch, change: dict[str, str] | None
) -> None:
    real = dialect.rows_were_copied

    def fails(connection: Connection, table: Table) -> None:
        if change is None and table.name == "seat":
            raise KeyboardInterrupt
        if change is not None and table.name == "agent":
            connection.execute(update(Agent).where(Agent.name == "ann").values(**change))
        real(connection, table)

    with monkeypatch.context() as patch:
        patch.setattr(dialect, "rows_were_copied", fails)
        with pytest.raises(
            (DatabaseError, KeyboardInterrupt), match="the copy differs in the table agent" if change else None
        ):
            copied(str(original), where)
    with Database(where) as database, database.reading() as connection:
        assert connection.execute(select(Agent.id)).all() == []
    assert copied(str(original), where)[1] is False


def test_rules_are_paths_into_the_new_store(original: Path, where: str, tmp_path: Path) -> None:
    source = "ab" * 32
    changed = tmp_path / "changed.db"
    with closing(sqlite3.connect(original)) as plain, closing(sqlite3.connect(changed)) as mine:
        plain.backup(mine)
        mine.execute("UPDATE game SET rules = ? WHERE id = 1", (f"/old/arena.store/{source}/game.py:Game",))
        mine.execute("UPDATE game SET rules = ? WHERE id = 2", (f"tree:file=/old/arena.store/{source}/my.json",))
        mine.execute("UPDATE game SET rules = ? WHERE id = 3", (f"/elsewhere/arena.store/{source}/game.py:Game",))
        mine.commit()
    copied(str(changed), where, stores=(Path("/old/arena.store"), Path("/new/arena.store")))
    with Database(where) as database, database.reading() as connection:
        found = connection.execute(select(Game.rules).where(Game.id <= 3).order_by(Game.id)).scalars().all()
    assert found == [
        f"/new/arena.store/{source}/game.py:Game",
        f"tree:file=/new/arena.store/{source}/my.json",
        f"/elsewhere/arena.store/{source}/game.py:Game",
    ]


@pytest.mark.parametrize("change", ["host = '{bad'", "detail = x'00ff'"])
def test_values_that_have_no_place_are_told(original: Path, where: str, tmp_path: Path, change: str) -> None:
    changed = tmp_path / "changed.db"
    with closing(sqlite3.connect(original)) as plain, closing(sqlite3.connect(changed)) as mine:
        plain.backup(mine)
        mine.execute(f"UPDATE game SET {change} WHERE id = 1")
        mine.commit()
    with pytest.raises(DatabaseError, match="a value of the table game does not have its column's type"):
        copied(str(changed), where)
