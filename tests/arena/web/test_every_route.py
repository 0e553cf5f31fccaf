"""Every route of the page server, over a record in which all names are hostile and everything private is marked.

Nothing private is in any answer, with a roster or without, and every answer has the headers that protect its reader.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Final

import pytest
from msgspec import Struct

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.pages import drawing, manual
from arena.web import links
from arena.web.app import ROUTES
from tests.kit.html_validity import check_html
from tests.kit.web_record import ALIASES, CLOSED, LADDER, NAMES, STUDENTS, TITLES, WebRecord, in_addresses, secrets_in
from tests.kit.web_room import Answer, PageServer

_HOSTILE_MARKUP: Final = re.compile(r'<script(?! )[^>]*>(?!\n)|<[a-z][^>"]*(?:"[^"]*"[^>"]*)* on[a-z]+=|="javascript:')
_LEADS_ELSEWHERE: Final = re.compile(r"^(?!/)|//|/(?:\.|%2e){1,2}(?:/|\?|$)", re.IGNORECASE)
"""In the address of a link. Browsers take a segment of dots, encoded or not, for a folder."""
_FOREIGN: Final = re.compile(r'(?:href|src|action|srcset|data|poster)="\s*(?:[a-z]+:)?//|(?:<style[^<]*|=")url\((?!#)')


def addresses(record: WebRecord) -> dict[str, list[str]]:
    """By route: addresses of it, with names that are known and one that is not."""
    titles = [*map(in_addresses, (*TITLES, CLOSED, "nobody"))]
    agents = [*map(in_addresses, (*NAMES, *ALIASES, "nobody"))]
    games = [*record.games, 10**17]
    own = [f"/t/{title}" for title in titles]
    few = [*map(in_addresses, (NAMES[0], ALIASES[0], "nobody"))]
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
        "/t/{tournament:segment}/a/{agent:segment}": [
            *(f"{title}/a/{agent}" for title in own[:2] for agent in agents),
            *(f"{title}/a/{agent}" for title in own[2:] for agent in few),
        ],
        "/g/{id:segment}": [f"/g/{game}" for game in games],
    }
    docs = {
        "/docs": ["/docs", "/docs?q=out+of+time", "/docs?q=%3Cb%3Enothing"],
        "/docs/{page:segment}": [f"/docs/{page}" for page in (*manual.PAGES, "student", "nothing")],
    }
    data = {
        f"/api/v1{route}".rstrip("/"): [f"/api/v1{place}".rstrip("/") for place in places]
        for route, places in pages.items()
    }
    del data["/api/v1/t/{tournament:segment}/bracket"]
    return {
        **pages,
        **docs,
        **data,
        "/api/v1/schema": ["/api/v1/schema"],
        "/static/{name:segment}": [f"/static/{name}" for name in (*drawing.files(), "nothing.js")],
        "/find": ["/find", *(f"/find?q={words}" for words in ("a", "zz", "1"))],
        "/g/{id:segment}/pgn": [f"/g/{game}/pgn" for game in games],
        "/g/{id:segment}/mistakes": [f"/g/{game}/mistakes" for game in games],
        "/tv": ["/tv", *(f"/tv?t={title}" for title in titles)],
        "/events": ["/events", "/events?g=x"],
        "/healthz": ["/healthz"],
        "/in/{key:segment}": ["/in/x", f"/in/ai_{'A' * 43}"],
        links.OUT: [links.OUT],
        links.ME: [links.ME],
        links.SUBMIT: [links.SUBMIT],
        links.TOKENS: [links.TOKENS],
        links.CHALLENGE: [links.CHALLENGE],
        links.WHY: [links.WHY],
        "/s/{id:segment}": [f"/s/{number}" for number in record.submissions],
        "/s/{id:segment}/files": [f"/s/{number}/files" for number in record.submissions],
        "/api/v1/s/{id:segment}": [f"/api/v1/s/{number}" for number in record.submissions],
        "/api/v1/submissions": ["/api/v1/submissions"],
        "/play": ["/play", "/play?game=kuhn", "/play?game=x"],
        "/play/{opponent:segment}": ["/play/random", "/play/nobody", *(f"/play/{agent}" for agent in agents)],
        "/p/{key:segment}": ["/p/x"],
        "/t/{tournament:segment}/manage": [f"{title}/manage" for title in own],
        "/t/{tournament:segment}/manage/game": [f"{own[0]}/manage/game?number={game}" for game in games],
        "/t/{tournament:segment}/manage/grades": [f"{title}/manage/grades" for title in own],
        "/t/{tournament:segment}/manage/audit": [f"{title}/manage/audit" for title in own],
    }


def test_every_route_is_visited(record: WebRecord) -> None:
    assert set(addresses(record)) == {getattr(route, "path", "") for route in ROUTES}


@pytest.mark.costly
def test_nothing_private_is_in_any_answer(server_with_roster: PageServer, record: WebRecord) -> None:
    visited = visit_everything(server_with_roster, record, Reader(names=True))
    assert not any("zzclosed" in answer.text for answer in visited.values())


@pytest.mark.costly
def test_only_names_are_public_without_a_roster(server: PageServer, record: WebRecord) -> None:
    visit_everything(server, record, Reader(names=False))


@pytest.mark.costly
def test_a_student_without_an_agent_finds_nothing_private(server_with_roster: PageServer, record: WebRecord) -> None:
    visited = visit_everything(server_with_roster, record, Reader(names=True, cookie=record.session("stranger")))
    assert any("zzclosed" in answer.text for answer in visited.values())
    assert {visited[f"/s/{number}"].status for number in record.submissions} == {404}


@pytest.mark.costly
def test_a_student_sees_what_is_private_of_the_own_agent_alone(
    server_with_roster: PageServer, record: WebRecord
) -> None:
    own = STUDENTS[1]
    visited = visit_everything(server_with_roster, record, Reader(names=True, cookie=record.session(own), of=own))
    everything = "".join(answer.text for answer in visited.values())
    for what in ("stderr", "line", "text", "marks", "label", "words", "step"):
        assert f"-{what}-of-{own}" in everything, what


@pytest.mark.costly
def test_an_instructor_sees_all_and_nothing_of_it_runs(server_with_roster: PageServer, record: WebRecord) -> None:
    visited = visit_everything(server_with_roster, record, Reader(names=True, cookie=record.session(""), sees_all=True))
    everything = "".join(answer.text for answer in visited.values())
    for student in STUDENTS:
        assert f"-stderr-of-{student}" in everything
        assert f"-marks-of-{student}" in everything
    assert visited[f"/t/{LADDER}/manage"].status == 200


class Reader(Struct, frozen=True, kw_only=True):
    """Who goes to every address."""

    names: bool
    """Whether names are private."""
    cookie: str = ""
    """The key of a session; empty for a visitor."""
    of: str = ""
    """The own agent."""
    sees_all: bool = False


def visit_everything(server: PageServer, record: WebRecord, reader: Reader) -> dict[str, Answer]:
    """Goes to every address and follows every link; fails if an answer is wrong. Returns the answers."""
    routes = addresses(record)
    places = [place for each in routes.values() for place in each]
    port = server.address.rpartition(":")[2]
    sent = {"cookie": f"arena-{port}={reader.cookie}"} if reader.cookie else {}
    visited: dict[str, Answer] = {}
    linked: set[str] = set()
    for place in places:
        answer = visited[place] = server.get(place, **sent)
        known = (200, 503) if place == "/healthz" else (200, 303, 400, 401, 404, 405)  # no games are run
        assert answer.status in known, (place, answer.status, answer.text[-500:])
        check_answer(place, answer, reader)
        if (
            place.endswith("/files")
            or "/grades" in place
            or not answer.headers.get("content-type", "").startswith("text/html")
        ):
            continue
        found = {unescape(href).partition("#")[0] for href in re.findall(r'<a [^>]*?href="([^"]*)"', answer.text)} - {
            ""
        }
        assert not [link for link in found if _LEADS_ELSEWHERE.search(link)], place
        new = sorted(link for link in found - linked - {*places} if followed(link, reader))
        places += new
        linked |= {*new} | (found & {*places})
    lost = {link for link in linked if visited[link].status not in (200, 303)}
    assert not [link for link in lost if not link.endswith("/files")]  # the agents are not in the store
    agents = {link for link in linked if re.search("^/t/[^/]+/a/[^/]+$", link)}
    assert len(agents) >= len(STUDENTS) + len(NAMES)
    for route, places in routes.items():
        if route in PUBLIC:
            assert 200 in {visited[place].status for place in places}, route
    return visited


def followed(link: str, reader: Reader) -> bool:
    """Whether to follow a link. Each pair of agents and each game has one: those of one agent and a tenth of the games
    are enough, but an instructor finds the games of every student."""
    if "opponent=" in link:
        return in_addresses(NAMES[0]) in link
    return reader.sees_all or not re.fullmatch(r"/g/\d*[1-9]", link)


PUBLIC: Final = ("/", "/g/{id:segment}", "/tv", "/t/{tournament:segment}", "/t/{tournament:segment}/games")
"""Routes of which everyone sees something."""


_ANYONE: Final = Reader(names=True)


def check_answer(place: str, answer: Answer, reader: Reader = _ANYONE) -> None:
    """Fails if the answer does not protect its reader, or shows what is private."""
    if not (reader.sees_all or place.startswith("/docs/")):  # seeds in the docs' examples are not those of the record
        assert not secrets_in(answer.everything, names=reader.names, of=reader.of), place
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy, place
    assert "default-src 'none'" in policy, place
    assert "frame-ancestors 'none'" in policy, place
    assert answer.headers["x-content-type-options"] == "nosniff", place
    assert answer.headers["referrer-policy"] in ("no-referrer", "same-origin"), place
    if answer.headers.get("content-type", "").startswith("text/html"):
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
        answer = server_with_roster.get(place, method=method, sec_fetch_site="same-origin")
        assert answer.status == 405, place
        check_answer(place, answer)


@pytest.mark.parametrize(
    "sent", [{}, {"origin": "https://evil.example"}, {"origin": "null"}, {"sec_fetch_site": "cross-site"}]
)
def test_what_other_sites_send_is_refused(
    server_with_roster: PageServer, record: WebRecord, sent: dict[str, str]
) -> None:
    port = server_with_roster.address.rpartition(":")[2]
    cookie = f"arena-{port}={record.session(STUDENTS[1])}"
    for place in (links.OUT, links.TOKENS, links.SUBMIT, "/play/random", f"/t/{LADDER}/manage", "/in/x"):
        answer = server_with_roster.get(place, method="POST", cookie=cookie, **sent)
        assert answer.status == 403, place
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
