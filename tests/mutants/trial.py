"""Tries one mutant: runs the tests that execute its line in a copy of the repository, until one finds it.

A test finds a mutant if it fails with the mutant, fails again alone, and passes alone without it. This module is also a
pytest plugin, only for such runs: it keeps the chosen tests, and notes which began last, so that it is known where a
run ended.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final

import msgspec
import pytest

from tests.kit.places import ROOT
from tests.mutants import recorder
from tests.mutants.changes import Change

_FOLDER: Final = "MUTANTS_FOLDER"
"""The environment variable that the tests of a copy have: a folder with the list of tests, and what began last."""
_PORTIONS: Final = (5, 20, 80)
"""Recorded seconds of the tests that one pytest process runs: the first ones find most, and load few test modules."""
_NOTHING_FAILED: Final = (0, 5)
"""Exit codes of pytest: all tests passed, or none was left."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen = set((Path(os.environ[_FOLDER]) / "chosen").read_text("utf-8").splitlines())
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
    items[:] = [item for item in items if item.nodeid in chosen]


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        pytest_runtest_logstart(report.nodeid)


def pytest_runtest_logstart(nodeid: str) -> None:
    (Path(os.environ[_FOLDER]) / "began").write_text(nodeid, "utf-8")


class Mutant(msgspec.Struct, frozen=True):
    """A change, where it is, and the tests that execute its line."""

    room: str
    module: str
    change: Change
    quick: tuple[str, ...]
    costly: tuple[str, ...]


class Outcome(msgspec.Struct, frozen=True):
    """What the tests said about a mutant."""

    by: str
    """`quick`, `costly`, or `none`."""
    test: str = ""
    """The test that found it."""
    note: str = ""


class Stopped(Exception):
    """The copy was stopped by another thread."""


class Copy:
    """A copy of the repository. Its tests import its own packages, not the installed ones."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._root = folder / "repository"
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._times = count(1_000_000_000)
        self.unsound = set[str]()
        """Tests that fail without any change."""
        for name in recorder.files():
            (self._root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, self._root / name)
        self._environment = os.environ | {"PYTHONPATH": str(self._root), _FOLDER: str(folder)}
        names = ", ".join([*recorder.PACKAGES, "tests"])
        command = [sys.executable, "-P", "-c", f"import {names}; print(*({names}), sep='\\n')"]
        shown = subprocess.run(
            command, env=self._environment, cwd="/", capture_output=True, text=True, check=True
        ).stdout
        assert all(str(self._root) in line for line in shown.splitlines()), f"other packages are imported: {shown}"

    def first_to_fail(self, tests: Sequence[str], *, limit: float, log: Path) -> str | None:
        """Runs these tests until one fails or the time is over, and returns the test that ran then."""
        (self._folder / "chosen").write_text("\n".join(tests), "utf-8")
        (self._folder / "began").write_text("", "utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", "-p", "no:xdist"]
        command += ["-p", "tests.mutants.trial", "--hypothesis-seed=0"]
        command += dict.fromkeys(test.partition("::")[0] for test in tests)
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                command,
                cwd=self._root,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        if self._stopped:
            self._end_processes()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(limit)
        self._end_processes()
        if self._stopped:
            raise Stopped
        if self._process.wait() in _NOTHING_FAILED:
            return None
        began = (self._folder / "began").read_text("utf-8")  # a module if it cannot be imported
        return next((test for test in tests if test == began or test.startswith(f"{began}::")), tests[0])

    def _end_processes(self) -> None:
        """Ends pytest and what its tests have left: the processes with the environment of this copy."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        for environment in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if f"{_FOLDER}={self._folder}\0".encode() in environment.read_bytes():
                    os.kill(int(environment.parent.name), signal.SIGKILL)

    def stop(self) -> None:
        """Makes `first_to_fail` raise `Stopped` in the thread that is in it, and in all that call it later."""
        self._stopped = True
        self._end_processes()

    @contextmanager
    def changed(self, module: str, change: Change) -> Iterator[None]:
        """Meanwhile the copy has the change. Each version of the file has its own time, or Python would take the
        bytecode of another version that is as long and as old."""
        path = self._root / module
        source = path.read_text("utf-8")
        self._write(path, change.applied(source))
        try:
            yield
        finally:
            self._write(path, source)

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, "utf-8")
        time = next(self._times)
        os.utime(path, (time, time))


def attempt(mutant: Mutant, copy: Copy, seconds: Mapping[str, float], *, most: float, log: Path) -> Outcome:
    """Runs the tests of the mutant; of each kind those that take about `most` seconds together."""
    notes = []
    for kind, tests in (("quick", mutant.quick), ("costly", mutant.costly)):
        chosen = in_order(tests, seconds, own=f"tests/{mutant.room}/", most=most)
        if len(chosen) < len(tests):
            notes.append(f"{len(chosen)} of {len(tests)} {kind} tests")
        for portion in portions(chosen, seconds):
            found = _finder(mutant, copy, portion, seconds, log=log)
            if found is not None:
                return Outcome(kind, found, ", ".join(notes))
    return Outcome("none", note=", ".join(notes))


def in_order(tests: Sequence[str], seconds: Mapping[str, float], *, own: str, most: float) -> list[str]:
    """The tests in the folder `own`, then the others, both cheapest first. If they take more than `most` seconds
    together, only an even sample of the others."""
    cheapest_first = sorted(tests, key=lambda test: (seconds[test], test))
    near = [test for test in cheapest_first if test.startswith(own)]
    far = [test for test in cheapest_first if not test.startswith(own)]
    left = max(0.0, most - sum(seconds[test] for test in near))
    total = sum(seconds[test] for test in far)
    kept = len(far) if total <= left else int(len(far) * left / total)
    return near + [far[place * len(far) // kept] for place in range(kept)]


def portions(tests: Sequence[str], seconds: Mapping[str, float]) -> list[list[str]]:
    """The tests in parts, each with more to run than the one before."""
    parts: list[list[str]] = [[] for _ in range(len(_PORTIONS) + 1)]
    spent = 0.0
    for test in tests:
        spent += seconds[test]
        parts[sum(spent > most for most in _PORTIONS)].append(test)
    return [part for part in parts if part]


def _finder(mutant: Mutant, copy: Copy, tests: list[str], seconds: Mapping[str, float], *, log: Path) -> str | None:
    """The first of the tests that finds the mutant."""

    def first_to_fail(tests: Sequence[str]) -> str | None:
        return copy.first_to_fail(tests, limit=3 * sum(seconds[test] for test in tests) + 60, log=log)

    while tests := [test for test in tests if test not in copy.unsound]:
        with copy.changed(mutant.module, mutant.change):
            failed = first_to_fail(tests)
            if failed is None:
                return None
            fails_again = first_to_fail([failed]) is not None
        if fails_again:
            if first_to_fail([failed]) is None:
                return failed
            copy.unsound.add(failed)
        tests = [test for test in tests if test != failed]
    return None
