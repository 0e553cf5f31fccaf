"""Games on a terminal while they are played: boards, clocks, what players report of their search, verdicts.

This module only shows games. If a person plays a game with hidden information, only that person's view is shown.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from adsearch import CHANCE, State, games
from adsearch.pictures import boards
from agents.protocol import Verdict
from arena.cli.asking import recorded_game
from arena.cli.asking.game_options import NO_CLOCK, SLOW
from arena.cli.terminal.board import board_lines
from arena.history import words
from arena.match.clock import at_first
from arena.match.schedule import MOST_ATTEMPTS, Began, Event, Finished, Planned, Ply
from arena.play.director import Director
from arena.student.matrix import by_player, mean_text

_MOST_LOG: Final = 12
"""Number of stderr lines printed of an agent that lost by a fault."""


class GameScreen:
    """Prints games to the terminal while they are played."""

    def __init__(self, *, quiet: bool, people: Sequence[str] = (), on_stderr: bool = False) -> None:
        """`people` are the names of players who type their moves at this terminal."""
        self._console = Console(stderr=on_stderr, highlight=False)
        # Whether the last line is a prompt, which has no line end yet.
        self._prompting = False
        self._quiet = quiet
        self._people = people
        self._state: State[Any] | None = None
        # What the board marks as last, and the chance events in a row that are not printed yet.
        self._last: Any = None
        self._events: list[str] = []
        self._left: dict[int, int | None] = {}
        self._hidden_from: list[int] | None = None
        self._watchers: list[Callable[[int], None]] = []
        # After a move was taken back: the first plies of the next game, of which only the last board is shown.
        self._known_plies: int | None = None
        # Whether it was said why a move can take long.
        self._explained = False

    def read(self) -> bytes | None:
        """What was typed: b"" at the end of input; None if no line is complete yet."""
        return os.read(sys.stdin.fileno(), 4096)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Inside, games are shown."""
        yield

    @contextmanager
    def following(self, director: Director) -> Iterator[None]:  # noqa: ARG002
        """Inside, the screen is shown in the loop of this director."""
        yield

    def after_each_ply(self, plies_shown: Callable[[int], None]) -> None:
        """Call `plies_shown` after each ply, with the number of plies on the screen."""
        self._watchers.append(plies_shown)

    def go_back(self, plies: int) -> None:
        """A move was taken back: of the next game's first `plies` plies show only the position after them."""
        self._known_plies = plies
        self.say(f"back to the position after {words.plies(plies)}" if plies else "back to the start")

    def say(self, text: str, end: str = "\n") -> None:
        """Print a message, wrapped."""
        for line in text.split("\n"):
            self._print(Text(line), end=end)
        self._prompting = not end

    def ask(self, question: str) -> None:
        """Ask what comes before any move."""
        self.say(question, end="")

    def say_whole(self, command: str) -> None:
        """Print a command to copy: indented, on one line of any length."""
        self._print(Text(f"  {command}"), wrapped=False)

    def answered(self) -> None:
        """Note that the prompt's line has been ended by the person's input."""
        self._prompting = False

    def _print(self, text: Text, end: str = "\n", *, more: str = "  ", wrapped: bool = True) -> None:
        """Print a line. On a terminal a `wrapped` line is broken to its width, with `more` before each further line."""
        if self._prompting:
            self._prompting = False
            self._console.print()
        width = self._console.width
        if wrapped and self._console.is_terminal and text.cell_len > width:
            lines = text.wrap(self._console, width - len(more))
            for line in lines:
                line.rstrip()
            text = Text(f"\n{more}").join(lines)
        self._console.print(text, end=end, soft_wrap=True)

    def show(self, event: Event) -> None:
        match event:
            case Began():
                if not self._quiet:
                    self._show_beginning(event.game)
            case Ply():
                if not self._quiet:
                    self._show_ply(event)
            case Finished():
                self._show_end(event)

    def show_score(self, finished: Sequence[Finished]) -> None:
        """Print what each player got in all games: points, or alone in a game the games won; and in games with more
        results than 1, 0 and -1 the mean score."""
        seats = [seat for event in finished for seat in event.record.seats]
        played = f"{sum(not _comes_again(event) for event in finished)} games"
        found = by_player([event.record for event in finished])
        if len(seats) == len(finished):
            self.say(f"{played}, won: " + "   ".join(f"{name} {score.won}" for name, score in found.items()))
        else:
            points = {name: sum(seat.points or 0.0 for seat in seats if seat.player == name) for name in found}
            self.say(f"{played}, points: " + "   ".join(f"{name} {words.number(got)}" for name, got in points.items()))
        if {seat.utility for seat in seats} - {None, 1.0, 0.0, -1.0}:
            means = [f"{name} {mean_text(score.mean)}" for name, score in found.items() if score.mean is not None]
            self.say("mean score: " + "   ".join(means))

    def _begin(self, game: Planned) -> None:
        """Note that a game begins."""
        self._state = games.start(game.rules, game.position)
        here = [seat for seat, entrant in enumerate(game.entrants) if entrant.name in self._people]
        self._hidden_from = here if self._state.hidden and here else None
        self._last, self._events = None, []
        clocks = [game.conditions.time_of(entrant.name).clock for entrant in game.entrants]
        self._left = {seat: at_first(clock) for seat, clock in enumerate(clocks)}

    def _play(self, event: Ply) -> str:
        """Note a ply; returns the move as the people here see it."""
        move = event.move
        state = self._state
        if state is None:
            return ""
        played = state.from_text(move.move)
        text = state.view_move(self._hidden_from[0], played) if self._hidden_from else state.shown(played)
        self._state = state.play(played)
        # A move that is not seen as it is must not be marked either.
        is_seen = self._hidden_from is None or text == state.to_text(played)
        self._last = boards.last_mark(self._state, move.who, played if is_seen else None, self._last)
        if isinstance(move.who, int):
            self._left[move.who] = move.left
        return text

    def _show_beginning(self, game: Planned) -> None:
        self._begin(game)
        if self._known_plies is not None:
            self._show_known(game, 0)
            return
        clocks = [game.conditions.time_of(entrant.name).clock for entrant in game.entrants]
        names = " - ".join(entrant.name for entrant in game.entrants)
        self._print(Text(f"{game.game}   {names}   {words.clocks(clocks)}"), more="   ")
        self._draw(game)
        self._call_watchers(0)

    def _show_ply(self, event: Ply) -> None:
        game, move = event.game, event.move
        text, state = self._play(event), self._state
        if state is None:
            return
        if self._known_plies is not None:
            self._show_known(game, move.ply)
            return
        number = f"{move.ply:3}"
        if move.who == "chance":
            self._events.append(text)
            if state.turn == CHANCE and state.hidden:  # dealt in a row: one line, and one board after it
                self._call_watchers(move.ply)
                return
            if len(self._events) > 1:
                number = f"{move.ply - len(self._events) + 1:3}–{move.ply}"
            text = " ".join(self._events)
            self._events.clear()
        line = Text(f"{number}  ")
        if isinstance(move.who, int):
            name = game.entrants[move.who].name
            line.append(name).append(f" {words.printable(text)}", "bold")
            line.append(f"   {words.seconds(move.spent)}", "dim")
            if not self._hidden_from and (thinking := words.thinking(move)):
                line.append(f"   {thinking}", "dim")
        else:
            line.append(f"{move.who} {words.printable(text)}")
        self._print(line, more="     ")
        self._explain(event)
        if state.turn != CHANCE:
            self._draw(game)
            if game.conditions.clock != "none":
                self._print(self._clocks(game), more="     ")
        self._call_watchers(move.ply)

    def _explain(self, event: Ply) -> None:
        """Say once why a move can take long."""
        conditions, move = event.game.conditions, event.move
        is_slow = isinstance(move.who, int) and move.spent is not None and move.spent > SLOW
        if not is_slow or conditions.clock != "none" or self._explained:
            return
        if event.game.entrants[int(move.who)].name not in self._people:
            self._explained = True
            self.say(f"     {NO_CLOCK}")

    def _show_known(self, game: Planned, plies: int) -> None:
        """Draw the board once the position is reached to which a move was taken back."""
        if plies == self._known_plies:
            self._known_plies = None
            self._draw(game)
            self._call_watchers(plies)

    def _clocks(self, game: Planned) -> Text:
        line = Text("     ")
        for seat, entrant in enumerate(game.entrants):
            line.append("   " if seat else "").append(entrant.name)
            line.append(f" {words.seconds(self._left[seat])}")
        return line

    def _draw(self, game: Planned) -> None:
        state = self._seen(game)
        if state is None:
            return
        for line in board_lines(state, self._last):
            self._print(Text.from_ansi(line), wrapped=False)

    def _seen(self, game: Planned) -> State[Any] | None:
        """The position as it is shown: in a game with hidden information, what the person here sees of it."""
        if self._state is None or not self._hidden_from:
            return self._state
        return games.load(game.rules, self._state.view(self._hidden_from[0]))

    def _show_end(self, event: Finished) -> None:
        game, record = event.game, event.record
        names = " - ".join(entrant.name for entrant in game.entrants)
        result = words.result([seat.points for seat in record.seats])
        spent = ", ".join(f"{seat.player} {words.seconds(seat.spent)}" for seat in record.seats)
        line = Text(f"{game.number}  {names}  ").append(result, "bold")
        played = f", played again ({game.attempt} of {MOST_ATTEMPTS})" if _comes_again(event) else ""
        line.append(f"  {words.verdict(record)}{played}  {words.plies(len(record.moves))}")
        whole = line.copy().append(f"  ({spent})")
        if self._console.is_terminal and whole.cell_len > self._console.width:
            self._print(line, more="   ")
            self._print(Text(f"   ({spent})"), more="   ")
        else:
            self._print(whole)
        detail = "" if record.verdict == Verdict.NORMAL else words.without_store(record.detail)
        if detail:
            self._print(Text(f"   {words.printable(detail)}", "dim"), more="   ")
        if record.fault is not None and (stderr := record.seats[record.fault].stderr):
            busy = recorded_game.busy(record.verdict, record.fault, record.seats)
            lines = list(map(words.printable, busy or words.without_store(stderr).splitlines()))
            for written in [line for line in lines if line not in detail][-_MOST_LOG:]:
                self._print(Text(f"   | {written}", "dim"), more="   |   ")

    def _call_watchers(self, plies: int) -> None:
        for watcher in self._watchers:
            watcher(plies)


def _comes_again(event: Finished) -> bool:
    """Whether the game is void and will be played again."""
    return event.record.verdict == Verdict.VOID and event.game.attempt < MOST_ATTEMPTS
