"""Connect-4 against published counts, and boards of other sizes."""

import re
from itertools import islice

import pytest

from adsearch import games
from adsearch.errors import BadPosition
from adsearch.games.connect4 import Board, board
from tests.kit.every_game import AnyState, playout
from tests.kit.game_facts import facts, perft, value
from tests.kit.places import TRUTHS

FACTS = facts("games.json")["connect4"]


def after(columns: str, spec: str = "connect4") -> AnyState:
    """The position after these columns."""
    state = games.start(spec)
    for column in columns:
        state = state.play(state.from_text(column))
    return state


def discs(rows: list[str], mark: str) -> int:
    """The bits of one side's discs on a drawn board, which may hang in the air."""
    height = len(rows) + 1
    return sum(
        1 << column * height + row
        for row, marks in enumerate(reversed(rows))
        for column, there in enumerate(marks)
        if there == mark
    )


@pytest.mark.parametrize(("plies", "count"), [(int(plies), count) for plies, count in FACTS["perft"].items()])
def test_the_number_of_move_sequences(plies: int, count: int) -> None:
    assert perft(games.start("connect4"), plies) == count


@pytest.mark.costly
def test_the_number_of_positions_at_each_ply() -> None:
    level = {games.start("connect4").key: games.start("connect4")}
    for count in FACTS["positions_by_ply"][:8]:
        assert len(level) == count
        children = [state.play(move) for state in level.values() for move in state.moves()]
        level = {child.key: child for child in children}


def test_small_boards_are_draws() -> None:
    assert value(games.start("connect4:rows=4,columns=4")) == FACTS["small_boards_width_x_height"]["4x4"]


def test_all_that_is_wrong_with_the_tutorials_board_is_in_one_message() -> None:
    with pytest.raises(BadPosition) as refused:
        games.load("connect4", "/".join(FACTS["tutorial_board"]["rows"]))
    assert str(refused.value) == (
        "connect4: there is an empty cell below a disc in columns 3, 4, 7; o is to move, but has won already: "
        "(1, 0), (2, 1), (3, 2), (4, 3) (row and column, from 0 at the top left)"
    )


def test_on_a_legal_board_like_it_row_two_column_two_wins_for_o_and_nothing_else_does() -> None:
    state = after("311211112232422354747")
    assert state.position() == "ox...../xo...../oo...../xooo.../xxxo..x/ooxxx.x"
    assert (state.turn, state.cell(2, 2), state.cell(3, 2)) == (1, ".", "o")
    winning = {move: child for move in state.moves() if (child := state.play(move)).turn is None}
    assert list(winning) == [2]
    assert winning[2].utilities() == (-1, 1)
    assert winning[2].winning_lines() == (((0, 0), (1, 1), (2, 2), (3, 3)),)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("......./......./......./xxxx...", "expected as many x as o or one more, got 4 and 0"),
        ("......./......./oooo.../xxxx..o", "got 4 and 5; o and the other side both have won already: (2, 0), (2, 1)"),
        ("......./......./ooo..../xxxx..o", "x is to move, but has won already: (3, 0), (3, 1), (3, 2), (3, 3) "),
        ("......./......x/......./xxx.oo.", "an empty cell below a disc in column 7; expected as many x as o"),
    ],
)
def test_a_board_that_no_game_can_reach_is_refused_with_all_reasons(rows: str, message: str) -> None:
    with pytest.raises(BadPosition, match=re.escape(message)):
        games.load("connect4:rows=4", rows)


def test_the_side_that_moved_last_may_have_won() -> None:
    assert games.load("connect4:rows=4", "......./......./......./xxxxooo").turn is None


def test_a_line_is_found_wherever_it_stands() -> None:
    drawn = FACTS["tutorial_board"]["rows"]
    assert board(6, 7, 4).has_line(discs(drawn, "o"))
    assert not board(6, 7, 4).has_line(discs(drawn, "x"))


@pytest.mark.parametrize(
    ("rows", "columns", "line"), [(6, 7, 4), (4, 12, 4), (5, 5, 3), (4, 4, 2), (7, 9, 5), (12, 12, 6)]
)
def test_lines_and_what_completes_them_agree_with_a_look_at_every_cell(rows: int, columns: int, line: int) -> None:
    for seed in range(3):
        for state, _ in islice(playout(f"connect4:rows={rows},columns={columns},line={line}", seed), 0, None, 11):
            for marks in (state.mine, state.theirs):
                drawn = _drawn(state.board, marks)
                assert state.board.has_line(marks) == _has_line(drawn, line)
                completing = state.board.completing(marks)
                for row in range(rows):
                    for column in range(columns):
                        cell = 1 << column * (rows + 1) + row
                        if not cell & marks:
                            with_it = _drawn(state.board, marks | cell)
                            assert bool(completing & cell) == _has_line(with_it, line, through=(row, column))


def _drawn(grid: Board, marks: int) -> set[tuple[int, int]]:
    return {
        (row, column)
        for row in range(grid.rows)
        for column in range(grid.columns)
        if marks >> column * (grid.rows + 1) + row & 1
    }


def _has_line(cells: set[tuple[int, int]], line: int, through: tuple[int, int] | None = None) -> bool:
    for row, column in cells:
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            run = {(row + down * n, column + right * n) for n in range(line)}
            if run <= cells and (through is None or through in run):
                return True
    return False


def test_the_positions_of_the_test_set_can_be_reached_and_are_undecided() -> None:
    for row in (TRUTHS / "connect4_positions.txt").read_text().splitlines():
        if not row.startswith("#"):
            columns, _, score = row.partition(" ")
            state = after(columns)
            assert state.turn == len(columns) % 2
            assert -21 <= int(score) <= 21


def test_the_mirrored_game_is_the_same_game() -> None:
    for state, _ in playout("connect4", 5):
        mirrored = games.load("connect4", "/".join(row[::-1] for row in state.position().split("/")))
        assert mirrored.moves() == tuple(sorted(6 - move for move in state.moves()))
        assert mirrored.evaluate(0) == state.evaluate(0)


def test_a_full_column_is_closed_and_a_full_board_a_draw() -> None:
    assert after("111111").moves() == (1, 2, 3, 4, 5, 6)
    full = games.load("connect4", "ooxxoox/xxooxxo/ooxxoox/xxooxxo/ooxxoox/xxooxxo")
    assert full.turn is None
    assert full.utilities() == (0.0, 0.0)


def test_the_last_disc_of_a_full_board_may_win() -> None:
    state = games.load("connect4:rows=4,columns=4", ".oxx/oxox/xoxo/xoxo")
    assert [state.to_text(move) for move in state.moves()] == ["1"]
    over = state.play(0)
    assert over.utilities() == (0.0, 0.0)
    won = games.load("connect4:rows=4,columns=4", ".ooo/xxxo/oxox/xoxx").play(0)
    assert won.turn is None
    assert won.utilities() == (-1.0, 1.0)


def test_noisy_moves_win_or_else_save() -> None:
    state = after("112233")
    assert [state.to_text(move) for move in state.noisy_moves()] == ["4"]
    state = after("11223")
    assert [state.to_text(move) for move in state.noisy_moves()] == ["4"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "......./......./......./......./x....../.......",
        "......./......./......./......./......./xx.....",
        "......./......./......./......./......./o......",
        "......./......./......./......./......./......",
        "......./......./......./......./xxxx.../oooo...",
    ],
)
def test_an_impossible_board_is_refused(text: str) -> None:
    with pytest.raises(BadPosition):
        games.load("connect4", text)
