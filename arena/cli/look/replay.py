"""`arena replay`: steps through a recorded game, on a terminal with keys, or as a page for a browser.

The boards are computed from the recorded moves by the rules of the game. Hidden information is shown, because the game
is over. The terminal's settings are restored in every case.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

import typer
from rich.text import Text

from adsearch import CHANCE
from arena.cli.asking import recorded_game
from arena.cli.asking.recorded_game import analysed
from arena.cli.terminal.board import board_lines
from arena.cli.terminal.files import write_file
from arena.cli.terminal.game_view import GameView, picture
from arena.cli.terminal.notes import wrapped
from arena.cli.terminal.screen import Screen, is_possible
from arena.errors import ArenaError
from arena.history import words

if TYPE_CHECKING:
    from arena.history.replay import Replay, ReplayStep
    from db.records import PastGame

_SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Moves a second."""
_HELP: Final = (
    ("right, n, enter", "next move"),
    ("left, b", "one move back"),
    ("home, end", "start, end of the game"),
    ("14 and enter", "jump to move 14; g asks for the number"),
    ("m, M", "next, previous mistake; the game is analysed first if need be"),
    ("space", "play, pause"),
    ("+, -", "play faster, slower"),
    ("l", "all that the agents printed, or only the end of it"),
    ("s", "the board from the other side"),
    ("w", "the board in words"),
    ("d", "run the agent again at this move, to debug it"),
    ("?", "this help"),
    ("q", "quit"),
)


def step_through(
    id: str,
    *,
    ply: int | None,
    html: Path | None,
    svg: Path | None,
    animated: bool,
    analyse: bool,
    trust_rules: bool,
    db: str | None,
) -> None:
    """Show a recorded game move by move, with boards, clocks, mistakes and the agents' output."""
    if animated is not (svg is not None):
        raise typer.BadParameter(
            "--svg and --animated belong together; `arena replay ID --show --svg FILE` draws one board"
        )
    from arena.history import replay as steps

    game = recorded_game.read_game(id, db)
    recorded_game.refuse_beyond(game, ply)
    if analyse and not game.analysis:
        game = analysed(game, trust=trust_rules, db=db)
    if html is not None:
        from arena.pages.replay_page import page

        write_file(html, page(game, trust=trust_rules, at=ply).text)
        return
    found = steps.replay(game, trust=trust_rules)
    game = found.game
    if svg is not None:
        _draw(svg, found)
        return
    if found.trouble and not game.moves:
        raise ArenaError(found.trouble)
    if is_possible():
        _on_screen(found, ply or 0, trust=trust_rules, db=db)
        return
    for line in recorded_game.header(game):
        print(line)
    explained = False
    for step in found.steps[ply or 0 :]:
        print("", *_step_lines(game, found, step, explained=explained), sep="\n")
        explained = step.state is None
    print("", *recorded_game.ending(game), sep="\n")


def _draw(file: Path, replay: Replay) -> None:
    """Writes the game as a moving picture."""
    from arena.pages.boards import animated

    positions = [(step.state, step.last) for step in replay.steps if step.state is not None]
    if not positions:
        raise ArenaError(replay.trouble)
    write_file(file, animated(positions, words.printable(" – ".join(replay.game.players))))


# A step as text.


def _step_lines(game: PastGame, replay: Replay, step: ReplayStep, *, explained: bool) -> list[str]:
    """The ply, the board, the clocks, and what the agent reported and printed. `explained`: the reason for missing
    boards has been printed."""
    if step.state is not None:
        board = board_lines(step.state, step.last)
    else:
        board = [] if explained else recorded_game.missing_board(f"no board: {replay.trouble}").splitlines()
    mistake, thinking = ([f"     {text}"] if text else [] for text in (_mistake(game, step), _thinking(step)))
    return [_ply(game, step), *mistake, *board, *_clocks(game, step), *thinking, *_printed(game, replay, step)]


def _ply(game: PastGame, step: ReplayStep) -> str:
    """The ply that led to the position."""
    move = step.move
    if move is None:
        return "start"
    spent = "" if move.spent is None else f"   {words.seconds(move.spent)}"
    mark = step.judged.mark if step.judged is not None else ""
    return f"{move.ply:3}  {words.printable(_who(game, step))} {words.printable(move.move)}{mark}{spent}"


def _mistake(game: PastGame, step: ReplayStep) -> str:
    """What was better, after a mistake; else empty."""
    return "" if step.judged is None else words.mistake(step.judged, game.players)


def _who(game: PastGame, step: ReplayStep) -> str:
    who = step.move.who if step.move else ""
    return game.players[who] if isinstance(who, int) else who


