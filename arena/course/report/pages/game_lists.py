"""Lists of games in parts of a few hundred: the pages of two agents that met, and the list of all games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from math import ceil
from typing import TYPE_CHECKING, Final

from arena.course.report.pages import addresses
from arena.course.report.pages.frame import frame
from arena.history.words import counted
from arena.pages import games as game_table
from arena.pages import parts
from arena.pages.html import element, words

if TYPE_CHECKING:
    from arena.course.report.gather import WholeReport
    from arena.course.report.pages.addresses import Addresses
    from arena.results.report import ListedGame, Report

PER_PAGE: Final = 300
"""Number of games on one page."""
_SOME_REPLAYED: Final = (
    "Games with a page to step through: {} of {}. They were lost by a fault; their numbers are links."
)
_NONE_REPLAYED: Final = "No game has a page to step through."
_NEAR: Final = 2
"""Number of links before and after the current part of a list."""


def pairs(report: WholeReport, where: Addresses) -> Iterator[tuple[str, str]]:
    """The pages of all pairs in the crosstable that met, each with its address."""
    met: dict[tuple[str, str], list[ListedGame]] = {}
    rank = {name: place for place, name in enumerate(where.crosstable)}
    for game in report.games:
        for two in combinations(sorted(rank.keys() & game.players, key=rank.__getitem__), 2):
            met.setdefault(two, []).append(game)
    for (one, other), games in met.items():
        at = where.pair(one, other) or ""
        for place, listed in in_parts(where, at, games, of=one):
            score = _score(report, (one, other), where, at)
            yield place, frame(report, place, f"{one} – {other}", score, listed)


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


def all_games(report: WholeReport, where: Addresses) -> Iterator[tuple[str, str]]:
    """The list of all games, each part with its address."""
    for place, listed in in_parts(where, addresses.GAMES, report.games):
        yield place, frame(report, place, "All games", listed)


# Parts of a list.


def in_parts(
    where: Addresses, at: str, games: Sequence[ListedGame], *, of: str | None = None
) -> Iterator[tuple[str, str]]:
    """A list of games, in parts: the address of each part, and its markup. `of`: with the results of this agent."""
    number = max(1, ceil(len(games) / PER_PAGE))
    several_rounds = len({game.round for game in games}) > 1
    replayed = sum(where.game(game) is not None for game in games)
    note = ""
    if replayed < len(games) and (where.replays or of is None):
        left_out = _SOME_REPLAYED.format(f"{replayed:,}", f"{len(games):,}") if where.replays else _NONE_REPLAYED
        note = element("p", words(left_out), class_="faint")
    for part in range(1, number + 1):
        some = games[(part - 1) * PER_PAGE : part * PER_PAGE]
        caption = f"Games, part {part} of {number}" if number > 1 else "Games"
        listed = game_table.table(some, where.seen_from(at), rounds=several_rounds, of=of, caption=caption)
        shown = listed if games else element("p", "No game has finished yet.")
        yield addresses.further(at, part), note + shown + _other_parts(at, part, number)


def _other_parts(at: str, part: int, number: int) -> str:
    """Links to other parts of a list: the first, the last and the nearest ones."""
    if number == 1:
        return ""
    base = at.rpartition("/")[2]
    shown = [n for n in range(1, number + 1) if n in (1, number) or abs(n - part) <= _NEAR]
    ways = []
    for before, other in pairwise([0, *shown]):
        if other > before + 1:
            ways.append(element("li", "…", class_="faint"))
        way = parts.link(addresses.further(base, other), str(other), current=other == part, aria_label=f"Part {other}")
        ways.append(element("li", way))
    return element("nav", element("ul", *ways), aria_label="Parts of the list", class_="parts")
