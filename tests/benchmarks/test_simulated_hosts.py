"""A season on simulated hosts: each game has one result, no host waits while pairs do, and standings do not depend on
hosts."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Final

import pytest

from arena.ratings.points import Standing
from benchmarks import season
from benchmarks.simulated_hosts import Conditions, Simulation
from tests.kit.effort import tries

_AGENTS: Final = 12
_GAMES: Final = 72
_QUIET: Final = Conditions(hosts=4, cores=3, speeds=(0.5, 2))
_FAILING: Final = replace(_QUIET, fails_after=1000, away=100, joins_within=500, late=100, doubled=0.1)
"""A host can be back, and play the same game again, when the late answer of its first task arrives."""
_LONG: Final = 5.0
_SHORT: Final = 0.001
"""Seconds a move: a batch then has several games."""


@pytest.fixture(autouse=True)
def _many_void_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(season, "_VOIDS", 0.1)


def described(folder: Path) -> Path:
    folder.mkdir()
    return season.described(folder, format="swiss", agents=_AGENTS, games=_GAMES)


def in_order(folder: Path) -> list[Standing]:
    """The standings if each game is over before the next one begins."""
    with season.opened(described(folder), folder / "arena.db") as (tournament, made_up):
        while (game := tournament.next()) is not None:
            tournament.note(made_up.finished(game))
        return tournament.standings().lines


def on_hosts(
    folder: Path, conditions: Conditions, seed: int, *, seconds_a_move: float = _LONG
) -> tuple[list[Standing], Simulation]:
    """The standings if these hosts play, and the simulation; all that is promised about it holds."""
    with season.opened(described(folder), folder / "arena.db") as (tournament, made_up):
        simulation = season.simulated(
            tournament, made_up, conditions, games=_GAMES, seconds_a_move=seconds_a_move, seed=seed
        )
        for _ in simulation.play():
            assert_no_host_waits(simulation, tournament.all - tournament.over)
        assert tournament.is_over
        standings = tournament.standings().lines
    assert_each_game_has_one_result(folder / "arena.db", simulation.results)
    assert simulation.misjudged == 0
    return standings, simulation


def assert_no_host_waits(simulation: Simulation, left: int) -> None:
    """A host with fewer games out than it has places waits only if there is no pair to give out.

    Games out are those without a result at home. If each game is a task of its own, which is so from a quarter of a
    second a game, these are the games on the host and their messages. So a place is free only while a message is under
    way, or while no pair waits. Of a task of several games, home knows no result until all are over. Then a place can
    also be free because the host has its share of all games that are left: the last ones are spread over all hosts."""
    places = sum(host.games for host in simulation.leases.hosts.values())
    for name, leased in simulation.leases.hosts.items():
        if len(leased.out) < leased.games:
            assert simulation.leases.is_empty()
        host = simulation.hosts[name]
        if host.is_reachable and host.has_free_place and not host.under_way:
            has_its_share = len(leased.out) >= ceil(left * leased.games / places)
            is_alone = all(len(batch.waiting) + len(batch.over) == 1 for batch in host.batches.values())
            assert simulation.leases.is_empty() or (has_its_share and not is_alone)


def assert_each_game_has_one_result(database: Path, results: int) -> None:
    with closing(sqlite3.connect(database)) as connection:
        games = connection.execute(
            "SELECT count(*), sum(status = 'finished'), sum(status = 'void'), max(attempt) FROM game GROUP BY pair, leg"
        ).fetchall()
    assert len(games) == _GAMES
    assert sum(attempts for attempts, *_ in games) == results
    for attempts, finished, void, last in games:
        assert attempts == finished + void == last
        assert finished == 1 or (finished == 0 and void == 3)


@pytest.mark.parametrize("seed", range(tries(4)))
def test_whatever_happens_to_hosts_each_game_counts_once_and_the_standings_are_the_same(
    tmp_path: Path, seed: int
) -> None:
    standings, simulation = on_hosts(tmp_path / "hosts", replace(_FAILING, hosts=1 + seed % 5), seed)
    assert simulation.leases.lost_batches > 0
    assert simulation.begun > simulation.results > _GAMES
    assert simulation.dropped > 0
    assert standings == in_order(tmp_path / "in order")


@pytest.mark.costly
@pytest.mark.parametrize("seed", range(tries(2)))
def test_short_games_in_batches_count_once(tmp_path: Path, seed: int) -> None:
    hurried = replace(_FAILING, fails_after=0.5, away=0.2, joins_within=0.2, given_up=0.1, late=0.3)
    standings, simulation = on_hosts(tmp_path / "hosts", hurried, seed, seconds_a_move=_SHORT)
    assert simulation.leases.task_size(2) == 2
    assert simulation.dropped > 0
    assert standings == in_order(tmp_path / "in order")


@pytest.mark.costly
def test_one_host_and_many_lead_to_the_same_standings(tmp_path: Path) -> None:
    one, _ = on_hosts(tmp_path / "one", replace(_QUIET, hosts=1), 1)
    many, simulation = on_hosts(tmp_path / "many", replace(_QUIET, hosts=40, cores=1), 1)
    assert one == many == in_order(tmp_path / "in order")
    assert simulation.leases.lost_batches == simulation.dropped == 0
    assert simulation.begun == simulation.results


def test_the_same_seed_leads_to_the_same_events(tmp_path: Path) -> None:
    _, first = on_hosts(tmp_path / "first", _FAILING, 1)
    _, second = on_hosts(tmp_path / "second", _FAILING, 1)
    assert (first.now, first.begun, first.dropped) == (second.now, second.begun, second.dropped)
