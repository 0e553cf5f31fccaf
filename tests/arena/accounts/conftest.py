"""The accounts of a ladder "cs101", without a ladder: in a file, and on a server where there is one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from db.accounts import AccountsDatabase


@pytest.fixture
def database(where: str) -> Iterator[AccountsDatabase]:
    """Accounts without anybody."""
    with AccountsDatabase(where) as database:
        yield database
