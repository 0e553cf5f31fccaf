"""A comparison of formats, to plan a tournament: the number of games of each, and the expected errors of its ratings.

The agents, the game and the clock are the same; formats and numbers of rounds differ. No game is played: the error of
a rating is computed from how often each two players meet (`arena.tournament.choices`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from random import Random
from typing import Final

import numpy as np
from msgspec import Struct

from arena.players.player import PlayerKind
from arena.ratings.duels import Numbers
from arena.ratings.estimates import PRIOR
from arena.ratings.scale import ELO, WIDTH
from arena.tournament import formats
from arena.tournament.format import Format, InRounds
from arena.tournament.league import MOST_GAMES, League

_MOST_RATED: Final = 1000
"""Most agents for which errors are computed; with more, that would take seconds."""


class Choice(Struct, frozen=True):
    """One way to play the tournament."""

    format: str
    rounds: str
    games: int
    is_bound: bool
    """Whether `games` is an upper bound: with a bracket, and with a sequential test."""
    error: float | None
    """Half the width of a rating's 95 % confidence interval: the median over the agents that are not `apart`. None
    with a bracket (who loses early plays too few games), for games of one player, and for more than `_MOST_RATED`
    agents."""
    apart: Sequence[str]
    """Players who meet all the others; if there are any, nobody else meets."""
    described: bool
    """Whether this is the format of the description."""


def choices(league: League) -> list[Choice]:
    """The description's own format and others, the fewest games first."""
    against = bars(league)
    count = len(league.agents)
    kinds = [kind for kind in formats.every() if kind.for_two == (league.seats == 2)]
    if league.seats == 2:
        kinds = [kind for kind in kinds if (kind.most_players == 2) == (count == 2)]
    others = [format for kind in kinds for format in kind.suggestions(count, against)]
    every = [_choice(replace(league, format=format), False) for format in others]
    found = {choice.format + choice.rounds: choice for choice in every}
    own = _choice(league, True)
    found[own.format + own.rounds] = own
    return sorted(
        (choice for choice in found.values() if choice.described or 0 < choice.games <= MOST_GAMES),
        key=lambda choice: (choice.games, choice.error is None),
    )


def fitting(league: League, most: int) -> League | None:
    """The same tournament with fewer games, as many as possible but at most `most`: with fewer rounds, or if one round
    is too many, a round-robin as a swiss tournament. None if nothing fits."""
    for way, least, largest in _ways(league):
        rounds = min(largest, most // _with(league, way, 1).estimate.at_most)
        if rounds >= least:
            return _with(league, way, rounds)
    return None


def fewest_games(league: League) -> int:
    """The number of games of the shortest tournament that `fitting` finds, or of this one."""
    ways = [_with(league, way, least) for way, least, largest in _ways(league) if least <= largest]
    return min(way.estimate.at_most for way in (league, *ways))


def _ways(league: League) -> Iterator[tuple[InRounds, int, int]]:
    """Formats that have fewer games, each with its least and its largest number of rounds."""
    count, format = len(league.agents), league.format
    if isinstance(format, InRounds):
        yield format, format.least_rounds(count), format.rounds - 1
    if format.every_two_meet:
        for kind in formats.every():
            if issubclass(kind, InRounds) and kind.some_meet and kind.for_two and count <= kind.most_players:
                yield kind(), kind.least_rounds(count), count - 2


def _with(league: League, format: InRounds, rounds: int) -> League:
    return replace(league, format=replace(format, rounds=rounds))


def bars(league: League) -> tuple[str, ...]:
    """The players to measure the others against: those `apart`, else the anchors, else the built-in agents."""
    kinds = {agent.name: agent.player.kind for agent in league.agents}
    for found in (
        tuple(league.format.apart),
        tuple(agent.name for agent in league.agents if agent.anchor is not None),
        tuple(name for name, kind in kinds.items() if kind is PlayerKind.BUILTIN),
    ):
        if 0 < len(found) < len(kinds):
            return found
    return ()


def _choice(league: League, described: bool) -> Choice:
    format, expected = league.format, league.estimate
    is_rated = not format.has_bracket and league.seats > 1 and len(league.agents) <= _MOST_RATED
    return Choice(
        format=str(format),
        rounds=format.length,
        games=expected.at_most,
        is_bound=format.has_bracket or format.test is not None,
        error=_error(league, format) if is_rated else None,
        apart=format.apart,
        described=described,
    )


def _error(league: League, format: Format) -> float:
    """Half the width of a rating's 95 % confidence interval."""
    names = [agent.name for agent in league.agents]
    inside = {place for place, name in enumerate(names) if name in format.apart}
    anchors = [place for place, agent in enumerate(league.agents) if agent.anchor is not None]
    errors = expected_errors(_games_together(league, inside), seats=league.seats, anchors=anchors)
    measured = [place for place in range(len(names)) if place not in inside and place not in anchors]
    return float(np.median(errors[measured or list(range(len(names)))]))


def _games_together(league: League, inside: set[int]) -> Numbers:
    """The number of games that each two agents play together."""
    count, format = len(league.agents), league.format
    if isinstance(format, InRounds) and format.some_meet:
        return league.seats * _random_pairings(count, league.seats, format.rounds)
    found: Numbers = 1.0 - np.eye(count)
    if inside:
        is_apart = np.isin(np.arange(count), list(inside))
        found = (is_apart[:, None] != is_apart).astype(float)
    return league.seats * format.most_meetings(count, league.seats) * found


def _random_pairings(count: int, seats: int, rounds: int) -> Numbers:
    """How often each two players meet if every round is drawn at random, with few repeated pairings.

    It approximates formats in which only some meet, if all players are equally strong."""
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


# The expected standard errors of a tournament's ratings, computed from its schedule before it is played.


_VARIANCE: Final = 0.25
"""Variance of the score of one game between equals without draws."""


def expected_errors(
    together: Numbers, *, seats: int = 2, prior: float = PRIOR, anchors: Collection[int] = ()
) -> Numbers:
    """Half the width of the 95 % confidence interval of each player's rating, in Elo.

    `together`: a symmetric matrix with the number of games that each two players play together, in games for that many
    `seats`. Ratings are relative to the mean of the `anchors` (indices), else to the mean of all players."""
    informed = information(seats) * together
    matrix = np.diag(informed.sum(axis=1) + prior * _VARIANCE) - informed
    players = len(together)
    anchored = sorted(anchors) or list(range(players))
    shift = np.eye(players)
    shift[:, anchored] -= 1.0 / len(anchored)
    covariance = shift @ np.linalg.inv(matrix) @ shift.T
    found: Numbers = WIDTH * ELO * np.sqrt(np.diag(covariance))
    return found


def information(seats: int) -> float:
    """The Fisher information of one game for that many seats about the difference of two of its players.

    In the Plackett-Luce model a game is a sequence of choices: the best of all, then the best of the rest, and so on.
    When k of s equal players are left, both of the two are among them with probability k(k-1) / s(s-1), and each is
    chosen with probability 1/k."""
    return sum((k - 1) / k for k in range(2, seats + 1)) / (seats * (seats - 1))
