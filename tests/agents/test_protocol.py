"""The protocol: every message is unchanged by both encodings, and anything else raises BadMessage.

The fuzz tests decode random bytes and values; `read` checks the result, and for msgpack another library gives a second
opinion.
"""

from __future__ import annotations

import json
import math
import struct
import tracemalloc
from collections.abc import Callable
from typing import Annotated, Any, get_args

import msgpack
import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agents import protocol
from agents.errors import BadMessage
from agents.protocol import (
    INFO_BYTES,
    MESSAGE_BYTES,
    MOVE_LENGTH,
    ClockInfo,
    Failed,
    FromPlayer,
    FromReferee,
    Hello,
    Info,
    Move,
    Over,
    Ready,
    Refuse,
    Report,
    Resign,
    Start,
    Turn,
    Verdict,
    Welcome,
    from_player,
    from_referee,
    line_from_player,
    line_from_referee,
    pack,
    read_line,
    to_line,
    unpack_from_player,
    unpack_from_referee,
)
from db import records
from tests.kit.effort import tries

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
WORD = st.text(st.characters(exclude_categories=["Cs"]), max_size=MOVE_LENGTH)
COUNT = st.integers(0, 2**63 - 1)
NUMBER = st.integers(-(2**63), 2**63 - 1)
FINITE = st.floats(-1e299, 1e299)
EVENTS = st.lists(st.tuples(st.integers(0, 7) | st.sampled_from(["chance", "opening"]), WORD), max_size=5).map(tuple)
LEFT = st.none() | st.lists(COUNT, max_size=4).map(tuple)


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


INFOS = st.builds(
    Info,
    depth=maybe(COUNT),
    score=maybe(FINITE),
    nodes=maybe(COUNT),
    line=maybe(TEXT | st.lists(TEXT, max_size=4).map(tuple)),
    text=maybe(TEXT),
    marks=maybe(
        st.dictionaries(
            st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=protocol.CELL_LENGTH),
            st.sampled_from(get_args(protocol.CellMark)) | st.floats(-1, 1),
            max_size=4,
        )
    ),
)
MEASURED = {"spent": maybe(NUMBER), "cpu": maybe(NUMBER), "delay": maybe(NUMBER)}
PLAYERS = st.one_of(
    st.builds(
        Hello, protocol=NUMBER, token=TEXT, name=TEXT, wants=st.sets(st.sampled_from(["position", "legal"])).map(tuple)
    ),
    st.builds(Ready, game=NUMBER, adsearch=st.sampled_from(["compiled", "interpreted", None])),
    st.builds(Move, game=NUMBER, id=WORD, move=WORD, info=maybe(INFOS), **MEASURED, log=maybe(NUMBER)),
    st.builds(Resign, game=NUMBER, id=WORD, spent=maybe(NUMBER)),
    st.builds(Failed, game=NUMBER, verdict=st.sampled_from(Verdict), detail=TEXT, **MEASURED),
    st.builds(Report, game=NUMBER, cpu=maybe(COUNT), memory=maybe(COUNT), stderr=TEXT),
    st.just(protocol.Bye()),
)
REFEREES = st.one_of(
    st.builds(Welcome, protocol=NUMBER, limits=st.dictionaries(TEXT, NUMBER, max_size=3)),
    st.builds(Refuse, reason=TEXT),
    st.builds(
        Start,
        game=NUMBER,
        rules=TEXT,
        seat=NUMBER,
        seats=st.lists(TEXT, max_size=4).map(tuple),
        clock=st.builds(ClockInfo, text=TEXT, left=LEFT),
        seed=st.integers(0, 2**53 - 1),
        position=TEXT,
    ),
    st.builds(
        Turn,
        game=NUMBER,
        id=WORD,
        ply=NUMBER,
        events=EVENTS,
        left=LEFT,
        budget=maybe(COUNT),
        position=st.just(msgspec.UNSET) | TEXT,
        legal=st.just(msgspec.UNSET) | st.lists(WORD, max_size=4).map(tuple),
        limit=st.just(msgspec.UNSET) | COUNT,
    ),
    st.builds(
        Over,
        game=NUMBER,
        utilities=maybe(st.lists(FINITE, max_size=4).map(tuple)),
        verdict=st.sampled_from(Verdict),
        fault=maybe(st.integers(0, 7)),
        events=EVENTS,
    ),
    st.just(protocol.Bye()),
)
KINDS = {kind.__name__.lower(): kind for kind in (*get_args(FromPlayer), *get_args(FromReferee))}
Decode = Callable[[bytes], Any]
DECODERS: list[Decode] = [unpack_from_player, unpack_from_referee]
LINE_DECODERS: list[Decode] = [line_from_player, line_from_referee]


