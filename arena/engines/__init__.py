"""The protocols of engines, a file each: its name before the colon, the translator that speaks it, settings, the game.

A warden loads only the protocol that its engine speaks. Nothing here starts a program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec import Struct

from adsearch.errors import quote
from adsearch.plugins import Plugins
from arena.errors import BadPlayer

if TYPE_CHECKING:
    from agents.protocol import FromPlayer, FromReferee

_PROTOCOLS: Final = Plugins("arena.engines", "arena.engines", "PROTOCOL")


@dataclass(frozen=True, slots=True)
class EngineOption:
    """An option that an engine says it has."""

    name: str
    default: str
    expected: str
    """The values that it takes, in words."""


class EngineTranslator:
    """One process of an engine: turns the referee's messages into its lines, and its lines into messages.

    It does no input or output, reads no clock and measures nothing. Whatever line it hears, it returns a value
    or raises BadMessage.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def say(self, message: FromReferee) -> bytes:
        """What the engine is sent for this message: whole lines, or nothing."""
        raise NotImplementedError

    def hear(self, line: bytes) -> FromPlayer | str | None:
        """What a line, which is not blank, means; BadMessage if it breaks the protocol.

        `Failed`: the engine cannot play this game. A text: the line means nothing to the referee and goes into the
        log. None: it is not even logged."""
        raise NotImplementedError

    def listed(self) -> list[EngineOption]:
        """The options that the engine says it has, once it has said hello."""
        return []

    def needs_too_much(self, memory: int) -> str:
        """What is wrong with its settings if it has this many bytes of memory; empty if nothing is."""
        return ""


@dataclass(frozen=True, slots=True)
class KnownEngine:
    """An engine that this project knows by the name of its program."""

    program: str
    about: str
    arguments: tuple[str, ...] = ()
    """Arguments that it always gets."""
    package: str = ""
    """The package of Debian and Ubuntu; empty if there is none."""


class EngineProtocol:
    """A protocol of engines."""

    game: ClassVar[str]
    """The name of the game that is played in it."""
    translator: ClassVar[type[EngineTranslator]]
    example: ClassVar[str]
    """How a player is written, in quotes."""
    setting: ClassVar[str] = ""
    """How a setting is written, in quotes; empty: as the example shows."""
    has_limits: ClassVar[bool] = False
    """Whether it takes nodes=, depth= and movetime=."""
    unlisted: ClassVar[str] = ""
    """Why its engines do not list their options, and what to do; empty: they do."""
    known: ClassVar[tuple[KnownEngine, ...]] = ()
    """The engines that need no arguments from their users."""

    def __init__(self, name: str) -> None:
        self.name = name

    def player(self, known: KnownEngine) -> str:
        """A known engine as users type it."""
        return f"{self.name}:{known.program}"

    def check(self, name: str, value: str) -> None:
        """BadPlayer if a user cannot set this option to this value."""

    def can_be_set(self, name: str) -> bool:
        """Whether a user can set an option of this name."""
        try:
            self.check(name, "")
        except BadPlayer:
            return False
        return True


def names() -> tuple[str, ...]:
    """The names of our protocols."""
    return _PROTOCOLS.names()


def forms() -> str:
    """How engines are written as players."""
    return ", ".join(f"{name}:PROGRAM" for name in reversed(names()))


def ours() -> Mapping[str, EngineProtocol]:
    """Our protocols by name, in the order in which engines are listed."""
    return {name: find(name) for name in reversed(names())}


def find(name: str) -> EngineProtocol:
    """The protocol of that name, ours or that of an installed package; BadPlayer if there is none."""
    found = _PROTOCOLS.find(name)
    if not isinstance(found, EngineProtocol):
        raise BadPlayer(f"expected a protocol of engines ({', '.join(names())}), got {quote(name)}")
    return found


# The settings with which a warden speaks to an engine. Values only.


class Engine(Struct, frozen=True):
    """What a user has said about an engine, after its program: `uci:stockfish?Hash=16&nodes=10000`."""

    protocol: str
    """The name of its protocol (`arena/engines`)."""
    options: dict[str, str] = {}
    """What its protocol calls settings."""
    nodes: int | None = None
    """Nodes to search for each move; None: no limit of nodes. The next two likewise. Only for protocols with limits."""
    depth: int | None = None
    movetime: int | None = None
    """Milliseconds to think about each move."""
