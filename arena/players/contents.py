"""Contents: the files of one submission, in memory, before they are copied to the store; and which files the words of
a command name.

They come from files, or from a build, and both can be hostile. Always true: what was added without an error is within
the limits of the store, and all its names can be files there.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from stat import S_ISREG, S_IXUSR
from typing import Final, TypeAlias

from adsearch.errors import quote
from agents import kaggle
from arena import languages
from arena.errors import BadPlayer
from db.sources import MOST_LEVELS, StoredFile

COMMAND_FILE: Final = "command.json"
"""The file of the store that says how a command is run; no data file of an agent has its name."""
Part: TypeAlias = str | dict[str, str]
"""A part of a stored command: a text, or the path of a copy ({"copy": "2/book.bin"})."""


class Contents:
    """The content of files, read once and within limits, so that what is hashed is what is written."""

    def __init__(self, most_bytes: int, most_files: int, *, leave_out: Path) -> None:
        self.files: dict[str, StoredFile] = {}
        self._most_bytes = most_bytes
        self._most_files = most_files
        self._leave_out = os.path.realpath(leave_out)
        self._bytes = 0
        self._entries = 0
        self._folders: set[str] = set()
        """The folders of the files that `add_content` added."""

    def add_content(self, name: str, file: StoredFile) -> None:
        """Adds a file that is in memory, within the limits of files that are read. A build can give it any name."""
        parts = name.split("/")
        folders = {"/".join(parts[:end]) for end in range(1, len(parts))}
        if not all(map(_is_file_name, parts)) or name in self._folders or folders & self.files.keys():
            raise BadPlayer(f"{quote(name)}: expected a name that a file can have")
        if len(parts) > MOST_LEVELS:
            raise BadPlayer(f"{quote(name)}: expected at most {MOST_LEVELS} levels of folders, got more")
        for each in sorted(folders - self._folders) + [name] * (name not in self.files):
            self._count(each, quote(name))
        self._folders |= folders
        self._add(name, quote(name), file)

    def add_file(self, path: Path, name: str) -> None:
        """Adds the file at `path`, to be stored as `name`."""
        shown = quote(name)
        self._count(name, shown)
        try:
            status = path.stat()
            if not S_ISREG(status.st_mode):
                raise BadPlayer(f"{shown}: expected a file, got a device, a pipe or a socket")
            with open(path, "rb", opener=_open_without_waiting) as file:
                content = file.read(self._most_bytes - self._bytes + 1)
        except OSError as error:
            raise BadPlayer(f"cannot read {shown}: {error.strerror}") from None
        self._add(name, shown, StoredFile(content, bool(status.st_mode & S_IXUSR)))

    def add_agent_file(self, path: Path) -> None:
        """Adds the file at `path`, and what it needs of its folder: its data files, and in another language than Python
        the files that it includes or imports, directly or not."""
        language = languages.ours().get(path.suffix)
        waiting = [path.name]
        while waiting:
            name = waiting.pop()
            if name not in self.files and (name == path.name or os.path.isfile(path.parent / name)):
                self.add_file(path.parent / name, name)
                waiting += language.mentioned(name, self.files[name].content) if language else ()
        for name in named_in(path, self.files):
            self.add_file(path.parent / name, name)

    def add_part(self, part: CommandPart, within: str) -> Part:
        """Adds the file or folder that a part of a command names, stored in the folder `within`; what stands for it."""
        if part.path is None:
            return part.text
        path = Path(part.path)
        self._entries += 1 + within.count("/")  # command.json, and the folders that this makes
        if path.is_dir():
            self.add_folder(path, within=within)
            return {"copy": within if part.text.endswith("/") else within.removesuffix("/")}
        self.add_file(path, f"{within}{path.name}")
        return {"copy": f"{within}{path.name}"}

    def add_folder(self, root: Path, *, within: str = "", everything: bool = False) -> None:
        """Adds all files under `root`, to be stored in the folder `within`.

        Hidden files and Python's caches are left out unless `everything` is set.

        Symbolic links must lead to files inside `root`; with `everything` no link is allowed."""
        inside = os.path.realpath(root)
        waiting = [(root, within, 1 + within.count("/"))]
        while waiting:
            folder, prefix, level = waiting.pop()
            if level > MOST_LEVELS:
                shown = quote(prefix.removeprefix(within) or root.name)
                raise BadPlayer(f"{shown}: expected at most {MOST_LEVELS} levels of folders, got more")
            for path in _listed(folder):
                if not everything and _is_left_out(path.name):
                    continue
                # Of links, the target: the kernel follows 40 in a path, and half as many when others change files.
                target = Path(os.path.realpath(path))
                if path.is_symlink():
                    self._check_link(str(target), prefix + path.name, inside, everything)
                if not target.is_dir():
                    self.add_file(path, prefix + path.name)
                elif everything or str(target) != self._leave_out:
                    self._count(path.name, quote(prefix + path.name))
                    waiting.append((target, f"{prefix}{path.name}/", level + 1))

    def _check_link(self, target: str, name: str, inside: str, everything: bool) -> None:
        if everything or not (target == inside or target.startswith(inside.rstrip(os.sep) + os.sep)):
            raise BadPlayer(f"{quote(name)}: expected a symbolic link inside the folder, got one to {quote(target)}")
        if not os.path.exists(target):
            raise BadPlayer(f"{quote(name)}: expected a symbolic link to a file, {quote(target)} does not exist")

    def _add(self, name: str, shown: str, file: StoredFile) -> None:
        self._bytes += len(file.content)
        if self._bytes > self._most_bytes:
            raise BadPlayer(f"{shown}: expected at most {self._most_bytes} bytes in one submission, got more")
        self.files[name] = file

    def _count(self, name: str, shown: str) -> None:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise BadPlayer(f"{shown}: expected a name in UTF-8") from None
        self._entries += 1
        if self._entries > self._most_files:
            raise BadPlayer(
                f"{shown}: expected at most {self._most_files} files and folders in one submission, got more"
            )


def _is_file_name(part: str) -> bool:
    """Whether a file or folder can have this name."""
    return part not in ("", ".", "..") and "\0" not in part


def _is_left_out(name: str) -> bool:
    return name.startswith(".") or name == "__pycache__" or name.endswith(".pyc")


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise BadPlayer(f"cannot read the folder {quote(str(folder))}: {error.strerror}") from None


def _open_without_waiting(path: str, flags: int) -> int:
    # O_NONBLOCK: the file may have been replaced by a pipe since it was checked.
    return os.open(path, flags | os.O_NONBLOCK)


# The data files of an agent that is one file: an opening book, weights, a pickle, which are copied with it.


_PROGRAMS: Final = (".pyc", ".so", ".ipynb", ".class", ".zip")
"""Endings of files that are no data, besides those of languages."""
_AGENT: Final = re.compile(rb"^\s*class \w+\(.*Agent\b|^\s+def choose\(|^def \w+\(obs(ervation)?, conf", re.MULTILINE)
_MOST_LOOKED_AT: Final = 1000
"""Files of a folder that are looked for in a program."""
_READ: Final = 1 << 20
"""Bytes of a program that are read."""


def named_in(agent: Path, parts: Iterable[str] = ()) -> list[str]:
    """The names of the data files, relative to the agent's folder. `parts`: its other files there."""
    try:
        texts = _texts(_start(agent)) if agent.suffix == ".py" else _quoted(_start(agent), agent.parent)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    found = sorted(text for text in texts if _is_data(agent.parent, text))
    return [] if found and _is_shared(agent, {*parts}) else found


