"""The protocol between players and the referee, version 1: its messages, their limits, and both encodings.

Over ZeroMQ a message is one msgpack map; over stdin and stdout the same map is JSON on one line. What arrives, from
either side, becomes one of the frozen values below or one BadMessage, whatever the bytes were. Keys that a message does
not know are ignored, so that later versions may add some.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import msgpack
import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from adsearch.errors import meant, quote
from agents.errors import BadMessage, one_line

PROTOCOL: Final = 1

MESSAGE_BYTES: Final = 64 * 1024
"""No message is longer; over stdio: no line, its end not counted."""
MOVE_LENGTH: Final = 64
INFO_BYTES: Final = 16 * 1024
UNREAD_BYTES: Final = 1024 * 1024
"""How much an agent may have written that nobody has asked for."""
MOST_DROPPED: Final = 100
"""How many messages of a seat may be dropped in one game."""

LIMITS: Final = {
    "message": MESSAGE_BYTES,
    "move": MOVE_LENGTH,
    "info": INFO_BYTES,
    "unread": UNREAD_BYTES,
    "dropped": MOST_DROPPED,
}
"""The limits that `welcome` states."""


class Verdict(StrEnum):
    """Why a game ended. All but NORMAL, ADJUDICATED and VOID name a seat."""

    NORMAL = "normal"
    RESIGNED = "resigned"
    TIME = "time"
    ILLEGAL = "illegal"
    CRASHED = "crashed"
    GARBAGE = "garbage"
    FLOODED = "flooded"
    MEMORY = "memory"
    UNREADY = "unready"
    ADJUDICATED = "adjudicated"
    FORFEIT = "forfeit"
    VOID = "void"


Want = Literal["position", "legal"]
Who: TypeAlias = int | Literal["chance", "opening"]
"""Who made a ply: a seat, or nobody."""

Whole = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""A number that every database and every encoding takes."""
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Finite = Annotated[float, Meta(gt=-1e300, lt=1e300)]
"""A number that every database and every JSON reader takes: no infinity, no NaN."""
Word = Annotated[str, Meta(max_length=MOVE_LENGTH)]
Name = Annotated[str, Meta(max_length=256)]


class _Message(Struct, frozen=True, tag_field="type", tag=str.lower, omit_defaults=True):
    """One message; its type is its class's name in small letters."""


class Info(Struct, frozen=True, omit_defaults=True):
    """What an agent says about its thinking: for people to read, without effect on the game."""

    depth: Count | None = None
    score: Finite | None = None
    nodes: Count | None = None
    line: tuple[str, ...] | str | None = None
    text: str | None = None


# From a player to the referee.


class Hello(_Message, frozen=True):
    """The first message. Over stdio it is optional, and without a token."""

    protocol: Whole
    token: str = ""
    name: Name = ""
    wants: tuple[Want, ...] = ("position", "legal")


class Ready(_Message, frozen=True):
    """The player is ready for the game that `start` announced."""

    game: Whole


class Move(_Message, frozen=True):
    """The answer to the turn of that id. What follows `info` counts only when it comes from a host of ours."""

    game: Whole
    id: Word
    move: Word
    info: Info | None = None
    spent: Whole | None = None
    """Nanoseconds from the write of the turn to the arrival of the whole answer."""
    cpu: Whole | None = None
    """Nanoseconds of processor time that the agent used meanwhile."""
    delay: Whole | None = None
    """Nanoseconds for which the agent, or its host with the answer before it, had to wait for a processor."""
    log: Whole | None = None
    """Bytes that the agent has written to stderr so far."""


class Resign(_Message, frozen=True):
    """The player gives the game up, instead of moving."""

    game: Whole
    id: Word
    spent: Whole | None = None
    cpu: Whole | None = None
    delay: Whole | None = None


class Failed(_Message, frozen=True):
    """From a warden alone: the agent that it holds is at fault."""

    game: Whole
    verdict: Verdict
    detail: str
    spent: Whole | None = None
    cpu: Whole | None = None
    delay: Whole | None = None


class Report(_Message, frozen=True):
    """From hosts of ours, after the game: what the agent used, and the end of what it wrote to stderr."""

    game: Whole
    cpu: Count | None = None
    """Nanoseconds."""
    memory: Count | None = None
    """Bytes, at most at one time."""
    stderr: str = ""


class Bye(_Message, frozen=True):
    """From either side: the last message."""


# From the referee to a player.


class Welcome(_Message, frozen=True):
    """The answer to a good hello."""

    protocol: int
    limits: dict[str, int]


class Refuse(_Message, frozen=True):
    """The answer to any other first message; the connection is over."""

    reason: str


class ClockInfo(Struct, frozen=True):
    """The time control as text, and what each seat has, in milliseconds; None without a clock."""

    text: str
    left: tuple[int, ...] | None


class Start(_Message, frozen=True):
    """A game begins. `position` is before any opening, as the seat may see it."""

    game: int
    rules: str
    seat: int
    seats: tuple[str, ...]
    clock: ClockInfo
    seed: int
    position: str
    core: int | UnsetType = UNSET
    """To hosts of ours: the processor on which the player of this game runs."""


