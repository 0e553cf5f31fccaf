"""One tournament between its description and its record: what is to be played next, and what came of it.

It is the schedule that a director plays. Everything that must outlive this process is in the database before the
referee forgets it, so that whoever is killed when, the next run goes on with exactly the games that are missing.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version as version_of
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import convert, to_builtins

from adsearch import games
from agents.protocol import Verdict
from arena.errors import TournamentBusy
from arena.match import openings, seeds
from arena.match.schedule import MOST_ATTEMPTS, Entrant, Finished, Planned, refuse_broken_rules
from arena.players.confinement import Confinement
from arena.players.entrants import enter
from arena.players.submissions import Store
from arena.tournament import formats
from arena.tournament.description_changes import changes, refuse
from arena.tournament.formats.sprt_match import Weighed, weigh
from arena.tournament.league import League
from db import progress, rated, store
from db.database import Connection, Database
from db.errors import Busy, DiskFull

if TYPE_CHECKING:
    from arena.ratings.results import Played

_AHEAD: Final = 50
"""So many games are read from the database at once."""
_CANCELLED_AT_ONCE: Final = 500
"""No more pairs than one query may name."""
OVER: Final = ("finished", "void", "cancelled")
_KEPT: Final = ("byes", "decided")
"""What is kept with the settings, and is none of the description."""

Done = TypeVar("Done")
Wait = Callable[[str], None]
"""Told why the tournament pauses; returns when it is time to try again."""


class Tournament:
    """A tournament that is being run, by this process alone."""

    def __init__(
        self,
        league: League,
        database: Database,
        submissions: Store,
        *,
        scratch: Path,
        wait: Wait,
        rerun_changed: bool = False,
    ) -> None:
        """Enters whoever is listed, and schedules what is known so far. BadLeague where the description has changed
        in a way that would make something else of what was played before."""
        self.league = league
        self.rules = submissions.take_game(league.game)
        start = games.start(self.rules)
        self.confinement = Confinement(
            scratch,
            self.rules,
            walls=league.walls,
            allowance=league.allowance,
            python=league.python,
            modules=league.modules,
            fresh=not league.reuse,
            ponder=league.ponder,
            ready=league.limits.ready,
        )
        self.entrants: dict[str, Entrant] = {
            listed.name: enter(
                listed.player,
                listed.name,
                start,
                submissions,
                self.confinement,
                walls=listed.walls,
                allowance=listed.allowance,
            )
            for listed in league.agents
        }
        # Whose source is another one than before.
        self.changed: list[str] = []
        # How many games there are, without those that were cancelled, and how many of them are over.
        self.all = self.over = 0
        # How the test of a match stands; once it is decided, how it stood then.
        self.test: Weighed | None = None
        self._database = database
        self._wait = wait
        # How many faults in a row each has made last.
        self._faults: dict[str, int] = {}
        # The games that come next, as far as they have been read.
        self._ahead: list[progress.Planned] = []
        # Who was, since this object was made.
        self.quarantined: list[str] = []
        # Games that the database has in progress already, and the director not yet.
        self._begun: deque[progress.Planned] = deque()
        self.id, self.seed = self._write(lambda connection: self._prepare(connection, rerun_changed))
        self._ahead = self._write(self._upcoming)

    # The schedule that a director plays.

    def next(self) -> Planned | None:
        """The next game to begin."""
        game = self._begun.popleft() if self._begun else self._write(self._begin)
        if game is None:
            return None
        self._drop(game)
        return self._planned(game)

    def note(self, finished: Finished) -> None:
        """The game goes on record, and in the same transaction everything that follows from it."""
        number, record = finished.game.number, finished.record
        faults = self._faults_after(finished)
        out = [name for name, count in faults.items() if 0 < self.league.quarantine <= count]

        def everything(connection: Connection) -> tuple[bool, progress.Planned | None]:
            refuse_broken_rules(record)
            now = datetime.now(UTC)
            store.finish(connection, number, record, host=host(finished.game), now=now)
            disturbed = False
            if record.verdict == Verdict.VOID:
                pair = str(finished.game.identity[0])
                if progress.voids(connection, self.id, pair, finished.game.leg) < MOST_ATTEMPTS:
                    store.repeat(connection, number)
                    disturbed = True
            disturbed = self._stop_if_decided(connection) or disturbed
            for name in out:
                store.set_entry_status(connection, self.id, name, "quarantined")
                self._forfeit(connection, name, f"{name} is quarantined: {faults[name]} faults in a row", now)
                disturbed = True
            if formats.grows(self.league):
                self._schedule_more(connection)
                disturbed = True
            if disturbed:
                self._ahead = []
            return disturbed, self._begin(connection)

        disturbed, game = self._write(everything)
        if game is not None:
            self._begun.append(game)
            self._drop(game)
        self._faults |= faults | dict.fromkeys(out, 0)
        self.quarantined += out
        if disturbed or game is None:
            self._write(self._count)
        else:
            self.over += 1

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be played."""
        return self.over == self.all

    def points_so_far(self) -> dict[str, list[float]]:
        """The points of everybody's games that are over, forfeits too."""
        points: dict[str, list[float]] = {name: [] for name in self.entrants}
        with self._database.reading() as connection:
            for outcome in progress.outcomes(connection, self.id):
                for name, share in outcome.points.items():
                    if outcome.status == "finished" and share is not None:
                        points.setdefault(name, []).append(share)
        return points

    def rated_so_far(self) -> list[Played]:
        """The games that may be rated, in the order of play."""
        from arena.ratings.results import of_record

        with self._database.reading() as connection:
            return of_record(rated.games(connection, rated.Scope(tournaments=(self.id,))))

    def interrupted(self) -> None:
        """The referee was lost with the games in progress: they are to be played as if they had never begun."""
        self._begun.clear()
        self._ahead = []
        self._write(self._put_back)

    def close(self) -> None:
        """The run ends: what is still in progress is to be played again, and the record says how far it has come."""

        def end(connection: Connection) -> None:
            self._put_back(connection)
            store.set_status(connection, self.id, "finished" if self.is_over else "stopped", datetime.now(UTC))

        self._write(end)

    # The beginning.

    def _prepare(self, connection: Connection, rerun_changed: bool) -> tuple[int, int]:
        league, now = self.league, datetime.now(UTC)
        there = progress.tournament(connection, league.name)
        settings = league.settings() | {"rules": self.rules}
        if there is None:
            seed = seeds.fresh_seed() if league.seed is None else league.seed
            self.id = store.create_tournament(
                connection,
                league.name,
                format=league.format,
                rules=self.rules,
                clock=league.clock,
                seed=seed,
                settings=settings,
                now=now,
            )
        else:
            self.id, seed = there["id"], int(there["seed"])
            self._check_changes(there, seed)
            kept = {key: there["settings"][key] for key in _KEPT if key in there["settings"]}
            store.change_settings(connection, self.id, settings | kept)
            store.set_status(connection, self.id, "running", now)
            store.interrupt(connection, self.id)
        self.seed = seed
        self._enter_all(connection, rerun_changed, now)
        self._settle(connection, now)
        self._schedule_more(connection)
        self._stop_if_decided(connection)
        self._count(connection)
        return self.id, seed

    def _check_changes(self, there: Mapping[str, Any], seed: int) -> None:
        refused = list(changes(there["settings"], self.league.settings()).refused)
        if there["rules"] != self.rules:
            refused.append("game: its rules are others than before")
        if there["settings"].get("seed") is None and self.league.seed not in (None, seed):
            refused.append(f"seed: {seed} -> {self.league.seed}")
        refuse(self.league.name, refused)

    def _enter_all(self, connection: Connection, rerun_changed: bool, now: datetime) -> None:
        """Everybody listed takes part, each with its present source."""
        before = {entered.name: entered for entered in progress.entries(connection, self.id)}
        started_as = {listed.name: listed.player_text for listed in self.league.agents}
        self.changed = []
        for name, entrant in self.entrants.items():
            version = store.version(connection, name, entrant.source, started_as[name], now)
            known = before.get(name)
            if known is None or known.version != version:
                store.enter(connection, self.id, name, version)
            if known is not None and known.version != version:
                self.changed.append(name)
                store.use_version(connection, self.id, name, version)
                if known.status == "quarantined":  # what the old one did is not the new one's fault
                    store.set_entry_status(connection, self.id, name, "active")
        if rerun_changed:
            current = {entered.name: entered.version for entered in progress.entries(connection, self.id)}
            self._rerun(connection, current)

    def _rerun(self, connection: Connection, current: Mapping[str, int]) -> None:
        """Games that were played with a source that is not the present one are played again."""
        others = [
            game
            for game, seats in progress.played_versions(connection, self.id).items()
            if any(current.get(name) != version for name, version in seats.items())
        ]
        for game in others:
            store.repeat(connection, game, versions=current)
        if others:
            self._reopen(connection, current)

    def _reopen(self, connection: Connection, current: Mapping[str, int]) -> None:
        """What the test of a match decided, it decided about sources that play no more: its games are all to be
        played, until it decides again."""
        settings = progress.settings(connection, self.id)
        if settings.pop("decided", None) is None:
            return
        store.change_settings(connection, self.id, settings)
        for outcome in progress.outcomes(connection, self.id):
            if outcome.status == "cancelled":
                store.repeat(connection, outcome.id, versions=current)

    def _settle(self, connection: Connection, now: datetime) -> None:
        """Who has been withdrawn forfeits; who has been released plays what it forfeited; faults are counted."""
        entered = progress.entries(connection, self.id)
        status = {entry.name: entry.status for entry in entered}
        versions = {entry.name: entry.version for entry in entered}
        for name, how in status.items():
            if how != "active":
                self._forfeit(connection, name, f"{name} is {how}", now)
        for outcome in progress.outcomes(connection, self.id):
            if outcome.verdict == Verdict.FORFEIT and outcome.fault is not None:
                loser = list(outcome.points)[outcome.fault]
                if all(status.get(name) == "active" for name in outcome.points) and status.get(loser) == "active":
                    store.repeat(connection, outcome.id, versions=versions)
        most = max(1, self.league.quarantine)
        for name in self.entrants:
            streak = 0
            for verdict, at_fault in progress.last_games(connection, self.id, name, most):
                if not at_fault or verdict == Verdict.RESIGNED:
                    break
                streak += 1
            # Who has been released gets another chance.
            self._faults[name] = min(streak, most - 1)

    # Games.

    def _schedule_more(self, connection: Connection) -> None:
        """Schedules the pairings that are known by now, and cancels those that are not needed any more."""
        entered = progress.entries(connection, self.id)
        settings = progress.settings(connection, self.id)
        known = _known(progress.pairings(connection, self.id), settings.get("byes", []))
        names = [entry.name for entry in entered]
        results = _results(progress.outcomes(connection, self.id))
        withdrawn = {entry.name for entry in entered if entry.status != "active"}
        pairings = formats.pairings(self.league, names, results, self.seed, known=known, withdrawn=withdrawn)
        needless = formats.needless(self.league, names, results, self.seed, known=pairings, withdrawn=withdrawn)
        store.cancel(connection, self.id, [pairing.key for pairing in needless])
        byes = [[pairing.round, *pairing.identity] for pairing in pairings if pairing.is_bye]
        if byes != settings.get("byes", []):
            store.change_settings(connection, self.id, settings | {"byes": byes})
        there = {pairing.key for pairing in known}
        new = [pairing for pairing in pairings if pairing.key not in there and not pairing.is_bye]
        drawn = self._openings(connection, [pairing.key for pairing in new])
        versions = {entry.name: entry.version for entry in entered}
        scheduled = [
            store.NewGame(
                round=pairing.round,
                pair=pairing.key,
                leg=leg,
                attempt=1,
                rules=self.rules,
                clock=self.league.clock,
                seed=str(self.seed),
                opening=" ".join(drawn[pairing.key]) or None,
                seats=tuple((versions[name], name) for name in pairing.seats(leg)),
            )
            for pairing in new
            for leg in range(pairing.legs)
        ]
        store.schedule(connection, self.id, scheduled)
        now = datetime.now(UTC)
        for entry in entered:
            if scheduled and entry.status != "active":
                self._forfeit(connection, entry.name, f"{entry.name} is {entry.status}", now)

    def _stop_if_decided(self, connection: Connection) -> bool:
        """Cancels what has not begun once the test of the match is decided; whether it is.

        A decision stands, whatever the games in progress come to then, and whatever is ruled about the others."""
        terms = self.league.sprt
        if terms is None:
            return False
        settings = progress.settings(connection, self.id)
        if "decided" in settings:
            self.test = convert(settings["decided"], Weighed)
        else:
            self.test = weigh(terms, progress.pair_points(connection, self.id, terms.of))
        if self.test.verdict is None:
            return False
        if "decided" not in settings:
            store.change_settings(connection, self.id, settings | {"decided": to_builtins(self.test)})
        waiting = progress.waiting_pairs(connection, self.id)
        for first in range(0, len(waiting), _CANCELLED_AT_ONCE):
            store.cancel(connection, self.id, waiting[first : first + _CANCELLED_AT_ONCE])
        return True

    def _put_back(self, connection: Connection) -> None:
        """Nobody plays the games in progress any more: they are to be played again, unless they are not needed."""
        store.interrupt(connection, self.id)
        if self._stop_if_decided(connection):
            self._count(connection)

    def _openings(self, connection: Connection, pairs: list[str]) -> dict[str, tuple[str, ...]]:
        """The opening of each new pair: what it is follows from the seed and who meets, not from when it is drawn."""
        wanted = self.league.openings
        if isinstance(wanted, int):
            taken = [tuple(opening.split()) for opening in progress.openings(connection, self.id)]
            drawn = openings.draw(self.rules, wanted, pairs, seed=self.seed, taken=taken)
            return dict(zip(pairs, drawn, strict=True))
        return {pair: wanted[seeds.number(self.seed, "opening", pair) % len(wanted)] for pair in pairs}

    def _begin(self, connection: Connection) -> progress.Planned | None:
        """The next game, which is in progress from now on. What is known of later ones changes only afterwards."""
        ahead = self._upcoming(connection)
        if not ahead:
            return None
        store.begin(connection, ahead[0].id, datetime.now(UTC))
        return ahead[0]

    def _upcoming(self, connection: Connection) -> list[progress.Planned]:
        if not self._ahead:
            self._ahead = progress.scheduled(connection, self.id, _AHEAD)
        return self._ahead

    def _drop(self, game: progress.Planned) -> None:
        """The game is not one of those to come any more."""
        self._ahead = [other for other in self._ahead if other.id != game.id]

    def _planned(self, game: progress.Planned) -> Planned:
        league = self.league
        return Planned(
            number=game.id,
            game=league.game,
            rules=self.rules,
            entrants=tuple(self.entrants[name] for name in game.names),
            seed=self.seed,
            identity=(game.pair,),
            leg=game.leg,
            attempt=game.attempt,
            clock=league.clock,
            margin=league.margin,
            opening=tuple((game.opening or "").split()),
            max_plies=league.max_plies,
            limits=league.limits,
            names_shown=league.names == "shown",
        )

    def _forfeit(self, connection: Connection, name: str, detail: str, now: datetime) -> None:
        for game, seat in progress.scheduled_of(connection, self.id, name):
            store.forfeit(connection, game, seat, detail, now)

    def _faults_after(self, finished: Finished) -> dict[str, int]:
        """How many faults in a row its players have made, after this game."""
        record = finished.record
        if record.verdict == Verdict.VOID:
            return {}
        at_fault = None if record.verdict == Verdict.RESIGNED else record.fault
        return {
            entrant.name: self._faults.get(entrant.name, 0) + 1 if seat == at_fault else 0
            for seat, entrant in enumerate(finished.game.entrants)
        }

    def _count(self, connection: Connection) -> None:
        outcomes = [one for one in progress.outcomes(connection, self.id) if one.status != "cancelled"]
        self.all = len(outcomes)
        self.over = sum(outcome.status in OVER for outcome in outcomes)

    def _write(self, action: Callable[[Connection], Done]) -> Done:
        """What `action` does in a transaction of its own, tried again as long as the database cannot be written."""
        while True:
            try:
                with self._database.writing() as connection:
                    return action(connection)
            except (Busy, DiskFull) as error:
                self._ahead = []
                self._wait(str(error))


