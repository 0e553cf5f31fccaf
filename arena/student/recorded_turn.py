"""What a seat was sent in a game on record, up to one of its turns, word for word.

The game is judged again by the same Match, from the record alone: same seeds, same clocks, same views. An agent that is
given these messages sits in the game as it was, which is what a debugger needs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from adsearch import CHANCE, State
from agents.protocol import Move, Over, Ready, Start, Turn
from arena.errors import ArenaError
from arena.history.replay import positions
from arena.match import Match
from arena.match.fixture import Fixture, Limits, SeatPlan
from arena.match.seeds import GameSeeds
from db.records import PastGame

_EVER: Final = 10**18
"""A margin that nobody is late by."""


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn of a game on record, with all that its seat was sent up to it."""

    seat: int
    state: State[Any]
    """The whole position at that question."""
    start: Start
    turns: tuple[Turn, ...]
    """The questions, the last of them that one."""


def replay_turn(game: PastGame, ply: int, *, trust: bool = False) -> RecordedTurn:
    """What the seat was sent whose turn it was at `ply`, the turn that the game ended in included.

    ArenaError where that ply was nobody's turn, or the record cannot be played again; UntrustedCode where its rules
    must not be run."""
    states = list(positions(game, trust=trust))
    seat = _seat_at(game, states, ply)
    match, sent = _judged_again(game, ply)
    own = [message for to, message in sent if to == seat]
    start, *turns = own
    played = [(move.who, move.move) for move in game.moves[: ply - 1]]
    same = [(move.who, move.move) for move in match.moves] == played
    if not (same and isinstance(start, Start) and turns and all(isinstance(turn, Turn) for turn in turns)):
        raise ArenaError(f"game {game.id} cannot be played again as it is on record; see: arena db verify")
    return RecordedTurn(seat, states[ply - 1], start, tuple(turn for turn in turns if isinstance(turn, Turn)))


def default_ply(game: PastGame, own: Collection[int], *, trust: bool = False) -> int:
    """The default ply to ask at: the last turn of the agent that failed or resigned, else of the seats `own`, else of
    any seat. ArenaError where there was no turn."""
    asked = _asked(game, list(positions(game, trust=trust)))
    if game.fault is None:
        # At the end of a game that was cut short nobody was asked any more.
        asked.pop(len(game.moves) + 1, None)
    for seats in ([game.fault], own, range(len(game.seats))):
        if turns := [ply for ply, seat in asked.items() if seat in seats]:
            return max(turns)
    raise ArenaError(f"game {game.id}: nobody was asked for a move")


def _asked(game: PastGame, states: Sequence[State[Any]]) -> dict[int, int]:
    """At which plies which seat was asked, the one in which the game ended included."""
    opening = {move.ply for move in game.moves if move.who == "opening"}
    return {
        number: state.turn
        for number, state in enumerate(states, 1)
        if state.turn is not None and state.turn != CHANCE and number not in opening
    }


def _seat_at(game: PastGame, states: Sequence[State[Any]], ply: int) -> int:
    """The seat that was asked at that ply."""
    asked = _asked(game, states)
    if ply in asked:
        return asked[ply]
    if not asked:
        raise ArenaError(f"game {game.id}: nobody was asked for a move")
    if ply > len(states):
        what = f"the game has {len(game.moves)} plies"
    elif states[ply - 1].turn is None:
        what = "the game was over"
    else:
        opening = states[ply - 1].turn != CHANCE or (ply <= len(game.moves) and game.moves[ply - 1].who == "opening")
        what = "that ply is of the opening" if opening else "that ply is chance's"
    nearest = min(asked, key=lambda number: abs(number - ply))
    raise ArenaError(f"game {game.id}, ply {ply}: {what}; the nearest ply at which an agent was asked is {nearest}")


def _judged_again(game: PastGame, ply: int) -> tuple[Match, list[tuple[int, Start | Turn | Over]]]:
    """The game up to `ply`, and all that was sent."""
    seeds = GameSeeds.of(game.seed, (game.pair,), leg=game.leg, attempt=game.attempt)
    # Outside of tournaments players know who they play.
    shown = game.players if game.tournament is None else [f"seat {number}" for number in range(len(game.seats))]
    plans = tuple(
        SeatPlan(player, shown[number], f"{number:064x}", seeds.for_seat(number))
        for number, player in enumerate(game.players)
    )
    fixture = Fixture(
        game=game.id,
        rules=game.game,
        seats=plans,
        key=seeds.key,
        clock=game.clock,
        margin=_EVER,
        opening=tuple((game.opening or "").split()),
        limits=Limits(hello=None, move=_EVER),
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
