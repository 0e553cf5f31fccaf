"""The translator for agents that speak our own protocol; those for engines are in `arena/engines`.

The guard has one translator for each process of its agent. It does no input or output, reads no clock and measures
nothing. Whatever line it hears, it returns a value or raises BadMessage.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from adsearch import games
from adsearch.errors import AdsearchError, quote
from agents.errors import BadMessage
from agents.protocol import Failed, FromPlayer, FromReferee, Hello, Report, Start, Turn, line_from_player, to_line

_GAMES_KEPT: Final = 16
"""For how many games a process remembers whether they have hidden information."""


class JsonLines:
    """Our own protocol: each message is one JSON object on one line."""

    def __init__(self) -> None:
        self._wants: tuple[str, ...] = ("position", "legal")
        self._rules = ""

    def say(self, message: FromReferee) -> bytes:
        """The message on a line, without what is only for hosts and what the agent does not want."""
        if isinstance(message, Start):
            self._rules = message.rules
            return to_line(replace(message, core=UNSET))
        if isinstance(message, Turn):
            return to_line(self._question(message))
        return to_line(message)

    def _question(self, turn: Turn) -> Turn:
        question = replace(turn, limit=UNSET, legal=turn.legal if "legal" in self._wants else UNSET)
        if "position" not in self._wants and not _is_hidden(self._rules):
            return replace(question, position=UNSET)
        return question

    def hear(self, line: bytes) -> FromPlayer:
        """The message on that line."""
        message = line_from_player(line)
        if isinstance(message, Failed | Report):
            kind = quote(type(message).__name__.lower())
            raise BadMessage(f"expected hello, ready, move, resign or bye, got {kind}: only the server sends that")
        if isinstance(message, Hello):
            self._wants = message.wants
        return message


@lru_cache(_GAMES_KEPT)
def _is_hidden(rules: str) -> bool:
    """Whether the game has hidden information: then every turn includes the position."""
    try:
        return games.start(rules).hidden
    except AdsearchError:
        return True
