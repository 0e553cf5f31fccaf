"""Content that several students have handed in: a whole submission, or a file, the same byte for byte.

Names of files do not count. What the course has handed out is no news: a file that more than half of the students hand
in. Nor is a short one, such as an empty `__init__.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LEAST_BYTES: Final = 200
_FEW: Final = 3
"""Among fewer students nothing is taken for the course's own."""


@dataclass(frozen=True, slots=True)
class SharedContent:
    """What several students have handed in."""

    file: str
    """Its name in the first submission; empty: the whole submission."""
    submissions: frozenset[tuple[str, str]]
    """Agent and hash of each."""

    @property
    def agents(self) -> list[str]:
        """Whose it is."""
        return sorted({agent for agent, _ in self.submissions})


def shared_content(submissions: Iterable[tuple[str, str]], store: Path) -> list[SharedContent]:
    """What different agents share. `submissions`: agent and hash of each, whose folder is in `store`."""
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
    told = {one.submissions for one in shared}
    for digest, found in single.items():
        handed_out = students >= _FEW and 2 * len({agent for agent, _ in found}) > students
        if not handed_out and frozenset(found) not in told:
            shared.append(SharedContent(names[digest], frozenset(found)))
    return sorted((one for one in shared if len(one.agents) > 1), key=lambda one: (one.agents, one.file))
