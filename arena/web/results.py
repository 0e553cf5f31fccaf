"""Reads what pages and JSON show from the record, also of one agent, and what a word finds: values with public names
only, in one short transaction each.

Every function takes a connection and the names that visitors see. Ratings are read, never computed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from agents.protocol import Verdict
from arena.course.aliases import ShownNames, listed_game, public_rules
from arena.course.roster import folded
from arena.ratings import recorded
from arena.ratings.ranking import Ranking
from arena.ratings.recorded import VersionRating
from arena.results.report import Lately, ListedGame, Report, ReportedAgent, leaders, reported_agents
from arena.serve.open_ladders import final_of, ladder_before
from arena.tournament.standings import TournamentStandings
from arena.web import links
from arena.web.links import Wanted
from arena.web.page_values import BadQuery, number_in
from arena.web.permissions import SeenNames, What, may
from db import games as record
from db import ladder, lookup, running, web
from db.database import Connection
from db.errors import NotFound
from db.ladder import FORMAT as LADDER
from db.ladder import RatingPoint
from db.records import PastGame, in_zone, moment_of
from db.search import GameFilter

PART: Final = 50
"""Number of games in a part of a list."""
_LED: Final = 8
"""Ladders and tournaments, the newest, whose leader the front page names: fewer than have their standings kept."""
_QUICK: Final = 20_000
"""Games of a tournament whose leader the front page names."""
_LAST_GAMES: Final = 5
"""Last results of an agent that its row shows."""
_CURVE: Final = 24
"""Points of its rating over time there."""


class Titled(Struct, frozen=True, kw_only=True):
    """A tournament or ladder: what the links above its pages need."""

    id: int
    title: str
    """Its public name, which is also its name in addresses."""
    format: str
    """Such as "round-robin"; "ladder" for a ladder."""
    is_managed: bool = False
    """Whether the viewer manages it."""
    beside: tuple[str, str] | None = None
    """The final of a ladder, or the ladder of a final: what it is, and its public name."""


class Heading(Titled, frozen=True, kw_only=True):
    """What stands above the pages of its results."""

    game: str
    clock: str
    status: str
    """running, stopped or finished; a ladder is finished when its final is."""
    agents: int
    over: int
    """Number of finished games."""
    planned: int | None
    """Number of games planned, as far as known; None for a ladder, which goes on."""
    finished: datetime | None
    closes: datetime | None
    """When a ladder takes its last submission; None for other formats."""
    leaders: Sequence[str] = ()
    """Who has the first place, on the front page; of a ladder, by rating."""


class PlayingGame(Struct, frozen=True, kw_only=True):
    """A game in progress."""

    id: int
    title: str
    """The tournament's; empty for a game without a tournament."""
    round: int | None
    number: int
    players: Sequence[str]
    """In the order of the seats."""


class Overview(Struct, frozen=True, kw_only=True):
    """What the front page shows."""

    ladders: Sequence[Heading]
    tournaments: Sequence[Heading]
    """The newest first."""
    playing: Sequence[PlayingGame]


class GamesPart(Struct, frozen=True, kw_only=True):
    """A part of a list of games, the newest first."""

    heading: Heading
    wanted: Wanted
    games: Sequence[ListedGame]
    newer: str | None
    """The cursor of the part with the games before these; None at the beginning. "" is the first part."""
    older: str | None
    """The cursor of the part with the games after these; None at the end."""
    agents: Sequence[str]
    """The players to choose from, sorted."""
    verdicts: Sequence[str]
    """The verdicts to choose from."""
    rounds: int
    """Number of rounds to choose from; 0: the games have none."""
    people: Mapping[str, str] = {}
    """Who is behind the agents, by their public names; empty for viewers who may not see that."""


class VersionCurve(Struct, frozen=True, kw_only=True):
    """The rating of a version over time."""

    number: int
    points: Sequence[RatingPoint]
    """Oldest first; at most 200, the last one included."""


