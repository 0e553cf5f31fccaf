"""One game on the whole screen: the board, the players with their clocks at its edges, and beside it the moves, the
value and what the players say. `arena play`, `replay`, `run` and `ladder watch` show this picture.

It draws nothing itself: `picture` gives the lines for a screen of any size.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape
from math import ceil
from typing import Any, Final

from rich.style import Style
from rich.text import Text

from adsearch import State
from adsearch.games.grid import Cell
from adsearch.pictures import boards
from adsearch.pictures.boards.paper import colour_of
from adsearch.state import Looks
from arena.cli.terminal.board import BoardMarks, BoardText, Look, board, board_lines
from arena.cli.terminal.notes import APART, shortened, side_by_side, wrap_lines
from arena.history import words
from arena.play.followed_game import HIDDEN, FollowedGame

_PANEL: Final = 26
"""Columns of the part beside the board, at least."""
_WIDEST_PANEL: Final = 64
_WIDEST_MOVE: Final = 22
_LOW: Final = 12
"""Rows of a screen from which on the status stands below a prompt."""
_EDGE: Final = 24
"""Columns of a player's line, at least."""
_BARS: Final = " ▁▂▃▄▅▆▇█"
_PLAIN_BARS: Final = " .:-=+*#%@"


@dataclass(slots=True)
class GameView:
    """What is shown of a game."""

    title: str
    rules: str = ""
    players: Sequence[str] = ()
    clocks: Sequence[str] = ()
    """What each seat's clock shows; empty without clocks."""
    turn: int | None = None
    """The seat that is to move."""
    state: State[Any] | None = None
    last: Any = None
    why_no_board: str = ""
    plies: Sequence[tuple[int | str, str]] = ()
    """Who made each ply so far, and the move as people write it, with its mark."""
    at: int | None = None
    """How many of the plies led to the position; None: all."""
    values: Sequence[float | None] = ()
    """What is said of the position after each ply, from the view of the first seat: above 0 is good for it."""
    says: Sequence[str] = ()
    """About the position; what there is no room for is left out at the end."""
    said: Sequence[str] = ()
    """What was said or printed, the newest last; what there is no room for is left out at the beginning."""
    explains: bool = False
    """Whether what was said matters more than the moves."""
    prompt: str = ""
    """What is asked and typed, above the status; its end is always shown."""
    status: Sequence[str] = ()
    """The lines at the bottom."""
    marks: BoardMarks = field(default_factory=BoardMarks)
    turned: bool = False
    in_words: bool = False
    """Whether the board is described instead of drawn."""

    @property
    def looks(self) -> Looks:
        """How the game's players are shown."""
        return Looks() if self.state is None else self.state.looks


@dataclass(frozen=True, slots=True)
class GamePicture:
    """The lines of the screen, and the board in them."""

    lines: list[Text]
    board: BoardText
    top: int
    """The line on which the board begins."""

    def cell(self, x: int, y: int) -> Cell | None:
        """The cell of the board at this place of the screen, if there is one."""
        return self.board.cell(x, y - self.top)


