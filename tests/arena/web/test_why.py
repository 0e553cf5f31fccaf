"""The page that says why an author's agent lost: the last round, the author's own faults, and nobody else's words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path

import pytest
from sqlalchemy import text as sql

from arena.pages.drawing import Document
from arena.serve.opened import OpenLadder
from arena.web import own, why
from arena.web.drawn import NotThere
from arena.web.names import Names, SeenNames
from arena.web.pages import why_page
from arena.web.sight import MEMBER, VISITOR, Role, Viewer
from db import ladder
from db.database import Connection, Database
from tests.kit.html_validity import check_html
from tests.kit.ladder_record import DESCRIPTION, open_ladder
from tests.kit.sample_record import X_WINS, Book
from tests.kit.web_record import LADDER, STUDENTS, WebRecord, secrets_in

NOW = datetime(2026, 11, 9, tzinfo=UTC)
FRIDAY = '[[ladder.tournament]]\nname = "friday"\nstarts = 2026-11-06T18:00:00Z\n'
SECRET = "zzplant"
SOURCES = {"alice": "a" * 64, "alice.two": "b" * 64, "bob": "c" * 64, "carol": "d" * 64}


class Room:
    """A ladder with a tournament, in which alice has two agents; games are added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = Database(str(folder / "arena.db"))
        self.names = Names()
        self.games = 0
        with self.database.writing() as connection:
            self.ladder: OpenLadder = open_ladder(connection, folder, DESCRIPTION + FRIDAY)
            book = Book(connection)
            for name, source in SOURCES.items():
                book.enter(self.ladder.id, name, source=source)

    def round(self, connection: Connection, name: str, status: str, *agents: str) -> int:
        """A tournament of these agents."""
        book = Book(connection)
        tournament = book.tournament(name, "tictactoe", status=status)
        for agent in agents:
            book.enter(tournament, agent, source=SOURCES[agent])
        return tournament

    def play(self, tournament: int, one: str, other: str, **how: object) -> int:
        """A game that is over."""
        self.games += 1
        with self.database.writing() as connection:
            book = Book(connection)
            book.games = self.games
            return book.play(tournament, "tictactoe", (one, other), sources=SOURCES, **how)

    def seen_by(self, author: str, role: Role = Role.STUDENT) -> SeenNames:
        """The names as this author sees them."""
        return self.names.seen_by(Viewer(role, 1, author))

    def asked(self, author: str, further: str = "") -> why.AskedFor:
        """What this author asks for."""
        with self.database.reading() as connection:
            return why.asked_for(connection, self.seen_by(author), self.ladder, further)

    def page(self, author: str, further: str = "") -> Document:
        """The page of this author."""
        asked, names = self.asked(author, further), self.seen_by(author)
        if asked.round is None:
            return why_page.no_games(asked)
        about, found = why.feedback(self.database, self.folder / "store", names, asked.round, asked.agent, now=NOW)
        return why_page.why(asked, about, found)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    room = Room(tmp_path)
    with room.database:
        yield room


def read(page: Document) -> str:
    """What its reader reads."""
    check_html(page.text)
    body = re.sub(r"<style>.*?</style>|<[^>]*>", " ", page.text.partition("<body>")[2], flags=re.DOTALL)
    return " ".join(unescape(body).split())


def test_own_faults_are_shown_with_what_the_agent_printed_and_games_lead_to_their_pages(room: Room) -> None:
    crash = room.play(
        room.ladder.id, "alice", "bob", moves="a1 b1", verdict="crashed", fault=0, stderr="KeyError: 'mine'"
    )
    lost = room.play(room.ladder.id, "bob", "alice", moves=X_WINS)
    page = room.page("alice")
    shown = read(page)
    assert "alice has no rank yet in cs101, with 0 points from 2 games (0 won, 0 drawn, 2 lost)." in shown
    assert "lost 1 of them by its own fault" in shown
    assert "KeyError: 'mine'" in shown
    assert re.search(r"Game cs101-\d+ against bob", shown)
    for game in (crash, lost):
        assert f'href="/g/{game}#ply-' in page.text
    assert 'href="/me"' in page.text
    assert "arena check" in shown
    assert "--db" not in shown, "there is no bundle"
    assert "<svg" in page.text
    assert "style-src 'self'" in page.policy
    assert "'unsafe" not in page.policy


def test_the_author_of_a_program_reads_the_name_of_their_own_file(room: Room) -> None:
    """A single file in another language is stored under another name."""
    with room.database.writing() as connection:
        own = {"source": SOURCES["alice"]}
        connection.execute(sql("UPDATE version SET started_as = 'cmd:node ./agent.js' WHERE source = :source"), own)
        version = connection.execute(sql("SELECT id FROM version WHERE source = :source"), own).scalar_one()
        id = ladder.add_submission(
            connection,
            room.ladder.id,
            "alice",
            label="tiger.js",
            source=SOURCES["alice"],
            state=ladder.SubmissionState.CHECKING,
            words="",
            now=NOW,
        )
        ladder.change_submission(connection, id, ladder.SubmissionState.ENTERED, NOW, version=version)
    stderr = "ReferenceError: x is not defined\n    at choose (/1/agent.js:3:5)"
    room.play(room.ladder.id, "alice", "bob", moves="a1 b1", verdict="crashed", fault=0, stderr=stderr)
    shown = read(room.page("alice"))
    assert "arena check tiger.js" in shown
    assert "tiger.js:3:5" in shown
    assert "agent.js" not in shown


