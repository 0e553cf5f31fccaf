"""`arena results hosts`: the machines of a tournament."""

from __future__ import annotations

import csv
import io
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from db import store
from db.database import Database
from tests.kit.arena_program import arena
from tests.kit.sample_commands import document
from tests.kit.small_record import NOW, planned, record, tournament

_MACHINE = {"processor": "Quick 9000", "cores": 8, "software": "arena 1", "python": "3.12", "system": "Linux"}
HOSTS: list[dict[str, Any] | None] = [
    {"name": "lab-1", **_MACHINE, "speed": 512.0, "walls": "sandbox", "waits_charged": []},
    {"name": "lab-1", **_MACHINE, "speed": 498.0, "walls": None, "waits_charged": [0]},
    {"name": "lab\x1b[31m-2", **_MACHINE, "speed": 530.0, "walls": "sandbox"},
    {"software": "arena 0"},
    None,
]


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A tournament with a game on each of these hosts."""
    path = tmp_path / "arena.db"
    with Database(str(path)) as database, database.writing() as connection:
        cup = tournament(connection, "cup")
        ann, bob = (store.version(connection, name, "random", "random", NOW) for name in ("ann", "bob"))
        ids = store.schedule(connection, cup, [planned((ann, bob), f"pair {pair}") for pair in range(len(HOSTS))])
        for id, host in zip(ids, HOSTS, strict=True):
            store.begin(connection, id, NOW)
            store.finish(connection, id, record(id, plies=1), host=host, now=NOW)
        tournament(connection, "empty")
    return path


def test_a_machine_is_one_row_whatever_its_games_were(played: Path) -> None:
    found = document(played, "hosts", "cup")
    assert [(row["name"], row["speed"], row["games"], row["walls"]) for row in found] == [
        ("lab-1", 512.0, 2, ["sandbox"]),
        ("lab\x1b[31m-2", 530.0, 1, ["sandbox"]),
        (None, None, 1, []),
    ]
    assert {key: found[0][key] for key in _MACHINE} == _MACHINE
    sheet = list(
        csv.DictReader(io.StringIO(arena("results", "hosts", "cup", "--db", str(played), "--format", "csv").out))
    )
    assert [(row["speed"], row["walls"], row["cores"]) for row in sheet] == [
        *(("512.0", "sandbox", "8"), ("530.0", "sandbox", "8"), ("", "", ""))
    ]


def test_the_table_is_for_people(played: Path) -> None:
    shown = arena("results", "hosts", "cup", "--db", str(played)).out.splitlines()
    assert shown[0].split()[:6] == ["host", "speed", "games", "cores", "walls", "processor"]
    assert shown[1].split()[:5] == ["lab-1", "512", "k", "2", "8"]
    assert "Quick 9000, arena 1, Python 3.12" in shown[1]
    assert shown[3].split()[:2] == ["unknown", "1"]
    assert "\x1b" not in "".join(shown)
    assert max(map(len, arena("results", "hosts", "cup", "--db", str(played), columns=80).out.splitlines())) <= 80


def test_what_is_missing_is_said(played: Path) -> None:
    newest = arena("results", "hosts", "--db", str(played))
    assert (newest.code, newest.out) == (0, "no game is over\n")
    wrong = arena("results", "hosts", "cap", "--db", str(played))
    assert wrong.code == 2
    assert "'cap'" in wrong.err


def test_a_game_says_where_it_was_played(played: Path) -> None:
    shown = arena("replay", "--show", "cup-1", "--db", str(played), "--trust-rules").out
    assert "played on lab-1: Quick 9000, 512 thousand positions a second" in shown.splitlines()
    assert "played on" not in arena("replay", "--show", "cup-4", "--db", str(played)).out


@pytest.mark.parametrize(
    "host",
    ['{"speed": "fast", "walls": [1], "name": {}}', '{"speed": 0, "walls": {}}', '{"speed": true}', "{bad", "[1]"],
)
def test_a_record_that_was_changed_is_shown_all_the_same(played: Path, host: str) -> None:
    with closing(sqlite3.connect(played)) as plain:
        plain.execute("UPDATE game SET host = ?", (host,))
        plain.commit()
    for arguments in (["hosts", "cup"], ["hosts", "cup", "--format", "json"], ["show", "cup-1"]):
        ended = arena(*arguments, "--db", str(played))
        assert (ended.code, ended.err) == (0, "")
        assert "positions a second" not in ended.out
