"""The page of a search: its markup; in a real browser its steps, with keys, slider and rows; on paper, on a phone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from adsearch import Trace, algorithms, alphabeta, games, maxn, winning
from adsearch.errors import BadSearch
from adsearch.games.tree import Tree, read
from adsearch.pictures.search_steps import stepped
from adsearch.pictures.tree_picture import search_tree
from adsearch.trace_calls import Nodes
from arena.course.lecture.search_page import MOST_NODES, MOST_STEPS, page
from tests.kit.chromium import Browser, check_contrast, check_keyboard, check_width, until
from tests.kit.every_game import AnyState
from tests.kit.html_validity import check_html

if TYPE_CHECKING:
    from playwright.sync_api import Page


def written(state: AnyState, algorithm: str, *, title: str = "A search", depth: int | None = None) -> str:
    """The page of a search."""
    search, options = algorithms.configured(algorithm)
    options |= {} if depth is None else {"depth": depth}
    trace = Trace()
    result = search(state, trace=trace, **options)
    picture = search_tree(state, trace, result, title=title)
    return page(stepped(trace, picture, algorithm.partition(":")[0], options), summary="the result")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Alpha-beta on a tree of 13 nodes: steps 0 to 14, with the cut-off at step 7."""
    file = tmp_path_factory.mktemp("page") / "search.html"
    file.write_text(written(games.start("tree:textbook"), "alphabeta"), "utf-8")
    return file


LAST = 14


def at(page: Page) -> int:
    """The number of the step; checks that slider, table, sentence and address agree."""
    number = int(page.locator("#at").input_value())
    assert page.locator("#where").text_content() == f"{number} of {LAST}"
    current = page.locator("#events tr.current")
    assert current.count() == 1
    assert page.locator("#events tbody tr").nth(number).evaluate("row => row.classList.contains('current')")
    assert page.locator("#says").text_content() == current.get_attribute("data-says")
    assert page.get_by_role("status").text_content() == current.get_attribute("data-says")
    assert page.url.endswith((f"#step-{number}", ".html"))
    return number


def seen(page: Page) -> list[str]:
    """The texts of the tree that can be seen."""
    return [text for text in page.locator(".picture text:visible").all_text_contents() if text]


def running(page: Page) -> list[str]:
    """The lines of code that are marked."""
    return [line.strip() for line in page.locator("#code .running").all_text_contents()]


@pytest.mark.parametrize(
    ("spec", "algorithm", "depth"),
    [
        ("tree:textbook", "alphabeta", None),
        ("tree:four_leaves", "pvs", None),
        ("tree:three", "maxn", None),
        ("tree:coins", "expectiminimax", None),
        ("tree:window", "mtdf", None),
        ("tictactoe", "mcts:simulations=5", None),
        ("connect4", "alphabeta", 2),
    ],
)
def test_the_page_is_valid(spec: str, algorithm: str, depth: int | None) -> None:
    check_html(written(games.start(spec), algorithm, depth=depth))


def test_a_search_that_is_too_large_is_refused() -> None:
    with pytest.raises(BadSearch, match=rf"at most {MOST_STEPS:,} steps .* {MOST_NODES} nodes .*\(--depth\)"):
        written(games.start("connect4"), "alphabeta", depth=4)


def test_keys_step_through_the_search(browser: Browser, file: Path) -> None:
    with browser.open(file) as page:
        assert at(page) == 0
        for key, number in (
            ("ArrowRight", 1),
            ("ArrowRight", 2),
            ("ArrowLeft", 1),
            ("End", LAST),
            ("ArrowRight", LAST),
            ("Home", 0),
            ("ArrowLeft", 0),
            ("c", 7),
            ("Control+ArrowRight", 7),
        ):
            page.keyboard.press(key)
            assert at(page) == number, key


