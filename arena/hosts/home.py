"""Home: plays a tournament on game hosts, in place of a director.

It runs in the process of the command, which alone has the database and the tournament's lock. It takes games from the
schedule, hands them out in pairs, and has the schedule note each result. A result is accepted only for a game that is
out, from the task that has it, and only if the game can be played again as the host says: by its rules, with the chance
events of its seed, its clocks and its end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from msgspec.structs import replace

from arena.errors import ArenaError
from arena.history import documents
from arena.history.verify import PositionCheck, wrongs_of
from arena.hosts import game_host
from arena.hosts.cluster import Answer, Cluster
from arena.hosts.company import Company, counted
from arena.hosts.leases import Leases
from arena.hosts.messages import Played, check_result, received, sent
from arena.hosts.travelling import Sender
from arena.match.schedule import Finished, Planned, Schedule, rules_failed
from arena.tournament.host import ended_by

_OURS: Final = "adsearch.games."


class Home(Company):
    """Hands out the games of one run, and takes in their results."""

    def __init__(
        self, cluster: Cluster, sender: Sender, say: Callable[[str], None], *, left: Callable[[], int], **more: Any
    ) -> None:
        """`left` gives the number of games without a result; for the others see `Company`."""
        super().__init__(cluster, sender.joining, sender.joining.run, say, **more)
        self._sender = sender
        self._left = left
        self._leases = Leases()
        self._boards = PositionCheck(trust=True)  # the rules are those of the description that the user runs

    # As a director.

    @property
    def in_progress(self) -> list[Planned]:
        """The games that hosts play, or are about to play."""
        return self._leases.out

    def take_back(self) -> None:
        """No more games are given out, and those that have not begun are given back."""
        self._leases.stop()
        for name in self._leases.hosts:
            self._call(name, game_host.recall, self._key("recall"), self._run.encode(), wanted=False)

    def play(self, schedule: Schedule) -> Iterator[Finished]:
        """Plays `schedule` on all hosts that there are, and yields what is finished. SchedulerLost if Dask's scheduler
        is gone."""
        self._leases.follow(schedule)
        while True:
            for name in self._leases.hungry(self._left()):
                self._hand_out(name)
            if self._leases.is_idle and self._leases.is_empty() and schedule.rest() is None:
                return
            for name, answer in self._happened():
                yield from self._take(name, answer, schedule)

    def status(self) -> str:
        """Hosts, games in progress and lost batches, in a line."""
        leases = self._leases
        lost = f", {counted(leases.lost_batches, 'batch')} lost" if leases.lost_batches else ""
        return f"{counted(len(leases.hosts), 'host')}, {counted(len(leases.out), 'game')} in progress{lost}"

    # What the hosts do.

    @property
    def _working(self) -> Collection[str]:
        return self._leases.hosts

    def _begin(self, name: str, games: int) -> None:
        self._leases.join(name, games)

    def _end(self, name: str) -> int:
        return self._leases.lose(name)

    def _hand_out(self, name: str) -> None:
        while name in self._leases.hosts and (games := self._leases.next_batch(name, self._left())):
            size = self._leases.task_size(len(games))
            for first in range(0, len(games), size):
                self._send(name, games[first : first + size])

    def _send(self, name: str, games: Sequence[Planned]) -> None:
        key = self._key("play")
        known = self._known[name]
        batch = self._sender.batch(key, games, known.has)
        known.has |= batch.sources.keys()
        self._leases.lend(name, key, games)
        self._call(name, game_host.play, key, sent(batch))

    def _take(self, name: str, answer: Answer, schedule: Schedule) -> Iterator[Finished]:
        """A task has ended: its results are noted, and its other games come back."""
        try:
            played = Played(failed=answer.failure) if answer.failure else received(answer.data, Played)
            finished = self._accepted(name, answer.key, played)
        except ArenaError as error:
            self._refuse_wrong(name, error)
            return
        for over in finished:
            schedule.note(over)
            yield over
        self._leases.end(name, answer.key)
        self._note_outcome(name, answer.key, played, has_results=bool(played.results))

    def _accepted(self, name: str, key: str, played: Played) -> list[Finished]:
        """The results that count: those of games that are out, from the task that has them. ArenaError if one of them
        is wrong; then none counts."""
        now = datetime.now(UTC)
        accepted = {}
        for result in played.results:
            if (game := self._leases.leased(name, key, result.number, result.attempt)) is not None:
                check_result(result, game)
                began, ended = (now - timedelta(seconds=ago) for ago in (result.began, result.ended))
                host = {**result.host, "name": self._known[name].shown, **ended_by(game.conditions)}
                over = Finished(game, result.record, began, ended, host)
                self._check(over)
                accepted[game.number] = over
        for number, over in accepted.items():
            self._leases.take_in(name, number, (over.finished - over.started).total_seconds())
        return list(accepted.values())

    def _check(self, over: Finished) -> None:
        """ArenaError if the game cannot have gone as the host says."""
        game = replace(
            documents.past(over),
            tournament=self._sender.joining.tournament,
            game=over.game.rules,
            pair=str(over.game.identity[0]),
            host=dict(over.host or {}),
        )
        start = self._boards.start(game)
        if rules_failed(over.record) and not isinstance(start, str) and type(start).__module__.startswith(_OURS):
            raise ArenaError(f"game {over.game.number}: its rules do not fail")
        if wrongs := wrongs_of(game, self._boards, imported=False, has_seed=True):
            raise ArenaError(f"game {over.game.number}: {wrongs[0]}")
