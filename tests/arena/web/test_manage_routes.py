"""The addresses of what instructors manage: there is nothing for anybody else, and every form leads to a page."""

from __future__ import annotations

import csv
import io
import re
from typing import Final

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.accounts import audit, people, sessions
from arena.accounts.people import Account
from tests.kit.html_validity import check_html
from tests.kit.managed_ladder import HOSTILE, NOW, ManagedLadder
from tests.kit.pages_in_process import ADDRESS, PagesInProcess
from tests.kit.sample_record import Book

PLACE: Final = "/t/cs101/manage"
PLACES: Final = (PLACE, f"{PLACE}/game?number=1", f"{PLACE}/grades", f"{PLACE}/audit", f"{PLACE}/audit?before=2")


def acts(room: ManagedLadder) -> list[tuple[str, str]]:
    """All acts of the instructor, the newest first."""
    with room.accounts.reading() as connection:
        entries = audit.entries(connection)
    return [(one.what, one.about) for one in entries if one.account == room.instructor and one.address == "192.0.2.7"]


def begin_final(room: ManagedLadder) -> None:
    with room.record.writing() as connection:
        book = Book(connection)
        final = book.tournament("cs101 final", "tictactoe")
        book.enter(final, "alice", "bob", "=1+1")
        book.play(final, "tictactoe", ("alice", "bob"))


def keep_open(room: ManagedLadder) -> None:
    """The ladder of the tests was opened in 2026, and may be closed by now."""
    with room.record.writing() as connection:
        settings = "UPDATE tournament SET settings = json_set(settings, '$.ladder.closes', '2099-12-12T08:00:00Z')"
        connection.exec_driver_sql(settings)


def test_what_an_instructor_decides_is_on_the_next_page_that_anyone_opens(
    room: ManagedLadder, pages: PagesInProcess
) -> None:
    with room.record.writing() as connection:
        book = Book(connection)
        cup = book.tournament("cup", "tictactoe")
        book.enter(cup, "alice", "bob")
        game = book.play(cup, "tictactoe", ("alice", "bob"), verdict="resigned", fault=0)
    ann, places = room.student(), (f"/g/{game}", "/t/cup", "/t/cup/games", "/api/v1/t/cup")
    before = [pages.ask(place, by=ann).text for place in places]
    (number,) = room.sql(f"SELECT number FROM game WHERE id = {game}")[0]
    form = {"do": "game", "game": str(game), "number": str(number), "ruling": "0", "what": "void", "reason": "x"}
    assert pages.ask("/t/cup/manage", by=room.instructor, fields=form).status == 303
    after = [pages.ask(place, by=ann).text for place in places]
    assert [one != other for one, other in zip(before, after, strict=True)] == [True] * len(places)
    assert "annulled" in after[0]


def test_for_everybody_else_there_is_nothing(room: ManagedLadder, pages: PagesInProcess) -> None:
    begin_final(room)
    known = room.student()
    assert "open your link to sign in" in pages.ask("/t/cs101/nothing").text
    assert "open your link to sign in" not in pages.ask("/t/cs101/nothing", by=known).text
    for by in (None, known):
        nothing = pages.ask("/t/cs101/nothing", by=by)
        for place in PLACES:
            answer = pages.ask(place, by=by)
            assert (answer.status, answer.text) == (404, nothing.text), place
        for place in (PLACE, "/t/nobody/manage"):
            for do in ("close", "agent", "invite", "instructor", "nothing"):
                given = {"do": do, "agent": "bob", "what": "withdraw", "reason": "x", "name": "Mallory", "account": "1"}
                answer = pages.ask(place, by=by, fields=given)
                assert (answer.status, answer.text) == (404, nothing.text)
    state = room.page().ladder
    assert state is not None
    assert state.closes == room.ladder.closes
    assert [one.account.name for one in room.people() if one.account.is_instructor] == ["Eva"]
    assert acts(room) == []


def test_a_token_makes_neither_links_nor_accounts(room: ManagedLadder, pages: PagesInProcess) -> None:
    with room.accounts.writing() as connection:
        bearer = f"Bearer {sessions.make_token(connection, room.instructor, 'script', NOW)}"
    assert pages.ask(PLACE, authorization=bearer).status == 200
    for given in ({"do": "instructor", "name": "Fay"}, {"do": "invite"} | room.person("Dan")):
        answer = pages.ask(PLACE, fields={name: str(value) for name, value in given.items()}, authorization=bearer)
        assert answer.status == 400
        assert "a token cannot do that: sign in with a browser" in answer.text
    assert acts(room) == []


