"""Wins in another seat than the first: counted as the views count them, for two and more players, with rulings."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import lookup, scores
from db.database import Database
from tests.kit import sample_record

WINS = """
    SELECT player, COUNT(*) FROM v_seat JOIN v_game ON v_game.id = v_seat.game
    WHERE counts AND present AND seat > 0 AND points = 1 {which} GROUP BY player
"""


@pytest.mark.parametrize("tournament", ["cs101", "evening", None])
def test_wins_in_another_seat_than_the_first_are_what_the_views_say(tmp_path: Path, tournament: str | None) -> None:
    file = tmp_path / "arena.db"
    sample_record.make(file)
    with Database(str(file)) as database, database.reading() as connection:
        found = None if tournament is None else lookup.find_tournament(connection, tournament)
        counted = scores.scores(connection, found).players
        query = WINS.format(which="" if tournament is None else f"AND tournament = '{tournament}'")
        viewed = dict[str, int](connection.exec_driver_sql(query).all())
    assert viewed
    assert {name: score.wins_second for name, score in counted.items() if score.wins_second} == viewed


FORFEITS = """
    SELECT player, COUNT(*) FROM v_seat JOIN v_game ON v_game.id = v_seat.game
    WHERE counts AND present AND verdict = 'forfeit' AND fault <> seat {which} GROUP BY player
"""


@pytest.mark.parametrize("tournament", ["cs101", None])
def test_games_given_by_forfeit_are_what_the_views_say(tmp_path: Path, tournament: str | None) -> None:
    file = tmp_path / "arena.db"
    sample_record.make(file)
    with Database(str(file)) as database, database.reading() as connection:
        found = None if tournament is None else lookup.find_tournament(connection, tournament)
        counted = scores.scores(connection, found).players
        query = FORFEITS.format(which="" if tournament is None else f"AND tournament = '{tournament}'")
        viewed = dict[str, int](connection.exec_driver_sql(query).all())
    assert viewed
    assert {name: score.forfeits for name, score in counted.items() if score.forfeits} == viewed