def _clocks(game: PastGame, step: ReplayStep) -> list[str]:
    """The time left of each player."""
    shown = [
        f"{words.printable(name)} {words.seconds(left)}"
        for name, left in zip(game.players, step.left, strict=True)
        if left is not None
    ]
    return [f"     {'   '.join(shown)}"] if shown else []


def _thinking(step: ReplayStep) -> str:
    """What the agent reported about its search; else empty."""
    if step.move is None:
        return ""
    line = f"expects {words.printable(step.move.line)}" if step.move.line else ""
    marks = f"marks {marked}" if (marked := words.marks(step.move.marks)) else ""
    thinking = ", ".join(part for part in (words.thinking(step.move), line, marks) if part)
    return f"says: {thinking}" if thinking else ""


def _printed(game: PastGame, replay: Replay, step: ReplayStep) -> list[str]:
    """What the agent printed before its move; after the last move also the other output of all agents."""
    found = _log(f"{_who(game, step)} printed:", step.printed)
    if step.number == len(game.moves):
        for name, leftover in zip(game.players, replay.leftovers, strict=True):
            found += _log(f"{name} printed {leftover.where}:", leftover.text)
    return found


def _log(heading: str, text: str) -> list[str]:
    if not text.strip():
        return []
    lines = [words.without_store(words.printable(line)) for line in text.strip("\n").splitlines()]
    return [f"     {words.printable(heading)}", *(f"     | {line}" for line in lines)]


# On a terminal.


def view(replay: Replay, viewer: ReplayViewer) -> GameView:
    """The step at which the viewer is, for the screen."""
    game, step = replay.game, replay.steps[viewer.at]
    marks = {ply.ply: ply.mark for ply in game.analysis}
    shown = GameView(
        recorded_game.header(game)[0],
        rules=game.game,
        players=game.players,
        clocks=["" if left is None else words.clock(left) for left in step.left],
        turn=None if step.state is None or step.state.turn == CHANCE else step.state.turn,
        state=step.state,
        last=step.last,
        why_no_board=recorded_game.missing_board(f"no board: {replay.trouble}"),
        plies=[(move.who, words.printable(move.move) + marks.get(move.ply, "")) for move in game.moves],
        at=viewer.at,
        values=_values(game),
        status=[viewer.status()],
        turned=viewer.turned,
        in_words=viewer.in_words,
    )
    ending = recorded_game.ending(game) if viewer.at == len(game.moves) else []
    printed = [line.strip() for line in _printed(game, replay, step)]
    said = (_ply(game, step).strip(), _mistake(game, step), _thinking(step))
    shown.says = [*filter(None, said), *ending]
    shown.said = printed if viewer.logs else printed[-_LAST_PRINTED:]
    shown.explains = viewer.logs
    return shown


_LAST_PRINTED: Final = 4
"""Lines of what the agents printed that are shown unless all are asked for."""


def _values(game: PastGame) -> list[float | None]:
    """For the first seat, the value after each ply: as the analysis found it, or as the players reported it."""
    if len(game.seats) != 2:
        return []
    if game.analysis:
        return [ply.after.values[0] if ply.after.known else None for ply in game.analysis]
    return [None if move.score is None else -move.score if move.who == 1 else move.score for move in game.moves]


