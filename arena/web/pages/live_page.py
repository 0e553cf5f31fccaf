"""The page of a game that is in progress, or that has not begun. When the game is over, its address shows the replay.

It looks like the replay page, and shows the state at the time when it was loaded. Its script shows each later state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from arena.history import words
from arena.pages import html
from arena.pages.boards import board_style
from arena.pages.drawing import Document
from arena.pages.html import element
from arena.pages.parts import link
from arena.play.followed_game import FollowedGame
from arena.web import links
from arena.web.pages import frame
from arena.web.pages.live_parts import parts, player, which_game
from db.records import PastGame

if TYPE_CHECKING:
    from arena.web.results import Titled

STYLES: Final = ("replay.css", "live.css")


def page(
    game: PastGame, drawn: Mapping[str, str] | None, *, of: Titled | None, near: Sequence[tuple[str, str]] = ()
) -> Document:
    """The page. `game`: what visitors may see of it. `drawn`: its parts now; None if they are not known. `near`: links
    to other games."""
    found = drawn or parts(game, FollowedGame(), now=0)
    facts = (
        words.without_store(game.game),
        which_game(game),
        "" if game.round is None else f"round {game.round}",
        f"clock {game.clock}",
        f"opening {game.opening}" if game.opening else "",
    )
    title = words.printable(" – ".join(game.players))
    state = element("p", found["state"], id="state", class_="verdict")
    body = [
        board_and_moves(found, state),
        element("p", "", id="status", class_="unseen", role="status"),
        element("noscript", element("p", "Load this page again to see the next moves: scripts are switched off.")),
    ]
    if game.status == "cancelled":
        body = [state]
    body.append(element("p", html.words(words.printable(" · ".join(filter(None, facts)))), class_="faint"))
    return frame.page(
        title,
        *body,
        *(element("p", link(*way)) for way in near),
        heading=" – ".join(player(game, name) for name in game.players),
        of=of,
        stream="" if game.status == "cancelled" else links.events(g=game.id),
        modules=("live.js",),
        styles=(board_style(), *STYLES),
    )


def board_and_moves(drawn: Mapping[str, str], *below: str) -> str:
    """The clocks, the board with the last move and what is `below` it, and the list of moves."""
    board = element(
        "section",
        element("h2", "Board", class_="unseen"),
        element("p", drawn["clocks"], id="clocks", class_="clocks"),
        element("div", drawn["board"], id="board", class_="step"),
        element("p", drawn["last"], id="last"),
        *below,
        class_="show",
    )
    listed = element("ol", drawn["moves"], id="moves", role="list", tabindex=0, aria_label="Moves")
    moves = element("section", element("h2", "Moves"), listed, class_="moves")
    return element("div", element("div", board, moves, class_="replay"), class_="interactive")
