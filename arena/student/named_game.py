"""Finds the game that an agent's own file names, for `arena check` and `arena climb` without `--game`.

The agent's class names it: `game = "othello"`. The files that `arena new` writes begin with a comment that shows
commands with `--game GAME`, in any programming language. Else the comments can name one game in plain words. Only text
is read; nothing of the agent is run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from adsearch import games
from adsearch.errors import nearly, one_of, quote
from arena import languages
from arena.errors import BadPlayer
from arena.players.player import MAIN_FILE, Player, files_in

ADD_GAME: Final = "add --game GAME, such as --game connect4 (`arena games` lists all)"
_READ: Final = 64 * 1024
"""Bytes read from a file."""
_NESTED: Final = r"""\((?:[^\s'"()]|\([^\s'"()]*\))*\)"""
_OPTION: Final = re.compile(rf"""--game[ =](?:'([^'\n]+)'|"([^"\n]+)"|([^\s'"()]+(?:{_NESTED})?))""")
"""The game in quotes, or without; parentheses belong to it that are opened and closed after its name."""
_ATTRIBUTE: Final = re.compile(r"""^[ \t]*game[ \t]*=[ \t]*(?:'([^'\n]+)'|"([^"\n]+)")""", re.MULTILINE)
_COMMENT: Final = re.compile(r"""\"{3}.*?\"{3}|'{3}.*?'{3}|/\*.*?\*/|(?:#|//)[^\n]*""", re.DOTALL)
"""A comment or a docstring, in any programming language."""
_SPELT: Final = {"connect4": "connect[- ]?(?:4|four)", "tictactoe": "tic[- ]?tac[- ]?toe"}
"""How people write the names of games, if not only as we do."""
_EVERYDAY: Final = ("dots", "go", "maze", "nap", "pig", "tree", "words")
"""Games whose names are everyday words: they count after "plays" only."""


def named_game(player: Player) -> str:
    """The game that the agent's own file names; BadPlayer if it names none, or several."""
    for path in _files(player):
        text = _text(path)
        found = _found(_ATTRIBUTE, text) or _found(_OPTION, text) or _in_words(text)
        if len(found) == 1:
            return found[0]
        if found:
            raise BadPlayer(f"{quote(path.name)} names several games ({one_of(found)}): add --game and one of them")
    for word in player.command:
        if _is_missing(word):
            raise BadPlayer(f"no file {quote(word)}{nearly(word.removeprefix('./'), sorted(os.listdir()))}")
    line = "a comment with: --game connect4" if player.command or player.language else 'the line: game = "connect4"'
    raise BadPlayer(f"{quote(player.text)} does not name its game: {ADD_GAME}; or write into the file {line}")


def _is_missing(word: str) -> bool:
    """Whether a word of a command names a file that does not exist."""
    run = (ending for one in languages.ours().values() if one.run_by for ending in (one.ending, *one.more_endings))
    is_file = word.startswith(("./", "../", "/", "~")) or word.endswith(tuple(run))
    return is_file and not os.path.exists(os.path.expanduser(word))


def _files(player: Player) -> Iterator[Path]:
    """The agent's files that can name the game."""
    if player.path is not None:
        inside = player.language.spoken.sources(files_in(player.path)) if player.language else [player.path / MAIN_FILE]
        yield from map(Path, inside if player.path.is_dir() else [player.path])
    for word in player.command:  # a source, or what was compiled of one that is beside it
        yield from (Path(os.path.expanduser(word) + ending) for ending in ("", *languages.ours()))


def _text(path: Path) -> str:
    """The text of a file; empty if it cannot be read."""
    with suppress(OSError, ValueError):
        if path.is_file():
            with path.open("rb") as file:
                return file.read(_READ).decode("utf-8", "replace")
    return ""


def _found(pattern: re.Pattern[str], text: str) -> list[str]:
    """The games that the groups of the pattern match, each once."""
    found = ("".join(groups).strip("`.,;:") for groups in pattern.findall(text))
    return [*dict.fromkeys(game for game in found if game and game != "GAME")]


def _in_words(text: str) -> list[str]:
    """The game that the comments name, if it is only one; their words can be about anything, so several are none."""
    comments = "\n".join(_COMMENT.findall(text))
    found = []
    for game in games.names():
        plays = r"play(?:s|ing)?\s+" if game in _EVERYDAY else ""
        if re.search(rf"\b{plays}{_SPELT.get(game, game)}\b", comments, re.IGNORECASE):
            found.append(game)
    return found if len(found) == 1 else []
