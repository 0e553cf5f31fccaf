"""What each test costs: the processor time of its own process and of the children that ended in it.

A plugin of pytest (pyproject.toml names it). Wall time says little on a shared machine; processor time decides whether
a test is marked `costly`. At the end of each part the most expensive tests are printed, and the sum of each room;
`--costs FILE` writes all of them.
"""

import resource
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

LIMIT: Final = 0.5
"""Seconds. A test that costs more and is not marked `costly` is named at the end."""
_SHOWN: Final = 12
_NAME: Final = "processor time"
_SHARED: Final = "processor time of fixtures that several tests share"
_began: Final = pytest.StashKey[float]()
_is_last: Final = pytest.StashKey[bool]()
_shared: Final = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", metavar="FILE", type=Path, help="Write the processor time of each test to FILE.")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(
            _Summary(config.getoption("--costs"), is_told=config.getoption("--part") is not None)
        )


def used() -> float:
    """Processor time of this process and of its ended children, in seconds."""
    both = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    item.stash[_began] = used()
    item.stash[_is_last] = nextitem is None
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    before = used()
    made = yield
    if fixturedef.scope != "function":
        request.node.session.stash[_shared] = request.node.session.stash.get(_shared, 0.0) + used() - before
    return made


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # After its last test a process ends what all of its tests have used, as the browser.
    if call.when == ("call" if item.stash[_is_last] else "teardown"):
        shared = item.session.stash.get(_shared, 0.0)
        item.session.stash[_shared] = 0.0
        report.user_properties += [(_NAME, used() - item.stash[_began] - shared), (_SHARED, shared)]
    return report


class _Summary:
    def __init__(self, file: Path | None, *, is_told: bool) -> None:
        self._file = file
        self._is_told = is_told
        self._costs: dict[str, float] = {}
        self._marked: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == _NAME and isinstance(value, float):
                self._costs[report.nodeid] = value
                if {"costly", "journey"} & report.keywords.keys():
                    self._marked.add(report.nodeid)
            elif name == _SHARED and isinstance(value, float) and value:
                place = f"{report.nodeid.partition('::')[0]}, fixtures"
                self._marked.add(place)
                self._costs[place] = self._costs.get(place, 0.0) + value

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        costs = sorted(self._costs.items(), key=lambda item: -item[1])
        if self._file is not None:
            self._file.write_text("".join(f"{cost:.3f}\t{name}\n" for name, cost in costs), "utf-8")
        if not costs or not self._is_told:
            return
        rooms: dict[str, float] = defaultdict(float)
        for name, cost in costs:
            rooms["/".join(name.partition("::")[0].split("/")[1:3])] += cost
        say = terminalreporter.write_line
        say(f"{sum(self._costs.values()):.0f} s of processor time in {len(costs)} tests; the most expensive ones:")
        for name, cost in costs[:_SHOWN]:
            say(f"{cost:6.1f} s  {name}")
        most = sorted(rooms.items(), key=lambda item: -item[1])[:_SHOWN]
        say("by room: " + ", ".join(f"{room} {cost:.0f} s" for room, cost in most))
        if above := [f"{cost:6.1f} s  {name}" for name, cost in costs if cost > LIMIT and name not in self._marked]:
            say(f"above {LIMIT} s and neither marked `costly` nor `journey`: make them cheaper, or mark them")
            for line in above:
                say(line)
