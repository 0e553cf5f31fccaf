"""Language: the commands that build and run agents in one programming language, for the files of one agent.

A description sets them (`arena/tournament/language_tables.py`), and `builder.py` runs the build behind walls. There is
no shell: {files}, {main} and words with * are replaced here, and each word is one argument.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Final

from adsearch.errors import one_of, quote
from arena.errors import BadPlayer
from arena.walls.kinds import Allowance, WallKind
from db.sources import StoredFile

FILES: Final = "{files}"
"""In a build command: all source files of the language."""
MAIN: Final = "{main}"
"""In a command: the main file; for Java its class, with the package."""
_MAIN_STEMS: Final = ("agent", "myagent", "my_agent", "main", "index")
"""Names of a main file, without the extension and in lower case; the first that exists is the main file."""
_JAVA_MAIN: Final = re.compile(rb"\bstatic\s+(?:final\s+)?void\s+main\s*\(")
_JAVA_PACKAGE: Final = re.compile(rb"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Language:
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
    def ending(self) -> str:
        """The extension of its files."""
        return f".{self.name}"

    def sources(self, files: Iterable[str]) -> list[str]:
        """The names in `files` that are in this language, sorted."""
        return sorted(name for name in files if name.endswith(self.ending))

    def build_command(self, files: Mapping[str, StoredFile]) -> list[str]:
        """The build command for these files. Every file is written as "./NAME", so that none is read as an option."""
        words: list[str] = []
        for word in self.build:
            if word == FILES:
                words += [f"./{name}" for name in self.sources(files)]
            elif "*" in word:
                words += [f"./{name}" for name in sorted(files) if _matches(name, os.path.normpath(word))]
            else:
                words.append(word.replace(MAIN, self.main(files)) if MAIN in word else word)
        return words

    def run_command(self, files: Mapping[str, StoredFile]) -> list[str]:
        """The words of the run command, with the main file in place of its name."""
        return [word.replace(MAIN, self.main(files)) if MAIN in word else word for word in self.run]

    def main(self, files: Mapping[str, StoredFile]) -> str:
        """The main file as "./NAME", or Java's main class; BadPlayer if there is none, or more than one."""
        sources = self.sources(files)
        if self.ending == ".java":
            sources = [name for name in sources if _JAVA_MAIN.search(files[name].content)]
            if not sources:
                raise BadPlayer("no class has a method main; write 'public static void main(String[] args)' into one")
        if len(sources) > 1:
            by_stem = {PurePosixPath(name).stem.lower(): name for name in reversed(sources)}
            sources = [by_stem[stem] for stem in _MAIN_STEMS if stem in by_stem][:1] or sources
        if len(sources) > 1:
            expected = f"{'Agent' if self.ending == '.java' else 'agent'}{self.ending}"
            raise BadPlayer(
                f"cannot tell which file starts the agent: {one_of([quote(name) for name in sources], most=5)}; "
                f"rename that file to {expected}"
            )
        return _java_class(sources[0], files[sources[0]]) if self.ending == ".java" else f"./{sources[0]}"


DEFAULTS: Final = {
    "java": Language(
        "java", ("javac", "-d", ".", FILES), ("java", "-Xmx512m", "-cp", ".", MAIN), build_walls=WallKind.SANDBOX
    ),
    "c": Language("c", ("gcc", "-O2", "-o", "agent", FILES, "-lm"), ("./agent",)),
    "cpp": Language("cpp", ("g++", "-O2", "-o", "agent", FILES), ("./agent",)),
    "js": Language("js", (), ("node", MAIN), build_walls=WallKind.SANDBOX),
}
"""What a table sets if it does not say otherwise."""


def _java_class(name: str, file: StoredFile) -> str:
    stem = PurePosixPath(name).stem
    if not stem.isidentifier():
        raise BadPlayer(f"{quote(name)}: expected a file named like its class")
    package = _JAVA_PACKAGE.search(file.content)
    return f"{package[1].decode()}.{stem}" if package else stem


def _matches(name: str, pattern: str) -> bool:
    """Whether the pattern matches the name as in a shell, where * does not match '/'."""
    return name.count("/") == pattern.count("/") and fnmatchcase(name, pattern)
