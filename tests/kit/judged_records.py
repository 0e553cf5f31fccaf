"""Records of games that a real Match judged, for tests of verifying and showing them; made without processes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

from arena.match.conditions import Conditions
from arena.match.fixture import Fixture, SeatPlan
from arena.match.openings import Book
from arena.match.seeds import GameSeeds
from db import store
from db.database import Database
from db.records import GameRecord, ScheduledGame
from tests.kit.match_model import MS
from tests.kit.match_table import Table
from tests.simulation.simulator import Simulation

NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)
SEED = 7
HOST: Final[dict[str, list[int]]] = {"waits_charged": []}
"""As games are played on this version: what is charged is exact."""


def store_evening(database: Database, seed: int) -> list[GameRecord]:
    """A whole evening of games in which all goes wrong that can, each stored for itself."""
    evening = Simulation(seed)
    evening.run()
    with database.writing() as connection:
        for table in evening.tables:
            fixture, record = table.fixture, table.match.record()
            names = [seat.player for seat in record.seats]
            versions = [store.version(connection, name, "random", "random", NOW) for name in names]
            new = ScheduledGame(
                pair=f"{seed} {fixture.game}",
                game=fixture.rules,
                clock=fixture.conditions.clock,
                seats=tuple(zip(versions, names, strict=True)),
            )
            (id,) = store.schedule(connection, None, [new])
            store.finish(connection, id, record, host=HOST, now=NOW)
    return [table.match.record() for table in evening.tables]


def store_tournament(
    database: Database,
    rules: str = "connect4",
    *,
    name: str = "cs101",
    names: tuple[str, ...] = ("ann", "bob", "cid"),
    clock: str = "10+0.1",
    openings: int = 2,
    sources: dict[str, str] | None = None,
) -> int:
    """A finished round-robin of players who move at random; its id."""
    random = Random(name)
    sources = sources or {}
    pairs = [(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]
    book = Book(rules, openings, seed=SEED)
    with database.writing() as connection:
        tournament = store.create_tournament(
            connection, name, format="round-robin", rules=rules, clock=clock, seed=SEED, settings={}, now=NOW
        )
        versions = {one: store.version(connection, one, sources.get(one, "random"), one, NOW) for one in names}
        for one, version in versions.items():
            store.enter(connection, tournament, one, version)
        for number, pair in enumerate(pairs):
            opening = book.opening(number)
            for leg in (0, 1):
                seats = pair if leg == 0 else pair[::-1]
                new = ScheduledGame(
                    round=1,
                    pair=json.dumps([*sorted(pair), 0]),
                    leg=leg,
                    game=rules,
                    clock=clock,
                    seed=SEED,
                    opening=" ".join(opening.moves) or None,
                    seats=tuple((versions[one], one) for one in seats),
                )
                (id,) = store.schedule(connection, tournament, [new])
                store.begin(connection, id, NOW)
                store.finish(
                    connection, id, played(id, new, opening.moves, random), host=HOST, now=NOW + timedelta(hours=1)
                )
        store.set_status(connection, tournament, "finished", NOW)
    return tournament


def played(id: int, game: ScheduledGame, opening: tuple[str, ...], random: Random) -> GameRecord:
    """How the game went between players who move at random, each after some thought."""
    key = GameSeeds.of(int(game.seed), (game.pair,), leg=game.leg, attempt=game.attempt).key
    plans = tuple(SeatPlan(name, name, f"{seat:064x}", seat) for seat, (_, name) in enumerate(game.seats))
    table = Table(Fixture(id, game.game, plans, key, Conditions(clock=game.clock), opening=opening))
    table.begin()
    while table.match.verdict is None:
        move = random.choice(table.match.state.moves())
        spent = random.randrange(100 * MS)
        table.play(table.match.state.to_text(move), after=spent + MS, spent=spent)
    table.finish()
    return table.match.record()
