"""The checks that were sent to a host, as a schedule that its director plays."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from msgspec import structs

from agents.errors import one_line
from arena.errors import BadFixture, BadPlayer
from arena.hosts.fed import Fed
from arena.hosts.messages import LONGEST_TEXT, Examination, Examined, Examining
from arena.hosts.travelling import missing, player_here, rules_here
from arena.match.schedule import Began, Finished, Planned
from arena.players.submissions import Store
from arena.student.checking import CheckStep
from arena.student.checking.check_maker import CheckMaker
from arena.student.checking.check_schedule import Candidate, CheckSchedule, RunningCheck
from arena.student.checking.explanations import Explanation
from db.sources import HASH


class Examinations(Fed):
    """The checks of one run."""

    def __init__(
        self,
        joining: Examining,
        store: Store,
        scratch: Path,
        ended: Callable[[], None],
    ) -> None:
        """`ended` is called whenever a check was answered."""
        self.joining = joining
        self._store = store
        self._scratch = scratch
        self._ended = ended
        self._maker: CheckMaker | None = None
        self._checks = CheckSchedule(self._begin, many=True)
        # The key of each check that has begun, at its place.
        self._keys: list[str] = []
        self.waiting: deque[tuple[str, Candidate]] = deque()
        """Checks that have not begun, each with the key of its task."""
        self.pending: dict[str, Callable[[Examined], None]] = {}
        """By the key of its task: what is called with the answer of a check that is not over."""
        self._path = re.compile(f"{re.escape(str(store.folder))}/{HASH.pattern}/")

    def missing(self, asked: Examination) -> tuple[str, ...]:
        """Keeps the sources that came with the agent; the hashes of those that are missing all the same."""
        return missing([asked.agent], self.joining.conditions.game, asked.sources, self._store)

    def add(self, asked: Examination, answer: Callable[[Examined], None]) -> None:
        """The agent is to be checked; its sources are there. ArenaError or AdsearchError for wrong conditions."""
        if self._maker is None:
            rules = rules_here(self.joining.conditions.game, self._store)
            conditions = replace(self.joining.conditions, game=rules)
            self._maker = CheckMaker(conditions, self._store, self._scratch, numbers=count(1))
        agent = asked.agent
        try:
            player: Any = player_here(agent, self._store)
        except BadPlayer as error:
            player = Explanation.of_error(error)
        candidate = Candidate(agent.name, asked.text, player=player, walls=agent.walls, allowance=agent.allowance)
        self.waiting.append((asked.key, candidate))
        self.pending[asked.key] = answer

    def drop_waiting(self) -> None:
        """Gives back the checks that have not begun."""
        while self.waiting:
            self._answer(self.waiting.popleft()[0], Examined())

    def drop(self, failed: str = "", broken: str = "") -> None:
        """The director has ended: no check that was added goes on."""
        self._checks = CheckSchedule(self._begin, many=True)
        self._keys.clear()
        self.waiting.clear()
        for key in list(self.pending):
            self._answer(key, Examined(failed=failed, broken=broken))

    def follow(self, event: object) -> None:
        """The director has told this."""
        if isinstance(event, Began):
            self._checks.began(event.game)

    # As a director's schedule.

    def next(self) -> Planned | None:
        """The next game of a check."""
        game = self._checks.next()
        self._tell()  # also of an agent that was not found
        return self._taken(game)

    def note(self, finished: Finished) -> None:
        """A game of a check is over. BadFixture if user-supplied rules cannot be used."""
        try:
            self._checks.note(finished)
        except BadFixture as error:
            self.drop(broken=one_line(str(error), most=LONGEST_TEXT))
            raise
        self._tell()

    def _begin(self) -> RunningCheck | None:
        if not self.waiting or self._maker is None:
            return None
        key, candidate = self.waiting.popleft()
        self._keys.append(key)
        return self._maker.check(len(self._keys) - 1, candidate)

    def _tell(self) -> None:
        for place, report in self._checks.finished():
            cleaned = structs.replace(report, steps=tuple(map(self._cleaned, report.steps)))
            self._answer(self._keys[place], Examined(cleaned))

    def _answer(self, key: str, said: Examined) -> None:
        self.pending.pop(key)(said)
        self._ended()

    def _cleaned(self, step: CheckStep) -> CheckStep:
        """The step without paths of this host."""
        texts = {name: self._path.sub("", value) for name, value in structs.asdict(step).items() if type(value) is str}
        return structs.replace(step, **texts)
