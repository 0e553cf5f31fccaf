"""The protocol between players and the referee, version 1: its messages, their limits, and both encodings.

Over ZeroMQ a message is one msgpack map; over stdin and stdout it is the same map as JSON on one line. Whatever bytes
arrive, decoding them returns one of the frozen structs below or raises BadMessage. Unknown keys are ignored, so that
later versions can add keys; in msgpack, the values under them are not even decoded.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, structs

from adsearch import State
from adsearch.errors import BadCell, meant, quote
from adsearch.form import Form
from agents.errors import BadMessage, one_line

PROTOCOL: Final = 1

MESSAGE_BYTES: Final = 64 * 1024
"""The longest message, in bytes; over stdio the longest line, without its newline."""
LEGAL_BYTES: Final = 48 * 1024
"""The longest list of legal moves in a message, in bytes of JSON."""
MOVE_LENGTH: Final = 64
"""The longest move, in characters."""
INFO_BYTES: Final = 16 * 1024
"""The longest `info` of a move, in bytes of JSON."""
UNREAD_BYTES: Final = 1024 * 1024
"""How many bytes an agent can write outside its turns, or after its answer; more is the fault "flooded"."""
MOST_DROPPED: Final = 100
"""How many messages of a seat can be dropped in one game; more is the fault "flooded"."""

LIMITS: Final = {
    "message": MESSAGE_BYTES,
    "move": MOVE_LENGTH,
    "info": INFO_BYTES,
    "unread": UNREAD_BYTES,
    "dropped": MOST_DROPPED,
}
"""The limits that a `welcome` message lists."""


class Verdict(StrEnum):
    """Why a game ended. All but NORMAL, ADJUDICATED and VOID come with the seat at fault."""

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
"""Who made a ply: a seat, chance, or the opening."""

Integer64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""A signed 64-bit integer: every database and every encoding can store it."""
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Finite = Annotated[float, Meta(gt=-1e300, lt=1e300)]
"""A finite number, not infinity and not NaN: every database and every JSON reader can store it."""
Word = Annotated[str, Meta(max_length=MOVE_LENGTH)]
Name = Annotated[str, Meta(max_length=256)]

CELL_LENGTH: Final = 16
"""The longest name of a cell in `marks`, in characters."""
MOST_MARKS: Final = 64
"""How many cells an agent can mark with one move."""
Cell = Annotated[str, Meta(pattern=rf"\A[ -~]{{1,{CELL_LENGTH}}}\Z")]
"""The name of a cell of a board, such as "e4": printable characters of ASCII."""
CellMark = Literal["good", "bad", "best", "danger", "note"]
Heat = Annotated[float, Meta(ge=-1, le=1)]
"""How good a cell is, from -1 (bad) over 0 (nothing) to 1 (good)."""


class _Message(Struct, frozen=True, tag_field="type", tag=str.lower, omit_defaults=True):
    """Base class of the messages. The key "type" is the class's name in lower case."""


class Info(Struct, frozen=True, omit_defaults=True):
    """An agent's report on its search (see `Agent.tell`): for people to read, without effect on the game."""

    depth: Count | None = None
    score: Finite | None = None
    nodes: Count | None = None
    line: tuple[str, ...] | str | None = None
    text: str | None = None
    marks: Annotated[dict[Cell, CellMark | Heat], Meta(max_length=MOST_MARKS)] | None = None


# From a player to the referee.


class Hello(_Message, frozen=True):
    """The first message of a player. Over stdio it is optional and has no token."""

    protocol: Integer64
    token: str = ""
    name: Name = ""
    wants: tuple[Want, ...] = ("position", "legal")


class Ready(_Message, frozen=True):
    """The player is ready for the game that `start` announced."""

    game: Integer64
    board: bool = False
    """Whether each turn has the board as numbers."""
    adsearch: Form | None = None
    """The form of adsearch that the player's process searches in; used only if our own host sends it."""


class Move(_Message, frozen=True):
    """The answer to the turn with that id. The fields after `info` are used only if our own host sends them."""

    game: Integer64
    id: Word
    move: Word
    info: Info | None = None
    spent: Integer64 | None = None
    """Nanoseconds from sending the turn to receiving the whole answer."""
    cpu: Integer64 | None = None
    """Nanoseconds of CPU time that the agent used in this turn."""
    delay: Integer64 | None = None
    """Nanoseconds for which the agent, or its host with the previous answer, was ready to run but had no processor."""
    log: Integer64 | None = None
    """Bytes that the agent has written to stderr so far."""


class Resign(_Message, frozen=True):
    """The player resigns, instead of moving."""

    game: Integer64
    id: Word
    spent: Integer64 | None = None
    cpu: Integer64 | None = None
    delay: Integer64 | None = None


class Failed(_Message, frozen=True):
    """Only from a warden: its agent has committed the fault `verdict`."""

    game: Integer64
    verdict: Verdict
    detail: str
    spent: Integer64 | None = None
    cpu: Integer64 | None = None
    delay: Integer64 | None = None


