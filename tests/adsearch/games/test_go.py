"""Go: legal positions and small boards as published, random games against sgfmill's board, superko, playouts, texts."""

import re
from random import Random
from typing import Any

import pytest
from sgfmill.boards import Board as SgfmillBoard

from adsearch import alphabeta, games, mcts
from adsearch.errors import BadMove, BadPosition
from adsearch.games.go import PASS, Go
from tests.kit.effort import SOAK, tries
from tests.kit.every_game import AnyState
from tests.kit.game_facts import facts

KNOWN = facts("games.json")["go"]


def load(text: str, size: int = 9, komi: float = 0) -> Go:
    state = games.load(f"go:size={size},komi={komi}", text)
    assert isinstance(state, Go)
    return state


def start(size: int = 9, komi: float = 0) -> Go:
    return load(f"{'/'.join(['.' * size] * size)} x 0", size, komi)


def after(state: Go, *texts: str) -> Go:
    for text in texts:
        state = state.play(state.from_text(text))
    return state


def texts(state: Go) -> list[str]:
    return [state.to_text(move) for move in state.moves()]


# Published facts


def reached(state: Go, first: int = 0) -> int:
    """The number of positions made from `state` by placing stones on points from `first` on, without captures. It makes
    each legal position once: without its last stones, a legal position is legal."""
    if first == state.board.size**2:
        return 1
    count = 1
    stones = (state.black | state.white).bit_count()
    for side in (state, state.play(PASS)):
        for point in side.moves():
            if point >= first:
                child = side.play(point)
                if (child.black | child.white).bit_count() > stones:
                    count += reached(child, point + 1)
    return count


