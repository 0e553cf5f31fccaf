"""Go games as SGF, the format of Go programs: the moves with their clocks, the players, the komi and the result.

Every move is played by the rules of `go`; one that they forbid is an error with its line. Of a file with variations the
main line is read. Handicap stones become an opening in which White passes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from adsearch.errors import BadMove, BadOption, quote
from adsearch.games.go import PASS, Go
from agents.protocol import Verdict
from arena.errors import ArenaError, BadClock
from arena.history import recorded_rules, words
from arena.history.exchange.checks import refuse
from arena.history.exchange.spreadsheet import Reader, paired
from arena.installation import version
from arena.match.clock import SECOND, TimeControl
from arena.match.points import result
from db.records import MoveRecord, PastGame, PastSeat

_COLOURS: Final = "BW"
_TIMES: Final = ("BL", "WL")
_POINTS: Final = "abcdefghijklmnopqrs"
_CAUSES: Final = {Verdict.RESIGNED: "R", Verdict.TIME: "T"}
_VERDICTS: Final = {cause: verdict for verdict, cause in _CAUSES.items()} | {"F": Verdict.FORFEIT}
_TOKEN: Final = re.compile(r"(?:([();])|([A-Za-z]+)|\[([^\]\\]*(?:\\.[^\]\\]*)*)\])\s*", re.DOTALL)
_RESULT: Final = re.compile(
    r"(?P<winner>[BW])\+(?:(?P<cause>[RTF])[a-z]*|(?P<margin>(?:[0-9]{1,9}(?:\.[0-9]*)?)?))", re.IGNORECASE
)
_DRAWS: Final = ("0", "draw", "jigo")
_UNKNOWN: Final = re.compile(r"(\?|void|.*\b(adjourned|unfinished)\b.*)?", re.IGNORECASE)
"""What servers write for a game without a result."""
_OVERTIME: Final = re.compile(r"([0-9]+x[0-9.]+) byo-yomi|([0-9.]+) fischer", re.IGNORECASE)


# Writing.


def text(game: PastGame) -> str:
    """The game as a game tree; ArenaError if it is not a game of Go."""
    if game.game.partition(":")[0] != "go":
        named = quote(words.without_store(game.game))
        raise ArenaError(f"SGF is for games of go, and game {game.name} is {named}; use --format ndjson, pgn or csv")
    state: Any = recorded_rules.start(game, trust=False)
    placed = _placed(state) if game.position else {}
    mistakes = {ply.ply: words.mistake(ply, game.players) for ply in game.analysis}
    nodes = []
    for move in game.moves:
        try:
            played = state.from_text(move.move)
        except BadMove as error:
            raise ArenaError(f"game {game.name}, ply {move.ply}: {error}") from None
        nodes.append(_node(move, state, played, mistakes.get(move.ply, "")))
        state = state.play(played)
    return "\n".join([f"(;{_root(game, state, placed)}", *nodes]) + ")\n\n"


def _root(game: PastGame, end: Go, placed: Mapping[str, str]) -> str:
    black, white = game.players
    # The standard has one clock for both.
    main, overtime = _clock(TimeControl.parse(game.clocks[0])) if len(set(game.clocks)) == 1 else ("", "")
    properties = {
        "FF": "4",
        "GM": "1",
        "CA": "UTF-8",
        "AP": f"arena-referee:{version()}",
        "SZ": str(end.board.size),
        "KM": f"{end.komi:g}",
        "RU": "Chinese",
        "PB": _escaped(black),
        "PW": _escaped(white),
        "GN": _escaped(game.name),
        "RE": _result(game, end),
        "DT": (game.started or "")[:10],
        "EV": _escaped(game.tournament or ""),
        "RO": "" if game.round is None else str(game.round),
        "TM": main,
        "OT": overtime,
        "GC": _escaped(words.printable(game.detail or "")),
        **placed,
    }
    return "".join(f"{name}[{value}]" for name, value in properties.items() if value)


def _placed(start: Go) -> dict[str, str]:
    """The stones of the position from which the game began, and who was to move."""
    size = range(start.board.size)
    placed = {"AB": "", "AW": "", "PL": _COLOURS[start.turn or 0]}
    for property, stone in (("AB", "x"), ("AW", "o")):
        points = [(row, column) for row in size for column in size if start.cell(row, column) == stone]
        placed[property] = "][".join([_POINTS[column] + _POINTS[row] for row, column in points])
    return placed


def _node(move: MoveRecord, state: Go, played: int, mistake: str) -> str:
    seat = state.turn or 0
    point = "" if played == PASS else "".join(_POINTS[at] for at in reversed(divmod(played, state.board.size)))
    left = "" if move.left is None else f"{_TIMES[seat]}[{move.left / SECOND:.3f}]"
    reported = words.thinking(move) + (f", line {move.line}" if move.line else "")
    said = "; ".join(part for part in (reported.removeprefix(", "), mistake) if part)
    return f";{_COLOURS[seat]}[{point}]{left}{f'C[{_escaped(words.printable(said))}]' if said else ''}"


def _result(game: PastGame, end: Go) -> str:
    """The result after rulings."""
    points = game.counted
    if points is None:
        return "Void"
    if points[0] == points[1]:
        return "0"
    winner = _COLOURS[points[0] < points[1]]
    if game.ruling is None and game.verdict == Verdict.NORMAL and end.turn is None:
        return f"{winner}+{abs(end.utilities()[0]):g}"
    if game.ruling is None and game.verdict in (Verdict.NORMAL, Verdict.ADJUDICATED):
        return f"{winner}+"
    cause = _CAUSES.get(Verdict(game.verdict or Verdict.FORFEIT), "F") if game.ruling is None else "F"
    return f"{winner}+{cause}"


def _clock(control: TimeControl) -> tuple[str, str]:
    """The main time and the overtime, as Go servers write them."""
    if not control or control.moves or control.move:
        return "", str(control) if control else ""
    main, _, more = str(control).partition("+")
    return main, f"{more} {'byo-yomi' if control.periods else 'fischer'}" if more else ""


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


# Reading.


class _Ending(NamedTuple):
    """How a game ended; the last two are None without a result."""

    verdict: Verdict
    fault: int | None = None
    points: tuple[float, ...] | None = None
    utilities: tuple[float, ...] | None = None


class _Node(NamedTuple):
    """A node of the main line."""

    line: int
    properties: dict[str, list[str]]

    def get(self, name: str) -> str:
        """The first value of the property on one line; "" if the node does not have it."""
        value = self.properties.get(name, [""])[0]
        unescaped = re.sub(r"\\\r?\n|\\(.)", r"\1", value, flags=re.DOTALL)
        return re.sub(r"\r\n|[\t\n\v\f\r]", " ", unescaped).strip()


def read(text: str, name: str) -> Iterator[tuple[int, PastGame]]:
    """The games of `text`, each with the number of its first line."""
    met: Counter[str] = Counter()
    before: PastGame | None = None
    for count, nodes in enumerate(_main_lines(text, name), 1):
        game, before = paired(_Game(nodes, name).read(count), before, met)
        yield nodes[0].line, game


def _main_lines(text: str, name: str) -> Iterator[list[_Node]]:
    """The nodes of the main line of each game. It ends where the first of its game trees ends."""
    nodes: list[_Node] = []
    values: list[str] | None = None
    depth, in_main_line = 0, False
    at = len(text) - len(text.lstrip())
    line = 1 + text.count("\n", 0, at)
    while at < len(text):
        found = _TOKEN.match(text, at)
        mark, identifier, value = found.groups() if found else ("", "", "")
        # A value has a name before it, and a name has a value after it.
        lost = (values == []) if value is None else (values is None)
        if found is None or lost or (depth == 0 and mark != "("):
            refuse(name, line, f"expected SGF such as (;GM[1]SZ[9];B[ee]), got {quote(text[at : at + 40])}")
        if mark == "(":
            depth += 1
            if depth == 1:
                nodes, in_main_line = [], True
        elif mark == ")":
            depth -= 1
            in_main_line = False
            if depth == 0:
                if not nodes:
                    refuse(name, line, "expected a game such as (;GM[1]SZ[9];B[ee]), got no node (;)")
                yield nodes
        elif mark == ";" and in_main_line:
            nodes.append(_Node(line, {}))
        # In old files a name can have lower-case letters, which mean nothing.
        values = None if mark else values if value is not None else []
        if identifier and in_main_line and nodes:
            short = "".join(letter for letter in identifier if letter.isupper())
            values = nodes[-1].properties.setdefault(short, [])
        if value is not None and values is not None:
            values.append(value)
        line += found[0].count("\n")
        at = found.end()
    if depth:
        refuse(name, line, "expected ) at the end of the game")


class _Game(Reader):
    """A game that is being read."""

    def __init__(self, nodes: list[_Node], name: str) -> None:
        super().__init__(name, nodes[0].line)
        self._nodes = nodes
        self._root = nodes[0]
        self._moves: list[MoveRecord] = []
        self._rules, self._state = self._start()

    def read(self, count: int) -> PastGame:
        """The game, the `count`-th of its file."""
        stones: list[int] = []
        for node in self._nodes:
            self._at = node.line
            stones += self._handicap(node)
            for seat, colour in enumerate(_COLOURS):
                if colour in node.properties:
                    if not any(isinstance(move.who, int) for move in self._moves):
                        self._place(stones, seat)
                    self._play(self._point(node.get(colour)), seat, node)
        if stones and not self._moves:
            self._place(stones, 1)
        self._at = self._root.line
        date = self._root.get("DT")[:10]
        verdict, fault, points, utilities = self._ended()
        return PastGame(
            id=0,
            tournament=PurePath(self._name).stem,
            number=count,
            round=int(found[0]) if (found := re.match(r"[0-9]{1,9}", self._root.get("RO"))) else None,
            pair="",
            game=self._rules,
            clock=self._clock(),
            opening=" ".join(move.move for move in self._moves if move.who == "opening") or None,
            status="void" if points is None else "finished",
            verdict=verdict,
            fault=fault,
            detail=f"the result in the file is {self._root.get('RE')}" if verdict is Verdict.ADJUDICATED else None,
            plies=len(self._moves),
            started=f"{date}T00:00:00Z" if re.fullmatch(r"\d{4}-\d\d-\d\d", date) else None,
            seats=tuple(
                PastSeat(
                    seat=seat,
                    player=player,
                    points=points[seat] if points else None,
                    utility=utilities[seat] if utilities else None,
                )
                for seat, player in enumerate((self._root.get("PB") or "Black", self._root.get("PW") or "White"))
            ),
            moves=tuple(self._moves),
        )

    def _start(self) -> tuple[str, Go]:
        """The game and its start position. The default size of SGF is 19, the default komi 0."""
        if (kind := self._root.get("GM") or "1") != "1":
            self._refuse(f"expected a game of Go (GM[1]), got GM[{kind}]")
        given = {"size": self._root.get("SZ") or "19", "komi": self._root.get("KM") or "0"}
        try:
            options: dict[str, Any] = {option.name: option.read(given[option.name]) for option in Go.options}
        except BadOption as error:
            self._refuse(str(error))
        changed = [f"{one.name}={options[one.name]}" for one in Go.options if options[one.name] != one.default]
        return f"go:{','.join(changed)}" if changed else "go", Go.start(**options)

    def _handicap(self, node: _Node) -> list[int]:
        """The points of the black stones that the node puts on the board before the first move."""
        if {"AW", "AE"} & node.properties.keys() or ("AB" in node.properties and self._moves):
            self._refuse("expected moves and, before them, black handicap stones only (AB)")
        found = []
        for value in node.properties.get("AB", []):
            first, _, last = value.partition(":")
            corners = self._point(first), self._point(last or first)
            if PASS in corners:
                self._refuse(f"expected the point of a handicap stone, got {quote(value)}")
            (top, left), (bottom, right) = (divmod(corner, self._size) for corner in corners)
            found += [row * self._size + column for row in range(top, bottom + 1) for column in range(left, right + 1)]
        return found

    def _place(self, stones: list[int], seat: int) -> None:
        """Plays the opening after which `seat` is to move: the handicap stones, with a pass of White after each."""
        for number, stone in enumerate(stones):
            if number:
                self._play(PASS, "opening")
            self._play(stone, "opening")
        if self._state.turn != seat:
            self._play(PASS, "opening")

    def _play(self, move: int, who: int | str, node: _Node | None = None) -> None:
        state = self._state
        if state.turn is None:
            if move == PASS:
                return  # by some rules a third pass ends the game
            self._refuse("expected no move after two passes")
        if who not in ("opening", state.turn):
            self._refuse(f"expected a move of {_COLOURS[state.turn]}, got two moves of {_COLOURS[1 - state.turn]}")
        text = state.to_text(move)
        try:
            state.from_text(text)
        except BadMove as error:
            self._refuse(f"move {len(self._moves) + 1}: {error}")
        left = said = None
        if node is not None:
            left = self._time(node.get(_TIMES[state.turn]))
            said = node.get("C") or None
        self._moves.append(MoveRecord(len(self._moves) + 1, who, text, left=left, text=said))
        self._state = state.play(move)

    def _point(self, value: str) -> int:
        """The move or the point that the value names."""
        size = self._size
        if value in ("", "tt"):  # old files write a pass as tt
            return PASS
        places = [_POINTS.find(letter) for letter in value.strip()]
        if len(places) != 2 or not all(0 <= place < size for place in places):
            last = _POINTS[size - 1]
            self._refuse(f"expected a point from aa to {last}{last}, or nothing for a pass, got {quote(value)}")
        column, row = places
        return row * size + column

    def _ended(self) -> _Ending:
        """The result in the file. It is NORMAL only if two passes ended the game and the rules give the same result:
        players and other rules can agree that stones are dead."""
        text, state = self._root.get("RE"), self._state
        found = _RESULT.fullmatch(text)
        draw, unknown = text.lower() in _DRAWS, bool(_UNKNOWN.fullmatch(text))
        if not (found or draw or unknown):
            self._refuse(f"RE: expected a result such as B+3.5, W+R, 0 or Void, got {quote(text)}")
        if state.turn is None and text.lower() != "void":
            utilities, points = result(state, Verdict.NORMAL, None)
            if unknown or _agree(found, state.utilities()[0]):
                return _Ending(Verdict.NORMAL, None, points, utilities)
        if found is None:
            return _Ending(Verdict.VOID) if unknown else _Ending(Verdict.ADJUDICATED, None, (0.5, 0.5))
        loser = 1 - _COLOURS.index(found["winner"].upper())
        verdict = _VERDICTS.get((found["cause"] or "").upper(), Verdict.ADJUDICATED)
        if not self._moves if verdict is Verdict.FORFEIT else verdict in _CAUSES and state.turn == loser:
            utilities, points = result(state, verdict, loser)
            return _Ending(verdict, loser, points, utilities)
        return _Ending(Verdict.ADJUDICATED, None, (float(loser == 1), float(loser == 0)))

    def _clock(self) -> str:
        """The time control as text; "none" if the file's is of another kind."""
        main, more = self._root.get("TM"), self._root.get("OT")
        if found := _OVERTIME.fullmatch(more):
            more = f"{main or 0}+{found[1] or found[2]}"
        try:
            return str(TimeControl.parse(more or main or "none"))
        except BadClock:
            return "none"

    def _time(self, text: str) -> int | None:
        if not text:
            return None
        if not re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]*)?", text):
            self._refuse(f"expected the seconds that are left, got {quote(text)}")
        return int(Decimal(text) * SECOND)

    @property
    def _size(self) -> int:
        return self._state.board.size


def _agree(found: re.Match[str] | None, ahead: float) -> bool:
    """Whether the result in the file (None: a draw) is that of a game in which Black is `ahead` by this."""
    if found is None:
        return ahead == 0.0
    margin = found["margin"]
    right = ahead != 0.0 and (ahead > 0.0) == (found["winner"].upper() == "B")
    return right and not found["cause"] and (not margin or float(margin) == abs(ahead))