def read(decode: Callable[[Any], Any], content: Any) -> Any:
    """The message, or None where it was refused: by a BadMessage and nothing else, in one plain line."""
    try:
        message = decode(content)
    except BadMessage as error:
        words = str(error)
        assert 10 < len(words) <= 300
        assert words.isprintable()
        return None
    assert isinstance(message, tuple(KINDS.values()))
    return message


def read_line_both_ways(decode: Decode, line: bytes) -> Any:
    """What `decode` makes of a line: the same as reading all of it first and checking it then, except that what is
    under unknown keys can also be text that is not UTF-8, or a number that no float can hold."""
    check = from_player if decode is line_from_player else from_referee
    message = read(decode, line)
    checked = read(lambda line: check(read_line(line)), line)
    if message is not None and checked is None:
        assert refusal(line, lambda line: check(read_line(line))).startswith("expected a JSON object")
    else:
        assert message == checked
    return message


def refusal(content: Any, reader: Callable[[Any], Any] = from_player) -> str:
    with pytest.raises(BadMessage) as caught:
        reader(content)
    return str(caught.value)


# Round trips.


@settings(max_examples=tries(250))
@given(PLAYERS)
def test_every_message_of_a_player_comes_through_both_encodings(message: FromPlayer) -> None:
    assert unpack_from_player(pack(message)) == message
    assert read_line_both_ways(line_from_player, to_line(message)) == message


@settings(max_examples=tries(250))
@given(REFEREES)
def test_every_message_of_the_referee_comes_through_both_encodings(message: FromReferee) -> None:
    assert unpack_from_referee(pack(message)) == message
    assert read_line_both_ways(line_from_referee, to_line(message)) == message


@settings(max_examples=tries(100))
@given(PLAYERS | REFEREES)
def test_a_message_is_one_line_of_json_and_the_same_map_in_msgpack(message: FromPlayer | FromReferee) -> None:
    line = to_line(message)
    assert line.count(b"\n") == 1
    assert line.endswith(b"}\n")
    assert json.loads(line) == msgpack.unpackb(pack(message))
    assert json.loads(line)["type"] == type(message).__name__.lower()


@pytest.mark.parametrize("kind", KINDS)
def test_every_type_is_in_the_fuzz(kind: str) -> None:
    assert KINDS[kind] in {Hello, Ready, Move, Resign, Failed, Report, protocol.Bye, Welcome, Refuse, Start, Turn, Over}


def test_what_is_not_said_is_not_sent() -> None:
    assert to_line(Move(7, "0a0b0c0d", "e4")) == b'{"type":"move","game":7,"id":"0a0b0c0d","move":"e4"}\n'
    assert to_line(protocol.Bye()) == b'{"type":"bye"}\n'
    turn = Turn(7, "0a0b0c0d", 1, (), None, None)
    assert json.loads(to_line(turn)) == {
        "type": "turn",
        "game": 7,
        "id": "0a0b0c0d",
        "ply": 1,
        "events": [],
        "left": None,
        "budget": None,
    }


def test_keys_that_a_message_does_not_know_are_ignored() -> None:
    assert from_player({"type": "ready", "game": 7, "since": "version 2"}) == Ready(7)


def test_a_form_of_adsearch_is_one_of_two_words() -> None:
    message = {"type": "ready", "game": 7, "adsearch": "compiled"}
    assert from_player(message) == Ready(7, adsearch="compiled")
    assert refusal(message | {"adsearch": "fast"}).startswith("message of type 'ready': Invalid enum value 'fast'")


