"""Engines as players: reads `uci:stockfish?Hash=16&nodes=1000` and `gtp:gnugo --level 5`, and finds installed engines.

Only texts and file names are looked at here; `entrants.py` starts an engine and asks it. The table of known
engines says which arguments an engine needs to speak its protocol, so that users need not know them.

    uci:PROGRAM ARGUMENTS?NAME=VALUE&NAME=VALUE
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from adsearch.errors import nearly, quote
from arena import engines as protocols
from arena.engines import Engine, EngineProtocol, KnownEngine
from arena.errors import BadPlayer

_FOLDERS: Final = ("/usr/games", "/usr/local/games")
"""Where systems install engines, besides the PATH."""
_LIMITS: Final = ("nodes", "depth", "movetime")


def known() -> dict[str, tuple[EngineProtocol, KnownEngine]]:
    """The engines that our protocols know, by their programs."""
    return {engine.program: (one, engine) for one in protocols.ours().values() for engine in one.known}


def is_engine(text: str, *, installed: bool = False) -> bool:
    """Whether the player's text begins with a protocol of engines: one of ours; with `installed`, also one of another
    package, which is looked for. A text from a record must not say what is looked for."""
    name, colon, rest = text.strip().partition(":")
    if not colon or name in protocols.names() or not (installed and rest and re.fullmatch("[a-z][a-z0-9-]*", name)):
        return bool(colon) and name in protocols.names()
    try:
        return bool(protocols.find(name))
    except BadPlayer:
        return False


def corrected(text: str) -> str | None:
    """The engine that `text` means without its protocol, or with it in capitals; None if it means none."""
    protocol, _, rest = text.strip().partition(":")
    if rest and protocol.lower() in protocols.names():
        return f"{protocol.lower()}:{rest}"
    program = re.split("[ ?]", text.strip())[0]
    found = known().get(program.lower())
    return f"{found[0].player(found[1])}{text.strip()[len(program) :]}" if found else None


def split_engine(text: str) -> tuple[str, list[str], str]:
    """The protocol, the words of the command as typed, and the settings after "?"."""
    protocol, _, rest = text.strip().partition(":")
    command, _, settings = rest.partition("?")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadPlayer(f"expected {protocol}:PROGRAM and its arguments, got {quote(text)}: {error}") from None
    if not words or not words[0]:
        raise BadPlayer(
            f"expected a program after '{protocol}:', such as {protocols.find(protocol).example}, got {quote(text)}"
        )
    return protocol, words, settings


def join_engine(protocol: str, words: Sequence[str], settings: str) -> str:
    """The text that `split_engine` reads."""
    return f"{protocol}:{shlex.join(words)}" + (f"?{settings}" if settings else "")


def read_engine(text: str) -> tuple[str, tuple[str, ...], Engine]:
    """The default name, the words of the command and the settings of the engine that `text` names."""
    name, words, settings = split_engine(text)
    protocol = protocols.find(name)
    program = Path(words[0]).name
    engine = next((one for one in protocol.known if one.program == program), None)
    if engine is None and program in known():
        other, engine = known()[program]
        raise BadPlayer(
            f"{engine.program} speaks {other.name.upper()}: expected '{other.player(engine)}', got {quote(text)}"
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
    for option, value in options.items():
        protocol.check(option, value)
    shown = [Path(words[0]).name, *(word.rpartition("/")[2] or word for word in words[1:])]
    called = " ".join(shown) + (f"?{settings.strip()}" if settings else "")
    return called, (words[0], *_arguments(words, engine)), Engine(protocol.name, options, **limits)


def _limit(protocol: EngineProtocol, name: str, value: str) -> int:
    if not protocol.has_limits:
        taking = " and ".join(one.name.upper() for one in protocols.ours().values() if one.has_limits)
        others = protocol.setting or protocol.example
        raise BadPlayer(f"{name}= is a limit for {taking} engines; other engines have other settings, such as {others}")
    if not re.fullmatch("0*[1-9][0-9]{0,17}", value):
        unit = " of milliseconds" if name == "movetime" else ""
        raise BadPlayer(f"{name}= expects a positive whole number{unit}, got {quote(value)}")
    return int(value)


def _arguments(words: Sequence[str], engine: KnownEngine | None) -> list[str]:
    """The arguments of the command: those that this engine always needs, and the given ones."""
    always = engine.arguments if engine else ()
    return [*(word for word in always if word not in words), *words[1:]]


def find_program(name: str) -> str | None:
    """The path of the engine `name`, on the PATH or where systems install games; None if there is none."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(_FOLDERS))


def how_to_install(name: str) -> str:
    """What to do if there is no program `name`."""
    found = known()
    called = re.split("[:,]", name)[0]
    if called != name and called in found:
        return f"options of an engine follow a question mark: {found[called][0].name}:{called}?NAME=VALUE&NAME=VALUE"
    if name not in found:
        meant = nearly(name, tuple(found)).removeprefix("; ")
        return meant or "look for a typo, install it, or write its path"
    _, engine = found[name]
    if not engine.package:
        return "install it, and put it on the PATH or write its path"
    return f"install it (Debian, Ubuntu: sudo apt install {engine.package}), or write its path"


def installed() -> Iterator[tuple[EngineProtocol, KnownEngine, str]]:
    """The known engines on this machine, each with the path of its program."""
    for protocol, engine in known().values():
        if program := find_program(engine.program):
            yield protocol, engine, program