class WorstLoss(Struct, frozen=True, kw_only=True):
    """A lost game, with the rating of the opponent."""

    game: ListedGame
    opponent: str
    rating: float
    """The opponent's rating now."""


class Opponent(Struct, frozen=True, kw_only=True):
    """The games of an agent against another one."""

    name: str
    games: int
    points: float
    """Of the agent."""


class AgentView(Struct, frozen=True, kw_only=True):
    """What the page of an agent shows."""

    heading: Heading
    agent: ReportedAgent
    version: int | None
    """The number of the version that plays now; None for agents without versions of their own."""
    curves: Sequence[VersionCurve]
    """Versions in the order of their numbers."""
    worst: Sequence[WorstLoss]
    """At most 10, the loss against the lowest rated opponent first."""
    opponents: Sequence[Opponent]
    """In the order of the standings."""
    latest: Sequence[ListedGame]
    """The last 20 games, the newest first."""
    made: datetime
    person: str = ""
    """Who is behind the agent; empty if the viewer may not see that."""
    goals: Sequence[Goal] = ()
    """The weakest first."""
    playing: int | None = None
    """The id of a game that it plays now."""
    challengers: Sequence[str] = ()
    """The viewer's agents that can challenge it."""
    handed_in: Sequence[int] = ()
    """Its last submissions, the newest first; none if the viewer may not see them."""


class Goal(Struct, frozen=True):
    """An anchor that authors want to beat."""

    name: str
    anchor: str
    rating: float


def goals(connection: Connection, tournament: int, names: ShownNames) -> list[Goal]:
    """The goals of a ladder: its named anchors, or else all of them."""
    anchors = lookup.anchors(connection, [tournament])
    named = running.settings(connection, tournament).get(LADDER, {}).get("goals") or {name: name for name in anchors}
    found = [Goal(name, names.shown[anchor], anchors[anchor]) for name, anchor in named.items() if anchor in anchors]
    return sorted(found, key=lambda one: one.rating)


def overview(connection: Connection, names: SeenNames) -> Overview:
    """What the front page shows."""
    titles, shown = names.titles(connection), names.read(connection)
    states = web.tournaments(connection)
    headings = [_heading(connection, state, titles, shown) for state in states if state.id in titles]
    headings = [
        replace(one, leaders=_leaders(connection, names, one, shown) if place < _LED else ())
        for place, one in enumerate(headings)
    ]
    playing = [
        PlayingGame(
            id=game.id,
            title=titles[game.tournament],
            round=game.round,
            number=game.number,
            players=tuple(shown.shown[name] for name in game.players),
        )
        for game in running.in_progress(connection)
        if game.tournament in titles
    ]
    return Overview(
        ladders=[one for one in headings if one.format == LADDER],
        tournaments=[one for one in headings if one.format != LADDER],
        playing=playing,
    )


def _leaders(connection: Connection, names: SeenNames, about: Heading, shown: ShownNames) -> list[str]:
    """Those of the agents that take part who are first; none if nothing has been played, or so much that counting takes
    long."""
    if not about.over or about.over > _QUICK:
        return []
    agents, _, _ = reported(connection, names, about, shown)
    return leaders([one for one in agents if not one.left])


def titled(connection: Connection, names: SeenNames, tournament: int) -> Titled:
    """What the links above the tournament's pages need: no game is counted."""
    format, titles = running.format(connection, tournament), names.titles(connection)
    return Titled(
        id=tournament,
        title=titles[tournament],
        format=format,
        is_managed=may(names.viewer, What.MANAGE),
        beside=_beside(connection, titles, lookup.tournament_name(connection, tournament), format),
    )


def _beside(connection: Connection, titles: Mapping[int, str], name: str, format: str) -> tuple[str, str] | None:
    """The final of the ladder of this name, or the ladder of the final, if the viewer may see it."""
    what, other = ("Final", final_of(name)) if format == LADDER else ("Ladder", ladder_before(name))
    found = running.tournament(connection, other)
    if found is None or found["id"] not in titles or (what == "Ladder" and found["format"] != LADDER):
        return None
    return what, titles[found["id"]]


