"""Ludo: the track, captures, safe squares and blocks, throwing a 6, and the end."""

from typing import Any

import pytest

from adsearch import games
from adsearch.errors import BadMove, BadPosition
from adsearch.state import CHANCE, State

DUEL = "ludo:players=2,tokens=1"
PAIRS = "ludo:players=2,tokens=2"
TRIO = "ludo:players=3,tokens=1"


def play(state: State[Any], moves: str) -> State[Any]:
    for move in moves.split():
        state = state.play(state.from_text(move))
    return state


def after(spec: str, position: str, moves: str) -> str:
    """The position that `moves` lead to."""
    return play(games.load(spec, position), moves).position()


def texts(state: State[Any]) -> list[str]:
    return [state.to_text(move) for move in state.moves()]


def test_the_game_starts_with_a_throw_and_all_tokens_in_the_yard() -> None:
    state = games.start("ludo")
    assert (state.players, state.turn, state.moves()) == (4, CHANCE, (1, 2, 3, 4, 5, 6))
    assert [probability for _, probability in state.chances()] == [1 / 6] * 6
    yard = "yard,yard,yard,yard"
    assert state.position() == f"R={yard} G={yard} Y={yard} B={yard} next=R die=? sixes=0"


def test_only_a_six_lets_a_token_enter() -> None:
    for face in "12345":
        assert play(games.start(DUEL), face).position() == "R=yard Y=yard next=Y die=? sixes=0"
    state = play(games.start(DUEL), "6")
    assert (state.turn, texts(state)) == (0, ["enter"])
    assert play(state, "enter").position() == "R=b7 Y=yard next=R die=? sixes=1"


def test_two_players_enter_on_opposite_sides() -> None:
    assert play(games.start(DUEL), "6 enter 1 b7 6 enter").position() == "R=c7 Y=n9 next=Y die=? sixes=1"


def test_each_of_four_enters_a_quarter_further_round() -> None:
    state = play(games.start("ludo:tokens=1"), "6 enter 1 b7 6 enter 1 i2 6 enter 1 n9 6 enter 1 g14")
    assert state.position() == "R=c7 G=i3 Y=m9 B=g13 next=R die=? sixes=0"


def test_the_way_leads_over_51_squares_and_five_of_ones_own() -> None:
    state, squares = play(games.start(DUEL), "6 enter"), []
    while state.turn is not None:
        squares.append(state.position().split()[0].removeprefix("R="))
        state = play(state, f"1 {squares[-1]}")
        if state.turn is not None:
            state = play(state, "1")  # Yellow does not enter.
    assert len(squares) == len(set(squares)) == 56
    assert " ".join(squares[:14]) == "b7 c7 d7 e7 f7 g6 g5 g4 g3 g2 g1 h1 i1 i2"
    assert " ".join(squares[48:]) == "b9 a9 a8 b8 c8 d8 e8 f8"
    assert state.position() == "R=home Y=yard winner=R"


def test_a_throw_without_a_move_leads_straight_to_the_next_throw() -> None:
    assert after(PAIRS, "R=yard,e8 Y=yard,yard next=R die=? sixes=0", "5") == (
        "R=yard,e8 Y=yard,yard next=Y die=? sixes=0"
    )


def test_the_turn_goes_round_three_seats() -> None:
    state, seats = games.start(TRIO), []
    for _ in range(4):
        seats.append(state.position().split()[-3])
        state = play(state, "3")
    assert seats == ["next=R", "next=G", "next=Y", "next=R"]


def test_a_six_throws_again_and_any_other_throw_passes_the_turn() -> None:
    assert after(DUEL, "R=c7 Y=n9 next=R die=6 sixes=1", "c7") == "R=g4 Y=n9 next=R die=? sixes=1"
    assert after(DUEL, "R=c7 Y=n9 next=R die=5 sixes=0", "c7") == "R=g5 Y=n9 next=Y die=? sixes=0"


def test_a_six_that_cannot_be_used_throws_again_too() -> None:
    assert after(DUEL, "R=f8 Y=n9 next=R die=? sixes=0", "6") == "R=f8 Y=n9 next=R die=? sixes=1"


def test_a_third_six_is_lost_and_the_turn_passes() -> None:
    state = play(games.start(DUEL), "6 enter 6 b7")
    assert state.position() == "R=g5 Y=yard next=R die=? sixes=2"
    assert play(state, "6").position() == "R=g5 Y=yard next=Y die=? sixes=0"
    assert play(state, "5 g5").position() == "R=h1 Y=yard next=Y die=? sixes=0"


def test_landing_on_a_lone_token_sends_it_back() -> None:
    state = games.load(DUEL, "R=e7 Y=g5 next=R die=3 sixes=0")
    assert state.noisy_moves() == state.moves()
    assert play(state, "e7").position() == "R=g5 Y=yard next=Y die=? sixes=0"


