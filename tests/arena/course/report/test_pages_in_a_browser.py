"""A report in a real browser: on a phone and on a desk, in light and dark, only with keys, from page to page."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from arena.course.aliases import own_names
from arena.course.report import write_site
from arena.results import columns
from db.records import storable
from tests.arena.tournament.test_tournament import Course
from tests.kit.chromium import Browser, check_axe, check_contrast, check_hints, check_keyboard, check_width, until
from tests.kit.plot_reading import AWKWARD
from tests.kit.sample_reports import crowd, reported, site

NAMES = (*map(storable, (AWKWARD[0], *AWKWARD[2:6])), "CON", "Ann", "ann", "../x")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a tournament of agents with awkward names."""
    folder = tmp_path_factory.mktemp("report")
    file = crowd(folder / "arena.db", NAMES)
    found = reported(file, "cs101")
    write_site(
        found, own_names(NAMES), folder, database=str(file), replays=found.games, processes=1, done=lambda _: None
    )
    return folder


PAGES = ("index.html", "games.html", "agents/w{64}.html", "pairs/ann.ann-2.html")


def page(folder: Path, place: str) -> Path:
    """The page at this address."""
    return folder / place.replace("w{64}", "w" * 40)


@pytest.mark.parametrize("place", PAGES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_has_enough_contrast(browser: Browser, folder: Path, place: str, dark: bool) -> None:
    with browser.open(page(folder, place), dark=dark) as shown:
        check_contrast(shown)


@pytest.mark.parametrize("place", PAGES)
def test_axe_finds_nothing(browser: Browser, folder: Path, place: str) -> None:
    with browser.open(page(folder, place), width=390) as shown:
        check_axe(shown)


def test_axe_finds_what_is_wrong(browser: Browser, tmp_path: Path) -> None:
    """So the tests above do run it."""
    bad = tmp_path / "bad.html"
    bad.write_text("<!doctype html><title>bad</title><p style='color: #ccc'>faint", "utf-8")
    with browser.open(bad) as shown, pytest.raises(AssertionError, match=r"color-contrast: [\s\S]*html-has-lang: "):
        check_axe(shown)


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
        assert check_hints(shown)
        box = shown.get_by_role("region", name="Crosstable")
        box.focus()
        assert box.evaluate("box => box.scrollWidth > box.clientWidth")
        box.press("ArrowRight")
        until(shown, lambda: box.evaluate("box => box.scrollLeft > 0"))


@pytest.mark.parametrize("width", [390, 1280])
def test_the_headings_of_a_long_table_stay_while_it_scrolls(
    browser: Browser, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setattr(columns, "_LONG", len(NAMES) - 1)
    front = tmp_path / "index.html"
    front.write_text(site(reported(folder / "arena.db", "cs101"))["index.html"], "utf-8")
    with browser.open(front, width=width) as shown:
        shown.set_viewport_size({"width": width, "height": 200})
        check_width(shown)
        for name in ("Standings", "Crosstable"):
            box = shown.get_by_role("region", name=name)
            box.evaluate("box => { box.scrollTop = 60; }")
            assert box.evaluate("box => box.scrollTop") == 60
            top = "box.querySelector('thead th').getBoundingClientRect().top - box.getBoundingClientRect().top"
            assert abs(box.evaluate(f"box => {top} - box.clientTop")) < 1


def test_links_lead_from_the_crosstable_to_a_replay_and_back(browser: Browser, folder: Path) -> None:
    with browser.open(folder / "index.html", script=False) as shown:
        shown.get_by_role("link", name="Ann against CON: ", exact=False).first.click()
        assert sorted((shown.locator("h1").text_content() or "").lower().split(" – ")) == ["ann", "con"]
        shown.get_by_role("link", name="Replay game ").click()
        assert shown.locator(".steps > li").count() > 5
        shown.get_by_role("link", name="cs101").click()
        assert shown.url == (folder / "index.html").as_uri()


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The front page of a knockout of 13, with long names."""
    course = Course(tmp_path_factory.mktemp("cup"))
    for number in range(10):
        course.write_agent(f"student-{number}-with-a-long-name-that-is-cut")
    course.describe(format="knockout")
    course.run()
    front = course.folder / "index.html"
    front.write_text(site(reported(course.folder / "arena.db", "cs101"))["index.html"], "utf-8")
    return front


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_bracket_of_a_knockout_is_readable(browser: Browser, cup: Path, width: int, dark: bool) -> None:
    with browser.open(cup, width=width, dark=dark) as shown:
        check_width(shown)
        check_contrast(shown)
        check_keyboard(shown)
        if width == 390:
            check_axe(shown)


@pytest.mark.costly
def test_on_a_desk_each_series_is_between_the_two_before_it_and_on_a_phone_below(browser: Browser, cup: Path) -> None:
    def places(width: int) -> list[list[tuple[float, float]]]:
        """Left edge and middle of each series, by rounds."""
        with browser.open(cup, width=width) as shown:
            rounds = shown.locator(".bracket section").all()
            boxes = [[one.bounding_box() for one in each.locator(".series").all()] for each in rounds]
        return [[(box["x"], box["y"] + box["height"] / 2) for box in each if box is not None] for each in boxes]

    desk = places(1280)
    assert [len(each) for each in desk] == [8, 4, 2, 1]
    for before, after in pairwise(desk):
        assert after[0][0] > before[0][0]
        for at, (_, middle) in enumerate(after):
            assert before[2 * at][1] < middle < before[2 * at + 1][1]
    phone = places(390)
    assert len({left for each in phone for left, _ in each}) == 1
    middles = [middle for each in phone for _, middle in each]
    assert middles == sorted(middles)
