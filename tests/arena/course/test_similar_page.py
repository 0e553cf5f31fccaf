"""The page with two sources side by side, as text and in a real browser."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from arena.course.similar import SimilarPair, Source, compare, of_contents
from arena.course.similar_page import page
from benchmarks.similar import AGENTS, padded, renamed
from tests.kit.chromium import Browser, check_contrast, check_keyboard, check_width

UCT = (AGENTS / "uct.txt").read_text("utf-8")
EVIL = "<script>alert(1)</script>"


def pairs() -> list[SimilarPair]:
    """A copy with useless statements, in files and by agents with hostile names; and a second pair."""
    hostile = (
        f"# {EVIL}\n# \u202eleft\0\n" + padded(UCT, Random(2))["agent.py"] + f"\nx = '{EVIL}'  # {'long ' * 9_999}\n"
    )
    table = (AGENTS / "table.txt").read_text("utf-8")
    return compare(
        [
            Source("ann", 1, of_contents({"agent.py": UCT.encode()})),
            Source(EVIL, 2, of_contents({f"{EVIL}\u202e.py": hostile.encode()})),
            Source("cleo", 1, of_contents({"agent.py": table.encode(), "book.bin": b"\0" * 500})),
            Source("dan", 1, of_contents({"a.py": renamed(table, Random(3))["agent.py"].encode(), "b": b"\0" * 500})),
        ]
    )


def names(source: Source) -> str:
    return {"ann": "Ann Berger", "dan": "Dan\u202e\nEvans"}.get(source.agent, source.title)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("similar") / "similar.html"
    file.write_text(page(pairs(), f"cs101 {EVIL}", names), "utf-8")
    return file


def test_nothing_of_a_student_is_markup(file: Path) -> None:
    text = file.read_text("utf-8")
    assert EVIL not in text
    assert "\u202e" not in text
    assert "\0" not in text
    assert max(map(len, text.split("\n"))) < 3_000
    assert "never a verdict" in text
    assert "Ann Berger (ann@1)" in text
    assert "equal files: book.bin" in text


def test_without_pairs_the_page_says_so() -> None:
    assert "No two agents are similar." in page([], "cs101", names)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_is_readable_and_used_with_keys(file: Path, browser: Browser, width: int, dark: bool) -> None:
    with browser.open(file, width=width, dark=dark) as tab:
        check_width(tab)
        check_contrast(tab)
        if not dark:
            check_keyboard(tab)


def test_no_word_of_the_table_is_broken(tmp_path: Path, browser: Browser) -> None:
    copies = [Source(agent, 1, of_contents({"agent.py": UCT.encode()})) for agent in ("ann", "dan")]
    (file := tmp_path / "similar.html").write_text(page(compare(copies), "cs101", names), "utf-8")
    with browser.open(file, width=390) as tab:
        kind = tab.get_by_role("cell", name="same content")
        lines = "e => { const r = document.createRange(); r.selectNodeContents(e); return r.getClientRects().length; }"
        assert kind.evaluate(lines) <= 2


@pytest.mark.costly
@pytest.mark.parametrize("width", [390, 1280])
def test_a_number_leads_to_the_equal_part_on_the_other_side(file: Path, browser: Browser, width: int) -> None:
    with browser.open(file, width=width) as tab:
        links = tab.locator("#pair-1 .code a, #pair-2 .code a")
        addresses = [link.get_attribute("href") or "" for link in links.all()]
        assert len(addresses) == 2 * sum(len(pair.parts) for pair in pairs()) > 6
        for address in addresses:
            target = tab.locator(address)
            assert target.count() == 1
            tab.evaluate("address => { location.hash = address; }", address)
            assert target.evaluate(
                """e => { const inner = e.getBoundingClientRect(), outer = e.closest(".code").getBoundingClientRect();
                          return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1; }"""
            )
