"""The results of agents that marks depend on.

Games that a player forfeited without playing count for no mark and for no fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from agents.protocol import Verdict
from arena.ratings.grades import Against, Bar, reasons
from arena.tournament import collected_file
from db.records import PastGame, RatedGame


class Results(Struct, frozen=True, kw_only=True):
    """The results of one agent that marks depend on."""

    played: bool
    """Whether it played a game; forfeited games are not played."""
    bars: Mapping[str, Against | None] = {}
    """The verdict of each bar; None if the agent is the bar, or has no rated game."""
    faults: int = 0
    """Number of games that it played and lost by a fault."""
    late_days: int = 0


def results_of(
    agents: Iterable[str],
    verdicts: Mapping[str, Mapping[str, Bar]],
    games: Sequence[RatedGame],
    faults: Sequence[PastGame],
    late: Mapping[str, int],
) -> dict[str, Results]:
    """The results of each agent that marks depend on. `games`: all that give points."""
    played = [game for game in games if game.verdict != Verdict.FORFEIT]
    players = {player for game in played for player in game.names}
    at_fault = reasons(faults, {game.id for game in played})
    return {
        agent: Results(
            played=agent in players,
            bars={title: bar.stands for title, bar in verdicts.get(agent, {}).items()},
            faults=len(at_fault.get(agent, ())),
            late_days=late.get(agent, 0),
        )
        for agent in agents
    }


def late_days(description: Path) -> dict[str, int]:
    """The days by which each collected agent was late; agents that were in time are left out."""
    found: dict[str, int] = {}
    for file in collected_file.named_in(description):
        collected, _ = collected_file.read(file)
        found |= {one.name: one.late_days for one in collected if one.late_days}
    return found
