"""What a command and game hosts send each other, as msgpack; whatever arrives is checked here.

A tournament sends a `Joining` to a host and gets a `Host`. Then it sends `Batch`es, and gets a `Played` for each. No
path and nothing of the database travels: an agent and a user-supplied game are named by the hash of their files.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeVar

import msgspec
from msgspec import Meta, Struct

from agents.protocol import Verdict
from arena.errors import ArenaError
from arena.match.allowance import Allowance, WallKind
from arena.match.conditions import Conditions
from arena.match.schedule import Planned
from arena.match.seeds import GameSeeds
from arena.tournament import host_speed
from db.records import MAX_INTEGER, GameRecord

LONGEST_TEXT: Final = 2000
"""Characters of a text."""
Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]
Seconds = Annotated[float, Meta(ge=0, le=1e9)]
Said = dict[Text, bool | int | float | Text | list[bool | int | float | Text | None] | None]
"""What a host says about a game and itself, as JSON."""
Message = TypeVar("Message", bound=Struct)


class Joining(Struct, frozen=True, tag_field="type", tag=True, forbid_unknown_fields=True):
    """All of a tournament that a host needs to know before its first game."""

    run: str
    """Identifies this run of the tournament: the messages of another run are not for it."""
    tournament: str
    software: str
    """The version of arena at home; a host needs the same."""
    game: str
    """The game as the user named it."""
    rules: str
    """The game as players load it; the path of the store is replaced by `STORE`."""
    seed: str
    """A number that can have more than 64 bits."""
    seats_key: str | None
    """The key of the seats' seeds, likewise."""
    conditions: Conditions
    needed: tuple[WallKind, ...]
    """The kinds of walls that a host must be able to put up."""
    cores_a_game: int


class Host(Struct, frozen=True, tag_field="type", tag=True, forbid_unknown_fields=True):
    """A game host answers: what it is, and whether it plays this tournament."""

    name: Text
    games: Annotated[int, Meta(ge=1, le=10_000)]
    """How many games it plays at the same time."""
    speed: Annotated[float, Meta(ge=host_speed.SLOWEST, le=host_speed.FASTEST)]
    """As `host_speed` measures it."""
    refuses: Text = ""
    """Why it does not play this tournament."""
    busy: bool = False
    """Whether it may play this tournament later."""


class AgentSent(Struct, frozen=True):
    """An agent as it travels."""

    name: str
    started_as: str
    """As in a description, without folders: "alice.py:Alice", "cmd:java", or a built-in agent."""
    source: str
    """The hash of its files, or the text of a built-in agent."""
    walls: WallKind | None
    allowance: Allowance | None


class GameSent(Struct, frozen=True):
    """A game to be played. Its players are named by their places in the batch."""

    number: int
    pair: str
    leg: int
    attempt: int
    position: str
    opening: tuple[str, ...]
    players: tuple[int, ...]


class FileSent(Struct, frozen=True):
    """A file of a source."""

    name: str
    content: bytes
    executable: bool


class Batch(Struct, frozen=True, tag_field="type", tag=True, forbid_unknown_fields=True):
    """Games that one host is to play."""

    run: str
    key: str
    """The key of the task that carries it."""
    agents: tuple[AgentSent, ...]
    games: tuple[GameSent, ...]
    sources: dict[str, tuple[FileSent, ...]]
    """By hash: files that the host has not been sent yet."""


class Result(Struct, frozen=True):
    """A finished game. Times are in seconds before the message was sent: the clocks of two machines differ."""

    number: int
    attempt: int
    record: GameRecord
    host: Said
    began: Seconds
    ended: Seconds


class Played(Struct, frozen=True, tag_field="type", tag=True, forbid_unknown_fields=True):
    """What became of a batch. Its other games were not played, or have no result."""

    results: tuple[Result, ...] = ()
    missing: tuple[str, ...] = ()
    """Hashes of sources that the host lacks."""
    failed: Text = ""
    """What kept it from playing the other games."""
    joined: bool = True
    """False: the host plays for another run now, or has been started again; it must be asked again."""


def sent(message: Struct) -> bytes:
    """The message as bytes."""
    return msgspec.msgpack.encode(message)


def received(data: object, kind: type[Message]) -> Message:
    """The message in `data`; ArenaError if it is not one of that kind."""
    if not isinstance(data, bytes):
        raise ArenaError(f"expected a message in bytes, got {type(data).__name__}")
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ArenaError(f"expected a message {kind.__name__}: {error}") from None


def check_result(result: Result, game: Planned) -> None:
    """ArenaError if this is not about `game`. Whether it can have gone so, its rules say (`Home`)."""
    record = result.record
    if record.game != game.number:
        raise ArenaError(f"expected the record of game {game.number}, got that of game {record.game}")
    names, seats = [entrant.name for entrant in game.entrants], record.seats
    if [(seat.seat, seat.player) for seat in seats] != [*enumerate(names)]:
        raise ArenaError(f"game {game.number}: expected the players {names}, got {[seat.player for seat in seats]}")
    seeds = GameSeeds.of(game.seats_from, game.identity, leg=game.leg, attempt=game.attempt)
    if [seat.seed for seat in seats] != [seeds.for_seat(seat.seat) for seat in seats]:
        raise ArenaError(f"game {game.number}: its players had other seeds than they were given")
    if record.verdict == Verdict.FORFEIT:
        raise ArenaError(f"game {game.number}: it was not played")
    numbers = [record.lag, *(value for part in (*seats, *record.moves) for value in msgspec.structs.astuple(part))]
    if any(isinstance(number, int) and abs(number) > MAX_INTEGER for number in numbers):
        raise ArenaError(f"game {game.number}: expected numbers of 64 bits")
