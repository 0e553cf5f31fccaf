"""Simulated games: every game ends with a correct verdict, and no player is charged for another's fault."""

from __future__ import annotations

from collections import Counter

import pytest

from arena.match.match import Phase
from tests.kit.effort import tries
from tests.simulation.simulator import BEHAVIOURS, LOST, SimulatedTable, Simulation

SEEDS = tries(200)
AT_A_TIME = 20


def check(table: SimulatedTable) -> None:
    """Checks that the verdict is possible for these players."""
    table.check_the_end()
    verdict, fault = table.result()
    behaviours = [player.behaviour for player in table.players]
    if table.aborted:
        assert (verdict, fault) == ("void", None)
    elif verdict == "void":
        assert [p for p in table.players if p.behaviour in LOST and p.hosted], table.match.detail
    elif fault is None:
        assert verdict in ("normal", "adjudicated")
    else:
        assert verdict in BEHAVIOURS[behaviours[fault]], (behaviours, table.match.detail)
    made = Counter(ply.who for ply in table.match.moves)
    for player in table.players:
        # Of all answers that were sent, only the last can have arrived after the end of the game.
        assert player.moves - 1 <= made[player.seat] <= player.moves
        if player.behaviour == "dying after its move" and player.dead and verdict == "crashed" and fault == player.seat:
            assert made[player.seat] == player.moves


@pytest.mark.parametrize("first", range(0, SEEDS, AT_A_TIME))
def test_every_simulated_game_ends_with_a_correct_verdict(first: int) -> None:
    for seed in range(first, first + AT_A_TIME):
        simulation = Simulation(seed)
        simulation.run()
        assert len(simulation.tables) == 10
        for table in simulation.tables:
            assert table.phase() is Phase.DONE, f"seed {seed}"
            check(table)


def test_the_same_seed_gives_the_same_games() -> None:
    records = []
    for _ in range(2):
        simulation = Simulation(7)
        simulation.run()
        records.append([table.match.record() for table in simulation.tables])
    assert records[0] == records[1]


def test_simulations_cause_every_verdict() -> None:
    """Every verdict except forfeit, which is not a verdict of a match."""
    seen: Counter[str | None] = Counter()
    for seed in range(60):
        simulation = Simulation(seed)
        simulation.run()
        seen.update(table.result()[0] for table in simulation.tables)
    assert set(seen) == {
        *("normal", "resigned", "time", "illegal", "crashed", "garbage", "flooded", "memory", "unready"),
        *("adjudicated", "void"),
    }
