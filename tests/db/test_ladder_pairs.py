"""The pairs of a ladder: how they are counted, and which scheduled games are cancelled."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from db import ladder_results, running, store
from db.database import Connection, Database
from db.ladder_results import BegunPairs
from db.records import ScheduledGame

NOW = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture
def connection(where: str) -> Iterator[Connection]:
    """A ladder with the id 1, and the versions 1, 2 and 3 of ann, bob and cid; beside it a tournament of theirs."""
    with Database(where) as database, database.writing() as connection:
        for tournament in ("cs101", "other"):
            id = store.create_tournament(
                connection, tournament, format="ladder", rules="nim", clock="none", seed=7, settings={}, now=NOW
            )
            for name in ("ann", "bob", "cid"):
                store.enter(connection, id, name, store.version(connection, name, f"source of {name}", name, NOW))
        yield connection


def pair(connection: Connection, one: tuple[int, str], other: tuple[int, str], number: int, *, ladder: int = 1) -> None:
    """Schedules a pair of these versions."""
    both = (one, other)
    store.schedule(
        connection,
        ladder,
        [
            ScheduledGame(pair=f"{one[1]} {other[1]} {number}", leg=leg, game="nim", seed=7, seats=seats)
            for leg, seats in enumerate((both, both[::-1]))
        ],
    )


def test_pairs_are_counted_by_version_with_the_number_of_the_last(connection: Connection) -> None:
    ann, bob, cid, new = (1, "ann"), (2, "bob"), (3, "cid"), (4, "ann")
    pair(connection, ann, bob, 0)
    pair(connection, cid, bob, 1)
    pair(connection, ann, bob, 2)
    pair(connection, ann, bob, 0, ladder=2)
    store.enter(connection, 1, "ann", store.version(connection, "ann", "a new source", "ann", NOW))
    pair(connection, bob, new, 3)
    first, *_ = running.scheduled(connection, 1, 10)
    store.repeat(connection, first.id)
    assert sorted(ladder_results.begun(connection, 1), key=lambda pairs: pairs.last) == [
        BegunPairs(("cid", "bob"), (3, 2), 1, 2),
        BegunPairs(("ann", "bob"), (1, 2), 2, 3),
        BegunPairs(("bob", "ann"), (2, 4), 1, 4),
    ]


def test_games_of_replaced_versions_and_inactive_agents_are_cancelled_unless_begun(connection: Connection) -> None:
    ann, bob, cid = (1, "ann"), (2, "bob"), (3, "cid")
    for number, (one, other) in enumerate([(ann, bob), (bob, cid), (ann, cid)]):
        pair(connection, one, other, number)
        pair(connection, one, other, number, ladder=2)
    assert ladder_results.cancel_replaced(connection, 1) == 0
    store.begin(connection, running.scheduled(connection, 1, 1)[0].id, NOW)
    store.enter(connection, 1, "ann", store.version(connection, "ann", "a new source", "ann", NOW))
    assert ladder_results.cancel_replaced(connection, 1) == 3
    assert {game.names for game in running.scheduled(connection, 1, 10)} == {("bob", "cid"), ("cid", "bob")}
    store.set_entry_status(connection, 1, "cid", "quarantined")
    assert ladder_results.cancel_replaced(connection, 1) == 2
    assert running.waiting(connection, 1) == [("ann bob 0", 0)]
    assert len(running.scheduled(connection, 2, 10)) == 6


def test_a_version_is_active_if_it_is_entered_now(connection: Connection) -> None:
    assert ladder_results.all_active(connection, 1, (1, 2, 3))
    store.set_entry_status(connection, 1, "cid", "withdrawn")
    assert not ladder_results.all_active(connection, 1, (2, 3))
    store.enter(connection, 1, "ann", store.version(connection, "ann", "a new source", "ann", NOW))
    assert [ladder_results.all_active(connection, 1, (version, 2)) for version in (1, 4)] == [False, True]
    assert ladder_results.all_active(connection, 2, (1, 3))