def test_a_hello_over_stdio_needs_nothing_but_the_version() -> None:
    assert from_player({"type": "hello", "protocol": 1}) == Hello(1, "", "", ("position", "legal"))


@pytest.mark.parametrize("who", [0, 3, "chance", "opening"])
def test_a_ply_is_a_seats_or_nobodys(who: object) -> None:
    over = {"type": "over", "game": 7, "utilities": None, "verdict": "void", "fault": None, "events": [[who, "e4"]]}
    assert from_referee(over).events == ((who, "e4"),)  # type: ignore[union-attr]


# What is refused, in which words.


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "expected a map with a 'type' (in JSON: an object), got None"),
        ([1, 2], "expected a map with a 'type' (in JSON: an object), got [1, 2]"),
        ({}, "expected a 'type', one of hello, ready, move, resign, failed, report, bye, got none"),
        ({"type": "zzz"}, "no message type 'zzz'; there is hello, ready, move, resign, failed, report, bye"),
        ({"type": "mov"}, "no message type 'mov'; did you mean 'move'?"),
        ({"type": ["move"]}, "no message type ['move']; there is hello, ready, move, resign, failed, report, bye"),
        ({"type": "turn"}, "no message type 'turn'; there is hello, ready, move, resign, failed, report, bye"),
        ({"type": "ready"}, "message of type 'ready': Object missing required field 'game'"),
        ({"type": "ready", "game": "7"}, "message of type 'ready': Expected 'int', got 'str' - at '$.game'"),
    ],
)
def test_what_is_no_message_is_refused_in_words(content: object, words: str) -> None:
    assert refusal(content) == words


def test_a_refused_line_is_shown() -> None:
    line = b'{"type": "ready"}'
    missing = "message of type 'ready': Object missing required field 'game'"
    assert refusal(line, line_from_player) == f"{missing} (the line: '{line.decode()}')"


@pytest.mark.parametrize(
    "content",
    [
        {"type": "ready", "game": 7.5},
        {"type": "ready", "game": True},
        {"type": "ready", "game": None},
        {"type": "move", "game": 7, "id": "x", "move": 4},
        {"type": "move", "game": 7, "id": "x", "move": "m" * 65},
        {"type": "move", "game": 7, "id": "x" * 65, "move": "m"},
        {"type": "move", "game": 7, "id": "x", "move": b"e4"},
        {"type": "move", "game": 7, "id": "x", "move": "e4", "info": []},
        {"type": "move", "game": 7, "id": "x", "move": "e4", "info": {"depth": -1}},
        {"type": "move", "game": 7, "id": "x", "move": "e4", "info": {"depth": 2**63}},
        {"type": "move", "game": 7, "id": "x", "move": "e4", "info": {"score": math.nan}},
        {"type": "move", "game": 7, "id": "x", "move": "e4", "info": {"score": math.inf}},
        {"type": "move", "game": 7, "id": "x", "move": "e4", "info": {"line": [1]}},
        {"type": "move", "game": 7, "id": "x", "move": "e4", "info": {"text": "t" * INFO_BYTES}},
        *(
            {"type": "move", "game": 7, "id": "x", "move": "e4", "info": {"marks": marks}}
            for marks in (
                ["e4"],
                "e4",
                {"e4": "great"},
                {"e4": None},
                {"e4": True},
                {"e4": ["good"]},
                {"e4": 1.01},
                {"e4": -2},
                {"e4": math.nan},
                {"": "good"},
                {"e4\n": "good"},
                {"\x1b[2J": "good"},
                {"é4": "good"},
                {"e" * 17: "good"},
                {4: "good"},
                {f"c{number}": "good" for number in range(65)},
            )
        ),
        {"type": "hello", "protocol": 1, "wants": ["everything"]},
        {"type": "hello", "protocol": 1, "name": "n" * 257},
        {"type": "failed", "game": 7, "verdict": "lost", "detail": ""},
        {b"type": "ready", "game": 7},
        {"type": b"ready", "game": 7},
    ],
    ids=str,
)
def test_wrong_shapes_are_refused(content: object) -> None:
    assert read(from_player, content) is None


