"""A tournament that is being run: it gives out the next game, and records each result.

It is the schedule that a director plays. Every result is recorded in one transaction with all that follows from it, so
that after a crash of any process the next run resumes with exactly the games that are missing.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, Self

from adsearch import games
from agents.protocol import Verdict
from arena.match.schedule import Entrant, Finished, Planned, Schedule
from arena.players.entrants import Confinement, enter
from arena.players.submissions import Store
from arena.tournament.format import MatchTest, Pairing, SprtTerms, TournamentState, line_of_match, match_test
from arena.tournament.game_scheduling import (
    RecordedTournament,
    decide_match,
    forfeit_all,
    forfeit_inactive,
    results_of,
    schedule_more,
)
from arena.tournament.host import recorded_speed
from arena.tournament.league import League, with_form
from arena.tournament.preparation import Prepared, prepare
from arena.tournament.recorded_games import RecordedGames, Wait, written
from arena.tournament.standings import TournamentStandings, standings
from db import rated_games, running, store
from db.database import Connection, Database
from db.games import hosts
from db.records import RatedGame, ScheduledGame

_AHEAD: Final = 50
"""Number of scheduled games that are read from the database in one query."""


class Tournament(RecordedGames, Schedule):
    """A tournament that this process runs; `lock.tournament_lock` keeps other processes from running it."""

    def __init__(
        self,
        prepared: Prepared,
        database: Database,
        *,
        entrants: Mapping[str, Entrant],
        confinement: Confinement,
        wait: Wait,
    ) -> None:
        """A tournament that is already prepared; `Tournament.begin` prepares one."""
        super().__init__(prepared.tournament, database, wait=wait, faults=prepared.faults)
        self.entrants = entrants
        self.confinement = confinement
        # Agents whose source has changed.
        self.changed = prepared.changed
        # Numbers of the void games that this run plays once more.
        self.tried_again = prepared.tried_again
        # The state of a match's sequential test; once the test is decided, its state at the decision.
        self.test = prepared.test
        # Numbers of games, without cancelled ones.
        self.over = prepared.over
        self.all = prepared.all
        self._consequences = Consequences(prepared.tournament)
        # Games that are marked as in progress in the database, but not yet given to the director.
        self._marked: deque[ScheduledGame] = deque()
        # The next scheduled games, as read from the database.
        self._ahead: list[ScheduledGame] = []
        # Scheduled games that wait at the referee for the end of another one.
        self._waiting: dict[int, ScheduledGame] = {}
        # Waiting games that have begun, and when; the next transaction marks them as in progress.
        self._unmarked: dict[int, datetime] = {}

    @classmethod
    def begin(
        cls,
        league: League,
        database: Database,
        submissions: Store,
        *,
        scratch: Path,
        wait: Wait,
        rerun_changed: bool = False,
        first: Callable[[Connection], None] = lambda _: None,
        if_rules_fail: Callable[[str], None] | None = None,
        traffic: Path | None = None,
    ) -> Self:
        """Starts or resumes the tournament that `league` describes, in one transaction: enters all agents and schedules
        the games known so far. BadLeague if the description has changed too much. `first` is called in this transaction
        before anything is written; if it raises an error, nothing is. `if_rules_fail`: as in `RecordedTournament`;
        `traffic`: as for `Confinement`.

        Sources are copied to `submissions`; the modules that agents can import are placed in the folder `scratch`."""
        with database.reading() as connection:
            league = with_form(league, running.tournament(connection, league.name))
        rules = submissions.take_game(league.game)
        start = games.start(rules)
        confinement = Confinement(scratch, rules, league.conditions, traffic=traffic)
        entrants = {
            listed.name: enter(
                listed.player,
                listed.name,
                start,
                submissions,
                confinement,
                walls=listed.walls,
                allowance=listed.allowance,
            )
            for listed in league.agents
        }

        def prepared(connection: Connection) -> Prepared:
            first(connection)
            return prepare(
                *(connection, league, rules, entrants), rerun_changed=rerun_changed, if_rules_fail=if_rules_fail
            )

        return cls(written(database, wait, prepared), database, entrants=entrants, confinement=confinement, wait=wait)

    # The schedule that a director plays.

    def next(self) -> Planned | None:
        """The next game to start."""
        game = self._marked.popleft() if self._marked else self._write(self._begin_next)
        if game is None:
            return None
        self._drop(game)
        return self._given(game)

    def ahead(self) -> Planned | None:
        """The next game, to begin as soon as another one is over; None if the results decide what is played."""
        if self.league.format.test is not None or self.league.format.grows:
            return None
        if not self._ahead and not self._write(self._upcoming):
            return None
        game = self._ahead.pop(0)
        self._waiting[game.id] = game
        return self._given(game)

    def begun(self, game: Planned, when: datetime) -> None:
        """A waiting game has begun."""
        del self._waiting[game.number]
        self._unmarked[game.number] = when

    def give_back(self, game: Planned) -> None:
        """A waiting game does not begin: it is the next one again."""
        self._ahead.insert(0, self._waiting.pop(game.number))

    def note(self, finished: Finished) -> None:
        """Records the game and all its effects in one transaction."""
        out, (changed, game) = self._record(finished, partial(self._follow, finished), self._first)
        self._unmarked.clear()
        if out:
            self._marked.clear()
        if game is not None:
            self._marked.append(game)
            self._drop(game)
        if changed:
            self._write(self._count)
        else:
            self.over += 1

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be played."""
        return self.over == self.all

    @property
    def expected(self) -> int:
        """The number of all games, with those of rounds that are not scheduled yet."""
        return self.all if self.is_over else self.league.expected(self.all)

    def standings(self) -> TournamentStandings:
        """The standings now."""
        with self._database.reading() as connection:
            return standings(connection, self.id)

    def rated_so_far(self) -> list[RatedGame]:
        """The games that count for ratings, in the order of play."""
        with self._database.reading() as connection:
            return rated_games.games(connection, rated_games.Scope(tournaments=(self.id,)))

    def stands(self) -> str:
        """How a match of two stands, as those who test engines know it."""
        terms = self.league.format.test
        first = self.league.first if terms is None else terms.of
        other = next(agent.name for agent in self.league.agents if agent.name != first)
        with self._database.reading() as connection:
            pairs = running.pair_points(connection, self.id, first)
        return line_of_match(first, other, pairs, self.test)

    def first_speed(self) -> float | None:
        """The speed of the host that played the first game; None if no game says one."""
        with self._database.reading() as connection:
            speeds = [recorded_speed(host) for host, _ in hosts(connection, self.id)]
        return next(filter(None, speeds), None)

    def interrupted(self) -> None:
        """The referee died during the games in progress: they are scheduled again."""
        self._marked.clear()
        self._waiting.clear()
        self._unmarked.clear()
        self._ahead = []
        self._consequences.forget()

        def put_back(connection: Connection) -> None:
            self._put_back(connection)
            self._forfeit_quarantined(connection)
            schedule_more(connection, self._on_record)
            self._count(connection)

        self._write(put_back)

    def close(self) -> None:
        """Ends the run: games in progress are scheduled again, and the tournament's status is recorded."""

        def end(connection: Connection) -> None:
            self._put_back(connection)
            store.set_status(connection, self.id, "finished" if self.is_over else "stopped", datetime.now(UTC))

        self._write(end)

    # Inside a transaction.

    def _first(self, connection: Connection, out: Sequence[str]) -> None:
        for number, when in self._unmarked.items():
            store.begin(connection, number, when)
        for begun in self._marked if out else ():
            store.postpone(connection, begun.id)  # then it is forfeited if its player is quarantined

    def _follow(
        self, finished: Finished, connection: Connection, repeated: bool, out: Mapping[str, str]
    ) -> tuple[bool, ScheduledGame | None]:
        """Writes what follows; returns whether the schedule has changed, and the next game."""
        self.test = self._consequences.decide(connection, finished)
        changed = bool(repeated or out or (self.test is not None and self.test.verdict is not None))
        for name, reason in out.items():
            forfeit_all(connection, self.id, name, reason)
        if repeated:
            self._forfeit_quarantined(connection)
        if out or repeated:
            self._consequences.forget()
        changed = self._consequences.schedule(connection, finished, repeated=repeated) or changed
        if changed:
            self._ahead = []
        if self._unmarked:
            return changed, None
        game = self._begin_next(connection)
        # A game that was scheduled by a ruling is noticed at the latest when no other one is left.
        return changed or (game is None and self._consequences.notice_rulings(connection)), game

    def _forfeit_quarantined(self, connection: Connection) -> None:
        """Forfeits games that are scheduled again, if a player was quarantined while they were in progress."""
        entered = running.entries(connection, self.id)
        forfeit_inactive(connection, self.id, [entry for entry in entered if entry.status == "quarantined"])

    def _decide(self, connection: Connection) -> bool:
        """Whether the match's test is decided; if so, the scheduled games are cancelled."""
        self.test = decide_match(connection, self._on_record)
        return self.test is not None and self.test.verdict is not None

    def _put_back(self, connection: Connection) -> None:
        """Schedules the games in progress again, unless the test is decided without them."""
        store.interrupt(connection, self.id)
        if self._decide(connection):
            self._count(connection)

    def _begin_next(self, connection: Connection) -> ScheduledGame | None:
        """Marks the next scheduled game as in progress and returns it. `_drop` removes it from `_ahead` only after the
        transaction, because that can be repeated."""
        ahead = self._upcoming(connection)
        if not ahead:
            return None
        store.begin(connection, ahead[0].id, datetime.now(UTC))
        return ahead[0]

    def _upcoming(self, connection: Connection) -> list[ScheduledGame]:
        if not self._ahead:
            out = self._waiting.keys() | self._unmarked.keys()
            games = running.scheduled(connection, self.id, _AHEAD + len(out))
            self._ahead = [game for game in games if game.id not in out]
        return self._ahead

    def _count(self, connection: Connection) -> None:
        self.over, self.all = running.counts(connection, self.id)

    # Outside of transactions.

    def _drop(self, game: ScheduledGame) -> None:
        """Removes the game from the next scheduled ones."""
        self._ahead = [other for other in self._ahead if other.id != game.id]

    def _given(self, game: ScheduledGame) -> Planned:
        """The game, with its players."""
        return self._planned(game, tuple(self.entrants[name] for name in game.names))

    def _forget(self) -> None:
        self._ahead = []
        self._consequences.forget()


