"""Retrograde analysis of checkers against the rules of the game, forward searches, and another way to compute it."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from adsearch import deepening
from adsearch.games.checkers import Checkers
from adsearch.games.checkers_endgames import FEWEST, Known, blocks, path_of, placements, read, starts
from arena.endgames import complete, there
from arena.errors import ArenaError
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
    from arena.endgames import build

    parts: list[float] = []
    build(2, [], progress=parts.append)
    assert parts == sorted(parts)
    assert parts[-1] == 1.0


# Files of endgame tables: what is there is kept, what is not is built, and nothing half written is ever a table.


def silent(pieces: int, done: float) -> None:
    """Progress that nobody looks at."""


def completed(folder: Path, pieces: int) -> list[tuple[int, float]]:
    """Completes the folder; the progress that was told."""
    told: list[tuple[int, float]] = []
    found, _ = there(folder, pieces)
    complete(folder, pieces, found, lambda *one: told.append(one))
    assert [found[count] for count in sorted(found)] == [*tables(pieces)]
    return told


def test_only_what_is_missing_is_built(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "tables"
    assert {count for count, _ in completed(folder, 2)} == {2}
    assert {count for count, _ in completed(folder, 3)} == {3}
    assert completed(folder, 3) == []
    assert sorted(path.name for path in folder.iterdir()) == ["checkers-2.table", "checkers-3.table"]
    assert [read(folder, count) for count in (2, 3)] == [*tables(3)]


def test_a_damaged_table_is_named_and_built_again(tmp_path: Path) -> None:
    completed(tmp_path, 3)
    path_of(tmp_path, 2).write_bytes(path_of(tmp_path, 2).read_bytes()[:-1])
    found, problems = there(tmp_path, 3)
    assert (list(found), len(problems)) == ([3], 1)
    assert {count for count, _ in completed(tmp_path, 3)} == {2}


@pytest.mark.parametrize("stops", [KeyboardInterrupt, OSError(errno.ENOSPC, "No space left on device")])
@pytest.mark.parametrize("at", ["fsync", "replace"])
def test_a_table_is_written_whole_or_not_at_all(
    stops: type[BaseException] | OSError, at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        assert len(list(tmp_path.glob("checkers-2.table.*.part"))) == 1
        raise stops

    monkeypatch.setattr(os, at, stop)
    expected = KeyboardInterrupt if stops is KeyboardInterrupt else ArenaError
    with pytest.raises(expected) as raised:
        complete(tmp_path, 2, {}, silent)
    assert list(tmp_path.iterdir()) == []
    if expected is ArenaError:
        assert str(raised.value) == f"cannot write endgame tables to {tmp_path}: No space left on device"


def test_what_a_killed_process_has_left_is_never_read(tmp_path: Path) -> None:
    (tmp_path / "checkers-2.table.x1.part").write_bytes(b"half")
    assert there(tmp_path, 2) == ({}, [])


def test_a_file_in_place_of_the_folder_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ArenaError, match=r"^cannot write endgame tables to .*file: File exists$"):
        complete(tmp_path / "file", 2, {}, silent)
