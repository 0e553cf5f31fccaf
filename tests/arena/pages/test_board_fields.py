"""Fields over the boards of a page: one transparent rectangle each, after everything that is drawn."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from adsearch import games
from adsearch.games.tictactoe import TicTacToe
from arena.history.replay import replay
from arena.pages.board_fields import clicks, fields_of, with_fields
from arena.pages.boards import boards
from tests.kit.page_games import EVERY_GAME, named, past_game


def parsed(markup: str) -> list[ElementTree.Element]:
    """The pictures of a board: itself, and its caption."""
    return [*ElementTree.fromstring(f"<figure>{markup}</figure>")]


@pytest.mark.parametrize("rules", EVERY_GAME, ids=named)
def test_every_field_is_a_rectangle_after_the_drawing_and_every_click_has_one(rules: str) -> None:
    steps = replay(past_game(rules), trust=True).steps[:40]
    shown = boards((step.state, step.last) for step in steps).drawn
    for step, board in zip(steps, shown, strict=True):
        assert step.state is not None
        fields = fields_of(step.state)
        clicked = with_fields(board, fields)
        if not fields:
            assert clicked == board
            continue
        (*drawn, group), *caption = parsed(clicked)
        plain, *same = parsed(board)
        assert [*map(ElementTree.tostring, drawn)] == [*map(ElementTree.tostring, plain)]
        assert [*map(ElementTree.tostring, caption)] == [*map(ElementTree.tostring, same)]
        assert group.get("class") == "fields"
        assert {(one.get("class"), one.get("fill")) for one in group.iter("rect")} == {("field", "transparent")}
        names = [one.get("data-field") for one in group.iter("rect")]
        assert len({*names}) == len(names)
        assert {*names} == {name for move in clicks(step.state).values() for way in move for one in way for name in one}


def test_a_field_is_where_the_picture_has_it() -> None:
    state = games.start("tictactoe")
    fields = fields_of(state)
    *_, group = parsed(with_fields(boards([(state, None)]).drawn[0], fields))[0]
    places = {
        one.get("data-field"): tuple(float(one.get(key, "nan")) for key in ("x", "y")) for one in group.iter("rect")
    }
    assert places == {field.name: (field.x, field.y) for ((field,),) in fields.values()}


def test_each_field_has_a_dot_inside_it() -> None:
    state = games.start("othello")
    *_, group = parsed(with_fields(boards([(state, None)]).drawn[0], fields_of(state)))[0]
    for field, dot in zip(group[::2], group[1::2], strict=True):
        for edge, length, middle in (("x", "width", "cx"), ("y", "height", "cy")):
            begin = float(field.get(edge, "nan"))
            assert begin < float(dot.get(middle, "nan")) < begin + float(field.get(length, "nan"))


def test_the_script_gets_the_names_of_each_moves_fields() -> None:
    state = games.load("chess", "8/P7/8/8/8/8/8/K1k5 w - - 0 1")
    names = json.loads(json.dumps(clicks(state)))
    assert names == {"a1a2": [[["a1", "a2"]]], **{f"a7a8{letter}": [[["a7", "a8"]]] for letter in "qrbn"}}
    assert clicks(games.start("connect4"))["3"] == [[["column 3"]]]


def test_the_script_gets_each_step_of_a_play_of_backgammon() -> None:
    start = "X=24:2,13:5,8:3,6:5 O=24:2,13:5,8:3,6:5"
    assert clicks(games.load("backgammon", f"{start} next=X dice=62"))["24/18,13/11"] == [[["24", "18"], ["13", "11"]]]
    both = clicks(games.load("backgammon", f"{start} next=X dice=31"))["24/20"]
    assert both == [[["24", "21"], ["21", "20"]], [["23", "20"], ["24", "23"]]]
    double = clicks(games.load("backgammon", f"{start} next=O dice=44"))
    assert double["24/16(2)"] == [[["24", "20"], ["24", "20"], ["20", "16"], ["20", "16"]]]


@pytest.mark.parametrize(
    "board", ["", '<pre class="board">x o</pre>', '<img src="data:," alt="x">', "<pre></svg></pre>", "</svg>"]
)
def test_what_is_not_an_inline_picture_stays_as_it_is(board: str) -> None:
    assert with_fields(board, fields_of(games.start("tictactoe"))) == board


class Broken(TicTacToe):
    """A user-supplied game with moves of its own."""

    def moves(self) -> tuple[int, ...]:
        return (99,)


def test_a_board_of_rules_that_raise_has_no_fields() -> None:
    assert fields_of(Broken.start(m=3, n=3, k=3)) == {}
