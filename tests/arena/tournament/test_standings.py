"""Standings from the database: in the format's order, with forfeits marked, and only games that count."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agents.protocol import Verdict
from arena.match.schedule import Planned
from arena.ratings.points import Standing
from arena.tournament.format import Bracket
from arena.tournament.standings import TournamentStandings, standings
from db import store
from db.database import Database
from tests.arena.tournament.test_tournament import Course, Play, first_wins

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path)


def now(course: Course) -> TournamentStandings:
    with Database(str(course.folder / "arena.db")) as database, database.reading() as connection:
        return standings(connection, 1)


def ranks(lines: list[Standing]) -> list[tuple[int, str]]:
    return [(line.rank, line.name) for line in lines]


def bracket(course: Course) -> Bracket:
    found = now(course).bracket
    assert found is not None
    return found


def scoring(points: Mapping[tuple[str, str], list[float]]) -> Play:
    """By pairing: the points of the player named first, game after game."""
    left = {pair: list(shares) for pair, shares in points.items()}

    def play(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...]]:
        names = tuple(entrant.name for entrant in game.entrants)
        if names in left:
            share = left[names].pop(0)
            return Verdict.NORMAL, None, (share, 1 - share)
        share = left[names[1], names[0]].pop(0)
        return Verdict.NORMAL, None, (1 - share, share)

    return play


def rule(course: Course, what: str, name: str) -> None:
    with Database(str(course.folder / "arena.db")) as database, database.writing() as connection:
        store.rule_on_entry(connection, 1, name, what, "asked to", NOW)


# A knockout.


def knockout(course: Course, **keys: Any) -> None:
    course.write_agent("dot")
    course.describe(format="knockout", seeds=["ann", "bob", "cid", "dot"], **keys)


def test_the_winner_of_a_knockout_is_first_even_if_the_loser_of_the_final_has_more_points(course: Course) -> None:
    knockout(course)
    tied = [1.0, 0.0] * 3
    results = {("ann", "dot"): [1.0, 1.0], ("bob", "cid"): [*tied, 1.0, 1.0], ("ann", "bob"): [1.0, 0.5]}
    assert course.run(scoring(results)).is_over
    found = now(course)
    assert ranks(found.lines) == [(1, "ann"), (2, "bob"), (3, "cid"), (4, "dot")]
    assert [line.points for line in found.lines] == [3.5, 5.5, 3.0, 0.0]
    assert bracket(course).winner == "ann"


def test_who_lost_in_the_same_round_by_the_same_score_shares_a_rank(course: Course) -> None:
    knockout(course)
    results = {("ann", "dot"): [1.0, 1.0], ("bob", "cid"): [1.0, 1.0], ("ann", "bob"): [1.0, 1.0]}
    course.run(scoring(results))
    assert ranks(now(course).lines) == [(1, "ann"), (2, "bob"), (3, "cid"), (3, "dot")]


def test_a_withdrawal_in_the_middle_of_a_series_is_the_reason_that_the_bracket_gives(course: Course) -> None:
    knockout(course, best_of=2)
    results = {("ann", "dot"): [1.0] * 4, ("bob", "cid"): [0.0] * 4, ("cid", "ann"): [0.0] * 4}
    # Bob leads, and withdraws.
    course.run(scoring({**results, ("bob", "cid"): [1.0] * 4}), most=6)
    rule(course, "withdraw", "bob")
    course.run(scoring(results))
    found = now(course)
    told = [found.bracket.sentence(one, found.statuses) for series in found.bracket.rounds for one in series]  # type: ignore[union-attr]
    assert told[1].startswith("cid (3) goes through against bob (2) ")
    assert told[1].endswith(": bob withdrew")
    assert told[2] == "ann (1) beat cid (3) 4-0"


def test_games_that_a_decided_series_did_not_need_are_not_in_its_score(course: Course) -> None:
    knockout(course, best_of=3)
    course.run(first_wins, most=0)
    results = {("ann", "dot"): [1.0] * 6, ("bob", "cid"): [1.0, 0.5, 1.0, 1.0, 1.0, 1.0], ("ann", "bob"): [1.0] * 6}
    assert course.run(scoring(results)).is_over
    assert course.sql("SELECT COUNT(*) FROM game WHERE status = 'cancelled'") != [(0,)]
    found = now(course)
    assert found.bracket is not None
    for series in found.bracket.rounds:
        for one in series:
            played = course.sql(
                "SELECT COUNT(*) FROM game JOIN seat AS a ON a.game = game.id JOIN seat AS b ON b.game = game.id "
                f"WHERE status = 'finished' AND a.name = '{one.players[0]}' AND b.name = '{one.players[1]}'"
            )
            assert played == [(one.games,)]
            assert sum(one.points) == one.games
    assert found.bracket.sentence(found.bracket.rounds[1][0], {}) == "ann (1) beat bob (2) 4-0"


@pytest.mark.parametrize("stop", range(0, 9, 2))
def test_the_bracket_of_a_knockout_that_is_stopped_is_what_has_been_played(course: Course, stop: int) -> None:
    knockout(course)
    results = {("ann", "dot"): [1.0, 1.0], ("bob", "cid"): [1.0, 0.0, 0.0, 0.0], ("ann", "cid"): [1.0, 1.0]}
    course.run(scoring(results), most=stop)
    found = bracket(course)
    games = sum(one.games for series in found.rounds for one in series)
    assert games == stop
    assert (found.winner is None) == (stop < 8)
    assert {line.rank for line in now(course).lines if line.name == "ann"} == {1}


# A gauntlet.


def test_a_gauntlet_ranks_by_score_and_challengers_separately(course: Course) -> None:
    for name in ("bar", "low"):
        course.write_agent(name)
    course.describe(format="gauntlet", gauntlet=["bar", "low"])
    results = {
        **{(name, "bar"): [0.0, 0.0] for name in ("ann", "bob", "cid")},
        ("ann", "low"): [1.0, 1.0],
        ("bob", "low"): [1.0, 0.5],
        ("cid", "low"): [0.5, 0.0],
    }
    assert course.run(scoring(results)).is_over
    lines = now(course).lines
    assert ranks(lines) == [(1, "ann"), (2, "bob"), (3, "cid"), (1, "bar"), (2, "low")]
    assert [line.apart for line in lines] == [False, False, False, True, True]
    # Low has more points than any of the three, from more games.
    assert [line.points for line in lines] == [2.0, 1.5, 0.5, 6.0, 2.0]


def test_a_gauntlet_that_is_half_played_ranks_by_score(course: Course) -> None:
    for name in ("bar", "low"):
        course.write_agent(name)
    course.describe(format="gauntlet", gauntlet=["bar", "low"])
    for most in range(1, 12):
        course.run(first_wins, most=1)
        lines = [line for line in now(course).lines if not line.apart]
        scores = [-1.0 if line.score is None else line.score for line in lines]
        assert scores == sorted(scores, reverse=True), most


def test_of_a_gauntlet_players_with_the_same_score_are_equal_however_many_games_they_lost(course: Course) -> None:
    course.describe(format="gauntlet", gauntlet=["ann"], rounds=2)
    course.run(scoring({("ann", "bob"): [1.0] * 4, ("ann", "cid"): [1.0] * 4}), most=3)
    lines = [line for line in now(course).lines if not line.apart]
    assert {line.games for line in lines} == {1, 2}
    assert [line.rank for line in lines] == [1, 1]


# Forfeits.


def test_games_by_forfeit_are_counted_for_those_who_did_not_play_them(course: Course) -> None:
    course.describe(rounds=2)
    course.run(most=1)
    rule(course, "withdraw", "ann")
    course.run(most=0)
    found = now(course)
    lines = {line.name: line for line in found.lines}
    given = "SELECT name, COUNT(*) FROM seat JOIN game ON game.id = seat.game"
    given += " WHERE verdict = 'forfeit' AND fault <> seat AND points = 1 GROUP BY name"
    expected = dict(course.sql(given))
    assert set(expected) == {"bob", "cid"}
    assert {name: line.forfeits for name, line in lines.items() if line.forfeits} == expected
    assert lines["ann"].forfeits == 0
    assert lines["ann"].faults["forfeit"] == sum(expected.values())
    assert found.statuses["ann"] == "withdrawn"


def test_the_sequential_test_of_a_match_is_part_of_its_standings(tmp_path: Path) -> None:
    """Undecided, decided, and under other names."""
    match = Course(tmp_path)
    (tmp_path / "students" / "cid.py").unlink()
    match.describe(format="match", rounds=20, sprt={"elo0": 0, "elo1": 200})
    match.run(most=4)
    test = now(match).test
    assert test is not None
    assert (test.outcome, test.found.pairs) == ("undecided", 2)
    match.run(ann_wins)
    test = now(match).renamed({"ann": "x", "bob": "y"}).test
    assert test is not None
    assert test.outcome == "H1 accepted: x is at least 200 Elo better than y"


def ann_wins(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...]]:
    return Verdict.NORMAL, None, tuple(float(entrant.name == "ann") for entrant in game.entrants)
