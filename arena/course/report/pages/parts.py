"""Parts of several pages of a report: the frame, links, tables that scroll in a box, lists of games, numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Final

from arena.course.report.pages import addresses
from arena.history.pages import html
from arena.history.pages.html import element, words

if TYPE_CHECKING:
    from arena.course.report.gather import ListedGame, Report
    from arena.course.report.pages.addresses import Addresses

PER_PAGE: Final = 300
"""Number of games on one page."""
_LONG: Final = 100
"""A table with more rows scrolls in a box, below its headings."""
_MINUS: Final = "\N{MINUS SIGN}"


def frame(report: Report, at: str, title: str, *body: str, style: str = "") -> str:
    """The page at `at`, with links above `body` and the time of the report below. `style`: the style sheet of its
    pictures."""
    up = addresses.up(at)
    ways = [(addresses.FRONT, report.title), (addresses.GAMES, "All games")]
    nav = element(
        "nav",
        element("ul", *(element("li", link(f"{up}{page}", text, current=page == at)) for page, text in ways)),
        aria_label="This report",
    )
    made = f"As of {moment(report.made)}. Made by arena report."
    return html.document(
        title if at == addresses.FRONT else f"{title} · {report.title}",
        element("header", nav),
        element("main", element("h1", words(title)), *body),
        element("footer", words(made), class_="faint"),
        styles=(style, html.file("report.css", __package__)),
    ).text


def link(href: str, text: str, *, current: bool = False, aria_label: str | bool = False) -> str:
    """A link; `text` is escaped."""
    return element("a", words(text), href=href, aria_current="page" if current else False, aria_label=aria_label)


def linked(text: str, page: str | None, at: str, *, aria_label: str | bool = False) -> str:
    """A link from the page `at` to another page of the report; only the text if there is no such page."""
    return words(text) if page is None else link(addresses.up(at) + page, text, aria_label=aria_label)


def table(caption: str, columns: Sequence[tuple[str, str]], rows: Sequence[str], *, kind: str = "") -> str:
    """A table in a box that scrolls if it is too wide. `columns`: the heading of each, as markup, and its class."""
    head = element("tr", *(element("th", heading, scope="col", class_=kind or False) for heading, kind in columns))
    inside = element(
        "table",
        element("caption", words(caption), class_="unseen"),
        element("thead", head),
        element("tbody", *rows),
        class_=kind or False,
    )
    return box(caption, inside, long=len(rows) > _LONG)


def box(label: str, inside: str, *, long: bool = False) -> str:
    """Markup in a box that scrolls sideways, with the keyboard too. A `long` one has at most the window's height."""
    return element("div", inside, class_="wide long" if long else "wide", role="region", aria_label=label, tabindex=0)


def facts(values: Mapping[str, str]) -> str:
    """A list of facts: the name and the value of each."""
    pairs = (element("div", element("dt", name), element("dd", words(value))) for name, value in values.items())
    return element("dl", *pairs, class_="facts")


def name(agent: str, href: str, *, status: str = "", place: int | None = None) -> str:
    """The first cell of a line, with an agent's name. The style sheet cuts long names; `title` has the full name."""
    number = "" if place is None else element("small", str(place)) + " "
    return element("th", number, link(href, agent), status, scope="row", class_="name", title=agent)


def cell(inside: str, kind: str = "") -> str:
    """A cell; `inside` is markup."""
    return element("td", inside, class_=kind or False)


def figure(text: str, kind: str = "") -> str:
    """A cell with a number."""
    return cell(words(text), f"number {kind}".rstrip())


# Games.

_LONGEST_HEADING: Final = 14
"""Length limit of a name in the heading of a narrow column, in letters."""
_SOME_REPLAYED: Final = (
    "Games with a page to step through: {} of {}. They were lost by a fault; their numbers are links."
)
_NONE_REPLAYED: Final = "No game has a page to step through."
_NEAR: Final = 2
"""Number of links before and after the current part of a list."""


