"""Anchors without a rating play each other before a ladder opens, with real players, and each game once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adsearch import form
from arena.errors import BadLeague
from arena.players.submissions import Store
from arena.serve import opening
from arena.serve.ladder import Ladder, read
from arena.serve.open_ladders import OpenLadder
from db import lookup
from db.database import Database

UNRATED = """
game = "tictactoe"
seed = 1
[ladder]
closes = "2099-12-20"
anchors = ["random", "minimax:depth=3"]
"""


@pytest.fixture(autouse=True)
def _few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "ROUNDS", 3)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty one."""
    with Database(str(tmp_path / "arena.db")) as database:
        yield database


def described(folder: Path, text: str = UNRATED) -> Ladder:
    """The ladder of this description."""
    path = folder / "cs101.toml"
    path.write_text(text, "utf-8")
    return read(path)


def opened(ladder: Ladder, database: Database, folder: Path, say: Callable[[str], None]) -> OpenLadder:
    """The ladder, opened or updated."""
    return opening.open_or_update(
        ladder, database, Store(folder / "store"), wait=pytest.fail, say=say, now=lambda: datetime.now(UTC)
    )


def played(database: Database) -> dict[str, int]:
    """The tournaments, with the number of their games."""
    with database.reading() as connection:
        return {row.name: row.played for row in lookup.tournaments(connection)}


def test_anchors_are_rated_by_their_games_and_the_first_one_is_at_zero(tmp_path: Path, database: Database) -> None:
    ladder = described(tmp_path)
    said: list[str] = []
    found = opened(ladder, database, tmp_path, said.append)
    assert found.anchors["random"] == 0.0
    assert found.anchors["minimax:depth=3"] > 100.0
    assert said[0] == "rating the anchors: 6 games of 2 built-in agents"
    assert opened(ladder, database, tmp_path, pytest.fail) == found
    assert played(database) == {"cs101": 0, "cs101 anchors": 6}


def test_a_ladder_opens_in_the_form_of_adsearch_in_which_its_anchors_were_rated(
    tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = described(tmp_path)

    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(form, "form", lambda: "interpreted")
    with pytest.raises(KeyboardInterrupt):
        opened(ladder, database, tmp_path, interrupt)
    monkeypatch.setattr(form, "form", lambda: "compiled")
    assert opened(ladder, database, tmp_path, lambda _: None).ladder.league.conditions.adsearch == "interpreted"


def test_a_tournament_that_began_before_the_ladder_opens_is_refused(tmp_path: Path, database: Database) -> None:
    text = UNRATED + '[[ladder.tournament]]\nname = "friday"\nstarts = "2026-01-02 10:00"\n'
    with pytest.raises(BadLeague) as error:
        opened(described(tmp_path, text), database, tmp_path, pytest.fail)
    assert str(error.value).startswith("cs101 friday: starts: expected a time to come, got 2026-01-02 10:00")
    assert played(database) == {}


@pytest.mark.costly
def test_an_interrupted_opening_goes_on_where_it_was(tmp_path: Path, database: Database) -> None:
    ladder = described(tmp_path)

    def interrupt(text: str) -> None:
        if "1 of 6" in text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        opened(ladder, database, tmp_path, interrupt)
    before = played(database)
    assert [*before] == ["cs101 anchors"]
    assert 1 <= before["cs101 anchors"] < 6
    said: list[str] = []
    opened(ladder, database, tmp_path, said.append)
    assert "  1 of 6 games are over" not in said
    assert played(database) == {"cs101": 0, "cs101 anchors": 6}


def test_given_ratings_are_held_and_nothing_is_played(tmp_path: Path, database: Database) -> None:
    ladder = described(tmp_path, UNRATED.replace('["random", "minimax:depth=3"]', '{ random = 10, "minimax" = 20 }'))
    assert opened(ladder, database, tmp_path, pytest.fail).anchors == {"random": 10.0, "minimax": 20.0}
    assert played(database) == {"cs101": 0}


def test_a_single_anchor_is_at_zero(tmp_path: Path, database: Database) -> None:
    ladder = described(tmp_path, UNRATED.replace('"random", ', ""))
    assert opened(ladder, database, tmp_path, pytest.fail).anchors == {"minimax:depth=3": 0.0}


@pytest.mark.costly
def test_anchors_that_are_too_slow_are_refused_by_name_each_time(tmp_path: Path, database: Database) -> None:
    ladder = described(tmp_path, UNRATED.replace("seed = 1", 'clock = "0.000001"\nmargin = 0'))
    for _ in range(2):
        with pytest.raises(BadLeague, match=r"anchors: '.*' lost \d of 6 games by a fault \(time \d\): choose faster"):
            opened(ladder, database, tmp_path, lambda _: None)
    assert [*played(database)] == ["cs101 anchors"]


def test_a_ladder_whose_close_is_past_is_refused_before_anything_is_played(tmp_path: Path, database: Database) -> None:
    with pytest.raises(BadLeague, match="cs101: closes: expected a time to come, got 2020-12-20"):
        opened(described(tmp_path, UNRATED.replace("2099", "2020")), database, tmp_path, pytest.fail)
    assert played(database) == {}
