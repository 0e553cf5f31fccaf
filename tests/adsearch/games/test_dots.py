"""Dots and boxes: the values of small boards, moving again, owners, the estimate, and the text of a position."""

from collections.abc import Callable
from random import Random

import pytest

from adsearch import games
from adsearch.errors import BadMove, BadOption, BadPosition
from adsearch.games.dots import Dots, worth_of_opening
from tests.kit.game_facts import facts


def start(rows: int, columns: int) -> Dots:
    state = games.start(f"dots:rows={rows},columns={columns}")
    assert isinstance(state, Dots)
    return state


def after(state: Dots, *texts: str) -> Dots:
    for text in texts:
        state = state.play(state.from_text(text))
    return state


KNOWN: dict[tuple[int, int, int], int] = {}


def worth_of_the_rest(state: Dots) -> int:
    """What perfect play still adds for the side to move: that depends on the edges alone."""
    key = (state.board.rows, state.board.columns, state.edges)
    if key not in KNOWN:
        best, closed = None, (state.x | state.o).bit_count()
        for child in map(state.play, state.moves()):
            won = (child.x | child.o).bit_count() - closed
            worth = won + worth_of_the_rest(child) if won else -worth_of_the_rest(child)
            best = worth if best is None else max(best, worth)
        KNOWN[key] = best or 0
    return KNOWN[key]


@pytest.mark.costly
@pytest.mark.parametrize(("size", "worth"), facts("games.json")["dots_and_boxes"]["values"].items())
def test_small_boards_are_worth_what_is_published(size: str, worth: int) -> None:
    rows, columns = map(int, size.split("x"))
    assert worth_of_the_rest(start(rows, columns)) == worth


def test_a_board_on_its_side_is_worth_the_same() -> None:
    for rows, columns in ((1, 2), (1, 3), (1, 4)):
        assert worth_of_the_rest(start(columns, rows)) == worth_of_the_rest(start(rows, columns))


def test_an_edge_that_closes_nothing_gives_the_move_away() -> None:
    assert [after(start(2, 2), *texts).turn for texts in ([], ["a1-b1"], ["a1-b1", "a1-a2"])] == [0, 1, 0]


def test_who_closes_a_box_owns_it_and_moves_again() -> None:
    state = after(start(2, 2), "a1-b1", "a1-a2", "b1-b2", "a2-b2")
    assert state.turn == 1
    assert state.position() == "+-+.+/|o|../+-+.+/...../+.+.+ o"


def test_one_edge_may_close_two_boxes() -> None:
    almost = after(start(1, 2), "a1-b1", "b1-c1", "a2-b2", "b2-c2", "a1-a2", "c1-c2")
    assert almost.turn == 0
    over = after(almost, "b1-b2")
    assert over.turn is None
    assert over.moves() == ()
    assert over.utilities() == (2.0, -2.0)
    assert over.position() == "+-+-+/|x|x|/+-+-+ -"


def test_every_edge_has_the_names_of_its_two_dots() -> None:
    state = start(1, 2)
    assert [state.to_text(move) for move in state.moves()] == [
        *("a1-b1", "b1-c1", "a2-b2", "b2-c2"),
        *("a1-a2", "b1-b2", "c1-c2"),
    ]
    assert start(8, 8).from_text("I8-I9") == start(8, 8).moves()[-1]
    assert len(start(8, 8).moves()) == start(8, 8).max_plies == 144


@pytest.mark.parametrize("text", ["b1-a1", "a1-c1", "a1-b2", "c1-d1", "a1", ""])
def test_what_is_no_edge_is_refused(text: str) -> None:
    with pytest.raises(BadMove, match="expected a legal move"):
        start(1, 2).from_text(text)


def test_an_edge_is_drawn_once() -> None:
    with pytest.raises(BadMove):
        after(start(1, 2), "a1-b1", "a1-b1")


def test_the_key_tells_how_many_boxes_each_has_but_not_which() -> None:
    texts = ["+-+-+-+/|x|.|o|/+-+.+-+ x", "+-+-+-+/|o|.|x|/+-+.+-+ x", "+-+-+-+/|x|.|x|/+-+.+-+ x"]
    this, that, other = (games.load("dots:1,columns=3", text) for text in texts)
    assert this.key == that.key != other.key
    assert this.key != games.load("dots:1,columns=3", texts[0][:-1] + "o").key


def test_noisy_moves_close_a_box() -> None:
    state = games.load("dots:1,columns=3", "+-+-+-+/|....../+.+-+.+ o")
    assert state.noisy_moves() == ()
    state = games.load("dots:1,columns=3", "+-+-+-+/..|.|../+-+.+-+ o")
    assert [state.to_text(move) for move in state.noisy_moves()] == ["b2-c2", "a1-a2", "d1-d2"]


@pytest.mark.parametrize("spec", ["dots:1,columns=1", "dots", "dots:2,columns=5", "dots:8,columns=8"])
def test_noisy_moves_are_all_that_keep_the_turn_or_end_the_game(spec: str) -> None:
    random = Random(1)
    for _ in range(10):
        state = games.start(spec)
        while state.turn is not None:
            closing = [move for move in state.moves() if state.play(move).turn != 1 - state.turn]
            assert list(state.noisy_moves()) == closing
            state = state.play(random.choice(state.moves()))


