"""A warning before a tournament whose games would repeat: the same players meet more often than there are openings.

Two deterministic players then play the same game again and again, which takes time and gives no information. It is
known which built-in agents are deterministic; a user-supplied agent is assumed to be possibly so.
"""

from __future__ import annotations

from typing import Final

from adsearch import games
from agents import builtin
from arena.errors import BadFixture
from arena.match.clock import TimeControl
from arena.match.schedule import repeats_tell
from arena.players.player import PlayerKind
from arena.tournament.league import League

_MOST_NAMED: Final = 3
_ENOUGH: Final = 500
"""Most openings that are counted: each takes some milliseconds, and every run counts them again."""
_LONGEST: Final = 8
"""Most plies of an opening that the warning recommends."""


def warning(league: League) -> str:
    """The warning, in one sentence; empty if games do not repeat."""
    pairings = league.format.most_meetings(len(league.agents), league.seats)
    if pairings < 2 or not repeats_tell(games.start(league.game)):
        return ""
    enough = min(pairings, _ENOUGH)
    there = league.book(league.game, seed=0).different(enough) if league.openings else 1
    if there >= enough:
        return ""
    same, unknown = _who_repeats(league)
    if not league.openings and len(same) + len(unknown) < 2:
        return ""
    known = ", ".join(same[:_MOST_NAMED]) + " and others" * (len(same) > _MOST_NAMED)
    who = f" ({known})" if known else ""
    openings = f"with {there} different openings" if league.openings else "without openings"
    return (
        f"the same players meet up to {pairings} times {openings}: deterministic players{who} will repeat whole "
        f"games{_advice(league, pairings)}"
    )


def _who_repeats(league: League) -> tuple[list[str], list[str]]:
    """The deterministic agents, and those of which it is not known."""
    clocked = bool(TimeControl.parse(league.conditions.clock))
    same = []
    unknown = []
    for agent in league.agents:
        if agent.player.kind is not PlayerKind.BUILTIN:
            unknown.append(agent.name)
        elif builtin.find(agent.player.text).repeats(clocked=clocked):
            same.append(agent.name)
    return same, unknown


def _advice(league: League, pairings: int) -> str:
    """What to change: the smallest number of plies that gives enough different openings."""
    if not isinstance(league.openings, int):
        return "; list more openings"
    enough = min(pairings, _ENOUGH)
    gain = "gives every pairing a different one" if pairings == enough else f"gives {enough} or more"
    try:
        for plies in range(league.openings + 1, _LONGEST + 1):
            if league.book(league.game, seed=0, plies=plies).different(enough) == enough:
                return f"; openings = {plies} {gain}"
    except BadFixture:
        pass
    return ""
