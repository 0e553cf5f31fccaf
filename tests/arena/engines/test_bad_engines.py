"""Every bad engine, as a real process behind a real warden: it gets its verdict, and nothing of it is left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.match.clock import SECOND
from arena.walls.usage import descendants
from tests import bad_engines
from tests.bad_engines import BAD_ENGINES, PLIES, BadEngine, command, settings
from tests.kit.one_game_judge import Judge

Judges = dict[tuple[str, float], Judge]


@pytest.fixture(scope="module")
def judges() -> Iterator[Judges]:
    """One for each protocol and patience: its warden starts the engine that `play_with` names."""
    with ExitStack() as stack:
        judges: Judges = {}
        for protocol, patience in sorted({(engine.protocol, engine.patience) for engine in BAD_ENGINES}):
            limit = int(patience * SECOND)
            judge = Judge(command(protocol, "@../../manner"), engine=settings(protocol), start=limit, ready=limit)
            judges[protocol, patience] = stack.enter_context(judge)
        yield judges
        assert [judge.hang_up() for judge in judges.values()] == [""] * len(judges)


@pytest.mark.parametrize("protocol", ["uci", "gtp"])
def test_every_manner_is_in_the_table(protocol: str) -> None:
    source = Path(bad_engines.__file__).with_name(f"over_{protocol}.py").read_text()
    manners = re.findall(r"^class (\w+)\(Engine\)", source, re.MULTILINE)
    assert ["plays_well", *manners] == [engine.manner for engine in BAD_ENGINES if engine.protocol == protocol]


@pytest.mark.costly
@pytest.mark.parametrize("engine", BAD_ENGINES, ids=str)
def test_every_bad_engine_gets_its_verdict_and_leaves_nothing(engine: BadEngine, judges: Judges) -> None:
    judge = judges[engine.protocol, engine.patience]
    match, report = judge.play_with(engine.manner, clock=engine.clock, rules=engine.rules, max_plies=PLIES)
    assert (match.verdict, match.fault) == (engine.verdict, 0 if engine.at_fault else None), match.detail
    assert engine.words in match.detail
    assert report.game == match.fixture.game
    assert list(judge.scratch.iterdir()) == []
    assert descendants(judge.warden.pid) == set()
    assert judge.warden.poll() is None
