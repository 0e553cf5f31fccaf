"""Engines as players: reads `uci:stockfish?Hash=16&nodes=1000` and `gtp:gnugo --level 5`, and finds installed engines.

Only texts and file names are looked at here; `engine_handshake.py` starts an engine and asks it. The table of known
engines says which arguments an engine needs to speak its protocol, so that users need not know them.

    uci:PROGRAM ARGUMENTS?NAME=VALUE&NAME=VALUE
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adsearch.errors import nearly, quote
from arena.errors import BadPlayer
from arena.walls.translation.engine import Engine, EngineProtocol

GAMES: Final = {EngineProtocol.UCI: "chess", EngineProtocol.GTP: "go", EngineProtocol.GNUBG: "backgammon"}
"""The game that is played in each protocol."""
_FOLDERS: Final = ("/usr/games", "/usr/local/games")
"""Where systems install engines, besides the PATH."""
_LIMITS: Final = ("nodes", "depth", "movetime")
_SET_BY_REFEREE: Final = {
    "ponder": "an engine that plays here does not think in its opponent's time",
    "uci_chess960": "games here are ordinary chess",
}
"""UCI options that a user cannot set, in lower case, and why."""
_SENT_BY_WARDEN: Final = frozenset(
    {
        *("boardsize", "clear_board", "komi", "play", "genmove", "undo", "quit", "time_settings", "time_left"),
        *("fixed_handicap", "place_free_handicap", "set_free_handicap", "loadsgf"),
    }
)
"""GTP commands that decide the game, so that they cannot be options."""
_EXAMPLES: Final = {
    EngineProtocol.UCI: "'uci:stockfish?Hash=16&nodes=1000'",
    EngineProtocol.GTP: "'gtp:gnugo --level 5'",
    EngineProtocol.GNUBG: "'gnubg:gnubg'",
}
SETTINGS: Final = {
    EngineProtocol.GTP: "'gtp:gnugo?level=5'",
    EngineProtocol.GNUBG: "'gnubg:gnubg?plies=0'",
}
"""How a setting is written."""
_PLIES: Final = ("0", "1", "2", "3")
"""How many plies GNU Backgammon looks ahead; more take minutes."""
GNUBG_TAKES: Final = f"GNU Backgammon has one setting here, plies={_PLIES[0]} to plies={_PLIES[-1]}"


@dataclass(frozen=True, slots=True)
class KnownEngine:
    """An engine that this project knows by the name of its program."""

    program: str
    protocol: EngineProtocol
    about: str
    arguments: tuple[str, ...] = ()
    """Arguments that it always gets."""
    package: str = ""
    """The package of Debian and Ubuntu; empty if there is none."""

    @property
    def player(self) -> str:
        """The player, as users type it."""
        return f"{self.protocol}:{self.program}"


_UCI, _GTP = EngineProtocol.UCI, EngineProtocol.GTP
_KNOWN: Final = (
    KnownEngine("stockfish", _UCI, "Stockfish, the strongest open chess engine", package="stockfish"),
    KnownEngine("gnuchess", _UCI, "GNU Chess", ("--uci",), package="gnuchess"),
    KnownEngine("toga2", _UCI, "Toga II, a chess engine derived from Fruit", package="toga2"),
    KnownEngine("glaurung", _UCI, "Glaurung, the chess engine that Stockfish began as", package="glaurung"),
    KnownEngine("ethereal", _UCI, "Ethereal, a chess engine", package="ethereal-chess"),
    KnownEngine("lc0", _UCI, "Leela Chess Zero, a chess engine with a neural network"),
    KnownEngine(
        "gnugo",
        _GTP,
        "GNU Go, with area scoring; it captures dead stones before it passes",
        (
            *("--mode", "gtp", "--chinese-rules", "--positional-superko"),
            *("--play-out-aftermath", "--capture-all-dead"),
        ),
        package="gnugo",
    ),
    KnownEngine("katago", _GTP, "KataGo, a Go engine with a neural network", ("gtp",)),
    KnownEngine(
        "gnubg",
        EngineProtocol.GNUBG,
        "GNU Backgammon, which plays like a champion",
        ("-t", "-q", "-r", "--prefsdir=/"),
        package="gnubg",
    ),
)
KNOWN: Final = {engine.program: engine for engine in _KNOWN}


def is_engine(text: str) -> bool:
    """Whether the player's text begins with the protocol of engines."""
    return text.strip().startswith(tuple(f"{protocol}:" for protocol in EngineProtocol))


def corrected(text: str) -> str | None:
    """The engine that `text` means without its protocol, or with it in capitals; None if it means none."""
    protocol, _, rest = text.strip().partition(":")
    if rest and protocol.lower() in GAMES:
        return f"{protocol.lower()}:{rest}"
    program = re.split("[ ?]", text.strip())[0]
    known = KNOWN.get(program.lower())
    return f"{known.player}{text.strip()[len(program) :]}" if known else None


