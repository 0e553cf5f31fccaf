"""Writes a report into a folder: its pages, and a page for every game, drawn by several processes.

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
from arena.course.report.pages import addresses, agent_page, front_page, game_lists
from arena.course.report.pages.addresses import Addresses
from arena.course.report.public_game import public_game, public_rules
from arena.history.pages import replay_page
from db import games as record
from db.database import Database

if TYPE_CHECKING:
    from arena.course.report.gather import ListedGame, Report
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
    around: Mapping[int, Sequence[tuple[str, str]]]
    """By the id of a game, the links to the games before and after it."""


def write_site(
    report: Report,
    names: ShownNames,
    folder: Path,
    *,
    database: str | None,
    games: bool,
    processes: int,
    trust: bool = False,
    done: Callable[[int], None],
) -> None:
    """Writes the site into the empty `folder`. With `games` each game has a page: `processes` draw them, and `done` is
    called with the number written so far. `trust`: whether recorded rules of another user can be run."""
    where = addresses.of((agent.name for agent in report.agents), replays=games)
    for place, page in pages(report, where):
        _write(folder / place, page)
    if games:
        around = dict(_around(report.games))
        shared = GamePages(str(folder), report.title, names, addresses=where, trust=trust, around=around)
        (folder / "games").mkdir()
        _write_games(shared, [game.id for game in report.games], database=database, processes=processes, done=done)


def pages(report: Report, where: Addresses) -> Iterator[tuple[str, str]]:
    """Every page except those of the games, each with its path in the folder."""
    yield addresses.FRONT, front_page.page(report, where)
    yield from game_lists.all_games(report, where)
    yield from game_lists.pairs(report, where)
    for agent in report.agents:
        yield from agent_page.pages(report, agent, where)


def _write(file: Path, page: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(page, "utf-8")


# Games.


def _around(games: Sequence[ListedGame]) -> Iterator[tuple[int, Sequence[tuple[str, str]]]]:
    """The id of each game, with links to the games before and after it in the list."""
    for place, game in enumerate(games):
        near = [("previous game", games[place - 1])] if place else []
        near += [("next game", games[place + 1])] if place + 1 < len(games) else []
        links = [(addresses.game(one.number, one.attempt).rpartition("/")[2], text) for text, one in near]
        yield game.id, links


def _write_games(
    shared: GamePages, ids: Sequence[int], *, database: str | None, processes: int, done: Callable[[int], None]
) -> None:
    portions = [ids[first : first + _PORTION] for first in range(0, len(ids), _PORTION)]
    processes = 1 if len(ids) < _TOO_FEW_FOR_PROCESSES else processes
    written = 0
    for count in spread(partial(write_portion, shared), portions, database=database, processes=processes):
        written += count
        done(written)


def write_portion(shared: GamePages, database: Database, ids: Sequence[int]) -> int:
    """Writes the pages of these games; returns their number."""
    with database.reading() as connection:
        games = record.games(connection, ids, whole=True)
    for game in games:
        place = addresses.game(game.number, game.attempt)
        Path(shared.folder, place).write_text(_game_page(game, shared, place), "utf-8")
    return len(ids)


def _game_page(game: PastGame, shared: GamePages, place: str) -> str:
    """The page of a game."""
    up = addresses.up(place)
    shown = [shared.names.shown[name] for name in game.players]
    links = [(f"{up}{addresses.FRONT}", shared.title)]
    links += [(up + shared.addresses.agent(name), name) for name in dict.fromkeys(shown)]
    links += [
        (up + shared.addresses.pair(*two), f"{two[0]} – {two[1]}") for two in combinations(dict.fromkeys(shown), 2)
    ]
    links += shared.around.get(game.id, ())
    public = public_game(game, shared.names, shared.title)
    drawn = replay_page.page(
        public, names={name: name for name in shown}, private=False, links=links, trust=shared.trust
    )
    rules = words(public_rules(game.game))
    redacted = words(public_rules(game.game, shared.names))
    return drawn if rules == redacted else drawn.replace(rules, redacted)