class Report(_Message, frozen=True):
    """Only from our own hosts, after the game: the agent's CPU time, peak memory and the end of its stderr."""

    game: Integer64
    cpu: Count | None = None
    """Nanoseconds."""
    memory: Count | None = None
    """Peak, in bytes."""
    stderr: str = ""


class Bye(_Message, frozen=True):
    """The last message, from either side."""


# From the referee to a player.


class Welcome(_Message, frozen=True):
    """The answer to a valid hello."""

    protocol: int
    limits: dict[str, int]


class Refuse(_Message, frozen=True):
    """The answer to any other first message; then the connection ends."""

    reason: str


class ClockInfo(Struct, frozen=True):
    """The time control as text, and the time left for each seat, in milliseconds; None without a clock."""

    text: str
    left: tuple[int, ...] | None
    texts: tuple[str, ...] | UnsetType = UNSET
    """The time control of each seat, if they differ."""


class Start(_Message, frozen=True):
    """A game starts. `position` is the start position (before the opening) as this seat sees it."""

    game: int
    rules: str
    seat: int
    seats: tuple[str, ...]
    clock: ClockInfo
    seed: int
    position: str
    core: int | UnsetType = UNSET
    """Only for our own hosts: the processor that the player of this game must run on."""


class Turn(_Message, frozen=True):
    """A request for ply number `ply`. `events` are the plies since this seat's last turn, its own move first."""

    game: int
    id: str
    ply: int
    events: tuple[tuple[Who, str], ...]
    left: tuple[int, ...] | None
    """The time left for each seat, in milliseconds."""
    budget: int | None
    """The time that the referee suggests for this move, in milliseconds."""
    position: str | UnsetType = UNSET
    legal: tuple[str, ...] | UnsetType = UNSET
    """The legal moves, as `shortened` returns them."""
    limit: int | UnsetType = UNSET
    """Only for a warden: the agent's time for this turn in nanoseconds; after that it has lost on time."""
    board: list[list[int]] | UnsetType = UNSET
    """`state.array(seat)`, if `ready` asked for it and the game has one."""
    cells: list[list[int]] | UnsetType = UNSET
    """With `board`, for each of `legal`: the row and column where it starts, and those where it ends; [] for a pass."""


class Over(_Message, frozen=True):
    """The game has ended."""

    game: int
    utilities: tuple[float | None, ...] | None
    """The utility of each seat; None for a utility that is not a finite number."""
    verdict: Verdict
    fault: int | None
    events: tuple[tuple[Who, str], ...]


FromPlayer = Hello | Ready | Move | Resign | Failed | Report | Bye
FromReferee = Welcome | Refuse | Start | Turn | Over | Bye
Message = FromPlayer | FromReferee


# Encodings.


def pack(message: Struct) -> bytes:
    """`message` encoded for ZeroMQ (msgpack)."""
    return _pack(message)


