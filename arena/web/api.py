"""The JSON of the web: what its pages show, with the fields that commands print with `--format json`.

The documents are declared below; the schema at /api/v1/schema is made of these declarations, and a field that is not
declared is not sent. docs/reference.md lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.course.aliases import ShownNames, public_rules
from arena.history import documents
from arena.history.documents import LISTED
from arena.ratings import points
from arena.ratings.ranking import Ranked
from arena.results.columns import Medium, document
from arena.results.report import ReportedAgent, reported_agents
from arena.results.standings_table import STANDINGS
from arena.web import results
from arena.web.links import API, FILTERS, wanted
from arena.web.live_record import LiveRecord
from arena.web.page_values import JSON, Asked, Drawn, NotThere, number_in
from arena.web.permissions import VISITOR, SeenNames, shown_game
from arena.web.results import Heading, Opponent, Overview, VersionCurve, agent_view
from arena.web.site import Site, of_tournament
from db.database import Connection
from db.records import MoveRecord, PastGame, PastSeat
from db.scores import HeadToHead

StandingDocument = msgspec.defstruct(
    "StandingDocument",
    # On a ladder `rank` is that by rating; null for anchors and for agents without a rating.
    [(one.name, one.type) for one in STANDINGS if Medium.JSON in one.on],
    kw_only=True,
    namespace={"__doc__": "A line of the standings, as `arena results` prints it."},
)


class TournamentDocument(Struct, kw_only=True):
    """A tournament or ladder."""

    tournament: Heading
    standings: list[StandingDocument]  # type: ignore[valid-type]
    ratings: Sequence[Ranked] | None
    """The players as `arena results rank` prints them; null if there are no ratings yet."""


class CrosstableDocument(Struct, kw_only=True):
    """All against all, as `arena results crosstable` prints it."""

    players: list[str]
    cells: list[list[HeadToHead | None]]


def _part_of(record: type[Struct], name: str, about: str, fields: Iterable[str], **others: Any) -> Any:
    """A document with these fields of a record, some of other types, and nothing else of it."""
    types = get_type_hints(record) | others
    return msgspec.defstruct(
        name, [(field, types[field]) for field in fields], kw_only=True, namespace={"__doc__": about}
    )


_Points = list[float | None] | None
_OF_GAMES: Final = tuple(name for name in LISTED if name not in ("seed", "ruling"))
_TYPES: Final[dict[str, Any]] = {"players": list[str], "points": _Points, "utilities": _Points}
GameDocument = _part_of(
    PastGame, "GameDocument", "A game, as `arena results history` prints it, without its seed.", _OF_GAMES, **_TYPES
)
SeatDocument = _part_of(
    PastSeat, "SeatDocument", "The player in a seat.", ("seat", "player", "version", "spent", "longest")
)
MoveDocument = _part_of(
    MoveRecord,
    "MoveDocument",
    "A ply, without what the agent said about it.",
    ("ply", "who", "move", "spent", "left"),
)


class PlayedGame(GameDocument, kw_only=True):  # type: ignore[misc, valid-type, call-arg]
    """A game with its moves, as `arena replay --show` prints it; without moves until it is over."""

    seats: list[SeatDocument]  # type: ignore[valid-type]
    moves: list[MoveDocument]  # type: ignore[valid-type]


class GamesDocument(Struct, kw_only=True):
    """A part of a list of games, the newest first."""

    tournament: Heading
    games: list[GameDocument]  # type: ignore[valid-type]
    newer: str | None
    """The `cursor` of the part before this one; null if this is the first."""
    older: str | None
    """The `cursor` of the part after this one; null if this is the last."""


class LossDocument(Struct, kw_only=True):
    """A game that the agent lost against an opponent with that rating."""

    game: int
    opponent: str
    rating: float


class AgentDocument(Struct, kw_only=True):
    """An agent in a tournament."""

    tournament: Heading
    standing: StandingDocument  # type: ignore[valid-type]
    rating: Ranked | None
    version: int | None
    """The number of the version that plays now."""
    curves: Sequence[VersionCurve]
    worst: list[LossDocument]
    opponents: Sequence[Opponent]


class ErrorDocument(Struct, kw_only=True):
    """Why there is no answer."""

    error: str


_DOCUMENTS: Final = (
    *(Overview, TournamentDocument, CrosstableDocument, GamesDocument, PlayedGame, AgentDocument, ErrorDocument),
)


def _drawn(document: object) -> Drawn:
    return Drawn(msgspec.json.encode(document), JSON)


def refusal(text: str) -> Drawn:
    """The answer to a request that has none."""
    return _drawn(ErrorDocument(error=text))


def front(site: Site, asked: Asked) -> Drawn:
    """All ladders, tournaments and games in progress."""
    with site.database.reading() as connection:
        return _drawn(results.overview(connection, site.names.seen_by(asked.viewer)))


def schema(_: Site, __: Asked) -> Drawn:
    """The JSON schema of all documents."""
    components = msgspec.json.schema_components(_DOCUMENTS, ref_template="#/$defs/{name}")[1]
    return _drawn({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": components})


def tournament(site: Site, asked: Asked) -> Drawn:
    """A tournament with its standings and ratings."""
    with of_tournament(site, asked) as (connection, names, id):
        found = results.report(connection, names, id, now=datetime.now(UTC))
        lines = _standings(connection, names, id)
        heading = results.heading(connection, names, id)
    return _drawn(
        TournamentDocument(
            tournament=heading,
            standings=[_line(lines, agent.name, agent.standing.rank) for agent in found.agents],
            ratings=None if found.ranking is None else found.ranking.players,
        )
    )


def crosstable(site: Site, asked: Asked) -> Drawn:
    """The crosstable, in the order of the points."""
    with of_tournament(site, asked) as (connection, names, id):
        found = names.standings(connection, id, names.read(connection).shown)
    table = points.crosstable(found.results, found.statuses, found.byes, found.order)
    return _drawn(CrosstableDocument(players=table.players, cells=table.cells))


def games(site: Site, asked: Asked) -> Drawn:
    """A part of the list of games."""
    with of_tournament(site, asked) as (connection, names, id):
        shown, heading = names.read(connection), results.heading(connection, names, id)
        cursor = asked.query.get("cursor", "")
        found, newer, older = results.past_games(connection, shown, id, wanted(asked.query), cursor)
    listed = [_with_public_rules(shown_game(VISITOR, one, shown, heading.title), shown) for one in found]
    return _drawn(
        GamesDocument(
            tournament=heading,
            games=[msgspec.convert(documents.heading(one), GameDocument) for one in listed],
            newer=newer,
            older=older,
        )
    )


def agent(site: Site, asked: Asked) -> Drawn:
    """An agent in a tournament."""
    with of_tournament(site, asked) as (connection, names, id):
        found = agent_view(connection, names, id, asked.names["agent"])
        lines = _standings(connection, names, id)
    return _drawn(
        AgentDocument(
            tournament=found.heading,
            standing=_line(lines, found.agent.name, found.agent.standing.rank),
            rating=found.agent.rated,
            version=found.version,
            curves=found.curves,
            worst=[LossDocument(game=one.game.id, opponent=one.opponent, rating=one.rating) for one in found.worst],
            opponents=found.opponents,
        )
    )


def game(site: Site, asked: Asked) -> Drawn:
    """A game, with its moves if it is over."""
    id, record = number_in(asked.names["id"]), LiveRecord(site.database, site.names.seen_by(asked.viewer), site.served)
    found = None if id is None else record.whole_game(id)
    if found is None:
        raise NotThere("there is no such game")
    with site.database.reading() as connection:
        shown = site.names.read(connection)
    return _drawn(msgspec.convert(documents.whole(_with_public_rules(found.shown, shown)), PlayedGame))


def _with_public_rules(game: PastGame, names: ShownNames) -> PastGame:
    """The game without the folder of its rules: in the record they are a file in the store."""
    return replace(game, game=public_rules(game.game, names))


def _standings(connection: Connection, names: SeenNames, tournament: int) -> dict[str, ReportedAgent]:
    """The lines of the standings by the agents' names."""
    found = names.standings(connection, tournament, names.read(connection).shown)
    return {one.name: one for one in reported_agents(found)}


def _line(lines: Mapping[str, ReportedAgent], name: str, rank: int) -> Struct:
    return msgspec.convert(document(lines[name], STANDINGS) | {"rank": rank or None}, StandingDocument)


ADDRESSES: Final[tuple[tuple[Any, ...], ...]] = (
    (API, front),
    (f"{API}/schema", schema),
    (f"{API}/t/{{tournament:segment}}", tournament),
    (f"{API}/t/{{tournament:segment}}/crosstable", crosstable),
    (f"{API}/t/{{tournament:segment}}/games", games, *FILTERS),
    (f"{API}/t/{{tournament:segment}}/a/{{agent:segment}}", agent),
    (f"{API}/g/{{id:segment}}", game),
)
"""Each address with the function that draws what is there, and its parameters."""
