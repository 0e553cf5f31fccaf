"""`arena play --web` in a real browser: a person opens the printed address and plays, and nobody else can."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from tests.kit.arena_program import arena
from tests.kit.chromium import Browser, check_axe, check_keyboard, check_width
from tests.kit.play_window import play_window

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs Linux or macOS")


def play_by_clicks(page: Page) -> str:
    """Clicks on free fields to the end of a game of tictactoe; how it ended."""
    while True:
        page.locator("[data-field], #choices .again").first.wait_for()
        if page.locator("#choices .again").count():
            return page.locator("#state").inner_text()
        before = page.locator("#moves li .move").count()
        page.locator("[data-field]").first.click()
        page.locator("#moves li .move").nth(before).wait_for()
        page.locator("#state", has_text=re.compile("Your turn|win|draw")).wait_for()


def history(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        arena("results", "history", "--db", str(folder / "arena.db"), "--format", "json").out
    )
    return found


@pytest.mark.journey
def test_a_person_plays_whole_games_by_clicks_and_nobody_else_sees_them(browser: Browser, tmp_path: Path) -> None:
    with (
        play_window(tmp_path, "tictactoe", "human", "random", "--seed", "1", "--db", "arena.db") as window,
        browser.session(window.server + window.link, outages=True) as page,
    ):
        page.wait_for_url("**/p/*")
        assert page.evaluate("document.cookie") == ""
        assert window.link not in page.evaluate("location.href + document.referrer")
        assert page.evaluate("history.length") <= 2
        page.get_by_text("you are the first player (X)").wait_for()
        check_axe(page)
        check_width(page)
        check_keyboard(page)
        play_by_clicks(page)
        window.wait_for("human - random")
        game = page.url
        page.get_by_role("button", name="Rematch, seats swapped").click()
        page.wait_for_url(lambda url: url != game)
        page.get_by_text("you are the second player (O)").wait_for()
        play_by_clicks(page)
        window.wait_for("random - human")
        page.get_by_text("Step through the game").click()
        page.wait_for_url("**/g/*")
        page.get_by_role("button", name="Find the mistakes").click()
        page.get_by_text("Analysed by arena").wait_for()
        page.get_by_role("link", name="Play again").click()
        page.wait_for_url("**/p/*")
        for place in (window.server, window.server + window.link, page.url):
            with browser.session(place, outages=True) as other:
                assert "belongs to the person who started" in other.content()
                assert "tictactoe" not in other.content()
        page.get_by_role("button", name="Play again", exact=True).click()
        page.locator("[data-field]").first.click()
        page.locator("#moves li .move").first.wait_for()
        assert window.interrupt()[0] == 130
        page.locator("#paused", has_text=re.compile(r"\w")).wait_for()
    assert sorted(one["players"] for one in history(tmp_path)) == [["human", "random"], ["random", "human"]]