def shortened(legal: Sequence[str]) -> tuple[str, ...]:
    """The moves; of more than LEGAL_BYTES only every second, third, ... one, so that the rest fits into a message."""
    size = sum([len(move.encode(errors="replace")) + len('"",') for move in legal])
    return tuple(legal[:: size // (LEGAL_BYTES + 1) + 1])


def with_board(turn: Turn, state: State[Any], seat: int) -> Turn:
    """The turn of this seat with `board` and `cells`, if the game has a board."""
    try:
        board = state.array(seat)
    except BadCell:
        return turn
    legal = () if turn.legal is UNSET else turn.legal
    ways = {state.to_text(move): state.cells(move) for move in state.moves()}
    cells = [[*way[0], *way[-1]] if (way := ways[text]) else [] for text in legal]
    return structs.replace(turn, board=board, cells=cells)


def to_line(message: Struct) -> bytes:
    """`message` encoded for stdin and stdout (JSON), with the newline."""
    return msgspec.json.encode(message) + b"\n"


def unpack_from_player(data: bytes) -> FromPlayer:
    """The message of a player in the msgpack `data`; BadMessage says what is wrong with it."""
    return _with_short_info(_unpack(data, _PLAYER_DECODER, _PLAYER_TYPES))


def unpack_from_referee(data: bytes) -> FromReferee:
    """The message of the referee in the msgpack `data`; BadMessage says what is wrong with it."""
    message: FromReferee = _unpack(data, _REFEREE_DECODER, _REFEREE_TYPES)
    return message


def line_from_player(line: bytes) -> FromPlayer:
    """The message of a player on the JSON `line`; BadMessage says what is wrong with it."""
    if (message := _read_at_once(line, _PLAYER_LINES)) is not None:
        return _with_short_info(message)
    content = read_line(line)
    try:
        return from_player(content)
    except BadMessage as error:
        raise BadMessage(f"{error} (the line: {_shown(line)})") from None


def line_from_referee(line: bytes) -> FromReferee:
    """The message of the referee on the JSON `line`; BadMessage says what is wrong with it."""
    message: FromReferee | None = _read_at_once(line, _REFEREE_LINES)
    return from_referee(read_line(line)) if message is None else message


def read_line(line: bytes) -> Any:
    """The decoded JSON `line`; BadMessage if it is invalid or too long."""
    if len(line) > MESSAGE_BYTES:
        raise BadMessage(f"expected a line of at most {MESSAGE_BYTES} bytes, got {len(line)} or more")
    try:
        return msgspec.json.decode(line)
    except (ValueError, RecursionError) as error:
        raise BadMessage(f"expected a JSON object on one line, got {_shown(line)} ({_words(error)})") from None


def from_player(content: Any) -> FromPlayer:
    """`content` of a line as a message of a player; BadMessage says what is wrong with it."""
    return _with_short_info(_convert(content, _PLAYER_TYPES))


def from_referee(content: Any) -> FromReferee:
    """`content` of a line as a message of the referee; BadMessage says what is wrong with it."""
    message: FromReferee = _convert(content, _REFEREE_TYPES)
    return message


class _Head(Struct):
    """The type of a message whose other fields are wrong."""

    type: str | None = None


_PLAYER_TYPES: Final = {kind.__name__.lower(): kind for kind in get_args(FromPlayer)}
_REFEREE_TYPES: Final = {kind.__name__.lower(): kind for kind in get_args(FromReferee)}
_PLAYER_DECODER: Final = msgspec.msgpack.Decoder(FromPlayer)
_REFEREE_DECODER: Final = msgspec.msgpack.Decoder(FromReferee)
_PLAYER_LINES: Final = msgspec.json.Decoder(FromPlayer)
_REFEREE_LINES: Final = msgspec.json.Decoder(FromReferee)
_HEAD_DECODER: Final = msgspec.msgpack.Decoder(_Head)
_pack: Final = msgspec.msgpack.Encoder().encode


def _read_at_once(line: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    """The message on the line, read in a tenth of the time of `read_line` and its check; None: they must read it, and
    say what is wrong. What is under unknown keys is skipped."""
    if len(line) > MESSAGE_BYTES:
        return None
    try:
        return decoder.decode(line)
    except (ValueError, RecursionError):
        return None


def _unpack(data: bytes, decoder: msgspec.msgpack.Decoder[Any], types: dict[str, Any]) -> Any:
    if len(data) > MESSAGE_BYTES:
        raise BadMessage(f"expected a message of at most {MESSAGE_BYTES} bytes, got {len(data)}")
    try:
        return decoder.decode(data)
    except (ValueError, RecursionError) as error:
        raise _refused(data, error, types) from None


def _refused(data: bytes, error: Exception, types: dict[str, Any]) -> BadMessage:
    """The error for the msgpack `data`, which a decoder refused with `error`."""
    try:
        kind = _HEAD_DECODER.decode(data).type
    except (ValueError, RecursionError) as worse:
        # "Expected 'object'" says "expected a msgpack map" again, in words of JSON.
        words = _words(worse)
        why = "" if words.startswith("Expected 'object'") else f" ({words})"
        return BadMessage(f"expected a msgpack map, got {len(data)} bytes {quote(data[:40])}{why}")
    return _wrong_field(kind, error) if kind in types else _no_type({"type": kind}, types)


def _with_short_info(message: FromPlayer) -> FromPlayer:
    """`message`; BadMessage if it is a move whose info is too long."""
    if type(message) is Move and message.info is not None and len(msgspec.json.encode(message.info)) > INFO_BYTES:
        raise BadMessage(f"expected an info of at most {INFO_BYTES} bytes, got more (type 'move')")
    return message


def _convert(content: Any, types: dict[str, Any]) -> Any:
    # Convert to the one struct, not to the union: msgspec caches its decoder for a struct but not for a union.
    try:
        kind = types[content["type"]]
    except (KeyError, TypeError):
        raise _no_type(content, types) from None
    try:
        return msgspec.convert(content, kind)
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        raise _wrong_field(content["type"], error) from None


def _wrong_field(kind: str, error: Exception) -> BadMessage:
    return BadMessage(f"message of type {quote(kind)}: {_words(error)}")


def _no_type(content: Any, types: dict[str, Any]) -> BadMessage:
    """The error for a message without a known type."""
    if not isinstance(content, dict):
        return BadMessage(f"expected a map with a 'type' (in JSON: an object), got {quote(content)}")
    kind = content.get("type")
    if kind is None:
        return BadMessage(f"expected a 'type', one of {', '.join(types)}, got none")
    return BadMessage(f"no message type {quote(kind)}{meant(kind if isinstance(kind, str) else '', tuple(types))}")


def _shown(line: bytes) -> str:
    return quote(line[:200].decode("utf-8", "replace"))


def _words(error: Exception) -> str:
    """The text of `error` on one short line, with single quotes."""
    return one_line(str(error).replace("`", "'")) or type(error).__name__
