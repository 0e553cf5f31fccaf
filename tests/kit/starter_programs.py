"""Makes the programs of `arena/student/starters` ready to run, in each language that this machine has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.kit import needs

TOOLS = {".py": sys.executable, ".js": "node", ".java": "javac", ".c": "cc"}
"""For each ending, the program that runs or compiles it."""


def command(source: Path, folder: Path) -> list[str]:
    """The command that runs a program; it is compiled into `folder` if need be. Skips the test without the tool."""
    tool = needs.program(TOOLS[source.suffix])
    if source.suffix == ".c":
        strict = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
        subprocess.run([tool, *strict, "-o", folder / source.stem, source], check=True)
        return [str(folder / source.stem)]
    if source.suffix == ".java":
        subprocess.run([tool, "--release", "11", "-Xlint:all", "-Werror", "-d", folder, source], check=True)
        return ["java", "-cp", str(folder), "MyAgent"]
    return [tool, str(source)]
