"""The pages of the games: each leads to the games before and after it, and shows the analysis if there is one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.course.aliases import own_names
from arena.course.report import WholeReport, write_site
from db import games, lookup, store
from db.database import Database
from tests.kit import sample_record
from tests.kit.html_validity import check_html
from tests.kit.page_games import analysed
from tests.kit.sample_reports import reported


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[WholeReport, Path]:
    """A report with the pages of all games, and its folder. The game cs101-2 was analysed."""
    folder = tmp_path_factory.mktemp("report")
    file = folder / "arena.db"
    sample_record.make(file)
    with Database(str(file)) as database, database.writing() as connection:
        game = games.game(connection, lookup.find_game(connection, "cs101-2"))
        store.keep_analysis(connection, game.id, analysed(game, depth=9).analysis)
    found = reported(file, "cs101")
    (folder / "site").mkdir()
    names = own_names([agent.name for agent in found.agents])
    write_site(found, names, folder / "site", database=str(file), replays=found.games, processes=1, done=lambda _: None)
    return found, folder / "site" / "games"


def test_each_game_leads_to_the_games_before_and_after_it(report: tuple[WholeReport, Path]) -> None:
    found, folder = report
    way = [""]
    place = "1.html"
    while place:
        page = (folder / place).read_text("utf-8")
        check_html(page)
        near = {text: href for href, text in re.findall(r'<a href="([^"]*)">(previous game|next game)</a>', page)}
        assert near.get("previous game", "") == way[-1]
        way.append(place)
        place = near.get("next game", "")
    assert len(way) - 1 == len(found.games) == len(set(way[1:])) > 8


def test_a_page_has_the_analysis_of_its_own_game_only(report: tuple[WholeReport, Path]) -> None:
    _, folder = report
    with_it = [file.name for file in folder.iterdir() if "by the analysis of arena" in file.read_text("utf-8")]
    assert with_it == ["2.html"]