# What follows from a finished game: the end of a match's test, and further pairings.


class Consequences:
    """What follows from the games of one run. Every function needs a connection with an open transaction."""

    def __init__(self, tournament: RecordedTournament) -> None:
        """Nothing is read yet."""
        self._tournament = tournament
        # The number of rulings when the values below were read: with each new one everything is read again.
        self._rulings: int | None = None
        self._points: _PairPoints | None = None
        self._open: _OpenPairings | None = None

    def forget(self) -> None:
        """Everything is read again after the next game: a transaction failed, or agents were quarantined."""
        self._points = self._open = None

    def notice_rulings(self, connection: Connection) -> bool:
        """Whether there are new rulings, which another process makes during a run."""
        rulings = running.ruling_count(connection)
        if rulings == self._rulings:
            return False
        self._rulings = rulings
        self.forget()
        return True

    def decide(self, connection: Connection, finished: Finished) -> MatchTest | None:
        """The state of a match's test; None if there is none. The games of a decided match are cancelled."""
        terms = self._tournament.league.format.test
        if terms is None:
            return None
        self.notice_rulings(connection)
        if self._points is None:
            self._points = _PairPoints.read(connection, self._tournament.id, terms)
        else:
            self._points.add(finished)
        test = match_test(terms, self._points.pairs)
        if test.verdict is None and not self._points.is_decided:
            return test
        self.forget()
        return decide_match(connection, self._tournament)

    def schedule(self, connection: Connection, finished: Finished, *, repeated: bool) -> bool:
        """Schedules and cancels what the game allows, in a format that grows; returns whether anything changed.
        `repeated`: the game is played again."""
        if not self._tournament.league.format.grows:
            return False
        self.notice_rulings(connection)
        if self._open is not None:
            pair = str(finished.game.identity[0])
            if repeated and pair in self._open.legs:
                return True
            if not repeated:
                cancelled = self._open.close(connection, self._tournament, pair, finished.game.leg)
                if self._open.legs:
                    return cancelled
        self._open = _OpenPairings.read(connection, self._tournament)
        return True


