"""Checks of imported games, for all file formats.

A game that passes can be stored, shown and counted like a game that was played here. A game that fails is a BadImport
with the file, the line, what was expected and what came.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Final, NoReturn, get_args

from msgspec.structs import replace

from adsearch.errors import quote
from adsearch.form import Form
from agents.protocol import Verdict
from arena.errors import ArenaError, BadImport
from arena.match.clock import TimeControl
from db.games import OVER
from db.records import MAX_INTEGER, PastGame, instant, moment_of

VERDICTS: Final = tuple(verdict.value for verdict in Verdict)
_MOST_SEED: Final = 2**256
_DEEPEST_HOST: Final = 20
"""Most levels of nesting in `host`. JSON that is nested deeper could be read but perhaps not written again."""


def refuse(name: str, line: int, why: str) -> NoReturn:
    """Raises BadImport for that line of the file."""
    raise BadImport(f"{name}, line {line}: {why}")


def whole_file(found: Iterable[tuple[int, PastGame]], name: str, *, tournament: str | None) -> list[PastGame]:
    """All games of a file, after checks of each game and of all games together."""
    games: list[PastGame] = []
    seen: dict[tuple[str | None, str, int, int], int] = {}
    tournaments = set()
    for line, game in found:
        tournaments.add(game.tournament)
        if tournament is not None:
            if len(tournaments) > 1:
                refuse(name, line, "expected games of one tournament only; import the file without --tournament")
            game = replace(game, tournament=tournament)
        if why := wrong(game):
            refuse(name, line, why)
        game = replace(game, started=_in_utc(game.started), finished=_in_utc(game.finished))
        identity = (game.tournament, game.pair, game.leg, game.attempt)
        if game.tournament is not None and seen.setdefault(identity, line) != line:
            refuse(name, line, f"the same game as in line {seen[identity]}")
        games.append(game)
    if not games:
        raise BadImport(f"{name}: expected games, got none")
    return games


def wrong(game: PastGame) -> str | None:
    """What is wrong with the game; None if nothing."""
    seats = len(game.seats)
    if not seats:
        return "expected players, got none"
    if [seat.seat for seat in game.seats] != list(range(seats)):
        return f"expected the seats 0 to {seats - 1} in order, got {[seat.seat for seat in game.seats]}"
    if game.status not in OVER:
        return f"expected a game that is {' or '.join(OVER)}, got {quote(game.status)}"
    if game.verdict not in VERDICTS:
        return f"expected a verdict ({', '.join(VERDICTS)}), got {quote(str(game.verdict))}"
    if (game.status == "void") != (game.verdict == Verdict.VOID):
        return f"expected status and verdict both void or neither, got {game.status} and {game.verdict}"
    if (game.status == "void") != (game.points is None) or (game.points is None and _any_points(game)):
        return "expected points for every seat, or for no seat if the game is void"
    if any(not 0.0 <= points <= 1.0 for points in game.points or []):
        return f"expected points from 0 to 1, got {game.points}"
    if game.fault is not None and not 0 <= game.fault < seats:
        return f"expected a seat from 0 to {seats - 1} at fault, got {game.fault}"
    if not 0 <= game.seed < _MOST_SEED:
        return f"expected a seed of 0 or more, got {game.seed}"
    if _nested_deeper(game.host, _DEEPEST_HOST):
        return f"host: expected values nested at most {_DEEPEST_HOST} deep"
    try:
        for clock in {game.clock, *game.clocks}:
            TimeControl.parse(clock)
    except ArenaError as error:
        return str(error)
    if unknown := [seat.adsearch for seat in game.seats if seat.adsearch not in (None, *get_args(Form))]:
        return f"adsearch: expected {' or '.join(get_args(Form))}, got {quote(unknown[0])}"
    return wrong_moment(game) or _wrong_numbers(game) or _wrong_moves(game) or _wrong_rulings(game)


def _nested_deeper(value: object, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return inner is not None and (levels == 0 or any(_nested_deeper(one, levels - 1) for one in inner))


def wrong_moment(game: PastGame) -> str | None:
    """What is wrong with the times of the game's start and end; None if nothing."""
    for what, text in (("started", game.started), ("finished", game.finished)):
        if text is not None and moment_of(text) is None:
            return f"{what}: expected a time with a time zone, such as 2026-05-01T18:30:00Z, got {quote(text)}"
    return None


def _in_utc(text: str | None) -> str | None:
    """The time in UTC, as in the whole database, so that texts sort by time."""
    moment = None if text is None else moment_of(text)
    return text if moment is None else instant(moment)


def _any_points(game: PastGame) -> bool:
    return any(seat.points is not None for seat in game.seats)


def _wrong_numbers(game: PastGame) -> str | None:
    for what, number, least in (("number", game.number, 0), ("leg", game.leg, 0), ("attempt", game.attempt, 1)):
        if not least <= number <= MAX_INTEGER:
            return f"expected a {what} of {least} or more, got {number}"
    for seat in game.seats:
        for what, value in (("utilities", seat.utility), ("anchors", seat.anchor)):
            if value is not None and not isfinite(value):
                return f"expected finite {what}, got {value}"
    return None


def _wrong_moves(game: PastGame) -> str | None:
    for number, move in enumerate(game.moves, 1):
        if move.ply != number:
            return f"expected ply {number}, got ply {move.ply}"
        if move.who not in ("chance", "opening") and not (
            isinstance(move.who, int) and 0 <= move.who < len(game.seats)
        ):
            return f"ply {number}: expected a seat from 0 to {len(game.seats) - 1}, chance or opening, got {move.who!r}"
    if game.moves and game.plies != len(game.moves):
        return f"expected as many plies as moves, {len(game.moves)}, got {game.plies}"
    return None


def _wrong_rulings(game: PastGame) -> str | None:
    revocable: set[int | None] = set()
    for ruling in game.rulings:
        if ruling.what not in ("void", "again", "award", "revoke"):
            return f"expected a ruling (void, again, award or revoke), got {quote(ruling.what)}"
        if (ruling.what == "revoke") != (ruling.revokes is not None):
            return f"expected the number of a ruling with revoke and only there, got {ruling.what} of {ruling.revokes}"
        if ruling.what == "revoke" and ruling.revokes not in revocable:
            return f"expected to revoke an earlier ruling about the game, got {ruling.revokes}"
        revocable -= {ruling.revokes}
        revocable |= {ruling.id} if ruling.what != "revoke" else set()
        if ruling.what == "award" and (ruling.seat is None or not 0 <= ruling.seat < len(game.seats)):
            return f"expected an award to a seat from 0 to {len(game.seats) - 1}, got {ruling.seat}"
    return None
