"""On a busy machine real agents get the verdicts that they would get on a quiet one.

With SOAK=1 the whole matrix is played, and its table printed: docs/developers/security.md shows it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Final

import pytest

from adsearch import games
from agents.protocol import Verdict
from arena.match.allowance import Allowance, WallKind
from arena.match.clock import MILLISECOND, SECOND
from arena.match.conditions import Conditions, Limits
from arena.match.schedule import Entrant, Finished, InOrder, Planned
from arena.play.director import Director
from arena.players.entrants import Confinement, enter
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.walls import probe
from arena.walls.run_folder import RunFolder
from arena.walls.usage import LINUX
from db.records import GameRecord
from tests import busy_agents
from tests.kit.burners import burning
from tests.kit.effort import SOAK, tries
from tests.kit.needs import program

AGENTS: Final = Path(busy_agents.__file__).with_name("agents.py")
SIXTY: Final = AGENTS.with_name("sixty.py")
JAVA: Final = AGENTS.with_name("Fair.java")
BUSY_OFF_TURN: Final = {
    "Ponders": "python3",
    "java": "javac",
    "node": "node",
    "c": "cc",
}
"""Honest agents with threads that compute all the time, and the program that each needs."""
BURNERS: Final = (0, 2, 4, 8) if SOAK else (2,)
"""How many processes burn the agents' cores; with two of them an agent waits two thirds of the time."""
FAIR: Final = ("built-in", "Fair", "java")
FAULTY: Final = ("Hangs", "Spins", "Sleeps", "StopsItself", "GivesWay", "Chatters", "Floods")
SMALL: Final = "connect4:rows=4,columns=4,line=3"

pytestmark = pytest.mark.skipif(not LINUX, reason="only Linux says how long a process waited for a processor")


@dataclass(frozen=True)
class Room:
    """A director, and its entrants."""

    folder: RunFolder
    director: Director

    @property
    def cores(self) -> set[int]:
        """The cores on which its games run; none if they run anywhere."""
        return set(self.director._cores._free)

    def entrant(self, kind: str, rules: str, walls: WallKind | None = None, text: str = "") -> Entrant:
        """`text`: the player; by default that of its kind."""
        texts = {"built-in": "mcts:seconds=0.1", "random": "random", "java": f"cmd:java {JAVA}", "sixty": str(SIXTY)}
        player = read_player(text or texts.get(kind, f"{AGENTS}:{kind}"))
        own: dict[str, Any] = {}
        if kind in ("StartsSixty", "sixty"):
            own = {"limits": Limits(ready=SECOND), "allowance": Allowance(start=SECOND)}
        elif text:
            own = {"reuse": True, "allowance": Allowance(memory=None, start=300 * SECOND)}
        confinement = Confinement(self.folder.scratch, "", Conditions(walls=walls or WallKind.SANDBOX, **own))
        store = Store(self.folder.path / "store")
        return enter(player, kind, games.start(rules), store, confinement)

    def play(self, *planned: Planned) -> list[GameRecord]:
        """Plays all of them; a void game is not played again."""
        events = self.director.play(InOrder(planned))
        return [event.record for event in events if isinstance(event, Finished)]


@pytest.fixture
def room() -> Iterator[Room]:
    with RunFolder() as folder, Director(folder) as director:
        yield Room(folder, director)


def needs(kind: str) -> None:
    """Skips where there is nothing to play with."""
    if kind != "built-in" and not (offer := probe.offer(WallKind.SANDBOX)).holds:
        pytest.skip(f"this machine offers no sandbox: {offer.why}")
    if kind == "java":
        program("java")


def games_of(room: Room, kind: str, rules: str, clock: str, number: int, text: str = "") -> list[Planned]:
    entrant, other = room.entrant(kind, rules, text=text), room.entrant("random", rules)
    return [
        Planned(
            n,
            rules,
            rules,
            (entrant, other) if n % 2 else (other, entrant),
            1,
            (n,),
            attempt=3,
            conditions=Conditions(clock=clock),
        )
        for n in range(1, number + 1)
    ]


