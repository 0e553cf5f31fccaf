"""Finds the agent to check and the game that its own file names, or explains what is there instead.

Reads only file names and bytes; runs nothing of the agent.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from types import MappingProxyType
from typing import Final

from adsearch import games
from adsearch.errors import nearly, one_of, quote
from agents import diagnosis
from agents.loading import OURS
from arena import languages
from arena.errors import BadPlayer
from arena.players.build_commands import LanguageTable
from arena.players.player import MAIN_FILE, Player, PlayerKind, files_in, read_player, split_path
from arena.student.checking.explanations import Explanation

_NOT_FOUND: Final = re.compile(r"No module named '(\w+)")
_READ: Final = 64 * 1024
"""Bytes read from a file."""
_ZIP: Final = b"PK"
_COMPILED: Final = (b"\x7fELF", b"\xcf\xfa\xed\xfe")
"""The first bytes of a compiled program, on Linux and macOS."""
_TEXTS: Final = (".md", ".rst", ".tex")
"""File extensions of texts, which can have code in them."""
_INSTALLED: Final = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
"""The folders of the installed libraries."""
_WELL_KNOWN: Final = {*OURS, "numpy", "pandas", "scipy", "torch"}
"""Libraries that a tournament can have where this machine does not."""
_IMPORTS: Final = re.compile(rb"^[ \t]*(?:import|from)[ \t]+(\w+)", re.MULTILINE | re.ASCII)
"""A line that imports a module."""
_NOTEBOOK: Final = (
    "save it as a Python file (in Jupyter: File, Save and Export Notebook As, Executable Script), and name it agent.py"
)


def find(text: str, languages_of: Mapping[str, LanguageTable] = MappingProxyType({})) -> Player | Explanation:
    """The player that `text` names, or why there is none. BadPlayer for a player that needs no check. `languages_of`:
    as for `read_player`."""
    try:
        player = read_player(text, languages_of)
    except BadPlayer as error:
        return _explain_missing(text, str(error))
    if player.engine is not None:
        raise BadPlayer(
            f"{quote(text)} is an engine: it is checked before each run, and 'arena play' plays a game with it"
        )
    if player.kind is PlayerKind.BUILTIN:
        raise BadPlayer(f"{quote(text)} is built in and needs no check: expected a file, a folder or cmd:PROGRAM")
    if player.kind in (PlayerKind.HUMAN, PlayerKind.WAIT):
        raise BadPlayer(f"{quote(text)} is a person, or a program that connects by itself: there is nothing to check")
    return player


def name_warning(player: Player) -> str:
    """A warning if a module of the agent's author has the name of another module; empty if none has."""
    for name in _own_modules(player):
        module = name.removesuffix(".py")
        if module in sys.stdlib_module_names:
            what = f"the module {module} of Python"
        elif module in _WELL_KNOWN or PathFinder.find_spec(module, _INSTALLED) is not None:
            what = f"the library {module}"
        else:
            continue
        return f"{name} has the same name as {what}; 'import {module}' can load the wrong one: rename {name}"
    return ""


def _own_modules(player: Player) -> Iterator[str]:
    """The names of the agent's modules and packages, and of those beside its file that the file imports."""
    if player.path is None or not player.is_python:
        return
    if player.kind is PlayerKind.FOLDER:
        yield from sorted(path.name for path in player.path.glob("*.py"))
        yield from sorted(path.parent.name for path in player.path.glob("*/__init__.py"))
        return
    yield player.path.name
    with suppress(OSError), player.path.open("rb") as file:
        for module in sorted({name.decode() for name in _IMPORTS.findall(file.read(_READ))}):
            if (player.path.parent / f"{module}.py").is_file():
                yield f"{module}.py"
            elif (player.path.parent / module / "__init__.py").is_file():
                yield module


def neighbour_advice(player: Player, words: str) -> str:
    """What to do if `words` name a missing module that is in the same folder as the file; empty if it is not there."""
    if player.kind is PlayerKind.COMMAND:
        return _command_with_folder(player, words)
    if player.kind is not PlayerKind.FILE or player.path is None or "there is no module '" not in words:
        return ""
    name = words.partition("there is no module '")[2].partition("'")[0].partition(".")[0]
    if not _is_beside(player.path, name):
        return ""
    folder = quote(player.path.parent.name or str(player.path.parent))
    rename = "" if player.path.name == MAIN_FILE else f"rename {player.path.name} to {MAIN_FILE} and "
    here = "" if os.path.dirname(player.text) else " ('.' from here)"
    use = f"{rename}use the folder {folder}{here}"
    if name in OURS:
        named = f"{name} in the same folder has the name of our library"
        return f"{named}: give it another name, and write that name in all imports of it; then {use}"
    return f"{name} is in the same folder, but a file is copied without its neighbours: {use}"


def _command_with_folder(player: Player, words: str) -> str:
    """The same for a file that a command names."""
    if (missing := _NOT_FOUND.search(words)) is None:
        return ""
    for word in player.command[1:]:
        file = Path(os.path.expanduser(word))
        if file.is_file() and _is_beside(file, missing[1]):
            main = "" if file.name == "__main__.py" else f"rename {file.name} to __main__.py, and "
            folder = player.text.replace(word, os.path.join(os.path.dirname(word) or ".", ""))
            return (
                f"{missing[1]} is in the same folder, but only what the command names is copied: {main}name the "
                f"folder: {quote(folder)}"
            )
    return ""


