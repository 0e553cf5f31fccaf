"""The ratings of tournaments that are not ladders, as rows like a ladder's, so that pages only read them.

The rater computes them beside the ladder's: those of a finished tournament once, those of another one when its results
have changed. They are the ratings that a report shows. Nothing here must survive: after a restart they are computed
again, and only written if they differ.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from arena.course.report import ratings_of, versions_of
from arena.serve.rating import is_news
from db import ladder, ladder_results, lookup, scores, web
from db.ladder import NewRating
from db.rated_games import Scope

if TYPE_CHECKING:
    from db.database import Connection, Database


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
                new = _news(connection, tournament)
            if new:
                with database.writing() as connection:
                    ladder.add_ratings(connection, tournament, new, now)
            self._rated[tournament] = state
            is_written |= bool(new)
        return is_written


def _news(connection: Connection, tournament: int) -> list[NewRating]:
    """The ratings to write."""
    last = ladder_results.last_ratings(connection, tournament)
    return [one for one in fitted(connection, tournament) if is_news(last.get(one.version), one)]


def fitted(connection: Connection, tournament: int) -> list[NewRating]:
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
