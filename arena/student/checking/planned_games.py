"""Plans the games of a check: the positions in which the agent moves, the seats, and the length of each game.

Pure: the same rules and seed give the same positions and games. Each seat gets positions from the opening, the middle,
near the end, before the last move, and with one legal move. They come from random games that use the same dice as the
game with the agent, so the referee reaches each position by the same moves.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import count
from random import Random
from typing import Any, Final

from adsearch import CHANCE, State, games
from arena.match.schedule import Entrant, Planned
from arena.match.seeds import GameSeeds, number
from arena.players.player import unique_names
from arena.student.checking import Exam
from arena.student.checking.played_games import CheckGame, MovePace
from arena.student.checking.resigning_opponent import AFTER
from db.records import GameKind

_LONGEST: Final = 1000
"""Length limit of a random game, in plies."""
_TRIES: Final = 6
"""Random games searched for a position of the right stage and seat."""
_FRUITLESS: Final = 12
"""Number of places in a row without a new position after which the search for positions ends."""
_MOST_MOVES_SHOWN: Final = 12
"""Number of moves listed with a drawn position."""


# Positions.


class Stage(StrEnum):
    """Where in a game a position is."""

    OPENING = "opening"
    MIDDLE = "middle game"
    LATE = "near the end"
    """In a game that no player ended early: the board is nearly full, and no move ends the game."""
    LAST = "last move"
    FORCED = "only one legal move"


_NEED_LONG_GAMES: Final = (Stage.LATE, Stage.FORCED)
"""Stages that are rare in a random game, because a random move often ends the game early."""
_COUNTED: Final = {
    Stage.OPENING: "{} in the opening",
    Stage.MIDDLE: "{} in the middle",
    Stage.LATE: "{} near the end",
    Stage.LAST: "{} at the last move",
    Stage.FORCED: "{} with one legal move",
}


@dataclass(frozen=True, slots=True)
class CheckPosition:
    """A position in which an agent is asked for a move."""

    number: int
    """The number for `--position`."""
    stage: Stage
    seat: int
    """The seat that moves."""
    opening: tuple[str, ...]
    """The players' moves that lead to the position, without chance events."""
    state: State[Any]


def identity(number: int) -> tuple[object, ...]:
    """The identity of the game with this position; the game's dice and seeds are computed from it."""
    return ("check", number)


def draw_positions(start: State[Any], seed: int) -> Iterator[CheckPosition]:
    """Different positions of the game that starts at `start`, until no new ones are found (perhaps never).

    The first is the start position. The seats take turns; after each round of seats the stage changes."""
    seen: set[tuple[object, ...]] = set()
    fruitless = 0
    for place in count():
        if fruitless == _FRUITLESS:
            return
        found = _new_position(start, seed, place + 1, seen)
        fruitless = 0 if found else fruitless + 1
        if found:
            seen.add(_key(found.state, found.seat))
            yield found