def test_the_limits_are_kept_to_the_letter() -> None:
    move = {"type": "move", "game": 7, "id": "x", "move": "m" * MOVE_LENGTH}
    room = INFO_BYTES - len(msgspec.json.encode({"text": ""}))
    from_player({**move, "info": {"text": "t" * room}})
    assert "info of at most 16384 bytes" in refusal({**move, "info": {"text": "t" * (room + 1)}})
    exact = pack(Refuse("r" * (MESSAGE_BYTES - len(pack(Refuse("r" * 60_000))) + 60_000)))
    assert len(exact) == MESSAGE_BYTES
    assert isinstance(unpack_from_referee(exact), Refuse)
    assert read(unpack_from_referee, exact + b"\0") is None
    blank = b" " * (MESSAGE_BYTES - len(b'{"type":"bye"}'))
    assert from_player(read_line(b'{"type":"bye"}' + blank)) == protocol.Bye()
    with pytest.raises(BadMessage, match="a line of at most 65536 bytes, got 65537 or more"):
        read_line(b'{"type":"bye"} ' + blank)


def test_sixty_four_cells_can_be_marked_in_words_or_numbers() -> None:
    marks: dict[str, Any] = {f"cell {number}": -1 + number / 32 for number in range(63)}
    marks["c" * protocol.CELL_LENGTH] = "best"
    move = from_player({"type": "move", "game": 7, "id": "x", "move": "e4", "info": {"marks": marks}})
    assert isinstance(move, Move)
    assert move.info == Info(marks=marks)


def test_the_record_takes_the_marks_that_the_protocol_takes() -> None:
    assert msgspec.json.schema(records.Marks) == msgspec.json.schema(
        Annotated[dict[protocol.Cell, protocol.CellMark | protocol.Heat], msgspec.Meta(max_length=protocol.MOST_MARKS)]
    )


def test_nothing_that_a_player_wrote_can_move_a_terminals_cursor() -> None:
    for text in ("\x1b[2J", "\u202eevil", "a\r\nb", "\0"):
        for content in (
            {"type": text},
            {"type": "hello", "protocol": text},
            {"type": "failed", "game": 1, "verdict": text},
            text,
        ):
            assert refusal(content).isprintable()


# A second opinion on msgpack, by another library.


class Pairs(list[tuple[Any, Any]]):
    """A map as it was sent: pairs, in which a key can come twice."""


def agreed(decode: Decode, data: bytes) -> Any:
    """What `decode` makes of `data`, which is what the other library makes of it, without what lies under unknown keys
    (our decoder skips that unread) and with each known key once (our decoder checks all values, and takes the last)."""
    message = read(decode, data)
    if message is not None:
        assert second_opinion(decode, known_part(data, type(message))) == message, data
    elif not has_twins(data):
        assert second_opinion(decode, data) is None, data
    return message


def second_opinion(decode: Decode, data: bytes) -> Any:
    """The message that `data` is; None if it is none."""
    try:
        content = msgpack.unpackb(data, ext_hook=no_extension)
    except (ValueError, RecursionError, TypeError, msgpack.UnpackException):
        return None
    return read(from_player if decode is unpack_from_player else from_referee, content)


def no_extension(code: int, _: bytes) -> Any:
    raise ValueError(f"extension type {code}")


def pairs(data: bytes) -> Any:
    return msgpack.unpackb(data, object_pairs_hook=Pairs, strict_map_key=False, unicode_errors="surrogateescape")


def known_part(data: bytes, kind: type[msgspec.Struct]) -> bytes:
    """`data` without the keys that a message of this kind, its info and its clock do not know."""
    inner_kinds: dict[str, type[msgspec.Struct]] = {"info": Info, "clock": ClockInfo}

    def known(content: Pairs, kind: type[msgspec.Struct]) -> dict[str, Any]:
        names = [*kind.__struct_fields__, *(["type"] if kind.__struct_config__.tag else [])]
        return {key: inner(key, value) for key, value in content if key in names}

    def inner(key: str, value: Any) -> Any:
        if not isinstance(value, Pairs):
            return value
        return known(value, inner_kinds[key]) if key in inner_kinds else dict(value)

    packed: bytes = msgpack.packb(known(pairs(data), kind), unicode_errors="surrogateescape")
    return packed


