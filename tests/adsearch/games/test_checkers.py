"""Checkers against published counts, and special cases of its rules."""

from random import Random

import pytest

from adsearch import games
from adsearch.errors import BadMove, BadPosition
from adsearch.games.checkers import Checkers

PERFT = {1: 7, 2: 49, 3: 302, 4: 1469, 5: 7361, 6: 36768, 7: 179740}


def position(text: str) -> Checkers:
    state = games.load("checkers", text)
    assert isinstance(state, Checkers)
    return state


def texts(state: Checkers) -> set[str]:
    return {state.to_text(move) for move in state.moves()}


def after(state: Checkers, line: str) -> Checkers:
    for text in line.split():
        state = state.play(state.from_text(text))
    return state


def perft(state: Checkers, depth: int) -> int:
    if depth == 1:
        return len(state.moves())
    return sum(perft(state.play(move), depth - 1) for move in state.moves())


def quiet_plies(state: Checkers, plies: int) -> Checkers:
    """After so many moves of kings, none of which captures, loses a king or comes to a position twice."""
    random = Random(1)
    seen = {state.position().split()[0]}
    while len(state.past) < plies:
        children = [state.play(move) for move in state.moves() if len(state.play(move).past) > len(state.past)]
        children = [child for child in children if not child.noisy_moves() and child.position().split()[0] not in seen]
        state = random.choice(children)
        seen.add(state.position().split()[0])
    return state


@pytest.mark.parametrize("depth", PERFT)
def test_the_moves_from_the_start_are_as_many_as_published(depth: int) -> None:
    assert perft(Checkers.start(), depth) == PERFT[depth]


def test_black_moves_first_and_towards_32() -> None:
    state = Checkers.start()
    assert state.turn == 0
    assert texts(state) == {"9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"}
    assert state.position() == "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"


def test_kings_step_one_square_in_all_directions_and_men_only_forward() -> None:
    assert texts(position("B:W32:B5,K18")) == {"5-9", "18-14", "18-15", "18-22", "18-23"}
    assert texts(position("W:W18:BK1")) == {"18-14", "18-15"}


def test_captures_are_mandatory() -> None:
    state = after(Checkers.start(), "11-15 22-18")
    assert texts(state) == {"15x22"}
    with pytest.raises(BadMove, match=r"15x22.*got '12-16'"):
        state.from_text("12-16")
    assert state.noisy_moves() == state.moves()
    assert Checkers.start().noisy_moves() == ()


def test_a_capture_goes_on_while_it_can_and_any_may_be_chosen() -> None:
    state = position("B:W15,16,24,32:B11")
    assert texts(state) == {"11x18", "11x20x27"}
    assert after(state, "11x20x27").position() == "W:W15,32:B27"


def test_men_capture_forward_only() -> None:
    assert texts(position("B:W14,15:B18")) == {"18-22", "18-23"}
    assert texts(position("B:W14,15:BK18")) == {"18x9", "18x11"}


def test_crowning_ends_a_capture() -> None:
    state = position("B:W26,27:B22")
    assert texts(state) == {"22x31"}
    assert after(state, "22x31").position() == "W:W27:BK31"
    assert texts(position("B:W26,27:BK22")) == {"22x31x24"}


def test_a_man_that_steps_to_the_far_row_becomes_a_king() -> None:
    assert after(position("W:W6:BK32"), "6-1").position() == "B:WK1:BK32"


def test_a_king_may_capture_in_a_circle_but_no_piece_twice() -> None:
    state = position("B:W14,15,22,23,32:BK10")
    assert texts(state) == {"10x19x26x17x10", "10x17x26x19x10"}
    for text in texts(state):
        assert after(state, text).position() == "W:W32:BK10"


def test_every_path_is_a_move_of_its_own_even_to_the_same_end() -> None:
    state = position("W:WK27:B7,15,16,23,24")
    assert texts(state) == {"27x18x11x2", "27x20x11x2", "27x18x11x20x27", "27x20x11x18x27"}
    assert after(state, "27x18x11x2").position() == "B:WK2:B16,24"
    assert after(state, "27x20x11x2").position() == "B:WK2:B15,23"


def test_a_captured_king_leaves_no_trace() -> None:
    assert after(position("B:WK15,32:B11"), "11x18").position() == "W:W32:B18"


