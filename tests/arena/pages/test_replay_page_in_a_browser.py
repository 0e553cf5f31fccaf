"""The page of a game in a real browser: keys, buttons, slider, list, curves; without a script, on paper, on a phone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from adsearch.pictures.svg import split_style
from arena.history.replay import replay
from arena.pages.boards import boards
from arena.pages.drawing import Frame, draw
from arena.pages.replay_page import page
from tests.kit.chromium import Browser, check_axe, check_contrast, check_keyboard, check_width
from tests.kit.page_games import EVERY_GAME, analysed, past_game
from tests.kit.plot_reading import AWKWARD

if TYPE_CHECKING:
    from playwright.sync_api import Page

MOVES = "a1 b1 a2 b2 a3"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a short game with reports and output."""
    game = past_game("tictactoe", ("ann", "bob"), moves=MOVES, logs=["mine\n" * 8, "yours\n" * 30])
    moves = tuple(structs.replace(move, score=(-1) ** move.ply * 0.1 * move.ply, depth=3) for move in game.moves)
    file = tmp_path_factory.mktemp("page") / "game.html"
    file.write_text(page(structs.replace(game, moves=moves), links=[("index.html", "cs101")]).text, "utf-8")
    return file


def at(page: Page) -> int:
    """The number of the only visible step; checks that slider, list, status and address agree."""
    shown = page.locator(".step:visible")
    assert shown.count() == 1
    number = int((shown.get_attribute("id") or "").removeprefix("ply-"))
    assert page.locator("#where").text_content() == f"{number} of 5"
    assert page.locator("#at").input_value() == str(number)
    current = page.locator("[aria-current]")
    assert current.count() == 1
    told = current.text_content() or "?"
    assert current.get_attribute("href") == f"#ply-{number}"
    assert (page.locator("#status").text_content() or "").startswith(told)
    assert page.url.endswith((f"#ply-{number}", ".html"))
    return number


def test_the_page_opens_at_the_top(browser: Browser, file: Path) -> None:
    with browser.open(file, height=400) as page:
        page.wait_for_load_state("load")
        assert page.evaluate("scrollY") == 0
        page.keyboard.press("ArrowRight")
        assert page.url.endswith("#ply-1")


GLIDING = """() => document.getAnimations().map(one => {
  one.pause();
  const { x, y, width } = one.effect.target.getBoundingClientRect();
  one.finish();
  const ends = one.effect.target.getBoundingClientRect();
  return [ends.x - x, ends.y - y].map(by => Math.round(by / width));
}).filter(([x, y]) => x || y)"""
"""How far each part of a board glides: right and down, by its own width."""
MEASURED = """() => {
  const { getBBox } = SVGGraphicsElement.prototype;
  window.measured = 0;
  SVGGraphicsElement.prototype.getBBox = function () { window.measured += 1; return getBBox.call(this); };
}"""


