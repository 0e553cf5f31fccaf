"""Restores the exact messages that a seat received in a recorded game, up to one of its turns.

The recorded moves are played again through a `Match` with the same seeds, clocks and views. An agent that receives
these messages is in the same situation as in the game, which a debugger needs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from adsearch import CHANCE, State
from agents.protocol import Move, Over, Ready, Start, Turn, Verdict
from arena.errors import ArenaError
from arena.history.replay import positions
from arena.match import Match
from arena.match.conditions import Conditions, Limits, OwnTime
from arena.match.fixture import Fixture, SeatPlan
from arena.match.seeds import GameSeeds
from db.records import PastGame

_EVER: Final = 10**18
"""A margin so large that no move is late, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn in a recorded game, with all messages that its seat received up to it."""

    seat: int
    state: State[Any]
    """The whole position at this turn."""
    start: Start
    turns: tuple[Turn, ...]
    """The seat's turns so far; this turn is the last."""


def replay_turn(game: PastGame, ply: int, *, trust: bool = False) -> RecordedTurn:
    """The turn at `ply`, with all messages that its seat received; it can be the turn in which the game ended.

    ArenaError if no player moved at that ply, or the record cannot be played again; UntrustedCode if the code of its
    rules must not run."""
    states = list(positions(game, trust=trust))
    seat = _seat_at(game, states, ply)
    match, sent = _judged_again(game, ply)
    own = [message for to, message in sent if to == seat]
    start, *turns = own
    played = [(move.who, move.move) for move in game.moves[: ply - 1]]
    same = [(move.who, move.move) for move in match.moves] == played
    if not (same and isinstance(start, Start) and turns and all(isinstance(turn, Turn) for turn in turns)):
        raise ArenaError(f"game {game.name} cannot be played again as recorded; see: arena data verify")
    return RecordedTurn(seat, states[ply - 1], start, tuple(turn for turn in turns if isinstance(turn, Turn)))


def default_ply(game: PastGame, own: Collection[int], *, trust: bool = False) -> int:
    """The default ply: the last turn of the agent that failed or resigned, else of the seats `own`, else of any seat.
    ArenaError if there was no turn."""
    asked = _asked(game, list(positions(game, trust=trust)))
    if game.fault is None:
        asked.pop(len(game.moves) + 1, None)
    for seats in ([game.fault], own, range(len(game.seats))):
        if turns := [ply for ply, seat in asked.items() if seat in seats]:
            return max(turns)
    raise ArenaError(f"game {game.name}: no agent was asked for a move")


def _asked(game: PastGame, states: Sequence[State[Any]]) -> dict[int, int]:
    """The seat that was asked at each ply, including the ply in which the game ended."""
    not_asked = {move.ply for move in game.moves if move.who == "opening"}
    if game.verdict == Verdict.ADJUDICATED:
        not_asked.add(len(game.moves) + 1)
    return {
        number: state.turn
        for number, state in enumerate(states, 1)
        if state.turn is not None and state.turn != CHANCE and number not in not_asked
    }


def _seat_at(game: PastGame, states: Sequence[State[Any]], ply: int) -> int:
    """The seat that was asked at `ply`."""
    asked = _asked(game, states)
    if ply in asked:
        return asked[ply]
    if not asked:
        raise ArenaError(f"game {game.name}: no agent was asked for a move")
    if ply > len(states):
        what = f"the game has {len(game.moves)} plies"
    elif states[ply - 1].turn is None or ply > len(game.moves):
        what = "the game was over"
    else:
        opening = states[ply - 1].turn != CHANCE or (ply <= len(game.moves) and game.moves[ply - 1].who == "opening")
        what = "this ply is part of the opening" if opening else "this ply is a chance event"
    nearest = min(asked, key=lambda number: abs(number - ply))
    raise ArenaError(f"game {game.name}, ply {ply}: {what}; the nearest ply at which an agent was asked is {nearest}")


def _names_shown(game: PastGame) -> bool:
    """Whether the players got the names of their opponents; in games of older versions, outside tournaments only."""
    return bool((game.host or {}).get("names", "shown" if game.tournament is None else "hidden") == "shown")


def _max_plies(game: PastGame) -> int | None:
    """The game's limit of moves; in games of older versions it is known only if it ended the game."""
    made = sum(isinstance(move.who, int) for move in game.moves)
    limit = (game.host or {}).get("max_plies", made if game.verdict == Verdict.ADJUDICATED else None)
    return limit if isinstance(limit, int) and limit > 0 else None


def _judged_again(game: PastGame, ply: int) -> tuple[Match, list[tuple[int, Start | Turn | Over]]]:
    """Plays the game again up to `ply`; returns it with all messages sent, each with its seat."""
    seeds = GameSeeds.of(game.seed, (game.pair,), leg=game.leg, attempt=game.attempt)
    shown = _names_shown(game)
    plans = tuple(
        SeatPlan(
            seat.player,
            seat.player if shown else f"seat {number}",
            token=f"{number:064x}",
            seed=seeds.for_seat(number) if seat.seed is None else seat.seed,
        )
        for number, seat in enumerate(game.seats)
    )
    fixture = Fixture(
        game=game.id,
        rules=game.game,
        seats=plans,
        key=seeds.key,
        conditions=Conditions(
            clock=game.clock,
            margin=_EVER,
            max_plies=_max_plies(game),
            limits=Limits(hello=None, move=_EVER),
            own_times=tuple(OwnTime(seat.player, seat.clock, _EVER) for seat in game.seats if seat.clock),
        ),
        position=game.position or "",
        opening=tuple((game.opening or "").split()),
    )
    now = 0
    match = Match(fixture, now, secret=b"")
    sent: list[tuple[int, Start | Turn | Over]] = []
    for number in range(len(plans)):
        sent += match.arrive(number, ("position", "legal"), now)
    for number in range(len(plans)):
        sent += match.receive(number, Ready(game.id), now)
    for move in game.moves[: ply - 1]:
        if isinstance(move.who, int) and isinstance(question := sent[-1][1], Turn) and sent[-1][0] == move.who:
            now += move.spent or 0
            sent += match.receive(move.who, Move(game.id, question.id, move.move, spent=move.spent), now)
    return match, sent
