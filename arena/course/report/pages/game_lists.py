"""The pages of two agents that met, and the list of all games."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from arena.course.report.pages import addresses, parts
from arena.history.pages.html import element, words
from arena.history.words import counted

if TYPE_CHECKING:
    from arena.course.report.gather import ListedGame, Report
    from arena.course.report.pages.addresses import Addresses


def pairs(report: Report, where: Addresses) -> Iterator[tuple[str, str]]:
    """The pages of all pairs in the crosstable that met, each with its address."""
    met: dict[tuple[str, str], list[ListedGame]] = {}
    rank = {name: place for place, name in enumerate(where.crosstable)}
    for game in report.games:
        for two in combinations(sorted(rank.keys() & game.players, key=rank.__getitem__), 2):
            met.setdefault(two, []).append(game)
    for (one, other), games in met.items():
        at = where.pair(one, other) or ""
        for place, listed in parts.games(where, at, games, of=one):
            score = _score(report, (one, other), where, at)
            yield place, parts.frame(report, place, f"{one} – {other}", score, listed)


def _score(report: Report, pair: tuple[str, str], where: Addresses, at: str) -> str:
    """The score of the two agents, with a link to each."""
    one, other = pair
    up = addresses.up(at)
    met = report.head_to_head.get((one, other))
    back = report.head_to_head.get((other, one))
    named = [parts.link(up + where.agent(name), name) for name in (one, other)]
    if met is None or back is None:
        return element("p", named[0], " – ", named[1], ": no game that counts has finished yet.")
    score = f": {parts.share(met.points)} – {parts.share(back.points)} in {counted(met.games, 'game')} that count."
    return element("p", named[0], " – ", named[1], words(score.replace("game that count.", "game that counts.")))


def all_games(report: Report, where: Addresses) -> Iterator[tuple[str, str]]:
    """The list of all games, each part with its address."""
    for place, listed in parts.games(where, addresses.GAMES, report.games):
        yield place, parts.frame(report, place, "All games", listed)
