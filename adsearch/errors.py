"""The errors of adsearch, and how they quote what came from outside.

    AdsearchError
    |-- UnknownGame     no game, file or class of that name
    |-- BadOption       a game's option is unknown or outside its limits
    |-- BadMove         a text is no legal move of a position
    |-- BadPosition     a text is no position of a game
    `-- BadSearch       a search was asked for what it cannot do

Every message says what was expected, what came, and where, in words that can be shown to a player as they are.
"""


class AdsearchError(ValueError):
    """Something from outside (a name, an option, a text) that adsearch cannot use."""


class UnknownGame(AdsearchError):
    """No game, file or class of that name."""


class BadOption(AdsearchError):
    """An option that the game does not have, or a value outside its limits."""


class BadMove(AdsearchError):
    """A text that is no legal move of the position."""


class BadPosition(AdsearchError):
    """A text that is no position of the game."""


class BadSearch(AdsearchError):
    """A search that cannot play this game, or was given limits that make no sense."""


def quote(text: object) -> str:
    """`text` on one short line: quoted, control characters escaped, the middle left out where it is long."""
    line = ascii(text) if not isinstance(text, str) or not text.isprintable() else repr(text)
    return line if len(line) <= 64 else f"{line[:40]}...{line[-16:]}"


def one_of(names: list[str] | tuple[str, ...], *, most: int = 12) -> str:
    """The first `most` of `names` as a list for people, saying how many were left out."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names)} in all)"
