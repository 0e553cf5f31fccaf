"""Standings and crosstables from what games came to: ranks, ties, and what breaks them."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest

from arena.standings import crosstable, standings
from db.results import Results
from tests.effort import tries

Game = tuple[str, str, float]
"""Who met whom, and the points of the first."""


def counted(*games: Game) -> Results:
    """What these games came to."""
    results = Results()
    for first, second, points in games:
        for name, opponent, share in ((first, second, points), (second, first, 1 - points)):
            results.player(name).add(1, share, int(share == 1), int(share == 0))
            results.meet(name, opponent, 1, share)
    return results


def test_points_decide() -> None:
    table = standings(counted(("ann", "bob", 1), ("bob", "cleo", 1), ("ann", "cleo", 0.5)))
    assert [(line.rank, line.name, line.points) for line in table] == [(1, "ann", 1.5), (2, "bob", 1), (3, "cleo", 0.5)]
    best = table[0]
    assert (best.games, best.wins, best.draws, best.losses) == (2, 1, 1, 0)
    assert best.score == 0.75


def test_of_two_with_equal_points_who_won_their_game_is_before() -> None:
    table = standings(counted(("bob", "ann", 1), ("ann", "cleo", 1), ("dan", "bob", 1), ("dan", "cleo", 1)))
    names = [line.name for line in table]
    assert names.index("bob") < names.index("ann")


def test_then_who_scored_against_the_better_ones_is_before() -> None:
    # Ann and bob have not met; ann has beaten the one with points.
    table = standings(counted(("ann", "cleo", 1), ("bob", "dan", 1), ("cleo", "dan", 1), ("cleo", "eve", 1)))
    by_name = {line.name: line for line in table}
    assert by_name["ann"].tiebreaks == {"direct": 0, "sonneborn_berger": 2, "wins": 1}
    assert by_name["bob"].tiebreaks == {"direct": 0, "sonneborn_berger": 0, "wins": 1}
    assert by_name["ann"].rank < by_name["bob"].rank


def test_then_more_wins_are_before() -> None:
    results = Results()
    for name, wins, draws in (("ann", 0, 2), ("bob", 1, 0)):
        results.player(name).add(wins, wins, wins, 0)
        results.player(name).add(2 - wins - draws, 0, 0, 2 - wins - draws)
        results.player(name).add(draws, draws / 2, 0, 0)
    assert [line.name for line in standings(results)] == ["bob", "ann"]


def test_who_is_equal_in_everything_shares_a_rank_and_the_next_rank_is_left_out() -> None:
    table = standings(counted(("ann", "bob", 0.5), ("cleo", "dan", 0.5)), ["eve"])
    assert [(line.rank, line.name) for line in table] == [(1, "ann"), (1, "bob"), (1, "cleo"), (1, "dan"), (5, "eve")]


def test_who_has_not_played_is_listed_with_zeros() -> None:
    (line,) = standings(Results(), ["ann"])
    assert (line.rank, line.games, line.points, line.score, line.faults) == (1, 0, 0, None, {})
    assert standings(Results()) == []


def test_thirds_add_up() -> None:
    results = Results()
    for name in ("ann", "bob"):
        for share in (1 / 3, 2 / 3, 0.1, 0.2) if name == "ann" else (0.2, 0.1, 2 / 3, 1 / 3):
            results.player(name).add(1, share, 0, 0)
    assert [line.rank for line in standings(results)] == [1, 1]


@pytest.mark.parametrize("number", range(tries(20)))
def test_the_order_of_games_and_names_changes_nothing(number: int) -> None:
    random = Random(number)
    games = [(*pair, random.choice((0, 0.5, 1))) for pair in permutations("abcde", 2) if random.random() < 0.8]
    table = standings(counted(*games), "abcde")
    random.shuffle(games)
    assert standings(counted(*games), "edcba") == table
    assert sum(line.points for line in table) == len(games)
    assert [line.rank for line in table] == sorted(line.rank for line in table)


def test_a_crosstable_is_in_the_order_of_the_standings_and_empty_where_two_have_not_met() -> None:
    table = crosstable(counted(("ann", "bob", 0.5), ("bob", "ann", 1), ("bob", "cleo", 1)))
    assert table.players == ["bob", "ann", "cleo"]
    cells = [[None if cell is None else (cell.points, cell.games) for cell in row] for row in table.cells]
    assert cells == [[None, (1.5, 2), (1, 1)], [(0.5, 2), None, None], [(0, 1), None, None]]
