"""No wrong agent that a student writes gets a false all-clear from `arena check`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from arena.match.allowance import MEBIBYTE, Allowance, WallKind
from arena.match.clock import SECOND
from arena.match.conditions import Conditions, Limits
from arena.student.checking import Exam, StepName
from arena.student.checking.check_maker import Candidate, Examiner
from arena.walls.run_folder import RunFolder
from tests.kit.behind_walls import need
from tests.kit.wrong_agents import WrongAgent, wrong_agents

AGENTS: Final = wrong_agents()
PARTS: Final = 4
"""Number of tests that share the agents, so that several processes can run them."""


def test_there_are_at_least_fifty_two_and_each_says_what_is_wrong_with_it() -> None:
    assert len(AGENTS) >= 52
    for agent in AGENTS:
        assert agent.text.startswith("# "), agent.name
        assert agent.light in ("failed", "warning"), agent.name
        assert agent.step in {*StepName}, agent.name


@pytest.mark.costly
@pytest.mark.parametrize("part", range(PARTS))
def test_a_wrong_agent_is_found_and_its_mistake_is_named(part: int, tmp_path: Path) -> None:
    need(WallKind.SANDBOX)
    mine = AGENTS[part::PARTS]
    problems = [
        problem
        for game in sorted({agent.game for agent in mine})
        for problem in problems_of([agent for agent in mine if agent.game == game], game, tmp_path)
    ]
    assert problems == []


def problems_of(agents: list[WrongAgent], game: str, folder: Path) -> list[str]:
    """What `arena check` says about these agents where it is not what it must say."""
    conditions = Exam(
        game=game,
        conditions=Conditions(
            clock="1+0.05",
            walls=WallKind.SANDBOX,
            allowance=Allowance(memory=256 * MEBIBYTE),
            limits=Limits(ready=3 * SECOND),
        ),
        positions=10,
        seconds=20.0,
    )
    candidates = [Candidate(agent.name, agent.write(folder)) for agent in agents]
    problems = []
    with RunFolder() as run, Examiner(conditions, run, at_once=1) as examiner:
        for place, report in examiner.each(candidates):
            agent = agents[place]
            named = [step.message for step in report.steps if (step.light, step.name) == (agent.light, agent.step)]
            if report.light != agent.light or not any(agent.says in message for message in named):
                found = [(step.light, step.name, step.message) for step in report.steps if step.light == report.light]
                problems.append(f"{agent.name}: {report.light}, {found}")
    return problems
