"""GTP, line by line: what an engine is sent for each message, and what its answers mean."""

from __future__ import annotations

from typing import Any

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
    Failed,
    Hello,
    Move,
    Over,
    Ready,
    Resign,
    Start,
    Turn,
    Verdict,
    Welcome,
    pack,
    unpack_from_player,
)
from arena.engines import Engine
from arena.engines.gtp import GtpTranslator
from arena.match.clock import MILLISECOND

GAME = 7


def new_game(
    gtp: GtpTranslator, *, rules: str = "go:size=3", position: str = "", clock: str = "none", seat: int = 0
) -> list[str]:
    """The commands for a new game, after the greeting."""
    text = position or games.start(rules).position()
    start = Start(GAME, rules, seat, ("ann", "bob"), ClockInfo(clock, None), 1, text)
    assert gtp.say(start) == b"protocol_version\n"
    assert gtp.hear(b"= 2") == Hello(PROTOCOL, wants=())
    return gtp.say(Welcome(PROTOCOL, LIMITS)).decode().splitlines()


def engine(**options: str) -> GtpTranslator:
    return GtpTranslator(Engine("gtp", options=options))


def ready(gtp: GtpTranslator, **start: Any) -> GtpTranslator:
    """It has answered all commands of a new game."""
    answers = [gtp.hear(b"=") for _ in new_game(gtp, **start)]
    assert answers[:-1] == [None] * (len(answers) - 1)
    assert answers[-1] == Ready(GAME)
    return gtp


def asked(gtp: GtpTranslator, *events: tuple[Any, str], left: tuple[int, ...] | None = None) -> list[str]:
    """The commands for a turn."""
    limit = 60_000 if left is None else left[0] + 50
    turn = Turn(GAME, "id", 1 + len(events), events, left, None, limit=limit * MILLISECOND)
    return gtp.say(turn).decode().splitlines()


def test_a_new_game() -> None:
    assert new_game(engine(level="5", set_random_seed="3"), rules="go:size=13,komi=-0.5") == [
        "level 5",
        "set_random_seed 3",
        "boardsize 13",
        "clear_board",
        "time_settings 0 1 0",
        "komi -0.5",
    ]


def test_a_kept_engine_is_not_greeted_again() -> None:
    gtp = ready(engine())
    start = Start(8, "go:size=2", 0, ("ann", "bob"), ClockInfo("none", None), 1, games.start("go:size=2").position())
    commands = gtp.say(start).decode().splitlines()
    assert commands[0] == "boardsize 2"
    assert [gtp.hear(b"=") for _ in commands][-1] == Ready(8)


def test_stones_that_stand_before_the_game_are_placed() -> None:
    state = games.start("go:size=3")
    for move in ("a3", "b1", "c2"):
        state = state.play(state.from_text(move))
    gtp = engine()
    assert new_game(gtp, position=state.position())[2:5] == ["play b A3", "play b C2", "play w B1"]
    for _ in range(7):
        gtp.hear(b"=")
    assert asked(gtp, ("opening", "A1"), ("opening", "pass"))[:2] == ["play w A1", "play b pass"]


def test_the_engine_has_placed_its_own_moves_itself() -> None:
    gtp = ready(engine(), seat=1)
    assert asked(gtp, (0, "B2")) == ["play b B2", "genmove w"]
    assert gtp.hear(b"=") is None
    assert gtp.hear(b"=5 a1 ") == Move(GAME, "id", "a1")
    assert asked(gtp, (1, "A1"), (0, "C3")) == ["play b C3", "genmove w"]


def test_in_a_game_that_continues_another_one_the_engine_has_not_placed_its_moves() -> None:
    gtp = ready(engine(), seat=1)
    assert asked(gtp, (0, "B2"), (1, "A1"), (0, "C3")) == ["play b B2", "play w A1", "play b C3", "genmove w"]
    for _ in range(3):
        assert gtp.hear(b"=") is None
    assert gtp.hear(b"=5 a2 ") == Move(GAME, "id", "a2")
    assert asked(gtp, (1, "A2"), (0, "C1")) == ["play b C1", "genmove w"]


@pytest.mark.parametrize(
    ("clock", "settings", "left", "time_left"),
    [
        ("60", "60 0 0", 45_900, "45 0"),
        ("60+0.5", "60 0 0", 45_000, "44 0"),
        ("0.5", "0 0 0", 500, "0 0"),
        ("40/300", "0 300 40", 200_100, "200 40"),
        ("60+5x10", "60 10 1", 110_100, "60 0"),
        ("60+5x10", "60 10 1", 20_000, "9 1"),
        ("move=2", "0 2 1", 2000, "1 1"),
        ("move=0.1", "0 1 1", 100, "0 1"),
    ],
)
def test_the_clock(clock: str, settings: str, left: int, time_left: str) -> None:
    gtp = engine()
    assert f"time_settings {settings}" in new_game(gtp, clock=clock)
    assert asked(gtp, left=(left, 1000)) == [f"time_left b {time_left}", "genmove b"]


def test_an_engine_can_do_without_a_clock() -> None:
    gtp = engine()
    commands = new_game(gtp, clock="60")
    heard = [gtp.hear(b"? unknown command" if line.startswith("time_") else b"=") for line in commands]
    assert heard == [None, None, "? unknown command", Ready(GAME)]
    asked(gtp, left=(1000, 1000))
    assert gtp.hear(b"? unknown command") == "? unknown command"
    assert gtp.hear(b"= PASS") == Move(GAME, "id", "pass")


def test_an_error_before_the_game_says_which_command() -> None:
    gtp = engine(levle="5")
    new_game(gtp)
    words = "answered 'levle 5' with an error: 'unknown command'"
    assert gtp.hear(b"?3 unknown command") == Failed(GAME, Verdict.UNREADY, words)


def test_an_error_in_the_game_is_not_the_protocol() -> None:
    gtp = ready(engine())
    asked(gtp, (1, "A1"))
    failed = gtp.hear(b"? illegal move")
    assert failed == Failed(GAME, Verdict.GARBAGE, "answered 'play b A1' with an error: 'illegal move'")


def test_resigning() -> None:
    gtp = ready(engine())
    asked(gtp)
    assert gtp.hear(b"= Resign") == Resign(GAME, "id")


@pytest.mark.parametrize("said", ["", "I5", "D0", "Z99", "D4 E5", "d", "4d", "passes"])
def test_a_move_that_cannot_be_read(said: str) -> None:
    gtp = ready(engine())
    asked(gtp)
    with pytest.raises(BadMessage, match="expected a point such as D4, pass or resign"):
        gtp.hear(f"= {said}".encode())


def test_the_end() -> None:
    gtp = ready(engine())
    assert gtp.say(Over(GAME, (1.0, -1.0), Verdict.NORMAL, None, ())) == b""
    assert gtp.say(Bye()) == b"quit\n"
    assert gtp.hear(b"=") is None
    assert gtp.hear(b"= nobody asked") == "= nobody asked"


LINES = st.binary(max_size=30) | st.from_regex(rb"[=?][0-9]{0,2} ?[A-T]?[0-9]{0,2}", fullmatch=True)


@given(st.lists(LINES, max_size=8))
def test_whatever_an_engine_writes_is_a_message_a_text_or_an_error(lines: list[bytes]) -> None:
    gtp = ready(engine())
    asked(gtp, (1, "A1"), left=(1000, 1000))
    for line in lines:
        try:
            heard = gtp.hear(line)
        except BadMessage:
            continue
        if heard is not None and not isinstance(heard, str):
            assert unpack_from_player(pack(heard)) == heard
