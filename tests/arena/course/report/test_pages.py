"""The pages of a report as text: valid, linked to each other, and right about everything that is odd."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

from arena.course.report.pages import addresses
from db import store
from db.database import Database
from tests.kit import sample_record
from tests.kit.html_validity import check_html
from tests.kit.sample_record import Book
from tests.kit.sample_reports import NAMES, crowd, links, reported, site


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample."""
    file = tmp_path_factory.mktemp("record") / "arena.db"
    sample_record.make(file)
    return file


@pytest.fixture(scope="module")
def awkward(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages of a tournament of those with awkward names."""
    return site(reported(crowd(tmp_path_factory.mktemp("awkward") / "arena.db", NAMES), "cs101"), replays=True)


def text(page: str) -> str:
    """What a reader sees of it."""
    body = re.sub(r"(?s)<(style|svg)\b.*?</\1>|<[^>]*>", " ", page.partition("</head>")[2])
    return " ".join(body.replace("&#x27;", "'").split())


@pytest.mark.parametrize("tournament", ["cs101", "evening"])
def test_every_page_is_valid(record: Path, tournament: str) -> None:
    for page in site(reported(record, tournament)).values():
        check_html(page)


def test_every_page_is_valid_whatever_agents_are_called(awkward: dict[str, str]) -> None:
    for page in awkward.values():
        check_html(page)
        assert "<script" not in page


def test_pages_have_names_that_every_file_system_takes(awkward: dict[str, str]) -> None:
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


def test_slugs_are_never_empty_long_or_taken_by_windows() -> None:
    slugs = {name: addresses.slug(name) for name in (*NAMES, "", "com1", "LPT9", "x" * 300, "-", "Zoë")}
    assert all(re.fullmatch("[a-z0-9]([a-z0-9-]{0,45})", slug) for slug in slugs.values()), slugs
    assert (slugs["Zoë"], slugs["com1"], slugs["-"]) == ("zoe", "agent-com1", "agent")


def test_a_pair_has_one_page_whoever_is_named_first() -> None:
    where = addresses.of(["ann", "bob"], replays=True)
    assert where.pair("bob", "ann") == where.pair("ann", "bob") == "pairs/ann.bob.html"


def test_cells_of_the_crosstable_lead_to_the_games_of_the_pair_and_these_to_their_replays(record: Path) -> None:
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


def test_without_replays_nothing_leads_to_them(record: Path) -> None:
    for page in site(reported(record, "cs101")).values():
        assert not [href for href in links(page) if "games/" in href]


def test_the_front_page_tells_who_leads_and_that_it_is_not_over(record: Path) -> None:
    told = text(site(reported(record, "cs101"))["index.html"])
    assert "still being played: 13 of 14 games are over. So it stood on 2026-05-02 18:30 UTC." in told
    assert "1 bob 4 57.1 % −189 195 7 3 2 2 2 cleo 3½ 58.3 % 60 202 6 3 1 2 time 1" in told
    assert "4 dan withdrawn 1" in told
    assert "5 eve 0 – – – 0 0 0 0" in told


def test_a_finished_tournament_says_nothing_of_that(record: Path) -> None:
    assert "still being played" not in text(site(reported(record, "evening"))["index.html"])


def test_void_overruled_and_outdated_games_say_what_they_are(record: Path) -> None:
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
    assert "Rank 2 Points 3½ Games 6: 3 won, 1 drawn, 2 lost Score 58.3 % Rating 60 ± 202" in told
    assert "1 bob −189 1½ 50.0 % 3 games 3 ann 40 2 66.7 % 3 games" in told
    assert "Faults Game 3: cleo lost on time; ann wins Games" in told
    assert "4 1 won cleo – ann 1 – 0 ann resigned; cleo wins 1" in told


def test_each_version_is_a_line_of_the_progress(record: Path) -> None:
    page = site(reported(record, "cs101"))["agents/dan.html"]
    assert re.search(r"version 1: .* version 2: ", page)
    assert "dan@" not in page


def test_games_for_three_look_right(record: Path) -> None:
    found = site(reported(record, "evening"))
    assert "1 ann – bob – " in text(found["games.html"])
    assert "0.75 – 0 – 0.75 bob lost on time" in text(found["games.html"])
    assert "0.75/1" in text(found["index.html"])
    assert "ann – bob : 0.75 – 0 in 1 game that counts." in text(found["pairs/ann.bob.html"])
    assert "1 0.75 ann – bob – " in text(found["agents/ann.html"])


def test_a_tournament_of_games_for_three_alone_has_ratings_too(tmp_path: Path) -> None:
    with Database(str(tmp_path / "a.db")) as database, database.writing() as connection:
        book = Book(connection)
        cup = book.tournament("cup", "ludo:players=3", status="finished")
        book.enter(cup, "ann", "bob", "cid")
        for leg in range(3):
            book.play(cup, "ludo:players=3", ("ann", "bob", "cid"), pair="p", leg=leg)
    found = site(reported(tmp_path / "a.db", "cup"))
    assert "Each rating" in found["index.html"]
    for page in found.values():
        check_html(page)


def test_a_long_list_is_in_parts_that_lead_to_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.course.report.pages.parts.PER_PAGE", 4)
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


def test_where_all_met_as_often_cells_have_points_alone(tmp_path: Path) -> None:
    told = text(site(reported(crowd(tmp_path / "a.db", ["ann", "bob", "cid"], games=2), "cs101"))["index.html"])
    assert "out of 2 games." in told
    assert "/2" not in told


def test_before_the_first_game_there_is_a_report_already(tmp_path: Path) -> None:
    with Database(str(tmp_path / "a.db")) as database, database.writing() as connection:
        book = Book(connection)
        book.enter(book.tournament("cup", "connect4"), "ann", "bob")
    found = site(reported(tmp_path / "a.db", "cup"))
    for page in found.values():
        check_html(page)
    assert "No game is over yet." in text(found["games.html"])
    assert set(found) == {"index.html", "games.html", "agents/ann.html", "agents/bob.html"}


def test_points_for_a_bye_are_told_and_everybody_stands_in_the_order_of_the_standings(tmp_path: Path) -> None:
    file = crowd(tmp_path / "a.db", ["ann", "bob"])
    with Database(str(file)) as database, database.writing() as connection:
        Book(connection).enter(1, "zoe")
        store.change_settings(connection, 1, {"byes": [[1, "zoe", 0], [2, "zoe", 1]]})
    found = site(reported(file, "cs101"))
    index = text(found["index.html"])
    assert "1 zoe 4 " in index
    assert "Points include those for having had nobody to play with." in index
    assert index.index("1 zoe", index.index("Who scored what")) > 0
    assert "Points 4 (4 without a game)" in text(found["agents/zoe.html"])