def test_a_move_glides_forwards_and_back_and_not_for_those_who_want_no_motion(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    file.write_text(page(past_game("chess", moves="e2e4 e7e5 d1h5")).text, "utf-8")
    with browser.open(file, at="#ply-2") as shown:
        assert shown.evaluate(GLIDING) == []
        shown.keyboard.press("ArrowRight")
        assert [right > 0 > down for right, down in shown.evaluate(GLIDING)] == [True]
        shown.keyboard.press("ArrowLeft")
        assert [right < 0 < down for right, down in shown.evaluate(GLIDING)] == [True]
        shown.keyboard.press("Home")
        assert shown.evaluate(GLIDING) == []
        shown.emulate_media(reduced_motion="reduce")
        shown.keyboard.press("ArrowRight")
        assert shown.evaluate("document.getAnimations().length") == 0


@pytest.mark.parametrize("game", ["words", "ludo", "chess", "maze"])
def test_of_a_board_with_many_parts_only_what_differs_is_measured(browser: Browser, tmp_path: Path, game: str) -> None:
    file = tmp_path / "game.html"
    file.write_text(page(past_game(game)).text, "utf-8")
    with browser.open(file, at="#ply-16") as shown:
        shown.evaluate(MEASURED)
        for _ in range(8):
            shown.keyboard.press("ArrowRight")
        assert 0 < shown.evaluate("measured") < 8 * 16


def test_an_address_leads_to_the_end_of_the_game(browser: Browser, file: Path) -> None:
    with browser.open(file, at="#ply-last") as page:
        assert page.locator(".step:visible").get_attribute("id") == "ply-5"
        page.keyboard.press("ArrowLeft")
        assert at(page) == 4


def test_keys_step_through_the_game(browser: Browser, file: Path) -> None:
    with browser.open(file) as page:
        assert at(page) == 0
        for key, number in (
            ("ArrowRight", 1),
            ("ArrowRight", 2),
            ("ArrowLeft", 1),
            ("End", 5),
            ("ArrowRight", 5),
            ("Home", 0),
            ("ArrowLeft", 0),
            ("Control+ArrowRight", 0),
            ("x", 0),
        ):
            page.keyboard.press(key)
            assert at(page) == number, key


def test_dealt_tiles_share_a_line_and_only_the_last_is_a_stop(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    file.write_text(page(past_game("words:rack=3", moves="A B C D E F pass pass")).text, "utf-8")
    with browser.open(file) as shown:
        first = shown.locator(".moves .events").first
        assert first.text_content() == "1–6. chance: ABCDEF"
        for key, number in (("ArrowRight", 6), ("ArrowRight", 7), ("ArrowLeft", 6), ("ArrowLeft", 0)):
            shown.keyboard.press(key)
            assert shown.locator(".step:visible").get_attribute("id") == f"ply-{number}", key
        first.get_by_text("B").click()
        assert shown.locator(".step:visible").get_attribute("id") == "ply-2"


def test_buttons_step_through_the_game(browser: Browser, file: Path) -> None:
    with browser.open(file) as page:
        for name, number in (
            ("one move forward", 1),
            ("one move forward", 2),
            ("one move back", 1),
            ("last position", 5),
        ):
            page.get_by_role("button", name=name).click()
            assert at(page) == number
        page.get_by_role("button", name="first position").press("Enter")
        assert at(page) == 0
        page.get_by_role("button", name="one move forward").focus()
        page.keyboard.press("ArrowRight")
        assert at(page) == 1


def test_it_plays_at_a_speed_and_stops_at_the_end(browser: Browser, file: Path) -> None:
    with browser.open(file, alone=True) as page:
        page.clock.install()
        page.clock.pause_at(page.evaluate("Date.now() + 1000"))
        page.keyboard.press("Space")
        assert at(page) == 0
        page.clock.run_for(2100)
        assert at(page) == 2
        page.get_by_label("moves per second").select_option("4")
        page.clock.run_for(300)
        assert at(page) == 3
        page.get_by_role("button", name="stop").click()
        page.clock.run_for(9000)
        assert at(page) == 3
        page.get_by_role("button", name="play").click()
        page.clock.run_for(9000)
        assert at(page) == 5
        assert page.get_by_role("button", name="play").count() == 1
        page.get_by_role("button", name="play").click()
        assert at(page) == 0


def test_slider_list_curves_and_address_jump(browser: Browser, file: Path) -> None:
    with browser.open(file, at="#ply-4") as page:
        assert at(page) == 4
        page.locator("#at").press("ArrowLeft")
        assert at(page) == 3
        page.get_by_role("link", name="5. ann: a3").click()
        assert at(page) == 5
        curve = page.locator(".curve svg").last
        curve.scroll_into_view_if_needed()
        mark = curve.locator(".now").bounding_box()
        assert mark is not None
        page.keyboard.press("Home")
        moved = curve.locator(".now").bounding_box()
        assert moved is not None
        assert moved["x"] < mark["x"] - 100
        page.mouse.click(moved["x"] + (mark["x"] - moved["x"]) * 0.42, moved["y"] + 20)
        assert at(page) == 2
        page.evaluate("location.hash = '#ply-99'")
        page.wait_for_url("**#ply-5")
        assert at(page) == 5


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 664)])
def test_the_board_the_clocks_and_the_buttons_are_seen_without_scrolling_and_before_the_facts(
    browser: Browser, file: Path, width: int, height: int
) -> None:
    with browser.open(file, at="#ply-3", width=width, height=height) as page:
        for part in (".step:visible svg", ".step:visible .clocks", "#play"):
            place = page.locator(part).bounding_box()
            assert place is not None
            assert place["y"] + place["height"] <= height, part
            facts = page.get_by_role("table", name="Players").bounding_box()
            assert facts is not None
            assert place["y"] < facts["y"], part


