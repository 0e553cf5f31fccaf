"""The form of adsearch that a seat's process searched in is recorded, exported and read again, and no other word."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.protocol import Ready
from arena.errors import BadImport
from arena.history.exchange import checks
from arena.history.exchange.ndjson import line
from arena.history.exchange.ndjson import read as read_lines
from arena.history.exchange.pgn import read as read_pgn
from arena.history.exchange.pgn import text as pgn
from db import bundles, store
from db import games as recorded
from db.database import Database
from db.records import PastGame, ScheduledGame
from tests.kit.judged_records import HOST, NOW
from tests.kit.match_table import Table


@pytest.fixture
def game(tmp_path: Path) -> PastGame:
    """Of ann, whose process has said its form, and bob, whose process has not."""
    table = Table(game=1).arrive(0, 1)
    table.say(0, Ready(1, adsearch="compiled"))
    table.say(1, Ready(1))
    for move in ("a1", "b1", "a2", "b2", "a3"):
        table.play(move)
    table.finish()
    with Database(str(tmp_path / "arena.db")) as database, database.writing() as connection:
        seats = tuple((store.version(connection, name, "random", "random", NOW), name) for name in ("ann", "bob"))
        (id,) = store.schedule(connection, None, [ScheduledGame(pair="p", game="tictactoe", seats=seats)])
        store.finish(connection, id, table.match.record(), host=HOST, now=NOW)
        return recorded.game(connection, id)


def forms(game: PastGame) -> list[str | None]:
    return [seat.adsearch for seat in game.seats]


def test_the_record_has_it(game: PastGame) -> None:
    assert forms(game) == ["compiled", None]


def test_files_have_it_and_give_it_back(game: PastGame, tmp_path: Path) -> None:
    for written, reader in ((line(game), read_lines), (pgn(game), read_pgn)):
        (again,) = checks.whole_file(reader(written, "file"), "file", tournament=None)
        assert forms(again) == forms(game)
        with Database(str(tmp_path / f"{reader.__module__}.db")) as database, database.writing() as connection:
            bundles.add_imported(connection, [again], NOW)
            (id,) = recorded.ids(connection, None)
            assert forms(recorded.game(connection, id)) == forms(game)


def test_another_word_is_refused(game: PastGame) -> None:
    for written, reader in ((line(game), read_lines), (pgn(game), read_pgn)):
        with pytest.raises(BadImport, match="adsearch"):
            checks.whole_file(reader(written.replace("compiled", "polished"), "file"), "file", tournament=None)
