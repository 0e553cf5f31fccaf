"""What is written is private from its first moment, whatever the umask is, and no mode is changed afterwards."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from stat import S_IMODE, S_ISGID
from types import MappingProxyType

import pytest

from arena.players.submissions import Store
from arena.serve.spool import Spool
from arena.tournament import collected_file
from arena.tournament.lock import collecting_lock
from db import bundles, private
from db.accounts import AccountsDatabase
from db.copying import copy
from db.database import Database, _copy
from db.schema import METADATA
from tests.kit import sample_record
from tests.kit.places import COUNTDOWN


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that everybody can look into, as the folders above it."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(params=[0o755, 0o2775], ids=["own", "shared"])
def folder(request: pytest.FixtureRequest, place: Path) -> Path:
    """The same; the shared one belongs to a group."""
    place.chmod(request.param)
    return place


def a_record(folder: Path) -> None:
    with Database(str(folder / "arena.db")) as database, database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM tournament")


def accounts(folder: Path) -> None:
    for _ in range(2):
        AccountsDatabase(str(folder / "arena.db")).close()


def a_backup(folder: Path) -> None:
    with Database(str(folder / "arena.db")) as database, database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM tournament")
    _copy(folder / "arena.db", folder / "arena.db.before-0002")


def a_copy(folder: Path) -> None:
    sample_record.make(folder / "arena.db")
    with Database(str(folder / "arena.db")) as old, Database(str(folder / "copy.db")) as new:
        copy(old, new, METADATA)


def a_bundle(folder: Path) -> None:
    sample_record.make(folder / "built.db")
    bundles.pack(folder / "built.db", folder / "ann.arena")


def a_store(folder: Path) -> None:
    Store(folder / "arena.store").take_game(f"{COUNTDOWN}:Countdown")


def a_lock(folder: Path) -> None:
    for _ in range(2):
        with collecting_lock(folder / "arena.store", folder / "list"):
            pass


def an_upload(folder: Path) -> None:
    with Spool(Store(folder / "arena.store")).begin() as upload:
        upload.write(b"secret")
        assert len(private_modes(folder / "arena.store")) == 1
        (spool,) = (folder / "arena.store").iterdir()
        assert len(private_modes(spool)) == 1


def a_list(folder: Path) -> None:
    collected_file.write(folder / "cs101.collected.toml", {}, Store(folder / "arena.store"), MappingProxyType({}))


WRITES = [a_record, accounts, a_backup, a_copy, a_bundle, a_store, a_lock, an_upload, a_list]


def private_modes(folder: Path) -> dict[str, int]:
    """The modes of what is in the folder; nobody but the owner, or in a shared folder the group, can use it."""
    shared = folder.stat().st_mode & S_ISGID
    modes = {path.name: S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    for path in folder.iterdir():
        mode = 0o2770 if path.is_dir() and shared else 0o700 if path.is_dir() else 0o660 if shared else 0o600
        assert (path.name, oct(modes[path.name])) == (path.name, oct(mode))
        assert not private.why_open(path)
    return modes


@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)
def test_what_is_new_is_private(write: Callable[[Path], None], folder: Path) -> None:
    write(folder)
    assert private_modes(folder)


@pytest.mark.parametrize(
    ("name", "mode"), [("arena.db", 0o644), ("cs101.collected.toml", 0o604), ("arena.store", 0o755)]
)
def test_a_mode_that_is_there_is_never_changed_but_told(place: Path, name: str, mode: int) -> None:
    a_record(place)
    a_store(place)
    a_list(place)
    (place / name).chmod(mode)
    a_record(place)
    a_store(place)
    a_list(place)
    assert S_IMODE((place / name).stat().st_mode) == mode
    told = private.why_open(place / name)
    assert told == f"other users of this machine can read {place / name}: chmod {told.split()[-2]} {place / name}"
    (place / name).chmod(int(told.split()[-2], 8))
    assert not private.why_open(place / name)


def test_a_record_behind_a_link_is_private(place: Path) -> None:
    (place / "elsewhere").mkdir()
    (place / "arena.db").symlink_to(place / "elsewhere" / "arena.db")
    a_record(place)
    assert S_IMODE((place / "elsewhere" / "arena.db").stat().st_mode) == 0o600


def test_what_lies_in_a_private_folder_is_private(place: Path) -> None:
    a_record(place)
    (place / "arena.db").chmod(0o644)
    place.chmod(0o755)
    assert private.why_open(place / "arena.db")
    place.chmod(0o700)
    assert not private.why_open(place / "arena.db")
    assert not private.why_open(place / "missing")
