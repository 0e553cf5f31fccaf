"""Finds sources that are copies of each other: equal files, and code that was renamed, reordered or changed in part.

Sources become tokens, without comments, names and layout; tokens become fingerprints; pairs that share one are compared
token by token, so the time grows with the number of matches, not of pairs. Nothing in a source is run or parsed: every
step is one pass over its text, with limits. Links are not followed.
"""

from __future__ import annotations

import builtins
import hashlib
import keyword
import os
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import Final, TypeVar
from zlib import crc32

from msgspec import Struct

import adsearch
import agents
from adsearch import State
from adsearch.errors import quote
from agents import Agent, Clock
from arena.errors import ArenaError
from arena.players.submissions import Store, in_store
from arena.players.versions import is_ready_made
from arena.student import starter
from arena.tournament.enrolment import ListedAgent
from db import audit, lookup
from db.database import Connection
from db.records import IMPORTED
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
        code, start = _token_code(found[0], kind, kept), found.start()
        if code == _VALUE and (more := _values_before(tokens)):
            start = tokens[-more][1]
            del tokens[-more:]
        tokens.append((code, start, found.end()))
    if alone and not cut:
        tokens.pop()
    codes, starts, ends = zip(*tokens, strict=True) if tokens else ((), (), ())
    return Tokens(codes, starts, ends, cut=cut)


def _token_code(text: str, kind: str, kept: frozenset[str]) -> int:
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


# Fingerprints of tokens by winnowing (Schleimer, Wilkerson and Aiken, 2003).


LENGTH: Final = 14
"""Tokens of a fingerprint, about two lines of code."""
WINDOW: Final = 10
GUARANTEED: Final = LENGTH + WINDOW - 1
"""Equal tokens in a row that are always found, about three lines of code."""


def hashes(codes: Sequence[int]) -> list[int]:
    """The hash of every LENGTH tokens in a row, by the place of the first; the same in every process."""
    return [*map(hash, zip(*(codes[place:] for place in range(LENGTH)), strict=False))]


def chosen(found: Sequence[int]) -> list[int]:
    """The places of the chosen hashes: in each window the smallest, of equal ones the last."""
    places: list[int] = []
    best = -1
    for end in range(len(found)):
        first = end - WINDOW + 1
        if best < max(first, 0):
            best = min(range(end, max(first, 0) - 1, -1), key=found.__getitem__)
        elif found[end] <= found[best]:
            best = end
        if (first >= 0 or end == len(found) - 1) and (not places or places[-1] != best):
            places.append(best)
    return places


LEAST_TOKENS: Final = 50
"""Pairs that share fewer tokens are not reported, about seven lines of code."""
LEAST_SHARE: Final = 0.25
"""Pairs are reported if at least this share of one side's own code is shared."""
_Item = TypeVar("_Item", bytes, int)
_MOST_PLACES: Final = 4
"""Places of one fingerprint in a source that are followed. More are repetitions, and would make a comparison slow."""


class Kind(StrEnum):
    """What two sources share, the strongest evidence first."""

    CONTENT = "same content"
    FILE = "same file"
    CODE = "same code"
    PARTS = "same parts"


class Place(Struct, frozen=True):
    """A part of a source's code."""

    file: str
    start: int
    end: int
    """The places of its first character in the file's text, and of the one after its last."""
    lines: tuple[int, int]
    """Its first and last line, from 1."""


class Part(Struct, frozen=True):
    """Equal tokens in a row, in both sources."""

    one: Place
    other: Place
    tokens: int


class SimilarPair(Struct, frozen=True):
    """Two sources that share something."""

    one: Source
    other: Source
    kind: Kind
    share: float
    """The shared part of the own code of `one`: its tokens that count."""
    other_share: float
    tokens: int
    """The number of shared tokens."""
    same_files: tuple[str, ...]
    """The names, in `one`, of files that are equal byte for byte."""
    parts: tuple[Part, ...]
    """The longest first."""

    @property
    def longest(self) -> int:
        """Tokens of the longest part."""
        return max((part.tokens for part in self.parts), default=0)

    @property
    def strength(self) -> tuple[float, ...]:
        """For sorting, the strongest evidence last."""
        return (-list(Kind).index(self.kind), max(self.share, self.other_share), self.tokens)