def test_a_player_who_cannot_move_loses() -> None:
    blocked = after(position("W:W17,26:B13"), "26-22")
    assert blocked.turn is None
    assert blocked.moves() == ()
    assert blocked.utilities() == (-1.0, 1.0)
    bare = after(position("B:W15:B11"), "11x18")
    assert bare.position() == "W:W:B18"
    assert bare.utilities() == (1.0, -1.0)
    assert position("W:W:B18").utilities() == (1.0, -1.0)


def test_eighty_quiet_plies_are_a_draw() -> None:
    state = quiet_plies(position("B:WK30,K31:BK2,K3,21"), 79)
    assert state.turn == 1
    child = next(child for child in map(state.play, state.moves()) if len(child.past) == 80)
    assert child.turn is None
    assert child.moves() == ()
    assert child.utilities() == (0.0, 0.0)
    assert position(child.position()).utilities() == (0.0, 0.0)


def test_a_man_s_move_begins_the_count_anew() -> None:
    state = quiet_plies(position("W:WK30,K31:BK2,K3,5"), 79)
    child = after(state, "5-9")
    assert child.turn == 1
    assert child.past == ()
    assert " " not in child.position()


def test_a_capture_begins_the_count_anew() -> None:
    start = position("B:WK20,K31:BK3,K11")
    state = Checkers.of(start.black, start.white, start.kings, start.side, tuple(range(78)))
    assert after(state, "11-15 20-16").turn is None
    child = after(state, "11-16 20x11")
    assert child.turn == 0
    assert child.past == ()


def test_a_win_at_the_eightieth_ply_is_a_win() -> None:
    start = position("W:W17,K26:B13")
    state = Checkers.of(start.black, start.white, start.kings, start.side, tuple(range(79)))
    assert after(state, "26-22").utilities() == (-1.0, 1.0)
    assert after(state, "26-23").utilities() == (0.0, 0.0)


def test_the_third_time_a_position_is_seen_is_a_draw() -> None:
    state = after(position("B:WK32:BK1"), "1-6 32-28 6-1 28-32 1-6 32-28 6-1")
    assert state.turn == 1
    assert [state.to_text(move) for move in state.moves() if state.play(move).turn is None] == ["28-32"]
    drawn = after(state, "28-32")
    assert drawn.moves() == ()
    assert drawn.utilities() == (0.0, 0.0)
    assert position(drawn.position()).utilities() == (0.0, 0.0)


def test_the_position_that_a_man_s_move_led_to_counts_as_seen() -> None:
    loop = "32-28 1-6 28-32 6-1 "
    state = after(position("B:WK32:BK1,12"), "1-6 32-28 6-1 28-32 12-16 " + loop)
    assert state.turn == 1
    assert after(state, loop).utilities() == (0.0, 0.0)


def test_what_was_seen_is_in_key_and_position_whatever_its_order() -> None:
    start = position("B:WK32:BK6")
    one = after(start, "6-9 32-28 9-14 28-32 14-10 32-28 10-6 28-32")
    other = after(start, "6-10 32-28 10-14 28-32 14-9 32-28 9-6 28-32")
    assert one.key == other.key
    assert one.position() == other.position()
    assert str(one).splitlines()[:-1] == str(start).splitlines()[:-1]
    assert one.key != start.key
    assert after(start, "6-9 32-28 9-6 28-32").key != one.key


def test_the_past_is_not_in_the_key_where_the_next_move_forgets_it() -> None:
    state = after(position("B:W28:BK6"), "6-9")
    assert len(state.past) == 1
    assert state.key == position("W:W28:BK9").key


