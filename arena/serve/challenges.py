"""Challenges: a student starts one game of the own agent against an opponent of the ladder, and it counts nowhere.

The page server writes a row (`challenge`); the director plays it (`Challenges`), before its next rated game, one at a
time in the whole ladder and never two without a rated game between them. The rows are the truth: whatever is killed, a
challenge is played once, or it says why it was not. Players get the same messages as in a rated game.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, time, timedelta
from typing import Final

from msgspec import structs

from adsearch import games
from adsearch.errors import AdsearchError
from agents import builtin
from agents.errors import AgentsError
from arena.errors import ArenaError, BadChallenge
from arena.history.words import moment
from arena.match.schedule import Entrant, Finished, Planned
from arena.match.seeds import fresh_seed
from arena.players.entrants import built_in
from arena.serve.invited_games import Find
from arena.serve.open_ladders import OpenLadder
from arena.serve.priority_schedule import FurtherTurn, StandingSchedule
from arena.serve.submissions import possible_again
from arena.tournament.host import host
from arena.tournament.recorded_games import Wait, planned_game, written
from db import ladder, running, store
from db.database import Connection, Database
from db.ladder import LadderLine, StoredChallenge, author_of
from db.records import GameKind, ScheduledGame

_NONE_BEFORE_CLOSE: Final = timedelta(hours=24)
"""Before the close there are no challenges for this time: all games are for the ratings."""
_AGAINST_ITSELF: Final = "choose an opponent other than your agent"
_STATUS: Final = {
    "quarantined": "was put aside after faults in a row",
    "withdrawn": "was withdrawn by the instructor",
}
_HAND_IN: Final = {"quarantined": "; hand in a version without the fault first"}


# What a student may start.


def challenge(
    database: Database,
    opened: OpenLadder,
    author: str,
    agent: str,
    opponent: str,
    now: datetime,
    *,
    keep: Callable[[int], None] = lambda _: None,
) -> int:
    """Writes a challenge of the author's agent to the opponent, and returns the row id of its game, which waits; the
    names are those in the record. BadChallenge says in one sentence why there is none.

    `keep` is called with the id before the transaction is committed."""
    seed = fresh_seed()
    with database.writing() as connection:
        ladder.lock_submissions(connection, opened.id)  # the final does not begin meanwhile, and nobody has two
        if why := refusal(connection, opened, author, agent, opponent, now):
            raise BadChallenge(why)
        lines = _lines(connection, opened)
        names = (agent, opponent) if seed % 2 else (opponent, agent)
        league = opened.ladder.league
        new = ScheduledGame(
            pair=json.dumps([*sorted(names), ladder.count_challenges(connection, opened.id)]),
            game=opened.rules,
            clock=league.conditions.clock,
            seed=seed,
            kind=GameKind.CHALLENGE,
            position=league.conditions.position or None,
            seats=tuple((_version(connection, lines, name, now), name) for name in names),
        )
        id = ladder.add_challenge(connection, opened.id, author, new, now)
        keep(id)
    return id


def refusal(connection: Connection, opened: OpenLadder, author: str, agent: str, opponent: str, now: datetime) -> str:
    """Why the author cannot start this challenge now; empty if it is possible."""
    lines = _lines(connection, opened)
    own = agent if agent in lines and author_of(agent) == author else ""
    return (
        closed(connection, opened, now)
        or _not_playing(lines, own, opponent, opened.rules)
        or limit(connection, opened, author, now)
    )


def closed(connection: Connection, opened: OpenLadder, now: datetime) -> str:
    """Why nobody can start a challenge now; empty if somebody can."""
    if opened.no_challenges or not opened.ladder.challenges:
        return "challenges are turned off on this ladder"
    if now < opened.opens:
        return f"the ladder is not open yet: it opens on {moment(opened.opens)}"
    if running.tournament(connection, opened.final) is not None:
        return "the final has begun, so there are no more challenges"
    if now >= opened.closes - _NONE_BEFORE_CLOSE:
        return (
            f"there are no challenges in the last 24 hours of a ladder, and this one closes on {moment(opened.closes)}"
        )
    return ""


def limit(connection: Connection, opened: OpenLadder, author: str, now: datetime) -> str:
    """Why this author has to wait before the next challenge, and for how long; empty if it is possible now."""
    if (game := ladder.open_challenge_of(connection, opened.id, author)) is not None:
        return f"you can have one challenge at a time, and game {game} is not over yet"
    begin, end = day(opened, now)
    if left(connection, opened, author, begin):
        return ""
    most = opened.ladder.challenges
    return f"at most {most} challenge{'s' * (most > 1)} a day: {possible_again(end, now)}"


def left(connection: Connection, opened: OpenLadder, author: str, begin: datetime) -> int:
    """How many challenges the author can still start on the day that began at that time."""
    return max(0, opened.ladder.challenges - ladder.challenges_since(connection, opened.id, author, begin))


def day(opened: OpenLadder, now: datetime) -> tuple[datetime, datetime]:
    """The begin of the present day in the ladder's time zone, and its end; a day can have 23 or 25 hours."""
    zone = opened.closes.tzinfo
    today = now.astimezone(zone).date()
    begin, end = (datetime.combine(date, time(), zone) for date in (today, today + timedelta(days=1)))
    return begin.astimezone(UTC), end.astimezone(UTC)