def heading(connection: Connection, names: SeenNames, tournament: int) -> Heading:
    """What stands above each page of the tournament's results."""
    (state,) = names.briefly(tournament, lambda: web.tournaments(connection, tournament))
    titles = names.titles(connection)
    found = _heading(connection, state, titles, names.read(connection))
    beside = _beside(connection, titles, lookup.tournament_name(connection, tournament), found.format)
    return replace(found, is_managed=may(names.viewer, What.MANAGE), beside=beside)


def _heading(connection: Connection, state: web.WebTournament, titles: Mapping[int, str], names: ShownNames) -> Heading:
    over = state.games.get("finished", 0) + state.games.get("void", 0)
    waiting = state.games.get("scheduled", 0) + state.games.get("playing", 0)
    terms, status, finished = None, state.status, state.finished
    if state.format == LADDER:
        terms = state.settings.get(LADDER)
        final = running.tournament(connection, final_of(lookup.tournament_name(connection, state.id)))
        if final is not None and final["status"] == "finished":
            status, finished = "finished", final["finished"]
    return Heading(
        id=state.id,
        title=titles[state.id],
        format=state.format,
        game=public_rules(state.rules, names),
        clock=state.clock,
        status=status,
        agents=state.entries,
        over=over,
        planned=None if state.format == LADDER else over + waiting,
        finished=moment_of(finished),
        closes=None if terms is None else _closes(terms),
    )


def _closes(terms: Mapping[str, Any]) -> datetime | None:
    """When a ladder closes, in its time zone."""
    closes = moment_of(terms["closes"])
    return closes and in_zone(closes, terms.get("zone", ""))


def report(
    connection: Connection, names: SeenNames, tournament: int, *, now: datetime, with_latest: bool = False
) -> Report:
    """Standings, ratings, crosstable and bracket; `with_latest`: each agent with what happened lately to it.

    A ladder's agents are in the order of their ratings, and have the ranks of these. Its anchors and agents without a
    rating have none: `standing.rank` is 0."""
    about, shown = heading(connection, names, tournament), names.read(connection)
    agents, found, ranking = reported(connection, names, about, shown)
    if with_latest:
        agents = _with_latest(connection, about, agents, shown, now)
    return Report(
        title=about.title,
        game=about.game,
        clock=about.clock,
        format=about.format,
        status=about.status,
        over=about.over,
        planned=about.over if about.planned is None else about.planned,
        made=now,
        agents=agents,
        bracket=found.bracket,
        head_to_head=found.results.head_to_head,
        ranking=ranking,
        test=found.test,
        own_clocks={shown.shown[name]: clock for name, clock in running.own_clocks(connection, tournament).items()},
        people=names.people(connection, tournament),
    )


def reported(
    connection: Connection, names: SeenNames, about: Heading, shown: ShownNames
) -> tuple[list[ReportedAgent], TournamentStandings, Ranking | None]:
    """The agents in their order, with the standings and the ranking that they are from."""
    found = names.standings(connection, about.id, shown.shown)

    def compute() -> tuple[list[ReportedAgent], Ranking | None]:
        rated = [replace(one, name=shown.shown[one.name]) for one in web.last_ratings(connection, about.id)]
        anchors = {shown.shown[name] for name in lookup.anchors(connection, [about.id])}
        is_ladder = about.format == LADDER
        ranking = _ranking(rated, found, anchors, one_scale=is_ladder)
        points = {
            one.name: RatingPoint(datetime.fromisoformat(one.time), one.rating, one.error, one.games)
            for one in rated
            if one.is_current
        }
        agents = [
            replace(one, recorded=points.get(one.name)) for one in reported_agents(found, ranking, _versions(rated))
        ]
        return _by_rating(agents, ranking) if is_ladder else agents, ranking

    agents, ranking = names.reported(about.id, found, web.last_rating(connection, about.id), compute)
    return agents, found, ranking


