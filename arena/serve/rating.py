"""The ratings of one ladder, and of other tournaments. A ladder's results are counted in memory, and fitted with the
anchors' ratings held.

A version is a player of its own. A result is read once, when its game has ended, and a fit begins with what is counted.
A fit of n versions takes n^3 steps, so with thousands of versions the oldest ones, which play no more, keep their last
ratings. Nothing here must survive: another `LadderRatings` reads all games again and finds the same ratings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final

from arena.course.report import ratings_of, versions_of
from arena.ratings.bradley_terry import fit
from arena.ratings.duels import duels
from arena.ratings.scale import middle
from db import ladder, ladder_results, lookup, rulings, scores, web
from db.database import Connection, Database
from db.ladder import NewRating
from db.ladder_results import LadderGame, LastRating
from db.rated_games import Scope
from db.records import PairCount

_MOVED: Final = 1.0
"""A rating that moved by this much, in Elo, is written again although its version has not played."""
_MOST_FITTED: Final = 1000
"""Number of versions above which replaced versions are settled: they keep their last rating."""
_STEP: Final = 5.0
"""Settled versions are one player for each step of this many Elo."""
_SETTLED: Final = "settled at "

Result = tuple[int, int, float | None, float | None]
"""Two versions, the lower id first; the points of each in the game where it had the first seat."""


class LadderResults:
    """The results of games, counted in pairs. A game of a pair whose other game has no result counts alone."""

    def __init__(self) -> None:
        # By version: the number of games that count.
        self.games: Counter[int] = Counter()
        # By pair and the versions in their seats: the game that waits for the other one.
        self._halves: dict[tuple[str, int, int], LadderGame] = {}
        # By the moves of both games of a pair: how often they were played.
        self._played: Counter[int] = Counter()
        # By result, and how often its moves were played: number of pairs.
        self._pairs: Counter[tuple[Result, int]] = Counter()

    def add(self, game: LadderGame) -> None:
        """Counts a game that has ended."""
        self.games.update((game.first, game.second))
        other = self._halves.pop((game.pair, game.second, game.first), None)
        if other is None:
            self._halves[game.pair, game.first, game.second] = game
        elif game.first < other.first:
            self._add_pair(game, other)
        else:
            self._add_pair(other, game)

    def _add_pair(self, low: LadderGame, high: LadderGame) -> None:
        """`low` is the game in which the version with the lower id had the first seat."""
        result = (low.first, low.second, low.points, high.points)
        times = 1
        if low.moves_hash is not None and high.moves_hash is not None:
            moves = hash((low.first, low.second, low.moves_hash, high.moves_hash))
            self._played[moves] += 1
            times = self._played[moves]
        # Pairs that repeat one another are counted together, with how often these moves were played.
        self._pairs[result, times] += times
        if times > 1:
            self._pairs[result, times - 1] -= times - 1

    def counted(self, settled: Mapping[int, str] = MappingProxyType({})) -> Iterator[PairCount]:
        """All results, except those between two `settled` versions, which have these names."""
        singles = Counter((_single(game), game.moves_hash or -game.id) for game in self._halves.values())
        every = [
            *((result, count, repeats) for (result, repeats), count in self._pairs.items() if count),
            *((result, count, count) for (result, _), count in singles.items()),
        ]
        for (low, high, own, others), count, repeats in every:
            if not (low in settled and high in settled):
                names = settled.get(low) or _name(low), settled.get(high) or _name(high)
                yield PairCount(*names, "", own, others, count, repeats)


class LadderRatings:
    """The results so far, and the ratings that were written last."""

    def __init__(self, connection: Connection, tournament: int) -> None:
        self._tournament = tournament
        self._written = ladder_results.last_ratings(connection, tournament)
        self._anchors = {_name(version): one.rating for version, one in self._written.items() if one.error == 0.0}
        self._count_anew(connection)

    def _count_anew(self, connection: Connection) -> None:
        """Forgets all results."""
        self._results = LadderResults()
        self._last_game = 0
        self._unfinished: set[int] = set()
        self._last_ruling = rulings.last(connection)
        self._overruled = ladder_results.overruled(connection)

    def read(self, connection: Connection) -> bool:
        """Counts the games that have ended since the last time, or all games anew after a ruling. Returns whether
        anything changed."""
        is_anew = rulings.last(connection) != self._last_ruling
        if is_anew:
            self._count_anew(connection)
        before = self._results.games.total()
        for game in ladder_results.games_again(connection, self._unfinished):
            self._note(game)
        for game in ladder_results.games_after(connection, self._tournament, self._last_game):
            self._last_game = game.id
            self._note(game)
        return is_anew or self._results.games.total() > before

    def _note(self, game: LadderGame) -> None:
        if not game.is_over:
            self._unfinished.add(game.id)
            return
        self._unfinished.discard(game.id)
        if game.is_result and game.id not in self._overruled:
            self._results.add(game)

    def fitted(self, current: Collection[int]) -> list[NewRating]:
        """The ratings to write: of the versions that played since their last one, and of the `current` versions whose
        rating moved."""
        settled = self._settled(current)
        held = self._anchors | {name: float(name.removeprefix(_SETTLED)) for name in settled.values()}
        counted = duels([], [*self._results.counted(settled)])
        found = fit(counted, held=held, middle=middle(self._anchors.values()))
        new = []
        for name, rating, error in zip(found.names, found.ratings, found.errors(), strict=True):
            if name in held:
                continue
            version = int(name)
            one = NewRating(version, float(rating), float(error), self._results.games[version])
            if is_news(self._written.get(version), one, may_move=version in current):
                new.append(one)
        return new

    def _settled(self, current: Collection[int]) -> dict[int, str]:
        """The versions that keep their last rating, each with its name in the fit: the oldest of those that were
        replaced, if there are more than `_MOST_FITTED` versions."""
        games = self._results.games
        old = sorted(
            version
            for version, last in self._written.items()
            if version not in current and last.games == games[version] and _name(version) not in self._anchors
        )
        return {
            version: f"{_SETTLED}{_STEP * round(self._written[version].rating / _STEP):g}"
            for version in old[: max(0, len(games) - _MOST_FITTED)]
        }

    def write(self, database: Database, ratings: Sequence[NewRating], now: datetime) -> None:
        """Writes these ratings in one transaction."""
        if ratings:
            with database.writing() as connection:
                ladder.add_ratings(connection, self._tournament, ratings, now)
            self._written |= {one.version: LastRating(one.rating, one.error, one.games) for one in ratings}


def is_news(last: LastRating | None, new: NewRating, *, may_move: bool = True) -> bool:
    """Whether the rating is to be written after the last one: the version has played, or (`may_move`) its rating moved
    without a game."""
    if last is None or last.games != new.games:
        return True
    return may_move and abs(last.rating - new.rating) >= _MOVED


def _single(game: LadderGame) -> Result:
    """The result of a game whose partner has none."""
    if game.first < game.second:
        return (game.first, game.second, game.points, None)
    return (game.second, game.first, None, game.points)


def _name(version: int) -> str:
    """The version's name in a fit."""
    return str(version)


