"""What a notebook shows of traces and games: a picture, and once `arena` is imported also their tables and texts."""

from __future__ import annotations

import re
import subprocess
import sys
from html import escape, unescape

import pytest

from adsearch import State, Trace, alphabeta, expectiminimax, games, maxn, mcts, minimax, pvs
from adsearch.budget import Budget
from adsearch.pictures import search_tree
from adsearch.pictures.svg import embedded
from adsearch.pictures.tree_drawing import as_svg
from adsearch.trace import NULL_WINDOW
from agents import Agent, Clock, Resign, practice
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
    assert embedded(as_svg(search_tree(games.start(spec), trace))).address in shown
    assert trace._repr_svg_() == as_svg(search_tree(games.start(spec), trace))
    printed = [line.split() for line in str(trace).splitlines()[1:]]
    lines = [re.sub("<[^>]*>", " ", line) for line in shown.partition("<tbody>")[2].split("</tr>")[:-1]]
    assert [unescape(line).split() for line in lines] == printed


def test_a_null_window_is_explained() -> None:
    assert escape(NULL_WINDOW) in check_shown(traced("tree:professors", pvs))
    assert escape(NULL_WINDOW) not in check_shown(traced("tree:professors", alphabeta))


def test_a_large_trace_is_shown_in_part() -> None:
    trace = traced("tictactoe", depth=3)
    shown = check_shown(trace)
    assert trace._repr_svg_() is None
    assert "The tree is not drawn: it has " in shown
    assert "more events</p>" in shown
    assert len(shown) < 100_000
    assert "limit its depth" in check_shown(traced("tictactoe", depth=5))


def test_a_trace_that_no_search_has_used_says_so() -> None:
    assert "The tree is not drawn: no search has used this trace yet." in check_shown(Trace())
    assert repr(Trace()) == "<Trace of 0 events; print shows the table>"


def test_a_trace_of_two_positions_says_why_there_is_no_tree() -> None:
    trace = traced("tree:professors")
    alphabeta.search(games.start("nap:n=4"), trace=trace)
    assert "The tree is not drawn: expected the trace of a search that started at " in check_shown(trace)


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


class Resigns(Agent):
    """An agent with markup as its name."""

    name = "<script>&"

    def choose(self, state: AnyState, clock: Clock) -> None:
        raise Resign


def test_a_game_is_shown_with_its_last_board_and_what_is_said_of_it() -> None:
    played = practice("tictactoe", Resigns(), "random")
    shown = check_shown(played)
    assert embedded(played.picture).address in shown
    assert [unescape(text) for text in re.findall("<p>(.*)</p>", shown)] == played.texts
    assert "<p>0 &lt;script&gt;&amp; resigned</p>" in shown


def test_a_notebook_that_has_not_imported_arena_shows_pictures() -> None:
    code = """if True:
        import sys
        from adsearch import Trace, alphabeta, games
        from agents import practice
        tree, trace = games.start("tree:professors"), Trace()
        alphabeta.search(tree, trace=trace)
        values = [tree, trace, practice("tictactoe", "random", "random")]
        print(*[value._repr_svg_()[:4] for value in values], Trace()._repr_svg_())
        print(*[value._repr_html_() for value in values[1:]], "arena" in sys.modules)
        import arena
        print(*[value._repr_html_()[:4] for value in values[1:]])
    """
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout.splitlines() == ["<svg <svg <svg None", "None None False", "<div <div"]
