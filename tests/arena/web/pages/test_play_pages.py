"""The pages on which a person plays: what they say of opponents, of the game, and of its end."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from msgspec import structs

from adsearch import games
from agents import builtin
from arena.serve.messages import GameRecorded
from arena.student.hint import Hint
from arena.web.pages import play_pages
from arena.web.pages.play_pages import HOW_THEY_PLAY, Opponent, Opponents
from arena.web.persons_game import GameStatus, PersonsChoice, SeenGame, SeenPly
from arena.web.results import Titled
from tests.kit.html_validity import check_html

OF = Titled(id=1, title="cs101", format="ladder")


def seen(rules: str, *, seat: int = 0, position: str = "", **changes: Any) -> SeenGame:
    """A game of that person."""
    found: dict[str, Any] = {
        "rules": rules,
        "position": position or games.start(rules).position(),
        "names": ("human", "random"),
        "status": GameStatus.YOURS,
    }
    return SeenGame(key="k" * 20, seat=seat, clock="300+5", opponent="random", **found | changes)


def text(markup: str) -> str:
    """What a reader reads."""
    body = re.sub(r"<style>.*?</style>|<[^>]*>", " ", markup.rpartition("<body>")[2], flags=re.DOTALL)
    return " ".join(unescape(body).split())


def test_of_every_built_in_agent_it_is_said_how_it_plays() -> None:
    assert set(HOW_THEY_PLAY) == set(builtin.names())


def test_every_opponent_is_described() -> None:
    found = Opponents(
        ladder=OF,
        game="connect4",
        games=["connect4"],
        agents=[Opponent("kestrel", 1532.4, 40.2), Opponent("merlin")],
        built_in=[Opponent("random", 0.0), Opponent("greedy")],
        going_on=[],
    )
    page = play_pages.opponents(found)
    check_html(page.text)
    shown = text(page.text)
    assert "kestrel ●●●●● rating 1532 ± 40 Play as first second either" in shown
    assert "merlin not rated yet" in shown
    assert "random ●○○○○ very easy: plays at random; rating 0" in shown
    assert "greedy ●●○○○ looks 1 move ahead" in shown
    assert "A higher rating is stronger." in shown
    assert "Back to your game" not in shown
    again = structs.replace(found, game="chess", games=["connect4", "chess"], going_on=["kkk"])
    one = play_pages.opponents(again, only="kestrel", wrong="too many games")
    check_html(one.text)
    assert 'aria-label="Play as second player (Black) against kestrel"' in one.text
    assert "/p/kkk" in one.text
    assert "too many games" in one.text
    assert "merlin" not in one.text
    chosen = play_pages.opponents(again).text
    assert re.findall(r'game=(\w+)"( aria-current="page")?><svg', chosen) == [
        ("connect4", ""),
        ("chess", ' aria-current="page"'),
    ]


@pytest.mark.parametrize(
    ("rules", "seat", "said"),
    [
        ("chess", 1, "chess; you are the second player (Black)"),
        ("kuhn", 0, "kuhn; you are the first player"),
        ("tictactoe", 1, "tictactoe; you are the second player (o)"),
    ],
)
def test_the_page_says_which_player_the_person_is(rules: str, seat: int, said: str) -> None:
    assert play_pages.parts(seen(rules, seat=seat), "random")["side"] == said
    assert play_pages.parts(SeenGame(key="k" * 20, seat=seat, clock="", opponent="x"), "random")["side"] == ""


def fields(markup: str) -> dict[str, float]:
    """The upper edge of each field of the board."""
    return {name: float(y) for name, y in re.findall(r'data-field="(\w+)"[^>]* y="([\d.]+)"', markup)}


@pytest.mark.parametrize(
    ("seat", "position"), [(0, ""), (1, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1")]
)
def test_the_persons_pieces_are_below_and_so_are_the_fields_of_its_moves(seat: int, position: str) -> None:
    there = fields(play_pages.parts(seen("chess", seat=seat, position=position), "random")["board"])
    first, beyond = (("e2", "e4"), ("e7", "e5"))[seat]
    assert there[first] > there[beyond]


def test_the_last_move_is_marked_on_the_board() -> None:
    state = games.start("chess")
    move = state.from_text("e2e4")
    shown = seen("chess", seat=1, position=state.play(move).position(), last=move)
    assert play_pages.parts(shown, "random")["board"].count('class="last"') == 2


@pytest.mark.parametrize(
    ("seat", "points", "fault", "verdict", "said"),
    [
        (0, (1.0, 0.0), None, "normal", "You win"),
        (1, (1.0, 0.0), None, "normal", "random wins"),
        (0, (0.0, 1.0), 0, "resigned", "You resigned; random wins"),
        (0, (1.0, 0.0), 1, "time", "random lost on time; you win"),
    ],
)
def test_the_end_is_told_to_the_person(
    seat: int, points: tuple[float, ...], fault: int | None, verdict: str, said: str
) -> None:
    over = seen("kuhn", seat=seat, status=GameStatus.OVER, end=GameRecorded("k" * 20, 7, verdict, fault, points, ""))
    drawn = play_pages.parts(over, "random")
    assert drawn["state"] == said
    assert "/g/7" in drawn["said"]


def test_in_a_game_that_was_given_up_nobody_is_to_move() -> None:
    board = play_pages.parts(seen("chess"), "random")["board"]
    assert board.count("White to move") == 2
    over = seen("chess", status=GameStatus.OVER, end=GameRecorded("k" * 20, None, "crashed", 0, (0.0, 1.0), ""))
    board = play_pages.parts(over, "random")["board"]
    assert (board.count("to move"), board.count("the game is over")) == (0, 2)


def test_the_move_of_a_hint_is_marked_with_an_arrow_or_as_a_cell() -> None:
    for rules, move, marked, arrows in (("chess", "e2e4", 2, 1), ("othello", "d3", 1, 0), ("kuhn", "bet", 0, 0)):
        board = play_pages.parts(seen(rules, hint=Hint(move, f"hint: {move}")), "random")["board"]
        assert (board.count("★"), board.count('class="arrow"')) == (marked, arrows), rules
        assert board.find('class="marks"') < board.find('class="fields"') or not marked
    assert "★" not in play_pages.parts(seen("chess"), "random")["board"]


def test_a_board_with_two_sides_can_be_seen_from_the_other_one() -> None:
    for rules in games.names():
        start = games.start(rules)
        if start.players == 2:
            drawn = play_pages.parts(seen(rules), "random")
            flipped = play_pages.parts(seen(rules, flipped=True), "random")
            turns = rules in ("chess", "checkers", "backgammon")
            assert ('value="flip"' in drawn["tools"]) is turns
            assert (drawn["board"] != flipped["board"]) is turns
    flipped = play_pages.parts(seen("chess", flipped=True), "random")
    there = fields(flipped["board"])
    assert there["e2"] < there["e4"]
    assert 'aria-pressed="true"' in flipped["tools"]
    lower = re.findall(r'class="seat of-(\w+)[^"]* lower"', flipped["seats"])
    assert lower == ["black"]


def test_the_number_of_take_backs_is_on_the_button() -> None:
    shown = seen("tictactoe", take_backs=3, choices=(PersonsChoice("a1", "a1"),), plies=(SeenPly(0, "b2", "b2"),))
    assert "Take back my last move (3 left)" in play_pages.parts(shown, "random")["choices"]
    assert 'value="take_back" disabled' in play_pages.parts(seen("tictactoe"), "random")["choices"]


def test_after_a_game_the_person_plays_again_on_the_same_page_if_there_is_no_other_one() -> None:
    over = seen("maze", seat=1, status=GameStatus.OVER, players=3)
    names = ("random", "human", "greedy")
    drawn = play_pages.parts(over, "random, greedy", others=names)
    assert [*re.findall(r'class="who" title="(\w+)"', drawn["seats"])] == ["random", "you", "greedy"]
    assert re.findall(r'name="seat" value="(\d)"', drawn["choices"]) == ["0", "1"]
    assert "/play" not in drawn["choices"]
    on_a_ladder = play_pages.parts(over, "random", ways=[("/play", "Other opponents")])
    assert 'href="/play"' in on_a_ladder["said"]
    alone = seen("maze:ghosts=0", status=GameStatus.OVER, players=1)
    assert re.findall(r'name="seat" value="(\d)"', play_pages.parts(alone, "maze")["choices"]) == ["0"]


def test_a_promotion_is_chosen_by_a_picture_of_the_piece() -> None:
    choices = tuple(PersonsChoice(text, text) for text in ("a7a8q", "a7a8n", "e1e2"))
    markup = play_pages.parts(seen("chess", position="8/P3k3/8/8/8/8/8/4K3 w - - 0 1", choices=choices), "random")
    assert re.findall(r'value="(\w+)"><svg', markup["choices"]) == ["a7a8q", "a7a8n"]
