"""The fields of every game's board, at positions of random games."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from importlib import import_module
from itertools import combinations, pairwise
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest

from adsearch import State, games
from adsearch.games.tictactoe import TicTacToe
from adsearch.pictures.boards import cells, draw, fields, last_mark, pictures
from adsearch.pictures.boards.paper import Field, Point, corner
from adsearch.state import CHANCE
from tests.adsearch.pictures.test_chess_board import KIWIPETE
from tests.adsearch.pictures.test_every_board import BOARDS
from tests.kit.effort import tries
from tests.kit.every_game import AnyState, playout
from tests.kit.svg_reading import box, seen
from tests.kit.svg_reading import steps as points

CLICKED = {"tictactoe", "connect4", "othello", "go", "chess", "checkers", "dots", "nap", "maze", "ludo", "backgammon"}
MOST = 40
"""Number of positions of a game to look at."""

Step = tuple[AnyState, Any, AnyState]
"""A position, the move played there, and the position after it."""


def name(spec: str) -> str:
    return spec.partition(":")[0]


def steps(spec: str, seed: object = 0) -> list[Step]:
    """Steps of a random game at which a player moves, over all of it."""
    found = [
        (state, move, after) for (state, move), (after, _) in pairwise(playout(spec, seed)) if state.turn != CHANCE
    ]
    return found[:: max(1, len(found) // MOST)]


def distinct(found: dict[str, tuple[Field, ...]]) -> set[Field]:
    return {field for clicked in found.values() for field in clicked}


def on_board(x: float, y: float, picture: str) -> Point:
    """The place as seen from the corner of the board, which is not at the same place in every picture of a game."""
    left, top = corner(picture)
    return round(x - left, 1), round(y - top, 1)


def clicked_at(state: AnyState, clicked: tuple[Field, ...]) -> list[Point]:
    """The middles of these fields of a position, on its board."""
    picture = state.svg()
    return [on_board(field.x + field.width / 2, field.y + field.height / 2, picture) for field in clicked]


def drawn_at(picture: str, *kinds: str) -> list[Point]:
    """The middle of everything on the board, not in the caption, that has this kind, and these classes."""
    kind, *classes = kinds
    rooms = [box(one) for one in seen(picture) if one.kind == kind and one.classes == classes and not one.captioned]
    return [on_board((room.left + room.right) / 2, (room.top + room.bottom) / 2, picture) for room in rooms if room]


@pytest.mark.parametrize("spec", BOARDS)
def test_the_fields_of_every_position_lead_to_its_moves_and_to_nothing_else(spec: str) -> None:
    for seed in range(tries(1, soak=10)):
        for state, last, after in steps(spec, seed):
            found = fields(state)
            texts = [state.to_text(move) for move in state.moves()]
            assert list(found) == [text for text in texts if name(spec) in CLICKED and text != "pass"]
            _check_places(found, state.svg())
            _check_sequences(spec, found)
            if fields(after):  # those of the picture with the last move too
                assert corner(after.svg(last)) == corner(after.svg())


def _check_places(found: dict[str, tuple[Field, ...]], picture: str) -> None:
    """Inside the board, and neither two names nor two places in common."""
    left, top, width, height = map(float, fromstring(picture).get("data-board", "nan nan nan nan").split())
    there = distinct(found)
    for field in there:
        assert left <= field.x < field.x + field.width <= left + width + 0.1
        assert top <= field.y < field.y + field.height <= top + height + 0.1
    assert len({field.name for field in there}) == len(there)
    for one, other in combinations(sorted(there, key=lambda field: field.name), 2):
        beside = one.x + one.width <= other.x + 1e-6 or other.x + other.width <= one.x + 1e-6
        assert beside or one.y + one.height <= other.y + 1e-6 or other.y + other.height <= one.y + 1e-6


def _check_sequences(spec: str, found: dict[str, tuple[Field, ...]]) -> None:
    """Only the promotions of a pawn share theirs, and none goes on where another ends."""
    times = Counter(found.values())
    for text, clicked in found.items():
        alike = 4 if name(spec) == "chess" and len(text) == 5 else 1
        assert times[clicked] == alike
        assert not any(clicked[:length] in times for length in range(len(clicked)))


CELLS = {"tictactoe": 9, "connect4": 49, "othello": 64, "go": 81, "chess": 64, "checkers": 32, "dots": 24, "maze": 94}


@pytest.mark.parametrize("spec", BOARDS)
def test_a_board_with_cells_has_all_of_them_in_every_position_and_those_that_are_clicked_are_the_same(
    spec: str,
) -> None:
    start = games.start(spec)
    assert len(cells(start)) == CELLS.get(spec, len(cells(start)))
    assert bool(cells(start)) == (name(spec) in CELLS)
    for state, last, after in steps(spec):
        named = cells(after)
        assert list(named) == list(cells(start))
        assert all(cell == field.name for cell, field in named.items())
        if not named:
            continue
        left, top, width, height = map(float, fromstring(after.svg(last)).get("data-board", "nan nan nan nan").split())
        for field in named.values():
            assert left <= field.x < field.x + field.width <= left + width + 0.1
            assert top <= field.y < field.y + field.height <= top + height + 0.1
        if name(spec) != "connect4":
            assert distinct(fields(state)) <= {*cells(state).values()}


def test_a_column_and_its_cells_have_names() -> None:
    named = cells(games.start("connect4"))
    column, top, bottom = named["4"], named["d1"], named["d6"]
    assert (column.x, column.y, column.width) == (top.x, top.y, top.width)
    assert column.y + column.height == bottom.y + bottom.height


def test_cells_are_where_the_board_has_them_from_either_side() -> None:
    for spec, one, other in (("chess", "a1", "h8"), ("checkers", "1", "32")):
        state = games.start(spec)
        above = import_module(f"adsearch.pictures.boards.{spec}").ABOVE
        assert replace(cells(state, below=above)[one], name=other) == cells(state)[other]


@pytest.mark.parametrize("spec", ["rps", "kuhn", "pig", "grundy", "tree"])
def test_a_game_whose_moves_are_not_places_has_no_fields(spec: str) -> None:
    assert all(fields(state) == {} for state, _, _ in steps(spec))


def test_nobody_clicks_at_a_chance_node_or_after_the_end() -> None:
    for state, _ in playout("ludo:players=2,tokens=1", 0):
        assert bool(fields(state)) == (state.turn in (0, 1))
    for spec in ("tictactoe", "chess"):
        *_, (end, _) = playout(spec, 0)
        assert fields(end) == {}


DRAWN = {
    "tictactoe": ("rect", "at"),
    "othello": ("circle", "lit"),
    "connect4": ("circle", "lit"),
    "go": ("circle", "last-on-black", "last-on-white"),
    "nap": ("rect", "last"),
    "dots": ("path", "last"),
    "chess": ("rect", "last"),
}
"""How a picture marks the last move."""


@pytest.mark.parametrize("spec", [spec for spec in BOARDS if name(spec) in DRAWN])
def test_a_field_has_its_middle_where_the_move_is_marked_after_it(spec: str) -> None:
    kind, *classes = DRAWN[name(spec)]
    for state, move, after in steps(spec):
        picture = after.svg(move)
        marked = [place for one in classes for place in drawn_at(picture, kind, one)]
        clicked = fields(state).get(state.to_text(move), ())
        if name(spec) == "connect4":
            (x, y), *_ = clicked_at(state, clicked)
            assert {x} == {across for across, _ in marked}
            heights = [down for _, down in drawn_at(games.start(spec).svg(), "circle", "hole")]
            assert (min(heights) + max(heights)) / 2 == y
        else:
            assert marked == clicked_at(state, clicked)


TURNED = {"chess": 1, "checkers": 0, "backgammon": 1}
"""By game, the seat that sees the board from the other side than books show it."""


@pytest.mark.parametrize("spec", BOARDS)
def test_only_a_board_with_a_direction_is_turned_and_its_fields_and_marks_with_it(spec: str) -> None:
    for state, move, after in steps(spec):
        usual = fields(state)
        for seat in range(state.players):
            if TURNED.get(name(spec)) != seat:
                assert fields(state, below=seat) == usual
                assert draw(after, move, below=seat) == after.svg(move)
        if (seat := TURNED.get(name(spec), -1)) < 0:
            continue
        turned = fields(state, below=seat)
        assert {text: [one.name for one in there] for text, there in turned.items()} == {
            text: [one.name for one in there] for text, there in usual.items()
        }
        # Turned by half a turn around the middle of the squares; in backgammon, each player's home is on the right.
        sums = {
            (round(one.x - other.x if name(spec) == "backgammon" else one.x + other.x, 1), round(one.y + other.y, 1))
            for text, there in usual.items()
            for one, other in zip(there, turned[text], strict=True)
        }
        assert len(sums) <= 1
        if name(spec) == "chess":
            assert drawn_at(draw(after, move, below=seat), "rect", "last") == clicked_at(
                state, turned[state.to_text(move)]
            )


def test_each_player_of_backgammon_sees_the_own_points_and_clicks_on_the_own_checkers() -> None:
    for state, _, _ in steps("backgammon"):
        picture = draw(state, below=state.seat)
        own = drawn_at(picture, "circle", ("white", "black")[state.seat])
        clicked = fields(state, below=state.seat)
        taken = [field for each in clicked.values() for field in each[::2]]
        for field in {
            field for field in taken if state.sides[state.seat][{"bar": 25}.get(field.name) or int(field.name)]
        }:
            left, top = on_board(field.x, field.y, picture)
            assert any(left < x < left + field.width and top < y < top + field.height for x, y in own), field
        for field in distinct(clicked) - {field for field in distinct(clicked) if field.name in ("bar", "off")}:
            left, top = on_board(field.x, field.y, picture)
            assert (top > 100) == (int(field.name) <= 12)


@pytest.mark.parametrize(("spec", "classes"), [("chess", ("white", "black")), ("checkers", ("black", "white"))])
@pytest.mark.parametrize("seat", [0, 1])
def test_the_pieces_of_the_seat_are_below(spec: str, classes: tuple[str, str], seat: int) -> None:
    picture = draw(games.start(spec), below=seat)
    kind = "path" if spec == "chess" else "circle"
    own, other = ([down for _, down in drawn_at(picture, kind, one)] for one in (classes[seat], classes[1 - seat]))
    assert min(own) > max(other)
    assert len(own) == len(other) >= 12


def test_a_move_of_checkers_is_marked_from_its_first_field_to_its_last() -> None:
    for state, move, after in steps("checkers"):
        first, *_, last = clicked_at(state, fields(state)[state.to_text(move)])
        assert drawn_at(after.svg(move), "circle", "last") == [first, last]


@pytest.mark.parametrize("spec", [spec for spec in BOARDS if spec.startswith("maze") and "ghosts=0" in spec])
def test_the_runner_goes_to_the_middle_of_its_field(spec: str) -> None:
    for state, move, after in steps(spec):
        picture = after.svg(move)
        runner = next(one for one in seen(picture) if one.classes == ["runner"])
        x, y = next(points(runner.element.get("d", "")))
        clicked = fields(state)[state.to_text(move)]
        assert clicked_at(state, clicked) == [on_board(runner.x + x, runner.y + y, picture)]


@pytest.mark.parametrize("spec", [spec for spec in BOARDS if spec.startswith("ludo")])
def test_a_token_that_can_move_is_in_its_field(spec: str) -> None:
    for state, _, _ in steps(spec):
        letter, picture = state.board.letters[state.seat], state.svg()
        tokens = drawn_at(picture, "circle", "token", letter)
        for field in distinct(fields(state)):
            ((x, y),) = clicked_at(state, (field,))
            assert any(abs(x - across) < field.width / 2 > abs(y - down) for across, down in tokens)
            if field.name == "yard":
                assert (x, y) in drawn_at(picture, "rect", f"{letter}-land")


def test_a_castling_is_two_clicks_and_promotions_share_theirs() -> None:
    castled = fields(games.load("chess", KIWIPETE))["e1g1"]
    assert [field.name for field in castled] == ["e1", "g1"]
    promoted = fields(games.load("chess", "8/P3k3/8/8/8/8/8/4K3 w - - 0 1"))
    assert [[field.name for field in promoted[f"a7a8{letter}"]] for letter in "qrbn"] == [["a7", "a8"]] * 4


@pytest.mark.parametrize(("pawn", "turn", "way"), [("P", "w", "a7a8"), ("p", "b", "a2a1")])
def test_each_promotion_has_a_picture_of_its_piece_and_no_other_move_has_one(pawn: str, turn: str, way: str) -> None:
    rows = ["8", f"{'P3k3' if pawn == 'P' else '4k3'}", "8", "8", "8", "8", "p7" if pawn == "p" else "8", "4K3"]
    state = games.load("chess", f"{'/'.join(rows)} {turn} - - 0 1")
    found = pictures(state)
    assert found.keys() == {f"{way}{letter}" for letter in "qrbn"}
    assert len(set(found.values())) == 4
    for letter in "qrbn":
        outline = found[f"{way}{letter}"].split(' d="')[1].split('"')[0]
        assert outline in state.play(state.from_text(f"{way}{letter}")).svg()


def test_a_capture_of_several_pieces_is_a_click_on_each_square() -> None:
    state = games.load("checkers", "B:W7,8,15,16:BK10")
    names = [[field.name for field in clicked] for clicked in fields(state).values()]
    assert sorted(names) == [["10", "19", "12", "3", "10"], ["10", "3", "12", "19", "10"]]


class Renamed(TicTacToe):
    """A user's game with the rules of ours and other names of moves."""

    def to_text(self, move: int) -> str:
        return f"cell {move}"


