"""Programming languages of agents, a file each: how it is built and run, and how a crash names its reason.

A language is named as its files end, without the dot, which is also its name in [languages.NAME] of a description.
Nothing here starts a program. A warden loads this package only when its agent has crashed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, ClassVar, Final

from adsearch.errors import one_of, quote
from adsearch.plugins import BadPlugin, Plugins
from arena.errors import BadPlayer

if TYPE_CHECKING:
    from db.sources import StoredFile

FILES: Final = "{files}"
"""In a build command: all source files of the language."""
MAIN: Final = "{main}"
"""In a command: the main file, or what the language starts instead of it."""
_LANGUAGES: Final = Plugins("arena.languages", "arena.languages", "LANGUAGE")
_MAIN_STEMS: Final = ("agent", "myagent", "my_agent", "main", "index")
"""Names of a main file, without the extension and in lower case; the first that exists is the main file."""
_PLACE: Final = r"(?:^|[/(\\])(?P<file>[^/(\\:]+\.\w+):(?P<line>\d+)(?::\d+)?\)?(?: \{| \+0x\w+)?$"
_LONGEST_ERROR: Final = 160
"""Characters of an error before its place."""
PLACED: Final = r" \([^()]+\.\w+, line \d+\)$"
"""The end of a reason that has its place."""


class Language:
    """A programming language. The defaults are those of a language that only a description names."""

    title: ClassVar[str] = ""
    """Its name as people write it."""
    hosted: ClassVar[bool] = False
    """Whether our kit runs its files, so that a file alone is an agent."""
    run_by: ClassVar[str] = ""
    """The command that runs a source file; empty: it must be built first."""
    interpreters: ClassVar[str] = ""
    """A pattern of the names of the programs that run its files."""
    more_endings: ClassVar[tuple[str, ...]] = ()
    """Endings of other files that its command can run."""
    path_options: ClassVar[tuple[str, ...]] = ()
    """Options of its command after which the next word is a list of folders and files, separated by ':'."""
    build: ClassVar[tuple[str, ...]] = ()
    """The command that builds the files of a submission; empty: nothing to build."""
    run: ClassVar[tuple[str, ...]] = ()
    """The command that runs a submission; empty: a description must say it."""
    compiler_forks: ClassVar[bool] = True
    """Whether the build starts other programs, for which a sandbox is too narrow."""
    installed_by: ClassVar[str] = ""
    """How to get the programs that build and run."""
    templates: ClassVar[Path] = Path(__file__).parents[1] / "student" / "starters"
    """The folder with its templates of `arena new`, if there are any: bare.ENDING, and rules/GAME.ENDING."""
    rules_ending: ClassVar[str] = ""
    """The ending of files with the rules of a game; empty: that of the language."""
    comment: ClassVar[str] = "//     "
    """How a line of the first comment of a template begins."""
    taken_names: ClassVar[tuple[str, ...]] = ()
    """Names that the templates use for something else, so that no class can have them."""
    main_stem: ClassVar[str] = "agent"
    """The name of the main file, without the extension."""
    names_matter: ClassVar[bool] = False
    """Whether a file must be called like what it defines, so that it is always `renamed`, and not only if handed in."""
    mentions: ClassVar[str] = ""
    """A pattern in a source that names another file of the agent, with or without its ending, in the group `file`."""
    includes: ClassVar[bool] = False
    """Whether a source that another one mentions is built as a part of that one only."""
    build_error: ClassVar[str] = r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+)(?::\d+)?: *(?:fatal )?error: *(?P<what>.+)"
    """An error as its compiler prints it."""
    build_warning: ClassVar[str] = r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+)(?::\d+)?: *warning: *(?P<what>.+)"
    """A warning."""
    build_advice: ClassVar[tuple[tuple[str, str], ...]] = ()
    """What to do about known messages of its compiler: a pattern, and the advice."""
    errors: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    """Known failures of its programs: a pattern in what is known of the end, the message, and the advice."""
    advice: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Known reasons of a crash: a pattern, and the advice."""
    missing_files: ClassVar[tuple[str, ...]] = ()
    """What is printed if the file to run is missing; the group is the file."""
    memory_error: ClassVar[str] = ""
    """The error of a program that gets no more memory."""
    out_of_memory: ClassVar[tuple[str, ...]] = ()
    """What its programs print, anywhere, when they get no more memory."""
    # Patterns are texts, because few are needed at a time, and it takes long to compile them all.
    frame: ClassVar[str] = ""
    """A line of the stack below an error; empty: the error is on the last line."""
    foreign: ClassVar[str] = ""
    """Part of a frame that is not the program's own."""
    error: ClassVar[str] = ""
    """A line above the frames that names the error, in the group `error`; empty: it is the line above them."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def ending(self) -> str:
        """The extension of its files."""
        return f".{self.name}"

    def template(self, name: str) -> Path | None:
        """The template of this name; None if it has none."""
        path = self.templates / f"{name}{self.ending}"
        return path if path.exists() else None

    def rules(self, game: str) -> Path | None:
        """The template with the rules of the game whose class has this name; None if it has none."""
        ending = self.rules_ending or self.ending
        found = self.templates.glob(f"rules/*{ending}")
        return next((path for path in found if path.name.lower() == f"{game.lower()}{ending}"), None)

    # The files of a submission.

    def sources(self, files: Iterable[str]) -> list[str]:
        """The names in `files` that are in this language, sorted."""
        return sorted(name for name in files if name.endswith(self.ending))

    def built_files(self, files: Mapping[str, StoredFile]) -> list[str]:
        """The sources in place of FILES: without those that are part of another one, which includes them."""
        sources = self.sources(files)
        if not self.includes:
            return sources
        part = {each for name in files for each in self.mentioned(name, files[name].content)}
        return [name for name in sources if name not in part] or sources

    def renamed(self, files: Mapping[str, StoredFile]) -> dict[str, StoredFile]:
        """The files with the names that the language needs: a learning system puts names and numbers before them."""
        return {f"agent{self.ending}": file for file in files.values()} if len(files) == 1 else dict(files)

    def mentioned(self, name: str, content: bytes) -> list[str]:
        """The names that files can have which the file `name` includes or imports; none leads out of its folder."""
        if not self.mentions:
            return []
        texts = [at["file"].decode("utf-8", "replace") for at in re.finditer(self.mentions.encode(), content)]
        names = (posixpath.normpath(posixpath.join(posixpath.dirname(name), text)) for text in texts)
        found = (each if PurePosixPath(each).suffix else f"{each}{self.ending}" for each in names)
        return [each for each in dict.fromkeys(found) if not each.startswith(("/", "../")) and "\0" not in each]

    def main_file(self, files: Mapping[str, StoredFile]) -> str:
        """The name of the file that starts the agent: by its name, or the one that no other file includes; BadPlayer if
        there is none, or more than one."""
        sources = self.sources(files)
        if len(sources) > 1:
            by_stem = {PurePosixPath(name).stem.lower(): name for name in reversed(sources)}
            sources = [by_stem[stem] for stem in _MAIN_STEMS if stem in by_stem][:1] or sources
        if len(sources) > 1:
            used = {each for name in sources for each in self.mentioned(name, files[name].content) if each != name}
            sources = [name for name in sources if name not in used] or sources
        if len(sources) > 1:
            raise BadPlayer(
                f"cannot tell which file starts the agent: {one_of([quote(name) for name in sources], most=5)}; "
                f"rename that file to {self.main_stem}{self.ending}"
            )
        return sources[0]

    def main(self, files: Mapping[str, StoredFile], main: str = "") -> str:
        """What `run` starts, in place of MAIN: the file `main`, or else that of `main_file`."""
        return f"./{main or self.main_file(files)}"

    # How a crash names its reason.

    def ran_out_of_memory(self, reason: str, log: str) -> bool:
        """Whether a program ended because it got no more memory. `reason`: its last error."""
        return bool(self.memory_error and reason.startswith(self.memory_error)) or any(
            sign in log for sign in self.out_of_memory
        )

    def is_frame(self, line: str) -> bool:
        """Whether the line is a frame of the stack."""
        return bool(self.frame) and re.fullmatch(self.frame, line.rstrip()) is not None

    def place(self, line: str) -> str:
        """The file and line in a frame of the program's own: "agent.js, line 3"; empty for all other lines."""
        found = None if self.foreign and re.search(self.foreign, line) else re.search(_PLACE, line.rstrip())
        return f"{found['file']}, line {found['line']}" if found else ""

    def reason(self, lines: Sequence[str]) -> str | None:
        """The error that a program printed last, with its place: "ReferenceError: x is not defined (agent.js, line 3)".
        None if the output does not end as that of a crash in this language. `lines`: at least one, and none is blank.
        """
        return self.reason_above(lines) if self.is_frame(lines[-1]) else None

    def reason_above(self, lines: Sequence[str]) -> str:
        """The last line that names an error, with the place in the frames below it; if there is none, the line above
        the last frames."""
        if not lines:
            return ""
        upwards = [*reversed([*enumerate(lines)])]
        named = ((n, at["error"]) for n, line in upwards if (at := re.fullmatch(self.error, line)))
        above = ((n, line.strip()) for n, line in upwards if not self.is_frame(line))
        number, error = next(named, None) or next(above, (len(lines) - 1, lines[-1].strip()))
        places = (self.place(line) for line in lines[number + 1 :] if self.is_frame(line))
        return placed(error, next(filter(None, places), ""))


