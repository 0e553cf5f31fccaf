"""Endgame tables of checkers: how many positions, what is known despite the rules of draws, files, and searches."""

import re
from pathlib import Path
from random import Random

import pytest

from adsearch import algorithms
from adsearch.errors import BadTable
from adsearch.games.checkers import BIT, QUIET_PLIES, Checkers
from adsearch.games.checkers_endgames import Endgames, Known, as_file, path_of, positions, read, turned
from tests.adsearch.games.test_checkers import position
from tests.kit.effort import SOAK, tries
from tests.kit.few_pieces import endgames, every_board, random_positions, tables

PUBLISHED = {1: 120, 2: 6_972, 3: 261_224, 4: 7_092_774, 5: 148_688_232}
"""The number of positions by the number of pieces: Schaeffer and Lake, "Solving the Game of Checkers" (1996)."""
WON = "B:WK1:BK28,K32"
"""Two kings against one: won in 31 plies."""


def quiet(state: Checkers, plies: int, *, repeated: bool = False) -> Checkers:
    """The same after this number of quiet plies, in different positions; `repeated`: one of them came twice."""
    past = tuple(range(plies - 1))
    return Checkers.of(state.black, state.white, state.kings, state.side, (*past, past[-1] if repeated else plies))


@pytest.mark.parametrize("pieces", PUBLISHED)
def test_there_are_as_many_positions_as_published(pieces: int) -> None:
    assert positions(pieces) == PUBLISHED[pieces]
    if pieces <= 3:
        assert sum(1 for _ in every_board(pieces)) == PUBLISHED[pieces]


def test_two_kings_win_against_one_and_one_against_one_draws_in_the_double_corner() -> None:
    assert endgames(3).look_up(position(WON)) == Known(1, 31)
    assert endgames(3).look_up(position("W:WK1:BK28,K32")) == Known(-1, 32)
    assert endgames(3).look_up(position("B:WK1:BK32")) == Known(0, None)
    assert endgames(3).look_up(position("B:WK14:BK10")) == Known(1, 1)


def test_a_position_is_worth_the_same_with_its_colours_exchanged() -> None:
    for state in random_positions(3, 500, seed=1):
        exchanged = Checkers.of(turned(state.white), turned(state.black), turned(state.kings), 1 - state.side)
        assert endgames(3).look_up(exchanged) == endgames(3).look_up(state)


def test_nothing_is_known_of_more_pieces() -> None:
    assert endgames(2).look_up(position(WON)) is None
    assert endgames(3).look_up(Checkers.start()) is None


def test_a_win_is_sure_only_if_enough_quiet_plies_are_left_and_no_position_came_twice() -> None:
    state = position(WON)
    assert endgames(3).look_up(quiet(state, QUIET_PLIES - 31)) == Known(1, 31)
    assert endgames(3).look_up(quiet(state, QUIET_PLIES - 30)) == Known(1, 31, sure=False)
    assert endgames(3).look_up(quiet(state, 5, repeated=True)) == Known(1, 31, sure=False)
    drawn = position("B:WK1:BK32")
    assert endgames(3).look_up(quiet(drawn, 75, repeated=True)) == Known(0, None)


def test_a_win_that_is_not_sure_is_no_end_and_is_worth_more_than_a_draw_and_less_than_a_win() -> None:
    late = endgames(3).around(quiet(position(WON), QUIET_PLIES - 30))
    best = max((late.play(move) for move in late.moves()), key=lambda child: child.evaluate(0))
    assert best.turn == 1
    assert 0.4 < best.evaluate(0) == -best.evaluate(1) < 0.6
    assert endgames(3).entry(best) == Known(-1, 30)
    assert endgames(3).result(quiet(position(WON), QUIET_PLIES - 30)) is None


@pytest.mark.parametrize("reply", ["longest", "random"])
def test_what_is_known_comes_true_under_the_rules_of_draws(reply: str) -> None:
    """With as few quiet plies left as possible. In a draw, the side to move knows the tables and does not lose."""
    random = Random(3)
    tables = endgames(4 if SOAK else 3)
    for state in random_positions(tables.pieces, tries(60), seed=2):
        known = tables.look_up(state)
        if state.turn is None or known is None or not known.sure:
            continue
        state = quiet(state, QUIET_PLIES - (known.distance or 30))
        winner = state.side if known.value >= 0 else 1 - state.side
        while state.turn is not None:
            children = [tables.around(state).play(move) for move in state.moves()]
            if state.side == winner or reply == "longest":
                child = max(children, key=lambda child: child.evaluate(state.side))
            else:
                child = random.choice(children)
            state = Checkers.of(child.black, child.white, child.kings, child.side, child.past)
        assert state.utilities()[winner] >= abs(known.value)


