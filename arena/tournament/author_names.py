"""The names under which authors hand in agents: what they may contain, so that they mean nothing else anywhere.

Pure. Ladders ask it when an agent is handed in, and invitations when a roster gives an author its alias.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from typing import Final

from adsearch.errors import quote
from agents import builtin
from arena import engines as protocols
from arena.errors import BadSubmission
from arena.players import engines
from arena.players.player import PlayerKind
from arena.tournament.description import folded, what_is_wrong_with
from db.ladder import SECOND_AGENT

_REFUSED_IN_NAMES: Final = ("--", *'=,:/\\*?<>|"`$')
"""What no name contains, because it has a meaning in commands, in file names or in web addresses."""


def agent_name(author: str, agent: str = "", *, ladder: str, anchors: Collection[str]) -> str:
    """The name of the author's agent on the ladder with these anchors; BadSubmission if it cannot be one.

    `agent`: the second part of the name of a further agent."""
    parts = {"author": author, "agent": agent} if agent else {"author": author}
    name = SECOND_AGENT.join(parts.values())
    for what, part in parts.items():
        if wrong := what_is_wrong_with(part):
            raise BadSubmission(f"{what}: {wrong}")
        if SECOND_AGENT in part:
            raise BadSubmission(f"{what}: expected a name without a dot, got {quote(part)}; a dot separates the two")
        if refused := [text for text in _REFUSED_IN_NAMES if text in part]:
            raise BadSubmission(f"{what}: expected a name without {quote(refused[0])}, got {quote(part)}")
        if part.startswith("-"):
            raise BadSubmission(f"{what}: expected a name that does not start with '-', got {quote(part)}")
    if wrong := what_is_wrong_with(name):
        raise BadSubmission(wrong)
    if folded(name) in {folded(anchor) for anchor in anchors}:
        raise BadSubmission(f"{quote(name)} is an anchor of ladder {quote(ladder)}: choose another name")
    if folded(name) in {
        folded(known) for known in (*builtin.names(), *engines.known(), *protocols.names(), *PlayerKind)
    }:
        raise BadSubmission(f"author: {quote(name)} is the name of a player in commands: choose another name")
    if len(alphabets := _alphabets(name)) > 1:  # a Cyrillic letter can look like a Latin one
        both = " and ".join(sorted(alphabets))
        raise BadSubmission(f"expected a name with the letters of one alphabet, got {quote(name)}, with {both} letters")
    return name


def _alphabets(name: str) -> set[str]:
    """Which of the alphabets with letters that look alike the name is uses."""
    known = {"LATIN": "Latin", "GREEK": "Greek", "CYRILLIC": "Cyrillic"}
    return {known[first] for letter in name if (first := unicodedata.name(letter, "").partition(" ")[0]) in known}
