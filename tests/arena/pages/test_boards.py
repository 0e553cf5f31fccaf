"""Boards on a page: common parts are shared; a user-supplied game's picture is an image, or text without a picture."""

from __future__ import annotations

import re
from base64 import b64decode
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, fromstring

import pytest

from adsearch import State, games
from adsearch.pictures.boards import draw
from adsearch.pictures.svg import split_style
from arena.history.replay import replay
from arena.pages.boards import animated, drawn_boards
from tests.kit.arena_program import arena
from tests.kit.page_games import EVERY_GAME, named, past_game

PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" class="mine" viewBox="0 0 9 9"><title>Mine</title>{}</svg>'


class Own(State[int]):
    """A user-supplied game that draws itself."""

    turn = 0

    def __init__(self, drawn: Any) -> None:
        self.drawn = drawn

    def svg(self, last: int | None = None) -> str:
        """Whatever was given."""
        if isinstance(self.drawn, Exception):
            raise self.drawn
        return self.drawn  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return "the <board>\x1b[31m"


def drawn(*pictures: Any) -> tuple[str, ...]:
    """The markup of boards with these pictures."""
    return drawn_boards((Own(picture), None) for picture in pictures).drawn


@pytest.mark.parametrize(
    "picture",
    [
        ValueError("no ink"),
        None,
        7,
        "",
        "<p>no picture</p>",
        "<svg><title>Mine</title></svg>",
        PICTURE.format("<circle>"),
        PICTURE.format("") + "<p>more</p>",
    ],
    ids=range(8),
)
def test_what_is_not_a_picture_is_shown_as_text(picture: object) -> None:
    (shown,) = drawn(picture)
    assert shown == '<pre class="board" role="img" aria-label="board">the &lt;board&gt;\\x1b[31m</pre>'


@pytest.mark.parametrize(
    "inside", ["", "<style>* { fill: red; }</style>", "<script>alert(1)</script>", "<text>ש</text>"]
)
def test_a_picture_of_a_user_supplied_game_is_an_image_with_its_title(inside: str) -> None:
    picture = PICTURE.format(inside)
    found = drawn_boards([(Own(picture), None)])
    assert found.shared == ""
    image = re.fullmatch('<img src="data:image/svg\\+xml;base64,([^"]*)" alt="Mine">', found.drawn[0])
    assert image is not None
    assert b64decode(image[1]).decode() == picture


def test_without_a_position_there_is_no_markup() -> None:
    assert drawn_boards([(None, None)] * 3) == (("", "", ""), "")


def test_common_parts_of_boards_are_written_once() -> None:
    start = games.start("tictactoe")
    marked = start.play(start.moves()[0])
    found = drawn_boards((state, None) for state in (start, marked, marked))
    whole = found.shared + "".join(found.drawn)
    assert whole.count('class="line"') == start.svg().count('class="line"') == 1
    assert all("<use" in each for each in found.drawn)


@pytest.mark.parametrize("rules", EVERY_GAME, ids=named)
def test_every_board_holds_the_same_elements_as_its_picture(rules: str) -> None:
    steps = replay(past_game(rules), trust=True).steps[:40]
    found = drawn_boards((step.state, step.last) for step in steps)
    shared = ElementTree.fromstring(found.shared or "<svg/>")
    parts = {f"#{group.get('id')}": group for group in shared.iter("g")}
    for step, shown in zip(steps, found.drawn, strict=True):
        assert step.state is not None
        there = _elements(ElementTree.fromstring(step.state.svg(step.last)), {})
        assert [one for each in _svgs(shown) for one in _elements(each, parts)] == there


@pytest.mark.parametrize("rules", EVERY_GAME, ids=named)
def test_a_board_is_drawn_without_its_margin_and_its_caption_stands_alone(rules: str) -> None:
    step = replay(past_game(rules), trust=True).steps[-1]
    assert step.state is not None
    board, *captions = _svgs(drawn_boards([(step.state, step.last)]).drawn[0])
    if "data-board" not in board.attrib:
        assert captions == []
        return
    (caption,) = captions
    assert [one.get("class") for one in board.iter() if one.get("class") in ("caption", "paper")] == []
    assert {one.get("class") for one in caption} == {"caption"}
    assert caption.get("aria-hidden") == "true"
    x, y, width, height = map(float, board.attrib["data-board"].split())
    box = [float(side) for side in board.attrib["viewBox"].split()]
    assert box == pytest.approx([x - 2, y - 2, width + 4, height + 4], abs=0.1)


