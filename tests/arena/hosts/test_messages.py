"""What home accepts from a host, and what a host accepts from home."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.hosts.messages import Host, HostResult, Played, check_result, received, sent
from arena.match.schedule import Entrant, Planned
from arena.match.seeds import GameSeeds
from db.records import GameRecord, MoveRecord, SeatRecord

GAME = Planned(7, "tictactoe", "tictactoe", (Entrant("ann", "ann"), Entrant("bob", "bob")), 1, ("ann bob",))
SEEDS = [GameSeeds.of(1, ("ann bob",), leg=0, attempt=1).for_seat(seat) for seat in (0, 1)]

msgpack = msgspec.msgpack.encode


def result(**changes: Any) -> HostResult:
    """A result of `GAME`, with these changes of its record."""
    seats = (SeatRecord(0, "ann", 1.0, 1.0, 5, 5, seed=SEEDS[0]), SeatRecord(1, "bob", 0.0, -1.0, 5, 5, seed=SEEDS[1]))
    record = GameRecord(7, "normal", None, "", seats, (MoveRecord(1, 0, "a1"), MoveRecord(2, 1, "b1")), 0)
    return HostResult(7, 1, msgspec.structs.replace(record, **changes), {"walls": "sandbox"}, began=2.0, ended=0.5)


def test_a_message_arrives_as_it_was_sent() -> None:
    played = Played((result(),), ("ab",), "why")
    assert received(sent(played), Played) == played
    check_result(result(), GAME)


SEAT = SeatRecord(0, "ann", 1.0, 1.0, 5, 5, seed=SEEDS[0])


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"game": 8}, "expected the record of game 7, got that of game 8"),
        ({"seats": ()}, "expected the players"),
        ({"seats": (SEAT, SeatRecord(1, "eve", 0.0, 0.0, 5, 5))}, "expected the players"),
        ({"seats": (SEAT, SeatRecord(0, "bob", 0.0, 0.0, 5, 5))}, "expected the players"),
        ({"seats": (SEAT, SeatRecord(1, "bob", 2.0, 0.0, 5, 5, seed=7))}, "other seeds"),
        ({"seats": (SEAT, SeatRecord(1, "bob", 2.0, 0.0, 5, 5))}, "other seeds"),
        ({"lag": 2**63}, "numbers of 64 bits"),
        ({"moves": (MoveRecord(1, 0, "a1", spent=2**63),)}, "numbers of 64 bits"),
        ({"verdict": "forfeit"}, "it was not played"),
    ],
)
def test_a_result_that_cannot_be_that_of_the_game_is_refused(changes: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ArenaError, match=wrong):
        check_result(result(**changes), GAME)


EMPTY_MAPS = (b"\x80", b"\xde\0\0", b"\xdf\0\0\0\0")


@pytest.mark.costly
@given(st.one_of(st.binary(), st.text(), st.floats(), st.none(), st.dictionaries(st.text(), st.booleans(), min_size=1)))
def test_what_is_not_a_message_is_refused(data: object) -> None:
    assume(data not in EMPTY_MAPS)  # a message of defaults
    for given_data in (data, msgpack(data)):
        for kind in (Host, Played):
            with pytest.raises(ArenaError, match="expected a message"):
                received(given_data, kind)


def test_numbers_and_texts_have_limits() -> None:
    host = {"type": "Host", "name": "x", "games": 4, "speed": 100.0}
    assert received(msgpack(host), Host).games == 4
    for wrong in (
        {"games": 0},
        {"games": 10**9},
        {"name": "x" * 3000},
        {"speed": 0},
        {"speed": 5e-324},
        {"speed": float("nan")},
        {"refuses": 1},
    ):
        with pytest.raises(ArenaError):
            received(msgpack(host | wrong), Host)
    late = msgspec.to_builtins(result()) | {"began": float("nan")}
    with pytest.raises(ArenaError):
        received(msgpack({"type": "Played", "results": [late]}), Played)
