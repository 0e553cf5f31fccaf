"""The comparison of formats: numbers of games agree with `Format.estimate`, errors with those of real schedules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from arena.tournament import league
from arena.tournament.choices import Choice, bars, choices, expected_errors, fitting
from arena.tournament.league import League
from tests.kit.paper_tournament import Event, described


def of(players: list[str], game: str = "connect4", **settings: object) -> League:
    return league.from_arguments(game, players, clock="none", **settings)


def by_name(described: League) -> dict[str, Choice]:
    return {f"{choice.format} {choice.rounds}": choice for choice in choices(described)}


def test_the_description_is_listed_among_other_formats_by_number_of_games() -> None:
    described = of(["random"] * 12, rounds=2)
    found = choices(described)
    assert [f"{choice.format} {choice.rounds}: {choice.games}" for choice in found] == [
        "swiss 4: 48",
        "knockout best of 1: 88",
        "swiss 8: 96",
        "round-robin 1: 132",
        "knockout best of 3: 132",
        "round-robin 2: 264",
        "round-robin 5: 660",
    ]
    assert [choice.rounds for choice in found if choice.described] == ["2"]
    assert [choice.format for choice in found if choice.is_bound] == ["knockout"] * 2
    assert all((choice.error is None) == (choice.format == "knockout") for choice in found)
    errors = [choice.error for choice in found if choice.error is not None]
    assert errors == sorted(errors, reverse=True)


def test_a_match_and_tables_are_compared_with_longer_and_shorter_ones() -> None:
    assert list(by_name(of(["random", "pvs"], rounds=50))) == [
        *("match 10", "match 30", "round-robin 50", "match 100", "match 300")
    ]
    assert list(by_name(of(["random"] * 6, "ludo", rounds=5))) == [
        *("tables 1", "tables 3", "tables 5", "tables 10", "tables 30")
    ]


def test_agents_are_measured_against_the_gauntlet_or_anchors_or_built_in_agents(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text("")
    (tmp_path / "bob.py").write_text("")
    built_in = of([str(tmp_path / "ann.py"), str(tmp_path / "bob.py"), "pvs", "random"])
    assert bars(built_in) == ("pvs", "random")
    anchored = replace(
        built_in,
        agents=tuple(replace(one, anchor=0.0 if one.name == "random" else None) for one in built_in.agents),
    )
    assert bars(anchored) == ("random",)
    assert by_name(anchored)["gauntlet 10"].games == 3 * 20
    assert bars(replace(anchored, format=described("gauntlet", gauntlet=("ann",)))) == ("ann",)
    assert bars(of(["pvs", "random"])) == ()


@pytest.mark.parametrize(("game", "count", "rounds"), [("connect4", 8, 3), ("connect4", 15, 5), ("ludo", 10, 8)])
def test_the_error_is_that_of_a_real_schedule(game: str, count: int, rounds: int) -> None:
    """Pairings of swiss tournaments and tables are not known in advance; these are of equal players, at random."""
    league = of(["random"] * count, game, format="swiss" if game == "connect4" else "tables", rounds=rounds)
    names = [agent.name for agent in league.agents]
    found = []
    for seed in range(5):
        event = Event(league.format, names, seed, seats=league.seats)
        pairings = event.play(Random(seed))
        together = np.zeros((count, count))
        for one in pairings:
            for first in one.names:
                for second in set(one.names) - {first}:
                    together[names.index(first), names.index(second)] += one.legs
        found.append(np.median(expected_errors(together, seats=league.seats)))
    (own,) = (choice for choice in choices(league) if choice.described)
    assert own.error == pytest.approx(np.mean(found), rel=0.08)


@pytest.mark.costly
def test_formats_with_too_many_games_are_left_out() -> None:
    described = of(["random"] * 600)
    assert [choice.rounds for choice in choices(described) if choice.format == "round-robin"] == ["1", "2"]


@pytest.mark.parametrize(
    ("players", "settings", "most", "found"),
    [
        (12, {"rounds": 5}, 660, ("round-robin", 4)),
        (12, {"rounds": 5}, 300, ("round-robin", 2)),
        (12, {"rounds": 5}, 131, ("swiss", 10)),
        (12, {}, 100, ("swiss", 8)),
        (12, {}, 48, ("swiss", 4)),
        (12, {}, 47, None),
        (12, {"format": "swiss", "rounds": 8}, 90, ("swiss", 7)),
        (12, {"format": "swiss", "rounds": 4}, 47, None),
        (12, {"format": "knockout"}, 50, None),
        (12, {"format": "gauntlet", "gauntlet": ["random"], "rounds": 9}, 100, ("gauntlet", 4)),
        (2, {"rounds": 50}, 21, ("round-robin", 10)),
        (2, {"rounds": 50}, 1, None),
        (2, {"format": "match", "rounds": 50}, 21, ("match", 10)),
    ],
)
def test_the_largest_tournament_that_fits(
    players: int, settings: dict[str, Any], most: int, found: tuple[str, int] | None
) -> None:
    described = of(["random"] * players, **settings)
    fits = fitting(described, most)
    assert (None if fits is None else (str(fits.format), fits.format.settings()["rounds"])) == found
    if fits is not None:
        assert fits.estimate.at_most <= most
        assert fits.agents == described.agents
