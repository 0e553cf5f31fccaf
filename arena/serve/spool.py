"""The spool: the files that were uploaded to a ladder and that nobody has opened yet; and how one is opened.

It is the folder ".uploads" in the store: the walls hide the store from agents, and a copy of a folder that has the
store in it leaves the store out; all other code goes into the store by hashes and fixed names. A file is named by the
id of its row in the database, never by what its sender called it, and begins with the hash of what follows.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from msgspec import Struct

from adsearch.errors import quote
from arena import languages as languages_known
from arena.course.collecting.inbox import Inbox
from arena.course.roster import replace_unprintable
from arena.errors import ArenaError, BadPlayer, BadSubmission
from arena.history.words import without_store
from arena.match.allowance import GIBIBYTE, MEBIBYTE
from arena.players.build_commands import LanguageTable
from arena.players.contents import Contents
from arena.players.submissions import Store, sync_folder
from arena.walls import jail
from db import private
from db.sources import MOST_FILES

if TYPE_CHECKING:
    from arena.play.helper import Asker

MOST_BYTES: Final = 32 * MEBIBYTE
"""The largest submission."""
MOST_UPLOADED_FILES: Final = 2000
"""The largest number of files and folders in an upload. The store syncs each of them to the disk, 10,000 in 60 to 90 s,
and the next upload waits for it."""
LONGEST_FILE_NAME: Final = 200
"""Bytes of the name of an uploaded file."""
MEMORY: Final = GIBIBYTE
"""The memory limit of the helper that opens an upload."""
SMALLER: Final = "hand in only the files that the agent needs"
ASK: Final = "it is not known whether the agent is to blame; if this happens again, ask your instructor"
_UNPRINTABLE: Final = "expected a file name of printable characters"
_FOLDER: Final = ".uploads"
_BEGUN: Final = "new-"
"""Prefix of the name of a file until its row is written."""
_HASH_BYTES: Final = 32
"""Bytes of a SHA-256."""
_PIECE: Final = 256 * 1024
"""Bytes read at a time."""
_LEFT_AFTER: Final = 3600.0
"""Seconds without a write after which a file without a row was left by a killed process: an upload that comes so slowly
ends, and its row is written when it is complete."""


class Spool:
    """The uploads of all ladders whose agents are in one store."""

    def __init__(self, store: Store) -> None:
        self._folder = store.folder / _FOLDER

    def begin(self) -> Upload:
        """A new file; OSError if it cannot be made."""
        private.make_folder(self._folder.parent)
        if private.make_folder(self._folder):
            sync_folder(self._folder.parent)
        return Upload(self._folder)

    def copy(self, id: int, path: Path) -> None:
        """Copies what was uploaded for the row `id` to the new file `path`, and checks its hash.

        BadSubmission if the file is not there, or is not complete."""
        digest = hashlib.sha256()
        try:
            source = os.open(self._folder / str(id), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            raise BadSubmission("the uploaded file is not on the server any more: hand it in again") from None
        with open(source, "rb") as uploaded:
            expected = uploaded.read(_HASH_BYTES) if S_ISREG(os.fstat(source).st_mode) else b""
            with path.open("xb") as copied:
                while expected and (piece := uploaded.read(_PIECE)):
                    digest.update(piece)
                    copied.write(piece)
        if digest.digest() != expected:
            raise BadSubmission("the uploaded file is not complete on the server: hand it in again")

    def remove(self, id: int) -> None:
        """Removes the file of that row, if it is there."""
        (self._folder / str(id)).unlink(missing_ok=True)

    def sizes(self) -> dict[int, int]:
        """The bytes of each file that is kept for a row, by the id of the row."""
        with suppress(FileNotFoundError), os.scandir(self._folder) as entries:
            kept = [entry for entry in entries if entry.name.isdigit()]
            return {int(entry.name): entry.stat(follow_symlinks=False).st_size for entry in kept}
        return {}

    def sweep(self, waiting: Collection[int], now: float) -> None:
        """Removes what killed processes have left: old files of no row in `waiting`. `now`: Unix time."""
        kept = {str(id) for id in waiting}
        with suppress(FileNotFoundError):
            for entry in list(os.scandir(self._folder)):
                with suppress(OSError):
                    if entry.name not in kept and entry.stat(follow_symlinks=False).st_mtime < now - _LEFT_AFTER:
                        os.unlink(entry)


class Upload:
    """A file that is being uploaded. The end of its `with` block removes it, unless it is kept by then."""

    def __init__(self, folder: Path) -> None:
        self.size = 0
        """Bytes that were written so far."""
        self._digest = hashlib.sha256()
        self._path = folder / f"{_BEGUN}{secrets.token_hex(16)}"
        self._file = open(private.new_file(self._path), "wb")  # noqa: SIM115 - closed by `abandon`
        self._file.write(bytes(_HASH_BYTES))

    def write(self, data: bytes) -> None:
        """Adds a piece of the file; BadSubmission if it gets too large, OSError if the disk is full."""
        self.size += len(data)
        if self.size > MOST_BYTES:
            raise BadSubmission(f"expected a file of at most {MOST_BYTES // MEBIBYTE} MiB, got a larger one")
        self._digest.update(data)
        self._file.write(data)

    def finish(self) -> str:
        """The file is complete: it is on the disk when this returns its SHA-256, in hex."""
        self._file.seek(0)
        self._file.write(self._digest.digest())
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return self._digest.hexdigest()

    def keep_as(self, id: int) -> None:
        """Keeps the finished file for the row `id`, instead of a file that a killed process has left for this id."""
        kept = self._path.with_name(str(id))
        os.rename(self._path, kept)
        sync_folder(kept.parent)

    def abandon(self) -> None:
        """Removes the file, unless it is kept."""
        with suppress(OSError):  # what could not be written is not missed
            self._file.close()
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.abandon()


# What is in an upload.


class ToOpen(Struct, frozen=True):
    """An upload to open."""

    store: str
    id: int
    """Of its row."""
    label: str
    """What its sender called the file."""
    author: str
    languages: Mapping[str, LanguageTable]
    scratch: str
    """A folder for it alone."""


class Opened(Struct, frozen=True):
    """What was found in an upload."""

    source: str | None
    """The hash in the store."""
    wrong: str
    """Why the upload is refused, if it is."""


def open_upload(asker: Asker) -> None:
    """Finds, builds and stores the agent in an upload, and answers; in a helper with limits. It uses no connection to
    the database."""
    jail.adopt_orphans()
    asker.answer(_opened(asker.job(ToOpen)))


def _opened(upload: ToOpen) -> Opened:
    store, scratch = Store(Path(upload.store)), Path(upload.scratch)
    try:
        path = scratch / "handed-in" / file_name(upload.label)
        path.parent.mkdir()
        Spool(store).copy(upload.id, path)
        most = MOST_UPLOADED_FILES
        return Opened(*stored(store, path, upload.author, upload.languages, scratch, most_files=most))
    except BadSubmission as error:
        return Opened(None, str(error))
    except MemoryError:
        return Opened(None, f"opening it took more than {MEMORY // MEBIBYTE:,} MiB of memory; {SMALLER}")
    except ArenaError as error:
        what = without_store(str(error)).replace(f" {store.folder}", "")
        return Opened(None, f"{what}. This is not a fault of the agent: tell your instructor")
    except Exception as error:
        what = (isinstance(error, OSError) and error.strerror) or type(error).__name__
        return Opened(None, f"the server could not open it ({what}); {ASK}")


def file_name(label: str) -> str:
    """The name of the file that was uploaded as `label`, without folders; BadSubmission if no file can have it."""
    name = label.replace("\\", "/").rpartition("/")[2]
    if not name.isprintable():
        raise BadSubmission(_UNPRINTABLE)
    if name in ("", ".", ".."):
        raise BadSubmission(f"expected the name of a file, got {quote(label)}")
    if (size := len(name.encode())) > LONGEST_FILE_NAME:
        raise BadSubmission(f"expected a file name of at most {LONGEST_FILE_NAME} bytes, got {size}; rename the file")
    return name


def stored(
    store: Store,
    path: Path,
    name: str,
    languages: Mapping[str, LanguageTable],
    scratch: Path,
    *,
    most_files: int = MOST_FILES,
) -> tuple[str | None, str]:
    """The hash in the store of the agent at `path`; or None, and what is wrong with it.

    `scratch`: an empty folder, which the caller removes. `most_files`: the largest number of files and folders.
    ArenaError if this machine cannot do it."""
    inbox = Inbox(Store(store.folder, most_bytes=MOST_BYTES, most_files=most_files), languages, scratch)
    try:
        if not path.name.isprintable():
            raise BadSubmission(_UNPRINTABLE)
        agent = inbox.take(_with_included(path, scratch), name)
        if not agent.started_as.isprintable():
            raise BadSubmission(f"{quote(agent.started_as)}: {_UNPRINTABLE}")
    except (BadSubmission, BadPlayer) as error:
        return None, replace_unprintable(without_store(inbox.without_scratch(str(error))))
    return agent.source, ""


def _with_included(path: Path, scratch: Path) -> Path:
    """The file or folder `path`; if the file includes others beside it, a folder in `scratch` with all of them. An
    upload is alone in its folder, so it includes no file of somebody else."""
    if path.is_dir() or path.suffix not in languages_known.ours():
        return path
    contents = Contents(MOST_BYTES, MOST_UPLOADED_FILES, leave_out=path)
    contents.add_agent_file(path)
    if len(contents.files) == 1:
        return path
    folder = scratch / "with-included" / path.stem
    for name, file in contents.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(file.content)
    return folder
