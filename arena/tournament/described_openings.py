"""The key `openings` of a description: a number of random plies, or a file of openings in one of three forms.

    book.epd, book.fen    a position in each line; in chess as EPD or FEN
    book.pgn              games of chess, of which the first `plies` plies are taken
    any other             moves in each line, separated by spaces

A description names the file, or has a table: `openings = {file = "book.epd", order = "given", start = 41}`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from msgspec import to_builtins
from msgspec.structs import replace

from adsearch import State, games
from adsearch.errors import AdsearchError
from arena.errors import ArenaError, BadLeague
from arena.match import openings, pgn_text
from arena.match.allowance import MEBIBYTE
from arena.match.openings import ListedOpening, Opening
from arena.tournament.description import Table, read_text, shown

KEYS: Final = ("file", "plies", "order", "start")
_CHESS: Final = "chess"
_MOST: Final = 1_000_000
_LARGEST: Final = 256 * MEBIBYTE
"""Bytes of a file."""
_TOLD: Final = 5_000
Tell = Callable[[str], None]


def read(table: Table, folder: Path, game: str, position: str, tell: Tell = lambda _: None) -> int | ListedOpening:
    """The number of random plies after that position, or the openings of a file. `tell`: is told how far a large file
    is checked."""
    given = table.value("openings")
    if given is None:
        return 0
    if isinstance(given, dict):
        own = table.table("openings")
        own.only(KEYS)
        return _listed(own, "file", folder, game, position, tell)
    if isinstance(given, str):
        return _listed(Table({"openings": given}, table.where), "openings", folder, game, position, tell)
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= 1000:
        table.fail(f"expected a whole number from 0 to 1000 or a file's name, got {shown(given)}", "openings")
    try:
        openings.Book(game, given, seed=0, position=position)
    except ArenaError as error:
        table.fail(str(error), "openings")
    return given


def settings(found: int | ListedOpening) -> Any:
    """As it is stored with a tournament: moves one by one, of positions only what tells one file from another."""
    if isinstance(found, int):
        return found
    if is_stored_whole(found):
        return [list(one.moves) for one in found.openings]
    about = to_builtins(found)
    del about["openings"]
    return {**about, "count": len(found.openings)}


def revived(stored: Any) -> Any:
    """As a League has it, from a document; older ones have lists of moves."""
    return {"openings": [{"moves": moves} for moves in stored]} if isinstance(stored, list) else stored


def _listed(table: Table, key: str, folder: Path, game: str, position: str, tell: Tell) -> ListedOpening:
    start = games.start(game, position)
    if start.chance:
        table.fail(f"openings from a file need a game without chance; {game} has chance events", key)
    path = folder / os.path.expanduser(table.text(key))
    order = table.word("order", ("random", "given"), "random")
    plies = table.whole("plies", 0, 1000, 0)
    first = table.whole("start", 1, _MOST, 1)
    try:
        text = read_text(path, "openings", _LARGEST)
        read_lines = _READERS.get(path.suffix.lower(), _moves)
        found = list[Opening]()
        for opening in read_lines(path, text, game, start, plies):
            found.append(opening)
            if len(found) % _TOLD == 0:
                tell(f"{path.name}: {len(found):,} openings checked")
        if not found:
            raise BadLeague(f"{path}: expected openings, {_EXPECTED[read_lines]}; the file has none")
    except BadLeague as error:
        table.fail(str(error), key)
    if position and any(one.position for one in found):
        table.fail("these openings have positions of their own: leave out the position of all games", key)
    listed = ListedOpening(openings=tuple(found), order="given" if order == "given" else "random", start=first)
    return (
        listed if is_stored_whole(listed) else replace(listed, file=path.name, hash=sha256(text.encode()).hexdigest())
    )


def is_stored_whole(found: ListedOpening) -> bool:
    """Whether a tournament's settings have all of them: lists of moves, as older versions wrote them."""
    return (found.order, found.start) == ("random", 1) and not any(one.position for one in found.openings)


def _moves(path: Path, text: str, _game: str, start: State[Any], plies: int) -> Iterator[Opening]:
    """Moves separated by spaces in each line. A "#" starts a comment."""
    for number, line in enumerate(text.splitlines(), 1):
        moves = line.partition("#")[0].split()[: plies or None]
        _refuse_end(f"{path}, line {number}", _after(f"{path}, line {number}", start, moves), "these moves do")
        if moves:
            yield Opening(tuple(moves))


def _positions(path: Path, text: str, game: str, _start: State[Any], _plies: int) -> Iterator[Opening]:
    """A position in each line. In chess what follows the first four or six fields is not read."""
    seen = set[str]()
    for number, line in enumerate(text.splitlines(), 1):
        position = _fen(line) if game == _CHESS else line.strip()
        if not position or line.startswith("#") or position in seen:
            continue
        try:
            state = games.load(game, position)
        except AdsearchError as error:
            raise BadLeague(f"{path}, line {number}: {error}") from None
        _refuse_end(f"{path}, line {number}", state, "it is over here")
        seen.add(position)
        yield Opening((), position)


def _fen(line: str) -> str:
    """The FEN in a line of EPD or FEN: EPD has operations in place of the two counters."""
    fields = line.split()
    counters = fields[4:6] if len(fields) >= 6 and all(map(str.isdigit, fields[4:6])) else ["0", "1"]
    return " ".join([*fields[:4], *counters]) if fields else ""


def _games(path: Path, text: str, game: str, start: State[Any], plies: int) -> Iterator[Opening]:
    """The first plies of the games of a PGN file."""
    if game != _CHESS:
        raise BadLeague(f"{path}: PGN has openings of chess, not of {game}")
    for one in pgn_text.games(text):
        where, fen = f"{path}, game at line {one.line}", one.tags.get("FEN", "")
        try:
            state = games.load(game, fen) if fen else start
        except AdsearchError as error:
            raise BadLeague(f"{where}: {error}") from None
        written = [token.text for token in pgn_text.tokens(one.moves) if not token.is_comment]
        moves: list[str] = []
        played = [text.rstrip("!?") for text in written if text not in pgn_text.RESULTS][: plies or None]
        _refuse_end(where, _after(where, state, played, moves.append), "these moves do; plies = 16 takes the first 16")
        yield Opening(tuple(moves), fen)


_READERS: Final = {".epd": _positions, ".fen": _positions, ".pgn": _games}
_EXPECTED: Final = {
    _moves: "one per line, moves separated by spaces",
    _positions: "a position in each line",
    _games: "games of chess",
}


def _after(where: str, state: State[Any], texts: list[str], note: Callable[[str], None] = lambda _: None) -> State[Any]:
    """The position after these moves; `note` gets each of them as the rules write it."""
    for at, text in enumerate(texts, 1):
        try:
            move = state.from_text(text)
            note(state.to_text(move))
            state = state.play(move)
        except AdsearchError as error:
            raise BadLeague(f"{where}, move {at}: {error}") from None
    return state


def _refuse_end(where: str, state: State[Any], but: str) -> None:
    if state.turn is None:
        raise BadLeague(f"{where}: an opening must not end the game, but {but}")