@dataclass(slots=True)
class _PairPoints:
    """The points of the tested player in its pairings of two games."""

    player: str
    pairs: Counter[float]
    """By the number of points, how many pairings gave that many."""
    halves: dict[str, float]
    """The points in pairings with one finished game, by key."""
    is_decided: bool

    @classmethod
    def read(cls, connection: Connection, tournament: int, terms: SprtTerms) -> _PairPoints:
        pairs = running.pair_points(connection, tournament, terms.of)
        halves = running.half_points(connection, tournament, terms.of)
        is_decided = "decided" in running.settings(connection, tournament)
        return cls(terms.of, Counter(pairs), halves, is_decided)

    def add(self, finished: Finished) -> None:
        """Counts a game that was just recorded."""
        points = next(seat.points for seat in finished.record.seats if seat.player == self.player)
        if finished.record.verdict == Verdict.VOID or points is None:
            return
        pair = str(finished.game.identity[0])
        if pair in self.halves:
            self.pairs[self.halves.pop(pair) + points] += 1
        else:
            self.halves[pair] = points


@dataclass(slots=True)
class _OpenPairings:
    """The pairings whose results are needed: while there are any, no other pairing follows."""

    legs: dict[str, set[int]]
    """By the key of each: its games that are not over."""
    series: dict[str, list[Pairing]]
    """With a bracket, by the key of each: all pairings of these two players."""

    @classmethod
    def read(cls, connection: Connection, tournament: RecordedTournament) -> _OpenPairings:
        """Schedules and cancels what follows from the results so far, and reads what is left to be played."""
        needed = {pairing.key: pairing for pairing in schedule_more(connection, tournament)}
        legs: dict[str, set[int]] = {}
        for pair, leg in running.waiting(connection, tournament.id):
            if pair in needed:
                legs.setdefault(pair, set()).add(leg)
        if not tournament.league.format.has_bracket:
            return cls(legs, {})
        together: dict[frozenset[str], list[Pairing]] = {}
        for pairing in needed.values():
            together.setdefault(frozenset(pairing.names), []).append(pairing)
        return cls(legs, {pair: together[frozenset(needed[pair].names)] for pair in legs})

    def close(self, connection: Connection, tournament: RecordedTournament, pair: str, leg: int) -> bool:
        """The game is over. If this decides a series, its other games are cancelled; returns whether it does."""
        legs = self.legs.get(pair, {leg})
        legs.discard(leg)
        if legs or self.legs.pop(pair, None) is None:
            return False
        series = self.series.get(pair, [])
        rest = [pairing.key for pairing in series if pairing.key in self.legs]
        if not rest:
            return False
        results = results_of(running.outcomes(connection, tournament.id, [pairing.key for pairing in series]))
        names = tuple(sorted(series[0].names))
        if not tournament.league.format.is_decided(TournamentState(names, tournament.seed, results, tuple(series))):
            return False
        store.cancel(connection, tournament.id, rest)
        for key in rest:
            del self.legs[key]
        return True
