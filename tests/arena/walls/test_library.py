"""What Python agents can import: with real interpreters, and with programs that pretend to be one."""

from __future__ import annotations

import inspect
import json
import os
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from adsearch import form, games
from adsearch.errors import quote
from adsearch.form import INTERPRETED
from agents.protocol import Verdict
from arena.errors import BadPlayer
from arena.match.allowance import WallKind
from arena.match.conditions import Conditions
from arena.players.entrants import Confinement
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.walls import library
from arena.walls.library import Library
from tests.kit import compiled_twin
from tests.kit.behind_walls import need, said, start
from tests.kit.one_game_judge import Judge

CONFINED = (WallKind.SANDBOX, WallKind.CONTAINER)


@pytest.fixture(autouse=True)
def _interpreters_are_asked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_ask", inspect.unwrap(library._ask))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder."""
    path = tmp_path / "library"
    path.mkdir()
    return path


def imported(laid: Library, source: str, kind: WallKind, scratch: Path) -> str:
    """The output of an agent's interpreter, with that library, behind walls of that kind."""
    at = laid.command.index("-m")
    command = (*laid.command[:at], "-c", source)
    scratch.mkdir(exist_ok=True)
    environment = {"PYTHONPATH": str(laid.folder)}
    given: dict[str, Any] = {"readable": laid.readable, "hidden": laid.hidden, "environment": environment}
    return said(start(command, kind, scratch, **given))


TRIES = """if True:
    import importlib
    for name in {names!r}:
        try:
            importlib.import_module(name)
        except ImportError:
            print("-", end=" ")
        except OSError as error:
            print(type(error).__name__, end=" ")
        else:
            print(name, end=" ")
"""
OF_OURS = (
    "agents",
    "adsearch.games",
    "adsearch.games.connect4",
    "adsearch.alphabeta",
    "agents.builtin",
    "arena.match.match",
    "db.records",
)


def test_by_default_our_packages_are_there_and_all_that_is_installed(folder: Path) -> None:
    laid = library.lay_out(folder)
    assert laid.command == (sys.executable, "-P", "-m", "agents")
    others = [path.name for path in folder.iterdir() if not path.name.startswith(form.PACKAGE)]
    assert sorted(others) == ["adsearch", "agents"]
    assert laid.hidden == ()
    assert str(folder) in laid.readable
    spec = find_spec("msgspec")
    assert spec is not None
    assert spec.origin is not None
    assert any(spec.origin.startswith(f"{path}/") for path in laid.readable)


@pytest.mark.parametrize("kind", CONFINED)
def test_by_default_an_agent_imports_the_kit_and_the_search_and_nothing_of_the_server(
    kind: WallKind, folder: Path, tmp_path: Path
) -> None:
    told = imported(library.lay_out(folder), TRIES.format(names=(*OF_OURS, "msgspec")), kind, tmp_path / "scratch")
    assert told == "agents adsearch.games adsearch.games.connect4 adsearch.alphabeta agents.builtin - - msgspec"


@pytest.mark.parametrize("kind", CONFINED)
def test_of_a_list_an_agent_imports_what_is_on_it(kind: WallKind, folder: Path, tmp_path: Path) -> None:
    laid = library.lay_out(folder, modules=["adsearch.games"])
    names = (*OF_OURS, "numpy", "pytest", "json")
    told = imported(laid, TRIES.format(names=names), kind, tmp_path / "scratch").split()
    assert told[:4] == ["agents", "adsearch.games", "adsearch.games.connect4", "-"]
    assert told[5:] == ["-", "-", "-", "-", "json"]


@pytest.mark.parametrize("modules", [(), ("adsearch.games",), ("adsearch.games", "adsearch.alphabeta")])
def test_what_is_not_on_the_list_is_not_in_the_library(modules: tuple[str, ...], folder: Path) -> None:
    library.lay_out(folder, modules=modules)
    assert (folder / "agents" / "__main__.py").is_file()
    assert (folder / "adsearch" / "alphabeta.py").exists() == ("adsearch.alphabeta" in modules)
    assert not (folder / "adsearch" / "mcts.py").exists()
    assert not (folder / "arena").exists()
    assert not [path for path in folder.rglob("*") if path.is_symlink() and path.name in ("agents", "adsearch")]
    assert (folder / "adsearch" / "games" / "connect4.py").is_file() == ("adsearch.games" in modules)


@pytest.mark.parametrize("kind", CONFINED)
def test_numpy_is_there_when_it_is_on_the_list(kind: WallKind, folder: Path, tmp_path: Path) -> None:
    laid = library.lay_out(folder, modules=["numpy", "adsearch.games"])
    source = "import numpy; print(int(numpy.arange(5) @ numpy.arange(5)))"
    assert imported(laid, source, kind, tmp_path / "scratch") == "30"
    told = imported(laid, TRIES.format(names=("adsearch.alphabeta", "pytest")), kind, tmp_path / "scratch")
    assert told == "- -"