def _with_latest(
    connection: Connection, about: Heading, agents: Sequence[ReportedAgent], shown: ShownNames, now: datetime
) -> list[ReportedAgent]:
    """The agents with what happened lately to each."""
    results = web.last_results(connection, about.id, players=len(agents), most=_LAST_GAMES)
    ratings = web.sampled_ratings(connection, about.id, most=_CURVE, now=now)
    playing = {name: game.id for game in running.in_progress(connection, about.id) for name in game.players}
    of = {
        alias: Lately(
            results=results.get(name, ()),
            ratings=curve,
            before=before,
            playing=playing.get(name),
        )
        for name, alias in shown.shown.items()
        for curve, before in [ratings.get(name, ((), None))]
    }
    return [replace(agent, lately=of.get(agent.name, Lately())) for agent in agents]


def _ranking(
    rated: Sequence[web.VersionNow], found: TournamentStandings, anchors: Collection[str], *, one_scale: bool
) -> Ranking | None:
    """The ranking by the recorded ratings; None if there are none yet."""
    current = {one.name: recorded.RecordedRatings(one.rating, one.error) for one in rated if one.is_current}
    return recorded.ranking(current, found.results, anchors=anchors, one_scale=one_scale) if current else None


def _versions(rated: Sequence[web.VersionNow]) -> dict[str, list[VersionRating]]:
    """The rating of each version, by the name of its agent."""
    found: dict[str, list[VersionRating]] = {}
    for one in rated:
        version = VersionRating(f"{one.name}@{one.number}", one.time, one.games, one.rating, one.error, None)
        found.setdefault(one.name, []).append(version)
    return found


def _by_rating(agents: Sequence[ReportedAgent], ranking: Ranking | None) -> list[ReportedAgent]:
    """A ladder's agents in the order of the ranking and with its ranks; then those without a rating."""
    found = {agent.name: agent for agent in agents}
    rated = [found[player.name] for player in ([] if ranking is None else ranking.players)]
    return [
        replace(agent, standing=replace(agent.standing, rank=0 if agent.rated is None else agent.rated.rank or 0))
        for agent in (*rated, *(one for one in agents if one.rated is None))
    ]


# Lists of games.


def games_part(
    connection: Connection, names: SeenNames, tournament: int, wanted: Wanted, cursor: str = ""
) -> GamesPart:
    """A part of the list of games that are over; NotFound if `wanted` names an agent that is not there, BadQuery if a
    value is invalid or no part has given this cursor."""
    shown = names.read(connection)
    found, newer, older = past_games(connection, shown, tournament, wanted, cursor)
    return GamesPart(
        heading=heading(connection, names, tournament),
        wanted=wanted,
        games=[listed_game(game, shown) for game in found],
        newer=newer,
        older=older,
        agents=sorted(own_names(connection, tournament, shown), key=str.casefold),
        verdicts=[*Verdict],
        rounds=web.last_round(connection, tournament),
        people=names.people(connection, tournament),
    )


def past_games(
    connection: Connection, names: ShownNames, tournament: int, wanted: Wanted, cursor: str
) -> tuple[list[PastGame], str | None, str | None]:
    """The games of a `GamesPart` as they are recorded, and its cursors: newer, older."""
    asked = _filter(wanted, own_names(connection, tournament, names))
    listed = partial(web.part, connection, tournament, asked, round=wanted.round, most=PART + 1)
    at = _read_cursor(connection, tournament, cursor)
    found = listed(cursor=at)
    if at is not None and at.newer and len(found) <= PART:
        at, found = None, listed()  # the first part, and a full one
    is_newer = at is not None and at.newer
    has_older = is_newer or len(found) > PART
    found = found[-PART:] if is_newer else found[:PART]
    newer = None if at is None or not found else f"{_NEWER}{found[0].id}"
    return found, newer, f"{_OLDER}{found[-1].id}" if has_older and found else None


