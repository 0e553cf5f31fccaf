"""An estimate of how long a tournament's games take: the mean of similar recorded games, else what the clock allows.

Only random moves are played for it; no agent is started.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from statistics import mean, median
from typing import Final

from msgspec import Struct

from adsearch import CHANCE, games
from arena.match.clock import SECOND, TimeControl
from arena.tournament.league import League

ENOUGH: Final = 10
"""Fewest recorded games for a mean; with fewer, the clock gives the estimate."""
RECENT: Final = 200
"""Most recorded games in the mean."""
_RANDOM_GAMES: Final = 15
_LONGEST: Final = 1000
"""Plies after which a random game is stopped."""
_MOVES: Final = 30
"""Assumed moves per seat if the rules raise in a random game."""


class GameTime(Struct, frozen=True):
    """How long one game takes."""

    seconds: float | None
    """None: not known, because there is no clock."""
    because: str
    """Where the number comes from, as a text."""


def game_time(league: League, recent: Sequence[float]) -> GameTime:
    """How long a game takes; `recent`: the seconds that the last games of these rules with this clock took."""
    if len(recent) >= ENOUGH:
        return GameTime(mean(recent), f"the mean of the last {len(recent)} such games")
    control = TimeControl.parse(league.clock)
    if not control:
        return GameTime(None, "there is no clock")
    plies = typical_plies(league)
    each = control.longest(-(-plies // league.seats))
    return GameTime(league.seats * each / SECOND, f"if players use all their time in games of {plies} moves")


def typical_plies(league: League) -> int:
    """The number of players' moves in a game: the median of some random games, at most `max_plies`."""
    try:
        plies = round(median(_random_game(league.game, Random(number)) for number in range(_RANDOM_GAMES)))
    except Exception:  # user-supplied rules may raise anything; the referee reports it when they are played
        plies = _MOVES * league.seats
    return max(1, plies if league.max_plies is None else min(plies, league.max_plies))


def _random_game(rules: str, random: Random) -> int:
    """The number of players' moves in one random game."""
    state = games.start(rules)
    moves = plies = 0
    while state.turn is not None and plies < _LONGEST:
        plies += 1
        if state.turn == CHANCE:
            outcomes, weights = zip(*state.chances(), strict=True)
            state = state.play(random.choices(outcomes, weights)[0])
        else:
            moves += 1
            state = state.play(random.choice(state.moves()))
    return moves
