"""A report in a real browser: on a phone and on a desk, in light and dark, with keys alone, from page to page."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.course.aliases import own_names
from arena.course.report.write import write_site
from tests.kit.chromium import Browser, check_contrast, check_keyboard, check_width
from tests.kit.plot_reading import AWKWARD
from tests.kit.sample_reports import crowd, reported

NAMES = (AWKWARD[0], AWKWARD[2].replace("\ud800", ""), *AWKWARD[3:6], "CON", "Ann", "ann", "../x")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a tournament of those with awkward names."""
    folder = tmp_path_factory.mktemp("report")
    file = crowd(folder / "arena.db", NAMES)
    found = reported(file, "cs101")
    write_site(found, own_names(NAMES), folder, database=str(file), games=True, processes=1, done=lambda _: None)
    return folder


PAGES = ("index.html", "games.html", "agents/w{64}.html", "pairs/ann.ann-2.html")


def page(folder: Path, place: str) -> Path:
    """The page there."""
    return folder / place.replace("w{64}", "w" * 40)


@pytest.mark.parametrize("place", PAGES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_words_stand_out(browser: Browser, folder: Path, place: str, dark: bool) -> None:
    with browser.open(page(folder, place), dark=dark) as shown:
        check_contrast(shown)


@pytest.mark.parametrize("place", PAGES)
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_page_is_wider_than_its_window(browser: Browser, folder: Path, place: str, width: int) -> None:
    with browser.open(page(folder, place), width=width) as shown:
        check_width(shown)


@pytest.mark.parametrize("place", ["games.html", "agents/ann.html"])
def test_everything_is_reached_with_the_tab_key(browser: Browser, folder: Path, place: str) -> None:
    with browser.open(page(folder, place), width=390) as shown:
        check_keyboard(shown)


def test_a_table_that_is_too_wide_scrolls_with_the_arrow_keys(browser: Browser, folder: Path) -> None:
    with browser.open(folder / "index.html", width=390) as shown:
        box = shown.get_by_role("region", name="Crosstable")
        box.focus()
        assert box.evaluate("box => box.scrollWidth > box.clientWidth")
        box.press("ArrowRight")
        shown.wait_for_function("box => box.scrollLeft > 0", arg=box.element_handle())


def test_one_comes_from_the_crosstable_to_a_replay_and_back(browser: Browser, folder: Path) -> None:
    with browser.open(folder / "index.html", script=False) as shown:
        shown.get_by_role("link", name="Ann against CON: ", exact=False).first.click()
        assert sorted((shown.locator("h1").text_content() or "").lower().split(" – ")) == ["ann", "con"]
        shown.get_by_role("link", name="Replay game ").click()
        assert shown.locator(".step").count() > 5
        shown.get_by_role("link", name="cs101").click()
        assert shown.url == (folder / "index.html").as_uri()
