"""README and docs: the blocks on their pages, the commands in them, and the output of these commands.

Commands that several tests need first (the demo, and all of docs/first-evening.md) run only once in a test run.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
import pytest
from msgspec import Struct

from tests.kit import once
from tests.kit.arena_program import Ended, arena
from tests.kit.places import EXAMPLES, ROOT

PAGES: Final = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
STUDENT: Final = "first-evening.md"
STORIES: Final = ("course.md", "evening.md", STUDENT)
"""Pages to be followed from the first line to the last: their blocks share one folder."""
CHANGE: Final = re.compile(r"# (\S+\.py): (?:in place of `(\w+)`|at the top)\n")
"""The first line of a Python block with code that the reader puts into a file: in place of a method, or at the top."""
ADDED: Final = re.compile(r"# (\S+\.toml), at the end:\n")
"""The first line of a TOML block that the reader adds to a file."""
DEMO: Final = "arena demo"
_FENCED: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MAKES_AN_ENVIRONMENT: Final = re.compile(r"make (demo|serve|test)\b|python3 -m venv \.venv && |\.venv/bin/arena demo$")
"""Commands that install; `.ci/run` runs `make test`, and the targets exist."""


class Given(Struct, frozen=True):
    """A command as it is shown, and what came of it."""

    command: str
    shown: str
    code: int
    printed: str
    """What is to be seen: its output, or after a wrong command its complaint."""


def blocks(kind: str) -> Iterator[tuple[Path, str]]:
    """The fenced blocks of that kind."""
    for page in PAGES:
        for match in _FENCED.finditer(page.read_text("utf-8")):
            if match[1] == kind:
                yield page, match[2]


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Every command shown after a "$", and the output shown below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command.partition("  #")[0].strip(), output


def scenes() -> list[tuple[str, str]]:
    """Console blocks with the page that they are on; of a story all in one, and with the changes of files in it."""
    shown = [(page.name, block) for page, block in blocks("console")]
    stories = [(name, _story(ROOT / "docs" / name)) for name in STORIES]
    return [scene for scene in shown if scene[0] not in STORIES] + stories


def _story(page: Path) -> str:
    """The console blocks and changes of a page. A change becomes a command `change FILE METHOD` with the code below it,
    or `add FILE`."""
    text = ""
    for kind, block in _FENCED.findall(page.read_text("utf-8")):
        if kind == "console":
            text += block
        elif kind == "python" and (found := CHANGE.match(block)):
            text += f"$ change {found[1]} {found[2] or ''}\n{block[found.end() :]}"
        elif kind == "toml" and (found := ADDED.match(block)):
            text += f"$ add {found[1]}\n{block[found.end() :]}"
    return text


def _change(file: Path, method: str | None, code: str) -> None:
    """Puts `code` into a Python file in place of the method, or before its first import."""
    old = rf"^    def {method}\(.*?(?=^    def |\Z)" if method else r"^(?=from |import )"
    text = file.read_text("utf-8")
    assert re.search(old, text, re.MULTILINE | re.DOTALL), (file, method)
    changed = re.sub(old, lambda _: code + "\n" * bool(method), text, count=1, flags=re.MULTILINE | re.DOTALL)
    file.write_text(changed, "utf-8")


def give(page: str, block: str, folder: Path, temporary: pytest.TempPathFactory) -> list[Given]:
    """Gives the commands of a block one after the other in `folder`, a new one."""
    wanted = list(commands(block))
    if wanted[0][0] == DEMO:
        shutil.copytree(demo(temporary)[0], folder, dirs_exist_ok=True)
    folder.mkdir(exist_ok=True)
    (folder / "examples").symlink_to(EXAMPLES)
    given = []
    for command, shown in wanted:
        if _MAKES_AN_ENVIRONMENT.match(command):
            target = re.match(r"make (\w+)", command)
            assert target is None or f"\n{target[1]}:" in (ROOT / "Makefile").read_text("utf-8")
            continue
        program, *arguments = shlex.split(command)
        if program == "change":
            _change(folder / arguments[0], next(iter(arguments[1:]), None), shown)
            continue
        if program == "add":
            with (folder / arguments[0]).open("a", encoding="utf-8") as file:
                file.write(f"\n{shown}")
            continue
        if program == "cp":
            shutil.copy(folder / arguments[0], folder / arguments[1])
            continue
        if program == "python3":
            assert arguments[:2] == ["-m", "zipfile"], page
            subprocess.run([sys.executable, *arguments], cwd=folder, check=True)
            continue
        assert program == "arena", page
        ended = demo(temporary)[1] if command == DEMO else arena(*arguments, cwd=folder)
        given.append(Given(command, shown, ended.code, ended.out + (ended.err if ended.code == 2 else "")))
    return given


def student(temporary: pytest.TempPathFactory) -> tuple[Path, list[Given]]:
    """The folder in which all commands of docs/first-evening.md were given, not to be changed, and their output."""

    def make(place: Path) -> None:
        (place / "folder").mkdir()
        given = give(STUDENT, dict(scenes())[STUDENT], place / "folder", temporary)
        (place / "given.json").write_bytes(msgspec.json.encode(given))

    place = once.folder(temporary, "student", make)
    return place / "folder", msgspec.json.decode((place / "given.json").read_bytes(), type=list[Given])


def demo(temporary: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """The folder in which `arena demo` was given, not to be changed, and what came of it."""

    def make(place: Path) -> None:
        (place / "folder").mkdir()
        (place / "ended.json").write_bytes(msgspec.json.encode(arena("demo", cwd=place / "folder")))

    place = once.folder(temporary, "demo", make)
    return place / "folder", msgspec.json.decode((place / "ended.json").read_bytes(), type=Ended)
