"""The marks on boards: the last move and a winning line, as signs and in colour."""

import io
from typing import Any

import pytest
from rich.color import ColorSystem
from rich.console import Console

from adsearch import State, games
from adsearch.games.chess import Chess
from adsearch.games.dots import Dots
from adsearch.games.grid import GridGame, LineGame
from adsearch.games.maze import Maze
from adsearch.games.othello import PASS
from adsearch.games.tictactoe import TicTacToe
from adsearch.games.words import Words
from arena.cli.terminal.board import BoardMarks, Look, board, board_lines, fills
from arena.history import words
from tests.kit.every_game import EVERY, playout

TRUE, FEW, NONE = Look(ColorSystem.TRUECOLOR, True), Look(ColorSystem.STANDARD, True), Look(None, True)
LETTERS = Look(ColorSystem.EIGHT_BIT, False)


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
            cells = state.last_cells(last)[1 if isinstance(state, Chess) else 0 :]
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
    ("settings", "look"),
    [
        ({"force_terminal": False}, Look(None, True)),
        ({"no_color": True}, Look(None, True)),
        ({"_environ": {"TERM": "dumb"}}, Look(None, True)),
        ({"color_system": "truecolor"}, Look(ColorSystem.TRUECOLOR, True)),
        ({"color_system": "256"}, Look(ColorSystem.EIGHT_BIT, True)),
        ({"color_system": "standard"}, Look(ColorSystem.STANDARD, True)),
    ],
    ids=str,
)
def test_a_terminal_says_what_it_can_show(
    settings: dict[str, Any], look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Console, "encoding", "utf-8")
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    assert Look.of(console(**settings)) == look
    monkeypatch.setattr(Console, "encoding", "ascii")
    assert not Look.of(console(**settings)).signs


def test_where_symbols_are_wide_letters_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Console, "encoding", "utf-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setenv("LC_CTYPE", "ja_JP.UTF-8")
    assert not Look.of(console()).signs


def test_in_a_locale_of_ascii_letters_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LC_CTYPE", raising=False)
    for locale, signs in (("C", False), ("POSIX", False), ("C.UTF-8", True)):
        monkeypatch.setenv("LC_ALL", locale)
        assert Look.of(Console(force_terminal=True, file=io.TextIOWrapper(io.BytesIO(), "utf-8"))).signs is signs


def test_checkers_lie_on_points_in_two_colours() -> None:
    state, look = games.start("backgammon"), Look(ColorSystem.TRUECOLOR, True)
    lines = board(state, None, look).lines
    assert [line.plain.rstrip() for line in lines] == str(state).splitlines()
    behind = [lines[2].get_style_at_offset(console(), at).bgcolor for at in (2, 5, 8, 11, 20, 23)]
    tile, one, other, again, bar, theirs = behind
    assert len({tile, one, other, theirs}) == 4
    assert one == again == bar


def test_numbers_of_cells_stand_beside_the_rows() -> None:
    state = games.start("checkers")
    look = Look(ColorSystem.TRUECOLOR, True)
    rows = [line.plain[:6].strip() for line in board(state, None, look).lines]
    assert rows[:8] == ["1-4", "5-8", "9-12", "13-16", "17-20", "21-24", "25-28", "29-32"]
    turned = [line.plain[:6].strip() for line in board(state, None, look, turned=True).lines]
    assert turned[:2] == ["32-29", "28-25"]


@pytest.mark.parametrize("spec", EVERY)
@pytest.mark.parametrize("look", [TRUE, FEW, LETTERS, NONE], ids=["true", "16", "letters", "none"])
def test_every_board_is_a_rectangle_that_fits_and_marks_change_no_place(spec: str, look: Look) -> None:
    for state, last in steps(spec, 1)[:60:7]:
        plain = board(state, last, look)
        wide = max(line.cell_len for line in plain.lines)
        for room in ((20, 10), (60, 22), (120, 40)):
            large = board(state, last, look, room=room)
            fits = wide <= room[0] and len(plain.lines) <= room[1]
            assert not fits or (max(line.cell_len for line in large.lines) <= room[0] and len(large.lines) <= room[1])
        if state.turn in (None, -1) or not isinstance(state, GridGame):
            continue
        ways = [way for move in state.moves() if (way := state.cells(move))]
        if ways and plain.size:
            marks = BoardMarks(ways[0][-1], frozenset(way[-1] for way in ways), ways[0][0])
            marked = board(state, last, look, marks=marks)
            assert [line.cell_len for line in marked.lines] == [line.cell_len for line in plain.lines]


@pytest.mark.parametrize("turned", [False, True])
def test_a_place_of_the_screen_is_a_cell(turned: bool) -> None:
    drawn = board(games.start("chess"), None, TRUE, room=(60, 30), turned=turned)
    assert drawn.size == 3
    cells = [drawn.cell(x, y) for y in range(1, 25) for x in range(2, 50)]
    assert cells[0] == ((7, 7) if turned else (0, 0))
    assert len({*cells}) == 64
    assert None not in cells
    assert [drawn.cell(0, 3), drawn.cell(2, 0), drawn.cell(50, 3), drawn.cell(4, 25)] == [None] * 4
    first = drawn.lines[2].plain
    assert first.startswith("1" if turned else "8")


def test_the_colours_are_those_of_the_pictures() -> None:
    assert (fills()["yellow"], fills()["red"], fills()["black"]) == ("#ffd33d", "#c4232c", "#1b1f24")
    line = board(games.start("connect4").play(3), None, TRUE).lines[5]
    assert any(
        span.style.color and span.style.color.name == "#ffd33d"
        for span in line.spans
        if not isinstance(span.style, str)
    )


def test_two_pieces_differ_in_more_than_their_colour() -> None:
    """Except black and white, of which one is dark and one is bright."""
    both = games.start("connect4").play(0).play(1)
    line = board(both, None, TRUE, room=(50, 20)).lines
    assert "▐████▌" in line[16].plain
    assert "▐▌  ▐▌" in line[16].plain


def test_without_colours_signs_show_what_is_marked() -> None:
    state = games.start("tictactoe").play(4)
    marks = BoardMarks(cursor=(0, 0), legal=[(0, 0), (2, 2)])
    assert [line.plain.rstrip() for line in board(state, 4, NONE, marks=marks).lines][:4] == [
        "  a b c",
        "1(+). .",
        "2 .[x].",
        "3 . . +",
    ]


def test_a_subclass_that_fails_is_drawn_as_its_text() -> None:
    class Odd(TicTacToe):
        def rows(self) -> list[str]:
            raise ValueError

    state = Odd.start(m=3, n=3, k=3)
    assert board(state, None, TRUE).lines


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
    for spec in ("ludo", "words"):
        head = board(games.start(spec), None, TRUE).lines[0]
        assert not [span for span in head.spans if not isinstance(span.style, str) and span.style.bgcolor]