def _svgs(markup: str) -> list[ElementTree.Element]:
    """The pictures of a board: itself, and its caption."""
    return [*ElementTree.fromstring(f"<figure>{markup}</figure>")]


def _elements(root: ElementTree.Element, parts: dict[str, ElementTree.Element]) -> list[tuple[object, ...]]:
    """All elements in order except the style sheet and the paper, with <use> replaced by the used part."""
    found: list[tuple[object, ...]] = []
    for element in root:
        name = element.tag.rpartition("}")[2]
        if name == "use":
            found += _elements(parts[element.attrib["href"]], parts)
        elif name != "style" and element.get("class") != "paper":
            found.append((name, sorted(element.attrib.items()), (element.text or "").strip()))
            found += _elements(element, parts)
    return found


def test_a_long_game_of_go_shares_its_rows() -> None:
    """A board of 19 rows refers to at most one part for each row, so a page of hundreds of plies loads fast."""
    state, random, positions = games.start("go:size=19"), Random(1), []
    for _ in range(60):
        move = state.playout_move(random)
        state = state.play(move)
        positions.append((state, move))
    found = drawn_boards(positions)
    assert max(board.count("<use ") for board in found.drawn) <= 19 + 6
    assert sum(map(len, found.drawn)) < 60 * 2_000


# A game as one animated SVG: at each position it shows what the board of that position shows.


NAMESPACE = "{http://www.w3.org/2000/svg}"
EACH = 0.8


def leaves(parent: Element, now: float, whole: float) -> list[tuple[str, str]]:
    """What is seen at a moment, in its order: kind and attributes of each shape, with the transforms around it."""
    found = []
    for element in parent:
        animate = element.find(f"{NAMESPACE}animate")
        if animate is not None:
            times = [float(time) * whole for time in animate.get("keyTimes", "").split(";")]
            values = animate.get("values", "").split(";")
            assert animate.get("dur") == f"{whole:g}s"
            if [value for time, value in zip(times, values, strict=True) if time <= now + 1e-2][-1] == "none":
                continue
        kind = element.tag.removeprefix(NAMESPACE)
        if kind == "g":
            moved = element.get("transform", "")
            found += [(f"{moved} {shape}", text) for shape, text in leaves(element, now, whole)]
        elif kind not in ("title", "desc", "style", "animate"):
            found.append((f"{kind} {sorted(element.attrib.items())}", element.text or ""))
    return [(" ".join(shape.split()), text) for shape, text in found]


@pytest.mark.parametrize(
    "rules", ["chess", "connect4", "othello:size=6", "backgammon", "ludo:players=3,tokens=1", "maze"]
)
def test_each_position_shows_its_board(rules: str) -> None:
    steps = replay(past_game(rules)).steps[:30]
    positions = [(step.state, step.last) for step in steps if step.state is not None]
    moving = fromstring(animated(positions, "<ann> & bob"))
    assert moving.findtext(f"{NAMESPACE}title") == "<ann> & bob"
    whole = EACH * (len(positions) - 1) + 3.0
    for number, (state, last) in enumerate(positions):
        alone = fromstring(split_style(draw(state, last))[1])
        assert leaves(moving, EACH * number, whole) == leaves(alone, 0.0, 0.0), number


def test_it_is_far_smaller_than_all_boards() -> None:
    positions = [(step.state, step.last) for step in replay(past_game("chess")).steps if step.state is not None]
    boards = sum(len(draw(state, last)) for state, last in positions)
    assert len(animated(positions, "game")) < boards / 4


def test_the_command_writes_it_and_says_what_belongs_together(tmp_path: Path) -> None:
    assert arena("play", "tictactoe", "random", "random", cwd=tmp_path).code == 0
    assert arena("replay", "last", "--svg", "game.svg", "--animated", cwd=tmp_path).code == 0
    assert "<animate " in (tmp_path / "game.svg").read_text("utf-8")
    for options in (["--animated"], ["--svg", "x.svg"]):
        failed = arena("replay", "last", *options, cwd=tmp_path)
        assert failed.code == 2
        assert "--svg and --animated belong together" in failed.err
    assert not (tmp_path / "x.svg").exists()
