"""The pages of a report as text: valid, linked to each other, and correct in all special cases."""

from __future__ import annotations

import posixpath
import re
from html import unescape
from pathlib import Path

import pytest
from msgspec.structs import replace

from agents.protocol import Verdict
from arena.cli.teach import report
from arena.cli.teach.report import GamesShown
from arena.course import report as site_report
from arena.course.aliases import slug as slug_of
from arena.course.report import WholeReport, gather
from arena.course.roster import read
from arena.match.schedule import Planned
from arena.ratings.points import IN_CROSSTABLE
from db import store
from db.database import Database
from tests.arena.tournament.test_tournament import Course
from tests.kit import sample_record
from tests.kit.html_validity import check_html
from tests.kit.sample_record import Book
from tests.kit.sample_reports import NAMES, crowd, links, reported, site


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample database."""
    file = tmp_path_factory.mktemp("record") / "arena.db"
    sample_record.make(file)
    return file


@pytest.fixture(scope="module")
def awkward(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages of a tournament of agents with awkward names."""
    return site(reported(crowd(tmp_path_factory.mktemp("awkward") / "arena.db", NAMES), "cs101"), replays=True)


def text(page: str) -> str:
    """The visible text of a page."""
    body = re.sub(r"(?s)<(style|svg)\b.*?</\1>|<[^>]*>", " ", page.partition("</head>")[2])
    return " ".join(unescape(body).split())


@pytest.mark.parametrize("tournament", ["cs101", "evening"])
def test_every_page_is_valid(record: Path, tournament: str) -> None:
    for page in site(reported(record, tournament)).values():
        check_html(page)


def test_every_page_is_valid_whatever_agents_are_called(awkward: dict[str, str]) -> None:
    for page in awkward.values():
        check_html(page)
        assert page.count("<script") == 1
        assert "<script>alert" not in page


def test_pages_have_names_that_every_file_system_accepts(awkward: dict[str, str]) -> None:
    for place in awkward:
        assert re.fullmatch(r"((agents|pairs)/)?[a-z0-9.-]{1,100}\.html", place), place
        assert not re.match(r"(con|nul|prn|aux)\.", posixpath.basename(place)), place


def test_every_link_leads_somewhere(awkward: dict[str, str]) -> None:
    games = set()
    for place, page in awkward.items():
        for href in links(page):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(place), href))
            if target.startswith("games/"):
                games.add(target)
            else:
                assert target in awkward, (place, href)
    assert len(games) == len(NAMES) * (len(NAMES) - 1) // 2


def test_slugs_are_never_empty_long_or_reserved_by_windows() -> None:
    slugs = {name: slug_of(name) for name in (*NAMES, "", "com1", "LPT9", "x" * 300, "-", "Zoë")}
    assert all(re.fullmatch("[a-z0-9]([a-z0-9-]{0,45})", slug) for slug in slugs.values()), slugs
    assert (slugs["Zoë"], slugs["com1"], slugs["-"]) == ("zoe", "agent-com1", "agent")


def test_a_pair_has_one_page_in_both_orders() -> None:
    where = site_report.address_of(["ann", "bob"])
    assert where.pair("bob", "ann") == where.pair("ann", "bob") == "pairs/ann.bob.html"


def test_crosstable_cells_link_to_the_games_of_the_pair_and_these_to_their_replays(record: Path) -> None:
    found = site(reported(record, "cs101"), replays=True)
    assert 'href="pairs/ann.bob.html" aria-label="ann against bob: 1½ of 3">1½/3</a>' in found["index.html"]
    assert [href for href in links(found["pairs/ann.bob.html"]) if "games/" in href] == [
        "../games/1.html",
        "../games/2.html",
        "../games/8.html",
    ]


def test_a_later_attempt_at_a_game_has_a_page_of_its_own(record: Path) -> None:
    found = site(reported(record, "cs101"), replays=True)
    assert {"../games/6.html", "../games/6.2.html"} <= set(links(found["pairs/bob.cleo.html"]))


def test_without_replays_nothing_links_to_them(record: Path) -> None:
    for page in site(reported(record, "cs101")).values():
        assert not [href for href in links(page) if "games/" in href]


def test_the_front_page_shows_the_standings_and_that_games_are_missing(record: Path) -> None:
    told = text(site(reported(record, "cs101"))["index.html"])
    assert "still being played: 13 of 14 games have finished (as of 2026-05-02 18:30 UTC)." in told
    assert "1 bob 4 1 57.1 % −189 ± 297 7 3 – 2 – 2 2 cleo 3½ 58.3 % 60 ± 275 6 3 – 1 – 2 time 1" in told
    assert "4 dan withdrawn 1" in told
    assert "5 eve 0 – – 0 0 – 0 – 0" in told


