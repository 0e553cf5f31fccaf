"""The page of a game that is in progress, or that has not begun. When the game is over, its address shows the replay.

It looks like the replay page, and shows the state at the time when it was loaded. Its script shows each later state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from arena.history import words
from arena.pages.drawing import Document
from arena.pages.game import shape
from arena.play.followed_game import FollowedGame
from arena.web import links
from arena.web.pages import frame
from arena.web.pages.live_parts import address, parts, which_game
from db.records import PastGame

if TYPE_CHECKING:
    from arena.web.results import Titled


def page(
    game: PastGame,
    drawn: Mapping[str, str] | None,
    *,
    of: Titled | None,
    near: Sequence[tuple[str, str]] = (),
    ratings: Sequence[float | None] = (),
) -> Document:
    """The page. `game`: what visitors may see of it. `drawn`: its parts now; None if they are not known. `near`: links
    to other games. `ratings`: of the players, by seat."""
    found = drawn or parts(game, FollowedGame(), now=0, ratings=ratings)
    facts = (
        words.without_store(game.game),
        which_game(game),
        "" if game.round is None else f"round {game.round}",
        words.clocks(game.clocks),
        *words.beginning(game),
    )
    is_cancelled = game.status == "cancelled"
    return frame.drawn(
        "live.html",
        words.printable(" – ".join(game.players)),
        of=of,
        stream="" if is_cancelled else links.events(g=game.id),
        modules=("live.js",) * (not is_cancelled),
        broad=True,
        above=links.games_of(game.tournament),
        shape=shape(len(game.players)),
        players=[(words.printable(name), address(game, name)) for name in game.players],
        drawn=found,
        is_cancelled=is_cancelled,
        is_playing=game.status == "playing",
        facts=words.printable(" · ".join(filter(None, facts))),
        near=near,
    )
