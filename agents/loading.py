"""Finds an agent by its name: a built-in agent with options, or a user-supplied file or folder.

Only this module runs a student's file, in the process that will host the agent. Every problem with the file is raised
as BadAgent, with the file, the line and what to do.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

from adsearch.errors import meant, one_of, quote
from agents import diagnosis
from agents.agent import Agent
from agents.errors import BadAgent

MAIN_FILE: Final = "agent.py"
"""The main file of an agent in a folder."""

ALLOWED: Final = "AGENT_MODULES"
"""The environment variable that lists the modules that an agent can import, if the tournament limits them."""
_BY_PATH = re.compile(r"(?P<path>.*?\.py)(?::(?P<name>.*))?", re.DOTALL)
_OF_NOTEBOOK: Final = re.compile(rb"kaggle|^[!%]", re.MULTILINE)
"""What a notebook of Kaggle can have around its agent."""
_STORED: Final = re.compile("[0-9a-f]{64}")
"""The name of a submission's folder in a store."""
OURS: Final = ("adsearch", "agents", "arena", "db")
"""Our own packages."""


def is_builtin(spec: str) -> bool:
    """Whether `spec` names a built-in agent. For a path their modules are not imported: agents must start fast."""
    name = spec.partition(":")[0]
    if "/" in name or name.endswith(".py"):
        return False
    from agents import builtin

    return builtin.is_builtin(spec)


def find(spec: str) -> Callable[[], Agent]:
    """A function that creates the agent that `spec` names; BadAgent says what is wrong with it."""
    if is_builtin(spec):
        from agents import builtin

        return builtin.find(spec).make
    if _BY_PATH.fullmatch(spec) or "/" in spec or os.path.isdir(os.path.expanduser(spec)):
        return load(spec)
    from agents import builtin

    raise BadAgent(
        f"no agent {quote(spec)}{meant(spec.partition(':')[0], builtin.names())}"
        " (for your own agent give its file, such as my_agent.py, or its folder, such as ./my_agent)"
    )


def load(spec: str) -> type[Agent]:
    """The subclass of Agent in the file or folder `spec`: "my_agent.py", "my_agent.py:MyAgent", "folder"."""
    by_path = _BY_PATH.fullmatch(spec)
    path = os.path.expanduser(by_path["path"] if by_path else spec)
    wanted = by_path["name"] if by_path else None
    if os.path.isdir(path):
        folder, path = path, os.path.join(path, MAIN_FILE)
        if not os.path.isfile(path):
            raise BadAgent(f"{folder}: expected a file {MAIN_FILE} in this folder, but there is none")
    elif not by_path:
        raise BadAgent(f"expected FILE.py, FILE.py:CLASS or a folder with {MAIN_FILE}, got {quote(spec)}")
    module = _import_file(path)
    defined = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Agent) and value.__module__ == module.__name__
    }
    if not defined:
        from agents import kaggle  # imported here, because agents must start fast

        if (by_function := kaggle.of_module(vars(module), module.__name__, wanted)) is not None:
            return by_function
        raise BadAgent(f"{_shown(path)}: {diagnosis.no_agent(vars(module), module.__name__)}")
    found = _the_one(path, defined, wanted)
    if wrong := diagnosis.wrong_in(found, Agent):
        raise BadAgent(f"{_shown(path)}{', ' if wrong.startswith('line ') else ': '}{wrong}")
    return found


def _the_one(path: str, defined: dict[str, type[Agent]], wanted: str | None) -> type[Agent]:
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