def test_the_front_page_of_a_finished_tournament_has_no_notice(record: Path) -> None:
    assert "still being played" not in text(site(reported(record, "evening"))["index.html"])


def test_void_overruled_and_outdated_games_are_marked(record: Path) -> None:
    told = text(site(reported(record, "cs101"))["games.html"])
    for row in (
        "6 1 cleo – bob ∗ void: no result 1",
        "6, attempt 2 1 cleo – bob 1 – 0 cleo wins 5",
        "7 2 bob – cleo ∗ bob wins annulled 5",
        "8 2 ann – bob 0 – 1 ann wins awarded to bob 5",
        "9 2 cleo – ann 1 – 0 void: no result awarded to cleo 1",
        "11 2 dan – ann 1 – 0 dan wins earlier version 5",
        "13 3 bob – dan 1 – 0 dan did not play; bob wins 0",
    ):
        assert row in told, row


def test_an_agent_sees_its_results_and_faults(record: Path) -> None:
    told = text(site(reported(record, "cs101"))["agents/cleo.html"])
    assert "Rank 2 Points 3½ Games 6: 3 won, 1 drawn, 2 lost Score 58.3 % Rating 60 ± 275" in told
    assert "1 bob −189 1½ 50.0 % 3 games 3 ann 40 2 66.7 % 3 games" in told
    assert "Faults Game 3: cleo lost on time; ann wins Games" in told
    assert "4 1 won cleo – ann 1 – 0 ann resigned; cleo wins 1" in told


def test_each_version_is_a_line_of_the_progress(record: Path) -> None:
    page = site(reported(record, "cs101"))["agents/dan.html"]
    assert re.search(r'aria-label="Rating of each version\. dan: from \d+ to \d+\."', page)
    assert "<span>version 1</span><span>2</span>" in page
    assert "dan@" not in page


def test_games_for_three_look_right(record: Path) -> None:
    found = site(reported(record, "evening"))
    assert "1 ann – bob – " in text(found["games.html"])
    assert "0.75 – 0 – 0.75 bob lost on time" in text(found["games.html"])
    assert "0.75/1" in text(found["index.html"])
    assert "ann – bob : 0.75 – 0 in 1 game that counts." in text(found["pairs/ann.bob.html"])
    assert "1 0.75 ann – bob – " in text(found["agents/ann.html"])


def test_a_tournament_with_only_games_for_three_has_ratings_too(tmp_path: Path) -> None:
    with Database(str(tmp_path / "a.db")) as database, database.writing() as connection:
        book = Book(connection)
        cup = book.tournament("cup", "ludo:players=3", status="finished")
        book.enter(cup, "ann", "bob", "cid")
        for leg in range(3):
            book.play(cup, "ludo:players=3", ("ann", "bob", "cid"), pair="p", leg=leg)
    found = site(reported(tmp_path / "a.db", "cup"))
    told = text(found["index.html"])
    assert "1 ann 2.25 75.0 % 100 ± 207" in told
    assert "The true rating is within the bar" in told
    for page in found.values():
        check_html(page)


def test_a_long_list_is_in_parts_that_link_to_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.course.report.PER_PAGE", 4)
    found = site(reported(crowd(tmp_path / "a.db", ["ann", "bob"], games=10), "cs101"), replays=True)
    for base in ("games", "agents/ann", "pairs/ann.bob"):
        parts = [f"{base}.html", f"{base}.part2.html", f"{base}.part3.html"]
        listed = [href for part in parts for href in links(found[part]) if "games/" in href]
        assert len(listed) == len(set(listed)) == 10
        for part in parts:
            check_html(found[part])
            assert {posixpath.basename(other) for other in parts} <= {
                posixpath.basename(to) for to in links(found[part])
            }
    assert "Against each" not in found["agents/ann.part2.html"]


def test_if_all_pairs_played_equally_often_cells_have_only_points(tmp_path: Path) -> None:
    told = text(site(reported(crowd(tmp_path / "a.db", ["ann", "bob", "cid"], games=2), "cs101"))["index.html"])
    assert "out of 2 games." in told
    assert "/2" not in told


def test_a_report_can_be_made_before_the_first_game(tmp_path: Path) -> None:
    with Database(str(tmp_path / "a.db")) as database, database.writing() as connection:
        book = Book(connection)
        book.enter(book.tournament("cup", "connect4"), "ann", "bob")
    found = site(reported(tmp_path / "a.db", "cup"))
    for page in found.values():
        check_html(page)
    assert "No game has finished yet." in text(found["games.html"])
    assert set(found) == {"index.html", "games.html", "agents/ann.html", "agents/bob.html"}


