"""Scores: each player's games, points and faults, and each player's points against each other player.

Standings and crosstables use them. The games are the ones that count in the views (`v_game.counts`, `v_game.present`),
with the same points (`v_seat.points`), but the tables are read in few passes: a million games take seconds, not
minutes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, func, select, text

from db import rulings
from db.counting import SEVERAL_VERSIONS, outdated, ruled, superseded
from db.records import ANNULS
from db.schema import Agent, Entry, Game, Version


class Score(Struct):
    """The score of one player."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    points: float = 0.0
    wins_second: int = 0
    """Wins in another seat than the first."""
    faults: dict[str, int] = {}
    """Verdict -> number of games lost by that fault."""
    forfeits: int = 0
    """Number of these games that were not played because another player forfeited them."""

    def add(self, games: int, points: float, *, wins: int, losses: int, wins_second: int) -> None:
        """Add N games and their results."""
        self.games += games
        self.points += points
        self.wins += wins
        self.draws += games - wins - losses
        self.losses += losses
        self.wins_second += wins_second


class HeadToHead(Struct, gc=False):
    """The games of one player against another."""

    games: int = 0
    points: float = 0.0
    """Points of the one player."""


class Scores(Struct):
    """The scores of all players, and of each player against each other player (name, opponent)."""

    players: dict[str, Score] = {}
    head_to_head: dict[tuple[str, str], HeadToHead] = {}

    def player(self, name: str) -> Score:
        """The score of `name`; a new one if there is none."""
        # Not `setdefault`: it would make a Score for each game.
        found = self.players.get(name)
        if found is None:
            found = self.players[name] = Score()
        return found

    def meet(self, name: str, opponent: str, games: int, points: float) -> None:
        """Add N games of `name` against `opponent`, with the points of `name`."""
        meetings = self.head_to_head.get((name, opponent))
        if meetings is None:
            self.head_to_head[name, opponent] = HeadToHead(games, points)
        else:
            meetings.games += games
            meetings.points += points


def scores(connection: Connection, tournament: int | None = None) -> Scores:
    """The scores of a tournament; with None, of all recorded games."""
    return _ScoreQueries(connection, tournament).results()


def state(connection: Connection, tournament: int) -> tuple[Any, ...]:
    """A value that changes whenever the scores of the tournament can have changed; read from an index."""
    games = select(Game.status, func.count()).where(Game.tournament == tournament).group_by(Game.status)
    entries = select(Entry.name, Entry.version, Entry.status).where(Entry.tournament == tournament).order_by(Entry.id)
    return (
        tuple(sorted((status, count) for status, count in connection.execute(games))),
        rulings.last(connection),
        tuple(tuple(row) for row in connection.execute(entries)),
    )


_MULTIPLAYER: Final = "SELECT game FROM seat WHERE seat = 2"
"""Query: ids of games with three or more players."""

# `a.points IS NOT NULL` is enough to select games with a result: no other game has points.
_PAIRS: Final = """
    SELECT a.{who}, b.{who}, COUNT(*), SUM(a.points), SUM(b.points),
           SUM(CASE WHEN a.points = 1.0 THEN 1 ELSE 0 END), SUM(CASE WHEN a.points = 0.0 THEN 1 ELSE 0 END),
           SUM(CASE WHEN b.points = 1.0 THEN 1 ELSE 0 END), SUM(CASE WHEN b.points = 0.0 THEN 1 ELSE 0 END)
    FROM seat AS a LEFT JOIN seat AS b ON b.game = a.game AND {other} {join}
    WHERE a.points IS NOT NULL AND {one} {left_out} {game}
    GROUP BY {together}
"""
_TOTALS: Final = """
    SELECT a.{who}, COUNT(*), SUM(a.points), SUM(CASE WHEN a.points = 1.0 THEN 1 ELSE 0 END),
           SUM(CASE WHEN a.points = 0.0 THEN 1 ELSE 0 END),
           SUM(CASE WHEN a.points = 1.0 AND a.seat > 0 THEN 1 ELSE 0 END)
    FROM seat AS a {join}
    WHERE a.points IS NOT NULL {left_out} {game}
    GROUP BY a.{who}
"""
_FAULTS: Final = """
    SELECT a.{who}, game.verdict, COUNT(*)
    FROM game JOIN seat AS a ON a.game = game.id AND a.seat = game.fault
    WHERE game.verdict <> 'normal' AND game.verdict <> 'resigned' AND a.points IS NOT NULL {left_out} {game}
    GROUP BY a.{who}, game.verdict
"""
_FORFEITS: Final = """
    SELECT a.{who}, COUNT(*)
    FROM game JOIN seat AS a ON a.game = game.id AND a.seat <> game.fault
    WHERE game.verdict = 'forfeit' AND game.verdict <> 'normal' AND a.points IS NOT NULL {left_out} {game}
    GROUP BY a.{who}
"""
_SEATS: Final = """
    SELECT a.game, game.verdict, game.fault, a.seat, a.{who}
    FROM seat AS a JOIN game ON game.id = a.game
    WHERE a.game IN ({games}) AND game.status IN ('finished', 'void') {left_out} {game}
    ORDER BY a.game, a.seat
"""


