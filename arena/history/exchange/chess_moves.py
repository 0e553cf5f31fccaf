"""The moves of a chess game as standard PGN: "1. e4 {[%clk 0:09:58]} 1... e5", in lines of at most 80 characters.

Every program that reads PGN reads them. Comments have the value that the player reported (in pawns, for White) with its
depth, the clock, the time spent, and the nodes, in all and a second. A move of the opening has the comment "opening"; a
mistake that the analysis found has its sign.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from math import copysign
from typing import Any, Final

from adsearch import games
from adsearch.errors import AdsearchError
from adsearch.games.chess_worth import pawns_of_value, value_of_pawns
from arena.match.clock import SECOND
from arena.match.pgn_text import RESULTS, tokens
from db.records import Mark, MoveRecord, PastGame

_CHESS: Final = "chess"
_COLUMNS: Final = 80
_OPENING: Final = "opening"
_SIGNS: Final = {Mark.MISTAKE: "$2", Mark.BLUNDER: "$4"}
_MOST_PAWNS: Final = 99.99
"""What stands for a won or a lost game."""
_TIMES: Final = {"clk": "left", "emt": "spent"}
_TIME: Final = re.compile(r"\[%(clk|emt) (\d{1,6}):(\d{1,2}):(\d{1,2}(?:\.\d{1,9})?)\]")
_MATE: Final = re.compile(r"mate (-?\d{1,4})\b")
_SELDEPTH: Final = re.compile(r"\bseldepth (\d{1,4})\b")
_NODES: Final = re.compile(r"\[%nodes (\d{1,18})\]")
_EVAL: Final = re.compile(r"\[%eval (#?)([+-]?\d{1,4}(?:\.\d{1,4})?)(?:,(\d{1,4}))?\]")


# Writing.


def written(game: PastGame, result: str) -> list[str] | None:
    """The lines of the moves and the result; None if it is not a game of chess, or not a legal one."""
    if game.game != _CHESS or len(game.seats) != 2:
        return None
    marks = {ply.ply: _SIGNS[ply.mark] for ply in game.analysis if ply.mark in _SIGNS}
    words: list[str] = []
    number = ""
    try:
        state: Any = games.start(_CHESS, game.position)
        for record in game.moves:
            move = state.from_text(record.move)
            if state.turn == 0:
                number = f"{state.number}. "
            elif not words:
                number = f"{state.number}... "
            words.append(f"{number}{state.shown(move)}")
            after = [*filter(None, (marks.get(record.ply), _comment(record)))]
            words += after
            number = f"{state.number}... " if after else ""
            state = state.play(move)
    except AdsearchError:
        return None
    words.append(result if result in RESULTS else "*")
    return _wrapped(words)


def _wrapped(words: Sequence[str]) -> list[str]:
    """The words in lines; a comment is one of them, so that no line starts with "[" as a tag does."""
    lines = [""]
    for word in words:
        if len(lines[-1]) + 1 + len(word) > _COLUMNS:
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return lines


def _comment(record: MoveRecord) -> str:
    """The comment of a move; empty without one."""
    parts = [_OPENING] * (record.who == _OPENING)
    if record.score is not None and isinstance(record.who, int):
        depth = "" if record.depth is None else f",{record.depth}"
        parts.append(f"[%eval {_for_white(record.score, record.who, record.text or '')}{depth}]")
    parts += [f"[%{tag} {_clock(time)}]" for tag, name in _TIMES.items() if (time := getattr(record, name)) is not None]
    if record.nodes is not None:
        parts.append(f"[%nodes {record.nodes}]")
        if record.spent:
            parts.append(f"[%nps {record.nodes * SECOND // record.spent}]")
    if deepest := _SELDEPTH.search(record.text or ""):
        parts.append(f"[%seldepth {deepest[1]}]")
    return f"{{{' '.join(parts)}}}" if parts else ""


def _for_white(score: float, seat: int, text: str) -> str:
    """What `seat` reported, in pawns for White; or the number of moves to mate, if its `text` is "mate 3"."""
    sign = -1 if seat else 1
    if mate := _MATE.match(text):
        return f"#{sign * int(mate[1])}"
    pawns = pawns_of_value(score) if abs(score) < 1.0 else copysign(_MOST_PAWNS, score)
    return f"{sign * max(-_MOST_PAWNS, min(_MOST_PAWNS, round(pawns, 2))) + 0.0:.2f}"


def _clock(time: int) -> str:
    """A time as h:mm:ss, with milliseconds if there are any."""
    minutes, milliseconds = divmod(time * 1000 // SECOND, 60_000)
    seconds = format(Decimal(milliseconds) / 1000, "f")
    whole, _, rest = seconds.partition(".")
    return f"{minutes // 60}:{minutes % 60:02d}:{whole:0>2}" + f".{rest.rstrip('0')}" * bool(rest.strip("0"))


# Reading.


def read(lines: Sequence[str], position: str | None) -> tuple[MoveRecord, ...]:
    """The moves of these lines, from that position or the usual one; BadMove if one is not legal, BadPosition if the
    position is none."""
    state: Any = games.start(_CHESS, position)
    found = list[dict[str, Any]]()
    for text, is_comment in tokens("\n".join(lines)):
        if is_comment:
            if found:
                found[-1] |= _fields(" ".join(text.split()), 1 - state.side)
        elif text not in RESULTS:
            move = state.from_text(text.rstrip("!?"))
            found.append({"ply": len(found) + 1, "who": state.turn, "move": state.to_text(move)})
            state = state.play(move)
    return tuple(MoveRecord(**fields) for fields in found)


def _fields(comment: str, seat: int) -> dict[str, Any]:
    """The fields of a move of this seat that its comment has."""
    fields: dict[str, Any] = {}
    for tag, hours, minutes, seconds in _TIME.findall(comment):
        fields[_TIMES[tag]] = int((int(hours) * 3600 + int(minutes) * 60 + Decimal(seconds)) * SECOND)
    if value := _EVAL.search(comment):
        number = -float(value[2]) if seat else float(value[2])
        fields["score"] = copysign(1.0, number) if value[1] else value_of_pawns(number)
        if value[3]:
            fields["depth"] = int(value[3])
    if nodes := _NODES.search(comment):
        fields["nodes"] = int(nodes[1])
    if _OPENING in comment.split():
        fields["who"] = _OPENING
    return fields
