"""Which Python runs an agent, and which modules the agent can import.

Before the first game the director asks the interpreter, once, where its modules are, and fills the folder from which
agents import our two packages. With a list of modules, no other module is on the path, or readable inside a sandbox or
container. The interpreter and its installed modules belong to the instructor and are trusted; no agent's code runs
here.
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
from adsearch.form import INTERPRETED, Form
from adsearch.games.catalog import find, is_by_entry_point, is_of_package
from agents.errors import one_line
from arena.errors import BadPlayer

_OURS: Final = ("adsearch", "agents")
_HOSTING: Final = (
    *("agents.__main__", "agents.over_stdio", "agents.strict", "agents.builtin"),
    *("adsearch.budget", "adsearch.registry", "adsearch.result", "adsearch.table", "adsearch.trace"),
)
"""The modules that load and run an agent, with those that are imported only when they are used."""
_SOURCES: Final = Path(agents.__file__).resolve().parents[1]
_OLDEST: Final = (3, 11)
_ANSWERS_WITHIN: Final = 60
"""Seconds that an interpreter has to import the listed modules."""
_INSTALLED: Final = ("site-packages", "dist-packages")
"""Names of folders for modules that are not part of Python."""

_QUERY: Final = """if True:
    import importlib, json, sys, sysconfig
    out = sys.stdout
    sys.stdout = sys.stderr
    missing, before = {}, set(sys.modules)
    if sys.argv[2]:
        from adsearch import games
        try:
            games.start(sys.argv[2])
        except Exception as error:
            missing[sys.argv[2]] = str(error)
    for name in json.loads(sys.argv[1]):
        try:
            importlib.import_module(name)
        except BaseException as error:
            missing[name] = f"{type(error).__name__}: {error}"
    def imported_since(before):
        files = {}
        for name in sorted(set(sys.modules) - before):
            module = sys.modules[name]
            places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
            files[name] = [place for place in places if isinstance(place, str)]
        return files
    files, before = imported_since(before), set(sys.modules)
    form, why = "interpreted", ""
    if not missing:
        from adsearch import form as found
        form, why = found.form(), found.why_interpreted()
    if form == "compiled":
        import adsearch_compiled, pkgutil
        for each in pkgutil.walk_packages(adsearch_compiled.__path__, "adsearch_compiled."):
            importlib.import_module(each.name)
    json.dump({
        "version": sys.version_info[:2],
        "tag": sys.implementation.cache_tag,
        "program": sys.executable,
        "prefixes": sorted({sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}),
        "standard": sorted({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}),
        "path": sys.path,
        "form": form,
        "why": why,
        "missing": missing,
        "files": files,
        "compiled": imported_since(before),
    }, out)
"""


@dataclass(frozen=True, slots=True)
class Library:
    """An interpreter, and the modules that agents can import."""

    command: tuple[str, ...]
    """The command that a warden runs, followed by the agent's file."""
    folder: Path
    """The folder of our packages and of listed modules."""
    path: tuple[str, ...]
    """PYTHONPATH: that folder, and the folders of installed modules in this process's PYTHONPATH."""
    readable: tuple[str, ...]
    hidden: tuple[str, ...]