def compare(sources: Sequence[Source], handed_out: Iterable[ComparedFile] = ()) -> list[SimilarPair]:
    """The pairs of agents that share more than chance explains, the strongest evidence first.

    Of each two agents, the two versions that share most. `handed_out`: files of the course, which do not count."""
    prepared = _prepared(sources, [*handed_out])
    best: dict[frozenset[str], SimilarPair] = {}
    for (one, other), seeds in _seeds(prepared).items():
        pair = _compared(prepared[one], prepared[other], seeds)
        agents = frozenset((pair.one.agent, pair.other.agent))
        if _is_reported(pair) and (agents not in best or best[agents].strength < pair.strength):
            best[agents] = pair
    return sorted(
        best.values(), key=lambda pair: (*(-each for each in pair.strength), pair.one.agent, pair.other.agent)
    )


def _is_reported(pair: SimilarPair) -> bool:
    return pair.kind is not Kind.PARTS or (
        pair.tokens >= LEAST_TOKENS and max(pair.share, pair.other_share) >= LEAST_SHARE
    )


class _Prepared(Struct):
    """A source, with the tokens of all its files in a row."""

    source: Source
    codes: list[int]
    hashes: list[int]
    begins: list[int]
    """The place of the first token of each file."""
    own: bytearray
    """For each token, whether it counts: 1 if it is code, and not handed out."""
    digests: dict[bytes, str]
    """Of the files that count, with their names."""

    def place(self, first: int, length: int) -> Place:
        """Where these tokens, which are all of one file, stand in its text."""
        number = bisect_right(self.begins, first) - 1
        file, token = self.source.files[number], first - self.begins[number]
        start, end = file.tokens.starts[token], file.tokens.ends[token + length - 1]
        line = file.text.count("\n", 0, start) + 1
        return Place(file.name, start, end, (line, line + file.text.count("\n", start, end)))


def _prepared(sources: Sequence[Source], handed_out: Sequence[ComparedFile]) -> list[_Prepared]:
    between_files = count(-10, -1)
    prepared = []
    for source in sources:
        codes: list[int] = []
        begins = []
        for file in source.files:
            begins.append(len(codes))
            codes += [*file.tokens.codes, next(between_files)]
        prepared.append(_Prepared(source, codes, hashes(codes), begins, bytearray(), {}))
    known_hashes = {each for file in handed_out for each in hashes(file.tokens.codes)}
    known_hashes |= _of_most((one.source, one.hashes) for one in prepared)
    known_files = {file.digest for file in handed_out}
    known_files |= _of_most((one.source, [file.digest for file in one.source.files]) for one in prepared)
    for one in prepared:
        one.own = bytearray(code >= 0 for code in one.codes)
        _leave_out(one, (place for place, each in enumerate(one.hashes) if each in known_hashes))
        for file, begin in zip(one.source.files, one.begins, strict=True):
            own = not file.tokens.codes or any(one.own[begin : begin + len(file.tokens.codes)])
            if own and file.size >= LEAST_BYTES and file.digest not in known_files:
                one.digests[file.digest] = file.name
        _leave_out(
            one, (place for place in range(len(one.hashes)) if _is_repetition(one.codes[place : place + LENGTH]))
        )
    return prepared


def _leave_out(one: _Prepared, places: Iterable[int]) -> None:
    """The fingerprints at these places do not count."""
    for place in places:
        one.own[place : place + LENGTH] = bytes(LENGTH)


