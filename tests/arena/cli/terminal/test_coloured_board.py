"""The marks on boards: the last move and a winning line, as signs and in colour."""

import io
from typing import Any

import pytest
from rich.console import Console

from adsearch import State, games
from adsearch.games.dots import Dots
from adsearch.games.grid import GridGame, LineGame
from adsearch.games.maze import Maze
from adsearch.games.othello import PASS
from adsearch.games.words import Words
from arena.cli.terminal.coloured_board import board_lines, coloured_board
from arena.history import words
from tests.kit.every_game import EVERY, playout


def console(**settings: Any) -> Console:
    terminal: dict[str, Any] = {"force_terminal": True, "color_system": "standard"}
    return Console(file=io.StringIO(), **(terminal | settings))


def steps(spec: str, seed: int) -> list[tuple[State[Any], Any]]:
    """Each position of a random game with the move that led to it."""
    played = list(playout(spec, seed))
    moves = [None, *(move for _, move in played)]
    return [(state, last) for (state, _), last in zip(played, moves, strict=False)]


@pytest.mark.parametrize("spec", EVERY)
@pytest.mark.parametrize("seed", range(3))
def test_marks_change_nothing_but_brackets_and_capital_letters(spec: str, seed: int) -> None:
    for state, last in steps(spec, seed)[:100]:
        drawn = words.drawn(state, last)
        assert [line.rstrip() for line in drawn.translate(dict.fromkeys(map(ord, "[]<>- "))).lower().split("\n")] == [
            line.rstrip() for line in str(state).translate(dict.fromkeys(map(ord, "[]<>- "))).lower().split("\n")
        ]
        coloured = coloured_board(state, last, console())
        assert [line.rstrip() for line in coloured.plain.split("\n")] == [
            line.rstrip() for line in str(state).split("\n")
        ]


@pytest.mark.parametrize("spec", [spec for spec in EVERY if isinstance(games.start(spec), GridGame)])
@pytest.mark.parametrize("seed", range(3))
def test_the_last_move_has_brackets(spec: str, seed: int) -> None:
    for state, last in steps(spec, seed):
        assert isinstance(state, GridGame)
        drawn = words.drawn(state, last)
        marked = [part.partition("]")[0] for part in drawn.split("[")[1:]]
        if last is None or isinstance(state, Maze):
            assert marked == []
        elif isinstance(state, Dots):
            assert marked in (["-"], ["|"])
        else:
            cells = state.last_cells(last)
            if not isinstance(state, Words):
                assert len(cells) == (2 if spec == "checkers" else last != PASS)
            assert len(marked) == sum((row, column - 1) not in cells for row, column in cells)
            marks = [mark for part in marked for mark in part.lower().split()]
            assert sorted(marks) == sorted(state.cell(*cell).lower() for cell in cells)


@pytest.mark.parametrize("spec", [spec for spec in EVERY if isinstance(games.start(spec), LineGame)])
@pytest.mark.parametrize("seed", range(10))
def test_only_a_winning_line_is_in_capital_letters(spec: str, seed: int) -> None:
    for state, last in steps(spec, seed):
        assert isinstance(state, LineGame)
        cells = {cell for line in state.winning_lines() for cell in line}
        assert bool(cells) == state.won
        winner = "ox"[state.mine.bit_count() < state.theirs.bit_count()]
        assert {state.cell(*cell) for cell in cells} <= {winner}
        assert words.drawn(state, last).count(winner.upper()) == len(cells)
        if state.won:
            assert set(state.last_cells(last)) <= cells


def test_a_won_game_of_connect4_looks_like_this() -> None:
    state = games.start("connect4:rows=4,columns=5")
    for move in (0, 1, 0, 1, 0, 1, 0):
        state = state.play(move)
    assert words.drawn(state, 0) == "[X]. . . .\n X o . . .\n X o . . .\n X o . . .\n 1 2 3 4 5"


def test_the_last_number_of_nap_has_other_brackets() -> None:
    assert words.drawn(games.load("nap:n=5", "1 2"), 2) == "[1]<2> .  4  5"


@pytest.mark.parametrize(
    "settings", [{"force_terminal": False}, {"no_color": True}, {"_environ": {"TERM": "dumb"}}], ids=str
)
def test_without_colour_the_marks_are_signs(settings: dict[str, Any]) -> None:
    state = games.start("tictactoe").play(4)
    shown = coloured_board(state, 4, console(**settings))
    assert (shown.plain, shown.spans) == (words.drawn(state, 4), [])
    assert "[x]" in shown.plain


def test_in_colour_the_last_move_is_reversed_and_a_line_is_green() -> None:
    state = games.load("tictactoe", "xx./oo./...").play(2)
    shown = coloured_board(state, 2, console())
    line = shown.plain.split("\n")[1]
    styles = [(str(span.style), shown.plain[span.start : span.end]) for span in shown.spans]
    assert line == "1 x x x "
    assert styles[-1] == ("reverse", " x ")
    assert [text for style, text in styles if "green" in style] == [" x "] * 3


def test_lines_for_a_pipe_have_no_escape_sequences() -> None:
    state = games.start("tictactoe").play(4)
    assert board_lines(state, 4) == words.drawn(state, 4).splitlines()


class Wrong(State[int]):
    """A game whose places are not in its text."""

    turn = None

    def __str__(self) -> str:
        return "board"

    def spots(self, last: int | None) -> Any:
        return [(7, 0, 3, False)] if last == 0 else "nonsense" if last == 1 else [(0, 0, 9, False)]


@pytest.mark.parametrize(("last", "shown"), [(0, "board"), (1, "board"), (2, "[oard   ]")])
def test_a_game_that_names_wrong_places_is_shown_without_them(last: int, shown: str) -> None:
    assert words.drawn(Wrong(), last) == shown


def test_a_letter_above_a_column_is_never_coloured_as_a_piece() -> None:
    for spec in ("chess", "tictactoe:m=19,n=19,k=5"):
        shown = coloured_board(games.start(spec), None, console())
        letters = len(shown.plain.split("\n")[0])
        assert min(span.start for span in shown.spans) > letters
