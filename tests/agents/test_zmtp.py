"""The connection of a player, with a socket of ZeroMQ's own library at the other end."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import repeat
from pathlib import Path

import pytest
import zmq

from agents.errors import AgentsError
from agents.zmtp import Closed, ZmtpConnection

PATIENCE = 20.0


@pytest.fixture
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"ipc://{tmp_path_factory.mktemp('z')}/s"


@pytest.fixture
def router(address: str) -> Iterator[zmq.Socket[bytes]]:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    router = context.socket(zmq.ROUTER)
    router.rcvtimeo = int(PATIENCE * 1000)
    router.bind(address)
    yield router
    context.destroy(0)


@pytest.mark.parametrize("size", [0, 1, 2, 255, 256, 257, 65_535, 65_536, 1_000_000])
def test_messages_of_every_size_come_through_in_both_directions(
    size: int, router: zmq.Socket[bytes], address: str
) -> None:
    connection = ZmtpConnection(address, PATIENCE)
    data = bytes(number % 251 for number in range(size))
    connection.send(data)
    route, arrived = router.recv_multipart()
    assert arrived == data
    router.send_multipart([route, data])
    assert connection.receive() == data
    connection.close()


def test_many_messages_come_in_order_and_the_last_ones_after_the_end(router: zmq.Socket[bytes], address: str) -> None:
    connection = ZmtpConnection(address, PATIENCE)
    for number in range(500):
        connection.send(b"%d" % number * (number % 300))
    connection.close()
    for number in range(500):
        assert router.recv_multipart()[1] == b"%d" % number * (number % 300)


def test_all_that_the_other_end_sent_is_read_before_its_end_is_noticed(router: zmq.Socket[bytes], address: str) -> None:
    connection = ZmtpConnection(address, PATIENCE)
    connection.send(b"first")
    route = router.recv_multipart()[0]
    for number in range(50):
        router.send_multipart([route, b"%d" % number])
    router.close(linger=1000)
    assert [connection.receive() for _ in range(50)] == [b"%d" % number for number in range(50)]
    with pytest.raises(Closed, match="has closed it"):
        connection.receive()
    connection.close()


def test_a_message_to_an_end_that_is_gone_is_not_sent(router: zmq.Socket[bytes], address: str) -> None:
    connection = ZmtpConnection(address, PATIENCE)
    router.close(0)
    with pytest.raises(Closed):
        deque(map(connection.send, repeat(b"x")))
    connection.close()


def test_each_connection_has_a_route_that_the_router_chose(router: zmq.Socket[bytes], address: str) -> None:
    connections = [ZmtpConnection(address, PATIENCE) for _ in range(3)]
    for connection in connections:
        connection.send(b"x")
    routes = {router.recv_multipart()[0] for _ in connections}
    assert len(routes) == 3
    assert all(route.startswith(b"\0") for route in routes)
    for connection in connections:
        connection.close()


def test_a_silent_server_is_noticed_after_the_timeout(router: zmq.Socket[bytes], address: str) -> None:
    connection = ZmtpConnection(address, 0.05)
    with pytest.raises(TimeoutError):
        connection.receive()
    connection.close()


GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"NULL".ljust(20, b"\0") + bytes(32)


@pytest.mark.parametrize(
    ("sent", "timeout", "words"),
    [
        (b"", 0.05, "timed out"),
        (GREETING[:63], 0.05, "timed out"),
        (GREETING, 0.05, "timed out"),
        (GREETING + b"\x04\x06\x05REA", 0.05, "timed out"),
        (GREETING + b"\x04\x06\x05ERROR", PATIENCE, "it does not speak ZeroMQ"),
        (b"x" * 300, PATIENCE, "it does not speak ZeroMQ"),
    ],
)
def test_a_server_that_does_not_begin_like_zeromq_is_refused(
    sent: bytes, timeout: float, words: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("z") / "s"
    with socket.socket(socket.AF_UNIX) as server, ThreadPoolExecutor() as pool:
        server.bind(str(path))
        server.listen()
        refused = pool.submit(ZmtpConnection, f"ipc://{path}", timeout)
        with server.accept()[0] as accepted:
            with suppress(BrokenPipeError):  # it may have timed out already
                accepted.sendall(sent)
            with pytest.raises(AgentsError, match=rf"expected the referee's address, got .* \({words}\)"):
                refused.result()


@pytest.mark.parametrize(
    "address", ["", "nowhere", "tcp://127.0.0.1:1", "ipc://", "ipc:///nowhere/x", "ipc://" + "x" * 200]
)
def test_an_address_where_nobody_listens_is_refused(address: str, tmp_path: Path) -> None:
    with pytest.raises(AgentsError, match="expected the referee's address, got"):
        ZmtpConnection(address, PATIENCE)


def test_it_loads_nothing_of_zeromq() -> None:
    source = Path(__file__).parents[2] / "agents"
    assert not [file.name for file in source.glob("*.py") if "import zmq" in file.read_text()]
