"""Every route of the page server, over a record in which all names are hostile and everything private is marked.

Nothing private is in any answer, with a roster or without, and every answer has the headers that protect its reader.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Final

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from arena.web import statics
from arena.web.app import ROUTES
from tests.kit.html_validity import check_html
from tests.kit.web_record import ALIASES, NAMES, STUDENTS, TITLES, WebRecord, in_addresses, secrets_in
from tests.kit.web_room import Answer, PageServer

_HOSTILE_MARKUP: Final = re.compile(r'<script(?! )[^>]*>(?!\n)|<[a-z][^>"]*(?:"[^"]*"[^>"]*)* on[a-z]+=|="javascript:')
_LEADS_ELSEWHERE: Final = re.compile(r"^(?!/)|//|/(?:\.|%2e){1,2}(?:/|\?|$)", re.IGNORECASE)
"""In the address of a link. Browsers take a segment of dots, encoded or not, for a folder."""
_FOREIGN: Final = re.compile(r'(?:href|src|action|srcset|data|poster)="\s*(?:[a-z]+:)?//|(?:<style[^<]*|=")url\((?!#)')


def addresses(record: WebRecord) -> dict[str, list[str]]:
    """By route: addresses of it, with names that are known and one that is not."""
    titles = [*map(in_addresses, (*TITLES, "nobody"))]
    agents = [*map(in_addresses, (*NAMES, *ALIASES, "nobody"))]
    games = [*record.games, 10**17]
    own = [f"/t/{title}" for title in titles]
    pages = {
        "/": ["/"],
        "/t/{tournament:segment}": own,
        "/t/{tournament:segment}/crosstable": [f"{title}/crosstable" for title in own],
        "/t/{tournament:segment}/bracket": [f"{title}/bracket" for title in own],
        "/t/{tournament:segment}/games": [
            *(f"{title}/games" for title in own),
            *(f"{own[1]}/games?player={agent}&result=loss" for agent in agents),
            f"{own[1]}/games?verdict=crashed",
        ],
        "/t/{tournament:segment}/a/{agent:segment}": [f"{title}/a/{agent}" for title in own for agent in agents],
        "/g/{id:segment}": [f"/g/{game}" for game in games],
    }
    data = {
        f"/api/v1{route}".rstrip("/"): [f"/api/v1{place}".rstrip("/") for place in places]
        for route, places in pages.items()
    }
    del data["/api/v1/t/{tournament:segment}/bracket"]
    return {
        **pages,
        **data,
        "/api/v1/schema": ["/api/v1/schema"],
        "/static/{name:segment}": [f"/static/{name}" for name in (*statics.files(), "nothing.js")],
        "/tv": ["/tv", *(f"/tv?t={title}" for title in titles)],
        "/events": ["/events", "/events?g=x"],
        "/healthz": ["/healthz"],
    }


def test_every_route_is_visited(record: WebRecord) -> None:
    assert set(addresses(record)) == {getattr(route, "path", "") for route in ROUTES}


def test_nothing_private_is_in_any_answer(server_with_roster: PageServer, record: WebRecord) -> None:
    visit_everything(server_with_roster, record, names=True)


def test_only_names_are_public_without_a_roster(server: PageServer, record: WebRecord) -> None:
    visit_everything(server, record, names=False)


def visit_everything(server: PageServer, record: WebRecord, *, names: bool) -> None:
    """Goes to every address and follows every link; fails if an answer is wrong. `names`: whether names are private."""
    routes = addresses(record)
    places = [place for each in routes.values() for place in each]
    statuses: dict[str, int] = {}
    linked: set[str] = set()
    for place in places:
        answer = server.get(place)
        known = (200, 503) if place == "/healthz" else (200, 400, 404)  # no games are run
        assert answer.status in known, (place, answer.status, answer.text[-500:])
        statuses[place] = answer.status
        check_answer(place, answer, names=names)
        links = {unescape(href).partition("#")[0] for href in re.findall(r'<a [^>]*?href="([^"]*)"', answer.text)} - {
            ""
        }
        assert not [link for link in links if _LEADS_ELSEWHERE.search(link)], place
        places += sorted(links - linked - {*places})
        linked |= links
    assert {link for link in linked if statuses[link] != 200} == set()
    agents = {link for link in linked if re.search("^/t/[^/]+/a/[^/]+$", link)}
    assert len(agents) >= len(STUDENTS) + len(NAMES)
    for route, places in routes.items():
        assert route in ("/events", "/healthz") or 200 in map(statuses.get, places), route


def check_answer(place: str, answer: Answer, *, names: bool = True) -> None:
    """Fails if the answer does not protect its reader, or shows what is private."""
    assert not secrets_in(answer.everything, names=names), place
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy, place
    assert "default-src 'none'" in policy, place
    assert "frame-ancestors 'none'" in policy, place
    assert answer.headers["x-content-type-options"] == "nosniff", place
    assert answer.headers["referrer-policy"] in ("no-referrer", "same-origin"), place
    if answer.headers["content-type"].startswith("text/html"):
        assert not _HOSTILE_MARKUP.search(answer.text), place
        assert not _FOREIGN.search(answer.text), place
        check_html(answer.text)


@pytest.mark.parametrize(
    "place",
    [
        *("/nothing", "//", "/t//games", "/t/%00", "/t/%ff%fe", f"/t/{'a' * 3000}", "/t/..%2f..%2fetc%2fpasswd"),
        *("/t/../../etc/passwd", "/static/..%2fapp.py", "/static/%2e%2e/app.py", f"/tv?t={'x' * 600}"),
        *("/g/-1", "/g/1e3", "/g/%D9%A1", f"/g/{'9' * 40}", "/events?g=1&t=x", "/events?t=nobody", "/events?front=x"),
        *(f"/t/cs101/games?{rubbish}" for rubbish in ("round=x", f"round={'9' * 30}", "cursor=%00", "cursor=older-1;")),
        *("/t/cs101/games?result=won", "/t/cs101/games?opponent=x", "/t/cs101/games?verdict=%3Cscript%3E"),
    ],
)
def test_rubbish_gets_one_clear_page(server_with_roster: PageServer, place: str) -> None:
    answer = server_with_roster.get(place)
    assert answer.status in (400, 404), (place, answer.status)
    assert "Traceback" not in answer.text
    check_answer(place, answer)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
def test_pages_can_only_be_read(server_with_roster: PageServer, method: str) -> None:
    for place in ("/", "/t/cs101", "/events?t=cs101", "/healthz"):
        answer = server_with_roster.get(place, method=method)
        assert answer.status == 405, place
        check_answer(place, answer)


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "[::1]:80"])
def test_known_hosts_get_pages(server_with_roster: PageServer, host: str) -> None:
    assert server_with_roster.get("/", host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "127.0.0.1.evil.example", "evil.example:127.0.0.1", ""),
        *("localhost@evil.example", "localhost, evil.example"),
    ],
)
def test_unknown_hosts_get_no_page(server_with_roster: PageServer, host: str) -> None:
    answer = server_with_roster.get("/", host=host)
    assert answer.status == 400
    check_answer(host, answer)


def test_the_head_of_a_stream_ends(server_with_roster: PageServer) -> None:
    assert server_with_roster.get("/events?tv=", method="HEAD").headers["content-type"].startswith("text/event-stream")


def test_what_the_client_has_is_not_sent_again(server_with_roster: PageServer) -> None:
    first = server_with_roster.get("/t/cs101")
    again = server_with_roster.get("/t/cs101", if_none_match=first.headers["etag"])
    assert again.status == 304
    assert again.text == ""
    packed = server_with_roster.get("/t/cs101", accept_encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.text == first.text