def _known(
    rows: Sequence[tuple[int, str, tuple[str, ...]]], byes: Sequence[tuple[int, str, int]]
) -> list[formats.Pairing]:
    """The pairings that are on record, as formats know them."""
    known = [formats.Pairing(names, json.loads(key)[-1], round, len(names)) for round, key, names in rows]
    known += [formats.Pairing((name,), cycle, round, 0) for round, name, cycle in byes]
    return sorted(known, key=lambda pairing: pairing.round)


def _results(outcomes: list[progress.Outcome]) -> dict[str, dict[str, float]]:
    """The points of the pairings whose games are all over; a game without result counts half for everybody."""
    pairs: dict[str, list[progress.Outcome]] = {}
    for outcome in outcomes:
        pairs.setdefault(outcome.pair, []).append(outcome)
    results: dict[str, dict[str, float]] = {}
    for pair, legs in pairs.items():
        if all(leg.status in OVER for leg in legs):
            totals: dict[str, float] = {}
            for leg in legs:
                for name, points in leg.points.items():
                    totals[name] = totals.get(name, 0.0) + (0.5 if points is None else points)
            results[pair] = totals
    return results


def host(game: Planned) -> dict[str, Any]:
    """On what a game was played, and behind which walls; null where all who played were ours."""
    kinds = sorted({entrant.walls for entrant in game.entrants if entrant.walls})
    return {**_machine(), "walls": ", ".join(kinds) or None}


@cache
def _machine() -> dict[str, Any]:
    return {
        "software": f"arena-referee {version_of('arena-referee')}",
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "cores": os.cpu_count(),
    }


@contextmanager
def alone(folder: Path, name: str) -> Iterator[None]:
    """Inside the block this process is the only one that runs the tournament of that name; TournamentBusy otherwise.

    The lock goes with the process, however that ends."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"running-{hashlib.sha256(name.encode()).hexdigest()[:16]}.lock"
    lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TournamentBusy(
                f"tournament {name!r} is being run by another process; end that first (Ctrl-C there)"
            ) from None
        yield
    finally:
        os.close(lock)