# The ratings of tournaments that are not ladders, as rows like a ladder's, so that pages only read them.


class TournamentRatings:
    """Writes the ratings of all tournaments in a database that are not ladders."""

    def __init__(self) -> None:
        # By tournament: the results that its ratings were computed from.
        self._rated: dict[int, Hashable] = {}

    def rate(self, database: Database, now: datetime) -> bool:
        """Writes the ratings of the tournaments whose results have changed; returns whether there were new ones."""
        with database.reading() as connection:
            due = [
                tournament
                for tournament in ladder_results.unrated_tournaments(connection)
                if self._rated.get(tournament) != scores.state(connection, tournament)
            ]
        is_written = False
        for tournament in due:  # each in a transaction of its own, because a long one keeps the log from being emptied
            with database.reading() as connection:
                state = scores.state(connection, tournament)
                last = ladder_results.last_ratings(connection, tournament)
                new = [one for one in tournament_fit(connection, tournament) if is_news(last.get(one.version), one)]
            if new:
                with database.writing() as connection:
                    ladder.add_ratings(connection, tournament, new, now)
            self._rated[tournament] = state
            is_written |= bool(new)
        return is_written


def tournament_fit(connection: Connection, tournament: int) -> list[NewRating]:
    """The rating of each version: of those that play now by their agents' games, of earlier ones by a fit in which each
    version is a player of its own."""
    scope = Scope(tournaments=(tournament,))
    anchors = lookup.anchors(connection, [tournament])
    versions = web.versions_entered(connection, tournament)
    ranking = ratings_of(connection, scope, _SAME, anchors)
    if ranking is None:
        return []
    ranked = {one.name: one for one in ranking.players}
    found = []
    for one in versions:
        rated = ranked.get(one.agent) if one.is_current else None
        if rated is not None and rated.rating is not None and rated.error is not None:
            found.append(NewRating(one.id, rated.rating, rated.error, rated.games))
    earlier = {f"{one.agent}@{one.number}": one.id for one in versions if not one.is_current}
    if earlier:
        for ratings in versions_of(connection, scope, _SAME, anchors).values():
            found += [
                NewRating(earlier[one.version], one.rating, one.error, one.games)
                for one in ratings
                if one.version in earlier
            ]
    return found


class _Same(dict[str, str]):
    """Every name, as itself."""

    def __missing__(self, name: str) -> str:
        return name


_SAME: Mapping[str, str] = _Same()
