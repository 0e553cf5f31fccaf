"""The TV page runs for days in front of a lecture hall: nothing accumulates in it, however many changes it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from tests.kit.chromium import Browser, until
from tests.kit.every_page import drawn_game
from tests.kit.web_room import PageServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

FED: Final = """
  window.EventSource = class extends EventTarget {
    constructor() { super(); window.stream = this; }
    close() {}
  };
  window.feed = (kind, data) => stream.dispatchEvent(
    new MessageEvent(kind, { data: JSON.stringify({ now: performance.now(), data }) }));
"""
"""A stream that the test feeds, in place of the server's."""


def feed(page: Page, rounds: int) -> None:
    """Shows games from their begin to their end on all screens, and news beside them, this often."""
    games = [[drawn_game(rules, plies) for plies in range(8)] for rules in ("connect4", "tictactoe")]
    page.evaluate(
        """async ([games, rounds]) => {
          const frame = () => new Promise(requestAnimationFrame);
          for (let round = 0; round < rounds; round += 1) {
            for (const { large, small } of games[round % games.length]) {
              feed("screen-0", { game: round, parts: large });
              for (const number of [1, 2]) feed(`screen-${number}`, { game: round, parts: small });
              const name = `agent ${round}`;
              feed("parts", { standings: `<li>${name}</li>`, results: `<li>${name}</li>`, upset: name, soon: "" });
              await frame();
            }
            feed("screen-0", { game: null, parts: {} });
          }
        }""",
        [games, rounds],
    )
    until(page, lambda: page.evaluate("document.getAnimations().every((one) => one.effect.getTiming().iterations > 1)"))


def counted(page: Page, session: Any) -> tuple[int, int]:
    """The nodes and the listeners that the page keeps."""
    session.send("HeapProfiler.collectGarbage")
    found = session.send("Memory.getDOMCounters")
    return found["nodes"], found["jsEventListeners"]


@pytest.mark.costly(seconds=8)
def test_nothing_accumulates_in_the_page_however_much_it_shows(browser: Browser, server: PageServer) -> None:
    with browser.open(f"{server.address}/tv", alone=True, moves=True) as page:
        page.add_init_script(FED)
        page.reload()
        page.wait_for_function("window.stream")
        session = page.context.new_cdp_session(page)
        feed(page, 4)
        nodes, listeners = counted(page, session)
        feed(page, 20)
        assert page.locator("#standings").inner_text() == "agent 19"
        after, listening = counted(page, session)
        # There are 500 changes between the two; some of the last are not quite over.
        assert after <= nodes + 50, (nodes, after)
        assert listening <= listeners + 50, (listeners, listening)
