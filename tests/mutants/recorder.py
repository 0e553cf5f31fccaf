"""Records which tests execute which lines of which module, and how long each test takes.

The suite runs once under coverage, whose context is the name of the running test. Coverage's `.pth` file measures every
child process that reads `site` and keeps our environment; its context is `PYTEST_CURRENT_TEST`, which pytest sets. Not
measured: agents behind walls (`-I -S`) and processes that end by SIGKILL. As a pytest plugin this module names the
tests; `record` runs pytest with it, and `Recording` reads the result.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import pytest
from coverage import Coverage, CoverageData

from tests.kit.places import ROOT

PACKAGES: Final = ("adsearch", "agents", "arena", "db")
FOLDER: Final = ROOT / "build" / "mutants"
_RECORDED: Final = FOLDER / "recorded"
_SETTINGS: Final = """\
[run]
parallel = true
data_file = {folder}/lines
include = {sources}
context = ${{PYTEST_CURRENT_TEST-}}
sigterm = true
patch = _exit
disable_warnings = no-data-collected, module-not-imported, module-not-measured
"""
_SETUP: Final = " (setup)"
_PHASE: Final = re.compile(r" \((setup|call|teardown)\)$")
"""What pytest appends to the name of the test in `PYTEST_CURRENT_TEST`, and we to the contexts."""

_seconds: dict[str, float] = defaultdict(float)
_costly: set[str] = set()


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.get_closest_marker("costly"):
        item.user_properties.append(("costly", True))  # travels with the reports of pytest-xdist


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    _begin(f"{item.nodeid}{_SETUP}")
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    _begin(f"{item.nodeid} (call)")
    return (yield)


def pytest_runtest_logfinish() -> None:
    _begin("")


def _begin(context: str) -> None:
    running = Coverage.current()
    assert running is not None
    running.switch_context(context)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seconds[report.nodeid] += report.duration
    if ("costly", True) in report.user_properties:
        _costly.add(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        _times().write_text(json.dumps({"seconds": _seconds, "costly": sorted(_costly)}), "utf-8")


def _times() -> Path:
    return _RECORDED / "tests.json"


def files() -> list[str]:
    """The files of the repository that git knows or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [name for name in names if (ROOT / name).is_file()]


def tree() -> str:
    """A hash of the sources and tests, without this folder: what is recorded is true of these only."""
    hashed = hashlib.sha256()
    for name in files():
        if name.startswith((*(f"{package}/" for package in PACKAGES), "tests/")) and "tests/mutants/" not in name:
            hashed.update(f"{name}\0".encode() + hashlib.sha256((ROOT / name).read_bytes()).digest())
    return hashed.hexdigest()


def record(tests: Sequence[str], *, processes: int) -> None:
    """Runs the tests once; failures do not matter here."""
    shutil.rmtree(_RECORDED, ignore_errors=True)
    _RECORDED.mkdir(parents=True)
    sources = ", ".join(str(ROOT / package / "*") for package in PACKAGES)
    settings = _RECORDED / "settings.ini"
    settings.write_text(_SETTINGS.format(folder=_RECORDED, sources=sources), "utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "tests.mutants.recorder", "-p", "no:cacheprovider", *tests]
    command += ["--numprocesses", str(processes), "--dist", "worksteal", "--quiet", "--no-summary"]
    environment = os.environ | {"COVERAGE_PROCESS_START": str(settings)}
    code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        sys.exit(f"expected tests that run, got exit code {code} of pytest")
    coverage = Coverage(str(_RECORDED / "lines"), config_file=False, messages=False)
    coverage.combine([str(_RECORDED)], strict=True)
    coverage.save()
    (_RECORDED / "of").write_text(_name(tests), "utf-8")


def _name(tests: Sequence[str]) -> str:
    return " ".join([tree(), *tests])


def is_recorded(tests: Sequence[str]) -> bool:
    """Whether these tests are recorded, with the sources as they are."""
    of = _RECORDED / "of"
    return of.exists() and of.read_text("utf-8") == _name(tests)


class Recording:
    """What was recorded last."""

    def __init__(self) -> None:
        recorded = json.loads(_times().read_text("utf-8"))
        self.seconds: dict[str, float] = recorded["seconds"]
        self.costly = frozenset[str](recorded["costly"])
        self._data = CoverageData(str(_RECORDED / "lines"))
        self._data.read()
        self._contexts = lru_cache(maxsize=20)(self._data.contexts_by_lineno)

    def tests(self, module: str, lines: Iterable[int], *, on_import: bool) -> set[str]:
        """The tests that execute any of the lines.

        Some lines are executed once for several tests, and only the first test is seen to execute them. What runs on
        import counts for all tests that use the module, and what runs in a fixture for all tests of its file."""
        contexts = self._contexts(str(ROOT / module))
        executed = set(lines) & contexts.keys()
        if executed and (on_import or any("" in contexts[line] for line in executed)):
            executed = set(contexts)
        seen = set[str]().union(*(contexts[line] for line in executed))
        files = {context.partition("::")[0] for context in seen if context.endswith(_SETUP)}
        names = {_PHASE.sub("", context) for context in seen}
        return {test for test in self.seconds if test in names or test.partition("::")[0] in files}
