"""Files that commands read and write: text, and what the files are called in messages."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

import typer

from adsearch.errors import quote
from arena.errors import ArenaError, BadImport

_DRAWN: Final = (".svg", ".dot", ".html")
"""What is called so is a picture or a page, and may be replaced by one."""
_BEGINNING: Final = 4
"""Bytes that tell pictures, pages and tables apart, whatever they are called."""


def read_file(file: str, what: str) -> tuple[str, str]:
    """The text of a file, or of standard input ("-"), and what it is called in messages; `what` is expected in it."""
    name = "standard input" if file == "-" else file
    try:
        written = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise BadImport(f"expected {what}, cannot read {quote(file)}: {error.strerror}") from None
    try:
        return written.decode(), name
    except UnicodeDecodeError as error:
        line = written[: error.start].count(b"\n") + 1
        raise BadImport(
            f"{name}, line {line}: expected text in UTF-8, got the byte {written[error.start]:#x}; "
            "a spreadsheet saves it as CSV UTF-8"
        ) from None


def write_file(file: str | Path, text: str) -> None:
    """`text` is in the file when all of it has been written, or not at all; says where.

    An earlier one of its kind is replaced, and nothing else is."""
    try:
        if Path(file).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if Path(file).exists() and not Path(file).is_file():
            raise ArenaError(f"expected a file to write, {quote(str(file))} is a device or a pipe")
        if not _is_of_its_kind(Path(file), text):
            raise ArenaError(f"{quote(str(file))} is there already and holds something else: name another file")
        with whole_file(file) as out:
            out.write(text)
    except OSError as error:
        raise ArenaError(f"cannot write {quote(str(file))}: {error.strerror}") from None
    print(f"written: {file}", file=sys.stderr)


@contextmanager
def whole_file(file: str | Path) -> Iterator[TextIO]:
    """Inside, text is written to what becomes the file at the end: it is there as a whole, or not at all."""
    begun = Path(f"{file}.part")
    try:
        with begun.open("w", encoding="utf-8", newline="") as out:
            yield out
        os.replace(begun, file)
    finally:
        begun.unlink(missing_ok=True)


def check_folder(file: Path | None) -> None:
    """An error now rather than after a long computation, where the folder for the file is missing."""
    if file is not None and not file.parent.is_dir():
        raise typer.BadParameter(f"cannot write {quote(str(file))}: there is no folder {quote(str(file.parent))}")


def _is_of_its_kind(file: Path, text: str) -> bool:
    """Whether what is there, if anything, is a picture or a page too, or begins like `text`."""
    if file.suffix in _DRAWN or not file.exists():
        return True
    with file.open("rb") as opened:
        begins = opened.read(_BEGINNING)
    return not begins or begins == text.encode()[:_BEGINNING]
