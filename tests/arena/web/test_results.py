"""What pages show: the same results as on the terminal, in parts that lead through all games."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.course.report import gather
from arena.pages import event
from arena.ratings.points import Standing
from arena.results import listings, standings_table
from arena.results.report import ReportedAgent, leaders
from arena.serve.rating import TournamentRatings
from arena.web import api, app, results
from arena.web.links import TournamentLinks, Wanted
from arena.web.page_values import Asked, BadQuery
from arena.web.pages import result_pages
from arena.web.permissions import MEMBER, Names
from arena.web.results import agent_view
from arena.web.site import Site
from db import lookup, store
from db.database import Connection, Database
from db.errors import NotFound
from db.ladder import standings
from tests.kit import ladder_record, sample_record
from tests.kit.arena_program import arena

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def database(folder: Path) -> Iterator[Database]:
    """The sample record with ratings, and the ladder "standing"."""
    sample_record.make(folder / "arena.db")
    with Database(str(folder / "arena.db")) as database:
        description = ladder_record.DESCRIPTION.replace('"cs101"', '"standing"')
        ladder_record.store_ladder(database, folder, description)
        TournamentRatings().rate(database, NOW)
        yield database


@pytest.fixture
def connection(database: Database) -> Iterator[Connection]:
    with database.reading() as connection:
        yield connection


def found(connection: Connection, name: str) -> int:
    return lookup.find_tournament(connection, name)


@pytest.mark.parametrize("name", ["cs101", "evening"])
def test_a_tournament_is_as_its_report_says(connection: Connection, name: str) -> None:
    whole, _ = gather(connection, found(connection, name), None, now=NOW)
    shown = results.report(connection, Names().seen_by(MEMBER), found(connection, name), now=NOW)
    for field in ("title", "game", "clock", "format", "status", "over", "planned", "made", "bracket", "head_to_head"):
        assert getattr(shown, field) == getattr(whole, field), field
    for one, other in zip(shown.agents, whole.agents, strict=True):
        assert (one.name, one.standing, one.status, one.byes) == (other.name, other.standing, other.status, other.byes)
        assert (one.rated is None) == (other.rated is None)
        if one.rated is not None and other.rated is not None:
            assert (one.rated.rank, one.rated.pool) == (other.rated.rank, other.rated.pool)
            assert one.rated.rating == pytest.approx(other.rated.rating)


def test_a_ladder_is_in_the_order_of_its_ratings_and_its_anchors_have_no_rank(connection: Connection) -> None:
    ladder = found(connection, "standing")
    lines = standings(connection, ladder)
    report = results.report(connection, Names().seen_by(MEMBER), ladder, now=NOW)
    rated = [line for line in lines if line.rating is not None]
    assert [agent.rated.rating for agent in report.agents if agent.rated] == [line.rating for line in rated]
    ranks = {agent.name: agent.standing.rank for agent in report.agents}
    assert {name for name, rank in ranks.items() if rank == 0} == {"random", "alphabeta:depth=1"}
    assert sorted(rank for rank in ranks.values() if rank) == [1, 2, 3]
    (alice,) = (agent for agent in report.agents if agent.name == "alice")
    assert [one.version for one in alice.versions] == ["alice@1", "alice@2"]
    about = results.heading(connection, Names().seen_by(MEMBER), ladder)
    assert (about.closes, about.planned) == (ladder_record.CLOSES, None)


def test_the_crosstable_of_a_ladder_has_the_places_of_the_standings_and_letters_for_anchors(
    connection: Connection,
) -> None:
    report = results.report(connection, Names().seen_by(MEMBER), found(connection, "standing"), now=NOW)
    own, about = TournamentLinks("standing"), cast("Any", event.crosstable(report, TournamentLinks("standing")))
    ranked, crossed = standings_table.ladder(report, own), listings.crosstable(report, own)
    assert crossed is not None
    rank = {one.name: ranked.columns[0].said(one) for one in report.agents}
    for table in (crossed, listings.met_whom(report, own)):
        place = {name: place for place, name in table.rows}
        assert {name: at for name, at in place.items() if at.isdigit()} == {
            name: at for name, at in rank.items() if at != "–"
        }
        assert sorted(at for at in place.values() if not at.isdigit()) == ["a", "b"]
    assert [column.short for column in crossed.columns[1:]] == [at for at, _ in crossed.rows]
    assert "Agents without a place, such as anchors, have letters." in about["explanation"]


def test_a_ladder_is_finished_when_its_final_is(tmp_path: Path) -> None:
    with Database(str(tmp_path / "arena.db")) as database:
        ladder = ladder_record.store_ladder(database, tmp_path)
        site = cast("Site", SimpleNamespace(database=database, names=Names()))
        asked = Asked({"tournament": "cs101"}, {}, MEMBER)
        with database.writing() as connection:
            final = sample_record.Book(connection).tournament(ladder.final, "tictactoe")
        assert ">finished" not in app.home(site, asked).body.decode()
        assert "Its final ended" not in app.standings(site, asked).body.decode()
        with database.writing() as connection:
            store.set_status(connection, final, "finished", NOW)
        site = cast("Site", SimpleNamespace(database=database, names=Names()))
        home = app.home(site, asked).body.decode()
        assert (home.count(">finished<"), home.count(">2026-06-01 00:00 UTC<")) == (2, 2)
        page = app.standings(site, asked).body.decode()
        assert '<a href="/t/cs101%20final">Final</a>' in page
        asked = Asked({"tournament": "cs101 final"}, {}, MEMBER)
        assert '<a href="/t/cs101">Ladder</a>' in app.standings(site, asked).body.decode()
        assert "Its final ended 2026-06-01 00:00 UTC." in re.sub("<[^>]*>", "", page)


def test_page_json_and_terminal_have_the_same_ranks_and_none_for_anchors(database: Database, folder: Path) -> None:
    site = cast("Site", SimpleNamespace(database=database, names=Names(), served="standing"))
    asked = Asked({"tournament": "standing"}, {}, MEMBER)
    shown = arena("ladder", "show", "standing", "--db", str(folder / "arena.db"), "--format", "json")
    ranks = {player["name"]: player["rank"] for player in json.loads(shown.out)["players"]}
    assert [*ranks.values()].count(None) == 2
    document = json.loads(api.tournament(site, asked).body)
    for table in ("standings", "ratings"):
        assert {player["name"]: player["rank"] for player in document[table]} == ranks
    page = app.standings(site, asked).body.decode()
    table = page.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = [re.sub("<[^>]*>", " ", row.replace("<wbr>", "")).split() for row in table.split("</tr>")[:-1]]
    assert {name: None if rank == "–" else int(rank) for rank, name, *_ in rows} == ranks
    assert [row[2] for row in rows if row[0] == "–"] == ["anchor", "anchor"]
    for name, rank in ranks.items():
        of_agent = Asked({"tournament": "standing", "agent": name}, {}, MEMBER)
        assert json.loads(api.agent(site, of_agent).body)["standing"]["rank"] == rank
        found = re.search("<dt>Rank</dt>\\s*<dd>([^< ]*)", app.agent(site, of_agent).body.decode())
        assert found is not None
        assert found[1] == ("–" if rank is None else str(rank))


def test_the_parts_of_a_list_have_every_game_once_in_both_directions(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "PART", 3)
    names = Names().seen_by(MEMBER)
    for name in ("cs101", "evening", "standing"):
        tournament = found(connection, name)
        parts = [results.games_part(connection, names, tournament, Wanted())]
        while (cursor := parts[-1].older) is not None:
            parts.append(results.games_part(connection, names, tournament, Wanted(), cursor))
        ids = [game.id for part in parts for game in part.games]
        monkeypatch.setattr(results, "PART", 1000)
        assert ids == [game.id for game in results.games_part(connection, names, tournament, Wanted()).games]
        monkeypatch.setattr(results, "PART", 3)
        assert len(ids) == len({*ids}) == len(gather(connection, tournament, None, now=NOW)[0].games)
        assert parts[0].newer is None
        back = parts[-1]
        for before in parts[-2::-1]:
            assert back.newer is not None
            back = results.games_part(connection, names, tournament, Wanted(), back.newer)
            assert [game.id for game in back.games] == [game.id for game in before.games]
        assert back == parts[0]


def test_filters_find_what_a_look_at_every_game_finds(connection: Connection) -> None:
    tournament, names = found(connection, "cs101"), Names().seen_by(MEMBER)
    every = gather(connection, tournament, None, now=NOW)[0].games
    kinds = {"win": 1.0, "draw": 0.5, "loss": 0.0}
    for player, opponent, result, round in product(("ann", "bob"), (None, "cleo", "dan"), (None, *kinds), (None, 1, 2)):
        wanted = Wanted(player=player, opponent=opponent, result=result, round=round)
        expected = {
            game.id
            for game in every
            if player in game.players
            and (opponent is None or opponent in game.players)
            and (round is None or game.round == round)
            and (
                result is None or (game.points is not None and game.points[game.players.index(player)] == kinds[result])
            )
        }
        part = results.games_part(connection, names, tournament, wanted)
        assert {game.id for game in part.games} == expected, wanted
    timed = results.games_part(connection, names, tournament, Wanted(verdict="time"))
    assert [game.fault for game in timed.games] == [1]


@pytest.mark.parametrize(
    "wanted",
    [Wanted(opponent="ann"), Wanted(result="win"), Wanted(player="ann", result="won"), Wanted(verdict="x' OR 1=1")],
)
def test_a_filter_that_means_nothing_is_refused(connection: Connection, wanted: Wanted) -> None:
    with pytest.raises(BadQuery):
        results.games_part(connection, Names().seen_by(MEMBER), found(connection, "cs101"), wanted)


def test_an_unknown_agent_and_a_cursor_of_another_tournament_are_refused(connection: Connection) -> None:
    course, evening, names = found(connection, "cs101"), found(connection, "evening"), Names().seen_by(MEMBER)
    with pytest.raises(NotFound):
        results.games_part(connection, names, course, Wanted(player="nobody"))
    with pytest.raises(NotFound):
        agent_view(connection, names, course, sample_record.HOSTILE)
    other = results.games_part(connection, names, evening, Wanted()).games[0].id
    with pytest.raises(BadQuery):
        results.games_part(connection, names, course, Wanted(), f"older-{other}")


def test_an_agent_has_its_worst_losses_first_after_rulings(connection: Connection) -> None:
    names = Names().seen_by(MEMBER)
    for name in ("cs101", "standing"):
        tournament = found(connection, name)
        report = results.report(connection, names, tournament, now=NOW)
        ratings = {agent.name: agent.rated.rating for agent in report.agents if agent.rated is not None}
        for agent in report.agents:
            view = agent_view(connection, names, tournament, agent.name)
            assert view.agent.standing == agent.standing
            assert [one.rating for one in view.worst] == sorted(one.rating for one in view.worst)
            for one in view.worst:
                assert one.game.points is not None
                assert one.game.points[one.game.players.index(agent.name)] == 0.0
                assert ratings[one.opponent] == one.rating
            assert {one.name for one in view.opponents} == {
                other for me, other in report.head_to_head if me == agent.name
            }
            assert all(agent.name in game.players for game in view.latest)


def test_a_rating_curve_is_thinned_but_keeps_its_last_point(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = found(connection, "standing")
    whole = agent_view(connection, Names().seen_by(MEMBER), ladder, "bob").curves
    assert [len(curve.points) for curve in whole] == [2]
    monkeypatch.setattr(results, "_POINTS", 1)
    (thin,) = agent_view(connection, Names().seen_by(MEMBER), ladder, "bob").curves
    assert thin.points == whole[0].points[-1:]


def test_the_front_page_has_ladders_and_tournaments_apart(connection: Connection) -> None:
    overview = results.overview(connection, Names().seen_by(MEMBER))
    assert [one.title for one in overview.ladders] == ["standing"]
    assert [one.title for one in overview.tournaments] == ["cs101", "evening"]
    assert overview.playing == []


@pytest.mark.costly
def test_each_kind_of_database_answers(where: str) -> None:
    sample_record.make(where)
    names = Names().seen_by(MEMBER)
    with Database(where) as database:
        TournamentRatings().rate(database, NOW)
        with database.reading() as connection:
            assert len(results.overview(connection, names).tournaments) == 2
            course = found(connection, "cs101")
            for player, opponent, result in product((None, "ann"), (None, "bob"), (None, "win")):
                if player is not None or opponent is result is None:
                    wanted = Wanted(player=player, opponent=opponent, result=result)
                    part = results.games_part(connection, names, course, wanted)
                    for game in part.games:
                        for way in ("older", "newer"):
                            results.games_part(connection, names, course, wanted, f"{way}-{game.id}")
            view = agent_view(connection, names, course, "dan")
            assert [curve.number for curve in view.curves] == [1, 2]


def test_the_front_page_names_all_who_are_first_and_says_that_a_ladder_is_closed(connection: Connection) -> None:
    overview = results.overview(connection, Names().seen_by(MEMBER))
    (ladder,) = overview.ladders
    ladder = replace(ladder, status="running", closes=NOW + timedelta(days=10**4))
    for first, said in (
        (("ann",), "First: ann"),
        (("ann", "bob"), "First: ann, bob"),
        (("ann", "bob", "cid", "dan", "eve"), "First: ann, bob, cid and 2 more"),
    ):
        found = replace(overview, ladders=[replace(ladder, leaders=first)])
        drawn = " ".join(re.sub("<[^>]*>", "", result_pages.home(found, signed_in=True).text).split())
        assert said in drawn
        assert "running" in drawn
    past = replace(overview, tournaments=[], ladders=[replace(ladder, closes=NOW - timedelta(days=10**4))])
    drawn = result_pages.home(past, signed_in=True).text
    assert ">closed<" in drawn
    assert "running" not in drawn


def test_all_who_share_the_first_place_are_first() -> None:
    def agent(name: str, rank: int, games: int) -> ReportedAgent:
        standing = Standing(rank, name, games, 0, games, 0, games / 2, 0.5, {}, {})
        return ReportedAgent(name=name, standing=standing, rated=None, status="active", byes=0.0, versions=())

    agents = [agent("ann", 1, 2), agent("bob", 1, 2), agent("cid", 3, 2), agent("dan", 1, 0), agent("random", 0, 9)]
    assert leaders(agents) == ["ann", "bob"]