@dataclass(slots=True)
class ReplayViewer:
    """The position of the viewer in a game, changed by keys and by the time (in seconds)."""

    last: int
    at: int = 0
    mistakes: Sequence[int] = ()
    """The numbers of the plies that the analysis marked."""
    speed: int = 2
    """Index into _SPEEDS."""
    due: float | None = None
    """Time at which the next move is shown; None while the game does not play automatically."""
    typed: str | None = None
    """The digits of a move number typed so far; None if no number is being typed."""
    helping: bool = False
    passed: Container[int] = ()
    """The numbers of the plies at which a step does not stop."""
    without: str = ""
    """What is said if a mistake is asked for and none is marked."""
    saying: str = ""
    """What is said in the line at the bottom, until the next key."""
    turned: bool = False
    in_words: bool = False
    logs: bool = False
    """Whether all that the agents printed is shown."""
    over: bool = False

    def press(self, key: str, now: float) -> None:
        typed, helping, self.typed, self.helping, self.saying = self.typed, self.helping, None, False, ""
        if helping and key not in ("q", "Q", "quit"):
            return
        match key:
            case "quit" | "q" | "Q":
                self.over = True
            case "?":
                self.helping, self.due = True, None
            case "s":
                self.turned = not self.turned
            case "w":
                self.in_words = not self.in_words
            case "l":
                self.logs = not self.logs
            case " ":
                self.due = None if self.due is not None else self._next_at(now)
                self.at = 0 if self.due is not None and self.at == self.last else self.at
            case "+" | "=" | "-" | "_":
                self.speed += 1 if key in "+=" else -1
                self.speed = min(max(self.speed, 0), len(_SPEEDS) - 1)
                self.due = None if self.due is None else self._next_at(now)
            case "m" | "M" if not self.mistakes:
                self.saying, self.due = self.without, None
            case "m" | "M":
                # After the last mistake the first one comes again.
                later = [ply for ply in self.mistakes if ply > self.at]
                before = [ply for ply in self.mistakes if ply < self.at]
                found = [*later, *self.mistakes][:1] if key == "m" else [*self.mistakes, *before][-1:]
                self._go(found[0])
            case "g":
                self.typed, self.due = "", None
            case _ if key.isdigit():
                self.typed, self.due = f"{typed or ''}{key}"[:6], None
            case "rub out" if typed is not None:
                self.typed = typed[:-1]
            case "enter" if typed:
                self._go(int(typed))
            case _ if typed is None or key != "enter":
                forward, back = self._beside(1), self._beside(-1)
                places = {"home": 0, "end": self.last, "left": back, "up": back, "b": back, "rub out": back}
                places |= dict.fromkeys(("right", "down", "n", "enter"), forward)
                self._go(places.get(key, self.at))

    def pass_time(self, now: float) -> None:
        """Show the next move if its time has come."""
        if self.due is not None and now >= self.due:
            self._go(self._beside(1), self._next_at(now))

    def _beside(self, by: int) -> int:
        """The next step (by 1), or the one before (by -1)."""
        at = self.at + by
        while at in self.passed:
            at += by
        return at

    def _go(self, wanted: int, due: float | None = None) -> None:
        self.at = min(max(wanted, 0), self.last)
        self.due = None if self.at == self.last else due

    def _next_at(self, now: float) -> float:
        return now + 1 / _SPEEDS[self.speed]

    def status(self) -> str:
        """The line at the bottom: the position, then the keys, with the most important ones last."""
        at = f"{self.at}/{self.last}"
        if self.typed is not None:
            return f"{at}   jump to move: {self.typed}_   (enter)"
        if self.saying:
            return f"{at}   {self.saying}   ?: keys   q: quit"
        if self.due is not None:
            speed = f"playing, {_SPEEDS[self.speed]:g} moves a second"
            return f"{at}   {speed}   +: faster   -: slower   space: stop   q: quit"
        return f"{at}   right: next   left: back   m: mistake   space: play   ?: keys   q: quit"


def why_no_mistake(game: PastGame, replay: Replay) -> str:
    """Why no move is marked as a mistake; empty if the game was not analysed yet."""
    start = replay.steps[0].state
    if start is not None and start.hidden:
        return "no mistakes are marked in a game with hidden information"
    return "the analysis found no mistake" if game.analysis else ""


def _viewer(replay: Replay, at: int) -> ReplayViewer:
    game = replay.game
    return ReplayViewer(
        len(game.moves),
        at,
        [ply.ply for ply in game.analysis if ply.mark],
        passed={step.number for step in replay.steps if step.passes},
        without=why_no_mistake(game, replay),
    )


def _on_screen(replay: Replay, at: int, *, trust: bool, db: str | None) -> None:
    """Show steps, controlled by the keys, until the user quits."""
    from arena.cli.look.debug import debug
    from arena.history import replay as steps

    viewer = _viewer(replay, at)
    with Screen() as screen:

        def draw() -> None:
            shown = view(replay, viewer)
            if viewer.helping:
                help = [Text(f"{keys:<18}{does}") for keys, does in _HELP]
                screen.draw([*help, Text(), Text("any key: back to the game")])
            else:
                screen.draw(picture(shown, screen.look, *screen.size).lines)

        def say(text: str) -> None:
            viewer.saying = text
            draw()

        while not viewer.over:
            draw()
            key = screen.key(None if viewer.due is None else max(0.0, viewer.due - monotonic()))
            if key in ("m", "M") and not viewer.mistakes and not viewer.without:
                try:
                    judged = analysed(recorded_game.read_game(replay.game.name, db), trust=trust, db=db, show=say)
                    replay = steps.replay(judged, trust=trust)
                    viewer.without = why_no_mistake(replay.game, replay)
                except (ArenaError, typer.Exit) as error:
                    viewer.without = str(error) if isinstance(error, ArenaError) else "interrupted"
                viewer.mistakes = _viewer(replay, 0).mistakes
            if key == "d" and not viewer.helping:
                with screen.left():
                    try:
                        debug(replay.game.name, turn=viewer.at or None, file=None, trust_rules=trust, db=db)
                    except (ArenaError, typer.Exit) as error:
                        print(wrapped(f"arena: {error}") if isinstance(error, ArenaError) else "")
                    with suppress(EOFError):
                        input("Enter: back to the game ")
            elif key:
                viewer.press(key, monotonic())
            viewer.pass_time(monotonic())
