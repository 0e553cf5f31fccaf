"""The link between director and page server: whatever one end does, the other neither fails nor waits."""

from __future__ import annotations

import fcntl
import socket
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from arena.errors import TournamentBusy
from arena.play.helper import Lines, TooLong
from arena.serve.messages import (
    LONGEST,
    Complaint,
    DropGame,
    GameRecorded,
    GotHint,
    Nudges,
    Seat,
    TakeBack,
    WantGame,
    from_pages,
    nudge,
    to_pages,
)
from arena.tournament.lock import running_in, tournament_lock
from arena.walls.run_folder import RunFolder

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


# Where a tournament runs, and nudges for it.


def test_a_tournament_is_found_while_it_runs(tmp_path: Path) -> None:
    assert running_in(tmp_path, "cs101") is None
    with tournament_lock(tmp_path, "cs101") as lock:
        assert running_in(tmp_path, "cs101") is None, "it has no run folder yet"
        lock.note(Path("/run/of/cs101"))
        assert running_in(tmp_path, "cs101") == Path("/run/of/cs101")
        assert running_in(tmp_path, "cs102") is None
    assert running_in(tmp_path, "cs101") is None
    with tournament_lock(tmp_path, "cs101") as lock:
        assert running_in(tmp_path, "cs101") is None, "the path of the process before it is gone"
        lock.note(Path("/run/2"))
        assert running_in(tmp_path, "cs101") == Path("/run/2")


def test_a_tournament_that_another_account_runs_is_not_running_for_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    with tournament_lock(tmp_path, "cs101") as lock:
        lock.note(Path("/run/of/cs101"))
        monkeypatch.setattr("os.open", refuse)  # not a file of mode 0: root can read that
        assert running_in(tmp_path, "cs101") is None
        assert not nudge(tmp_path, "cs101")


def test_a_command_that_looks_for_a_tournament_does_not_keep_it_from_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tournament_lock(tmp_path, "cs101"):
        pass
    reader = next(tmp_path.iterdir()).open()
    fcntl.flock(reader, fcntl.LOCK_SH)
    monkeypatch.setattr("time.sleep", lambda _: reader.close())
    with tournament_lock(tmp_path, "cs101"):
        assert reader.closed


def test_nudges_arrive_and_lost_ones_are_no_error(tmp_path: Path) -> None:
    assert not nudge(tmp_path, "cs101"), "nobody runs it"
    with RunFolder() as folder, tournament_lock(tmp_path, "cs101") as lock:
        lock.note(folder.path)
        assert nudge(tmp_path, "cs101"), "it runs, and will look soon"
        nudges = Nudges(folder.path)
        assert not nudges.read()
        for _ in range(1000):  # more than the socket can hold
            assert nudge(tmp_path, "cs101")
        assert nudges.read()
        assert not nudges.read()
        nudges.close()
        assert nudge(tmp_path, "cs101")
        with pytest.raises(TournamentBusy), tournament_lock(tmp_path, "cs101"):
            pass
        assert running_in(tmp_path, "cs101") == folder.path