def opponents(connection: Connection, opened: OpenLadder) -> tuple[list[str], list[str]]:
    """The names in the record of the agents that can be challenged, the best first, and of the built-in agents."""
    lines = _lines(connection, opened)
    agents = [name for name, line in lines.items() if line.status == "active"]
    return agents, [name for name in _able(opened.rules) if name not in lines]


def _lines(connection: Connection, opened: OpenLadder) -> dict[str, LadderLine]:
    return {line.name: line for line in ladder.standings(connection, opened.id)}


def _not_playing(lines: Mapping[str, LadderLine], own: str, opponent: str, rules: str) -> str:
    """Why one of the two cannot play; empty if both can. `own`: empty if the author has no such agent. The opponent is
    not named: the author may know it by another name."""
    if not own:
        return "no version of your agent plays on this ladder yet: hand one in first"
    if (status := lines[own].status) != "active":
        return f"your agent {_STATUS[status]}{_HAND_IN.get(status, '')}"
    if opponent == own:
        return _AGAINST_ITSELF
    if (line := lines.get(opponent)) is not None:
        return "" if line.status == "active" else f"the opponent {_STATUS[line.status]}, so it cannot play now"
    return "" if opponent in _able(rules) else "there is no such opponent"


def _able(rules: str) -> list[str]:
    """The built-in agents that can play the game; none if its rules fail."""
    with suppress(AdsearchError):
        return builtin.able(games.start(rules))
    return []


def _version(connection: Connection, lines: Mapping[str, LadderLine], name: str, now: datetime) -> int:
    """The row id of the version with which it plays now; a built-in agent without one gets it."""
    line = lines.get(name)
    return store.version(connection, name, name, name, now) if line is None else line.version


# How they are played.


class _NotYet(Exception):
    """What the director knows of a player is not what the record says: it is read again soon."""


