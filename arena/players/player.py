"""Reads, checks and names a player as users type it, on a command line or in a tournament's description.

This happens before any process starts; `submissions.py` then copies what is not built in. No student code is run or
compiled here: only file names and paths are checked.

    pvs, alphabeta:depth=6            a built-in agent           human    a person at this terminal
    my_agent.py, my_agent.py:MyAgent  your own file              wait     a player started by hand
    my_agent/                         a folder with agent.py     cmd:./engine --fast    any program
    kaggle:my_agent.py                the last function of a file, as Kaggle's competitions play it
    bot.cpp, Bot.java, bot/           a file, or a folder with files, in another language: it is built when it is stored
    uci:stockfish?nodes=1000          a chess engine             gtp:gnugo --level 5    a Go engine
    gnubg:gnubg?plies=0               GNU Backgammon
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from adsearch.errors import meant, nearly, quote
from agents.errors import AgentsError, BadAgent
from arena import engines as protocols
from arena import languages
from arena.engines import Engine
from arena.errors import BadPlayer
from arena.players import build_commands, engines
from arena.players.build_commands import LanguageTable

if TYPE_CHECKING:
    from agents import Agent

MAIN_FILE: Final = "agent.py"
"""The file that a folder must contain to be an agent."""

_PATH = re.compile(r"(?P<path>.*?\.py)(?=:|$)(?P<rest>.*)", re.DOTALL)
_FILE = "an agent's Python file"
_FORMS = (
    "a built-in agent, FILE.py, FILE.py:CLASS, a folder with agent.py, a file or a folder in another language, "
    f"cmd:PROGRAM, an engine ({protocols.forms()}), kaggle:FILE.py, human or wait"
)
_INTERPRETER: Final = re.compile(r"(ruby|perl|lua|Rscript|bash|sh)[0-9.]*")
"""Other programs than those of our languages that run a script."""
_LONGEST_NAME: Final = 64
_LONGEST_PATH: Final = 200
_MOST_FILES: Final = 2000
"""Files looked at in a folder."""
_DEEPEST: Final = 12
"""Levels of folders looked at below a folder."""
_MOST_NEIGHBOURS: Final = 1000
"""Files in a folder that are compared with a mistyped name."""


class PlayerKind(StrEnum):
    """The kinds of players."""

    BUILTIN = "builtin"
    FILE = "file"
    FOLDER = "folder"
    SOURCE = "source"
    """A file, or a folder with files, in another language than Python."""
    COMMAND = "command"
    HUMAN = "human"
    WAIT = "wait"


def loaded(player: Player) -> type[Agent]:
    """The class of a player that is a Python file or folder, for this process; BadAgent, after its traceback is shown,
    if it cannot be loaded."""
    from agents import hosting, loading

    try:
        return loading.load(f"{player.path}:{player.class_name}" if player.class_name else str(player.path))
    except BadAgent as error:
        if error.__cause__ is not None:
            hosting.show(error.__cause__)
        raise


@dataclass(frozen=True, slots=True)
class Player:
    """One player as it was named."""

    kind: PlayerKind
    text: str
    """The text as it was typed."""
    name: str
    """Its default name; `unique_names` numbers repeats."""
    path: Path | None = None
    """The file or folder, absolute."""
    class_name: str = ""
    """The class in the file; empty if none was named."""
    command: tuple[str, ...] = ()
    """The words of a command, the program first."""
    engine: Engine | None = field(default=None, hash=False)
    """If the command is an engine: its settings."""
    language: LanguageTable | None = field(default=None, hash=False)
    """If it is a source: the commands that build and run it."""
    handed_in: bool = False
    """Whether others can have put it among files that are not its author's. Then nothing beside a single file is taken,
    and a file in another language gets the name that its language needs."""

    @property
    def is_python(self) -> bool:
        """Whether our kit runs it in a process of its own."""
        return self.kind in (PlayerKind.FILE, PlayerKind.FOLDER)


def read_player(text: str, languages_of: Mapping[str, LanguageTable] = MappingProxyType({})) -> Player:
    """The player that `text` names; BadPlayer says what was expected and what to do. `languages_of`: a description's
    languages, in place of our defaults."""
    text = text.strip()
    name, colon, rest = text.partition(":")
    if not _is_valid_text(text):
        raise BadPlayer(f"expected a player as text in UTF-8 without zero bytes, got {quote(text)}")
    if not text:
        raise BadPlayer(f"expected a player: {_FORMS}; got an empty text")
    if name in ("human", "wait"):
        if colon:
            raise BadPlayer(f"expected '{name}' without options, got {quote(text)}")
        return Player(PlayerKind(name), text, name)
    if name == "cmd":
        return _read_command(text, rest)
    if name == "kaggle":
        return _read_kaggle(text, rest)
    if engines.is_engine(text):
        return _read_engine(text)
    builtins = _builtin_names()
    if name in builtins:
        return _read_builtin(text)
    if engines.is_engine(text, installed=True):
        return _read_engine(text)
    if (found := split_path(text)) and not os.path.isdir(os.path.expanduser(text)):
        return _read_file(text, *found)
    if "/" in text or text in (".", "..") or text.startswith("~") or os.path.exists(text):
        return _read_source(text, languages_of) or _read_folder(text)
    if languages.find(Path(text).suffix):
        raise BadPlayer(f"no file {quote(text)}{_missing_hint(_absolute(text), text, _FORMS)}")
    if meant_ending := next((each for each in (".py", *languages.ours()) if os.path.isfile(f"{text}{each}")), ""):
        raise BadPlayer(f"no player {quote(name)}; did you mean the file '{text}{meant_ending}'?")
    if (corrected := engines.corrected(text)) is not None:
        raise BadPlayer(f"no player {quote(text)}; did you mean {quote(corrected)}?")
    named = [*builtins, "human", "wait"]
    raise BadPlayer(
        f"no player {quote(name)}{nearly(name, named) or _did_you_mean(_absolute(text), text) or meant(name, named)}"
    )


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """`names` with repeats numbered, so that no two are the same: "pvs", "pvs#2"."""
    names = tuple(names)
    given = set(names)
    result: list[str] = []
    for name in names:
        number = 1
        unique = name
        while unique in result or (number > 1 and unique in given):
            number += 1
            unique = f"{name}#{number}"
        result.append(unique)
    return tuple(result)


def split_path(text: str) -> tuple[str, str] | None:
    """The path of the Python file that `text` begins with, and the rest (":CLASS..." or nothing); None without one."""
    found = _PATH.fullmatch(text)
    return (found["path"], found["rest"]) if found else None


def _builtin_names() -> list[str]:
    from agents import builtin  # here and below: it loads every search algorithm, 0.1 s

    return list(builtin.names())


def _read_builtin(text: str) -> Player:
    from agents import builtin

    try:
        builtin.find(text)
    except AgentsError as error:
        raise BadPlayer(str(error)) from None
    return Player(PlayerKind.BUILTIN, text, _printable_name(text))


def _read_file(text: str, given: str, rest: str) -> Player:
    path = _absolute(given)
    class_name = rest.removeprefix(":")
    if rest and not class_name.isidentifier():
        raise BadPlayer(
            f"expected FILE.py or FILE.py:CLASS, got {quote(text)} ({quote(class_name)} is not a class name)"
        )
    if not os.path.exists(path):
        raise BadPlayer(f"no file {quote(given)}{_missing_hint(path, given, _FILE)}")
    if not os.path.isfile(path):
        raise BadPlayer(f"{quote(given)} is not a file: expected an agent's Python file")
    return Player(PlayerKind.FILE, text, _printable_name(path.stem), path=path, class_name=class_name)


def _read_kaggle(text: str, given: str) -> Player:
    from agents import kaggle

    if not given.endswith(".py"):
        raise BadPlayer(f"expected kaggle:FILE.py, got {quote(text)}")
    player = _read_file(given, given, "")
    try:
        function = kaggle.function_in(_absolute(given).read_bytes())
    except OSError:
        function = None
    if function is None:  # why it is no program is said where it is loaded
        return player
    if not function:
        raise BadPlayer(f"{quote(given)} has no function: expected def agent(observation, configuration)")
    return replace(player, text=f"{given}:{function}", class_name=function)


def _read_source(text: str, languages_of: Mapping[str, LanguageTable]) -> Player | None:
    """The player if `text` names a file or a folder in one of these languages, or in one that we can build."""
    path = _absolute(text)
    if os.path.isfile(path):
        names = [path.name]
    elif os.path.isdir(path) and not os.path.isfile(path / MAIN_FILE):
        names = [os.path.relpath(file, path) for file in files_in(path)]
    else:
        return None
    if any(name.endswith(".py") for name in names):
        return None
    given = {name: language for name, language in languages_of.items() if language.spoken.sources(names)}
    used = given or {
        one.name: default
        for ending in sorted({Path(name).suffix for name in names})
        if (one := languages.find(ending)) and (default := build_commands.default(one.name))
    }
    if len(used) > 1:
        shown = " and ".join(quote(language.spoken.sources(names)[0]) for language in [*used.values()][:2])
        raise BadPlayer(f"expected files in one language, got {shown}")
    if not used:
        return None
    (language,) = used.values()
    name = path.stem if os.path.isfile(path) else path.name
    return Player(PlayerKind.SOURCE, text, _printable_name(name), path=path, language=language)


def files_in(folder: Path) -> list[str]:
    """The paths of the files in the folder and `_DEEPEST` levels below, about `_MOST_FILES` at most.

    Hidden folders are skipped, and `arena.store`, which has the agents of recorded games."""
    found: list[str] = []
    for inner, names, files in os.walk(folder):
        deep = len(Path(inner).relative_to(folder).parts)
        seen = [name for name in names if not name.startswith((".", "__")) and not name.endswith(".store")]
        names[:] = sorted(seen) if deep < _DEEPEST else []
        found += [os.path.join(inner, name) for name in sorted(files)]
        if len(found) > _MOST_FILES:
            break
    return found


def _read_folder(text: str) -> Player:
    path = _absolute(text)
    if os.path.isfile(path):
        program = text if "/" in text else f"./{text}"
        run = f"; for a program write 'cmd:{program}'" if os.access(path, os.X_OK) else ""
        language = languages.find(path.suffix)
        if language is not None:
            run = f"; for a {language.title} program write 'cmd:{language.run_by} {text}'"
        elif path.suffix == ".zip":
            run = "; unpack a zip archive, and write its file or folder"
        raise BadPlayer(f"{quote(text)} is not an agent's file: expected {_FORMS}{run}")
    if not os.path.isdir(path):
        raise BadPlayer(f"no file or folder {quote(text)}{_missing_hint(path, text, _FORMS)}")
    if not os.path.isfile(path / MAIN_FILE):
        raise BadPlayer(f"expected a file {MAIN_FILE} in the folder {quote(text)}, which makes a folder an agent")
    return Player(PlayerKind.FOLDER, text, _printable_name(path.name), path=path)


def _missing_hint(path: Path, given: str, expected: str) -> str:
    """The end of a message about a file or folder that does not exist: a similar one, or what was `expected`."""
    missing = next(each for each in (path, *path.parents) if os.path.isdir(each.parent))
    where = missing.parent if missing == path else missing
    shown = str(where) if str(where).isprintable() and len(str(where)) <= _LONGEST_PATH else quote(str(where))
    if missing != path:
        return f": there is no folder {shown}{_did_you_mean(missing, missing.name)}"
    return _did_you_mean(path, given) or f": expected {expected} (looked in {shown})"


def _did_you_mean(path: Path, given: str) -> str:
    """A question about the folder, or the file in the same language, beside `path` with the most similar name; empty if
    there is none.

    `given`: the path as the user typed it."""
    ending = path.suffix if path.suffix in languages.ours() else ".py"
    name = path.name.removesuffix(ending)
    try:
        beside = sorted(each for each in os.listdir(path.parent) if each.isprintable())[:_MOST_NEIGHBOURS]
    except (OSError, ValueError):
        return ""
    possible = [each for each in beside if each.endswith(ending) or os.path.isdir(path.parent / each)]
    # Compared without the extension, because that part is the same for all files.
    by_name = {each.removesuffix(ending).lower(): each for each in possible}
    close = get_close_matches(name.lower(), by_name, n=1)
    return f"; did you mean '{os.path.join(os.path.dirname(given), by_name[close[0]])}'?" if close else ""


def _read_engine(text: str) -> Player:
    called, command, engine = engines.read_engine(text)
    return Player(PlayerKind.COMMAND, text, _printable_name(called), command=command, engine=engine)


def _read_command(text: str, words: str) -> Player:
    try:
        command = tuple(shlex.split(words))
    except ValueError as error:
        raise BadPlayer(f"expected cmd:PROGRAM and its arguments, got {quote(text)}: {error}") from None
    if not command or not command[0]:
        raise BadPlayer(f"expected a program after 'cmd:', such as 'cmd:./engine --fast', got {quote(text)}")
    return Player(PlayerKind.COMMAND, text, _printable_name(Path(_program_or_script(command)).stem), command=command)


def refuse_missing_script(command: Sequence[str]) -> None:
    """BadPlayer if the command runs a script that does not exist: "cmd:node agnet.js"."""
    script = _program_or_script(command)
    if script == command[0] or _absolute(script).exists():
        return
    language = languages.find(Path(script).suffix)
    if language is not None and language.run_by:
        raise BadPlayer(f"no file {quote(script)}{_missing_hint(_absolute(script), script, 'a program')}")


def _program_or_script(command: Sequence[str]) -> str:
    """The word that gives a command its name: its program, or the script if the program is an interpreter."""
    program = Path(command[0]).name
    if languages.is_interpreter(program) or _INTERPRETER.fullmatch(program):
        paths = languages.path_options()
        words = (word for before, word in pairwise(command) if before not in paths and not word.startswith("-"))
        return next(words, command[0])
    return command[0]


def _absolute(text: str) -> Path:
    path = Path(os.path.expanduser(text)).absolute()
    return path.resolve() if path.name == ".." else path


def _is_valid_text(text: str) -> bool:
    """Whether `text` can be a program's argument: UTF-8 without zero bytes."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _printable_name(name: str) -> str:
    """`name` for screens and messages: printable, not too long, never empty."""
    plain = "".join(letter if letter.isprintable() else "?" for letter in name)
    return plain[:_LONGEST_NAME] or "agent"