def test_moves_are_announced_to_screen_readers(browser: Browser, file: Path) -> None:
    with browser.open(file) as page:
        status = page.get_by_role("status")
        page.keyboard.press("ArrowRight")
        assert (status.text_content() or "").startswith("1. ann: a1. ann 0:09.7")
        page.keyboard.press("End")
        assert (status.text_content() or "").endswith("ann wins")
        assert page.locator("#at").get_attribute("aria-valuetext") == "5. ann: a3"
        tree = page.locator("main").aria_snapshot()
        assert 'group "Steps"' in tree
        assert 'img "' in tree


def test_output_is_shown_at_its_move(browser: Browser, file: Path) -> None:
    with browser.open(file, at="#ply-2") as page:
        assert page.locator(".step:visible pre").inner_text().startswith("yours")
        assert "depth 3" in page.locator(".step:visible .said").inner_text()
        page.keyboard.press("End")
        assert page.get_by_text("bob printed after its last move").is_visible()
        assert page.get_by_text("ann wins").first.is_visible()


def test_without_a_script_it_is_a_list_of_moves_with_boards(browser: Browser, file: Path) -> None:
    with browser.open(file, script=False) as page:
        assert page.locator(".step:visible").count() == 6
        assert page.locator(".step svg:visible").count() == 6
        assert not page.locator("#controls").is_visible()
        page.get_by_role("link", name="5. ann: a3").click()
        assert page.url.endswith("#ply-5")


def test_on_paper_all_boards_are_there(browser: Browser, file: Path) -> None:
    with browser.open(file) as page:
        page.emulate_media(media="print")
        assert page.locator(".step:visible").count() == 6
        assert not page.locator("#controls").is_visible()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("script", [False, True], ids=["without a script", "with a script"])
def test_texts_have_enough_contrast(browser: Browser, file: Path, dark: bool, script: bool) -> None:
    with browser.open(file, at="#ply-5", dark=dark, script=script) as page:
        check_contrast(page)


def test_everything_is_reachable_with_the_keyboard(browser: Browser, file: Path) -> None:
    with browser.open(file, at="#ply-2") as page:
        check_keyboard(page)


def test_on_a_phone_the_texts_of_the_curves_are_not_made_smaller(browser: Browser, file: Path) -> None:
    with browser.open(file, width=390, height=844) as page:
        for curve in page.locator(".curve svg").all():
            assert curve.evaluate("picture => picture.getScreenCTM().a") > 0.95