def has_twins(data: bytes) -> bool:
    """Whether a key comes twice in a map of `data`."""

    def twins(value: Any) -> bool:
        if isinstance(value, Pairs):
            keys = [key for key, _ in value]
            return any(key in keys[:place] for place, key in enumerate(keys)) or any(twins(part) for _, part in value)
        return isinstance(value, list) and any(map(twins, value))

    try:
        return twins(pairs(data))
    except (ValueError, RecursionError, msgpack.UnpackException):
        return False


UNREAD = {
    "an extension": b"\xd4\x05x",
    "a timestamp": b"\xd6\xff\x00\x00\x00\x01",
    "text that is no UTF-8": b"\xa2\xff\xfe",
    "a map with keys that are no text": b"\x82\x01\x02\x91\x03\x04",
    "NaN": b"\xcb" + struct.pack(">d", math.nan),
    "nested 900 times": b"\x91" * 900 + b"\xc0",
}


@pytest.mark.parametrize("name", UNREAD)
def test_what_lies_under_an_unknown_key_is_not_decoded(name: str) -> None:
    later = b"\xa4more" + UNREAD[name]
    assert unpack_from_player(b"\x83\xa4type\xa5ready" + later + b"\xa4game\x07") == Ready(7)
    assert unpack_from_player(b"\x83" + later + b"\xa4game\x07\xa4type\xa5ready") == Ready(7)
    info = b"\xa4info\x82\xa5depth\x04" + later
    move = b"\x85\xa4type\xa4move\xa4game\x07\xa2id\xa1x\xa4move\xa2e4" + info
    assert unpack_from_player(move) == Move(7, "x", "e4", Info(depth=4))


@pytest.mark.parametrize(
    "inside", [b"\xc1", b"\xdd\xff\xff\xff\xff", b"\xc9\xff\xff\xff\xff\x05", b"\x91" * 60_000 + b"\xc0"]
)
def test_under_an_unknown_key_msgpack_must_still_be_whole(inside: bytes) -> None:
    assert read(unpack_from_player, b"\x83\xa4type\xa5ready\xa4game\x07\xa4more" + inside) is None


@pytest.mark.parametrize("field", ["wants", "line", "marks"])
@pytest.mark.parametrize("size", [2**16, 2**27, 2**32 - 1])
def test_an_array_that_promises_much_takes_no_memory(field: str, size: int) -> None:
    array = b"\xdd" + size.to_bytes(4, "big")
    hello = b"\x83\xa4type\xa5hello\xa8protocol\x01\xa5wants" + array
    move = b"\x85\xa4type\xa4move\xa4game\x07\xa2id\xa1x\xa4move\xa2e4\xa4info\x81"
    move += b"\xa4line" + array if field == "line" else b"\xa5marks\xdf" + array[1:]
    tracemalloc.start()
    try:
        assert read(unpack_from_player, hello if field == "wants" else move) is None
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_every_value_of_a_known_key_is_checked_also_if_it_comes_twice() -> None:
    assert read(unpack_from_player, b"\x83\xa4type\xa5ready\xa4game\xa1x\xa4game\x02") is None
    assert read(unpack_from_player, b"\x83\xa4type\xa3zzz\xa4type\xa5ready\xa4game\x02") is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([1, 2], "expected a msgpack map, got 3 bytes b'\\x92\\x01\\x02'"),
        ({}, "expected a 'type', one of hello, ready, move, resign, failed, report, bye, got none"),
        ({"type": "mov"}, "no message type 'mov'; did you mean 'move'?"),
        ({"type": "turn"}, "no message type 'turn'; there is hello, ready, move, resign, failed, report, bye"),
        ({"type": "ready"}, "message of type 'ready': Object missing required field 'game'"),
        ({"type": "ready", "game": "7"}, "message of type 'ready': Expected 'int', got 'str' - at '$.game'"),
    ],
)
def test_msgpack_that_is_no_message_is_refused_in_words(content: object, words: str) -> None:
    assert refusal(msgpack.packb(content), unpack_from_player) == words


