"""The games of a ladder, as the schedule of all pairs, and a schedule before it of the first pairs of new versions.

A pair is scheduled as two games in one transaction, when the first of them begins; so after a crash it is known which
pairs were begun. `pick` decides who meets, without input or output.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from math import exp, sqrt
from random import Random
from typing import Final

from msgspec import Struct

from adsearch import games
from agents.builtin import is_builtin
from agents.protocol import Verdict
from arena.errors import ArenaError, BadFixture
from arena.history.words import without_store
from arena.match.schedule import Entrant, Finished, Planned, rules_failed
from arena.players.builder import walls_of
from arena.players.entrants import Confinement, enter
from arena.players.submissions import Store
from arena.players.versions import player_of
from arena.ratings.scale import ELO, WIDTH, middle
from arena.serve.open_ladders import OpenLadder
from arena.serve.priority_schedule import FurtherTurn, StandingSchedule
from arena.tournament.format import Pairing
from arena.tournament.game_scheduling import RecordedTournament, games_of
from arena.tournament.league import MOST_GAMES
from arena.tournament.preparation import faults_in_a_row
from arena.tournament.recorded_games import RecordedGames, Wait, written
from db import ladder, ladder_results, running, store
from db.audit import StoredVersion
from db.database import Connection, Database
from db.ladder import LadderLine, author_of
from db.ladder_results import BegunPairs
from db.records import ScheduledGame

_LEGS: Final = 2
MOST_FAILURES: Final = 3
"""After this number of games in a row in which the rules failed, no pair begins."""
_OPENINGS: Final = 50
"""Pairs of the same agents until the first opening follows again: after a restart all of them are found anew."""

Unplayed = tuple[list[ScheduledGame], dict[str, set[int]]]
"""The scheduled games; and of each pair in progress, by its key, the games that are not over."""


class LadderGames(RecordedGames, StandingSchedule):
    """The games of a ladder that this process runs; `placements` is the schedule of the first pairs of new versions."""

    def __init__(
        self,
        opened: OpenLadder,
        database: Database,
        submissions: Store,
        confinement: Confinement,
        *,
        wait: Wait,
        say: Callable[[str], None],
        random: Random | None = None,
    ) -> None:
        """Goes on with the ladder: games that were in progress are scheduled again. `say` gets a sentence when rules
        fail and pairs are therefore not played."""
        tournament = RecordedTournament(
            opened.id, opened.seed, opened.seats_key, opened.ladder.league, opened.rules, say
        )

        def go_on(connection: Connection) -> tuple[dict[str, int], list[BegunPairs]]:
            store.set_status(connection, tournament.id, "running", datetime.now(UTC))
            store.interrupt(connection, tournament.id)
            return faults_in_a_row(connection, tournament), ladder_results.begun(connection, tournament.id)

        faults, pairs = written(database, wait, go_on)
        super().__init__(tournament, database, wait=wait, faults=faults)
        self.placements = FurtherTurn(self, partial(self.start, placement=True))
        # Agents that cannot play because their copy in the store cannot be used, each with the reason.
        self.left_out: dict[str, str] = {}
        # Whether no pair is begun; both games of the pairs in progress are played.
        self.is_closed = False
        # Can be replaced when the description changes.
        self.opened = opened
        self._anchors = opened.anchors
        self._say = say
        self._submissions = submissions
        self._confinement = confinement
        self._random = random or Random()
        self._start = games.start(opened.rules)
        self._book = self.league.book(opened.rules, seed=opened.seed)
        self._pairs = PairsBegun(pairs)
        # The current version of every agent, of those that are put aside too.
        self._versions: dict[str, int] = {}
        # The agents that can play, by name; and the players of their current versions, by row id.
        self._lines: dict[str, LadderLine] = {}
        self._entrants: dict[int, Entrant] = {}
        self._scheduled: list[ScheduledGame] = []
        self._open: dict[str, set[int]] = {}
        # The numbers of the games in progress.
        self._playing: set[int] = set()
        # The number of rulings, which other processes make.
        self._rulings = 0
        # Games and openings in a row in which the rules failed; and the pairs for which they found no opening.
        self._failures = 0
        self._aside: set[frozenset[str]] = set()
        self.reload()

    def reload(self) -> None:
        """Reads who plays, with which version and rating: after a submission has entered, and after new ratings. Games
        of a replaced version that have not begun are cancelled; those in progress count for it."""

        def read(connection: Connection) -> tuple[list[LadderLine], Unplayed]:
            self._rulings = running.ruling_count(connection)
            ladder_results.cancel_replaced(connection, self.id)
            return ladder.standings(connection, self.id), self._unplayed(connection)

        lines, (self._scheduled, self._open) = self._write(read)
        before, entrants = self._versions, self._entrants
        self._versions = {line.name: line.version for line in lines}
        self._lines, self._entrants, self.left_out = {}, {}, {}
        for line in lines:
            if before.get(line.name, line.version) != line.version:
                self._faults.pop(line.name, None)
            if line.status != "active":
                continue
            try:
                self._entrants[line.version] = entrants.get(line.version) or self._entrant(line)
            except ArenaError as error:
                self.left_out[line.name] = str(error)
                continue
            self._lines[line.name] = line
        self._pairs.use({name: line.version for name, line in self._lines.items()})

    @property
    def is_idle(self) -> bool:
        """Whether no game is in progress, and none is scheduled that can be played."""
        return not self._playing and not any(map(self._can_play, self._scheduled))

    @property
    def is_over(self) -> bool:
        """Whether the ladder is closed and its last pair has been played."""
        return self.is_closed and self.is_idle

    @property
    def rules_are_broken(self) -> bool:
        """Whether the rules failed again and again, so that no pair begins in this run."""
        return self._failures >= MOST_FAILURES

    def player(self, name: str) -> tuple[Entrant, str] | None:
        """The agent of this name with its current version, and what that was started as; None if it cannot play."""
        line = self._lines.get(name)
        if line is None or not self._is_there(line.version):
            return None
        return self._entrants[line.version], line.started_as

    # The schedule that a director plays.

    def next(self) -> Planned | None:
        return self.start(placement=False)

    def start(self, *, placement: bool) -> Planned | None:
        """The next game. A pair that was begun goes on before a new one begins. `placement`: only the first pairs of
        new versions."""
        game = self._begin_scheduled(placement=placement)
        while game is None and not self.is_closed and not self.rules_are_broken:
            pair = pick(self._state(), self._random, placement=placement)
            if pair is None:
                if not placement and (self.left_out or not self._open):
                    self.reload()  # an agent may be in the store again, or another process may have let it play again
                return None
            game = self._begin_pair(pair)
            if game is None:
                self.reload()
        if game is None:
            return None
        self._playing.add(game.id)
        return self._planned(game, tuple([self._entrants[version] for version, _ in game.seats]))

    def note(self, finished: Finished) -> None:
        """Records the game and all its effects in one transaction."""
        if rules_failed(finished.record):
            self._note_failure(finished.record.detail)
        elif finished.record.verdict != Verdict.VOID and not self.rules_are_broken:
            self._failures = 0
        out, unplayed = self._record(finished, self._follow)
        self._playing.discard(finished.game.number)
        if unplayed is None:
            self._end_leg(str(finished.game.identity[0]), finished.game.leg)
        else:
            self._scheduled, self._open = unplayed
        for name in out:
            del self._lines[name]

    def look(self, ladder: OpenLadder) -> None:
        """This is the ladder now; a new ruling can have changed who plays."""
        self.opened = ladder
        with self._database.reading() as connection:
            has_new_rulings = running.ruling_count(connection) != self._rulings
        if has_new_rulings:
            self.reload()

    def interrupted(self) -> None:
        """The referee died: the games in progress are scheduled again, except those of replaced versions."""
        self._scheduled, self._open = self._write(self._put_back)
        self._playing.clear()

    def close(self) -> None:
        """Ends the run: games in progress are scheduled again."""

        def end(connection: Connection) -> None:
            self._put_back(connection)
            store.set_status(connection, self.id, "stopped", datetime.now(UTC))

        self._write(end)

    # Inside a transaction.

    def _follow(self, connection: Connection, repeated: bool, out: Mapping[str, str]) -> Unplayed | None:
        if not repeated and not out:
            return None
        ladder_results.cancel_replaced(connection, self.id)
        return self._unplayed(connection)

    def _put_back(self, connection: Connection) -> Unplayed:
        store.interrupt(connection, self.id)
        ladder_results.cancel_replaced(connection, self.id)
        return self._unplayed(connection)

    def _unplayed(self, connection: Connection) -> Unplayed:
        legs: dict[str, set[int]] = {}
        for pair, leg in running.waiting(connection, self.id):
            legs.setdefault(pair, set()).add(leg)
        return running.scheduled(connection, self.id, MOST_GAMES), legs

    # Outside of transactions.

    def _begin_scheduled(self, *, placement: bool) -> ScheduledGame | None:
        """Begins the first scheduled game that this schedule can play."""
        wanted = [
            game for game in self._scheduled if self._can_play(game) and (self._is_placement(game) or not placement)
        ]
        if not wanted:
            return None

        def begin(connection: Connection) -> tuple[ScheduledGame | None, list[ScheduledGame]]:
            scheduled = running.scheduled(connection, self.id, MOST_GAMES)
            game = next((game for game in wanted if game in scheduled), None)
            if game is not None:
                store.begin(connection, game.id, datetime.now(UTC))
                scheduled.remove(game)
            return game, scheduled

        game, self._scheduled = self._write(begin)
        return game

    def _begin_pair(self, pair: LadderPair) -> ScheduledGame | None:
        """Schedules both games and begins the first; None if one of the two agents cannot play any more."""
        names = (pair.one, pair.other)
        versions = {name: self._lines[name].version for name in names}
        if lost := [version for version in versions.values() if not self._is_there(version)]:
            for version in lost:
                del self._entrants[version]
            return None
        cycle = self._pairs.meetings(*names)
        pairing = Pairing.of(names, cycle=cycle, round=0, legs=_LEGS, seed=self.seed)
        # Found before the transaction begins, because it can take a tenth of a second.
        try:
            opening = self._book.opening(cycle % _OPENINGS, *names)
        except BadFixture as error:
            self._aside.add(frozenset(names))
            self._say(f"{pair.one} and {pair.other} do not meet in this run: {without_store(str(error))}")
            self._note_failure(str(error))
            return None
        new = [*games_of(self._on_record, pairing, versions, opening)]

        def begin(connection: Connection) -> list[ScheduledGame]:
            if not ladder_results.all_active(connection, self.id, versions.values()):
                return []
            ids = store.schedule(connection, self.id, new)
            both = [game for game in running.scheduled(connection, self.id, MOST_GAMES) if game.id in ids]
            store.begin(connection, both[0].id, datetime.now(UTC))
            return both

        both = self._write(begin)
        if not both:
            return None
        first, *rest = both
        self._scheduled += rest
        self._open[pairing.key] = {*range(_LEGS)}
        number = ladder_results.pair_number(first.number)
        self._pairs.add(BegunPairs(names, (versions[pair.one], versions[pair.other]), 1, number))
        return first

    def _note_failure(self, why: str) -> None:
        """The rules failed, in a game or in an opening."""
        self._failures += 1
        if self._failures == MOST_FAILURES:
            self._say(
                f"the rules failed {MOST_FAILURES} times in a row, so no more pairs begin. Start the server again to "
                f"go on, or correct the rules and open a ladder with another name ({without_store(why)})"
            )

    def _state(self) -> PairingState:
        """What decides who plays next."""
        busy = Counter(name for pair in self._open for name in json.loads(pair)[:-1])
        unrated = middle(self._anchors.values())
        pairs = self._pairs
        candidates = [
            PairCandidate(
                name,
                author=author_of(name),
                anchor=name in self._anchors,
                rating=unrated if line.rating is None else line.rating,
                error=UNRATED_ERROR if line.error is None else line.error / WIDTH,
                pairs=pairs.of_version[line.version],
                last=pairs.last[name],
                busy=busy[name],
            )
            for name, line in self._lines.items()
        ]
        return PairingState(candidates, pairs.met, pairs.now, self._aside)

    def _can_play(self, game: ScheduledGame) -> bool:
        """Whether the store has the programs of both players."""
        return all(self._is_there(version) for version, _ in game.seats)

    def _is_there(self, version: int) -> bool:
        """Whether the version can play; without its files it would lose by a fault that is not its own."""
        entrant = self._entrants.get(version)
        if entrant is None or is_builtin(entrant.source):
            return entrant is not None
        return (self._submissions.folder / entrant.source).is_dir()

    def _is_placement(self, game: ScheduledGame) -> bool:
        """Whether the game belongs to the first pairs of a new version."""
        return any(name in self._anchors for name in game.names) and any(
            name not in self._anchors and self._pairs.of_version[version] <= PLACEMENT_PAIRS
            for version, name in game.seats
        )

    def _faults_after(self, finished: Finished) -> dict[str, int]:
        """Without agents whose version was replaced, and without anchors, which hold the scale."""
        sources = {entrant.name: entrant.source for entrant in finished.game.entrants}
        return {
            name: count
            for name, count in super()._faults_after(finished).items()
            if name not in self._anchors and name in self._lines and self._lines[name].source == sources[name]
        }

    def _end_leg(self, pair: str, leg: int) -> None:
        """This game of the pair is over."""
        legs = self._open.get(pair, set())  # none if a ruling of another process has cancelled the game meanwhile
        legs.discard(leg)
        if not legs:
            self._open.pop(pair, None)

    def _entrant(self, line: LadderLine) -> Entrant:
        """The current version, from the store."""
        version = StoredVersion(line.name, line.number, line.source, line.started_as)
        player = player_of(version, self._submissions)
        walls, allowance = walls_of(self._submissions, line.source, self.opened.ladder.languages)
        return enter(
            *(player, line.name, self._start, self._submissions, self._confinement), walls=walls, allowance=allowance
        )


# Which pairs a ladder has begun: how often two agents have met, and when each agent played last.


class PairsBegun:
    """The pairs of one ladder."""

    def __init__(self, begun: Iterable[BegunPairs]) -> None:
        # The number of pairs.
        self.now = 0
        # For two names in alphabetical order, the last pair of their current versions.
        self.met: dict[tuple[str, str], int] = {}
        # By name: the last pair with any version; 0 if there is none.
        self.last = Counter[str]()
        # By version: the number of pairs.
        self.of_version = Counter[int]()
        self._meetings = Counter[tuple[str, str]]()
        # By two versions, in the order of their names: their last pair.
        self._last_of: dict[tuple[int, int], int] = {}
        # By current version: the name of its agent.
        self._names: dict[int, str] = {}
        for pairs in begun:
            self.add(pairs)

    def add(self, begun: BegunPairs) -> None:
        """Adds pairs of two versions."""
        (one, version), (other, other_version) = sorted(zip(begun.names, begun.versions, strict=True))
        versions = (version, other_version)
        last = self._last_of[versions] = max(begun.last, self._last_of.get(versions, 0))
        if version in self._names and other_version in self._names:
            self.met[one, other] = last
        self._meetings[one, other] += begun.pairs
        self.of_version.update(dict.fromkeys(versions, begun.pairs))
        for name in (one, other):
            self.last[name] = max(begun.last, self.last[name])
        self.now = max(begun.last, self.now)

    def meetings(self, one: str, other: str) -> int:
        """The number of pairs of these two agents, with any versions."""
        return self._meetings[min(one, other), max(one, other)]

    def use(self, versions: Mapping[str, int]) -> None:
        """By name, these are the current versions from now on."""
        names = {version: name for name, version in versions.items()}
        if names == self._names:
            return
        self._names = names
        self.met = {
            (names[one], names[other]): last
            for (one, other), last in self._last_of.items()
            if one in names and other in names
        }


# Who plays next on a ladder. Values in, values out: nothing here reads the database or a clock.


PLACEMENT_PAIRS: Final = 8
"""Number of pairs that a new version begins with, against anchors."""
UNRATED_ERROR: Final = 350.0
"""The standard error of a version without a rating, in Elo."""

_OVERDUE: Final = 1.1
"""A player that has waited longer than this, in mean pauses, is next, however certain its rating is."""
_STARVED: Final = 1.5
"""Placement waits for a player that has waited longer than this, in mean pauses, and longer than any new one."""
_RESTED: Final = 0.5
"""Up to this time since its last pair, in mean pauses, a player is less likely to be an opponent."""
_FAR: Final = 0.05
"""The probability of a random opponent, which may be far stronger or weaker."""
_ANCHORED: Final = 0.1
"""The probability of an anchor as opponent: only games with anchors show where all the others are together."""


class PairCandidate(Struct, frozen=True):
    """A player of the ladder, with the version that it plays with now."""

    name: str
    author: str
    """Agents of the same author never meet."""
    anchor: bool
    rating: float
    error: float
    """One standard error, in Elo; `UNRATED_ERROR` without a rating, 0 for an anchor."""
    pairs: int = 0
    """Number of pairs that it has begun with this version."""
    last: int = 0
    """The number of the pair that it began last, with any version; 0 if it has not played."""
    busy: int = 0
    """Number of its pairs in progress."""


class PairingState(Struct, frozen=True):
    """What decides who plays next."""

    candidates: Sequence[PairCandidate]
    """All who can play now."""
    met: Mapping[tuple[str, str], int]
    """For two names in alphabetical order, the number of the last pair of their current versions."""
    now: int
    """Number of pairs that the ladder has begun."""
    aside: Collection[frozenset[str]] = frozenset()
    """Pairs of names that cannot be played."""


class LadderPair(Struct, frozen=True):
    """Two games of these two: the same opening, seats swapped."""

    one: str
    other: str


def pick(state: PairingState, random: Random, *, placement: bool) -> LadderPair | None:
    """The next pair, of two different authors and not of two anchors; None if there is none to play.

    With `placement`, only a pair of a version with fewer than `PLACEMENT_PAIRS`; otherwise only of other versions."""
    anchors = [one for one in state.candidates if one.anchor]
    waiting = _Waiting(state)
    new: list[PairCandidate] = []
    placed: list[PairCandidate] = []
    for one in state.candidates:
        if not one.anchor:
            (new if anchors and one.pairs < PLACEMENT_PAIRS else placed).append(one)
    if not placement:
        return _begun(state, waiting, placed, [*placed, *anchors], random)
    new = [one for one in new if not one.busy]
    longest = max(map(waiting.of_author, new), default=0.0)
    if any(waiting.of_author(one) > max(_STARVED, longest) for one in placed):
        return None
    return _begun(state, waiting, new, anchors, random)


class _Waiting:
    """How long players have waited for a pair, in mean pauses: 1 is the pause if all authors take turns."""

    def __init__(self, state: PairingState) -> None:
        self._now = state.now + 1
        # By author: the pair that one of its agents began last.
        self._last: dict[str, int] = {}
        # By author: the number of its agents.
        self.agents: dict[str, int] = {}
        for one in state.candidates:
            if not one.anchor:
                self._last[one.author] = max(one.last, self._last.get(one.author, 0))
                self.agents[one.author] = self.agents.get(one.author, 0) + 1
        self.mean_pause = max(1.0, len(self._last) / 2.0)

    def of_author(self, one: PairCandidate) -> float:
        """The wait of all agents of its author."""
        return (self._now - self._last[one.author]) / self.mean_pause

    def of_agent(self, one: PairCandidate) -> float:
        """The wait of this agent, which takes turns with the other agents of its author."""
        return (self._now - one.last) / (self.mean_pause * self.agents[one.author])

    def since(self, met: int | None) -> float:
        """The time since that pair; infinite for None."""
        return float("inf") if met is None else (self._now - met) / self.mean_pause


def _begun(
    state: PairingState,
    waiting: _Waiting,
    players: Sequence[PairCandidate],
    others: Sequence[PairCandidate],
    random: Random,
) -> LadderPair | None:
    """The pair that the most urgent of these players who has an opponent begins with one of the others."""
    if not players:
        return None
    one = _most_urgent(_least_busy(players), waiting, random)
    opponents = _least_busy(
        [
            other
            for other in others
            if (other.anchor or other.author != one.author) and frozenset((one.name, other.name)) not in state.aside
        ]
    )
    if not opponents:
        return _begun(state, waiting, [player for player in players if player is not one], others, random)
    chance = random.random()
    if chance < _FAR:
        return LadderPair(one.name, random.choice(opponents).name)
    if chance < _FAR + _ANCHORED:
        opponents = [other for other in opponents if other.anchor] or opponents
    return LadderPair(one.name, max(opponents, key=lambda other: _worth(state, waiting, one, other)).name)


def _least_busy(players: Iterable[PairCandidate]) -> list[PairCandidate]:
    """Those with the fewest pairs in progress. Anchors can play any number at the same time."""
    found = list(players)
    least = min((0 if one.anchor else one.busy for one in found), default=0)
    return [one for one in found if one.anchor or one.busy == least]


def _most_urgent(players: Sequence[PairCandidate], waiting: _Waiting, random: Random) -> PairCandidate:
    """The author with the largest error times wait, then the agent of that author with the largest; one that is overdue
    goes first."""

    def of_author(one: PairCandidate) -> tuple[bool, float, float]:
        # With k agents each has a k-th of the games, and so an error sqrt(k) times as large.
        error = one.error / sqrt(waiting.agents[one.author])
        return (*_urgency(waiting.of_author(one), error), random.random())

    def of_agent(one: PairCandidate) -> tuple[bool, float, float]:
        return (*_urgency(waiting.of_agent(one), one.error), random.random())

    author = max(players, key=of_author).author
    return max((one for one in players if one.author == author), key=of_agent)


def _urgency(wait: float, error: float) -> tuple[bool, float]:
    """Larger is more urgent."""
    return wait > _OVERDUE, wait if wait > _OVERDUE else wait * error


def _worth(state: PairingState, waiting: _Waiting, one: PairCandidate, other: PairCandidate) -> float:
    """What a pair of these two tells about their ratings, less if they met lately or the other has just played."""
    chance = 1.0 / (1.0 + exp((other.rating - one.rating) / ELO))
    information = chance * (1.0 - chance)
    variance = (one.error**2 + other.error**2) / ELO**2
    # By how much the two games reduce the variance of the difference.
    told = information * variance / (1.0 + 2.0 * information * variance)
    names = (one.name, other.name) if one.name < other.name else (other.name, one.name)
    rested = 1.0
    if not other.anchor:
        rested = min(1.0, waiting.of_author(other) / _RESTED) / waiting.agents[other.author]
    return told * (0.2 + min(1.0, waiting.since(state.met.get(names)))) * rested
