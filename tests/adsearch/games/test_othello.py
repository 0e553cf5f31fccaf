"""Othello: counts of the tree, the solved small board, passes and ends, the estimate, and the text of a position."""

from collections.abc import Callable
from random import Random

import pytest

from adsearch import games
from adsearch.errors import BadMove, BadOption, BadPosition
from adsearch.games.othello import PASS, Othello
from tests.kit.game_facts import facts, perft, value


def start(size: int = 8) -> Othello:
    return load(games.start(f"othello:{size}").position(), size)


def load(text: str, size: int = 8) -> Othello:
    state = games.load(f"othello:{size}", text)
    assert isinstance(state, Othello)
    return state


def after(state: Othello, *texts: str) -> Othello:
    for text in texts:
        state = state.play(state.from_text(text))
    return state


def texts(state: Othello) -> list[str]:
    return [state.to_text(move) for move in state.moves()]


@pytest.mark.parametrize(("plies", "count"), facts("games.json")["othello"]["perft"].items())
def test_move_sequences_are_as_many_as_published(plies: str, count: int) -> None:
    assert perft(start(), int(plies)) == count


def test_the_start_has_white_on_the_falling_diagonal_and_black_moves() -> None:
    state = start()
    assert state.position() == "......../......../......../...ox.../...xo.../......../......../........ x"
    assert texts(state) == ["d3", "c4", "f5", "e6"]


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_every_size_starts_with_four_discs_and_four_moves(size: int) -> None:
    state, squares = start(size), size * size
    assert len(state.moves()) == 4
    assert state.max_plies == 2 * (squares - 4)
    assert state.bounds == (float(-squares), float(squares))


def turned_by(cells: dict[tuple[int, int], str], row: int, column: int, mine: str) -> set[tuple[int, int]]:
    """The rules spelled out: the squares that a disc of `mine` turns, walking each way from an empty square."""
    turned: set[tuple[int, int]] = set()
    if cells[row, column] == ".":
        for down, right in ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)):
            run, at = set(), (row + down, column + right)
            while cells.get(at, ".") not in (".", mine):
                run.add(at)
                at = (at[0] + down, at[1] + right)
            if cells.get(at) == mine:
                turned |= run
    return turned


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_moves_turns_and_ends_are_those_of_the_rules_spelled_out(size: int) -> None:
    random = Random(size)
    for _ in range(6):
        state = start(size)
        while state.turn is not None:
            rows = state.position().split(" ")[0].split("/")
            cells = {(row, column): mark for row, line in enumerate(rows) for column, mark in enumerate(line)}
            mine, theirs = "xo" if state.turn == 0 else "ox"
            legal = [row * size + column for row, column in cells if turned_by(cells, row, column, mine)]
            assert list(state.moves()) == (legal or [PASS])
            move = random.choice(state.moves())
            child = state.play(move)
            if move != PASS:
                at = divmod(move, size)
                cells |= dict.fromkeys({at} | turned_by(cells, *at, mine), mine)
            board = "/".join("".join(cells[row, column] for column in range(size)) for row in range(size))
            able = [side for side in (theirs, mine) if any(turned_by(cells, *at, side) for at in cells)]
            assert child.position() == f"{board} {theirs if able else '-'}"
            state = child
        assert state.utilities()[0] == board.count("x") - board.count("o")


def test_a_disc_turns_runs_in_all_eight_directions_at_once() -> None:
    rows = ["x..x..x...", ".o.o.o....", "..ooo.....", "xoo.oox...", "..ooox....", ".o.oxo....", "x..x..x..."]
    state = load("/".join([*rows, "." * 10, "." * 10, "." * 10]) + " x", 10)
    assert after(state, "d4").utilities() == (27, -27)


def test_a_pass_is_a_move_and_the_only_one_when_no_disc_can_be_placed() -> None:
    state = after(start(4), "b1", "c1", "d3", "a1")
    assert state.position() == "ooo./.xx./.xxx/.... x"
    assert state.moves() == (PASS,)
    assert texts(state) == ["pass"]
    passed = after(state, "PASS")
    assert passed.position() == "ooo./.xx./.xxx/.... o"
    assert passed.turn == 1
    assert passed.key != state.key
    assert "pass" not in texts(passed)


def test_nobody_may_pass_who_can_place_a_disc() -> None:
    with pytest.raises(BadMove, match="expected a legal move"):
        start().from_text("pass")


def test_the_game_is_over_when_neither_can_place_a_disc() -> None:
    state = after(start(4), "b1", "c1", "d1", "a1", "a3", "pass", "d4")
    assert state.position() == "oxxx/.xx./xxx./...x -"
    assert state.turn is None
    assert state.moves() == ()
    assert state.utilities() == (8.0, -8.0)


def test_the_shortest_game_leaves_no_white_disc() -> None:
    state = after(start(), "e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5")
    assert state.turn is None
    assert state.utilities() == (13.0, -13.0)
    assert str(state).endswith("x 13, o 0; the game is over")


def test_the_last_disc_may_win_for_either_seat() -> None:
    assert after(load("xxxx/xxxx/xxxx/.oox x", 4), "a4").utilities() == (16.0, -16.0)
    assert after(load("oooo/oooo/oooo/.xxo o", 4), "a4").utilities() == (-16.0, 16.0)