def test_words_of_others_are_not_shown(room: Room) -> None:
    for number in range(3):
        room.play(room.ladder.id, "alice", "bob", moves="a1", verdict="crashed", fault=1, stderr=f"{SECRET} {number}")
        room.play(room.ladder.id, "bob", "alice", moves=X_WINS)
    with room.database.writing() as connection:
        connection.execute(sql("UPDATE move SET text = :x, line = :x WHERE who = 0"), {"x": SECRET})
        connection.execute(sql("UPDATE seat SET stderr = :x WHERE name = 'bob'"), {"x": SECRET})
        connection.execute(sql("UPDATE game SET detail = :x"), {"x": SECRET})
        connection.execute(sql("UPDATE version SET started_as = :x WHERE source = :c"), {"x": SECRET, "c": "c" * 64})
    page = room.page("alice")
    assert "against bob" in read(page)
    assert SECRET not in page.text
    assert SECRET in room.page("bob").text, "its own author reads it"


def test_the_record_with_planted_secrets_shows_only_what_is_the_authors_own(record: WebRecord) -> None:
    """Its agents are all on the roster, under hostile aliases."""
    from arena.course import roster as rosters
    from arena.serve.opened import opened

    drawn = 0
    names = Names(rosters.read(record.roster.read_text("utf-8"), record.roster.name))
    with Database(record.database, create=False, read_only=True) as database:
        for student in STUDENTS:
            seen = names.seen_by(Viewer(Role.STUDENT, 1, student))
            with database.reading() as connection:
                ladder = opened(connection, LADDER)
                asked = why.asked_for(connection, seen, ladder)
            assert asked.agent == student
            if asked.round is None:  # its last version has not played
                check_html(why_page.no_games(asked).text)
                continue
            drawn += 1
            about, found = why.feedback(database, record.folder / "store", seen, ladder.id, student, now=NOW)
            page = why_page.why(asked, about, found)
            check_html(page.text)
            assert secrets_in(page.text) == []
    assert drawn == len(STUDENTS) - 1


def test_the_last_round_is_the_final_then_the_last_tournament_then_the_ladder(room: Room) -> None:
    assert room.asked("alice").round is None
    room.play(room.ladder.id, "alice", "bob", moves=X_WINS)
    assert room.asked("alice").round == room.ladder.id
    with room.database.writing() as connection:
        friday = room.round(connection, "cs101 friday", "running", "alice", "bob")
    room.play(friday, "alice", "bob", moves=X_WINS)
    assert room.asked("alice").round == room.ladder.id, "it is not over"
    with room.database.writing() as connection:
        connection.execute(sql("UPDATE tournament SET status = 'finished' WHERE id = :id"), {"id": friday})
        final = room.round(connection, "cs101 final", "finished", "alice", "carol")
    assert room.asked("alice").round == friday
    room.play(final, "alice", "carol", moves=X_WINS)
    assert [room.asked(name).round for name in ("alice", "bob", "carol")] == [final, friday, final]
    assert "cs101 final" in read(room.page("alice"))


def test_only_an_agent_that_has_lost_reads_why_games_were_lost(room: Room) -> None:
    room.play(room.ladder.id, "alice", "bob", moves=X_WINS)
    why_lost = "Why games were lost"
    assert [why_lost in read(room.page(author)) for author in ("alice", "bob")] == [False, True]
    with room.database.reading() as connection:
        theirs = [
            own.own(connection, room.seen_by(author), room.ladder, author, now=NOW).has_lost
            for author in ("alice", "bob", "carol")
        ]
    assert theirs == [False, True, False]


def test_an_author_without_games_or_agents_reads_that(room: Room) -> None:
    for author in ("carol", "nobody"):
        page = room.page(author)
        assert "There are no finished games yet." in read(page)
        assert 'href="/me"' in page.text


def test_each_agent_of_an_author_has_its_page(room: Room) -> None:
    room.play(room.ladder.id, "bob", "alice.two", moves=X_WINS)
    assert room.asked("alice") == room.asked("alice", "")
    assert "There are no finished games yet." in read(room.page("alice"))
    page = room.page("alice", "two")
    assert "alice.two has no rank yet" in read(page)
    assert 'href="/me/why?agent=two"' in page.text
    with pytest.raises(NotThere):
        room.asked("bob", "two")


@pytest.mark.parametrize("further", ["bob", ".bob", "/../bob", "two.", "%", "alice"])
def test_the_page_of_another_author_cannot_be_asked_for(room: Room, further: str) -> None:
    room.play(room.ladder.id, "alice", "bob", moves=X_WINS)
    with pytest.raises(NotThere):
        room.asked("alice", further)


def test_feedback_about_another_author_is_not_even_read(room: Room) -> None:
    room.play(room.ladder.id, "alice", "bob", moves=X_WINS)
    for viewer in (VISITOR, MEMBER, Viewer(Role.STUDENT, 1, "bob"), Viewer(Role.STUDENT, 1, "alic")):
        names = room.names.seen_by(viewer)
        with pytest.raises(NotThere):
            why.feedback(room.database, room.folder / "store", names, room.ladder.id, "alice", now=NOW)


def test_games_of_an_earlier_version_do_not_count(room: Room) -> None:
    room.play(room.ladder.id, "bob", "alice", moves=X_WINS)
    with room.database.writing() as connection:
        book = Book(connection)
        book.now += timedelta(hours=1)
        book.enter(room.ladder.id, "alice", source="e" * 64)
    assert room.asked("alice").round is None
