"""A file of games that grows while a tournament is played: each game is added when it is over, as an export writes it.

A game is added by one write at the end of the file, with a mark of its own. After a kill the next run of the tournament
removes the beginning of a game that was not written whole, and adds the games whose marks are missing. So every game is
in the file once. Nothing else in the file is ever changed.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

from arena.errors import BadImport
from arena.history.exchange import FileFormat, pgn, sgf
from db import games
from db.database import Connection, Database
from db.records import PastGame

_AT_ONCE: Final = 200
"""Games in memory at a time."""
_HEADINGS_AT_ONCE: Final = 5000
"""Games without their moves in one query."""
_MARKS: Final = {FileFormat.PGN: '[Mark "{}"]', FileFormat.SGF: "SO[arena {}]"}
_GAP: Final = b"\n\n"
"""Stands at the end of a game."""
_HEAD: Final = 7
"""Bytes at the start of a game by which it is found."""


class GrowingFile:
    """A file with the games of a tournament."""

    def __init__(self, file: Path, form: FileFormat, *, event: str = "", site: str = "") -> None:
        """`event`, `site`: see `pgn.text`. BadImport if the file cannot be written, or has anything but games that were
        added so."""
        self.file = file
        # Whether the last games could be added.
        self.is_whole = True
        self._mark = _MARKS[form]
        self._export: Callable[[PastGame], str] = (
            sgf.text if form is FileFormat.SGF else lambda game: pgn.text(game, event=event, site=site)
        )
        if file.exists() and not file.is_file():
            raise BadImport(f"{file}: expected a file, or a name that is still free")
        if not os.access(file if file.exists() else file.parent, os.W_OK):
            raise BadImport(f"{file}: cannot be written here")
        content = file.read_bytes() if file.exists() else b""
        if content and self._mark.partition("{")[0].encode() not in content and not _can_begin(content):
            raise BadImport(f"{file}: expected games that arena has added here, or a name that is still free")

    def catch_up(self, database: Database, tournament: int) -> None:
        """Adds the games of the tournament with that row id that are over and not in the file."""
        with database.reading() as connection:
            content = self.file.read_bytes() if self.file.exists() else b""
            ids = games.ids(connection, tournament)
            parts = (ids[begin : begin + _HEADINGS_AT_ONCE] for begin in range(0, len(ids), _HEADINGS_AT_ONCE))
            over = [game for part in parts for game in games.games(connection, part)]
            marks = re.findall(re.escape(self._mark).replace(r"\{\}", r"\w{16}").encode(), content)
            marked, newest = {mark.decode() for mark in marks}, b"".join(marks[-1:]).decode()
            missing = [game.id for game in over if self._mark_of(game) not in marked]
            last = [game.id for game in over if self._mark_of(game) == newest]
            for game in games.games(connection, [*missing[:_AT_ONCE], *last], whole=True):
                if begun := _begun(content, self._text(game).encode()):
                    content = content[:-begun]
                    os.truncate(self.file, len(content))
                    missing = [game.id, *(id for id in missing if id != game.id)]
                    break
            if missing and content and not content.endswith(_GAP):
                self._write(_GAP)
            for begin in range(0, len(missing), _AT_ONCE):
                self._add(connection, missing[begin : begin + _AT_ONCE])

    def add(self, database: Database, id: int) -> None:
        """Adds a game that has just ended."""
        with database.reading() as connection:
            self._add(connection, [id])

    def _add(self, connection: Connection, ids: Sequence[int]) -> None:
        self._write("".join(map(self._text, games.games(connection, ids, whole=True))).encode())

    def _write(self, content: bytes) -> None:
        """Adds all of it, or nothing."""
        with self.file.open("ab", buffering=0) as file:
            before = file.seek(0, os.SEEK_END)
            if file.write(content) != len(content):
                file.truncate(before)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _text(self, game: PastGame) -> str:
        """The game as an export writes it, with its mark: the last tag, or the first property."""
        text, mark = self._export(game).encode("utf-8", "backslashreplace").decode(), self._mark_of(game)
        return text.replace("(;", f"(;{mark}", 1) if text.startswith("(;") else text.replace("\n\n", f"\n{mark}\n\n", 1)

    def _mark_of(self, game: PastGame) -> str:
        """A text that no other game has, of this record or another one, and that no player knows."""
        known = f"{game.name} {game.attempt} {game.started} {game.finished} {game.seed}"
        return self._mark.format(blake2b(known.encode(), digest_size=8).hexdigest())


def _can_begin(content: bytes) -> bool:
    """Whether a file without a mark can have the beginning of its first game."""
    if _GAP in content or b"\r" in content:
        return False
    return any(head.startswith(content) or content.startswith(head) for head in (b"[Event ", b"(;SO[arena "))


def _begun(content: bytes, text: bytes) -> int:
    """How much of the text stands at the end of the content, if it is not all of it."""
    heads = (content.rfind(text[:_HEAD]), *range(len(content) - _HEAD + 1, len(content)))
    for place in heads:
        if (place >= 0 and content[:place].endswith(_GAP)) or place == 0:
            begun = content[place:]
            if begun and begun != text and text.startswith(begun):
                return len(begun)
    return 0