def placed(error: str, place: str) -> str:
    """An error with its place; a long one is cut, so that its place is not."""
    if not (error and place):
        return error
    return f"{error if len(error) <= _LONGEST_ERROR else f'{error[:_LONGEST_ERROR]}...'} ({place})"


MISSING_PARTS: Final = (
    r"undefined (?:reference to|symbol)|symbol\(s\) not found",
    "look for a typo; if it is in another file: put all into a folder, and enter that",
)
"""The advice about what the linker of C and C++ does not find."""


@cache
def ours() -> dict[str, Language]:
    """Our languages by extension."""
    return {f".{name}": _LANGUAGES.find(name) for name in _LANGUAGES.names()}


@cache
def find(ending: str) -> Language | None:
    """The language of files with this extension, which somebody has typed: ours, or that of an installed package."""
    found = ours().get(ending) or (_LANGUAGES.find(ending[1:]) if ending[1:] else None)
    return found if isinstance(found, Language) else None


def of_command(words: Sequence[str]) -> list[Language]:
    """Ours, and those of packages for the files that a command names by their paths."""
    endings = {PurePosixPath(word).suffix for word in words[1:] if "/" in word} - {"", *ours()}
    found = list(ours().values())
    for ending in sorted(endings):
        with suppress(BadPlugin):  # it is told to the person who names it
            found += filter(None, (find(ending),))
    return found


def how_to_install(program: str) -> str:
    """What to do if this machine does not have the program."""
    found = (one.installed_by for one in ours().values() if program in (*one.build[:1], *one.run[:1]))
    return next(found, "look for a typo, or install it")


def is_interpreter(program: str) -> bool:
    """Whether the program of this name runs source files."""
    return any(re.fullmatch(f"(?:{language.interpreters})[0-9.]*", program) for language in ours().values())


def path_options() -> set[str]:
    """Options of commands after which the next word is a list of folders and files, separated by ':'."""
    return {option for language in ours().values() for option in language.path_options}


def own_place(line: str) -> str | None:
    """The file and line of a frame of the stack in one of our languages; empty if it is not the program's own; None if
    the line is not a frame."""
    return next((language.place(line) for language in ours().values() if language.is_frame(line)), None)


def reason(log: str, languages: Iterable[Language]) -> str:
    """Why a program in one of these languages ended, in its own words; without a known error the last line that is not
    blank. Never raises: the text may be anything, and may be cut anywhere."""
    lines = [line.rstrip() for line in log.split("\n") if line.strip()]
    if not lines:
        return ""
    found = (named for language in languages if (named := language.reason(lines)) is not None)
    return next(found, lines[-1].strip())
