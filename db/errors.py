"""The errors of the record.

    DatabaseError
    |-- NewerDatabase    the file was written by a newer program
    |-- NotADatabase     the file is something else
    |-- NotFound         no tournament, game or agent of that name
    |-- Busy             somebody else is writing
    `-- DiskFull         there is no room to write

Every message says what was expected, what came, where, and what to do; it can be shown to a user as it is.
"""


class DatabaseError(ValueError):
    """Something about the record of games that its user can know or change."""


class NewerDatabase(DatabaseError):
    """The file was written by a newer program."""


class NotADatabase(DatabaseError):
    """The file is something else."""


class NotFound(DatabaseError):
    """No tournament, game or agent of that name."""


class Busy(DatabaseError):
    """Somebody else is writing."""


class DiskFull(DatabaseError):
    """There is no room to write, or writing fails."""
