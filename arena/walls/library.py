"""What a Python agent may import, and with which Python it runs.

Before the first game the director asks the interpreter, once, where its modules lie, and lays out the folder from which
agents import our two packages. With a list of modules nothing else is there: neither on the path nor, behind walls, to
be read. The interpreter and what it has installed are the instructor's, and trusted; no agent's code runs here.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import agents
from adsearch.errors import one_of, quote
from agents.errors import one_line
from arena.errors import BadPlayer

_OURS: Final = ("adsearch", "agents")
_HOSTING: Final = ("agents.__main__", "agents.over_stdio")
"""What hosts an agent."""
_SOURCES: Final = Path(agents.__file__).resolve().parents[1]
_OLDEST: Final = (3, 11)
_ANSWERS_WITHIN: Final = 60
"""Seconds that an interpreter has to load what may be imported."""
_INSTALLED: Final = ("site-packages", "dist-packages")
"""Folders of modules that did not come with Python."""

_ASKED: Final = """if True:
    import importlib, json, sys, sysconfig
    out = sys.stdout
    sys.stdout = sys.stderr
    missing, before = {}, set(sys.modules)
    if sys.argv[2]:
        from adsearch import games
        games.start(sys.argv[2])
    for name in json.loads(sys.argv[1]):
        try:
            importlib.import_module(name)
        except BaseException as error:
            missing[name] = f"{type(error).__name__}: {error}"
    files = {}
    for name in sorted(set(sys.modules) - before):
        module = sys.modules[name]
        places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
        files[name] = [place for place in places if isinstance(place, str)]
    json.dump({
        "version": sys.version_info[:2],
        "tag": sys.implementation.cache_tag,
        "program": sys.executable,
        "prefixes": sorted({sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}),
        "standard": sorted({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}),
        "path": sys.path,
        "missing": missing,
        "files": files,
    }, out)
"""


@dataclass(frozen=True, slots=True)
class Library:
    """An interpreter, and what agents find when they import."""

    command: tuple[str, ...]
    """What a warden runs, with the agent's file behind it."""
    folder: Path
    """From where our packages, and the modules of a list, are imported."""
    path: tuple[str, ...]
    """What PYTHONPATH names: that folder, and what this process's own names of installed modules."""
    readable: tuple[str, ...]
    hidden: tuple[str, ...]


