"""Java. One class has the method main; its name and its package are what `java` starts, and each public class needs a
file of its name. The error is printed above the frames of its stack, and its cause below them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from arena.errors import BadPlayer
from arena.languages import FILES, MAIN, Language

if TYPE_CHECKING:
    from db.sources import StoredFile

_MAIN_METHOD: Final = rb"\bstatic\s+(?:final\s+)?void\s+main\s*\("
# No \s where a pattern starts with ^: on a file of line breaks that would take quadratic time.
# At most 200 letters of a name, because it becomes the name of a file.
_PACKAGE: Final = rb"(?m)^[ \t]*package[ \t]+([\w.\x80-\xff]{1,200})[ \t]*;"
_CLASS: Final = rb"(?m)^(?:(?:public|final|abstract|strictfp)[ \t]+)*(?:class|enum|record)[ \t]+([\w\x80-\xff]{1,200})"
"""A class at the start of a line: not one inside another class."""
_NO_CODE: Final = rb'//[^\n]*|(?s:/\*.*?\*/)|"(?:[^"\\\n]|\\.)*"'
"""Comments and texts."""
_PUBLIC: Final = (
    rb"(?m)^(?:(?:final|abstract|strictfp)[ \t]+)*public[ \t]+(?:(?:final|abstract|strictfp|sealed)[ \t]+)*"
    rb"(?:class|interface|enum|record)[ \t]+([\w\x80-\xff]{1,200})"
)


class _Java(Language):
    title = "Java"
    run_by = "java -Xmx1g"
    interpreters = "java"
    more_endings = (".jar",)
    path_options = ("-cp", "-classpath", "--class-path")
    build = ("javac", "-d", ".", FILES)
    run = ("java", "-Xmx512m", "-cp", ".", MAIN)
    compiler_forks = False
    installed_by = "install a JDK, version 11 or newer (Debian, Ubuntu: sudo apt install default-jdk-headless)"
    taken_names = (
        *("BufferedReader", "IOException", "InputStreamReader", "PrintStream", "StandardCharsets", "ArrayList", "List"),
        *("Arrays", "Character", "Connect4", "Integer", "Math", "Message", "Othello", "String", "System"),
    )
    main_stem = "Agent"
    names_matter = True
    mentions = r"\b(?P<file>[A-Z]\w{0,199})\b"
    build_advice = (
        (
            r"package \S+ does not exist|cannot find symbol",
            "look for a typo; other classes must be in the agent's folder, and there is only Java's library",
        ),
    )
    errors = (
        (
            r"ClassNotFoundException: (\S+\.java)",
            r"Java did not find the file \1",
            "check the name; only files and folders that the command names are copied",
        ),
        (
            r"ClassNotFoundException: (\S+)",
            r"Java did not find the class \1",
            "only files and folders that the command names are copied: 'cmd:java MyAgent.java', 'cmd:java -cp classes "
            "MyAgent' (the folder of the .class files), or 'cmd:java -jar my_agent.jar'",
        ),
        (
            r"error: compilation failed",
            "Java could not compile the program",
            "correct the first error that Java printed, then the others",
        ),
        (
            r"expected a JSON object on one line, got '#' ",
            "the agent wrote '#' to stdout, as Java does when it gets no more memory",
            "in Java, set the largest heap, below the agent's memory limit: cmd:java -Xmx1g MyAgent.java",
        ),
    )
    advice = (
        (
            "StackOverflowError",
            "a function calls itself forever: add a case that ends the recursion, or a depth limit",
        ),
    )
    missing_files = (r"Unable to access jarfile (\S+)",)
    out_of_memory = ("java.lang.OutOfMemoryError",)
    frame = r"\s*\tat .+\)|\s*\t\.\.\. \d+ (?:more|common frames omitted)"
    foreign = r"\bat (?:java|jdk|sun)\."
    error = r'(?:Exception in thread "[^"]*" |Caused by: |(?=(?:[\w$]+\.)*[\w$]*(?:Error|Exception)\b))(?P<error>.+)'

    def mentioned(self, name: str, content: bytes) -> list[str]:
        """The files of the classes that the code names, but does not define: a copy of a file has its names."""
        own = {f"{_name(found)}{self.ending}" for found in re.findall(_CLASS, content)}
        found = super().mentioned(name, re.sub(_NO_CODE, b" ", content))
        return [each for each in found if PurePosixPath(each).name not in own]

    def renamed(self, files: Mapping[str, StoredFile]) -> dict[str, StoredFile]:
        """A file is called like its public class, or like the class with main."""
        named: dict[str, StoredFile] = {}
        for name, file in sorted(files.items()):
            found = re.search(_PUBLIC, file.content) if name.endswith(self.ending) else None
            right = _name(found[1]) if found else _main_class(file) if len(files) == 1 else ""
            target = str(PurePosixPath(name).with_name(f"{right}{self.ending}")) if right else name
            named[name if target in files or target in named else target] = file
        return named

    def main(self, files: Mapping[str, StoredFile], main: str = "") -> str:
        """The main class, with its package."""
        classes = {name: found for name in self.sources(files) if (found := _main_class(files[name]))}
        if not classes:
            raise BadPlayer("no class has a method main; write 'public static void main(String[] args)' into one")
        name = main if main in classes else self.main_file({name: files[name] for name in classes})
        package = re.search(_PACKAGE, files[name].content)
        return f"{_name(package[1])}.{classes[name]}" if package else classes[name]


def _main_class(file: StoredFile) -> str:
    """The class whose method main is in the file; empty if there is none."""
    found = re.search(_MAIN_METHOD, file.content)
    before = re.findall(_CLASS, file.content[: found.start()]) if found else []
    return _name(before[-1]) if before else ""


def _name(found: bytes) -> str:
    return found.decode("utf-8", "replace")


LANGUAGE = _Java("java")
