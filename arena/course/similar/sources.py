"""Sources: the files of agents that are compared, from the store or from any folder.

Files come from students, so they can have any size and content. Code is read as text, and only its first MOST_TOKENS
tokens are compared; the other files are only compared byte for byte. Links are not followed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

import adsearch
import agents
from adsearch.errors import quote
from arena.course.similar.tokens import FAMILY, MOST_TOKENS, Tokens, tokens_of
from arena.errors import ArenaError
from arena.players.submissions import Store
from arena.student import starter
from db.sources import MOST_BYTES, MOST_FILES

_MOST_CODE: Final = 2_000_000
"""Bytes of one file that are read as code."""
LEAST_BYTES: Final = 200
"""Shorter files are not compared byte for byte."""
_FEW: Final = 3
"""Fewer agents than this are never taken for the whole course."""


class SourceFile(Struct, frozen=True):
    """One file of a source."""

    name: str
    digest: bytes
    size: int
    """In bytes."""
    text: str
    """Its code, in printable characters, with tabs and line ends; empty if the file is not code."""
    tokens: Tokens


class Source(Struct, frozen=True):
    """What is compared as one: a version of an agent, or a program from elsewhere."""

    agent: str
    """The agent's name; of other programs, their path."""
    version: int | None
    files: tuple[SourceFile, ...]
    hash: str = ""
    """Its hash in the store; empty if it is not in a store."""
    from_elsewhere: bool = False
    """Whether it is not an agent of the tournament: it is compared with all agents, and not with its like."""

    @property
    def title(self) -> str:
        """The agent and its version: "kestrel@2"."""
        return self.agent if self.version is None else f"{self.agent}@{self.version}"

    @property
    def is_cut(self) -> bool:
        """Whether it has more code than is compared."""
        return any(file.tokens.cut for file in self.files)


def is_handed_out(having: int, agents: int) -> bool:
    """Whether content that `having` of the `agents` have probably comes from the course: more than half have it."""
    return having >= _FEW and 2 * having > agents


def from_store(agent: str, version: int | None, hash: str, store: Store) -> Source:
    """A version of an agent; ArenaError if its files are missing or changed."""
    contents = {name: file.content for name, file in store.read(hash).items()}
    return Source(agent, version, of_contents(contents), hash)


def from_path(path: Path, agent: str = "", *, from_elsewhere: bool = False) -> Source:
    """The file at the path, or all files in the folder; ArenaError if they cannot be read."""
    try:
        return Source(agent or str(path), None, of_contents(dict(_read(path))), from_elsewhere=from_elsewhere)
    except OSError as error:
        raise ArenaError(f"cannot read {quote(str(path))}: {error.strerror}") from None


def programs_in(path: Path) -> list[Source]:
    """The programs at a path, to compare agents with: a file is one program; in a folder, each file and folder is."""
    listed = _listed(path) if path.is_dir() else [path]
    found = [from_path(each, from_elsewhere=True) for each in listed if each == path or not each.is_symlink()]
    if not any(file.tokens.codes for source in found for file in source.files):
        endings = "a file such as agent.py, or a folder with a file or folder for each program"
        raise ArenaError(f"expected {endings}; there is no code in {quote(str(path))}")
    return found


def handed_out_by_us() -> list[SourceFile]:
    """The code that all students have: the search library, the agent kit, and what `arena new` writes."""
    folders = [Path(package.__path__[0]) for package in (adsearch, agents)]
    return [file for folder in folders for file in from_path(folder).files if file.text] + starters()


def starters() -> list[SourceFile]:
    """What `arena new` writes: agents, and rules beside them."""
    return [file for file in from_path(starter.FOLDER).files if file.text]


def of_contents(contents: Mapping[str, bytes]) -> tuple[SourceFile, ...]:
    """The files, by name. All together have at most MOST_TOKENS tokens."""
    files = []
    left = MOST_TOKENS
    for name, content in sorted(contents.items()):
        extension = os.path.splitext(name)[1]
        text = _text(content) if extension.lower() in FAMILY else ""
        tokens = tokens_of(text, extension, most=left)
        left -= len(tokens.codes)
        files.append(SourceFile(name, hashlib.sha256(content).digest(), len(content), text, tokens))
    return tuple(files)


def _text(content: bytes) -> str:
    """Code as text; every character that is not printable, such as NUL, becomes U+FFFD."""
    text = content[:_MOST_CODE].decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    unprintable = {letter for letter in set(text) if not letter.isprintable() and letter not in "\t\n"}
    return text.translate(dict.fromkeys(map(ord, unprintable), "\ufffd"))


def _read(path: Path) -> Iterator[tuple[str, bytes]]:
    """The name and content of the file at the path, or of each file in the folder."""
    if not path.is_dir():
        yield path.name, path.read_bytes()[:MOST_BYTES]
        return
    count = size = 0
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not _is_left_out(name))
        for each in sorted(Path(folder, name) for name in names if not _is_left_out(name)):
            if each.is_symlink() or not each.is_file():
                continue
            count, size = count + 1, size + each.stat().st_size
            if count > MOST_FILES or size > MOST_BYTES:
                raise ArenaError(
                    f"{quote(str(path))} has more than {MOST_FILES:,} files or {MOST_BYTES // 2**20} MiB: "
                    "name a folder with code only"
                )
            yield each.relative_to(path).as_posix(), each.read_bytes()


def _listed(folder: Path) -> Iterable[Path]:
    return sorted(each for each in folder.iterdir() if not _is_left_out(each.name))


def _is_left_out(name: str) -> bool:
    return name.startswith(".") or name == "__pycache__" or name.endswith(".pyc")
