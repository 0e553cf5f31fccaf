"""What the records of a check's games say, in words: times, results, what was printed and used, where moves differ.

Pure: records in, words out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from adsearch import State, games
from agents.protocol import Verdict
from arena.match.clock import SECOND, TimeControl
from arena.student.checking import Light, traces
from arena.student.checking.check_games import Played
from arena.student.checking.positions import Position
from arena.walls.kinds import MEBIBYTE, Allowance
from db.records import MoveRecord

_MUCH_PRINTED: Final = 16 * 1024
"""Bytes in one game."""
_NEARLY: Final = 0.8
_MOST_MOVES: Final = 12

Measured = tuple[Light, str, str, str]
"""The light, what is told, the advice, and what it printed."""


def own_moves(played: Played) -> list[MoveRecord]:
    """The moves of the agent."""
    return [move for move in played.record.moves if move.who == played.seat]


def moves_made(played: Played) -> int:
    """How many moves the agent made."""
    return len(own_moves(played))


def decisions(played: Played) -> tuple[str, ...]:
    """The moves of all players after the opening, without those of chance."""
    return tuple(move.move for move in played.record.moves if isinstance(move.who, int))


def before_its_last(played: Played) -> tuple[str, ...]:
    """Those that led to the agent's last move."""
    moves = [move for move in played.record.moves if isinstance(move.who, int)]
    last = max(place for place, move in enumerate(moves) if move.who == played.seat)
    return tuple(move.move for move in moves[:last])


def mean_time(played: Sequence[Played]) -> float:
    """Seconds that a move took, in the middle of all."""
    spent = [move.spent or 0 for game in played for move in own_moves(game)]
    return sum(spent) / len(spent) / SECOND if spent else 0.0


def results(played: Sequence[Played]) -> str:
    """What came of whole games against chance."""
    own_end = (Verdict.NORMAL, Verdict.RESIGNED)
    cut = [game for game in played if game.record.verdict == Verdict.ADJUDICATED or game.given_up]
    finished = [game for game in played if game.record.verdict in own_end and game not in cut]
    points = [game.own.points for game in finished if game.own.points is not None]
    told = []
    if finished and len(finished[0].record.seats) > 1:
        won, lost = points.count(1.0), points.count(0.0)
        told.append(f"{len(finished)} against random: won {won}, drawn {len(points) - won - lost}, lost {lost}")
        if len(finished[0].record.seats) > 2:
            told[-1] = f"{len(finished)} against random, one from each seat: {sum(points):.4g} of {len(points)} points"
    elif finished:
        told.append(f"{len(finished)} played to the end")
    if cut:
        moves = max(moves_made(game) for game in cut)
        told.append(f"{len(cut)} cut short after {moves} moves of its own, to save time")
    return "; ".join(told)


def times(all_played: Sequence[Played], whole: Sequence[Played], clock: str) -> Measured:
    """How near it came to its limit."""
    control = TimeControl.parse(clock)
    spent = [move.spent or 0 for game in all_played for move in own_moves(game)]
    longest = max(spent, default=0)
    told = f"longest move {_seconds(longest)}"
    nearly = False
    if control.move:
        told += f" of {_seconds(control.move)}"
        nearly = longest > _NEARLY * control.move
    elif control:
        left = [move.left for game in whole for move in own_moves(game) if move.left is not None]
        full = control.base + control.periods * control.period
        if left:
            told += f"; never less than {_seconds(min(left))} left of {_seconds(full)}"
            nearly = min(left) < (1 - _NEARLY) * full
    advice = "another machine may be slower: use less than clock.budget" if nearly else ""
    return (Light.WARNING if nearly else Light.GOOD, f"{told} ({clock})", advice, "")


def printed(played: Sequence[Played]) -> Measured:
    """How much it printed, and the end of it."""
    much = [_printed_in(game) for game in played]
    most = max(much, default=0)
    if not sum(much):
        return Light.GOOD, "nothing", "", ""
    said = next((game.own.stderr for game in reversed(played) if game.own.stderr), "")
    told = f"{_bytes(sum(much))} in {len(played)} games, at most {_bytes(most)} in one"
    end = traces.tail(said, 3, head=0)
    if most > _MUCH_PRINTED:
        return Light.WARNING, told, "printing costs the agent's time, and only the end is kept", end
    return Light.GOOD, told, "", end


def _printed_in(played: Played) -> int:
    counted = max((move.log or 0 for move in own_moves(played)), default=0)
    return max(counted, len((played.own.stderr or "").encode()))


def used(played: Sequence[Played], allowance: Allowance) -> Measured:
    """What it used of memory and processor time."""
    memory = max((game.own.memory or 0 for game in played), default=0)
    cpu = sum(game.own.cpu or 0 for game in played)
    spent = sum(game.own.spent for game in played)
    of = f" of {allowance.memory / MEBIBYTE:,.0f}" if allowance.memory else ""
    told = f"{memory / MEBIBYTE:,.0f}{of} MiB of memory, {_seconds(cpu)} of processor time in {len(played)} games"
    if allowance.memory and memory > _NEARLY * allowance.memory:
        return Light.WARNING, told, "with more it loses: remember less", ""
    if cpu > 2 * spent + SECOND * (1 + len(played) // 4):
        return (
            Light.WARNING,
            told,
            "it works on more than its turns, or in several threads: that is not faster here",
            "",
        )
    return Light.GOOD, told, "", ""


def first_difference(one: Played, other: Played) -> tuple[int, str, str] | None:
    """Which of its moves, counted from 1, differs first between two games that should be the same; None: none does."""
    for place, (before, after) in enumerate(zip(own_moves(one), own_moves(other), strict=False), 1):
        if before.move != after.move:
            return place, before.move, after.move
    return None


def board(rules: str, state: State[Any], seat: int, position: Position | None, moves: Sequence[str]) -> str:
    """The position as the seat sees it, drawn, and how it came to be."""
    led = position.opening if position is not None else moves
    after = f"after {' '.join(led[-_MOST_MOVES:])}" if led else "at the beginning"
    if len(led) > _MOST_MOVES:
        after = f"after {len(led)} moves, the last of them {' '.join(led[-_MOST_MOVES:])}"
    number = f"position {position.number}, " if position is not None else ""
    try:
        seen = games.load(rules, state.view(seat)) if state.hidden else state
        drawn = str(seen)
    except Exception:
        drawn = state.view(seat)
    return f"{number}{after}; seat {seat} is to move:\n{drawn}"


def _seconds(time: int) -> str:
    return f"{time / SECOND:.2f} s" if time < 100 * SECOND else f"{time / SECOND:.0f} s"


def _bytes(count: int) -> str:
    return f"{count:,} bytes" if count < 10_000 else f"{count / 1000:,.0f} kB"
