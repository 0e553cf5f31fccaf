"""Boards on a page: shared where they are alike; plain text where a game of somebody's own draws what is no picture."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from adsearch import State
from arena.history.pages.boards import boards
from arena.history.replay import replay
from tests.kit.page_games import EVERY_GAME, named, past_game

PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" class="mine" viewBox="0 0 9 9"><title>Mine</title>{}</svg>'


class Own(State[int]):
    """A game of somebody's own that draws itself."""

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
    """How boards with these pictures are shown."""
    return boards((Own(picture), None) for picture in pictures).drawn


@pytest.mark.parametrize(
    "picture",
    [
        ValueError("no ink"),
        None,
        7,
        "",
        "<p>no picture</p>",
        PICTURE.format("<circle>"),
        PICTURE.format("<script>alert(1)</script>"),
        PICTURE.format("<foreignObject><p>hello</p></foreignObject>"),
        PICTURE.format('<circle r="1" onclick="alert(1)"/>'),
        PICTURE.format('<circle r="1" id="ply-1"/>'),
        PICTURE.format('<a href="https://example.org"><circle r="1"/></a>'),
        PICTURE.format('<rect style="position:fixed"/>'),
        PICTURE.format("<style>&lt;/style&gt;&lt;script&gt;</style>"),
        PICTURE.format("") + "<p>more</p>",
    ],
    ids=range(14),
)
def test_what_is_no_plain_picture_is_shown_as_text(picture: object) -> None:
    (shown,) = drawn(picture)
    assert shown == '<pre class="board" role="img" aria-label="board">the &lt;board&gt;\\x1b[31m</pre>'


def test_a_plain_picture_of_somebodys_own_is_shown() -> None:
    (shown,) = drawn(
        PICTURE.format('<style>.mine circle { fill: red; }</style><circle r="1"/><text x="1">1 &lt; 2</text>')
    )
    assert shown.startswith("<svg ")
    assert '<circle r="1"' in shown
    assert "1 &lt; 2" in shown
    assert 'role="img"' in shown


def test_no_position_is_nothing() -> None:
    assert boards([(None, None)] * 3) == (("", "", ""), "", "")


def test_what_boards_have_in_common_is_there_once() -> None:
    ground = "".join(f'<rect x="{number}" width="1" height="1" class="cell"/>' for number in range(30))
    piece = '<circle class="piece" cx="3" cy="3" r="1"/>'
    found = boards((Own(PICTURE.format(each)), None) for each in (ground, ground + piece, ground + piece))
    whole = found.shared + "".join(found.drawn)
    assert whole.count('x="17"') == 1
    assert whole.count("<circle") == 1
    assert [each.count("<use") for each in found.drawn] == [1, 2, 2]


@pytest.mark.parametrize("rules", EVERY_GAME, ids=named)
def test_every_board_holds_the_same_elements_as_its_picture(rules: str) -> None:
    steps = replay(past_game(rules)).steps[:40]
    found = boards((step.state, step.last) for step in steps)
    shared = ElementTree.fromstring(found.shared or "<svg/>")
    parts = {f"#{group.get('id')}": group for group in shared.iter("g")}
    for step, shown in zip(steps, found.drawn, strict=True):
        assert step.state is not None
        there = [*_elements(ElementTree.fromstring(step.state.svg(step.last)), {})]
        assert [*_elements(ElementTree.fromstring(shown), parts)] == there


def _elements(root: ElementTree.Element, parts: dict[str, ElementTree.Element]) -> list[tuple[object, ...]]:
    """All elements in order but the style sheet, with what is used in its place."""
    found: list[tuple[object, ...]] = []
    for element in root:
        name = element.tag.rpartition("}")[2]
        if name == "use":
            found += _elements(parts[element.attrib["href"]], parts)
        elif name != "style":
            found.append((name, sorted(element.attrib.items()), (element.text or "").strip()))
            found += _elements(element, parts)
    return found
