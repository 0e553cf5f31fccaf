"""Checks on hosts that answer late, wrongly, or not at all; and on real ones."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.hosts.messages import Examination, Examined, Examining, Host, received, sent
from arena.players.submissions import Store
from arena.student.checking import CheckReport, CheckStep, Light, StepName
from arena.student.checking.check_schedule import Candidate
from arena.student.checking.conditions import Conditions
from tests.kit import needs
from tests.kit.arena_program import arena
from tests.kit.dask_room import Program, Room

pytest.importorskip("distributed", reason=needs.extra("scale"))

from arena.hosts.cluster import Answer
from arena.hosts.far_examiner import FarExaminer
from tests.kit import answering_hosts
from tests.kit.answering_hosts import host

AGENT = """
from agents import Agent


class Mine(Agent):
    def choose(self, state, clock):
        return state.{moves}()[0]
"""
SLOW = """
import time

from agents import Agent


class Mine(Agent):
    def choose(self, state, clock):
        time.sleep(0.05)
        return state.moves()[0]
"""


def asked_to_join(data: bytes) -> None:
    assert received(data, Examining).conditions.game == "tictactoe"


class Hosts(answering_hosts.Hosts):
    """Hosts that get agents to check."""

    def __init__(self, checks: Callable[[Hosts, str, Examination], list[Any]], **names: Host) -> None:
        super().__init__(Examination, checks, asked_to_join, **names)


def report(asked: Examination) -> CheckReport:
    again = f"arena check {asked.text} --game tictactoe"
    return CheckReport(
        agent=asked.agent.name,
        steps=(CheckStep(name=StepName.FOUND, light=Light.GOOD, seconds=0.1, message="found", again=again),),
    )


def answer(asked: Examination, found: CheckReport | None = None, **more: Any) -> Answer:
    return Answer(asked.key, sent(Examined(found, **more)))


def checks(_: Hosts, __: str, asked: Examination) -> list[Any]:
    return [answer(asked, report(asked))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("ann", "bob", "cleo", "dan", "eve"):
        (tmp_path / f"{name}.py").write_text(f"{AGENT.format(moves='moves')}\n# {name}\n")
    return tmp_path


def checked(folder: Path, hosts: Hosts, *names: str) -> tuple[dict[int, CheckReport], list[str]]:
    """The reports of agents in the folder, and what was said."""
    said: list[str] = []
    texts = [str(folder / f"{name}.py") for name in names or ("ann", "bob", "cleo", "dan", "eve")]
    examiner = FarExaminer(hosts, Conditions(game="tictactoe"), Store(folder / "store"), said.append)  # type: ignore[arg-type]
    try:
        found = list(examiner.each([Candidate("", text) for text in texts]))
    finally:
        hosts.close()
    assert len(dict(found)) == len(found)
    return dict(found), said


def test_every_agent_has_its_report(folder: Path) -> None:
    hosts = Hosts(checks, a=host(), b=host(games=2))
    found, said = checked(folder, hosts)
    assert [found[place].agent for place in sorted(found)] == ["ann", "bob", "cleo", "dan", "eve"]
    assert found[0].steps[0].again == f"arena check {folder / 'ann.py'} --game tictactoe"
    assert {asked.text for _, asked in hosts.asked} == {f"{one.agent}.py" for one in found.values()}
    assert str(folder) not in repr([asked for _, asked in hosts.asked])
    assert said == ["host far plays 1 game at the same time", "host far#2 plays 2 games at the same time"]


def test_what_a_lost_host_has_checked_is_checked_again_and_its_late_report_is_dropped(folder: Path) -> None:
    late: list[Any] = []

    def lost(hosts: Hosts, name: str, asked: Examination) -> list[Any]:
        if name == "a" and len(hosts.there) == 2:
            late.append(answer(asked, CheckReport(agent="late", steps=())))
            return [hosts.gone("a")]
        return [*late, answer(asked, report(asked)), answer(asked, report(asked))]

    found, said = checked(folder, Hosts(lost, a=host(), b=host()))
    assert {one.agent for one in found.values()} == {"ann", "bob", "cleo", "dan", "eve"}
    assert "host far is gone; 1 check in progress will begin again" in said


@pytest.mark.parametrize("wrong", [b"", "text", None, b"\x81\xa4type\xa8Examined\x01"])
def test_a_host_that_answers_wrongly_gets_no_more(folder: Path, wrong: object) -> None:
    def one_lies(_: Hosts, name: str, asked: Examination) -> list[Any]:
        return [Answer(asked.key, wrong) if name == "a" else answer(asked, report(asked))]

    found, said = checked(folder, Hosts(one_lies, a=host("liar"), b=host()))
    assert len(found) == 5
    assert any(line.startswith("host liar does not play: it sent a wrong answer: expected a message") for line in said)


def test_a_host_that_cannot_check_gets_no_more_and_one_that_forgets_gets_all_again(folder: Path) -> None:
    def fails(hosts: Hosts, name: str, asked: Examination) -> list[Any]:
        if name == "a":
            return [answer(asked, failed="no memory")]
        if len(hosts.asked) == 4:
            return [answer(asked, missing=(asked.agent.source,))]
        if len(hosts.asked) == 6:
            return [answer(asked, joined=False)]
        return [answer(asked, report(asked))]

    hosts = Hosts(fails, a=host("bad"), b=host())
    found, said = checked(folder, hosts)
    assert len(found) == 5
    assert "host bad: no memory" in said
    assert all(asked.sources for name, asked in hosts.asked if name == "b")


def test_broken_rules_end_the_command(folder: Path) -> None:
    with pytest.raises(ArenaError, match="no position"):
        checked(folder, Hosts(lambda _, __, asked: [answer(asked, broken="no position")], a=host()))


def test_who_is_not_found_is_reported_without_a_host(folder: Path) -> None:
    found, said = checked(folder, Hosts(checks), "nobody")
    assert (found[0].light, len(found[0].steps) > 5, said) == (Light.FAILED, True, [])


# Real ones.


def failures(printed: str) -> list[tuple[str, str]]:
    """Each agent, and the first step that it failed; empty if none."""
    return [
        (one["agent"], next((step["step"] for step in one["steps"] if step["light"] == "failed"), ""))
        for one in json.loads(printed)
    ]


@pytest.mark.costly(seconds=20)
def test_a_folder_is_checked_as_at_home_though_a_host_is_killed(room: Room) -> None:
    folder = room.folder / "handed-in"
    folder.mkdir()
    for name in ("ann", "bob"):
        (folder / f"{name}.py").write_text(SLOW)
    (folder / "cleo.py").write_text(AGENT.format(moves="movs"))
    (folder / "dan.py").write_text("import nonsense\n")
    command = ("check", "--all", str(folder), "--game", "tictactoe", "--seed", "3", "--format", "json")
    at_home = failures(arena(*command).out)
    assert at_home == [("ann", ""), ("bob", ""), ("cleo", "legal moves"), ("dan", "found and importable")]
    killed = room.host("--games", "1")
    run = Program(room, "-m", "arena", *command, "--on", room.address)
    run.until("plays 1 game at the same time")
    killed.kill()
    other = room.host("--games", "2")
    assert run.ended() == 1, run.said
    said = "\n".join(run.said)
    assert "is gone; 1 check in progress will begin again" in said
    assert failures(said[said.index("[\n") :]) == at_home
    roster = room.folder / "roster.csv"
    roster.write_text("id,name\n1,ann\n2,cleo\n")
    record = ("--db", str(room.folder / "arena.db"), "--to", str(room.folder / "x.collected.toml"))
    collect = Program(
        room,
        *("-m", "arena", "collect", str(folder), "--roster", str(roster), "--game", "tictactoe", *record),
        *("--on", room.address),
    )
    assert collect.ended() == 0, collect.said
    assert 'name = "ann"' in (room.folder / "x.collected.toml").read_text()
    other.send(signal.SIGTERM)
    assert other.ended() == 128 + signal.SIGTERM, other.said
