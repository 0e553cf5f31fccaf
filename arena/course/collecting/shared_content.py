"""Finds content that several students handed in: a whole submission or a file, equal byte for byte.

File names do not matter. A file that more than half of the students hand in counts as handed out by the course and is
not reported, and neither is a short file, such as an empty `__init__.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LEAST_BYTES: Final = 200
"""Shorter files are not compared."""
_FEW: Final = 3
"""With fewer students, no file counts as handed out by the course."""


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


def shared_content(submissions: Iterable[tuple[str, str]], store: Path) -> list[SharedContent]:
    """The content that different agents share. `submissions`: the agent and hash of each; its folder is in `store`."""
    whole: dict[tuple[bytes, ...], set[tuple[str, str]]] = {}
    single: dict[bytes, set[tuple[str, str]]] = {}
    names: dict[bytes, str] = {}
    handed_in = sorted(set(submissions))
    for agent, source in handed_in:
        digests = []
        for path in sorted(path for path in (store / source).rglob("*") if path.is_file()):
            content = path.read_bytes()
            digest = hashlib.sha256(content).digest()
            digests.append(digest)
            if len(content) >= LEAST_BYTES:
                single.setdefault(digest, set()).add((agent, source))
                names.setdefault(digest, str(path.relative_to(store / source)))
        if digests:
            whole.setdefault(tuple(sorted(digests)), set()).add((agent, source))
    students = len({agent for agent, _ in handed_in})
    shared = [SharedContent("", frozenset(found)) for found in whole.values()]
    reported = {one.submissions for one in shared}
    for digest, found in single.items():
        handed_out = students >= _FEW and 2 * len({agent for agent, _ in found}) > students
        if not handed_out and frozenset(found) not in reported:
            shared.append(SharedContent(names[digest], frozenset(found)))
    return sorted((one for one in shared if len(one.agents) > 1), key=lambda one: (one.agents, one.file))
