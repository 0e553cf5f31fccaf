"""The referee's process: connects players and the director to the matches.

    python -m arena.play.referee FOLDER

One poll loop plays all games; only `arena/match/match.py` decides what a message means. A player that breaks the
protocol loses its game, and nothing that a player sends can end this process. It ends with its director: at the message
`Stop`, or when the other end of its stdin closes.
"""

from __future__ import annotations

import gc
import heapq
import os
import secrets
import select
import signal
import struct
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from time import monotonic_ns
from typing import Any, Final

import zmq
from msgspec import Struct

from adsearch.errors import BadGame, quote
from agents import own_process, protocol
from agents.errors import BadMessage
from agents.protocol import Bye, Hello, Refuse, Verdict, Welcome
from arena.errors import ArenaError, BadFixture
from arena.match import schedule
from arena.match.clock import LONGEST_POLL, MILLISECOND
from arena.match.fixture import Fixture
from arena.match.match import Match, Phase, Sent
from arena.play import control
from arena.play.control import Begun, most_players
from arena.walls import run_folder
from db.records import GameRecord

_MOST_TIMERS: Final = 1000
"""Entries of the timers' heap, beside two for each game, above which entries that are not valid are removed."""
_AT_ONCE: Final = 16
"""Messages that are read before answers are sent and timers are checked."""
_NEVER: Final = 2**63


class Terminated(BaseException):
    """SIGTERM: this process must end immediately. A BaseException, because user-supplied rules may catch Exception."""


