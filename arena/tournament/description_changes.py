"""What differs between a tournament as it was begun and its description as it is now.

A tournament that goes on must stay what it was: who is added, and more rounds, only add pairings, and some settings
change no result; everything else is refused, in words. Sources of agents are not looked at here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from adsearch.errors import one_of, quote
from arena.errors import BadLeague
from arena.match.clock import SECOND
from arena.tournament.formats import Format

FREE: Final = ("games_at_once", "quarantine", "walls")
"""They say how games are run and when to give up on an agent, not how a game is played or counted."""
_TIMES: Final = ("margin", "hello", "ready", "move", "start")


@dataclass(frozen=True, slots=True)
class Changes:
    """What has changed, in words: "clock: 10+0.1 -> 5"."""

    refused: tuple[str, ...] = ()
    """What makes it another tournament."""
    allowed: tuple[str, ...] = ()
    """What does not touch the games that were played."""
    added: tuple[str, ...] = ()
    """The agents that are new."""

    @property
    def only_adds(self) -> bool:
        """Whether the tournament can go on."""
        return not self.refused


def refuse(tournament: str, refused: Sequence[str]) -> None:
    """BadLeague where something makes it another tournament."""
    if refused:
        raise BadLeague(
            f"tournament {tournament!r} was begun with another description ({'; '.join(refused)}). Agents, rounds and "
            "submissions may be added; anything else is another tournament: give it another name"
        )


def changes(old: Mapping[str, Any], now: Mapping[str, Any]) -> Changes:
    """What has changed from the settings that a tournament was begun with, `old`, to those that it has `now`.

    A seed that is not given stays what it was. Keys that `old` does not have are not compared, but for a test: it is
    never begun later, when there are results to choose it by."""
    refused: list[str] = []
    allowed: list[str] = []
    for key, before, after in _differences({"sprt": None} | dict(old), now):
        if key in ("name", "agents") or (key == "seed" and None in (before, after)):
            continue
        more = key == "rounds" and after > before
        (allowed if more or key in FREE else refused).append(f"{key}: {_words(key, before)} -> {_words(key, after)}")
    known = {agent["name"]: agent for agent in old.get("agents", now["agents"])}
    listed = {agent["name"]: agent for agent in now["agents"]}
    added = tuple(name for name in listed if name not in known)
    if gone := [quote(name) for name in known if name not in listed]:
        refused.append(
            f"agents: no longer listed: {one_of(gone, most=8)} (list them again; to leave, they are withdrawn)"
        )
    if added:
        words = f"agents: added: {one_of([quote(name) for name in added], most=8)}"
        if now["format"] == Format.KNOCKOUT:
            refused.append(f"{words} (the bracket of a knockout is drawn once)")
        else:
            allowed.append(words)
    for name in listed.keys() & known.keys():
        for key, before, after in _differences(known[name], listed[name]):
            allowed.append(f"agent {quote(name)}: {key}: {_words(key, before)} -> {_words(key, after)}")
    return Changes(tuple(refused), tuple(sorted(allowed)), added)


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Key, value before and value now of whatever both have and is not the same; of limits one by one."""
    found: list[tuple[str, Any, Any]] = []
    for key, after in new.items():
        before = old.get(key, after)
        if key in ("limits", "allowance") and isinstance(before, dict) and isinstance(after, dict):
            found += _differences(before, after)
        elif before != after:
            found.append((key, before, after))
    return found


def _words(key: str, value: Any) -> str:
    """A value as the description has it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if key in _TIMES and isinstance(value, int):
        return format((Decimal(value) / SECOND).normalize(), "f")
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, dict):
        return ", ".join(f"{part} {_words(part, of_it)}" for part, of_it in value.items())
    if key == "openings" and isinstance(value, list):
        return f"{len(value)} of a file"
    return one_of([quote(part) for part in value], most=4) or "none" if isinstance(value, list) else str(value)