@pytest.fixture(scope="module")
def busy_off_turn(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The player texts of these agents, as far as their programs are here."""
    folder = tmp_path_factory.mktemp("busy")
    texts = {"Ponders": f"{AGENTS}:Ponders"}
    if compiler := shutil.which("cc"):
        subprocess.run([compiler, "-O1", "-pthread", "-o", folder / "loads", AGENTS.with_name("loads.c")], check=True)
        texts["c"] = f"cmd:{folder / 'loads'}"
    if compiler := shutil.which("javac"):
        subprocess.run([compiler, "-d", folder, AGENTS.with_name("Garbage.java")], check=True)
        texts["java"] = f"cmd:java -Xmx4g -cp {folder} Garbage"
    if node := shutil.which("node"):
        shutil.copy(AGENTS.with_name("worker.js"), folder)
        texts["node"] = f"cmd:{node} {folder / 'worker.js'}"
    return texts


@pytest.mark.costly
@pytest.mark.parametrize("burners", (8, 30) if SOAK else (4,))
@pytest.mark.parametrize("kind", BUSY_OFF_TURN)
def test_no_honest_agent_is_accused_of_computing_off_turn(
    kind: str, burners: int, room: Room, busy_off_turn: dict[str, str]
) -> None:
    needs("Fair")
    program(BUSY_OFF_TURN[kind])
    with burning(burners, room.cores):
        records = room.play(*games_of(room, kind, SMALL, "20+1", tries(2, soak=65), text=busy_off_turn[kind]))
    tell(f"{kind}, busy off turn", burners, records)
    for record in records:
        assert record.verdict in (Verdict.NORMAL, Verdict.ADJUDICATED), record.detail


@pytest.mark.costly
@pytest.mark.parametrize("burners", BURNERS)
@pytest.mark.parametrize("kind", FAIR)
def test_an_agent_that_works_a_tenth_of_a_second_a_move_is_never_out_of_time(
    kind: str, burners: int, room: Room
) -> None:
    needs(kind)
    with burning(burners, room.cores):
        # A built-in agent searches all of a small game immediately.
        rules = "connect4" if SOAK or kind == "built-in" else SMALL
        records = room.play(*games_of(room, kind, rules, "2+0.02", tries(1, soak=40)))
    tell(kind, burners, records)
    for record in records:
        assert record.verdict in (Verdict.NORMAL, Verdict.ADJUDICATED), record.detail
        for move in record.moves:
            wall = (move.spent or 0) + (move.delay or 0)
            assert min(move.cpu or 0, wall) <= (move.spent or 0)


@pytest.mark.costly
@pytest.mark.parametrize("burners", BURNERS)
@pytest.mark.parametrize("kind", FAULTY)
def test_a_player_that_does_not_answer_is_out_of_time_however_busy_the_machine_is(
    kind: str, burners: int, room: Room
) -> None:
    needs(kind)
    with burning(burners, room.cores):
        records = room.play(*games_of(room, kind, SMALL, "2+0.02" if SOAK else "0.2", tries(1, soak=10)))
    tell(kind, burners, records)
    for record in records:
        assert record.verdict == Verdict.TIME, record.detail
        assert record.fault is not None
        assert record.seats[record.fault].player == kind


def tell(kind: str, burners: int, records: list[GameRecord]) -> None:
    """A row of the table, with -s."""
    verdicts = ", ".join(
        f"{number} {verdict}" for verdict, number in sorted(Counter(r.verdict for r in records).items())
    )
    moves = [move for record in records for move in record.moves]
    waited = sum(move.delay or 0 for move in moves) / SECOND
    thought = sum(move.spent or 0 for move in moves) / SECOND
    print(f"| {kind} | {burners} | {len(records)} | {verdicts} | {thought:.1f} s | {waited:.1f} s |")


CPU_GROUPS: Final = Path("/sys/fs/cgroup/cpu")
"""Where groups share processors out as a container does: within one, every thread has the same right."""


@contextmanager
def in_one_cpu_group() -> Iterator[None]:
    """Inside, this process and all that it starts share one group's part of the processors."""
    group = CPU_GROUPS / f"arena-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"this machine lets nobody make a group of processes here: {error}")
    try:
        (group / "cgroup.procs").write_text(str(os.getpid()))
        yield
    finally:
        (CPU_GROUPS / "cgroup.procs").write_text(str(os.getpid()))
        group.rmdir()


@pytest.mark.costly
@pytest.mark.parametrize("crowd", ["StartsSixty", "sixty"])
@pytest.mark.parametrize("walls", [WallKind.SANDBOX, WallKind.LIMITS])
def test_sixty_threads_keep_no_other_agent_from_being_ready(crowd: str, walls: WallKind) -> None:
    if not (offer := probe.offer(walls)).holds:
        pytest.skip(f"this machine offers no {walls}: {offer.why}")
    with in_one_cpu_group(), RunFolder() as folder, Director(folder) as director:
        room = Room(folder, director)
        entrants = room.entrant(crowd, "tictactoe", walls), room.entrant("Fair", "tictactoe", walls)
        for number, seats in enumerate((entrants, entrants[::-1]), 1):
            (record,) = room.play(Planned(number, "tictactoe", "tictactoe", seats, 1, (number,), attempt=3))
            fault = None if record.fault is None else record.seats[record.fault].player
            assert (record.verdict, fault) != (Verdict.UNREADY, "Fair"), record.detail
            assert record.verdict != Verdict.VOID, record.detail


@pytest.mark.costly
def test_threads_that_wake_up_together_and_mostly_sleep_are_charged_for_sleeping(room: Room) -> None:
    """If other programs need the processor too, waiting for them is not sleeping, so such games prove nothing."""
    needs("WakesTogether")
    entrant, other = room.entrant("WakesTogether", SMALL), room.entrant("random", SMALL)
    quiet = 0
    for number in range(1, 6):
        game = Planned(
            number,
            SMALL,
            SMALL,
            (entrant, other),
            1,
            (number,),
            attempt=3,
            conditions=Conditions(clock="60", max_plies=2),
        )
        began, pressed = monotonic(), pressure()
        (record,) = room.play(game)
        if pressure() - pressed > 0.25 * (monotonic() - began):
            continue  # they want it a tenth of the time themselves
        quiet += 1
        walls = [(move.spent or 0, (move.spent or 0) + (move.delay or 0)) for move in record.moves if move.who == 0]
        assert all(wall > 400 * MILLISECOND and spent >= 0.95 * wall for spent, wall in walls), walls
    if not quiet:
        pytest.skip("others use the processors all the time")


def pressure() -> float:
    """Seconds in which any process on this machine waited for a processor."""
    try:
        return int(Path("/proc/pressure/cpu").read_text().split("total=")[1].split()[0]) / 1_000_000
    except (OSError, IndexError):
        pytest.skip("this kernel does not say who waits")
