"""What several pages of a report have: their frame, tables that scroll in a box of their own, and lists of games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import TYPE_CHECKING, Final

from arena.course.pages import addresses
from arena.history.pages import html
from arena.history.pages.html import element, words

if TYPE_CHECKING:
    from arena.course.pages.addresses import Addresses
    from arena.course.report import Meeting, Report

AT_ONCE: Final = 300
"""So many games are on one page."""
_MINUS: Final = "\N{MINUS SIGN}"


def frame(report: Report, at: str, title: str, *body: str) -> str:
    """The page `at` that place: what leads back above, who made it below."""
    up = addresses.up(at)
    ways = [(addresses.FRONT, report.title), (addresses.GAMES, "All games")]
    nav = element(
        "nav",
        element("ul", *(element("li", link(f"{up}{page}", told, current=page == at)) for page, told in ways)),
        aria_label="This report",
    )
    made = f"As of {moment(report.made)}. Made by arena report."
    return html.document(
        title if at == addresses.FRONT else f"{title} · {report.title}",
        element("header", nav),
        element("main", element("h1", words(title)), *body),
        element("footer", words(made), class_="faint"),
        styles=(html.file("report.css", __package__),),
    )


def link(href: str, told: str, *, current: bool = False, **attributes: str) -> str:
    """A link, in words."""
    return element("a", words(told), href=href, aria_current="page" if current else False, **attributes)


def table(caption: str, columns: Sequence[tuple[str, str]], rows: Sequence[str], *, kind: str = "") -> str:
    """A table in a box that scrolls where there is too little room. `columns`: what each is called, and its class."""
    head = element("tr", *(element("th", told, scope="col", class_=kind or False) for told, kind in columns))
    inside = element(
        "table",
        element("caption", words(caption), class_="unseen"),
        element("thead", head),
        element("tbody", *rows),
        class_=kind or False,
    )
    return box(caption, inside)


def box(told: str, inside: str) -> str:
    """What is as wide as it must be, in a box that scrolls, by keys too."""
    return element("div", inside, class_="wide", role="region", aria_label=told, tabindex=0)


def name(agent: str, href: str, *, status: str = "", place: int | None = None) -> str:
    """The cell that a line is about: an agent. Long names are cut there, and told whole where they lead."""
    number = "" if place is None else element("small", str(place)) + " "
    return element("th", number, link(href, agent), status, scope="row", class_="name", title=agent)


def cell(told: str, kind: str = "") -> str:
    """A cell; `told` is markup."""
    return element("td", told, class_=kind or False)


def figure(told: str, kind: str = "") -> str:
    """A cell with a number."""
    return cell(words(told), f"number {kind}".rstrip())


# Games.

_SHORT: Final = 14
"""Letters of a name, where it heads a narrow column."""


def games(where: Addresses, at: str, games: Sequence[Meeting], *, of: str | None = None) -> Iterator[tuple[str, str]]:
    """A list of games, in parts: the page of each part, and its markup. `of`: as this agent sees them."""
    parts = max(1, ceil(len(games) / AT_ONCE))
    several_rounds = len({game.round for game in games}) > 1
    for part in range(1, parts + 1):
        some = games[(part - 1) * AT_ONCE : part * AT_ONCE]
        rows = [_row(where, at, game, of, rounds=several_rounds) for game in some]
        columns = [("Game", ""), *([("Round", "number")] * several_rounds)]
        columns += [] if of is None else [(f"For {words(of if len(of) <= _SHORT else f'{of[: _SHORT - 1]}…')}", "name")]
        columns += [("Players", ""), ("Result", ""), ("How it ended", ""), ("Plies", "number")]
        listed = table(f"Games, part {part} of {parts}" if parts > 1 else "Games", columns, rows)
        told = listed if games else element("p", "No game is over yet.")
        yield addresses.further(at, part), told + _parts(at, part, parts)


def _row(where: Addresses, at: str, game: Meeting, of: str | None, *, rounds: bool) -> str:
    page = where.game(game)
    number = str(game.number) if game.attempt == 1 else f"{game.number}, attempt {game.attempt}"
    named = words(number) if page is None else link(addresses.up(at) + page, number, aria_label=f"Replay game {number}")
    ended = words(game.ended) + "".join(element("span", words(note), class_="note") for note in game.notes)
    return element(
        "tr",
        element("th", named, scope="row"),
        *([figure("" if game.round is None else str(game.round))] * rounds),
        *([cell(*outcome(game, of))] if of is not None else []),
        cell(words(" – ".join(game.players)), "players"),
        cell(words(result(game.points)), "result"),
        cell(ended, "ended"),
        figure("" if game.plies is None else str(game.plies)),
    )


def _parts(at: str, part: int, parts: int) -> str:
    """What leads to the other parts of a list."""
    if parts == 1:
        return ""
    base = at.rpartition("/")[2]
    ways = (
        element(
            "li", link(addresses.further(base, other), str(other), current=other == part, aria_label=f"Part {other}")
        )
        for other in range(1, parts + 1)
    )
    return element("nav", element("ul", *ways), aria_label="Parts of the list", class_="parts")


def outcome(game: Meeting, name: str) -> tuple[str, str]:
    """What the game was for this player, in a word, and the class of that."""
    if game.points is None:
        return "no result", "faint"
    own = game.points[game.players.index(name)]
    return (
        ("won", "good") if own == 1.0 else ("lost", "bad") if own == 0.0 else ("drew" if own == 0.5 else share(own), "")
    )


# Numbers in words.


def share(points: float) -> str:
    """Points, with halves as people write them."""
    whole, rest = divmod(round(points, 2), 1.0)
    if rest == 0.5:
        return f"{whole:.0f}½" if whole else "½"
    return f"{points:.2f}".rstrip("0").rstrip(".")


def result(points: Sequence[float] | None) -> str:
    """The points of each seat; a star where there is no result."""
    return "∗" if points is None else " – ".join(map(share, points))


def whole(value: float) -> str:
    """A rating."""
    return f"{round(value) + 0}".replace("-", _MINUS)


def percent(value: float | None) -> str:
    """A share of all points."""
    return "–" if value is None else f"{value:.1%}".replace("%", " %")


def moment(at: object) -> str:
    """A time, to the minute."""
    return f"{at:%Y-%m-%d %H:%M} UTC"


def told(number: int, what: str) -> str:
    """So many of these."""
    return f"{number:,} {what}" + "s" * (number != 1)
