"""The errors of the server's side.

    ArenaError
    |-- BadClock        a text is no time control
    |-- BadFixture      a game that cannot be played as it is described
    |-- BadFolder       a place where a report cannot be put
    |-- BadImport       a file of games cannot be read, or a line in it
    |-- BadLeague       a tournament's description cannot be used, or has changed too much
    |-- BadPlayer       a player's name or description cannot be used
    |-- BadRating       a rating is asked for that cannot be made
    |-- BadRoster       a roster that cannot be used, or a line of it
    |-- BadRuling       a ruling that cannot be made
    |-- BadSubmission   something handed in that cannot be looked at
    |-- UntrustedCode   code in a record that is not this user's own, and was not trusted
    |-- TournamentBusy  the tournament is being run by another process
    `-- RefereeLost     the referee's process ended, or does not answer

Every message says what was expected, what came, and where; the command line prints it as it is.
"""


class ArenaError(ValueError):
    """Something from outside that the server's side cannot use, or that went wrong out there."""

    exit_code = 2
    """What a command that ends with it exits with: wrong usage."""


class BadClock(ArenaError):
    """A text that is no time control."""


class BadFixture(ArenaError):
    """A game that cannot be played as it is described."""


class BadFolder(ArenaError):
    """A place where a report cannot be put."""


class BadImport(ArenaError):
    """A file of games that cannot be read, or a line in it."""


class BadLeague(ArenaError):
    """A tournament's description that cannot be used, or that has changed too much."""


class BadPlayer(ArenaError):
    """A player's name or description that cannot be used."""


class BadRating(ArenaError):
    """What a rating is asked for makes no sense: an anchor that did not play, bounds the wrong way round."""


class BadRoster(ArenaError):
    """A roster that cannot be used, or a line of it."""


class BadRuling(ArenaError):
    """A ruling that cannot be made."""


class BadSubmission(ArenaError):
    """Something handed in that cannot be looked at, or a download that cannot."""


class UntrustedCode(ArenaError):
    """Code in a record (rules, an agent) that is not this user's own, and that the user has not trusted."""


class TournamentBusy(ArenaError):
    """The tournament is being run by another process."""

    exit_code = 1


class RefereeLost(ArenaError):
    """The referee's process ended, or does not answer."""

    exit_code = 1
