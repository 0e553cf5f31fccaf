"""Backgammon: legal plays against a slow search and OpenSpiel's numbers, how plays are written, hits, and the end."""

from __future__ import annotations

import re
from itertools import permutations
from random import Random
from typing import Any

import pytest

from adsearch import CHANCE, games
from adsearch.errors import BadMove, BadPosition
from adsearch.games.backgammon import THROWS, played
from tests.kit.every_game import AnyState, playout

START = "24:2,13:5,8:3,6:5"


def load(x: str, o: str, ending: str) -> AnyState:
    return games.load("backgammon", f"X={x} O={o} {ending}")


def texts(state: AnyState) -> list[str]:
    return [state.to_text(move) for move in state.moves()]


def test_the_first_throw_is_no_double_and_the_others_are_21() -> None:
    start = games.start("backgammon")
    assert (start.turn, len(start.moves())) == (CHANCE, 15)
    assert {probability for _, probability in start.chances()} == {1 / 15}
    then = start.play("31").play(start.play("31").moves()[0])
    assert (then.turn, then.seat, len(then.moves())) == (CHANCE, 1, 21)  # type: ignore[attr-defined]
    assert {(throw[0] == throw[1], probability) for throw, probability in then.chances()} == {
        (True, 1 / 36),
        (False, 1 / 18),
    }


# Legal plays.


def slow_plays(state: AnyState) -> set[str]:
    """The positions after each legal play, found in another way: the board is one list of signed numbers, every order
    of the dice and every checker is tried, and the sequences that use most dice are kept."""
    seat = state.seat
    sides = state.sides
    board = [0] * 26  # from the mover's view: its checkers are positive
    bars = [sides[seat][25], sides[1 - seat][25]]
    off = [sides[seat][0], sides[1 - seat][0]]
    for point in range(1, 25):
        board[point] = sides[seat][point] - sides[1 - seat][25 - point]
    high, low = map(int, state.dice)
    orders = {(high,) * 4} if high == low else set(permutations((high, low)))
    ends: list[tuple[int, int, str]] = []  # dice used, first die, position

    def written(board: list[int], bars: list[int], off: list[int]) -> str:
        return repr((board, bars, off))

    def move(board: list[int], bars: list[int], off: list[int], dice: tuple[int, ...], used: list[int]) -> None:
        ends.append((len(used), used[0] if used else 0, written(board, bars, off)))
        if not dice:
            return
        die = dice[0]
        starts = [25] if bars[0] else [point for point in range(24, 0, -1) if board[point] > 0]
        for start in starts:
            end = start - die
            if end <= 0:
                behind = any(board[point] > 0 for point in range(start + 1, 25))
                outside = bars[0] or any(board[point] > 0 for point in range(7, 25))
                if outside or (end < 0 and behind):
                    continue
            elif board[end] < -1:
                continue
            after, new_bars, new_off = board[:], bars[:], off[:]
            if start == 25:
                new_bars[0] -= 1
            else:
                after[start] -= 1
            if end <= 0:
                new_off[0] += 1
            elif after[end] == -1:
                after[end] = 1
                new_bars[1] += 1
            else:
                after[end] += 1
            move(after, new_bars, new_off, dice[1:], [*used, die])

    for order in orders:
        move(board, bars, off, order, [])
    most = max(used for used, _, _ in ends)
    if most == 0:
        return set()
    best = max(first for used, first, _ in ends if used == most) if most == 1 else 0
    return {position for used, first, position in ends if used == most and (most > 1 or first == best)}


def fast_plays(state: AnyState) -> list[str]:
    """The same from the game's own moves."""
    found = []
    for play in state.moves():
        sides, seat = state.play(play).sides, state.seat
        mine, theirs = sides[seat], sides[1 - seat]
        board = [0, *(mine[point] - theirs[25 - point] for point in range(1, 25)), 0]
        found.append(repr((board, [mine[25], theirs[25]], [mine[0], theirs[0]])))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_plays_are_those_of_a_slow_search_each_position_once(seed: int) -> None:
    for state, move in playout("backgammon", seed):
        if state.turn in (0, 1):
            fast = fast_plays(state)
            assert len(fast) == len(set(fast))
            assert set(fast) == slow_plays(state), state.position()
            assert move in state.moves()


OPENINGS = "65:7 64:14 63:14 62:14 61:10 54:9 53:9 52:8 51:8 43:17 42:18 41:14 32:17 31:16 21:15"
"""Positions after each opening throw in OpenSpiel 2.0.2's backgammon. In 40 random games there, all 4,496 turns had the
same positions as here (85,483 in total), and all games the same result."""


