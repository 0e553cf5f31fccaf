"""The cells that an agent marked: on the board of its move, in words, and only for those who may see what it said."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec import structs

from adsearch import State, games
from adsearch.games.tictactoe import TicTacToe
from adsearch.pictures.boards import cells
from arena.history.replay import replay
from arena.pages.boards import Legend, clicks, drawn_boards, fields_of, legend, with_fields, with_marks
from arena.pages.replay_page import page
from db.records import Marks, MoveRecord, PastGame
from tests.kit.html_validity import check_html
from tests.kit.page_games import EVERY_GAME, named, past_game

ALL_KINDS: Marks = {"a1": "good", "b1": "bad", "c1": "best", "a2": "danger", "b2": "note", "c2": 0.519, "a3": -1.0}


def drawn(state: State[Any], marks: Marks, **how: Any) -> ElementTree.Element:
    """The group of the marks, the last of the board."""
    (board,) = drawn_boards([(state, None)], **how).drawn
    markup = with_marks(board, marks, state, **how)
    picture, *caption = ElementTree.fromstring(f"<figure>{markup}</figure>")
    *rest, group = picture
    plain, *same = ElementTree.fromstring(f"<figure>{board}</figure>")
    assert [*map(ElementTree.tostring, rest)] == [*map(ElementTree.tostring, plain)]
    assert [*map(ElementTree.tostring, caption)] == [*map(ElementTree.tostring, same)]
    assert group.get("class") == "marks"
    return group


def looks(group: ElementTree.Element) -> list[tuple[str, ...]]:
    """Class, opacity and outline of each path."""
    return [tuple(one.get(key, "") for key in ("class", "fill-opacity", "d")) for one in group.iter("path")]


@pytest.mark.parametrize(
    ("rules", "marks", "outlines"),
    [
        ("tictactoe", {"b2": "good"}, "M75.5,75.5h37v37h-37z"),
        ("tictactoe:m=15,n=15,k=5", {"o15": "good"}, "M595.5,595.5h37v37h-37z"),
        ("chess", {"e4": "good"}, "M211.5,191.5h41v41h-41z"),
        ("chess", {"E4": "good", "a8": "good", "e9": "good"}, "M211.5,191.5h41v41h-41zM35.5,15.5h41v41h-41z"),
        ("connect4", {"4": "good"}, "M139.5,19.5h37v237h-37z"),
        ("connect4", {"d6": "good"}, "M139.5,219.5h37v37h-37z"),
        ("othello", {"h8": "good"}, "M315.5,315.5h37v37h-37z"),
        ("go", {"d4": "good"}, "M125.5,185.5h27v27h-27z"),
        ("checkers", {"1": "good"}, "M62.5,18.5h41v41h-41z"),
        ("dots", {"a1-b1": "good"}, "M65.5,45.5h17v17h-17z"),
        ("maze", {"2,3": "good"}, "M59.5,37.5h19v19h-19z"),
    ],
)
def test_a_cell_is_marked_where_the_board_has_it(rules: str, marks: Marks, outlines: str) -> None:
    group = drawn(games.start(rules), marks)
    assert looks(group) == [("mark-good", "", outlines)]
    assert {one.text for one in group.iter("text")} == {"+"}


def test_each_kind_has_a_colour_and_a_sign_and_a_number_has_an_opacity() -> None:
    group = drawn(games.start("tictactoe"), ALL_KINDS)
    assert [look[:2] for look in looks(group)] == [
        ("mark-good", ""),
        ("mark-bad", ""),
        ("mark-best", ""),
        ("mark-danger", ""),
        ("mark-note", ""),
        ("mark-good", "0.25"),
        ("mark-bad", "0.5"),
    ]
    assert [one.text for one in group.iter("text")] == ["+", "−", "★", "!", "•", "+0.52", "-1"]


def test_numbers_of_one_size_are_one_outline_and_nothing_has_no_colour() -> None:
    marks: Marks = {"a1": 0.5, "b1": 0.51, "c1": 0.0, "a2": -0.5}
    assert [look[:2] for look in looks(drawn(games.start("tictactoe"), marks))] == [
        ("mark-good", "0.25"),
        ("mark-bad", "0"),
        ("mark-bad", "0.25"),
    ]


def test_the_board_of_the_other_side_is_marked_from_there() -> None:
    state = games.start("chess")
    assert looks(drawn(state, {"e4": "good"}, below=1)) == looks(drawn(state, {"d5": "good"}))


@pytest.mark.parametrize("rules", EVERY_GAME, ids=named)
def test_every_cell_of_every_game_can_be_marked_and_other_names_change_nothing(rules: str) -> None:
    state = games.start(rules)
    (board,) = drawn_boards([(state, None)]).drawn
    names = [*cells(state)]
    assert with_marks(board, {"no cell": "good"}, state) == board
    assert with_marks(board, {}, state) == with_marks(board, None, state) == board
    if names:
        group = drawn(state, dict.fromkeys(names, "best"))
        assert len([*group.iter("text")]) == len(names)


class Broken(TicTacToe):
    """A user-supplied game whose board cannot be drawn."""

    def rows(self) -> list[str]:
        raise RuntimeError


@pytest.mark.parametrize("board", ["", '<pre class="board">x o</pre>', '<img src="data:," alt="x">', "</svg>"])
def test_what_is_not_an_inline_picture_stays_as_it_is(board: str) -> None:
    assert with_marks(board, {"a1": "good"}, games.start("tictactoe")) == board


def test_a_board_of_rules_that_raise_is_not_marked() -> None:
    board = drawn_boards([(games.start("tictactoe"), None)]).drawn[0]
    assert with_marks(board, {"a1": "good"}, Broken.start(m=3, n=3, k=3)) == board
    assert with_marks(board, {"a1": "good"}, None) == board


def test_what_marks_mean_is_said_in_words() -> None:
    marks: Marks = {"e4": "bad", "d5": 0.5, "a1": "good", "b1": "good", "c6": -1.0}
    assert legend(MoveRecord(1, 0, "e2e4", marks=marks)) == [
        Legend("good", "+", "a1, b1 good"),
        Legend("bad", "−", "e4 bad"),
        Legend("", "", "d5 +0.5, c6 -1"),
    ]
    assert legend(MoveRecord(1, 0, "e2e4")) == []


def marked_game() -> PastGame:
    """A game in which each player marks a cell with its first move."""
    game = past_game("tictactoe", ("alice", "bob"), moves="a1 b1 a2")
    first, second, third = game.moves
    moves = (
        structs.replace(first, marks={"c3": "good", "<b>": "note"}, depth=2),
        structs.replace(second, marks={"b2": -0.5}),
        third,
    )
    return structs.replace(game, moves=moves)


def test_the_board_after_a_move_shows_the_marks_that_came_with_it() -> None:
    text = page(marked_game()).text
    check_html(text)
    steps = dict(re.findall(r'<li id="ply-(\d+)"[^>]*>(.*?)</li>', text, re.DOTALL))
    assert [step for step in steps if '<g class="marks">' in steps[step]] == ["1", "2"]
    assert 'mark-good" d="M115.5,115.5h37' in steps["1"]
    assert 'alice marks c3 good <b class="mark-good" aria-hidden="true">+</b>; &lt;b&gt; note <b' in steps["1"]
    assert '<p class="said">bob marks b2 -0.5</p>' in steps["2"]


@pytest.mark.parametrize("ply", [0, 1, 2, 3])
def test_the_position_at_which_the_page_opens_has_its_marks(ply: int) -> None:
    text = page(marked_game(), at=ply).text
    shown = text.partition("<body>")[2].partition("<noscript>")[0]
    assert ('<g class="marks">' in shown) is (ply in (1, 2))
    assert ("alice marks" in shown) is (ply == 1)


def test_a_public_page_has_no_marks() -> None:
    body = page(marked_game(), private=False).text.partition("<body>")[2].partition("<script")[0]
    assert "marks" not in body
    assert "mark-" not in body


# Fields over the boards of a page: one transparent rectangle each, after everything that is drawn.


def parsed(markup: str) -> list[ElementTree.Element]:
    """The pictures of a board: itself, and its caption."""
    return [*ElementTree.fromstring(f"<figure>{markup}</figure>")]


@pytest.mark.parametrize("rules", EVERY_GAME, ids=named)
def test_every_field_is_a_rectangle_after_the_drawing_and_every_click_has_one(rules: str) -> None:
    steps = replay(past_game(rules), trust=True).steps[:40]
    shown = drawn_boards((step.state, step.last) for step in steps).drawn
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
    *_, group = parsed(with_fields(drawn_boards([(state, None)]).drawn[0], fields))[0]
    places = {
        one.get("data-field"): tuple(float(one.get(key, "nan")) for key in ("x", "y")) for one in group.iter("rect")
    }
    assert places == {field.name: (field.x, field.y) for ((field,),) in fields.values()}


def test_each_field_has_a_dot_inside_it() -> None:
    state = games.start("othello")
    *_, group = parsed(with_fields(drawn_boards([(state, None)]).drawn[0], fields_of(state)))[0]
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
def test_what_is_not_an_inline_picture_stays_as_it_is_of_board_fields(board: str) -> None:
    assert with_fields(board, fields_of(games.start("tictactoe"))) == board


class BoardFieldsBroken(TicTacToe):
    """A user-supplied game with moves of its own."""

    def moves(self) -> tuple[int, ...]:
        return (99,)


def test_a_board_of_rules_that_raise_has_no_fields() -> None:
    assert fields_of(BoardFieldsBroken.start(m=3, n=3, k=3)) == {}
