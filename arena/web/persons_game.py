"""People who play: one's seat in one game, which talks with the referee like any other player and keeps what the page
shows, and all games that they play through this page server.

It knows nothing of HTTP. A thread reads the referee's messages; what a page shows is one frozen value, `seen`, which is
replaced at every change. A move with a typo is not sent, because the referee would end the game for an illegal move.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import closing, suppress
from enum import StrEnum
from threading import RLock, Thread
from time import monotonic, monotonic_ns
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from adsearch import CHANCE, State, games
from adsearch.errors import BadMove, quote
from adsearch.pictures import boards
from agents import protocol
from agents.errors import AgentsError
from agents.protocol import Hello, Move, Over, Ready, Resign, Start, Turn
from agents.zmtp import ZmtpConnection
from arena.errors import ArenaError, BadClock, BadFixture, HelperEnded, HelperFailed, HelperLate
from arena.history import words
from arena.match.clock import MILLISECOND, SECOND, TimeControl
from arena.play.helper import Helper, HelperLimits
from arena.serve.messages import (
    MOST_GAMES,
    DropGame,
    GameRecorded,
    GameRefused,
    GotHint,
    Seat,
    TakeBack,
    WantGame,
    from_pages,
)
from arena.student import hint
from arena.student.hint import Hint
from db.records import GameRecord, SeatRecord

_CONNECTS_WITHIN: Final = 10.0
"""Seconds until the referee has taken the connection."""
_MOST_TAKEN_BACK: Final = 20
"""In a game: each time a new process of the opponent is started."""
_INTERRUPTED: Final = "the game was interrupted, so it begins again"
_HINT_LIMITS: Final = HelperLimits(nice=19)
_HINT_WITHIN: Final = 15.0
"""Seconds for a hint: 3 s for the search, and the start of Python on a busy machine."""
_NO_ANSWER: Final = "the server does not answer; try again"


class GameStatus(StrEnum):
    """What the game waits for."""

    WAITING = "waiting"
    """For the server: the game begins soon, or its end is being recorded."""
    YOURS = "your turn"
    THEIRS = "their turn"
    OVER = "over"


class PersonsChoice(Struct, frozen=True):
    """A legal move."""

    text: str
    """As programs write it, and as it is sent."""
    shown: str
    """As people write it."""


class SeenPly(Struct, frozen=True):
    """A ply as the person sees it."""

    who: int | str
    text: str
    """What the rules hide is "?"."""
    shown: str
    spent: int | None = None
    """How long the person saw the move's clock run, in nanoseconds, if that is known."""


class SeenGame(Struct, frozen=True, kw_only=True):
    """What the person's page shows."""

    key: str
    seat: int
    clock: str
    opponent: str
    """As it was asked for."""
    players: int = 2
    """Of the game."""
    version: int = 0
    """One more at every change."""
    turn: str = ""
    """A name for the person's last turn."""
    status: GameStatus = GameStatus.WAITING
    rules: str = ""
    """Empty until the game begins."""
    names: tuple[str, ...] = ()
    """In the record, by seat; the person's is "human"."""
    position: str = ""
    """As the person sees it, after the end the whole one; `games.load` reads it with `rules`."""
    last: Any = None
    """What the board marks as last, as a value of the game; None if it is not known."""
    plies: tuple[SeenPly, ...] = ()
    choices: tuple[PersonsChoice, ...] = ()
    """The legal moves, if it is the person's turn."""
    left: tuple[int, ...] = ()
    """The time of each seat when the turn began, in milliseconds; the person's own is estimated after its move."""
    running: int | None = None
    """The seat whose clock runs; None: none, or it is not known."""
    since: int = 0
    """When the turn began (time.monotonic_ns)."""
    take_backs: int = 0
    """How often the person can take back a move, from now on; 0 if there is no move to take back."""
    resigns: bool = False
    """Whether the person resigns as soon as it is the person's turn."""
    hint: Hint | None = None
    """For this turn."""
    flipped: bool = False
    """Whether the person sees the board from the other side."""
    notice: str = ""
    """What the person must know, such as why the game cannot be played."""
    end: GameRecorded | None = None

    def result(self, names: Sequence[str]) -> str:
        """How the game ended, with these names of its players; empty if it is not over."""
        if self.end is None:
            return ""
        if self.end.id is None:
            return "given up, and not recorded"
        points = zip(names, self.end.points, strict=True)
        seats = tuple(SeatRecord(seat, name, share, None, 0, 0) for seat, (name, share) in enumerate(points))
        return words.verdict(GameRecord(0, self.end.verdict, self.end.fault, self.end.ending, seats, (), 0))