_NEWER: Final = "newer-"
_OLDER: Final = "older-"


def _read_cursor(connection: Connection, tournament: int, cursor: str) -> web.Cursor | None:
    if not cursor:
        return None
    for prefix in (_NEWER, _OLDER):
        game = number_in(cursor.removeprefix(prefix)) if cursor.startswith(prefix) else None
        if game is not None and web.has_ended(connection, tournament, game):
            return web.Cursor(game, newer=prefix == _NEWER)
    raise BadQuery("cursor: expected one that a list of these games has given; begin again without it")


def own_names(connection: Connection, tournament: int, names: ShownNames) -> dict[str, str]:
    """The agents of the tournament: public name -> recorded name."""
    return {names.shown[name]: name for name in lookup.entry_statuses(connection, tournament)}


def own_name(own: Mapping[str, str], alias: str) -> str:
    """The recorded name of that agent; NotFound if there is none."""
    if alias not in own:
        raise NotFound("There is no agent of this name in this tournament.")
    return own[alias]


def _filter(wanted: Wanted, own: Mapping[str, str]) -> GameFilter:
    """The same conditions with recorded names, without the round; BadQuery or NotFound if one is invalid."""
    if wanted.player is None and (wanted.opponent is not None or wanted.result is not None):
        raise BadQuery("opponent and result: choose a player, too")
    if wanted.result is not None and wanted.result not in _RESULTS:
        raise BadQuery(f"result: expected {_one_of(_RESULTS)}, got {wanted.result!r}")
    if wanted.verdict is not None and wanted.verdict not in {*Verdict}:
        raise BadQuery(f"verdict: expected {_one_of([*Verdict])}, got {wanted.verdict!r}")
    return GameFilter(
        agent=None if wanted.player is None else own_name(own, wanted.player),
        opponent=None if wanted.opponent is None else own_name(own, wanted.opponent),
        result=wanted.result,
        verdict=wanted.verdict,
    )


_RESULTS: Final = ("win", "draw", "loss")


def _one_of(values: Sequence[str]) -> str:
    return ", ".join(values[:-1]) + " or " + values[-1]


# What the page of one agent shows: its rating over time, its worst losses and its opponents.


_WORST: Final = 10
_LATEST: Final = 20
_HANDED_IN: Final = 5
_POINTS: Final = 200
"""Ratings in a curve, at most."""
_ROOM: Final = 20
"""Losses that are read in addition to `_WORST`: rulings can take them away."""


def agent_view(
    connection: Connection,
    names: SeenNames,
    tournament: int,
    alias: str,
    *,
    served: str = "",
    now: datetime | None = None,
) -> AgentView:
    """What the page of the agent with this public name shows; NotFound if there is none. `served`: the ladder that the
    director serves, whose submissions have pages. `now`: by default the present time."""
    shown = names.read(connection)
    name = own_name(own_names(connection, tournament, shown), alias)
    about = heading(connection, names, tournament)
    agents, found, _ = reported(connection, names, about, shown)
    agent = next(one for one in agents if one.name == alias)
    met = {other: games for (one, other), games in found.results.head_to_head.items() if one == alias}
    curves = web.curves(connection, tournament, name, most=_POINTS)
    return AgentView(
        heading=about,
        agent=agent,
        version=web.current_version(connection, tournament, name),
        curves=[VersionCurve(number=number, points=points) for number, points in curves.items()],
        worst=_worst(connection, tournament, name, agents, shown),
        opponents=[
            Opponent(name=one.name, games=met[one.name].games, points=met[one.name].points)
            for one in agents
            if one.name in met
        ],
        latest=[
            listed_game(game, shown) for game in web.part(connection, tournament, GameFilter(agent=name), most=_LATEST)
        ],
        made=now or datetime.now(UTC),
        person=names.people(connection, tournament).get(alias, ""),
        handed_in=[one.id for one in ladder.submissions(connection, tournament, author=name, most=_HANDED_IN)]
        if may(names.viewer, What.CHECK) and lookup.tournament_name(connection, tournament) == served
        else [],
        goals=goals(connection, tournament, shown),
        playing=next((game.id for game in running.in_progress(connection, tournament) if name in game.players), None),
    )


