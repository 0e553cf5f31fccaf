"""The errors of agents and their hosts.

    AgentsError
    |-- BadMessage      not a message of the protocol, or over one of its limits
    |-- BadAgent        the agent cannot be found, or its file or class is wrong
    `-- CannotPlay      the agent cannot play this game

A message says what was expected, what came, and where; it can be shown to a student unchanged.
"""

from typing import Final

_MAX_LENGTH: Final = 160


def one_line(text: str, *, most: int = _MAX_LENGTH) -> str:
    """`text` on one line of at most `most` characters, with control characters and surrogates escaped."""
    words = " ".join(text.split())
    plain = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in words[:most])
    return plain if len(words) <= most else f"{plain}..."


class AgentsError(ValueError):
    """Wrong input: a message, a name or a student's file."""


class BadMessage(AgentsError):
    """Not a message of the protocol, or over one of its limits."""


class BadAgent(AgentsError):
    """The agent cannot be found, or its file or class is wrong."""


class CannotPlay(AgentsError):
    """The agent cannot play this game."""
