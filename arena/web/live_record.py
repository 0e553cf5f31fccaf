"""What live pages need of the record, read in short transactions: games in progress, a finished game, standings.

Everything that it gives has passed `shown_game` or has public names only, except the name by which a director is found.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec.structs import replace

from arena.course.aliases import printable
from arena.history import recorded_rules
from arena.match.live import LiveEnd, LiveGame, LivePly
from arena.match.seeds import GameSeeds
from arena.pages.replay_page import person_in
from arena.serve.ladder_events import most_interesting
from arena.serve.open_ladders import ladder_of, opened, with_final
from arena.web import own, results
from arena.web.links import Wanted
from arena.web.live import RecordedGames
from arena.web.manage import called
from arena.web.pages import live_parts
from arena.web.pages.live_parts import Beside, Upset
from arena.web.permissions import VISITOR, SeenNames, What, may, own_seat, shown_game
from arena.web.results import Titled
from db import games, ladder, lookup, rulings, running, web
from db.database import Connection, Database
from db.errors import NotFound
from db.ladder import challenge_of_game
from db.records import GameKind, PastGame

_DAY: Final = timedelta(days=1)
_RESULTS: Final = 2
"""Number of last results beside the board of a TV page."""


class LiveRecord:
    """The database as one viewer sees it. Several threads can use it."""

    def __init__(self, database: Database, names: SeenNames, served: str) -> None:
        """`served`: the name of the ladder that the director serves."""
        self._database = database
        self._names = names
        self.served = served

    def game(self, id: int) -> RecordedGames | None:
        """The game; None if there is none."""
        with self._database.reading() as connection:
            found = games.games(connection, [id])
            return self._rated(connection, found[0]) if found else None

    def seeds(self, id: int) -> GameSeeds | None:
        """The seeds of what chance does in the game; None if they are not recorded. They are for no viewer."""
        with self._database.reading() as connection:
            found = games.games(connection, [id])
        return recorded_rules.seeds(found[0]) if found else None

    def whole_game(self, id: int) -> RecordedGames | None:
        """The game with its moves and its analysis; None if there is none."""
        if self.game(id) is None:  # first: the time for reading its moves would say that there is one
            return None
        with self._database.reading() as connection:
            (found,) = games.games(connection, [id], whole=True)
            return self._shown(connection, found)

    def _rated(self, connection: Connection, game: PastGame) -> RecordedGames | None:
        """The game as the viewer sees it, with the ratings of its players if it is not over."""
        shown = self._shown(connection, game)
        if shown is None or shown.is_over or shown.tournament is None:
            return shown
        ratings = _ratings(connection, lookup.find_tournament(connection, shown.tournament))
        return replace(shown, ratings=[ratings.get(name, (None,))[0] for name in game.players])

    def _shown(self, connection: Connection, game: PastGame) -> RecordedGames | None:
        """The game as the viewer sees it; None if they may not see it at all."""
        viewer, title, of, words = self._names.viewer, "", game.tournament, ""
        if game.kind == GameKind.CHALLENGE:  # played by the director of its ladder, as its games are
            of, words = challenge_of_game(connection, game.id) or (of, words)
        if of is None:
            if not may(viewer, What.RESULTS):
                return None
        elif not (title := self._names.titles(connection).get(lookup.find_tournament(connection, of), "")):
            return None
        if viewer.author and not self._is_of_ladder(connection, game, of):
            viewer = replace(viewer, author="")  # an agent of this name is somebody else's there
        shown = shown_game(viewer, game, self._names.read(connection), title)
        if words:
            shown = replace(shown, detail=words)
        own, person = own_seat(viewer, game), None
        if of is None and (person := person_in(game.players)) is not None:
            shown, own = self._with_person(shown, person)
        return RecordedGames(of, shown, players=game.players, own_seat=own, person=person)

    def _with_person(self, game: PastGame, seat: int) -> tuple[PastGame, int | None]:
        """The game with the name of the person in this seat, if the viewer may see it; and the seat if it is the
        viewer's."""
        if (account := self._names.player_of(game.id)) is None:
            return game, None
        name, seats = printable(called(account)), [*game.seats]
        seats[seat] = replace(seats[seat], player=name)
        return replace(game, seats=tuple(seats)), seat if account.id == self._names.viewer.account else None

    def _is_of_ladder(self, connection: Connection, game: PastGame, of: str | None) -> bool:
        """Whether it is a game of the ladder that is served, or of one of its tournaments, and of an agent of the
        viewer."""
        if of is None or not any(map(self._names.viewer.owns, game.players)):
            return False
        ladder = ladder_of(connection, of)
        return ladder is not None and ladder.name == self.served

    def titled(self, tournament: str | None) -> Titled | None:
        """The tournament with this name in the record; None if it is None."""
        if tournament is None:
            return None
        with self._database.reading() as connection:
            return results.titled(connection, self._names, lookup.find_tournament(connection, tournament))

    def beside(self, game: RecordedGames) -> tuple[int | None, int | None]:
        """The ids of the games before and after this one in its tournament."""
        if game.tournament is None or game.shown.kind == GameKind.CHALLENGE:
            return None, None
        with self._database.reading() as connection:
            return web.beside(connection, lookup.find_tournament(connection, game.tournament), game.shown.id)

    def played(self, id: int) -> tuple[LiveGame, LiveEnd] | None:
        """A finished game as its director published it, at once; None if it is not finished, or if its rules fail
        or must not be run."""
        with self._database.reading() as connection:
            found = games.games(connection, [id], whole=True)
        if not found:
            return None
        (game,) = found
        if game.status != "finished" or not game.moves:
            return None
        try:
            recorded_rules.start(game, trust=False)
        except Exception:  # untrusted, or user-supplied rules, which may raise anything
            return None
        plies = tuple(LivePly(id, move.ply, move.who, move.move, move.spent, move.left, 0) for move in game.moves)
        points = tuple(seat.points for seat in game.seats)
        return LiveGame(id, game.game, tuple(game.players), tuple(game.clocks), plies, 0, game.position or ""), LiveEnd(
            id, str(game.verdict), points
        )

    def ratings(self, game: RecordedGames) -> dict[str, tuple[float, float | None]]:
        """The ratings now of the agents in the game's tournament, with their errors, by their public names."""
        if game.tournament is None:
            return {}
        with self._database.reading() as connection:
            shown = self._names.read(connection).shown
            found = _ratings(connection, lookup.find_tournament(connection, game.tournament))
        return {shown[name]: rating for name, rating in found.items()}

    def next_game(
        self,
        tournament: str | None,
        *,
        without: Collection[int],
        before: Sequence[str],
        public: bool,
        player: str = "",
    ) -> RecordedGames | None:
        """The most interesting game in progress, of that tournament and its final, or else of any that may be seen, and
        none of `without`; if possible not by the players `before`. `public`: for visitors; `player`: only games of
        this one."""
        with self._database.reading() as connection:
            public = public or (tournament is not None and self._is_public(connection, tournament))
            names = self._playing(connection, public=public)
            if tournament is not None:
                names = [name for name in names if name in with_final(tournament)]
            for name in names:
                id = lookup.find_tournament(connection, name)
                playing = [
                    game
                    for game in running.in_progress(connection, id)
                    if game.id not in without and (not player or player in game.players)
                ]
                ratings = {name: rating for name, (rating, _) in _ratings(connection, id).items()} if playing else {}
                if (found := most_interesting(playing, ratings, before)) is not None:
                    return self._rated(connection, games.games(connection, [found.id])[0])
        return None

    def _playing(self, connection: Connection, *, public: bool) -> list[str]:
        """The tournaments with games in progress, the ladder that is served first; `public`: that visitors may see."""
        names = running.tournaments_in_progress(connection)
        found = [name for name in names if not public or self._is_public(connection, name)]
        return sorted(found, key=lambda name: name != self.served)

    def _is_public(self, connection: Connection, tournament: str) -> bool:
        return may(
            VISITOR,
            What.RESULTS,
            public=lookup.find_tournament(connection, tournament) in web.public_tournaments(connection),
        )

    def front(self, *, public: bool) -> object:
        """What the front page depends on; `public`: that of a visitor."""
        with self._database.reading() as connection:
            titles = self._names.titles(connection)
            return web.last_changes(connection, web.public_tournaments(connection) if public else titles)

    def side(self, tournament: str | None, *, public: bool) -> Mapping[str, str]:
        """The parts beside the board of a TV page: standings and last results. `public`: for visitors."""
        name = self.served if tournament is None else tournament
        with self._database.reading() as connection:
            try:
                id = lookup.find_tournament(connection, name)
            except NotFound:
                return {}
            if tournament is None and public and not self._is_public(connection, name):
                return {}
            return live_parts.tv_side(self._beside(connection, name, id, datetime.now(UTC)))

    def _beside(self, connection: Connection, name: str, id: int, now: datetime) -> Beside:
        """What is beside the board of a TV page that shows games of this tournament."""
        ladder = ladder_of(connection, name)
        if ladder is not None and ladder.name != name:
            ladder = None
        final = None if ladder is None else running.tournament(connection, ladder.final)
        if final is not None and final["id"] in self._names.titles(connection):
            id = final["id"]
        report = results.report(connection, self._names, id, now=now)
        return Beside(
            report=report,
            latest=results.games_part(connection, self._names, id, Wanted()).games[:_RESULTS],
            upset=self._upset(connection, id, now) if final is None else None,
            closes=ladder.closes if ladder is not None and final is None else None,
        )

    def _upset(self, connection: Connection, tournament: int, now: datetime) -> Upset | None:
        """The win of the last day against the agent whose rating is higher by most."""
        ratings = {name: rating for name, (rating, _) in _ratings(connection, tournament).items()}
        upsets = [
            (ratings[loser] - ratings[winner], game, winner, loser)
            for winner, loser, game in web.wins(connection, tournament, since=now - _DAY)
            if winner in ratings and loser in ratings and ratings[loser] > ratings[winner]
        ]
        if not upsets:
            return None
        lead, game, winner, loser = max(upsets)
        shown = self._names.read(connection).shown
        return Upset(game, shown[winner], shown[loser], lead)

    def last_ruling(self) -> int:
        """The number of the last ruling; 0 if there is none."""
        with self._database.reading() as connection:
            return rulings.last(connection)

    def author(self, submission: int) -> str:
        """The name in the record of the agent that was handed in; empty if there is no such submission."""
        with self._database.reading() as connection:
            found = ladder.find_submission(connection, opened(connection, self.served).id, submission)
        return "" if found is None else found.author

    def has_submission(self, id: int) -> bool:
        """Whether there is such a submission to the ladder that is served, and the viewer may see it."""
        with self._database.reading() as connection:
            return own.visible(connection, self._names, opened(connection, self.served), id) is not None

    def tournament_name(self, title: str) -> str:
        """The name in the record of the tournament with this public name; NotFound if there is none."""
        with self._database.reading() as connection:
            return lookup.tournament_name(connection, self._names.find_tournament(connection, title))


def _ratings(connection: Connection, tournament: int) -> dict[str, tuple[float, float | None]]:
    """The last ratings in the tournament, with their errors, by the names in the record."""
    return {
        line.name: (line.rating, line.error)
        for line in ladder.standings(connection, tournament)
        if line.rating is not None
    }
