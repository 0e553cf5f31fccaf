"""Frontiers: the nodes that a path search has found and not yet expanded.

A stack makes it depth-first, a queue breadth-first, a priority queue uniform-cost search or A*.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from typing import Generic, TypeVar

T = TypeVar("T")


class Frontier(ABC, Generic[T]):
    """Nodes that wait. Iterating gives them in the order in which they leave."""

    @abstractmethod
    def add(self, nodes: Iterable[T]) -> None:
        """Add these nodes, the children of one node."""

    @abstractmethod
    def take(self) -> T:
        """Remove the next node and return it."""

    @abstractmethod
    def __iter__(self) -> Iterator[T]: ...

    @abstractmethod
    def __len__(self) -> int: ...


class Queue(Frontier[T]):
    """First in, first out."""

    def __init__(self) -> None:
        self._nodes: deque[T] = deque()

    def add(self, nodes: Iterable[T]) -> None:
        self._nodes.extend(nodes)

    def take(self) -> T:
        return self._nodes.popleft()

    def __iter__(self) -> Iterator[T]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


class Stack(Frontier[T]):
    """Last in, first out. The first of several children leaves first, so the search goes down on the left."""

    def __init__(self) -> None:
        self._nodes: list[T] = []

    def add(self, nodes: Iterable[T]) -> None:
        self._nodes.extend(reversed([*nodes]))

    def take(self) -> T:
        return self._nodes.pop()

    def __iter__(self) -> Iterator[T]:
        return reversed(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


class PriorityQueue(Frontier[T]):
    """The node with the smallest priority leaves first; of several, the one that was added first."""

    def __init__(self, priority: Callable[[T], float]) -> None:
        self._priority = priority
        self._heap: list[tuple[float, int, T]] = []
        self._added = 0

    def add(self, nodes: Iterable[T]) -> None:
        for node in nodes:
            heappush(self._heap, (self._priority(node), self._added, node))
            self._added += 1

    def take(self) -> T:
        return heappop(self._heap)[-1]

    def __iter__(self) -> Iterator[T]:
        return (node for _, _, node in sorted(self._heap, key=lambda entry: entry[:2]))

    def __len__(self) -> int:
        return len(self._heap)