class _ScoreQueries:
    """Runs the queries above and adds up their results. Holds the fragments that all of them share."""

    def __init__(self, connection: Connection, tournament: int | None) -> None:
        self._connection = connection
        self._results = Scores()
        everything = tournament is None
        # For all tournaments, group by version id instead of name: numbers are sorted faster.
        self._who = "version" if everything else "name"
        self._names = self._agents() if everything else {}
        self._game = "" if everything else "AND game.tournament = :tournament"
        self._join = "" if everything else "JOIN game ON game.id = a.game"
        self._given: dict[str, Any] = {} if everything else {"tournament": tournament}
        which = [superseded("" if everything else "AND later.tournament = :tournament")]
        if self._ask(SEVERAL_VERSIONS)[0][0]:
            which.append(outdated(self._game))
        self._left_out = self._leave_out(which)

    def results(self) -> Scores:
        """Run all queries; return the scores."""
        as_played = f"AND a.game NOT IN ({ruled(*ANNULS, 'award')})"
        one, other = "a.seat = 0", "b.seat = 1"
        if self._ask(f"SELECT EXISTS ({_MULTIPLAYER})")[0][0]:
            self._count_pairs(one, other, f"{as_played} AND a.game NOT IN ({_MULTIPLAYER})", for_two=True)
            self._count_pairs(
                "b.seat > 0", "b.seat > a.seat", f"{as_played} AND a.game IN ({_MULTIPLAYER})", for_two=False
            )
            self._count_totals(f"{as_played} AND a.game IN ({_MULTIPLAYER})")
        else:
            self._count_pairs(one, other, as_played, for_two=True)
        for who, verdict, games in self._rows(_FAULTS, as_played):
            self._add_fault(self._name(who), verdict, games)
        for who, games in self._rows(_FORFEITS, as_played):
            self._results.player(self._name(who)).forfeits += games
        self._count_awarded()
        return self._results

    def _count_pairs(self, one: str, other: str, which: str, *, for_two: bool) -> None:
        """Add the points of each pair of players; in games `for_two` (or one) players, also each player's score."""
        together = f"a.{self._who}, b.{self._who}"
        if self._who == "version" and self._connection.dialect.name == "sqlite":
            together = "a.version * 4294967296 + COALESCE(b.version, 0)"  # one number is sorted faster than two
        rows = self._rows(_PAIRS, which, one=one, other=other, together=together)
        names, player, meet = self._names, self._results.player, self._results.meet
        for who, whom, games, own, others, wins, losses, other_wins, other_losses in rows:
            name = names.get(who, who)
            if for_two:
                player(name).add(games, own, wins=wins, losses=losses, wins_second=0)
            if whom is None:
                continue  # a game with one player
            opponent = names.get(whom, whom)
            meet(name, opponent, games, own)
            meet(opponent, name, games, others)
            if for_two:
                player(opponent).add(games, others, wins=other_wins, losses=other_losses, wins_second=other_wins)

    def _count_totals(self, which: str) -> None:
        for who, games, points, wins, losses, wins_second in self._rows(_TOTALS, which):
            self._results.player(self._name(who)).add(games, points, wins=wins, losses=losses, wins_second=wins_second)

    def _count_awarded(self) -> None:
        """Add the awarded games, one by one: there are few."""
        awarded = dict[int, int](self._ask(ruled("award", seat=True)))
        for some in _batches(list(awarded)):
            games: dict[int, list[tuple[str, float]]] = {}
            for game, verdict, fault, seat, who in self._rows(_SEATS, "", games=", ".join(map(str, some))):
                name, won = self._name(who), seat == awarded[game]
                games.setdefault(game, []).append((name, float(won)))
                self._results.player(name).add(
                    1, float(won), wins=int(won), losses=int(not won), wins_second=int(won and seat > 0)
                )
                if seat == fault and not won and verdict != "resigned":
                    self._add_fault(name, verdict, 1)
            for seats in games.values():
                for (name, points), (opponent, _) in permutations(seats, 2):
                    self._results.meet(name, opponent, 1, points)

    def _add_fault(self, name: str, verdict: str, games: int) -> None:
        faults = self._results.player(name).faults
        faults[verdict] = faults.get(verdict, 0) + games

    def _rows(self, query: str, which: str, **parts: str) -> Sequence[Any]:
        """The rows of `query` for the games that count and meet the condition `which`."""
        left_out = f"{self._left_out} {which}"
        return self._ask(query.format(who=self._who, join=self._join, game=self._game, left_out=left_out, **parts))

    def _leave_out(self, which: list[str]) -> str:
        """Condition: the game is not in the result of any of these queries."""
        if self._connection.dialect.name != "sqlite":
            return "".join(f" AND a.game NOT IN ({query})" for query in which)
        # These queries are slow and several others need their result: run them once and pass the ids as JSON.
        games = {game for query in which for (game,) in self._ask(query)}
        self._given["left_out"] = json.dumps(sorted(games))
        return "AND a.game NOT IN (SELECT value FROM json_each(:left_out))" if games else ""

    def _ask(self, query: str) -> Sequence[Any]:
        given = {name: value for name, value in self._given.items() if f":{name}" in query}
        # Rows straight from the driver, without SQLAlchemy's Row objects: there can be hundreds of thousands.
        return self._connection.execute(text(query), given).cursor.fetchall()

    def _name(self, who: Any) -> str:
        return str(self._names.get(who, who))

    def _agents(self) -> dict[int, str]:
        """The agent's name for each version id."""
        rows = select(Version.id, Agent.name).join(Agent, Agent.id == Version.agent)
        return dict(self._connection.execute(rows).all())


def _batches(games: list[int]) -> Iterator[list[int]]:
    """Batches of 500 ids: a query must not get too long."""
    for first in range(0, len(games), 500):
        yield games[first : first + 500]