def test_positions_are_one_readable_line() -> None:
    state = after(position("W:W12,K32:BK1,K2"), "32-28 1-6")
    assert state.position() == "W:W12,K28:BK2,K6 quiet=2 seen=B28/1.2,W32/1.2"
    state = after(state, "28-32 6-1 32-28")
    assert state.position() == "B:W12,K28:BK1,K2 quiet=5 seen=B28/1.2,W32/1.2*2,W28/2.6,B32/2.6"
    loaded = position(state.position())
    assert (loaded.key, loaded.past, loaded.moves(), str(loaded)) == (
        state.key,
        state.past,
        state.moves(),
        str(state),
    )


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "expected a position"),
        ("B:W21:B1\n", "expected a position"),
        ("B:W21:B\u0661", "expected a position"),
        ("B:W21:B33", "squares from 1 to 32"),
        ("B:W21:B0", "squares from 1 to 32"),
        ("B:W21:B" + "9" * 5000, "squares from 1 to 32"),
        ("B:W21:B1,K1", "squares from 1 to 32"),
        ("B:W21:BKK1", "squares from 1 to 32"),
        ("B:W21:B1,,2", "squares from 1 to 32"),
        ("B:W21:B21", "two pieces on one square"),
        ("B:W21:B2,1", "in order"),
        ("B:W21:B01", "in order"),
        ("B:W21:B29", "a man on the last row"),
        ("B:W4:B1", "a man on the last row"),
        ("B:W14,15,16,17,18,19,20,21,22,23,24,25,26:B1", "at most 12"),
        ("B:W:B1", "has no piece"),
        ("W:W12,K28:BK2,K6 quiet=2", "expected a position"),
        ("W:W12,K28:BK2,K6 quiet=3 seen=B28/1.2,W32/1.2", "in order"),
        ("W:W12,K28:BK2,K6 quiet=2 seen=W32/1.2,B28/1.2", "in order"),
        ("W:W12,K28:BK2,K6 quiet=3 seen=W32/1.2,B28/1.2*3", "an earlier position"),
        ("W:W12,K28:BK2,K6 quiet=2 seen=W32/1.2,W28/1.2", "in turn"),
        ("W:W12,K28:BK2,K6 quiet=2 seen=W32/1.2,B28/1.12", "two pieces on one square"),
        ("W:W12,K28:BK2,K6 quiet=2 seen=W32/1.2,B2/1.2", "two pieces on one square"),
        ("W:W12,K28:BK2,K6 quiet=2 seen=W32/1.2,B28/1", "the kings of the board"),
        ("W:W18,K32:BK6 quiet=1 seen=B32/14", "no king can have moved"),
        ("W:W28:BK6 quiet=2 seen=W/6,B/9", "no king can have moved"),
    ],
)
def test_no_other_text_is_a_position(text: str, wrong: str) -> None:
    with pytest.raises(BadPosition, match=wrong):
        position(text)


def test_rotating_the_board_and_swapping_colours_mirrors_a_whole_game() -> None:
    start = Checkers.start()
    for seed in range(20):
        random = Random(seed)
        state, mirrored = start, Checkers.of(start.black, start.white, 0, 1)
        while state.turn is not None:
            assert mirrored.turn == 1 - state.turn
            assert {tuple(33 - square for square in move) for move in state.moves()} == set(mirrored.moves())
            assert state.evaluate(0) == mirrored.evaluate(1)
            move = random.choice(state.moves())
            state, mirrored = state.play(move), mirrored.play(tuple(33 - square for square in move))
        assert mirrored.turn is None
        assert state.utilities() == mirrored.utilities()[::-1]


def test_the_evaluation_prefers_what_wins() -> None:
    better = [
        ("B:W21:B5,6", "B:W21:B5"),  # a man more
        ("B:W21:BK6", "B:W21:B6"),  # a king for a man
        ("B:W21:B1,2", "B:W21,22:B1,2,3"),  # the same lead with fewer pieces
        ("B:W29,30:B13", "B:W29,30:B12"),  # a man further on
        ("B:W21:BK14", "B:W21:BK13"),  # a king in the centre
    ]
    for more, less in better:
        assert position(more).evaluate(0) > position(less).evaluate(0)
        assert position(more).evaluate(1) < position(less).evaluate(1)


def test_the_board_is_shown_with_its_numbers() -> None:
    assert str(position("B:WK3,21:B1,K32")) == "\n".join(
        [
            "     b     .     W     .         1     2     3     4",
            "  .     .     .     .         5     6     7     8",
            "     .     .     .     .         9    10    11    12",
            "  .     .     .     .        13    14    15    16",
            "     .     .     .     .        17    18    19    20",
            "  w     .     .     .        21    22    23    24",
            "     .     .     .     .        25    26    27    28",
            "  .     .     .     B        29    30    31    32",
            "black to move",
        ]
    )
    assert str(after(position("W:W17,26:B13"), "26-22")).endswith("black cannot move: white has won")
    assert str(after(position("B:WK32:BK6"), "6-9")).endswith("white to move (quiet plies: 1)")
