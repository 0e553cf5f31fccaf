"""Games that end early, by rules about what their players report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adsearch.games.chess_rules import value_of_pawns
from agents.protocol import Info, Verdict
from arena.errors import BadFixture, BadLeague
from arena.history.verify import PositionCheck, wrongs_of
from arena.history.words import verdict
from arena.match.conditions import DrawRule, ResignRule, ruled
from arena.tournament.host import ended_by
from arena.tournament.league import from_arguments
from db.records import MoveRecord, PastGame, PastSeat
from tests.kit.match_table import NAMES, Table

CHESS = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7", "f1e1", "b7b5")
"""An opening of the world's best: twelve plies."""
Reports = Sequence[float | None]


def played(reports: Reports, **rules: Any) -> Table:
    """The moves with these reports, in centipawns of the player that moves, until a rule ends the game."""
    table = Table(rules="chess", **rules).begin()
    for move, score in zip(CHESS, reports, strict=False):
        if table.match.verdict is not None:
            break
        info = None if score is None else Info(score=value_of_pawns(score / 100))
        table.play(move, info=info)
    return table


def ended(table: Table) -> tuple[int, Verdict | None, tuple[float, ...] | None]:
    return len(table.match.moves), table.match.verdict, table.match.points


RESIGN = ResignRule(moves=2, score=600)
LOST_BY_BLACK = (0, -650, 0, -600, 0, 0)


def test_a_player_resigns_by_its_own_reports() -> None:
    table = played(LOST_BY_BLACK, resign=RESIGN)
    assert ended(table) == (4, Verdict.ADJUDICATED, (1.0, 0.0))
    table.finish()
    record = table.match.record()
    assert (record.fault, record.detail) == (None, "by the rule for resigning: 2 moves at -600 or less")
    assert verdict(record) == f"{NAMES[0]} wins, adjudicated"
    assert [seat.utility for seat in record.seats] == [1.0, -1.0]


@pytest.mark.parametrize(
    "reports",
    [
        (0, -650, 0, -599, 0, -650),  # not enough
        (0, -650, 0, None, 0, -650),  # missing
        (0, -650, 0, 0, 0, -650),  # not in a row
        (700, 0, 700, 0, 700, 0),  # only the winner says so
        (None,) * 6,
    ],
)
def test_what_is_not_reported_by_the_side_itself_ends_nothing(reports: Reports) -> None:
    assert ended(played(reports, resign=RESIGN)) == (6, None, None)


def test_both_must_agree_if_that_is_asked_for() -> None:
    both = ResignRule(moves=2, score=600, both=True)
    assert ended(played(LOST_BY_BLACK, resign=both)) == (6, None, None)
    assert ended(played((600, -650, 700, -600, 0, 0), resign=both)) == (4, Verdict.ADJUDICATED, (1.0, 0.0))
    assert ended(played((0, -650, 700, -600, 600, 0), resign=both)) == (5, Verdict.ADJUDICATED, (1.0, 0.0))


def test_a_draw_needs_both_and_enough_moves() -> None:
    rule = DrawRule(begins=3, moves=2, score=10)
    table = played((0, 5, -10, 10, 3, 0), draw=rule)
    assert ended(table) == (6, Verdict.ADJUDICATED, (0.5, 0.5))
    table.finish()
    assert verdict(table.match.record()) == "draw, adjudicated"
    assert ended(played((0, 5, -10, 10, 3, 11), draw=rule)) == (6, None, None)
    assert ended(played((0, 5, -10, 10, 3, None), draw=rule)) == (6, None, None)


def test_a_game_that_is_over_by_the_rules_is_not_adjudicated() -> None:
    table = Table(rules="tictactoe", resign=ResignRule(moves=1, score=0.5)).begin()
    for move in ("a1", "b1", "a2", "b2"):
        table.play(move)
    table.play("a3", info=Info(score=-1.0))
    assert table.match.verdict is Verdict.NORMAL
    assert table.match.points == (1.0, 0.0)


