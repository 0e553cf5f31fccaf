"""Which positions an agent is asked about: openings, middle games, the end, the last move, forced moves, as each seat.

They come from games that chance plays with the dice of the game in which the agent will be asked, so the referee gets
there by the same moves. Pure: the same rules and the same seed give the same positions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from random import Random
from typing import Any, Final

from adsearch import CHANCE, State
from arena.match.seeds import GameSeeds, number

_LONGEST: Final = 1000
"""Plies of a random game, where the rules know no end."""
_TRIES: Final = 6
"""Games that are looked through for a position of the wanted kind."""
_FRUITLESS: Final = 12
"""After so many games without a new position there are no more."""


class Stage(StrEnum):
    """Where in a game a position is."""

    OPENING = "opening"
    MIDDLE = "middle game"
    LATE = "near the end"
    """Of a game that nobody was in a haste to end: a board that is nearly full, and no move that decides."""
    LAST = "last move"
    FORCED = "only one legal move"


_AT_LENGTH: Final = (Stage.LATE, Stage.FORCED)
"""What a game that ends as soon as somebody stumbles on it may never see."""


@dataclass(frozen=True, slots=True)
class Position:
    """A position in which an agent is asked for a move."""

    number: int
    """By this it is found again."""
    stage: Stage
    seat: int
    """Who is asked."""
    opening: tuple[str, ...]
    """The moves that lead there, without those of chance."""
    state: State[Any]


def identity(number: int) -> tuple[object, ...]:
    """What tells the game of that position from others: its dice and seeds follow from it."""
    return ("check", number)


def drawn(start: State[Any], seed: int) -> Iterator[Position]:
    """Positions of the game that begins at `start`, all different; endless, or as many as the game has.

    The first is where the game begins. Each in a row is another seat's, and after all seats of another stage."""
    seen: set[tuple[object, ...]] = set()
    fruitless = 0
    for place in count():
        if fruitless == _FRUITLESS:
            return
        found = _wanted(start, seed, place + 1, seen)
        fruitless = 0 if found else fruitless + 1
        if found:
            seen.add(_key(found.state, found.seat))
            yield found


def _wanted(start: State[Any], seed: int, place: int, seen: set[tuple[object, ...]]) -> Position | None:
    """A new position for that place: of its stage and its seat, failing that of its seat, failing that any."""
    turns = (place - 1) % start.players
    stage = tuple(Stage)[(place - 1) // start.players % len(Stage)]
    best: tuple[int, Position] | None = None
    for attempt in range(_TRIES):
        random = Random(number(seed, "positions", place, attempt))
        game = _of_game(start, seed, place, random, drawn_out=stage in _AT_LENGTH and start.max_plies is not None)
        found = [each for each in game if _key(each.state, each.seat) not in seen]
        if place == 1 and found:
            return found[0]
        random.shuffle(found)
        for each in found:
            worth = 2 * (each.seat == turns) + (each.stage is stage)
            if best is None or worth > best[0]:
                best = worth, each
        if best is not None and best[0] == 3:
            break
    return None if best is None else best[1]


def _of_game(start: State[Any], seed: int, place: int, random: Random, *, drawn_out: bool = False) -> list[Position]:
    """Every position of one random game in which a player moves; the dice are those of that place.

    If it is to be `drawn_out`, nobody ends it who can do otherwise."""
    dice = GameSeeds.of(seed, identity(place), leg=0, attempt=1)
    state, moves, asked = start, list[str](), list[tuple[int, tuple[str, ...], State[Any]]]()
    for ply in range(1, _LONGEST):
        seat = state.turn
        if seat is None:
            break
        if seat == CHANCE:
            state = state.play(dice.outcome(ply, state.chances()))
            continue
        asked.append((seat, tuple(moves), state))
        move, after = _drawn_out(state, random) if drawn_out else _any(state, random)
        moves.append(state.to_text(move))
        state = after
    whole = state.turn is None
    if drawn_out and not whole:
        return _of_game(start, seed, place, random)
    early = max(start.players, len(asked) // 5)
    late = len(asked) - max(2 * start.players, len(asked) // 5) if drawn_out else len(asked)
    return [
        Position(place, _stage(each[2], at, early, late, last=whole and at == len(asked) - 1), *each)
        for at, each in enumerate(asked)
    ]


def _any(state: State[Any], random: Random) -> tuple[Any, State[Any]]:
    move = random.choice(state.moves())
    return move, state.play(move)


def _drawn_out(state: State[Any], random: Random) -> tuple[Any, State[Any]]:
    """A move that does not end the game, if there is one, and where it leads."""
    moves = random.sample(state.moves(), len(state.moves()))
    after = ((move, state.play(move)) for move in moves)
    return next(((move, child) for move, child in after if child.turn is not None), (moves[0], state.play(moves[0])))


def _stage(state: State[Any], at: int, early: int, late: int, *, last: bool) -> Stage:
    moves = state.moves()
    if last:
        return Stage.LAST
    if len(moves) == 1:
        return Stage.FORCED
    if at < early:
        return Stage.OPENING
    quiet = at >= late and all(state.play(move).turn is not None for move in moves)
    return Stage.LATE if quiet else Stage.MIDDLE


def _key(state: State[Any], seat: int) -> tuple[object, ...]:
    """What the seat sees: to it, two positions that look the same are one."""
    return (seat, state.view(seat) if state.hidden else state.key)


_WORDS: Final = {
    Stage.OPENING: "{} in the opening",
    Stage.MIDDLE: "{} in the middle",
    Stage.LATE: "{} near the end",
    Stage.LAST: "{} at the last move",
    Stage.FORCED: "{} with one legal move",
}


def described(positions: Sequence[Position]) -> str:
    """How many of each stage, in words."""
    counted = Counter(position.stage for position in positions)
    return ", ".join(_WORDS[stage].format(counted[stage]) for stage in Stage if counted[stage])


def usual_length(start: State[Any], seed: int) -> int:
    """How many moves of players a game takes, as far as random games tell."""
    lengths = sorted(len(_of_game(start, seed, -n, Random(n))) for n in range(1, 4))
    return lengths[1]


def great_length(start: State[Any], seed: int) -> int:
    """How many moves of players a game can take that nobody is in a haste to end, as far as random games tell."""
    drawn_out = start.max_plies is not None
    return max(len(_of_game(start, seed, -n, Random(n), drawn_out=drawn_out)) for n in range(1, 4))