def test_points_for_byes_are_explained_and_all_tables_have_the_order_of_the_standings(tmp_path: Path) -> None:
    file = crowd(tmp_path / "a.db", ["ann", "bob"])
    with Database(str(file)) as database, database.writing() as connection:
        Book(connection).enter(1, "zoe")
        store.change_settings(connection, 1, {"byes": [[1, "zoe", 0], [2, "zoe", 1]]})
    found = site(reported(file, "cs101"))
    index = text(found["index.html"])
    assert "Points For byes Score" in index
    assert "1 zoe 4 4 – " in index
    assert "For byes: points for rounds without an opponent, which count as won" in index
    assert index.index("1 zoe", index.index("Crosstable")) > 0
    assert "Points 4 (4 for byes, rounds without an opponent)" in text(found["agents/zoe.html"])


# Formats with their own ranking.

ALIASES = {"ann": "Fox", "bob": "Owl", "cid": "Elk"}


def later_name_loses(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...]]:
    names = [entrant.name for entrant in game.entrants]
    return Verdict.NORMAL, None, tuple(float(name == min(names)) for name in names)


def test_the_bracket_of_a_knockout_is_on_the_front_page(tmp_path: Path) -> None:
    course = Course(tmp_path)
    for name in ("dot", "eve"):
        course.write_agent(name)
    course.describe(format="knockout", seeds=["ann", "bob", "cid", "dot", "eve"])
    course.run(later_name_loses, most=3)
    half = text(site(reported(tmp_path / "arena.db", "cs101"))["index.html"])
    assert "Final not known yet not known yet" in half
    assert "wins the knockout" not in half
    course.run(later_name_loses)
    found = site(reported(tmp_path / "arena.db", "cs101"))
    for page in found.values():
        check_html(page)
    index = text(found["index.html"])
    assert "1 ann winner 4 " in index
    assert "ann wins the knockout. Round 1 1 ann bye 4 dot 2 5 eve 0 2 games 2 bob bye 3 cid bye Round 2" in index
    assert "Final 1 ann 2 2 bob 0 2 games" in index
    assert 'title="dot (4) beat eve (5) 2-0"' in found["index.html"]
    assert "Reached round 2" in text(found["agents/dot.html"])
    assert all(href in found for href in links(found["index.html"]))


def test_the_bracket_says_why_a_player_went_through_if_the_points_do_not(tmp_path: Path) -> None:
    course = Course(tmp_path)
    course.write_agent("dot")
    course.describe(format="knockout", seeds=["ann", "bob", "cid", "dot"], repeats=0)
    course.run(lambda _: (Verdict.NORMAL, None, (0.5, 0.5)), most=3)
    with Database(str(tmp_path / "arena.db")) as database, database.writing() as connection:
        store.rule_on_entry(connection, 1, "cid", "withdraw", "asked to", sample_record.NOW)
    course.run(lambda _: (Verdict.NORMAL, None, (0.5, 0.5)))
    index = text(site(reported(tmp_path / "arena.db", "cs101"))["index.html"])
    assert "1 ann 1 4 dot 1 2 games , tied: the higher seed goes through" in index
    assert "2 games , cid withdrew" in index
    assert "By forfeit: wins without a game" in index


def test_the_players_of_a_gauntlet_have_their_own_table(tmp_path: Path) -> None:
    course = Course(tmp_path)
    course.write_agent("dot")
    course.describe(format="gauntlet", gauntlet=["dot"])
    course.run(later_name_loses)
    found = site(reported(tmp_path / "arena.db", "cs101"))
    check_html(found["index.html"])
    index = text(found["index.html"])
    first = index.index("1 ann 2 100.0 %")
    assert first < index.index("The gauntlet These agents play all the others") < index.index("1 dot 0 0.0 %")
    assert "Rank 1 in the gauntlet" in text(found["agents/dot.html"])


def test_a_bracket_reveals_no_real_name(tmp_path: Path) -> None:
    course = Course(tmp_path)
    course.describe(format="knockout")
    course.run(later_name_loses)
    lines = "".join(f"{number},{name},team,{alias}\n" for number, (name, alias) in enumerate(ALIASES.items(), 1001))
    with Database(str(tmp_path / "arena.db")) as database, database.reading() as connection:
        found, _ = gather(connection, 1, read(f"id,name,group,alias\n{lines}", "roster.csv"), now=sample_record.NOW)
    assert found.bracket is not None
    assert set(found.bracket.seeds) == {one.name for one in found.agents} == set(ALIASES.values())
    assert found.bracket.winner == found.agents[0].name == "Fox"
    assert not [name for name in ALIASES if re.search(rf"\b{name}\b", site(found)["index.html"])]


