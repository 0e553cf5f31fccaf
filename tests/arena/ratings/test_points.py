"""Standings and crosstables: ranks, ties and byes; the order of games changes nothing."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.ratings import points
from arena.ratings.points import crosstable, standings
from db.records import RatedGame
from db.scores import Scores
from tests.kit.effort import tries

SHARES = st.sampled_from((0.0, 0.25, 1 / 3, 0.5, 2 / 3, 1.0))
PAIRS = st.permutations("abcde").map(lambda names: (names[0], names[1]))
DUELS = st.lists(st.builds(lambda names, share: duel(names[0], names[1], share), PAIRS, SHARES), max_size=30)
FOR_THREE = st.builds(
    lambda names, shares: RatedGame(tuple(names[:3]), shares),
    st.permutations("abcde"),
    st.tuples(SHARES, SHARES, SHARES),
)
GAMES = st.lists(
    st.one_of(st.builds(lambda names, share: duel(names[0], names[1], share), PAIRS, SHARES), FOR_THREE), max_size=30
)


def duel(first: str, second: str, share: float) -> RatedGame:
    """Games of two: both names, and the points of the first."""
    return RatedGame((first, second), (share, 1 - share))


def counted(*games: tuple[str, str, float]) -> Scores:
    """The points of these games."""
    return points.of(duel(*game) for game in games)


# What games come to.


def test_a_game_counts_for_both_and_against_each_other() -> None:
    results = counted(("ann", "bob", 1), ("bob", "ann", 0.5), ("bob", "ann", 0))
    ann, bob = results.players["ann"], results.players["bob"]
    assert (ann.games, ann.wins, ann.draws, ann.losses, ann.points, ann.wins_second) == (3, 2, 1, 0, 2.5, 1)
    assert (bob.games, bob.wins, bob.draws, bob.losses, bob.points, bob.wins_second) == (3, 0, 1, 2, 0.5, 0)
    meeting = results.head_to_head["bob", "ann"]
    assert (meeting.games, meeting.points) == (3, 0.5)


def test_in_a_game_of_three_everybody_else_is_an_opponent() -> None:
    results = points.of([RatedGame(("ann", "bob", "cleo"), (0.0, 0.0, 1.0))])
    assert len(results.head_to_head) == 6
    assert results.head_to_head["cleo", "bob"].points == 1
    assert results.head_to_head["ann", "bob"].points == 0
    assert (results.players["cleo"].games, results.players["cleo"].wins_second) == (1, 1)


def test_a_game_for_one_has_no_opponents() -> None:
    results = points.of([RatedGame(("ann",), (1.0,))])
    assert results.head_to_head == {}
    assert (results.players["ann"].wins, results.players["ann"].wins_second) == (1, 0)


# Standings.


def test_points_decide() -> None:
    table = standings(counted(("ann", "bob", 1), ("bob", "cleo", 1), ("ann", "cleo", 0.5)))
    assert [(line.rank, line.name, line.points) for line in table] == [(1, "ann", 1.5), (2, "bob", 1), (3, "cleo", 0.5)]
    best = table[0]
    assert (best.games, best.wins, best.draws, best.losses) == (2, 1, 1, 0)
    assert best.score == 0.75


def test_who_is_equal_in_everything_shares_a_rank_and_the_next_rank_is_left_out() -> None:
    table = standings(counted(("ann", "bob", 0.5), ("cleo", "dan", 0.5)), ["eve"])
    assert [(line.rank, line.name) for line in table] == [(1, "ann"), (1, "bob"), (1, "cleo"), (1, "dan"), (5, "eve")]


def test_who_has_not_played_is_listed_with_zeros() -> None:
    (line,) = standings(Scores(), ["ann"])
    assert (line.rank, line.games, line.points, line.score, line.faults) == (1, 0, 0, None, {})
    assert set(line.tiebreaks.values()) == {0}
    assert standings(Scores()) == []


def test_a_bye_is_points_and_no_game() -> None:
    table = standings(counted(("ann", "bob", 1)), ["cleo"], {"cleo": 1.0, "ann": 0.5})
    assert [(line.name, line.points, line.games) for line in table] == [("ann", 1.5, 1), ("cleo", 1, 0), ("bob", 0, 1)]
    assert [line.score for line in table] == [1, None, 0]


def test_the_points_of_an_opponent_include_its_byes() -> None:
    table = standings(counted(("ann", "cleo", 1), ("bob", "dan", 1)), byes={"cleo": 0.5})
    assert [line.name for line in table] == ["ann", "bob", "cleo", "dan"]
    assert table[0].tiebreaks["buchholz"] == 0.5


def test_thirds_add_up() -> None:
    results = Scores()
    for name in ("ann", "bob"):
        for share in (1 / 3, 2 / 3, 0.1, 0.2) if name == "ann" else (0.2, 0.1, 2 / 3, 1 / 3):
            results.player(name).add(1, share, wins=0, losses=0, wins_second=0)
    assert [line.rank for line in standings(results)] == [1, 1]


@settings(max_examples=tries(50))
@given(games=GAMES, data=st.data())
def test_the_order_of_games_and_names_changes_nothing(games: list[RatedGame], data: st.DataObject) -> None:
    table = standings(points.of(games), "abcde")
    shuffled = data.draw(st.permutations(games))
    assert standings(points.of(shuffled), "edcba") == table
    assert math.fsum(line.points for line in table) == pytest.approx(math.fsum(sum(game.points) for game in games))
    assert [line.rank for line in table] == sorted(line.rank for line in table)
    assert all(math.isfinite(number) for line in table for number in (line.points, *line.tiebreaks.values()))


@settings(max_examples=tries(50))
@given(games=GAMES, names=st.permutations("vwxyz"))
def test_other_names_have_the_same_standings(games: list[RatedGame], names: list[str]) -> None:
    called = dict(zip("abcde", names, strict=True))
    renamed = [replace(game, names=tuple(called[name] for name in game.names)) for game in games]
    ranks = {line.name: (line.rank, line.points, line.tiebreaks) for line in standings(points.of(renamed), names)}
    for line in standings(points.of(games), "abcde"):
        assert ranks[called[line.name]] == (line.rank, line.points, line.tiebreaks)


@settings(max_examples=tries(50))
@given(games=DUELS)
def test_the_other_way_round_wins_are_losses(games: list[RatedGame]) -> None:
    swapped = [replace(game, points=(game.points[1], game.points[0])) for game in games]
    other = {line.name: line for line in standings(points.of(swapped), "abcde")}
    for line in standings(points.of(games), "abcde"):
        mirrored = other[line.name]
        assert mirrored.points == pytest.approx(line.games - line.points)
        assert (mirrored.wins, mirrored.draws, mirrored.losses) == (line.losses, line.draws, line.wins)


# Crosstables.


def test_points_for_byes_move_a_player_up_in_the_crosstable_too() -> None:
    found = counted(("ann", "bob", 1), ("bob", "cleo", 1))
    assert crosstable(found).players == ["ann", "bob", "cleo"]
    byes = {"cleo": 1.5}
    assert crosstable(found, byes=byes).players == [one.name for one in standings(found, byes=byes)]
    assert crosstable(found, byes=byes).players[0] == "cleo"


def test_a_crosstable_is_in_the_order_of_the_standings_and_empty_where_two_have_not_met() -> None:
    table = crosstable(counted(("ann", "bob", 0.5), ("bob", "ann", 1), ("bob", "cleo", 1)))
    assert table.players == ["bob", "ann", "cleo"]
    cells = [[None if cell is None else (cell.points, cell.games) for cell in row] for row in table.cells]
    assert cells == [[None, (1.5, 2), (1, 1)], [(0.5, 2), None, None], [(0, 1), None, None]]
