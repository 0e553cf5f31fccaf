"""The files of a source, and the hash that names it: of a submission, and of user-supplied rules.

The store of submissions and bundles keep sources in folders that are called by this hash, so that what is read can be
checked against its name. This module reads and writes nothing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

MOST_BYTES: Final = 64 * 1024 * 1024
MOST_FILES: Final = 10_000
"""Folders are counted too."""
MOST_LEVELS: Final = 32
"""Of folders in one another, the source's own included."""
HASH: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One file of a source."""

    content: bytes
    executable: bool


def hash_of(files: Mapping[str, StoredFile]) -> str:
    """SHA-256 over the sorted names and the contents, each with its length so that none runs into the next."""
    digest = hashlib.sha256()
    for name, file in sorted(files.items(), key=lambda item: item[0]):
        for part in (name.encode(), b"x" if file.executable else b"-", file.content):
            digest.update(b"%d:" % len(part))
            digest.update(part)
    return digest.hexdigest()
