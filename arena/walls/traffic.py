"""The whole traffic with an engine, in a file for each game: what it was sent, and all that it wrote."""

from __future__ import annotations

import os
from pathlib import Path
from time import monotonic
from typing import IO, Final

from agents.protocol import FromPlayer, FromReferee, Start
from arena.engines import EngineTranslator
from arena.match.allowance import MEBIBYTE

_MOST: Final = 64 * MEBIBYTE
"""Bytes of a file. An engine can write as much as it likes in its turn."""


class Traffic:
    """The translator of an engine, with the lines of both sides kept as they pass. Each has the seconds since the start
    of the game; ">" stands before what the engine was sent, "<" before what it wrote. A game does not suffer if its
    file cannot be written: the file ends there."""

    def __init__(self, translator: EngineTranslator, folder: str, about: str) -> None:
        """`folder`: of the files GAME-SEAT.log, by the number of the game in the record; `about`: their first line."""
        self._translator = translator
        self._folder = Path(folder)
        self._about = about
        self._file: IO[bytes] | None = None
        self._left = 0
        self._began = 0.0

    def say(self, message: FromReferee) -> bytes:
        """As the translator."""
        if isinstance(message, Start):
            self._open(f"{message.game}-{message.seat}.log")
        said = self._translator.say(message)
        for line in said.splitlines():
            self._keep(b">", line)
        return said

    def hear(self, line: bytes) -> FromPlayer | str | None:
        """As the translator."""
        self._keep(b"<", line)
        return self._translator.hear(line)

    def _open(self, name: str) -> None:
        """Begins the file of a game; that of an earlier record is replaced."""
        self._close()
        self._left, self._began = _MOST, monotonic()
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            opened = os.open(self._folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        except OSError:
            return
        self._file = open(opened, "wb", buffering=0)  # noqa: SIM115 - closed by the next game
        self._keep(b"#", self._about.encode("utf-8", "backslashreplace"))

    def _keep(self, mark: bytes, line: bytes) -> None:
        if self._file is None:
            return
        text = b"%9.3f %b %b\n" % (monotonic() - self._began, mark, line.rstrip(b"\r"))
        self._left -= len(text)
        try:
            if self._left < 0 or self._file.write(text) != len(text):
                self._close()
        except OSError:
            self._close()

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