class Drawn(TicTacToe):
    """A user's game with the rules of ours and a picture of its own."""

    def svg(self, last: int | None = None) -> str:
        return "<svg/>"


class Own(State[int]):
    """A game that is not ours."""

    turn = 0

    def moves(self) -> tuple[int, ...]:
        return (1, 2)

    def position(self) -> str:
        return "1 2"


def test_a_users_game_has_the_fields_of_the_board_on_which_it_is_drawn() -> None:
    ours = fields(games.start("tictactoe"))
    assert [*fields(Renamed.start(m=3, n=3, k=3)).items()] == [
        (f"cell {at}", clicked) for at, clicked in enumerate(ours.values())
    ]
    assert fields(Drawn.start(m=3, n=3, k=3)) == fields(Own()) == {}


def test_the_last_move_of_backgammon_is_marked_with_the_checkers_of_its_player_or_not_at_all() -> None:
    last: Any = None
    mover = 0
    for (state, move), (after, _) in pairwise(playout("backgammon", 3)):
        last = last_mark(after, "chance" if state.turn == CHANCE else mover, move, last)
        if state.turn in (0, 1):
            mover = state.turn
        picture = after.svg(last)
        assert not drawn_at(picture, "circle", ("last-on-white", "last-on-black")[1 - mover])
        assert (last is None) <= (after.turn == CHANCE or state.turn == CHANCE)
