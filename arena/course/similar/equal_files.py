"""Finds content that several students handed in: a whole submission or a file, equal byte for byte.

Pure. File names do not matter. A file that more than half of the students hand in counts as handed out by the course
and is not reported, and neither is a short file, such as an empty `__init__.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.course.similar.sources import LEAST_BYTES, Source, SourceFile, is_handed_out


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


def shared_content(sources: Sequence[Source], given: Iterable[SourceFile] = ()) -> list[SharedContent]:
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
