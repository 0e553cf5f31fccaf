"""A rating stands with its games and its age, the same on every page, also while games go on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from html import unescape
from pathlib import Path
from random import Random

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.web import own, results
from arena.web.pages import own_pages, result_pages
from arena.web.permissions import Names, Role, Viewer
from arena.web.results import agent_view
from db import ladder as rows
from db import web
from db.accounts import Role as AccountRole
from db.accounts import StoredAccount
from db.database import Database
from tests.kit import ladder_record

LATER = timedelta(minutes=5)
ALICE = Viewer(Role.STUDENT, author="alice", account=1)
ACCOUNT = StoredAccount(
    id=1, ladder="cs101", role=AccountRole.STUDENT, author="alice", name="", student="", active=True
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database(str(tmp_path / "arena.db")) as database:
        yield database


def text(markup: str) -> str:
    """The words of a page."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", markup.partition("<body>")[2])))


def test_all_pages_count_the_same_games(database: Database, tmp_path: Path) -> None:
    ladder = ladder_record.store_ladder(database, tmp_path)
    with database.writing() as connection:
        lines = {line.name: line for line in rows.standings(connection, ladder.id)}
        versions = {name: lines[name].version for name in ("alice", "bob")}
        ladder_record.play_pair(connection, ladder, versions, 1000, Random(1))  # not rated yet
    alice = lines["alice"]
    assert alice.rated is not None
    now = alice.rated + LATER
    names = Names().seen_by(ALICE)
    with database.reading() as connection:
        about = results.heading(connection, names, ladder.id)
        report = results.report(connection, names, ladder.id, now=now)
        theirs = own.own(connection, names, ladder, "alice", now=now)
        view = agent_view(connection, names, ladder.id, "alice", now=now)
        asked = own.asked_for(connection, names, ladder)
        assert len(web.games_of(connection, ladder.id, "alice")) != alice.games
    made = f"from {alice.games} games, 5 minutes old"
    titled, feedback = own.feedback(database, tmp_path, names, ladder.id, "alice", now=now)
    assert made in text(own_pages.why_page(asked, titled, feedback).text)
    assert made in text(result_pages.agent(view).text)
    standings = text(result_pages.standings(about, report).text)
    assert "The ratings are 5 minutes old." in standings
    assert re.search(rf"alice {alice.rating:.0f} ± {alice.error:.0f} .* {alice.games} ", standings)
    mine = text(own_pages.author(ACCOUNT, theirs, (), no_hand_ins="").text)
    assert re.search(rf"alice \S+ \S* ?2 {alice.rating:.0f} {alice.error:.0f} {alice.games} 5 minutes old", mine)
