"""What authors see of their own, and the pages that show it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from random import Random

import pytest
from msgspec import to_builtins
from msgspec.structs import replace
from sqlalchemy import text as sql

from arena.course import roster
from arena.pages.drawing import Document
from arena.serve.challenges import challenge
from arena.serve.open_ladders import OpenLadder
from arena.student.checking import CheckStep, Light, StepName
from arena.web import own
from arena.web.live_record import LiveRecord
from arena.web.own import (
    AskedFor,
    Challenging,
    Own,
    SubmissionView,
    asked_for,
    challengers,
    challenging,
    feedback,
    recorded,
)
from arena.web.page_values import NotThere
from arena.web.pages import live_parts, own_pages
from arena.web.permissions import MEMBER, VISITOR, Names, Role, SeenNames, Viewer
from db import ladder, store
from db.database import Connection, Database
from db.games import game as recorded_game
from db.ladder import SubmissionState, cancel_challenge
from db.records import GameRecord, MoveRecord, SeatRecord
from tests.kit import ladder_record
from tests.kit.html_validity import check_html
from tests.kit.ladder_record import DESCRIPTION, hand_in, open_ladder, play_pair
from tests.kit.managed_ladder import NOW, ManagedLadder, later
from tests.kit.sample_record import X_WINS, Book
from tests.kit.web_record import LADDER, STUDENTS, WebRecord, secrets_in


def of(room: ManagedLadder, author: str, now: datetime = NOW) -> Own:
    """What that author sees at that time."""
    with room.record.reading() as connection:
        return own.own(connection, room.names, room.ladder, author, now=now)


def submitted(room: ManagedLadder, author: str) -> list[SubmissionView]:
    """The submissions of that author, the newest first."""
    with room.record.reading() as connection:
        rows = ladder.submissions(connection, room.ladder.id)
        views = [own.submission(connection, room.names, room.ladder, one.id) for one in rows if one.author == author]
    return [view for view in views if view is not None]


def form(found: Own, *, no_hand_ins: str = "") -> str:
    """The page for handing in."""
    drawn = own_pages.submit(found, no_hand_ins=no_hand_ins).text
    check_html(drawn)
    return drawn


def test_a_version_that_was_replaced_says_so(room: ManagedLadder) -> None:
    newest, *_, first = submitted(room, "alice")
    assert (newest.one.status, first.one.status) == ("active", "replaced")
    assert "It passed its check, and plays." in own_pages.submission(newest).text
    assert "Challenge an agent" not in own_pages.submission(newest).text
    possible = Challenging(closed="", left=3, agents=["alice"], opponents=[("Built-in agents", ["random"])], latest=[])
    drawn = own_pages.submission(newest, possible).text
    check_html(drawn)
    assert re.search('<input type="hidden" name="agent" value="alice">.*<option>random</option>', drawn, re.DOTALL)
    assert "It passed its check; a newer version plays now." in own_pages.submission(first).text


def test_an_author_whose_agent_has_not_entered_yet_reads_its_own_name(room: ManagedLadder) -> None:
    """With a roster, an agent has a public name only when it is recorded."""
    names = Names(roster.read("id,name,alias\n1,Dan D.,kestrel\n", "roster.csv"))
    with room.record.writing() as connection:
        state = SubmissionState.RECEIVED
        id = ladder.add_submission(
            connection, room.ladder.id, "dan", label="x.py", source=None, state=state, words="", now=NOW
        )
        found = own.document(connection, names.seen_by(Viewer(Role.STUDENT, 1, "dan")), room.ladder, id)
    assert found is not None
    assert found.agent == "dan"


@pytest.mark.parametrize(("what", "words"), [("withdraw", "is withdrawn"), ("quarantine", "is put aside")])
def test_a_version_of_an_agent_that_does_not_play_says_so(room: ManagedLadder, what: str, words: str) -> None:
    room.send("agent", agent="alice", what=what, reason="x")
    for view in submitted(room, "alice"):
        drawn = own_pages.submission(view).text
        assert f"agent {words}." in drawn
        assert "It waits for its first game" not in drawn


@pytest.mark.parametrize("author", ["alice", "dan"])
def test_the_last_version_plays_on_only_if_there_is_one(room: ManagedLadder, author: str) -> None:
    failed = SubmissionState.FAILED
    with room.record.writing() as connection:
        ladder.add_submission(
            connection, room.ladder.id, author, label="x.py", source=None, state=failed, words="x", now=NOW
        )
    drawn = own_pages.submission(submitted(room, author)[0]).text
    assert "hand it in again." in drawn
    assert ("your last version plays on" in drawn) == (author == "alice")


def test_what_is_wrong_with_an_agent_is_said_once(room: ManagedLadder) -> None:
    step = CheckStep(
        name=StepName.FOUND, light=Light.FAILED, seconds=0.1, message="line 1: no colon", advice="write one"
    )
    with room.record.writing() as connection:
        id = ladder.add_submission(
            connection,
            room.ladder.id,
            "dan",
            label="x.py",
            source=None,
            state=SubmissionState.RECEIVED,
            words="",
            now=NOW,
        )
        words = "found and importable: line 1: no colon; write one"
        steps = [to_builtins(step)]
        ladder.change_submission(connection, id, SubmissionState.FAILED, NOW, words=words, steps=steps)
    drawn = own_pages.submission(submitted(room, "dan")[0]).text
    assert drawn.count("line 1: no colon") == drawn.count("write one") == 1


def test_the_page_of_a_submission_links_to_its_agent_once_that_has_entered(room: ManagedLadder) -> None:
    with room.record.writing() as connection:
        ladder.add_submission(
            connection, room.ladder.id, "dan", label="", source=None, state=SubmissionState.RECEIVED, words="", now=NOW
        )
    to = 'href="/t/cs101/a/{}"'
    assert to.format("dan") not in own_pages.submission(submitted(room, "dan")[0]).text
    assert all(to.format("bob") in own_pages.submission(one).text for one in submitted(room, "bob"))


def test_first_games_are_called_as_in_the_list_of_games(room: ManagedLadder) -> None:
    with room.record.writing() as connection:
        Book(connection).play(Book(connection).tournament("cup", "tictactoe"), "tictactoe", ("eve", "fay"))
        versions = {name: hand_in(connection, room.ladder, name, "random") for name in ("dan", "eve")}
        play_pair(connection, room.ladder, versions, 1, Random(1))
    (view,) = submitted(room, "dan")
    first, _ = view.games
    assert first.id != first.number
    assert f'<a href="/g/{first.id}">Game {first.number}</a>' in own_pages.submission(view).text


def test_before_the_close_there_is_a_form(room: ManagedLadder) -> None:
    found = of(room, "dan")
    assert (found.is_closed, found.refused) == (False, "")
    drawn = form(found)
    assert re.search(r"Open until <time [^>]*>2026-12-12 08:00 UTC</time>\.", drawn)
    assert 'type="file"' in drawn
    assert "arena new my_agent.py --game tictactoe" in drawn
    assert "an agent has 5 s for all its moves." in drawn
    assert 'type="file"' not in form(found, no_hand_ins="Not here.")


def test_after_the_close_there_is_none_except_for_those_with_more_time(room: ManagedLadder) -> None:
    room.send("extend", author="dan", until="2026-12-20T12:00", reason="ill")
    after = room.ladder.closes + timedelta(hours=1)
    assert (of(room, "dan", after).is_closed, of(room, "dan", after).refused) == (False, "")
    found = of(room, "alice", after)
    assert found.is_closed
    drawn = form(found)
    assert re.search(r"Closed <time [^>]*>2026-12-12 08:00 UTC</time>\.", drawn)
    assert 'type="file"' not in drawn
    drawn = own_pages.author(room.links[0].account, found, (), no_hand_ins="").text
    check_html(drawn)
    assert "Closed" in drawn
    assert "Hand in an agent" not in drawn


def test_an_extension_that_was_taken_back_does_not_end_before_the_close(room: ManagedLadder) -> None:
    room.send("extend", author="dan", until="2026-12-20T12:00", reason="ill")
    room.send("take-back", author="dan")
    assert of(room, "dan").closes == room.ladder.closes


def test_an_author_whose_agent_was_withdrawn_is_told_whom_to_ask(room: ManagedLadder) -> None:
    room.send("agent", agent="alice", what="withdraw", reason="x")
    found = of(room, "alice", later(1))
    assert found.refused == "Your instructor has taken this agent out of the ladder; ask them."
    drawn = form(found)
    assert found.refused in drawn
    assert 'type="file"' not in drawn


def test_a_new_token_is_not_an_argument_of_a_command() -> None:
    drawn = own_pages.new_token("at_x", "http://127.0.0.1").text
    check_html(drawn)
    assert "export ARENA_SERVER=http://127.0.0.1\nexport ARENA_TOKEN=at_x\narena submit my_agent.py" in drawn
    assert "--token" not in drawn


@pytest.mark.parametrize(
    ("clock", "words"),
    [
        ("10+0.1", "an agent has 10 s for all its moves, and 0.1 s more after each move."),
        ("40/300", "an agent has 300 s for 40 moves."),
        ("move=2", "at most 2 s for each move."),
        ("60+3x10", "an agent has 60 s for all its moves, and then 3 periods of 10 s."),
        ("none", "there is no limit."),
    ],
)
def test_the_clock_is_said_in_words(room: ManagedLadder, clock: str, words: str) -> None:
    assert words in form(replace(of(room, "dan"), clock=clock))


# The page that says why an author's agent lost: the last round, the author's own faults, and nobody else's words.


WHY_NOW = datetime(2026, 11, 9, tzinfo=UTC)
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

    def asked(self, author: str, further: str = "") -> AskedFor:
        """What this author asks for."""
        with self.database.reading() as connection:
            return asked_for(connection, self.seen_by(author), self.ladder, further)

    def page(self, author: str, further: str = "") -> Document:
        """The page of this author."""
        asked, names = self.asked(author, further), self.seen_by(author)
        if asked.round is None:
            return own_pages.no_games_page(asked)
        about, found = feedback(self.database, self.folder / "store", names, asked.round, asked.agent, now=WHY_NOW)
        return own_pages.why_page(asked, about, found)


@pytest.fixture
def why_room(tmp_path: Path) -> Iterator[Room]:
    room = Room(tmp_path)
    with room.database:
        yield room


def read(page: Document) -> str:
    """What its reader reads."""
    check_html(page.text)
    body = re.sub(r"<style>.*?</style>|<[^>]*>", " ", page.text.partition("<body>")[2], flags=re.DOTALL)
    return " ".join(unescape(body).split())


def test_own_faults_are_shown_with_what_the_agent_printed_and_games_lead_to_their_pages(why_room: Room) -> None:
    crash = why_room.play(
        why_room.ladder.id, "alice", "bob", moves="a1 b1", verdict="crashed", fault=0, stderr="KeyError: 'mine'"
    )
    lost = why_room.play(why_room.ladder.id, "bob", "alice", moves=X_WINS)
    page = why_room.page("alice")
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


def test_the_author_of_a_program_reads_the_name_of_their_own_file(why_room: Room) -> None:
    """A single file in another language is stored under another name."""
    with why_room.database.writing() as connection:
        own = {"source": SOURCES["alice"]}
        connection.execute(sql("UPDATE version SET started_as = 'cmd:node ./agent.js' WHERE source = :source"), own)
        version = connection.execute(sql("SELECT id FROM version WHERE source = :source"), own).scalar_one()
        id = ladder.add_submission(
            connection,
            why_room.ladder.id,
            "alice",
            label="tiger.js",
            source=SOURCES["alice"],
            state=ladder.SubmissionState.CHECKING,
            words="",
            now=WHY_NOW,
        )
        ladder.change_submission(connection, id, ladder.SubmissionState.ENTERED, WHY_NOW, version=version)
    stderr = "ReferenceError: x is not defined\n    at choose (/1/agent.js:3:5)"
    why_room.play(why_room.ladder.id, "alice", "bob", moves="a1 b1", verdict="crashed", fault=0, stderr=stderr)
    shown = read(why_room.page("alice"))
    assert "arena check tiger.js" in shown
    assert "tiger.js:3:5" in shown
    assert "agent.js" not in shown


def test_words_of_others_are_not_shown(why_room: Room) -> None:
    for number in range(3):
        why_room.play(
            why_room.ladder.id, "alice", "bob", moves="a1", verdict="crashed", fault=1, stderr=f"{SECRET} {number}"
        )
        why_room.play(why_room.ladder.id, "bob", "alice", moves=X_WINS)
    with why_room.database.writing() as connection:
        connection.execute(sql("UPDATE move SET text = :x, line = :x WHERE who = 0"), {"x": SECRET})
        connection.execute(sql("UPDATE seat SET stderr = :x WHERE name = 'bob'"), {"x": SECRET})
        connection.execute(sql("UPDATE game SET detail = :x"), {"x": SECRET})
        connection.execute(sql("UPDATE version SET started_as = :x WHERE source = :c"), {"x": SECRET, "c": "c" * 64})
    page = why_room.page("alice")
    assert "against bob" in read(page)
    assert SECRET not in page.text
    assert SECRET in why_room.page("bob").text, "its own author reads it"


def test_the_record_with_planted_secrets_shows_only_what_is_the_authors_own(record: WebRecord) -> None:
    """Its agents are all on the roster, under hostile aliases."""
    from arena.course import roster as rosters
    from arena.serve.open_ladders import opened

    drawn = 0
    names = Names(rosters.read(record.roster.read_text("utf-8"), record.roster.name))
    with Database(record.database, create=False, read_only=True) as database:
        for student in STUDENTS:
            seen = names.seen_by(Viewer(Role.STUDENT, 1, student))
            with database.reading() as connection:
                ladder = opened(connection, LADDER)
                asked = asked_for(connection, seen, ladder)
            assert asked.agent == student
            if asked.round is None:  # its last version has not played
                check_html(own_pages.no_games_page(asked).text)
                continue
            drawn += 1
            about, found = feedback(database, record.folder / "store", seen, ladder.id, student, now=WHY_NOW)
            page = own_pages.why_page(asked, about, found)
            check_html(page.text)
            assert secrets_in(page.text) == []
    assert drawn == len(STUDENTS) - 1


def test_the_last_round_is_the_final_then_the_last_tournament_then_the_ladder(why_room: Room) -> None:
    assert why_room.asked("alice").round is None
    why_room.play(why_room.ladder.id, "alice", "bob", moves=X_WINS)
    assert why_room.asked("alice").round == why_room.ladder.id
    with why_room.database.writing() as connection:
        friday = why_room.round(connection, "cs101 friday", "running", "alice", "bob")
    why_room.play(friday, "alice", "bob", moves=X_WINS)
    assert why_room.asked("alice").round == why_room.ladder.id, "it is not over"
    with why_room.database.writing() as connection:
        connection.execute(sql("UPDATE tournament SET status = 'finished' WHERE id = :id"), {"id": friday})
        final = why_room.round(connection, "cs101 final", "finished", "alice", "carol")
    assert why_room.asked("alice").round == friday
    why_room.play(final, "alice", "carol", moves=X_WINS)
    assert [why_room.asked(name).round for name in ("alice", "bob", "carol")] == [final, friday, final]
    assert "cs101 final" in read(why_room.page("alice"))


def test_only_an_agent_that_has_lost_reads_why_games_were_lost(why_room: Room) -> None:
    why_room.play(why_room.ladder.id, "alice", "bob", moves=X_WINS)
    why_lost = "Why games were lost"
    assert [why_lost in read(why_room.page(author)) for author in ("alice", "bob")] == [False, True]
    with why_room.database.reading() as connection:
        theirs = [
            own.own(connection, why_room.seen_by(author), why_room.ladder, author, now=WHY_NOW).has_lost
            for author in ("alice", "bob", "carol")
        ]
    assert theirs == [False, True, False]


def test_an_author_without_games_or_agents_reads_that(why_room: Room) -> None:
    for author in ("carol", "nobody"):
        page = why_room.page(author)
        assert "There are no finished games yet." in read(page)
        assert 'href="/me"' in page.text


def test_each_agent_of_an_author_has_its_page(why_room: Room) -> None:
    why_room.play(why_room.ladder.id, "bob", "alice.two", moves=X_WINS)
    assert why_room.asked("alice") == why_room.asked("alice", "")
    assert "There are no finished games yet." in read(why_room.page("alice"))
    page = why_room.page("alice", "two")
    assert "alice.two has no rank yet" in read(page)
    assert 'href="/me/why?agent=two"' in page.text
    with pytest.raises(NotThere):
        why_room.asked("bob", "two")


@pytest.mark.parametrize("further", ["bob", ".bob", "/../bob", "two.", "%", "alice"])
def test_the_page_of_another_author_cannot_be_asked_for(why_room: Room, further: str) -> None:
    why_room.play(why_room.ladder.id, "alice", "bob", moves=X_WINS)
    with pytest.raises(NotThere):
        why_room.asked("alice", further)


def test_feedback_about_another_author_is_not_even_read(why_room: Room) -> None:
    why_room.play(why_room.ladder.id, "alice", "bob", moves=X_WINS)
    for viewer in (VISITOR, MEMBER, Viewer(Role.STUDENT, 1, "bob"), Viewer(Role.STUDENT, 1, "alic")):
        names = why_room.names.seen_by(viewer)
        with pytest.raises(NotThere):
            feedback(why_room.database, why_room.folder / "store", names, why_room.ladder.id, "alice", now=WHY_NOW)


def test_games_of_an_earlier_version_do_not_count(why_room: Room) -> None:
    why_room.play(why_room.ladder.id, "bob", "alice", moves=X_WINS)
    with why_room.database.writing() as connection:
        book = Book(connection)
        book.now += timedelta(hours=1)
        book.enter(why_room.ladder.id, "alice", source="e" * 64)
    assert why_room.asked("alice").round is None


# What students see of challenges: with what and against whom, what became of them, and the game itself.


CHALLENGING_NOW = ladder_record.OPENED + timedelta(days=20)
VIEWERS = {name: Viewer(Role.STUDENT, author=name, account=1) for name in ("alice", "bob", "carol", "dan")}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database(str(tmp_path / "arena.db")) as database:
        yield database


@pytest.fixture
def challenging_ladder(database: Database, tmp_path: Path) -> OpenLadder:
    return ladder_record.store_ladder(database, tmp_path)


def challenging_of(database: Database, challenging_ladder: OpenLadder, author: str = "alice") -> Challenging:
    with database.reading() as connection:
        found = challenging(connection, Names().seen_by(VIEWERS[author]), challenging_ladder, author, CHALLENGING_NOW)
    assert found is not None
    return found


def test_the_own_page_lists_opponents_and_what_became_of_challenges(
    database: Database, challenging_ladder: OpenLadder
) -> None:
    found = challenging_of(database, challenging_ladder)
    assert (found.agents, found.left, found.closed, found.latest) == (["alice"], 10, "", [])
    (_, agents), (_, built_in) = found.opponents
    assert {*agents} == {"bob", "carol", "random", "alphabeta:depth=1"}
    assert "minimax" in built_in
    assert not {*agents} & {*built_in}
    game = challenge(database, challenging_ladder, "alice", "alice", "minimax", CHALLENGING_NOW)
    found = challenging_of(database, challenging_ladder)
    (one,) = found.latest
    assert (one.game, one.agent, one.opponent, one.status, found.left) == (game, "alice", "minimax", "scheduled", 9)
    assert challenging_of(database, challenging_ladder, "bob").latest == []
    assert challenging_of(database, challenging_ladder, "dan").agents == []


def test_challenges_that_are_turned_off_are_on_no_page(database: Database, challenging_ladder: OpenLadder) -> None:
    off = replace(challenging_ladder, ladder=replace(challenging_ladder.ladder, challenges=0))
    names = Names().seen_by(VIEWERS["alice"])
    with database.reading() as connection:
        assert challenging(connection, names, off, "alice", CHALLENGING_NOW) is None
        assert challengers(connection, names, off, off.id, "bob", CHALLENGING_NOW) == []


@pytest.mark.parametrize(
    ("viewer", "opponent", "own"),
    [
        (VIEWERS["alice"], "bob", ["alice"]),
        (VIEWERS["alice"], "random", ["alice"]),
        (VIEWERS["alice"], "alice", []),
        (VIEWERS["dan"], "bob", []),
        (VISITOR, "bob", []),
        (Viewer(Role.INSTRUCTOR, account=2), "bob", []),
    ],
)
def test_the_page_of_an_agent_has_a_button_for_each_own_agent(
    database: Database, challenging_ladder: OpenLadder, viewer: Viewer, opponent: str, own: list[str]
) -> None:
    names = Names().seen_by(viewer)
    with database.reading() as connection:
        assert (
            challengers(connection, names, challenging_ladder, challenging_ladder.id, opponent, CHALLENGING_NOW) == own
        )
        assert (
            challengers(connection, names, challenging_ladder, challenging_ladder.id + 1, opponent, CHALLENGING_NOW)
            == []
        )
        assert (
            challengers(
                connection,
                names,
                challenging_ladder,
                challenging_ladder.id,
                opponent,
                challenging_ladder.closes - timedelta(hours=1),
            )
            == []
        )


def test_names_that_are_sent_are_those_of_the_record_or_nobodys(
    database: Database, challenging_ladder: OpenLadder
) -> None:
    names = Names().seen_by(VIEWERS["alice"])
    with database.reading() as connection:

        def found(agent: str, opponent: str) -> tuple[str, str]:
            return recorded(connection, names, challenging_ladder, "alice", agent, opponent)

        assert found("", "bob") == found("alice", "bob") == ("alice", "bob")
        assert found("bob", "minimax") == ("", "minimax")
        assert found("alice", "zoe") == ("alice", "")


def test_each_author_sees_in_a_challenge_what_the_own_agent_said(
    database: Database, challenging_ladder: OpenLadder
) -> None:
    game = challenge(database, challenging_ladder, "alice", "alice", "bob", CHALLENGING_NOW)
    seen = {name: LiveRecord(database, Names().seen_by(viewer), "cs101") for name, viewer in VIEWERS.items()}
    waiting = seen["alice"].game(game)
    assert waiting is not None
    assert (waiting.tournament, waiting.shown.status, waiting.is_over) == ("cs101", "scheduled", False)
    drawn = live_parts.page(waiting.shown, None, of=None).text
    assert "not begun yet" in drawn
    assert "challenge, which counts nowhere" in drawn
    assert 'data-stream="/events?g=' in drawn
    with database.writing() as connection:
        players = recorded_game(connection, game).players
        store.begin(connection, game, CHALLENGING_NOW)
        seats = tuple(
            SeatRecord(seat, name, 0.5, 0.0, 1, 1, stderr=f"said by {name}") for seat, name in enumerate(players)
        )
        moves = (MoveRecord(1, 0, "a1", text=f"thought by {players[0]}"),)
        store.finish(
            connection, game, GameRecord(game, "normal", None, "", seats, moves, 0), host=None, now=CHALLENGING_NOW
        )
    for name, record in seen.items():
        found = record.whole_game(game)
        assert found is not None
        said = {seat.player: seat.stderr for seat in found.shown.seats}
        assert said == {player: f"said by {player}" if player == name else None for player in players}
        assert record.beside(found) == (None, None)
    assert LiveRecord(database, Names().seen_by(VISITOR), "cs101").game(game) is None
    everything = LiveRecord(database, Names().seen_by(Viewer(Role.INSTRUCTOR, account=2)), "cs101").whole_game(game)
    assert everything is not None
    assert all(seat.stderr for seat in everything.shown.seats)


def test_the_page_of_one_that_was_not_played_says_why(database: Database, challenging_ladder: OpenLadder) -> None:
    game = challenge(database, challenging_ladder, "alice", "alice", "bob", CHALLENGING_NOW)
    with database.writing() as connection:
        cancel_challenge(connection, game, "the opponent could not play any more")
    found = LiveRecord(database, Names().seen_by(VIEWERS["alice"]), "cs101").game(game)
    assert found is not None
    drawn = live_parts.page(found.shown, None, of=None).text
    assert "cancelled: it was not played: the opponent could not play any more" in drawn
    (one,) = challenging_of(database, challenging_ladder).latest
    assert (one.status, one.words) == ("cancelled", "the opponent could not play any more")
