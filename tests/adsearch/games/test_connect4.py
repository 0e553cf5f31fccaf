"""Connect-4 against published counts, and boards of other sizes."""

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


def test_the_number_of_positions_at_each_ply() -> None:
    level = {games.start("connect4").key: games.start("connect4")}
    for count in FACTS["positions_by_ply"][:8]:
        assert len(level) == count
        children = [state.play(move) for state in level.values() for move in state.moves()]
        level = {child.key: child for child in children}


def test_small_boards_are_draws() -> None:
    assert value(games.start("connect4:rows=4,columns=4")) == FACTS["small_boards_width_x_height"]["4x4"]


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
