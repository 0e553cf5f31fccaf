"""Every page that is a file, opened in a real browser: it needs nothing but itself, and its policy allows all it does.

Leaving a page fails after any request, error or complaint of the browser, such as one about the policy
(`tests/kit/chromium.py`).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena.pages import replay_page
from tests.kit import needs
from tests.kit.chromium import Browser, until
from tests.kit.page_games import past_game

pytest.importorskip("starlette", reason=needs.extra("web"))

from tests.kit.every_page import GROUPS

if TYPE_CHECKING:
    from playwright.sync_api import Page

STYLED = """() => {
  document.querySelector("#all")?.click();
  const positions = new DOMParser().parseFromString(document.querySelector("noscript")?.textContent ?? "", "text/html");
  // The script alone gives the place of the board its shape, where the boards of a game differ in theirs.
  return [...document.querySelectorAll("[style]:not(#board)"), ...positions.querySelectorAll("[style]")]
    .map(e => e.outerHTML.slice(0, 80));
}"""


@pytest.mark.costly
@pytest.mark.parametrize("group", ["reports", "replays", "course"])
def test_every_file_loads_nothing_breaks_no_policy_and_has_no_style_of_its_own(
    browser: Browser, tmp_path: Path, group: str
) -> None:
    pages = GROUPS[group]()
    file = tmp_path / "page.html"
    wrong = []
    for name, text in pages.items():
        assert "<style>" in text, name
        file.write_text(text, "utf-8")
        try:
            with browser.open(file) as page:
                page.keyboard.press("End")
                page.keyboard.press("ArrowLeft")
                found = page.evaluate(STYLED)
                assert not found, found
        except AssertionError as error:
            wrong.append(f"{name}: {error}")
    assert not wrong, "\n".join(wrong)


def _is_kept(page: Page, chosen: str) -> bool:
    """Whether the page is in these colours when it is loaded again. The browser can write the choice a little later."""
    page.reload()
    return bool(page.evaluate("document.documentElement.dataset.theme") == chosen)


def test_the_choice_of_light_or_dark_is_kept_and_colours_the_board_too(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    file.write_text(replay_page.page(past_game("tictactoe", moves="a1 b1")).text, "utf-8")
    colours = """() => [document.body, document.querySelector("#board .line"), document.querySelector(".piece")]
      .map(e => getComputedStyle(e)).map(style => style.stroke + style.backgroundColor)"""
    seen = {}
    for dark in (False, True):
        with browser.open(file, dark=dark) as page:
            seen[dark] = page.evaluate(colours)
            assert page.evaluate("document.documentElement.dataset.theme") is None
    assert all(one != other for one, other in zip(seen[False], seen[True], strict=True))
    with browser.open(file, alone=True) as page:
        for chosen, dark in (("dark", True), ("light", False)):
            page.locator("#theme").click()
            assert page.evaluate(colours) == seen[dark]
            until(page, partial(_is_kept, page, chosen))
            assert page.evaluate(colours) == seen[dark]
