"""A Dask cluster for the tests of a module."""

from collections.abc import Iterator

import pytest

from tests.kit import dask_room
from tests.kit.dask_room import Room


@pytest.fixture(scope="module")
def room() -> Iterator[Room]:
    """A cluster with a scheduler."""
    with dask_room.cluster() as made:
        yield made
