"""Pools: groups of players that games connect, so that their ratings can be compared.

Pools are in a fixed order, the largest first; each is in alphabetical order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

Pools = tuple[tuple[str, ...], ...]


def connected(names: Collection[str], met: Iterable[tuple[str, str]]) -> Pools:
    """The connected components of the graph of who met whom."""
    leader = {name: name for name in names}

    def lead(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    apart = len(leader)
    for one, other in met:
        if apart == 1:
            break  # all are connected: the other meetings change nothing
        if (first := lead(one)) != (second := lead(other)):
            leader[first] = second
            apart -= 1
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(lead(name), []).append(name)
    return _in_order(groups.values())


def strongly_connected(names: Collection[str], scored: Iterable[tuple[str, str]]) -> Pools:
    """The strongly connected components of the graph of who scored against whom (Tarjan's algorithm)."""
    against: dict[str, list[str]] = {name: [] for name in names}
    for one, other in scored:
        against[one].append(other)
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    on_path: set[str] = set()
    groups: list[list[str]] = []
    for root in names:
        if root in number:
            continue
        visits = [(root, iter(against[root]))]
        number[root] = lowest[root] = len(number)
        path.append(root)
        on_path.add(root)
        while visits:
            name, left = visits[-1]
            for other in left:
                if other not in number:
                    number[other] = lowest[other] = len(number)
                    path.append(other)
                    on_path.add(other)
                    visits.append((other, iter(against[other])))
                    break
                if other in on_path:
                    lowest[name] = min(lowest[name], number[other])
            else:
                visits.pop()
                if visits:
                    above = visits[-1][0]
                    lowest[above] = min(lowest[above], lowest[name])
                if lowest[name] == number[name]:
                    at = path.index(name)
                    groups.append(path[at:])
                    on_path.difference_update(path[at:])
                    del path[at:]
    return _in_order(groups)


def _in_order(groups: Iterable[Collection[str]]) -> Pools:
    return tuple(sorted((tuple(sorted(group)) for group in groups), key=lambda group: (-len(group), group)))
