"""Values of the pages of a tournament or ladder, and of an agent in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct

from arena.history.words import age, counted, moment
from arena.pages.game import Across, Plot, plot
from arena.ratings import plots
from arena.ratings.match_statistics import Hypothesis
from arena.ratings.plots import PlottedLine
from arena.ratings.points import APART
from arena.ratings.ranking import MARKS
from arena.ratings.scale import expected_score
from arena.results import figures, listings, standings_table
from arena.results.columns import Cell
from arena.tournament.format import Why

if TYPE_CHECKING:
    from datetime import datetime

    from arena.results.columns import Links
    from arena.results.report import ListedGame, Report, ReportedAgent
    from arena.tournament.format import Bracket, Series

_PODIUM: Final = 3
"""Places on it."""
_LETTERS: Final = " Agents without a place, such as anchors, have letters."
_FAULTS: Final = "Faults are games lost by misbehaviour: running out of time, an illegal move, a crash and so on."
_TIES: Final = (
    " Equal points are ranked by tie-breaks: points against each other, then results against strong opponents."
)
_WHY: Final = {
    Why.TIED: "tied: the higher seed goes through",
    Why.BYE: "bye",
    Why.PAIRED: "went through before a ruling",
}
"""Why a player went through, if the score does not show it."""


# What is played.


def about(report: Report, links: Links) -> dict[str, Any]:
    """What is played in a tournament, and whether it is over."""
    over = f"{report.over:,}" if report.over == report.planned else f"{report.over:,} of {report.planned:,}"
    notice = ""
    if report.status != "finished":
        how = "This tournament is still being played" if report.status == "running" else "This tournament was stopped"
        notice = f"{how}: {report.over:,} of {report.planned:,} games have finished (as of {moment(report.made)})."
    return {
        "facts": _facts(report, over),
        "notice": notice,
        "closing": (),
        "podium": podium(report, links),
        "test": _test(report),
    }


def about_ladder(report: Report, closes: datetime | None, finished: datetime | None) -> dict[str, Any]:
    """What is played in a ladder, and until when."""
    said = () if closes is None else closing(closes, finished, report.made)
    return {"facts": _facts(report, f"{report.over:,}"), "notice": "", "closing": said, "podium": [], "test": None}


def _test(report: Report) -> dict[str, Any] | None:
    """How the sequential test of a match stands between its bounds; None if there is none."""
    if (test := report.test) is None:
        return None
    found, claims = test.found, [test.terms.claim(each, test.other) for each in Hypothesis]
    share = (found.llr - found.lower) / (found.upper - found.lower)
    return {
        "outcome": test.outcome,
        "ends": [f"{each}: {claim}" for each, claim in zip(Hypothesis, claims, strict=True)],
        "bounds": [figures.ratio(bound) for bound in (found.lower, found.upper)],
        "at": f"{100 * min(max(share, 0.0), 1.0):.1f}",
        "llr": figures.ratio(found.llr),
        "pairs": counted(found.pairs, "pair"),
    }


def podium(report: Report, links: Links) -> list[tuple[int, Cell, str]]:
    """The place, name and points of each that has one of the first three places in a tournament that is over; nobody
    if these are all, or if many share a place."""
    first = [agent for agent in report.agents if agent.standing.games and agent.standing.rank <= _PODIUM]
    if report.status != "finished" or not _PODIUM <= len(first) < min(len(report.agents), 2 * _PODIUM):
        return []
    return [
        (one.standing.rank, Cell(text=one.name, href=links.agent(one.name)), figures.points(one.standing.points))
        for one in first
    ]


def closing(closes: datetime, finished: datetime | None, now: datetime) -> tuple[str, ...]:
    """When a ladder takes its last submission, and when its final was over, in parts: times are parts."""
    text = "It takes submissions until " if now < closes else "It closed "
    over = () if finished is None else (" Its final ended ", moment(finished), ".")
    return text, moment(closes), ".", *over


def _facts(report: Report, over: str) -> dict[str, str]:
    return {
        "Game": report.game,
        "Format": report.format,
        "Clock": "; ".join([report.clock, *(f"{name}: {clock}" for name, clock in report.own_clocks.items())]),
        "Agents": f"{len(report.agents):,}",
        "Games": over,
    }


# Standings.


def standings(report: Report, links: Links) -> dict[str, Any]:
    """The tables of all agents of a tournament, and what their columns mean."""
    note = _FAULTS
    if any(agent.standing.forfeits for agent in report.agents):
        note += " By forfeit: wins without a game, because the opponent was withdrawn or quarantined."
    if any(agent.byes for agent in report.agents):
        note += " For byes: points for rounds without an opponent, which count as won; they are part of the points."
    apart = any(agent.standing.apart for agent in report.agents)
    ranks = {(agent.standing.apart, agent.standing.points): agent.standing.rank for agent in report.agents}
    if report.bracket is None and any(
        ranks[agent.standing.apart, agent.standing.points] != agent.standing.rank for agent in report.agents
    ):
        note += _TIES
    note += _about_ratings(report)
    return {
        "listing": standings_table.standings(report, links),
        "apart": standings_table.standings(report, links, apart=True) if apart else None,
        "age": _age(report),
        "note": note,
    }


def ladder(report: Report, links: Links) -> dict[str, Any]:
    """The table of a ladder, and what its columns mean."""
    note = (
        "Rated games: those of which the rating is made, of the version that plays now; score, won, drawn and lost "
        "count the games between versions that play now. Possible ranks: the best and the worst rank that the errors "
        "of the ratings allow. An agent is surely better than another one if all its possible ranks are above those of "
        "the other. An anchor has a fixed rating. "
    ) + _FAULTS * any(agent.standing.faults for agent in report.agents)
    note = note.rstrip() + _about_ratings(report)
    return {"listing": standings_table.ladder(report, links), "apart": None, "age": _age(report), "note": note}


def _about_ratings(report: Report) -> str:
    """What the ratings and their bars mean; empty if nobody is rated."""
    found = report.ranking
    if found is None or not any(player.rating is not None for player in found.players):
        return ""
    text = (
        " Ratings are in Elo, computed from all rated games together: an agent rated 100 higher scores about 64 % "
        "against the other. The true rating is within the bar 95 times in 100; where bars overlap by much, it is not "
        "certain who is stronger."
    )
    if found.pools > 1:
        text += " Players that no games connect are in different pools: compare ratings only within a pool."
    return text


def _age(report: Report) -> str:
    """How old the ratings are that were recorded last."""
    times = [agent.recorded.time for agent in report.agents if agent.recorded is not None and agent.recorded.games]
    return f"The ratings are {age(max(times), report.made)}." if times else ""


# Who met whom.


def crosstable(report: Report, links: Links) -> dict[str, Any] | None:
    """The crosstable and how to read it; None if no game that counts has finished."""
    listing = listings.crosstable(report, links)
    if listing is None:
        return None
    letters = "" if all(map(str.isdigit, listings.places(report).values())) else _LETTERS
    if listings.is_sparse(report):
        text = f"Each number is the place of an agent that it met; green: won, red: lost.{letters}"
        return {"explanation": text, "listing": listings.met_whom(report, links)}
    games = listings.games_in_cells(report)
    text = "Each cell: the points of the row's agent against the column's agent, out of "
    text += f"{counted(max(games), 'game')}." if len(games) == 1 else "the number of games after the slash."
    if len(listing.rows) < len(report.agents):
        text += f" The table has the first {len(listing.rows)} of {len(report.agents):,} agents."
        text += " The page of each agent has all its opponents."
    return {"explanation": text + letters, "listing": listing}


class ShownBracket(Struct, frozen=True):
    """A bracket, as its template asks for it."""

    bracket: Bracket
    report: Report
    links: Links
    statuses: Mapping[str, str]

    def players(self, one: Series) -> Iterator[tuple[str | None, float]]:
        """The players of a series with their points, without the missing one of a bye."""
        for name, points in zip(one.players, one.points, strict=True):
            if name is not None or one.why is not Why.BYE:
                yield name, points

    def met(self, one: Series) -> Cell | None:
        """The number of their games, which leads to these; None if they have not met."""
        first, second = one.players
        met = None if first is None or second is None else self.report.head_to_head.get((first, second))
        if first is None or second is None or met is None:
            return None
        games = counted(met.games, "game")
        return Cell(text=games, href=self.links.pair(first, second), label=f"{games} of {first} against {second}")

    def why(self, one: Series) -> str:
        """Why a player went through if the points do not show it."""
        if one.why is Why.WITHDREW:
            return self.bracket.who_left(one, self.statuses)
        return "" if one.why is None else _WHY.get(one.why, "")


def bracket(report: Report, links: Links) -> ShownBracket | None:
    """The bracket; None if the format has none."""
    if report.bracket is None:
        return None
    return ShownBracket(report.bracket, report, links, {agent.name: agent.status or "" for agent in report.agents})


# One agent in a tournament or ladder, as values of the template agent.html.


def agent_facts(agent: ReportedAgent, *, made: datetime, reached: str = "", by_rating: bool = False) -> dict[str, str]:
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


def rating_goal(rating: float, goals: Iterable[tuple[str, str, float]]) -> str:
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


def agent_progress(agent: ReportedAgent) -> RatingPlot | None:
    """The rating of each version; None if there is one alone."""
    if len(agent.versions) < 2:
        return None
    text = (
        "Every version is rated as a separate player, from all games, including those of earlier versions. The rating "
        "above counts only games between current versions, so it can differ from the last one here."
    )
    line = plots.of_versions(agent.name, agent.versions)
    return rating_plot([line], title="Rating of each version", x="version", text=text)


def rating_plot(lines: Sequence[PlottedLine], *, title: str, x: str, text: str) -> RatingPlot | None:
    """The plot of these ratings with their error bands, over versions or games (`x`); None if there are none."""
    places = [point.x for line in lines for point in line.points] or [0.0]
    low, high = min(places), max(places)
    across = Across(low, max(high, low + 1), f"{x} {low:.0f}", f"{high:.0f}")
    made = plot(lines, across, "", title=title, unit="Elo")
    return None if made is None else RatingPlot(made, text)


def agent_faults(
    agent: ReportedAgent, own: Sequence[ListedGame], links: Links
) -> Iterator[tuple[str, str | None, str]]:
    """The games that the agent lost by its own fault: which, the address of each, and how it ended."""
    for game in own:
        if game.fault is not None and game.players[game.fault] == agent.name:
            notes = "".join(f" ({note})" for note in game.notes)
            number = f"Game {game.number}" + f", attempt {game.attempt}" * (game.attempt > 1)
            yield number, links.game(game), f"{game.ended}{notes}"
