"""Retrograde analysis of checkers against the rules of the game, forward searches, and another way to compute it."""

from collections.abc import Iterator

import pytest

from adsearch import deepening
from adsearch.games.checkers import Checkers
from adsearch.games.checkers_endgames import FEWEST, Known, blocks, placements, starts
from tests.kit.effort import SOAK
from tests.kit.few_pieces import endgames, every_board, every_position, random_positions, tables

PIECES = 4 if SOAK else 3
"""The largest number of pieces that these tests look at."""
LONGEST = {2: 13, 3: 62, 4: 109}
"""The longest wins, in plies: so no entry is too large for a byte."""


def without_draws(state: Checkers) -> Checkers:
    """The position, with nothing before it that counts towards a draw."""
    return Checkers.of(state.black, state.white, state.kings, state.side)


def from_successors(values: list[Known]) -> Known:
    """The value of a position, from those of the positions after its moves."""
    lost = [after.distance for after in values if after.value == -1 and after.distance is not None]
    if lost:
        return Known(1, min(lost) + 1)
    won = [after.distance for after in values if after.value == 1 and after.distance is not None]
    return Known(-1, max(won, default=-1) + 1) if len(won) == len(values) else Known(0, None)


def entry(state: Checkers) -> Known:
    """The entry of a position, also if its win takes too many plies for the rules of draws."""
    return endgames(PIECES).entry(state) if state.black and state.white else Known(-1, 0)


@pytest.mark.costly
def test_every_entry_for_two_pieces_and_ten_thousand_for_more_follow_from_their_successors() -> None:
    seen = set()
    for state in positions():
        after = [entry(without_draws(state.play(move))) for move in state.moves()]
        known = entry(state)
        assert known == from_successors(after), state.position()
        seen.add(known.value)
    assert seen == {-1, 0, 1}


def positions() -> Iterator[Checkers]:
    yield from every_position(FEWEST)
    for pieces in range(FEWEST + 1, PIECES + 1):
        yield from random_positions(pieces, 10_000, seed=pieces)


@pytest.mark.costly
def test_sweeps_over_all_positions_find_the_same_values() -> None:
    """Another algorithm: each sweep computes all values anew from those of the sweep before, until none changes."""
    states = {state.key: state for state in every_position(FEWEST)}
    after = {key: [without_draws(state.play(move)) for move in state.moves()] for key, state in states.items()}
    values: dict[object, Known] = {}
    swept: dict[object, Known] = dict.fromkeys(states, Known(0, None))
    while swept != values:
        values = swept
        swept = {
            key: from_successors([values[child.key] if child.key in states else Known(-1, 0) for child in after[key]])
            for key in states
        }
    assert {key: entry(state) for key, state in states.items()} == values


@pytest.mark.costly
@pytest.mark.parametrize("pieces", range(FEWEST, PIECES + 1))
def test_a_search_finds_the_same_distance_up_to_nine_plies(pieces: int) -> None:
    checked = 0
    for state in random_positions(pieces, 400 if SOAK else 60, seed=9):
        known = entry(state)
        near = known.distance is not None and known.distance <= 9
        found = deepening.search(state, depth=9)
        if near or found.exact:
            assert Known(int(found.value), found.distance) == known, state.position()
            checked += 1
    assert checked > 5


@pytest.mark.parametrize("pieces", range(FEWEST, PIECES + 1))
def test_a_table_has_an_entry_for_each_position_and_a_longest_win(pieces: int) -> None:
    table = tables(pieces)[-1]
    assert len(table) == starts(pieces)[1]
    assert max(table) - 1 == LONGEST[pieces]
    boards = sum(1 for black, white, _ in every_board(pieces) if black and white)
    assert sum(placements(*block) for block in blocks(pieces)) == boards


def test_what_is_done_is_told_up_to_the_end() -> None:
    from arena.endgames.retrograde import build

    parts: list[float] = []
    build(2, [], progress=parts.append)
    assert parts == sorted(parts)
    assert parts[-1] == 1.0
