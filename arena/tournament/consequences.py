"""What follows from a finished game: the end of a match's test, and further pairings.

Everything that follows is read from the database (`game_scheduling.py`). This module remembers what a run waits for, so
that the database is read again only when something may follow, and not after every game: a game costs the same
whether it is the first one or the millionth. `forget` makes it read everything again, with the same result.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from agents.protocol import Verdict
from arena.match.schedule import Finished
from arena.tournament.format import TournamentState
from arena.tournament.game_scheduling import RecordedTournament, decide_match, results_of, schedule_more
from arena.tournament.pairing import Pairing
from arena.tournament.sequential_test import MatchTest, SprtTerms, match_test
from db import running, store
from db.database import Connection


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
