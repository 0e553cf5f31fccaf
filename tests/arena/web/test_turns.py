"""One client that asks for everything does not take the threads of the page server from others, nor keep the log."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from threading import Event
from time import monotonic

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from starlette.types import Receive, Scope, Send

from arena.web import asking, turns
from arena.web.headers import Guard
from arena.web.turns import Busy, Turns
from tests.kit.effort import PATIENCE


@contextmanager
def _threads(log: Path | None = None) -> Iterator[Turns]:
    made = Turns(1, log)
    try:
        yield made
    finally:
        made.shutdown()


def _submit(threads: Turns, client: str, work: Callable[[], object]) -> Future[object]:
    """As in a request of that client."""

    def submit() -> Future[object]:
        asking.client.set(client)
        return threads.submit(work)

    return copy_context().run(submit)


def test_a_client_that_asks_for_too_much_is_refused_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_MOST_OF_ONE", 3)
    monkeypatch.setattr(turns, "_MOST", 5)
    goes_on = Event()
    with _threads() as threads:
        asked = [_submit(threads, "greedy", goes_on.wait) for _ in range(3)]
        with pytest.raises(Busy):
            _submit(threads, "greedy", goes_on.wait)
        asked += [_submit(threads, "other", goes_on.wait), _submit(threads, "", goes_on.wait)]
        with pytest.raises(Busy):
            _submit(threads, "third", goes_on.wait)
        goes_on.set()
        assert all(each.result(PATIENCE) for each in asked)
        _submit(threads, "greedy", lambda: None).result(PATIENCE)


def test_no_thread_reads_the_fields_of_a_record_for_the_first_time() -> None:
    """In a new process: in this one many records have been read before."""
    source = """if True:
        import msgspec
        from arena.serve.ladder import Ladder
        from arena.serve.submissions import SubmissionDocument
        from arena.web import server, turns
        turns.Turns(1)
        def fields(_):
            raise SystemError("too late")
        msgspec._utils.get_class_annotations = fields
        msgspec._utils.get_dataclass_info = fields
        for kind in (Ladder, SubmissionDocument):
            try:
                msgspec.convert({}, kind)
            except msgspec.ValidationError as error:
                print(error)
    """
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Object missing required field") == 2


def test_clients_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    goes_on = Event()
    with _threads() as threads:
        first = _submit(threads, "greedy", goes_on.wait)
        asked = [_submit(threads, "greedy", lambda: done.append("greedy")) for _ in range(3)]
        asked += [_submit(threads, other, lambda other=other: done.append(other)) for other in ("ann", "bob")]  # type: ignore[misc]
        goes_on.set()
        for each in (first, *asked):
            each.result(PATIENCE)
    assert done == ["greedy", "ann", "bob", "greedy", "greedy"]


def test_work_that_fails_or_is_given_up_is_not_counted_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_MOST_OF_ONE", 3)
    goes_on = Event()
    with _threads() as threads:
        for _ in range(5):
            failing = _submit(threads, "one", lambda: 1 // 0)
            assert isinstance(failing.exception(PATIENCE), ZeroDivisionError)
        running = _submit(threads, "one", goes_on.wait)
        for _ in range(5):
            assert _submit(threads, "one", goes_on.wait).cancel()
        goes_on.set()
        assert running.result(PATIENCE)


def test_readers_make_a_gap_when_the_log_grows_and_not_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "_LARGE_LOG", 10)
    monkeypatch.setattr(turns, "_LOOK_EVERY", 0.0)
    log = tmp_path / "log"
    with _threads(log) as threads:

        def starts() -> float:
            asked = monotonic()
            return threads.submit(monotonic).result(PATIENCE) - asked

        monkeypatch.setattr(turns, "_STILL", PATIENCE)
        starts()  # there is no log
        log.write_bytes(b"x" * 10)
        starts()
        monkeypatch.setattr(turns, "_STILL", 0.1)
        log.write_bytes(b"x" * 11)
        assert starts() >= 0.1
        monkeypatch.setattr(turns, "_STILL", PATIENCE)
        assert starts() < PATIENCE


async def _of(peer: str, forwarded: str) -> str:
    found = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        found.append(asking.client.get())

    headers = [(b"host", b"localhost"), (b"x-forwarded-for", forwarded.encode())]
    scope = {"type": "http", "method": "GET", "client": (peer, 1), "headers": headers, "raw_path": b"/", "path": "/"}
    await Guard(app)(scope, None, None)  # type: ignore[arg-type]
    return found[0]


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
        ("127.0.0.1", "forged, 198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "2001:db8::7:1", "2001:db8::/64"),
        ("127.0.0.1", "unknown", "unknown"),
        ("127.0.0.1", "", ""),
        ("2001:db8::7:1", "", "2001:db8::/64"),
    ],
)
def test_a_visitor_is_who_the_proxy_on_this_machine_names(peer: str, forwarded: str, client: str) -> None:
    assert asyncio.run(_of(peer, forwarded)) == client