def _is_repetition(codes: list[int]) -> bool:
    """Whether a few tokens are repeated, as in the rows of a table of values."""
    return any(codes[period:] == codes[:-period] for period in range(1, LENGTH // 2 + 1))


def _of_most(found: Iterable[tuple[Source, Iterable[_Item]]]) -> set[_Item]:
    """What more than half of the agents have, in any version."""
    by_agent: dict[str, set[_Item]] = defaultdict(set)
    for source, items in found:
        if not source.from_elsewhere:
            by_agent[source.agent].update(items)
    having = Counter(item for items in by_agent.values() for item in items)
    return {item for item, number in having.items() if is_handed_out(number, len(by_agent))}


def _seeds(prepared: Sequence[_Prepared]) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """For each two sources of different agents that share a fingerprint or a file, the places of the fingerprints."""
    where: dict[int | bytes, dict[int, list[int]]] = defaultdict(dict)
    for number, one in enumerate(prepared):
        for place in chosen(one.hashes):
            if all(one.own[place : place + LENGTH]):
                where[one.hashes[place]].setdefault(number, []).append(place)
        for digest in one.digests:
            where[digest][number] = []
    seeds: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for places in where.values():
        numbers = sorted(places)
        for position, one_number in enumerate(numbers):
            for other_number in numbers[position + 1 :]:
                if _are_compared(prepared[one_number].source, prepared[other_number].source):
                    seeds[one_number, other_number] += [
                        (mine, its)
                        for mine in places[one_number][:_MOST_PLACES]
                        for its in places[other_number][:_MOST_PLACES]
                    ]
    return seeds


def _are_compared(one: Source, other: Source) -> bool:
    return one.agent != other.agent and not (one.from_elsewhere and other.from_elsewhere)


def _compared(one: _Prepared, other: _Prepared, seeds: Sequence[tuple[int, int]]) -> SimilarPair:
    stretches = [*_without_overlaps(one, other, _stretches(one, other, seeds))]
    tokens = sum(length for _, _, length in stretches)
    own, other_own = sum(one.own), sum(other.own)
    same = one.digests.keys() & other.digests.keys()
    if same and one.digests.keys() == other.digests.keys():
        kind = Kind.CONTENT
    elif same:
        kind = Kind.FILE
    elif tokens >= LEAST_TOKENS and _code(one.source) == _code(other.source):
        kind = Kind.CODE
    else:
        kind = Kind.PARTS
    return SimilarPair(
        one=one.source,
        other=other.source,
        kind=kind,
        share=tokens / max(own, 1),
        other_share=tokens / max(other_own, 1),
        tokens=tokens,
        same_files=tuple(sorted(one.digests[each] for each in same)),
        parts=tuple(
            Part(one.place(start, length), other.place(other_start, length), length)
            for start, other_start, length in stretches
        ),
    )


def _code(source: Source) -> list[tuple[int, ...]]:
    """The tokens of all its files, whatever their names."""
    return sorted(file.tokens.codes for file in source.files if file.tokens.codes)


def _stretches(one: _Prepared, other: _Prepared, seeds: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Equal stretches of own tokens around the seeds, as long as possible: two places and a length."""
    reached: dict[int, int] = {}
    for start, other_start in sorted(seeds):
        apart = other_start - start
        if reached.get(apart, 0) > start:
            continue

        def equal(place: int, apart: int = apart) -> bool:
            its = place + apart
            return bool(one.own[place] and other.own[its]) and one.codes[place] == other.codes[its]

        first, end = start, start
        while first > 0 and first + apart > 0 and equal(first - 1):
            first -= 1
        last = min(len(one.codes), len(other.codes) - apart)
        while end < last and equal(end):
            end += 1
        reached[apart] = max(end, start + 1)
        if end - first >= LENGTH:
            yield first, first + apart, end - first


def _without_overlaps(
    one: _Prepared, other: _Prepared, stretches: Iterable[tuple[int, int, int]]
) -> Iterator[tuple[int, int, int]]:
    """The longest stretches first, without the tokens that belong to a longer one."""
    taken, other_taken = bytearray(len(one.codes)), bytearray(len(other.codes))
    for start, other_start, length in sorted(stretches, key=lambda each: (-each[2], each)):
        free = [not (taken[start + step] or other_taken[other_start + step]) for step in range(length)]
        step = 0
        while step < length:
            first = step
            while step < length and free[step]:
                step += 1
            if step - first >= LENGTH:
                taken[start + first : start + step] = b"\1" * (step - first)
                other_taken[other_start + first : other_start + step] = b"\1" * (step - first)
                yield start + first, other_start + first, step - first
            step += 1


# Finds content that several students handed in: a whole submission or a file, equal byte for byte.


@dataclass(frozen=True, slots=True)
class SharedContent:
    """Content that several students handed in."""

    file: str
    """Its name in the first submission; empty: the whole submission."""
    submissions: frozenset[tuple[str, str]]
    """The agent and the hash of each."""

    @property
    def agents(self) -> list[str]:
        """The agents with this content."""
        return sorted({agent for agent, _ in self.submissions})


def shared_content(sources: Sequence[Source], given: Iterable[ComparedFile] = ()) -> list[SharedContent]:
    """The content that different agents share; single files that are `given` to all do not count."""
    known = {file.digest for file in given}
    whole: dict[tuple[bytes, ...], set[tuple[str, str]]] = {}
    single: dict[bytes, set[tuple[str, str]]] = {}
    names: dict[bytes, str] = {}
    for one in sorted(sources, key=lambda one: (one.agent, one.hash)):
        for file in one.files:
            if file.size >= LEAST_BYTES and file.digest not in known:
                single.setdefault(file.digest, set()).add((one.agent, one.hash))
                names.setdefault(file.digest, file.name)
        if one.files:
            whole.setdefault(tuple(sorted(file.digest for file in one.files)), set()).add((one.agent, one.hash))
    students = len({one.agent for one in sources})
    shared = [SharedContent("", frozenset(found)) for found in whole.values()]
    reported = {one.submissions for one in shared}
    for digest, found in single.items():
        handed_out = is_handed_out(len({agent for agent, _ in found}), students)
        if not handed_out and frozenset(found) not in reported:
            shared.append(SharedContent(names[digest], frozenset(found)))
    return sorted((one for one in shared if len(one.agents) > 1), key=lambda one: (one.agents, one.file))


# Gathers the sources of a tournament's agents: every version in the store, and files that have not played yet.


class Gathered(Struct, frozen=True):
    """The sources, and the reasons why others are left out."""

    sources: tuple[Source, ...]
    left_out: tuple[str, ...] = ()


def of_tournament(connection: Connection, name: str, store: Store, listed: Sequence[ListedAgent] = ()) -> Gathered:
    """All versions of the agents that play in the tournament, and of those that its description lists.

    NotFound if there is no tournament of that name, and no description."""
    names = {agent.name for agent in listed}
    known = {tournament.name for tournament in lookup.tournaments(connection)}
    if name in known or not listed:
        names |= {*lookup.entry_statuses(connection, lookup.find_tournament(connection, name))}
    versions = [
        (one.agent, one.number, one.source)
        for one in audit.versions(connection)
        if one.agent in names and not is_ready_made(one.source, one.started_as) and not one.source.startswith(IMPORTED)
    ]
    in_database, on_disk = of_versions(versions, store), of_files(listed)
    return Gathered(in_database.sources + on_disk.sources, in_database.left_out + on_disk.left_out)


def of_files(listed: Sequence[ListedAgent]) -> Gathered:
    """The files and folders that a description names itself; what is in a store comes from the database."""
    sources, left_out = [], []
    for agent in listed:
        path = agent.player.path
        if path is not None and in_store(path) is None:
            try:
                sources.append(from_path(path, agent.name))
            except ArenaError as error:
                left_out.append(f"{agent.name}: {error}")
    return Gathered(tuple(sources), tuple(left_out))


def of_versions(versions: Iterable[tuple[str, int | None, str]], store: Store) -> Gathered:
    """The sources of these versions: agent, number and hash of each."""
    sources, left_out = [], []
    for agent, number, source in sorted(versions, key=lambda one: (one[0], one[1] or 0, one[2])):
        try:
            sources.append(from_store(agent, number, source, store))
        except ArenaError as error:
            left_out.append(f"{agent if number is None else f'{agent}@{number}'}: {error}")
    return Gathered(tuple(sources), tuple(left_out))
