"""Zips from strangers, unpacked: nothing is written outside the folder, no link is made, nothing grows without bounds.

What is wrong with an archive is one BadSubmission in words; of a whole course's download, each entry that cannot be had
is told apart, so that one student's file spoils nobody else's.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import time
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from adsearch.errors import quote
from arena.errors import BadSubmission

_MEBIBYTE: Final = 1024 * 1024
_PIECE: Final = 256 * 1024
_NAMES: Final = (errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL)
_LOCKED: Final = 0x1
_UTF8: Final = 0x800
_TIMESTAMP: Final = 0x5455
_LONGEST_PATH: Final = 1024
_BROKEN: Final = (
    *(
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        struct.error,
        OverflowError,
    ),
    *(IndexError, KeyError),
)
"""What comes out of a zip that is none, or only half of one. UnicodeError is a ValueError."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much may come out of an archive."""

    total: int
    file: int
    files: int


SUBMISSION: Final = Bounds(64 * _MEBIBYTE, 64 * _MEBIBYTE, 10_000)
"""What one student hands in; the store takes no more either."""
DOWNLOAD: Final = Bounds(4096 * _MEBIBYTE, 64 * _MEBIBYTE, 200_000)
"""What a whole course hands in."""

Wrong = Callable[[str, str], None]
"""Told the name of an entry and what is wrong with it."""


def is_archive(path: Path) -> bool:
    """Whether it is to be unpacked."""
    return path.suffix.lower() == ".zip" and path.is_file()


def is_junk(name: str) -> bool:
    """Whether a file or folder of that name was put there by a program, not by a person."""
    return (
        name.startswith((".", "__MACOSX", "__pycache__"))
        or name.endswith(".pyc")
        or name in ("Thumbs.db", "desktop.ini")
    )


def unpack(archive: Path, folder: Path, bounds: Bounds, wrong: Wrong | None = None) -> None:
    """The files of `archive`, under the new `folder`, each with its time.

    BadSubmission says why that cannot be; with `wrong` that is told what is wrong with single entries, and they are
    left out."""

    def refuse(name: str, reason: str) -> None:
        if wrong is None:
            raise BadSubmission(f"{quote(archive.name)}: {reason}")
        wrong(name, reason)

    folder.mkdir(parents=True)
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = opened.infolist()
            if len(entries) > bounds.files:
                raise BadSubmission(
                    f"{quote(archive.name)}: expected at most {bounds.files:,} files in a zip, got {len(entries):,}"
                )
            left = bounds.total
            for entry in entries:
                name = _name(entry)
                parts = PurePosixPath(name).parts
                if any(is_junk(part) for part in parts if part != "..") or not parts:
                    continue
                if reason := _refused(name, entry):
                    refuse(name, reason)
                elif not entry.is_dir():
                    try:
                        left -= _write(opened, entry, folder.joinpath(*parts), min(left, bounds.file), bounds)
                    except BadSubmission as error:
                        refuse(name, str(error))
    except BadSubmission:
        raise
    except (*_BROKEN, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (errno.EINVAL, *_NAMES):
            raise  # the disk is full
        raise BadSubmission(f"{quote(archive.name)} is no zip that can be opened: {_words(error)}") from None


def _name(entry: zipfile.ZipInfo) -> str:
    """The name as it was written, with slashes."""
    name = entry.filename
    if not entry.flag_bits & _UTF8:
        # Without the flag it may be anything; most programs of today write UTF-8 nevertheless.
        with suppress(UnicodeError):
            name = name.encode("cp437").decode()
    return name.replace("\\", "/")


def _refused(name: str, entry: zipfile.ZipInfo) -> str:
    """Why an entry is not unpacked; empty where it is."""
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or (len(parts[0]) == 2 and parts[0][1] == ":"):
        return f"it would write outside of its folder, to {quote(name)}"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return f"{quote(name)} is a link: expected files and folders"
    if entry.flag_bits & _LOCKED:
        return f"{quote(name)} is locked with a password: expected a zip without one"
    if len(name) > _LONGEST_PATH:
        return f"expected a path of at most {_LONGEST_PATH} characters, got {len(name)}"
    return ""


def _write(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, most: int, bounds: Bounds) -> int:
    """Unpacks one file of at most so many bytes; how many it has."""
    size = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # What the directory says of its size may be a lie: what comes out is counted.
        with opened.open(entry) as packed, path.open("xb") as file:
            while piece := packed.read(_PIECE):
                size += len(piece)
                if size > most:
                    told = min(bounds.file, bounds.total) // _MEBIBYTE
                    raise BadSubmission(f"expected at most {told} MiB, more comes out of {quote(entry.filename)}")
                file.write(piece)
        moment = _moment(entry)
        os.utime(path, (moment, moment))
    except BaseException as error:
        if not isinstance(error, FileExistsError):
            with suppress(OSError):
                path.unlink()
        if isinstance(error, _BROKEN) and not isinstance(error, BadSubmission):
            raise BadSubmission(f"{quote(entry.filename)} is broken: {_words(error)}") from None
        if isinstance(error, FileExistsError | FileNotFoundError | NotADirectoryError | IsADirectoryError):
            raise BadSubmission(f"{quote(entry.filename)} is in it twice, as a file or as a folder") from None
        if isinstance(error, OSError) and error.errno in _NAMES:
            raise BadSubmission(f"{quote(entry.filename)} has a name that cannot be a file's here") from None
        raise
    return size


def _moment(entry: zipfile.ZipInfo) -> float:
    """When the file was written, in seconds: exactly where the zip tells it, else by its local time; 0: not known."""
    extra = entry.extra
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        if kind == _TIMESTAMP and size >= 5 and len(extra) >= 9 and extra[4] & 1:
            return float(struct.unpack_from("<I", extra, 5)[0])
        extra = extra[4 + size :]
    try:
        return time.mktime((*entry.date_time, 0, 0, -1)) if entry.date_time[0] > 1980 else 0.0
    except (ValueError, OverflowError):
        return 0.0


def _words(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
