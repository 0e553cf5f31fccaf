"""UCI, line by line: what an engine is sent for each message, and what its lines mean."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adsearch import games
from adsearch.games.chess_board import START
from agents.errors import BadMessage
from agents.protocol import (
    INFO_BYTES,
    LIMITS,
    PROTOCOL,
    Bye,
    ClockInfo,
    Failed,
    Hello,
    Info,
    Move,
    Over,
    Ready,
    Start,
    Turn,
    Verdict,
    Welcome,
    pack,
    unpack_from_player,
)
from arena.engines import Engine
from arena.engines.uci import UciTranslator
from arena.match.clock import MILLISECOND

GAME = 7
OPTIONS = (
    b"option name Debug Log File type string default ",
    b"option name Threads type spin default 1 min 1 max 1024",
    b"option name Clear Hash type button",
    b"option name Style type combo default Normal var Solid var Normal var Very Risky",
    b"option name UCI_LimitStrength type check default false",
)
SEARCH = b"info depth 12 seldepth 15 multipv 1 score cp %d nodes 4711 nps 1000 hashfull 3 time 5 pv e2e4 e7e5 e1g1"


def engine(**settings: Any) -> Engine:
    return Engine("uci", **settings)


def started(uci: UciTranslator, *, clock: str = "none", seat: int = 0, position: str = START) -> UciTranslator:
    """It has been sent `start`."""
    assert uci.say(Start(GAME, "chess", seat, ("ann", "bob"), ClockInfo(clock, None), 1, position)) == b"uci\n"
    return uci


def greeted(uci: UciTranslator, **start: Any) -> UciTranslator:
    """It has answered `uci`."""
    for line in OPTIONS:
        assert started(uci, **start).hear(line) is None
    assert isinstance(uci.hear(b"uciok"), Hello)
    return uci


def turn(*events: tuple[Any, str], left: tuple[int, ...] | None = None, margin: int = 50) -> Turn:
    limit = 60_000 if left is None else left[0] + margin
    return Turn(GAME, "id", 1 + len(events), events, left, None, limit=limit * MILLISECOND)


def asked(uci: UciTranslator, *events: tuple[Any, str], **time: Any) -> list[str]:
    """The lines that it is sent for a turn."""
    return uci.say(turn(*events, **time)).decode().splitlines()


def go(clock: str, left: tuple[int, ...] | None, *events: tuple[Any, str], **settings: Any) -> str:
    """The command `go` for seat 0 with this clock."""
    return asked(greeted(UciTranslator(engine(**settings)), clock=clock), *events, left=left)[1]


def test_options_after_uciok_are_not_kept() -> None:
    uci = greeted(UciTranslator(engine()))
    before = dict(uci.options)
    assert uci.hear(b"option name Late type string") == "option name Late type string"
    assert uci.options == before


def test_the_handshake() -> None:
    uci = started(UciTranslator(engine(options={"threads": "2", "Style": "very risky", "clear hash": ""})))
    assert uci.hear(b"Fake 1 by nobody") == "Fake 1 by nobody"
    assert uci.hear(b"readyok") == "readyok"  # nobody has asked yet
    assert uci.hear(b"id name Fake 1\r") == "id name Fake 1"
    for line in OPTIONS:
        uci.hear(line)
    assert uci.hear(b"uciok") == Hello(PROTOCOL, name="Fake 1", wants=())
    assert uci.hear(b"uciok") == "uciok"
    assert uci.say(Welcome(PROTOCOL, LIMITS)).decode().splitlines() == [
        "setoption name Threads value 2",
        "setoption name Style value very risky",
        "setoption name Clear Hash",
        "ucinewgame",
        "isready",
    ]
    assert uci.hear(b"readyok") == Ready(GAME)
    again = Start(8, "chess", 1, ("ann", "bob"), ClockInfo("none", None), 1, START)
    assert uci.say(again) == b"ucinewgame\nisready\n"
    assert uci.hear(b"readyok") == Ready(8)
    assert uci.say(Bye()) == b"quit\n"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("Hsh", "16", "no option 'Hsh'"),
        ("Thread", "2", "did you mean 'Threads'"),
        ("Threads", "0", "expected an integer from 1 to 1024, got '0'"),
        ("Threads", "many", "expected an integer from 1 to 1024, got 'many'"),
        ("Style", "Wild", "expected Solid, Normal, Very Risky, got 'Wild'"),
        ("UCI_LimitStrength", "yes", "expected true or false, got 'yes'"),
        ("Debug Log File", "x\nquit", "printable"),
    ],
)
def test_an_option_that_the_engine_does_not_take(name: str, value: str, words: str) -> None:
    uci = started(UciTranslator(engine(options={name: value})))
    for line in OPTIONS:
        uci.hear(line)
    failed = uci.hear(b"uciok")
    assert isinstance(failed, Failed)
    assert (failed.game, failed.verdict) == (GAME, Verdict.UNREADY)
    assert words in failed.detail


def test_all_moves_are_sent_with_every_turn() -> None:
    uci = greeted(UciTranslator(engine(nodes=100)), seat=1)
    first = asked(uci, ("opening", "e2e4"), ("opening", "e7e5"), (0, "g1f3"))
    assert first == ["position startpos moves e2e4 e7e5 g1f3", "go nodes 100"]
    uci.hear(b"bestmove b8c6")
    assert asked(uci, (1, "b8c6"), (0, "f1b5"))[0] == f"{first[0]} b8c6 f1b5"


def test_the_first_position_of_our_own_rules_is_the_start_position() -> None:
    assert asked(greeted(UciTranslator(engine()), position=games.start("chess").position()))[0] == "position startpos"


def test_another_first_position_is_sent_as_fen() -> None:
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 3 40"
    uci = greeted(UciTranslator(engine()), position=f"{fen} and what repetition needs")
    assert asked(uci)[0] == f"position fen {fen}"
    assert asked(uci, (0, "e1g1"))[0] == f"position fen {fen} moves e1g1"


@pytest.mark.parametrize(
    ("clock", "left", "settings", "expected"),
    [
        ("none", None, {}, "movetime 1000"),
        ("none", None, {"nodes": 10_000}, "nodes 10000"),
        ("none", None, {"depth": 5, "movetime": 300}, "depth 5 movetime 300"),
        ("60", (60_000, 50_000), {}, "wtime 59950 btime 49950"),
        ("60", (20, 10), {}, "wtime 1 btime 1"),
        ("60+0.5", (60_000, 50_000), {}, "wtime 59950 btime 49950 winc 500 binc 500"),
        ("60", (60_000, 50_000), {"nodes": 100}, "wtime 59950 btime 49950 nodes 100"),
        ("60", (300, 300), {"movetime": 1000}, "wtime 250 btime 250 movetime 250"),
        ("40/300", (300_000, 300_000), {}, "wtime 299950 btime 299950 movestogo 40"),
        ("move=0.1", (100, 100), {}, "movetime 50"),
        ("move=2", (2000, 2000), {"movetime": 300, "nodes": 5}, "nodes 5 movetime 300"),
        # 60 s of main time and 5 periods of 10 s.
        ("60+5x10", (110_000, 70_000), {}, "wtime 69900 btime 29900 winc 9950 binc 9950"),
        ("60+5x10", (50_000, 70_000), {}, "wtime 9950 btime 29900 movestogo 1"),
        ("60+5x10", (10_000, 10_000), {}, "wtime 9950 btime 9950 movestogo 1"),
    ],
)
def test_the_clock(clock: str, left: tuple[int, ...] | None, settings: dict[str, int], expected: str) -> None:
    assert go(clock, left, **settings) == f"go {expected}"


def test_moves_to_go_counts_the_engines_own_moves() -> None:
    moves = (("opening", "a2a3"), ("opening", "a7a6"), (0, "b2b3"), (1, "b7b6"), (0, "c2c3"), (1, "c7c6"))
    assert go("3/300", (60_000, 60_000), *moves[:4]).endswith("movestogo 2")
    assert go("2/300", (60_000, 60_000), *moves).endswith("movestogo 2")


@pytest.mark.parametrize(
    ("texts", "left", "expected"),
    [
        (("5+3", "60"), (5_000, 60_000), "wtime 4950 btime 59950 winc 3000 binc 0"),
        (("60+5x10", "30"), (110_000, 30_000), "wtime 69900 btime 29950 winc 9950 binc 0"),
        (("move=1", "30"), (1_000, 30_000), "movetime 950"),
    ],
)
def test_the_clock_of_the_other_seat_is_told_as_it_is(
    texts: tuple[str, str], left: tuple[int, int], expected: str
) -> None:
    uci = UciTranslator(engine())
    uci.say(Start(GAME, "chess", 0, ("ann", "bob"), ClockInfo(texts[0], left, texts), 1, START))
    for line in OPTIONS:
        uci.hear(line)
    uci.hear(b"uciok")
    assert asked(uci, left=left)[1] == f"go {expected}"


@pytest.mark.parametrize(
    "later", [b"info score lowerbound nodes 7", b"info depth 9 string my score cp 900 is good", b"info\tscore\tgood"]
)
def test_a_line_without_a_score_takes_none_away(later: bytes) -> None:
    uci = greeted(UciTranslator(engine()))
    asked(uci)
    uci.hear(b"info  depth 3 multipv  1 score\tcp 35  pv e2e4")
    uci.hear(later)
    found = uci.hear(b"bestmove e2e4")
    assert isinstance(found, Move)
    assert found.info is not None
    assert found.info.text == "cp 35"


def test_the_last_info_goes_with_the_move() -> None:
    uci = greeted(UciTranslator(engine()))
    asked(uci)
    assert uci.hear(SEARCH % 35) is None
    assert uci.hear(SEARCH % 100) is None
    assert uci.hear(b"info depth 13 currmove d2d4 currmovenumber 2") is None
    assert uci.hear(b"info depth 13 multipv 2 score cp -500 nodes 9999 pv a2a3") is None
    assert uci.hear(b"info nodes 5000 time 3") is None
    assert uci.hear(b"info string score cp -900 nodes 1") == "info string score cp -900 nodes 1"
    info = Info(depth=12, score=0.2, nodes=5000, line=("e2e4", "e7e5", "e1g1"), text="cp 100 seldepth 15")
    assert uci.hear(b"bestmove E2E4 ponder e7e5") == Move(GAME, "id", "e2e4", info)
    asked(uci, (0, "e2e4"), (1, "e7e5"))
    assert uci.hear(b"bestmove e7e8Q") == Move(GAME, "id", "e7e8q")


@pytest.mark.parametrize(
    ("said", "score"),
    [
        ("cp 0", 0.0), ("cp 400", 0.5), ("cp -1200", -0.75), ("cp 100 lowerbound", 0.2),
        ("mate 3", 1.0), ("mate -3", -1.0), ("mate 0", -1.0), ("cp", None), ("cp many", None), ("wdl 1 2 3", None),
    ],
)  # fmt: skip
def test_scores_are_on_the_scale_of_our_agents(said: str, score: float | None) -> None:
    uci = greeted(UciTranslator(engine()))
    asked(uci)
    uci.hear(f"info depth 1 score {said} pv e2e4".encode())
    move = uci.hear(b"bestmove e2e4")
    assert isinstance(move, Move)
    assert (None if move.info is None else move.info.score) == score


@pytest.mark.parametrize("said", ["bestmove", "bestmove (none)", "bestmove e4", "bestmove e9e4", "bestmove resign"])
def test_a_best_move_that_cannot_be_read(said: str) -> None:
    uci = greeted(UciTranslator(engine()))
    asked(uci)
    with pytest.raises(BadMessage, match="expected 'bestmove' and a move such as e2e4"):
        uci.hear(said.encode())


def test_an_answer_outside_a_turn_has_no_turns_id() -> None:
    uci = greeted(UciTranslator(engine()))
    assert uci.hear(b"bestmove e2e4") == Move(0, "", "e2e4")
    asked(uci)
    uci.hear(b"bestmove e2e4")
    assert uci.hear(b"bestmove e2e4") == Move(0, "", "e2e4")


def test_a_search_is_stopped_when_the_game_ends() -> None:
    uci = greeted(UciTranslator(engine()))
    over = Over(GAME, None, Verdict.VOID, None, ())
    assert uci.say(over) == b""
    asked(uci)
    assert uci.say(over) == b"stop\n"


WORDS = (
    *("info", "depth", "score", "cp", "mate", "pv", "nodes", "multipv", "string", "bestmove", "uciok", "readyok", "id"),
    *("option", "name", "type", "spin", "min", "max", "default", "e2e4", "1", "-1", "9" * 20, "0x1", "１"),
)
LINES = st.binary(max_size=80) | st.lists(st.sampled_from(WORDS), max_size=9).map(
    lambda words: " ".join(words).encode()
)


@given(st.lists(LINES, max_size=6))
def test_whatever_an_engine_writes_is_a_message_a_text_or_an_error(lines: list[bytes]) -> None:
    uci = greeted(UciTranslator(engine()))
    asked(uci)
    for line in lines:
        try:
            heard = uci.hear(line)
        except BadMessage:
            continue
        if heard is not None and not isinstance(heard, str):
            assert unpack_from_player(pack(heard)) == heard


def test_a_long_info_stays_within_the_limit() -> None:
    uci = greeted(UciTranslator(engine()))
    asked(uci)
    uci.hear(b"info depth 1 score cp 1 pv" + b" e7e8q" * 10_000)
    move = uci.hear(b"bestmove e2e4")
    assert isinstance(move, Move)
    assert move.info is not None
    assert len(pack(move.info)) < INFO_BYTES
