"""Evenings of simulated games: whatever goes wrong, every game ends as it must, and nobody pays for another's fault."""

from __future__ import annotations

from collections import Counter

import pytest

from arena.match.match import Phase
from tests.kit.effort import tries
from tests.simulation.simulator import LOST, NATURES, Evening, EveningTable

SEEDS = tries(200)
AT_A_TIME = 20


def check(table: EveningTable) -> None:
    """That the game ended as it could, given who played."""
    table.check_the_end()
    verdict, fault = table.result()
    natures = [player.nature for player in table.players]
    if table.aborted:
        assert (verdict, fault) == ("void", None)
    elif verdict == "void":
        assert [p for p in table.players if p.nature in LOST and p.hosted], table.match.detail
    elif fault is None:
        assert verdict in ("normal", "adjudicated")
    else:
        assert verdict in NATURES[natures[fault]], (natures, table.match.detail)
    made = Counter(ply.who for ply in table.match.moves)
    for player in table.players:
        # Of all answers that were sent only the last may have been overtaken by the end of the game.
        assert player.moves - 1 <= made[player.seat] <= player.moves
        if player.nature == "dying after its move" and player.dead and verdict == "crashed" and fault == player.seat:
            assert made[player.seat] == player.moves


@pytest.mark.parametrize("first", range(0, SEEDS, AT_A_TIME))
def test_every_game_of_an_evening_ends_as_it_must(first: int) -> None:
    for seed in range(first, first + AT_A_TIME):
        evening = Evening(seed)
        evening.run()
        assert len(evening.tables) == 10
        for table in evening.tables:
            assert table.phase() is Phase.DONE, f"seed {seed}"
            check(table)


def test_the_same_seed_is_the_same_evening() -> None:
    records = []
    for _ in range(2):
        evening = Evening(7)
        evening.run()
        records.append([table.match.record() for table in evening.tables])
    assert records[0] == records[1]


def test_evenings_have_seen_every_verdict() -> None:
    """Else the simulator has gone tame. A forfeit is no verdict of a match."""
    seen: Counter[str | None] = Counter()
    for seed in range(60):
        evening = Evening(seed)
        evening.run()
        seen.update(table.result()[0] for table in evening.tables)
    assert set(seen) == {
        *("normal", "resigned", "time", "illegal", "crashed", "garbage", "flooded", "memory", "unready"),
        *("adjudicated", "void"),
    }