class Turn(_Message, frozen=True):
    """The seat is asked for ply number `ply`. `events` are the plies since it was last asked, its own move first."""

    game: int
    id: str
    ply: int
    events: tuple[tuple[Who, str], ...]
    left: tuple[int, ...] | None
    """Milliseconds of each seat."""
    budget: int | None
    """Milliseconds: a sensible share of what is left for this move."""
    position: str | UnsetType = UNSET
    legal: tuple[str, ...] | UnsetType = UNSET
    limit: int | UnsetType = UNSET
    """To a warden alone: the nanoseconds that it may charge its agent; with one more it has failed."""


class Over(_Message, frozen=True):
    """The game has ended."""

    game: int
    utilities: tuple[float | None, ...] | None
    """What it was worth to each seat; None where that is no finite number."""
    verdict: Verdict
    fault: int | None
    events: tuple[tuple[Who, str], ...]


FromPlayer = Hello | Ready | Move | Resign | Failed | Report | Bye
FromReferee = Welcome | Refuse | Start | Turn | Over | Bye
Message = FromPlayer | FromReferee


# Encodings.


def pack(message: Struct) -> bytes:
    """`message` as it travels over ZeroMQ."""
    packed: bytes = msgpack.packb(msgspec.to_builtins(message))
    return packed


def to_line(message: Struct) -> bytes:
    """`message` as it travels over stdin and stdout, the end of the line included."""
    return msgspec.json.encode(message) + b"\n"


def unpack(data: bytes) -> Any:
    """What the msgpack `data` holds, of limited size; BadMessage where it is none."""
    if len(data) > MESSAGE_BYTES:
        raise BadMessage(f"expected a message of at most {MESSAGE_BYTES} bytes, got {len(data)}")
    try:
        return msgpack.unpackb(
            data,
            raw=False,
            strict_map_key=True,
            ext_hook=_no_extension,
            max_str_len=MESSAGE_BYTES,
            max_bin_len=MESSAGE_BYTES,
            max_array_len=MESSAGE_BYTES,
            max_map_len=MESSAGE_BYTES,
            max_ext_len=0,
        )
    except (ValueError, RecursionError, TypeError, msgpack.UnpackException) as error:
        raise BadMessage(
            f"expected a msgpack map, got {len(data)} bytes {quote(data[:40])} ({_words(error)})"
        ) from None


def read_line(line: bytes) -> Any:
    """What the JSON text `line` holds; BadMessage where it is none."""
    if len(line) > MESSAGE_BYTES:
        raise BadMessage(f"expected a line of at most {MESSAGE_BYTES} bytes, got {len(line)} or more")
    try:
        return msgspec.json.decode(line)
    except (ValueError, RecursionError) as error:
        raise BadMessage(f"expected a JSON object on one line, got {_shown(line)} ({_words(error)})") from None


def from_player(content: Any) -> FromPlayer:
    """The player's message that `content` is; BadMessage says what is wrong with it."""
    message: FromPlayer = _convert(content, _PLAYER_TYPES)
    if type(message) is Move and message.info is not None and len(msgspec.json.encode(message.info)) > INFO_BYTES:
        raise BadMessage(f"expected an info of at most {INFO_BYTES} bytes, got more (type 'move')")
    return message


def from_referee(content: Any) -> FromReferee:
    """The referee's message that `content` is; BadMessage says what is wrong with it."""
    message: FromReferee = _convert(content, _REFEREE_TYPES)
    return message


_PLAYER_TYPES: Final = {kind.__name__.lower(): kind for kind in get_args(FromPlayer)}
_REFEREE_TYPES: Final = {kind.__name__.lower(): kind for kind in get_args(FromReferee)}


def _convert(content: Any, types: dict[str, Any]) -> Any:
    # By its own type: msgspec keeps in mind how to read a struct, but works out a union anew each time.
    try:
        kind = types[content["type"]]
    except (KeyError, TypeError):
        raise _no_type(content, types) from None
    try:
        return msgspec.convert(content, kind)
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        raise BadMessage(f"message of type {quote(content['type'])}: {_words(error)}") from None


def _no_type(content: Any, types: dict[str, Any]) -> BadMessage:
    """What to say of a message whose type nobody knows."""
    if not isinstance(content, dict):
        return BadMessage(f"expected a map with a 'type' (in JSON: an object), got {quote(content)}")
    kind = content.get("type")
    if kind is None:
        return BadMessage(f"expected a 'type', one of {', '.join(types)}, got none")
    return BadMessage(f"no message type {quote(kind)}{meant(kind if isinstance(kind, str) else '', tuple(types))}")


def _no_extension(code: int, _: bytes) -> Any:
    raise ValueError(f"extension type {code} is not part of the protocol")


def _shown(line: bytes) -> str:
    return quote(line[:200].decode("utf-8", "replace"))


def _words(error: Exception) -> str:
    """What `error` says, for people: our way of quoting, on one short line."""
    return one_line(str(error).replace("`", "'")) or type(error).__name__
