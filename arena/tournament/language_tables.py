"""The tables [languages.NAME] of a description: how `arena course collect` builds and runs agents in other languages.

`arena course collect` builds with them, and a tournament takes the walls and the limits of these agents from them. NAME
is the extension of the language's files.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final

from adsearch.errors import quote
from arena.languages import FILES, MAIN
from arena.match.allowance import Allowance, WallKind
from arena.match.conditions import Conditions
from arena.players.build_commands import Language
from arena.players.build_commands import default as standard_of
from arena.tournament.description import Table, read_toml
from arena.tournament.enrolment import ALLOWED_KEYS

LANGUAGE_KEYS: Final = ("build", "run", "build_walls", "walls", *ALLOWED_KEYS)
_NAME: Final = re.compile(r"[A-Za-z0-9_+-]{1,16}")
_BRACED: Final = re.compile(r"\{\w*\}")


def read_languages(table: Table, default: Allowance) -> dict[str, Language]:
    """The languages of a description by name; `default` has the limits of all agents. BadLeague says what is wrong."""
    languages = table.table("languages")
    return {name: _language(name, languages, default) for name in languages}


def read(file: Path) -> dict[str, Language]:
    """The languages of the description in `file`."""
    table = Table(read_toml(file), str(file))
    return read_languages(table, table.table("limits").read(table.read(Allowance())))


def _language(name: str, languages: Table, default: Allowance) -> Language:
    keys = languages.table(name)
    if name == "py" or not _NAME.fullmatch(name):
        keys.fail("expected the extension of the language's files, such as [languages.java]; Python needs no table")
    keys.only(LANGUAGE_KEYS)
    standard = standard_of(name)
    build = _words(keys, "build", () if standard is None else standard.build, (FILES, MAIN))
    run = _words(keys, "run", () if standard is None else standard.run, (MAIN,))
    if not run:
        keys.fail("missing; expected the command that runs an agent, such as 'ruby {main}'", "run")
    build_walls = WallKind.CONTAINER if standard is None else standard.build_walls
    allowance = keys.read(default)
    return Language(
        name=name,
        build=build,
        run=run,
        build_walls=WallKind(keys.word("build_walls", WallKind, build_walls)),
        walls=keys.read(Conditions()).walls,
        allowance=None if allowance == default else allowance,
    )


def _words(keys: Table, key: str, default: tuple[str, ...], braced: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command; only the words in `braced` can be in braces."""
    if key not in keys:
        return default
    try:
        words = tuple(shlex.split(keys.text(key)))
    except ValueError as error:
        keys.fail(f"expected a command, got {quote(keys.text(key))}: {error}", key)
    if not words:
        keys.fail("expected a command", key)
    for word in words:
        for found in _BRACED.findall(word):
            if found not in braced or (found == FILES != word):
                keys.fail(f"expected {' or '.join(braced)} in a command, got {quote(word)}", key)
    return words
