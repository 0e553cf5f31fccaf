"""The files of a source (a submission, or user-supplied rules), and the source's hash.

The store and the bundles name the folder of a source by this hash, so that its files can be checked against the name.
This module does no input or output.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

MOST_BYTES: Final = 64 * 1024 * 1024
"""The largest size of a source, in bytes."""
MOST_FILES: Final = 10_000
"""The largest number of files and folders in a source."""
MOST_LEVELS: Final = 32
"""The deepest nesting of folders, counting the source's own folder."""
HASH: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One file of a source."""

    content: bytes
    executable: bool


def hash_of(files: Mapping[str, StoredFile]) -> str:
    """SHA-256 over the sorted names, executable flags and contents, each preceded by its length."""
    digest = hashlib.sha256()
    for name, file in sorted(files.items(), key=lambda item: item[0]):
        for part in (name.encode(), b"x" if file.executable else b"-", file.content):
            digest.update(b"%d:" % len(part))
            digest.update(part)
    return digest.hexdigest()
