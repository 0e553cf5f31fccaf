"""Sources: the files of agents that are compared, from the store or from any folder, and their tokens, without
comments, names and layout.

Files come from students, so they can have any size and content. Code is read as text, and only its first MOST_TOKENS
tokens are compared; the other files are only compared byte for byte. Links are not followed.
"""

from __future__ import annotations

import builtins
import hashlib
import keyword
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final
from zlib import crc32

from msgspec import Struct

import adsearch
import agents
from adsearch import State
from adsearch.errors import quote
from agents import Agent, Clock
from arena.errors import ArenaError
from arena.players.submissions import Store
from arena.student import starter
from db.sources import MOST_BYTES, MOST_FILES

# Tokens of a source file, so that two files can be compared without comments, names and layout.


MOST_TOKENS: Final = 20_000
"""Tokens of one source that are compared; a student's agent has 500 to 5,000."""
_PYTHON: Final = r"""
(?P<space>(?:\s|\\\n)++)
|(?P<comment>\#[^\n]*+)
|(?P<string>[bBfFrRuU]{0,2}(?:\"\"\"(?s:.*?)(?:\"\"\"|\Z)|'''(?s:.*?)(?:'''|\Z)
    |"[^"\\\n]*+(?:\\(?s:.)[^"\\\n]*+)*+"?|'[^'\\\n]*+(?:\\(?s:.)[^'\\\n]*+)*+'?))
"""
_BRACES: Final = r"""
(?P<space>\s++)
|(?P<comment>//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z))
|(?P<string>"[^"\\\n]*+(?:\\(?s:.)[^"\\\n]*+)*+"?|'[^'\\\n]*+(?:\\(?s:.)[^'\\\n]*+)*+'?|`[^`]*+`?)
"""
_REST: Final = r"""
|(?P<number>\.?[0-9](?:[eEpP][+-][0-9]|[\w.])*+)
|(?P<name>\.?[^\W\d]\w*+)
|(?P<sign>[-+*/%&|^<>=!:]=|\*\*|&&|\|\||<<|>>|->|=>|\+\+|--|::|(?s:.))
"""
_BRACES_KEYWORDS: Final = frozenset(
    re.findall(
        r"\w+",
        """abstract async await boolean break byte case catch chan char class const continue default defer delete do
        double else enum export extends extern false final finally float fn for func function go goto if impl implements
        import in instanceof int interface let long loop match mod mut new nil null package private protected pub public
        range return select short signed sizeof static struct super switch this throw throws trait true try type typedef
        typeof union unsigned use var void volatile where while yield""",
    )
)
_PYTHON_NAMES: Final = frozenset({*keyword.kwlist, *dir(builtins)})
_ATTRIBUTES: Final = frozenset(
    f".{name}" for kind in (State, Agent, Clock) for name in dir(kind) if not name.startswith("_")
)
"""What every agent reads of a position, of its own class and of its clock: `.moves`, `.tell`, `.budget`."""
_FAMILIES: Final = {
    "python": (re.compile(_PYTHON + _REST, re.VERBOSE), _PYTHON_NAMES | _ATTRIBUTES),
    "braces": (re.compile(_BRACES + _REST, re.VERBOSE), _BRACES_KEYWORDS),
}
_BRACES_ENDINGS: Final = (
    *(".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".java", ".js", ".mjs", ".cjs", ".ts", ".go", ".rs", ".cs", ".kt"),
    *(".swift", ".scala"),
)
FAMILY: Final = {".py": "python", ".pyw": "python", **dict.fromkeys(_BRACES_ENDINGS, "braces")}
"""The family of languages by the extension of a file's name; other files are not code."""
_NAME: Final = 1
_VALUE: Final = 2
_ATTRIBUTE: Final = 3
_SKIPPED: Final = "()"
"""A copier can add these anywhere."""
_BETWEEN: Final = (crc32(b","), crc32(b":"))
_BEFORE_NEGATIVE: Final = tuple([code, crc32(b"-")] for code in _BETWEEN)
"""Values in a row are one token, so that all lists and tables of values are not taken for copies of each other."""


class Tokens(Struct, frozen=True):
    """The tokens of a text: what each is, and where it stands."""

    codes: tuple[int, ...]
    """A number for each token: the same for all names, for all attributes, and for all numbers and strings."""
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    """The places in the text."""
    cut: bool = False
    """Whether the text has more tokens than are compared."""


def tokens_of(text: str, extension: str, *, most: int = MOST_TOKENS) -> Tokens:
    """The first tokens of `text`, at most `most`; none if files with this extension are not code."""
    if (family := FAMILY.get(extension.lower())) is None:
        return Tokens((), (), ())
    pattern, kept = _FAMILIES[family]
    tokens: list[tuple[int, int, int]] = []
    at_start_of_line = True
    alone = False  # whether the last token is a string at the start of a line: a docstring if the line ends there
    cut = False
    for found in pattern.finditer(text):
        kind = found.lastgroup or ""
        if kind in ("space", "comment"):
            if kind == "comment" or "\n" in found[0]:
                if alone:
                    tokens.pop()
                at_start_of_line, alone = True, False
            continue
        if cut := len(tokens) == most:
            break
        alone = kind == "string" and at_start_of_line and family == "python"
        at_start_of_line = False
        if found[0] in _SKIPPED:
            continue
        code, start = _code(found[0], kind, kept), found.start()
        if code == _VALUE and (more := _values_before(tokens)):
            start = tokens[-more][1]
            del tokens[-more:]
        tokens.append((code, start, found.end()))
    if alone and not cut:
        tokens.pop()
    codes, starts, ends = zip(*tokens, strict=True) if tokens else ((), (), ())
    return Tokens(codes, starts, ends, cut=cut)


def _code(text: str, kind: str, kept: frozenset[str]) -> int:
    """The number of a token."""
    if kind == "sign" or text in kept:
        return crc32(text.encode())
    if kind == "name":
        return _ATTRIBUTE if text.startswith(".") else _NAME
    return _VALUE


def _values_before(tokens: list[tuple[int, int, int]]) -> int:
    """The number of last tokens that belong to one list with the value that follows: "1," or "1, -"; 0 if none do."""
    last = [code for code, _, _ in tokens[-3:]]
    if last[-2:-1] == [_VALUE] and last[-1] in _BETWEEN:
        return 2
    return 3 if last[:1] == [_VALUE] and last[1:] in _BEFORE_NEGATIVE else 0


_MOST_CODE: Final = 2_000_000
"""Bytes of one file that are read as code."""
LEAST_BYTES: Final = 200
"""Shorter files are not compared byte for byte."""
_FEW: Final = 3
"""Fewer agents than this are never taken for the whole course."""


class ComparedFile(Struct, frozen=True):
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
    files: tuple[ComparedFile, ...]
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


def handed_out_by_us() -> list[ComparedFile]:
    """The code that all students have: the search library, the agent kit, and what `arena new` writes."""
    folders = [Path(package.__path__[0]) for package in (adsearch, agents)]
    return [file for folder in folders for file in from_path(folder).files if file.text] + starters()


def starters() -> list[ComparedFile]:
    """What `arena new` writes: agents, and rules beside them."""
    return [file for file in from_path(starter.FOLDER).files if file.text]


def of_contents(contents: Mapping[str, bytes]) -> tuple[ComparedFile, ...]:
    """The files, by name. All together have at most MOST_TOKENS tokens."""
    files = []
    left = MOST_TOKENS
    for name, content in sorted(contents.items()):
        extension = os.path.splitext(name)[1]
        text = _text(content) if extension.lower() in FAMILY else ""
        tokens = tokens_of(text, extension, most=left)
        left -= len(tokens.codes)
        files.append(ComparedFile(name, hashlib.sha256(content).digest(), len(content), text, tokens))
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
