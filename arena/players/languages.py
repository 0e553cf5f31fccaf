"""Programming languages by file extension, and the commands that run or compile a source file.

Messages and new files say these commands; nothing here runs one. Python needs no command: the kit runs it.
"""

from __future__ import annotations

import shlex
from pathlib import PurePath
from typing import Final

NAMES: Final = {".js": "JavaScript", ".c": "C", ".cpp": "C++", ".java": "Java", ".rs": "Rust", ".go": "Go"}
"""Languages other than Python."""
RUN_BY: Final = {".py": "python3", ".js": "node", ".java": "java -Xmx1g"}
"""The command that runs a source file; programs in other languages are compiled first."""
_COMPILED_BY: Final = {".c": "cc -O2 -o", ".cpp": "c++ -O2 -o", ".rs": "rustc -O -o", ".go": "go build -o"}


def as_player(file: str) -> str:
    """How the file of this name is written as a player: "cmd:node agent.js"; a file that no command runs, as it is."""
    ending = PurePath(file).suffix
    return f"cmd:{RUN_BY[ending]} {shlex.quote(file)}" if ending in RUN_BY.keys() & NAMES.keys() else file


def is_compiled(ending: str) -> bool:
    """Whether source files with this extension are compiled before they run."""
    return ending in _COMPILED_BY


def compiling(program: str, source: str, ending: str) -> str:
    """The command that makes `program` of the file `source`, which has this extension."""
    return f"{_COMPILED_BY[ending]} {program} {source}"