@pytest.mark.parametrize("kind", CONFINED)
def test_numpy_is_there_without_a_list(kind: WallKind, folder: Path, tmp_path: Path) -> None:
    source = "import numpy; print(numpy.linalg.det(numpy.eye(3)))"
    assert imported(library.lay_out(folder), source, kind, tmp_path / "scratch") == "1.0"


@pytest.mark.parametrize("kind", CONFINED)
def test_a_path_into_what_is_installed_leads_nowhere(kind: WallKind, folder: Path, tmp_path: Path) -> None:
    laid = library.lay_out(folder, modules=["adsearch.games"])
    places = [str(Path(library.__file__).parents[2])]
    places += [str(Path(spec.origin).parents[1]) for spec in [find_spec("pytest")] if spec and spec.origin]
    source = f"import sys; sys.path[:0] = {places!r}\n" + TRIES.format(
        names=("adsearch.pvs", "pytest", "arena.match.match")
    )
    told = imported(laid, source, kind, tmp_path / "scratch").split()
    assert told
    assert set(told) <= {"-", "PermissionError"}


# Wrong interpreters and modules.


def pretender(path: Path, **told: Any) -> str:
    """A program that answers like an interpreter with these peculiarities."""
    usual = {
        "version": sys.version_info[:2],
        "tag": sys.implementation.cache_tag,
        "program": str(path),
        "prefixes": [str(path.parent)],
        "standard": [str(path.parent)],
        "path": [],
        "form": "interpreted",
        "why": "",
        "compiled": {},
        "missing": {},
        "files": {},
    }
    path.write_text(f"#!/bin/sh\necho {shlex.quote(json.dumps(usual | told))}\n")
    path.chmod(0o755)
    return str(path)


def refusal(folder: Path, **settings: Any) -> str:
    """The message of BadPlayer."""
    with pytest.raises(BadPlayer) as refused:
        library.lay_out(folder, **settings)
    assert list(folder.iterdir()) == []
    return str(refused.value)


def test_every_name_of_our_packages_can_be_imported_whatever_the_list(folder: Path, tmp_path: Path) -> None:
    laid = library.lay_out(folder, modules=())
    source = "from adsearch import *; from agents import *; print(Budget, Trace, searches, practice)"
    assert imported(laid, source, WallKind.LIMITS, tmp_path / "scratch").startswith("<class 'adsearch.budget.Budget'>")


def test_a_module_that_is_missing_is_named_and_all_of_them(folder: Path) -> None:
    words = refusal(folder, modules=["json", "no_such_module", "adsearch.no_such_part"])
    assert words.startswith(f"modules: {quote(sys.executable)} cannot import ")
    assert "'no_such_module'" in words
    assert "'adsearch.no_such_part'" in words
    assert "'json'" not in words
    assert "ModuleNotFoundError" in words


def test_a_failing_module_is_reported_with_its_reason(folder: Path, tmp_path: Path) -> None:
    python = pretender(tmp_path / "python", missing={"numpy": "ImportError: libblas.so: cannot open"})
    words = refusal(folder, python=python, modules=["numpy"])
    assert f"modules: {quote(python)} cannot import 'numpy' (ImportError: libblas.so: cannot open)" in words


def test_an_old_python_is_refused(folder: Path, tmp_path: Path) -> None:
    python = pretender(tmp_path / "python", version=[3, 9])
    assert refusal(folder, python=python) == f"python: expected Python 3.11 or newer, {quote(python)} is 3.9"


