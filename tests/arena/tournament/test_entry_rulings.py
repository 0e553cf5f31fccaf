"""Rulings about agents: each changes something, and anchors of a ladder stay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import BadRuling
from arena.serve.open_ladders import OpenLadder
from arena.tournament import rulings
from arena.tournament.rulings import rule_on_entry
from db import lookup, store
from db.database import Connection, Database
from db.errors import NotFound
from db.records import acts_about
from tests.kit.ladder_record import OPENED, hand_in, open_ladder


@pytest.fixture
def connection(where: str) -> Iterator[Connection]:
    with Database(where) as database, database.writing() as connection:
        yield connection


@pytest.fixture
def ladder(connection: Connection, tmp_path: Path) -> OpenLadder:
    """With alice."""
    found = open_ladder(connection, tmp_path)
    hand_in(connection, found, "alice", "mcts")
    return found


def status(connection: Connection, ladder: OpenLadder) -> str:
    return lookup.entry_statuses(connection, ladder.id)["alice"]


@pytest.mark.parametrize(("what", "then"), [(what, act.status) for what, act in acts_about("agent").items()])
def test_a_ruling_that_changes_nothing_is_refused(
    connection: Connection, ladder: OpenLadder, what: str, then: str
) -> None:
    if what == "release":
        rule_on_entry(connection, ladder.id, "alice", "withdraw", "x", OPENED)
    rule_on_entry(connection, ladder.id, "alice", what, "x", OPENED)
    assert status(connection, ladder) == then
    with pytest.raises(BadRuling, match=f"'alice' is already {then} in cs101"):
        rule_on_entry(connection, ladder.id, "alice", what, "x", OPENED)


def test_who_was_put_aside_has_the_status_from_before_when_that_is_revoked(
    connection: Connection, ladder: OpenLadder
) -> None:
    rule_on_entry(connection, ladder.id, "alice", "withdraw", "x", OPENED)
    ruling = rule_on_entry(connection, ladder.id, "alice", "quarantine", "x", OPENED)
    rulings.revoke(connection, ruling, "x", OPENED)
    assert status(connection, ladder) == "withdrawn"


@pytest.mark.parametrize(("what", "words"), [("withdraw", "withdrawn"), ("quarantine", "quarantined")])
def test_an_anchor_stays(connection: Connection, ladder: OpenLadder, what: str, words: str) -> None:
    with pytest.raises(BadRuling, match=f"'random' is an anchor of the ladder 'cs101' and cannot be {words}"):
        rule_on_entry(connection, ladder.id, "random", what, "x", OPENED)
    final = store.create_tournament(
        connection, ladder.final, format="swiss", rules="tictactoe", clock="5", seed=1, settings={}, now=OPENED
    )
    store.enter(connection, final, "random", store.version(connection, "random", "random", "random", OPENED))
    rule_on_entry(connection, final, "random", what, "x", OPENED)


def test_nobody_is_ruled_on_who_does_not_take_part(connection: Connection, ladder: OpenLadder) -> None:
    with pytest.raises(NotFound, match="no player 'zoe'"):
        rule_on_entry(connection, ladder.id, "zoe", "withdraw", "x", OPENED)
