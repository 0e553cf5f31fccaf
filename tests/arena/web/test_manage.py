"""What instructors see of a ladder or tournament that they manage, and its pages."""

from __future__ import annotations

import re

import pytest

from arena.accounts import audit
from arena.errors import BadRuling
from arena.web import manage
from arena.web.names import Names
from arena.web.pages import manage_page
from arena.web.sight import MEMBER, VISITOR
from db import ladder, lookup, store
from db.errors import NotFound
from db.ladder import SubmissionState
from tests.kit.html_validity import check_html
from tests.kit.ladder_record import hand_in
from tests.kit.managed_ladder import HOSTILE, NOW, ManagedLadder
from tests.kit.sample_record import Book


@pytest.fixture
def place(where: str) -> str:
    return where


def text(room: ManagedLadder, tournament: str = "cs101", *, wrong: str = "", **given: str) -> str:
    """The whole page."""
    with room.accounts.reading() as connection:
        entries = audit.entries(connection)
    found = room.page(tournament)
    drawn = manage_page.page(found, room.people(), entries, now=NOW, wrong=wrong, given=given)
    check_html(drawn.text)
    assert "<script>x" not in drawn.text
    return drawn.text


def test_a_ladder_says_how_it_stands_and_what_waits(room: ManagedLadder) -> None:
    found = room.page()
    state = found.ladder
    assert state is not None
    assert (state.closes, state.is_closed_early, state.final, state.is_run) == (room.ladder.closes, False, "", False)
    assert state.rated is not None
    assert [(one.one.state, one.one.ahead, one.person) for one in state.queue] == [
        ("checking", None, "Bob Lind, Cid Voss"),
        ("received", 1, "Bob Lind, Cid Voss"),
    ]
    assert [one.one.state for one in state.latest[:3]] == ["refused", "received", "checking"]
    assert [one.name for one in found.agents] == ["alice", "bob", "carol"]
    assert [one.name for one in state.authors] == ["alice", "bob", "carol", "dan"]
    assert (found.graded, found.of_ladder) == ("", "")


def test_agents_that_have_entered_are_links_wherever_the_page_names_them(room: ManagedLadder) -> None:
    with room.record.writing() as connection:
        ladder.add_submission(
            connection, room.ladder.id, "dan", label="", source=None, state=SubmissionState.REFUSED, words="", now=NOW
        )
    room.send("agent", agent="alice", what="withdraw", reason="left")
    parts = dict(
        zip(*[iter(re.split('<(?:section|div) class="[a-z ]+" id="([a-z]+)">', text(room))[1:])] * 2, strict=True)
    )
    bob, alice, dan = (f'href="/t/cs101/a/{name}"' for name in ("bob", "alice", "dan"))
    assert (parts["queue"].count(bob), parts["submissions"].count(bob) >= 4, alice in parts["rulings"]) == (
        2,
        True,
        True,
    )
    assert (dan in text(room), ">dan" in parts["submissions"]) == (False, True)
    with room.record.reading() as connection:
        game = manage.game_to_rule(connection, room.names, room.ladder.id, 1)
    drawn = manage_page.game(game, given={}).text
    assert all(f'href="/t/cs101/a/{seat.name}"' in drawn for seat in game.seats)


def test_the_page_names_authors_who_handed_in_the_same_files(room: ManagedLadder) -> None:
    with room.record.writing() as connection:
        hand_in(connection, room.ladder, "bob", "abc")
        hand_in(connection, room.ladder, "dan", "abc")
    state = room.page().ladder
    assert state is not None
    assert [([(each.name, each.person) for each in one.agents], one.versions) for one in state.same_files][1:] == [
        ([("bob", "Bob Lind, Cid Voss"), ("dan", "Dan Rand")], [2, 1])
    ]
    same = re.sub("<[^>]*>", "", text(room).split("<h2>Same files</h2>")[1].split("</section>")[0])
    assert "bob (Bob Lind, Cid Voss) and dan (Dan Rand) handed in the same files (version 2 and version 1)" in same


def test_a_final_belongs_to_its_ladder_and_has_the_grades(room: ManagedLadder) -> None:
    with room.record.writing() as connection:
        book = Book(connection)
        final = book.tournament("cs101 final", "tictactoe")
        book.enter(final, "alice", "bob")
    found, of_ladder = room.page("cs101 final"), room.page()
    assert (found.ladder, found.of_ladder, found.graded) == (None, "cs101", "cs101 final")
    assert [(one.name, one.person) for one in found.agents][1] == ("bob", "Bob Lind, Cid Voss")
    assert of_ladder.graded == "cs101 final"
    assert of_ladder.ladder is not None
    assert (of_ladder.ladder.final, of_ladder.ladder.final_status) == ("cs101 final", "running")
    assert "Close now" not in text(room)
    assert "nobody can be given more time" in text(room)


def test_the_page_has_a_form_for_what_is_possible_now(room: ManagedLadder) -> None:
    before = text(room)
    assert "Close now" in before
    assert "Open again" not in before
    room.send("close", sure="yes")
    after = text(room)
    assert "Close now" not in after
    assert "Open again" in after


