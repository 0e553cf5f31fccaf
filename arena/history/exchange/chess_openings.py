"""What the PGN of a chess game has beside its tags: the name of the opening with its code (ECO), and the moves in
standard notation, with comments. An opening is found by its positions, so that other orders of the moves lead to the
same name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from math import copysign
from typing import Any, Final

from adsearch import games
from adsearch.errors import AdsearchError
from adsearch.games.chess_rules import pawns_of_value, value_of_pawns
from arena.match.clock import SECOND
from arena.match.pgn_text import RESULTS, tokens
from db.records import Mark, MoveRecord, PastGame

_TABLE: Final = """
A00 Polish Opening: b4
A01 Nimzo-Larsen Attack: b3
A02 Bird's Opening: f4
A04 Reti Opening: Nf3
A07 King's Indian Attack: Nf3 d5 g3
A09 Reti Opening: Nf3 d5 c4
A10 English Opening: c4
A15 English Opening: c4 Nf6
A20 English Opening, King's English: c4 e5
A30 English Opening, Symmetrical: c4 c5
A40 Queen's Pawn Game: d4
A43 Old Benoni: d4 c5
A45 Indian Game: d4 Nf6
A45 Trompowsky Attack: d4 Nf6 Bg5
A46 Indian Game: d4 Nf6 Nf3
A48 London System: d4 Nf6 Nf3 g6 Bf4
A50 Indian Game: d4 Nf6 c4
A51 Budapest Gambit: d4 Nf6 c4 e5
A56 Benoni Defence: d4 Nf6 c4 c5
A57 Benko Gambit: d4 Nf6 c4 c5 d5 b5
A60 Modern Benoni: d4 Nf6 c4 c5 d5 e6
A80 Dutch Defence: d4 f5
B00 King's Pawn Game: e4
B00 Nimzowitsch Defence: e4 Nc6
B01 Scandinavian Defence: e4 d5
B02 Alekhine's Defence: e4 Nf6
B06 Modern Defence: e4 g6
B07 Pirc Defence: e4 d6 d4 Nf6
B10 Caro-Kann Defence: e4 c6
B12 Caro-Kann Defence, Advance: e4 c6 d4 d5 e5
B13 Caro-Kann Defence, Exchange: e4 c6 d4 d5 exd5 cxd5
B18 Caro-Kann Defence, Classical: e4 c6 d4 d5 Nc3 dxe4 Nxe4 Bf5
B20 Sicilian Defence: e4 c5
B22 Sicilian Defence, Alapin: e4 c5 c3
B23 Sicilian Defence, Closed: e4 c5 Nc3
B27 Sicilian Defence: e4 c5 Nf3
B30 Sicilian Defence, Old: e4 c5 Nf3 Nc6
B31 Sicilian Defence, Rossolimo: e4 c5 Nf3 Nc6 Bb5 g6
B33 Sicilian Defence, Sveshnikov: e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5
B40 Sicilian Defence, French: e4 c5 Nf3 e6
B41 Sicilian Defence, Kan: e4 c5 Nf3 e6 d4 cxd4 Nxd4 a6
B44 Sicilian Defence, Taimanov: e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6
B50 Sicilian Defence: e4 c5 Nf3 d6
B54 Sicilian Defence, Open: e4 c5 Nf3 d6 d4 cxd4 Nxd4
B56 Sicilian Defence, Classical: e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 Nc6
B70 Sicilian Defence, Dragon: e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6
B80 Sicilian Defence, Scheveningen: e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 e6
B90 Sicilian Defence, Najdorf: e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6
C00 French Defence: e4 e6
C01 French Defence, Exchange: e4 e6 d4 d5 exd5
C02 French Defence, Advance: e4 e6 d4 d5 e5
C03 French Defence, Tarrasch: e4 e6 d4 d5 Nd2
C11 French Defence, Classical: e4 e6 d4 d5 Nc3 Nf6
C15 French Defence, Winawer: e4 e6 d4 d5 Nc3 Bb4
C20 Open Game: e4 e5
C21 Danish Gambit: e4 e5 d4 exd4 c3
C22 Centre Game: e4 e5 d4 exd4 Qxd4
C23 Bishop's Opening: e4 e5 Bc4
C25 Vienna Game: e4 e5 Nc3
C30 King's Gambit: e4 e5 f4
C33 King's Gambit Accepted: e4 e5 f4 exf4
C40 King's Knight Opening: e4 e5 Nf3
C41 Philidor Defence: e4 e5 Nf3 d6
C42 Petrov's Defence: e4 e5 Nf3 Nf6
C44 King's Knight Opening: e4 e5 Nf3 Nc6
C45 Scotch Game: e4 e5 Nf3 Nc6 d4 exd4 Nxd4
C46 Three Knights Opening: e4 e5 Nf3 Nc6 Nc3
C47 Four Knights Game: e4 e5 Nf3 Nc6 Nc3 Nf6
C50 Italian Game: e4 e5 Nf3 Nc6 Bc4
C51 Evans Gambit: e4 e5 Nf3 Nc6 Bc4 Bc5 b4
C53 Giuoco Piano: e4 e5 Nf3 Nc6 Bc4 Bc5 c3
C55 Two Knights Defence: e4 e5 Nf3 Nc6 Bc4 Nf6
C60 Ruy Lopez: e4 e5 Nf3 Nc6 Bb5
C65 Ruy Lopez, Berlin: e4 e5 Nf3 Nc6 Bb5 Nf6
C68 Ruy Lopez, Exchange: e4 e5 Nf3 Nc6 Bb5 a6 Bxc6
C70 Ruy Lopez, Morphy: e4 e5 Nf3 Nc6 Bb5 a6 Ba4
C80 Ruy Lopez, Open: e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Nxe4
C84 Ruy Lopez, Closed: e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7
C89 Ruy Lopez, Marshall: e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 O-O c3 d5
D00 Queen's Pawn Game: d4 d5
D02 London System: d4 d5 Nf3 Nf6 Bf4
D04 Colle System: d4 d5 Nf3 Nf6 e3
D06 Queen's Gambit: d4 d5 c4
D08 Albin Countergambit: d4 d5 c4 e5
D10 Slav Defence: d4 d5 c4 c6
D20 Queen's Gambit Accepted: d4 d5 c4 dxc4
D30 Queen's Gambit Declined: d4 d5 c4 e6
D32 Tarrasch Defence: d4 d5 c4 e6 Nc3 c5
D35 Queen's Gambit Declined, Exchange: d4 d5 c4 e6 Nc3 Nf6 cxd5
D37 Queen's Gambit Declined: d4 d5 c4 e6 Nc3 Nf6 Nf3
D43 Semi-Slav Defence: d4 d5 c4 e6 Nc3 Nf6 Nf3 c6
D70 Neo-Gruenfeld Defence: d4 Nf6 c4 g6 g3 d5
D80 Gruenfeld Defence: d4 Nf6 c4 g6 Nc3 d5
E00 Catalan Opening: d4 Nf6 c4 e6 g3
E10 Indian Game: d4 Nf6 c4 e6 Nf3
E11 Bogo-Indian Defence: d4 Nf6 c4 e6 Nf3 Bb4
E12 Queen's Indian Defence: d4 Nf6 c4 e6 Nf3 b6
E20 Nimzo-Indian Defence: d4 Nf6 c4 e6 Nc3 Bb4
E32 Nimzo-Indian Defence, Classical: d4 Nf6 c4 e6 Nc3 Bb4 Qc2
E60 King's Indian Defence: d4 Nf6 c4 g6
E70 King's Indian Defence: d4 Nf6 c4 g6 Nc3 Bg7 e4
E80 King's Indian Defence, Saemisch: d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f3
E90 King's Indian Defence, Classical: d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3
"""
_MOST_PLIES: Final = 20
"""Longer openings are not in the table."""


def name(position: str | None, moves: Sequence[str]) -> tuple[str, str] | None:
    """The code and the name of the opening of the game with these moves, from that position or the usual one: that of
    the last position that the table has; None without one."""
    state: Any = games.start("chess", position)
    found = _known().get(_key(state))
    for move in moves[:_MOST_PLIES]:
        state = state.play(state.from_text(move))
        found = _known().get(_key(state), found)
    return found


@cache
def _known() -> dict[str, tuple[str, str]]:
    """The openings by their positions."""
    found = {}
    for line in _TABLE.strip().splitlines():
        title, _, moves = line.rpartition(": ")
        state: Any = games.start("chess")
        for move in moves.split():
            state = state.play(state.from_text(move))
        code, _, name = title.partition(" ")
        found[_key(state)] = code, name
    return found


def _key(state: Any) -> str:
    """The pieces, who is to move, and who can castle; without the field of a capture in passing, which is written in
    different ways."""
    return " ".join(state.position().split()[:3])


# The moves of a chess game as standard PGN: "1. e4 {[%clk 0:09:58]} 1... e5", in lines of at most 80 characters.


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
