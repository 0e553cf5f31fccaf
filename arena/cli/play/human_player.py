"""A person at this terminal as a player (reads moves from the keyboard, in the loop that reads the referee's messages),
and players that join from elsewhere.

To the referee a person is a player like any other, with its own connection. A move with a typo is not sent, because the
referee would end the game for an illegal move. All people of a game share one keyboard.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import zmq

from adsearch import State, games
from adsearch.errors import one_of
from agents import protocol
from agents.protocol import Bye, Hello, Move, Ready, Refuse, Resign, Start, Turn, Verdict
from arena.cli.play.game_screen import GameScreen
from arena.cli.terminal.notes import is_interactive
from arena.errors import BadPlayer
from arena.history import words
from arena.history.words import GOT_HINT, TOOK_BACK
from arena.match.schedule import (
    Began,
    Entrant,
    Event,
    Finished,
    Planned,
    Ply,
    Schedule,
    TakenBack,
    WrappingSchedule,
    before_last_move,
)
from arena.play.director import Director
from arena.players.player import Player, PlayerKind
from arena.student.hint import hint
from arena.walls.run_folder import RunFolder
from db.records import HUMAN, MoveRecord

_WAYS_OUT: Final = "type 'resign' to give up this game, press Ctrl-C to end the program"
_HELP: Final = "type 'hint' (or h) for a good move, 'undo' (or u) to take back your last move"
_HELP_HAS_A_PRICE: Final = "after a hint or an undo the game does not count: it is recorded as annulled"
_CLOCKED: Final = "in a game with a clock there is no hint and no undo; they are there if you leave out --clock"

_LONG: Final = 3600.0
"""Seconds."""
_MOST_SHOWN: Final = 60
"""Number of legal moves in the help: in `words` there can be thousands."""


class Keyboard:
    """The lines typed so far, and the player that waits for the next one."""

    def __init__(self, descriptor: int, read: Callable[[], bytes | None]) -> None:
        """`read` is called when the descriptor is readable; None: nothing yet, b"": the end of input."""
        self.descriptor = descriptor
        self._read = read
        self._lines: deque[str] = deque()
        self._begun = b""
        self._closed = False
        self._waiting: Callable[[str | None], None] | None = None
        # What the next line answers first, before `_waiting`.
        self._urgent: Callable[[str | None], None] | None = None

    def ask(self, answer: Callable[[str | None], None]) -> None:
        """Pass the next line to `answer`; None at the end of input."""
        self._waiting = answer
        self._hand_over()

    def ask_first(self, answer: Callable[[str | None], None]) -> None:
        """Pass the next line that is typed from now on to `answer`, also while a player waits for a line."""
        self._lines.clear()
        self._begun = b""
        self._urgent = answer
        self._hand_over()

    @property
    def has_question(self) -> bool:
        """Whether the next line answers a question that comes before moves."""
        return self._urgent is not None

    def read(self) -> bool:
        """Read what was typed; False at the end of input."""
        typed = self._read()
        if typed is None:
            return True
        *lines, self._begun = (self._begun + typed).split(b"\n")
        self._lines.extend(line.decode("utf-8", "replace") for line in lines)
        if not typed:
            self._closed = True
            if self._begun:  # the last line can lack a line end
                self._lines.append(self._begun.decode("utf-8", "replace"))
                self._begun = b""
        self._hand_over()
        return not self._closed

    def _hand_over(self) -> None:
        while (waiting := self._urgent or self._waiting) is not None and (self._lines or self._closed):
            if self._urgent is not None:
                self._urgent = None
            else:
                self._waiting = None
            waiting(self._lines.popleft() if self._lines else None)


class HumanPlayer:
    """One person, who plays one seat of each game."""

    def __init__(self, name: str, keyboard: Keyboard, screen: GameScreen, take_backs: TakeBacks) -> None:
        self._name = name
        self._take_backs = take_backs
        self._keyboard = keyboard
        self._screen = screen
        self._say = screen.say
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
        self._socket = context.socket(zmq.DEALER)
        self._socket.set(zmq.LINGER, 200)
        self._socket.set(zmq.RECONNECT_IVL, 10)
        self._state: State[Any] | None = None
        self._start: Start | None = None
        self._turn: Turn | None = None
        self._shown = -1

    def sit_down(self, address: str, token: str) -> zmq.Socket[bytes]:
        """Connect to the referee; return the socket on which `hear` must be called."""
        self._socket.connect(address)
        self._send(Hello(protocol.PROTOCOL, token, self._name, wants=("position",)))
        return self._socket

    def hear(self) -> None:
        """Handle all messages of the referee that have arrived."""
        while True:
            try:
                message = protocol.unpack_from_referee(self._socket.recv(zmq.NOBLOCK))
            except zmq.Again:
                return
            match message:
                case Start():
                    self._start, self._shown = message, -1
                    self._send(Ready(message.game))
                case Turn():
                    self._turn = message
                    if self._start is not None and isinstance(message.position, str):
                        self._state = games.load(self._start.rules, message.position)
                    self.ask()
                case Refuse():
                    self._say(message.reason)
                case Bye():
                    return
                case _:
                    self._turn = None

    def shown(self, plies: int) -> None:
        """Note that `plies` plies are on the screen; the prompt for the next ply is printed after its board."""
        self._shown = plies
        self.ask()

    def ask(self) -> None:
        """Print the prompt if this person is to move, the board is shown, and no other question is open."""
        if self._turn is not None and self._shown == self._turn.ply - 1 and not self._keyboard.has_question:
            self._ask()

    def close(self) -> None:
        """Close the connection to the referee."""
        self._socket.close()

    def _ask(self) -> None:
        piece = "" if self._start is None else words.piece(self._start.seat, self._start.rules)
        self._say(f"{self._name}{f' ({piece})' if piece else ''}, your move (? for help): ", end="")
        self._keyboard.ask(self._answer)

    def _answer(self, line: str | None) -> None:
        self._screen.answered()
        turn, state = self._turn, self._state
        if turn is None or state is None:
            return  # the game ended while a move was being typed
        if line is None or line.strip().lower() == "resign":
            if line is None:
                self._say("\nno more input: resigned")
            self._send(Resign(turn.game, turn.id))
            self._turn = None
            return
        text = line.strip()
        command = "" if self._is_move(state, text) else text.lower()
        if command in ("?", "help"):
            self._show_help(state)
        elif command in ("q", "quit", "exit"):
            self._say(_WAYS_OUT)
        elif command in ("hint", "h", "undo", "u"):
            if self._start is not None and self._start.clock.text != "none":
                self._say(_CLOCKED)
            elif command in ("hint", "h"):
                self._show_hint(state)
            elif self._take_backs.take_back(self._name):
                self._send(Resign(turn.game, turn.id))
                self._turn = None
                return
            else:
                self._say("there is no move of yours to take back")
        elif text and self._moves(turn, state, text):
            return
        self._ask()

    def _is_move(self, state: State[Any], text: str) -> bool:
        """Whether `text` is a legal move: then it is no command."""
        try:
            moves = state.moves()
            return text.lower() in [write(move).lower() for move in moves for write in (state.to_text, state.shown)]
        except Exception:
            return False  # user-supplied rules

    def _show_help(self, state: State[Any]) -> None:
        legal = one_of([*map(state.shown, state.moves())], most=_MOST_SHOWN)
        self._say(words.printable(f"legal moves: {legal}"))
        self._say(f"a move is {type(state).notation or 'one of these'}")
        if self._start is None or self._start.clock.text == "none":
            self._say(_HELP)
            self._say(_HELP_HAS_A_PRICE)
        self._say(_WAYS_OUT)

    def _show_hint(self, state: State[Any]) -> None:
        try:
            self._say(hint(state).text)
        except Exception as error:
            # User-supplied rules can fail anywhere in a search.
            self._say(words.printable(f"there is no hint: the rules failed with {type(error).__name__}: {error}"))
        else:
            self._take_backs.note_hint(self._name)

    def _moves(self, turn: Turn, state: State[Any], text: str) -> bool:
        """Send the move with this text; False, with a message, if it is not legal."""
        try:
            move = state.from_text(text)
            written = state.to_text(move) if move in state.moves() else None
        except Exception:  # no move, or user-supplied rules that raise on the text
            written = None
        if written is None:
            self._say(words.printable(words.refusal(state, text)))
            return False
        self._send(Move(turn.game, turn.id, written))
        self._turn = None
        return True

    def _send(self, message: Any) -> None:
        self._socket.send(protocol.pack(message))


# Help for people at this terminal: a move is taken back, and which games are not rated because of a hint or of that.


class TakeBacks(WrappingSchedule):
    """A schedule of games in which `people` can take back moves."""

    def __init__(self, schedule: Schedule, people: Collection[str], helped: dict[int, str]) -> None:
        """`helped` is filled here: for the number of each game with a hint or a take-back, what happened."""
        super().__init__(schedule)
        self._people = people
        self._helped = helped
        # The plies of the game in progress, the seats of people, and its number.
        self._plies: list[MoveRecord] = []
        self._seats: set[int] = set()
        self._number = 0
        # What stays of the game in progress, if it is being resigned because a move was taken back.
        self._asked: TakenBack | None = None
        self._again: Planned | None = None
        self._resigned: Planned | None = None
        # The number of plies that stayed when a move was last taken back.
        self.kept = 0
        self.holds = False
        """Whether a game after the first begins only when it is let go."""
        self._held: Planned | None = None
        self._is_first = True

    def next(self) -> Planned | None:
        """The game that continues, or the next one."""
        again, self._again = self._again, None
        if again is not None or self._held is not None:
            return again
        found = super().next()
        if self.holds and not self._is_first:
            self._held, found = found, None
        self._is_first = False
        return found

    @property
    def is_held(self) -> bool:
        """Whether the next game waits to be let go."""
        return self._held is not None

    def let_go(self) -> None:
        """The next game may begin."""
        self._again, self._held = self._held, None

    def rest(self) -> float | None:
        """As the other schedule; while a game is held, what a person types wakes the director."""
        return _LONG if self.is_held else super().rest()

    def ahead(self) -> Planned | None:
        """The next game, if no person can take back a move in this one."""
        return None if self._people else super().ahead()

    def note(self, finished: Finished) -> None:
        """Plan the game that continues, if a move was taken back; pass on any other game."""
        asked, self._asked = self._asked, None
        if asked is None or finished.record.verdict != Verdict.RESIGNED:
            super().note(finished)
            return
        self._resigned, self._again = finished.game, asked.continued(finished)

    def see(self, event: Event) -> None:
        """Follow the game in progress."""
        match event:
            case Began(game):
                self._plies, self._number = [], game.number
                self._seats = {seat for seat, entrant in enumerate(game.entrants) if entrant.name in self._people}
            case Ply(_, move):
                self._plies.append(move)

    def take_back(self, name: str) -> bool:
        """Take back the last move of a person, as `name` asks; the caller then resigns. False if there is no move."""
        self._asked = before_last_move(self._plies, self._seats)
        if self._asked is None:
            return False
        self.kept = self._asked.plies
        self._helped[self._number] = f"{name} {TOOK_BACK}"
        return True

    def note_hint(self, name: str) -> None:
        """Note that `name` got a hint in the game in progress."""
        self._helped.setdefault(self._number, f"{name} {GOT_HINT}")

    def was_taken_back(self, game: Planned) -> bool:
        """Whether `game` was resigned because a move was taken back."""
        return game is self._resigned


# Players that the arena does not start: people at this terminal, and agents that a user starts by hand ("wait").


_NEXT: Final = "Enter: the next game "
_QUESTION: Final = "end the program? This game is not recorded then (y: end, Enter: play on): "


class JoiningPlayers:
    """All people and all "wait" players of one command."""

    def __init__(self, folder: RunFolder, screen: GameScreen) -> None:
        # The director, whose loop reads their sockets, and the schedule; to be set before games are played.
        self.director: Director | None = None
        self.take_backs: TakeBacks | None = None
        self._folder = folder
        self._screen = screen
        self._people: list[HumanPlayer] = []
        self._keyboard: Keyboard | None = None
        # Whether the program asks after Ctrl-C whether to end.
        self._is_leaving = False

    def invited(self, player: Player, name: str) -> Entrant | None:
        """The entrant for `player` if it is a person or "wait", else None."""
        if player.kind is PlayerKind.HUMAN:
            if sys.stdin is None:
                raise BadPlayer("'human' plays from the keyboard, and there is none: stdin is closed")
            return Entrant(name, name, source=HUMAN, invite=partial(self._seat_a_person, name))
        if player.kind is PlayerKind.WAIT:
            return Entrant(name, name, source="wait", invite=partial(self._show_how_to_join, name))
        return None

    def close(self) -> None:
        """Disconnect all people."""
        for person in self._people:
            person.close()

    @contextmanager
    def asking_before_the_end(self) -> Iterator[None]:
        """Inside, Ctrl-C asks a person at a terminal whether to end the program; a second Ctrl-C ends it at once."""
        if self.director is None or not is_interactive():
            yield
            return
        # The question is asked in the director's loop: a signal handler can interrupt a line that is being printed.
        read, write = os.pipe()
        self.director.watch(read, lambda: self._ask_to_end(os.read(read, 1)))

        def interrupted(*_: object) -> None:
            if self._is_leaving or self._keyboard is None:
                raise KeyboardInterrupt
            self._is_leaving = True
            os.write(write, b"!")

        before = signal.signal(signal.SIGINT, interrupted)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            self.director.unwatch(read)
            os.close(read)
            os.close(write)

    def _ask_to_end(self, _: bytes) -> None:
        if self._keyboard is not None:
            self._keyboard.ask_first(self._end_or_go_on)
            self._show_question()

    def _show_question(self, _: int = 0) -> None:
        """Print the question, again below each new board, if it waits for its answer."""
        if self._keyboard is not None and self._keyboard.has_question:
            self._screen.ask(_QUESTION)

    def _end_or_go_on(self, line: str | None) -> None:
        self._screen.answered()
        if line is None or line.strip().lower() in ("y", "yes"):
            raise KeyboardInterrupt
        self._is_leaving = False
        if self.take_backs is not None and self.take_backs.is_held:
            self.ask_for_the_next()
        for person in self._people:
            person.ask()

    def _seat_a_person(self, name: str, address: str, token: str) -> None:
        if self.director is None or self.take_backs is None:
            raise RuntimeError("people are seated by a director")
        if self._keyboard is None:
            self._keyboard = Keyboard(sys.stdin.fileno(), self._screen.read)
            self.director.watch(self._keyboard.descriptor, self._hear_keyboard)
            self._screen.after_each_ply(self._show_question)
        person = HumanPlayer(name, self._keyboard, self._screen, self.take_backs)
        self._people.append(person)
        self._screen.after_each_ply(person.shown)
        self.director.watch(person.sit_down(address, token), person.hear)

    def _hear_keyboard(self) -> None:
        if self._keyboard is not None and self.director is not None and not self._keyboard.read():
            self.director.unwatch(self._keyboard.descriptor)

    def ask_for_the_next(self) -> None:
        """Ask the person whether the next game may begin."""
        if self._keyboard is not None:
            self._screen.ask(_NEXT)
            self._keyboard.ask(self._begin_the_next)

    def _begin_the_next(self, line: str | None) -> None:
        self._screen.answered()
        if line is None:
            raise KeyboardInterrupt
        if self.take_backs is not None:
            self.take_backs.let_go()

    def _show_how_to_join(self, name: str, address: str, token: str) -> None:
        file = self._folder.path / f"{name.replace('#', '-')}.json"
        file.unlink(missing_ok=True)  # an earlier player that was lost left one
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as opened:
            opened.write(json.dumps({"address": address, "token": token}) + "\n")
        self._screen.say(f"waiting for {name}; start your agent in another terminal with")
        self._screen.say_whole(f"python -m agents my_agent.py --connect {file}")
