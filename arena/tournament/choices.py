"""A comparison of formats, to plan a tournament: the number of games of each, and the expected errors of its ratings.

The agents, the game and the clock are the same; formats and numbers of rounds differ. No game is played: the error of
a rating is computed from how often each two players meet (`arena.ratings.expected_errors`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from math import ceil, log2
from random import Random
from typing import Final

import numpy as np
from msgspec import Struct

from arena.players.player import PlayerKind
from arena.ratings.duels import Numbers
from arena.ratings.expected_errors import expected_errors
from arena.tournament.formats import Format
from arena.tournament.league import MOST_GAMES, MOST_PAIRED_BY_POINTS, League

_MOST_RATED: Final = 1000
"""Most agents for which errors are computed; with more, that would take seconds."""


class Choice(Struct, frozen=True):
    """One way to play the tournament."""

    format: str
    rounds: str
    games: int
    is_bound: bool
    """Whether `games` is an upper bound: in a knockout, and in a match that a sequential test can end early."""
    error: float | None
    """Half the width of a rating's 95 % confidence interval: the median over the agents; in a gauntlet, over those that
    are not challengers. None for a knockout (who loses early plays too few games), for games of one player, and with
    more than `_MOST_RATED` agents."""
    described: bool
    """Whether this is the format of the description."""


def choices(league: League) -> list[Choice]:
    """The description's own format and others, the fewest games first."""
    found = {choice.format + choice.rounds: choice for choice in map(_choice, _others(league), [False] * 100)}
    own = _choice(league, True)
    found[own.format + own.rounds] = own
    return sorted(
        (choice for choice in found.values() if choice.described or 0 < choice.games <= MOST_GAMES),
        key=lambda choice: choice.games,
    )


def fitting(league: League, most: int) -> League | None:
    """The same tournament with fewer games, as many as possible but at most `most`: with fewer rounds, or if one round
    is too many, a round-robin as a swiss tournament. None if nothing fits."""
    for way, least, largest in _ways(league):
        rounds = min(largest, most // replace(way, rounds=1).estimate.at_most)
        if rounds >= least:
            return replace(way, rounds=rounds)
    return None


def fewest_games(league: League) -> int:
    """The number of games of the shortest tournament that `fitting` finds, or of this one."""
    ways = [replace(way, rounds=least) for way, least, largest in _ways(league) if least <= largest]
    return min(way.estimate.at_most for way in (league, *ways))


def _ways(league: League) -> list[tuple[League, int, int]]:
    """Formats that have fewer games, each with its least and its largest number of rounds."""
    count = len(league.agents)
    enough = ceil(log2(max(count, 2)))
    ways = []
    if league.format is not Format.KNOCKOUT:
        ways.append((league, enough if league.format is Format.SWISS else 1, league.rounds - 1))
    if league.format is Format.ROUND_ROBIN and count <= MOST_PAIRED_BY_POINTS:
        ways.append((replace(league, format=Format.SWISS), enough, count - 2))
    return ways


def bars(league: League) -> tuple[str, ...]:
    """The players to measure the others against: the gauntlet, else the anchors, else the built-in agents."""
    kinds = {agent.name: agent.player.kind for agent in league.agents}
    for found in (
        league.gauntlet,
        tuple(agent.name for agent in league.agents if agent.anchor is not None),
        tuple(name for name, kind in kinds.items() if kind is PlayerKind.BUILTIN),
    ):
        if 0 < len(found) < len(kinds):
            return found
    return ()


def _others(league: League) -> Iterator[League]:
    """The same agents in other formats."""
    count = len(league.agents)
    plain = replace(league, sprt=None, gauntlet=(), seeds=(), best_of=1, rounds=1)
    if league.seats != 2:
        for rounds in (1, 3, 10, 30):
            yield replace(plain, format=Format.TABLES, rounds=rounds)
        return
    if count == 2:
        for rounds in (10, 30, 100, 300):
            yield replace(plain, format=Format.MATCH, rounds=rounds)
        return
    for rounds in (1, 2, 5):
        yield replace(plain, format=Format.ROUND_ROBIN, rounds=rounds)
    enough = ceil(log2(count))
    for rounds in (enough, 2 * enough):
        if rounds < count - 1:
            yield replace(plain, format=Format.SWISS, rounds=rounds)
    if named := bars(league):
        for rounds in (1, 3, 10):
            yield replace(plain, format=Format.GAUNTLET, gauntlet=named, rounds=rounds)
    for best_of in (1, 3):
        yield replace(plain, format=Format.KNOCKOUT, best_of=best_of)


def _choice(league: League, described: bool) -> Choice:
    expected = league.estimate
    knockout = league.format is Format.KNOCKOUT
    return Choice(
        format=str(league.format),
        rounds=f"best of {league.best_of}" if knockout else str(league.rounds),
        games=expected.at_most,
        is_bound=knockout or league.sprt is not None,
        error=None if knockout or league.seats == 1 or len(league.agents) > _MOST_RATED else _error(league),
        described=described,
    )


def _error(league: League) -> float:
    """Half the width of a rating's 95 % confidence interval."""
    names = [agent.name for agent in league.agents]
    inside = {place for place, name in enumerate(names) if name in league.gauntlet}
    anchors = [place for place, agent in enumerate(league.agents) if agent.anchor is not None]
    errors = expected_errors(_games_together(league, inside), seats=league.seats, anchors=anchors)
    measured = [place for place in range(len(names)) if place not in inside and place not in anchors]
    return float(np.median(errors[measured or list(range(len(names)))]))


def _games_together(league: League, inside: set[int]) -> Numbers:
    """The number of games that each two agents play together."""
    count = len(league.agents)
    games = league.rounds * league.seats
    found: Numbers = np.zeros((count, count))
    if league.format is Format.GAUNTLET:
        challengers = sorted(inside)
        outside = [place for place in range(count) if place not in inside]
        found[np.ix_(challengers, outside)] = found[np.ix_(outside, challengers)] = games
    elif league.format in (Format.SWISS, Format.TABLES):
        found += league.seats * _random_pairings(count, league.seats, league.rounds)
    else:
        found += games * (1.0 - np.eye(count))
    return found


def _random_pairings(count: int, seats: int, rounds: int) -> Numbers:
    """How often each two players meet if every round is drawn at random, with few repeated pairings.

    It approximates a swiss tournament of equally strong players, and the format tables."""
    random = Random(1)
    found: Numbers = np.zeros((count, count))
    for _ in range(rounds):
        drawn = (_tables(random.sample(range(count), count), seats) for _ in range(_DRAWS))
        best = min(drawn, key=lambda tables: sum(found[tuple(zip(*tables, strict=True))]))
        found[tuple(zip(*best, strict=True))] += 1.0
    return found


_DRAWS: Final = 10
"""Random draws per round; the draw with the fewest repeated pairings is used."""


def _tables(order: Sequence[int], seats: int) -> list[tuple[int, int]]:
    """The pairs (in both orders) of players at one table, when `order` fills one table after the other."""
    full = len(order) - len(order) % seats
    return [pair for first in range(0, full, seats) for pair in permutations(order[first : first + seats], 2)]
