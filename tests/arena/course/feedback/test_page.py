"""The page and the text of feedback: nothing that agents wrote is markup, a formula or a terminal sequence."""

from __future__ import annotations

import csv
import shutil
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from arena.course.aliases import own_names
from arena.course.feedback.write import Letter, Shared, mail, without_agent, write_feedback
from arena.course.report import gather
from arena.course.roster import read
from arena.players.submissions import Store
from arena.tournament.collected_file import Refused
from db import lookup
from db.database import Database
from tests.kit.chromium import Browser, check_contrast, check_width
from tests.kit.html_validity import check_html
from tests.kit.places import COUNTDOWN
from tests.kit.sample_record import HOSTILE, X_WINS, Book

NASTY = "<script>alert(1)</script>" + "w" * 300 + "\x1b[31m=cmd|'/c calc'!A0\n" * 20
NAMES = (HOSTILE, "=1+1", "../../etc/<b>", "w" * 200)


def written(folder: Path, rules: str = "tictactoe") -> list[Letter]:
    """Feedback in "feedback" for agents with these names, which crashed and lost."""
    with Database(str(folder / "arena.db")) as database, database.writing() as connection:
        book = Book(connection)
        course = book.tournament("<i>cup</i>", rules, status="finished")
        sources = {name: f"{number:064x}" for number, name in enumerate(NAMES)}
        for name, source in sources.items():
            book.enter(course, name, source=source)
        for one, other in pairwise(NAMES):
            how = {"moves": X_WINS} if rules == "tictactoe" else {}
            book.play(course, rules, (one, other), sources=sources, **how)
            cut = {"moves": "a1"} if rules == "tictactoe" else {"moves": ""}
            book.play(course, rules, (other, one), verdict="crashed", fault=1, stderr=NASTY, sources=sources, **cut)
    (folder / "feedback").mkdir()
    with Database(str(folder / "arena.db"), create=False) as database, database.reading() as connection:
        tournament = lookup.find_tournament(connection, "<i>cup</i>")
        report, names = gather(connection, tournament, None, now=datetime(2026, 5, 1, tzinfo=UTC))
        assert names == own_names(NAMES)
        shared = Shared(
            report=report,
            names=names,
            folder=str(folder / "feedback"),
            tournament=tournament,
            roster=None,
            trust=False,
        )
        return write_feedback(connection, shared, database=str(folder / "arena.db"), processes=1, done=lambda *_: None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nasty")
    written(folder)
    return folder / "feedback"


def pages(folder: Path) -> list[Path]:
    found = sorted(folder.glob("*/index.html"))
    assert len(found) == len(NAMES)
    return found


def test_pages_are_valid_and_all_text_is_escaped(folder: Path) -> None:
    for page in pages(folder):
        text = page.read_text("utf-8")
        check_html(text)
        assert text.count("<script") == 1
        assert "<script>alert" not in text
        assert "<i>cup" not in text


def test_texts_are_printable_and_no_cell_is_a_formula(folder: Path) -> None:
    for file in folder.glob("*/feedback.txt"):
        lines = file.read_text("utf-8").split("\n")
        assert all(line.isprintable() for line in lines)
        assert not any(line.startswith(tuple("=+-@")) for line in lines[1:])
    rows = [*csv.DictReader((folder / "mail.csv").read_text("utf-8").splitlines(keepends=True))]
    assert len(rows) == len(NAMES)
    assert not [cell for row in rows for cell in row.values() if cell.startswith(tuple("=+-@"))]


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_page_is_wider_than_its_window(browser: Browser, folder: Path, width: int) -> None:
    for page in pages(folder):
        with browser.open(page, width=width) as shown:
            check_width(shown)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_has_enough_contrast(browser: Browser, folder: Path, dark: bool) -> None:
    with browser.open(pages(folder)[0], dark=dark) as shown:
        check_contrast(shown)


def test_rules_of_other_people_are_not_run_and_commands_say_what_they_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pages then have no boards, and nothing but the faults is explained."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    store = Store(tmp_path / "arena.store")
    shutil.copy(COUNTDOWN, tmp_path / "countdown.py")
    rules = store.take_game(f"{tmp_path / 'countdown.py'}:Countdown")
    shutil.rmtree(tmp_path / "state")
    letters = written(tmp_path, rules)
    text = " ".join(letters[0].text.split())
    assert "--game countdown.py:Countdown" in text
    assert "--trust-rules" in text
    assert str(tmp_path) not in text
    assert "better at ply" not in text


# mail.csv.


def letter(agent: str) -> Letter:
    return Letter(agent=agent, page="p", text_file="t", bundle="b", text="one\ntwo = 2\n", left_out=())


def test_each_member_of_a_team_gets_the_letter_of_the_team() -> None:
    roster = read("id,name,email,alias\n1,Ann,a@x,Fox\n2,Bob,b@x,fox\n3,Cleo,,Owl\n4,+Dan,d@x,\n", "roster.csv")
    refused = [Refused("Owl", "3_agent.py", "line 8: SyntaxError."), Refused("fox", "1_new.py", "It crashed.")]
    table = mail([letter("Fox")], roster, "cs101", refused)
    rows = [*csv.DictReader(table.splitlines(keepends=True))]
    assert [(row["id"], row["name"], row["email"], row["agent"]) for row in rows] == [
        ("1", "Ann", "a@x", "Fox"),
        ("2", "Bob", "b@x", "Fox"),
        ("3", "Cleo", "", ""),
        ("4", "'+Dan", "d@x", ""),
    ]
    assert rows[1]["text"].startswith("Your latest submission, 1_new.py, does not play. It crashed.\n")
    assert rows[1]["text"].endswith("\n\none\ntwo = 2\n")
    assert "3_agent.py, does not play. line 8: SyntaxError." in rows[2]["text"]
    assert rows[2]["text"].endswith("\n\nYou have no agent in cs101.\n")
    assert rows[3]["text"].startswith("You have no agent in cs101. Either you handed in nothing")
    assert rows[2]["subject"] == "cs101: no agent"
    assert without_agent([letter("Fox")], roster) == 2


@pytest.mark.costly
def test_a_list_for_mails_needs_no_names_for_agents() -> None:
    roster = read("id,name,alias\n1,Ann Lee,Fox\n2,bob@x,\n", "roster.csv")
    rows = [*csv.DictReader(mail([letter("Fox")], roster, "cs101").splitlines(keepends=True))]
    assert [(row["name"], row["agent"]) for row in rows] == [("Ann Lee", "Fox"), ("bob@x", "")]