def _is_beside(file: Path, module: str) -> bool:
    """Whether the module is in the folder of that file."""
    return any((file.parent / each).exists() for each in (f"{module}.py", f"{module}/__init__.py"))


def _explain_missing(text: str, words: str) -> Explanation:
    """What is there instead of an agent."""
    file, rest = split_path(text.strip()) or (text.strip(), "")
    path, class_name = Path(os.path.expanduser(file)), rest.removeprefix(":")
    if rest and not class_name.isidentifier():
        message = f"{quote(class_name)} is not a class name" if class_name else "there is no class name after the colon"
        return Explanation(message, "write FILE.py:MyAgent", loading=True)
    try:
        if path.is_dir():
            return Explanation(*_of_folder(path), loading=True)
        if path.is_file():
            return Explanation(*_of_file(path), loading=True)
    except OSError as error:
        return Explanation(f"cannot read {quote(path.name)}: {error.strerror}", loading=True)
    message, _, advice = words.replace(quote(file), quote(path.name)).partition("; ")
    return Explanation(message, advice, loading=True)


def submissions_in(folder: Path) -> list[tuple[str, str]]:
    """Each agent in a folder of submissions, with its name: every folder and every file that is not hidden."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "__")) or not (path.is_dir() or path.is_file()):
            continue
        found.append((path.name if path.is_dir() else path.stem, os.path.join(folder, path.name)))
    return found


def is_there(text: str) -> bool:
    """Whether the file or folder that `text` names exists."""
    file, _ = split_path(text.strip()) or (text.strip(), "")
    return os.path.exists(os.path.expanduser(file)) or os.path.exists(os.path.expanduser(text.strip()))


def _of_file(path: Path) -> tuple[str, str]:
    with path.open("rb") as file:
        content = file.read(_READ)
    if content.startswith(_ZIP) and path.suffix == ".zip":
        return f"{path.name} is a zip archive", "unpack it, and check the file or the folder that is in it"
    if content.startswith(_COMPILED):
        return f"{path.name} is a compiled program, not a Python file", _checked_with(f"./{shlex.quote(path.name)}")
    if what := diagnosis.no_python(content):
        kind, _, advice = what.partition(": ")
        return f"{path.name} is {kind}", advice
    if language := languages.find(path.suffix):  # such as one of a package that has no default command
        advice = _checked_with(f"{language.run_by} {shlex.quote(path.name)}") if language.run_by else ""
        return f"{path.name} is a {language.title} program, not a Python file", advice
    if not path.suffix:
        return (
            f"{path.name} has no file extension: an agent's file ends with .py",
            f"rename it to {path.name}.py",
        )
    if path.suffix.lower() in _TEXTS or path.stem.lower() == "readme":
        return f"{path.name} is a text, not an agent", "use the agent's file, which ends with .py, or its folder"
    if any(sign in content for sign in (b"import ", b"def ", b"class ")):
        right = path.stem if path.stem.endswith(".py") else f"{path.stem}.py"
        return (
            f"{path.name} ends with {path.suffix}: an agent's file ends with .py",
            f"rename it to {right}",
        )
    return f"{path.name} is not a Python file", "an agent's file ends with .py"


def _checked_with(command: str) -> str:
    program = f"cmd:{command}"
    shown = f'"{program}"' if "'" in program else shlex.quote(program)
    return (
        f"check it with: arena check {shown}; in a tournament the organizer adds such a program "
        "(`arena docs languages`)"
    )


def _of_folder(folder: Path) -> tuple[str, str]:
    """What is wrong with a folder that has no agent.py, and what to do."""
    files = files_in(folder)
    names = {path: os.path.basename(path) for path in files}
    message = f"the folder {quote(folder.name or str(folder))} has no {MAIN_FILE}"
    if mains := [path for path in files if names[path] == MAIN_FILE]:
        return f"{message}: it is in a subfolder", f"use {one_of([os.path.dirname(path) for path in mains], most=3)}"
    python = [path for path in files if path.endswith(".py") and not names[path].startswith(".")]
    if wrong := [path for path in python if names[path].lower() == MAIN_FILE]:
        return f"{message}: there is {names[wrong[0]]}", f"rename it to {MAIN_FILE}, in lower case"
    if len(python) == 1:
        advice = f"rename it to {MAIN_FILE}, or use the file {python[0]}"
        return f"{message}, only {names[python[0]]}", advice
    if python:
        on_top = [path for path in python if os.path.dirname(path) == str(folder)]
        shown = one_of([os.path.relpath(path, folder) for path in on_top or python], most=5)
        return f"{message}; it has {shown}", f"rename the one with the agent's class to {MAIN_FILE}"
    if archives := [path for path in files if path.endswith((".zip", ".tar", ".gz", ".rar", ".7z"))]:
        return f"{message}, only {names[archives[0]]}", "unpack it"
    if notebooks := [path for path in files if path.endswith(".ipynb")]:
        return f"{message}, only {names[notebooks[0]]}, a Jupyter notebook", _NOTEBOOK
    return f"{message} and no other Python file", "put the agent's file into it"


# Finds the game that an agent's own file names, for `arena check` and `arena climb` without `--game`.


ADD_GAME: Final = "add --game GAME, such as --game connect4 (`arena games` lists all)"
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