def test_a_token_sent_back_leaves_the_others_where_they_are() -> None:
    assert after("ludo:players=2", "R=yard,e7,e7,home Y=yard,n9,g5,home next=R die=3 sixes=0", "e7") == (
        "R=yard,e7,g5,home Y=yard,yard,n9,home next=Y die=? sixes=0"
    )


@pytest.mark.parametrize(("start", "face", "square"), [("f7", 4, "g3"), ("g1", 3, "i2"), ("i1", 1, "i2")])
def test_safe_squares_are_shared(start: str, face: int, square: str) -> None:
    state = games.load(DUEL, f"R={start} Y={square} next=R die={face} sixes=0")
    assert state.noisy_moves() == ()
    assert play(state, start).position() == f"R={square} Y={square} next=Y die=? sixes=0"


def test_entering_captures_nobody_and_no_block_prevents_it() -> None:
    assert after(PAIRS, "R=yard,yard Y=b7,b7 next=R die=? sixes=0", "6 enter") == (
        "R=yard,b7 Y=b7,b7 next=R die=? sixes=1"
    )


def test_a_block_can_be_passed_but_not_landed_on() -> None:
    assert texts(games.load(PAIRS, "R=e7,f7 Y=g5,g5 next=R die=3 sixes=0")) == ["f7"]
    assert after(PAIRS, "R=e7,f7 Y=g5,g5 next=R die=4 sixes=0", "e7") == "R=f7,g4 Y=g5,g5 next=Y die=? sixes=0"
    assert after(PAIRS, "R=e7,home Y=g5,g5 next=R die=? sixes=0", "3") == ("R=e7,home Y=g5,g5 next=Y die=? sixes=0")


def test_home_is_reached_by_the_exact_throw_alone() -> None:
    start = "R=yard,d8 Y=yard,n9 next=R die=? sixes=0"
    assert after(PAIRS, start, "3 d8") == "R=yard,home Y=yard,n9 next=Y die=? sixes=0"
    assert after(PAIRS, start, "2 d8") == "R=yard,f8 Y=yard,n9 next=Y die=? sixes=0"
    assert after(PAIRS, start, "4") == "R=yard,d8 Y=yard,n9 next=Y die=? sixes=0"


def test_who_first_has_all_tokens_home_wins_and_the_others_share_the_loss() -> None:
    won = play(games.load(TRIO, "R=b7 G=e9 Y=j8 next=Y die=1 sixes=0"), "j8")
    assert (won.turn, won.moves(), won.utilities()) == (None, (), (-0.5, -0.5, 1.0))
    assert won.bounds == (-0.5, 1.0)
    assert won.position() == "R=b7 G=e9 Y=home winner=Y"
    assert play(games.load(DUEL, "R=a8 Y=n9 next=R die=? sixes=1"), "6 a8").utilities() == (1.0, -1.0)


def test_tokens_on_one_square_give_one_move() -> None:
    state = games.load("ludo:players=2", "R=yard,yard,g3,g3 Y=yard,yard,yard,n9 next=R die=6 sixes=1")
    assert texts(state) == ["enter", "g3"]


def test_positions_that_differ_by_which_token_is_where_are_one() -> None:
    start = games.load(PAIRS, "R=b7,c7 Y=n9,n9 next=R die=? sixes=0")
    one, other = (play(start, f"{moves} 1 n9") for moves in ("2 b7", "1 c7"))
    one, other = play(one, "1 c7"), play(other, "2 b7")
    assert one.position() == other.position() == "R=d7,d7 Y=n9,m9 next=Y die=? sixes=0"
    assert one.key == other.key


