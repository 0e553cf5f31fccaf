"""Files that commands read and write: text, and what the files are called in messages."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from adsearch.errors import quote
from arena.errors import ArenaError, BadImport


def read_file(file: str) -> tuple[str, str]:
    """The text of a file, or of standard input ("-"), and what it is called in messages."""
    name = "standard input" if file == "-" else file
    written = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        return written.decode(), name
    except UnicodeDecodeError as error:
        line = written[: error.start].count(b"\n") + 1
        raise BadImport(
            f"{name}, line {line}: expected text in UTF-8, got the byte {written[error.start]:#x}; "
            "a spreadsheet saves it as CSV UTF-8"
        ) from None


def write_file(file: str | Path, text: str) -> None:
    """`text` is in the file when all of it has been written, or not at all; says where."""
    begun = Path(f"{file}.part")
    try:
        if Path(file).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        begun.write_text(text, "utf-8")
        os.replace(begun, file)
    except OSError as error:
        raise ArenaError(f"cannot write {quote(str(file))}: {error.strerror}") from None
    finally:
        begun.unlink(missing_ok=True)
    print(f"written: {file}", file=sys.stderr)
