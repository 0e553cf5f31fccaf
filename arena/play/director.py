"""The director: plays the games of a schedule, with a referee and players that it starts.

It runs in the process of the command (`arena play`, `arena run`), and yields an event for everything that happens.
Every verdict is the referee's. The referee forgets a game only after the schedule has noted its end.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from pathlib import Path
from time import monotonic, monotonic_ns
from types import TracebackType
from typing import Any, Final, NoReturn, Self

import zmq
from msgspec import Struct
from msgspec.structs import replace

from adsearch import games
from agents.protocol import Verdict
from arena.errors import ArenaError, BadFixture, RefereeLost
from arena.match import live
from arena.match.allowance import WallKind
from arena.match.clock import MILLISECOND, SECOND, TOO_BUSY
from arena.match.fixture import Fixture, SeatPlan
from arena.match.live import GameNews, LiveEnd, LiveGame, LivePly, NotLive
from arena.match.schedule import Began, Entrant, Event, Finished, InOrder, PaceChanged, Planned, Ply, Schedule
from arena.match.seeds import GameSeeds
from arena.play import control
from arena.play.cores import Cores, spread
from arena.play.crew import Crew, Member, explained
from arena.walls import run_folder
from arena.walls.run_folder import RunFolder
from db.records import GameRecord

PING_EVERY: Final = 2.0
"""Interval between pings of a silent referee, in seconds."""
ANSWERS_WITHIN: Final = 15.0
"""Seconds after which a referee that does not answer counts as lost."""
_NO_RESULT: Final = "the games in progress have no result and must be played again"


@dataclass(slots=True)
class _Running:
    """A game in progress or waiting, and its players."""

    game: Planned
    players: list[Member]
    cores: tuple[int | None, ...]
    """The core of each player; None: any."""
    started: datetime
    after: int = 0
    """For a waiting game: the game in progress that it waits for."""
    has_waiting: bool = False
    """Whether a game waits for this one, or waited and has begun."""
    plies_shown: int = -1
    """If the schedule wants to see it: the number of plies that were yielded; -1 before all players were ready."""
    is_over: bool = False
    """Whether it is known to be over, although its record has not been read yet."""


class Director:
    """Plays games. Use it as a context manager: afterwards no process is left."""

    def __init__(self, folder: RunFolder, *, at_once: int = 1, cores_a_game: int = 1) -> None:
        """Plays `at_once` games at the same time, each on `cores_a_game` cores. ArenaError if `cores_a_game` is more
        than one and there are too few cores."""
        self.folder = folder
        self._cores = Cores(at_once * cores_a_game)
        self._cores_a_game = cores_a_game
        if cores_a_game > 1 and sys.platform == "linux" and not self._cores.any_free:
            raise ArenaError(
                f"ponder = true needs {at_once * cores_a_game + 1} free cores, one for each player and one more: "
                "use a machine with more free cores, or remove ponder = true"
            )
        self._pace = Pace(at_once)
        # Players whose warden was lost in a game that became void by it: pairing, leg and name.
        self._lost_before: set[tuple[object, ...]] = set()
        control.most_players()
        self._running: dict[int, _Running] = {}
        # Those in progress that take no place and no core.
        self._beside: set[int] = set()
        # Games that the referee begins when another one is over.
        self._waiting: dict[int, _Running] = {}
        # Messages of the referee that came before an answer to `Cancel`.
        self._unread: deque[control.FromReferee] = deque()
        self._schedule: Schedule = InOrder(())
        self._context = zmq.Context()
        self._referee = control.Channel(self._context, self.folder.control, of_director=True)
        self._poller = zmq.Poller()
        self._poller.register(self._referee.socket, zmq.POLLIN)
        self._of_referee = zmq.Poller()
        self._watched: dict[Any, Callable[[], None]] = {}
        self.live = LiveGames(self._context, folder.path, self._referee.send)
        self._poller.register(self.live.socket, zmq.POLLIN)
        self._crew = Crew(self.folder, most_idle=4 + 4 * at_once)
        # Descriptor of a link -> token of the player; empty for the referee.
        self._links = {self._crew.referee.fileno(): ""}
        self._poller.register(self._crew.referee.fileno(), zmq.POLLIN)
        for source in (self._referee.socket, self._crew.referee.fileno()):
            self._of_referee.register(source, zmq.POLLIN)
        self._serving = False
        # Checks in a row at which the referee had sent nothing.
        self._pings_unanswered = 0
        self._next_ping = monotonic() + PING_EVERY

    def watch(self, source: Any, received: Callable[[], None]) -> None:
        """Calls `received` whenever `source`, a socket or a descriptor, is readable."""
        self._watched[source] = received
        self._poller.register(source, zmq.POLLIN)

    def unwatch(self, source: Any) -> None:
        """Stops watching `source`."""
        del self._watched[source]
        self._poller.unregister(source)

    def play(self, schedule: Schedule) -> Iterator[Event]:
        """Plays `schedule`, several games at the same time, and yields events. RefereeLost if the referee ends."""
        self._schedule = schedule
        self._pings_unanswered = 0
        self._next_ping = monotonic() + PING_EVERY
        while True:
            self._give_out()
            self._referee.flush()
            rest = None
            if not self._taken and (rest := schedule.rest()) is None:
                return  # games beside are given up
            happened = [source for source, _ in self._poller.poll(self._poll_timeout(rest))]
            if self._unread or self._referee.socket in happened:
                yield from self._read_referee()
            for source in happened:
                if source in self._watched:
                    self._watched[source]()
                elif source in self._links:
                    self._lose_process(source)
                elif source is self.live.socket:
                    self.live.read({number: running.game for number, running in self._running.items()})
            if not happened and monotonic() >= self._next_ping:
                self._ping_referee()

    def give_up(self, number: int) -> None:
        """Ends a game whose guests are not wanted any more: each of them is lost, and loses at its next turn."""
        for player in self._running[number].players if number in self._running else ():
            if player.process is None:
                self._dismiss(player)

    def take_back(self) -> None:
        """Takes back the games that wait at the referee. One that has begun meanwhile is in progress from now on."""
        for number in self._waiting:
            self._referee.post(control.Cancel(number))
        self._referee.flush()
        unanswered = set(self._waiting)
        give_up = monotonic() + ANSWERS_WITHIN
        while unanswered:
            while (message := self._referee.receive()) is not None:
                if isinstance(message, control.Cancelled):
                    unanswered.discard(message.game)
                    if message.begun is not None:
                        self._note_begun(message.begun)
                else:
                    self._unread.append(message)
            if unanswered:
                self._wait_for_answer(give_up)
        for number in reversed(list(self._waiting)):
            self._give_back(number)

    def _wait_for_answer(self, give_up: float) -> None:
        """Waits for a message of the referee; RefereeLost if it has ended, or does not answer until `give_up`."""
        happened = [source for source, _ in self._of_referee.poll(max(0, round(1000 * (give_up - monotonic()))))]
        if self._referee.socket not in happened:
            self._lose_referee(is_silent=not happened)

    def _give_out(self) -> None:
        """Starts games while there is room, and gives the referee the games that wait for them."""
        while (game := self._schedule.beside()) is not None:
            self._start(game, beside=True)
        while self._has_room:
            if (game := self._schedule.next()) is not None:
                self._start(game)
            elif self._waiting:
                self.take_back()  # no game waits while another one could start
            else:
                break
        if self._taken > self._pace.at_once:
            return
        for number, running in self._running.items():
            if number not in self._beside and not running.has_waiting and not self._start_after(running):
                return

    @property
    def _taken(self) -> int:
        """The number of places that are taken."""
        return len(self._running) - len(self._beside)

    @property
    def _has_room(self) -> bool:
        return self._taken < self._pace.at_once

    @property
    def in_progress(self) -> list[Planned]:
        """The games that are being played, without those beside them."""
        # Of a copy: a display thread reads this.
        running = list(self._running.items())
        return [one.game for number, one in running if number not in self._beside and not one.is_over]

    def _poll_timeout(self, rest: float | None) -> int:
        """Milliseconds until the next ping, or until the schedule is asked again."""
        wait = self._next_ping - monotonic()
        return 0 if self._unread else max(0, ceil(1000 * (wait if rest is None else min(wait, rest))))

    def close(self) -> None:
        """Ends all processes."""
        self._wait_for_referee()  # a referee that does not listen yet would miss `Stop`
        self._referee.send(control.Stop())
        self._crew.end()
        self._referee.socket.close()
        self.live.close()
        self._context.destroy(0)
        self._cores.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _ping_referee(self) -> None:
        """Pings a referee that has been silent; RefereeLost if it does not answer."""
        if not self._pings_unanswered:
            self._referee.send(control.Ping())
        elif self._pings_unanswered * PING_EVERY >= ANSWERS_WITHIN:
            self._lose_referee(is_silent=True)
        # Checks are counted, not seconds: if the director itself was delayed, the referee is not blamed.
        self._pings_unanswered = self._pings_unanswered + 1
        self._next_ping = monotonic() + PING_EVERY

    def _wait_for_referee(self) -> None:
        """Returns when the referee serves, has ended, or does not answer in time."""
        give_up = monotonic() + ANSWERS_WITHIN
        while not self._serving and not self._crew.referee.is_gone() and monotonic() < give_up:
            self._poller.poll(100)
            for message in self._referee.received():
                self._serving = self._serving or isinstance(message, control.Serving)

    def _start(self, game: Planned, *, beside: bool = False) -> None:
        players = [self._player(entrant) for entrant in game.entrants]
        taken = [None] if beside else [self._cores.take() for _ in range(self._cores_a_game)]
        if beside:
            self._beside.add(game.number)
        running = _Running(game, players, spread(taken, len(players)), datetime.now(UTC))
        self._running[game.number] = running
        self._referee.post(control.Play(self._fixture(running)))
        self.live.note_begun(game.number)

    def _start_after(self, running: _Running) -> bool:
        """Gives the referee the next game, to begin when `running` is over. False if no game can wait now: no process
        starts while another game is played, so all players must be there."""
        if (game := self._schedule.ahead()) is None:
            return False
        players = self._players_after(game, running)
        if players is None:
            self._schedule.give_back(game)
            return False
        cores = spread(list(dict.fromkeys(running.cores)), len(players))
        waiting = _Running(game, players, cores, datetime.now(UTC), after=running.game.number)
        self._waiting[game.number] = waiting
        running.has_waiting = True
        self._referee.post(control.Play(self._fixture(waiting), after=waiting.after))
        return True

    def _players_after(self, game: Planned, running: _Running) -> list[Member] | None:
        """Players for a game that waits for `running`: those of `running` and idle ones; None if one is missing."""
        free = [player for player in running.players if player.process is not None and not player.ended]
        players = list[Member]()
        for entrant in game.entrants:
            player = next((player for player in free if player.key == entrant.key), None)
            if player is not None:
                free.remove(player)
            elif entrant.invite is not None or (player := self._crew.take_idle(entrant.key)) is None:
                self._release([taken for taken in players if taken not in running.players])
                return None
            players.append(player)
        return players

    def _note_begun(self, begun: control.Begun) -> None:
        """A waiting game has begun."""
        running = self._running[begun.game] = self._waiting.pop(begun.game)
        running.started = datetime.now(UTC) - timedelta(microseconds=(monotonic_ns() - begun.at) / 1000)
        self._running[running.after].is_over = True
        self._schedule.begun(running.game, running.started)
        self.live.note_begun(begun.game)

    def _give_back(self, number: int) -> None:
        """A waiting game does not begin."""
        waiting = self._waiting.pop(number)
        before = self._running[waiting.after]
        before.has_waiting = False
        self._release([player for player in waiting.players if player not in before.players])
        self._schedule.give_back(waiting.game)

    def _release(self, players: Iterable[Member]) -> None:
        """These players are idle from now on; those above the limit are dismissed."""
        for player in players:
            for surplus in self._crew.release(player):
                self._dismiss(surplus)

    def _fixture(self, running: _Running) -> Fixture:
        game = running.game
        seeds, seats_seeds = (
            GameSeeds.of(key, game.identity, leg=game.leg, attempt=game.attempt) for key in (game.seed, game.seats_from)
        )
        seats = tuple(
            SeatPlan(
                player=entrant.name,
                shown=game.shown(seat),
                token=player.token,
                seed=seats_seeds.for_seat(seat),
                hosted=player.hosted,
                guarded=player.guarded,
                start=entrant.start,
                liable=entrant.walls == WallKind.LIMITS or game.side(seat) in self._lost_before,
                core=running.cores[seat],
            )
            for seat, (entrant, player) in enumerate(zip(game.entrants, running.players, strict=True))
        )
        return Fixture(
            game=game.number,
            rules=game.rules,
            seats=seats,
            key=seeds.key,
            conditions=game.conditions,
            position=game.position,
            opening=game.opening,
            played=game.played,
            watched=game.watched,
        )

    def _player(self, entrant: Entrant) -> Member:
        """A player for `entrant`: an idle one, or a new one."""
        while player := self._crew.take_idle(entrant.key):
            if player.process is None or not player.process.is_gone():
                return player
            self._dismiss(player)
        if entrant.invite is not None:
            player = self._crew.invite(entrant.key, entrant.invite)
        else:
            player = self._crew.start(entrant.key, entrant.arguments, entrant.settings, guarded=entrant.guarded)
        if player.process is not None:
            self._links[player.process.fileno()] = player.token
            self._poller.register(player.process.fileno(), zmq.POLLIN)
        self._referee.post(control.Expect(player.token))
        return player

    def _read_referee(self) -> Iterator[Event]:
        while (message := self._unread.popleft() if self._unread else self._referee.receive()) is not None:
            self._pings_unanswered = 0
            match message:
                case control.GameBegan() if message.game in self._running:
                    self.live.note_began(message)
                    running = self._running[message.game]
                    if running.game.watched and running.plies_shown < 0:
                        running.plies_shown = 0
                        yield Began(running.game)
                case control.PlyPlayed() if message.game in self._running:
                    self.live.note_ply(message)
                    running = self._running[message.game]
                    if running.game.watched and message.move.ply > running.plies_shown:
                        running.plies_shown = message.move.ply
                        yield Ply(running.game, message.move)
                case control.Serving():
                    self._serving = True
                case control.Expected():
                    if player := self._crew.player(message.token):
                        player.send_token()
                case control.GameOver():
                    yield from self._finish(message)
                case control.Declined():
                    raise BadFixture(message.reason)
                case control.Gone():
                    if player := self._crew.player(message.token):
                        if player.process is not None:
                            player.ended = player.process.how_it_ended()
                        self._dismiss(player)

    def _finish(self, over: control.GameOver) -> list[Event]:
        """The game is over: it is noted, and a next game takes its place."""
        record = over.record
        if over.begun is not None and over.begun.game in self._waiting:
            self._note_begun(over.begun)
        for number in [number for number, waiting in self._waiting.items() if waiting.after == record.game]:
            self._give_back(number)
        running = self._running.pop(record.game)
        is_beside = record.game in self._beside
        self._beside.discard(record.game)
        begun = None if over.begun is None else self._running.get(over.begun.game)
        if begun is None:
            self._cores.give_back(running.cores)
        kept = [] if begun is None else begun.players
        for seat, player in enumerate(running.players):
            if player.ended and player.guarded and record.verdict == Verdict.VOID:
                self._lost_before.add(running.game.side(seat))
            if player in kept:
                continue
            silent = record.seats[seat].stderr is None
            failed = record.fault == seat and record.verdict != Verdict.RESIGNED
            if player.process is not None and (silent or (failed and not player.guarded)):
                # It may still be busy with this game, and must not be late in its next one.
                self._dismiss(player)
            self._release([player])
        began = running.game.begun or running.started
        finished = Finished(running.game, explained(record, running.players), began, datetime.now(UTC))
        if record.verdict not in control.HARMLESS:
            self.take_back()  # the consequences can forfeit games of its players
        self._schedule.note(finished)
        self._referee.post(control.Stored(record.game))
        self.live.note_finished(finished)
        changed = None if is_beside else self._pace.note(record)
        if changed is not None and changed.at_once < changed.before:
            self.take_back()
        self._give_out()
        self._referee.flush()
        return [finished] if changed is None else [finished, changed]

    def _lose_process(self, link: int) -> None:
        if not (token := self._links[link]):
            self._lose_referee()
        player = self._crew.player(token)
        if player is not None and player.process is not None:
            player.ended = player.process.how_it_ended()
            self._referee.send(control.Lost(token, player.ended))
            self._dismiss(player)

    def _lose_referee(self, *, is_silent: bool = False) -> NoReturn:
        """RefereeLost: the referee has ended, or it is silent and is ended here."""
        if is_silent:
            self._crew.referee.kill()
            raise RefereeLost(f"the referee's process does not answer; {_NO_RESULT}")
        raise RefereeLost(f"the referee's process {self._crew.referee.how_it_ended()}; {_NO_RESULT}")

    def _dismiss(self, player: Member) -> None:
        """Ends the player and forgets it, unless that was done before."""
        if self._crew.player(player.token) is not player:
            return
        if player.process is not None:
            link = player.process.fileno()
            self._poller.unregister(link)
            del self._links[link]
        self._referee.send(control.Dismiss(player.token))
        self._crew.lose(player)


# How many games to play at the same time: one fewer when players wait too long for a processor, one more when not.


GAMES: Final = 20
"""The number of games after which the waits are examined."""
TOO_MUCH: Final = 0.2
"""If players waited for more than this share of their thinking time, one game fewer is played."""
LITTLE: Final = 0.05
"""If they waited for less than this share, one game more can be played."""
_THINKS: Final = 5 * MILLISECOND
"""Shorter turns are not examined, because a process takes time to wake up on any machine; in nanoseconds."""
_LEAST_THINKING: Final = SECOND
"""With less thinking time in the last games nothing changes, in nanoseconds."""


class Pace:
    """How many games are played at the same time, decided by the waits in the last games."""

    def __init__(self, most: int) -> None:
        self.at_once = self._most = most
        # Since the last decision: number of games, thinking time, and waiting time.
        self._games = self._thought = self._waited = 0
        # Decisions in a row with little waiting, and how many are needed for one game more: twice as many each time
        # that one more was too many.
        self._calm = 0
        self._needed = 1
        self._has_risen = False

    def note(self, record: GameRecord) -> PaceChanged | None:
        """A game is over. After every `GAMES` games: the change, if any; also if players wait in a single game."""
        self._games += 1
        for move in record.moves:
            wait = (move.lag or 0) + (move.delay or 0)
            if (move.spent or 0) + (move.delay or 0) >= _THINKS:
                self._thought += (move.spent or 0) + wait
                self._waited += wait
        if record.verdict == Verdict.VOID and TOO_BUSY in record.detail:
            self._thought += 60 * SECOND
            self._waited += 60 * SECOND
        if self._games < GAMES:
            return None
        share = self._waited / self._thought if self._thought >= _LEAST_THINKING else None
        self._games = self._thought = self._waited = 0
        return None if share is None else self._follow(share)

    def _follow(self, share: float) -> PaceChanged | None:
        before = self.at_once
        self._calm = self._calm + 1 if share < LITTLE else 0
        if share > TOO_MUCH:
            self._needed *= 2 if self._has_risen else 1
            self.at_once = max(1, self.at_once - 1)
        elif self._calm >= self._needed and self.at_once < self._most:
            self.at_once += 1
            self._calm = 0
        self._has_risen = self.at_once > before
        if self.at_once == before and share <= TOO_MUCH:
            return None
        return PaceChanged(before, self.at_once, share)


# The director's end of live games: publishes the games that someone watches, and news.


_MOST_UNREAD: Final = 1000
"""Messages that wait for one subscriber; further ones are dropped."""
_MOST_AT_ONCE: Final = 1000
"""Subscriptions that are read before the director does something else."""
_LONGEST: Final = 256
"""Bytes of a message to this socket; a longer one ends its sender's connection. ZeroMQ keeps every topic in a tree of
its letters: 300 topics of 100 kB would take 1.4 GB."""


class LiveGames:
    """The games that someone watches now."""

    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], folder: Path, tell_referee: Callable[[Struct], None]
    ) -> None:
        self.socket: Any = context.socket(zmq.XPUB)
        self.socket.set(zmq.LINGER, 0)
        self.socket.set(zmq.SNDHWM, _MOST_UNREAD)
        self.socket.set(zmq.MAXMSGSIZE, _LONGEST)
        self.socket.set(zmq.XPUB_VERBOSE, 1)  # each new subscriber gets the game so far
        self.socket.bind(run_folder.live_address(folder))
        self._tell_referee = tell_referee
        # The watched games so far.
        self._games: dict[int, LiveGame] = {}
        self._news_is_read = False

    def read(self, playing: Mapping[int, Planned]) -> None:
        """Reads who subscribes and who leaves, of a flood a part. `playing`: the games in progress."""
        asked = dict[int, None]()
        for begins, topic in self._subscriptions():
            game = live.game_of(topic)
            if topic == live.NEWS:
                self._news_is_read = begins
            elif game is not None and begins:
                asked[game] = None
            elif game is not None:
                asked.pop(game, None)
                if self._games.pop(game, None) is not None and not playing[game].watched:
                    self._tell_referee(control.Unwatch(game))
        for number in asked:  # however many subscribe at the same time, the game so far is sent once
            if (planned := playing.get(number)) is None:
                self._publish(number, NotLive(number))
                continue
            if number not in self._games:
                names = tuple(entrant.name for entrant in planned.entrants)
                clocks = tuple([planned.conditions.time_of(name).clock for name in names])
                self._games[number] = LiveGame(
                    number, planned.rules, names, clocks, (), None, _public_position(planned)
                )
                self._tell_referee(control.Watch(number))
            self._publish(number, self._games[number])

    def _subscriptions(self) -> Iterator[tuple[bool, bytes]]:
        """Whether someone subscribed, or the last one has left; and the topic."""
        for _ in range(_MOST_AT_ONCE):
            try:
                message = self.socket.recv(zmq.NOBLOCK)
            except zmq.Again:
                return
            if message[:1] in (b"\0", b"\1"):
                yield message[:1] == b"\1", message[1:]

    def note_began(self, message: control.GameBegan) -> None:
        """The referee has reported that all players are ready."""
        if (game := self._games.get(message.game)) is not None and game.since is None:
            self._games[message.game] = game = replace(game, since=message.at)
            self._publish(message.game, game)

    def note_ply(self, message: control.PlyPlayed) -> None:
        """The referee has reported a ply, which may be an earlier one."""
        game, move = self._games.get(message.game), message.move
        if game is None or move.ply != len(game.plies) + 1:
            return
        text = None if message.secret else move.move
        ply = LivePly(message.game, move.ply, move.who, text, move.spent, move.left, message.at)
        self._games[message.game] = replace(game, plies=(*game.plies, ply))
        self._publish(message.game, ply)

    def note_begun(self, game: int) -> None:
        """The game is in progress."""
        self.publish_news(GameNews(game, over=False))

    def note_finished(self, finished: Finished) -> None:
        """The game is over, and recorded."""
        game, record = finished.game.number, finished.record
        if self._games.pop(game, None) is not None:
            self._publish(game, LiveEnd(game, record.verdict, tuple(seat.points for seat in record.seats)))
        self.publish_news(GameNews(game, over=True))

    def publish_news(self, news: live.News) -> None:
        """Publishes news, if anyone reads them."""
        if self._news_is_read:
            self._send(live.NEWS, news)

    def _publish(self, game: int, message: Struct) -> None:
        self._send(live.topic(game), message)

    def _send(self, topic: bytes, message: Struct) -> None:
        self.socket.send_multipart([topic, live.pack(message)], zmq.NOBLOCK)

    def close(self) -> None:
        """Closes the socket."""
        self.socket.close()


def _public_position(planned: Planned) -> str:
    """The position from which the game begins; a text that is none if the rules hide a part of it."""
    return "?" if planned.position and games.start(planned.rules).hidden else planned.position
