"""A file that grows with a tournament has each game once and whole, wherever it was cut, and what was in it before."""

from __future__ import annotations

import io
from collections.abc import Iterator
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
FOREIGN = {
    FileFormat.PGN: '[Event "Linares"]\n[White "A \\"B\\""]\n[Black "C"]\n[Result "1/2-1/2"]\n\n1. e4 e5 1/2-1/2\n',
    FileFormat.SGF: "(;GM[1]SZ[9]C[a \\] bracket );];B[aa];W[])\n",
}
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


def test_each_game_is_added_once(played: Played, tmp_path: Path) -> None:
    form, database, tournament = played
    path = tmp_path / "out"
    with database.reading() as connection:
        ids = recorded.ids(connection, tournament)
    file = GrowingFile(path, form, database, tournament)
    for id in ids[:2]:
        file.add(id)
    file.catch_up()
    file.catch_up()
    assert path.read_text() == whole(form, database, tournament)


@pytest.mark.parametrize("before", [False, True], ids=["alone", "beside others"])
def test_wherever_it_was_cut_the_next_run_makes_it_whole(played: Played, tmp_path: Path, before: bool) -> None:
    form, database, tournament = played
    path, text = tmp_path / "out", whole(form, database, tournament)
    others = FOREIGN[form] + "\n" if before else ""
    random = Random(2)
    for at in {0, 1, len(text) - 1, len(text), *random.sample(range(len(text)), 40)}:
        path.write_text(others + text[:at])
        GrowingFile(path, form, database, tournament).catch_up()
        again = path.read_text()
        assert again.startswith(others)
        assert again[len(others) :].strip() == text.strip(), at


def test_the_games_of_another_program_stay(played: Played, tmp_path: Path) -> None:
    form, database, tournament = played
    path = tmp_path / "out"
    path.write_text(FOREIGN[form])
    GrowingFile(path, form, database, tournament).catch_up()
    others, text = path.read_text().split(whole(form, database, tournament))
    assert (others.strip(), text) == (FOREIGN[form].strip(), "")


@pytest.mark.parametrize("content", [b"my thesis", b"\xff\xfe", b"[Site 1]\n"])
def test_a_file_of_something_else_is_refused_and_stays(played: Played, tmp_path: Path, content: bytes) -> None:
    form, database, tournament = played
    path = tmp_path / "out"
    path.write_bytes(content)
    with pytest.raises(BadImport, match="expected games that arena has written here"):
        GrowingFile(path, form, database, tournament)
    assert path.read_bytes() == content