# The fuzz.

NESTED = {
    "arrays in msgpack": b"\x91" * 60_000 + b"\xc0",
    "maps in msgpack": b"\x81\xa1a" * 20_000 + b"\xc0",
    "an array that promises 2^32": b"\xdd\xff\xff\xff\xff",
    "a map that promises 2^32": b"\xdf\xff\xff\xff\xff",
    "a text that promises 2^32": b"\xdb\xff\xff\xff\xff",
    "nothing": b"",
    "two messages": pack(Ready(1)) * 2,
    "half a message": pack(Ready(1))[:-1],
    "an extension": msgpack.packb({"type": "ready", "game": msgpack.ExtType(5, b"xx")}),
    "a timestamp": msgpack.packb({"type": "ready", "game": msgpack.Timestamp(1, 2)}),
    "a bare timestamp": msgpack.packb(msgpack.Timestamp(2**40, 2)),
    "an empty extension": b"\xc7\x00\x05",
    "an extension of the timestamp's number": b"\xd4\xff\x00",
    "text that is no UTF-8": b"\x81\xa4type\xa2\xff\xfe",
    "a key that is a number": msgpack.packb({1: 2}),
    "a key that is an array": b"\x81\x91\x01\x02",
    "a key that is bytes": msgpack.packb({b"type": "ready", b"game": 1}),
    "a byte that is never used": b"\xc1",
    "NaN": b"\x82\xa4type\xa5ready\xa4game\xcb" + struct.pack(">d", math.nan),
}
LINES = {
    "arrays": b"[" * 60_000,
    "objects": b'{"a":' * 12_000,
    "arrays that are closed": b"[" * 30_000 + b"]" * 30_000,
    "objects within a message": b'{"type":"ready","game":1,"more":' + b'{"a":' * 9_000 + b"1" + b"}" * 9_001,
    "a huge integer": b'{"type":"ready","game":' + b"9" * 5_000 + b"}",
    "a huge exponent": b'{"type":"ready","game":1e999}',
    "NaN": b'{"type":"ready","game":NaN}',
    "a lone surrogate": b'{"type":"ready","game":"\\ud800"}',
    "a lone surrogate as the type": b'{"type":"\\udfff"}',
    "a byte-order mark": b'\xef\xbb\xbf{"type":"bye"}',
    "UTF-16": '{"type":"bye"}'.encode("utf-16"),
    "no UTF-8": b'{"type":"\xff\xfe"}',
    "two messages": b'{"type":"bye"}{"type":"bye"}',
    "a line break within": b'{"type":"by\ne"}',
    "nothing": b"",
    "a trailing comma": b'{"type":"bye",}',
    "a zero byte": b'{"type":"bye"}\0',
}


@pytest.mark.parametrize("name", NESTED)
def test_a_known_attack_in_msgpack_is_one_bad_message(name: str) -> None:
    for decode in DECODERS:
        assert agreed(decode, NESTED[name]) is None


@pytest.mark.parametrize("name", LINES)
def test_a_known_attack_in_json_is_one_bad_message(name: str) -> None:
    for decode in LINE_DECODERS:
        assert read_line_both_ways(decode, LINES[name]) is None


@pytest.mark.parametrize("content", [b'"\xff"', b"1e999", b'{"a":["\xff"]}'])
def test_what_is_under_an_unknown_key_of_a_line_is_skipped_unread(content: bytes) -> None:
    line = b'{"type":"ready","game":1,"more":' + content + b"}"
    assert read_line_both_ways(line_from_player, line) == Ready(1)
    assert read_line_both_ways(line_from_player, line.replace(b"more", b"game")) is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"type":"ready","game":"x","game":1}', Ready(1)),
        (b'{"type":"ready","game":1,"type":"bye"}', protocol.Bye()),
        (b'{"type":"bye","type":"ready","game":1}', Ready(1)),
    ],
)
def test_of_a_key_that_comes_twice_with_another_type_the_last_counts_too(line: bytes, message: FromPlayer) -> None:
    assert read_line_both_ways(line_from_player, line) == message


