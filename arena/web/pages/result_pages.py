"""The pages of results: front page, ladder or tournament, games, agent; and the page that says what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from agents.protocol import Verdict
from arena.history.words import ENDS, counted, moment
from arena.pages import event
from arena.pages.drawing import Document
from arena.ratings.plots import PlottedLine, Point
from arena.results import figures, listings
from arena.results.columns import Cell, Column, Links, Listing, named
from arena.results.listings import Met
from arena.results.report import Report
from arena.web import links
from arena.web.links import TournamentLinks, Wanted
from arena.web.own import Own
from arena.web.pages import frame
from arena.web.results import (
    MOST_FOUND,
    AgentView,
    GamesPart,
    Goal,
    Heading,
    Overview,
    PlayingGame,
    Thing,
    VersionCurve,
    WorstLoss,
)

LADDER: Final = "ladder"
_WITH_SCREENS: Final = ("page.js", "screens.js")
_MOST_PLAYING: Final = 20
"""Games in progress that are listed."""
_LEADERS: Final = 3
"""Agents that share the first place are named."""
_RESULTS: Final = {"win": "won", "draw": "drew", "loss": "lost"}
_VERDICTS: Final = {Verdict.NORMAL: "by the rules", Verdict.VOID: "does not count"} | {
    verdict: f"a player {words}" for verdict, words in ENDS.items()
}
BACK: Final = ((links.HOME, "Back to the start"),)
"""The way on from a page that says what is wrong."""


def message(title: str, text: str, *, drawn: Callable[..., Document] = frame.drawn) -> Document:
    """A page that says what is wrong. `drawn`: draws the template in its frame."""
    return drawn("message.html", title, text=text, ways=BACK)


# The front page.


def home(overview: Overview, *, signed_in: bool, mine: Own | None = None) -> Document:
    """The front page. `mine`: what an author has; `signed_in`: whether its reader has signed in, and sees more than
    visitors."""
    shown = overview.playing[:_MOST_PLAYING]
    events = (("Ladders", overview.ladders), ("Tournaments", overview.tournaments))
    return frame.drawn(
        "home.html",
        "Ladders and tournaments",
        at=links.HOME,
        json=links.API,
        stream=links.events(front=""),
        modules=_WITH_SCREENS,
        mine=[] if mine is None else [*_mine(mine, overview)],
        playing=[_playing(game) for game in shown],
        counted=f"{counted(len(overview.playing), 'game')} in progress",
        more=len(overview.playing) - len(shown),
        events=[(caption, [_event(one) for one in headings]) for caption, headings in events if headings],
        signed_in=signed_in,
    )


def _mine(own: Own, overview: Overview) -> Iterator[dict[str, Any]]:
    """The agents of an author: rank, rating, and the game that each plays now."""
    title = own.ladder.title
    for one in own.agents:
        playing = next((g.id for g in overview.playing if g.title == title and one.name in g.players), None)
        rated = one.rating is not None and one.error is not None
        facts = {
            "Rank": str(one.rank) if one.rank else "",
            "Rating": f"{figures.whole(one.rating)} ± {one.error:.0f}" if rated else "not rated yet",
            "In a day": one.change,
            "Games": f"{one.games:,}" if one.games else "",
        }
        yield {
            "name": one.name,
            "href": links.agent(title, one.name),
            "of": title,
            "playing": "" if playing is None else links.game(playing),
            "facts": {name: value for name, value in facts.items() if value},
        }


def _event(one: Heading) -> dict[str, Any]:
    """A ladder or tournament."""
    games = f"{one.over:,}" if one.planned in (None, one.over) else f"{one.over:,} of {one.planned:,}"
    facts = {"Agents": f"{one.agents:,}", "Games": games}
    is_closed = one.status == "running" and one.closes is not None and one.closes <= datetime.now(UTC)
    if one.finished is not None:
        facts["Finished"] = moment(one.finished)
    elif one.closes is not None:
        facts["Closed" if is_closed else "Closes"] = moment(one.closes)
    return {
        "title": one.title,
        "href": links.tournament(one.title),
        "what": f"{one.game}, {one.format}",
        "status": "closed" if is_closed else one.status,
        "is_running": one.status == "running" and not is_closed,
        "leads": "Winner" if one.status == "finished" else "First",
        "leaders": one.leaders[:_LEADERS],
        "more": len(one.leaders[_LEADERS:]),
        "facts": facts,
    }


def _playing(game: PlayingGame) -> Mapping[str, Any]:
    number = f"game {game.number if game.title else game.id}"
    return {
        "players": [(name, links.agent(game.title, name) if game.title else None) for name in game.players],
        "of": game.title,
        "href": links.game(game.id),
        "number": number + ("" if game.round is None else f", round {game.round}"),
    }


def found(words: str, things: Sequence[Thing]) -> Document:
    """What these words found."""
    columns: list[Column[Thing]] = [
        Column("name", "Name", value=lambda one: named(one.name, one.href, person=one.person), heads=True, kind="name"),
        Column("kind", "What it is", value=lambda one: one.kind),
        Column("of", "In", value=lambda one: one.of),
    ]
    return frame.drawn(
        "found.html",
        "Find",
        words=words,
        listing=Listing(caption="What was found", columns=columns, rows=things),
        is_cut=len(things) == MOST_FOUND,
    )


# A ladder or tournament.


def standings(heading: Heading, report: Report) -> Document:
    """The standings of a tournament, or of a ladder, whose agents are ranked by rating."""
    own = TournamentLinks(heading.title)
    is_ladder = heading.format == LADDER
    return frame.drawn(
        "event.html",
        heading.title,
        of=heading,
        at=links.tournament(heading.title),
        made=report.made,
        json=links.api(heading.title),
        stream=links.events(t=heading.title),
        modules=_WITH_SCREENS,
        has_screens=heading.status == "running",
        broad=True,
        about=event.about_ladder(report, heading.closes, heading.finished) if is_ladder else event.about(report, own),
        standings=event.ladder(report, own) if is_ladder else event.standings(report, own),
        bracket=None,
        crosstable=None,
    )


def crosstable(heading: Heading, report: Report) -> Document:
    """The points of the first agents against each other."""
    return frame.drawn(
        "crosstable.html",
        "Crosstable",
        of=heading,
        at=links.crosstable(heading.title),
        made=report.made,
        json=links.api(heading.title, "crosstable"),
        broad=True,
        crosstable=event.crosstable(report, TournamentLinks(heading.title)),
    )


def bracket(heading: Heading, report: Report) -> Document:
    """The bracket of a knockout."""
    return frame.drawn(
        "bracket.html",
        "Bracket",
        of=heading,
        at=links.bracket(heading.title),
        made=report.made,
        json=links.api(heading.title),
        bracket=event.bracket(report, TournamentLinks(heading.title)),
    )


# Games.


def games(part: GamesPart) -> Document:
    """A part of the list of a tournament's games, with a form to filter it. Every choice is part of the address."""
    title, wanted = part.heading.title, part.wanted
    filtered = any(getattr(wanted, name) is not None for name in wanted.__struct_fields__)
    own = TournamentLinks(title)
    ways = ((part.newer, "‹ Newer games"), (part.older, "Older games ›"))
    listed = {
        "note": "",
        "listing": listings.games(part.games, own, rounds=part.rounds > 1, of=wanted.player, people=part.people),
        "nothing": "No game matches." if filtered else "No game has finished yet.",
        "ways": [
            Cell(text=text, href=links.games(title, wanted, cursor)) for cursor, text in ways if cursor is not None
        ],
    }
    return frame.drawn(
        "games.html",
        "Games",
        of=part.heading,
        at=links.games(title),
        json=links.api(title, "games", wanted),
        filter={"action": links.games(title), "choices": _choices(part), "filtered": filtered},
        score=None,
        games=listed,
    )


