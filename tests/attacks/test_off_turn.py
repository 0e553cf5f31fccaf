"""An agent cannot compute in its opponent's turn, and no game is void by what it does then. The attackers are in C."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

import pytest

from adsearch import games
from agents.protocol import Verdict
from arena.match.allowance import WallKind
from arena.match.clock import MILLISECOND as MS
from arena.match.clock import SECOND
from arena.match.conditions import Conditions
from arena.match.schedule import Entrant, Finished, InOrder, Planned
from arena.play.director import Director
from arena.players.entrants import Confinement, enter
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.walls import cgroup
from arena.walls.agent_process import Pause
from arena.walls.jail import Confined
from arena.walls.run_folder import RunFolder
from tests.attacks import ATTACKS
from tests.attacks.attack_run import compiled
from tests.kit import behind_walls, needs
from tests.kit.behind_walls import needs_linux
from tests.kit.burners import burning
from tests.kit.effort import SOAK

pytestmark = needs_linux

NAMES: Final = [*(attack.name for attack in ATTACKS if attack.way == "compiled"), "call_for_long", "make_chains"]
TURNS: Final = 6
OPPONENTS: Final = 0.1
"""Seconds of an opponent's turn."""
NEVER_STILL: Final = "its own time is over"
_LOOKS: Final = 100
MOST: Final = 20 * MS
"""Processor time in an opponent's turn."""
PLACES: Final = (
    *((WallKind.SANDBOX, False), (WallKind.LIMITS, False)),
    *((WallKind.CONTAINER, True), (WallKind.CONTAINER, False)),
)
"""Kinds of walls, and whether there is a control group: for an ordinary user only where one was delegated."""
THINKER: Final = "mcts:seconds=0.05"
GAMES: Final = 30 if SOAK else 1
PLIES: Final = 12


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The attackers' program."""
    return compiled(needs.program("cc"), tmp_path_factory.mktemp("off-turn"))


def answer(confined: Confined, number: int) -> bool:
    """Whether the agent has answered a turn."""
    turn = b'{"type":"turn","game":1,"id":"%d","legal":["a","b"]}\n' % number
    os.write(confined.stdin.fileno(), turn)
    return confined.stdout.readline().startswith(b'{"type":"move"')


def in_opponents_turn(confined: Confined, pause: Pause) -> tuple[int, str]:
    """The processor time that it uses in a pause, and what it is accused of. Looks are made when due."""
    assert pause.begin()
    for _ in range(_LOOKS):  # in its own time
        if pause.is_still:
            break
        time.sleep(max(0.0, (pause.look_at or 0) / 1e9 - time.monotonic()))
        pause.look(may_resume=True)
    else:
        return 0, NEVER_STILL
    before = confined.usage.cpu() or 0
    until = time.monotonic() + OPPONENTS
    fault = ""
    while not fault and (left := until - time.monotonic()) > 0:
        due = until if pause.look_at is None else pause.look_at / 1e9
        time.sleep(max(0.0, min(left, due - time.monotonic())))
        if pause.look_at is not None and time.monotonic_ns() >= pause.look_at:
            confined.usage.look()
            fault = pause.look(may_resume=True)
    fault = fault or pause.fault()
    return (confined.usage.cpu() or 0) - before, fault


@pytest.mark.costly
@pytest.mark.parametrize(("kind", "grouped"), PLACES)
@pytest.mark.parametrize("attack", NAMES)
def test_nobody_computes_in_the_opponents_turn(
    attack: str, kind: WallKind, grouped: bool, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not grouped:
        monkeypatch.setattr(cgroup, "make", lambda *_: None)
    elif cgroup.make() is None:
        pytest.skip("no control group can be made here: run as root, or in a group that was delegated")
    confined = behind_walls.start([str(program), attack], kind, tmp_path, readable=(str(program),))
    pause = Pause(confined, time.monotonic_ns)
    accused = ""
    try:
        for turn in range(TURNS):
            assert answer(confined, turn)
            confined.usage.look()
            used, accused = in_opponents_turn(confined, pause)
            if accused:
                # They are in one system call after the other that no signal stops.
                assert attack in ("start_children_in_its_memory", "call_for_long")
                assert accused == NEVER_STILL
                break
            assert used <= MOST
            pause.end()
    finally:
        confined.kill_all()
        paused = confined.stderr.read().split()[1:]  # before the first question it was not
        confined.remove()
    assert all(int(nanoseconds) >= OPPONENTS * SECOND for nanoseconds in paused)


@pytest.mark.costly
@pytest.mark.parametrize("kind", [WallKind.SANDBOX, WallKind.CONTAINER])
@pytest.mark.parametrize("attack", ["resume_itself_with_many_threads", "call_for_long"])
def test_no_game_is_void_by_what_is_done_off_turn(attack: str, kind: WallKind, program: Path, tmp_path: Path) -> None:
    """Not even where other programs keep both processors busy."""
    behind_walls.need(kind)
    store = Store(tmp_path / "store")
    with burning(4, ()), RunFolder() as folder, Director(folder, at_once=1) as director:
        confinement = Confinement(folder.scratch, "connect4", conditions=Conditions(walls=kind))
        attacker = enter(read_player(f"cmd:{program}"), attack, games.start("connect4"), store, confinement)
        opponent = Entrant("thinker", THINKER, ("-m", "agents", THINKER, "--connect", "-"))
        schedule = [
            Planned(
                number, "connect4", "connect4", (attacker, opponent), seed=number, identity=("off turn", number),
                conditions=Conditions(clock="1+0.1", max_plies=PLIES),
            )
            for number in range(1, GAMES + 1)
        ]  # fmt: skip
        over = [event.record for event in director.play(InOrder(schedule)) if isinstance(event, Finished)]
    assert len(over) == GAMES
    for record in over:
        assert record.verdict in (Verdict.ADJUDICATED, Verdict.NORMAL, Verdict.TIME, Verdict.UNREADY), record.detail
        assert record.fault != 1, record.detail
