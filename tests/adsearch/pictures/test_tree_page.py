"""A trace in a notebook: the tree and the table of events, and what is said instead of too large ones."""

from __future__ import annotations

import re
from html import unescape

import pytest

from adsearch import State, Trace, alphabeta, expectiminimax, games, maxn, mcts, minimax, pvs
from adsearch.budget import Budget
from adsearch.pictures import game_tree, html, search_tree
from adsearch.pictures.tree_drawing import as_svg
from adsearch.trace import NULL_WINDOW
from tests.kit.every_game import AnyState
from tests.kit.notebooks import check_shown


def traced(spec: str, algorithm: AnyState = alphabeta, **options: AnyState) -> Trace:
    trace = Trace()
    algorithm.search(games.start(spec), trace=trace, **options)
    return trace


@pytest.mark.parametrize(
    ("spec", "algorithm", "options"),
    [
        ("tree:professors", alphabeta, {}),
        ("tree:professors", minimax, {}),
        ("nap:n=4", alphabeta, {}),
        ("pig:goal=5", expectiminimax, {"depth": 2}),
        ("ludo:players=3,tokens=1", maxn, {"depth": 2}),
        ("tictactoe", mcts, {"simulations": 5}),
        ("connect4", alphabeta, {"depth": 2, "budget": Budget(nodes=5)}),
    ],
)
def test_the_tree_is_drawn_and_the_table_is_below(spec: str, algorithm: AnyState, options: AnyState) -> None:
    trace = traced(spec, algorithm, **options)
    shown = check_shown(trace)
    assert html.image(as_svg(search_tree(games.start(spec), trace))) in shown
    printed = [line.split() for line in str(trace).splitlines()[1:]]
    lines = [re.sub("<[^>]*>", " ", line) for line in shown.partition("<tbody>")[2].split("</tr>")[:-1]]
    assert [unescape(line).split() for line in lines] == printed


def test_a_null_window_is_explained() -> None:
    assert html.words(NULL_WINDOW) in check_shown(traced("tree:professors", pvs))
    assert html.words(NULL_WINDOW) not in check_shown(traced("tree:professors", alphabeta))


def test_a_large_trace_is_shown_in_part() -> None:
    shown = check_shown(traced("tictactoe", depth=3))
    assert "The tree is not drawn: it has " in shown
    assert "more events</p>" in shown
    assert len(shown) < 100_000
    assert "limit its depth" in check_shown(traced("tictactoe", depth=5))


def test_a_trace_that_no_search_has_used_says_so() -> None:
    assert "No search has used this trace yet." in check_shown(Trace())
    assert repr(Trace()) == "<Trace of 0 events; print shows the table>"


def test_a_trace_of_two_positions_says_why_there_is_no_tree() -> None:
    trace = traced("tree:professors")
    alphabeta.search(games.start("nap:n=4"), trace=trace)
    assert "The tree is not drawn: expected the trace of a search that started at " in check_shown(trace)


def test_trees_show_themselves_and_are_one_line_of_text() -> None:
    state = games.start("tree:professors")
    trace = Trace()
    picture = search_tree(state, trace, alphabeta.search(state, trace=trace))
    assert check_shown(picture) == as_svg(picture)
    assert repr(picture) == (
        "<Picture Search tree: 20 nodes. The value of A is 1. Best play: D, L, U. Not visited: R, S.>"
    )
    assert check_shown(game_tree(state)) == as_svg(game_tree(state))


class Hostile(State[str]):
    """A game whose moves are markup."""

    def __init__(self, turn: int | None = 0) -> None:
        self.turn = turn

    def moves(self) -> tuple[str, ...]:
        return () if self.turn is None else ("<script>alert(1)</script>", '"&')

    def play(self, move: str) -> Hostile:
        return Hostile(None)

    def utilities(self) -> tuple[float, ...]:
        return (0.0, 0.0)

    def position(self) -> str:
        return f"</pre>{self.turn}"


def test_texts_of_a_game_cannot_change_the_notebook() -> None:
    trace = Trace()
    minimax.search(Hostile(), depth=2, trace=trace)
    shown = check_shown(trace)
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
    assert "</pre>" not in check_shown(Hostile())