@pytest.mark.parametrize(
    ("chains", "worth"),
    [
        ([], 0),
        ([1], -1),
        ([2], -2),
        ([5], -5),
        ([1, 1], 0),
        ([1, 2, 2], -1),
        ([3, 3], -2),
        ([2, 4], 2),
        ([1, 1, 6], -6),
    ],
)
def test_chains_are_worth_what_counting_them_gives(chains: list[int], worth: int) -> None:
    assert worth_of_opening(chains) == worth


def test_the_estimate_sees_who_must_open_a_chain() -> None:
    # Two closed chains of three boxes: the other takes one, leaves its last two, and takes the second: 1 + 3 to 2.
    columns = "+-+-+-+/......./+-+-+-+/......./+-+-+-+"
    state = games.load("dots:2,columns=3", f"{columns} o")
    assert state.evaluate(1) == pytest.approx(-2.0 * 0.95)
    assert state.evaluate(0) == -state.evaluate(1)


def test_the_estimate_takes_the_boxes_that_are_to_be_had() -> None:
    state = games.load("dots:1,columns=3", "+-+-+-+/|....../+-+-+-+ o")
    assert state.evaluate(1) == pytest.approx(3.0 * 0.95)


def test_the_estimate_is_near_perfect_play_once_no_edge_is_safe() -> None:
    random, off, count = Random(2), 0.0, 0
    for _ in range(60):
        state = start(2, 3)
        while state.turn is not None:
            few = state.board.sides(state.edges)[0]
            if not state.board.all_edges & ~state.edges & ~state.board.around(state.board.boxes ^ few):
                ahead = float(state.x.bit_count() - state.o.bit_count()) * (-1 if state.turn else 1)
                off += abs(ahead + worth_of_the_rest(state) - state.evaluate(state.turn))
                count += 1
            state = state.play(random.choice(state.noisy_moves() or state.moves()))
    assert count > 200
    assert off / count < 0.7


def mirrored(text: str) -> str:
    rows, side = text.split(" ")
    return "/".join(row[::-1] for row in rows.split("/")) + f" {side}"


def upside_down(text: str) -> str:
    rows, side = text.split(" ")
    return "/".join(reversed(rows.split("/"))) + f" {side}"


def turned_over(text: str) -> str:
    rows, side = text.split(" ")
    turned = ["".join(column) for column in zip(*rows.split("/"), strict=True)]
    return "/".join(turned).translate(str.maketrans("-|", "|-")) + f" {side}"


@pytest.mark.parametrize("symmetry", [mirrored, upside_down, turned_over])
def test_symmetries_of_the_board_map_children_onto_children(symmetry: Callable[[str], str]) -> None:
    random = Random(3)
    for _ in range(5):
        state = start(3, 3)
        while state.turn is not None:
            image = games.load("dots", symmetry(state.position()))
            children = {symmetry(state.play(move).position()) for move in state.moves()}
            assert {image.play(move).position() for move in image.moves()} == children
            assert image.evaluate(0) == state.evaluate(0)
            state = state.play(random.choice(state.moves()))


def test_the_board_is_drawn_with_dots_lines_and_owners() -> None:
    state = games.load("dots:2,columns=3", "+-+-+.+/|x|o|../+-+-+.+/|....../+.+.+.+ x")
    assert str(state).splitlines() == [
        "  a   b   c   d",
        "1 +---+---+   +",
        "  | x | o |",
        "2 +---+---+   +",
        "  |",
        "3 +   +   +   +",
        "x 1, o 1; x to move",
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected 3 rows"),
        ("+.+.+/...../+.+.+", "expected x as the side to move, got ''"),
        ("+.+.+/...../+.+.+ -", "expected x as the side to move"),
        ("+.+.+/...../+.+.+ o", "expected x as the side to move"),
        ("+-+.+/...../+.+.+ x", "expected o as the side to move"),
        ("+.+.+/...../+.+.+ x ", "side to move"),
        ("+.+.+/...../+.+ x", "expected 3 rows of 5 cells"),
        ("+.+.+/..#../+.+.+ x", "expected cells out of"),
        ("+|+.+/...../+.+.+ x", "expected one of '.-' in row 1, place 2, got '|'"),
        ("..+.+/...../+.+.+ x", r"expected one of '\+' in row 1, place 1"),
        ("+.+.+/|x.../+.+.+ o", "a box must have an owner"),
        ("+-+.+/|.|../+-+.+ o", "a box must have an owner"),
        ("+-+-+/|x|o|/+-+-+ x", "expected - as the side to move"),
        ("+-+-+/|x|../+-+-+ -", "expected x or o as the side to move"),
    ],
)
def test_what_is_no_position_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(BadPosition, match=complaint):
        games.load("dots:1,columns=2", text)


def test_the_size_has_limits() -> None:
    for spec in ("dots:0", "dots:columns=9"):
        with pytest.raises(BadOption, match=r"must be 1\.\.8"):
            games.start(spec)
