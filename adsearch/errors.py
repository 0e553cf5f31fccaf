"""The errors of adsearch, and functions that quote user input in messages.

    AdsearchError
    |-- UnknownGame     no game, file or class has that name
    |-- BadOption       unknown option of a game, or invalid value
    |-- BadMove         the text is not a legal move of the position
    |-- BadPosition     the text is not a position of the game
    |-- BadCell         the board has no such row, column or square
    |-- BadGame         a user-supplied game lacks a method, or fails
    |-- BadSetting      the text is not a value of the setting's type
    |-- BadTable        an endgame table is missing, damaged, or of another version
    `-- BadSearch       the search does not support this game or these arguments
        `-- TooLarge    the tree is too large to draw

A message says what was expected, what came, and where; it can be shown to a user unchanged.
"""

from collections.abc import Sequence


class AdsearchError(ValueError):
    """Wrong input: a name, an option or a text that adsearch cannot use."""


class UnknownGame(AdsearchError):
    """No game, file or class has that name."""


class BadOption(AdsearchError):
    """Unknown option of a game, or invalid value."""


class BadMove(AdsearchError):
    """The text is not a legal move of the position."""


class BadPosition(AdsearchError):
    """The text is not a position of the game."""


class BadCell(AdsearchError):
    """The board has no such row, column or square."""


class BadGame(AdsearchError):
    """A user-supplied game lacks a method, or fails."""


class BadSetting(AdsearchError):
    """The text is not a value of the setting's type."""


class BadTable(AdsearchError):
    """An endgame table that is missing, damaged, or of another version."""


class BadSearch(AdsearchError):
    """The search does not support this game or these arguments."""


class TooLarge(BadSearch):
    """The tree is too large to draw."""


def nearly(name: str, possible: Sequence[str]) -> str:
    """The end of a message about an unknown name: "; did you mean ...?", or "" if no name is similar."""
    from difflib import get_close_matches  # imported here, because agents must start fast

    by_small_letters = {candidate.lower(): candidate for candidate in possible}
    close = get_close_matches(name.lower(), by_small_letters, n=1)
    return f"; did you mean '{by_small_letters[close[0]]}'?" if close else ""


def meant(name: str, possible: Sequence[str]) -> str:
    """The end of a message about an unknown name: the most similar name, or a list of all names."""
    return nearly(name, possible) or (f"; there is {one_of(possible, most=30)}" if possible else "; there is none")


def quote(text: object) -> str:
    """`text` in quotes on one short line, with control characters escaped; a long text without its middle."""
    line = ascii(text) if not isinstance(text, str) or not text.isprintable() else repr(text)
    return line if len(line) <= 64 else f"{line[:40]}...{line[-16:]}"


def one_of(names: Sequence[str], *, most: int = 12) -> str:
    """The first `most` of `names`, separated by commas, or by semicolons if there are commas in them; if there are
    more, with their number."""
    shown = names[:most]
    between = "; " if any("," in name for name in shown) else ", "
    return between.join(shown if len(names) <= most else (*shown, f"... ({len(names)} in total)"))
