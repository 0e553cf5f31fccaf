"""The JSON of the web: complete, as declared, and without anything private."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.course import roster
from arena.history.documents import LISTED
from arena.web import api
from arena.web.page_values import Asked, BadQuery, NotThere
from arena.web.permissions import Names
from arena.web.results import Heading, Opponent, Overview, PlayingGame, VersionCurve
from arena.web.site import Site
from db.database import Database
from db.errors import NotFound
from db.ladder import RatingPoint
from tests.kit import web_record
from tests.kit.places import ROOT
from tests.kit.sample_record import X_WINS
from tests.kit.web_record import WebRecord


@pytest.fixture(scope="module")
def site(record: WebRecord) -> Iterator[Site]:
    names = Names(roster.read(record.roster.read_text("utf-8"), "roster.csv"))
    with Database(record.database) as database:
        yield cast("Site", SimpleNamespace(database=database, names=names, served=web_record.LADDER))


def asked(draw: Any, site: Site, query: dict[str, str] | None = None, **names: str) -> Any:
    return json.loads(draw(site, Asked(names, query or {})).body)


def everything(site: Site, record: WebRecord) -> Iterator[tuple[type, Any]]:
    """Every document, with what it is declared as."""
    front = asked(api.front, site)
    yield Overview, front
    for one in (*front["ladders"], *front["tournaments"]):
        title = one["title"]
        standings = asked(api.tournament, site, tournament=title)
        yield api.TournamentDocument, standings
        yield api.CrosstableDocument, asked(api.crosstable, site, tournament=title)
        yield api.GamesDocument, asked(api.games, site, tournament=title)
        for agent in standings["standings"]:
            yield api.AgentDocument, asked(api.agent, site, tournament=title, agent=agent["name"])
    for game in {*record.games} - {record.closed}:
        yield api.PlayedGame, asked(api.game, site, id=str(game))


def test_every_document_is_as_declared_and_nothing_private_is_in_it(site: Site, record: WebRecord) -> None:
    seen = set()
    for kind, document in everything(site, record):
        msgspec.convert(document, kind, strict=True)
        text = json.dumps(document, ensure_ascii=False)
        assert not web_record.secrets_in(text), kind
        assert str(record.folder) not in text
        assert "arena.store" not in text
        seen.add(kind)
    assert len(seen) == len(api._DOCUMENTS) - 1  # all but the error


def test_all_tournaments_are_on_the_front_page_and_the_game_in_progress(site: Site, record: WebRecord) -> None:
    front = asked(api.front, site)
    assert [one["title"] for one in front["ladders"]] == [web_record.LADDER]
    assert len(front["tournaments"]) == len(web_record.TITLES) - 1
    assert [game["id"] for game in front["playing"]] == [record.playing]


def test_the_moves_of_a_game_are_given_only_when_it_is_over(site: Site, record: WebRecord) -> None:
    over, playing = (asked(api.game, site, id=str(id)) for id in (record.replayed, record.playing))
    assert [move["move"] for move in over["moves"]] == X_WINS.split()
    assert playing["status"] == "playing"
    assert playing["moves"] == []


def test_the_fields_of_a_game_are_those_of_a_listing_without_seed_and_ruling(site: Site) -> None:
    """A ruling has the words of an instructor, and its effect is in the points."""
    assert {*api.GameDocument.__struct_fields__} == {*LISTED} - {"seed", "ruling"}


@pytest.mark.parametrize("id", ["0", "999999", "9" * 40, "-1", "1.5", "x", "²", ""])
def test_a_game_that_is_not_there_is_refused(site: Site, id: str) -> None:
    with pytest.raises(NotThere):
        api.game(site, Asked({"id": id}, {}))


def test_the_cursors_lead_through_all_games_and_back(site: Site) -> None:
    title = web_record.LADDER
    first = part = asked(api.games, site, tournament=title)
    ids = [game["id"] for game in part["games"]]
    while part["older"]:
        part = asked(api.games, site, {"cursor": part["older"]}, tournament=title)
        ids += [game["id"] for game in part["games"]]
    assert len(ids) == len({*ids}) == first["tournament"]["over"]
    while part["newer"]:
        part = asked(api.games, site, {"cursor": part["newer"]}, tournament=title)
    assert part == first


@pytest.mark.parametrize("cursor", ["older-", "older-0", "older-99999999999999999999", "newer-x", "x", "older-\u00b2"])
def test_a_cursor_that_no_list_has_given_is_refused(site: Site, cursor: str) -> None:
    with pytest.raises(BadQuery):
        asked(api.games, site, {"cursor": cursor}, tournament=web_record.LADDER)


def test_unknown_names_are_refused_without_naming_others(site: Site) -> None:
    for draw, names in ((api.tournament, {"tournament": "cs102"}), (api.agent, {"tournament": "cs101", "agent": "x"})):
        with pytest.raises(NotFound) as refused:
            draw(site, Asked(names, {}))
        assert not web_record.secrets_in(str(refused.value))


def test_the_schema_has_every_document() -> None:
    schema = asked(api.schema, cast("Site", None))
    assert {kind.__name__ for kind in api._DOCUMENTS} <= {*schema["$defs"]}


def test_the_documentation_lists_every_address_and_every_field() -> None:
    page = (ROOT / "docs" / "reference.md").read_text("utf-8")
    section = page.partition("### Pages of arena serve\n")[2].partition("\n##")[0]
    for path, *_ in api.ADDRESSES:
        address = path.replace("{tournament:segment}", "NAME").replace("{agent:segment}", "ALIAS")
        assert f"`{address.replace('{id:segment}', 'ID')}`" in section
    described = (Overview, Heading, PlayingGame, VersionCurve, RatingPoint, Opponent, api.LossDocument)
    documents = (api.TournamentDocument, api.GamesDocument, api.AgentDocument, api.SeatDocument, api.MoveDocument)
    for kind in (*described, *documents):
        for field in kind.__struct_fields__:
            assert f"`{field}`" in section, (kind, field)
