"""Games with people: played beside all others, and recorded whole when they are over.

A person's seat is a guest: the director does not start its process, but the page server gets the address and the token
over its link and takes the seat. If the referee is lost, these games begin again, and their guests are invited again.
If the page server is lost, they are given up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Final, NamedTuple

from msgspec import Struct, structs

from adsearch import games
from adsearch.errors import AdsearchError, meant, quote
from agents.builtin import is_builtin
from agents.errors import AgentsError
from agents.protocol import Verdict
from arena.errors import ArenaError, BadClock, BadFixture, BadPlayer
from arena.history import words
from arena.history.words import GOT_HINT, TOOK_BACK
from arena.match.clock import SECOND, TimeControl
from arena.match.schedule import Entrant, Finished, InOrder, Planned, before_last_move, next_attempt
from arena.match.seeds import fresh_seed
from arena.players.entrants import built_in
from arena.players.player import unique_names
from arena.serve.messages import (
    MOST_GAMES,
    MOST_PLIES,
    DropGame,
    FromPages,
    GameRecorded,
    GameRefused,
    GotHint,
    Seat,
    TakeBack,
    WantGame,
)
from arena.serve.open_ladders import OpenLadder
from arena.serve.priority_schedule import StandingSchedule
from arena.tournament.recorded_games import RecordingSchedule, Wait
from db.database import Database
from db.errors import Busy, DiskFull
from db.records import HUMAN, GameKind, GameRecord

# From what a person wants to play to the game for the director: which games and opponents there are.


_PATIENCE: Final = 30 * SECOND
"""Time for the page server, which has a low priority, to take the seat and to be ready."""

Find = Callable[[str], tuple[Entrant, str] | None]
"""The agent of the ladder with this name, and what it was started as; None if it cannot play."""


class GameInvitation(NamedTuple):
    """A game that can be played."""

    game: Planned
    """The person's entrant has no `invite` yet."""
    started_as: Mapping[str, str]
    """By name, the text of each player."""
    agents: Mapping[str, str]
    """By name, the name of its agent."""


def planned(wanted: WantGame, ladder: OpenLadder, find: Find, *, number: int) -> GameInvitation:
    """The game; an ArenaError, AgentsError or AdsearchError says why it cannot be played."""
    league = ladder.ladder.league
    terms = league.conditions
    is_of_ladder = wanted.game in ("", league.game, ladder.rules)
    if not is_of_ladder and wanted.game not in games.names():
        raise BadFixture(f"no game {quote(wanted.game)}{meant(wanted.game, [*games.names()])}")
    game, rules = (league.game, ladder.rules) if is_of_ladder else (wanted.game, wanted.game)
    start = games.start(rules)
    if wanted.seat >= start.players or start.players == 1:
        players = words.counted(start.players, "player")
        raise BadFixture(f"{game} is for {players}, so nobody can take seat {wanted.seat} against an agent")
    if not TimeControl.parse(wanted.clock):
        raise BadClock("games with people have a clock, got none")
    if (found := find(wanted.opponent)) is not None and is_of_ladder:
        opponent, started_as = found
    elif is_builtin(wanted.opponent):
        opponent, started_as = built_in(wanted.opponent, wanted.opponent, start, terms.adsearch), wanted.opponent
    elif found is not None:
        raise BadPlayer(f"an agent of this ladder plays {league.game} only, got {quote(game)}")
    else:
        # Without the name: the person may know this agent by another one.
        raise BadPlayer("the opponent cannot play on this ladder now, and is no built-in agent")
    person, *others = unique_names((HUMAN, *[opponent.name] * (start.players - 1)))
    entrants = [_beside(opponent, name) for name in others]
    entrants.insert(wanted.seat, Entrant(person, person, source=HUMAN))
    return GameInvitation(
        Planned(
            number=number,
            game=game,
            rules=rules,
            entrants=tuple(entrants),
            seed=fresh_seed(),
            identity=(json.dumps([person, *others, number]),),
            conditions=structs.replace(
                terms,
                kind=GameKind.WITH_A_PERSON,
                clock=wanted.clock,
                names="shown",
                max_plies=terms.max_plies if is_of_ladder else None,
                limits=structs.replace(terms.limits, hello=_PATIENCE, ready=max(terms.limits.ready, _PATIENCE)),
            ),
        ),
        {person: HUMAN, **dict.fromkeys(others, started_as)},
        dict.fromkeys(others, opponent.name),
    )


def _beside(entrant: Entrant, name: str) -> Entrant:
    """The same program in a process of its own: one that has played on the ladder is bound to a core."""
    settings = {**entrant.settings, "ponder": False} if entrant.guarded else entrant.settings
    return replace(entrant, name=name, key=f"{entrant.key} beside", settings=settings)


Plan = Callable[[WantGame, int], GameInvitation]
"""The game that a person wants, with this number; an ArenaError, AgentsError or AdsearchError says why it cannot be
played."""
FIRST_NUMBER: Final = 2**41
"""The numbers of these games are from here on: they have no row before they are over."""


@dataclass(slots=True)
class _Table:
    """A game that is waiting or in progress."""

    key: str
    game: Planned
    seat: int
    """The person's."""
    moves: int = 0
    """The person's moves of the game that this one continues: they can be taken back."""
    is_playing: bool = False
    goes_back: bool = False
    """Whether it is being ended because a move was taken back."""
    is_given_up: bool = False