@pytest.mark.parametrize("size", range(1, 5 if SOAK else 4))
def test_positions_made_by_legal_moves_are_as_many_as_published(size: int) -> None:
    assert reached(start(size)) == KNOWN["legal_positions"][str(size)]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_positions_that_can_be_read_are_as_many_as_published(size: int) -> None:
    read = 0
    for number in range(3 ** (size * size)):
        marks = "".join(".xo"[number // 3**point % 3] for point in range(size * size))
        rows = "/".join(marks[at : at + size] for at in range(0, len(marks), size))
        try:
            read += load(f"{rows} x 0", size).turn == 0
        except BadPosition as error:
            assert "an empty point beside every group" in str(error)  # noqa: PT017 the error of most of the boards
    assert read == KNOWN["legal_positions"][str(size)]


def proven(state: Go, depth: int, *, for_seat: int) -> float:
    """What `for_seat` can secure within `depth` plies; a game that is not over then counts as lost by the most."""
    worst = state.bounds[0]
    result = alphabeta.search(
        state,
        depth=depth,
        evaluate=lambda _, seat: worst if seat == for_seat else -worst,
        table=True,
        ordering=by_liberties,
    )
    return result.value if state.turn == for_seat else -result.value


def by_liberties(state: AnyState) -> list[int]:
    """The moves by the stones and liberties that they leave to both sides; a pass last, or first after a pass."""

    def gain(move: int) -> float:
        if move == PASS:
            return 100.0 if state.passes else -100.0
        child = state.play(move)
        board = child.board
        empty = board.full ^ child.black ^ child.white
        stones = child.black.bit_count() - child.white.bit_count()
        liberties = (board.around(child.black) & empty).bit_count() - (board.around(child.white) & empty).bit_count()
        return float(3 * stones + 2 * liberties) * (1 if state.turn == 0 else -1)

    return sorted(state.moves(), key=gain, reverse=True)


def test_the_smallest_boards_are_worth_what_is_published() -> None:
    assert alphabeta.search(start(1)).value == KNOWN["value"]["1"]
    assert proven(start(2), 12, for_seat=0) == KNOWN["value"]["2"] == -proven(start(2), 12, for_seat=1)


@pytest.mark.costly
def test_black_takes_the_whole_board_of_three_by_three() -> None:
    """Nobody can have more than the whole board, so a centre stone that secures it shows the value."""
    assert proven(after(start(3), "B2"), 15, for_seat=0) == KNOWN["value"]["3"] == start(3).bounds[1]


# A second opinion


def rows_of(board: Any) -> str:
    """sgfmill's board as our rows; its row 0 is at the bottom."""
    marks = {None: ".", "b": "x", "w": "o"}
    size = board.side
    return "/".join("".join(marks[board.get(row, column)] for column in range(size)) for row in reversed(range(size)))


def made(board: Any, point: int, colour: str) -> Any:
    """sgfmill's board after a stone on our `point`, its own group captured if it is suicide."""
    row, column = divmod(point, board.side)
    child = board.copy()
    child.play(board.side - 1 - row, column, colour)
    return child


@pytest.mark.costly
@pytest.mark.parametrize(("size", "plies"), [(2, 40), (3, 80), (4, 120), (5, 150), (9, 120)])
def test_moves_captures_superko_and_areas_are_those_of_sgfmills_board(size: int, plies: int) -> None:
    repeating = 0
    for seed in range(tries(2, soak=40)):
        random, state, board = Random(f"{size} {seed}"), start(size), SgfmillBoard(size)
        earlier = {rows_of(board)}
        for _ in range(plies):
            colour, mark = ("b", "x") if state.turn == 0 else ("w", "o")
            legal = {}
            for point in range(size * size):
                if state.cell(*divmod(point, size)) == ".":
                    child = made(board, point, colour)
                    rows = rows_of(child).replace("/", "")
                    if rows_of(child) in earlier:
                        repeating += 1
                    elif rows[point] == mark:
                        legal[point] = child
            assert state.moves() == (*legal, PASS)
            assert games.load(f"go:size={size},komi=0", state.position()).moves() == state.moves()
            # A pass now and then; never two, so that games are long and captures many.
            move = random.choice(list(legal)) if legal and (state.passes or random.random() < 0.95) else PASS
            state, board = state.play(move), legal.get(move, board)
            earlier.add(rows_of(board))
            assert "/".join(state.rows()) == rows_of(board)
            black, white = state.areas()
            assert black - white == board.area_score()
            if state.turn is None:
                break
    assert repeating or size > 3


# Ko, suicide, passes


KO = ".xo../x.xo./.xo../...../..... o 0"


def test_a_ko_may_be_taken_back_only_after_the_board_has_changed() -> None:
    taken = after(load(KO, 5), "B4")
    assert taken.rows()[:3] == [".xo..", "xo.o.", ".xo.."]
    assert "C4" not in texts(taken)
    with pytest.raises(BadMove, match="expected a legal move"):
        taken.from_text("C4")
    assert "C4" in texts(after(taken, "E1", "A1"))


def test_equal_boards_with_other_histories_have_other_keys_and_survive_their_text() -> None:
    one, other = after(start(5), "A1", "C3", "E5"), after(start(5), "E5", "C3", "A1")
    assert one.rows() == other.rows()
    assert one.key != other.key
    assert one.key == load(one.position(), 5).key == after(start(5), "A1", "C3", "E5").key
    assert load(one.position(), 5).position() == one.position()


def test_the_hashes_in_a_position_are_the_same_on_every_machine() -> None:
    assert after(start(2), "A2", "B1").position() == "x./.o x 0 ScxGs9JA"


def test_a_stone_without_liberties_may_only_be_placed_if_it_captures() -> None:
    eye = ".x.../x..../...../...../..... o 0"
    assert "A5" not in texts(load(eye, 5))
    captures = after(load(".xo../xo.../o..../...../..... o 0", 5), "A5")
    assert captures.rows()[:3] == ["o.o..", ".o...", "o...."]


def test_two_passes_end_the_game_and_areas_decide() -> None:
    state = after(start(3, komi=0.5), "B2", "pass", "pass")
    assert state.turn is None
    assert state.moves() == ()
    assert state.utilities() == (8.5, -8.5)
    assert state.ending() == "Black 9, White 0.5 with komi"
    assert state.position() == ".../.x./... - 2"
    assert start(3).play(PASS).turn == 1
    assert after(start(3), "pass", "B2", "pass").passes == 1


def test_points_that_both_sides_reach_are_nobodys_and_dead_stones_count_where_they_stand() -> None:
    assert load(".xo../.xo../.xo../.xo../.xo.. - 2", 5).areas() == (10, 15)
    assert load(".x.o./.x.o./.x.o./.x.o./.x.o. - 2", 5).areas() == (10, 10)
    assert load(".x.../.x.o./.x.../.x.../.x... - 2", 5).areas() == (10, 1)


# Playouts


@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_a_playout_is_legal_passes_only_if_nothing_but_eyes_is_left_and_ends(size: int) -> None:
    for seed in range(tries(3)):
        random, state, plies = Random(seed), start(size), 0
        while state.turn is not None:
            move = state.playout_move(random)
            assert move in state.moves()
            if move == PASS:
                assert all(among_own(state, point) for point in state.moves() if point != PASS)
            state, plies = state.play(move), plies + 1
        assert plies < mcts.LONGEST


def among_own(state: Go, point: int) -> bool:
    """Whether all neighbours of the point are stones of the side to move."""
    size = state.board.size
    row, column = divmod(point, size)
    near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    marks = {state.cell(*cell) for cell in near if all(0 <= number < size for number in cell)}
    return marks == {"xo"[state.turn or 0]}


def playout_moves(text: str) -> set[str]:
    """What playouts choose in a position on 5x5."""
    state = load(text, 5)
    return {state.to_text(state.playout_move(Random(seed))) for seed in range(tries(300, soak=3000))}


def test_a_playout_chooses_every_legal_move_but_own_eyes() -> None:
    one_white_diagonal = "...../.ox../.x.x./..x../..... x 0"
    assert playout_moves(one_white_diagonal) == {*texts(load(one_white_diagonal, 5))} - {"C3", "pass"}
    false_eye = "...../.oxo./.x.x./..x../..... x 0"
    assert playout_moves(false_eye) == {*texts(load(false_eye, 5))} - {"pass"}
    assert "A5" not in playout_moves(".x.../x..../...../...../..... x 0")
    assert "A5" in playout_moves(".x.../xo.../...../...../..... x 0")
    assert playout_moves(".xxxx/xxxxx/xxxxx/xxxxx/xxxx. x 0") == {"pass"}


@pytest.mark.costly
def test_more_playouts_win() -> None:
    few, many, number = (100, 1000, 40) if SOAK else (10, 100, 4)
    won = 0
    for seed in range(number):
        random, state, strong = Random(seed), games.start("go:size=5,komi=24.5"), seed % 2
        while state.turn is not None:
            simulations = many if state.turn == strong else few
            state = state.play(mcts.search(state, simulations=simulations, random=random).move)
        won += state.utilities()[strong] > 0
    assert won >= 0.7 * number


# Texts


def test_points_are_written_as_people_write_them() -> None:
    state = start(9)
    assert state.to_text(0) == "A9"
    assert state.to_text(8) == "J9"
    assert state.to_text(80) == "J1"
    assert state.to_text(PASS) == "pass"
    assert state.from_text(" d4 ") == 5 * 9 + 3
    assert start(19).to_text(18) == "T19"
    assert "I9" not in texts(state)


def test_the_board_is_shown_with_its_coordinates() -> None:
    lines = str(after(start(10), "J10", "pass")).splitlines()
    assert lines[0] == "   A B C D E F G H J K"
    assert lines[1] == "10 . . . . . . . . x ."
    assert lines[10] == " 1 . . . . . . . . . ."
    assert lines[11] == "x (Black) to move, the other side has passed"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x./.. x", "the side to move"),
        ("x./.. z 0", "the side to move"),
        ("x./.. x 2", "the side to move"),
        ("x./.. - 0", "the side to move"),
        ("x./.. x 0 abc", "8 characters for each position"),
        ("x./.. x 0 abcdefg+", "8 characters for each position"),
        ("x./.. x 0 abcdefgh abcdefgh", "the side to move"),
        ("xx/xx x 0", "the group at .* has none"),
        ("x./... x 0", "expected 2 rows of 2 cells"),
    ],
)
def test_a_wrong_position_is_refused_by_its_reason(text: str, error: str) -> None:
    with pytest.raises(BadPosition, match=error):
        load(text, 2)


@pytest.mark.parametrize(
    ("spec", "position", "text", "reason"),
    [
        ("go:size=3", "x../.../... o 0", "A3", "the point is not empty"),
        ("go:size=3", ".x./x../... o 0", "A3", "suicide, the stone's group would have no empty point beside it"),
        ("go:size=9", "", "I5", "there is no such point (columns A to J without I, rows 1 to 9)"),
        ("go:size=3", "", "Z99", "there is no such point (columns A to C, rows 1 to 3)"),
    ],
)
def test_an_illegal_point_is_refused_with_its_reason(spec: str, position: str, text: str, reason: str) -> None:
    state = games.load(spec, position) if position else games.start(spec)
    with pytest.raises(BadMove, match=re.escape(f"expected a legal move, got '{text}': {reason}")):
        state.from_text(text)