@pytest.mark.parametrize("opening", OPENINGS.split())
def test_every_opening_throw_has_as_many_plays_as_in_openspiel(opening: str) -> None:
    throw, count = opening.split(":")
    assert len(games.start("backgammon").play(throw).moves()) == int(count)


@pytest.mark.parametrize(
    ("x", "o", "ending", "count"),
    [
        (
            "22:1,20:3,17:1,13:1,12:1,11:2,6:2,1:4",
            "22:1,21:2,20:1,18:1,17:1,16:1,15:1,4:3,2:1,1:3",
            "next=X dice=44",
            200,
        ),
        (
            "20:3,18:1,17:1,13:1,12:1,7:2,6:1,2:1,1:4",
            "22:1,21:2,20:2,16:1,15:1,14:1,4:3,2:1,1:3",
            "next=X dice=44",
            126,
        ),
        ("20:3,13:1,7:1,6:1,3:6,2:1,1:2", "15:1,10:1,6:1,4:2,3:1,2:4,1:3,off:2", "next=O dice=32", 18),
        ("20:3,13:1,6:1,5:1,3:3,2:1,1:5", "15:1,10:1,6:1,3:1,2:5,1:4,off:2", "next=O dice=31", 13),
        ("7:1,5:2,4:1,3:1,2:1,1:8,off:1", "14:1,13:1,4:1,3:1,2:3,1:8", "next=X dice=22", 13),
        ("bar:2,21:2,20:3,13:1,7:2,5:2,1:3", "23:1,22:1,21:2,10:1,8:1,6:3,3:2,2:2,1:2", "next=X dice=53", 1),
        ("23:2,19:1,16:1,12:1,11:1,8:1,2:7,1:1", "1:3,off:12", "next=O dice=11", 1),
        ("14:1,8:1,4:1,3:1,1:11", "23:2,20:1,15:1,6:1,5:1,3:1,1:8", "next=X dice=66", 1),
    ],
)
def test_positions_of_openspiel_have_as_many_plays_there(x: str, o: str, ending: str, count: int) -> None:
    assert len(load(x, o, ending).moves()) == count


def test_if_only_one_die_can_be_used_it_is_the_larger_one() -> None:
    # From 10 both 6 and 5 are open, from 20 neither is, and after one step from 10 there is no other.
    state = load("20:1,10:1,2:13", "24:1,11:2,10:2,6:5,4:5", "next=X dice=65")
    assert texts(state) == ["10/4"]


def test_who_cannot_move_loses_the_turn() -> None:
    state = load("bar:1,6:14", "6:2,5:2,4:2,3:2,2:2,1:5", "next=X dice=?").play("63")
    assert (state.turn, state.position().split()[-2:]) == (CHANCE, ["next=O", "dice=?"])


# What plays do.


def test_a_blot_is_hit_and_goes_to_the_bar() -> None:
    state = load(START, "24:1,20:1,13:5,8:3,6:5", "next=X dice=31")
    assert "8/5*,6/5" in texts(state)
    after = state.play(state.from_text("8/5 6/5"))
    assert after.position() == "X=24:2,13:5,8:2,6:4,5:2 O=bar:1,24:1,13:5,8:3,6:5 next=O dice=?"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("24/18 18/13", "24/13"),
        ("24/13", "24/13"),
        ("24/18/13", "24/13"),
        ("13/8 13/7", "13/7,13/8"),
        ("13/7,13/8", "13/7,13/8"),
        (" 13/7 13/8 ", "13/7,13/8"),
    ],
)
def test_a_play_is_read_in_the_usual_ways(written: str, text: str) -> None:
    state = games.load("backgammon", f"X={START} O={START} next=X dice=65")
    assert state.to_text(state.from_text(written)) == text


def test_four_equal_steps_are_written_short() -> None:
    state = load(START, START, "next=X dice=33")
    assert {"13/10(2),8/5(2)", "24/21(2),13/10(2)", "24/15,13/10", "13/7(2)"} <= set(texts(state))
    assert state.to_text(state.from_text("13/10 13/10 10/7 10/7")) == "13/7(2)"


HITS = ("7:5,6:3,4:2,3:1,1:2,off:2", "bar:1,20:1,17:1,16:1,13:1,12:1,10:1,7:1,6:1,3:1,off:5")
BLOCKED = ("7:5,6:3,4:2,1:5", "22:2,20:1,13:1,12:1,10:10")


