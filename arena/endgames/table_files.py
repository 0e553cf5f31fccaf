"""The files of endgame tables in a folder: those that are there are kept, the missing and damaged ones are built.

A table is written to a file of another name, which is renamed when all of it is on the disk: so a file with a table's
name is whole, whatever interrupts the writing. What a file contains is checked whenever it is read.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile

from adsearch.errors import BadTable
from adsearch.games.checkers_endgames import FEWEST, as_file, path_of, read
from arena.errors import ArenaError


def there(folder: Path, pieces: int) -> tuple[dict[int, bytes], list[str]]:
    """The tables for up to `pieces` pieces that are in the folder, and what is wrong with the files of others."""
    tables, problems = {}, []
    for count in range(FEWEST, pieces + 1):
        try:
            tables[count] = read(folder, count)
        except BadTable as error:
            if path_of(folder, count).exists():
                problems.append(str(error))
    return tables, problems


def complete(folder: Path, pieces: int, tables: dict[int, bytes], progress: Callable[[int, float], None]) -> None:
    """Build the tables for up to `pieces` pieces that are not in `tables`, and add them to it and to the folder.

    `progress` is called with the number of pieces, and the part of their table that is done, from 0 to 1."""
    from arena.endgames.retrograde import build  # here: it loads NumPy

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for count in range(FEWEST, pieces + 1):
            if count not in tables:
                smaller = [tables[fewer] for fewer in range(FEWEST, count)]
                tables[count] = build(count, smaller, progress=partial(progress, count))
                _write(path_of(folder, count), as_file(count, tables[count]))
    except OSError as error:
        raise ArenaError(f"cannot write endgame tables to {folder}: {error.strerror}") from None


def _write(path: Path, content: bytes) -> None:
    """Write the file, completely or not at all."""
    with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", suffix=".part", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.chmod(file.name, 0o644)
            os.replace(file.name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(file.name)
            raise
