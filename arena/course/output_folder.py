"""The folder of feedback or of a report, replaced in one step, and the processes that write the pages in it.

The new folder is written beside the old one and renamed at the end. It has a list of its files; a later command
replaces the folder only if it has no other files. Feedback is private: only its owner can read it. Neither folder is
inside the other.
"""

from __future__ import annotations

import glob
import os
import secrets
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct

from adsearch.errors import one_of, quote
from agents.own_process import die_with_it
from arena.errors import ArenaError, BadFolder
from arena.walls.run_folder import clear, locked, remove_abandoned

if TYPE_CHECKING:
    from db.database import Database


class FolderKind(Struct, frozen=True):
    """What is in a folder, and how it is recognized."""

    command: str
    listing: str
    """The file that lists all files of the folder."""
    private: bool = False
    """Whether only the owner of the folder can read it."""


REPORT: Final = FolderKind("arena course report", "arena-report.txt")
FEEDBACK: Final = FolderKind("arena course feedback", "arena-feedback.txt", private=True)
_ABOUT: Final = "# Written by `{}`, which replaces all these files when it writes to this folder again."


@contextmanager
def replacing(folder: Path, kind: FolderKind) -> Iterator[Path]:
    """A new folder to write into, which replaces `folder` when the block ends without an error.

    BadFolder, and nothing changes, unless `folder` is new, empty, or earlier work of this kind without other files."""
    place = Path(os.path.realpath(folder))
    _check(place, folder, kind)
    _remove_leftovers(place)
    new, lock = _new_beside(place, 0o700 if kind.private else 0o777)
    try:
        yield new
        (new / kind.listing).write_text("\n".join([_ABOUT.format(kind.command), *_files(new), ""]), "utf-8")
        _check(place, folder, kind)
        _swap(new, place, new.with_suffix(".old"))
    finally:
        shutil.rmtree(new, ignore_errors=True)
        os.close(lock)


def refuse_published(place: Path) -> None:
    """BadFolder if the folder, or one that it is in, was written by `arena course report`."""
    real = Path(os.path.realpath(place))
    if (site := next((up for up in (real, *real.parents) if (up / REPORT.listing).exists()), None)) is not None:
        raise BadFolder(
            f"expected a folder outside {quote(str(site))}, which `arena course report` wrote to be published"
        )


def _new_beside(place: Path, mode: int) -> tuple[Path, int]:
    """A new folder beside `place`, and its lock, which shows other reports that the folder is in use."""
    while True:
        new = place.with_name(f".{place.name}-{secrets.token_hex(4)}.part")
        new.mkdir(mode)
        if (lock := locked(new)) is not None:
            return new, lock


def _remove_leftovers(place: Path) -> None:
    """Removes the folders that killed reports left; an old report that one had moved away is moved back."""
    mark = f".{glob.escape(place.name)}-{'[0-9a-f]' * 8}"
    for left in place.parent.glob(f"{mark}.part"):
        remove_abandoned(left)
    for old in place.parent.glob(f"{mark}.old"):
        if old.with_suffix(".part").exists():
            continue  # another report is replacing the folder now
        if place.exists():
            _remove(old)
        else:
            old.rename(place)


def _check(place: Path, folder: Path, kind: FolderKind) -> None:
    """BadFolder if the folder must not be replaced; `folder`: as the user typed it."""
    named = quote(str(folder))
    if not place.parent.is_dir():
        raise BadFolder(f"expected a folder inside an existing folder, but there is no {quote(str(place.parent))}")
    if kind.private:
        refuse_published(place)
    elif private := next((up for up in place.parents if (up / FEEDBACK.listing).exists()), None):
        raise BadFolder(
            f"expected a folder outside {quote(str(private))}, which `arena course feedback` wrote and is private"
        )
    if not place.exists():
        return
    if not place.is_dir():
        raise BadFolder(f"expected a folder to write to, but {named} is a file")
    if Path.cwd().is_relative_to(place):
        raise BadFolder(f"expected a folder that can be replaced, but {named} is the current one; choose another")
    listed = _listed(place / kind.listing)
    ours = {kind.listing, *listed}
    opened = tuple(file.removesuffix(".arena") + ".store/" for file in listed if file.endswith(".arena"))
    others = [file for file in _files(place) if file not in ours and not file.startswith(opened)]
    if others:
        raise BadFolder(
            f"expected a new or empty folder, or one that `{kind.command}` wrote: {named} has other files: "
            f"{one_of(others, most=3)}; choose another folder, or move these files away"
        )