@pytest.mark.parametrize(
    ("sides", "written", "text"),
    [
        (HITS, "7/5*,5/1", "7/5*/1"),
        (HITS, "7/5/1", "7/5*/1"),
        (HITS, "7/3,3/1", "7/1"),
        (HITS, "7/3/1", "7/1"),
        (HITS, "7/1", "7/1"),
        (BLOCKED, "7/1", "7/5*/1"),
        (BLOCKED, "7/3/1", ""),
        (BLOCKED, "7/3,3/1", ""),
        (BLOCKED, "7/6/1", ""),
        (BLOCKED, "7/5/1*", ""),
    ],
)
def test_stops_and_hits_that_are_written_are_those_of_the_play(sides: tuple[str, str], written: str, text: str) -> None:
    state = load(*sides, "next=X dice=42")
    if text:
        assert state.to_text(state.from_text(written)) == text
    else:
        with pytest.raises(BadMove, match="expected a legal move"):
            state.from_text(written)


TWO_HITS = ("24:2,13:4,8:4,6:4,5:1", "24:2,13:5,8:1,6:5,4:1,2:1")
BARRED = "bar:1,13:5,8:3,6:5,5:1"


@pytest.mark.parametrize(
    ("sides", "dice", "text", "why"),
    [
        ((START, START), "65", "24/18, 24/18", "the dice 6 and 5 do not allow it"),
        ((START, START), "65", "24/18", "as many dice as possible must be used: 6 and 5"),
        ((START, START), "11", "8/7(2)", "as many dice as possible must be used: 1 up to four times"),
        ((START, START), "65", "24/19", "19 is blocked: there are 5 checkers of the other side"),
        ((START, START), "65", "13/8,24/18*", "there is no single checker of the other side on 18 to hit"),
        ((START, START), "65", "23/17", "there is no checker of yours on 23"),
        ((START, START), "65", "bar/20", "there is no checker of yours on the bar"),
        ((START, START), "65", "13/18", "checkers go from high points to low ones, so not 13/18"),
        ((START, START), "65", "6/off", "only when all of yours are on the points 1 to 6"),
        ((START, START), "65", "24-18", "write moves such as 24/13"),
        ((BARRED, START), "65", "13/7", "a checker on the bar must enter first"),
        ((BARRED, START), "43", "bar/21", "as many dice as possible must be used: 4 and 3"),
        (("24:1,off:14", "24:13,12:2"), "65", "24/19", "only one die can be used, so the larger one must be: 6"),
        (
            ("6:5,5:5,4:5", "bar:1,13:5,8:5,5:4"),
            "61",
            "6/off*,5/4",
            "there is no single checker of the other side on off to hit",
        ),
        ((START, START), "31", ",", "write moves such as 24/21,24/23"),
        (("7:1,off:14", START), "42", "7/3,7/5", "there is no checker of yours on 7"),
        (TWO_HITS, "31", "24/20", "it can mean 24/21*/20, 24/23*/20"),
    ],
)
def test_a_play_that_is_not_legal_is_refused_with_the_reason(
    sides: tuple[str, str], dice: str, text: str, why: str
) -> None:
    state = load(*sides, f"next=X dice={dice}")
    with pytest.raises(BadMove, match=f"^expected a legal move, got .*: .*{re.escape(why)}$"):
        state.from_text(text)


@pytest.mark.costly
def test_every_way_to_play_a_throw_can_be_written_step_by_step() -> None:
    """With a * at each hit, and the steps in any order."""
    random, tried = Random(3), 0
    state: Any = games.start("backgammon")
    while tried < 2000:
        if state.turn is None:
            state = games.start("backgammon")
        elif state.turn != CHANCE:
            mine, theirs = state.sides[state.seat], state.sides[1 - state.seat]
            places = {0: "off", 25: "bar"}
            by_result = {played(mine, theirs, play): play for play in state.moves()}
            for steps in state.step_by_step():
                if meant := by_result.get(played(mine, theirs, steps)):
                    hit = {to: "*" for _, to in steps if to and theirs[25 - to] == 1}
                    parts = [f"{places.get(one, one)}/{places.get(to, to)}{hit.get(to, '')}" for one, to in steps]
                    random.shuffle(parts)
                    assert state.from_text(" ".join(parts)) == meant
                    tried += 1
        state = state.play(random.choice(state.moves())) if state.turn is not None else state


def test_two_players_who_can_never_enter_are_no_position() -> None:
    closed = "bar:3,6:2,5:2,4:2,3:2,2:2,1:2"
    with pytest.raises(BadPosition, match="cannot both be on the bar"):
        load(closed, closed, "next=X dice=?")