def test_for_a_python_without_msgspec_the_message_says_how_to_install_it(folder: Path, tmp_path: Path) -> None:
    no = "ModuleNotFoundError: No module named 'msgspec'"
    for missing, modules in (({"msgspec": no}, None), ({"agents.__main__": no, "agents.over_stdio": no}, ["json"])):
        python = pretender(tmp_path / "python", missing=missing)
        words = refusal(folder, python=python, modules=modules)
        assert words == f"python: {quote(python)} has no msgspec, which agents need: {python} -m pip install msgspec"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("#!/bin/sh\necho hello\n", "which printed nothing"),
        ("#!/bin/sh\necho one >&2; echo two >&2\n", "which printed two"),
        ("#!/no/such/interpreter\n", "No such file or directory"),
    ],
    ids=["says something else", "complains", "cannot run"],
)
def test_a_program_that_is_not_python_is_refused(content: str, words: str, folder: Path, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(content)
    python.chmod(0o755)
    told = refusal(folder, python=str(python))
    assert told.startswith("python: expected ")
    assert words in told
    assert quote(str(python)) in told


def test_a_missing_program_is_not_python(folder: Path) -> None:
    assert "'/no/such/python': No such file" in refusal(folder, python="/no/such/python")


def test_another_interpreter_gets_copies_that_it_can_compile(folder: Path, tmp_path: Path) -> None:
    python = pretender(tmp_path / "python", tag="another-python")
    laid = library.lay_out(folder, python=python)
    assert laid.command[0] == python
    assert not (folder / "agents").is_symlink()
    assert (folder / "agents" / "__main__.py").is_file()
    assert not list(folder.rglob("__pycache__"))


def test_a_relative_interpreter_is_found_from_here(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = pretender(tmp_path / "python")
    monkeypatch.chdir(tmp_path)
    assert library.lay_out(folder, python="./python").command[0] == python


# The compiled form of adsearch.


@pytest.mark.parametrize("kind", CONFINED)
@pytest.mark.parametrize(
    ("modules", "shown"), [(None, True), (["adsearch"], True), (["adsearch.alphabeta"], False), ([], False)]
)
def test_the_compiled_form_is_shown_with_all_of_adsearch_and_else_not(
    modules: list[str] | None,
    shown: bool,
    kind: WallKind,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled_twin.install(tmp_path, monkeypatch)
    laid = library.lay_out(folder, modules=modules, adsearch="compiled")
    names = ("adsearch_compiled", "adsearch_compiled.alphabeta", "adsearch_compiled__mypyc")
    told = imported(laid, TRIES.format(names=names), kind, tmp_path / "scratch").split()
    assert told == ([*names] if shown else ["-"] * 3)


def test_an_interpreter_without_the_compiled_form_is_refused_if_it_is_required(folder: Path, tmp_path: Path) -> None:
    python = pretender(tmp_path / "python", why="built for Python 3.14")
    words = refusal(folder, python=python, adsearch="compiled")
    assert f"but {python} cannot search compiled: built for Python 3.14" in words
    assert library.lay_out(folder, python=python, adsearch="interpreted").command[1:3] == ("-X", INTERPRETED)


# Real agents.

AGENT = """
{imports}
from agents import Agent

class First(Agent):
    def choose(self, state, clock):
        return state.moves()[0]
"""


@pytest.mark.parametrize("kind", WallKind)
@pytest.mark.parametrize(
    ("imports", "modules", "plays"),
    [
        ("import adsearch.alphabeta", ("adsearch.games",), False),
        ("from adsearch import pvs", ("adsearch.games",), False),
        ("import numpy", ("adsearch.games",), False),
        ("import adsearch.games", ("adsearch.games",), True),
        ("import adsearch.alphabeta", ("adsearch.alphabeta",), True),
        ("import adsearch.alphabeta", None, True),
        pytest.param("import numpy", ("numpy",), True),
    ],
    ids=["search", "another search", "not listed", "games", "listed search", "no list", "numpy"],
)
def test_an_agent_plays_with_what_it_may_import(
    imports: str, modules: tuple[str, ...] | None, plays: bool, kind: WallKind, tmp_path: Path
) -> None:
    need(kind)
    (tmp_path / "first.py").write_text(AGENT.format(imports=imports))
    scratch = tmp_path / "run" / "scratch"
    scratch.mkdir(parents=True)
    store = Store(tmp_path / "store")
    submission = store.take(read_player(str(tmp_path / "first.py")))
    orders = Confinement(scratch, "tictactoe", conditions=Conditions(walls=kind, modules=modules)).warden_settings(
        "first", submission, store
    )
    with Judge(orders.pop("command"), **orders) as judge:
        match = judge.play()
        judge.hang_up()
    assert list(scratch.iterdir()) == []
    if plays:
        assert (match.verdict, match.fault) == (Verdict.NORMAL, None), match.detail
    else:
        assert (match.verdict, match.fault) == (Verdict.CRASHED, 0)
        assert "there is no module" in match.detail or "cannot import name" in match.detail


def test_the_interpreter_runs_with_a_clean_environment(folder: Path, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\nenv > {shlex.quote(str(tmp_path / "seen"))}\nexec {shlex.quote(sys.executable)} "$@"\n'
    )
    python.chmod(0o755)
    os.environ["ARENA_SECRET"] = "x"
    try:
        library.lay_out(folder, python=str(python))
    finally:
        del os.environ["ARENA_SECRET"]
    names = {line.partition("=")[0] for line in (tmp_path / "seen").read_text().splitlines()}
    assert {"PATH", "PYTHONPATH", "LANG"} <= names
    assert "ARENA_SECRET" not in names


@pytest.mark.parametrize("rules", [*games.names(), "maze:map=tiny", "tree:binary"])
def test_a_list_brings_all_that_the_game_needs(rules: str, folder: Path) -> None:
    laid = library.lay_out(folder, modules=[], rules=rules)
    source = f"from adsearch import games; print(games.start({rules!r}).players)"
    played = subprocess.run(
        [laid.command[0], "-S", "-P", "-c", source],
        env={"PYTHONPATH": str(laid.folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(played.stdout) == games.start(rules).players
