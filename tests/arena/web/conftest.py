"""The hostile record of `tests/kit/web_record.py` and page servers of it, and a ladder that instructors manage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.kit.managed_ladder import ManagedLadder, managed_ladder
from tests.kit.web_record import LADDER, WebRecord, store_everything
from tests.kit.web_room import PageServer

if TYPE_CHECKING:
    from tests.kit.pages_in_process import PagesInProcess


@pytest.fixture
def place(tmp_path: Path) -> str:
    """An empty database, in a file. Tests that need each kind have `where` in its place."""
    return str(tmp_path / "arena.db")


@pytest.fixture
def room(place: str, tmp_path: Path) -> Iterator[ManagedLadder]:
    """A ladder that instructors manage."""
    with managed_ladder(place, tmp_path) as room:
        yield room


@pytest.fixture
def pages(room: ManagedLadder) -> Iterator[PagesInProcess]:
    """Its pages, without a server."""
    from tests.kit.pages_in_process import pages_in_process  # it needs an extra

    with pages_in_process(room) as pages:
        yield pages


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
