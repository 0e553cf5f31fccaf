"""A list of games as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from arena.pages import parts
from arena.pages.html import element, words

if TYPE_CHECKING:
    from arena.pages.links import Links
    from arena.results.report import ListedGame

_LONGEST_HEADING: Final = 14
"""Length limit of a name in the heading of a narrow column, in letters."""


def table(
    games: Sequence[ListedGame],
    links: Links,
    *,
    rounds: bool,
    of: str | None = None,
    caption: str = "Games",
    people: Mapping[str, str] | None = None,
) -> str:
    """The games as a table. `rounds`: with the round of each game; `of`: with the results of this agent; `people`: who
    is behind agents."""
    rows = [_row(links, game, of, people or {}, rounds=rounds) for game in games]
    columns = [("Game", ""), *([("Round", "number")] * rounds)]
    if of is not None:
        shortened = of if len(of) <= _LONGEST_HEADING else f"{of[: _LONGEST_HEADING - 1]}…"
        columns.append((f"For {words(shortened)}", "name"))
    columns += [("Players", ""), ("Result", ""), ("How it ended", ""), ("Plies", "number")]
    return parts.table(caption, columns, rows)


def _row(links: Links, game: ListedGame, of: str | None, people: Mapping[str, str], *, rounds: bool) -> str:
    number = str(game.number) if game.attempt == 1 else f"{game.number}, attempt {game.attempt}"
    named = parts.linked(number, links.game(game), aria_label=f"Replay game {number}")
    ended = element("span", words(game.ended), class_="brief")
    ended += "".join(element("span", words(note), class_="note") for note in game.notes)
    behind = " – ".join(people.get(name, name) for name in game.players) if people.keys() & {*game.players} else ""
    return element(
        "tr",
        element("th", named, scope="row"),
        *([parts.figure("" if game.round is None else str(game.round))] * rounds),
        *([parts.cell(*outcome(game, of))] if of is not None else []),
        parts.cell(parts.players(game.players, links.agent) + parts.behind(behind), "players"),
        parts.cell(words(parts.result(game.points)), "result"),
        parts.cell(ended, "ended"),
        parts.figure("" if game.plies is None else str(game.plies)),
    )


def outcome(game: ListedGame, name: str) -> tuple[str, str]:
    """The result for this player in one word, and its CSS class."""
    if game.points is None:
        return "no result", "faint"
    match game.points[game.players.index(name)]:
        case 1.0:
            return "won", "good"
        case 0.0:
            return "lost", "bad"
        case 0.5:
            return "drew", ""
        case points:
            return parts.share(points), ""