def _new_position(start: State[Any], seed: int, place: int, seen: set[tuple[object, ...]]) -> CheckPosition | None:
    """A new position for this place: of its stage and seat if possible, else of its seat, else any."""
    seat = (place - 1) % start.players
    stage = tuple(Stage)[(place - 1) // start.players % len(Stage)]
    best: tuple[int, CheckPosition] | None = None
    for attempt in range(_TRIES):
        random = Random(number(seed, "positions", place, attempt))
        long = stage in _NEED_LONG_GAMES and start.max_plies is not None
        game = _random_game(start, seed, place, random, long=long)
        found = [each for each in game if _key(each.state, each.seat) not in seen]
        if place == 1 and found:
            return found[0]
        random.shuffle(found)
        for each in found:
            fit = 2 * (each.seat == seat) + (each.stage is stage)
            if best is None or fit > best[0]:
                best = fit, each
        if best is not None and best[0] == 3:
            break
    return None if best is None else best[1]


def _random_game(
    start: State[Any], seed: int, place: int, random: Random, *, long: bool = False
) -> list[CheckPosition]:
    """Every position of one random game in which a player moves; the dice are those of this place.

    In a `long` game no player ends the game while another move is legal."""
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
        move, after = _move_that_goes_on(state, random) if long else _random_move(state, random)
        moves.append(state.to_text(move))
        state = after
    over = state.turn is None
    if long and not over:
        return _random_game(start, seed, place, random)
    early = max(start.players, len(asked) // 5)
    late = len(asked) - max(2 * start.players, len(asked) // 5) if long else len(asked)
    return [
        CheckPosition(place, _stage(each[2], at, early, late, last=over and at == len(asked) - 1), *each)
        for at, each in enumerate(asked)
    ]


def _random_move(state: State[Any], random: Random) -> tuple[Any, State[Any]]:
    move = random.choice(state.moves())
    return move, state.play(move)


def _move_that_goes_on(state: State[Any], random: Random) -> tuple[Any, State[Any]]:
    """A random move, one that does not end the game if there is one, and the state after it."""
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
    """What the seat sees: positions that look the same to the seat have the same key."""
    return (seat, state.view(seat) if state.hidden else state.key)


def count_stages(positions: Sequence[CheckPosition]) -> str:
    """The number of positions of each stage, in words."""
    counted = Counter(position.stage for position in positions)
    return ", ".join(_COUNTED[stage].format(counted[stage]) for stage in Stage if counted[stage])


def typical_length(start: State[Any], seed: int) -> int:
    """The length of a game in players' moves: the median of three random games."""
    return sorted(len(_random_game(start, seed, -n, Random(n))) for n in range(1, 4))[1]


def greatest_length(start: State[Any], seed: int) -> int:
    """The greatest length of a game in players' moves: the longest of three random games that no player ends early."""
    long = start.max_plies is not None
    return max(len(_random_game(start, seed, -n, Random(n), long=long)) for n in range(1, 4))


# Games.


@dataclass(frozen=True, slots=True)
class CheckPlayers:
    """The players of a check: the agent, started in two ways, and its opponents."""

    kept: Entrant
    """The agent in a process that is kept for the next game."""
    fresh: Entrant
    """The agent in a new process for each game."""
    opponent: Callable[[int | None], Entrant]
    """An opponent that moves at random and resigns after N moves, one of `resigning_opponent.AFTER`; None: never."""
    text: str
    """The agent as the user wrote it."""
    python: bool
    """Whether our kit hosts the agent."""
    waits_charged: bool
    """Whether waiting for a processor counts as thinking, because the waiting time cannot be measured."""
    confined: str
    """How the agent is confined, in words: "in a sandbox"."""
    source_line: Callable[[str, int], str]
    """Returns a line of one of the agent's files."""


@dataclass(frozen=True, slots=True)
class GamePlanner:
    """Plans the games of one check. Opponents move at random; some resign so that a game does not take too long."""

    players: CheckPlayers
    start: State[Any]
    rules: str
    exam: Exam
    numbers: Iterator[int]
    positions: dict[int, CheckPosition] = field(default_factory=dict)
    """The position of each game of `one_move`, by the game's number."""

    def one_move(self, position: CheckPosition, entrant: Entrant, *, uses_clock: bool) -> Planned:
        """The game in which the agent plays one move in this position; `uses_clock`: its moves depend on its clock."""
        # With max_plies=1 the move is the game's last, and clock.budget is all the time that is left: an agent that
        # uses its clock would think for all of it. With an opponent that resigns, the budget stays small, but each game
        # starts a new process for that opponent.
        last = not uses_clock or self.start.players == 1
        planned = replace(
            self._game(self._seated(position.seat, entrant, None if last else 0)),
            identity=identity(position.number),
            opening=position.opening,
        )
        if last:
            planned = planned.under(max_plies=1)
        self.positions[planned.number] = position
        return planned

    def whole_game(self, seat: int, entrant: Entrant, longest: int | None, *, number: int = 0) -> Planned:
        """A game against random moves, the same as `arena play` plays with this seed as its game `number` from 0. It is
        cut short after `longest` moves."""
        single = self.start.players == 1
        planned = self._game(self._seated(seat, entrant, longest), number)
        return planned.under(max_plies=longest) if single and longest is not None else planned

    def in_a_hurry(self, game: CheckGame, pace: MovePace) -> Planned:
        """The position of the agent's last move in the game again, on a clock that is too short for its pace."""
        single = self.start.players == 1
        most = 1 if single else game.planned.conditions.max_plies
        return replace(
            game.planned.under(clock=str(pace.short_clock), max_plies=most),
            number=next(self.numbers),
            entrants=self._seated(game.seat, self.players.fresh, None if single else 0),
            opening=game.before_own_last_move,
        )

    def moves_until_resigning(self, mean: float) -> int | None:
        """After how many moves an opponent resigns, so that a game with `mean` seconds per move does not take too
        long; None: it does not resign."""
        seconds = self.exam.seconds / self.start.players
        moves = typical_length(self.start, self.exam.seed) / self.start.players
        if mean * moves <= seconds:
            return None
        return max(after for after in AFTER if after * mean <= seconds or after <= 1)

    def most_moves(self) -> int:
        """The number of moves that one player can make in a game that no player ends early."""
        moves = greatest_length(self.start, self.exam.seed)
        return min(moves, self.exam.conditions.max_plies or moves) // self.start.players

    def board(self, state: State[Any], seat: int, moves: Sequence[str], position: CheckPosition | None = None) -> str:
        """The position as the seat sees it, with the last `moves` and the position's number, if it has one."""
        after = f"after {' '.join(moves[-_MOST_MOVES_SHOWN:])}" if moves else "at the beginning"
        if len(moves) > _MOST_MOVES_SHOWN:
            after = f"after {len(moves)} moves, the last of them {' '.join(moves[-_MOST_MOVES_SHOWN:])}"
        name = f"position {position.number}, " if position is not None else ""
        try:
            drawn = str(games.load(self.rules, state.view(seat)) if state.hidden else state)
        except Exception:
            drawn = state.view(seat)
        return f"{name}{after}; seat {seat} is to move:\n{drawn}"

    def _game(self, entrants: tuple[Entrant, ...], number: int = 0) -> Planned:
        return Planned(
            number=next(self.numbers),
            game=self.exam.game,
            rules=self.rules,
            entrants=entrants,
            seed=self.exam.seed,
            identity=(json.dumps([*sorted(each.name for each in entrants), number]),),
            conditions=self.exam.conditions,
        ).under(kind=GameKind.CHECK)

    def _seated(self, seat: int, entrant: Entrant, moves: int | None = None) -> tuple[Entrant, ...]:
        """All players: `entrant` in its seat; in the others, opponents that resign after that many `moves`."""
        others = [self.players.opponent(moves)] * (self.start.players - 1)
        seated = [*others[:seat], entrant, *others[seat:]]
        names = unique_names(each.name for each in seated)
        return tuple(replace(each, name=name) for each, name in zip(seated, names, strict=True))
