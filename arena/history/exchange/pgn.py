"""Games as PGN: games of chess as other programs read them, all others in a format like it.

A file of chess has the standard tags, ours after them, and its moves as `chess_openings` writes them. In other games
each ply has a line, with who moved, its times and what was reported; times are exact, in seconds. Texts in tags and
comments are JSON strings, so that no name or move can break a line. Stderr and memory are not included.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from adsearch.errors import AdsearchError, quote
from agents.protocol import Verdict
from arena.history.documents import NUMBERS, TEXTS
from arena.history.exchange import chess_openings
from arena.history.exchange.checks import refuse
from arena.history.exchange.spreadsheet import Reader, by_seat, result, seat_name
from arena.match.clock import SECOND, TimeControl
from db.records import MAX_INTEGER, MoveRecord, PastGame, PastRuling, PastSeat, moment_of

_TEXTS: Final = {"Event" if name == "tournament" else name.capitalize(): name for name in TEXTS}
_NUMBERS: Final = {name.capitalize(): name for name in (*NUMBERS, "lag")}
_TIMES: Final = {"emt": "spent", "clk": "left", "cpu": "cpu", "delay": "delay", "lag": "lag"}
_COUNTS: Final = {"depth": "depth", "nodes": "nodes", "log": "log"}
_SAID: Final = {"pv": "line", "text": "text"}

_COLOURS: Final = ("White", "Black")
_UNKNOWN: Final = "?"
_TERMINATIONS: Final[dict[str, str]] = {
    Verdict.TIME: "time forfeit",
    Verdict.ADJUDICATED: "adjudication",
    Verdict.VOID: "unterminated",
    Verdict.FORFEIT: "abandoned",
    **dict.fromkeys((Verdict.ILLEGAL, Verdict.GARBAGE, Verdict.FLOODED, Verdict.MEMORY), "rules infraction"),
    **dict.fromkeys((Verdict.CRASHED, Verdict.UNREADY), "emergency"),
}
"""What the standard calls the verdicts; all others are "normal"."""

_STRING = r'"(?:[^"\\]|\\.)*"'
_TAG: Final = re.compile(rf"\[(\w+) ({_STRING})\]\s*")
_MOVE: Final = re.compile(rf'(\d{{1,18}})\. ([^\s"]\S*?|{_STRING})(?: \{{(.*)\}})?\s*')
_COMMENT: Final = re.compile(rf"\s*\[%(\w+) ({_STRING}|[^\]\s]+)\]")
_BARE: Final = re.compile(r'[^\s"{}\\]+')


# Writing.


def text(game: PastGame, *, event: str = "", site: str = "") -> str:
    """The game with its tags and moves. `event`, `site`: what these tags of a game of chess say, if not the tournament
    and nothing."""
    scored = result(game.points)
    moves = chess_openings.written(game, scored)
    tags = _tags(game) if moves is None else _chess_tags(game, event=event, site=site)
    return "\n".join([*tags, "", *(moves or [*map(_ply, game.moves), scored]), "", ""])


def _chess_tags(game: PastGame, *, event: str, site: str) -> Iterator[str]:
    """The seven tags that each PGN file has, more of the standard, those that programs which test engines write, and
    ours."""
    day = game.started or game.finished or ""
    standard = {
        "Event": event or game.tournament or _UNKNOWN,
        "Site": site or _UNKNOWN,
        "Date": day[:10].replace("-", ".") or "????.??.??",
        "Round": _UNKNOWN if game.round is None else str(game.round),
        **dict(zip(_COLOURS, game.players, strict=True)),
        "Result": result(game.points),
        "Termination": _TERMINATIONS.get(game.verdict or "", "normal"),
        "PlyCount": str(len(game.moves)),
    }
    clocks = [_time_control(TimeControl.parse(clock)) for clock in game.clocks]
    if clocks[0] == clocks[1]:
        standard["TimeControl"] = clocks[0]
    else:
        standard |= {f"{colour}TimeControl": clock for colour, clock in zip(_COLOURS, clocks, strict=True)}
    started, finished = moment_of(game.started or ""), moment_of(game.finished or "")
    if started is not None and finished is not None:
        minutes, seconds = divmod(round((finished - started).total_seconds()), 60)
        standard["GameDuration"] = f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
    if (opening := chess_openings.name(game.position, [move.move for move in game.moves])) is not None:
        standard |= dict(zip(("ECO", "Opening"), opening, strict=True))
    if game.position:
        standard |= {"SetUp": "1", "FEN": " ".join(game.position.split()[:6])}
    if event:
        standard["Tournament"] = game.tournament or _UNKNOWN
    if game.opening:
        standard["OpeningMoves"] = game.opening  # in other games the tag Opening, which here is a name
    yield from (_tag(tag, value) for tag, value in standard.items())
    others = {_tag_name(seat.seat) for seat in game.seats} | standard.keys() | {"Opening"}
    yield from (tag for tag in _tags(game) if tag[1:].partition(" ")[0] not in others)


def _time_control(control: TimeControl) -> str:
    """As PGN writes it."""
    if control.move:
        return f"{str(control).removeprefix('move=')}/move"
    return str(control) if control else "-"


def _tags(game: PastGame) -> Iterator[str]:
    for tag, name in (*_TEXTS.items(), *_NUMBERS.items()):
        if (value := getattr(game, name)) is not None:
            yield _tag(tag, str(value))
    for seat in game.seats:
        yield _tag(_tag_name(seat.seat), seat.player)
    yield _tag("Result", result(game.points))
    for tag, values in (
        ("Utilities", [seat.utility for seat in game.seats]),
        ("Versions", [seat.version for seat in game.seats]),
        ("Outdated", [None if seat.current else 1 for seat in game.seats]),
        ("Anchors", [seat.anchor for seat in game.seats]),
        ("Spent", [_seconds(seat.spent) for seat in game.seats]),
        ("Longest", [_seconds(seat.longest) for seat in game.seats]),
        ("Clocks", [seat.clock for seat in game.seats]),
        ("Adsearch", [seat.adsearch for seat in game.seats]),
    ):
        if text := by_seat(values):
            yield _tag(tag, text)
    if game.counts is not None:
        yield _tag("Counts", str(int(game.counts)))
    for ruling in game.rulings:
        fields = [ruling.what, ruling.seat, ruling.reason, ruling.when, ruling.id, ruling.revokes]
        yield _tag("Ruling", json.dumps(fields))


def _tag_name(seat: int) -> str:
    return seat_name(seat).capitalize()


def _tag(name: str, value: str) -> str:
    return f'[{name} "{"".join(map(_escaped, value))}"]'


def _escaped(letter: str) -> str:
    """A letter inside a JSON string; all that are printable stay readable."""
    return letter if letter.isprintable() and letter not in '\\"' else json.dumps(letter)[1:-1]


def _ply(move: MoveRecord) -> str:
    tags = [f"[%who {move.who}]"]
    tags += [f"[%{tag} {_seconds(time)}]" for tag, name in _TIMES.items() if (time := getattr(move, name)) is not None]
    if move.score is not None:
        tags.append(f"[%eval {move.score!r}]")
    tags += [f"[%{tag} {count}]" for tag, name in _COUNTS.items() if (count := getattr(move, name)) is not None]
    tags += [f"[%{tag} {json.dumps(said)}]" for tag, name in _SAID.items() if (said := getattr(move, name)) is not None]
    played = move.move if _BARE.fullmatch(move.move) and move.move.isprintable() else json.dumps(move.move)
    return f"{move.ply}. {played} {{{' '.join(tags)}}}"


def _seconds(time: int | None) -> str | None:
    """Nanoseconds as seconds, exactly, without trailing zeros."""
    return None if time is None else format(Decimal(time).scaleb(-9).normalize(), "f")


# Reading.


def read(text: str, name: str) -> Iterator[tuple[int, PastGame]]:
    """The games of `text`, each with the number of its first line."""
    game: _Game | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if line.startswith("[") and not line.startswith("[%"):  # the second: inside a comment of a chess program
            if game is None or game.moving:
                if game is not None:
                    yield game.line, game.read()
                game = _Game(name, number)
            game.add_tag(line, number)
        elif game is None:
            refuse(name, number, f'expected a tag such as [First "alice"], got {quote(line)}')
        else:
            game.add_move(line, number)
    if game is not None:
        yield game.line, game.read()


class _Game(Reader):
    """A game that is being read, line by line."""

    def __init__(self, name: str, line: int) -> None:
        super().__init__(name, line)
        self.line = line
        # Whether a line after the tags has been read.
        self.moving = False
        self._tags: dict[str, str] = {}
        self._rulings: list[PastRuling] = []
        self._moves: list[MoveRecord] = []
        # The lines after the tags of a game of chess.
        self._chess: list[str] = []

    def add_tag(self, line: str, number: int) -> None:
        self._at = number
        found = _TAG.fullmatch(line)
        if found is None:
            self._refuse(f'expected a tag such as [First "alice"], got {quote(line)}')
        tag, value = found[1], self._string(found[2])
        if tag == "Ruling":
            self._rulings.append(self._ruling(value))
        elif tag in self._tags:
            self._refuse(f"expected each tag once, got {tag} twice")
        else:
            self._tags[tag] = value

    def add_move(self, line: str, number: int) -> None:
        """Reads a line with a move, or with the result at the end."""
        self._at, self.moving = number, True
        if _COLOURS[0] in self._tags:
            self._chess.append(line)
            return
        found = _MOVE.fullmatch(line)
        if found is None:
            if line.strip() != self._tags.get("Result"):
                self._refuse(f"expected a move such as 1. d1 {{[%who 0]}}, or the result, got {quote(line)}")
            return
        fields: dict[str, Any] = {
            "ply": int(found[1]),
            "move": self._string(found[2]) if found[2].startswith('"') else found[2],
        }
        comment, at = found[3] or "", 0
        while at < len(comment):
            part = _COMMENT.match(comment, at)
            if part is None:
                self._refuse(f"expected comments such as [%emt 0.1], got {quote(comment[at:])}")
            fields |= self._fields(part[1], part[2])
            at = part.end()
        if "who" not in fields:
            self._refuse("expected who moved: [%who 0], chance or opening")
        self._moves.append(MoveRecord(**fields))

    def read(self) -> PastGame:
        """The game, when all its lines have been read."""
        self._at = self.line
        if self._chess:
            self._read_standard_tags()
        texts = {name: self._tags.get(tag) for tag, name in _TEXTS.items()}
        for needed in ("game", "pair"):
            if texts[needed] is None:
                foreign = "; `arena results rank --from FILE` reads the files of other programs" if self._chess else ""
                self._refuse(f"expected a tag {needed.capitalize()}, as `arena data export` writes it{foreign}")
        texts["position"] = texts["position"] or (self._tags.get("FEN") if self._chess else None)
        texts |= {"clock": texts["clock"] or "none", "status": texts["status"] or "finished"}
        numbers = {name: self._whole(self._tags[tag], tag) for tag, name in _NUMBERS.items() if tag in self._tags}
        numbers |= {name: 0 for name in ("number",) if name not in numbers}
        return PastGame(
            id=0,
            seats=tuple(self._seats()),
            moves=self._chess_moves(texts["position"]) if self._chess else tuple(self._moves),
            rulings=tuple(self._rulings),
            counts=None if (counts := self._tags.get("Counts")) is None else bool(self._whole(counts, "Counts")),
            **texts,  # type: ignore[arg-type]
            **numbers,  # type: ignore[arg-type]
        )

    def _read_standard_tags(self) -> None:
        """Gives the tags of a game of chess the names that they have in other games."""
        if (tournament := self._tags.get("Tournament")) is not None:
            self._tags["Event"] = tournament
        if "ECO" in self._tags:
            self._tags.pop("Opening", None)
        if (moves := self._tags.get("OpeningMoves")) is not None:  # earlier versions wrote them into Opening
            self._tags["Opening"] = moves
        for tag in ("Event", "Round"):
            if self._tags.get(tag) == _UNKNOWN:
                del self._tags[tag]
        for seat, colour in enumerate(_COLOURS):
            if colour in self._tags:
                self._tags[_tag_name(seat)] = self._tags.pop(colour)

    def _chess_moves(self, position: str | None) -> tuple[MoveRecord, ...]:
        try:
            return chess_openings.read(self._chess, position)
        except AdsearchError as error:
            self._refuse(str(error))

    def _seats(self) -> Iterator[PastSeat]:
        players: list[str] = []
        while (player := self._tags.get(_tag_name(len(players)))) is not None:
            players.append(player)
        if not players:
            self._refuse('expected players: [First "alice"] and so on')
        scored = self._scored(self._tags.get("Result", "*"), len(players))
        utilities, versions, outdated, anchors, spent, longest, clocks, forms = (
            self._of_seats(tag, self._tags.get(tag, ""), len(players))
            for tag in ("Utilities", "Versions", "Outdated", "Anchors", "Spent", "Longest", "Clocks", "Adsearch")
        )
        for seat, player in enumerate(players):
            yield PastSeat(
                seat=seat,
                player=player,
                version=None if (version := versions[seat]) is None else self._whole(version, "Versions"),
                current=outdated[seat] is None,
                anchor=None if (anchor := anchors[seat]) is None else self._float(anchor),
                points=scored[seat] if scored else None,
                utility=None if (utility := utilities[seat]) is None else self._float(utility),
                spent=self._time(spent[seat]),
                longest=self._time(longest[seat]),
                clock=clocks[seat],
                adsearch=forms[seat],  # type: ignore[arg-type]  # checked with the whole game
            )

    def _fields(self, tag: str, value: str) -> dict[str, Any]:
        """The fields that a comment sets; empty for an unknown comment."""
        if tag == "who":
            return {"who": int(value) if value.isascii() and value.isdigit() and len(value) < 10 else value}
        if tag == "eval":
            return {"score": self._float(value)}
        if tag in _TIMES:
            return {_TIMES[tag]: self._time(value)}
        if tag in _COUNTS:
            return {_COUNTS[tag]: self._whole(value, tag)}
        if tag in _SAID:
            return {_SAID[tag]: self._string(value)}
        return {}

    def _ruling(self, text: str) -> PastRuling:
        try:
            what, seat, reason, when, *numbers = json.loads(text)
            id, revokes = numbers or (0, None)  # earlier versions did not write these two
        except (ValueError, TypeError, RecursionError):
            what = seat = reason = when = id = revokes = None
        if not (isinstance(what, str) and isinstance(reason, str) and isinstance(when, str)):
            self._refuse(f"expected a ruling [what, seat, reason, when], got {quote(text)}")
        if not (seat is None or isinstance(seat, int)):
            self._refuse(f"expected a ruling about a seat, got {quote(text)}")
        if not (isinstance(id, int) and isinstance(revokes, int | None)):
            self._refuse(f"expected numbers of rulings, got {quote(text)}")
        return PastRuling(what, seat, reason, when, id, revokes)

    def _string(self, text: str) -> str:
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if not isinstance(found, str):
            self._refuse(f"expected a string in quotes, got {quote(text)}")
        return found

    def _whole(self, text: str, what: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,99}", text) or (what != "Seed" and abs(int(text)) > MAX_INTEGER):
            self._refuse(f"{what}: expected a whole number, got {quote(text)}")
        return int(text)

    def _float(self, text: str) -> float:
        try:
            return float(text)
        except ValueError:
            self._refuse(f"expected a number, got {quote(text)}")

    def _time(self, text: str | None) -> int | None:
        if text is None:
            return None
        try:
            time = Decimal(text) * SECOND
        except ArithmeticError:
            self._refuse(f"expected seconds, got {quote(text)}")
        if not time.is_finite() or abs(time) > MAX_INTEGER:
            self._refuse(f"expected seconds, got {quote(text)}")
        return int(time)
