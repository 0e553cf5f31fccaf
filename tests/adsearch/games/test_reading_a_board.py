"""What agents read of a position: `cell`, `rows` and the attributes that each game lists."""

import re

import pytest

from adsearch import games
from adsearch.errors import BadCell, BadMove
from adsearch.games.checkers import Checkers
from adsearch.games.dots import Dots
from adsearch.games.grid import GridGame
from adsearch.games.kuhn import Kuhn
from adsearch.games.maze import Maze
from adsearch.games.pig import Pig
from tests.kit.every_game import EVERY, playout

GRIDS = [spec for spec in EVERY if isinstance(games.start(spec), GridGame)]


def test_every_game_with_a_board_is_a_grid_game() -> None:
    found = {spec.partition(":")[0] for spec in GRIDS}
    assert found == {"tictactoe", "connect4", "dots", "othello", "checkers", "chess", "go", "maze", "words"}


@pytest.mark.parametrize("spec", GRIDS)
def test_rows_and_cells_agree_in_every_position(spec: str) -> None:
    for state, _ in playout(spec, 1):
        rows = state.rows()
        assert rows == [
            "".join(state.cell(row, column) for column in range(len(line))) for row, line in enumerate(rows)
        ]
        assert len({len(line) for line in rows}) == 1


@pytest.mark.parametrize("spec", GRIDS)
@pytest.mark.parametrize(("row", "column"), [(-1, 0), (0, -1), (99, 0), (0, 99), (0.5, 0), (None, 0), ("0", 0)])
def test_a_cell_that_is_not_on_the_board_is_one_clear_error(spec: str, row: int, column: int) -> None:
    with pytest.raises(BadCell, match=r"^cell\(.*\): expected a (row|column) from 0 to [0-9]+, got "):
        games.start(spec).cell(row, column)  # type: ignore[attr-defined]


@pytest.mark.parametrize("spec", [spec for spec in GRIDS if spec.startswith(("tictactoe", "connect4", "othello"))])
def test_the_rows_are_those_of_the_position(spec: str) -> None:
    for state, _ in playout(spec, 2):
        assert "/".join(state.rows()) == state.position().partition(" ")[0]


@pytest.mark.parametrize("spec", [spec for spec in GRIDS if spec.startswith("maze")])
def test_the_rows_of_a_maze_are_its_picture(spec: str) -> None:
    for state, _ in playout(spec, 3):
        assert isinstance(state, Maze)
        assert str(state).splitlines()[: len(state.rows())] == state.rows()
        assert state.cell(*state.runner_at) == "P"
        assert state.distance(state.runner_at, state.runner_at) == 0
        for ghost, place in enumerate(state.ghosts_at, start=1):
            assert state.cell(*place) in "P1234"
            assert state.distance(place, state.runner_at) == state.distance(state.runner_at, place)
            assert state.is_scared(ghost) in (False, True)


def test_a_maze_says_what_is_wrong_with_a_wall_and_a_ghost() -> None:
    state = games.start("maze")
    assert isinstance(state, Maze)
    with pytest.raises(BadCell, match="expected a cell that is not a wall, got row 0, column 0"):
        state.distance((0, 0), state.runner_at)
    with pytest.raises(BadCell, match="expected a ghost from 1 to 2, got 0"):
        state.is_scared(0)


def test_checkers_has_squares_too() -> None:
    for state, _ in playout("checkers", 4):
        assert isinstance(state, Checkers)
        dark = [mark for number, mark in enumerate("".join(state.rows())) if sum(divmod(number, 8)) % 2]
        assert dark == [state.piece(square) for square in range(1, 33)]
        assert (dark.count("b") + dark.count("B"), dark.count("w") + dark.count("W")) == (
            state.black.bit_count(),
            state.white.bit_count(),
        )
    with pytest.raises(BadCell, match=r"piece\(0\): expected a square from 1 to 32, got 0"):
        games.start("checkers").piece(0)  # type: ignore[attr-defined]