@pytest.mark.parametrize(
    "text", ["", "24/12", "24/18", "bar/18 13/8", "x/y", "24/18 24/18(5)", "24", "24/18*/13", "13/7* 13/8"]
)
def test_a_play_that_is_not_legal_is_refused(text: str) -> None:
    with pytest.raises(BadMove, match="expected a legal move"):
        load(START, START, "next=X dice=65").from_text(text)


@pytest.mark.parametrize(
    ("o", "worth", "how"),
    [
        ("6:14,off:1", 1, "all checkers borne off"),
        ("bar:1,6:13,off:1", 1, "all checkers borne off"),
        ("18:1,6:14", 2, "a gammon"),
        ("19:1,6:14", 3, "a backgammon"),
        ("bar:1,6:14", 3, "a backgammon"),
    ],
)
def test_a_gammon_counts_double_and_a_backgammon_threefold(o: str, worth: int, how: str) -> None:
    state = load("2:1,off:14", o, "next=X dice=21")
    over = state.play(state.from_text("2/off"))
    assert (over.turn, over.utilities(), over.ending()) == (None, (worth, -worth), how)
    assert over.position().endswith("winner=X")


def test_the_evaluation_likes_what_players_like() -> None:
    def worth(x: str, o: str = START) -> float:
        return float(load(x, o, "next=X dice=?").evaluate(0))

    assert worth(START) == 0.0
    assert worth("24:2,13:4,8:4,6:5") > 0  # a shorter race
    assert worth("24:2,13:5,8:2,6:4,5:2") > worth("24:2,13:5,8:3,6:4,2:1")  # a point of the home board, not a blot
    assert worth(START, "bar:1,24:1,13:5,8:3,6:5") > worth(START)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a position such as"),
        (f"X={START} O={START} next=X dice=7", "expected a position such as"),
        (f"X=24:2,13:5,8:3,6:4 O={START} next=X dice=31", "expected 15 checkers of X, got 14"),
        (
            f"X=24:2,13:5,8:3,6:x O={START} next=X dice=31",
            "expected points and checkers of X, such as 24:2,13:5, got '6:x'",
        ),
        (f"X=26:2,13:5,8:3,6:5 O={START} next=X dice=31", "expected points and checkers of X"),
        (f"X=24:1,19:1,13:5,8:3,6:5 O={START} next=X dice=31", "X and O cannot both be on point 19 of X"),
        (f"X={START} O={START} next=X dice=13", "expected the larger die first, dice=31, got dice=13"),
        (f"X={START} O={START} next=O dice=first", "dice=first is only for the start of the game"),
        (f"X=13:5,24:2,8:3,6:5 O={START} next=X dice=31", "expected 'X=24:2,13:5"),
        (f"X=off:15 O={START} next=X dice=?", "expected 'X=off:15 .* winner=X'"),
        (f"X=off:15 O={START} next=O dice=?", "X has borne off all checkers, so expected winner=X"),
        (f"X={START} O={START} winner=X", "expected .* next=X"),
        ("X=bar:1,6:14 O=6:2,5:2,4:2,3:2,2:2,1:5 next=X dice=63", "expected .* next=O dice="),
    ],
)
def test_an_impossible_position_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadPosition, match=message.replace("?", r"\?")):
        games.load("backgammon", text)


def test_the_board_shows_checkers_numbers_bar_and_dice() -> None:
    assert str(load("bar:1,24:1,13:5,8:3,6:5", START, "next=X dice=61")).splitlines() == [
        " 13 14 15 16 17 18  | 19 20 21 22 23 24  X",
        " 12 11 10  9  8  7  |  6  5  4  3  2  1  O",
        "  X  .  .  .  O  .  |  O  .  .  .  .  X",
        "  X           O     |  O",
        "  X           O     |  O",
        "  X                 |  O",
        "  X                 |  O",
        "",
        "  O                 |  X",
        "  O                 |  X",
        "  O           X     |  X",
        "  O           X     |  X              O",
        "  O  .  .  .  X  .  |  X  .  .  .  .  O",
        " 13 14 15 16 17 18  | 19 20 21 22 23 24  O",
        " 12 11 10  9  8  7  |  6  5  4  3  2  1  X",
        "X  seat 0: 1 on the bar, 0 off, 168 pips",
        "O  seat 1: 0 on the bar, 0 off, 167 pips",
        "X has thrown 61",
    ]


def test_the_throws_are_36_equally_likely_pairs() -> None:
    pairs = [tuple(sorted((one, other), reverse=True)) for one in range(1, 7) for other in range(1, 7)]
    assert dict(THROWS) == {f"{one}{other}": pairs.count((one, other)) / 36 for one, other in set(pairs)}
