"""Compares sources with each other: which pairs share code or files, how much, and where.

Pure. Two sources share the tokens of their longest equal stretches, each token at most once. Code that does not count:
what the course handed out, what more than half of the agents have, and tables of values. Only pairs that share a
fingerprint are compared token by token, so the time grows with the number of matches, not of pairs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from typing import Final, TypeVar

from msgspec import Struct

from arena.course.similar.sources import LEAST_BYTES, ComparedFile, Source, from_path, from_store, is_handed_out
from arena.errors import ArenaError
from arena.players.submissions import Store, in_store
from arena.players.versions import is_ready_made
from arena.tournament.enrolment import ListedAgent
from db import audit, lookup
from db.database import Connection
from db.records import IMPORTED

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