def lay_out(
    folder: Path,
    *,
    python: str | None = None,
    modules: Sequence[str] | None = None,
    rules: str = "",
    adsearch: Form | None = None,
) -> Library:
    """Fills the empty `folder` with the library for agents; BadPlayer if the interpreter or a module cannot be used.

    `python`: default, the one that runs this process. Without `modules` everything installed can be imported; with
    them, only these, and what the game `rules` needs. `adsearch`: the form in which agents must search.

    The compiled modules are shown only with all of adsearch: else an agent could import there what is not listed."""
    program = sys.executable if python is None else os.path.abspath(os.path.expanduser(python))
    roots = ("msgspec",) if modules is None else (*_HOSTING, *modules)
    facts = _ask(program, roots, rules if modules is not None or is_of_package(rules) else "")
    _check(program, facts, roots)
    if adsearch == "compiled" and facts["form"] != adsearch:
        raise not_compiled(program, facts["why"])
    command = (program, *options(adsearch))
    interpreter = _of_interpreter(program, facts)
    if is_brought := is_by_entry_point(rules):
        _name_rules(folder, rules)
    installed = [path for path in facts["path"] if os.path.basename(path) in _INSTALLED and os.path.isdir(path)]
    shows_compiled = adsearch != "interpreted" and (modules is None or "adsearch" in modules)
    compiled = _link_others(folder, facts, "compiled") if shows_compiled else []
    if modules is None:
        if facts["tag"] == sys.implementation.cache_tag:
            for package in _OURS:
                (folder / package).symlink_to(_SOURCES / package)
        else:
            for package in _OURS:
                shutil.copytree(_SOURCES / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
            _compile(program, folder)
        linked = compiled + (_link_others(folder, facts, "files") if is_brought else [])
        readable = (*interpreter, *installed, *linked, str(folder), *(str(_SOURCES / package) for package in _OURS))
        given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        path = (str(folder), *(place for place in installed if place in given))
        return Library((*command, "-P", "-m", "agents"), folder, path, _plain(readable), ())
    _copy_ours(folder, facts["files"], modules)
    linked = compiled + _link_others(folder, facts, "files")
    _compile(program, folder)
    hidden = [*installed, *_all_installed(facts)]
    # -S: without the module `site`, only the library and the standard library are on the path.
    command = (*command, "-S", "-P", "-m", "agents")
    return Library(command, folder, (str(folder),), _plain((*interpreter, *linked, str(folder))), _plain(hidden))


def options(adsearch: Form | None) -> tuple[str, ...]:
    """The options of Python with which a process searches in this form."""
    return ("-X", INTERPRETED) if adsearch == "interpreted" else ()


def form_of(python: str) -> Form:
    """The form of adsearch that agents have which this interpreter runs; BadPlayer if it is none."""
    found: Form = _ask(os.path.abspath(os.path.expanduser(python)), (), "")["form"]
    return found


def not_compiled(where: str, why: str) -> BadPlayer:
    """The error for games that need the compiled form of adsearch, which is not `where`."""
    return BadPlayer(
        f'adsearch = "compiled" is in the description, or was recorded with the first game, but {where} cannot search '
        f'compiled: {why}. With adsearch = "interpreted" in the description agents go on, but slower: later '
        "games are then not like earlier ones"
    )


def _ask(program: str, roots: Sequence[str], rules: str) -> dict[str, Any]:
    """Facts about the interpreter, after it has imported `roots`, and what the game `rules` needs."""
    path = os.pathsep.join(filter(None, (str(_SOURCES), os.environ.get("PYTHONPATH"))))
    environment = {"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": path, "LANG": "C.UTF-8"}
    try:
        done = subprocess.run(
            [program, "-P", "-c", _QUERY, json.dumps(roots), rules],
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
        printed = one_line(done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]) or "nothing"
        raise BadPlayer(
            f"python: expected Python {_OLDEST[0]}.{_OLDEST[1]} or newer, got {quote(program)}, which printed {printed}"
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
    if name not in roots:
        raise BadPlayer(f"python: {quote(program)} cannot play the game: {one_line(why)}")
    if "msgspec" in why or name == "msgspec":
        raise BadPlayer(f"python: {quote(program)} has no msgspec, which agents need: {program} -m pip install msgspec")
    names = one_of([quote(other) for other in roots if other in missing], most=8)
    raise BadPlayer(
        f"modules: {quote(program)} cannot import {names} ({one_line(why)}); correct the name, or install it there"
    )


def _of_interpreter(program: str, facts: dict[str, Any]) -> list[str]:
    """The files of the interpreter itself: its program and its standard library."""
    found = [program, os.path.realpath(program), facts["program"], *facts["standard"]]
    for prefix in facts["prefixes"]:
        found.append(os.path.join(prefix, "pyvenv.cfg"))
        if prefix not in ("/usr", "/usr/local"):  # their folders are readable anyway
            found += [os.path.join(prefix, name) for name in ("lib", "lib64") if _has_own_libraries(prefix, name)]
    return [path for path in found if os.path.exists(path)]


def _has_own_libraries(prefix: str, name: str) -> bool:
    """Whether the folder belongs to a complete Python, not to a virtual environment (pyvenv.cfg)."""
    return os.path.isdir(os.path.join(prefix, name)) and not os.path.exists(os.path.join(prefix, "pyvenv.cfg"))


def _all_installed(facts: dict[str, Any]) -> list[str]:
    """Every folder of installed modules in a place that agents can read."""
    found = []
    for place in (*facts["prefixes"], "/usr", "/usr/local"):
        for library in ("lib", "lib64", "local/lib"):
            pythons = Path(place, library)
            if pythons.is_dir():
                found += [str(path) for path in pythons.glob("python3*/*-packages") if path.name in _INSTALLED]
                found += [str(path) for path in pythons.glob("pypy3*/*-packages") if path.name in _INSTALLED]
    return found


def _copy_ours(folder: Path, files: dict[str, list[str]], modules: Sequence[str]) -> None:
    """Copies the modules of our two packages that run an agent, and those on the list."""
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
    """Copies the data files of a package: trees, mazes."""
    for path in source.iterdir():
        if path.is_dir() and not (path / "__init__.py").exists() and path.name != "__pycache__":
            shutil.copytree(path, target / path.name, dirs_exist_ok=True)
        elif path.is_file() and path.suffix != ".py":
            shutil.copy2(path, target / path.name)


def _name_rules(folder: Path, rules: str) -> None:
    """Writes where the game that a package brings is found, as that package says it where it is installed."""
    game = find(rules)[0]
    about = folder / "arena_rules-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-rules\nVersion: 0\n")
    (about / "entry_points.txt").write_text(
        f"[arena.games]\n{game.name} = {game.state.__module__}:{game.state.__qualname__}\n"
    )


def _link_others(folder: Path, facts: dict[str, Any], imported: str) -> list[str]:
    """Links the other packages among the `imported` ones that are not part of Python; returns their real paths."""
    standard = tuple(path.rstrip("/") + "/" for path in facts["standard"])
    linked = []
    for name, places in facts[imported].items():
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
    """Compiles the modules now, because agents cannot write there."""
    subprocess.run(
        [program, "-I", "-m", "compileall", "-q", *(str(folder / package) for package in _OURS)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def _plain(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(os.path.abspath, paths)))