def _swap(new: Path, place: Path, old: Path) -> None:
    """Moves the new folder to its place and removes the old one; if that fails, the old one stays."""
    if place.exists():
        place.rename(old)
    try:
        new.rename(place)
    except BaseException:
        if old.exists() and not place.exists():
            old.rename(place)
        raise
    if old.exists():
        _remove(old)


def _remove(old: Path) -> None:
    """Removes an earlier folder as far as possible; the sources of an opened bundle are in folders without permission
    to write."""
    with suppress(OSError):
        clear(old)


def _listed(file: Path) -> list[str]:
    """The files that an earlier report wrote into the folder, which lists them in `file`."""
    try:
        return file.read_text("utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _files(folder: Path) -> list[str]:
    """The relative paths of all files, links and empty folders below the folder."""
    found = []
    for at, folders, files in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(at, name))]
        empty = [""] if not folders and not files and Path(at) != folder else []
        found += [os.path.relpath(os.path.join(at, name), folder) for name in (*files, *links, *empty)]
    return sorted(file.replace(os.sep, "/") for file in found)


# Processes that share work: on the record, for the pages of a report or of feedback; or on a parallel search.


Item = TypeVar("Item")
Result = TypeVar("Result")


@contextmanager
def pool(processes: int, what: str, begin: Callable[..., object], *given: Any) -> Iterator[ProcessPoolExecutor]:
    """Processes that call `begin(*given)` first. `what`: what they do, for the ArenaError when one is killed.

    They end with the block: after their last job, or at once if the block raises (Ctrl-C). They are started anew
    (spawn), because a forked copy of a process with threads or an open database can inherit a lock that nobody opens.
    """
    with ProcessPoolExecutor(processes, get_context("spawn"), _begin, (begin, *given)) as made:
        try:
            yield made
        except BrokenProcessPool:
            raise ArenaError(f"a process that {what} was killed from outside; perhaps the memory was full") from None
        except BaseException:
            for process in active_children():
                process.kill()
            made.shutdown(cancel_futures=True)
            raise


@contextmanager
def ctrl_c_blocked() -> Iterator[None]:
    """Processes that are started inside, by the first jobs of a pool, do not get Ctrl-C, which reaches all processes:
    their parent ends them. Windows cannot block signals."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(begin: Callable[..., object], *given: Any) -> None:
    die_with_it()
    begin(*given)


def spread(
    work: Callable[[Database, Item], Result], items: Sequence[Item], *, database: str | None, processes: int
) -> Iterator[Result]:
    """What `work` returns for each item, in the order in which they are ready. `work` must be picklable, such as a
    `partial` of a function of a module. With one process it runs in this process."""
    from db.database import Database

    if processes == 1:
        with Database(database, create=False) as own:
            for item in items:
                yield work(own, item)
        return
    with pool(processes, "wrote pages", _connect, work, database) as made:
        with ctrl_c_blocked():
            started = [made.submit(_work_in_process, item) for item in items]
        for finished in as_completed(started):
            yield finished.result()


_of_process: tuple[Callable[[Database, Any], Any], Database] | None = None
"""In a process that works: its work, and its own connection to the database."""


def _connect(work: Callable[[Database, Any], Any], database: str | None) -> None:
    """Begins in a process that works."""
    global _of_process
    from db.database import Database

    _of_process = work, Database(database, create=False)


def _work_in_process(item: Any) -> Any:
    assert _of_process is not None
    work, database = _of_process
    return work(database, item)
