"""The board is as large as the window allows, and all that a player of the game needs is seen without scrolling.

Measured in a real browser is the drawn rectangle of the board (`data-board`), not the box around it. The pages have the
line above of a server, names of forty wide letters, and ratings.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import structs

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.pages.drawing import PageFrame, draw
from arena.pages.replay_page import MODULES, page
from tests.kit.chromium import Browser, check_width
from tests.kit.every_page import GROUPS, states_of_play
from tests.kit.page_games import EVERY_GAME, named, past_game

SEATS: Final = ("maze:ghosts=0", "ludo:players=3,tokens=1", "words:players=4", "maze:ghosts=4", "go:size=19")
"""Games for one, three, four and five players, and the largest board."""
AT_LEAST: Final = {(1920, 1080): 720, (1366, 768): 470, (1280, 800): 470, (390, 664): 0}
"""The height of a board that is about square, in pixels, in windows of these sizes."""
TITLE: Final = "W" * 40
FRAME: Final = PageFrame(
    home=("/", "arena"),
    pages=[(f"/{text}", text) for text in ("Home", TITLE, "Crosstable", "Bracket", "Games", "Play", "TV")],
    ends=[("/me", "My page"), ("/me/submit", "Hand in")],
    find="/find",
    of=TITLE,
    modules=MODULES,
    broad=True,
)
WITH_BUTTONS: Final = {1080: 695, 800: 405, 768: 405, 664: 0}
"""The same by the height of the window, where each move is a button below the board."""
MEASURED: Final = """() => {
  const box = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return [left, top, right, bottom];
  };
  const PARTS = ".seat, .seat .time, #controls .buttons, #controls .buttons button, " +
    "#choices > .choices, #choices > .written, .now, .acting, " +
    ".more > form button, .more summary, #tools button, .again button";
  const svg = document.querySelector("#board > :is(svg, img, pre)");
  const found = { board: box(svg), parts: [], cut: [], across: 0, down: 0, drawn: 0, most: 0 };
  if (svg.dataset.board) {
    const { a, d, e, f } = svg.getScreenCTM();
    const [x, y, width, height] = svg.dataset.board.split(" ").map(Number);
    found.board = [a * x + e, d * y + f, a * (x + width) + e, d * (y + height) + f];
    Object.assign(found, { across: a * width, down: d * height, drawn: a * svg.viewBox.baseVal.width });
  }
  for (const part of document.querySelectorAll(PARTS)) {
    found.parts.push([part.className || part.id, ...box(part)]);
  }
  for (const seat of document.querySelectorAll(".seat")) {
    const [name, time, all] = [".who", ".time"].map(part => box(seat.querySelector(part))).concat([box(seat)]);
    if (name[2] - name[0] < 20 || name[2] > time[0] || time[2] > all[2]) found.cut.push(seat.textContent);
  }
  const stage = document.querySelector(".stage");
  found.column = stage.getBoundingClientRect().width;
  found.highest = parseFloat(getComputedStyle(svg).maxHeight);
  found.rows = new Set([...document.querySelectorAll(".seat")].map(seat => Math.round(box(seat)[1]))).size;
  found.buttons = document.querySelector("#choices > :is(.choices, .written)") !== null;
  return found;
}"""


PLACES: Final = """() => Object.fromEntries([".figure", ".seat", ".seat.lower", ".now", ".acting"].map((part) => {
  const { left, top, width, height } = document.querySelector(part).getBoundingClientRect();
  return [part, [left, top, width, height].map(Math.round)];
}))"""
"""Where the parts of a page are on which a person plays."""


@pytest.mark.costly
@pytest.mark.parametrize("rules", [*EVERY_GAME, *SEATS], ids=named)
def test_a_replay_has_a_large_board_and_all_else_beside_it(browser: Browser, tmp_path: Path, rules: str) -> None:
    game = past_game(rules)
    names = {name: f"{seat}{'W' * 39}" for seat, name in enumerate(game.players)}
    moves = game.moves[:40]
    if len(moves) < len(game.moves):
        game = structs.replace(game, moves=moves, verdict="resigned", fault=0)
    ratings = dict.fromkeys(game.players, (2512.0, 130.0))
    agents = {name: f"/a/{name}" for name in game.players}
    file = tmp_path / "game.html"
    drawn = partial(draw, frame=FRAME)
    text = page(game, trust=True, names=names, ratings=ratings, agents=agents, drawn=drawn, at=len(moves)).text
    file.write_text(text, "utf-8")
    wrong: list[str] = []
    with browser.open(file) as shown:
        for (width, height), least in AT_LEAST.items():
            shown.set_viewport_size({"width": width, "height": height})
            measured = shown.evaluate(MEASURED)
            wrong += (f"{width}x{height}: {what}" for what in faults(measured, (width, height), least))
            if len(names) > 2 and measured["rows"] != (len(names) + 1) // 2:
                wrong.append(f"{width}x{height}: {len(names)} players in {measured['rows']} rows")
            check_width(shown)
        shown.set_viewport_size({"width": 320, "height": 640})
        check_width(shown)
    assert not wrong, "\n".join(wrong)


@pytest.mark.costly
@pytest.mark.parametrize("group", ["live", "play"])
def test_so_has_a_game_in_progress(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: str
) -> None:
    """These pages are of a server. Here they are files, without their scripts, which need that server."""
    monkeypatch.setattr("arena.web.links.STATIC", "")
    file = tmp_path / "game.html"
    wanted = "4 plies" if group == "live" else ("plies", "hint", "theirs", "over", "given up")
    wrong: list[str] = []
    for name, text in GROUPS[group]().items():
        if not name.endswith(wanted) or 'id="board"><svg' not in text:
            continue
        file.write_text(text, "utf-8")
        with browser.open(file, script=False) as shown:
            for (width, height), least in AT_LEAST.items():
                shown.set_viewport_size({"width": width, "height": height})
                measured = shown.evaluate(MEASURED)
                least = WITH_BUTTONS[height] if measured["buttons"] else least
                wrong += (f"{name} {width}x{height}: {what}" for what in faults(measured, (width, height), least))
                check_width(shown)
    assert not wrong, "\n".join(wrong)


@pytest.mark.costly
@pytest.mark.parametrize("rules", ["chess", "tictactoe", "kuhn"])
def test_nothing_moves_when_a_message_comes_or_a_turn_ends(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str
) -> None:
    monkeypatch.setattr("arena.web.links.STATIC", "")
    file = tmp_path / "game.html"
    with browser.open(tmp_path, script=False) as shown:
        for width, height in ((1280, 800), (390, 664)):
            shown.set_viewport_size({"width": width, "height": height})
            places = {}
            for name, text in states_of_play(rules).items():
                file.write_text(text, "utf-8")
                shown.goto(file.as_uri())
                places[name] = shown.evaluate(PLACES)
                least = WITH_BUTTONS[height] if rules == "kuhn" else AT_LEAST[width, height]
                assert not faults(shown.evaluate(MEASURED), (width, height), least), name
            first = next(iter(places.values()))
            assert places == dict.fromkeys(places, first)


def faults(measured: dict[str, Any], window: tuple[int, int], least: int) -> list[str]:
    """What is wrong with the place of the board and of what belongs to it."""
    found = [f"no room in {seat}" for seat in measured["cut"]]
    for name, left, top, right, bottom in [("board", *measured["board"]), *measured["parts"]]:
        if not (left >= 0 and top >= 0 and right <= window[0] + 0.5 and bottom <= window[1] + 0.5):
            found.append(f"{name} is not inside: {left:.0f} {top:.0f} {right:.0f} {bottom:.0f}")
    across, down = measured["across"], measured["down"]
    if not down:
        return found
    is_square = 0.75 <= round(across / down, 2) <= 1.5
    if is_square and down < least:
        found.append(f"the board is {down:.0f} high, expected {least}")
    room = min(measured["column"], measured["highest"] * across / down)
    if not (is_square and least) and measured["drawn"] < 0.97 * room:
        found.append(f"the board is {across:.0f} wide, there is room for {room:.0f}")
    return found
