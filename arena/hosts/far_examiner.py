"""Checks of agents on game hosts, in place of an `Examiner`: one agent a task, and the report comes back."""

from __future__ import annotations

import os
import shlex
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgspec import structs

from arena import installation
from arena.errors import ArenaError, BadPlayer
from arena.hosts import game_host
from arena.hosts.cluster import Answer, Cluster
from arena.hosts.company import Company
from arena.hosts.messages import AgentSent, Examination, Examined, Examining, received, sent
from arena.hosts.travelling import agent_sent, files_sent, refuse_python, rules_sent, walls_on_hosts
from arena.players.player import PlayerKind
from arena.players.submissions import Store
from arena.student.checking import CheckReport, CheckStep, agent_lookup
from arena.student.checking.check_maker import report_not_found
from arena.student.checking.check_schedule import Candidate, ProgressNote
from arena.student.checking.conditions import Conditions
from arena.student.checking.explanations import Explanation


class FarExaminer(Company):
    """Examines agents under the same conditions, on all hosts that there are."""

    work = "check"
    again = "will begin again"
    warnings: Sequence[str] = ()

    def __init__(
        self, cluster: Cluster, conditions: Conditions, store: Store, say: Callable[[str], None], **more: Any
    ) -> None:
        """`store` has the agents, or gets them. ArenaError or AdsearchError for conditions that hosts do not have."""
        refuse_python(conditions.python)
        self._conditions = conditions
        self._store = store
        self._rules = rules_sent(store.take_game(conditions.game), store)
        run = self.new_run()
        walls = walls_on_hosts(None, conditions.walls)
        there = replace(conditions, game=self._rules, walls=walls, description=os.path.basename(conditions.description))
        joining = Examining(run, installation.software(self._rules), there, needed=(walls,))
        super().__init__(cluster, joining, run, say, **more)
        self._games: dict[str, int] = {}  # how many games each host plays at the same time
        self._out: dict[str, tuple[str, int]] = {}  # by the key of its task: the host, and the place of the agent
        self._waiting: deque[int] = deque()

    def each(
        self, candidates: Sequence[Candidate], changed: ProgressNote = lambda *_: None
    ) -> Iterator[tuple[int, CheckReport]]:
        """The report of each candidate, as `Examiner.each`."""
        ended = 0
        agents: dict[int, AgentSent] = {}
        for place, candidate in enumerate(candidates):
            found = self._sent(candidate)
            if isinstance(found, AgentSent):
                agents[place] = found
                self._waiting.append(place)
            else:
                ended += 1
                yield place, found
        while self._waiting or self._out:
            for name in list(self._games):
                while self._waiting and self._count(name) < self._games[name]:
                    self._send(name, place := self._waiting.popleft(), agents[place], candidates[place])
            changed(ended, sorted(place for _, place in self._out.values()))
            for name, answer in self._happened():
                if (over := self._taken(name, answer)) is not None:
                    place, report = over
                    ended += 1
                    yield place, _as_here(report, candidates[place], agents[place])

    def _sent(self, candidate: Candidate) -> AgentSent | CheckReport:
        """The agent as it travels; the report of one that is not found."""
        found = candidate.player or agent_lookup.find(candidate.text)
        if not isinstance(found, Explanation):
            try:
                source = found.text if found.kind is PlayerKind.BUILTIN else self._store.take(found).hash
            except BadPlayer as error:
                found = Explanation.of_error(error)
            else:
                name = candidate.name or found.name
                return agent_sent(name, found, source, self._store, candidate.walls, candidate.allowance)
        steps: list[CheckStep] = []
        report_not_found(steps.append, found, again=self._conditions.command(candidate.text))
        for step in steps:
            candidate.report(step)
        return CheckReport(agent=candidate.name or candidate.text, steps=tuple(steps))

    def _send(self, name: str, place: int, agent: AgentSent, candidate: Candidate) -> None:
        key = self._key("check")
        known = self._known[name]
        files = files_sent([agent], self._rules, self._store, known.has)
        known.has |= files.keys()
        self._out[key] = name, place
        asked = Examination(self._run, key, agent, _shown(candidate), files)
        self._call(name, game_host.examine, key, sent(asked))

    def _taken(self, name: str, answer: Answer) -> tuple[int, CheckReport] | None:
        """The report that has come, and the place of its agent. ArenaError if user-supplied rules are broken."""
        out = self._out.pop(answer.key, None)
        if out is None:
            return None
        try:
            found = Examined(failed=answer.failure) if answer.failure else received(answer.data, Examined)
        except ArenaError as error:
            self._waiting.appendleft(out[1])
            self._refuse_wrong(name, error)
            return None
        if found.broken:
            raise ArenaError(found.broken)
        if found.report is None:
            self._waiting.appendleft(out[1])
        self._note_outcome(name, answer.key, found, has_results=found.report is not None)
        return None if found.report is None else (out[1], found.report)

    # What the hosts do.

    join = staticmethod(game_host.join_checks)

    @property
    def _working(self) -> Collection[str]:
        return self._games

    def _begin(self, name: str, games: int) -> None:
        self._games[name] = games

    def _end(self, name: str) -> int:
        self._games.pop(name, None)
        back = [key for key, (host, _) in self._out.items() if host == name]
        self._waiting.extendleft(self._out.pop(key)[1] for key in reversed(back))
        return len(back)

    def _count(self, name: str) -> int:
        return sum(host == name for host, _ in self._out.values())


def _shown(candidate: Candidate) -> str:
    """The agent as a host names it in the commands of a report."""
    return Path(candidate.text).name


def _as_here(report: CheckReport, candidate: Candidate, agent: AgentSent) -> CheckReport:
    """The report with the agent's path here; its steps are told to the candidate."""
    there, here = (shlex.join(["arena", "check", text]) for text in (_shown(candidate), candidate.text))
    steps = tuple(structs.replace(step, again=step.again.replace(there, here, 1)) for step in report.steps)
    for step in steps:
        candidate.report(step)
    return CheckReport(agent=agent.name, steps=steps)
