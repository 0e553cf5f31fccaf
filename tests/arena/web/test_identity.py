"""Who a request is from, with a real server: keys hold in their place alone, and only for the ladder that is served."""

from __future__ import annotations

import http.client
from typing import Final

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from tests.kit.effort import PATIENCE
from tests.kit.web_record import STUDENTS, WebRecord
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
    assert "You are not signed in" in server_with_roster.get("/me", cookie=theirs).text
    for place in ("/me/submit", "/me/why", "/play"):
        assert server_with_roster.get(place, cookie=theirs).status == 401, place
    status, _ = post(server_with_roster, "/me/submit", b"x", cookie=theirs, **SAME_SITE)
    assert status == 401


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
    assert server_with_roster.get("/me/submit", cookie=cookie(server_with_roster, token)).status == 401
    assert server_with_roster.get("/me/submit", authorization=f"Bearer {session}").status == 401
    assert server_with_roster.get("/me/submit", authorization=f"Bearer {token}").status == 200


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