class Referee:
    """All games in progress, and the sockets."""

    def __init__(self, folder: Path) -> None:
        self._most_players = most_players()
        self._folder = folder
        self._context = zmq.Context()
        self._sockets = PlayerSockets(self._context, run_folder.players_address(folder))
        self._director = control.Channel(self._context, run_folder.control_address(folder), of_director=False)
        self._poller = zmq.Poller()
        for socket in (self._sockets.router, self._sockets.monitor, self._director.socket):
            self._poller.register(socket, zmq.POLLIN)
        # Tokens for which a hello is still accepted, once.
        self._expected: set[str] = set()
        self._by_address: dict[bytes, ConnectedPlayer] = {}
        self._by_token: dict[str, ConnectedPlayer] = {}
        self._by_descriptor: dict[int, ConnectedPlayer] = {}
        # Expected players that already have a game: token -> match and seat.
        self._seats_of_expected: dict[str, tuple[Match, int]] = {}
        self._matches: dict[int, Match] = {}
        # Games that wait for another one, by that game's number.
        self._waiting: dict[int, Match] = {}
        # Watched games: how many plies were sent to the director; -1 before the game has started.
        self._reported: dict[int, int] = {}
        # Watched games about which the director has something to learn.
        self._unreported: dict[int, Match] = {}
        # Games that are over and not yet recorded.
        self._unstored: dict[int, GameRecord] = {}
        # Games that waited and have begun, until they are recorded.
        self._begun: dict[int, Begun] = {}
        self._outbox: deque[tuple[ConnectedPlayer, bytes]] = deque()
        # A heap of (when, game): one valid entry for each game; older entries are ignored.
        self._timers: list[tuple[int, int]] = []
        self._next_timer: dict[int, int] = {}
        self._serving = True
        # Whether the director has sent `Stop`.
        self.was_stopped = False

    def serve(self, *, gone: int | None = None) -> None:
        """Plays games until the director sends `Stop` or ends; then the descriptor `gone` is readable."""
        if gone is not None:
            self._poller.register(gone, zmq.POLLIN)
        self._director.send(control.Serving())
        while self._serving:
            for source, _ in self._poller.poll(self._poll_timeout()):
                if source is self._sockets.router:
                    self._read_players(_AT_ONCE)
                elif source is self._director.socket:
                    self._read_director()
                elif source is self._sockets.monitor:
                    self._read_disconnections()
                else:
                    self._serving = False
                self._send_out()
            self._wake_matches()
            self._send_out()
            self._director.flush()

    def close(self) -> None:
        """Sends `bye` to all players, and closes the sockets."""
        for player in list(self._by_address.values()):
            self._send(player.address, Bye())
        self._sockets.close()
        self._context.destroy()

    # Players.

    def _read_players(self, most: int) -> None:
        receive = self._sockets.router.recv
        for _ in range(most):
            try:
                # Only a frame has its connection's descriptor, which only a hello needs; bytes are faster.
                sender = receive(zmq.NOBLOCK, copy=not self._expected)
                body = receive(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                return
            now = monotonic_ns()
            frames = 1
            if body.more:
                frames += self._sockets.drop_frames()
            address = sender if isinstance(sender, bytes) else sender.bytes
            player = self._by_address.get(address)
            try:
                if frames > 1:
                    raise BadMessage(f"expected a message of one frame, got {frames}")
                message = protocol.unpack_from_player(body.bytes)
            except BadMessage as error:
                if player is None:
                    self._send(address, Refuse(str(error)))
                elif (match := player.match) is not None:
                    detail = f"broke the protocol: {error}"
                    self._pass_on(match, match.refuse, player.seat, Verdict.GARBAGE, detail, now)
                continue
            if player is None:
                self._welcome(address, sender, message, now)
            elif player.before is not None and getattr(message, "game", None) == player.before[0].fixture.game:
                match, seat = player.before
                self._pass_on(match, match.receive, seat, message, now)
            elif player.match is not None:
                match = player.match
                self._pass_on(match, match.receive, player.seat, message, now)
            elif isinstance(message, Bye):
                self._forget(player)

    def _welcome(self, address: bytes, sender: zmq.Frame | bytes, message: protocol.FromPlayer, now: int) -> None:
        if not address.startswith(b"\0"):
            self._send(address, Refuse("expected a socket without a routing id: ZeroMQ assigns one"))
            return
        if not isinstance(message, Hello):
            self._send(address, Refuse(f"expected hello first, got {type(message).__name__.lower()}"))
            return
        if message.protocol != protocol.PROTOCOL:
            self._send(address, Refuse(f"this referee speaks protocol {protocol.PROTOCOL}, got {message.protocol}"))
            return
        if message.token not in self._expected or isinstance(sender, bytes):
            self._send(address, Refuse(f"no player is expected with the token {quote(message.token)}; valid once each"))
            return
        self._expected.remove(message.token)
        gone = self._disconnected()  # first: the new connection may reuse the descriptor of an ended one
        player = ConnectedPlayer(address, sender.get(zmq.SRCFD), message.token, message.wants)
        self._by_address[address] = self._by_token[message.token] = player
        self._by_descriptor[player.descriptor] = player
        self._send(address, Welcome(protocol.PROTOCOL, protocol.LIMITS))
        if kept := self._seats_of_expected.pop(message.token, None):
            self._seat(player, *kept, now)
        self._lose_all(gone)

    def _seat(self, player: ConnectedPlayer, match: Match, seat: int, now: int) -> None:
        if player.match is not None:
            player.before = (player.match, player.seat)
        player.match = match
        player.seat = seat
        self._pass_on(match, match.arrive, seat, player.wants, now)

    def _read_disconnections(self) -> None:
        self._lose_all(self._disconnected())

    def _disconnected(self) -> list[ConnectedPlayer]:
        """The players whose connections have ended since the last call."""
        ended = [self._by_descriptor.pop(descriptor, None) for descriptor in self._sockets.ended()]
        return [player for player in ended if player is not None]

    def _lose_all(self, gone: list[ConnectedPlayer]) -> None:
        if gone:
            self._read_players(sys.maxsize)  # what they sent before their connections ended
        for player in gone:
            if player.address in self._by_address:
                self._lose(player.token, CONNECTION_ENDED)
                self._forget(player)
                self._director.send(control.Gone(player.token))

    def _lose(self, token: str, detail: str) -> None:
        """The player with that token is gone; it may have connected or not."""
        self._expected.discard(token)
        player = self._by_token.get(token)
        games = [self._seats_of_expected.pop(token, None)]
        if player is not None:
            games = [player.before, (player.match, player.seat) if player.match is not None else None]
        for match, seat in filter(None, games):
            self._pass_on(match, match.lose, seat, detail, monotonic_ns())

    def _forget(self, player: ConnectedPlayer) -> None:
        del self._by_address[player.address]
        del self._by_token[player.token]
        if self._by_descriptor.get(player.descriptor) is player:
            del self._by_descriptor[player.descriptor]

    def _send_out(self) -> None:
        """Sends the answers of matches, many together: to wake ZeroMQ's thread costs more than a message. Then
        reports watched games to the director."""
        while self._outbox:
            player, data = self._outbox.popleft()
            if problem := self._sockets.send(player.address, data):
                self._lose(player.token, problem)
        # Only now: the next player thinks while the director is informed.
        while self._unreported:
            self._report_plies(self._unreported.popitem()[1])

    def _send(self, address: bytes, message: Struct) -> None:
        """Sends a message that belongs to no game."""
        self._sockets.send(address, protocol.pack(message))

    # Matches.

    def _pass_on(self, match: Match, event: Callable[..., list[Sent]], *about: Any) -> None:
        """Passes an event to `match`, and sends its answers. `about`: the event's arguments; the last is its time."""
        sent: list[Sent] = []
        try:
            sent = event(*about)
            posts = [(seat, packed(message)) for seat, message in sent]
        except Terminated:
            raise
        except BaseException as error:
            # User-supplied rules can fail in any way, which must not end the other games.
            sent = [*sent, *match.abort(schedule.rules_failure(error), about[-1])]
            posts = [(seat, data) for seat, message in sent if (data := packed_if_possible(message)) is not None]
        for seat, data in posts:
            if player := self._by_token.get(match.fixture.seats[seat].token):
                self._outbox.append((player, data))
        game = match.fixture.game
        if game not in self._matches:
            return  # the game ended in a call below this one
        if game in self._reported:
            self._unreported[game] = match
        if match.phase is Phase.REPORTING:
            self._begin_waiting(match, about[-1])
        if match.phase is Phase.DONE:
            self._finish(match, about[-1])
        elif match.wake is not None and match.wake < self._next_timer.get(game, _NEVER):
            self._set_timer(game, match.wake)

    def _report_plies(self, match: Match) -> None:
        game = match.fixture.game
        reported = self._reported[game]
        if reported < 0 and match.phase is not Phase.GATHERING and match.phase is not Phase.STARTING:
            self._director.post(control.GameBegan(game, match.asked_at))
            reported = 0
        for move in match.moves[max(reported, 0) :]:
            self._director.post(control.PlyPlayed(game, move, match.asked_at, move.ply in match.secret))
            reported += 1
        self._reported[game] = reported
        self._director.flush()

    def _finish(self, match: Match, now: int) -> None:
        fixture = match.fixture
        players = [self._by_token[plan.token] for plan in fixture.seats if plan.token in self._by_token]
        for player in players:
            if player.before is not None and player.before[0] is not match:
                self._finish(player.before[0], now)  # first: this game waited for that one
        del self._matches[fixture.game]
        if self._unreported.pop(fixture.game, None):
            self._report_plies(match)
        self._reported.pop(fixture.game, None)
        self._next_timer.pop(fixture.game, None)
        for plan in fixture.seats:
            self._seats_of_expected.pop(plan.token, None)
        for player in players:
            player.before = None
            if player.match is match:
                player.match = None
        record = match.record()
        self._unstored[fixture.game] = record
        begun = self._begin_waiting(match, now)
        self._waiting.pop(fixture.game, None)
        self._director.post(control.GameOver(record, begun))

    def _begin_waiting(self, match: Match, now: int) -> Begun | None:
        """Begins the game that waits for this one, if that is possible now. None: it has not begun.

        Until all players have reported, it begins only if it has the same players and none is a warden: a built-in
        agent sends its report before it starts its next game."""
        waiting = self._waiting.get(match.fixture.game)
        if waiting is None or match.verdict not in control.HARMLESS:
            return None
        game = waiting.fixture.game
        if game in self._begun:
            return self._begun[game]
        seats = waiting.fixture.seats
        players = [self._by_token.get(plan.token) for plan in seats]
        if any(player is None or player.before or player.match not in (None, match) for player in players):
            return None
        record = self._unstored.get(match.fixture.game)
        if record is None:  # not all have reported
            same = {plan.token for plan in seats} == {plan.token for plan in match.fixture.seats}
            is_possible = same and not any(plan.guarded for plan in seats)
        else:
            is_possible = all(seat.stderr is not None for seat in record.seats)
        if not is_possible:
            return None
        begun = self._begun[game] = Begun(game, now)
        self._begin(waiting, now)
        return begun

    def _set_timer(self, game: int, when: int) -> None:
        self._next_timer[game] = when
        heapq.heappush(self._timers, (when, game))
        if len(self._timers) > _MOST_TIMERS + 2 * len(self._next_timer):  # most are of games that are over
            self._timers = [(due, number) for number, due in self._next_timer.items()]
            heapq.heapify(self._timers)

    def _wake_matches(self) -> None:
        while self._timers and self._timers[0][0] <= (now := monotonic_ns()):
            when, game = heapq.heappop(self._timers)
            match = self._matches.get(game)
            if match is None or self._next_timer.get(game) != when:
                continue
            del self._next_timer[game]
            if match.wake is not None and match.wake > now:
                self._set_timer(game, match.wake)
            else:
                self._pass_on(match, match.tick, now)

    def _poll_timeout(self) -> int | None:
        """Milliseconds until the next timer, rounded up."""
        if not self._timers:
            return None
        return min(max(0, -((monotonic_ns() - self._timers[0][0]) // MILLISECOND)), LONGEST_POLL)

    # The director.

    def _read_director(self) -> None:
        for message in self._director.received():
            match message:
                case control.Play():
                    self._play(message.fixture, message.after)
                case control.Cancel():
                    self._cancel(message.game)
                case control.Watch():
                    if (match := self._matches.get(message.game)) is not None:
                        self._reported[message.game] = -1
                        self._unreported[message.game] = match
                case control.Unwatch():
                    self._reported.pop(message.game, None)
                    self._unreported.pop(message.game, None)
                case control.Expect():
                    self._expected.add(message.token)
                    self._director.send(control.Expected(message.token))
                case control.Dismiss():
                    self._dismiss(message.token)
                case control.Lost():
                    self._read_players(sys.maxsize)
                    self._lose(message.token, message.detail)
                case control.Ping():
                    self._director.send(control.Pong())
                case control.Stored():
                    self._unstored.pop(message.game, None)
                    self._begun.pop(message.game, None)
                case control.Stop():
                    self._serving = False
                    self.was_stopped = True

    def _play(self, fixture: Fixture, after: int | None) -> None:
        if after is not None and after not in self._matches:
            return  # the director has not read yet that this game is over; then it plans again
        now = monotonic_ns()
        try:
            self._check(fixture, waits=after is not None)
            match = Match(fixture, now, secret=secrets.token_bytes(16))
        except Terminated:
            raise
        except BaseException as error:
            # A wrong fixture (ArenaError), or user-supplied rules that cannot even start.
            self._director.send(control.Declined(fixture.game, schedule.error_line(error)))
            return
        if after is None:
            self._begin(match, now)
        else:
            self._waiting[after] = match

    def _begin(self, match: Match, now: int) -> None:
        fixture = match.fixture
        self._matches[fixture.game] = match
        if fixture.watched:
            self._reported[fixture.game] = -1
        if match.wake is not None:
            self._set_timer(fixture.game, match.wake)
        for seat, plan in enumerate(fixture.seats):
            if player := self._by_token.get(plan.token):
                self._seat(player, match, seat, now)
            elif plan.token in self._expected:
                self._seats_of_expected[plan.token] = (match, seat)
            else:
                self._pass_on(match, match.lose, seat, "disconnected before the game", now)

    def _cancel(self, game: int) -> None:
        begun = self._begun.get(game)
        if begun is None:
            self._waiting = {after: match for after, match in self._waiting.items() if match.fixture.game != game}
        self._director.send(control.Cancelled(game, begun))

    def _check(self, fixture: Fixture, *, waits: bool) -> None:
        tokens = [plan.token for plan in fixture.seats]
        is_busy = not waits and any(token in self._seats_of_expected or self._is_playing(token) for token in tokens)
        if fixture.game in self._matches or fixture.game in self._unstored:
            raise BadFixture(f"game {fixture.game} already exists")
        if is_busy or len(set(tokens)) != len(tokens):
            raise BadFixture(f"game {fixture.game}: a player can play one game at a time, in one seat")
        if len(self._by_address) + len(self._expected) > self._most_players:
            raise BadFixture(f"game {fixture.game}: at most {self._most_players} players can be connected")

    def _is_playing(self, token: str) -> bool:
        player = self._by_token.get(token)
        return player is not None and player.match is not None

    def _dismiss(self, token: str) -> None:
        self._lose(token, "was dismissed")  # a game that waited may have begun with it, unknown to the director
        if player := self._by_token.get(token):
            self._send(player.address, Bye())
            self._forget(player)


def main() -> None:
    """Runs the referee. Its argument is the director's run folder; its stdin closes when the director ends."""
    folder = Path(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the director
    signal.signal(signal.SIGTERM, _leave)
    # User-supplied rules may never return to the loop that notices the director's end.
    own_process.die_with_it(signal.SIGTERM)
    gc.freeze()
    gc.set_threshold(50_000, 50, 50)
    try:
        referee = Referee(folder)
    except ArenaError as error:
        sys.exit(str(error))
    try:
        try:
            referee.serve(gone=sys.stdin.fileno())
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
    except Terminated:
        sys.exit(1)
    finally:
        referee.close()
        if not referee.was_stopped and _ends_soon(sys.stdin.fileno()):
            run_folder.remove_abandoned(folder, patience=1.0)


def _leave(*_: object) -> None:
    """Ends the process. A second SIGTERM is ignored, so that it cannot interrupt the cleanup."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated


def _ends_soon(descriptor: int) -> bool:
    """Whether the other end closes within 1 s: a process with several threads takes a moment to close it."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(1000)) and not os.read(descriptor, 1)


class ConnectedPlayer:
    """A player whose hello was accepted, and the game that it plays.

    The referee finds it by its address, its token or its descriptor. A player is in one game; only between two games
    can it also be in the one before, until it has reported."""

    __slots__ = ("address", "before", "descriptor", "match", "seat", "token", "wants")

    def __init__(self, address: bytes, descriptor: int, token: str, wants: tuple[protocol.Want, ...]) -> None:
        self.address = address
        self.descriptor = descriptor
        self.token = token
        self.wants = wants
        self.match: Match | None = None
        self.seat = 0
        # The match that has its verdict but not this player's report yet, and the seat there.
        self.before: tuple[Match, int] | None = None


def packed(message: protocol.Message) -> bytes:
    """`message` as bytes; BadGame if it is longer than players read: rules can make texts that fit into no message, and
    this ends their game."""
    data = protocol.pack(message)
    # A warden converts the message to JSON, which is at most eight times as long.
    if len(data) * 8 > protocol.MESSAGE_BYTES:
        size = max(len(data), len(protocol.to_line(message)) - 1)
        if size > protocol.MESSAGE_BYTES:
            kind = type(message).__name__.lower()
            raise BadGame(f"expected a {kind!r} of at most {protocol.MESSAGE_BYTES} bytes, got {size}")
    return data


def packed_if_possible(message: protocol.Message) -> bytes | None:
    """`message` as bytes; None if it cannot be sent."""
    try:
        return packed(message)
    except (BadGame, UnicodeEncodeError):
        return None


# The sockets of the referee to which players connect: ZeroMQ's ROUTER, and the monitor of its connections.


CONNECTION_ENDED: Final = "its connection ended"
_MORE: Final = zmq.SNDMORE | zmq.NOBLOCK
_MONITOR_EVENT: Final = struct.Struct("=hi")
"""The first frame of a monitor's message: the event, and here the descriptor of the connection. `zmq.utils.monitor`
reads it too, but loads asyncio, which is a fifth of the time that a referee needs to start."""


class PlayerSockets:
    """`router` sends and receives messages; `monitor` is readable when a connection has ended."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], address: str) -> None:
        self.router = context.socket(zmq.ROUTER)
        self.router.set(zmq.LINGER, 0)
        self.router.set(zmq.ROUTER_MANDATORY, 1)
        self.router.set(zmq.MAXMSGSIZE, protocol.MESSAGE_BYTES)
        self.router.set(zmq.SNDHWM, 100)
        self.router.set(zmq.RCVHWM, 1000)
        self.router.set(zmq.BACKLOG, 1024)
        self.monitor = self.router.get_monitor_socket(zmq.Event.DISCONNECTED)
        self.router.bind(address)

    def send(self, address: bytes, data: bytes) -> str:
        """Sends. Returns what is wrong if it cannot: the player is gone, or has 100 unread messages."""
        try:
            self.router.send(address, _MORE)
            self.router.send(data, zmq.NOBLOCK)
        except zmq.Again:
            return "does not read its messages"
        except zmq.ZMQError:
            return CONNECTION_ENDED
        return ""

    def drop_frames(self) -> int:
        """Reads the other frames of a message; returns their number."""
        frames = 0
        while self.router.get(zmq.RCVMORE):
            self.router.recv(zmq.NOBLOCK)
            frames += 1
        return frames

    def ended(self) -> list[int]:
        """The descriptors of the connections that have ended since the last call."""
        descriptors = []
        while self.monitor.poll(0):
            descriptors.append(_MONITOR_EVENT.unpack(self.monitor.recv_multipart()[0])[1])
        return descriptors

    def close(self) -> None:
        """Stops the monitor. ZeroMQ then has 0.1 s to send what was not sent yet, when its context is destroyed."""
        self.router.set(zmq.LINGER, 100)
        self.router.disable_monitor()


if __name__ == "__main__":
    main()
