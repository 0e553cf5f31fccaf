"""The whole traffic with an engine, in a file for each game: what it was sent, and all that it wrote."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TextIO

from agents.protocol import FromPlayer, FromReferee, Start
from arena.engines import EngineTranslator


class Traffic:
    """The translator of an engine, with the lines of both sides kept as they pass. Each has the seconds since the start
    of the game; ">" stands before what the engine was sent, "<" before what it wrote."""

    def __init__(self, translator: EngineTranslator, folder: str) -> None:
        """`folder`: of the files GAME-SEAT.log, by the number of the game in the record."""
        self._translator = translator
        self._folder = Path(folder)
        self._file: TextIO | None = None
        self._began = 0.0

    def say(self, message: FromReferee) -> bytes:
        """As the translator."""
        if isinstance(message, Start):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file = (self._folder / f"{message.game}-{message.seat}.log").open("a", encoding="utf-8", buffering=1)
            self._began = monotonic()
        said = self._translator.say(message)
        for line in said.splitlines():
            self._keep(">", line)
        return said

    def hear(self, line: bytes) -> FromPlayer | str | None:
        """As the translator."""
        self._keep("<", line)
        return self._translator.hear(line)

    def _keep(self, mark: str, line: bytes) -> None:
        if self._file is not None:
            text = line.decode("utf-8", "backslashreplace").rstrip("\r")
            self._file.write(f"{monotonic() - self._began:9.3f} {mark} {text}\n")
