"""Numbers of results in words (points, shares, ratings with their errors, ranks), and as the small pictures in the rows
of standings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, floor
from typing import TYPE_CHECKING, Final

from adsearch.pictures.svg import element, number, pair, words
from arena.history.words import age, counted

if TYPE_CHECKING:
    from datetime import datetime

    from arena.results.report import ReportedAgent

_MINUS: Final = "\N{MINUS SIGN}"


def share(points: float) -> str:
    """Points, with ½ for a half."""
    whole, rest = divmod(round(points, 2), 1.0)
    if rest == 0.5:
        return f"{whole:.0f}½" if whole else "½"
    return f"{points:.2f}".rstrip("0").rstrip(".")


def points(number: float) -> str:
    """Points, with the word."""
    return f"{share(number)} {'point' if 0 < number <= 1 else 'points'}"


def mark(points: float, what: str) -> tuple[str, str, str]:
    """A result as a letter, as a class, and in words."""
    word = "won" if points > 0.5 else "lost" if points < 0.5 else "drawn"
    return word[0].upper(), word[0], f"{word}: {what}"


def result(points: Sequence[float] | None) -> str:
    """The points of each seat; a star if there is no result."""
    return "∗" if points is None else " – ".join(map(share, points))


def whole(value: float | None) -> str:
    """A rating, rounded to a whole number; a dash if there is none."""
    return "–" if value is None else f"{round(value) + 0}".replace("-", _MINUS)


def ratio(value: float) -> str:
    """A number with two digits after the point."""
    return f"{value:.2f}".replace("-", _MINUS)


def percent(value: float | None) -> str:
    """A share of all points, in percent."""
    return "–" if value is None else f"{value:.1%}".replace("%", " %")


def rank(agent: ReportedAgent, _: object = None) -> str:
    """The rank by rating; a dash if there is none."""
    return "–" if agent.rated is None or agent.rated.rank is None else str(agent.rated.rank)


def rating(agent: ReportedAgent) -> str:
    """The rating; a dash if there is none."""
    return whole(None if agent.rated is None else agent.rated.rating)


def error(agent: ReportedAgent) -> str:
    """The error of the rating; a dash if there is none."""
    return whole(None if agent.rated is None else agent.rated.error)


def change(now: float | None, before: float | None) -> str:
    """How much a rating changed, with its sign; empty if it is not known."""
    if now is None or before is None:
        return ""
    by = round(now - before)
    return f"{'+' if by > 0 else '' if by else '±'}{whole(by)}"


def rating_in_full(agent: ReportedAgent, now: datetime, *, marks: str = "") -> str:
    """The rating with its error, `marks`, the number of games that it is made of and its age; empty if there is none.

    Of a rating that is made of all games until now, number and age are left out."""
    if agent.rated is None or agent.rated.rating is None:
        return ""
    point = agent.recorded
    basis = "" if point is None or not point.games else f", from {counted(point.games, 'game')}, {age(point.time, now)}"
    return rating(agent) + ("" if agent.rated.error is None else f" ± {error(agent)}") + marks + basis


def possible_ranks(agent: ReportedAgent) -> str:
    """The ranks that the errors of the ratings allow; a dash if they are not known."""
    rated = agent.rated
    if rated is None or rated.rank_low is None or rated.rank_high is None:
        return "–"
    return str(rated.rank_low) if rated.rank_low == rated.rank_high else f"{rated.rank_low}–{rated.rank_high}"


def rank_by_rating(agent: ReportedAgent) -> str:
    """The rank of an agent of a ladder, with its possible ranks; a dash if it has none."""
    possible = possible_ranks(agent)
    return rank(agent) + f" (possibly {possible})" * ("–" in possible and rank(agent) != "–")


# The small pictures in the rows of standings, as SVG: a rating with its error, a rating over time, won-drawn-lost.


def scale(ratings: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The least and the greatest rating that a column of `whisker` shows, in whole hundreds. An error does not make it
    much wider than the ratings do."""
    least, most = min(rating for rating, _ in ratings), max(rating for rating, _ in ratings)
    room = max(100.0, (most - least) / 4)
    low = min(rating - min(error, room) for rating, error in ratings)
    high = max(rating + min(error, room) for rating, error in ratings)
    return 100.0 * floor(low / 100), 100.0 * max(ceil(high / 100), floor(low / 100) + 1)


def whisker(rating: float, error: float | None, low: float, high: float) -> str:
    """A rating as a dot, with a bar as long as its error on each side."""

    def at(value: float) -> str:
        return number(100.0 * (min(max(value, low), high) - low) / (high - low))

    shares_bar = element("line", x1=at(rating - (error or 0.0)), x2=at(rating + (error or 0.0)), y1=5, y2=5)
    said = whole(rating) + (f" ± {whole(error)}" if error else "")
    return _picture(
        "whisker",
        10.0,
        said,
        _lines(low, high),
        shares_bar,
        element("line", class_="dot", x1=at(rating), x2=at(rating), y1=5, y2=5),
    )


@lru_cache(16)
def _lines(low: float, high: float) -> str:
    """The lines behind all dots of a column, at whole hundreds."""
    step = 100.0 * max(1, round((high - low) / 400))
    places = (100.0 * step * count / (high - low) for count in range(int((high - low) / step) + 1))
    return element("path", class_="scale", d="".join(f"M{number(place)},0V10" for place in places))


def spark(ratings: Sequence[float]) -> str:
    """A rating over time; nothing for fewer than two."""
    if len(ratings) < 2:
        return ""
    low, high = min(ratings), max(ratings)
    room = max(high - low, 40.0)
    middle = (low + high) / 2
    points = " ".join(
        pair(100.0 * place / (len(ratings) - 1), 50.0 - 90.0 * (rating - middle) / room)
        for place, rating in enumerate(ratings)
    )
    return _picture(
        "spark",
        100.0,
        f"from {whole(ratings[0])} to {whole(ratings[-1])}",
        element("polyline", points=points),
    )


def shares_bar(won: int, drawn: int, lost: int) -> str:
    """The shares of games won, drawn and lost."""
    games = won + drawn + lost
    if not games:
        return ""
    parts, x = [], 0.0
    for kind, count in (("won", won), ("drawn", drawn), ("lost", lost)):
        width = 100.0 * count / games
        parts.append(element("rect", class_=kind, x=x, width=width, height=10) if count else "")
        x += width
    return _picture("bar", 10.0, "", *parts)


def _picture(kind: str, height: float, said: str, *parts: str) -> str:
    title = element("title", words(said)) if said else ""
    box = f"0 0 100 {number(height)}"
    hidden = "" if said else "true"
    return element(
        "svg",
        title,
        *parts,
        class_=kind,
        viewBox=box,
        preserveAspectRatio="none",
        role="img" if said else "",
        aria_hidden=hidden,
    )