def _worst(
    connection: Connection, tournament: int, name: str, agents: Sequence[ReportedAgent], names: ShownNames
) -> list[WorstLoss]:
    """The losses of the version that plays now against the lowest rated opponents; of one opponent the newest first."""
    ratings = {agent.name: agent.rated.rating for agent in agents if agent.rated is not None}
    losses = [
        (rating, loss.game, opponent)
        for loss in web.losses(connection, tournament, name)
        if (rating := ratings.get(opponent := names.shown[loss.opponent])) is not None
    ]
    lowest = sorted(losses, key=lambda loss: (loss[0], -loss[1]))[: _WORST + _ROOM]
    games = {game.id: game for game in record.games(connection, [game for _, game, _ in lowest])}
    return [
        WorstLoss(game=listed_game(games[game], names), opponent=opponent, rating=rating)
        for rating, game, opponent in lowest
        if _is_lost(games[game], name)
    ][:_WORST]


def _is_lost(game: PastGame, name: str) -> bool:
    """Whether the player lost, after rulings."""
    return game.counted is not None and game.counted[game.players.index(name)] == 0.0


# What a word finds: tournaments, agents and games that the viewer may see.


MOST_FOUND: Final = 50
"""Things that are listed."""

_GAME_WORDS: Final = re.compile(r"(?:game\s+)?([0-9]{1,18})", re.IGNORECASE)
_PAGES: Final = (
    ("Home", links.HOME),
    ("Play", links.play()),
    ("TV", links.TV),
    ("My page", links.ME),
    ("Hand in", links.SUBMIT),
)
_PAGES_OF: Final = (("Standings", links.tournament), ("Crosstable", links.crosstable), ("Games", links.games))


class Thing(Struct, frozen=True):
    """Something with a page."""

    kind: str
    name: str
    href: str
    of: str = ""
    """The tournament that it is in."""
    person: str = ""
    """Who is behind it, if the viewer may know."""


def find(connection: Connection, names: SeenNames, words: str) -> list[Thing]:
    """What has all these words in its name, at most `MOST`; exact names first."""
    wanted = folded(words).split()
    if not wanted:
        return []
    asked = _GAME_WORDS.fullmatch(words.strip())
    found = [] if asked is None else [*_games(connection, names.titles(connection), int(asked[1]))]
    for one in _named(connection, names):
        text = folded(f"{one.name} {one.person}")
        if all(word in text for word in wanted):
            found.append(one)
    return sorted(found, key=lambda one: folded(one.name) != " ".join(wanted))[:MOST_FOUND]


def _named(connection: Connection, names: SeenNames) -> Iterator[Thing]:
    titles, shown = names.titles(connection), names.read(connection).shown
    yield from (Thing("tournament", title, links.tournament(title)) for title in titles.values())
    people = {id: names.people(connection, id) for id in titles}
    for id, name in web.entered(connection):
        if id in titles:
            title, alias = titles[id], shown[name]
            yield Thing("agent", alias, links.agent(title, alias), title, people[id].get(alias, ""))
    yield from (Thing("page", name, address) for name, address in _PAGES)
    for title in titles.values():
        yield from (Thing("page", f"{name} of {title}", address(title), title) for name, address in _PAGES_OF)
        if may(names.viewer, What.MANAGE):
            yield Thing("page", f"Manage {title}", links.manage(title), title)


def _games(connection: Connection, titles: dict[int, str], number: int) -> Iterator[Thing]:
    """The games with this number in their tournaments, and that with this id."""
    for id, tournament, game in web.numbered(connection, number, 3 * MOST_FOUND):
        if tournament in titles:
            yield Thing("game", f"game {titles[tournament]}-{game}", links.game(id), titles[tournament])