def test_scores_of_other_games_are_those_of_their_agents() -> None:
    table = Table(rules="connect4", resign=ResignRule(moves=1, score=0.9)).begin()
    table.play("4", info=Info(score=-0.95))
    assert ended(table) == (1, Verdict.ADJUDICATED, (0.0, 1.0))


def test_a_report_without_a_score_is_none_and_chance_reports_nothing() -> None:
    moves = [MoveRecord(1, "opening", "a"), MoveRecord(2, 0, "b", score=-9.0), MoveRecord(3, "chance", "c")]
    assert ruled(moves, ResignRule(2, 5), None, float) is None
    assert ruled([*moves, MoveRecord(4, 0, "d", score=-5.0)], ResignRule(2, 5), None, float) is not None


def on_record(table: Table, **changed: Any) -> PastGame:
    table.finish()
    record = table.match.record()
    terms = table.fixture.conditions
    about = {
        "verdict": record.verdict,
        "detail": record.detail,
        "seats": tuple(
            PastSeat(seat=one.seat, player=one.player, points=one.points, utility=one.utility) for one in record.seats
        ),
    } | changed
    return PastGame(
        pair="p",
        game="chess",
        plies=len(record.moves),
        moves=record.moves,
        lag=record.lag,
        host=ended_by(terms),
        **about,
    )


def wrongs(**changed: Any) -> list[str]:
    game = on_record(played(LOST_BY_BLACK, resign=RESIGN), **changed)
    found = wrongs_of(game, PositionCheck(trust=True), imported=False, has_seed=False)
    return [one for one in found if any(word in one for word in ("rule", "adjudicated", "points", "utilities"))]


def test_verification_computes_the_verdict_again() -> None:
    assert wrongs() == []
    reason = "it ends by the rule for resigning: 2 moves at -600 or less, but its verdict is"
    assert f"{reason} resigned" in wrongs(verdict="resigned", fault=1)
    assert f"{reason} adjudicated" in wrongs(detail="the limit of 4 moves was reached")
    drawn = tuple(PastSeat(seat=seat, player=NAMES[seat], points=0.5, utility=0.0) for seat in range(2))
    assert [one.partition(" ")[2].partition(" ")[2].partition(" ")[0] for one in wrongs(seats=drawn)] == [
        "utilities",
        "points",
    ]


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"resign": {"moves": 0, "score": 5}}, "resign: moves: expected a whole number from 1 to 1000, got 0"),
        ({"resign": {"moves": 3}}, "resign: score: expected a number of at least 0"),
        ({"resign": {"moves": 3, "score": -5}}, "resign: score: expected a number of at least 0"),
        ({"draw": {"form": 40, "score": 5}}, "draw: unknown key 'form'; did you mean 'from'?"),
        ({"draw": 7}, "draw: expected a table"),
    ],
)
def test_wrong_rules_are_one_error(keys: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadLeague) as caught:
        from_arguments("chess", ["random", "random"], **keys)
    assert str(caught.value).startswith(reason)


def test_agents_whose_scores_have_no_known_scale_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from agents import Agent\nclass Mine(Agent):\n    pass\n")
    players = ["random", str(tmp_path / "mine.py")]
    with pytest.raises(BadLeague, match=r"^resign: the scores of 'mine' have no known scale"):
        from_arguments("chess", players, resign={"score": 600})
    asked = from_arguments("chess", players, resign={"score": 600}, scores="comparable")
    assert asked.conditions.resign == ResignRule(moves=3, score=600)


def test_rules_are_for_two() -> None:
    with pytest.raises(BadLeague, match=r"^draw: ludo is for 4 players"):
        from_arguments("ludo", ["random"] * 4, draw={"score": 1})
    with pytest.raises(BadFixture, match="resign and draw are for games of two players"):
        Table(rules="ludo", seats=4, draw=DrawRule(0, 1, 1))
