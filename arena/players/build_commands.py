"""Language: the commands that build and run agents in one programming language, for the files of one agent.

A description sets them (`arena/tournament/enrolment.py`), and `builder.py` runs the build behind walls. There is
no shell: {files}, {main} and words with * are replaced here, and each word is one argument.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from arena import languages
from arena.errors import BadPlayer
from arena.languages import FILES, MAIN
from arena.match.allowance import Allowance, WallKind

if TYPE_CHECKING:
    from db.sources import StoredFile

_MAKEFILE: Final = "Makefile"
"""The file of an agent that says how it is built, unless a description does."""
_LONGEST_COMMAND: Final = 64 * 1024
"""Bytes of a build command; systems refuse to start much longer ones."""


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """How agents in one language are built and run: a table [languages.NAME] of a description."""

    name: str
    """The extension of its files, without the dot."""
    build: tuple[str, ...]
    """The words of the command that builds an agent; empty: nothing to build."""
    run: tuple[str, ...]
    """The words of the command that runs an agent."""
    build_walls: WallKind = WallKind.CONTAINER
    """The walls around the build; only a container allows a compiler that starts other programs."""
    walls: WallKind | None = None
    """The walls of its agents; None: the same as for all agents."""
    allowance: Allowance | None = None
    """The limits of its agents; None: the same as for all agents."""

    @property
    def spoken(self) -> languages.Language:
        """The language itself."""
        return languages.find(f".{self.name}") or languages.Language(self.name)

    def build_command(self, files: Mapping[str, StoredFile], main: str = "") -> list[str]:
        """The build command for these files. Every file is written as "./NAME", so that none is read as an option.

        `main`: the file that starts the agent, if that is known."""
        if _MAKEFILE in files and self.build and self.build == self.spoken.build:
            return ["make"]
        words: list[str] = []
        for word in self.build:
            if word == FILES:
                words += [f"./{name}" for name in self.spoken.built_files(files)]
            elif "*" in word:
                words += [f"./{name}" for name in sorted(files) if _matches(name, os.path.normpath(word))]
            else:
                words.append(self._with_main(word, files, main))
        if sum(len(word.encode()) for word in words) > _LONGEST_COMMAND:
            raise BadPlayer("the source files have too many or too long names for one command")
        return words

    def run_command(self, files: Mapping[str, StoredFile], main: str = "") -> list[str]:
        """The words of the run command; `main` as for `build_command`."""
        return [self._with_main(word, files, main) for word in self.run]

    def _with_main(self, word: str, files: Mapping[str, StoredFile], main: str) -> str:
        """The word with the main file in place of its name."""
        return word.replace(MAIN, self.spoken.main(files, main)) if MAIN in word else word


def default(name: str) -> LanguageTable | None:
    """What the table [languages.NAME] sets if it does not say otherwise; None: it must say how an agent is run."""
    known = languages.find(f".{name}")
    if known is None or not known.run:
        return None
    walls = WallKind.CONTAINER if known.compiler_forks else WallKind.SANDBOX
    return LanguageTable(name, known.build, known.run, build_walls=walls)


def _matches(name: str, pattern: str) -> bool:
    """Whether the pattern matches the name as in a shell, where * does not match '/'."""
    return name.count("/") == pattern.count("/") and fnmatchcase(name, pattern)
