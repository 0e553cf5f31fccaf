"""`arena play` on the whole screen: the cursor, the mouse and typed moves make the same moves."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from rich.color import ColorSystem
from rich.text import Text

from adsearch import games
from arena.cli.play.human_player import TakeBacks
from arena.cli.play.play_screen import PlayScreen
from arena.cli.terminal.board import Look
from arena.match.schedule import Began, Entrant, InOrder, Planned, Ply
from db.records import MoveRecord
from tests.kit.terminal import Session

UP, DOWN, RIGHT, LEFT = "up", "down", "right", "left"


class Terminal:
    """A screen that draws nothing."""

    look = Look(None, True)
    size = (80, 24)
    is_stale = False
    drawings = 0

    def draw(self, _: list[Text]) -> None:
        self.drawings += 1


def asked(rules: str, *plies: str, name: str = "human") -> PlayScreen:
    """The screen of a person who is asked for a move after these plies."""
    screen = PlayScreen(cast("Any", Terminal()), people=[name])
    screen._is_shown = True
    entrants = (Entrant("human", "human"), Entrant("pvs", "pvs"))
    game = Planned(1, rules, rules, entrants, seed=1, identity=(1,))
    screen.show(Began(game))
    for number, ply in enumerate(plies, 1):
        screen.show(Ply(game, MoveRecord(number, (number - 1) % 2, ply)))
    screen.say("your move: ", end="")
    return screen


def pressed(screen: PlayScreen, *keys: str) -> list[str]:
    """The lines that these keys make."""
    screen._draw_now()
    return [line for key in keys if (line := screen._press(key)) is not None]


def test_arrows_and_enter_choose_a_cell_and_a_column_takes_the_disc() -> None:
    screen = asked("tictactoe", "b2", "a1")
    screen._draw_now()
    screen._cursor = (0, 0)
    assert pressed(screen, "enter") == []  # it is taken
    assert pressed(screen, RIGHT, "enter") == ["b1"]
    screen = asked("connect4")
    screen._draw_now()
    screen._cursor = (5, 0)
    assert pressed(screen, RIGHT, RIGHT, UP, UP, "enter") == ["3"]
    assert pressed(screen, LEFT, LEFT, LEFT, "enter") == ["7"]


def test_a_piece_is_chosen_first_and_another_one_or_escape_instead() -> None:
    screen = asked("chess")
    screen._draw_now()
    screen._cursor = (6, 4)
    assert pressed(screen, "enter", UP, UP) == []
    assert screen._marks(games.start("chess")).legal == {(5, 4), (4, 4)}
    assert pressed(screen, "enter") == ["e2e4"]
    screen._start = None
    screen._cursor = (6, 3)
    assert pressed(screen, "enter", LEFT, "enter", UP, "enter") == ["c2c3"]
    screen._start = None
    screen._cursor = (6, 3)
    assert pressed(screen, "enter", "escape") == []
    assert screen._start is None


def test_several_moves_to_a_cell_are_asked_for() -> None:
    screen = asked("chess:fen=8/P6k/8/8/8/8/8/7K w - - 0 1")
    screen._draw_now()
    screen._cursor = (1, 0)
    assert pressed(screen, "enter", UP, "enter") == []
    assert screen._typed == "a7a8"
    assert "which of a7a8q, a7a8r, a7a8b, a7a8n? Enter takes the first one; or type the rest" in screen._said
    assert pressed(screen, "n", "enter") == ["a7a8n"]
    screen._typed = "a7a8"
    assert pressed(screen, "enter") == ["a7a8q"]


def test_moves_can_be_typed_and_rubbed_out_and_a_game_without_cells_has_a_list() -> None:
    assert pressed(asked("connect4"), "4", "rub out", "7", "enter") == ["7"]
    assert pressed(asked("connect4"), "?") == ["?"]
    screen = asked("rps")
    assert pressed(screen, DOWN, DOWN, UP, DOWN, "enter") == [games.start("rps").to_text(games.start("rps").moves()[1])]


def test_an_answer_to_a_question_is_no_move() -> None:
    screen = asked("connect4")
    screen.ask("end the program? ")
    assert pressed(screen, "enter") == [""]
    assert pressed(screen, "y", "enter") == ["y"]


def test_black_sits_at_the_lower_edge_if_a_person_plays_it() -> None:
    assert [asked("chess", name=name)._view().turned for name in ("human", "pvs")] == [False, True]


def test_a_click_is_the_cursor_and_enter() -> None:
    screen = asked("connect4")
    cast("Any", screen._screen).look = Look(ColorSystem.TRUECOLOR, True)
    screen._draw_now()
    assert screen._picture is not None
    place = next((x, y) for y in range(24) for x in range(80) if screen._picture.cell(x, y) == (2, 4))
    assert pressed(screen, f"mouse {place[0]} {place[1]}") == ["5"]
    assert pressed(screen, "mouse 79 23") == []


def test_arrows_walk_where_a_piece_walks_and_what_is_typed_after_a_choice_replaces_it() -> None:
    screen = asked("maze:ghosts=1")
    assert pressed(screen, LEFT, "enter") == ["w"]
    screen._typed = ""
    assert pressed(screen, UP, RIGHT, UP, "enter") == ["e"]  # there is a wall above
    screen = asked("pig")
    assert pressed(screen, DOWN, "h", "enter") == ["h"]


def test_messages_go_with_the_move_that_they_were_about() -> None:
    screen = asked("tictactoe")
    screen.say("a hint")
    assert [*screen._said] == ["a hint"]
    assert pressed(screen, "escape") == []
    assert not screen._said
    screen.say("another one")
    assert screen._game is not None
    screen.show(Ply(screen._game, MoveRecord(1, 0, "b2")))
    assert not screen._said


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    found = Session(tmp_path)
    yield found
    found.close()


@pytest.mark.costly
def test_a_game_is_played_with_keys_alone_and_its_result_stays(session: Session) -> None:
    session.give("arena play tictactoe human random --seed 7")
    session.until("your move")
    session.press("\r")
    session.until("1. a1", "2. ", "your move")
    session.press("undo\r")
    session.until("back to the start")
    session.press("hint\r")
    session.until("your move")
    session.press("\t")
    session.until("x: none.")
    session.press("\t")
    session.press("resign\r")
    ended = session.end()
    assert ended.code == 0
    assert "human resigned; random wins" in ended.printed
    assert "arena replay " in ended.printed


@pytest.mark.costly
def test_a_person_sees_how_a_game_ended_until_the_next_one_is_asked_for(session: Session) -> None:
    session.give("arena play connect4 human random --games 2 --seed 7")
    session.until("your move")
    session.press("resign\r")
    session.until("human resigned", "Enter: the next game")
    session.press("x\r")
    session.until("your move")
    session.press("resign\r")
    ended = session.end()
    assert ended.code == 0
    assert "2 games, points: " in ended.printed


def test_the_next_game_does_not_begin_until_a_person_wants_it() -> None:
    entrants = (Entrant("human", "human"), Entrant("pvs", "pvs"))
    games_to_play = [Planned(number, "pig", "pig", entrants, seed=1, identity=(1,)) for number in (1, 2)]
    schedule = TakeBacks(InOrder(games_to_play), ["human"], {})
    schedule.holds = True
    assert schedule.next() is games_to_play[0]
    assert schedule.next() is None
    assert (schedule.rest() or 0) > 1000  # the director goes on at the next key
    schedule.let_go()
    assert schedule.next() is games_to_play[1]
    assert schedule.next() is None
    assert not schedule.is_held
    assert schedule.rest() is None  # all is played


@pytest.mark.costly
def test_ctrl_c_between_two_games_asks_and_the_question_for_the_next_game_comes_again(session: Session) -> None:
    session.give("arena play connect4 human random --games 2 --seed 7")
    session.until("your move")
    session.press("resign\r")
    session.until("Enter: the next game")
    session.press("\x03")
    session.until("end the program?")
    session.press("n\r")
    session.until("Enter: the next game")
    session.press("\x03")
    session.until("end the program?")
    session.press("y\r")
    assert session.end().code == 130


@pytest.mark.costly
def test_what_follows_from_help_and_the_warnings_stay_when_the_screen_is_gone(session: Session) -> None:
    session.give("arena play connect4 human random --seed 7 --walls limits")
    session.until("your move")
    session.press("hint\r")
    session.until("your move")
    session.press("resign\r")
    ended = session.end()
    assert "annulled, so this result does not count: human got a hint" in ended.printed.replace("\n", " ")


@pytest.mark.costly
def test_ctrl_z_and_fg_draw_the_waiting_screen_again(session: Session) -> None:
    """Nothing else happens meanwhile: no clock runs, and the person is to move."""
    session.give("arena play connect4 human random --seed 7")
    session.until("your move")
    session.press("\x1a")
    session.until_left()
    session.signal(signal.SIGCONT)
    session.until("your move", "x > human")
    session.press("resign\r")
    assert session.end().code == 0


def test_an_idle_screen_is_drawn_again_after_a_resize_and_else_not() -> None:
    screen = asked("connect4")
    screen._draw_now()
    terminal = cast("Any", screen._screen)
    for is_stale, more in ((False, 0), (True, 1), (False, 0)):
        terminal.is_stale, before = is_stale, terminal.drawings
        screen._tick(b".")
        assert terminal.drawings - before == more