def test_the_small_board_is_worth_eight_discs_to_the_second_player() -> None:
    assert value(start(4)) == -8


def maps(size: int) -> dict[str, Callable[[int, int], tuple[int, int]]]:
    last = size - 1
    return {
        "left to right": lambda row, column: (row, last - column),
        "upside down": lambda row, column: (last - row, column),
        "half a turn": lambda row, column: (last - row, last - column),
        "falling diagonal": lambda row, column: (column, row),
        "rising diagonal": lambda row, column: (last - column, last - row),
        "a quarter": lambda row, column: (column, last - row),
        "three quarters": lambda row, column: (last - column, row),
    }


@pytest.mark.parametrize("name", maps(8))
@pytest.mark.parametrize("size", [4, 6, 8])
def test_symmetries_of_the_board_map_legal_moves_onto_legal_moves(name: str, size: int) -> None:
    random, image_of = Random(f"{name} {size}"), maps(size)[name]
    image_of_move = {PASS: PASS}
    for square in range(size * size):
        row, column = image_of(*divmod(square, size))
        image_of_move[square] = row * size + column

    def image(state: Othello) -> Othello:
        rows, side = state.position().split(" ")
        marks = rows.replace("/", "")
        placed = {image_of_move[square]: mark for square, mark in enumerate(marks)}
        cells = "".join(placed[square] for square in range(size * size))
        return load("/".join(cells[row * size : (row + 1) * size] for row in range(size)) + f" {side}", size)

    for _ in range(3):
        state = start(size)
        while state.turn is not None:
            assert sorted(image_of_move[move] for move in state.moves()) == list(image(state).moves())
            assert image(state).evaluate(0) == pytest.approx(state.evaluate(0))
            move = random.choice(state.moves())
            assert image(state).play(image_of_move[move]).key == image(state.play(move)).key
            state = state.play(move)


def test_swapping_the_colours_negates() -> None:
    random, swap = Random(4), str.maketrans("xo", "ox")
    for _ in range(10):
        state = start(6)
        while state.turn is not None:
            swapped = load(state.position().translate(swap), 6)
            assert swapped.moves() == state.moves()
            assert swapped.evaluate(0) == -state.evaluate(0)
            assert swapped.key != state.key
            state = state.play(random.choice(state.moves()))
        assert load(state.position().translate(swap), 6).utilities() == state.utilities()[::-1]


def test_a_corner_is_good_and_the_square_beside_an_empty_one_is_not() -> None:
    plain = "......../......../..xxx.../..xoo.../..xoo.../......../......../........ o"
    with_corner = "......../......../..xxx.../..xoo.../..xoo.../......../......../x....... o"
    beside_corner = "......../......../..xxx.../..xoo.../..xoo.../......../.x....../........ o"
    assert load(with_corner).evaluate(0) > load(plain).evaluate(0) + 10 > load(beside_corner).evaluate(0) + 10


def test_noisy_moves_take_corners() -> None:
    state = after(start(4), "b1", "c1", "d3")
    assert [state.to_text(move) for move in state.noisy_moves()] == ["a1"]
    assert start(4).noisy_moves() == ()


def test_the_estimate_wins_against_greed() -> None:
    """Looking one move ahead, it wins from most openings of three plies against taking the most discs."""

    def most_discs(state: Othello, seat: int) -> float:
        return state.utilities()[seat]

    def best(state: Othello, judge: Callable[[Othello, int], float]) -> int:
        seat = state.turn or 0
        return max(state.moves(), key=lambda move: judge(state.play(move), seat))

    points = games_played = 0.0
    for first in start().moves():
        for second in start().play(first).moves():
            for seat in (0, 1):
                state = start().play(first).play(second)
                while state.turn is not None:
                    state = state.play(best(state, Othello.evaluate if state.turn == seat else most_discs))
                points += state.utilities()[seat] > 0
                games_played += 1
    assert points >= 0.8 * games_played


def test_the_board_is_drawn_with_names_counts_and_who_moves() -> None:
    assert str(after(start(4), "b1")).splitlines() == [
        "  a b c d",
        "1 . x . .",
        "2 . x x .",
        "3 . x o .",
        "4 . . . .",
        "x 4, o 1; o to move",
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected 4 rows of 4 cells"),
        ("..../.ox./.xo./....", "expected x or o as the side to move, got ''"),
        ("..../.ox./.xo./.... -", "expected x or o as the side to move"),
        ("..../.ox./.xo./.... xo", "expected x or o as the side to move"),
        ("..../.ox./.xo./.... x ", "expected x or o as the side to move"),
        ("..../.ox./.xo./... x", "expected 4 rows of 4 cells"),
        ("..../.ox./.xo./...# x", "expected cells out of"),
        ("..../.ox./.x../.... x", "the four squares in the middle must be taken"),
        ("oxxx/.xx./xxx./...x o", "expected - as the side to move, got 'o'"),
    ],
)
def test_what_is_no_position_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(BadPosition, match=complaint):
        load(text, 4)


def test_the_size_must_be_even_and_within_its_limits() -> None:
    with pytest.raises(BadOption, match=r"othello: size must be even, 4\.\.10, got 5"):
        games.start("othello:size=5")
    with pytest.raises(BadOption, match=r"othello: size must be 4\.\.10, got 12"):
        games.start("othello:size=12")