def test_a_page_of_another_site_cannot_send_a_form(room: ManagedLadder, pages: PagesInProcess) -> None:
    for headers in ({"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "same-site"}, {"sec_fetch_site": "none"}):
        answer = pages.ask(PLACE, by=room.instructor, fields={"do": "close"}, **headers)
        assert answer.status == 403
    assert acts(room) == []


def test_an_instructor_sees_the_pages(room: ManagedLadder, pages: PagesInProcess) -> None:
    begin_final(room)
    for place in (*PLACES, "/t/cs101%20final/manage", "/t/cs101%20final/manage/grades"):
        answer = pages.ask(place, by=room.instructor)
        assert answer.status == 200, place
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        if answer.headers["content-type"].startswith("text/html"):
            assert "<script>x" not in answer.text
            check_html(answer.text)
    assert pages.ask("/t/nobody/manage", by=room.instructor).status == 404


@pytest.mark.parametrize(
    ("given", "section", "act"),
    [
        ({"do": "close", "sure": "yes"}, "content", "closed"),
        (
            {"do": "extend", "author": "dan", "until": "2099-12-20T12:00", "reason": HOSTILE, "extension": "0"},
            "time",
            "extended",
        ),
        ({"do": "agent", "agent": "bob", "what": "withdraw", "reason": HOSTILE, "ruling": "0"}, "agents", "withdrew"),
        ({"do": "instructor", "name": "Fay"}, None, "invited"),
    ],
)
def test_a_form_leads_to_the_part_of_the_page_that_has_changed(
    room: ManagedLadder, pages: PagesInProcess, given: dict[str, str], section: str | None, act: str
) -> None:
    keep_open(room)
    answer = pages.ask(PLACE, by=room.instructor, fields=given)
    if section is None:
        assert answer.status == 200
    else:
        assert (answer.status, answer.headers["location"]) == (303, f"{PLACE}#{section}")
    assert acts(room)[0][0] == act
    shown = pages.ask(PLACE, by=room.instructor)
    assert "<script>x" not in shown.text
    again = pages.ask(PLACE, by=room.instructor, fields=given)
    assert again.status == 400
    assert re.search(r'role="alert">[^<]+<', again.text)
    check_html(again.text)
    assert len(acts(room)) == 1


def test_the_page_of_a_game_names_it_and_leads_an_instructor_to_its_ruling(
    room: ManagedLadder, pages: PagesInProcess
) -> None:
    begin_final(room)
    ((id,),) = room.sql("SELECT MAX(id) FROM game")
    place = "/t/cs101%20final/manage/game?number=1"
    shown = pages.ask(f"/g/{id}", by=room.instructor).text
    assert "game cs101 final-1" in shown
    assert f'<a href="{place}">Rule on this game</a>' in shown
    assert f'name="game" value="{id}"' in pages.ask(place, by=room.instructor).text
    others = pages.ask(f"/g/{id}", by=room.student()).text
    assert "game cs101 final-1" in others
    assert "Rule on this game" not in others


def test_a_game_is_ruled_on_from_its_page(room: ManagedLadder, pages: PagesInProcess) -> None:
    page = pages.ask(f"{PLACE}/game?number=1", by=room.instructor).text
    given = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
    given |= {"what": "award-1", "reason": HOSTILE}
    answer = pages.ask(PLACE, by=room.instructor, fields=given)
    assert (answer.status, answer.headers["location"]) == (303, f"{PLACE}#rulings")
    stale = pages.ask(PLACE, by=room.instructor, fields=given)
    assert stale.status == 400
    assert "somebody has ruled on game 1 since you opened this page" in stale.text
    assert "<h1>Game 1</h1>" in stale.text
    assert '<option value="award-1" selected>' in stale.text


@pytest.mark.parametrize("number", ["", "x", "0", "999", "1e3", "9" * 30, "%3Cscript%3E", "-1"])
def test_a_wrong_number_of_a_game_gets_a_sentence(room: ManagedLadder, pages: PagesInProcess, number: str) -> None:
    answer = pages.ask(f"{PLACE}/game?number={number}", by=room.instructor)
    assert answer.status == 400
    assert 'role="alert"' in answer.text
    check_html(answer.text)


@pytest.mark.parametrize("given", [{}, {"do": ""}, {"do": "shoot"}, {"do": "game"}, {"do": "game", "number": "x"}])
def test_a_form_of_no_page_gets_a_sentence(room: ManagedLadder, pages: PagesInProcess, given: dict[str, str]) -> None:
    assert pages.ask(PLACE, by=room.instructor, fields=given).status == 400
    assert pages.ask(PLACE, method="POST", by=room.instructor, sec_fetch_site="same-origin").status == 400


def test_people_are_managed_on_ladders_only(room: ManagedLadder, pages: PagesInProcess) -> None:
    begin_final(room)
    given = {"do": "instructor", "name": "Fay"}
    assert pages.ask("/t/cs101%20final/manage", by=room.instructor, fields=given).status == 400


def test_a_new_link_is_shown_once_and_kept_by_nobody(room: ManagedLadder, pages: PagesInProcess) -> None:
    given = {name: str(value) for name, value in room.person("Ann").items()} | {"do": "invite"}
    answer = pages.ask(PLACE, by=room.instructor, fields=given)
    assert answer.status == 200
    assert (answer.headers["cache-control"], answer.headers["referrer-policy"]) == ("no-store", "no-referrer")
    (key,) = re.findall(rf">{re.escape(ADDRESS)}/in/(ai_[\w-]+)</pre>", answer.text)
    with room.accounts.reading() as connection:
        assert people.open_invitation(connection, key, NOW) is not None
    assert pages.ask(PLACE, by=room.instructor, fields=given).status == 400
    assert key not in pages.ask(PLACE, by=room.instructor).text


def test_a_deactivated_account_is_signed_out_at_once(room: ManagedLadder, pages: PagesInProcess) -> None:
    known = room.student()
    assert "Sign in" not in pages.ask("/me", by=known).text
    given = {name: str(value) for name, value in room.person("Ann").items()} | {"do": "deactivate"}
    assert pages.ask(PLACE, by=room.instructor, fields=given).headers["location"] == f"{PLACE}#people"
    assert "Sign in" in pages.ask("/me", by=known).text


def test_grades_are_a_file_and_seeing_them_is_audited(room: ManagedLadder, pages: PagesInProcess) -> None:
    before = pages.ask(f"{PLACE}/grades", by=room.instructor)
    assert before.status == 404
    assert "There are no grades yet" in before.text
    assert acts(room) == []
    begin_final(room)
    answer = pages.ask(f"{PLACE}/grades", by=room.instructor)
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="grades.csv"'
    rows = [*csv.DictReader(io.StringIO(answer.text))]
    assert {row["agent"] for row in rows} == {"alice", "bob", "'=1+1", ""}
    assert [*rows[0]][:2] == ["id", "name"]
    listed = [(row["id"], row["name"], row["agent"], row["status"]) for row in rows if row["id"] != "1"]
    assert sorted(listed) == [
        ("", "", "'=1+1", "active"),
        ("2", "Bob Lind", "bob", "active"),
        ("3", "Cid Voss", "bob", "active"),
        ("4", "Dan Rand", "", "not entered"),
    ]
    assert acts(room) == [("saw grades", "cs101")]


# Who is behind agents, and what agents said.


def test_only_instructors_see_names_beside_aliases(room: ManagedLadder, pages: PagesInProcess) -> None:
    known = room.student()
    for place in ("/t/cs101", "/t/cs101/crosstable", "/t/cs101/games", "/t/cs101/a/bob"):
        assert "Cid Voss" in pages.ask(place, by=room.instructor).text, place
        assert "Cid Voss" not in pages.ask(place, by=known).text, place
        assert "Cid Voss" not in pages.ask(place).text, place


def test_an_instructor_who_reads_what_an_agent_said_is_in_the_audit_once(
    room: ManagedLadder, pages: PagesInProcess
) -> None:
    known = room.student()
    ((game,),) = room.sql("SELECT min(id) FROM game")
    ((submission,),) = room.sql("SELECT min(id) FROM submission WHERE state = 'refused'")
    for _ in range(2):
        for place in (f"/g/{game}", f"/s/{submission}", f"/api/v1/s/{submission}"):
            assert pages.ask(place, by=room.instructor).status == 200, place
            pages.ask(place, by=known)
            pages.ask(place)
    assert sorted(acts(room)) == [("saw log", f"game {game}"), ("saw log", f"submission {submission}")]
    with room.accounts.reading() as connection:
        assert {one.account for one in audit.entries(connection) if one.what == "saw log"} == {room.instructor}


def test_hand_in_leaves_the_header_of_those_from_whom_the_ladder_takes_nothing_more(
    room: ManagedLadder, pages: PagesInProcess
) -> None:
    def leads(student: Account) -> bool:
        return ">Hand in</a>" in pages.ask("/tv", by=student).text

    keep_open(room)
    first, second, third = map(room.student, range(3))
    assert leads(first)
    assert pages.ask(PLACE, by=room.instructor, fields={"do": "close", "sure": "yes"}).status == 303
    assert not leads(second)
    more = {
        "do": "extend",
        "author": third.author,
        "until": "2099-12-20T12:00",
        "reason": "x",
        "extension": "0",
    }
    assert pages.ask(PLACE, by=room.instructor, fields=more).status == 303
    assert leads(third)
