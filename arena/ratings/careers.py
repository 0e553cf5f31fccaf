"""Everybody's rating over time, version after version: `career` for all at once, at moments that all share.

Values in, values out. Each moment is one fit of all games that were over by then, with every version of everybody as a
player of its own; so the careers of forty cost hardly more than that of one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from arena.ratings import bradley_terry
from arena.ratings.career import Moment, agent
from arena.ratings.duels import duels
from db.records import RatedGame

POINTS = 16
"""So many moments, and one more wherever somebody's next version begins."""


def careers(
    games: Sequence[RatedGame], *, anchors: Mapping[str, float], points: int = POINTS
) -> dict[str, list[Moment]]:
    """The moments of everybody, in order; `games` are those for two, with versions in their names.

    `anchors` are names without versions: each version of an anchor is one. Nobody has two moments without a game in
    between."""
    found: dict[str, list[Moment]] = {}
    total: Counter[str] = Counter()
    of_version: Counter[str] = Counter()
    since: dict[str, RatedGame] = {}
    """Who has played since the last moment, as which version: the last game of each."""
    ends = _moments(games, points)
    for number, game in enumerate(games):
        for player in game.names:
            total[agent(player)] += 1
            of_version[player] += 1
            since[player] = game
        if number not in ends:
            continue
        so_far = games[: number + 1]
        held = {player: anchors[agent(player)] for player in of_version if agent(player) in anchors}
        fit = bradley_terry.fit(duels(so_far), anchors=held)
        place, errors = {name: at for at, name in enumerate(fit.names)}, fit.errors()
        for player, last in since.items():
            if player in place:
                found.setdefault(agent(player), []).append(
                    Moment(
                        version=player,
                        at=last.finished,
                        games=of_version[player],
                        total=total[agent(player)],
                        rating=float(fit.ratings[place[player]]),
                        error=float(errors[place[player]]),
                    )
                )
        since.clear()
    return found


def _moments(games: Sequence[RatedGame], points: int) -> set[int]:
    """The numbers of the games after which ratings are told: evenly spread, the last one, and the last game of every
    version that another one followed."""
    step = max(1, -(-len(games) // points))
    ends = set(range(len(games) - 1, -1, -step))
    playing: dict[str, tuple[str, int]] = {}
    for number, game in enumerate(games):
        for player in game.names:
            before = playing.get(agent(player))
            if before is not None and before[0] != player:
                ends.add(before[1])
            playing[agent(player)] = player, number
    return ends
