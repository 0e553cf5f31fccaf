"""Numbers of results in words: points, shares, ratings with their errors, ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

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
