"""A file of games that grows while a tournament is played: each game is added when it is over, as an export writes it.

A game is added by one write at the end of the file. After a kill the next run of the tournament removes a game that was
not written whole, and adds what is missing, so every game is in the file once. Games of other tournaments stay in it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from arena.errors import BadImport
from arena.history.exchange import FileFormat, pgn, sgf
from db import games
from db.database import Connection, Database
from db.records import PastGame

_AT_ONCE: Final = 200
"""Games in memory at a time."""


class _Form(NamedTuple):
    """How games are told apart in a file."""

    head: str
    """How each game begins."""
    is_whole: Callable[[str], object]
    """Whether a game is written to its end."""
    name: Callable[[str], str | None]
    """`PastGame.name_with_attempt` of a written game; None without one."""


_FORMS: Final = {
    FileFormat.PGN: _Form("[Event ", pgn.is_whole, pgn.name_in),
    FileFormat.SGF: _Form("(;", sgf.is_whole, sgf.name_in),
}


class GrowingFile:
    """A file with the games of one tournament."""

    def __init__(
        self, file: Path, form: FileFormat, database: Database, tournament: int, *, event: str = "", site: str = ""
    ) -> None:
        """`tournament`: its row id; `event`, `site`: see `pgn.text`. BadImport if the file has anything but games."""
        self._file, self._form = file, form
        self._database, self._tournament = database, tournament
        self._text: Callable[[PastGame], str] = (
            sgf.text if form is FileFormat.SGF else lambda game: pgn.text(game, event=event, site=site)
        )
        self._written = self._read()

    def _read(self) -> set[str]:
        """The names of the games in the file; a game at its end that is not whole is removed."""
        form = _FORMS[self._form]
        text = self._file.read_bytes().decode("utf-8", "replace") if self._file.exists() else ""
        *found, last = re.split(f"(?<=\n\n)(?={re.escape(form.head)})", text)
        begun, _, head = last.rpartition("\n\n")
        if begun and head and form.head.startswith(head):  # of the last game there is not even the whole head
            found, last = [*found, f"{begun}\n\n"], head
        if last and not form.is_whole(last):
            if not last.startswith(form.head) and not form.head.startswith(last):
                raise BadImport(
                    f"{self._file}: expected games that arena has written here, or no such file: name another one"
                )
            os.truncate(self._file, len("".join(found).encode()))
        else:
            found.append(last)
        self._gap = "" if not found or found[-1][-2:] in ("", "\n\n") else "\n\n"
        return {name for game in found if (name := form.name(game)) is not None}

    def catch_up(self) -> None:
        """Adds the games of the tournament that are over and not in the file."""
        with self._database.reading() as connection:
            over = games.games(connection, games.ids(connection, self._tournament))
            missing = [game.id for game in over if game.name_with_attempt not in self._written]
            for begin in range(0, len(missing), _AT_ONCE):
                self._add(connection, missing[begin : begin + _AT_ONCE])

    def add(self, id: int) -> None:
        """Adds a game that has just ended."""
        with self._database.reading() as connection:
            self._add(connection, [id])

    def _add(self, connection: Connection, ids: Sequence[int]) -> None:
        found = games.games(connection, ids, whole=True)
        text, self._gap = self._gap + "".join(map(self._text, found)), ""
        file = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            os.write(file, text.encode("utf-8", "backslashreplace"))
        finally:
            os.close(file)
        self._written |= {game.name_with_attempt for game in found}
