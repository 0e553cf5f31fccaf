"""Unpacks untrusted zips: writes nothing outside the folder, no links, and no more than the limits on size and number.

A bad zip raises BadSubmission with the reason. In the download of a whole course, each bad entry is reported and left
out, so that one student's file does not affect the others.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path, PurePosixPath
from typing import Final

from adsearch.errors import quote
from arena.errors import BadSubmission
from arena.match.allowance import MEBIBYTE
from db.sources import MOST_BYTES, MOST_FILES

_PIECE: Final = 256 * 1024
"""Bytes read at a time."""
_BAD_NAME: Final = (errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL)
_ENCRYPTED: Final = 0x1
_UTF8: Final = 0x800
_TIMESTAMP: Final = 0x5455
_LONGEST_PATH: Final = 1024
_BROKEN: Final = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError),
    *(OverflowError, IndexError, KeyError),
)
"""The errors that reading a broken zip raises. UnicodeError is a ValueError."""


@dataclass(frozen=True, slots=True)
class ZipLimits:
    """Limits on the content of a zip."""

    total: int
    """Bytes of all files together."""
    file: int
    """Bytes of one file."""
    files: int
    """Number of entries: files and folders."""


SUBMISSION: Final = ZipLimits(total=MOST_BYTES, file=MOST_BYTES, files=MOST_FILES)
"""For the zip of one student: the limits of the store."""
DOWNLOAD: Final = ZipLimits(total=4096 * MEBIBYTE, file=MOST_BYTES, files=200_000)
"""For the download of a whole course."""


class _Archive(zipfile.ZipFile):
    """A zip whose directory is read up to its limit of entries. The number of entries that a zip itself states is not
    used: it can be wrong, and `zipfile` reads all entries in any case, 300,000 in 15 s."""

    def __init__(self, path: Path, most: int) -> None:
        self._entries = _Entries(path.name, most)
        super().__init__(path)

    @property
    def filelist(self) -> list[zipfile.ZipInfo]:
        """The entries; `zipfile` appends each one as it reads it."""
        return self._entries

    @filelist.setter
    def filelist(self, empty: list[zipfile.ZipInfo]) -> None:
        self._entries[:] = empty


class _Entries(list[zipfile.ZipInfo]):
    """At most `most` entries of the zip `name`; BadSubmission if there are more."""

    def __init__(self, name: str, most: int) -> None:
        super().__init__()
        self._name, self._most = name, most

    def append(self, entry: zipfile.ZipInfo) -> None:
        if len(self) >= self._most:
            expected = f"expected at most {self._most:,} files and folders in a zip"
            raise BadSubmission(f"{quote(self._name)}: {expected}, got more")
        super().append(entry)


ReportBad = Callable[[str, str], None]
"""Called with the name of a bad entry and what is wrong with it."""


def is_zip(path: Path) -> bool:
    """Whether `path` is a file named *.zip."""
    return path.suffix.lower() == ".zip" and path.is_file()


def is_junk(name: str) -> bool:
    """Whether a file or folder of this name was made by a system or a program, not by a person."""
    return (
        name.startswith((".", "__MACOSX", "__pycache__"))
        or name.endswith(".pyc")
        or name in ("Thumbs.db", "desktop.ini")
    )


def unpack(
    archive: Path,
    folder: Path,
    limits: ZipLimits,
    report_bad: ReportBad | None = None,
    *,
    zone: tzinfo | None = None,
) -> None:
    """Unpacks the files of `archive` into the new `folder`, with their times; BadSubmission if that is not possible.

    With `report_bad`, bad entries are reported and left out; otherwise the first one is a BadSubmission. `zone`: of
    times that are written without one; None: local time."""

    def refuse(name: str, reason: str) -> None:
        if report_bad is None:
            raise BadSubmission(f"{quote(archive.name)}: {reason}")
        report_bad(name, reason)

    folder.mkdir(parents=True)
    try:
        with _Archive(archive, limits.files) as opened:
            left = limits.total
            for entry in opened.infolist():
                name = _name(entry)
                parts = PurePosixPath(name).parts
                if any(is_junk(part) for part in parts if part != "..") or not parts:
                    continue
                if reason := _reason_to_refuse(name, entry):
                    refuse(name, reason)
                elif not entry.is_dir():
                    try:
                        path = folder.joinpath(*parts)
                        left -= _unpack_file(opened, entry, path, min(left, limits.file), limits)
                        modified = _modified(entry, zone)
                        os.utime(path, (modified, modified))
                    except BadSubmission as error:
                        refuse(name, str(error))
    except BadSubmission:
        raise
    except (*_BROKEN, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (errno.EINVAL, *_BAD_NAME):
            raise  # such as a full disk
        raise BadSubmission(f"{quote(archive.name)} is not a zip that can be opened: {_one_line(error)}") from None


def _name(entry: zipfile.ZipInfo) -> str:
    """The original name of the entry, with slashes."""
    name = entry.filename
    if not entry.flag_bits & _UTF8:
        # Without the flag the encoding is not known; most programs write UTF-8.
        with suppress(UnicodeError):
            name = name.encode("cp437").decode()
    return name.replace("\\", "/")


def _reason_to_refuse(name: str, entry: zipfile.ZipInfo) -> str:
    """Why an entry must not be unpacked; empty if it can be."""
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or (len(parts[0]) == 2 and parts[0][1] == ":"):
        return f"it would write outside its folder, to {quote(name)}"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return f"{quote(name)} is a link: expected files and folders"
    if entry.flag_bits & _ENCRYPTED:
        return f"{quote(name)} is locked with a password: expected a zip without one"
    if len(name) > _LONGEST_PATH:
        return f"expected a path of at most {_LONGEST_PATH} characters, got {len(name)}"
    return ""


def _unpack_file(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, most: int, limits: ZipLimits) -> int:
    """Unpacks one file of at most `most` bytes; returns its size."""
    size = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # The size in the zip's directory may be wrong: count the bytes that come out.
        with opened.open(entry) as packed, path.open("xb") as file:
            while piece := packed.read(_PIECE):
                size += len(piece)
                if size > most:
                    allowed = min(limits.file, limits.total) // MEBIBYTE
                    name = quote(entry.filename)
                    raise BadSubmission(f"expected at most {allowed} MiB when unpacked, exceeded at {name}")
                file.write(piece)
    except BaseException as error:
        if not isinstance(error, FileExistsError):
            with suppress(OSError):
                path.unlink()
        if reason := _reason_of_failure(entry, error):
            raise BadSubmission(reason) from None
        raise
    return size


def _reason_of_failure(entry: zipfile.ZipInfo, error: BaseException) -> str:
    """Why the entry could not be unpacked; empty if the zip is not at fault."""
    name = quote(entry.filename)
    if isinstance(error, _BROKEN) and not isinstance(error, BadSubmission):
        return f"{name} is broken: {_one_line(error)}"
    if isinstance(error, FileExistsError | FileNotFoundError | NotADirectoryError | IsADirectoryError):
        return f"{name} is in the zip twice, as a file or as a folder"
    if isinstance(error, OSError) and error.errno in _BAD_NAME:
        return f"{name} cannot be a file's name on this system"
    return ""


def _modified(entry: zipfile.ZipInfo, zone: tzinfo | None) -> float:
    """The file's modification time in Unix seconds: exact if the zip has it, else in `zone`; 0 if not known."""
    extra = entry.extra
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        if kind == _TIMESTAMP and size >= 5 and len(extra) >= 9 and extra[4] & 1:
            return float(struct.unpack_from("<I", extra, 5)[0])
        extra = extra[4 + size :]
    try:
        return datetime(*entry.date_time, tzinfo=zone).timestamp() if entry.date_time[0] > 1980 else 0.0
    except (ValueError, OverflowError):
        return 0.0


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
