"""The two parts of the tests, and how far a part is: a plugin of pytest (pyproject.toml names it).

`--part quick` (`make test`) runs all tests that are not marked `costly`, and each `journey`. `--part rest` (`make
test-all`) runs all that have not passed in a quick part since a file was last changed: the costly ones, and those that
were skipped because an extra or a program was missing. A test that an extra changes, though it passes without, is
marked `sees_extras` and runs in both. Without `--part` everything runs, as in `make soak`.
"""

import hashlib
import os
import sys
import zlib
from collections import Counter
from collections.abc import Sequence, Set
from contextlib import suppress
from time import monotonic
from typing import Any, Final

import pytest

from tests.kit.places import ROOT

_PASSED: Final = "arena/passed"
"""Where pytest's cache keeps the names of the quick tests that passed."""
_NOT_OURS: Final = {".git", ".hypothesis", ".venv", "__pycache__", "build", "dist"}
_EVERY: Final = {True: 0.5, False: 20.0}
"""Seconds between two lines that say how far the part is: on a terminal, and in a log."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", choices=("quick", "rest"), help="Run one part of the tests (default: all of them).")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "costly(seconds=0): needs more than half a second of processor time; `make test` leaves it out"
    )
    config.addinivalue_line("markers", "journey: the real journey of a thing that users do; in `make test` at any cost")
    config.addinivalue_line("markers", "sees_extras: passes without the extras too, but tests something else then")
    if config.getoption("--part") and not hasattr(config, "workerinput"):
        config.option.reportchars = ""  # instead of a line for each place that skips, one for each reason
        config.pluginmanager.register(_Progress(config))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what is not of this part, and orders the tests for the processes that share them."""
    part = config.getoption("--part")
    if part is not None:
        passed = _passed(config) if part == "rest" else set()
        here = {item: _is_of_part(item, part, passed) for item in items}
        config.hook.pytest_deselected(items=[item for item in items if not here[item]])
        items[:] = [item for item in items if here[item]]
    workers = int(getattr(config, "workerinput", {}).get("workercount", 1))
    if workers > 1:
        costs = [
            marker.kwargs.get("seconds", 0) if (marker := item.get_closest_marker("costly")) else 0 for item in items
        ]
        items[:] = [items[place] for place in dealt([item.nodeid for item in items], costs, workers)]


def _is_of_part(item: pytest.Item, part: str, passed: Set[str]) -> bool:
    if part == "quick":
        return item.get_closest_marker("costly") is None or item.get_closest_marker("journey") is not None
    return item.nodeid not in passed or item.get_closest_marker("sees_extras") is not None


def dealt(names: Sequence[str], costs: Sequence[float], processes: int) -> list[int]:
    """The order in which to hand out these tests, as places among them.

    Each process is first given a part of the tests that is as long as any other's (`--dist worksteal`), and takes what
    others have left when it is done. So the tests that name their seconds are dealt to the beginnings of the parts, the
    longest first. The other files come in an order that has nothing to do with what they cost: then the share of the
    tests that have run tells the share of the time."""
    long = sorted((place for place, cost in enumerate(costs) if cost), key=lambda place: -costs[place])
    others = [place for place, cost in enumerate(costs) if not cost]
    others.sort(key=lambda place: zlib.crc32(names[place].partition("::")[0].encode()))
    order: list[int] = []
    taken = 0
    for process in range(processes):
        part = long[process::processes]
        size = max(0, (len(names) - len(order)) // (processes - process) - len(part))
        order += [*part, *others[taken : taken + size]]
        taken += size
    return [*order, *others[taken:]]


def _passed(config: pytest.Config) -> set[str]:
    """The quick tests that have passed in this Python since a file was last changed."""
    cache = getattr(config, "cache", None)  # None with `-p no:cacheprovider`
    tree, names = ("", ()) if cache is None else cache.get(_PASSED, ("", ()))
    return set(names) if tree == _tree(config) else set()


def _tree(config: pytest.Config) -> str:
    """Another text for another Python, and after each change of a file. The processes that share the tests are told."""
    if hasattr(config, "workerinput"):
        return str(config.workerinput["arena_tree"])
    found = hashlib.sha256(f"{sys.prefix} {sys.version} {os.getuid()}".encode())
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in _NOT_OURS and not name.endswith("_cache"))
        for name in sorted(files):
            with suppress(FileNotFoundError):  # another program has just removed it
                status = os.stat(os.path.join(folder, name), follow_symlinks=False)
                found.update(f"{folder}/{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return found.hexdigest()


class _Progress:
    """Says how far the part is and when it ends; in the quick part, remembers what has passed."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._tree = _tree(config)
        self._began = self._said = monotonic()
        self._count = self._all = 0
        self._passed = _passed(config)
        self._failed = set[str]()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._begin(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        self._begin(len(ids))

    def _begin(self, number: int) -> None:
        self._all, self._began = number, monotonic()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._say(f"{report.outcome}: {report.nodeid}")
            self._failed.add(report.nodeid)
        elif report.passed and report.when == "call":
            self._passed.add(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str]:
        """Instead of a dot for each test, which say nothing in 17,000."""
        counts = report.when == "call" or not report.passed
        return (report.outcome if counts else "", "", "")

    def pytest_runtest_logfinish(self) -> None:
        self._count += 1
        now = monotonic()
        if now - self._said >= _EVERY[sys.stdout.isatty()] and self._count * 20 > self._all > 0:
            self._said = now
            left = (now - self._began) * (self._all - self._count) / self._count
            share = 100 * self._count // self._all
            self._say(f"{share:3} %  {self._count:,} of {self._all:,} tests  about {_minutes(left)} left", passing=True)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        reasons = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", ()))
        for reason, number in reasons.most_common():
            terminalreporter.write_line(f"{number:5} skipped: {reason.removeprefix('Skipped: ')}")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["arena_tree"] = self._tree

    def pytest_sessionfinish(self) -> None:
        cache = getattr(self._config, "cache", None)
        if self._config.getoption("--part") == "quick" and cache is not None:
            cache.set(_PASSED, (self._tree, sorted(self._passed - self._failed)))

    def _say(self, line: str, *, passing: bool = False) -> None:
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        if sys.stdout.isatty():
            reporter.rewrite(line, erase=True)
            if not passing:
                reporter.write_line("")
        else:
            reporter.write_line(line)
            reporter.flush()


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
