"""Writes a report into a folder: its pages, and those of the chosen games, drawn by several processes.

Each process reads and draws a few games at a time, so that memory use stays small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from adsearch.pictures.svg import words
from arena.course.aliases import ShownNames
from arena.course.processes import spread
from arena.course.report import addresses
from arena.course.report.addresses import Addresses
from arena.course.report.pages import frame, pages
from arena.course.report.public_game import public_game, public_rules
from arena.pages import replay_page
from arena.pages.drawing import draw
from db import games as record
from db.database import Database

if TYPE_CHECKING:
    from arena.course.report.gather import WholeReport
    from arena.results.report import ListedGame
    from db.records import PastGame

_PORTION: Final = 10
"""Number of games that a process draws at a time."""
_TOO_FEW_FOR_PROCESSES: Final = 60
"""With fewer games, drawing all of them is faster than starting another process."""


class GamePages(Struct, frozen=True):
    """What the pages of all games share."""

    folder: str
    title: str
    names: ShownNames
    addresses: Addresses
    trust: bool
    """Whether recorded rules can be run that belong to another user."""


class Portion(Struct, frozen=True):
    """The games that a process draws at a time."""

    pages: Mapping[int, str]
    """The page of each game, by its id."""
    before: str | None
    """The page of the game before the first one."""
    after: str | None
    """The page of the game after the last one."""


def write_site(
    report: WholeReport,
    names: ShownNames,
    folder: Path,
    *,
    database: str | None,
    replays: Sequence[ListedGame],
    processes: int,
    trust: bool = False,
    done: Callable[[int], None],
) -> None:
    """Writes the site into the empty `folder`. The games `replays` have a page each: `processes` draw them, and `done`
    is called with the number written so far. `trust`: whether recorded rules of another user can be run."""
    where = addresses.of([agent.name for agent in report.agents], replays=(game.id for game in replays))
    for place, page in pages(report, where):
        _write(folder / place, page)
    if replays:
        shared = GamePages(str(folder), report.title, names, addresses=where, trust=trust)
        (folder / "games").mkdir()
        _write_games(shared, _portions(replays), database=database, processes=processes, done=done)


def _write(file: Path, page: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(page, "utf-8")


# Games.


def _portions(games: Sequence[ListedGame]) -> list[Portion]:
    """The games in portions, in order."""
    pages = [addresses.game(game.number, game.attempt) for game in games]
    ends = [None, *pages, None]
    return [
        Portion(
            pages={game.id: page for game, page in zip(games[first:last], pages[first:last], strict=True)},
            before=ends[first],
            after=ends[last + 1],
        )
        for first in range(0, len(games), _PORTION)
        for last in [min(first + _PORTION, len(games))]
    ]


def _write_games(
    shared: GamePages,
    portions: Sequence[Portion],
    *,
    database: str | None,
    processes: int,
    done: Callable[[int], None],
) -> None:
    processes = 1 if len(portions) * _PORTION < _TOO_FEW_FOR_PROCESSES else processes
    written = 0
    for count in spread(partial(write_portion, shared), portions, database=database, processes=processes):
        written += count
        done(written)


def write_portion(shared: GamePages, database: Database, portion: Portion) -> int:
    """Writes the pages of these games; returns their number."""
    with database.reading() as connection:
        games = record.games(connection, [*portion.pages], whole=True)
    around = dict(_around(portion))
    for game in games:
        place = portion.pages[game.id]
        Path(shared.folder, place).write_text(_game_page(game, shared, place, around[game.id]), "utf-8")
    return len(portion.pages)


def _around(portion: Portion) -> Iterator[tuple[int, Sequence[tuple[str, str]]]]:
    """The id of each game, with links to the pages of the games before and after it."""
    pages = [portion.before, *portion.pages.values(), portion.after]
    for id, before, after in zip(portion.pages, pages, pages[2:], strict=False):
        near = [(before, "previous game"), (after, "next game")]
        yield id, [(page.rpartition("/")[2], text) for page, text in near if page is not None]


def _game_page(game: PastGame, shared: GamePages, place: str, around: Sequence[tuple[str, str]]) -> str:
    """The page of a game; `around`: links to the games before and after it."""
    up = addresses.up(place)
    shown = [shared.names.shown[name] for name in game.players]
    near = [
        (up + page, f"{two[0]} – {two[1]}")
        for two in combinations(dict.fromkeys(shown), 2)
        if (page := shared.addresses.pair(*two)) is not None
    ]
    near += around
    public = public_game(game, shared.names, shared.title)
    drawn = replay_page.page(
        public,
        names={name: name for name in shown},
        private=False,
        drawn=partial(draw, frame=frame(shared.title, place, modules=replay_page.MODULES)),
        near=near,
        trust=shared.trust,
        agents={name: up + shared.addresses.agent(name) for name in shown},
    ).text
    rules = words(public_rules(game.game))
    redacted = words(public_rules(game.game, shared.names))
    return drawn if rules == redacted else drawn.replace(rules, redacted)