def lay_out(
    folder: Path, *, python: str | None = None, modules: Sequence[str] | None = None, rules: str = ""
) -> Library:
    """The library of agents, in the empty `folder`; BadPlayer where the interpreter or a module is not as it must be.

    `python` is by default the one that runs this; without `modules` all that it has may be imported, with them also
    what the game that `rules` names needs."""
    program = sys.executable if python is None else os.path.abspath(os.path.expanduser(python))
    roots = ("msgspec",) if modules is None else (*_HOSTING, *modules)
    facts = _ask(program, roots, rules if modules is not None else "")
    _check(program, facts, roots)
    interpreter = _of_interpreter(program, facts)
    installed = [path for path in facts["path"] if os.path.basename(path) in _INSTALLED and os.path.isdir(path)]
    if modules is None:
        if facts["tag"] == sys.implementation.cache_tag:
            for package in _OURS:
                (folder / package).symlink_to(_SOURCES / package)
        else:
            for package in _OURS:
                shutil.copytree(_SOURCES / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
            _compile(program, folder)
        readable = (*interpreter, *installed, str(folder), *(str(_SOURCES / package) for package in _OURS))
        given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        path = (str(folder), *(place for place in installed if place in given))
        return Library((program, "-P", "-m", "agents"), folder, path, _plain(readable), ())
    _copy_ours(folder, facts["files"], modules)
    linked = _link_others(folder, facts)
    _compile(program, folder)
    hidden = [*installed, *_all_installed(facts)]
    # Without `site` nothing is on the path but the library and what comes with Python.
    command = (program, "-S", "-P", "-m", "agents")
    return Library(command, folder, (str(folder),), _plain((*interpreter, *linked, str(folder))), _plain(hidden))


def _ask(program: str, roots: Sequence[str], rules: str) -> dict[str, Any]:
    """What the interpreter says of itself, once it has imported `roots`, and what these `rules` need."""
    path = os.pathsep.join(filter(None, (str(_SOURCES), os.environ.get("PYTHONPATH"))))
    environment = {"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": path, "LANG": "C.UTF-8"}
    try:
        done = subprocess.run(
            [program, "-P", "-c", _ASKED, json.dumps(roots), rules],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWERS_WITHIN,
            env=environment,
        )
    except OSError as error:
        raise BadPlayer(f"python: expected a Python interpreter, got {quote(program)}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise BadPlayer(f"python: {quote(program)} did not answer within {_ANSWERS_WITHIN} s") from None
    try:
        facts: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        said = one_line(done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]) or "nothing"
        raise BadPlayer(
            f"python: expected Python {_OLDEST[0]}.{_OLDEST[1]} or newer, {quote(program)} is none (it said {said})"
        ) from None
    return facts


def _check(program: str, facts: dict[str, Any], roots: Sequence[str]) -> None:
    version = tuple(facts["version"])
    if version < _OLDEST:
        raise BadPlayer(
            f"python: expected Python {_OLDEST[0]}.{_OLDEST[1]} or newer, {quote(program)} is {version[0]}.{version[1]}"
        )
    missing: dict[str, str] = facts["missing"]
    if not missing:
        return
    name, why = next(iter(missing.items()))
    if "msgspec" in why or name == "msgspec":
        raise BadPlayer(
            f"python: {quote(program)} has no msgspec, which hosts agents: {program} -m pip install msgspec"
        )
    names = one_of([quote(other) for other in roots if other in missing], most=8)
    raise BadPlayer(
        f"modules: {quote(program)} cannot import {names} ({one_line(why)}); correct the name, or install it there"
    )


def _of_interpreter(program: str, facts: dict[str, Any]) -> list[str]:
    """What the interpreter itself needs: its program, and what came with it."""
    found = [program, os.path.realpath(program), facts["program"], *facts["standard"]]
    for prefix in facts["prefixes"]:
        found.append(os.path.join(prefix, "pyvenv.cfg"))
        if prefix not in ("/usr", "/usr/local"):  # of these the system's folders are readable anyway
            found += [os.path.join(prefix, name) for name in ("lib", "lib64") if _has_own_libraries(prefix, name)]
    return [path for path in found if os.path.exists(path)]


def _has_own_libraries(prefix: str, name: str) -> bool:
    """Whether the folder is that of a whole Python and not of an environment, whose modules are told apart."""
    return os.path.isdir(os.path.join(prefix, name)) and not os.path.exists(os.path.join(prefix, "pyvenv.cfg"))


def _all_installed(facts: dict[str, Any]) -> list[str]:
    """Every folder of modules that did not come with a Python, wherever agents may read."""
    found = []
    for place in (*facts["prefixes"], "/usr", "/usr/local"):
        for library in ("lib", "lib64", "local/lib"):
            pythons = Path(place, library)
            if pythons.is_dir():
                found += [str(path) for path in pythons.glob("python3*/*-packages") if path.name in _INSTALLED]
                found += [str(path) for path in pythons.glob("pypy3*/*-packages") if path.name in _INSTALLED]
    return found


def _copy_ours(folder: Path, files: dict[str, list[str]], modules: Sequence[str]) -> None:
    """Of our two packages what hosts an agent, and what is on the list."""
    wanted = {name for name in files if name.partition(".")[0] in _OURS}
    for name in sorted(wanted | {"agents.__main__"}):
        source = _SOURCES.joinpath(*name.split("."))
        target = folder.joinpath(*name.split("."))
        if source.is_dir():
            listed = any(module == name for module in modules)
            if listed:
                shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
            source = source / "__init__.py"
            target = target / "__init__.py"
        else:
            source = source.with_suffix(".py")
            target = target.with_suffix(".py")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
    for package in sorted({folder.joinpath(*name.split(".")) for name in wanted}):
        if package.is_dir():
            _copy_data(_SOURCES / package.relative_to(folder), package)


def _copy_data(source: Path, target: Path) -> None:
    """What modules of a package read and is no module: trees, mazes."""
    for path in source.iterdir():
        if path.is_dir() and not (path / "__init__.py").exists() and path.name != "__pycache__":
            shutil.copytree(path, target / path.name, dirs_exist_ok=True)
        elif path.is_file() and path.suffix != ".py":
            shutil.copy2(path, target / path.name)


def _link_others(folder: Path, facts: dict[str, Any]) -> list[str]:
    """Links to what else was imported and did not come with Python, whole packages each; where they lead."""
    standard = tuple(path.rstrip("/") + "/" for path in facts["standard"])
    linked = []
    for name, places in facts["files"].items():
        top = name.partition(".")[0]
        if name != top or top in (*_OURS, "__main__") or not places:
            continue
        place = places[0]
        apart = any(f"/{installed}/" in place for installed in _INSTALLED)
        if place.startswith(standard) and not apart:
            continue
        source = Path(place).parent if Path(place).name.startswith("__init__.") or len(places) > 1 else Path(place)
        for each in (source, source.with_name(f"{source.name}.libs")):
            if each.exists() and not (folder / each.name).exists():
                (folder / each.name).symlink_to(each)
                linked.append(str(each))
    return linked


def _compile(program: str, folder: Path) -> None:
    """Compiled now, the modules load at once; agents may not write there."""
    subprocess.run(
        [program, "-I", "-m", "compileall", "-q", *(str(folder / package) for package in _OURS)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def _plain(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(os.path.abspath, paths)))
