"""Before a tournament: how long its games take (the mean of similar recorded games, else what the clock allows), and a
warning if they would repeat.

Only random moves are played for it; no agent is started.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from statistics import median
from typing import Final

from msgspec import Struct

from adsearch import CHANCE, games
from agents import builtin
from arena.errors import BadFixture
from arena.match.clock import SECOND, TimeControl
from arena.match.schedule import repeats_tell
from arena.players.player import PlayerKind
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
_RECORDING: Final = 0.0025
"""Seconds that each game takes besides its players' moves, for its start and its record."""


class GameTime(Struct, frozen=True):
    """How long one game takes, with a processor core of its own."""

    seconds: float | None
    """None: not known, because there is no clock."""
    because: str
    """Where the number comes from, as a text."""

    def of(self, games: int, league: League, *, there: int) -> float | None:
        """How many seconds that many games take on `there` cores; None: not known. More games at the same time than
        cores do not help."""
        if self.seconds is None:
            return None
        in_parallel = min(league.at_once(there), most_in_parallel(league, there))
        return games * (self.seconds / in_parallel + _RECORDING)

    def most(self, seconds: float, league: League, *, there: int) -> int | None:
        """How many games fit into that time; None: not known."""
        each = self.of(1, league, there=there)
        return None if each is None else int(seconds / each)


def most_in_parallel(league: League, there: int) -> int:
    """The number of games that have a core of their own, on `there` cores."""
    return max(1, there // league.cores_a_game)


def game_time(league: League, recent: Sequence[tuple[float, float]], *, there: int) -> GameTime:
    """How long a game takes; `recent`: when the last games of these rules with this clock began and ended, in seconds,
    on `there` cores."""
    if len(recent) >= ENOUGH:
        seconds = sum(end - begin for begin, end in recent) / len(recent)
        # Games that shared cores took longer. Then their number per second says how long one takes.
        shared = most_in_parallel(league, there) * _time_covered(recent) / len(recent)
        return GameTime(min(seconds, shared), f"the mean of the last {len(recent)} such games")
    control = TimeControl.parse(league.conditions.clock)
    if not control:
        return GameTime(None, "there is no clock")
    plies = typical_plies(league)
    moves = -(-plies // league.seats)
    clocks = [TimeControl.parse(league.conditions.time_of(agent.name).clock) for agent in league.agents] or [control]
    each = sum(clock.longest(moves) for clock in clocks) / len(clocks)
    return GameTime(league.seats * each / SECOND, f"if players use all their time in games of {plies} moves")


def _time_covered(times: Sequence[tuple[float, float]]) -> float:
    """The seconds in which at least one of these games was in progress."""
    covered, until = 0.0, float("-inf")
    for begin, end in sorted(times):
        covered += max(0.0, end - max(begin, until))
        until = max(until, end)
    return covered


def typical_plies(league: League) -> int:
    """The number of players' moves in a game: the median of some random games, at most `max_plies`."""
    try:
        plies = round(median(_random_game(league.game, Random(number)) for number in range(_RANDOM_GAMES)))
    except Exception:  # user-supplied rules may raise anything; the referee reports it when they are played
        plies = _MOVES * league.seats
    return max(1, plies if league.conditions.max_plies is None else min(plies, league.conditions.max_plies))


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


# A warning before a tournament whose games would repeat: the same players meet more often than there are openings.


_MOST_NAMED: Final = 3
_ENOUGH: Final = 500
"""Most openings that are counted: each takes some milliseconds, and every run counts them again."""
_MOST_PLIES: Final = 8
"""Most plies of an opening that the warning recommends."""


def repeats_warning(league: League) -> str:
    """The warning, in one sentence; empty if games do not repeat."""
    pairings = league.format.most_meetings(len(league.agents), league.seats)
    if pairings < 2 or not repeats_tell(games.start(league.game)):
        return ""
    enough = min(pairings, _ENOUGH)
    there = league.book(league.game, seed=0).different(enough) if league.openings else 1
    if there >= enough:
        return ""
    same, unknown = _who_repeats(league)
    if not league.openings and len(same) + len(unknown) < 2:
        return ""
    known = ", ".join(same[:_MOST_NAMED]) + " and others" * (len(same) > _MOST_NAMED)
    who = f" ({known})" if known else ""
    openings = f"with {there} different openings" if league.openings else "without openings"
    return (
        f"the same players meet up to {pairings} times {openings}: deterministic players{who} will repeat whole "
        f"games{_advice(league, pairings)}"
    )


def _who_repeats(league: League) -> tuple[list[str], list[str]]:
    """The deterministic agents, and those of which it is not known."""
    clocked = bool(TimeControl.parse(league.conditions.clock))
    same = []
    unknown = []
    for agent in league.agents:
        if agent.player.kind is not PlayerKind.BUILTIN:
            unknown.append(agent.name)
        elif builtin.find(agent.player.text).repeats(clocked=clocked):
            same.append(agent.name)
    return same, unknown


def _advice(league: League, pairings: int) -> str:
    """What to change: the smallest number of plies that gives enough different openings."""
    if not isinstance(league.openings, int):
        return "; list more openings"
    enough = min(pairings, _ENOUGH)
    gain = "gives every pairing a different one" if pairings == enough else f"gives {enough} or more"
    try:
        for plies in range(league.openings + 1, _MOST_PLIES + 1):
            if league.book(league.game, seed=0, plies=plies).different(enough) == enough:
                return f"; openings = {plies} {gain}"
    except BadFixture:
        pass
    return ""
