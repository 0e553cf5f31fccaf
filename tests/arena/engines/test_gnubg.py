"""GNU Backgammon, line by line: what it is sent for each message, and what its lines mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adsearch import games
from agents.errors import BadMessage
from agents.protocol import (
    LIMITS,
    PROTOCOL,
    Bye,
    ClockInfo,
    FromPlayer,
    Hello,
    Move,
    Ready,
    Start,
    Turn,
    Welcome,
    pack,
    unpack_from_player,
)
from arena.engines import Engine
from arena.engines.gnubg import GnubgTranslator

GAME = 7
BANNER = b"GNU Backgammon 1.07.001 20230103"
POSITION = "X=bar:1,24:1,13:5,8:3,6:5 O=bar:2,13:5,8:3,6:5 next=X dice=61"
HINT = b"    1. Cubeful 2-ply    bar/18                       Eq.: -0.032"


def start(seat: int = 0) -> Start:
    position = games.start("backgammon").position()
    return Start(GAME, "backgammon", seat, ("ann", "bob"), ClockInfo("none", None), 1, position)


def ready(**options: str) -> GnubgTranslator:
    """A translator whose program is ready for a game."""
    gnubg = GnubgTranslator(Engine("gnubg", options=options))
    assert gnubg.say(start()) == b""
    assert gnubg.hear(BANNER) == Hello(PROTOCOL, wants=("position",))
    sent = gnubg.say(Welcome(PROTOCOL, LIMITS)).decode().splitlines()
    assert sent[-2:] == ["new game", "set turn 1"]
    assert ("set evaluation chequerplay evaluation plies 0" in sent) == bool(options)
    assert gnubg.hear(b"Will not automatically roll the dice.") is None
    assert gnubg.hear(b"`root' is now on roll.") == Ready(GAME)
    return gnubg


def asked(gnubg: GnubgTranslator, position: str = POSITION) -> list[str]:
    turn = Turn(GAME, "3", 5, (), None, None, position=position)
    return gnubg.say(turn).decode().splitlines()


def test_it_gets_the_board_from_its_own_side_and_the_dice() -> None:
    gnubg = ready(plies="0")
    assert asked(gnubg) == [
        "set turn 1",
        "set board simple 1 0 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 1 -2",
        "set dice 6 1",
        "hint 1",
    ]
    other = "X=bar:2,13:5,8:3,6:5 O=bar:1,24:1,13:5,8:3,6:5 next=O dice=61"
    assert asked(gnubg, other) == asked(gnubg)


def test_its_best_play_is_the_move_in_our_notation() -> None:
    gnubg = ready()
    asked(gnubg)
    for line in (b"`root' is now on roll.", b" +13-14-15-16-17-18------19-20-21-22-23-24-+     O: gnubg"):
        assert gnubg.hear(line) is None
    assert gnubg.hear(HINT) == Move(GAME, "3", "bar/18")
    assert gnubg.hear(HINT) is None  # nobody has asked again
    asked(gnubg, "X=24:2,13:5,8:3,6:5 O=24:2,13:5,8:3,6:5 next=X dice=31")
    assert gnubg.hear(b"    1. Cubeful 2-ply    8/5 6/5                      Eq.: +0.160") == Move(GAME, "3", "8/5,6/5")


def test_a_play_that_is_not_legal_is_garbage() -> None:
    gnubg = ready()
    asked(gnubg)
    with pytest.raises(BadMessage, match=r"expected a play such as 24/18 13/11, got '13/7 13/12'"):
        gnubg.hear(b"    1. Cubeful 2-ply    13/7 13/12                   Eq.: -0.032")


def test_a_process_that_plays_again_needs_no_greeting() -> None:
    gnubg = ready()
    assert gnubg.say(start(seat=1)) == b"set turn 1\n"
    assert gnubg.hear(b"`root' is now on roll.") == Ready(GAME)
    assert gnubg.say(Bye()) == b"quit\ny\n"


LINES = st.binary(max_size=60) | st.sampled_from([BANNER, HINT, b"`x' is now on roll.", b"1. Cube 1 \xff Eq.: 1"])


@given(st.lists(LINES, max_size=8))
def test_whatever_it_writes_is_a_message_a_text_or_an_error(lines: list[bytes]) -> None:
    gnubg = ready()
    asked(gnubg)
    for line in lines:
        try:
            heard: FromPlayer | str | None = gnubg.hear(line)
        except BadMessage:
            continue
        if heard is not None and not isinstance(heard, str):
            assert unpack_from_player(pack(heard)) == heard