def picture(view: GameView, look: Look, columns: int, rows: int) -> GamePicture:
    """The game on a screen of that size."""
    status = [line for text in view.status for line in side_by_side(text.split(APART), width=columns)]
    status = status[-max(1, rows // 4) :]
    if view.prompt:
        status = [view.prompt[-columns:], *(status if rows > _LOW else [])]
    high = rows - 1 - len(status)
    above, below = _seats(view)
    room = (columns - _PANEL - 2 if columns >= _EDGE + _PANEL + 2 else columns, high - len(above) - len(below))
    drawn = _board(view, look, room)
    wide = max([_EDGE, *(line.cell_len for line in drawn.lines)])
    beside = columns - wide - 2
    if beside < _PANEL:  # no room beside it: the last words stand below
        wide, beside = min(columns, max(wide, _EDGE)), 0
    edge = min(wide, columns)
    players: list[Text] = []
    if beside and len(drawn.lines) + len(above) + len(below) > high:  # a tall board: the players stand beside it
        players = [_player(view, seat, look, min(beside, _WIDEST_PANEL)) for seat in (*above, *below)]
        above, below = [], []
    body = [*[_player(view, seat, look, edge) for seat in above], *drawn.lines]
    body = _cut(body, max(0, high - len(below))) + [_player(view, seat, look, edge) for seat in below]
    if beside:
        panel = [*players, *_panel(view, look, min(beside, _WIDEST_PANEL), high - len(players))]
        body += [Text()] * (len(panel) - len(body))
        body = [
            _padded(line, wide + 2) + part for line, part in zip(body, [*panel, *[Text()] * len(body)], strict=False)
        ]
    else:
        free = max(0, high - len(body))
        body += [Text(line) for line in _last_words(view, columns)[-free:]] if free else []
    lines = [Text(view.title, Style(bold=True)), *body[:high]]
    lines += [Text()] * (rows - len(status) - len(lines))
    lines += map(Text, status)
    for line in lines:
        line.truncate(columns, overflow="ellipsis")
    return GamePicture(lines, drawn, 1 + len(above))


def _cut(lines: list[Text], most: int) -> list[Text]:
    """At most `most` of the lines; the last one says that there are more."""
    more = len(lines) - most
    return (
        lines
        if more <= 0
        else [*lines[:most][:-1], Text(f"... {more + 1} more lines: they need a larger window")][:most]
    )


def _padded(line: Text, width: int) -> Text:
    line = line.copy()
    line.append(" " * max(0, width - line.cell_len))
    return line


def _seats(view: GameView) -> tuple[list[int], list[int]]:
    """The seats whose players stand above the board, and those below it."""
    seats = list(range(len(view.players)))
    upper = boards.above(view.state) if view.state is not None else None
    first = seats[1::2] if upper in (None, 1) else seats[0::2]
    if len(seats) > 2:
        first = seats[1 : 1 + len(seats) // 2]
    second = [seat for seat in seats if seat not in first]
    is_turned = view.turned and view.state is not None and boards.can_turn(view.state)
    return (second, first) if is_turned and len(seats) == 2 else (first, second)


def _board(view: GameView, look: Look, room: tuple[int, int]) -> BoardText:
    if view.state is None and not view.why_no_board:
        return BoardText([])
    if view.state is None:
        return BoardText(
            [Text(line, Style(dim=True)) for line in wrap_lines(view.why_no_board, width=max(_EDGE, room[0]))]
        )
    if view.in_words:
        return BoardText(
            [Text(line) for line in wrap_lines(described(view.state, view.last), width=max(_EDGE, room[0]))]
        )
    turned = view.turned and boards.can_turn(view.state)
    return board(view.state, view.last, look, room=room, marks=view.marks, turned=turned)


def described(state: State[Any], last: Any) -> str:
    """The board in sentences, as a screen reader reads them."""
    try:
        found = re.search(r"<desc[^>]*>(.*?)</desc>", state.svg(last), re.DOTALL)
    except Exception:  # user-supplied rules may raise anything
        found = None
    return words.printable(unescape(found[1])) if found else words.printable(state.position())


def _player(view: GameView, seat: int, look: Look, width: int) -> Text:
    """A player's line: its colour, its name, and its clock at the right; the one to move is marked."""
    looks = view.looks
    letter = looks.pieces[seat][:1] if seat < len(looks.pieces) else str(seat)
    clock = view.clocks[seat] if view.clocks else ""
    moves = view.turn == seat
    name = shortened(words.printable(view.players[seat]), max(4, width - 6 - len(clock)))
    line = Text.assemble((f" {letter} ", look.tile(colour_of(view.looks, seat))), ("> " if moves else "  "))
    line.append(name, Style(bold=moves))
    line.append(" " * max(1, width - line.cell_len - len(clock)))
    return line.append(clock, Style(bold=moves, reverse=moves and bool(clock)))


def _panel(view: GameView, look: Look, width: int, high: int) -> list[Text]:
    """What stands beside the board: the moves, the value, and what the players say."""
    value = _value(view, look, width)
    says, said = (_wrapped(texts, width) for texts in (view.says, view.said))
    room = high - len(value) - bool(value)
    most = max(0, room - 2 if view.explains else max(room // 3, room - 1 - ceil(len(view.plies) / 2)))
    says = says[:most]
    says += said[max(0, len(said) - (most - len(says))) :] if len(says) < most else []
    moves = _moves(view, width, room - len(says) - bool(says))
    parts = [part for part in (moves, value, [Text(line) for line in says]) if part]
    return [line for n, part in enumerate(parts) for line in ([Text()] * bool(n) + part)]


def _wrapped(texts: Sequence[str], width: int) -> list[str]:
    return [line for text in texts for line in wrap_lines(words.printable(text), width=width, more="  ")]


def _moves(view: GameView, width: int, high: int) -> list[Text]:
    """The moves in two columns; on a page of them, so that few lines change with a move."""
    if high < 1 or not view.plies:
        return []
    first = view.state is not None and view.looks.two_plies_a_number
    deals = any(who == "chance" for who, _ in view.plies) and view.state is not None and view.state.hidden
    at = len(view.plies) if view.at is None else view.at
    found = words.lines(view.plies, view.rules, deals=deals)
    now = len(words.lines(view.plies[:at], view.rules, deals=deals)) - 1
    half = min(width // 2, _WIDEST_MOVE)
    entries = [
        Text(f"{'' if first and line.number.endswith('...') else line.number:>5} {line.moves}") for line in found
    ]
    for entry in entries:
        entry.truncate(half - 1, overflow="ellipsis")
    if 0 <= now < len(entries):
        entries[now].stylize(Style(reverse=True))
    rows = [
        _padded(entries[n], half) + (entries[n + 1] if n + 1 < len(entries) else Text())
        for n in range(0, len(entries), 2)
    ]
    step = max(1, high // 2)
    start = max(0, (max(0, now) // 2 - high + step) // step * step)
    return rows[start : start + high]


def _value(view: GameView, look: Look, width: int) -> list[Text]:
    """The value as a bar and as a curve over the game; nothing if none is known."""
    known = [value for value in view.values if value is not None]
    at = len(view.values) if view.at is None else view.at
    if not known or width < 20:
        return []
    most = max([1.0, *map(abs, known)])
    now = next((value for value in reversed(view.values[:at]) if value is not None), None)
    lines = []
    if now is not None:
        said = f"value {now:+.3g} "
        room = width - len(said) - 2
        share = round(room * (now / most + 1) / 2)
        mine, theirs = (look.tile(colour_of(view.looks, seat)) for seat in (0, 1))
        full, empty = (" ", " ") if look.colours is not None else ("#", ".")
        lines.append(Text.assemble(said, "[", (full * share, mine), (empty * (room - share), theirs), "]"))
    signs = _BARS if look.signs else _PLAIN_BARS
    shown = list(view.values)
    if len(shown) > width:
        shown = [shown[n * len(shown) // width] for n in range(width)]
    levels = [round((value / most + 1) / 2 * (len(signs) - 2)) + 1 if value is not None else 0 for value in shown]
    curve = Text("".join(signs[level] for level in levels))
    place = min(len(shown) - 1, max(0, (at - 1) * len(shown) // len(view.values)))
    if at:
        curve.stylize(Style(reverse=True), place, place + 1)
    return [*lines, curve]


def _last_words(view: GameView, width: int) -> list[str]:
    """The last move and what was said, where there is no room beside the board."""
    at = len(view.plies) if view.at is None else view.at
    found = words.lines(view.plies[:at], view.rules, deals=False)[-1:]
    moves = [
        f"{line.number} {view.players[line.who] if isinstance(line.who, int) else line.who} {line.moves}"
        for line in found
    ]
    return [
        line for text in (*moves, *view.says, *view.said) for line in wrap_lines(words.printable(text), width=width)
    ]


# One game in progress for a terminal, computed from the messages of its director: as a view, or as lines of text.


_HIDDEN: Final = "the rules hide moves from players, so the board is shown only by arena replay, after the game"
_LAST: Final = 10
"""Number of last moves that are listed if there is no board."""


class FollowedView(FollowedGame):
    """The game that is followed now."""

    def __init__(self, name: str, before: FollowedView | None = None) -> None:
        """`name`: the game as it is called on the screen, such as "game 12". `before`: the one that was followed before
        it, from the same side."""
        super().__init__()
        self.name = name
        self._turned: bool = before is not None and before._turned
        self._in_words: bool = before is not None and before._in_words

    def press(self, key: str) -> None:
        """Show the board from the other side, or in words, if this is the key for it."""
        self._turned ^= key == "s"
        self._in_words ^= key == "w"

    def header(self) -> str:
        """The game, its players and its clock."""
        if self.game is None:
            return self.name
        game, players = self.game, " - ".join(self.game.players)
        return words.printable(
            f"{self.name}   {words.without_store(game.rules)}   {players}   {words.clocks(game.clocks)}"
        )

    def ply(self) -> str:
        """The last move."""
        if not self.plies:
            return "waiting for the players" if self.since is None else "start"
        last = self.plies[-1]
        spent = "" if last.spent is None else f"   {words.seconds(last.spent)}"
        return words.printable(f"{last.ply:3}  {self.who(last)} {self.texts[-1]}{spent}")

    def board(self) -> list[str]:
        """The board; without one the reason and the last moves."""
        if self.state is not None and self.game is not None:
            return board_lines(self.state, self.last)
        trouble = _HIDDEN if self.has_hidden_move else self.trouble
        if not trouble:
            return []
        moves = [f"{self.who(ply)} {ply.move or HIDDEN}" for ply in self.plies[-_LAST:]]
        return [words.printable(line) for line in (f"(no board: {trouble})", ", ".join(moves))]

    def ending(self) -> list[str]:
        """How the game ended."""
        if self.is_not_live:
            return ["this game is not being played any more"]
        if self.end is None or self.game is None:
            return []
        ending = words.live_ending(self.end.verdict, self.end.points, self.game.players)
        return [words.printable(ending), f"arena replay {self.end.game} shows every move"]

    def view(self, now: int) -> GameView:
        """The game at `now` (time.monotonic_ns), for the screen."""
        if self.game is None:
            return GameView(self.name, why_no_board="waiting for the players")
        trouble = _HIDDEN if self.has_hidden_move else self.trouble
        last = [] if self.plies and self.turn is not None else [self.ply()]
        return GameView(
            self.header(),
            rules=self.game.rules,
            players=self.game.players,
            clocks=["" if left is None else words.clock(left) for left in self.left_at(now)],
            turn=self.turn,
            state=self.state,
            last=self.last,
            why_no_board=f"(no board: {trouble})",
            plies=[(ply.who, words.printable(text)) for ply, text in zip(self.plies, self.texts, strict=True)],
            says=[*last, *self.ending()],
            turned=self._turned,
            in_words=self._in_words,
        )