@pytest.mark.parametrize("script", [False, True], ids=["without a script", "with a script"])
def test_on_a_phone_nothing_is_wider_than_the_screen(browser: Browser, tmp_path: Path, script: bool) -> None:
    names = ("W" * 64, "素人の将棋エージェントは強いですよね本当に強い")
    file = tmp_path / "game.html"
    file.write_text(page(past_game("connect4", names, logs=["x" * 3000])).text, "utf-8")
    with browser.open(file, width=390, height=844, script=script) as opened:
        check_width(opened)
    with browser.open(file, width=1280, script=script) as opened:
        check_width(opened)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a short game with two mistakes, at plies 3 and 4; it opens at ply 1."""
    game = analysed(past_game("tictactoe", ("ann", "bob"), moves="c2 c3 a2 b1 b2"), depth=9)
    assert [ply.ply for ply in game.analysis if ply.mark] == [3, 4]
    file = tmp_path_factory.mktemp("judged") / "game.html"
    file.write_text(page(game, at=1).text, "utf-8")
    return file


def test_keys_buttons_and_curve_lead_to_mistakes(browser: Browser, judged: Path) -> None:
    with browser.open(judged) as page:
        assert at(page) == 1
        for key, number in (("m", 3), ("m", 4), ("m", 3), ("Shift+M", 4), ("Shift+M", 3), ("Home", 0), ("m", 3)):
            page.keyboard.press(key)
            assert at(page) == number, key
        page.get_by_role("button", name="next mistake").click()
        assert at(page) == 4
        page.get_by_role("button", name="previous mistake").click()
        assert at(page) == 3
        page.get_by_role("link", name="4. bob: b1??").click()
        assert at(page) == 4
        assert (page.get_by_role("status").text_content() or "").startswith(
            "4. bob: b1??. bob played b1??, better was "
        )
        assert page.locator(".step:visible figure.better svg").is_visible()
        page.locator(".curve").first.locator("circle.paper").first.click()
        assert at(page) == 3
        assert page.locator(".step:visible figure.better").evaluate("it => it.getBoundingClientRect().bottom") <= 800
    with browser.open(judged, at="#ply-5") as page:
        assert at(page) == 5


def test_a_page_with_mistakes_can_be_read_by_all(browser: Browser, judged: Path) -> None:
    for dark in (False, True):
        with browser.open(judged, at="#ply-4", dark=dark) as page:
            check_contrast(page)
    with browser.open(judged, at="#ply-4") as page:
        check_axe(page)
        check_keyboard(page)
        page.emulate_media(media="print")
        assert page.locator("figure.better svg:visible").count() == 2
    with browser.open(judged, script=False) as page:
        assert page.locator("figure.better svg:visible").count() == 2
    for width in (390, 1280):
        with browser.open(judged, at="#ply-4", width=width) as page:
            check_width(page)


def test_names_and_texts_run_no_script(browser: Browser, tmp_path: Path) -> None:
    """Closing the page fails if there was a dialog, a request or an error."""
    odd = "".join(AWKWARD).replace("\ud800", "") + "</script><img src=x onerror=alert(1)>`${alert(2)}"
    game = past_game("tictactoe", (odd, "bob"), moves=MOVES, logs=[odd * 9], tournament=odd)
    moves = tuple(structs.replace(move, text=odd, line=odd) for move in game.moves)
    file = tmp_path / "game.html"
    file.write_text(page(structs.replace(game, moves=moves)).text, "utf-8")
    with browser.open(file) as opened:
        opened.keyboard.press("End")
        assert "alert(1)" in (opened.title() or "")
        assert opened.locator("script").count() == 1
        assert opened.locator("body img").count() == 0


@pytest.mark.costly
def test_boards_that_share_their_parts_look_as_they_were_drawn(browser: Browser, tmp_path: Path) -> None:
    plain, shared, sheets = [], [], dict[str, None]()
    for number, rules in enumerate(EVERY_GAME):
        steps = replay(past_game(rules)).steps[-14::7]
        drawn = boards((step.state, step.last) for step in steps)
        apart = [split_style(step.state.svg(step.last).strip()) for step in steps if step.state is not None]
        sheets |= dict.fromkeys((drawn.sheet, *(sheet for sheet, _ in apart)))
        plain += [picture for _, picture in apart]
        for part in (drawn.shared, *drawn.drawn):
            shared.append(part.replace('id="b', f'id="game{number}-').replace('"#b', f'"#game{number}-'))
    seen = []
    for name, pictures in (("plain", plain), ("shared", shared)):
        file = tmp_path / f"{name}.html"
        styles = ("replay.css", *sheets)
        page = draw("sheets.html", "Boards", Frame(), styles=styles, sheets=pictures)
        file.write_text(page.text, "utf-8")
        with browser.open(file) as opened:
            seen.append(opened.screenshot(full_page=True))
    assert "<use" in "".join(shared)
    assert seen[0] == seen[1]
