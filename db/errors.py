"""The errors of the database.

    DatabaseError
    |-- NewerDatabase    a newer version of arena wrote the file
    |-- NotADatabase     the file is not a database of arena, or is damaged
    |-- NotFound         no tournament, game or agent has that name
    |-- Busy             another program is writing, or the server does not answer
    |   `-- Unsure       the connection was lost while a transaction was committed
    |-- DiskFull         the disk is full, or writing failed
    `-- NoDriver         the driver package for this database is not installed

A message says what was expected, what came, where, and what to do; it can be shown to a user unchanged.
"""

from collections.abc import Iterable


class DatabaseError(ValueError):
    """An error of the database that the user can do something about."""


class NewerDatabase(DatabaseError):
    """A newer version of arena wrote the file."""


class NotADatabase(DatabaseError):
    """The file is not a database of arena, or is damaged."""


class NotFound(DatabaseError):
    """No tournament, game or agent has that name."""


class Busy(DatabaseError):
    """Another program is writing, or the server does not answer."""


class Unsure(Busy):
    """The connection was lost while a transaction was committed; `Connections.committed` tells whether it was."""

    def __init__(self, message: str, transaction: str) -> None:
        super().__init__(message)
        self.transaction = transaction


class DiskFull(DatabaseError):
    """The disk is full, or writing failed."""


class NoDriver(DatabaseError):
    """The driver package for this database is not installed."""

    def __init__(self, message: str, *, extra: str | None) -> None:
        super().__init__(message)
        self.extra = extra
        """The extra of arena-referee that installs the driver."""


def advice(name: str, names: Iterable[str], otherwise: str = "") -> str:
    """The end of a message about an unknown name: a similar one of these `names`, or else what to do."""
    from difflib import get_close_matches  # imported here, because only a mistake needs it

    near = get_close_matches(name, names, n=1)
    found = f"did you mean {near[0]!r}?" if near else otherwise
    return f"; {found}" if found else ""
