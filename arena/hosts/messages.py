"""What home and its hosts say to each other, and what both must say alike to Dask: addresses, certificates, the name
of a host's resource. Dask can be missing: `check_dask` says so.
"""

from __future__ import annotations

import logging
import re
import warnings
from pathlib import Path
from typing import Annotated, Final, TypeVar

import msgspec
from msgspec import Meta, Struct

from adsearch.errors import quote
from agents.protocol import Verdict
from arena.errors import ArenaError
from arena.match.allowance import Allowance, WallKind
from arena.match.conditions import Conditions
from arena.match.schedule import Planned
from arena.match.seeds import GameSeeds
from arena.tournament import host
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
    speed: Annotated[float, Meta(ge=host.SLOWEST, le=host.FASTEST)]
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


class HostResult(Struct, frozen=True):
    """A finished game. Times are in seconds before the message was sent: the clocks of two machines differ."""

    number: int
    attempt: int
    record: GameRecord
    host: Said
    began: Seconds
    ended: Seconds


class Played(Struct, frozen=True, tag_field="type", tag=True, forbid_unknown_fields=True):
    """What became of a batch. Its other games were not played, or have no result."""

    results: tuple[HostResult, ...] = ()
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


def check_result(result: HostResult, game: Planned) -> None:
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


# What home and hosts must say alike to Dask: addresses, certificates, the name of a host's resource, and how quiet
# Dask is.


RESOURCE: Final = "arena-games"
"""The resource by which a Dask worker says that it is a game host, and how many games it plays."""
LOCAL: Final = "dask"
"""Instead of an address: a cluster on this machine."""
_ADDRESS: Final = re.compile(r"(tcp|tls)://[^\s/]+:[0-9]{1,5}")
_LAST_PORT: Final = 65535


class NoDask(ArenaError):
    """The packages of the extra `scale` are not installed."""

    extra = "scale"


def check_dask(option: str) -> None:
    """NoDask if Dask is not installed; else it prints no log of its own from now on."""
    try:
        import distributed  # isort: skip - it is the one to name
        import dask
    except ImportError as error:
        raise NoDask(f"{option} needs {error.name}, which is not installed") from None
    # Every failure that matters is said in words of ours; an event loop that was late is not one.
    for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == distributed.__name__]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", "Couldn't detect a suitable IP address")
    dask.config.set(
        {
            "distributed.worker.http.routes": [],
            "distributed.scheduler.http.routes": [],
            # What measures Dask all the time would disturb the clocks of games.
            "distributed.worker.profile.enabled": False,
            "distributed.admin.system-monitor.interval": "5s",
            "distributed.admin.system-monitor.disk": False,
            "distributed.admin.system-monitor.gil.enabled": False,
        }
    )


def check_address(text: str, what: str, also: str = "") -> None:
    """ArenaError if `text` is not the address of a scheduler; `what` names the option, `also` what else it can be."""
    if _ADDRESS.fullmatch(text) is None or not 1 <= int(text.rpartition(":")[2]) <= _LAST_PORT:
        raise ArenaError(
            f"{what}: expected the address of a Dask scheduler, such as tcp://scheduler:8786 or "
            f"tls://scheduler:8786{also}, got {quote(text)}"
        )


def check_certificate(address: str, what: str, role: str) -> None:
    """ArenaError if Dask's configuration on this machine does not fit `address`; `what` names the option, `role` is
    "client" or "worker"."""
    from distributed.security import Security

    advice = "`arena docs tournaments` shows how to make a certificate and where to name it"
    security = Security()
    if address.startswith("tcp:"):
        if security.require_encryption:
            raise ArenaError(
                f"{what}: Dask's configuration on this machine wants encryption: use tls:// as the address"
            )
        return
    files = security.get_tls_config_for_role(role)
    for name in ("ca_file", "cert", "key"):
        if not (path := files.get(name)):
            raise ArenaError(f"{what}: tls:// needs a certificate, and Dask's configuration names none; {advice}")
        if "\n" not in path and not Path(path).is_file():
            raise ArenaError(f"{what}: Dask's configuration names the file {path}, which does not exist; {advice}")
    try:
        security.get_connection_args(role)
    except (OSError, ValueError) as error:
        raise ArenaError(f"{what}: the certificate of Dask's configuration cannot be used: {error}; {advice}") from None
