"""The errors of adsearch, and how they quote what came from outside.

    AdsearchError
    |-- UnknownGame     no game, file or class of that name
    |-- BadOption       a game's option is unknown or outside its limits
    |-- BadMove         a text is no legal move of a position
    |-- BadPosition     a text is no position of a game
    |-- BadGame         a game of somebody's own does not do what a game must
    |-- BadSetting      a text is no value of a setting of that type
    `-- BadSearch       a search was asked for what it cannot do

Every message says what was expected, what came, and where, in words that can be shown to a player as they are.
"""

from collections.abc import Sequence
from difflib import get_close_matches


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


class BadGame(AdsearchError):
    """A game of somebody's own that lacks a method, or fails."""


class BadSetting(AdsearchError):
    """A text that does not stand for a value of the type that a setting has."""


class BadSearch(AdsearchError):
    """A search that cannot play this game, or was given limits that make no sense."""


def nearly(name: str, possible: Sequence[str]) -> str:
    """What to say after a name that there is not: "; did you mean ...?", or nothing where no other is like it."""
    by_small_letters = {candidate.lower(): candidate for candidate in possible}
    close = get_close_matches(name.lower(), by_small_letters, n=1)
    return f"; did you mean '{by_small_letters[close[0]]}'?" if close else ""


def meant(name: str, possible: Sequence[str]) -> str:
    """What to say after "no such name": the one that was meant, or all there are."""
    return nearly(name, possible) or (f"; there is {one_of(possible, most=20)}" if possible else "; there is none")


def quote(text: object) -> str:
    """`text` on one short line: quoted, control characters escaped, the middle left out where it is long."""
    line = ascii(text) if not isinstance(text, str) or not text.isprintable() else repr(text)
    return line if len(line) <= 64 else f"{line[:40]}...{line[-16:]}"


def one_of(names: Sequence[str], *, most: int = 12) -> str:
    """The first `most` of `names` as a list for people, saying how many were left out."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names)} in all)"