def _texts(program: bytes) -> set[str]:
    """The texts in a Python program."""
    constants = [node.value for node in ast.walk(kaggle.parsed(program)) if isinstance(node, ast.Constant)]
    return {text.removeprefix(f"{kaggle.PLACE}/") for text in constants if isinstance(text, str)}


def _quoted(program: bytes, folder: Path) -> set[str]:
    """The files below the folder whose names end a quoted text of a program in any language."""
    files = islice(folder.rglob("*"), _MOST_LOOKED_AT)
    names = (path.relative_to(folder).as_posix() for path in files)
    return {name for name in names if re.search(rb"[\"'`/]" + re.escape(os.fsencode(name)) + rb"[\"'`]", program)}


def _is_data(folder: Path, text: str) -> bool:
    path = Path(text)
    if text == COMMAND_FILE or not path.suffix or path.suffix in (*_PROGRAMS, *languages.ours()) or str(path) != text:
        return False
    if path.is_absolute() or len(path.parts) > MOST_LEVELS or any(part.startswith(".") for part in path.parts):
        return False
    try:
        file = folder / path
        inside = file.is_file() and file.resolve().is_relative_to(folder.resolve())
        return inside and not any(_programs(folder / each) for each in [*path.parents][:-1])
    except (OSError, ValueError):
        return False


def _is_shared(agent: Path, parts: set[str]) -> bool:
    """Whether another agent is in the same folder. In another language than Python any program could be one."""
    beside = (each for each in _programs(agent.parent) if each.name not in {agent.name, *parts})
    return any(each.suffix != ".py" or _AGENT.search(_start(each)) for each in beside)


def _programs(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if each.suffix in languages.ours() and each.is_file()]


def _start(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(_READ)


# Finds the files and folders that a command names, such as those of `cmd:java -cp classes:gson.jar MyAgent`.


@dataclass(frozen=True, slots=True)
class CommandPart:
    """A word of a command, or one entry of a class path."""

    text: str
    path: str | None
    """Where the file or folder is, if the text names one that exists."""


def command_parts(words: Sequence[str], folder: Path) -> Iterator[list[CommandPart]]:
    """The parts of each word after the program; paths are relative to `folder`.

    A word without '/' names a folder only in a class path: elsewhere it can be anything, as in `python3 -m agents`."""
    for before, word in pairwise(words):
        is_class_path = before in languages.path_options()
        texts = word.split(os.pathsep) if is_class_path else [word]
        yield [CommandPart(text, _existing(text, folder, folders=is_class_path or "/" in text)) for text in texts]


def command_setting(value: str, folder: Path) -> CommandPart:
    """The value of an engine's setting; without a '/' it is never a file, because it can be anything, such as 16."""
    return CommandPart(value, _existing(value, folder, folders=True) if "/" in value else None)


def _existing(text: str, folder: Path, *, folders: bool) -> str | None:
    path = os.path.join(folder, os.path.expanduser(text))  # keeps a '/' at the end
    return path if text and (os.path.isfile(path) or (folders and os.path.isdir(path))) else None
