"""Attacks on homework: importing what the exercise does not allow."""

from __future__ import annotations

import ctypes
import importlib
import importlib.machinery
import importlib.util
import marshal
import runpy
import subprocess
import sys
import zipimport
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.attacks.attackers.agent import Situation


def import_what_is_forbidden(at: Situation) -> None:
    """adsearch.alphabeta and numpy, although only adsearch.games is allowed."""
    source, compiled, installed = (Path(at.targets[name]) for name in ("search", "compiled", "installed"))
    plain(at)
    at.attempt("run the search's file", lambda: len(runpy.run_path(str(source))))
    at.attempt("load the search's file", lambda: load(source))
    at.attempt("compile the search's file", lambda: exec(compile(source.read_bytes(), "x", "exec"), {}))
    at.attempt("load the search's compiled file", lambda: marshal.loads(compiled.read_bytes()[16:]).co_name)
    at.attempt("load it as a compiled module", lambda: load(compiled))
    at.attempt("import it from an archive", lambda: zipimport.zipimporter(at.targets["archive"]).load_module("hidden"))
    for folder in (source.parents[1], installed, *map(Path, at.targets["others"])):
        sys.path.insert(0, str(folder))
        at.attempt(f"read what lies in {folder}", partial(read_any, folder))
    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name.partition(".")[0] in ("adsearch", "numpy")]:
        del sys.modules[name]
    plain(at)
    for library in at.targets["libraries"]:
        at.attempt(f"load {Path(library).name}", lambda library=library: ctypes.CDLL(library) and None)  # type: ignore[misc]
    at.attempt("ask another Python", partial(ask, "import adsearch.alphabeta"))


def plain(at: Situation) -> None:
    for name in (
        "adsearch.alphabeta",
        "agents.builtin.alphabeta",
        "numpy",
        "zmq",
        "arena.walls.jail",
        "tests.attacks",
        "pip",
    ):
        at.attempt(f"import {name}", lambda name=name: importlib.import_module(name) and None)  # type: ignore[misc]


def load(path: Path) -> None:
    """Loads a module from any path, as `import` does."""
    specification = importlib.util.spec_from_file_location("hidden", path)
    if specification is None or specification.loader is None:
        raise ImportError(f"no loader for {path}")
    module: ModuleType = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)


def read_any(folder: Path) -> str:
    """Reads a module that the agent does not need."""
    for name in ("adsearch/alphabeta.py", "numpy/__init__.py", "zmq/__init__.py", "pip/__init__.py"):
        try:
            return f"{name}: {(folder / name).read_text('utf-8')[:20]}"
        except FileNotFoundError:
            continue
    raise OSError("nothing is there to be read")


def ask(words: str) -> None:
    """Runs code in another interpreter, with all its installed modules."""
    done = subprocess.run([sys.executable, "-c", words], env={}, capture_output=True)
    if done.returncode:
        raise OSError("it could not")
