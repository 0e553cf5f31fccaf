"""Openings: legal, set by the seed and the players, none twice until all were used, undecided for a short search."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adsearch import State, games, pvs
from adsearch.games.dots import Dots
from agents.builtin.thinker import deepened
from arena.errors import BadFixture
from arena.match.openings import Book, ListedOpening, Opening
from tests.kit import broken_games


def drawn(
    rules: str, wanted: int | ListedOpening, count: int, *, seed: int, players: Sequence[str] = ()
) -> list[Opening]:
    """The first openings of these players."""
    book = Book(rules, wanted, seed=seed)
    return [book.opening(cycle, *players) for cycle in range(count)]


def after(rules: str, opening: Opening) -> State[Any]:
    state = games.start(rules)
    for text in opening.moves:
        state = state.play(state.from_text(text))
    return state


@pytest.mark.parametrize("rules", ["tictactoe", "connect4", "othello", "checkers", "dots", "rps"])
@pytest.mark.parametrize("plies", [1, 2, 3])
def test_openings_are_legal_and_end_nothing(rules: str, plies: int) -> None:
    for opening in drawn(rules, plies, 5, seed=7):
        assert after(rules, opening).turn is not None
        assert len(opening.moves) == plies


@pytest.mark.parametrize("name", ["Leaves", "NoTexts", "WordsForUtilities"])
def test_rules_that_fail_in_an_opening_are_one_error(tmp_path: Path, name: str) -> None:
    book = Book(broken_games.written(tmp_path, name), 3, seed=1)
    with pytest.raises(BadFixture, match=r"^the rules failed: [^\n]*, in an opening$"):
        book.opening(50, "alice", "bob")


def test_the_seed_and_who_meets_decide() -> None:
    assert drawn("connect4", 4, 10, seed=1) == drawn("connect4", 4, 10, seed=1)
    assert drawn("connect4", 4, 10, seed=1) != drawn("connect4", 4, 10, seed=2)
    assert drawn("connect4", 4, 10, seed=1, players=("a", "b")) == drawn("connect4", 4, 10, seed=1, players=("b", "a"))
    assert drawn("connect4", 4, 10, seed=1, players=("a", "b")) != drawn("connect4", 4, 10, seed=1, players=("a", "c"))


def test_an_opening_is_the_same_whichever_were_asked_for_before() -> None:
    straight = drawn("connect4", 2, 60, seed=1, players=("a", "b"))
    book = Book("connect4", 2, seed=1)
    for cycle in (41, 7, 59, 0):
        book.opening(cycle, "a", "c")
        assert book.opening(cycle, "b", "a") == straight[cycle]


@pytest.mark.parametrize(("rules", "plies", "all"), [("connect4", 1, 7), ("connect4", 2, 49), ("tictactoe", 2, 72)])
def test_no_opening_comes_again_before_all_were_used(rules: str, plies: int, all: int) -> None:
    """All openings: no line of two plies is decided within four more, and all lead to different positions."""
    openings = drawn(rules, plies, 3 * all, seed=3, players=("a", "b"))
    assert len(set(openings)) == all
    assert openings == 3 * openings[:all]
    assert Book(rules, plies, seed=3).different(10 * all) == all


def test_orders_of_moves_that_lead_to_one_position_are_one_opening() -> None:
    openings = drawn("tictactoe", 3, 500, seed=3)
    positions = {after("tictactoe", opening).position() for opening in openings}
    assert len(positions) == len(set(openings)) == Book("tictactoe", 3, seed=3).different(500)


def test_as_many_as_are_asked_for_are_counted() -> None:
    assert Book("connect4", 4, seed=3).different(20) == 20
    assert Book("connect4", 0, seed=3).different(20) == 0


def test_each_position_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched, search = [], deepened

    def noted(algorithm: Any, state: State[Any], *limits: Any) -> Any:
        searched.append(state.key)
        return search(algorithm, state, *limits)

    monkeypatch.setattr("arena.match.openings.deepened", noted)
    book = Book("tictactoe", 1, seed=1)
    found = {book.opening(cycle, "a", other) for cycle in range(300) for other in "bc"}
    assert len(found) == len(searched) == 9


def test_no_opening_gives_one_side_a_quick_win() -> None:
    for opening in drawn("connect4", 6, 40, seed=5):
        assert abs(pvs.search(after("connect4", opening), depth=4).value) < 1


def test_in_games_with_many_moves_the_search_for_wins_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within four plies of an opening of dots on 6x6 boxes there are 160,000 nodes even with cutoffs."""
    played = 0
    play = Dots.play

    def counted(state: Dots, move: int) -> Dots:
        nonlocal played
        played += 1
        return play(state, move)

    monkeypatch.setattr(Dots, "play", counted)
    openings = drawn("dots:rows=6,columns=6", 4, 3, seed=5)
    assert len(set(openings)) == 3
    assert played < 3 * 5_000


def test_where_every_opening_decides_the_game_all_of_them_are_used() -> None:
    openings = drawn("nap:6", 2, 50, seed=1)
    assert {abs(pvs.search(after("nap:6", opening), depth=4).value) for opening in openings} == {1.0}
    all = {
        state.play(move).key
        for state in (games.start("nap:6").play(one) for one in range(1, 7))
        for move in state.moves()
    }
    assert {after("nap:6", opening).key for opening in openings} == all


def test_where_every_game_is_over_by_then_openings_are_shorter() -> None:
    assert all(after("nap:4", opening).turn is not None for opening in drawn("nap:4", 3, 20, seed=1))


def test_listed_openings_are_used_once_each_before_they_begin_again() -> None:
    listed = ListedOpening(openings=tuple(map(Opening, [("4", "4"), ("1", "7"), ("3", "2", "3"), ("4", "4")])))
    openings = drawn("connect4", listed, 7, seed=3, players=("a", "b"))
    assert set(openings[:3]) == set(listed.openings)
    assert openings == [*openings[:3], *openings[:3], openings[0]]
    orders = {tuple(drawn("connect4", listed, 3, seed=seed)) for seed in range(40)}
    assert len(orders) == 6


def test_no_plies_are_no_opening() -> None:
    assert drawn("pig", 0, 3, seed=1) == [Opening()] * 3


def test_games_of_chance_take_no_openings() -> None:
    with pytest.raises(BadFixture, match="chance already makes every game different"):
        Book("pig", 2, seed=1)


def test_an_opening_as_long_as_the_game_is_refused() -> None:
    with pytest.raises(BadFixture, match="fewer than 9 plies, got 9"):
        Book("tictactoe", 9, seed=1)
