"""Cores for games: enough or none, shared by directors, and players really run only on them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adsearch import games
from agents.protocol import Verdict
from arena.match.allowance import WallKind
from arena.match.conditions import Conditions
from arena.match.schedule import Entrant, Finished, InOrder, Planned
from arena.play import cores
from arena.play.cores import Cores, physical
from arena.play.director import Director
from arena.players.entrants import Confinement, enter
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.walls.run_folder import RunFolder
from arena.walls.usage import LINUX
from tests.kit.behind_walls import need

FIRST = 90_000 + os.getpid() % 1000 * 10
"""Cores that no machine has, and that no other process of the tests asks for."""

needs_linux = pytest.mark.skipif(not LINUX, reason="only Linux binds a process to a processor")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Four cores; what is changed in the list changes the machine."""
    there = [FIRST + number for number in range(4)]
    monkeypatch.setattr(cores, "physical", lambda: list(there))
    return there


def taken(of: Cores) -> list[int]:
    """Takes all its free cores."""
    found = []
    while (core := of.take()) is not None:
        found.append(core - FIRST)
    return sorted(found)


@needs_linux
@pytest.mark.parametrize(
    ("at_once", "bound"), [(1, [3]), (2, [2, 3]), (3, [1, 2, 3]), (4, []), (5, [])], ids=lambda value: str(value)
)
def test_each_game_gets_a_core_and_one_is_left_or_none_is_reserved(
    at_once: int, bound: list[int], machine: list[int]
) -> None:
    of = Cores(at_once)
    assert taken(of) == bound
    of.close()


@needs_linux
def test_there_are_no_cores_where_processes_cannot_be_bound(machine: list[int]) -> None:
    machine.clear()
    assert Cores(1).take() is None


@needs_linux
def test_a_core_that_is_given_back_is_there_for_the_next_game(machine: list[int]) -> None:
    of = Cores(1)
    core = of.take()
    assert core is not None
    assert of.take() is None
    of.give_back([core, core, None])
    assert (of.take(), of.take()) == (core, None)
    of.close()


@needs_linux
def test_directors_share_a_machine_and_none_gets_less_than_it_needs(machine: list[int]) -> None:
    first, second = Cores(2), Cores(1)
    third = Cores(1)
    assert (taken(first), taken(second), taken(third)) == ([2, 3], [1], [])
    first.close()
    fourth, fifth = Cores(3), Cores(2)
    assert (taken(fourth), taken(fifth)) == ([], [2, 3])
    for of in (second, third, fourth, fifth):
        of.close()


@needs_linux
def test_a_director_that_gets_too_few_cores_leaves_them_to_others(machine: list[int]) -> None:
    first = Cores(2)
    too_many = Cores(2)
    assert taken(too_many) == []
    last = Cores(1)
    assert taken(last) == [1]
    for of in (first, too_many, last):
        of.close()


@needs_linux
def test_what_is_closed_holds_nothing_and_gives_nothing(machine: list[int]) -> None:
    of = Cores(3)
    of.close()
    of.close()
    assert of.take() is None
    again = Cores(3)
    assert taken(again) == [1, 2, 3]
    again.close()


@needs_linux
def test_a_machines_cores_are_those_of_this_process_and_one_thread_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    usable = os.sched_getaffinity(0)
    assert set(physical()) <= usable
    assert physical()
    monkeypatch.setattr(cores, "_siblings", lambda number: {number, number + 4})
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 4, 5, 7})
    assert physical() == [0, 1, 2, 7]
    assert cores.count() == 4


@needs_linux
@pytest.mark.parametrize(
    ("told", "siblings"),
    [("0-1\n", {0, 1}), ("0,4\n", {0, 4}), ("0,2-3\n", {0, 2, 3}), ("0\n", {0}), ("", {0}), ("nonsense", {0})],
    ids=["a range", "a list", "both", "alone", "nothing", "nonsense"],
)
def test_threads_of_a_core_are_read_as_the_kernel_writes_them(
    told: str, siblings: set[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cpu0").write_text(told)
    monkeypatch.setattr(cores, "_TOPOLOGY", str(tmp_path / "cpu{}"))
    assert cores._siblings(0) == siblings
    assert cores._siblings(1) == {1}


AGENT = """
import os, threading
from agents import Agent

class Tells(Agent):
    def choose(self, state, clock):
        seen = []
        thread = threading.Thread(target=lambda: seen.extend(os.sched_getaffinity(0)))
        thread.start()
        thread.join()
        self.tell(text=f"{sorted(os.sched_getaffinity(0))} {sorted(seen)}")
        return state.moves()[0]
"""
OURS = """
import os, sys
from agents.__main__ import main
from agents.builtin.random_moves import RandomMoves

def choose(self, state, clock, plain=RandomMoves.choose):
    self.tell(text=f"{sorted(os.sched_getaffinity(0))}")
    return plain(self, state, clock)

RandomMoves.choose = choose
sys.exit(main())
"""
"""A built-in agent that reports where it runs."""


@needs_linux
@pytest.mark.parametrize("kind", WallKind)
@pytest.mark.parametrize("fresh", [True, False], ids=["fresh", "kept"])
def test_players_of_a_game_run_on_its_core_alone(
    kind: WallKind, fresh: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(kind)
    there = physical()
    monkeypatch.setattr(cores, "_lock", lambda _: _Held())
    monkeypatch.setattr(cores, "physical", lambda: [there[0], there[0], there[-1]])
    (tmp_path / "tells.py").write_text(AGENT)
    (tmp_path / "ours.py").write_text(OURS)
    with RunFolder() as folder, Director(folder, at_once=1) as director:
        given = [director._cores.take()]
        assert given == [there[-1]]
        store, rules = Store(folder.path / "store"), "tictactoe"
        confinement = Confinement(folder.scratch, "", conditions=Conditions(walls=kind, reuse=not fresh))
        walled = enter(read_player(str(tmp_path / "tells.py")), "walled", games.start(rules), store, confinement)
        ours = Entrant("ours", "ours", (str(tmp_path / "ours.py"), "random", "--connect", "-"))
        for number, core in enumerate((there[-1], there[0], there[-1]), 1):
            director._cores.give_back([core])
            game = Planned(number, rules, rules, (walled, ours), seed=1, identity=(number,))
            *_, record = (event.record for event in director.play(InOrder([game])) if isinstance(event, Finished))
            assert record.verdict == Verdict.NORMAL, record.detail
            assert {move.text for move in record.moves if move.who == 0} == {f"[{core}] [{core}]"}
            assert {move.text for move in record.moves if move.who == 1} == {f"[{core}]"}
            director._cores.take()


class _Held:
    """A lock on a core that no other process uses."""

    def close(self) -> None:
        """No core was reserved."""
