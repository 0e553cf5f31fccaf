"""A bundle's sources are unpacked beside its file and nowhere else; a malicious file is refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from db import bundles, games, store
from db.bundles import BundleNames, SourceFile
from db.database import Database
from db.errors import DatabaseError, NotFound
from db.records import JudgedPly, PositionValue
from db.sources import StoredFile, hash_of
from tests.kit import sample_record
from tests.kit.small_record import NOW

AS_THEY_ARE = BundleNames(of=str, words=str, pair=str)
Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes the bundle of somebody of the sample, with files of a source."""

    def made(agent: str = "ann", *files: tuple[str, bytes], name: str = "ann.arena", hash: str | None = None) -> Path:
        if not (tmp_path / "arena.db").exists():
            sample_record.make(tmp_path / "arena.db")
        with Database(str(tmp_path / "arena.db")) as old, old.reading() as connection:
            wanted = bundles.contents_for(connection, agent, None)
            source = hash_of({path: StoredFile(content, False) for path, content in files}) if hash is None else hash
            sources = [SourceFile(source, path, False, content) for path, content in files]
            with Database(str(tmp_path / "built.db")) as new, new.writing() as copied:
                bundles.copy(connection, copied, wanted, AS_THEY_ARE, sources, NOW)
        bundles.pack(tmp_path / "built.db", tmp_path / name)
        (tmp_path / "built.db").unlink()
        return tmp_path / name

    return made


def asked(file: Path, query: str) -> list[tuple[object, ...]]:
    """What the file itself answers."""
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(query).fetchall()


def test_a_bundle_has_only_finished_games_of_its_agent(make: Make) -> None:
    file = make("cleo")
    assert asked(file, "SELECT COUNT(*) FROM game WHERE status NOT IN ('finished', 'void')") == [(0,)]
    without = "SELECT COUNT(*) FROM game WHERE NOT EXISTS (SELECT 1 FROM seat WHERE game = game.id AND name = 'cleo')"
    assert asked(file, without) == [(0,)]
    assert asked(file, "SELECT name FROM tournament") == [("cs101",)]
    assert asked(file, "SELECT name FROM entry ORDER BY name") == [("ann",), ("bob",), ("cleo",)]


def test_a_bundle_has_the_analysis_of_its_games(make: Make, tmp_path: Path) -> None:
    sample_record.make(tmp_path / "arena.db")
    with Database(str(tmp_path / "arena.db")) as database, database.writing() as connection:
        game = games.game(connection, 1)
        worth = PositionValue((0.5,) * len(game.seats), False)
        judged = JudgedPly(ply=1, who=game.moves[0].who, move=game.moves[0].move, before=worth, after=worth, depth=3)
        store.keep_analysis(connection, game.id, [judged])
    with Database(str(make("ann"))) as bundle, bundle.reading() as connection:
        assert games.game(connection, 1).analysis == (judged,)


def test_the_seed_of_a_running_tournament_is_left_out(make: Make, tmp_path: Path) -> None:
    sample_record.make(tmp_path / "arena.db")
    with Database(str(tmp_path / "arena.db")) as database, database.writing() as connection:
        connection.exec_driver_sql("UPDATE tournament SET seed = '5' WHERE status <> 'finished'")
    file = make()
    seeds = asked(file, "SELECT DISTINCT tournament.status, game.seed FROM game JOIN tournament "
                        "ON tournament.id = game.tournament ORDER BY 1")  # fmt: skip
    assert seeds == [("finished", str(2**100)), ("running", "")]
    assert asked(file, "SELECT seed FROM tournament WHERE status = 'running'") == [("",)]


def test_the_seed_of_a_finished_tournament_is_left_out_while_another_one_has_it(make: Make, tmp_path: Path) -> None:
    sample_record.make(tmp_path / "arena.db")
    with Database(str(tmp_path / "arena.db")) as database, database.writing() as connection:
        connection.exec_driver_sql(f"UPDATE tournament SET seed = '{2**100}'")
    assert asked(make(), "SELECT DISTINCT seed FROM tournament") == [("",)]
    assert asked(tmp_path / "ann.arena", "SELECT DISTINCT seed FROM game WHERE tournament IS NOT NULL") == [("",)]


def test_a_bundle_has_the_seeds_of_its_agents_own_seats_only(make: Make) -> None:
    file = make()
    assert asked(file, "SELECT DISTINCT seats_key FROM tournament") == [(None,)]
    seats = asked(file, "SELECT DISTINCT name = 'ann', seed IS NOT NULL FROM seat ORDER BY 1")
    assert seats == [(0, 0), (1, 1)]


