"""Elo ratings by the fit of all games together (Bradley-Terry): the default for games of two players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.errors import BadRating
from arena.ratings import bradley_terry
from arena.ratings.duels import duels
from arena.ratings.ranking import FittedSystem, Ranked, Ranking, RankingSettings, Tally, lines
from arena.ratings.systems import FOR_SEVERAL
from db.records import PairCount, RatedGame


class _Elo(FittedSystem):
    name = "elo"
    method = "Elo (Bradley-Terry, all games together); ±: 95 % error, from pairs of games"
    for_two = True

    def fitted(
        self, games: Sequence[RatedGame], counts: Sequence[PairCount], settings: RankingSettings
    ) -> tuple[Ranking, bradley_terry.Fit]:
        for_two = duels(games, counts)
        seats = max((len(game.names) for game in games), default=2)
        if not len(for_two.first) and seats != 2:
            raise BadRating(f"{self} rates games of 2 players, these are for {seats}; use --system {FOR_SEVERAL}")
        if settings.hold and settings.prior:
            found = bradley_terry.fit(for_two, prior=settings.prior, held=settings.anchors)
        else:
            found = bradley_terry.fit(for_two, prior=settings.prior, anchors=settings.anchors)
        tally = Tally.of_duels(for_two)
        place = {name: number for number, name in enumerate(tally.names)}
        unrated = [Ranked(name=name, pool=0, **tally.of(place[name])) for name in sorted(found.unrated)]
        ranking = Ranking(
            system=self,
            players=[*lines(found, tally, settings.anchors), *unrated],
            pools=len(found.pools),
            advantages=dict(found.advantages),
            unrated=dict(found.unrated),
            repeated=found.repeated,
        )
        return ranking, found


SYSTEM: Final = _Elo()