def _choices(part: GamesPart) -> list[dict[str, Any]]:
    """The choices of the form: the values of each, with their texts."""
    wanted = part.wanted
    agents = [(name, name) for name in part.agents]
    verdicts = [(verdict, _VERDICTS.get(Verdict(verdict), verdict)) for verdict in part.verdicts]
    rounds = [(str(number), str(number)) for number in range(1, part.rounds + 1)]

    def choice(
        name: str, label: str, values: Iterable[tuple[str, str]], chosen: str | None, none: str = "any"
    ) -> dict[str, Any]:
        return {"name": name, "label": label, "options": [*values], "chosen": chosen, "none": none}

    choices = [
        choice("player", "Player", agents, wanted.player),
        choice("opponent", "Opponent", agents, wanted.opponent),
        choice("result", "Result of the player", _RESULTS.items(), wanted.result),
        choice("verdict", "How it ended", verdicts, wanted.verdict),
    ]
    if part.rounds > 1:
        chosen = None if wanted.round is None else str(wanted.round)
        choices.append(choice("round", "Round", rounds, chosen, "all"))
    return choices


# An agent.


def agent(view: AgentView) -> Document:
    """An agent: its ratings over time by version, its worst losses, its opponents and its latest games."""
    title, name = view.heading.title, view.agent.name
    own = TournamentLinks(title)
    picture = _ratings(view.curves) or event.agent_progress(view.agent)
    met = [Met(one.name, one.points, one.games) for one in view.opponents]
    rounds = any(game.round is not None for game in view.latest)
    return frame.drawn(
        "agent.html",
        name,
        of=view.heading,
        made=view.made,
        json=links.api(title, "a", name=name),
        above=[(links.tournament(title), title)],
        about={
            "person": view.person,
            "facts": event.agent_facts(view.agent, made=view.made, by_rating=view.heading.format == LADDER),
            "version": view.version,
            "handed_in": [(str(id), links.submission(id)) for id in view.handed_in],
            "goal": _goal(view),
            "challenge": {"at": links.CHALLENGE, "opponent": name, "agents": view.challengers},
            "playing": "" if view.playing is None else links.game(view.playing),
            "ratings": picture,
            "worst": _worst(view.worst, own),
            "opponents": listings.opponents(name, met, own),
            "faults": [],
        },
        games={
            "heading": "Latest games",
            "note": "",
            "listing": listings.games(view.latest, own, rounds=rounds, of=name, caption="Latest games"),
            "nothing": "No game has finished yet.",
            "ways": [],
        },
        more=links.games(title, Wanted(player=name)) if view.latest else "",
    )


