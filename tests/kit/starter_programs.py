"""Makes the programs of `arena/student/starters` ready to run, in each language that this machine has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.kit import needs

TOOLS: Final = {
    ".py": sys.executable,
    ".js": "node",
    ".java": "javac",
    ".c": "cc",
    ".cpp": "c++",
    ".go": "go",
    ".rs": "rustc",
}
"""For each ending, the program that runs or compiles it."""
_STRICT: Final = {
    ".c": ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"),
    ".cpp": ("-std=c++11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"),
    ".rs": ("-D", "warnings"),
}
"""Options with which nothing but clean code is compiled."""


def command(source: Path, folder: Path, *, main: str = "MyAgent", strict: bool = True) -> list[str]:
    """The command that runs a program; it is compiled into `folder` if need be, in Java with what is beside it. Skips
    the test without the tool. `main`: its class in Java; `strict`: every warning is an error."""
    tool = needs.program(TOOLS[source.suffix])
    made = folder / source.stem
    if source.suffix in _STRICT:
        subprocess.run([tool, *(_STRICT[source.suffix] if strict else ()), "-o", made, source], check=True)
    elif source.suffix == ".go":
        subprocess.run([tool, "build", "-o", made, source], check=True)
    elif source.suffix == ".java":
        path = ("-sourcepath", source.parent)
        subprocess.run([tool, "--release", "11", "-Xlint:all", "-Werror", *path, "-d", folder, source], check=True)
        return ["java", "-cp", str(folder), main]
    else:
        return [tool, str(source)]
    return [str(made)]