def _import_file(path: str) -> ModuleType:
    """Run the file `path` as a module; return the module."""
    try:
        with open(path, "rb") as file:
            source = file.read()
    except (OSError, ValueError) as error:
        raise BadAgent(f"no agent in {quote(path)}: {getattr(error, 'strerror', None) or error}") from None
    if what := diagnosis.no_python(source):
        raise BadAgent(f"{_shown(path)} is {what}")
    path = os.path.abspath(path)
    module = ModuleType(_module_name(path))
    module.__file__ = path
    folder = os.path.dirname(path)
    if folder not in sys.path:
        sys.path.append(folder)
    # dataclasses, pickle and the agent's own modules look it up in sys.modules.
    sys.modules[module.__name__] = module
    try:
        exec(compile(_program(source, path), path, "exec"), module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        del sys.modules[module.__name__]
        raise BadAgent(_what_failed(path, error)) from error
    return module


def _program(source: bytes, path: str) -> Any:
    """What is run of the file: all of it, but of a notebook of Kaggle only the agent."""
    if not _OF_NOTEBOOK.search(source):
        return source
    from agents import kaggle  # imported here, because agents must start fast

    return kaggle.alone(source, path)


def _shown(path: str) -> str:
    """The file's path for messages; in a store only its name, because the store's folder means nothing to a student."""
    folder, name = os.path.split(path)
    return name if _STORED.fullmatch(os.path.basename(folder)) else path


def _module_name(path: str) -> str:
    """The name of the file; with "_as_agent" if another module has that name."""
    name = os.path.splitext(os.path.basename(path))[0]
    taken = sys.modules.get(name)
    free = taken is None or getattr(taken, "__file__", None) == path
    return name if free and name not in sys.stdlib_module_names and name not in OURS else f"{name}_as_agent"


def _what_failed(path: str, error: BaseException) -> str:
    """Why the file could not be run, and in which line, as one line of text."""
    import traceback  # imported here, because agents must start fast

    line = next((at.lineno for at in reversed(traceback.extract_tb(error.__traceback__)) if at.filename == path), 0)
    if isinstance(error, SyntaxError) and error.filename == path:
        line = error.lineno
    where = f"{_shown(path)}, line {line}" if line else _shown(path)
    allowed = os.environ.get(ALLOWED)
    ours = (error.name or "").partition(".")[0] if isinstance(error, ImportError) else ""
    if ours in OURS and (own := _own(path, ours)):
        return f"{where}: {own} has the name of our library {ours}, which is imported instead; rename {own}"
    if isinstance(error, ModuleNotFoundError) and error.name:
        missing = f"{where}: there is no module {quote(error.name)} here"
        if ours in OURS:
            is_complete = allowed is None and ours in ("adsearch", "agents")
            why = f"the library {ours} has none of that name" if is_complete else "the tournament does not allow it"
            return f"{missing}: {why}"
        if others := _others_missing(path, error.name):
            missing += f" (also missing: {', '.join(map(quote, others))})"
        if allowed is not None:
            only = "the standard library" + (f" and {allowed}" if allowed else "")
            return f"{missing}: the tournament lets agents import {only} only"
        return (
            f"{missing}; install it, or if it is a file of yours, enter the folder: a file is copied without its "
            "neighbours"
        )
    if isinstance(error, ImportError) and error.name in OURS:
        return f"{where}: {error.msg.partition(' (')[0]}; a tournament can remove modules that agents must not use"
    if isinstance(error, SyntaxError):
        return f"{where}: {type(error).__name__}: {error.msg}"
    if isinstance(error, SystemExit):
        return f"{where}: the program ends while it is imported; put that code under: if __name__ == '__main__':"
    words = str(error)
    return f"{where}: {type(error).__name__}{': ' if words else ''}{words}"


def _own(path: str, library: str) -> str:
    """The folder or file beside the agent that has the name of that library of ours; empty if there is none."""
    beside = os.path.join(os.path.dirname(path), library)
    if os.path.isdir(beside):
        return f"{library}/"
    return f"{library}.py" if os.path.isfile(f"{beside}.py") and f"{beside}.py" != path else ""


def _others_missing(path: str, found: str) -> list[str]:
    """The other modules, not `found`, that the agent's file and what it imports from its folder need, and that are not
    there."""
    import ast  # imported here, because agents must start fast
    from importlib.util import find_spec

    folder = os.path.dirname(path)
    files, needed = [path], dict[str, None]()
    for file in files:  # which grows
        try:
            with open(file, "rb") as source:
                statements = ast.parse(source.read()).body
        except (OSError, ValueError, SyntaxError):
            continue
        for statement in statements:
            base, names = folder, list[str]()
            if isinstance(statement, ast.Import):
                names = [one.name for one in statement.names]
            elif isinstance(statement, ast.ImportFrom):
                base = os.path.join(os.path.dirname(file), *[".."] * (statement.level - 1)) if statement.level else base
                module = [statement.module] if statement.module else []
                names = [".".join([*module, one.name]) for one in statement.names]
            for parts in (name.split(".") for name in names):
                if base == folder:
                    needed[parts[0]] = None
                places = [os.path.join(base, *parts[: n + 1]) for n in range(len(parts))]
                own = [f"{place}{ending}" for place in places for ending in (".py", f"{os.sep}__init__.py")]
                files += [one for one in own if one not in files and os.path.isfile(one)]
    needed.pop(found.partition(".")[0], None)
    return [one for one in needed if one not in sys.modules and find_spec(one) is None]