def test_of_a_key_that_comes_twice_the_last_counts_in_both_encodings() -> None:
    assert from_player(read_line(b'{"type":"ready","game":1,"game":2}')) == Ready(2)
    assert unpack_from_player(b"\x83\xa4type\xa5ready\xa4game\x01\xa4game\x02") == Ready(2)


@settings(max_examples=tries(400))
@given(st.binary(max_size=80))
def test_random_bytes_are_a_message_or_one_bad_message(data: bytes) -> None:
    for decode in DECODERS:
        agreed(decode, data)
    for decode in LINE_DECODERS:
        read_line_both_ways(decode, data)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    NUMBER,
    st.floats(),
    TEXT,
    st.binary(max_size=20),
    st.sampled_from([*KINDS, *(verdict.value for verdict in Verdict), "position", "legal"]),
    st.builds(msgpack.ExtType, st.integers(0, 127), st.binary(max_size=6)),
    st.builds(msgpack.Timestamp, st.integers(-(2**62), 2**62), st.integers(0, 999_999_999)),
)
KEYS = st.sampled_from(
    ["type", "game", "id", "move", "info", "verdict", "wants", "events", "protocol", "detail", "depth"]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(KEYS | TEXT | st.binary(max_size=4) | NUMBER, inner, max_size=4)
    ),
    max_leaves=12,
)
MAPS = st.dictionaries(KEYS, VALUES, max_size=8)


@pytest.mark.costly
@settings(max_examples=tries(400))
@given(VALUES | MAPS, st.none() | st.sampled_from(sorted(KINDS)))
def test_any_value_is_a_message_or_one_bad_message(value: Any, kind: str | None) -> None:
    if kind is not None and isinstance(value, dict):
        value["type"] = kind
    for reader in (from_player, from_referee):
        read(reader, value)
    for decode in DECODERS:
        agreed(decode, msgpack.packb(value))


@pytest.mark.costly
@settings(max_examples=tries(400))
@given(PLAYERS | REFEREES, st.data())
@example(Ready(1), None)
def test_a_message_with_a_part_exchanged_is_a_message_or_one_bad_message(
    message: FromPlayer | FromReferee, data: st.DataObject | None
) -> None:
    content: dict[str, Any] = msgspec.to_builtins(message)
    if data is not None:
        key = data.draw(st.sampled_from(sorted(content)))
        if data.draw(st.booleans()):
            content[key] = data.draw(VALUES)
        else:
            del content[key]
    for decode in DECODERS:
        agreed(decode, msgpack.packb(content))


@pytest.mark.costly
@settings(max_examples=tries(400))
@given(PLAYERS | REFEREES, st.data())
def test_a_message_with_bytes_changed_is_a_message_or_one_bad_message(
    message: FromPlayer | FromReferee, data: st.DataObject
) -> None:
    for encode, decoders in ((pack, DECODERS), (to_line, LINE_DECODERS)):
        changed = bytearray(encode(message))
        for _ in range(data.draw(st.integers(1, 3))):
            changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
        cut = data.draw(st.integers(0, len(changed)) | st.just(len(changed)))
        for decode in decoders:
            (agreed if encode is pack else read_line_both_ways)(decode, bytes(changed[:cut]))


def test_of_a_list_of_moves_that_is_too_long_every_second_or_third_one_is_sent() -> None:
    assert protocol.shortened(["a1", "b2"]) == ("a1", "b2")
    for count in (3_000, 6_000, 20_000):
        moves = [f"8D-HELLO{number:06}" for number in range(count)]
        sent = protocol.shortened(moves)
        step = moves.index(sent[1])
        assert list(sent) == moves[::step]
        assert len(json.dumps(sent, separators=(",", ":"))) <= protocol.LEGAL_BYTES + 2
        assert step == 1 or len(json.dumps(moves[:: step - 1], separators=(",", ":"))) > protocol.LEGAL_BYTES