def games(
    where: Addresses, at: str, games: Sequence[ListedGame], *, of: str | None = None
) -> Iterator[tuple[str, str]]:
    """A list of games, in parts: the address of each part, and its markup. `of`: with the results of this agent."""
    parts = max(1, ceil(len(games) / PER_PAGE))
    several_rounds = len({game.round for game in games}) > 1
    replayed = sum(where.game(game) is not None for game in games)
    note = ""
    if replayed < len(games) and (where.replays or of is None):
        left_out = _SOME_REPLAYED.format(f"{replayed:,}", f"{len(games):,}") if where.replays else _NONE_REPLAYED
        note = element("p", words(left_out), class_="faint")
    for part in range(1, parts + 1):
        some = games[(part - 1) * PER_PAGE : part * PER_PAGE]
        rows = [_row(where, at, game, of, rounds=several_rounds) for game in some]
        columns = [("Game", ""), *([("Round", "number")] * several_rounds)]
        if of is not None:
            shortened = of if len(of) <= _LONGEST_HEADING else f"{of[: _LONGEST_HEADING - 1]}…"
            columns.append((f"For {words(shortened)}", "name"))
        columns += [("Players", ""), ("Result", ""), ("How it ended", ""), ("Plies", "number")]
        listed = table(f"Games, part {part} of {parts}" if parts > 1 else "Games", columns, rows)
        shown = listed if games else element("p", "No game has finished yet.")
        yield addresses.further(at, part), note + shown + _parts(at, part, parts)


def _row(where: Addresses, at: str, game: ListedGame, of: str | None, *, rounds: bool) -> str:
    number = str(game.number) if game.attempt == 1 else f"{game.number}, attempt {game.attempt}"
    named = linked(number, where.game(game), at, aria_label=f"Replay game {number}")
    ended = words(game.ended) + "".join(element("span", words(note), class_="note") for note in game.notes)
    return element(
        "tr",
        element("th", named, scope="row"),
        *([figure("" if game.round is None else str(game.round))] * rounds),
        *([cell(*outcome(game, of))] if of is not None else []),
        cell(" – ".join(map(words, game.players)), "players"),
        cell(words(result(game.points)), "result"),
        cell(ended, "ended"),
        figure("" if game.plies is None else str(game.plies)),
    )


def _parts(at: str, part: int, parts: int) -> str:
    """Links to other parts of a list: the first, the last and the nearest ones."""
    if parts == 1:
        return ""
    base = at.rpartition("/")[2]
    shown = [n for n in range(1, parts + 1) if n in (1, parts) or abs(n - part) <= _NEAR]
    ways = []
    for before, other in pairwise([0, *shown]):
        if other > before + 1:
            ways.append(element("li", "…", class_="faint"))
        way = link(addresses.further(base, other), str(other), current=other == part, aria_label=f"Part {other}")
        ways.append(element("li", way))
    return element("nav", element("ul", *ways), aria_label="Parts of the list", class_="parts")


def outcome(game: ListedGame, name: str) -> tuple[str, str]:
    """The result for this player in one word, and its CSS class."""
    if game.points is None:
        return "no result", "faint"
    own = game.points[game.players.index(name)]
    return (
        ("won", "good") if own == 1.0 else ("lost", "bad") if own == 0.0 else ("drew" if own == 0.5 else share(own), "")
    )


# Numbers in words.


def share(points: float) -> str:
    """Points, with ½ for a half."""
    whole, rest = divmod(round(points, 2), 1.0)
    if rest == 0.5:
        return f"{whole:.0f}½" if whole else "½"
    return f"{points:.2f}".rstrip("0").rstrip(".")


def result(points: Sequence[float] | None) -> str:
    """The points of each seat; a star if there is no result."""
    return "∗" if points is None else " – ".join(map(share, points))


def whole(value: float) -> str:
    """A rating, rounded to a whole number."""
    return f"{round(value) + 0}".replace("-", _MINUS)


def percent(value: float | None) -> str:
    """A share of all points, in percent."""
    return "–" if value is None else f"{value:.1%}".replace("%", " %")


def moment(at: object) -> str:
    """A date and time, to the minute."""
    return f"{at:%Y-%m-%d %H:%M} UTC"
