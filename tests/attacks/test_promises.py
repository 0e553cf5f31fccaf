"""Every promise in docs/developers/security.md names the tests that check it.

docs/operation.md and `arena doctor` have the same promises."""

from __future__ import annotations

import re
from typing import Final

import pytest

from arena.match.allowance import WallKind
from arena.play import machine
from arena.play.machine import Promise
from tests.attacks import ATTACKS, NOT_STOPPED_BY_LIMITS, STOPPED_BY_SOME_SYSTEMS
from tests.kit.places import ROOT

PAGE: Final = (ROOT / "docs" / "developers" / "security.md").read_text("utf-8")
PROMISED: Final = (ROOT / "docs" / "operation.md").read_text("utf-8")
SECTIONS: Final = dict(re.findall(r"^##+ (.+)\n((?:(?!##).*\n)*)", PAGE, re.MULTILINE))
WITHOUT_TESTS: Final = {"The promises", "Kernel bugs and shared hardware"}
"""Sections that promise nothing."""


def named(section: str, list: str) -> list[str]:
    """The attacks and tests in the list with that title in a section."""
    found = re.search(rf"^\*{list}:\*((?:(?!\n\n|\n\*).)*)", SECTIONS[section], re.MULTILINE | re.DOTALL)
    return re.findall(r"`(\w+)`", found[1]) if found else []


def of(promise: Promise) -> str:
    """The title of the section about a promise."""
    return promise.capitalize()


def test_the_pages_and_doctor_have_the_same_promises_in_the_same_order() -> None:
    _, _, after = PAGE.partition("\n## The promises\n")
    assert re.findall("^### (.+)$", after, re.MULTILINE) == [of(promise) for promise in Promise]
    assert [promise for promise, _ in promised()] == list(Promise)


def promised() -> list[tuple[str, str]]:
    """The rows of the table of promises: each with what is kept of it behind `limits`."""
    _, _, after = PROMISED.partition("\n## The promises\n")
    rows = re.findall(r"^\| ([a-z ]+) \|.*\| ([a-z ]+) \|$", after.partition("\n## ")[0], re.MULTILINE)
    return [row for row in rows if row[0] != "promise"]


def test_the_table_of_promises_says_what_doctor_says_behind_limits() -> None:
    findings = machine.of_promises(WallKind.LIMITS, "kernel", "", root=False, waits=True)
    kept = {"kept": "kept", "kept in part": "in part", "not kept": "not kept"}
    assert promised() == [(each.name, kept[each.value.partition(":")[0]]) for each in findings]


@pytest.mark.parametrize("section", sorted(SECTIONS.keys() - WITHOUT_TESTS))
def test_every_promise_names_its_tests(section: str) -> None:
    assert named(section, "Tested by")


def test_sections_that_promise_nothing_are_on_the_page_and_name_no_tests() -> None:
    assert SECTIONS.keys() >= WITHOUT_TESTS
    assert not any(named(section, "Tested by") for section in WITHOUT_TESTS)


def test_every_named_test_and_attack_exists() -> None:
    sources = [file.read_text("utf-8") for file in (ROOT / "tests").rglob("test_*.py")]
    there = {name for source in sources for name in re.findall(r"^def (test_\w+)\(", source, re.MULTILINE)}
    there |= {attack.name for attack in ATTACKS}
    held = {name for section in SECTIONS for name in named(section, "Tested by")}
    assert held <= there, sorted(held - there)


def test_what_limits_do_not_stop_is_written_down() -> None:
    written = [name for section in SECTIONS for name in named(section, "Not stopped by limits")]
    assert sorted(written) == sorted(NOT_STOPPED_BY_LIMITS)
    assert {attack.name for attack in ATTACKS} >= NOT_STOPPED_BY_LIMITS >= STOPPED_BY_SOME_SYSTEMS


def test_doctor_calls_nothing_held_that_attacks_break_behind_limits() -> None:
    found = {
        each.name: each.value for each in machine.of_promises(WallKind.LIMITS, "kernel", "", root=False, waits=False)
    }
    broken = {promise for promise in Promise if named(of(promise), "Not stopped by limits")}
    assert {promise for promise in Promise if found[promise] != machine.KEPT} == broken | {Promise.WAITING}