class InvitedGames(RecordingSchedule, StandingSchedule):
    """The games with people, as the page server wants them."""

    def __init__(
        self,
        database: Database,
        wait: Wait,
        plan: Plan,
        *,
        recorded: Callable[[Finished, int, str], None] = lambda *_: None,
    ) -> None:
        """`recorded` is called with each game that was recorded, its id, and why it is annulled, or an empty text."""
        self._queue = InOrder(())
        self._started_as: dict[str, str] = {}
        self._agents: dict[str, str] = {}
        self._annulled: dict[int, str] = {}
        super().__init__(self._queue, database, self._started_as, self._agents, self._annulled)
        self.end_game: Callable[[int], None] = lambda _: None
        """Ends a game in progress by the loss of its guest: `Director.give_up`."""
        self._wait = wait
        self._plan = plan
        self._recorded = recorded
        self._send: Callable[[Struct], None] = lambda _: None
        self._numbers = count(FIRST_NUMBER)
        self._seats = count(1)
        # By number and by key.
        self._tables: dict[int, _Table] = {}
        self._by_key: dict[str, _Table] = {}

    # The page server.

    def connect(self, send: Callable[[Struct], None]) -> None:
        """A page server has started; the games of the one before it are given up."""
        for table in [*self._tables.values()]:
            self._give_up(table)
        self._send = send

    def hear(self, message: FromPages) -> None:
        """Takes a message of the page server. One about a game that is over is ignored."""
        match message:
            case WantGame():
                self._begin(message)
            case TakeBack(key) if (table := self._by_key.get(key)) and table.is_playing:
                table.goes_back = True
                self.end_game(table.game.number)
            case GotHint(key) if table := self._by_key.get(key):
                self._annulled.setdefault(table.game.number, f"{HUMAN} {GOT_HINT}")
            case DropGame(key) if table := self._by_key.get(key):
                self._give_up(table)

    def _begin(self, wanted: WantGame) -> None:
        try:
            there = sum(not table.is_given_up for table in self._tables.values())
            if wanted.key in self._by_key or there >= MOST_GAMES:
                raise BadFixture(f"{MOST_GAMES} games with people are being played: try again when one of them is over")
            game, started_as, agents = self._plan(wanted, next(self._numbers))
        except (ArenaError, AgentsError, AdsearchError) as error:
            self._send(GameRefused(wanted.key, str(error)))
            return
        self._started_as |= started_as
        self._agents |= agents
        self._tables[game.number] = self._by_key[wanted.key] = _Table(wanted.key, game, wanted.seat)
        self._queue.append(game)

    def _give_up(self, table: _Table) -> None:
        table.is_given_up = True
        if table.is_playing:
            self.end_game(table.game.number)

    # The schedule.

    def next(self) -> Planned | None:
        """None: none of these games takes a place of the others."""
        return None

    def beside(self) -> Planned | None:
        while (game := self._queue.next()) is not None:
            table = self._tables[game.number]
            if table.is_given_up:
                self._leave(table)
                continue

            def invite(address: str, token: str, table: _Table = table) -> None:
                self._send(Seat(table.key, address, token, table.moves))

            # Each start has its own guest: the one before may not have left yet.
            guest = replace(game.entrants[table.seat], key=f"{HUMAN} {next(self._seats)}", invite=invite)
            table.game, table.is_playing = game, True
            return replace(game, entrants=(*game.entrants[: table.seat], guest, *game.entrants[table.seat + 1 :]))
        return None

    def note(self, finished: Finished) -> None:
        """Records the finished game, or begins the one that continues it."""
        record, table = finished.record, self._tables[finished.game.number]
        table.is_playing = False
        if record.fault == table.seat and record.verdict in (Verdict.CRASHED, Verdict.UNREADY):  # the guest is lost
            if table.goes_back and not table.is_given_up:
                self._go_back(table, finished)
            else:
                self._leave(table)
                self._send(_over(table, record, None))
            return
        while True:
            try:
                super().note(finished)
            except (Busy, DiskFull) as error:
                self._wait(str(error))
                continue
            except BadFixture:
                pass  # the rules failed: it is recorded, and not played again
            break
        id, annulled = self.ids[-1], self._annulled.get(finished.game.number, "")
        if next_attempt(finished) is None:
            self._leave(table)
            self._send(_over(table, record, id))
        self._recorded(finished, id, annulled)

    def _go_back(self, table: _Table, ended: Finished) -> None:
        table.goes_back = False
        if (taken := before_last_move(ended.record.moves, {table.seat})) is not None:
            table.game, table.moves = taken.continued(ended), taken.more
            self._annulled[table.game.number] = f"{HUMAN} {TOOK_BACK}"
        self._queue.append(table.game)

    def _leave(self, table: _Table) -> None:
        del self._tables[table.game.number], self._by_key[table.key]
        self._annulled.pop(table.game.number, None)

    # The process.

    @property
    def is_playing(self) -> bool:
        """Whether a game is waiting or in progress."""
        return bool(self._tables)

    def interrupted(self) -> None:
        """The referee was lost during the games in progress: they begin again."""
        for table in [*self._tables.values()]:
            if table.is_playing:
                table.is_playing = table.goes_back = False
                self._queue.append(table.game)

    def close(self) -> None:
        """Forgets the games that are not over: their people are gone with the process."""
        self._tables.clear()
        self._by_key.clear()


def _over(table: _Table, record: GameRecord, id: int | None) -> GameRecorded:
    """What the page server gets about the end of the game; an agent's own words are not in it."""
    points = tuple(seat.points for seat in record.seats)
    ending = record.detail if record.verdict == Verdict.NORMAL else ""
    plies = tuple((move.who, move.move) for move in record.moves[: MOST_PLIES + 1])
    whole = plies if len(plies) <= MOST_PLIES else ()
    return GameRecorded(table.key, id, record.verdict, record.fault, points, ending, whole)
