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
_LONGEST_COMMAND: Final = 64 * 1024
"""Bytes of a build command; systems refuse to start much longer ones."""
_MAIN_STEMS: Final = ("agent", "myagent", "my_agent", "main", "index")
"""Names of a main file, without the extension and in lower case; the first that exists is the main file."""
_JAVA_MAIN: Final = re.compile(rb"\bstatic\s+(?:final\s+)?void\s+main\s*\(")
# No \s where a pattern starts with ^: on a file of line breaks that would take quadratic time.
# At most 200 letters of a name, because it becomes the name of a file.
_JAVA_PACKAGE: Final = re.compile(rb"^[ \t]*package[ \t]+([\w.]{1,200})[ \t]*;", re.MULTILINE)
_JAVA_CLASS: Final = re.compile(
    rb"^(?:(?:public|final|abstract|strictfp)[ \t]+)*(?:class|enum|record)[ \t]+(\w{1,200})", re.MULTILINE
)
"""A class at the start of a line: not one inside another class."""
_JAVA_PUBLIC: Final = re.compile(
    rb"^(?:(?:final|abstract|strictfp)[ \t]+)*public[ \t]+(?:(?:final|abstract|strictfp|sealed)[ \t]+)*"
    rb"(?:class|interface|enum|record)[ \t]+(\w{1,200})",
    re.MULTILINE,
)


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

    def renamed(self, files: Mapping[str, StoredFile]) -> dict[str, StoredFile]:
        """The files with the names that the language needs: a learning system puts names and numbers before them.

        A single file is called "agent". A file of Java is called like its public class, or like the class with main."""
        if self.ending != ".java":
            return {f"agent{self.ending}": file for file in files.values()} if len(files) == 1 else dict(files)
        named: dict[str, StoredFile] = {}
        for name, file in sorted(files.items()):
            found = _JAVA_PUBLIC.search(file.content) if name.endswith(self.ending) else None
            right = found[1].decode() if found else _java_main(file) if len(files) == 1 else ""
            target = str(PurePosixPath(name).with_name(f"{right}{self.ending}")) if right else name
            named[name if target in files or target in named else target] = file
        return named

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
        if sum(len(word.encode()) for word in words) > _LONGEST_COMMAND:
            raise BadPlayer("the source files have too many or too long names for one command")
        return words

    def run_command(self, files: Mapping[str, StoredFile]) -> list[str]:
        """The words of the run command, with the main file in place of its name."""
        return [word.replace(MAIN, self.main(files)) if MAIN in word else word for word in self.run]

    def main(self, files: Mapping[str, StoredFile]) -> str:
        """The main file as "./NAME", or Java's main class; BadPlayer if there is none, or more than one."""
        sources = self.sources(files)
        if self.ending == ".java":
            sources = [name for name in sources if _java_main(files[name])]
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
        if self.ending != ".java":
            return f"./{sources[0]}"
        package = _JAVA_PACKAGE.search(files[sources[0]].content)
        main = _java_main(files[sources[0]])
        return f"{package[1].decode()}.{main}" if package else main


DEFAULTS: Final = {
    "java": Language(
        "java", ("javac", "-d", ".", FILES), ("java", "-Xmx512m", "-cp", ".", MAIN), build_walls=WallKind.SANDBOX
    ),
    "c": Language("c", ("gcc", "-O2", "-o", "agent", FILES, "-lm"), ("./agent",)),
    "cpp": Language("cpp", ("g++", "-O2", "-o", "agent", FILES), ("./agent",)),
    "js": Language("js", (), ("node", MAIN), build_walls=WallKind.SANDBOX),
}
"""What a table sets if it does not say otherwise."""


def _java_main(file: StoredFile) -> str:
    """The class whose method main is in the file; empty if there is none."""
    found = _JAVA_MAIN.search(file.content)
    before = _JAVA_CLASS.findall(file.content, 0, found.start()) if found else []
    return before[-1].decode() if before else ""


def _matches(name: str, pattern: str) -> bool:
    """Whether the pattern matches the name as in a shell, where * does not match '/'."""
    return name.count("/") == pattern.count("/") and fnmatchcase(name, pattern)
