"""What instructors see of a ladder or tournament that they manage, and its pages."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from arena.accounts import audit, sessions
from arena.accounts.people import open_invitation
from arena.errors import ArenaError, BadRuling
from arena.serve import challenges, open_ladders
from arena.tournament.lock import tournament_lock
from arena.web import manage
from arena.web.manage import PEOPLE
from arena.web.page_values import BadQuery
from arena.web.pages import manage_page
from arena.web.permissions import MEMBER, VISITOR, Names
from db import ladder, lookup, store
from db.errors import DatabaseError, NotFound
from db.ladder import SubmissionState
from tests.kit.account_room import sign_in
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


# What instructors decide by forms: the record changes and the audit says who did it, or nothing happens.


@pytest.fixture
def cup(room: ManagedLadder) -> str:
    """A tournament that is not a ladder, with two games that are over and one to come."""
    with room.record.writing() as connection:
        book = Book(connection)
        id = book.tournament("cup", "tictactoe", status="stopped")
        book.enter(id, "ann", "bob")
        for _ in range(2):
            book.play(id, "tictactoe", ("ann", "bob"))
        book.plan(id, "tictactoe", ("ann", "bob"))
    return "cup"


def game_fields(room: ManagedLadder, number: int, tournament: str) -> dict[str, object]:
    """The hidden fields of the form about that game, as its page is now."""
    ((id,),) = room.sql(
        f"SELECT game.id FROM game JOIN tournament ON tournament.id = game.tournament "
        f"WHERE tournament.name = '{tournament}' AND number = {number} ORDER BY attempt DESC LIMIT 1"
    )
    revoked = "SELECT revokes FROM ruling WHERE revokes IS NOT NULL"
    holding = room.sql(f"SELECT max(id) FROM ruling WHERE game = {id} AND what <> 'revoke' AND id NOT IN ({revoked})")
    return {"game": id, "number": number, "ruling": holding[0][0] or 0}


def refused(room: ManagedLadder, do: str, words: str, **given: object) -> None:
    """The form gives one sentence, and changes neither the record nor the audit."""
    tables = ("tournament", "ruling", "entry", "extension", "game")
    before = [room.sql(f"SELECT * FROM {table} ORDER BY id") for table in tables]
    acts, people = room.acts(), room.people()
    with pytest.raises((ArenaError, BadQuery, NotFound)) as raised:
        room.send(do, **given)  # type: ignore[arg-type]
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)
    assert [room.sql(f"SELECT * FROM {table} ORDER BY id") for table in tables] == before
    assert (room.acts(), room.people()) == (acts, people)


# The ladder.


@pytest.mark.costly
def test_a_ladder_is_closed_and_opened_again(room: ManagedLadder) -> None:
    room.send("close", sure="yes")
    state = room.page().ladder
    assert state is not None
    assert (state.closes, state.is_closed_early) == (NOW, True)
    refused(room, "close", "the ladder 'cs101' is closed already", sure="yes")
    refused(room, "close", "tick the box to end submissions now")
    room.send("reopen")
    state = room.page().ladder
    assert state is not None
    assert (state.closes, state.is_closed_early) == (room.ladder.closes, False)
    refused(room, "reopen", "the ladder 'cs101' is open until")
    assert room.acts() == [("opened", "cs101"), ("closed", "cs101")]


def test_a_ladder_whose_final_has_begun_stays_closed(room: ManagedLadder) -> None:
    room.send("close", sure="yes")
    with room.record.writing() as connection:
        Book(connection).tournament("cs101 final", "tictactoe")
    refused(room, "reopen", "not possible any more, because the tournament 'cs101 final' has begun")


def test_an_author_gets_more_time(room: ManagedLadder) -> None:
    room.send("extend", author="dan", until="2026-12-20T12:00", reason=HOSTILE)
    assert room.sql("SELECT author, until, reason FROM extension") == [
        ("dan", "2026-12-20T12:00:00.000Z", HOSTILE.strip())
    ]
    assert room.acts() == [("extended", "cs101: dan until 2026-12-20 12:00 UTC")]
    refused(room, "extend", "'dan' can hand in until", author="dan", until="2026-12-20 12:00", reason="again")
    room.send("extend", author="dan", until="2026-12-21T12:00+01:00", reason="longer")
    with room.record.reading() as connection:
        assert ladder.extensions(connection, room.ladder.id)["dan"].day == 21
    room.send("take-back", author="dan")
    with room.record.reading() as connection:
        assert ladder.extensions(connection, room.ladder.id)["dan"] == NOW
    assert room.acts()[0] == ("extended", "cs101: taken back from dan")
    refused(room, "take-back", "'dan' has no more time than others", author="dan")
    refused(room, "take-back", "'zoe' has no more time than others", author="zoe")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"author": "dan", "until": "2026-12-20T12:00"}, "expected a reason, got an empty text"),
        ({"author": "dan", "until": "2026-12-20T12:00", "reason": "x" * 1001}, "expected a reason of at most 1,000"),
        ({"author": "dan", "until": "soon", "reason": "x"}, "until: expected a day, or a day and a time"),
        ({"author": "dan", "reason": "x"}, "until: expected a day, or a day and a time"),
        ({"author": "dan", "until": "2020-01-01", "reason": "x"}, "until: expected a time to come"),
        ({"author": "dan", "until": "9999-12-31T23:59-23:00", "reason": "x"}, "until:"),
        ({"author": "", "until": "2026-12-20", "reason": "x"}, "has no author ''"),
        ({"author": "a\x00b", "until": "2026-12-20", "reason": "x"}, "has no author"),
        ({"author": "random", "until": "2026-12-20", "reason": "x"}, "has no author 'random'"),
        ({"author": "alcie", "until": "2026-12-20", "reason": "x"}, "; did you mean 'alice'?"),
    ],
)
def test_more_time_that_makes_no_sense_is_refused(room: ManagedLadder, given: dict[str, str], words: str) -> None:
    refused(room, "extend", words, **given)


def test_only_a_ladder_is_opened_and_closed(room: ManagedLadder, cup: str) -> None:
    for do in ("close", "reopen", "extend"):
        refused(room, do, "cup is not a ladder", tournament=cup, author="ann", until="2026-12-20", reason="x")


# Agents.


@pytest.mark.parametrize(
    ("what", "status", "act"),
    [
        ("withdraw", "withdrawn", "withdrew"),
        ("quarantine", "quarantined", "put aside"),
        ("release", "active", "released"),
    ],
)
def test_an_agent_is_ruled_on_once(room: ManagedLadder, what: str, status: str, act: str) -> None:
    if what == "release":
        room.send("agent", agent="bob", what="withdraw", reason="x")
    room.send("agent", agent="bob", what=what, reason=HOSTILE)
    assert room.sql("SELECT status FROM entry WHERE name = 'bob'") == [(status,)]
    (last, *_) = room.page().rulings
    assert (last.about, last.reason, last.can_be_revoked) == ("bob", HOSTILE.strip(), True)
    assert room.acts()[0] == (act, f"cs101: bob {status} (ruling {last.id})")
    refused(room, "agent", f"'bob' is already {status} in cs101", agent="bob", what=what, reason="the same")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"agent": "bob", "what": "withdraw"}, "expected a reason"),
        ({"agent": "bob", "what": "shoot", "reason": "x"}, "expected a decision"),
        ({"agent": "zoe", "what": "withdraw", "reason": "x"}, "There is no agent of this name"),
        ({"what": "withdraw", "reason": "x"}, "There is no agent of this name"),
        ({"agent": "random", "what": "withdraw", "reason": "x"}, "'random' is an anchor of the ladder 'cs101'"),
        ({"agent": "random", "what": "quarantine", "reason": "x"}, "'random' is an anchor of the ladder 'cs101'"),
    ],
)
def test_an_agent_is_not_ruled_on_by_a_wrong_form(room: ManagedLadder, given: dict[str, str], words: str) -> None:
    refused(room, "agent", words, **given)


def test_what_another_instructor_has_decided_meanwhile_is_not_undone_unseen(room: ManagedLadder) -> None:
    room.send("agent", agent="bob", what="quarantine", reason="slow")
    seen = room.page().rulings[0].id
    room.send("agent", agent="bob", what="withdraw", reason="cheated")
    words = f"somebody has ruled on 'bob' since you opened this page (ruling {seen + 1})"
    refused(room, "agent", words, agent="bob", what="release", reason="fine", ruling=seen)
    room.send("agent", agent="alice", what="withdraw", reason="left", ruling=seen)
    room.send("extend", author="dan", until="2026-12-27 12:00", reason="ill")
    for do in ("extend", "take-back"):
        given = {"author": "dan", "until": "2026-12-20 12:00", "reason": "ill", "extension": 0}
        refused(room, do, "somebody has changed an author's time since you opened this page", **given)


def test_challenges_are_turned_off_once(room: ManagedLadder) -> None:
    refused(room, "challenges", "expected a decision: on or off", what="perhaps")
    refused(room, "challenges", "challenges are on already", what="on")
    room.send("challenges", what="off")
    refused(room, "challenges", "challenges are off already", what="off")
    room.send("challenges", what="on")
    assert [act for act, _ in room.acts()[:2]] == ["challenges", "challenges"]


# Games.


@pytest.mark.parametrize("tournament", ["cs101", "cup"])
@pytest.mark.parametrize("what", ["void", "again", "award-1"])
def test_a_game_is_ruled_on_once(room: ManagedLadder, cup: str, what: str, tournament: str) -> None:
    fields = game_fields(room, 1, tournament)
    room.send("game", tournament=tournament, what=what, reason="a backup ran", **fields)  # type: ignore[arg-type]
    (ruling,) = room.page(tournament).rulings
    assert (ruling.game, ruling.reason) == (fields["game"], "a backup ran")
    again = room.sql("SELECT count(*) FROM game WHERE number = 1 AND attempt = 2 AND status = 'scheduled'")
    assert again == [(int(what == "again"),)]
    (act, about) = room.acts()[0]
    assert act == "ruled"
    assert about.startswith(f"{tournament}: game 1 {what.partition('-')[0]}")
    stale = fields | {"tournament": tournament, "what": what, "reason": "the same"}
    refused(room, "game", "somebody has ruled on game 1 since you opened this page: ruling 1 is in force now", **stale)
    if what != "again":
        fresh = stale | {"ruling": 1}
        refused(room, "game", "was already", **fresh)


def test_a_page_from_before_a_revocation_is_stale(room: ManagedLadder) -> None:
    fields = game_fields(room, 1, "cs101")
    room.send("game", what="void", reason="x", **fields)  # type: ignore[arg-type]
    room.send("revoke", ruling=1, reason="it was another game")
    stale = fields | {"ruling": 1}
    refused(room, "game", "since you opened this page: ruling 1 was revoked", what="award-0", reason="x", **stale)
    refused(room, "revoke", "ruling 1 was already revoked by ruling 2", ruling=1, reason="x")
    assert room.acts()[0] == ("ruled", "cs101: ruling 2 revokes ruling 1")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"what": "void"}, "expected a reason"),
        ({"what": "void", "reason": "x", "game": "1e3"}, "game: expected a whole number"),
        ({"what": "void", "reason": "x", "game": "\u0661"}, "game: expected a whole number"),
        ({"what": "void", "reason": "x", "game": "9" * 30}, "game: expected a whole number"),
        ({"what": "void", "reason": "x", "game": "999999"}, "there is no game 999999 in cs101"),
        ({"what": "award", "reason": "x"}, "expected a decision: "),
        ({"what": "award-2", "reason": "x"}, "game 1 has no seat 2"),
        ({"what": "award-x", "reason": "x"}, "seat: expected a whole number"),
        ({"what": "revoke", "reason": "x"}, "expected a decision"),
    ],
)
def test_a_game_is_not_ruled_on_by_a_wrong_form(room: ManagedLadder, given: dict[str, str], words: str) -> None:
    refused(room, "game", words, **(game_fields(room, 1, "cs101") | given))


def test_games_and_rulings_of_another_tournament_are_not_there(room: ManagedLadder, cup: str) -> None:
    fields = game_fields(room, 1, cup)
    refused(room, "game", f"there is no game {fields['game']} in cs101", what="void", reason="x", **fields)
    room.send("game", tournament=cup, what="void", reason="x", **fields)  # type: ignore[arg-type]
    refused(room, "revoke", "there is no ruling 1 about cs101", ruling=1, reason="x")


def test_a_game_of_a_tournament_that_is_being_played_cannot_be_played_again(room: ManagedLadder, cup: str) -> None:
    fields = game_fields(room, 1, cup)
    with tournament_lock(room.store, cup):
        refused(room, "game", "cup is being played", tournament=cup, what="again", reason="x", **fields)
    room.send("game", tournament=cup, what="again", reason="x", **fields)  # type: ignore[arg-type]
    with tournament_lock(room.store, cup):
        refused(room, "revoke", "cup is being played", tournament=cup, ruling=1, reason="x")
    room.send("revoke", tournament=cup, ruling=1, reason="x")


def test_on_a_ladder_that_is_played_a_replay_is_cancelled_only_before_it_begins(room: ManagedLadder) -> None:
    room.send("game", what="again", reason="x", **game_fields(room, 1, "cs101"))  # type: ignore[arg-type]
    ((replay,),) = room.sql("SELECT id FROM game WHERE attempt = 2")
    with room.record.writing() as connection:
        store.begin(connection, replay, NOW)  # type: ignore[arg-type]
    refused(room, "revoke", "is being played again", ruling=1, reason="x")
    with room.record.writing() as connection:
        store.postpone(connection, replay)  # type: ignore[arg-type]
    room.send("revoke", ruling=1, reason="x")
    assert room.sql("SELECT status FROM game WHERE attempt = 2") == [("cancelled",)]


# People.


def test_a_new_link_replaces_the_old_one(room: ManagedLadder) -> None:
    before = room.person("Ann")
    made = room.send("invite", **before)  # type: ignore[arg-type]
    assert made is not None
    with room.accounts.reading() as connection:
        assert open_invitation(connection, room.links[0].key, NOW) is None
        assert open_invitation(connection, made.key, NOW) == made.account
    assert room.acts()[0] == ("invited", "alice")


def test_of_two_instructors_the_second_does_not_replace_the_link_of_the_first(room: ManagedLadder) -> None:
    stale = room.person("Ann") | {"invited": "2026-11-01T09:00:00.000Z"}
    refused(room, "invite", "since you opened this page", **stale)


def test_another_instructor_is_invited_once(room: ManagedLadder) -> None:
    made = room.send("instructor", name=" Fay ")
    assert made is not None
    assert (made.account.name, made.account.is_instructor) == ("Fay", True)
    refused(room, "instructor", "there is an instructor 'fay' already", name="fay")
    for name in ("", "  ", "x" * 65, "a#b", "a\x00b"):
        refused(room, "instructor", "expected", name=name)


def test_an_account_ends_and_begins_again(room: ManagedLadder) -> None:
    account, key = sign_in(room.accounts, room.links[0], now=NOW)
    room.send("deactivate", **room.person("Ann"))  # type: ignore[arg-type]
    assert sessions.find(room.accounts, key, NOW) is None
    refused(room, "deactivate", "is deactivated already", **room.person("Ann"))
    assert room.acts()[0] == ("deactivated", "alice")
    made = room.send("invite", **room.person("Ann"))  # type: ignore[arg-type]
    assert made is not None
    assert (made.account.id, made.account.active) == (account.id, True)


def test_only_one_of_a_team_is_deactivated(room: ManagedLadder) -> None:
    room.send("deactivate", **room.person("Bob"))  # type: ignore[arg-type]
    assert [one.account.name for one in room.people() if not one.account.active] == ["Bob Lind"]


def test_all_sessions_of_an_account_end(room: ManagedLadder) -> None:
    _, key = sign_in(room.accounts, room.links[0], now=NOW)
    room.send("sign-out", **room.person("Ann"))  # type: ignore[arg-type]
    assert sessions.find(room.accounts, key, NOW) is None
    assert room.acts()[0] == ("session ended", "all of alice")
    refused(room, "sign-out", "is not signed in anywhere", **room.person("Ann"))


def test_nobody_ends_their_own_account(room: ManagedLadder) -> None:
    refused(room, "deactivate", "this is your own account", account=room.instructor.id)


@pytest.mark.parametrize("do", ["invite", "deactivate", "sign-out"])
@pytest.mark.parametrize("account", ["", "x", "-1", "999"])
def test_an_account_that_is_not_there_is_not_changed(room: ManagedLadder, do: str, account: str) -> None:
    refused(room, do, "no such account" if account == "999" else "expected a whole number", account=account)


def test_students_of_another_ladder_are_not_there(room: ManagedLadder) -> None:
    form = room.form("deactivate", **room.person("Ann"))  # type: ignore[arg-type]
    with pytest.raises(ArenaError, match="there is no such account"):
        PEOPLE["deactivate"](room.accounts, replace(form, title="cs102"))


def test_what_cannot_be_audited_is_not_done(room: ManagedLadder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise DatabaseError("the disk is full")

    monkeypatch.setattr(audit, "note", fail)
    with pytest.raises(DatabaseError):
        room.send("close", sure="yes")
    state = room.page().ladder
    assert state is not None
    assert state.closes == room.ladder.closes


def test_challenges_are_turned_off_and_on_again(room: ManagedLadder) -> None:
    for what, is_off, button in (("off", True, "on"), ("on", False, "off")):
        room.send("challenges", what=what)
        state = room.page().ladder
        assert state is not None
        assert state.no_challenges == is_off
        with room.record.reading() as connection:
            why = challenges.closed(connection, open_ladders.opened(connection), NOW)
        assert why == "challenges are turned off on this ladder" * is_off
        assert f"Turn challenges {button}" in manage_page.page(room.page(), [], [], now=NOW, given={}).text
    assert room.acts() == [("challenges", "cs101: on"), ("challenges", "cs101: off")]
