"""A person plays in a real browser with all that the page has: drags, keys, hints, take-backs, flipping, sound."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from tests.kit.chromium import Browser, check_axe, check_keyboard, until
from tests.kit.play_window import play_window

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect, Page

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="needs Linux or macOS"), pytest.mark.costly]

COUNT_SOUNDS: Final = """() => {
  window.sounds = 0;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) { window.sounds += 1; return start.apply(this, when); };
}"""


PLACES: Final = """() => [".now", ".acting", "#board", ".listed"].map((part) => {
  const { x, y, width, height } = document.querySelector(part).getBoundingClientRect();
  return part === ".listed" ? [x, y] : [x, y, width, height];
})"""
"""Where the parts of the page are. The list of moves grows."""
OUTSIDE: Final = """() => [...document.querySelectorAll("#board svg, .seat, .acting button, .acting summary")]
  .filter((part) => part.checkVisibility() && part.closest(".card") === null)
  .filter((part) => part.getBoundingClientRect().bottom > innerHeight).map((part) => part.textContent)"""
WINDOWS: Final = [(1280, 800), (390, 664)]


@contextmanager
def playing(browser: Browser, folder: Path, *players: str, width: int = 1280, height: int = 800) -> Iterator[Page]:
    """The page of a new game, when it is the person's turn."""
    with (
        play_window(folder, *players, "--seed", "1", "--no-record") as window,
        browser.session(window.server + window.link, width=width, height=height, outages=True) as page,
    ):
        page.wait_for_url("**/p/*")
        # Marked by the script: before it runs, a drag does nothing.
        page.locator(".field:is(.drags, .target), .written").first.wait_for()
        yield page


def box(page: Page, part: str) -> FloatRect:
    found = page.locator(part).bounding_box()
    assert found is not None
    return found


def middle(page: Page, field: str) -> tuple[float, float]:
    """Of a field of the board."""
    found = box(page, f'[data-field="{field}"]')
    return found["x"] + found["width"] / 2, found["y"] + found["height"] / 2


def drag(page: Page, start: str, end: str) -> None:
    """Drags with the mouse from one field to the other."""
    there = middle(page, end)
    page.mouse.move(*middle(page, start))
    page.mouse.down()
    page.mouse.move(*there, steps=3)
    page.mouse.up()


def moves(page: Page) -> list[str]:
    return page.locator("#moves .move").all_inner_texts()


def my_turn(page: Page, after: int) -> None:
    """Waits until that many moves are made and the person can move."""
    page.locator("#moves .move").nth(after - 1).wait_for()
    page.locator("#state", has_text="Your turn").wait_for()
    page.locator("[data-field]").first.wait_for()


def marked(page: Page, kind: str) -> set[str]:
    found: list[str] = page.eval_on_selector_all(f".field.{kind}", "all => all.map(one => one.dataset.field)")
    return set(found)


def piece(page: Page, at: str) -> tuple[float, float] | None:
    """Where the piece is seen that was drawn on that field."""
    found = page.evaluate(
        """([x, y]) => {
          const found = document.elementsFromPoint(x, y).find((one) => one.matches(".white, .black"));
          const box = found?.getBoundingClientRect();
          return box ? [box.x + box.width / 2, box.y + box.height / 2] : null;
        }""",
        list(middle(page, at)),
    )
    return None if found is None else (found[0], found[1])


def test_pieces_are_dragged(browser: Browser, tmp_path: Path) -> None:
    with playing(browser, tmp_path, "chess", "human", "random") as page:
        check_axe(page)
        check_keyboard(page)
        # Let go beside the fields where it can go: it is back, and nothing is chosen.
        drag(page, "e2", "h6" if page.locator('[data-field="h6"]').count() else "a3")
        assert moves(page) == []
        assert marked(page, "chosen") == set()
        assert piece(page, "e2") is not None
        # While it is dragged, the piece is under the pointer, and where it can go is marked.
        page.mouse.move(*middle(page, "e2"))
        page.mouse.down()
        page.mouse.move(*middle(page, "e3"), steps=3)
        assert piece(page, "e3") is not None
        assert marked(page, "target") == {"e3", "e4"}
        page.mouse.move(*middle(page, "e4"), steps=3)
        page.mouse.up()
        my_turn(page, 2)
        assert moves(page)[0] == "e4"
        # Taken back, the piece stands again where it was, and can be dragged.
        page.get_by_role("button", name="Take back my last move (20 left)").click()
        page.locator("#moves .move").first.wait_for(state="detached")
        page.locator('[data-field="e2"]').wait_for()
        drag(page, "e2", "e3")
        my_turn(page, 2)
        assert moves(page)[0] == "e3"


def test_a_piece_goes_through_several_fields(browser: Browser, tmp_path: Path) -> None:
    with playing(browser, tmp_path, "backgammon", "human", "random") as page:
        before = len(moves(page))
        (way, *_) = page.evaluate(
            "Object.values(JSON.parse(document.querySelector('[data-fields]').dataset.fields))[0]"
        )
        for start, end in way:
            drag(page, start, end)
        page.locator("#moves .move").nth(before).wait_for()


