"""Game hosts without processes: they stand in the place of a Dask cluster, and answer as a test says."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from arena.hosts.home import HostAnswer, Present
from arena.hosts.messages import Host, received, sent


def host(name: str = "far", games: int = 1, **more: Any) -> Host:
    """What a host says about itself."""
    return Host(name, games, **({"speed": 100.0} | more))


class Hosts:
    """In place of a `Cluster`."""

    address = "tcp://nowhere:1"

    def __init__(
        self,
        kind: type[Struct],
        answers: Callable[[Any, str, Any], list[Any]],
        joins: Callable[[bytes], None],
        **names: Host,
    ) -> None:
        """`kind`: of the messages with work; `answers` gives what happens when a host gets one; `joins` looks at the
        message that asks a host whether it works for the run."""
        self.bell, self._rope = socket.socketpair()
        self.bell.setblocking(False)
        self._kind = kind
        self._answers = answers
        self._joins = joins
        self.says = names
        self.there = dict(names)
        self.happening: list[Any] = [Present({name: name for name in names})]
        self.asked: list[tuple[str, Any]] = []
        self.recalled: list[str] = []
        self._rope.send(b"!")

    def call(self, host: str, task: Any, key: str, data: bytes) -> None:
        """A task is to be run."""
        self._rope.send(b"!")
        if task.__name__.startswith("join"):
            self._joins(data)
            self.happening.append(HostAnswer(key, sent(self.says[host])))
        elif task.__name__ == "recall":
            self.recalled.append(host)
        else:
            asked: Any = received(data, self._kind)
            assert asked.key == key
            self.asked.append((host, asked))
            self.happening += self._answers(self, host, asked)

    def forget(self, key: str) -> None:
        """The answer is not needed."""

    def happened(self) -> Iterator[Any]:
        """What has happened."""
        self.bell.recv(4096)
        happening, self.happening = self.happening, []
        yield from happening

    def gone(self, host: str) -> Present:
        """The scheduler no longer knows the host."""
        del self.there[host]
        return Present({name: name for name in self.there})

    def close(self) -> None:
        """The end."""
        self.bell.close()
        self._rope.close()
