"""The data files of an agent that is one file: an opening book, weights, a pickle, which are copied with it.

They are the files beside the agent, or in folders beside it, whose names stand as texts in its program. Programs are no
data, and a folder with several agents is shared: nothing in it is copied with one of them, because it could be the data
of another one. Nor is anything in a folder with programs.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

from agents import kaggle
from arena import languages
from db.sources import MOST_LEVELS

_PROGRAMS: Final = (".pyc", ".so", ".ipynb", ".class", ".zip")
"""Endings of files that are no data, besides those of languages."""
_AGENT: Final = re.compile(rb"^\s*class \w+\(.*Agent\b|^\s+def choose\(|^def \w+\(obs(ervation)?, conf", re.MULTILINE)
_READ: Final = 1 << 20
"""Bytes of a program that are read."""


def named_in(agent: Path) -> list[str]:
    """The names of the data files, relative to the agent's folder."""
    try:
        tree = kaggle.parsed(_start(agent))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    texts = {text.removeprefix(f"{kaggle.PLACE}/") for text in constants if isinstance(text, str)}
    found = sorted(text for text in texts if _is_data(agent.parent, text))
    return [] if found and _is_shared(agent) else found


def _is_data(folder: Path, text: str) -> bool:
    path = Path(text)
    if not path.suffix or path.suffix in (*_PROGRAMS, *languages.ours()) or str(path) != text:
        return False
    if path.is_absolute() or len(path.parts) > MOST_LEVELS or any(part.startswith(".") for part in path.parts):
        return False
    try:
        file = folder / path
        inside = file.is_file() and file.resolve().is_relative_to(folder.resolve())
        return inside and not any(_programs(folder / each) for each in [*path.parents][:-1])
    except (OSError, ValueError):
        return False


def _is_shared(agent: Path) -> bool:
    """Whether another agent is in the same folder. In another language than Python any program could be one."""
    beside = (each for each in _programs(agent.parent) if each.name != agent.name)
    return any(each.suffix != ".py" or _AGENT.search(_start(each)) for each in beside)


def _programs(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if each.suffix in languages.ours() and each.is_file()]


def _start(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(_READ)