@pytest.mark.parametrize(
    "search", [name for name in algorithms if name not in ("winning", "proof", "mcts", "iteration", "parallel")]
)
def test_every_search_plays_the_fastest_win_of_the_tables(search: str) -> None:
    state = endgames(3).around(position(WON))
    result = algorithms[search].search(state, depth=1)
    assert endgames(3).look_up(Checkers.play(position(WON), result.move)) == Known(-1, 30)
    assert 0.999 < result.value < 1.0


def test_searches_that_ask_who_wins_are_told_by_the_tables() -> None:
    for name in ("winning", "proof"):
        assert algorithms[name].search(endgames(3).around(position(WON)), depth=1).value > 0
        assert algorithms[name].search(endgames(3).around(position("W:WK1:BK28,K32")), depth=1).value < 0


def test_a_result_has_a_line_of_best_play_to_the_end() -> None:
    result = endgames(3).result(position(WON))
    assert result is not None
    assert (result.value, result.distance, len(result.line), result.exact) == (1.0, 31, 31, True)
    state = position(WON)
    for move in result.line:
        state = state.play(move)
    assert state.utilities() == (1.0, -1.0)
    drawn = endgames(3).result(position("B:WK1:BK32"))
    assert drawn is not None
    assert (drawn.value, drawn.distance, len(drawn.line)) == (0.0, None, 1)
    assert endgames(3).result(position("W:W:B18")) is None
    assert endgames(3).result(Checkers.start()) is None


@pytest.mark.skipif(not SOAK, reason="no win with 3 pieces takes so long; the tables for 4 take 10 s")
def test_the_longest_wins_are_won_although_they_take_more_than_eighty_plies() -> None:
    tables, found = endgames(4), 0
    for state in random_positions(4, 100_000, seed=5):
        known = tables.look_up(state)
        if known is None or known.sure or not state.moves():
            continue
        found += 1
        winner = state.side if known.value > 0 else 1 - state.side
        plies = 0
        while state.turn is not None:
            entered = tables.around(state)
            move = max(entered.moves(), key=lambda move: entered.play(move).evaluate(entered.side))
            state = state.play(move)
            plies += 1
        assert (state.utilities()[winner], plies) == (1.0, known.distance)
    assert found > 100


def test_a_file_is_read_back_and_its_first_line_says_what_it_is(tmp_path: Path) -> None:
    for pieces, table in enumerate(tables(3), 2):
        path_of(tmp_path, pieces).write_bytes(as_file(pieces, table))
        assert read(tmp_path, pieces) == table
        assert path_of(tmp_path, pieces).read_bytes().startswith(b"checkers endgame table, format 1: ")
    assert Endgames.load(str(tmp_path), 3).look_up(position(WON)) == Known(1, 31)


@pytest.mark.parametrize("change", ["cut", "longer", "bit", "header", "format", "pieces", "empty", "foreign"])
def test_a_damaged_or_foreign_file_is_refused(change: str, tmp_path: Path) -> None:
    whole = as_file(2, tables(2)[0])
    changed = {
        "cut": whole[:-1],
        "longer": whole + b"\0",
        "bit": whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:],
        "header": whole.replace(b"checkers", b"draughts", 1),
        "format": whole.replace(b"format 1", b"format 2", 1),
        "pieces": as_file(3, tables(3)[1]),
        "empty": b"",
        "foreign": b"\x89PNG\r\n" * 700,
    }
    path_of(tmp_path, 2).write_bytes(changed[change])
    with pytest.raises(BadTable, match=r"checkers-2.table is damaged, or not an endgame table of this version$"):
        read(tmp_path, 2)


def test_a_missing_or_unreadable_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadTable, match=f"^there is no endgame table {re.escape(str(path_of(tmp_path, 2)))}$"):
        Endgames.load(tmp_path, 2)
    path_of(tmp_path, 2).mkdir()
    with pytest.raises(BadTable, match="is damaged, or not an endgame table"):
        read(tmp_path, 2)


def test_half_a_turn_exchanges_square_1_and_32() -> None:
    assert [turned(BIT[square]) for square in range(1, 33)] == [BIT[33 - square] for square in range(1, 33)]
