"""The hostile record of `tests/kit/web_record.py` and page servers of it, and a ladder that instructors manage."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.managed_ladder import ManagedLadder, managed_ladder
from tests.kit.web_record import LADDER, WebRecord, store_everything
from tests.kit.web_room import PageServer


@pytest.fixture
def room(where: str, tmp_path: Path) -> Iterator[ManagedLadder]:
    """A ladder that instructors manage, in each kind of database."""
    with managed_ladder(where, tmp_path) as room:
        yield room


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> WebRecord:
    """The record; tests only read it."""
    return store_everything(tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="session")
def server(record: WebRecord) -> Iterator[PageServer]:
    """A page server that shows agents' own names, which are hostile."""
    with PageServer(record.database, record.folder / "store", served=LADDER) as started:
        yield started
    assert started.complaints == b""


@pytest.fixture(scope="session")
def server_with_roster(record: WebRecord) -> Iterator[PageServer]:
    """A page server that shows aliases."""
    with PageServer(record.database, record.folder / "store", served=LADDER, roster=record.roster) as started:
        yield started
    assert started.complaints == b""