class PersonsGame:
    """One game of a person. Its methods can run rules and wait, so they are not for an event loop."""

    def __init__(
        self,
        wanted: WantGame,
        send: Callable[[Struct], bool],
        changed: Callable[[PersonsGame], None],
        recorded: Callable[[int], None],
        *,
        players: int = 2,
    ) -> None:
        """`send` sends a message to the director; `changed` is called in any thread after each change of `seen`, and
        `recorded` with the id of the game in the record, before `seen` has its end."""
        self.wanted = wanted
        """What was asked for."""
        self.seen = SeenGame(
            key=wanted.key, seat=wanted.seat, clock=wanted.clock, opponent=wanted.opponent, players=players
        )
        self._send = send
        self._changed = changed
        self._recorded = recorded
        self._lock = RLock()
        # The seat that is taken, the connection to it, and the open turn.
        self._seat: Seat | None = None
        self._connection: ZmtpConnection | None = None
        self._turn: Turn | None = None
        # What the referee has confirmed: the position and the move that led to it, if they are known, and the plies.
        self._state: State[Any] | None = None
        self._last: Any = None
        self._plies: list[SeenPly] = []
        # How long plies took, by their numbers from 0.
        self._spent: dict[int, int] = {}
        # From a take-back to the turn that comes again: the number of the person's moves that are kept.
        self._kept: int | None = None
        # The turn for which a hint was searched, and how often a move was taken back.
        self._searched: Turn | None = None
        self._taken_back = 0

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        return self.seen.status is GameStatus.OVER

    # What the person does.

    # `at`: the turn that the person saw, by its name in `seen`; None if that is not known. A form that is sent twice,
    # or from another window, is about an earlier turn: then it is refused.

    def move(self, text: str, at: str | None = None) -> None:
        """Plays the move with this text, as programs or people write it. BadMove if it is not one, or not the turn."""
        with self._lock:
            turn, before = self._open_turn(at), self.seen
            choice = self._choice(text)
            now = monotonic_ns()
            with suppress(OSError):  # the referee was lost: the thread notices it
                self._to_referee(Move(turn.game, turn.id, choice.text))
            self._turn = None
            spent = self._spent[len(before.plies)] = now - before.since
            state, last = self._played(choice.text)
            running = None if state is None or state.turn == CHANCE else state.turn
            self._show(
                status=GameStatus.THEIRS,
                plies=(*before.plies, SeenPly(before.seat, choice.text, choice.shown, spent)),
                position=self._text(state),
                last=last,
                left=self._left_after(now),
                running=running,
                since=now,
            )

    def resign(self) -> None:
        """Resigns, now or at the person's next turn."""
        with self._lock:
            if self._turn is not None:
                self._resign(self._turn)
            elif not self.is_over:
                self._show(resigns=True)

    def take_back(self, at: str | None = None) -> None:
        """Takes back the person's last move. BadMove if there is none, or not the turn."""
        with self._lock:
            self._open_turn(at)
            if not self._moves_made():
                raise BadMove("there is no move of yours to take back")
            if self._taken_back == _MOST_TAKEN_BACK:
                raise BadMove(f"you have taken back {_MOST_TAKEN_BACK} moves in this game, which is the most")
            self._taken_back += 1
            self._tell(TakeBack(self.seen.key))
            self._turn, self._kept = None, self._moves_made() - 1
            self._show(status=GameStatus.WAITING, running=None)

    def find_hint(self, at: str | None = None) -> None:
        """Searches a hint, for up to 15 s, and shows it if it is still the same turn; once for each turn. BadMove if it
        is not the person's turn, ArenaError if there is no hint."""
        with self._lock:
            turn, seen = self._open_turn(at), self.seen
            if self._searched is turn:
                return
            self._searched = turn
        found = _hint(seen.rules, seen.position)
        with self._lock:
            if self._turn is turn:
                self._tell(GotHint(seen.key))
                self._show(hint=found)

    def flip(self) -> None:
        """Shows the board from the other side."""
        with self._lock:
            self._show(flipped=not self.seen.flipped)

    def give_up(self) -> None:
        """Ends the game; it is not recorded."""
        with self._lock:
            if not self.is_over:
                self._tell(DropGame(self.seen.key))

    def _open_turn(self, at: str | None = None) -> Turn:
        if self._turn is None:
            raise BadMove("it is not your turn")
        if at not in (None, self.seen.turn):
            raise BadMove("the position has changed: look at the board again")
        return self._turn

    def _choice(self, text: str) -> PersonsChoice:
        """The legal move with this text; BadMove if there is none."""
        choices, wanted = self.seen.choices, text.strip()
        exact = [choice for choice in choices if wanted in (choice.text, choice.shown)]
        nearly = [choice for choice in choices if wanted.lower() in (choice.text.lower(), choice.shown.lower())]
        if len(exact or nearly) == 1:
            return (exact or nearly)[0]
        if self._state is not None:
            try:
                read = self._state.to_text(self._state.from_text(wanted))
                return next(choice for choice in choices if choice.text == read)
            except Exception:  # no move, or user-supplied rules that raise on the text
                raise BadMove(words.refusal(self._state, wanted)) from None
        raise BadMove(f"{quote(text)} is not a legal move")

    def _played(self, text: str) -> tuple[State[Any] | None, Any]:
        """The position after the person's move, and the move; None if they are not known."""
        if self._state is not None:
            with suppress(Exception):  # user-supplied rules may raise anything
                move = self._state.from_text(text)
                return self._state.play(move), move
        return None, None

    def _left_after(self, now: int) -> tuple[int, ...]:
        """The time of each seat after the person's move."""
        seen, left = self.seen, list(self.seen.left)
        if left:
            with suppress(BadClock):
                more = TimeControl.parse(seen.clock).increment // MILLISECOND
                left[seen.seat] = max(0, left[seen.seat] - (now - seen.since) // MILLISECOND) + more
        return tuple(left)

    def _moves_made(self) -> int:
        """The person's moves that can be taken back."""
        return sum(ply.who == self.seen.seat for ply in self._plies)

    def _resign(self, turn: Turn) -> None:
        self._turn = None
        with suppress(OSError):
            self._to_referee(Resign(turn.game, turn.id))
        self._show(status=GameStatus.WAITING, running=None, resigns=True)

    def _tell(self, message: Struct) -> None:
        """Sends a message to the director; ArenaError if that is not possible."""
        if not self._send(message):
            raise ArenaError(_NO_ANSWER)

    def _to_referee(self, message: Struct) -> None:
        if self._connection is not None:
            self._connection.send(protocol.pack(message))

    # What the director says.

    def take(self, message: Seat | GameRefused | GameRecorded) -> None:
        """Takes the director's next message about this game. It never waits: the event loop can call it."""
        self._seat = message if isinstance(message, Seat) else None  # here: messages come in order, threads do not
        work: Callable[..., None] = self._sit if isinstance(message, Seat) else self._end
        Thread(target=work, args=(message,), name="seat", daemon=True).start()

    def _end(self, message: GameRefused | GameRecorded) -> None:
        if isinstance(message, GameRecorded) and message.id is not None:
            self._recorded(message.id)
        with self._lock:
            self._turn = None
            if isinstance(message, GameRecorded):
                more: dict[str, Any] = {"end": message, **self._whole(message)}
            else:
                more = {"notice": message.why}
            self._show(status=GameStatus.OVER, running=None, resigns=False, **more)

    def _whole(self, ended: GameRecorded) -> dict[str, Any]:
        """The whole game, with what was hidden from the person; nothing if it is not known."""
        if not ended.plies:
            return {}
        self._state, self._last, self._plies = None, None, []
        with suppress(Exception):  # user-supplied rules may raise anything
            first = games.start(self.seen.rules)
            self._state = first if first.hidden else games.load(self.seen.rules, self._from)
        self._note(ended.plies)
        found: dict[str, Any] = {"plies": tuple(self._plies), "last": self._last}
        if self._state is not None:
            with suppress(Exception):
                found["position"] = self._state.position()
        return found

    # What the referee says, in the thread.

    def _sit(self, seat: Seat) -> None:
        with self._lock:
            if self._seat is not seat:
                return
            is_expected = not self.seen.rules or seat.moves == self._kept
            self._turn = None
            self._show(status=GameStatus.WAITING, running=None, notice="" if is_expected else _INTERRUPTED)
        with suppress(OSError, AgentsError), closing(ZmtpConnection(seat.address, _CONNECTS_WITHIN)) as connection:
            connection.send(protocol.pack(Hello(protocol.PROTOCOL, seat.token, wants=("position", "legal"))))
            connection.wait()
            while self._hear(seat, connection, protocol.unpack_from_referee(connection.receive())):
                pass
        with self._lock:
            if self._seat is seat:  # the director says how it goes on
                self._connection = self._turn = None
                self._show(status=GameStatus.WAITING, running=None)

    def _hear(self, seat: Seat, connection: ZmtpConnection, message: protocol.FromReferee) -> bool:
        """Takes the referee's next message; False after the last one."""
        if isinstance(message, Start):
            connection.send(protocol.pack(Ready(message.game)))  # first: rules can be slow
        with self._lock:
            if self._seat is not seat:
                return False
            match message:
                case Start():
                    self._connection, self._state, self._last, self._plies = connection, None, None, []
                    self._begin(message, continues=seat.moves == self._kept)
                case Turn():
                    self._time(message.events, message.left or ())
                    self._note(message.events)
                    self._ask(message)
                case Over():
                    self._turn = None
                    self._time(message.events, ())
                    self._note(message.events)
                    self._show(
                        status=GameStatus.WAITING,
                        plies=tuple(self._plies),
                        position=self._text(self._state),
                        last=self._last,
                        left=self._left_at(monotonic_ns()),
                        running=None,
                    )
                    return False
                case protocol.Welcome():
                    pass
                case _:
                    return False
        return True

    def _begin(self, start: Start, *, continues: bool) -> None:
        self._from = start.position
        self._load(start.rules, start.position)
        if continues:  # the first turn has the position, at once
            return
        self._show(
            status=GameStatus.THEIRS,
            rules=start.rules,
            names=start.seats,
            position=start.position,
            last=None,
            plies=(),
            left=start.clock.left or (),
            running=None if self._state is None or self._state.turn == CHANCE else self._state.turn,
            since=monotonic_ns(),
        )

    def _ask(self, turn: Turn) -> None:
        """It is the person's turn."""
        seen = self.seen
        if isinstance(turn.position, str):
            self._load(seen.rules, turn.position)
        self._turn, self._kept = turn, None
        self._show(
            status=GameStatus.YOURS,
            turn=f"{turn.game}-{turn.id}",
            plies=tuple(self._plies),
            position=turn.position if isinstance(turn.position, str) else seen.position,
            last=self._last,
            choices=self._legal(turn),
            left=turn.left or (),
            running=seen.seat,
            since=monotonic_ns(),
            take_backs=_MOST_TAKEN_BACK - self._taken_back if self._moves_made() else 0,
            hint=None,
        )
        if seen.resigns:
            self._resign(turn)

    def _load(self, rules: str, position: str) -> None:
        self._state = None
        with suppress(Exception):  # user-supplied rules may raise anything
            self._state = games.load(rules, position)

    def _legal(self, turn: Turn) -> tuple[PersonsChoice, ...]:
        """The legal moves: from the position, because a message does not have all of a long list."""
        if (state := self._state) is not None:
            with suppress(Exception):  # user-supplied rules
                return tuple([PersonsChoice(state.to_text(move), state.shown(move)) for move in state.moves()])
        return tuple([PersonsChoice(text, text) for text in turn.legal]) if isinstance(turn.legal, tuple) else ()

    def _time(self, events: Sequence[tuple[int | str, str]], left: Sequence[int]) -> None:
        """Takes the time of the one move of others that these plies have; of several, nobody has told each one's. What
        is `left` on the clocks tells what was charged, as the replay does; without it, it is what the person saw."""
        first, seen = len(self._plies), self.seen
        others = [number for number, (who, _) in enumerate(events, first) if isinstance(who, int) and who != seen.seat]
        if len(others) == 1 and seen.status is GameStatus.THEIRS:
            spent, control = monotonic_ns() - seen.since, TimeControl.parse(seen.clock)
            who = events[others[0] - first][0]
            if isinstance(who, int) and who < min(len(left), len(seen.left)) and not (control.moves or control.periods):
                spent = (seen.left[who] - left[who]) * MILLISECOND + control.increment
            self._spent[others[0]] = spent
        # Of plies that were taken back nothing is kept.
        self._spent = {number: spent for number, spent in self._spent.items() if number < first + len(events)}

    def _note(self, events: Iterable[tuple[int | str, str]]) -> None:
        """Takes plies that were played; from a hidden one on, the position is not known until the next turn."""
        for who, text in events:
            shown, state, self._state, move = text, self._state, None, None
            if state is not None:
                with suppress(Exception):  # hidden, or user-supplied rules
                    move = state.from_text(text)
                    shown = state.shown(move)
                    self._state = state.play(move)
                if move is None and "?" not in text:  # legal with tiles that the person does not see
                    with suppress(Exception):
                        move = text if all(isinstance(one, str) for one in state.moves()) else None
            self._last = boards.last_mark(self._state, who, move, self._last)
            self._plies.append(SeenPly(who, text, shown, self._spent.get(len(self._plies))))

    def _text(self, state: State[Any] | None) -> str:
        """The position as the person sees it; the last one that is known if this one is not."""
        if state is not None:
            with suppress(Exception):  # user-supplied rules
                return state.view(self.seen.seat)
        return self.seen.position

    def _left_at(self, now: int) -> tuple[int, ...]:
        seen = self.seen
        used = max(0, now - seen.since) // MILLISECOND
        return tuple(max(0, left - used) if seat == seen.running else left for seat, left in enumerate(seen.left))

    def _show(self, **changes: Any) -> None:
        """Replaces `seen`. There are choices only while it is the person's turn."""
        if changes.get("status", GameStatus.YOURS) is not GameStatus.YOURS:
            changes = {"choices": (), "take_backs": 0, "hint": None} | changes
        self.seen = replace(self.seen, version=self.seen.version + 1, **changes)
        self._changed(self)


def _hint(rules: str, position: str) -> Hint:
    """A hint for the seat to move, from a helper, so that no page waits for it. ArenaError if there is none."""
    with Helper(hint.answer, _HINT_LIMITS) as helper:
        helper.send((rules, position))
        try:
            return helper.answer(Hint, within=_HINT_WITHIN)
        except HelperLate:
            why = f"none was found within {_HINT_WITHIN:g} s"
        except HelperFailed as error:
            why = f"the rules failed with {quote(words.printable(str(error)))}"
        except HelperEnded as error:
            why = f"the search was ended ({error})"
    raise ArenaError(f"there is no hint: {why}")


# The games that people play through this page server: whose each is, how many there can be, how long they are kept.


_KEPT: Final = 3600.0
"""Seconds for which a game that is over is kept."""
_MOST_KEPT: Final = 50
_PATIENCE: Final = 180.0
"""Seconds of one turn after which a game that no page shows ends, if somebody else waits for the place."""


class _Table(Struct):
    """A game, and whose it is."""

    account: Hashable
    game: PersonsGame
    ended: float | None = None


class PersonsGames:
    """All games of this page server."""

    def __init__(self, send: Callable[[Struct], bool], *, clock: Callable[[], float] = monotonic) -> None:
        """`send` sends a message to the director; False if that is not possible. `clock`: seconds."""
        self.changed: Callable[[PersonsGame], None] = lambda _: None
        """Called in any thread after each change of a game's `seen`."""
        self.is_watched: Callable[[PersonsGame], bool] = lambda _: True
        """Whether an open page shows the game."""
        self.recorded: Callable[[Hashable, int], None] = lambda *_: None
        """Called in any thread with whose game was recorded, and its id in the record."""
        self._send = send
        self._clock = clock
        self._lock = RLock()
        # By key, the newest last.
        self._tables: dict[str, _Table] = {}

    def open(
        self, account: Hashable, *, game: str, opponent: str, seat: int, clock: str, players: int = 2
    ) -> PersonsGame:
        """Asks the director for a game; whether it begins is in its `seen`. BadFixture if there are too many games.

        `game`: empty for the ladder's; `opponent`: a name in the record, or a built-in agent."""
        return self._open(account, WantGame(secrets.token_urlsafe(16), game, opponent, seat, clock), players)

    def again(self, account: Hashable, game: PersonsGame, seat: int) -> PersonsGame:
        """The same game again, with the person at this seat. If a game of the account is going on, it is that one: two
        open pages begin one game. BadFixture if there is no such seat."""
        if not 0 <= seat < game.seen.players:
            raise BadFixture(f"seat: expected a number below {game.seen.players}, got {seat}")
        with self._lock:
            if (going_on := next((one for one in self.games(account) if not one.is_over), None)) is not None:
                return going_on
            wanted = replace(game.wanted, key=secrets.token_urlsafe(16), seat=seat)
            return self._open(account, wanted, game.seen.players)

    def _open(self, account: Hashable, wanted: WantGame, players: int) -> PersonsGame:
        with self._lock:
            self._forget()
            playing = [table for table in self._tables.values() if not table.game.is_over]
            if any(table.account == account for table in playing):
                raise BadFixture("you are playing a game already: finish it, or give it up")
            if len(playing) >= MOST_GAMES and (left := next(filter(self._is_left, playing), None)) is not None:
                left.game.give_up()
                playing.remove(left)
            if len(playing) >= MOST_GAMES:
                raise BadFixture(f"{MOST_GAMES} people are playing now: try again when one of them has finished")
            if from_pages(msgspec.json.encode(wanted)) != wanted:
                raise BadFixture(
                    "expected the game, the opponent and the clock as short texts, and a seat from 0 to 63"
                )
            made = PersonsGame(
                wanted,
                self._send,
                lambda changed: self.changed(changed),
                lambda id: self.recorded(account, id),
                players=players,
            )
            if not self._send(wanted):
                raise ArenaError("the server does not answer; try again")
            self._tables[wanted.key] = _Table(account, made)
            return made

    def _is_left(self, table: _Table) -> bool:
        """Whether it has begun, and nobody seems to play it any more."""
        seen = table.game.seen
        return bool(seen.rules) and self._clock() - seen.since / SECOND > _PATIENCE and not self.is_watched(table.game)

    def find(self, account: Hashable, key: str) -> PersonsGame | None:
        """The game with this key, if it is this account's."""
        with self._lock:
            self._forget()
            table = self._tables.get(key)
            return table.game if table is not None and table.account == account else None

    def games(self, account: Hashable) -> list[PersonsGame]:
        """The games of this account, the newest first."""
        with self._lock:
            self._forget()
            return [table.game for table in reversed(self._tables.values()) if table.account == account]

    def take(self, message: Seat | GameRefused | GameRecorded) -> None:
        """Takes a message of the director."""
        with self._lock:
            table = self._tables.get(message.key)
        if table is not None:
            table.game.take(message)

    def _forget(self) -> None:
        """Forgets games that have been over for long."""
        now = self._clock()
        for table in self._tables.values():
            if table.game.is_over and table.ended is None:
                table.ended = now
        over = [key for key, table in self._tables.items() if table.ended is not None]
        for key in over[: max(0, len(over) - _MOST_KEPT)]:
            del self._tables[key]
        for key in over[-_MOST_KEPT:]:
            if now - (self._tables[key].ended or now) >= _KEPT:
                del self._tables[key]
