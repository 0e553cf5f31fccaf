"""A file that grows with a tournament has each game once and whole, wherever it was cut, and what was in it before."""

from __future__ import annotations

import io
import os
import re
import resource
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from arena.errors import BadImport
from arena.history.exchange import FileFormat, write
from arena.history.exchange.growing_file import GrowingFile
from db import games as recorded
from db import store
from db.database import Database
from db.records import ScheduledGame
from tests.kit.judged_records import HOST, NOW
from tests.kit.match_table import NAMES, Table

FORMS = {FileFormat.PGN: ("chess", "nap:5"), FileFormat.SGF: ("go:size=5",)}
PLAYED = 6
Played = tuple[FileFormat, Database, int]
"""The format, and a record with a tournament of some games; one was played again."""


@pytest.fixture(scope="module", params=[(form, rules) for form, every in FORMS.items() for rules in every], ids=str)
def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[FileFormat, Database, int]]:
    form, rules = request.param
    random = Random(1)
    with Database(str(tmp_path_factory.mktemp("record") / "arena.db")) as database:
        with database.writing() as connection:
            tournament = store.create_tournament(
                connection, "a [cup] \\", format="match", rules=rules, clock="none", seed=1, settings={}, now=NOW
            )
            versions = [store.version(connection, name, "random", "random", NOW) for name in NAMES[:2]]
            for version, name in zip(versions, NAMES, strict=False):
                store.enter(connection, tournament, name, version)
            seats = tuple(zip(versions, NAMES, strict=False))
            new = [ScheduledGame(pair=str(number), game=rules, seats=seats) for number in range(PLAYED - 1)]
            ids = store.schedule(connection, tournament, new)
            ids.append(store.repeat(connection, ids[0]))
            for id in ids:
                table = Table(rules=rules, game=id, max_plies=4).begin()
                while table.match.verdict is None:
                    table.play(table.match.state.to_text(random.choice(table.match.state.moves())), spent=0)
                table.finish()
                store.finish(connection, id, table.match.record(), host=HOST, now=NOW)
        yield form, database, tournament


def whole(form: FileFormat, database: Database, tournament: int) -> str:
    """What an export writes."""
    with database.reading() as connection:
        out = io.StringIO()
        write(recorded.games(connection, recorded.ids(connection, tournament), whole=True), form, out)
    return out.getvalue()


def without_marks(text: str) -> str:
    return re.sub(r'\[Mark "\w{16}"\]\n|SO\[arena \w{16}\]', "", text)


def test_each_game_is_added_once(played: Played, tmp_path: Path) -> None:
    form, database, tournament = played
    path = tmp_path / "out"
    with database.reading() as connection:
        ids = recorded.ids(connection, tournament)
    file = GrowingFile(path, form)
    for id in ids[:2]:
        file.add(database, id)
    file.catch_up(database, tournament)
    GrowingFile(path, form).catch_up(database, tournament)
    assert without_marks(path.read_text()) == whole(form, database, tournament)


@pytest.mark.parametrize("others", [0, 3], ids=["alone", "after others"])
def test_wherever_it_was_cut_the_next_run_makes_it_whole(played: Played, tmp_path: Path, others: int) -> None:
    """The games of another record, which may have the same names, come first."""
    form, database, tournament = played
    path = tmp_path / "out"
    GrowingFile(path, form).catch_up(database, tournament)
    text = path.read_bytes()
    foreign = re.sub(rb'(Mark "|SO\[arena )\w{15}', rb"\g<1>" + b"0" * 15, text) * others
    random = Random(2)
    for at in {0, 1, 2, 8, len(text) - 1, len(text), *random.sample(range(len(text)), 40)}:
        path.write_bytes(foreign + text[:at])
        GrowingFile(path, form).catch_up(database, tournament)
        again = path.read_bytes()
        assert again.startswith(foreign)
        assert sorted(again[len(foreign) :].split(b"\n\n")) == sorted(text.split(b"\n\n")), at


def test_what_is_not_the_beginning_of_a_game_of_ours_stays(played: Played, tmp_path: Path) -> None:
    form, database, tournament = played
    path = tmp_path / "out"
    GrowingFile(path, form).catch_up(database, tournament)
    text = path.read_bytes()
    for notes in (b"my notes", b'[Event "mine"]\r\n\r\n1. e4 *\r\n', b"(;C[mine])\n", b"\xff"):
        path.write_bytes(text.partition(b"\n\n")[0] + b"\n\n" + notes)
        GrowingFile(path, form).catch_up(database, tournament)
        assert notes in path.read_bytes()


@pytest.mark.parametrize(
    "content", [b"my thesis", b"\xff\xfe", b'[Event "mine"]\r\n\r\n1. e4 *\r\n', b"(;C[mine])\n\n"]
)
def test_a_file_of_something_else_is_refused_and_stays(played: Played, tmp_path: Path, content: bytes) -> None:
    form, _, _ = played
    path = tmp_path / "out"
    path.write_bytes(content)
    with pytest.raises(BadImport, match="expected games that arena has added here"):
        GrowingFile(path, form)
    assert path.read_bytes() == content


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, what in ((tmp_path / "pipe", "expected a file"), (Path("/dev/full"), "expected a file")):
        with pytest.raises(BadImport, match=what):
            GrowingFile(path, FileFormat.PGN)


def test_on_a_full_disk_a_game_is_added_whole_or_not_at_all(played: Played, tmp_path: Path) -> None:
    form, database, tournament = played
    path, room = tmp_path / "out", 900
    file = GrowingFile(path, form)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with database.reading() as connection:
        ids = recorded.ids(connection, tournament)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limit[1]))
    try:
        with suppress(OSError):
            for id in ids:
                file.add(database, id)
            pytest.fail("all of them fit")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert path.read_bytes() == b"" or path.read_bytes().endswith(b"\n\n")
    file.catch_up(database, tournament)
    assert without_marks(path.read_text()) == whole(form, database, tournament)
