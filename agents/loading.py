"""Finds an agent by its name: a built-in agent with options, or a user-supplied file or folder.

Only this module runs a student's file, in the process that will host the agent. Every problem with the file is raised
as BadAgent, with the file, the line and what to do.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Final

from adsearch.errors import meant, one_of, quote
from agents import diagnosis
from agents.agent import Agent
from agents.errors import BadAgent

MAIN_FILE: Final = "agent.py"
"""The main file of an agent in a folder."""

ALLOWED: Final = "AGENT_MODULES"
"""The environment variable that lists the modules that an agent can import, if the tournament limits them."""
_BY_PATH = re.compile(r"(?P<path>.*?\.py)(?::(?P<name>.*))?", re.DOTALL)
_STORED: Final = re.compile("[0-9a-f]{64}")
"""The name of a submission's folder in a store."""
_OURS: Final = ("adsearch", "agents", "arena", "db")


def find(spec: str) -> Callable[[], Agent]:
    """A function that creates the agent that `spec` names; BadAgent says what is wrong with it."""
    from agents import builtin

    if builtin.is_builtin(spec):
        return builtin.find(spec).make
    if _BY_PATH.fullmatch(spec) or "/" in spec or Path(spec).expanduser().is_dir():
        return load(spec)
    raise BadAgent(
        f"no agent {quote(spec)}{meant(spec.partition(':')[0], builtin.names())}"
        " (for your own agent give its file, such as my_agent.py, or its folder, such as ./my_agent)"
    )


def load(spec: str) -> type[Agent]:
    """The subclass of Agent in the file or folder `spec`: "my_agent.py", "my_agent.py:MyAgent", "folder"."""
    by_path = _BY_PATH.fullmatch(spec)
    path = Path(by_path["path"] if by_path else spec).expanduser()
    wanted = by_path["name"] if by_path else None
    if path.is_dir():
        path = path / MAIN_FILE
        if not path.is_file():
            raise BadAgent(f"{path.parent}: expected a file {MAIN_FILE} in this folder, but there is none")
    elif not by_path:
        raise BadAgent(f"expected FILE.py, FILE.py:CLASS or a folder with {MAIN_FILE}, got {quote(spec)}")
    module = _import_file(path)
    defined = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Agent) and value.__module__ == module.__name__
    }
    if not defined:
        raise BadAgent(f"{_shown(path)}: {diagnosis.no_agent(vars(module), module.__name__)}")
    found = _the_one(path, defined, wanted)
    if wrong := diagnosis.wrong_in(found, Agent):
        raise BadAgent(f"{_shown(path)}{', ' if wrong.startswith('line ') else ': '}{wrong}")
    return found


def _the_one(path: Path, defined: dict[str, type[Agent]], wanted: str | None) -> type[Agent]:
    names = list(defined)
    if wanted is not None:
        if wanted not in defined:
            raise BadAgent(f"{_shown(path)}: no agent {quote(wanted)}{meant(wanted, names)}")
        return defined[wanted]
    if len(names) > 1:
        # Suggest a class that is not a base class of the others.
        bases = {base for agent in defined.values() for base in agent.__mro__[1:]}
        likely = next(name for name, agent in defined.items() if agent not in bases)
        raise BadAgent(
            f"{_shown(path)}: expected one agent, got several ({one_of(names)}); choose one: {_shown(path)}:{likely}"
        )
    return defined[names[0]]


def _import_file(path: Path) -> ModuleType:
    """Run the file `path` as a module; return the module."""
    try:
        source = path.read_bytes()
    except (OSError, ValueError) as error:
        raise BadAgent(f"no agent in {quote(str(path))}: {getattr(error, 'strerror', None) or error}") from None
    if what := diagnosis.no_python(source):
        raise BadAgent(f"{_shown(path)} is {what}")
    path = path.absolute()
    module = ModuleType(_module_name(path))
    module.__file__ = str(path)
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    # dataclasses, pickle and the agent's own modules look it up in sys.modules.
    sys.modules[module.__name__] = module
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        del sys.modules[module.__name__]
        raise BadAgent(_what_failed(path, error)) from error
    return module


def _shown(path: Path) -> str:
    """The file's path for messages; in a store only its name, because the store's folder means nothing to a student."""
    return path.name if _STORED.fullmatch(path.parent.name) else str(path)


def _module_name(path: Path) -> str:
    """The name of the file; with "_as_agent" if another module has that name."""
    name = path.stem
    taken = sys.modules.get(name)
    free = taken is None or getattr(taken, "__file__", None) == str(path)
    return name if free and name not in sys.stdlib_module_names and name not in _OURS else f"{name}_as_agent"


def _what_failed(path: Path, error: BaseException) -> str:
    """Why the file could not be run, and in which line, as one line of text."""
    line = next(
        (at.lineno for at in reversed(traceback.extract_tb(error.__traceback__)) if at.filename == str(path)), 0
    )
    if isinstance(error, SyntaxError) and error.filename == str(path):
        line = error.lineno
    where = f"{_shown(path)}, line {line}" if line else _shown(path)
    if isinstance(error, ModuleNotFoundError) and error.name:
        if error.name.partition(".")[0] in _OURS:
            return f"{where}: there is no module {quote(error.name)} here: the tournament does not allow it"
        if (allowed := os.environ.get(ALLOWED)) is not None:
            only = "the standard library" + (f" and {allowed}" if allowed else "")
            what = f"the tournament lets agents import {only} only"
            return f"{where}: there is no module {quote(error.name)} here: {what}"
        what = "install it, or if it is a file of yours, enter the folder: a file is copied without its neighbours"
        return f"{where}: there is no module {quote(error.name)} here; {what}"
    if isinstance(error, ImportError) and error.name in _OURS:
        return f"{where}: {error.msg.partition(' (')[0]}; a tournament can remove modules that agents must not use"
    if isinstance(error, SyntaxError):
        return f"{where}: {type(error).__name__}: {error.msg}"
    if isinstance(error, SystemExit):
        return f"{where}: the program ends while it is imported; put that code under: if __name__ == '__main__':"
    words = str(error)
    return f"{where}: {type(error).__name__}{': ' if words else ''}{words}"