def _goal(view: AgentView) -> str:
    """How far the agent of an author has come; empty if it is not rated yet."""
    rated = view.agent.rated
    return "" if rated is None or rated.rank is None else goal(rated.rating, view.goals)


def goal(rating: float | None, goals: Iterable[Goal]) -> str:
    """How far an agent with this rating has come; empty if it has none."""
    return "" if rating is None else event.rating_goal(rating, [(one.name, one.anchor, one.rating) for one in goals])


def _ratings(curves: Sequence[VersionCurve]) -> event.RatingPlot | None:
    """The ratings of all versions, one after the other; None if there is no curve."""
    lines, played = [], 0
    for curve in curves:
        points = tuple(Point(played + point.games, point.rating, point.error) for point in curve.points)
        lines.append(PlottedLine(f"version {curve.number}", points))
        played += curve.points[-1].games if curve.points else 0
    if not any(len(line.points) > 1 for line in lines):
        return None
    text = "Each version is rated by its own games. The band is the 95 % error of the rating."
    return event.rating_plot(lines, title="Rating over time", x="game", text=text)


def _worst(losses: Sequence[WorstLoss], own: Links) -> Listing[WorstLoss] | None:
    """Lost games against the lowest rated opponents; None if it has not lost."""
    if not losses:
        return None

    def game(loss: WorstLoss) -> Cell:
        number = f"Game {loss.game.number}"
        label = f"Replay game {loss.game.number} against {loss.opponent}"
        return Cell(text=number, href=own.game(loss.game), label=label)

    columns: list[Column[WorstLoss]] = [
        Column(
            "opponent",
            "Opponent",
            value=lambda loss: named(loss.opponent, own.agent(loss.opponent)),
            heads=True,
            kind="name",
        ),
        Column("rating", "Its rating", value=lambda loss: figures.whole(loss.rating), number=True),
        Column("game", "Game", value=game),
        Column("ended", "How it ended", value=lambda loss: loss.game.ended, kind="ended"),
    ]
    return Listing(caption="Worst losses", columns=columns, rows=losses)
