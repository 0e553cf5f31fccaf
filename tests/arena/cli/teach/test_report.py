"""`arena course report`: a folder to publish, with a page for every game, in which nobody is given away."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest

from arena.cli.teach import report
from arena.cli.terminal import notes
from arena.course import report as site_report
from arena.play import cores
from db import store
from db.database import Database
from tests.kit.arena_program import arena
from tests.kit.html_validity import check_html
from tests.kit.places import COUNTDOWN
from tests.kit.sample_commands import asked
from tests.kit.sample_record import HOSTILE, Book


def files(folder: Path) -> dict[str, str]:
    """All files in it, by their places."""
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()
    }


def test_it_writes_a_page_for_everything(record: Path, tmp_path: Path) -> None:
    ended = asked(record, "course", "report", "cs101", "site")
    assert re.fullmatch(r"written: site/index\.html \(5 agents, 13 games, \d+\.\d s\)\n", ended.out)
    assert (ended.code, ended.err) == (0, "cs101 is running: 13 of 14 games are over\n")
    found = files(tmp_path / "site")
    assert {"index.html", "games.html", "agents/ann.html", "pairs/ann.bob.html"} <= set(found)
    assert sum(place.startswith("games/") for place in found) == 14
    for place, page in found.items():
        if place.startswith("games/"):
            check_html(page)
    assert 'href="../agents/ann.html"' in found["games/1.html"]
    assert 'href="../pairs/ann.bob.html"' in found["games/1.html"]
    assert 'href="../index.html"' in found["games/1.html"]


@pytest.mark.parametrize("option", [("--games", "none"), ("--no-games",)])
def test_the_pages_of_games_can_be_left_out(record: Path, tmp_path: Path, option: tuple[str, ...]) -> None:
    ended = asked(record, "course", "report", "evening", "site", *option)
    assert "4 games, 0 pages of games, " in ended.out
    assert not (tmp_path / "site" / "games").exists()
    assert "No game has a page to step through." in (tmp_path / "site" / "games.html").read_text()


def test_only_games_that_were_lost_by_a_fault_can_have_pages(record: Path, tmp_path: Path) -> None:
    ended = asked(record, "course", "report", "cs101", "site", "--games", "lost")
    assert "13 games, 2 pages of games, " in ended.out
    assert {file.name for file in (tmp_path / "site" / "games").iterdir()} == {"3.html", "10.html"}


def test_very_many_games_have_a_page_only_if_they_were_lost_by_a_fault(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "MOST", 13)
    ended = asked(record, "course", "report", "cs101", "site")
    assert "more than 13 games, so only those lost by a fault have a page; --games all writes all" in ended.err
    assert ", 2 pages of games, " in ended.out
    ended = asked(record, "course", "report", "cs101", "site", "--games", "all")
    assert ended.err == "cs101 is running: 13 of 14 games are over\n"
    assert len([*(tmp_path / "site" / "games").iterdir()]) == 14


@pytest.mark.parametrize("wrong", [("--games", "won"), ("--games", "lost", "--no-games")])
def test_a_wrong_choice_of_games_is_one_error(record: Path, tmp_path: Path, wrong: tuple[str, ...]) -> None:
    ended = asked(record, "course", "report", "cs101", "site", *wrong)
    assert (ended.code, ended.out) == (2, "")
    assert "--games" in ended.err
    assert "Traceback" not in ended.err
    assert list(tmp_path.iterdir()) == []


def test_it_replaces_an_earlier_report_and_nothing_else(record: Path, tmp_path: Path) -> None:
    assert asked(record, "course", "report", "cs101", "site").code == 0
    assert asked(record, "course", "report", "evening", "site").code == 0
    assert not (tmp_path / "site" / "agents" / "cleo.html").exists()
    (tmp_path / "site" / "thesis.tex").write_text("mine")
    ended = asked(record, "course", "report", "cs101", "site")
    assert (ended.code, ended.out) == (2, "")
    assert "'site' has other files: thesis.tex; choose another folder" in ended.err
    assert (tmp_path / "site" / "thesis.tex").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nothing", "site"), "there is no tournament 'nothing'"),
        (("cs101", "no/site"), "there is no '"),
        (("cs101", "."), "'.' is the current one"),
        (("cs101", "site", "--roster", "none.csv"), "No such file"),
    ],
)
def test_mistakes_are_told_and_leave_nothing(
    record: Path, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    ended = asked(record, "course", "report", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err
    assert ended.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("room", "step"), [(site_report, "gather"), (site_report, "write_portion")])
def test_ctrl_c_leaves_no_half_of_it(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: ModuleType, step: str
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(room, step, interrupt)
    ended = asked(record, "course", "report", "cs101", "site")
    assert (ended.code, ended.out, ended.err) == (130, "", "interrupted; no report was written\n")
    assert list(tmp_path.iterdir()) == []


def test_the_progress_line_says_what_is_done(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(notes, "show_progress", shown.append)
    assert asked(record, "course", "report", "evening", "site", "--games", "none").code == 0
    assert shown == ["reading the games", "writing the pages"]


@pytest.mark.costly
def test_several_processes_write_what_one_writes(record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(record, "course", "report", "evening", "one").code == 0
    monkeypatch.setattr(site_report, "_TOO_FEW_FOR_PROCESSES", 0)
    monkeypatch.setattr(site_report, "_PORTION", 1)
    monkeypatch.setattr(cores, "count", lambda: 2)
    assert asked(record, "course", "report", "evening", "two").code == 0
    one, two = files(tmp_path / "one"), files(tmp_path / "two")
    assert one.keys() == two.keys()
    assert all(one[place] == two[place] for place in one if place.startswith("games/"))


# Who is who.

ROSTER = """\
id;name;group;alias
s1001;ann;Red Foxes;Otter
s1002;bob;Red Foxes;Heron
s1003;cleo;;Vole
s1004;dan;;<b>Newt</b>
s1005;eve;;Über
"""


def test_with_a_roster_nobody_is_given_away(record: Path, tmp_path: Path) -> None:
    Path("roster.csv").write_text("\ufeff" + ROSTER)
    assert asked(record, "course", "report", "cs101", "site", "--roster", "roster.csv").code == 0
    found = files(tmp_path / "site")
    secret = re.compile(r"(?<![^\W_])(ann|bob|cleo|dan|eve|s100\d|Red Foxes)(?![^\W_])", re.IGNORECASE)
    for place, page in found.items():
        assert not secret.search(place), place
        assert not secret.search(page), (place, secret.search(page))
    assert {"agents/otter.html", "agents/b-newt-b.html", "pairs/heron.otter.html"} <= set(found)
    assert "<b>Newt" not in "".join(found.values())


def test_nobody_is_given_away_by_how_an_imported_game_is_said_to_have_ended(record: Path, tmp_path: Path) -> None:
    Path("roster.csv").write_text(ROSTER)
    with closing(sqlite3.connect(record)) as connection, connection:
        connection.execute("UPDATE game SET detail = 'Ann (s1001) beats bob' WHERE verdict = 'normal'")
    assert asked(record, "course", "report", "cs101", "site", "--roster", "roster.csv").code == 0
    pages = "".join(files(tmp_path / "site").values())
    assert "… (…) beats …" in pages
    assert not re.search("s1001|beats bob", pages)


def test_not_even_by_paths_titles_or_details(tmp_path: Path) -> None:
    folder = tmp_path / "lee-ann" / ("0" * 64)
    folder.mkdir(parents=True)
    rules = f"{shutil.copy(COUNTDOWN, folder / 'lee-ann.py')}:Countdown"
    with Database("arena.db") as database, database.writing() as connection:
        book = Book(connection)
        cup = book.tournament("Lee-Ann and the group quincunx", rules, status="finished")
        book.enter(cup, "u123@4", "lee-ann", "random")
        book.play(cup, rules, ("u123@4", "lee-ann"), verdict="illegal", fault=1, stderr="lee-ann\n")
        game = book.play(cup, rules, ("lee-ann", "u123@4"), verdict="void")
        store.rule_on_game(connection, game, "award", "Lee-Ann was ill", book.now, seat=0)
    Path("roster.csv").write_text("id,name,group,alias\nu123,Bo Pe,quincunx,Otter\n,Lee-Ann,quincunx,Heron\n")
    ended = arena("course", "report", "Lee-Ann and the group quincunx", "site", "--roster", "roster.csv")
    assert ended.code == 0, ended.err
    found = files(tmp_path / "site")
    for place, page in found.items():
        for secret in ("u123", "Bo Pe", "quincunx", "lee-ann", "was ill", str(tmp_path)):
            assert secret.lower() not in place.lower()
            assert secret.lower() not in page.lower(), (place, secret)
    assert "Otter@4" in found["index.html"]
    assert len(re.findall('id="ply-', found["games/1.html"])) > 2, "there are boards"


def test_an_agent_that_is_not_on_the_roster_is_not_published(tmp_path: Path) -> None:
    with Database("arena.db") as database, database.writing() as connection:
        book = Book(connection)
        cup = book.tournament("cup", "tictactoe")
        book.enter(cup, "ann", "bob", source="0" * 64)
    Path("roster.csv").write_text("name,alias\nann,Otter\n")
    ended = arena("course", "report", "cup", "site", "--roster", "roster.csv")
    assert (ended.code, ended.out) == (2, "")
    expected = "a line for every agent that is neither built in nor an engine, but there is none for 'bob'"
    assert f"roster.csv: expected {expected}" in ended.err
    assert not (tmp_path / "site").exists()


def test_an_engine_needs_no_line_on_the_roster_and_keeps_its_name(tmp_path: Path) -> None:
    with Database("arena.db") as database, database.writing() as connection:
        book = Book(connection)
        cup = book.tournament("cup", "chess")
        book.enter(cup, "ann", source="0" * 64)
        book.enter(cup, "stockfish?nodes=9", source="1" * 64, started_as="uci:stockfish?nodes=9")
    Path("roster.csv").write_text("name,alias\nann,Otter\n")
    ended = arena("course", "report", "cup", "site", "--roster", "roster.csv")
    assert ended.code == 0, ended.err
    page = (tmp_path / "site" / "index.html").read_text()
    assert "stockfish?nodes=9" in page
    assert "Otter" in page


def test_nothing_that_agents_wrote_is_published(record: Path, tmp_path: Path) -> None:
    for tournament in ("cs101", "evening"):
        assert asked(record, "course", "report", tournament, tournament).code == 0
        for place, page in files(tmp_path / tournament).items():
            for secret in ("boom", "quite", "b2 c3", "1,234", "his", "machine was busy", "a mistake of mine", "it was"):
                assert not re.search(
                    rf"\b{re.escape(secret)}\b", page.partition("</style>")[2].partition("<script>")[0]
                ), (
                    place,
                    secret,
                )
    assert "\x1b" not in "".join(files(tmp_path / "evening").values())
    assert HOSTILE not in "".join(files(tmp_path / "evening").values())
