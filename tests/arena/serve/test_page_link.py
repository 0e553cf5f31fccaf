"""The link between director and page server: whatever one end does, the other neither fails nor waits."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import msgspec
import pytest

from arena.play.helper import Lines, TooLong
from arena.serve.page_link import (
    LONGEST,
    Complaint,
    DropGame,
    GameRecorded,
    GotHint,
    Seat,
    TakeBack,
    WantGame,
    from_pages,
    to_pages,
)

KEY = "k" * 22


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


@pytest.mark.parametrize(
    "message",
    [
        Complaint("a page\ncannot be drawn"),
        WantGame(KEY, "", "random", 1, "300+5"),
        *(TakeBack(KEY), GotHint(KEY), DropGame(KEY)),
    ],
)
def test_what_the_page_server_sends_arrives_as_it_is(
    ends: tuple[socket.socket, socket.socket], message: msgspec.Struct
) -> None:
    ours, theirs = ends
    assert Lines(theirs).send(message)
    (line,) = Lines(ours).received()
    assert from_pages(line) == message


def test_what_the_director_sends_arrives_as_it_is(ends: tuple[socket.socket, socket.socket]) -> None:
    sent = [Seat(KEY, "ipc:///tmp/x", "token", 0), GameRecorded(KEY, 7, "normal", None, (0.0, None), "")]
    ours, theirs = map(Lines, ends)
    for message in sent:
        assert ours.send(message)
    assert [to_pages(line) for line in theirs.received()] == sent


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[" * 10_000,
        b"\xff\xfe",
        b"null",
        b'{"type":"seat","key":"kkkkkkkkkkkkkkkkkkkkkk","address":"","token":"","moves":0}',
        b'{"type":"wantgame","key":"short","game":"","opponent":"","seat":0,"clock":""}',
        b'{"type":"wantgame","key":"kkkkkkkkkkkkkkkkkkkkkk","game":"","opponent":"","seat":64,"clock":""}',
        msgspec.json.encode(WantGame(KEY, "x" * 1001, "", 0, "")),
    ],
)
def test_what_is_not_a_message_is_a_complaint(line: bytes) -> None:
    message = from_pages(line)
    assert isinstance(message, Complaint)
    assert message.text.startswith("a message that the director cannot read: ")


def test_a_line_comes_in_parts_and_one_without_an_end_is_refused(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = Lines(ends[0], longest=LONGEST), ends[1]
    assert ours.received() == ()
    theirs.sendall(b"one\ntw")
    assert ours.received() == [b"one"]
    theirs.sendall(b"o\n")
    assert ours.received() == [b"two"]
    theirs.sendall(b"x" * (LONGEST + 1))
    with pytest.raises(TooLong):
        _read(ours, times=3)


def _read(lines: Lines, *, times: int) -> None:
    for _ in range(times):
        lines.received()


def test_an_end_that_does_not_read_or_is_gone_is_noticed_without_waiting(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    ours, theirs = Lines(ends[0]), Lines(ends[1])
    while ours.send(Complaint("x" * 10_000)):
        pass
    ends[0].close()
    while not theirs.has_ended:
        theirs.received()
    assert not theirs.send(Complaint("x"))