def split_engine(text: str) -> tuple[EngineProtocol, list[str], str]:
    """The protocol, the words of the command as typed, and the settings after "?"."""
    protocol, _, rest = text.strip().partition(":")
    command, _, settings = rest.partition("?")
    kind = EngineProtocol(protocol)
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadPlayer(f"expected {protocol}:PROGRAM and its arguments, got {quote(text)}: {error}") from None
    if not words or not words[0]:
        raise BadPlayer(f"expected a program after '{protocol}:', such as {_EXAMPLES[kind]}, got {quote(text)}")
    return kind, words, settings


def join_engine(protocol: EngineProtocol, words: Sequence[str], settings: str) -> str:
    """The text that `split_engine` reads."""
    return f"{protocol}:{shlex.join(words)}" + (f"?{settings}" if settings else "")


def read_engine(text: str) -> tuple[str, tuple[str, ...], Engine]:
    """The default name, the words of the command and the settings of the engine that `text` names."""
    protocol, words, settings = split_engine(text)
    known = KNOWN.get(Path(words[0]).name)
    if known is not None and known.protocol is not protocol:
        raise BadPlayer(
            f"{known.program} speaks {known.protocol.upper()}: expected '{known.player}', got {quote(text)}"
        )
    options: dict[str, str] = {}
    for pair in settings.split("&") if settings else []:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not (name and equals) or not pair.isprintable():
            raise BadPlayer(
                f"expected settings as NAME=VALUE, separated by '&', after the '?' in {quote(text)}; got {quote(pair)}"
            )
        if name.lower() in [given.lower() for given in options]:
            raise BadPlayer(f"{quote(name)} is set twice in {quote(text)}")
        options[name] = value
    limits = {name: _limit(protocol, name, options.pop(name)) for name in _LIMITS if name in options}
    for name, value in options.items():
        _check_allowed(protocol, name, value)
    shown = [Path(words[0]).name, *(word.rpartition("/")[2] or word for word in words[1:])]
    called = " ".join(shown) + (f"?{settings.strip()}" if settings else "")
    return called, (words[0], *_arguments(words)), Engine(protocol, options, **limits)


def _limit(protocol: EngineProtocol, name: str, value: str) -> int:
    if protocol is not _UCI:
        raise BadPlayer(
            f"{name}= is a limit for UCI engines; other engines have other settings, such as {SETTINGS[protocol]}"
        )
    if not re.fullmatch("0*[1-9][0-9]{0,17}", value):
        unit = " of milliseconds" if name == "movetime" else ""
        raise BadPlayer(f"{name}= expects a positive whole number{unit}, got {quote(value)}")
    return int(value)


def _check_allowed(protocol: EngineProtocol, name: str, value: str) -> None:
    if protocol is EngineProtocol.GNUBG and not (name == "plies" and value in _PLIES):
        given = quote(f"{name}={value}")
        raise BadPlayer(f"{GNUBG_TAKES}; got {given}")
    if protocol is _UCI and (why := _SET_BY_REFEREE.get(name.lower())):
        raise BadPlayer(f"the option {name} cannot be set: {why}")
    if protocol is _GTP and name in _SENT_BY_WARDEN:
        raise BadPlayer(f"{name}= cannot be set for an engine: it is a part of the game")
    # "1" would be the id of the command in the value, and after "#" there is only a comment.
    if protocol is _GTP and not re.fullmatch("[A-Za-z][^ #]*", name):
        raise BadPlayer(f"expected the name of a GTP command before '=', got {quote(name)}")


def can_be_set(option: str) -> bool:
    """Whether a user can set this option of a UCI engine."""
    return option.lower() not in _SET_BY_REFEREE


def _arguments(words: Sequence[str]) -> list[str]:
    """The arguments of the command: those that this engine always needs, and the given ones."""
    known = KNOWN.get(Path(words[0]).name)
    always = known.arguments if known else ()
    return [*(word for word in always if word not in words), *words[1:]]


def find_program(name: str) -> str | None:
    """The path of the engine `name`, on the PATH or where systems install games; None if there is none."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(_FOLDERS))


def how_to_install(name: str) -> str:
    """What to do if there is no program `name`."""
    known = KNOWN.get(name)
    if known is None:
        meant = nearly(name, tuple(KNOWN)).removeprefix("; ")
        return meant or "look for a typo, install it, or write its path"
    if not known.package:
        return "install it, and put it on the PATH or write its path"
    return f"install it (Debian, Ubuntu: sudo apt install {known.package}), or write its path"


def installed() -> dict[KnownEngine, str]:
    """The known engines on this machine, each with the path of its program."""
    found = {known: find_program(known.program) for known in _KNOWN}
    return {known: program for known, program in found.items() if program}