@pytest.mark.parametrize("spec", ["dots", "dots:rows=4,columns=2"])
def test_the_sides_of_a_box_are_the_edges_around_it(spec: str) -> None:
    for state, _ in playout(spec, 5):
        assert isinstance(state, Dots)
        picture = state.position().partition(" ")[0].split("/")
        for row, owners in enumerate(state.rows()):
            for column, owner in enumerate(owners):
                down, right = 2 * row + 1, 2 * column + 1
                around = (
                    picture[down - 1][right],
                    picture[down + 1][right],
                    picture[down][right - 1],
                    picture[down][right + 1],
                )
                assert state.sides(row, column) == sum(mark in "-|" for mark in around)
                assert (state.sides(row, column) == 4) == (owner != ".")
                assert owner == picture[down][right]


def test_the_pot_is_what_both_have_put_in() -> None:
    for said, pot in {"": 2, "check": 2, "bet": 3, "check bet": 3, "bet call": 4, "check bet fold": 3}.items():
        assert Kuhn.of("QK", said).pot == pot


def test_the_goal_of_pig_is_the_option() -> None:
    state = games.start("pig:goal=20")
    assert isinstance(state, Pig)
    assert state.goal == 20


@pytest.mark.parametrize("spec", EVERY)
def test_every_attribute_that_a_game_lists_is_there(spec: str) -> None:
    for state, _ in playout(spec, 6):
        seat = 0 if state.turn is None or state.turn < 0 else state.turn
        cells = {"row": 0, "column": 0, "seat": seat, "square": 1, "ghost": 1, "move": "pass"}
        cells |= {"a": state.runner_at, "b": state.runner_at} if isinstance(state, Maze) else {}
        for code, meaning in state.attributes:
            assert meaning
            if code == "cards[seat]" and len(state.cards) <= seat:
                continue
            if code == "is_scared(ghost)" and not state.ghosts:
                continue
            if code in ("cells(move)", "move_to(row, column)"):
                continue  # the test below
            eval(f"state.{code}", {"state": state, **cells})
            for named in re.findall(r"; (\w+) (?:is|are) the", meaning):
                assert hasattr(state, named)


@pytest.mark.parametrize("name", games.names())
def test_every_game_lists_its_attributes(name: str) -> None:
    assert games.names()[name].state.attributes


@pytest.mark.parametrize("spec", EVERY)
def test_the_cells_of_a_move_are_the_way_of_a_piece_or_the_cell_that_it_fills(spec: str) -> None:
    if not any(code == "cells(move)" for code, _ in games.start(spec).attributes):
        assert all(state.cells(move) == () for state, _ in playout(spec, 6) for move in state.moves())
        return
    for state, _ in playout(spec, 60):
        if state.turn is None:
            with pytest.raises(BadMove, match="the game is over"):
                state.move_to(0, 0)
        for move in state.moves():
            way = state.cells(move)
            if not way:
                assert state.to_text(move) == "pass"
                continue
            found = state.move_to(*way[-1], start=way[0])
            assert state.cells(found) == way
            board, after = state.array(state.turn), state.play(move).array(state.turn)
            assert (board[way[0][0]][way[0][1]] > 0) == (len(way) == 2)
            assert after[way[-1][0]][way[-1][1]] > 0
            if len(way) == 1:
                assert board[way[0][0]][way[0][1]] == 0


def test_a_move_to_a_cell_without_one_says_which_there_are() -> None:
    with pytest.raises(BadMove, match=r"move_to\(row=0, column=3\): no such legal move; legal are 1, 2"):
        games.start("connect4").move_to(0, 3)
    chess = games.start("chess")
    assert chess.to_text(chess.move_to(4, 4, start=(6, 4))) == "e2e4"
    assert chess.to_text(chess.move_to(4, 4)) == "e2e4"
    assert games.start("connect4").move_to(column=3) == 3
