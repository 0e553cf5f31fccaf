"""The errors of the player's side.

    AgentsError
    |-- BadMessage      what came is no message of the protocol, or breaks one of its limits
    |-- BadAgent        an agent cannot be found, or is not what an agent must be
    `-- CannotPlay      an agent that cannot play this game

Every message says what was expected, what came, and where, in words that can be shown to a student as they are.
"""

from typing import Final

_LONGEST: Final = 160


def one_line(text: str, *, most: int = _LONGEST) -> str:
    """`text` on one line of at most `most` letters, with nothing in it that a terminal obeys or no message holds."""
    words = " ".join(text.split())
    plain = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in words[:most])
    return plain if len(words) <= most else f"{plain}..."


class AgentsError(ValueError):
    """Something from outside (a message, a name, a student's file) that the player's side cannot use."""


class BadMessage(AgentsError):
    """What came is no message of the protocol, or breaks one of its limits."""


class BadAgent(AgentsError):
    """An agent that cannot be found, or is not what an agent must be."""


class CannotPlay(AgentsError):
    """An agent that cannot play this game."""