def test_the_tree_grows_and_the_lines_that_run_are_marked(browser: Browser, file: Path) -> None:
    with browser.open(file) as page:
        assert seen(page) == ["[-inf, +inf]", "A"]
        assert running(page) == ["def alphabeta(state, alpha, beta):"]
        page.keyboard.press("ArrowRight")
        assert seen(page) == ["[-inf, +inf]", "[-inf, +inf]", "B", "A"]
        assert running(page) == ["value = alphabeta(child, alpha, beta)"]
        page.keyboard.press("ArrowRight")
        assert sorted(seen(page)) == sorted(["[-inf, +inf]", "[-inf, 3]", "3", "A", "B", "b1"])
        page.keyboard.press("c")
        assert "Cut-off: C leaves out c2, c3." in (page.locator("#says").text_content() or "")
        assert {"c2", "c3", "[3, 2]"} <= {*seen(page)}
        assert "break" in running(page)
        assert page.locator(".picture .current text").all_text_contents() == ["2"]
        page.keyboard.press("ArrowLeft")
        assert not {"c2", "c3", "[3, 2]"} & {*seen(page)}


def test_the_last_step_is_what_the_page_shows_without_a_script(browser: Browser, file: Path) -> None:
    with browser.open(file, script=False) as page:
        assert not page.locator("#controls").is_visible()
        alone = seen(page)
        assert page.locator("#events tbody tr:visible").count() == LAST + 1
        assert page.locator("#says").is_visible()
        best = page.locator(".picture .best").count()
    with browser.open(file, at=f"#step-{LAST}") as page:
        assert seen(page) == alone
        assert best == page.locator(".picture .best").count() > 0
        page.keyboard.press("ArrowLeft")
        assert page.locator(".picture .best").count() == 0


def test_slider_rows_buttons_and_address_jump(browser: Browser, file: Path) -> None:
    with browser.open(file, at="#step-4") as page:
        assert at(page) == 4
        assert page.evaluate("scrollY") == 0
        page.locator("#at").press("ArrowLeft")
        assert at(page) == 3
        page.locator("#events tbody tr").nth(9).locator("td").last.click()
        assert at(page) == 9
        page.locator("#events tbody a").nth(2).press("Enter")
        assert at(page) == 2
        page.get_by_role("button", name="next cut-off").click()
        assert at(page) == 7
        page.evaluate("location.hash = '#step-99'")
        page.wait_for_url(f"**#step-{LAST}")
        assert at(page) == LAST


@pytest.mark.parametrize("box", ["current td", "current a", ".picture", "#code"])
def test_the_keys_work_after_a_click(browser: Browser, file: Path, box: str) -> None:
    with browser.open(file, at="#step-4") as page:
        page.locator(box.replace("current", "#events tr.current")).first.click()
        page.keyboard.press("ArrowRight")
        assert at(page) == 5
        page.keyboard.press("c")
        assert at(page) == 7
        page.keyboard.press("Home")
        assert at(page) == 0


def test_a_box_that_is_reached_with_tab_scrolls_with_the_arrows(browser: Browser, file: Path) -> None:
    with browser.open(file) as page:
        page.locator("#next").click()
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches('.picture')"):
                break
        page.keyboard.press("ArrowRight")
        assert at(page) == 1
        page.keyboard.press("c")
        assert at(page) == 7


