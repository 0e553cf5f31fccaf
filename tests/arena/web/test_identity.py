"""Who a request is from, with a real server: keys hold in their place alone, and only for the ladder that is served."""

from __future__ import annotations

import http.client
import re
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from html import unescape
from typing import Final

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.accounts import people
from arena.serve.open_ladders import opened
from db import ladder
from db.accounts import AccountsDatabase
from db.database import Database
from tests.kit.account_room import invite
from tests.kit.effort import PATIENCE
from tests.kit.web_record import LADDER, STUDENTS, WebRecord
from tests.kit.web_room import PageServer

OWN: Final = STUDENTS[1]
SAME_SITE: Final = {"sec_fetch_site": "same-origin"}


def cookie(server: PageServer, key: str) -> str:
    return f"arena-{server.address.rpartition(':')[2]}={key}"


def post(server: PageServer, path: str, body: bytes, **headers: str) -> tuple[int, str]:
    """The status and the text of the answer to a body; `headers` with "_" for "-"."""
    connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=PATIENCE)
    try:
        connection.request("POST", path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_a_student_of_another_ladder_is_not_the_author_of_the_same_name(
    server_with_roster: PageServer, record: WebRecord
) -> None:
    theirs = cookie(server_with_roster, record.session(OWN, ladder="other"))
    for place in ("/me", "/me/submit", "/play"):
        assert "Sign in" in server_with_roster.get(place, cookie=theirs).text, place
    assert server_with_roster.get("/me/why", cookie=theirs).status == 401
    status, _ = post(server_with_roster, "/me/submit", b"x", cookie=theirs, **SAME_SITE)
    assert status == 401


@pytest.mark.parametrize("place", ["/", "/find?q=a", f"/t/{LADDER}", f"/t/{LADDER}/games", "/tv", "/me", "/nothing"])
def test_a_visitor_is_led_only_where_a_visitor_can_go(server_with_roster: PageServer, place: str) -> None:
    head = server_with_roster.get(place).text.partition('<header class="top">')[2].partition("</header>")[0]
    assert not {"Play", "Hand in", "My page"} & {*re.findall(">([^<]+)</a>", head)}
    assert re.search('<a class="button main" href="/me"[^>]*>Sign in</a>', head)
    for to in re.findall('href="(/[^"]*)"', head):
        answer = server_with_roster.get(unescape(to))
        assert answer.status == 200, to
        assert ("<h1>Sign in</h1>" in answer.text) == (to == "/me"), to


@pytest.mark.parametrize("place", ["/me", "/me/submit", "/play", "/nothing", "/in/x"])
def test_a_page_without_anything_for_a_visitor_leads_on(server_with_roster: PageServer, place: str) -> None:
    main = server_with_roster.get(place).text.partition("<main")[2]
    assert "link" in main
    (way,) = re.findall('<nav class="ways".*?href="([^"]*)"', main)
    assert server_with_roster.get(way).status == 200


@pytest.mark.parametrize("authorization", ["", "Basic YTpi", "Bearer", "Bearer x", f"Bearer as_{'A' * 43}"])
def test_only_a_token_makes_the_request_of_another_site_harmless(
    server_with_roster: PageServer, record: WebRecord, authorization: str
) -> None:
    own = cookie(server_with_roster, record.session(OWN))
    sent = {"cookie": own, "sec_fetch_site": "cross-site", "authorization": authorization}
    assert post(server_with_roster, "/me/tokens", b"label=x", **sent)[0] == 403


def test_a_password_for_a_proxy_does_not_end_a_session(server_with_roster: PageServer, record: WebRecord) -> None:
    own = cookie(server_with_roster, record.session(OWN))
    assert server_with_roster.get("/me/submit", cookie=own, authorization="Basic YTpi").status == 200


def test_a_token_is_no_cookie_and_a_session_no_token(server_with_roster: PageServer, record: WebRecord) -> None:
    token, session = record.token("stranger2"), record.session(OWN)
    assert server_with_roster.get("/me/why", cookie=cookie(server_with_roster, token)).status == 401
    assert server_with_roster.get("/me/why", authorization=f"Bearer {session}").status == 401
    assert server_with_roster.get("/me/why", authorization=f"Bearer {token}").status == 200


def test_what_a_program_hands_in_wrongly_is_told_as_json(server_with_roster: PageServer, record: WebRecord) -> None:
    bearer = {"authorization": f"Bearer {record.token('stranger3')}"}
    status, text = post(server_with_roster, "/api/v1/submissions?file=a.py&agent=../x", b"x", **bearer)
    assert status == 400
    assert '"error":' in text
    status, text = post(server_with_roster, "/api/v1/submissions?file=a.py", bytes(33 * 2**20), **bearer)
    assert status == 400
    assert "at most 32 MiB" in text


def test_a_form_of_very_many_parts_is_refused_at_once(server_with_roster: PageServer, record: WebRecord) -> None:
    bearer = {"authorization": f"Bearer {record.token('stranger4')}"}
    body = b"--B\r\n\r\n\r\n" * 10_000 + b"--B--\r\n"
    status, text = post(
        server_with_roster, "/api/v1/submissions", body, content_type="multipart/form-data; boundary=B", **bearer
    )
    assert status == 400
    assert "too many fields" in text


def test_a_token_makes_and_revokes_no_tokens(server_with_roster: PageServer, record: WebRecord) -> None:
    token = record.token("stranger5")
    bearer = {"authorization": f"Bearer {token}", "content_type": "application/x-www-form-urlencoded"}
    for form in (b"label=another", b"revoke=1"):
        status, text = post(server_with_roster, "/me/tokens", form, **bearer)
        assert (status, "a token cannot do that: sign in with a browser" in text) == (400, True)
    own = {"cookie": cookie(server_with_roster, record.session("stranger5")), **SAME_SITE}
    status, text = post(
        server_with_roster, "/me/tokens", b"label=another", **own | {"content_type": bearer["content_type"]}
    )
    assert (status, "at_" in text) == (200, True)


def test_nothing_of_the_account_is_kept_in_a_browser_that_was_signed_out(
    server_with_roster: PageServer, record: WebRecord
) -> None:
    own = cookie(server_with_roster, record.session(OWN))
    answer = server_with_roster.get("/out", method="POST", cookie=own, **SAME_SITE)
    assert (answer.status, answer.headers["clear-site-data"]) == (303, '"cache"')


def test_a_link_for_another_ladder_is_not_used_up_here(server_with_roster: PageServer, record: WebRecord) -> None:
    with AccountsDatabase(record.database) as database:
        elsewhere, here = (invite(database, now=datetime.now(UTC), ladder=ladder)[0] for ladder in ("other", "cs101"))
        for invited, status in ((elsewhere, 404), (here, 303)):
            assert server_with_roster.get(f"/in/{invited.key}").status == (404 if status == 404 else 200)
            assert post(server_with_roster, f"/in/{invited.key}", b"", **SAME_SITE)[0] == status
        with database.reading() as connection:
            for invited, holds in ((elsewhere, True), (here, False)):
                found = people.open_invitation(connection, invited.key, datetime.now(UTC))
                assert (found is not None) is holds


def test_of_two_presses_at_once_one_signs_in(server_with_roster: PageServer, record: WebRecord) -> None:
    with AccountsDatabase(record.database) as database:
        invited = invite(database, "id,name,email,alias\n77,Two,two@example.org,twice\n", now=datetime.now(UTC))[0]
    with ThreadPoolExecutor(8) as threads:
        answers = list(
            threads.map(lambda _: post(server_with_roster, f"/in/{invited.key}", b"", **SAME_SITE)[0], range(8))
        )
    assert sorted(answers) == [303, *[404] * 7]


def test_what_was_being_sent_when_the_account_ended_is_not_taken(
    server_with_roster: PageServer, record: WebRecord
) -> None:
    bearer = {"authorization": f"Bearer {record.token('late')}", "content-length": "20"}
    connection = http.client.HTTPConnection(server_with_roster.address.removeprefix("http://"), timeout=PATIENCE)
    try:
        connection.putrequest("POST", "/api/v1/submissions?file=a.py")
        for name, value in bearer.items():
            connection.putheader(name, value)
        connection.endheaders(b"0123456789")
        while not any((record.folder / "store" / ".uploads").glob("new-*")):  # it was let in
            time.sleep(0.01)
        with AccountsDatabase(record.database) as database, database.writing() as writing:
            people.deactivate(writing, "cs101", "late", datetime.now(UTC))
        connection.send(b"0123456789")
        assert connection.getresponse().status == 401
    finally:
        connection.close()
    with Database(record.database, read_only=True) as games, games.reading() as reading:
        assert "late" not in ladder.submitted_names(reading, opened(reading, "cs101").id)
