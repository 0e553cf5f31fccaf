"""The errors of the server's side.

    ArenaError
    |-- BadAccount      an account cannot be found, or has too many tokens
    |-- BadChallenge    a student cannot start this game now
    |-- BadClock        a text is not a time control
    |-- BadFixture      a game cannot be played with these players or settings
    |-- BadFolder       a report cannot be written into this folder
    |-- BadImport       a file of games, or a line in it, cannot be read
    |-- BadLeague       a tournament's description is invalid, or has changed too much
    |-- BadPlayer       a player's name or description is invalid
    |-- BadRating       a rating was requested that cannot be computed
    |-- BadRoster       a roster, or a line in it, is invalid
    |-- BadRuling       a ruling cannot be made
    |-- BadServer       a page server refuses what it was sent, or does not answer as one
    |   `-- NoAnswer    it cannot be reached, or cannot answer now
    |-- BadSubmission   a submission, or a download of submissions, cannot be read
    |-- HelperEnded     a helper process has ended without an answer
    |   |-- HelperFailed    its function has raised an exception
    |   `-- HelperLate      it took too long
    |-- UntrustedCode   rules or an agent recorded by another account, without --trust-rules
    |-- TournamentBusy  another process is running the tournament, or collects its submissions
    `-- RefereeLost     the referee's process ended, or does not answer

Every message says what was expected, what came, and where; the command line prints it unchanged.
"""


class ArenaError(ValueError):
    """Invalid input from outside the server, or a failure outside it."""

    exit_code = 2
    """Exit code of a command that ends with this error."""


class BadAccount(ArenaError):
    """An account that does not exist, or a token that it cannot have."""


class BadChallenge(ArenaError):
    """A game that a student cannot start on a ladder now."""


class BadClock(ArenaError):
    """A text that is not a time control."""


class BadFixture(ArenaError):
    """A game that cannot be played with these players or settings."""


class BadFolder(ArenaError):
    """A folder into which a report cannot be written."""


class BadImport(ArenaError):
    """A file of games, or a line in it, that cannot be read."""


class BadLeague(ArenaError):
    """A tournament's description that is invalid, or that has changed too much."""


class BadPlayer(ArenaError):
    """A player's name or description that is invalid."""


class BadRating(ArenaError):
    """A request for ratings that makes no sense: an anchor that did not play, or bounds in the wrong order."""


class BadRoster(ArenaError):
    """A roster, or a line in it, that is invalid."""


class BadRuling(ArenaError):
    """A ruling that cannot be made."""


class BadServer(ArenaError):
    """A page server that refuses what it was sent, or that does not answer as one."""


class NoAnswer(BadServer):
    """A page server that cannot be reached, or that cannot answer now: it may later."""


class BadSubmission(ArenaError):
    """A submission, or a download of submissions, that cannot be read."""


class HelperEnded(ArenaError):
    """A helper process that has ended without an answer."""


class HelperFailed(HelperEnded):
    """A helper process whose function has raised an exception, which is the message."""


class HelperLate(HelperEnded):
    """A helper process that has not answered in time."""


class UntrustedCode(ArenaError):
    """Rules or an agent recorded by another account, which this user has not trusted with --trust-rules."""


class TournamentBusy(ArenaError):
    """Another process is running the tournament, or collects its submissions."""

    exit_code = 1


class RefereeLost(ArenaError):
    """The referee's process ended, or does not answer."""

    exit_code = 1
