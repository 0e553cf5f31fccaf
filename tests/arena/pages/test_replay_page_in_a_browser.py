"""The page of a game in a real browser: keys, buttons, slider, list, plots; without a script, on paper, on a phone."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from msgspec import structs

from arena.history.replay import replay
from arena.pages.boards import drawn_boards
from arena.pages.drawing import PageFrame, draw
from arena.pages.replay_page import page
from tests.kit.chromium import Browser, check_axe, check_contrast, check_keyboard, check_width, until
from tests.kit.page_games import COUNTDOWN, EVERY_GAME, past_game
from tests.kit.plot_reading import AWKWARD
from tests.kit.shown_ply import at, is_at

MOVES = "a1 b1 a2 b2 a3"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a short game with reports and output."""
    game = past_game("tictactoe", ("ann", "bob"), moves=MOVES, logs=["mine\n" * 8, "yours\n" * 30])
    moves = tuple(structs.replace(move, score=(-1) ** move.ply * 0.1 * move.ply, depth=3) for move in game.moves)
    file = tmp_path_factory.mktemp("page") / "game.html"
    file.write_text(page(structs.replace(game, moves=moves), near=[("index.html", "cs101")]).text, "utf-8")
    return file


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
    with browser.open(file, at="#ply-2", moves=True) as shown:
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


def test_on_paper_colours_stay_and_are_those_of_a_light_page(browser: Browser, file: Path) -> None:
    with browser.open(file, dark=True) as page:
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        page.emulate_media(media="print")
        style = page.locator(".piece").first.evaluate(
            "e => [getComputedStyle(e).printColorAdjust, getComputedStyle(e).color]"
        )
        assert style == ["exact", "rgb(20, 24, 31)"]


FALLS = """() => {
  const [fall] = document.getAnimations();
  fall.pause();
  fall.currentTime = 0;
  const disc = fall.effect.target.getBoundingClientRect();
  return Math.round(disc.y - document.querySelector("#board svg").getBoundingClientRect().y);
}"""
"""How far below the edge of the board a disc begins to fall, in pixels."""