def test_the_final_says_whom_it_waits_for(room: ManagedLadder) -> None:
    assert "has not begun: it is played after the close" in text(room)
    assert "Take back" not in text(room)
    room.send("extend", author="dan", until="2026-12-20T12:00", reason="ill")
    room.send("close", sure="yes")
    drawn = text(room)
    assert "waits for dan (Dan Rand) until 2026-12-20 12:00 UTC, the check of 2 submissions" in drawn
    assert 'aria-label="Take back: dan (Dan Rand)"' in drawn
    room.send("take-back", author="dan")
    drawn = text(room)
    assert "it waits for the check of 2 submissions" in drawn
    assert "Take back" not in drawn


def test_a_refused_form_keeps_what_was_written_into_it(room: ManagedLadder) -> None:
    drawn = text(room, wrong=HOSTILE, do="extend", author="bob", reason=HOSTILE)
    assert 'role="alert"' in drawn
    assert '<option value="bob" selected>' in drawn
    assert drawn.count('value="&lt;script&gt;') == 1


def test_every_field_has_a_label_and_every_button_says_what_it_does(room: ManagedLadder) -> None:
    drawn = text(room)
    fields = drawn.count("<select") + drawn.count("<input") - drawn.count('type="hidden"')
    fields -= drawn.count('type="search"')  # that of the line above says itself what it is for
    assert fields == drawn.count("<label")
    assert 'aria-label="Deactivate: Bob Lind (bob)"' in drawn


def test_a_tournament_that_is_no_ladder_has_rulings_agents_and_grades_only(room: ManagedLadder) -> None:
    with room.record.writing() as connection:
        book = Book(connection)
        cup = book.tournament("cup", "tictactoe")
        book.enter(cup, "alice", HOSTILE)
        game = book.play(cup, "tictactoe", ("alice", HOSTILE))
        store.rule_on_game(connection, game, "award", HOSTILE, NOW, seat=1)
    drawn = text(room, "cup")
    for heading in ("Agents", "Rulings", "Grades"):
        assert f"<h2>{heading}</h2>" in drawn
    for heading in ("State", "People", "Latest submissions", "Who did and saw what"):
        assert f"<h2>{heading}</h2>" not in drawn
    (ruling,) = room.page("cup").rulings
    assert ruling.decided.startswith("awarded to ")


def test_the_page_of_a_game_names_its_players_and_the_ruling_in_force(room: ManagedLadder) -> None:
    with room.record.reading() as connection:
        found = manage.game_to_rule(connection, room.names, room.ladder.id, 1)
    assert (found.ruling, found.ruled) == (0, "")
    room.send("game", game=found.id, number=1, ruling=0, what="award-0", reason=HOSTILE)
    with room.record.reading() as connection:
        found = manage.game_to_rule(connection, room.names, room.ladder.id, 1)
    assert (found.ruling, found.points) == (1, [1.0, 0.0])
    drawn = manage_page.game(found, wrong=HOSTILE, given={"do": "game", "reason": HOSTILE}).text
    check_html(drawn)
    assert "<script>x" not in drawn
    assert f"awarded to {found.seats[0].name}" in drawn


def test_a_game_that_is_not_over_or_not_there_is_not_ruled_on(room: ManagedLadder) -> None:
    with room.record.writing() as connection:
        cup = Book(connection).tournament("cup", "tictactoe")
        Book(connection).plan(cup, "tictactoe", ("alice", "bob"))
        with pytest.raises(BadRuling, match="expected a finished game, but game 1 is scheduled"):
            manage.game_to_rule(connection, room.names, cup, 1)
        with pytest.raises(NotFound, match="has no game 99"):
            manage.game_to_rule(connection, room.names, cup, 99)


def test_the_audit_has_names_and_leads_to_older_entries(room: ManagedLadder) -> None:
    room.send("close", sure="yes")
    with room.accounts.reading() as connection:
        entries = audit.entries(connection)
    found = room.page()
    drawn = manage_page.audit(found.of, entries, has_older=True).text
    check_html(drawn)
    assert "Eva" in drawn
    assert "a command on the server" in drawn
    assert f"/manage/audit?before={entries[-1].id}" in drawn
    assert "before=" not in manage_page.audit(found.of, entries, has_older=False).text
    assert ">From<" in drawn
    from_here = [one for one in entries if not one.address]
    assert ">From<" not in manage_page.audit(found.of, from_here, has_older=False).text
    assert "There are no entries" in manage_page.audit(found.of, [], has_older=False).text


def test_a_new_link_is_shown_with_its_end(room: ManagedLadder) -> None:
    drawn = manage_page.link("cs101", room.links[0], "http://127.0.0.1/in/ai_x").text
    check_html(drawn)
    assert "http://127.0.0.1/in/ai_x" in drawn
    assert "<script>x" not in drawn


# Names.


def test_only_instructors_see_who_is_behind_an_agent(room: ManagedLadder) -> None:
    names = Names(accounts=room.accounts)
    with room.record.reading() as connection:
        id = lookup.find_tournament(connection, "cs101")
        for viewer in (VISITOR, MEMBER):
            seen = names.seen_by(viewer)
            assert seen.people(connection, id) == {}
            assert seen.behind(connection, id)("bob") == ""
        people = room.names.people(connection, id)
    assert people["bob"] == "Bob Lind, Cid Voss"
    assert people["alice"].startswith("Ann <script>")
    assert people["alice"].isprintable()
    assert people.keys() == {"alice", "bob"}


def test_people_of_another_ladder_are_not_behind_agents_of_the_same_name(room: ManagedLadder) -> None:
    with room.record.writing() as connection:
        cup = Book(connection).tournament("cup", "tictactoe")
        Book(connection).enter(cup, "alice")
        assert room.names.people(connection, cup) == {}