def test_a_move_names_a_square_from_which_a_token_can_move() -> None:
    with pytest.raises(BadMove, match="enter, g3"):
        play(games.load(PAIRS, "R=yard,g3 Y=n9,n9 next=R die=6 sixes=1"), "b7")
    with pytest.raises(BadMove, match="1, 2, 3, 4, 5, 6"):
        play(games.start("ludo"), "7")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a position such as 'R=yard,yard Y=yard,yard next=R"),
        ("R=yard,yard Y=yard,yard next=R die=7 sixes=0", "expected a position such as"),
        ("R=yard,yard G=yard,yard next=R die=? sixes=0", "expected Y= and the squares of 2 tokens"),
        ("R=yard Y=yard,yard next=R die=? sixes=0", "expected R= and the squares of 2 tokens"),
        ("R=yard,a1 Y=yard,yard next=R die=? sixes=0", "expected R= and the squares of 2 tokens"),
        ("R=yard,m8 Y=yard,yard next=R die=? sixes=0", "expected R= and the squares of 2 tokens"),
        ("R=yard,a7 Y=yard,yard next=R die=? sixes=0", "expected R= and the squares of 2 tokens"),
        ("R=c7,b7 Y=yard,yard next=R die=? sixes=0", "expected 'R=b7,c7 "),
        ("R=c7,yard Y=yard,yard next=R die=? sixes=0", "expected 'R=yard,c7 "),
        ("R=yard,yard Y=yard,yard next=G die=? sixes=0", "the turn of one of R, Y, got G"),
        ("R=yard,g5 Y=yard,g5 next=R die=? sixes=0", "R and Y cannot both be on g5"),
        ("R=yard,yard Y=yard,yard next=R die=3 sixes=0", "R has no move with a 3"),
        ("R=yard,yard Y=yard,yard next=R die=? sixes=1", "R has thrown a 6, but no token has entered"),
        ("R=yard,yard Y=yard,yard next=R die=6 sixes=2", "R has thrown a 6, but no token has entered"),
        ("R=yard,b7 Y=yard,yard next=R die=6 sixes=0", "expected sixes=1 or 2 with die=6"),
        ("R=yard,b7 Y=yard,yard next=R die=5 sixes=1", "expected sixes=1 or 2 with die=6"),
        ("R=home,home Y=yard,yard next=R die=? sixes=0", "expected 'R=home,home Y=yard,yard winner=R'"),
        ("R=home,home Y=yard,yard next=Y die=? sixes=0", "R has all tokens home"),
        ("R=home,home Y=home,home winner=Y", "R has all tokens home"),
        ("R=home,f8 Y=yard,yard winner=R", "expected 'R=f8,home"),
    ],
)
def test_a_position_that_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadPosition, match=message.replace("?", r"\?")):
        games.load(PAIRS, text)


def worth(spec: str, position: str, seat: int = 0) -> float:
    return games.load(spec, position).evaluate(seat)


def test_the_evaluation_likes_progress_safety_and_captures() -> None:
    further, nearer = (worth(DUEL, f"R={square} Y=n9 next=R die=? sixes=0") for square in ("g5", "f7"))
    assert further > nearer
    safe, at_risk = (worth(DUEL, f"R={square} Y=f7 next=Y die=? sixes=0") for square in ("g3", "g2"))
    assert safe > at_risk
    block, apart = (worth(PAIRS, f"R={squares} Y=yard,f7 next=Y die=? sixes=0") for squares in ("g4,g4", "g5,g3"))
    assert block > apart
    state = games.load(PAIRS, "R=c7,e7 Y=yard,g5 next=R die=3 sixes=0")
    assert state.to_text(max(state.moves(), key=lambda move: state.play(move).evaluate(0))) == "e7"


def test_the_evaluations_of_all_seats_sum_to_nothing() -> None:
    state = games.load(TRIO, "R=b7 G=e9 Y=j8 next=Y die=? sixes=0")
    values = [state.evaluate(seat) for seat in range(3)]
    assert sum(values) == pytest.approx(0.0)
    assert max(values) == values[2]


def test_the_board_is_a_cross_with_every_token_on_it() -> None:
    state = games.load("ludo:players=2", "R=yard,b7,g3,home Y=c7,c7,g3,l8 next=Y die=4 sixes=0")
    assert str(state).splitlines() == [
        "    a  b  c  d  e  f  g  h  i  j  k  l  m  n  o",
        " 1                    .  .  .",
        " 2                    .     *",
        " 3        R  r        RY    .",
        " 4        r  r        .     .",
        " 5                    .     .",
        " 6                    .     .",
        " 7  .  R  Y2 .  .  .           .  .  .  *  .  .",
        " 8  .  r  r  r  r  r  R     y  y  y  Y  y  y  .",
        " 9  .  .  *  .  .  .           .  .  .  .  *  .",
        "10                    .     .",
        "11                    .     .",
        "12                    .     .        y  y",
        "13                    .     *        y  y",
        "14                    *     .",
        "15                    .  .  .",
        "R  seat 0, red: yard, b7, g3, home",
        "Y  seat 1, yellow: c7, c7, g3, l8",
        "yellow has thrown a 4 and may move: c7, g3",
    ]


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        ("R=b7 Y=yard next=R die=? sixes=0", "red throws"),
        ("R=b7 Y=yard next=R die=? sixes=1", "red throws again after a 6"),
        ("R=g5 Y=yard next=R die=? sixes=2", "red throws again after two 6; a third is lost"),
        ("R=g5 Y=home winner=Y", "yellow has won"),
    ],
)
def test_the_board_says_what_comes_next(ending: str, said: str) -> None:
    assert str(games.load(DUEL, ending)).splitlines()[-1] == said