def test_a_disc_falls_from_the_edge_of_the_board_and_not_from_above_it(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    file.write_text(page(past_game("connect4", moves="4 4")).text, "utf-8")
    with browser.open(file, at="#ply-1", moves=True) as shown:
        shown.keyboard.press("ArrowRight")
        assert 0 <= shown.evaluate(FALLS) < 20


LAID_OUT = """() => {
  const changes = new MutationObserver(() => {});
  changes.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  window.forced = 0;
  for (const [{ prototype }, name] of [[SVGGraphicsElement, "getBBox"], [Element, "getBoundingClientRect"]]) {
    const asked = prototype[name];
    prototype[name] = function () {
      window.forced += changes.takeRecords().length > 0;
      return asked.call(this);
    };
  }
}"""
"""Counts how often a script asks where something is after a change, which lays out the page at once."""


def test_a_move_is_laid_out_once_while_the_script_runs(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    file.write_text(page(past_game("chess")).text, "utf-8")
    with browser.open(file, at="#ply-2", moves=True) as shown:
        shown.evaluate(LAID_OUT)
        for number in range(1, 9):
            shown.keyboard.press("ArrowRight")
            assert shown.evaluate("forced") == number


WRITTEN = """() => {
  window.written = [];
  history.replaceState = (state, title, address) => { window.written.push(address); };
}"""


def test_of_a_game_that_plays_the_address_is_written_once_where_it_stops(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    file.write_text(page(past_game("tictactoe", moves=MOVES)).text, "utf-8")
    with browser.open(file, at="#ply-1", moves=True) as shown:
        shown.evaluate(WRITTEN)
        shown.select_option("#speed", "10")
        shown.click("#play")
        until(shown, lambda: shown.inner_text("#where") == "5 of 5")
        assert shown.evaluate("written") == ["#ply-5"]


@pytest.mark.parametrize("game", ["words", "ludo", "chess", "maze"])
def test_of_a_board_with_many_parts_only_what_differs_is_measured(browser: Browser, tmp_path: Path, game: str) -> None:
    file = tmp_path / "game.html"
    file.write_text(page(past_game(game)).text, "utf-8")
    with browser.open(file, at="#ply-16", moves=True) as shown:
        shown.evaluate(MEASURED)
        for _ in range(8):
            shown.keyboard.press("ArrowRight")
        assert 0 < shown.evaluate("measured") < 8 * 16


def test_an_address_leads_to_the_end_of_the_game(browser: Browser, file: Path) -> None:
    with browser.open(file, at="#ply-last") as page:
        assert page.locator("[aria-current]").get_attribute("href") == "#ply-5"
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
        assert (first.text_content() or "").split() == ["1–6.", "ABCDEF"]
        for key, number in (("ArrowRight", 6), ("ArrowRight", 7), ("ArrowLeft", 6), ("ArrowLeft", 0)):
            shown.keyboard.press(key)
            assert shown.locator("[aria-current]").get_attribute("href") == f"#ply-{number}", key
        first.get_by_text("B").click()
        assert shown.locator("[aria-current]").get_attribute("href") == "#ply-2"


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


CURSOR = "plot => plot.querySelector('.cursor').getBoundingClientRect().x"


def test_slider_list_plots_and_address_jump(browser: Browser, file: Path) -> None:
    with browser.open(file, at="#ply-4") as page:
        assert at(page) == 4
        page.locator("#at").press("ArrowLeft")
        assert at(page) == 3
        page.locator(".moves a", has_text="a3").click()
        assert at(page) == 5
        page.get_by_text("Clocks").click()
        plot = page.locator(".plot:visible")
        assert (plot.get_attribute("aria-label") or "").startswith("Clocks. ann: from 10.0")
        plot.scroll_into_view_if_needed()
        end = plot.evaluate(CURSOR)
        page.keyboard.press("Home")
        begin = plot.evaluate(CURSOR)
        assert begin < end - 100
        area = plot.locator("svg").bounding_box()
        assert area is not None
        page.mouse.click(begin + (end - begin) * 0.42, area["y"] + 20)
        assert at(page) == 2
        page.evaluate("location.hash = '#ply-99'")
        page.wait_for_url("**#ply-5")
        assert at(page) == 5


def test_a_plot_is_as_wide_as_its_place_and_its_words_are_not_made_smaller(browser: Browser, file: Path) -> None:
    with browser.open(file) as page:
        for width in (390, 1280, 1920):
            page.set_viewport_size({"width": width, "height": 800})
            plot = page.locator(".plot:visible")
            rooms = plot.evaluate("it => [it, it.querySelector('.area')].map(one => one.getBoundingClientRect().width)")
            assert rooms[1] > 0.85 * rooms[0]
            assert plot.evaluate("it => parseFloat(getComputedStyle(it.querySelector('.ticks')).fontSize)") == 13


SETTLED = "Promise.allSettled(document.getAnimations().map(one => one.finished))"
"""What is taken stays until it has faded."""
POSITION = """markup => {
  const box = document.createElement("figure");
  box.innerHTML = markup;
  return box.innerHTML === document.querySelector("#board").innerHTML;
}"""


@pytest.mark.parametrize("rules", ["chess", "words:tiles=AAEEINORSTDL_,rack=3", "ludo:players=3,tokens=1", COUNTDOWN])
def test_each_position_is_drawn_from_the_shared_parts_as_it_is_alone(
    browser: Browser, tmp_path: Path, rules: str
) -> None:
    game = past_game(rules)
    game = structs.replace(game, moves=game.moves[:30], verdict="resigned", fault=0)
    steps = replay(game, trust=True).steps
    file = tmp_path / "game.html"
    file.write_text(page(game, trust=True).text, "utf-8")
    with browser.open(file) as shown:
        for step in steps:
            shown.evaluate("ply => { location.hash = `#ply-${ply}`; }", step.number)
            until(shown, partial(is_at, shown, step.number))
            shown.evaluate(SETTLED)
            alone = drawn_boards([(step.state, step.last)], ended=0 if step.number == len(game.moves) else None)
            assert shown.evaluate(POSITION, alone.drawn[0]), step.number


def test_the_players_have_their_clocks_of_the_move(browser: Browser, file: Path) -> None:
    with browser.open(file) as page:
        times = page.locator("#seats .time")
        assert times.all_text_contents() == ["0:10", "0:10"]
        page.keyboard.press("End")
        after = times.all_text_contents()
        assert after != ["0:10", "0:10"]
        page.locator("#all").click()
        assert page.locator("#ply-5 .clock b").all_text_contents() == after


def test_moves_are_announced_to_screen_readers(browser: Browser, file: Path) -> None:
    with browser.open(file) as page:
        status = page.get_by_role("status")
        page.keyboard.press("ArrowRight")
        assert (status.text_content() or "").startswith("1. ann: a1. ann 0:09.7. bob 0:10")
        page.keyboard.press("End")
        assert (status.text_content() or "").endswith("ann wins")
        assert page.locator("#at").get_attribute("aria-valuetext") == "5. ann: a3"
        tree = page.locator("main").aria_snapshot()
        assert 'group "Steps"' in tree
        assert 'img "' in tree
        assert 'heading "This move"' in tree


def test_output_is_shown_at_its_move(browser: Browser, file: Path) -> None:
    with browser.open(file, at="#ply-2") as page:
        assert page.locator("#step pre").inner_text().startswith("yours")
        assert "depth 3" in page.locator("#step .said").inner_text()
        page.keyboard.press("End")
        assert page.get_by_text("bob printed after its last move").is_visible()
        assert page.locator("#step .verdict").inner_text() == "ann wins"


def test_without_a_script_it_is_a_list_of_moves_with_boards(browser: Browser, file: Path) -> None:
    with browser.open(file, script=False) as page:
        assert page.locator(".steps > li:visible").count() == 6
        assert page.locator(".steps svg.board:not(.caption):visible").count() == 6
        assert page.locator("#board svg.board:not(.caption):visible").count() == 1
        assert not page.locator("#controls").is_visible()
        page.locator(".moves a", has_text="a3").click()
        assert page.url.endswith("#ply-5")


def test_all_positions_are_there_when_asked_for(browser: Browser, file: Path) -> None:
    with browser.open(file, at="#ply-2") as page:
        assert page.locator(".steps > li").count() == 0
        page.get_by_role("link", name="All positions").click()
        assert page.locator(".steps > li:visible").count() == 6
        assert page.locator(".steps svg.board:not(.caption):visible").count() == 6
        until(page, lambda: page.locator("#ply-0").bounding_box()["y"] < 700)  # type: ignore[index]
        page.locator("#all").click()
        assert page.locator(".steps > li").count() == 6
        page.keyboard.press("End")
        assert at(page) == 5


def test_on_paper_all_boards_are_there(browser: Browser, file: Path) -> None:
    with browser.open(file) as page:
        page.emulate_media(media="print")
        until(page, lambda: page.locator(".steps > li:visible").count() == 6)
        for _ in range(2):
            assert page.locator(".steps svg.board:not(.caption):visible").count() == 6
            assert page.locator("#board svg:visible").count() == 0
            assert not page.locator("#controls").is_visible()
            page.emulate_media(media="screen")
            assert page.locator("#board svg:visible").count() == 2
            page.emulate_media(media="print")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("script", [False, True], ids=["without a script", "with a script"])
def test_texts_have_enough_contrast(browser: Browser, file: Path, dark: bool, script: bool) -> None:
    with browser.open(file, at="#ply-5", dark=dark, script=script) as page:
        check_contrast(page)


def test_everything_is_reachable_with_the_keyboard(browser: Browser, file: Path) -> None:
    with browser.open(file, at="#ply-2") as page:
        check_keyboard(page)


@pytest.mark.parametrize("script", [False, True], ids=["without a script", "with a script"])
def test_on_a_phone_nothing_is_wider_than_the_screen(browser: Browser, tmp_path: Path, script: bool) -> None:
    names = ("W" * 64, "素人の将棋エージェントは強いですよね本当に強い")
    file = tmp_path / "game.html"
    file.write_text(page(past_game("connect4", names, logs=["x" * 3000])).text, "utf-8")
    with browser.open(file, width=390, height=844, script=script) as opened:
        check_width(opened)
    with browser.open(file, width=1280, script=script) as opened:
        check_width(opened)


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
        opened.locator("#all").click()
        assert opened.locator("script").count() == 2
        assert opened.locator("body img").count() == 0


@pytest.mark.costly
def test_boards_that_share_their_parts_look_as_they_were_drawn(browser: Browser, tmp_path: Path) -> None:
    plain, shared, parts = [], [], []
    for number, rules in enumerate(EVERY_GAME):
        steps = replay(past_game(rules)).steps[-14::7]
        drawn = drawn_boards((step.state, step.last) for step in steps)
        plain += [drawn_boards([(step.state, step.last)]).drawn[0] for step in steps]
        parts.append(drawn.shared.replace('id="b', f'id="game{number}-'))
        shared += [board.replace('"#b', f'"#game{number}-') for board in drawn.drawn]
    seen = []
    for name, pictures in (("plain", plain), ("shared", shared)):
        items = "".join(f'<li><div class="position">{picture}</div></li>' for picture in pictures)
        file = tmp_path / f"{name}.html"
        page = draw("sheets.html", "Boards", PageFrame(), sheets=[f'{"".join(parts)}<ol class="steps">{items}</ol>'])
        file.write_text(page.text, "utf-8")
        with browser.open(file) as opened:
            seen.append(opened.screenshot(full_page=True))
    assert "<use" in "".join(shared)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_marks_of_cells_come_and_go_with_their_move_do_not_glide_and_can_be_read(
    browser: Browser, tmp_path: Path, dark: bool
) -> None:
    game = past_game("tictactoe", ("ann", "bob"), moves=MOVES)
    marks = {"c1": "good", "a1": "bad", "b2": "best", "c2": "danger", "a3": "note", "c3": -0.5}
    moves = tuple(structs.replace(move, marks=marks if move.ply == 3 else None) for move in game.moves)
    file = tmp_path / "game.html"
    file.write_text(page(structs.replace(game, moves=moves)).text, "utf-8")
    with browser.open(file, at="#ply-2", dark=dark, moves=True) as shown:
        paths, said = shown.locator("#board .marks path"), shown.locator("#step .said", has_text=" marks ")
        assert (paths.count(), said.count()) == (0, 0)
        shown.keyboard.press("ArrowRight")
        assert (paths.count(), said.count()) == (6, 1)
        assert not shown.evaluate("document.getAnimations().some(one => one.effect.target.closest('.marks'))")
        assert said.inner_text() == "ann marks c1 good +; a1 bad −; b2 best ★; c2 danger !; a3 note •; c3 -0.5"
        colours = paths.evaluate_all("paths => paths.map(path => getComputedStyle(path).getPropertyValue('--mark'))")
        assert len({*colours}) == 5  # the number has the colour of "bad"
        check_contrast(shown)
        check_axe(shown)
        shown.keyboard.press("ArrowRight")
        assert (paths.count(), said.count()) == (0, 0)
