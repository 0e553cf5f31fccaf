"""One agent in a tournament or ladder, as values of the template agent.html."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from arena.pages.curves import Plot, ratings
from arena.ratings import plots
from arena.ratings.plots.dot_plot import MARKS
from arena.ratings.plots.line_plot import Line
from arena.ratings.points import APART
from arena.ratings.scale import expected_score
from arena.results import figures

if TYPE_CHECKING:
    from datetime import datetime

    from arena.results.columns import Links
    from arena.results.report import ListedGame, ReportedAgent


def facts(agent: ReportedAgent, *, made: datetime, reached: str = "", by_rating: bool = False) -> dict[str, str]:
    """The agent's rank, points, games and rating. `made`: when the page is made; `reached`: the round that it reached
    in a knockout; `by_rating`: of a ladder, whose ranks are those of the ratings."""
    one = agent.standing
    byes = f" ({figures.share(agent.byes)} for byes, rounds without an opponent)" if agent.byes else ""
    marks = "".join(f", {MARKS[mark]}" for mark in agent.rated.marks) if agent.rated is not None else ""
    known = {
        "Rank": figures.rank_by_rating(agent) if by_rating else str(one.rank) + f" in the {APART}" * one.apart,
        "Reached": reached,
        "Points": "" if by_rating else figures.share(one.points) + byes,
        "Games": f"{one.games:,}: {one.wins:,} won, {one.draws:,} drawn, {one.losses:,} lost",
        "By forfeit": f"{one.forfeits:,} of the games won" if one.forfeits else "",
        "Score": figures.percent(one.score),
        "Rating": figures.rating_in_full(agent, made, marks=marks),
        "Status": agent.left,
    }
    return {name: value for name, value in known.items() if value}


def goal(rating: float, goals: Iterable[tuple[str, str, float]]) -> str:
    """How far an agent with this rating has come: the last goal that it beats, and the next one. `goals`: the name, the
    anchor and the rating of each, the weakest first."""

    def called(name: str, anchor: str) -> str:
        return name if name == anchor else f"{name} ({anchor})"

    text = ""
    for name, anchor, held in goals:
        share = figures.percent(expected_score(rating - held)).replace(".0", "")
        if held > rating:
            away = f"{figures.whole(held - rating)} Elo away"
            return f"{text} Next goal: {called(name, anchor)}, {away}; now it would score {share}.".strip()
        text = f"It beats {called(name, anchor)} with {share}."
    return text


class RatingPlot(NamedTuple):
    """A plot of ratings, and what it means."""

    plot: Plot
    text: str


def progress(agent: ReportedAgent) -> RatingPlot | None:
    """The rating of each version; None if there is one alone."""
    if len(agent.versions) < 2:
        return None
    text = (
        "Every version is rated as a separate player, from all games, including those of earlier versions. The rating "
        "above counts only games between current versions, so it can differ from the last one here."
    )
    line = plots.of_versions(agent.name, agent.versions)
    return rating_plot([line], title="Rating of each version", x="version", text=text)


def rating_plot(lines: Sequence[Line], *, title: str, x: str, text: str) -> RatingPlot | None:
    """The plot of these ratings; None if there are none."""
    plot = ratings(lines, title=title, x=x)
    return None if plot is None else RatingPlot(plot, text)


def faults(agent: ReportedAgent, own: Sequence[ListedGame], links: Links) -> Iterator[tuple[str, str | None, str]]:
    """The games that the agent lost by its own fault: which, the address of each, and how it ended."""
    for game in own:
        if game.fault is not None and game.players[game.fault] == agent.name:
            notes = "".join(f" ({note})" for note in game.notes)
            number = f"Game {game.number}" + f", attempt {game.attempt}" * (game.attempt > 1)
            yield number, links.game(game), f"{game.ended}{notes}"