def test_all_lines_that_run_and_the_event_are_in_view(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "long.html"
    file.write_text(written(games.start("tree:window"), "pvs"), "utf-8")
    hidden = """() => {
      const parts = [...document.querySelectorAll("#code .running"), document.querySelector("#events .current a")];
      return parts.filter((part) => {
        const box = part.closest("pre, .wide");
        const [inner, top] = [part.getBoundingClientRect(), box.getBoundingClientRect().top + box.clientTop];
        return inner.top < top - 1 || inner.bottom > top + box.clientHeight + 1;
      }).map((part) => part.textContent);
    }"""
    with browser.open(file, width=1280, height=800) as page:
        for _ in range(int(page.locator("#at").get_attribute("max") or 0)):
            page.keyboard.press("ArrowRight")
            assert page.evaluate(hidden) == []


def test_it_plays_and_stops_at_the_end(browser: Browser, file: Path) -> None:
    with browser.open(file, alone=True) as page:
        page.clock.install()
        page.clock.pause_at(page.evaluate("Date.now() + 1000"))
        page.keyboard.press("Space")
        page.clock.run_for(2100)
        assert at(page) == 2
        page.keyboard.press("Space")
        page.clock.run_for(9000)
        assert at(page) == 2
        page.keyboard.press("Space")
        page.clock.run_for(20_000)
        assert at(page) == LAST


def test_on_paper_is_the_end_of_the_search(browser: Browser, file: Path) -> None:
    with browser.open(file, at="#step-3") as page:
        early = seen(page)
        page.emulate_media(media="print")
        until(page, lambda: page.locator(".picture .later").count() == 0)
        assert page.locator("#events tbody tr:visible").count() == LAST + 1
        assert not page.locator("#controls").is_visible()
        page.emulate_media(media="screen")
        until(page, lambda: page.locator(".picture .later").count() > 0)
        assert seen(page) == early


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_texts_have_enough_contrast(browser: Browser, file: Path, dark: bool) -> None:
    with browser.open(file, at="#step-7", dark=dark) as page:
        check_contrast(page)


def test_everything_is_reachable_with_the_keyboard(browser: Browser, file: Path) -> None:
    with browser.open(file) as page:
        check_keyboard(page)


@pytest.mark.parametrize("script", [False, True], ids=["without a script", "with a script"])
@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_only_the_tree_is_wider_than_the_screen(browser: Browser, tmp_path: Path, width: int, script: bool) -> None:
    file = tmp_path / "wide.html"
    file.write_text(written(games.start("connect4"), "pvs", depth=3, title="W" * 80), "utf-8")
    with browser.open(file, at="#step-60", width=width, height=844, script=script) as page:
        check_width(page)
        if script:
            box, node = page.locator(".picture").bounding_box(), page.locator(".picture .current").bounding_box()
            assert box is not None
            assert node is not None
            assert box["x"] <= node["x"]
            assert node["x"] + node["width"] <= box["x"] + box["width"]


def test_a_deep_tree_stays_on_the_screen_of_a_phone(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "deep.html"
    deep: object = 1
    for ply in range(20):
        deep = {f"left{ply}": deep, f"right{ply}": ply}
    drawn = read({"tree": {"root": deep}})
    file.write_text(written(Tree.at(drawn, drawn.root), "alphabeta"), "utf-8")
    with browser.open(file, width=390, height=844) as page:
        for _ in range(25):
            page.keyboard.press("ArrowRight")
            node = page.locator(".picture .current .node").bounding_box()
            assert node is not None
            assert node["y"] + node["height"] <= 844


def test_labels_run_no_script(browser: Browser, tmp_path: Path) -> None:
    """Closing the page fails if there was a dialog, a request or an error."""
    odd = '<b>&amp;"</script><img/src=x/onerror="alert(1)">`${alert(2)}'
    drawn = read({"tree": {odd: {odd: {odd: 1, "b&lt;": 2}, "c": {"d": 0, "e": 3}}}})
    file = tmp_path / "odd.html"
    file.write_text(written(Tree.at(drawn, drawn.root), "alphabeta", title=odd), "utf-8")
    with browser.open(file) as page:
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        assert "alert(1)" in page.title()
        assert page.locator("script").count() == 2
        assert page.locator("body img").count() == 0


def test_nodes_can_be_boards_with_values_that_change(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "boards.html"
    state = games.start("tictactoe")
    trace = Trace()
    result = alphabeta.search(state, trace=trace, depth=2)
    picture = search_tree(state, trace, result, nodes=Nodes.BOARDS)
    text = page(stepped(trace, picture, "alphabeta", {"depth": 2}), summary="the result")
    check_html(text)
    file.write_text(text, "utf-8")
    with browser.open(file) as opened:
        root = opened.locator(".picture g[data-node='0']")
        assert "MAX" in (root.text_content() or "")
        assert not root.locator(".value").text_content()
        opened.keyboard.press("End")
        assert root.locator(".value").text_content() == "0.0476"


def test_a_node_of_two_players_has_the_value_for_max() -> None:
    state = games.start("tree:window")
    trace = Trace()
    result = maxn.search(state, trace=trace)
    steps = stepped(trace, search_tree(state, trace, result), "maxn", {}).steps
    assert steps[2].says == "The leaf X1 is worth (4, -4)."
    assert steps[2].value is not None
    assert steps[2].value[1] == "4"


@pytest.mark.costly
def test_nodes_have_the_names_of_the_picture_in_table_and_sentences() -> None:
    state = games.start("grundy:7")
    trace = Trace()
    result = winning.search(state, trace=trace)
    picture = search_tree(state, trace, result, nodes=Nodes.PROBLEMS)
    steps = stepped(trace, picture, "winning", {}).steps
    assert steps[1].event is not None
    assert steps[1].event.name == "W(7+)->W(6-1-)"
    assert steps[1].says == "From W(7+) down to W(6-1-)."
