"""Mistakes on the page of a game: where it opens, what leads to them, and lines that can be played on the board."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.history.replay import played_on, replay
from arena.pages.boards import drawn_boards
from arena.pages.replay_page import page
from tests.kit.chromium import Browser, check_axe, check_contrast, check_keyboard, check_width, until
from tests.kit.page_games import analysed, past_game
from tests.kit.shown_ply import at, is_at

JUDGED = "c2 c3 a2 b1 b2"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a short game with two mistakes, at plies 3 and 4; it opens at ply 1."""
    game = analysed(past_game("tictactoe", ("ann", "bob"), moves=JUDGED), depth=9)
    assert [ply.ply for ply in game.analysis if ply.mark] == [3, 4]
    file = tmp_path_factory.mktemp("judged") / "game.html"
    file.write_text(page(game, at=1).text, "utf-8")
    return file


def test_keys_buttons_and_plot_lead_to_mistakes(browser: Browser, judged: Path) -> None:
    with browser.open(judged) as page:
        assert at(page) == 1
        for key, number in (("m", 3), ("m", 4), ("m", 3), ("Shift+M", 4), ("Shift+M", 3), ("Home", 0), ("m", 3)):
            page.keyboard.press(key)
            assert at(page) == number, key
        page.get_by_role("button", name="next mistake").click()
        assert at(page) == 4
        page.get_by_role("button", name="previous mistake").click()
        assert at(page) == 3
        page.locator(".moves a", has_text="b1??").click()
        assert at(page) == 4
        assert (page.get_by_role("status").text_content() or "").startswith(
            "4. bob: b1??. bob played b1??, better was "
        )
        assert page.locator("#step .line").count() == 2
        page.locator(".plot:visible path.mistake").first.click(force=True)
        assert at(page) == 3
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        assert page.locator("#step").evaluate("it => it.getBoundingClientRect().bottom") <= 800
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
        until(page, lambda: page.locator(".steps figure.better svg:not(.caption):visible").count() == 2)
    with browser.open(judged, script=False) as page:
        assert page.locator(".steps figure.better svg:not(.caption):visible").count() == 2
    for width in (390, 1280):
        with browser.open(judged, at="#ply-4", width=width) as page:
            check_width(page)


POSITION = """markup => {
  const box = document.createElement("figure");
  box.innerHTML = markup;
  return box.innerHTML === document.querySelector("#board").innerHTML;
}"""


def test_the_better_line_and_the_answer_can_be_played_on_the_board(browser: Browser, judged: Path) -> None:
    """In the game ann wins in three moves because bob plays b1 at ply 4."""
    steps = replay(analysed(past_game("tictactoe", ("ann", "bob"), moves=JUDGED), depth=9)).steps
    judgement = steps[4].judged
    assert judgement is not None
    with browser.open(judged, at="#ply-4") as page:
        for kind, line, begin in (
            ("better", judgement.better, steps[3].state),
            ("answer", judgement.answer, steps[4].state),
        ):
            row = page.locator(f"#step .line.{kind} button")
            assert row.all_text_contents() == [*line]
            positions = [drawn_boards([position]).drawn[0] for position in played_on(begin, line)]
            row.first.click()
            for number, position in enumerate(positions):
                assert page.evaluate(POSITION, position)
                assert row.nth(number).get_attribute("aria-current") == "step"
                page.keyboard.press("ArrowRight")
            for position in reversed(positions[:-1]):
                page.keyboard.press("ArrowLeft")
                assert page.evaluate(POSITION, position)
            page.keyboard.press("ArrowLeft")
            assert at(page) == 4
            assert page.locator("#board .marks text").all_text_contents() == ["??", "★"]
        row.last.click()
        page.keyboard.press("Escape")
        assert at(page) == 4
        row.last.click()
        page.locator("#next").click()
        assert at(page) == 5
        assert page.locator("#step .line").count() == 0


def test_a_page_opens_at_the_first_mistake_of_the_reader_s_agent_and_does_not_play(
    browser: Browser, tmp_path: Path
) -> None:
    game = analysed(past_game("tictactoe", ("ann", "bob"), moves=JUDGED), depth=9)
    for own, ply in ((None, 3), (0, 3), (1, 4)):
        file = tmp_path / f"{own}.html"
        file.write_text(page(game, own=own).text, "utf-8")
        with browser.open(file, moves=True) as shown:
            assert at(shown) == ply
            assert shown.locator("#play").get_attribute("aria-label") == "play"


def test_a_game_without_an_analysis_begins_to_play_unless_a_reader_wants_no_motion_or_has_come_for_a_move(
    browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "game.html"
    file.write_text(page(past_game("tictactoe", ("ann", "bob"), moves=JUDGED)).text, "utf-8")
    with browser.open(file, moves=True) as shown:
        assert shown.locator("#play").get_attribute("aria-label") == "stop"
        until(shown, lambda: is_at(shown, 5))
        assert shown.locator("#play").get_attribute("aria-label") == "play"
    for address, moves in (("", False), ("#ply-0", True)):
        with browser.open(file, at=address, moves=moves) as shown:
            assert shown.locator("#play").get_attribute("aria-label") == "play"