def test_a_bundle_has_only_rulings_about_its_games(make: Make) -> None:
    reasons = {reason for (reason,) in asked(make("dan"), "SELECT reason FROM ruling")}
    assert reasons == {"asked to"}
    assert "three times void" in {
        reason for (reason,) in asked(make("cleo", name="c.arena"), "SELECT reason FROM ruling")
    }


def test_sources_are_unpacked_beside_the_file_once(make: Make, tmp_path: Path) -> None:
    files = {"my_agent.py": b"print()", "data/x.bin": bytes(range(256))}
    hash = hash_of({path: StoredFile(content, False) for path, content in files.items()})
    file = make("ann", *files.items())
    for read_only in (True, False, True):
        with Database(str(file), read_only=read_only):
            pass
        place = tmp_path / "ann.store" / hash
        assert (place / "data" / "x.bin").read_bytes() == bytes(range(256))
        assert place.stat().st_mode & 0o777 == 0o555
        assert [path.name for path in (tmp_path / "ann.store").iterdir()] == [hash]


@pytest.mark.parametrize(
    "path",
    ["../evil.py", "/evil.py", "x/../../evil.py", "", ".", "./evil.py", "x//evil.py", "x/", "x/" * 32 + "evil.py"],
)
def test_nothing_is_written_elsewhere(make: Make, tmp_path: Path, path: str) -> None:
    file = make("ann", (path, b"1"))
    with pytest.raises(DatabaseError, match="the bundle is damaged"):
        Database(str(file))
    assert not list(tmp_path.rglob("evil.py"))
    assert not (tmp_path / "ann.store").exists()


def test_a_source_that_does_not_have_its_hash_is_not_unpacked(make: Make, tmp_path: Path) -> None:
    file = make("ann", ("evil.py", b"1"), hash="ab" * 32)
    with pytest.raises(DatabaseError, match="the source abababababab does not have that hash"):
        Database(str(file))
    assert not (tmp_path / "ann.store").exists()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda place: (place / "a.py").write_text("evil"),
        lambda place: (place / "b.py").write_text("more"),
        lambda place: (place / "a.py").chmod(0o755),
        lambda place: ((place / "a.py").unlink(), (place / "a.py").symlink_to("/etc/hostname")),
        lambda place: (place / "x").symlink_to("/etc"),
    ],
    ids=["other content", "a file more", "executable", "a link", "a link to a folder"],
)
def test_a_folder_with_other_content_is_not_taken_for_the_source(
    make: Make, tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    file = make("ann", ("a.py", b"1"))
    with Database(str(file)):
        pass
    (place,) = (tmp_path / "ann.store").iterdir()
    place.chmod(0o755)
    (place / "a.py").chmod(0o644)
    spoil(place)
    for read_only in (False, True):
        with pytest.raises(DatabaseError, match=r"differs from the source in .*ann.arena: delete it"):
            Database(str(file), read_only=read_only)


def test_a_source_beyond_the_limits_of_the_store_is_not_read(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    file = make("ann", ("a.py", b"1" * 1000), ("b.py", b"1"))
    for limit, most in (("MOST_BYTES", 1000), ("MOST_FILES", 1), ("MOST_FILES", 2)):  # with the folder
        with monkeypatch.context() as patch:
            patch.setattr(bundles, limit, most)
            with pytest.raises(DatabaseError, match=r"expected at most .* in a source, got more"):
                Database(str(file))
    with Database(str(file)):
        pass


def test_a_source_not_named_by_a_hash_is_refused(make: Make, tmp_path: Path) -> None:
    file = make("ann", ("a.py", b"1"))
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE bundled SET source = '../evil'")
        connection.commit()
    with pytest.raises(DatabaseError, match="expected the hash of a source"):
        Database(str(file))
    assert not (tmp_path / "evil").exists()


def test_an_existing_file_is_never_replaced(make: Make, tmp_path: Path) -> None:
    (tmp_path / "ann.arena").write_text("mine")
    with pytest.raises(DatabaseError, match="is not overwritten"):
        make()
    assert (tmp_path / "ann.arena").read_text() == "mine"
    assert not list(tmp_path.glob("*.part"))


def test_an_agent_without_a_finished_game_has_no_bundle(make: Make) -> None:
    with pytest.raises(NotFound, match="'eve' has no finished game"):
        make("eve")
    with pytest.raises(NotFound, match="there is no agent 'zoe' in the database"):
        make("zoe")