# Very many agents and games.


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> WholeReport:
    """A report with two agents more than fit into the crosstable; each has met the next three of a circle."""
    names = [f"agent{number:03}" for number in range(IN_CROSSTABLE + 2)]
    file = tmp_path_factory.mktemp("crowded") / "arena.db"
    with Database(str(file)) as database, database.writing() as connection:
        book = Book(connection)
        course = book.tournament("cs101", "tictactoe", status="finished")
        book.enter(course, *names)
        for one in range(len(names)):
            for step in (1, 2, 3):
                other = names[(one + step) % len(names)]
                fault = {"verdict": "time", "fault": 1} if (one + step) % 20 == 0 else {}
                book.play(course, "tictactoe", (names[one], other), pair=f"{one} {step}", **fault)
    return reported(file, "cs101")


@pytest.mark.costly
def test_the_crosstable_has_the_first_agents_and_only_their_pairs_have_pages(
    crowded: WholeReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.results.listings._SPARSE", 0.0)
    found = site(crowded)
    first = [agent.name for agent in crowded.agents[:IN_CROSSTABLE]]
    last = [agent.name for agent in crowded.agents[IN_CROSSTABLE:]]
    assert len(re.findall('<td class="self">', found["index.html"])) == len(first)
    assert "The table has the first 100 of 102 agents. The page of each agent has all its opponents." in text(
        found["index.html"]
    )
    met = {tuple(sorted(game.players)) for game in crowded.games}
    assert {place for place in found if place.startswith("pairs/")} == {
        f"pairs/{one}.{other}.html" for one, other in met if {one, other} <= {*first}
    }
    opponents = {name for two in met if last[0] in two for name in two} - {last[0]}
    page = found[f"agents/{last[0]}.html"]
    assert len(opponents) == 6
    assert {f"../agents/{name}.html" for name in opponents} <= {*links(page)}
    assert not [href for href in links(page) if "pairs/" in href]
    for place, page in found.items():
        for href in links(page):
            assert posixpath.normpath(posixpath.join(posixpath.dirname(place), href)) in found, (place, href)


def test_where_few_met_a_list_says_who_met_whom(crowded: WholeReport) -> None:
    page = site(crowded)["index.html"]
    check_html(page)
    assert '<td class="self">' not in page
    rows = re.findall('<td class="met">(.*?)</td>', page)
    assert [len(re.findall(' title="(?:won|drawn|lost)[^"]* against ', row)) for row in rows] == [6] * 102


def test_each_rating_is_drawn_in_its_row(crowded: WholeReport) -> None:
    page = site(crowded)["index.html"]
    rows = re.findall("<tr[ >].*?</tr>", page.partition("<tbody>")[2].partition("</tbody>")[0], re.DOTALL)
    assert len(rows) == 102
    rated = [agent.rated is not None and agent.rated.rating is not None for agent in crowded.agents]
    assert [row.count('<svg class="whisker"') for row in rows] == rated
    check_html(page)


def test_only_the_chosen_games_have_links(crowded: WholeReport) -> None:
    lost = report.chosen(crowded.games, GamesShown.LOST)
    assert {game.number for game in lost} == {game.number for game in crowded.games if "lost on time" in game.ended}
    assert 0 < len(lost) < len(crowded.games)
    where = site_report.address_of([agent.name for agent in crowded.agents], replays=[game.id for game in lost])
    listed = "".join(page for place, page in site_report.pages(crowded, where) if place.startswith("games"))
    linked = [href for href in links(listed) if href.startswith("games/")]
    assert linked == [f"games/{game.number}.html" for game in lost]
    assert f"Games with a page to step through: {len(lost)} of {len(crowded.games)}." in text(listed)
    assert report.chosen(crowded.games, GamesShown.NONE) == []
    assert report.chosen(crowded.games, GamesShown.ALL) == list(crowded.games)


def test_a_game_lost_by_a_fault_before_the_first_move_has_a_page_and_a_forfeit_has_none(crowded: WholeReport) -> None:
    crashed = replace(crowded.games[0], fault=0, plies=0)
    forfeited = replace(crashed, forfeited=True)
    assert report.chosen([crashed, forfeited], GamesShown.LOST) == [crashed]


def test_by_default_very_many_games_have_no_pages_unless_lost_by_a_fault(
    crowded: WholeReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert report.default(crowded.games) is GamesShown.ALL
    monkeypatch.setattr(report, "MOST", len(crowded.games) - 1)
    assert report.default(crowded.games) is GamesShown.LOST


def test_a_list_of_many_parts_links_to_the_first_the_last_and_the_nearest(
    crowded: WholeReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_report, "PER_PAGE", 20)
    written = site(crowded)
    assert "1 2 3 … 16 As of" in text(written["games.html"])
    assert "1 … 6 7 8 9 10 … 16 As of" in text(written["games.part8.html"])
    assert "1 2 3 4 5 6 … 16 As of" in text(written["games.part4.html"])
    assert "1 … 14 15 16 As of" in text(written["games.part16.html"])
