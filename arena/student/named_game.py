"""Finds the game that an agent's own file names, for `arena check` and `arena climb` without `--game`.

The files that `arena new` writes begin with a comment that shows commands with `--game GAME`. The game is read there,
in any programming language. Only text is read; nothing of the agent is run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from adsearch.errors import nearly, one_of, quote
from arena.errors import BadPlayer
from arena.players.player import MAIN_FILE, Player, PlayerKind

ADD_GAME: Final = "add --game GAME, such as --game connect4 (`arena games` lists all)"
_READ: Final = 64 * 1024
"""Bytes read from a file."""
_NESTED: Final = r"""\((?:[^\s'"()]|\([^\s'"()]*\))*\)"""
_OPTION: Final = re.compile(rf"""--game[ =](?:'([^'\n]+)'|"([^"\n]+)"|([^\s'"()]+(?:{_NESTED})?))""")
"""The game in quotes, or without; parentheses belong to it that are opened and closed after its name."""
_SOURCES: Final = ("", ".c", ".cpp", ".java", ".rs", ".go")
"""Endings of the source file beside a compiled program, or of the class that a command names."""


def named_game(player: Player) -> str:
    """The game that the agent's own file names; BadPlayer if it names none, or several."""
    for path in _files(player):
        found = _games(path)
        if len(found) == 1:
            return found[0]
        if found:
            raise BadPlayer(f"{quote(path.name)} names several games ({one_of(found)}): add --game and one of them")
    for word in player.command:
        if _is_missing(word):
            raise BadPlayer(f"no file {quote(word)}{nearly(word.removeprefix('./'), sorted(os.listdir()))}")
    raise BadPlayer(f"{quote(player.text)} does not name its game: {ADD_GAME}")


def _is_missing(word: str) -> bool:
    """Whether a word of a command names a file that does not exist."""
    is_file = word.startswith(("./", "../", "/", "~")) or word.endswith((".java", ".jar", ".js", ".py"))
    return is_file and not os.path.exists(os.path.expanduser(word))


def _files(player: Player) -> Iterator[Path]:
    """The agent's files that can name the game."""
    if player.path is not None:
        yield player.path / MAIN_FILE if player.kind is PlayerKind.FOLDER else player.path
    for word in player.command:
        yield from (Path(os.path.expanduser(word) + ending) for ending in _SOURCES)


def _games(path: Path) -> list[str]:
    """The games after `--game` in a file, each once; none if the file cannot be read."""
    text = ""
    with suppress(OSError, ValueError):
        if path.is_file():
            with path.open("rb") as file:
                text = file.read(_READ).decode("utf-8", "replace")
    found = ("".join(groups).strip("`.,;:") for groups in _OPTION.findall(text))
    return [*dict.fromkeys(game for game in found if game and game != "GAME")]
