"""Every built-in agent under the real referee at a second and a hundredth a move: none ever loses on time."""

from __future__ import annotations

from contextlib import suppress

import pytest

from adsearch import games
from agents import builtin
from agents.errors import CannotPlay
from agents.protocol import Verdict
from arena.match.conditions import Conditions
from arena.match.schedule import Finished, InOrder, Planned
from arena.play.director import Director
from arena.players.entrants import Confinement, enter
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.walls.run_folder import RunFolder
from tests.kit.effort import tries

CLOCK = "1+0.01"
GAMES = tries(4, soak=200)
LONG = ("connect4", "pig:goal=30", "ludo:players=2,tokens=1", "leduc")
SHORT = ("tictactoe", "nap:12", "pig:goal=6", "kuhn")
"""The first game in ten is long enough to use up an agent's time; the others test its start."""


def rules_for(name: str, kinds: tuple[str, ...]) -> str:
    """The first of these games that the agent can play."""
    for rules in kinds:
        with suppress(CannotPlay):
            builtin.check_can_play(name, games.start(rules))
            return rules
    raise AssertionError(f"{name} can play none of {kinds}")


@pytest.mark.costly
@pytest.mark.parametrize("name", builtin.names())
def test_no_built_in_agent_loses_on_time(name: str) -> None:
    with RunFolder() as folder, Director(folder, at_once=2) as director:
        store = Store(folder.path / "store")
        planned = []
        for number in range(GAMES):
            rules = rules_for(name, LONG if number % 10 == 0 else SHORT)
            entrants = tuple(
                enter(read_player(text), f"{seat} {text}", games.start(rules), store, Confinement(folder.scratch, ""))
                for seat, text in enumerate((name, "random"))
            )
            planned.append(
                Planned(
                    number,
                    rules,
                    rules,
                    entrants[:: 1 - 2 * (number % 2)],
                    1,
                    (number,),
                    conditions=Conditions(clock=CLOCK),
                )
            )
        events = [event for event in director.play(InOrder(planned)) if isinstance(event, Finished)]
    verdicts = {event.record.detail: event.record.verdict for event in events}
    assert Verdict.TIME not in verdicts.values(), verdicts
    assert set(verdicts.values()) <= {Verdict.NORMAL, Verdict.VOID}, verdicts