class Challenges(StandingSchedule):
    """The challenges on one ladder, first come, first served. `otherwise` is their schedule for the case that no rated
    game can be played: it has its turn after all others."""

    def __init__(
        self, opened: OpenLadder, database: Database, find: Find, *, wait: Wait, now: Callable[[], datetime]
    ) -> None:
        """`find`: `LadderGames.player`. A challenge that was in progress waits again."""
        self.otherwise = FurtherTurn(self, self.start)
        self._opened = opened
        self._database = database
        self._find = find
        self._wait = wait
        self._now = now
        # The game in progress.
        self._playing: int | None = None
        # Whether a rated game begins before the next challenge.
        self._rated_first = False
        # Whether a challenge may be waiting.
        self._looks = True
        written(database, wait, lambda connection: ladder.interrupt_challenges(connection, opened.id))

    @property
    def is_playing(self) -> bool:
        """Whether one is in progress: the final does not begin meanwhile."""
        return self._playing is not None

    def next(self) -> Planned | None:
        """The challenge that waits longest, unless it is the turn of a rated game."""
        return None if self._rated_first else self.start()

    def start(self) -> Planned | None:
        """The challenge that waits longest, if none is in progress. Those that are not possible any more say so."""
        if self._playing is not None or not self._looks:
            return None
        with self._database.reading() as connection:
            waiting = ladder.waiting_challenges(connection, self._opened.id)
            closed_to_all = closed(connection, self._opened, self._now())
        for one in waiting:
            try:
                if closed_to_all:
                    raise BadChallenge(closed_to_all)
                game = self._begin(one)
            except _NotYet:
                return None
            except (ArenaError, AgentsError, AdsearchError) as error:
                why = str(error) if isinstance(error, BadChallenge) else "the rules of the game failed"
                self._cancel(one, why)
                continue
            if game is not None:
                self._playing = game.number
                return game
        self._looks = False
        return None

    def given(self, game: Planned) -> None:
        """After a challenge it is the turn of a rated game."""
        if game.conditions.kind in (GameKind.CHALLENGE, GameKind.LADDER, GameKind.TOURNAMENT):
            self._rated_first = game.conditions.kind is GameKind.CHALLENGE

    def note(self, finished: Finished) -> None:
        """Records the game. Nothing follows from it: no other attempt if it is void, and no fault is counted."""
        game, record = finished.game, finished.record

        def finish(connection: Connection) -> None:
            now = datetime.now(UTC)
            store.finish(connection, game.number, record, host=host(game), now=now, **game.hashed_with)

        written(self._database, self._wait, finish)
        self._playing, self._looks = None, True

    def look(self, ladder: OpenLadder) -> None:
        """There can be a new challenge."""
        self._opened, self._looks = ladder, True

    def interrupted(self) -> None:
        """The referee died: the game in progress waits again."""
        written(self._database, self._wait, lambda connection: ladder.interrupt_challenges(connection, self._opened.id))
        self._playing, self._looks = None, True

    def close(self) -> None:
        """Ends the run: the game in progress waits for the next one."""
        self.interrupted()

    def _begin(self, one: StoredChallenge) -> Planned | None:
        """Begins the game with the versions that play now; None if it does not wait any more. BadChallenge if one of
        the two cannot play."""
        players = tuple([self._player(one, name) for name in one.game.names])
        opened, now = self._opened, datetime.now(UTC)
        opening = opened.ladder.league.book(opened.rules, seed=one.game.seed).opening(0, *one.game.names)
        scheduled = structs.replace(one.game, opening=" ".join(opening.moves) or None)

        def begin(connection: Connection) -> bool:
            lines = _lines(connection, opened)
            for player in players:
                line = lines.get(player.name)
                if line is not None and (line.status, line.source) != ("active", player.source):
                    raise _NotYet
            versions = {name: _version(connection, lines, name, now) for name in one.game.names}
            return ladder.begin_challenge(connection, one.game.id, versions, scheduled.opening, now)

        if not written(self._database, self._wait, begin):
            return None
        game = planned_game(opened.ladder.league, opened.rules, scheduled, players, seed=one.game.seed)
        return game.under(kind=GameKind.CHALLENGE)

    def _player(self, one: StoredChallenge, name: str) -> Entrant:
        if (found := self._find(name)) is not None:
            return found[0]
        if name in builtin.names():
            adsearch = self._opened.ladder.league.conditions.adsearch
            return built_in(name, name, games.start(self._opened.rules), adsearch)
        whose = "your agent" if author_of(name) == one.author else "the opponent"
        raise BadChallenge(f"{whose} could not play any more")

    def _cancel(self, one: StoredChallenge, why: str) -> None:
        written(self._database, self._wait, lambda connection: ladder.cancel_challenge(connection, one.game.id, why))
