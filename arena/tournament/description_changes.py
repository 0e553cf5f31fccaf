"""The differences between a tournament as it was started and its description now.

Some changes are allowed when a tournament resumes: added agents and rounds only add pairings, and a few settings affect
no result. Any other change is refused, with a message. The agents' sources are not compared here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from adsearch.errors import one_of, quote
from arena.errors import BadLeague
from arena.match.clock import SECOND
from arena.tournament import formats

_DRAWN: Final = ("seed", "seats_key")
"""Keys whose values are drawn if the description does not give them."""
CHANGEABLE: Final = ("games_at_once", "host_tolerance", "keep_engines", "public", "quarantine", "walls")
"""Keys that can change between runs: they do not affect how a game is played or counted."""
_OWN_TIME: Final = ("clock", "margin")
"""Keys of an agent that affect its games; earlier versions did not have them."""
_TIMES: Final = ("margin", "hello", "ready", "move", "start")


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes, as texts such as "clock: 10+0.1 -> 5"."""

    refused: tuple[str, ...] = ()
    """Changes that are not possible in the same tournament."""
    allowed: tuple[str, ...] = ()
    """Changes that do not affect the games that were played."""
    added: tuple[str, ...] = ()
    """The names of the added agents."""


def refuse(tournament: str, refused: Sequence[str]) -> None:
    """Raises BadLeague if any change is refused."""
    if refused:
        raise BadLeague(
            f"tournament {tournament!r} was started with another description ({'; '.join(refused)}). You can add "
            "agents, rounds and submissions; after any other change, give the tournament another name"
        )


def settings_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the tournament in that row, with the seed and the seats' key that were drawn for it."""
    settings: dict[str, Any] = row["settings"]
    return settings | {key: row[key] and int(row[key]) for key in _DRAWN}


def changes(old: Mapping[str, Any], now: Mapping[str, Any]) -> Changes:
    """The changes from the settings that the tournament was started with, `old`, to those `now`.

    A seed or a seats' key that is not given stays as it was. Keys that `old` does not have are not compared, except
    those of the format: a test must not be added once there are results, because its limits could be chosen to fit
    them."""
    format = formats.recorded(now["format"], now)
    refused: list[str] = []
    allowed: list[str] = []
    for key, before, after in _differences((format.defaults() if format else {}) | dict(old), now):
        if key in ("name", "agents") or (key in _DRAWN and after is None):
            continue
        more = key == "rounds" and after > before
        change = f"{key}: {_words(key, before)} -> {_words(key, after)}"
        (allowed if more or key in CHANGEABLE else refused).append(change)
    known = {agent["name"]: agent for agent in old.get("agents", now["agents"])}
    listed = {agent["name"]: agent for agent in now["agents"]}
    added = tuple(name for name in listed if name not in known)
    if gone := [quote(name) for name in known if name not in listed]:
        refused.append(
            f"agents: no longer listed: {one_of(gone, most=8)} (list them again; to take one out, use "
            "`arena rule withdraw`)"
        )
    if added:
        words = f"agents: added: {one_of([quote(name) for name in added], most=8)}"
        if format and format.closed:
            refused.append(f"{words} ({format.closed})")
        else:
            allowed.append(words)
    for name in listed.keys() & known.keys():
        for key, before, after in _differences(dict.fromkeys(_OWN_TIME) | known[name], listed[name]):
            change = f"agent {quote(name)}: {key}: {_words(key, before)} -> {_words(key, after)}"
            (refused if key in _OWN_TIME else allowed).append(change)
    return Changes(tuple(refused), tuple(sorted(allowed)), added)


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Key, old value and new value of each setting that differs; limits are compared one by one."""
    found: list[tuple[str, Any, Any]] = []
    for key, after in new.items():
        before = old.get(key, after)
        if key in ("limits", "allowance") and isinstance(before, dict) and isinstance(after, dict):
            found += _differences(before, after)
        elif before != after:
            found.append((key, before, after))
    return found


def _words(key: str, value: Any) -> str:
    """A value as it is written in the description."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if key in _TIMES and isinstance(value, int):
        return format((Decimal(value) / SECOND).normalize(), "f")
    if isinstance(value, float):
        return f"{value:.12g}"
    if key == "openings" and isinstance(value, dict):
        return f"{value['count']} from {quote(value['file'])}, {value['order']} from {value['start']}"
    if isinstance(value, dict):
        return ", ".join(f"{part} {_words(part, of_it)}" for part, of_it in value.items())
    if key == "openings" and isinstance(value, list):
        return f"{len(value)} from a file"
    return one_of([quote(part) for part in value], most=4) or "none" if isinstance(value, list) else str(value)
