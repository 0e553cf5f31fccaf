"""Visitors of the web pages, for `benchmarks/web.py`: many at once, one after the other, and viewers of a live game.

They are in a process of their own and speak HTTP themselves, so that the benchmark costs the machine little.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import socket
import time
import zlib
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import ExitStack, closing
from itertools import accumulate, count
from threading import Barrier, Thread
from typing import Any, Final

_HEAD: Final = "GET {} HTTP/1.1\r\nhost: {}\r\naccept-encoding: gzip\r\n\r\n"
_AT_ONCE: Final = 65536
_DATA: Final = b"data: "


class Visitor:
    """A connection to the pages at `address`, such as http://127.0.0.1:8000."""

    def __init__(self, address: str) -> None:
        self._host = address.removeprefix("http://")
        name, _, port = self._host.rpartition(":")
        self.socket = socket.create_connection((name, int(port)))

    def ask(self, path: str) -> None:
        """Sends a request."""
        self.socket.sendall(_HEAD.format(path, self._host).encode())

    def get(self, path: str) -> float:
        """The seconds until the whole answer is there. RuntimeError if it is not a page."""
        began = time.perf_counter()
        self.ask(path)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more(path)
        head, _, body = received.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(f"{path}: {head.decode()}")
        length = int(re.search(rb"content-length: (\d+)", head)[1])  # type: ignore[index]
        missing = length - len(body)
        while missing > 0:
            missing -= len(self._more(path))
        return time.perf_counter() - began

    def _more(self, path: str) -> bytes:
        received = self.socket.recv(_AT_ONCE)
        if not received:
            raise RuntimeError(f"{path}: the server has closed the connection")
        return received

    def close(self) -> None:
        """Closes the connection."""
        self.socket.close()


def at_once(address: str, paths: Sequence[str]) -> list[float]:
    """The seconds that each of these visitors waits who come at the same moment, each for its page."""
    took = [0.0] * len(paths)
    start = Barrier(len(paths))

    def visit(place: int) -> None:
        with closing(Visitor(address)) as visitor:
            start.wait()
            took[place] = visitor.get(paths[place])

    visits = [Thread(target=visit, args=(place,)) for place in range(len(paths))]
    for each in visits:
        each.start()
    for each in visits:
        each.join()
    if not all(took):
        raise RuntimeError(f"an answer to {paths[took.index(0.0)]} is missing")
    return took


def one_by_one(address: str, paths: Sequence[str]) -> list[float]:
    """The seconds that one visitor waits for each of these pages."""
    with closing(Visitor(address)) as visitor:
        return [visitor.get(path) for path in paths]


def watch(link: Any, address: str, path: str, viewers: int) -> None:
    """Follows this stream with that number of viewers until `link` says that the game is over.

    Sends True when all are connected; at the end, for each ply that all have been shown, the time (time.monotonic) at
    which the last viewer had it."""
    os.nice(19)  # real viewers have computers of their own
    with ExitStack() as stack:
        selector = stack.enter_context(selectors.EpollSelector())
        received = list[list[tuple[float, bytes]]]()
        for _ in range(viewers):
            visitor = stack.enter_context(closing(Visitor(address)))
            visitor.ask(path)
            received.append([])
            selector.register(visitor.socket, selectors.EVENT_READ, received[-1])
        selector.register(link, selectors.EVENT_READ)
        is_ready = False
        while True:
            for key, _ in selector.select():
                if not isinstance(key.fileobj, socket.socket):
                    link.recv()
                    link.send(_shown_to_all(received))
                    return
                key.data.append((time.monotonic(), key.fileobj.recv(_AT_ONCE)))
            if not is_ready and all(received):
                is_ready = True
                link.send(True)


def _shown_to_all(received: Sequence[Sequence[tuple[float, bytes]]]) -> dict[int, float]:
    """By ply: when the last viewer had it, or a later one; without those that came before a viewer's first event."""
    each = [_shown(parts) for parts in received]
    if not all(each):
        return {}
    found = dict[int, float]()
    for ply in count(max(min(shown) for shown in each)):
        later = [[at for last, at in shown.items() if last >= ply] for shown in each]
        if not all(later):
            return found
        found[ply] = max(min(times) for times in later)
    raise AssertionError


def _shown(parts: Sequence[tuple[float, bytes]]) -> dict[int, float]:
    """When each ply was the last one on the page for the first time."""
    received = b"".join(part for _, part in parts)
    ends = [*accumulate(len(part) for _, part in parts)]
    unzipping, found, last = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS), dict[int, float](), ""
    at = received.index(b"\r\n\r\n") + 4
    while (end := received.find(b"\r\n", at)) >= 0:  # the length of a chunk, and the chunk
        begin = end + 2
        at = begin + int(received[at:end], 16) + 2
        if at > len(received):
            break
        came = parts[bisect_left(ends, at)][0]
        for line in unzipping.decompress(received[begin : at - 2]).splitlines():
            data = json.loads(line[len(_DATA) :])["data"] if line.startswith(_DATA) else None
            if isinstance(data, dict) and (sent := data.get("last")) is not None:
                last = sent if isinstance(sent, str) else "".join(_piece(last, one) for one in sent)
                if (ply := last.partition(".")[0]).isdecimal():
                    found.setdefault(int(ply), came)
    return found


def _piece(before: str, piece: str | list[int]) -> str:
    """A piece of a part: a new text, or the place of what stays of the text before."""
    return piece if isinstance(piece, str) else before[slice(*piece)]
