"""Boards on a page: common parts are shared; a user-supplied game's picture is an image, or text without a picture."""

from __future__ import annotations

import re
from base64 import b64decode
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest

from adsearch import State, games
from arena.history.replay import replay
from arena.pages.boards import boards
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
    return boards((Own(picture), None) for picture in pictures).drawn


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
    found = boards([(Own(picture), None)])
    assert (found.sheet, found.shared) == ("", "")
    image = re.fullmatch('<img src="data:image/svg\\+xml;base64,([^"]*)" alt="Mine">', found.drawn[0])
    assert image is not None
    assert b64decode(image[1]).decode() == picture


def test_without_a_position_there_is_no_markup() -> None:
    assert boards([(None, None)] * 3) == (("", "", ""), "", "")


def test_common_parts_of_boards_are_written_once() -> None:
    start = games.start("tictactoe")
    marked = start.play(start.moves()[0])
    found = boards((state, None) for state in (start, marked, marked))
    whole = found.shared + "".join(found.drawn)
    assert whole.count("<line") + whole.count("<rect") == start.svg().count("<line") + start.svg().count("<rect")
    assert all("<use" in each for each in found.drawn)


@pytest.mark.parametrize("rules", EVERY_GAME, ids=named)
def test_every_board_holds_the_same_elements_as_its_picture(rules: str) -> None:
    steps = replay(past_game(rules), trust=True).steps[:40]
    found = boards((step.state, step.last) for step in steps)
    shared = ElementTree.fromstring(found.shared or "<svg/>")
    parts = {f"#{group.get('id')}": group for group in shared.iter("g")}
    for step, shown in zip(steps, found.drawn, strict=True):
        assert step.state is not None
        there = [*_elements(ElementTree.fromstring(step.state.svg(step.last)), {})]
        assert [*_elements(ElementTree.fromstring(shown), parts)] == there


def _elements(root: ElementTree.Element, parts: dict[str, ElementTree.Element]) -> list[tuple[object, ...]]:
    """All elements in order except the style sheet, with <use> replaced by the used part."""
    found: list[tuple[object, ...]] = []
    for element in root:
        name = element.tag.rpartition("}")[2]
        if name == "use":
            found += _elements(parts[element.attrib["href"]], parts)
        elif name != "style":
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
    found = boards(positions)
    assert max(board.count("<use ") for board in found.drawn) <= 19 + 6
    assert sum(map(len, found.drawn)) < 60 * 2_000
