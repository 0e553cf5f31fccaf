"""Will games repeat each other? What is warned of before a tournament in which players meet more often than they have
openings.

Players who always do the same play one game again and again then, which costs time and tells nothing. Of built-in
agents it is known who they are; others may be.
"""

from __future__ import annotations

from typing import Final

from adsearch import games
from agents import builtin
from arena.errors import BadFixture
from arena.match.clock import TimeControl
from arena.match.openings import Book
from arena.players.player import PlayerKind
from arena.tournament.formats import Format
from arena.tournament.league import League

_MOST_NAMED: Final = 3
_ENOUGH: Final = 500
"""Openings that are counted at most: each takes a search of some milliseconds, and every run counts them again."""
_LONGEST: Final = 8
"""Plies of openings that are recommended at most."""


def warning(league: League) -> str:
    """What there is to be warned of, in a sentence; empty if nothing."""
    meetings = _meetings(league)
    if meetings < 2 or games.start(league.game).chance:
        return ""
    enough = min(meetings, _ENOUGH)
    there = Book(league.game, league.openings, seed=0).different(enough) if league.openings else 1
    if there >= enough:
        return ""
    same, unknown = _who_repeats(league)
    if not league.openings and len(same) + len(unknown) < 2:
        return ""
    known = ", ".join(same[:_MOST_NAMED]) + " and others" * (len(same) > _MOST_NAMED)
    who = f" ({known})" if known else ""
    openings = f"with {there} different openings" if league.openings else "without openings"
    return (
        f"the same players meet up to {meetings} times {openings}: players that always do the same{who} repeat whole "
        f"games{_advice(league, meetings)}"
    )


def _meetings(league: League) -> int:
    """How often the same players can meet."""
    count = len(league.agents)
    match league.format:
        case Format.KNOCKOUT:
            return league.best_of + league.repeats
        case Format.SWISS:
            return -(-league.rounds // max(1, count - 1))
        case Format.TABLES:
            return league.rounds if count == league.seats else 1
    return league.rounds


def _who_repeats(league: League) -> tuple[list[str], list[str]]:
    """Who always plays the same moves; and who may, for all that is known."""
    clocked = bool(TimeControl.parse(league.clock))
    same = []
    unknown = []
    for agent in league.agents:
        if agent.player.kind is not PlayerKind.BUILTIN:
            unknown.append(agent.name)
        elif builtin.find(agent.player.text).repeats(clocked=clocked):
            same.append(agent.name)
    return same, unknown


def _advice(league: League, meetings: int) -> str:
    """What to change: the shortest openings of which there are enough."""
    if not isinstance(league.openings, int):
        return "; list more openings"
    enough = min(meetings, _ENOUGH)
    gain = "gives every meeting another start" if meetings == enough else f"gives {enough} or more"
    try:
        for plies in range(league.openings + 1, _LONGEST + 1):
            if Book(league.game, plies, seed=0).different(enough) == enough:
                return f"; openings = {plies} {gain}"
    except BadFixture:
        pass
    return ""
