"""Files that commands read: their text, and what they are called in messages."""

from __future__ import annotations

import sys
from pathlib import Path

from arena.errors import BadImport


def read_file(file: str) -> tuple[str, str]:
    """The text of a file, or of standard input ("-"), and what it is called in messages."""
    name = "standard input" if file == "-" else file
    written = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        return written.decode(), name
    except UnicodeDecodeError as error:
        line = written[: error.start].count(b"\n") + 1
        raise BadImport(
            f"{name}, line {line}: expected text in UTF-8, got the byte {written[error.start]:#x}"
        ) from None
