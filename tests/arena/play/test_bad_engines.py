"""Bad engines with the real referee: each gets its verdict, and the other games go on."""

from __future__ import annotations

import pytest

from agents.protocol import Verdict
from arena.match.clock import SECOND
from arena.match.conditions import Conditions, Limits
from arena.match.schedule import Entrant, Finished, InOrder, Planned
from arena.play.director import Director
from arena.walls.run_folder import RunFolder
from tests.bad_engines import BAD_ENGINES, PLIES, BadEngine, settings

OPPONENT = Entrant("good", "random", ("-m", "agents", "random", "--connect", "-"))
MANNERS = (
    *("uci-plays_well", "uci-never_says_readyok", "uci-moves_off_the_board", "uci-moves_illegally", "uci-hangs"),
    *("gtp-plays_well", "gtp-refuses_the_size", "gtp-resigns", "gtp-crashes_in_its_turn"),
)


def entrant(engine: BadEngine, folder: RunFolder) -> Entrant:
    patience = int(engine.patience * SECOND)
    orders = {"name": str(engine), "command": engine.command, "scratch": str(folder.scratch)}
    times = {"start": patience, "ready": patience, "engine": settings(engine.protocol)}
    return Entrant(str(engine), str(engine), ("-m", "arena.walls.warden"), orders | times, guarded=True)


def planned(number: int, engine: BadEngine, folder: RunFolder) -> Planned:
    limits = Limits(ready=int(engine.patience * SECOND))
    seats = (entrant(engine, folder), OPPONENT)
    return Planned(
        number,
        engine.rules.partition(":")[0],
        engine.rules,
        seats,
        seed=1,
        identity=(number,),
        conditions=Conditions(clock=engine.clock, max_plies=PLIES, limits=limits),
    )


@pytest.mark.costly
def test_each_gets_its_verdict_and_the_other_games_go_on() -> None:
    engines = [engine for engine in BAD_ENGINES if str(engine) in MANNERS]
    assert len(engines) == len(MANNERS)
    with RunFolder() as folder, Director(folder, at_once=3) as director:
        games = [planned(number, engine, folder) for number, engine in enumerate(engines)]
        finished = [event for event in director.play(InOrder(games)) if isinstance(event, Finished)]
        assert not list(folder.scratch.iterdir())
    # A game that was lost because the machine was busy is void, and played again.
    records = {event.game.number: event.record for event in finished}
    for number, engine in enumerate(engines):
        record = records[number]
        expected = {engine.verdict} if engine.at_fault else {Verdict.NORMAL, Verdict.ADJUDICATED}
        assert record.verdict in expected, record.detail
        assert record.fault == (0 if engine.at_fault else None)
        assert engine.words in record.detail
