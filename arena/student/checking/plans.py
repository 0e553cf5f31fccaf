"""The games of a check as they are planned: who sits where, with which opening, and for how long.

Pure: nothing is played here. Opponents are chance, or somebody who gives up so that a game does not take too long.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from adsearch import State
from agents.protocol import Verdict
from arena.match.clock import SECOND
from arena.match.fixture import Limits
from arena.match.schedule import Entrant, Planned
from arena.players.player import unique_names
from arena.student.checking import positions, reading
from arena.student.checking.check_games import WATCHED, Cast, Played
from arena.student.checking.conditions import Conditions
from arena.student.checking.opponent import AFTER
from arena.student.checking.pace import Pace
from arena.student.checking.positions import Position

COSTLY: Final = (Verdict.TIME, Verdict.UNREADY)
"""Who ends so has taken all the time that there was."""


@dataclass(frozen=True, slots=True)
class Plans:
    """What one agent, with all that it is cast as, can be asked to play."""

    cast: Cast
    start: State[Any]
    rules: str
    conditions: Conditions
    numbers: Iterator[int]

    def asked(self, position: Position, entrant: Entrant, *, thinks: bool) -> Planned:
        """The game in which the agent is asked for one move in that position; whoever `thinks` takes its time."""
        conditions = self.conditions
        # One move before its end is what a clock shares its time out for: an agent that thinks would take all of it. An
        # opponent that gives up keeps the budget as it is, but is a new process each time.
        last = not thinks or self.start.players == 1
        return Planned(
            number=next(self.numbers),
            game=conditions.game,
            rules=self.rules,
            entrants=self._seated(position.seat, entrant, None if last else 0),
            seed=conditions.seed,
            identity=positions.identity(position.number),
            clock=conditions.clock,
            margin=conditions.margin,
            opening=position.opening,
            max_plies=1 if last else conditions.max_plies,
            limits=conditions.limits,
        )

    def whole(self, seat: int, entrant: Entrant, longest: int | None) -> Planned:
        """A game against chance; the same that `arena play` plays with this seed."""
        conditions = self.conditions
        alone = self.start.players == 1
        entrants = self._seated(seat, entrant, longest)
        names = sorted(each.name for each in entrants)
        return Planned(
            number=next(self.numbers),
            game=conditions.game,
            rules=self.rules,
            entrants=entrants,
            seed=conditions.seed,
            identity=(json.dumps([*names, 0]),),
            clock=conditions.clock,
            margin=conditions.margin,
            max_plies=longest if alone and longest is not None else conditions.max_plies,
            limits=conditions.limits,
        )

    def hurried(self, game: Played, slow: Pace) -> Planned:
        """Its last move in that game once more, on a clock that is too short for its pace."""
        alone = self.start.players == 1
        return replace(
            game.planned,
            number=next(self.numbers),
            entrants=self._seated(game.seat, self.cast.fresh, None if alone else 0),
            clock=str(slow.short),
            opening=reading.before_its_last(game),
            max_plies=1 if alone else game.planned.max_plies,
        )

    def watched(self, played: Played) -> Planned:
        """The position in which it failed once more, watched, with time enough to see where it is busy."""
        slow = played.verdict in COSTLY
        return replace(
            played.planned,
            number=next(self.numbers),
            entrants=self._seated(played.seat, self.cast.slow if slow else self.cast.watched),
            clock=f"move={WATCHED / SECOND:g}",
            opening=(*played.planned.opening, *reading.decisions(played)),
            max_plies=1,
            limits=Limits(hello=played.planned.limits.hello, ready=WATCHED if slow else Limits().ready),
        )

    def most_moves(self, mean: float) -> int | None:
        """After how many moves an opponent gives up, so that a game in which a move takes so many seconds does not take
        too long; None: it is played out."""
        a_game = self.conditions.seconds / self.start.players
        moves = positions.usual_length(self.start, self.conditions.seed) / self.start.players
        if mean * moves <= a_game:
            return None
        return max(after for after in AFTER if after * mean <= a_game or after <= 1)

    def great_length(self) -> int:
        """How many moves a player can make in a game that nobody is in a haste to end."""
        moves = positions.great_length(self.start, self.conditions.seed)
        return min(moves, self.conditions.max_plies or moves) // self.start.players

    def _seated(self, seat: int, entrant: Entrant, moves: int | None = None) -> tuple[Entrant, ...]:
        others = [self.cast.opponent(moves)] * (self.start.players - 1)
        seated = [*others[:seat], entrant, *others[seat:]]
        names = unique_names(each.name for each in seated)
        return tuple(replace(each, name=name) for each, name in zip(seated, names, strict=True))