def swipe(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """A finger of the browser's own, which scrolls the page unless the page says no."""
    fingers = page.context.new_cdp_session(page)
    steps = [
        (start[0] + (end[0] - start[0]) * step / 8, start[1] + (end[1] - start[1]) * step / 8) for step in range(9)
    ]
    for number, (x, y) in enumerate(steps):
        kind = "touchMove" if number else "touchStart"
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_finger_drags_pieces_and_scrolls_the_page_beside_them(browser: Browser, tmp_path: Path) -> None:
    with playing(browser, tmp_path, "chess", "human", "random", width=390, height=664) as page:
        start = middle(page, "d2")
        swipe(page, start, middle(page, "d4"))
        my_turn(page, 2)
        assert moves(page)[0] == "d4"
        assert page.evaluate("scrollY") == 0
        (x, y), (_, lower) = middle(page, "e4"), middle(page, "e2")
        swipe(page, (x, y), (x, y - 2 * (lower - y)))
        until(page, lambda: page.evaluate("scrollY") > 0)
        assert len(moves(page)) == 2


def test_keys_choose_columns_and_fields(browser: Browser, tmp_path: Path) -> None:
    with playing(browser, tmp_path, "connect4", "human", "random") as page:
        page.keyboard.press("4")
        my_turn(page, 2)
        assert moves(page)[0] == "4"
        page.keyboard.press("u")
        page.locator("#moves .move").first.wait_for(state="detached")
        my_turn_again = page.locator("#state", has_text="Your turn")
        my_turn_again.wait_for()
        page.locator("[data-field]").first.wait_for()
        page.keyboard.press("ArrowRight")
        first = marked(page, "cursor")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        second = marked(page, "cursor")
        assert len(first) == len(second) == 1
        assert first != second
        assert page.locator("#status").inner_text() in second
        page.keyboard.press("Enter")
        my_turn(page, 2)
        assert moves(page)[0] == next(iter(second)).removeprefix("column ")
        page.get_by_text("Keys").click()
        page.get_by_text("take back", exact=True).wait_for()


def test_arrows_and_enter_move_a_piece_and_keys_flip_the_board(browser: Browser, tmp_path: Path) -> None:
    with playing(browser, tmp_path, "chess", "human", "random") as page:
        page.keyboard.press("ArrowUp")
        start = marked(page, "cursor")
        page.keyboard.press("Enter")
        assert marked(page, "chosen") == start
        page.keyboard.press("Escape")
        assert marked(page, "chosen") == set()
        page.keyboard.press("ArrowUp")
        while not marked(page, "target"):
            page.keyboard.press("Enter")
            if not marked(page, "target"):
                page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        my_turn(page, 2)
        above = middle(page, "a2")[1]
        page.keyboard.press("f")
        page.locator("#tools [aria-pressed=true]").wait_for()
        assert middle(page, "a2")[1] < above
        lower = page.locator(".seat.lower .who")
        assert lower.inner_text() == "random"
        page.reload()
        page.locator("#tools [aria-pressed=true]").wait_for()
        made = len(moves(page))
        page.locator('[data-field="h2"]').click()
        page.locator('[data-field="h3"]').click()
        my_turn(page, made + 2)
        # The next game is seen from that side, too: the browser remembers it.
        page.get_by_text("End game").click()
        page.get_by_role("button", name="Resign").click()
        game = page.url
        page.get_by_role("button", name="Play again").click()
        page.wait_for_url(lambda url: url != game)
        page.locator("#tools [aria-pressed=true]").wait_for()
        page.get_by_role("button", name="Flip the board").click()
        page.locator("#tools [aria-pressed=false]").wait_for()
        assert lower.inner_text() == "you"


@pytest.mark.parametrize(("width", "height"), WINDOWS)
def test_a_hint_is_drawn_and_said_and_nothing_moves(browser: Browser, tmp_path: Path, width: int, height: int) -> None:
    with playing(browser, tmp_path, "chess", "human", "random", width=width, height=height) as page:
        before = page.evaluate(PLACES)
        assert page.evaluate(OUTSIDE) == []
        page.keyboard.press("h")
        page.locator("#said", has_text="hint:").wait_for()
        assert page.locator("#board .marks .arrow").count() == 1
        assert page.evaluate(PLACES) == before
        check_axe(page)
        drag(page, "g1", "f3")
        my_turn(page, 2)
        assert page.locator("#board .marks").count() == 0
        assert page.evaluate(PLACES) == before
        page.get_by_text("End game").click()
        assert page.evaluate(PLACES) == before
        page.get_by_role("button", name="Resign").click()
        page.get_by_role("button", name="Play again").wait_for()
        assert page.evaluate(PLACES) == before
        assert page.evaluate(OUTSIDE) == []


@pytest.mark.parametrize(("width", "height"), WINDOWS)
def test_how_a_move_is_written_stands_beside_the_message(
    browser: Browser, tmp_path: Path, width: int, height: int
) -> None:
    with playing(browser, tmp_path, "words", "human", "random", width=width, height=height) as page:
        assert page.evaluate(OUTSIDE) == []
        field = page.get_by_label("Your move: the first square")
        now = box(page, ".now")
        assert now["y"] + now["height"] <= box(page, ".written span")["y"]
        assert box(page, ".written")["y"] + box(page, ".written")["height"] <= box(page, ".more")["y"]
        field.fill("no such move")
        field.press("Enter")
        page.locator("#said .notice").wait_for()
        assert box(page, ".now") == now


SAME_FIELDS: Final = """() => {
  const choices = document.getElementById("choices");
  const change = () => {
    const form = choices.querySelector("[data-fields]");
    const moves = Object.keys(JSON.parse(form.dataset.fields)).slice(0, 4);
    form.dataset.fields = JSON.stringify(Object.fromEntries(moves.map((move) => [move, [[["a2", "a4"]]]])));
  };
  new MutationObserver(change).observe(choices, { childList: true });
  change();
}"""
"""As where a pawn is promoted: four moves go from this field to that one, also when the moves are sent again."""


@pytest.mark.parametrize(("width", "height"), WINDOWS)
def test_of_moves_over_the_same_fields_a_person_chooses_one(
    browser: Browser, tmp_path: Path, width: int, height: int
) -> None:
    with playing(browser, tmp_path, "chess", "human", "random", width=width, height=height) as page:
        page.evaluate(SAME_FIELDS)
        asked = page.locator("#said button")
        drag(page, "a2", "a4")
        now, last = box(page, ".now"), box(page, "#said button >> nth=3")
        assert asked.count() == 4
        assert last["y"] + last["height"] <= now["y"] + now["height"]
        page.keyboard.press("Escape")
        assert asked.count() == 0
        assert piece(page, "a2") is not None
        drag(page, "a2", "a4")
        chosen = asked.nth(1).inner_text()
        asked.nth(1).click()
        my_turn(page, 2)
        assert moves(page)[0] == chosen


def test_a_pass_has_a_button_at_the_same_place_in_each_turn(browser: Browser, tmp_path: Path) -> None:
    with playing(browser, tmp_path, "go:size=5", "human", "random", width=390, height=664) as page:
        at = box(page, ".more > form > [name=move]")
        assert at["y"] == box(page, ".end-game > summary")["y"]
        page.locator(".more > form > [name=move]").click()
        my_turn(page, 2)
        assert moves(page)[0] == "pass"
        assert box(page, ".more > form > [name=move]") == at


@pytest.mark.parametrize(("game", "width", "height"), [("chess", 844, 390), ("go:size=13", 667, 375)])
def test_on_a_phone_on_its_side_the_board_is_as_high_as_the_window(
    browser: Browser, tmp_path: Path, game: str, width: int, height: int
) -> None:
    with playing(browser, tmp_path, game, "human", "random", width=width, height=height) as page:
        board = box(page, "#board svg >> nth=0")
        assert board["height"] > 0.75 * height
        assert board["y"] + board["height"] <= height
        assert page.evaluate(OUTSIDE) == []


def test_all_moves_are_seen_when_they_are_asked_for(browser: Browser, tmp_path: Path) -> None:
    with playing(browser, tmp_path, "chess", "human", "random", width=390, height=664) as page:
        page.get_by_text("End game").click()
        page.get_by_text("All moves").click()
        assert page.get_by_role("button", name="Resign").count() == 0
        shown = box(page, ".moves-as-buttons .card")
        assert 0 < shown["y"] < shown["y"] + shown["height"] < 664
        page.locator(".moves-as-buttons button").first.click()
        my_turn(page, 2)


def test_a_move_that_is_not_taken_puts_the_piece_back(browser: Browser, tmp_path: Path) -> None:
    with playing(browser, tmp_path, "chess", "human", "random") as page:
        page.route("**/p/*", lambda route: route.fulfill(status=400, body="'e9' is not a legal move"))
        drag(page, "e2", "e4")
        page.locator("#said", has_text="not a legal move").wait_for()
        assert piece(page, "e2") is not None
        page.unroute("**/p/*")
        drag(page, "e2", "e4")
        my_turn(page, 2)


def test_moves_are_heard_only_when_the_person_wants_it(browser: Browser, tmp_path: Path) -> None:
    with playing(browser, tmp_path, "tictactoe", "human", "random") as page:
        page.evaluate(COUNT_SOUNDS)
        page.locator("[data-field]").first.click()
        my_turn(page, 2)
        assert page.evaluate("sounds") == 0
        switch = page.get_by_role("button", name="Sound")
        assert switch.get_attribute("aria-pressed") == "false"
        switch.click()
        assert page.evaluate("sounds") == 1
        page.locator("[data-field]").first.click()
        until(page, lambda: page.evaluate("sounds") > 1)
        page.reload()
        assert switch.get_attribute("aria-pressed") == "true"
        assert re.search("Your turn|win|draw", page.locator("#state").inner_text())
